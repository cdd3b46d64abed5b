"""The verb ``evaluate``: classifiers compared on a table by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atfnb._errors import in_command, listed_names
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
    check_output,
    train_command,
    with_options,
)
from atfnb.cli.terminal import echo, one_sentence, say, standard_error, warnings_noted
from atfnb.cli.train import classifiers_by_name, doubts_about, make_classifier

if TYPE_CHECKING:
    from atfnb._processes import Progress
    from atfnb.classifiers import BaseNB
    from atfnb.cli.rows import LabelledTable
    from atfnb.encoding import Pooling
    from atfnb.evaluation import Evaluation


FEW = 2
"""A sentence names this number of classifiers, or fewer."""


@dataclass(frozen=True)
class FoldOptions:
    """How the rows are split for cross-validation."""

    folds: Annotated[
        int,
        typer.Option(min=2, metavar="N", help="Number of folds: each in turn is held out and scored."),
    ] = 5
    repeats: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Number of times the cross-validation is repeated, each with new folds."),
    ] = 4
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
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Also write the scores to this CSV file.", show_default=False),
    ] = None,
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
        from atfnb.cli.rows import read_rows
        from atfnb.cli.verdict import print_comparison, recommended, verdict
        from atfnb.console import progress_bar

        if out is not None:
            check_output(out, *data)
        models = _models(classifiers, settings.parameters() | columns.parameters())
        table = TrainingFile(data, target, columns, file.dialect(), classes)
        rows, console, notes = read_rows(table), standard_error(quiet), list[str]()
        say(console, [str(rows.format), *rows.notes])
        with progress_bar(console, "evaluating") as progress, warnings_noted(notes):
            found, more = evaluate_rows(rows, models, table, splits, progress)
        say(console, [*more, *notes])
        if not quiet:
            print_comparison(found)
        if not (quiet and out is not None):
            echo(verdict(found))
        best = recommended(found)
        if best is not None:
            command = models[best].declaration.command or ""
            say(console, [f"To train it: {train_command(data, target, command, columns, classes, settings, file)}"])
        if out is not None:
            write_comparison(out, found)


def _models(names: Sequence[str] | None, parameters: Mapping[str, Any]) -> dict[str, BaseNB]:
    """Return new classifiers by their names in tables: those named on the command line, or all different ones."""
    if names is None:
        names = [name for name, each in classifiers_by_name().items() if each.declaration.alias_of is None]
    models = (make_classifier(name, **parameters) for name in names)
    return {model.declaration.name: model for model in models}


def evaluate_rows(
    rows: LabelledTable, models: Mapping[str, BaseNB], table: TrainingFile, splits: FoldOptions, progress: Progress
) -> tuple[Evaluation, list[str]]:
    """Cross-validate classifiers, and guessing, on a table, and return the result and notes about it.

    A classifier that cannot be trained on this table is left out, with a note that says why; if none can, that is an
    error.
    """
    import numpy as np
    from sklearn.dummy import DummyClassifier

    from atfnb.cli.verdict import GUESSING
    from atfnb.evaluation import cross_validate

    spelling = dict(zip(np.unique(rows.y).tolist(), rows.class_spelling or (), strict=False))  # () if as in Python
    rows = _with_weight(rows)
    found = cross_validate(
        {GUESSING: DummyClassifier(strategy="prior"), **models},
        rows.X,
        rows.y,
        folds=splits.folds,
        repeats=splits.repeats,
        random_state=splits.seed,
        sample_weight=rows.weight,
        leave_out_refusals=True,
        progress=progress,
    )
    found = replace(found, spelling=spelling)
    if found.names == [GUESSING]:
        raise next(iter(found.refused.values()))
    plain = make_classifier("nb", missing="value", **table.columns.parameters()).set_params(min_category_rows=None)
    plain.fit(rows.X, rows.y, rows.weight)
    about_columns = [*_pooled(plain, models), *doubts_about(plain, table), *_on_dates(plain)]
    return found, [*_notes(rows, found, table, splits.folds), *about_columns]


def _with_weight(rows: LabelledTable) -> LabelledTable:
    """Return the rows whose weight is above zero."""
    import pyarrow as pa

    if rows.weight is None or (rows.weight > 0).all():
        return rows
    counting = rows.weight > 0
    return replace(rows, X=rows.X.filter(pa.array(counting)), y=rows.y[counting], weight=rows.weight[counting])


def _notes(rows: LabelledTable, found: Evaluation, table: TrainingFile, folds: int) -> Iterator[str]:
    """Generate what a person should know of the comparison, a sentence each."""
    import numpy as np

    from atfnb.evaluation import not_judged_in_words

    for name, refusal in found.refused.items():
        yield f"{name} is left out: {in_command(refusal)}"
    if found.not_judged:
        yield not_judged_in_words(found.in_words(found.not_judged))
    classes, counts = np.unique(rows.y, return_counts=True)
    rare = found.in_words(classes[(counts > 1) & (counts < folds)].tolist())
    if rare:
        subject = "Class {} has" if len(rare) == 1 else "Classes {} have"
        yield (
            f"{subject.format(listed_names(rare))} fewer rows than there are folds: balanced accuracy, log-loss and "
            "macro F1 are rough."
        )
    if rows.weight is not None:
        yield f"Rows are weighted by {table.columns.weight!r}, in training and in the scores."


def _on_dates(plain: BaseNB) -> Iterator[str]:
    """Generate a sentence on the columns of dates, if there are any, and one on each time zone."""
    from atfnb.encoding import zones_in_words

    yield from zones_in_words(plain.encoder_)
    if dated := [attribute.source for attribute in plain.encoder_.attributes if attribute.part == "date"]:
        yield (
            f"{listed_names(dated)} {'holds' if len(dated) == 1 else 'hold'} dates, and cross-validation mixes earlier "
            "and later rows: if the class of later rows is to be predicted, train on the earlier rows and score the "
            "later ones with atfnb test."
        )


def _pooled(plain: BaseNB, models: Mapping[str, BaseNB]) -> Iterator[str]:
    """Generate a sentence on each column with values that count as one in some classifiers.

    ``plain`` was trained on all rows, and keeps all values apart.
    """
    from atfnb.encoding import CategoricalAttribute, pooled_in_words

    of_models = {name: (model._pooling(), model.missing == "value") for name, model in models.items()}
    strictest = min((rule for rule, _ in of_models.values()), key=lambda rule: rule.fewest)
    for j, each in enumerate(plain.encoder_.attributes):
        if not isinstance(each, CategoricalAttribute) or each.part is not None:
            continue
        table, gaps = plain.counts_.of(j)[: len(each.categories)], each.n_values > each.n_known
        pooled = {rule: int(rule.pooled(table).sum()) for rule, _ in of_models.values()}
        kinds: dict[tuple[Pooling, int, bool], list[str]] = {}
        for name, (rule, valued) in of_models.items():
            none_left = pooled[rule] == len(table)
            kind = (strictest if none_left else rule, pooled[rule], gaps and valued and none_left)
            kinds.setdefault(kind, []).append(name)
        for (rule, count, only_gaps), names in kinds.items():
            of = f" in {' and '.join(names)}" if len(names) <= FEW else " in the other classifiers"
            if count:
                yield pooled_in_words(each.name, len(table), count, rule, of if len(kinds) > 1 else "", gaps=only_gaps)


def write_comparison(path: Path, found: Evaluation) -> None:
    """Write a CSV file with a line for each classifier: the mean and the standard error of each metric."""
    from atfnb._files import csv_text, write_whole
    from atfnb.cli.verdict import by_accuracy
    from atfnb.evaluation import METRICS

    header = ["classifier", *(f"{metric}{end}" for metric in METRICS for end in ("", " error"))]
    lines = [
        [name, *(score(name, metric) for metric in METRICS for score in (found.mean, found.standard_error))]
        for name in by_accuracy(found)
    ]
    write_whole(path, csv_text([header, *lines]))
