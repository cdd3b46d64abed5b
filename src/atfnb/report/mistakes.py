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
MOST_THRESHOLDS = 300
"""The largest number of thresholds of the ROC and precision-recall curves."""


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
    """What a threshold on the probability of the second of two classes finds."""

    at: FloatArray
    """(thresholds,) falling; a row is predicted as the class if its probability is at least this."""
    found: IntArray
    """(thresholds,) rows of the class that are predicted as it."""
    wrong: IntArray
    """(thresholds,) rows of the other class that are predicted as it."""
    area: float
    """The area under the ROC curve."""


def thresholds_of(answers: Answers) -> Thresholds | None:
    """Return the counts at every threshold, thinned if there are many; None unless both of two classes have rows.

    >>> p = np.array([0.9, 0.8, 0.3, 0.1])
    >>> found = thresholds_of(Answers(np.arange(4), np.array([1, 0, 1, 0]), np.ones(4), np.column_stack([1 - p, p])))
    >>> found.at, found.found, found.wrong, found.area
    (array([0.9, 0.8, 0.3, 0.1]), array([1, 1, 2, 2]), array([0, 1, 1, 2]), 0.75)
    """
    if answers.probability.shape[1] != 2 or len(np.unique(answers.truth)) < 2:
        return None
    p, own = answers.probability[:, 1], answers.truth == 1
    order = np.argsort(-p, kind="stable")
    last = np.flatnonzero(np.append(np.diff(p[order]) != 0, True))  # the last row of each distinct probability
    found, wrong = np.cumsum(own[order])[last], np.cumsum(~own[order])[last]
    area = float(np.trapezoid(np.append(0, found), np.append(0, wrong)) / (found[-1] * wrong[-1]))
    if len(last) > MOST_THRESHOLDS:
        kept = np.unique(np.linspace(0, len(last) - 1, MOST_THRESHOLDS).round().astype(np.int64))
        last, found, wrong = last[kept], found[kept], wrong[kept]
    return Thresholds(p[order][last], found, wrong, area)


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
