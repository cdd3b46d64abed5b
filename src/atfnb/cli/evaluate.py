"""The verb ``evaluate``: classifiers compared on a table by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atfnb._errors import message_of
from atfnb.cli.options import (
    CLASSIFIER_PANEL,
    ClassOptions,
    ColumnOptions,
    DataFiles,
    FileOptions,
    ModelOptions,
    QuietSummary,
    Seed,
    TargetColumn,
    TrainingFile,
    option,
    train_command,
    with_options,
)
from atfnb.cli.results import Result, ResultFile, check_result
from atfnb.cli.terminal import in_command, one_sentence, say, standard_error, warnings_noted
from atfnb.cli.train import classifiers_by_name, doubts_about, make_classifier

if TYPE_CHECKING:
    from atfnb._processes import Progress
    from atfnb.classifiers import BaseNB
    from atfnb.evaluation import Evaluation
    from atfnb.training import TableInMemory


@dataclass(frozen=True)
class FoldOptions:
    """How the rows are split for cross-validation."""

    folds: int = option("Number of folds: each in turn is held out and scored.", 5, min=2, metavar="N")
    repeats: int = option(
        "Number of times the cross-validation is repeated, each with new folds.", 4, min=1, metavar="N"
    )
    seed: Seed = 0


@with_options
def evaluate(
    *,
    data: DataFiles,
    target: TargetColumn,
    classifiers: Annotated[
        list[str] | None,
        typer.Option(
            "--classifier",
            "-c",
            metavar="NAME",
            help="Compare this classifier only, by its name in atfnb train. May be repeated. Default: all of them.",
            show_default=False,
            rich_help_panel=CLASSIFIER_PANEL,
        ),
    ] = None,
    columns: ColumnOptions,
    classes: ClassOptions,
    settings: ModelOptions,
    splits: FoldOptions,
    out: ResultFile = None,
    file: FileOptions,
    quiet: QuietSummary = False,
) -> None:
    """Compare classifiers on a table by cross-validation.

    Use it first: it shows how well the class can be predicted from the other columns, and recommends a classifier to
    train. Each classifier is trained on some of the rows and scored on the others, in turn; always guessing the most
    frequent class is shown for comparison.

    Example: [bold]atfnb evaluate bank.csv --target class[/]
    """
    with one_sentence("no result yet."):
        from atfnb.cli.verdict import document, lines, print_comparison, recommended, verdict
        from atfnb.console import progress_bar

        check_result(out, *data)
        models = _models(classifiers, settings.parameters() | columns.parameters())
        table = TrainingFile(data, target, columns, file.dialect(), classes)
        rows, console, notes = table.read(), standard_error(quiet), list[str]()
        say(console, [rows.record.format, *rows.record.notes])
        with progress_bar(console, "evaluating") as progress, warnings_noted(notes):
            found, more = _evaluated(rows, models, table, splits, progress)
        say(console, [*more, *notes])
        best = recommended(found)
        sentences = verdict(found, weighted=settings.balance)
        result = Result(partial(print_comparison, found), sentences, document(found), lines(found))
        result.show(out, quiet=quiet)
        if best is not None:
            command = models[best].declaration.command or ""
            say(console, [f"To train it: {train_command(data, target, command, columns, classes, settings, file)}"])


def _models(names: Sequence[str] | None, parameters: Mapping[str, Any]) -> dict[str, BaseNB]:
    """Return new classifiers by their names in tables: those named on the command line, or all different ones."""
    if names is None:
        names = [name for name, each in classifiers_by_name().items() if each.declaration.alias_of is None]
    models = (make_classifier(name, **parameters) for name in names)
    return {model.declaration.name: model for model in models}


def _evaluated(
    rows: TableInMemory, models: Mapping[str, BaseNB], table: TrainingFile, splits: FoldOptions, progress: Progress
) -> tuple[Evaluation, list[str]]:
    """Cross-validate classifiers, and guessing, on a table, and return the result and notes about it."""
    from atfnb.evaluation import dates_in_words, evaluate_rows

    found, plain, notes = evaluate_rows(
        models,
        rows.X,
        rows.y,
        rows.sample_weight,
        folds=splits.folds,
        repeats=splits.repeats,
        random_state=splits.seed,
        class_spelling=rows.record.class_spelling or (),
        progress=progress,
    )
    left_out = [f"{name} is left out: {in_command(message_of(refusal))}" for name, refusal in found.refused.items()]
    weighted = f"Rows are weighted by {table.columns.weight!r}, in training and in the scores."
    more = [weighted] if rows.sample_weight is not None else []
    return found, [*left_out, *more, *notes, *doubts_about(plain, table), *dates_in_words(plain)]
