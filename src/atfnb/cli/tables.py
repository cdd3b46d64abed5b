"""Verbs for a person with a table: evaluate, train, predict, report."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atfnb.cli.sentences import one_sentence
from atfnb.tasks.words import UsageError

if TYPE_CHECKING:
    from atfnb.table_files import Dialect
    from atfnb.tasks.rows import Rows, Wanted

NOTHING = "nothing was written."


class Classifier(StrEnum):
    """The classifiers, the most accurate first."""

    fusion = "fusion"
    atfnb = "atfnb"
    cfw_beta = "cfw-beta"
    cfw = "cfw"
    dfw = "dfw"
    wnb = "wnb"
    klnb = "klnb"
    nb = "nb"


COMPARED = [one for one in Classifier if one is not Classifier.klnb]
"""KLNB is WNB by another name."""


class Gaps(StrEnum):
    """What a missing cell is."""

    impute = "impute"
    skip = "skip"
    value = "value"


Table = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="CSV, TSV, Parquet or Arrow, compressed or not; - for standard input.", show_default=False
    ),
]
Target = Annotated[
    str, typer.Option("--target", "-t", metavar="COLUMN", help="The column with the class.", show_default=False)
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COLUMN", help="Leave this column out; may be repeated.", show_default=False),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COLUMN",
        help="Numbers that are names, as a postcode; may be repeated.",
        show_default=False,
    ),
]
PARTS = "Larger than memory"
FILE = "How the file is written, if it is not found out right"
Encoding = Annotated[str | None, typer.Option(help="As latin-1 or utf-16.", show_default=False, rich_help_panel=FILE)]
Delimiter = Annotated[
    str | None, typer.Option(help="What stands between cells.", show_default=False, rich_help_panel=FILE)
]
MissingMark = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-mark",
        metavar="TEXT",
        help="What a missing cell holds, instead of nothing, NA, ?, null and the like; may be repeated.",
        show_default=False,
        rich_help_panel=FILE,
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="The file that atfnb train wrote.", show_default=False)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say only what goes wrong.")]
QuietAnswer = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Say only what goes wrong; without -o, the answer in a sentence or two as well."
    ),
]
ModelTarget = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The column with the class, if the model does not know.",
        show_default=False,
    ),
]


def evaluate(
    data: Table,
    target: Target,
    ignore: Ignore = None,
    categorical: Categorical = None,
    classifiers: Annotated[
        list[Classifier] | None,
        typer.Option("--classifier", "-c", help="Only this one; may be repeated.", show_default=False),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts that the rows are dealt into.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often they are dealt again.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other parts.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the numbers here too, as CSV.", show_default=False)
    ] = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    missing_mark: MissingMark = None,
    quiet: QuietAnswer = False,
) -> None:
    """Tell how well the class can be told from the other columns, and by which classifier.

    Each classifier learns from some of the rows and is asked about the others, again and again; guessing the most
    frequent class is among them.

    Example: [bold]atfnb evaluate bank.csv --target class[/]
    """
    with one_sentence("no result yet."):
        from atfnb.cli.evaluated import show_evaluation
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.tasks.evaluate import evaluate_rows, next_steps, verdict, write_lines

        if out is not None:
            _check_output(out, data)
        rows = _read(data, _wanted(target, ignore, categorical, None, encoding, delimiter, missing_mark), quiet)
        told = console(quiet)
        with progress_bar(told, "evaluating") as progress:
            names = [one.value for one in classifiers or COMPARED]
            done = evaluate_rows(rows, names, folds=folds, repeats=repeats, seed=seed, progress=progress)
        say(told, done.notes)
        if not quiet:
            show_evaluation(done.found)
        if not (quiet and out is not None):
            for sentence in verdict(done.found):
                typer.echo(sentence)
        say(told, next_steps(done.found, data, target))
        if out is not None:
            write_lines(out, done.found)


def train(
    data: Table,
    target: Target,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model's file.")] = Path("model.json"),
    classifier: Annotated[
        Classifier, typer.Option("--classifier", "-c", help="fusion is the most accurate, atfnb the paper's own.")
    ] = Classifier.fusion,
    relevance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INDEX",
            help="information_gain, gain_ratio, symmetric_uncertainty, pearson or uniform; fusion takes several.",
            show_default=False,
        ),
    ] = None,
    redundancy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INDEX",
            help="pearson, mutual_information, symmetric_uncertainty or zero; fusion takes several.",
            show_default=False,
        ),
    ] = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column that tells how much each row counts.", show_default=False),
    ] = None,
    max_bins: Annotated[
        int | None,
        typer.Option(min=2, help="Intervals of a number; as many as classes by default.", show_default=False),
    ] = None,
    missing: Annotated[
        Gaps,
        typer.Option(help="A missing cell is the mean or the most frequent value; or says nothing; or is a value."),
    ] = Gaps.impute,
    alpha: Annotated[float, typer.Option(min=1e-6, help="Smoothing.")] = 1.0,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    missing_mark: MissingMark = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask cluster to train on, as tcp://10.0.0.1:8786.",
            show_default=False,
            rich_help_panel=PARTS,
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Start a process for each core, and let each use this much, as 2GB.",
            show_default=False,
            rich_help_panel=PARTS,
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Learn from a table, and keep the model in a file that a person can read.

    A pattern or a folder of Parquet or CSV files is read in parts, and may be larger than memory.

    Example: [bold]atfnb train bank.csv --target class -o model.json[/]

    Example: [bold]atfnb train 'data/*.parquet' --target class --classifier atfnb -o model.json[/]

    Example: [bold]atfnb train bank.csv --target class --classifier atfnb --relevance gain_ratio --redundancy pearson[/]
    """
    with one_sentence(NOTHING):
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.persistence import save
        from atfnb.tasks.in_parts import fit_parts, is_in_parts
        from atfnb.tasks.train import learned, make

        _check_output(out, data)
        options = {"relevance": relevance, "redundancy": redundancy, "max_bins": max_bins, "alpha": alpha}
        model = make(classifier.value, missing=missing.value, **options)
        wanted, told = _wanted(target, ignore, categorical, weight, encoding, delimiter, missing_mark), console(quiet)
        if is_in_parts(data, scheduler, memory):
            source = data
            with progress_bar(told, "reading") as progress:
                notes = fit_parts(model, data, wanted, scheduler=scheduler, memory=memory, progress=progress)
            say(told, notes)
        else:
            rows = _read(data, wanted, quiet)
            source = rows.format.name
            model.fit(rows.X, rows.y, rows.weight)
        save(model, out, target=target, source=source, missing_marks=missing_mark)
        say(told, [*learned(model, target), f"the model: {out}"])


def predict(
    model: ModelFile,
    data: Table,
    out: Annotated[
        str, typer.Option("--out", "-o", help="CSV, TSV, Parquet or Arrow, by its ending; - to print it.")
    ] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="The probability of each class too.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="What spoke most for the class of each row too.")] = False,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    missing_mark: MissingMark = None,
    quiet: Quiet = False,
) -> None:
    """Tell the class of new rows: the same rows in the same order, with columns added.

    Rows are read and written in pieces, so the file may be larger than memory.

    Example: [bold]atfnb predict model.json new.csv -o classified.csv --proba --explain[/]
    """
    with one_sentence(NOTHING):
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.persistence import load
        from atfnb.tasks.predict import Extra, predict_file

        told = console(quiet)
        with progress_bar(told, "predicting") as progress:
            notes = predict_file(
                load(model), data, out, _dialect(encoding, delimiter, missing_mark), Extra(proba, explain), progress
            )
        say(told, notes)


def report(
    model: ModelFile,
    data: Table,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("report.html"),
    target: ModelTarget = None,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="DATA", help="Other rows, with their classes: the model is scored on them.", show_default=False
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other parts.")] = 0,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    missing_mark: MissingMark = None,
    quiet: Quiet = False,
) -> None:
    """Write a page that shows what a model learned and how good it is: one file, to open in any browser.

    On the rows that the model was trained on, models trained like it are cross-validated; on other rows, and on those
    of [bold]--test[/], the model itself is scored. The page says which.

    Example: [bold]atfnb report model.json bank.csv -o report.html[/]

    Example: [bold]atfnb report model.json train.csv --test test.csv -o report.html[/]
    """
    with one_sentence(NOTHING):
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.persistence import load
        from atfnb.tasks.report import rows_for

        _check_output(out, data, str(model), *([test] if test else []))
        told, loaded, dialect = console(quiet), load(model), _dialect(encoding, delimiter, missing_mark)
        rows = rows_for(loaded, data, target, dialect)
        held_out = rows_for(loaded, test, target, dialect) if test else None
        for read in (rows, held_out):
            say(told, [] if read is None else [f"{read.format}", *read.notes])
        with progress_bar(told, "cross-validating") as progress:
            loaded.report(
                rows.X,
                rows.y,
                out,
                folds=folds,
                random_state=seed,
                title=f"{rows.format.name}: what was learned",
                target=rows.target,
                test=None if held_out is None else (held_out.X, held_out.y),
                test_name="the test rows" if held_out is None else held_out.format.name,
                progress=progress,
            )
        say(told, [f"the report: {out}"])


def _check_output(out: Path, *inputs: str) -> None:
    """Say before hours of work that what they make could not be kept, or would replace what it is made of."""
    if str(out) == "-":
        raise UsageError("only atfnb predict writes to standard output: give the name of a file.")
    for name in inputs:
        if out.exists() and name != "-" and Path(name).exists() and out.samefile(name):
            raise ValueError(f"the output would replace the input {name}: give the output another name.")
    if not out.parent.is_dir():
        raise ValueError(f"there is no folder {out.parent}: make it, or choose another.")
    if out.is_dir():
        raise ValueError(f"{out} is a folder: give the name of a file.")


def _read(data: str, wanted: Wanted, quiet: bool) -> Rows:
    """The rows of a file; what was found about it is said."""
    from atfnb.cli.shown import console, say
    from atfnb.tasks.rows import read_rows

    rows = read_rows(data, wanted)
    say(console(quiet), [str(rows.format), *rows.notes])
    return rows


def _wanted(
    target: str,
    ignore: list[str] | None,
    categorical: list[str] | None,
    weight: str | None,
    encoding: str | None,
    delimiter: str | None,
    missing_mark: list[str] | None,
) -> Wanted:
    from atfnb.tasks.rows import Wanted

    return Wanted(target, ignore or (), categorical or (), weight, _dialect(encoding, delimiter, missing_mark))


def _dialect(encoding: str | None, delimiter: str | None, missing_mark: list[str] | None) -> Dialect:
    from atfnb.table_files import Dialect

    try:
        return Dialect(encoding, delimiter, None if missing_mark is None else tuple(missing_mark))
    except ValueError as error:
        raise UsageError(str(error)) from None
