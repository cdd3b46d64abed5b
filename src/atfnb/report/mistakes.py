"""Where a model is wrong, and how sure it is: answers on rows that it was not trained on → what the page draws."""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.evaluation import LEVEL, Answers, Measured
from atfnb.report.sentences import Payload, short

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
