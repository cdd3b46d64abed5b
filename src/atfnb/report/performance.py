"""How good the model is, cross-validated or scored, and where it is wrong: the words and the figures of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from atfnb._errors import percent
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.evaluation import (
    LEVEL,
    METRICS,
    Answers,
    Difference,
    Evaluation,
    Measured,
    Scores,
    Sentence,
    difference_in_words,
    doubtful_probabilities,
    how_far_off,
    how_many_found,
    how_right,
    main_metric,
    measured,
    not_judged_in_words,
    unknown_in_words,
)
from atfnb.report.sentences import Payload, one_line, short

MOST_CLASSES = 60
"""The largest number of classes in the confusion matrix; all rarer ones share a row and a column."""
MISTAKES = 5
"""The number of frequent mistakes that are named."""
MOST_BINS, BIN_ROWS = 10, 25
"""The largest number of bins of a reliability diagram, and the smallest number of rows in one, if there are enough."""
MOST_POINTS = 300
"""The largest number of points that the ROC and precision-recall curves are drawn through."""
STOPS = np.arange(1001) / 1000
"""The thresholds at which the page's slider can stand."""
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
HELD_OUT = {
    "rows": ("", "without that row"),
    "groups": (" with whole groups held out", "without any row of its group"),
    "time": (" with later rows held out", "from earlier rows only; the first rows are not predicted"),
}
"""What is held out and what the models were trained without, by what the folds are made of."""
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
    notes: tuple[str, ...] = ()
    """Sentences on what no model like this one holds."""

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
    held_out, without = HELD_OUT[found.folding]
    trained = "trained and edited" if model.edits_ else "trained"
    note = (
        f"All figures below are from {len(found.splits[MODEL])}-fold cross-validation on {rows}: each row is predicted "
        f"by a model that was {trained} like this one, {without}."
    )
    unjudged = not_judged_in_words(found.in_words(found.not_judged))
    return Performance(
        subject=f"A model {trained} like this one, cross-validated on {rows}{held_out},",
        note=" ".join(filter(None, [note, "" if own else OTHER_ROWS, unjudged])),
        rows="cross-validated",
        measured=result,
        figures={
            name: {each: found.mean(name, each) for each in METRICS} | measured(found, name, GUESSING).along_order
            for name in found.names
        },
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
        name: by_metric(each.measured.accuracy, each.measured.balanced, each.measured.log_loss, each.roc_auc)
        | each.measured.along_order
        for name, each in compared.items()
    }
    first, area = compared[MODEL].measured, None if compared[MODEL].roc_auc is None else 0.5
    guessing = by_metric(first.guess_accuracy, first.guess_balanced, first.guess_log_loss, area)
    return figures | {GUESSING: guessing | first.guess_along_order}


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
    found = how_many_found(result, weighted=weighted)
    last = (f" {each}" for each in (how_far_off(result), doubtful_probabilities(result)) if each)
    return (*parts, ".", *((" ", *found) if found else ()), *last)


# --- Where the model is wrong, and how sure it is ------------------------------------------------------


def mistakes_of(found: Measured, answers: Answers) -> Payload:
    """Return which classes are taken for which, and how far the probabilities can be trusted.

    - ``classes`` of the model
    - ``confusion``, the number of rows by their actual and by their predicted class, in the order of ``names``: all
      classes, or the most frequent ones and "all others"
    - ``mistakes``, the most frequent ones: the actual class, the predicted one, and the number of rows
    - ``reliability``, by :func:`reliability_of`, and ``thresholds``, by :func:`thresholds_of`
    """
    two = len(found.classes) == 2
    names, confusion = _shown_confusion(found)
    given, right = (
        (answers.probability[:, 1], answers.truth == 1) if two else (answers.probability.max(1), answers.right)
    )
    return {
        "classes": found.classes,
        "names": names,
        "confusion": confusion.tolist(),
        "mistakes": found.mistakes(MISTAKES),
        "reliability": reliability_of(given, right),
        "thresholds": thresholds_of(answers),
    }


def reliability_of(probability: FloatArray, right: BoolArray) -> Payload:
    """Return how often answers are right, by the probability that the model gave.

    - ``bins``, at most ten, with about as many neighbouring rows each, 25 or more: rows, mean probability, share that
      is right, and its 95 % interval
    - ``error``, the mean distance between probability and share, each bin counted by its rows

    >>> found = reliability_of(np.repeat([0.2, 0.8], 25), np.arange(50) % 25 < np.repeat([5, 20], 25))
    >>> found["bins"][0]
    [25, 0.2, 0.2, 0.0886058469, 0.391309504]
    """
    order = np.argsort(probability, kind="stable")
    n_bins = int(np.clip(len(order) // BIN_ROWS, 1, MOST_BINS))
    starts = np.linspace(0, len(order), n_bins + 1).round().astype(np.int64)[:-1]
    rows = np.diff(np.append(starts, len(order)))
    found = np.add.reduceat(right[order].astype(np.int64), starts)
    mean, share = np.add.reduceat(probability[order], starts) / rows, found / rows
    ends = [wilson(*each) for each in zip(found.tolist(), rows.tolist(), strict=True)]
    bins = np.column_stack([rows, mean, share, ends])
    error = np.average(np.abs(share - mean), weights=rows)
    return {"bins": [short(each, 9) for each in bins], "error": short(error)[0]}


def wilson(found: int, rows: int) -> tuple[float, float]:
    """Return the ends of Wilson's 95 % interval of a share, given how many of the rows were found.

    >>> low, high = wilson(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.596, 0.982)
    """
    interval = stats.binomtest(found, rows).proportion_ci(1 - LEVEL, "wilson")
    return float(interval.low), float(interval.high)


def thresholds_of(answers: Answers) -> Payload | None:
    """Return what a threshold on the probability of the second of two classes finds; None unless both have rows.

    Rows of the class that are predicted as it are found, and rows of the other class that are predicted as it wrong:

    - ``atStops`` (2, stops), found and wrong exactly, if rows with a probability above the stop are predicted as the
      class, as ``predict`` does
    - ``curve`` (2, points), from the highest threshold to the lowest, thinned if there are many
    - ``area`` under the ROC curve

    >>> p = np.array([0.9, 0.8, 0.5, 0.1])
    >>> found = thresholds_of(Answers(np.arange(4), np.array([1, 0, 1, 0]), np.ones(4), np.column_stack([1 - p, p])))
    >>> [[of[k] for k in (0, 499, 500, 1000)] for of in found["atStops"]], found["curve"], found["area"]
    ([[2, 2, 1, 0], [2, 1, 1, 0]], [[1, 1, 2, 2], [0, 1, 1, 2]], 0.75)
    """
    if answers.probability.shape[1] != 2 or len(np.unique(answers.truth)) < 2:
        return None
    p = answers.probability[:, 1]
    of_classes = [np.sort(p[answers.truth == c]) for c in (1, 0)]
    distinct = np.unique(p)[::-1]
    curve = np.array([len(each) - np.searchsorted(each, distinct, side="left") for each in of_classes])
    found, wrong = np.column_stack([[0, 0], curve])
    area = float(np.trapezoid(found, wrong) / (found[-1] * wrong[-1]))
    kept = np.unique(np.linspace(0, len(distinct) - 1, min(len(distinct), MOST_POINTS)).round().astype(np.int64))
    at_stops = [(len(each) - np.searchsorted(each, STOPS, side="right")).tolist() for each in of_classes]
    return {"atStops": at_stops, "curve": curve[:, kept].tolist(), "area": short(area)[0]}


def _shown_confusion(found: Measured) -> tuple[list[str], IntArray]:
    """Return the confusion matrix and its names, similar classes side by side; the rarest of many are "all others"."""
    n, names, confusion = len(found.classes), [*found.classes], found.confusion
    if n > MOST_CLASSES:
        shown = np.sort(np.argsort(-found.rows, kind="stable")[:MOST_CLASSES])
        into = np.full(n, MOST_CLASSES)
        into[shown], names, n = np.arange(MOST_CLASSES), [*(names[c] for c in shown), "all others"], MOST_CLASSES
        confusion = np.zeros((n + 1, n + 1), dtype=np.int64)
        np.add.at(confusion, (into[:, None], into[None, :]), found.confusion)
    order = [*by_confusion(confusion[:n, :n]).tolist(), *range(n, len(names))]
    return [names[i] for i in order], confusion[np.ix_(order, order)]


def by_confusion(confusion: IntArray) -> IntArray:
    """Return an order of the classes in which those that are taken for each other stand together: (classes,).

    >>> by_confusion(np.array([[9, 0, 0, 5], [0, 9, 1, 0], [0, 1, 9, 0], [5, 0, 0, 9]])).tolist()
    [0, 3, 2, 1]
    """
    n = len(confusion)
    if n <= 3:
        return np.arange(n)
    share = confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
    alike = share + share.T
    np.fill_diagonal(alike, 0.0)
    far = 1.0 - alike / max(float(alike.max()), 1e-300)
    np.fill_diagonal(far, 0.0)
    return np.asarray(leaves_list(linkage(squareform(far, checks=False), "average", optimal_ordering=True)))
