"""Verbs for a person with a table: evaluate, train, predict, report."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atfnb.cli.options import ColumnOptions, FileOptions, ModelOptions, train_command, wanted, with_options
from atfnb.cli.sentences import one_sentence, unsettled_fits
from atfnb.cli.words import UsageError

if TYPE_CHECKING:
    from atfnb.cli.rows import Rows, Wanted

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


Table = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="CSV, TSV, Parquet or Arrow, compressed or not; - for standard input.", show_default=False
    ),
]
Target = Annotated[
    str, typer.Option("--target", "-t", metavar="COLUMN", help="The column with the class.", show_default=False)
]
PARTS = "Larger than memory"
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


@with_options
def evaluate(
    *,
    data: Table,
    target: Target,
    classifiers: Annotated[
        list[Classifier] | None,
        typer.Option("--classifier", "-c", help="Only this one; may be repeated.", show_default=False),
    ] = None,
    columns: ColumnOptions,
    settings: ModelOptions,
    folds: Annotated[int, typer.Option(min=2, help="Parts that the rows are dealt into.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often they are dealt again.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other parts.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the numbers here too, as CSV.", show_default=False)
    ] = None,
    file: FileOptions,
    quiet: QuietAnswer = False,
) -> None:
    """Tell how well the class can be told from the other columns, and by which classifier.

    Each classifier learns from some of the rows and is asked about the others, again and again; guessing the most
    frequent class is among them.

    Example: [bold]atfnb evaluate bank.csv --target class[/]
    """
    with one_sentence("no result yet."):
        from atfnb.cli.evaluate import evaluate_rows, to_train, verdict, write_lines
        from atfnb.cli.evaluated import show_evaluation
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.cli.train import make

        if out is not None:
            check_output(out, data)
        models = {one.value: make(one.value, **settings.settings()) for one in classifiers or COMPARED}
        rows = _read(data, wanted(target, columns, file), quiet)
        told, unsettled = console(quiet), list[str]()
        with progress_bar(told, "evaluating") as progress, unsettled_fits(unsettled):
            done = evaluate_rows(rows, models, folds=folds, repeats=repeats, seed=seed, progress=progress)
        say(told, [*done.notes, *unsettled])
        if not quiet:
            show_evaluation(done.found)
        if not (quiet and out is not None):
            for sentence in verdict(done.found):
                typer.echo(sentence)
        best = to_train(done.found)
        if best is not None:
            say(told, [f"next: {train_command(data, target, best, columns, settings, file)}"])
        if out is not None:
            write_lines(out, done.found)


@with_options
def train(
    *,
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
    columns: ColumnOptions,
    settings: ModelOptions,
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
    file: FileOptions,
    quiet: Quiet = False,
) -> None:
    """Learn from a table, and keep the model in a file that a person can read.

    A pattern or a folder of Parquet or CSV files is read in parts, and may be larger than memory.

    Example: [bold]atfnb train bank.csv --target class -o model.json[/]

    Example: [bold]atfnb train 'data/*.parquet' --target class --classifier atfnb -o model.json[/]

    Example: [bold]atfnb train bank.csv --target class --classifier atfnb --relevance gain_ratio --redundancy pearson[/]
    """
    with one_sentence(NOTHING):
        from atfnb.cli.doubts import doubts_about
        from atfnb.cli.in_parts import fit_parts, is_in_parts
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.cli.train import learned, make
        from atfnb.model_file import save

        check_output(out, data)
        model = make(classifier.value, relevance=relevance, redundancy=redundancy, **settings.settings())
        asked, told, unsettled = wanted(target, columns, file), console(quiet), list[str]()
        found: dict[str, Any] = {}  # in parts, the model has it
        if is_in_parts(data, scheduler, memory):
            source = data
            with progress_bar(told, "reading") as progress, unsettled_fits(unsettled):
                notes = fit_parts(model, data, asked, scheduler=scheduler, memory=memory, progress=progress)
            say(told, notes)
        else:
            rows = _read(data, asked, quiet)
            source, found = rows.format.name, {"forms": rows.forms, "class_spelling": rows.class_spelling}
            with progress_bar(told, "learning"), unsettled_fits(unsettled):
                model.fit(rows.X, rows.y, rows.weight)
        save(model, out, target=target, source=source, missing_marks=file.missing_mark, **found)
        say(told, [*unsettled, *doubts_about(model, asked), *learned(model, target), f"the model: {out}"])


@with_options
def predict(
    *,
    model: ModelFile,
    data: Table,
    out: Annotated[
        str, typer.Option("--out", "-o", help="CSV, TSV, Parquet or Arrow, by its ending; - to print it.")
    ] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="The probability of each class too.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="What spoke most for the class of each row too.")] = False,
    file: FileOptions,
    quiet: Quiet = False,
) -> None:
    """Tell the class of new rows: the same rows in the same order, with columns added.

    Rows are read and written in pieces, so the file may be larger than memory.

    Example: [bold]atfnb predict model.json new.csv -o classified.csv --proba --explain[/]
    """
    with one_sentence(NOTHING):
        from atfnb.cli.predict import Extra, predict_file
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.model_file import load

        told = console(quiet)
        with progress_bar(told, "predicting") as progress:
            notes = predict_file(load(model), data, out, file.dialect(), Extra(proba, explain), progress)
        say(told, notes)


@with_options
def report(
    *,
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
    file: FileOptions,
    quiet: Quiet = False,
) -> None:
    """Write a page that shows what a model learned and how good it is: one file, to open in any browser.

    On the rows that the model was trained on, models trained like it are cross-validated; on other rows, and on those
    of [bold]--test[/], the model itself is scored. The page says which.

    Example: [bold]atfnb report model.json bank.csv -o report.html[/]

    Example: [bold]atfnb report model.json train.csv --test test.csv -o report.html[/]
    """
    with one_sentence(NOTHING):
        from atfnb.cli.report import rows_for
        from atfnb.cli.shown import console, progress_bar, say
        from atfnb.model_file import load

        check_output(out, data, str(model), *([test] if test else []))
        told, loaded, unsettled = console(quiet), load(model), list[str]()
        rows = rows_for(loaded, data, target, file.dialect())
        held_out = rows_for(loaded, test, target, file.dialect()) if test else None
        for read in (rows, held_out):
            say(told, [] if read is None else [f"{read.format}", *read.notes])
        with progress_bar(told, "cross-validating") as progress, unsettled_fits(unsettled):
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
                notes=rows.notes,
                progress=progress,
            )
        say(told, [*unsettled, f"the report: {out}"])


def check_output(out: Path, *inputs: str) -> None:
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


def _read(data: str, asked: Wanted, quiet: bool) -> Rows:
    """The rows of a file; what was found about it is said."""
    from atfnb.cli.rows import read_rows
    from atfnb.cli.shown import console, say

    rows = read_rows(data, asked)
    say(console(quiet), [str(rows.format), *rows.notes])
    return rows
