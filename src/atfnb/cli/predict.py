"""The verb ``predict``: a table of new rows becomes the same table with the predicted class of each row."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from atfnb._errors import counted, listed_names
from atfnb.cli.options import NewTable, Quiet, option, with_options
from atfnb.cli.terminal import loaded, say, standard_error

if TYPE_CHECKING:
    from atfnb._progress import Progress
    from atfnb.classifiers import BaseNB
    from atfnb.tables import Dialect


@with_options
def predict(
    *,
    table: NewTable,
    out: str = option(
        "File to write: CSV, TSV, Parquet, Arrow or .xlsx, by its ending; or a folder, for an output of the same name "
        "for each file of DATA; - prints to standard output.",
        "-",
        "-o",
        metavar="FILE",
    ),
    proba: bool = option("Add the probability of each class.", False),
    explain: bool = option("Add the values that contributed most to the predicted class.", False),
    quiet: Quiet = False,
) -> None:
    """Predict the class of every row of a table.

    Use it on new rows, whose class is not known. It writes the rows in the same order, with a column predicted
    added. Rows are read and written in pieces, so the table may be larger than memory. Of several files, all rows are
    written to one file, or each file to a file of the same name in the folder that [bold]-o[/] names.

    Example: [bold]atfnb predict model.json new.csv -o predicted.csv --proba --explain[/]
    """
    from atfnb.console import progress_bar

    console, notes = standard_error(quiet), list[str]()
    model = loaded(table.model, console)
    added = {"proba": proba, "explain": explain}
    with progress_bar(console, "predicting") as progress:
        for data, to in outputs(table.data, out):
            notes += predict_file(model, data, to, table.dialect(), added, progress)
    say(console, notes)


def outputs(data: list[str], out: str) -> Iterator[tuple[list[str], str]]:
    """Generate the files to read and where their predictions go: all to a file, or each to one in a folder."""
    from atfnb.tables import table_paths

    if not os.path.isdir(out):
        if out.endswith(os.sep):
            raise ValueError(f"there is no folder {out}: create it, or choose another one.")
        yield data, out
        return
    paths = [each.path for each in table_paths(data)]
    top = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])
    for path in paths:
        to = os.path.join(out, os.path.relpath(os.path.abspath(path), top))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        yield [path], to


def predict_file(
    model: BaseNB, data: list[str], out: str, dialect: Dialect, added: dict[str, Any], progress: Progress
) -> list[str]:
    """Write the rows of a file with their predicted classes to another file, and return notes about them."""
    from atfnb.cli.predictor import Predictor
    from atfnb.cli.rows import open_as_trained, unused_columns
    from atfnb.tables import TableWriter

    with open_as_trained(model, data, dialect) as file:
        if len({each.decimal for each in file.formats}) > 1:
            raise ValueError(
                f"{file.name} have decimal points and decimal commas, so one file cannot hold the rows of all: give a "
                "folder with -o, for an output of each."
            )
        unused = unused_columns(model, file.columns)
        predictor = Predictor(model, file.columns, **added)
        with TableWriter(out, file, holds=[*predictor.names, *predictor.labels]) as writer:
            predictor.as_text, predictor.as_numbers = writer.is_text, writer.is_workbook
            for batch in file.batches():
                writer.write(predictor.add(batch))
                progress(predictor.rows, 0, "rows")
        notes = [str(file.format), *file.notes]
    if unused:
        notes.append(f"Columns that the model does not use are copied unchanged: {listed_names(unused)}.")
    return [*notes, *predictor.notes(), f"Predicted {counted(predictor.rows, 'row')}, written to {writer.name}."]
