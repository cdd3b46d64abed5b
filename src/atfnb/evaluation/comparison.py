"""Whether one classifier is better than another, or chance alone may have made the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from atfnb._typing import BoolArray, FloatArray, IntArray

LEVEL = 0.05
"""A difference is taken to be real if chance alone would make one as large less often than this."""


@dataclass(frozen=True)
class Difference:
    """How much better one classifier is than another, both measured on the same rows; above zero is better."""

    mean: float
    low: float
    """The lower end of the 95 % interval,"""
    high: float
    """and the upper end."""
    p_value: float
    """Two-sided."""

    @property
    def verdict(self) -> int:
        """1 for better, −1 for worse, 0 where chance alone may have made the difference."""
        return 0 if self.p_value > LEVEL else int(np.sign(self.mean))


def corrected_standard_error(scores: FloatArray, test_share: float) -> float:
    """√((1/n + n_test/n_train)·s²): the splits share rows, so s²/n alone would be too small (Nadeau and Bengio 2003).

    >>> round(corrected_standard_error(np.array([0.9, 1.0, 0.8, 0.9]), test_share=1 / 3), 4)
    0.0624
    """
    return float(np.sqrt((1 / len(scores) + test_share) * scores.var(ddof=1)))


def corrected_difference(leads: FloatArray, test_share: float, least: float = 0.0) -> Difference:
    """Compare two classifiers by the differences of their scores on the same splits: the corrected t-test.

    Parameters
    ----------
    leads : (splits,) array
        On each split, how much higher the score of the one is than that of the other.
    test_share : float
        Rows held out for each row trained on.
    least : float, default=0
        The least standard deviation between splits that is believed: splits that happen to agree prove little.

    Examples
    --------
    >>> found = corrected_difference(np.array([0.04, 0.01, 0.03, -0.01]), test_share=1 / 3)
    >>> found.verdict, round(found.low, 3), round(found.high, 3)
    (0, -0.036, 0.071)
    """
    mean, error = float(leads.mean()), corrected_standard_error(leads, test_share)
    error = max(error, float(np.sqrt(1 / len(leads) + test_share)) * least)
    if error == 0:
        return Difference(mean, mean, mean, float(mean == 0))
    free = len(leads) - 1
    margin = float(stats.t.ppf(1 - LEVEL / 2, free)) * error
    return Difference(mean, mean - margin, mean + margin, float(2 * stats.t.sf(abs(mean) / error, free)))


def paired_difference(right: BoolArray, other: BoolArray) -> Difference:
    """Compare two classifiers by which of the same rows each gets right: McNemar's exact test.

    The interval is that of Agresti and Min (2005): half a row is added to each cell of the table of agreement, so that
    few rows on which the two differ are not taken to be certain.

    Examples
    --------
    >>> found = paired_difference(np.array([True] * 9 + [False]), np.array([False] * 9 + [True]))
    >>> found.mean, found.verdict, round(found.p_value, 4)
    (0.8, 1, 0.0215)
    """
    won, lost, rows = int((right & ~other).sum()), int((~right & other).sum()), len(right)
    if won + lost == 0:
        return Difference(0.0, 0.0, 0.0, 1.0)
    middle = (won - lost) / (rows + 2)
    error = np.sqrt((won + lost + 1) / (rows + 2) - middle**2) / np.sqrt(rows + 2)
    low, high = _around(middle, error, -1.0, 1.0)
    return Difference((won - lost) / rows, low, high, float(stats.binomtest(won, won + lost).pvalue))


def balanced_difference(found: IntArray, rows: IntArray, guess: float) -> Difference:
    """Compare the balanced accuracy on some rows with that of guessing, which is the same on any rows.

    Each class is a sample of its own: the variance is Σ_c r_c(1 − r_c)/n_c / k², with one row more that is found and
    one that is missed in every class, so that a recall of 0 or 1 on a few rows is not taken to be certain.

    Parameters
    ----------
    found, rows : (classes,) arrays
        How many rows of each class were given that class, of how many; every class has some.
    guess : float
        The balanced accuracy of guessing.

    Examples
    --------
    >>> balanced_difference(np.array([0, 95]), np.array([5, 95]), guess=0.5).verdict
    0
    """
    mean = float((found / rows).mean()) - guess
    recall = (found + 1) / (rows + 2)
    error = float(np.sqrt((recall * (1 - recall) / (rows + 2)).sum())) / len(rows)
    low, high = _around(mean, error, -guess, 1.0 - guess)
    return Difference(mean, low, high, float(2 * stats.norm.sf(abs(mean) / error)))


def _around(mean: float, error: float, least: float, most: float) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a normal distribution, within what is possible."""
    margin = float(stats.norm.ppf(1 - LEVEL / 2)) * float(error)
    return max(mean - margin, least), min(mean + margin, most)
