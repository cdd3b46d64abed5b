"""The verb ``test``: a trained model scored on rows whose classes are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from atfnb._errors import counted, listed_names, percent
from atfnb.cli.options import ResultOptions, ScoredTable, with_options
from atfnb.cli.terminal import fits, found_in, loaded, say, show, standard_error, table_of, warnings_noted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from atfnb.evaluation import Scores

RECALL_AND_PRECISION = (
    "recall: share of the rows of a class that are predicted correctly; precision: share of the rows predicted as a "
    "class that belong to it"
)
MOST_CLASSES = 30
"""How many classes the table of recall and precision shows at most."""
MOST_ERRORS = 10
"""How many kinds of errors are shown of a confusion matrix that is too wide."""


@with_options
def test(*, table: ScoredTable, result: ResultOptions) -> None:
    """Score a trained model on rows whose actual classes are known.

    Use it with rows that the model was not trained on, to see how good it is on new ones. It shows accuracy, balanced
    accuracy, log-loss and ROC AUC, compared with always guessing the most frequent class; recall and precision of each
    class; and the confusion matrix.

    Example: [bold]atfnb test model.json test.csv[/]
    """
    from atfnb.cli.rows import rows_for
    from atfnb.evaluation import score_on

    result.check(table.model, *table.data)
    console, notes = standard_error(result.quiet), list[str]()
    model = loaded(table.model, console)
    rows = rows_for(model, table)
    with warnings_noted(notes):
        found = score_on(model, rows.X, rows.y, table.classes_in_order)
    say(console, [*found_in(rows), *notes])
    weighted = model.class_weight is not None
    sentences = in_words(found, rows.record.source or "", weighted=weighted)
    show(result, partial(print_scores, found), sentences, document(found), list(lines(found)))


# --- In words --------------------------------------------------------------------------------------


def in_words(found: Scores, file: str, *, weighted: bool) -> Iterator[str]:
    """Generate what to know about the rows before the scores are believed, and how good the model is."""
    from atfnb.evaluation import (
        doubtful_probabilities,
        how_far_off,
        how_many_found,
        how_right,
        quoted,
        unknown_in_words,
    )

    if found.training_rows:
        yield (
            "These are the rows that the model was trained on, and it will do worse on new rows: test it on other "
            "rows, or use atfnb evaluate."
        )
    elif found.training_rows is None:
        yield (
            "The model file does not say which rows the model was trained on: if these are among them, it will do "
            "worse on new rows. Train it again to have that checked."
        )
    if found.unknown:
        yield unknown_in_words(found.unknown)
    if absent := [name for name, rows in zip(found.measured.classes, found.measured.rows, strict=True) if not rows]:
        classes, them = ("class", "it") if len(absent) == 1 else ("classes", "them")
        yield f"No row has the {classes} {listed_names(absent)}: how well the model predicts {them} is not known."
    yield f"On {file}, {counted(found.rows, 'row')}, the model {quoted(how_right(found.measured))}."
    of_classes = quoted(how_many_found(found.measured, weighted=weighted))
    yield from filter(None, (of_classes, how_far_off(found.measured), doubtful_probabilities(found.measured)))


# --- On the terminal -------------------------------------------------------------------------------


def print_scores(found: Scores, console: Console) -> None:
    """Print the scores, those of each class and, where the terminal has room for it, the confusion matrix."""
    console.print(_scores_table(found))
    console.print(_classes_table(found))
    say(console, [RECALL_AND_PRECISION])
    confusion = _confusion_table(found)
    if fits(console, confusion):
        console.print(confusion)
    elif found.measured.found.sum() == found.rows:
        say(console, ["No row is predicted wrongly."])
    else:
        console.print(_errors_table(found))
        say(console, ["-o FILE writes the whole confusion matrix"])


def _scores_table(found: Scores) -> Table:
    """Return a table of the scores of the model and of guessing."""
    result = found.measured
    guess = result.guess_along_order
    written = {name: percent if name.startswith("wrong") else "{:.3f}".format for name in guess}
    of_order = [(name, written[name](each), written[name](guess[name])) for name, each in result.along_order.items()]
    area = ("–", "–") if found.roc_auc is None else (f"{found.roc_auc:.3f}", "0.500")
    return table_of(
        f"{counted(found.rows, 'row')}, {counted(int((result.rows > 0).sum()), 'class')}",
        ("score", "model", "guessing"),
        [
            ("accuracy ↑", percent(result.accuracy), percent(result.guess_accuracy)),
            ("balanced accuracy ↑", percent(result.balanced), percent(result.guess_balanced)),
            ("log-loss ↓", f"{result.log_loss:.3f}", f"{result.guess_log_loss:.3f}"),
            ("ROC AUC ↑", *area),
            *of_order,
        ],
    )


def _classes_table(found: Scores) -> Table:
    """Return a table of recall and precision of each class, the most frequent class first."""
    result, names, rows = found.measured, found.measured.classes, found.measured.rows
    left_out = len(names) - MOST_CLASSES
    shown = (-rows).argsort(kind="stable")[:MOST_CLASSES]
    return table_of(
        "recall and precision by class",
        ("class", "rows", "recall", "precision"),
        [(names[c], f"{rows[c]:,}", percent(result.recall[c]), percent(result.precision[c])) for c in shown],
        caption=f"{left_out} rarer classes are left out; -o FILE writes them" if left_out > 0 else None,
    )


def _confusion_table(found: Scores) -> Table:
    """Return the confusion matrix: the number of rows by actual and by predicted class."""
    names, counts = found.measured.classes, found.measured.confusion.tolist()
    rows = [(name, *(f"{n:,}" if n else "·" for n in of)) for name, of in zip(names, counts, strict=True)]
    return table_of("confusion matrix", ("actual ↓ predicted →", *names), rows)


def _errors_table(found: Scores) -> Table:
    """Return a table of the most frequent errors, in place of a confusion matrix that is too wide."""
    names = found.measured.classes
    rows = [(names[i], names[j], f"{n:,}") for i, j, n in found.measured.mistakes(MOST_ERRORS)]
    return table_of("most frequent errors", ("actual", "predicted", "rows"), rows, words=("predicted",))


# --- As a file -------------------------------------------------------------------------------------


def document(found: Scores) -> dict[str, Any]:
    """Return the scores as plain numbers and texts; None where a score is not defined."""
    result, headings = found.measured, ("class", "rows", "recall", "precision", "predicted_as")
    predicted_as = [dict(zip(result.classes, counts, strict=True)) for counts in result.confusion.tolist()]
    of_classes = (result.rows.tolist(), _numbers(result.recall), _numbers(result.precision), predicted_as)
    return {
        "rows": found.rows,
        "training_rows": found.training_rows,
        "unknown_class_rows": sum(found.unknown.values()),
        "unknown_classes": found.unknown,
        "accuracy": result.accuracy,
        "balanced_accuracy": result.balanced,
        "log_loss": result.log_loss,
        "roc_auc": found.roc_auc,
        **_along_order(result.along_order),
        "guessing": {
            "class": result.guess,
            "accuracy": result.guess_accuracy,
            "balanced_accuracy": result.guess_balanced,
            "log_loss": result.guess_log_loss,
            **_along_order(result.guess_along_order),
        },
        "accuracy_over_guessing": asdict(result.over_guessing),
        "classes": [
            dict(zip(headings, figures, strict=True)) for figures in zip(result.classes, *of_classes, strict=True)
        ],
    }


def _along_order(figures: Mapping[str, float]) -> dict[str, float | None]:
    return dict(zip((name.replace(" ", "_") for name in figures), _numbers(figures.values()), strict=True))


def _numbers(values: Iterable[float]) -> list[float | None]:
    return [None if math.isnan(value) else float(value) for value in values]


def lines(found: Scores) -> Iterator[dict[str, Any]]:
    """Generate a line of a CSV file for each score: what it is, of which class, and its value."""

    def line(figure: str, value: Any, of: str = "", predicted: str = "") -> dict[str, Any]:
        return {"figure": figure, "class": of, "predicted as": predicted, "value": value}

    scores = document(found)
    of_classes = scores.pop("classes")
    groups = {score: scores.pop(score) for score in ("guessing", "accuracy_over_guessing", "unknown_classes")}
    yield from (line(score, value) for score, value in scores.items())
    for group, of_group in groups.items():
        yield from (line(f"{group}: {score}", value) for score, value in of_group.items())
    for one in of_classes:
        yield from (line(score, one[score], one["class"]) for score in ("rows", "recall", "precision"))
        yield from (line("confusion", rows, one["class"], name) for name, rows in one["predicted_as"].items())
