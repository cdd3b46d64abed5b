"""The verb ``split``: a table becomes two files, one to train on and one to test on."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import MISSING
from pathlib import Path

from atfnb._errors import counted, percent
from atfnb.cli.options import SEED, DataFiles, FileOptions, Quiet, check_output, option, with_options
from atfnb.cli.terminal import UsageError, say, standard_error


def _share(text: str) -> float:
    """Return a share of the rows, such as 20% or 0.2.

    >>> _share("20%"), _share("0.25")
    (0.2, 0.25)
    """
    try:
        share = float(text.rstrip("% ")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise UsageError(f"--test {text!r} is no share of the rows, such as 20% or 0.2.")
    return share


@with_options
def split(
    *,
    data: DataFiles,
    target: str = option("Column with the class to predict.", MISSING, "-t", metavar="COLUMN"),
    test: str = option("Share of the rows to test on.", "20%", metavar="SHARE"),
    groups: str | None = option("Column with the group of each row: no group is in both files.", metavar="COLUMN"),
    time: str | None = option(
        "Column with the time of each row, a date or a number: the latest rows are to test on.", metavar="COLUMN"
    ),
    train_file: Path | None = option("File for the rows to train on. Default: NAME_train, beside DATA."),
    test_file: Path | None = option("File for the rows to test on. Default: NAME_test, beside DATA."),
    file: FileOptions,
    seed: int = option(SEED, 0, min=0, show_default=True),
    quiet: Quiet = False,
) -> None:
    """Split a table into a file to train on and a file to test on.

    Use it to keep rows aside that no model sees before [bold]atfnb test[/]. The rows are drawn by chance, with the same
    share of every class in both files, unless --groups or --time says how new rows will differ. Copies of a row are all
    in one file. The cells are written as they are.

    Example: [bold]atfnb split bank.csv --target class --test 20%[/]

    Example: [bold]atfnb split visits.csv --target ill --groups patient[/]
    """
    from atfnb.evaluation import held_out_rows
    from atfnb.tables import TableWriter, check_names, identifiers, open_table

    share = _share(test)
    if "-" in data:
        raise UsageError("standard input cannot be read twice: write it to a file first.")
    stem, _, ending = Path(data[0]).name.partition(".")
    beside = Path(data[0]).parent
    outputs = [train_file or beside / f"{stem}_train.{ending}", test_file or beside / f"{stem}_test.{ending}"]
    if outputs[0] == outputs[1]:
        raise UsageError("--train-file and --test-file are the same: give each a name of its own.")
    for out in outputs:
        check_output(out, *data)
    dialect, roles = file.dialect(), [name for name in (target, groups, time) if name is not None]
    with open_table(data, dialect) as source:
        check_names(roles, source.columns, source.format.name, source.notes)
        table = source.read(as_written=[target])
    X = table.drop_columns([*roles, *(name for name in identifiers(table) if name not in roles)])
    folds = {
        role: table.column(name).to_pylist() for role, name in (("groups", groups), ("time", time)) if name is not None
    }
    held_out = held_out_rows(X, table.column(target).to_pylist(), share, random_state=seed, **folds)
    parts = [(str(out), kept) for out, kept in zip(outputs, (~held_out, held_out), strict=True)]
    with open_table(data, dialect) as source, ExitStack() as stack:
        writers = [(stack.enter_context(TableWriter(out, source)), kept) for out, kept in parts]
        first = 0
        for batch in source.batches():
            rows = slice(first, first := first + batch.table.num_rows)
            for writer, kept in writers:
                writer.write(batch.table.filter(kept[rows]))
    said = [f"{counted(int(kept.sum()), 'row')} ({percent(kept.mean())}) written to {out}." for out, kept in parts]
    say(standard_error(quiet), [str(source.format), *source.notes, *said])
