"""The verb ``predict``: a table of new rows becomes the same table with the predicted class of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from atfnb._errors import counted, listed_names
from atfnb.cli.options import DataFile, ModelFile, NewFileOptions, Quiet, with_options
from atfnb.cli.terminal import one_sentence, say, standard_error

if TYPE_CHECKING:
    from atfnb._processes import Progress
    from atfnb.classifiers import BaseNB
    from atfnb.tables import Dialect


@with_options
def predict(
    *,
    model: ModelFile,
    data: DataFile,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write: CSV, TSV, Parquet, Arrow or .xlsx, by its ending; - prints to standard output.",
        ),
    ] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the values that contributed most to the predicted class.")
    ] = False,
    file: NewFileOptions,
    quiet: Quiet = False,
) -> None:
    """Predict the class of every row of a table.

    Use it on new rows, whose class is not known. It writes the same rows in the same order, with a column predicted
    added. Rows are read and written in pieces, so the table may be larger than memory.

    Example: [bold]atfnb predict model.json new.csv -o predicted.csv --proba --explain[/]
    """
    with one_sentence():
        from atfnb.console import progress_bar
        from atfnb.model_file import load

        console = standard_error(quiet)
        with progress_bar(console, "predicting") as progress:
            notes = predict_file(load(model), data, out, file.dialect(), proba, explain, progress)
        say(console, notes)


def predict_file(
    model: BaseNB, data: str, out: str, dialect: Dialect, proba: bool, explain: bool, progress: Progress
) -> list[str]:
    """Write the rows of a file with their predicted classes to another file, and return notes about them."""
    from atfnb.cli.predictor import Predictor
    from atfnb.cli.rows import open_as_trained, unused_columns
    from atfnb.tables import TableWriter

    with open_as_trained(model, data, dialect) as file:
        unused = unused_columns(model, file.columns)
        predictor = Predictor(model, file.columns, proba=proba, explain=explain)
        with TableWriter(out, file, holds=[*predictor.names, *predictor.labels]) as writer:
            predictor.as_text, predictor.as_numbers = writer.is_text, writer.is_workbook
            for batch in file.batches():
                writer.write(predictor.add(batch))
                progress(predictor.rows, 0, "rows")
        notes = [str(file.format), *file.notes]
    if unused:
        notes.append(f"Columns that the model does not use are copied unchanged: {listed_names(unused)}.")
    return [*notes, *predictor.notes(), f"Predicted {counted(predictor.rows, 'row')}, written to {writer.name}."]
