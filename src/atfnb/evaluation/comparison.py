"""Whether one classifier is better than another, or chance alone may have made the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import stdtr

from atfnb._typing import BoolArray, FloatArray, IntArray

LEVEL = 0.05
"""The level of significance: a difference is significant if its p-value is at most this."""


@dataclass(frozen=True)
class Difference:
    """How much better one classifier is than another, both measured on the same rows; above zero is better."""

    mean: float
    """The mean difference."""
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the 95 % interval."""
    p_value: float
    """The two-sided p-value of the difference."""

    @property
    def verdict(self) -> int:
        """1 for better, −1 for worse, 0 where chance alone may have made the difference."""
        return 0 if self.p_value > LEVEL else int(np.sign(self.mean))


def corrected_standard_error(scores: FloatArray, test_share: ArrayLike, least: float = 0.0) -> FloatArray:
    """Return the corrected standard error of a mean over splits, √((1/n + n_test/n_train)·s²).

    The splits share rows, so s²/n alone would be too small (Nadeau and Bengio 2003).

    Parameters
    ----------
    scores : (..., splits) array
        One score for each split.
    test_share : float or (...) array
        n_test/n_train: rows held out for each row trained on, 1/4 in five folds.
    least : float, default=0
        A lower bound of the standard deviation between splits, which may be too small by chance.

    Returns
    -------
    (...) array

    Examples
    --------
    >>> print(f"{corrected_standard_error(np.array([0.9, 1.0, 0.8, 0.9]), test_share=1 / 3):.4f}")
    0.0624
    """
    factor = 1 / scores.shape[-1] + np.asarray(test_share, dtype=np.float64)
    error = np.sqrt(factor * scores.var(axis=-1, ddof=1))
    return np.asarray(np.maximum(error, np.sqrt(factor) * least))


def corrected_p_value(leads: FloatArray, test_share: ArrayLike, least: float = 0.0) -> FloatArray:
    """Return the two-sided p-value of the corrected t-test: t = mean / corrected standard error.

    The statistic has n − 1 degrees of freedom. If all leads are equal and ``least`` is 0, p is 1 where the leads are 0,
    and 0 elsewhere.

    Parameters
    ----------
    leads : (..., splits) array
        On each split, how much higher the score of one classifier is than that of another.
    test_share, least
        See :func:`corrected_standard_error`.

    Returns
    -------
    (...) array

    Examples
    --------
    >>> print(f"{corrected_p_value(np.array([0.01, 0.02, 0.03, 0.02]), test_share=1 / 4):.4f}")
    0.0405
    """
    mean, error = leads.mean(axis=-1), corrected_standard_error(leads, test_share, least)
    certain = (leads == leads[..., :1]).all(axis=-1) & (least == 0)
    t = np.divide(mean, error, out=np.where(leads[..., 0] == 0, 0.0, np.inf), where=~certain)
    return np.asarray(2 * stdtr(leads.shape[-1] - 1, -np.abs(t)))


def corrected_difference(leads: FloatArray, test_share: float, least: float = 0.0) -> Difference:
    """Compare two classifiers by the differences of their scores on the same splits: the corrected t-test.

    Parameters
    ----------
    leads : (splits,) array
        On each split, how much higher the score of one classifier is than that of the other.
    test_share, least
        See :func:`corrected_standard_error`.

    Examples
    --------
    >>> found = corrected_difference(np.array([0.04, 0.01, 0.03, -0.01]), test_share=1 / 3)
    >>> found.verdict, round(found.low, 3), round(found.high, 3)
    (0, -0.036, 0.071)
    """
    mean, p_value = float(leads.mean()), float(corrected_p_value(leads, test_share, least))
    error = float(corrected_standard_error(leads, test_share, least))
    margin = float(stats.t.ppf(1 - LEVEL / 2, len(leads) - 1)) * error
    return Difference(mean, mean - margin, mean + margin, p_value)


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
    low, high = _normal_interval(middle, error, -1.0, 1.0)
    return Difference((won - lost) / rows, low, high, float(stats.binomtest(won, won + lost).pvalue))


def balanced_difference(found: IntArray, rows: IntArray, guess: float) -> Difference:
    """Compare the balanced accuracy on some rows with that of guessing, which is a constant.

    Each class is a sample of its own: the variance is Σ_c r_c(1 − r_c)/n_c / k², with one row more that is found and
    one that is missed in every class, so that a recall of 0 or 1 on a few rows is not taken to be certain.

    Parameters
    ----------
    found, rows : (classes,) arrays
        The number of rows of each class that were predicted as that class, and the number of all its rows, above 0.
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
    low, high = _normal_interval(mean, error, -guess, 1.0 - guess)
    return Difference(mean, low, high, float(2 * stats.norm.sf(abs(mean) / error)))


def _normal_interval(mean: float, error: float, least: float, most: float) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a normal distribution, cut off at what is possible."""
    margin = float(stats.norm.ppf(1 - LEVEL / 2)) * float(error)
    return max(mean - margin, least), min(mean + margin, most)
