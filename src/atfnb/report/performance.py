"""How good the model is: cross-validated on its training rows, or scored on others, with the words for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from atfnb.classifiers import BaseNB
from atfnb.evaluation import (
    METRICS,
    Answers,
    Difference,
    Evaluation,
    Measured,
    Scores,
    Sentence,
    difference_in_words,
    doubtful_probabilities,
    how_many_found,
    how_right,
    main_metric,
    measured,
    not_judged_in_words,
    percent,
    unknown_in_words,
)
from atfnb.report.mistakes import wilson
from atfnb.report.sentences import one_line

MODEL, NAIVE, GUESSING = "the model", "plain naive Bayes", "guessing"
MOST_BARS = 6
"""The largest number of classes whose recall is drawn next to the sentences: those with the lowest recall."""
WHICH_ROWS = {
    True: (
        "the rows that it was trained on",
        "They are the rows that it was trained on: the model does worse on new rows.",
    ),
    False: ("not the table that it was trained on", "They are not the table that it was trained on."),
    None: (
        "which it may have been trained on",
        "The model's file does not say whether it was trained on them; if it was, it does worse on new rows.",
    ),
}
"""Whether a model was trained on the rows that it is scored on: inside a sentence, and as a sentence."""
OTHER_ROWS = (
    "The model's file does not say which rows it was trained on, and these may be others: the figures say how good "
    "such models are on rows like these, not how good this one is."
)
CONCLUSIONS = {
    1: ", so the learned weights improve the predictions",
    0: "",
    -1: ", so plain naive Bayes is the better choice here",
}
"""What a difference to plain naive Bayes means, by its verdict."""
Interval = tuple[float, float]
"""The ends of a 95 % interval."""


@dataclass(frozen=True)
class Mark:
    """A share of rows with its interval, drawn as a mark on a line between a name and a figure."""

    name: str
    share: float
    interval: Interval | None
    label: str
    own: bool
    """Whether the mark belongs to the model; other marks are grey."""


@dataclass(frozen=True)
class Performance:
    """The figures of a model on some rows, and the words that say which model and which rows."""

    subject: str
    """The model and the rows: the beginning of a sentence that continues with how good the model is."""
    note: str
    """The model and the rows, in sentences of their own."""
    rows: str
    """The rows, in a few words."""
    measured: Measured
    figures: dict[str, dict[str, float]]
    """Each metric of the model, and of each classifier that it is compared with; NaN where it is not defined."""
    answers: Answers
    """What was predicted for each row, out of fold if this is a cross-validation."""
    intervals: dict[str, Interval]
    """The interval of the main metric, of the model and of those that it is compared with."""
    over_naive: Difference | None = None
    """How much higher the main metric is than that of plain naive Bayes, where that took part."""
    out_of_fold: bool = False
    """Whether the rows were predicted by models that were trained like this one, without them."""

    @property
    def metric(self) -> str:
        """The metric that comes first: where the classes are uneven, not the accuracy."""
        return main_metric(self.measured)

    @property
    def marks(self) -> list[tuple[str, list[Mark]]]:
        """The marks next to the sentences: a heading and its marks, once or, where the classes are uneven, twice."""
        shares = [
            Mark(name, of[self.metric], self.intervals.get(name), percent(of[self.metric]), name == MODEL)
            for name, of in self.figures.items()
        ]
        drawn = [(f"{self.metric}, {self.rows}", shares)]
        return [*drawn, ("recall of each class", list(self._recalls()))] if self.measured.uneven else drawn

    def _recalls(self) -> Iterator[Mark]:
        """Generate the recall of each class; of many classes, of those with the lowest."""
        found, rows, recall = self.measured.found, self.measured.rows, self.measured.recall
        there = np.flatnonzero(rows)
        for c in there[np.lexsort((rows[there], recall[there]))[:MOST_BARS]]:
            interval = wilson(int(found[c]), int(rows[c]))
            yield Mark(self.measured.classes[c], recall[c], interval, f"{found[c]:,} of {rows[c]:,}", True)


def ends_of(marks: Sequence[Mark]) -> Interval:
    """Return the ends of an axis on which all marks and their intervals have room: multiples of a tenth.

    >>> ends_of([Mark("the model", 0.87, (0.84, 0.91), "87.0 %", True)])
    (0.8, 1.0)
    """
    all_ends = [end for mark in marks for end in (mark.share, *(mark.interval or ()))]
    low, high = np.floor(10 * min(all_ends) - 1e-9) / 10, np.ceil(10 * max(all_ends) + 1e-9) / 10
    return max(float(low), 0.0), min(float(high), 1.0)


def cross_validated(model: BaseNB, found: Evaluation, *, own: bool | None) -> Performance:
    """Return how good models trained like this one are, by a cross-validation of them, of naive Bayes and of guessing.

    ``own`` says whether the rows are those that the model was trained on; None if its file does not say.
    """
    labels = map(one_line, model.class_labels)  # that any page can hold
    found = replace(found, spelling=dict(zip(model.classes_.tolist(), labels, strict=True)))
    result = measured(found, MODEL, GUESSING)
    metric = main_metric(result)
    rows = f"the {found.rows:,} rows that this one was trained on" if own else f"these {found.rows:,} rows"
    note = (
        f"All figures below are from {len(found.splits[MODEL])}-fold cross-validation on {rows}: each row is predicted "
        "by a model that was trained like this one, without that row."
    )
    unjudged = not_judged_in_words(found.in_words(found.not_judged))
    return Performance(
        subject=f"A model trained like this one, cross-validated on {rows},",
        note=" ".join(filter(None, [note, "" if own else OTHER_ROWS, unjudged])),
        rows="cross-validated",
        measured=result,
        figures={name: {each: found.mean(name, each) for each in METRICS} for name in found.names},
        over_naive=found.compare(MODEL, NAIVE, metric),
        answers=found.once(MODEL),
        intervals={name: found.interval(name, metric) for name in found.names},
        out_of_fold=True,
    )


def scored(compared: dict[str, Scores], name: str | None = None) -> Performance:
    """Return how good the model, and others, are on rows, which the page calls ``name``, or "these rows"."""
    found = compared[MODEL]
    result = replace(found.measured, classes=tuple(map(one_line, found.measured.classes)))
    aside, which = WHICH_ROWS[found.training_rows]
    rows = f"these {found.rows:,} rows" if name is None else f"{name} ({found.rows:,} rows)"
    unknown = unknown_in_words({one_line(each): rows for each, rows in found.unknown.items()})
    return Performance(
        subject=f"On {rows}, {aside}, this model",
        note=" ".join(filter(None, [f"This is the model itself on {rows}.", which, unknown])),
        rows=f"on {name or 'these rows'}",
        measured=replace(result, guess=one_line(result.guess)),
        figures=_figures(compared),
        answers=found.answers,
        intervals={each: _on_rows(scores.measured) for each, scores in compared.items()},
    )


def _on_rows(found: Measured) -> Interval:
    """Return the interval of the main metric on rows, each class being a sample of its own for balanced accuracy."""
    if not found.uneven:
        return wilson(int(found.found.sum()), int(found.rows.sum()))
    over, guess = found.balanced_over_guessing, found.guess_balanced
    return max(over.low + guess, 0.0), min(over.high + guess, 1.0)


def _figures(compared: dict[str, Scores]) -> dict[str, dict[str, float]]:
    """Return the metrics of each model, and of guessing, whose area under the ROC curve is one half."""

    def by_metric(accuracy: float, balanced: float, log_loss: float, area: float | None) -> dict[str, float]:
        shares = {"accuracy": accuracy, "balanced accuracy": balanced}
        return shares | {"log-loss": log_loss, "ROC AUC": np.nan if area is None else area}

    figures = {
        name: by_metric(each.measured.accuracy, each.measured.balanced, each.log_loss, each.roc_auc)
        for name, each in compared.items()
    }
    first, area = compared[MODEL].measured, None if compared[MODEL].roc_auc is None else 0.5
    return figures | {GUESSING: by_metric(first.guess_accuracy, first.guess_balanced, first.guess_log_loss, area)}


def how_good(performance: Performance, *, is_naive: bool, weighted: bool = False) -> Sentence:
    """Return how good the model is, compared with guessing and plain naive Bayes."""
    result = performance.measured
    parts: Sentence = (f"{performance.subject} ", *how_right(result))
    if is_naive:
        parts = (*parts, ". It is plain naive Bayes, in which every attribute counts the same")
    elif performance.over_naive is not None:
        naive, verdict = performance.figures[NAIVE][performance.metric], performance.over_naive.verdict
        more = difference_in_words(performance.over_naive, ("that of plain naive Bayes",), naive)
        conclusion = "" if result.uneven and verdict < 0 else CONCLUSIONS[verdict]
        parts = (*parts, f". Its {performance.metric} is ", *more, conclusion)
    found, doubt = how_many_found(result, weighted=weighted), doubtful_probabilities(result)
    return (*parts, ".", *((" ", *found) if found else ()), *((" ", doubt) if doubt else ()))
