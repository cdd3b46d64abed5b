"""Where a model is wrong, and how sure it is: answers on rows that it was not trained on → what the page draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.evaluation import LEVEL, Answers

MOST_BINS, BIN_ROWS = 10, 25
"""The largest number of bins of a reliability diagram, and the smallest number of rows in one, if there are enough."""
MOST_POINTS = 300
"""The largest number of points that the ROC and precision-recall curves are drawn through."""
STOPS = np.arange(1001) / 1000
"""The thresholds at which the page's slider can stand."""


@dataclass(frozen=True)
class Reliability:
    """How often the answers are right, by the probability that the model gave: bins with about as many rows each."""

    rows: IntArray
    """(bins,)"""
    probability: FloatArray
    """(bins,) the mean probability."""
    share: FloatArray
    """(bins,) the share of the rows that are of the class."""
    low: FloatArray
    high: FloatArray
    """(bins,) the ends of the 95 % interval of the share."""

    @property
    def error(self) -> float:
        """The mean distance between probability and share, each bin counted by its rows."""
        return float(np.average(np.abs(self.share - self.probability), weights=self.rows))


def reliability_of(probability: FloatArray, right: BoolArray) -> Reliability:
    """Return how often answers are right, in at most ten bins of neighbouring probabilities with 25 rows or more each.

    >>> found = reliability_of(np.repeat([0.2, 0.8], 25), np.arange(50) % 25 < np.repeat([5, 20], 25))
    >>> found.rows, found.share, found.low.round(2)
    (array([25, 25]), array([0.2, 0.8]), array([0.09, 0.61]))
    """
    order = np.argsort(probability, kind="stable")
    n_bins = int(np.clip(len(order) // BIN_ROWS, 1, MOST_BINS))
    starts = np.linspace(0, len(order), n_bins + 1).round().astype(np.int64)[:-1]
    rows = np.diff(np.append(starts, len(order)))
    found = np.add.reduceat(right[order].astype(np.float64), starts)
    low, high = wilson(found, rows)
    return Reliability(rows, np.add.reduceat(probability[order], starts) / rows, found / rows, low, high)


def wilson(found: FloatArray, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's 95 % interval of a share, given how many of the rows were found.

    >>> low, high = wilson(np.array([9.0]), np.array([10]))
    >>> low.round(3), high.round(3)
    (array([0.596]), array([0.982]))
    """
    z = float(stats.norm.ppf(1 - LEVEL / 2))
    share, n = found / rows, rows.astype(np.float64)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    margin = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.asarray(middle - margin), np.asarray(middle + margin)


@dataclass(frozen=True)
class Thresholds:
    """What a threshold on the probability of the second of two classes finds, as (found, wrong) numbers of rows.

    Rows of the class that are predicted as it are found, and rows of the other class that are predicted as it wrong.
    """

    at_stops: IntArray
    """(2, stops) exactly, if rows with a probability above the stop are predicted as the class, as ``predict`` does."""
    curve: IntArray
    """(2, points) from the highest threshold to the lowest, thinned if there are many."""
    area: float
    """The area under the ROC curve."""


def thresholds_of(answers: Answers) -> Thresholds | None:
    """Return the counts at every stop of the slider, and the curve; None unless both of two classes have rows.

    >>> p = np.array([0.9, 0.8, 0.5, 0.1])
    >>> found = thresholds_of(Answers(np.arange(4), np.array([1, 0, 1, 0]), np.ones(4), np.column_stack([1 - p, p])))
    >>> found.at_stops[:, [0, 499, 500, 1000]].tolist(), found.curve.tolist(), found.area
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
    at_stops = np.array([len(each) - np.searchsorted(each, STOPS, side="right") for each in of_classes])
    return Thresholds(at_stops, curve[:, kept], area)


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
