"""Which classifier is better: the tests of the paper (Sections 4.4 and 5), then all classifiers at once.

``accuracy`` is (sets, classifiers): one mean accuracy per set and classifier, higher is better. A matrix of pairs
is (rows, columns) in the order of the classifiers, and is read as the paper's tables are: the row against the column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.evaluation import LEVEL, corrected_p_value

Texts = NDArray[np.str_]

TIE_DECIMALS = 12
"""Differences are rounded to this number of decimals, so that 0.9750 − 0.9694 ties with 0.5903 − 0.5847."""


# --- how often, and by how much --------------------------------------------------------------------


def wins(accuracy: ArrayLike) -> IntArray:
    """Return the number of sets on which the column is higher than the row: i of the i(j) in T6 and T10.

    >>> wins([[0.8, 0.9], [0.7, 0.9], [0.6, 0.5]])
    array([[0, 2],
           [1, 0]])
    """
    return np.asarray((differences(finite(accuracy)) < 0).sum(axis=0))


@dataclass(frozen=True)
class GoodWinLoss:
    """G/W/L at the foot of T5 and T9: three numbers of sets for each classifier."""

    good: IntArray
    """Sets on which it is the highest, alone or tied."""
    win: IntArray
    """Sets on which it is higher than the reference."""
    loss: IntArray
    """Sets on which it is lower than the reference."""


def good_win_loss(accuracy: ArrayLike, reference: int) -> GoodWinLoss:
    """Return G, W and L against the classifier in column ``reference``; a tie is neither a win nor a loss.

    >>> good_win_loss([[0.8, 0.9], [0.7, 0.9], [0.6, 0.6]], reference=1)
    GoodWinLoss(good=array([1, 3]), win=array([0, 0]), loss=array([2, 0]))
    """
    accuracy = finite(accuracy)
    over_row = wins(accuracy)  # (row, column)
    return GoodWinLoss(is_best(accuracy).sum(axis=0), over_row[reference], over_row[:, reference])


# --- corrected t-test ------------------------------------------------------------------------------


def corrected_t_test(differences: ArrayLike, test_share: ArrayLike) -> FloatArray:
    """Return the p-value of t = d̄ / √((1/n + n_test/n_train)·s²), with n − 1 degrees of freedom, two-tailed.

    The splits of one set share rows, so their plain variance s²/n is too small; n_test/n_train corrects for that
    (Nadeau and Bengio 2003). If all differences are equal, p is 1 if they are 0, otherwise 0.

    Parameters
    ----------
    differences : (..., splits) array
        The accuracy of one classifier less that of another, on each split.
    test_share : number or (...) array
        The share of a set that is tested on: 0.2 for 80/20 splits.

    Examples
    --------
    >>> print(f"{corrected_t_test([0.01, 0.02, 0.03, 0.02], test_share=0.2):.4f}")
    0.0405
    """
    d, share = np.asarray(differences, dtype=np.float64), np.asarray(test_share, dtype=np.float64)
    if d.ndim == 0 or d.shape[-1] < 2:
        raise ValueError("a t-test needs the differences of at least two splits.")
    if not ((share > 0) & (share < 1)).all():
        raise ValueError("test_share must lie between 0 and 1, as 0.2 for 80/20 splits.")
    return corrected_p_value(d, share / (1 - share))


def stars(accuracy: ArrayLike, test_share: ArrayLike, alpha: float = LEVEL) -> BoolArray:
    """Return on which sets the column is significantly higher than the row: a boolean array (sets, rows, columns).

    The test is the corrected t-test over the splits.

    Parameters
    ----------
    accuracy : (sets, splits, classifiers) array
        Test accuracies, on the same splits for all classifiers.
    test_share : number or (sets,) array
        The share of each set that is tested on.
    alpha : float
        The level of significance of the two-tailed test.

    Examples
    --------
    >>> one_set = [[0.80, 0.84], [0.78, 0.83], [0.81, 0.85]]
    >>> stars([one_set], test_share=0.2)
    array([[[False,  True],
            [False, False]]])
    """
    accuracy = finite(accuracy, ("sets", "splits", "classifiers"))
    gain = -differences(np.moveaxis(accuracy, 1, -1))  # (sets, rows, columns, splits)
    share = np.broadcast_to(np.asarray(test_share, dtype=np.float64), len(accuracy))
    p = corrected_t_test(gain, share[:, None, None])
    return np.asarray((p <= alpha) & (gain.mean(axis=-1) > 0))


def significant_wins(is_starred: BoolArray) -> IntArray:
    """Return the number of sets on which the column is significantly higher than the row: j of the i(j) in T6 and T10.

    >>> significant_wins(np.array([[[False, True], [False, False]]] * 3))
    array([[0, 3],
           [0, 0]])
    """
    return np.asarray(np.asarray(is_starred, dtype=bool).sum(axis=0))


# --- Wilcoxon signed ranks -------------------------------------------------------------------------


def wilcoxon_ranks(accuracy: ArrayLike, decimals: int | None = TIE_DECIMALS) -> FloatArray:
    """Return R⁺ = Σ rank|d| over d > 0, plus ½·Σ rank|d| over d = 0, with d the row less the column (T7, T11).

    Equal |d| share their mean rank, and sets without a difference are split evenly between both sums, so that
    R⁺ + R⁻ = n(n + 1)/2. The paper's tables have no d = 0.

    Parameters
    ----------
    accuracy : (sets, classifiers) array
        Mean accuracies.
    decimals : int or None
        Differences are rounded to this number of decimals. None leaves them unrounded, as the paper did: that breaks
        one tie of T7, +0.0056 (wine) and −0.0056 (libras) between CFW and NB, so that it prints 771 and 504 for
        771.5 and 503.5.

    Examples
    --------
    >>> wilcoxon_ranks([[0.8, 0.9], [0.7, 0.9], [0.6, 0.5]])
    array([[3. , 1.5],
           [4.5, 3. ]])
    """
    from scipy.stats import rankdata

    d = differences(finite(accuracy), decimals)
    rank = rankdata(np.abs(d), axis=0)
    return np.asarray((rank * (d > 0) + rank * (d == 0) / 2).sum(axis=0))


def wilcoxon_critical(n: int, alpha: float = LEVEL) -> int:
    """Return the largest c with 2·P(R ≤ c) ≤ α, where R is the sum of a random subset of the ranks 1 … n.

    The smaller of R⁺ and R⁻ is significant if it is at most c. With very few sets no sum is, and c is −1.

    >>> wilcoxon_critical(50), wilcoxon_critical(15), wilcoxon_critical(5)
    (434, 25, -1)
    """
    if n < 1 or not 0 < alpha < 1:
        raise ValueError(f"n must be at least 1 and alpha between 0 and 1, not {n} and {alpha}.")
    chance = np.zeros(n * (n + 1) // 2 + 1)  # the probability of each sum
    chance[0] = 1.0
    for rank in range(1, n + 1):
        chance[rank:] += chance[:-rank].copy()
        chance /= 2
    return int(np.searchsorted(2 * np.cumsum(chance), alpha, side="right")) - 1


def wilcoxon_signs(accuracy: ArrayLike, alpha: float = LEVEL) -> Texts:
    """Return ● where the column is significantly better than the row, ○ where the row is, else blank (T8, T12).

    >>> wilcoxon_signs([[0.80 + k / 100, 0.70] for k in range(8)])
    array([['', '○'],
           ['●', '']], dtype='<U1')
    """
    accuracy = finite(accuracy)
    ranks, critical = wilcoxon_ranks(accuracy), wilcoxon_critical(len(accuracy), alpha)
    return np.where(ranks <= critical, "●", np.where((ranks <= critical).T, "○", ""))


# --- all classifiers at once ------------------------------------------------------------------------


@dataclass(frozen=True)
class Friedman:
    """The result of Friedman's test with Nemenyi's critical difference: what a critical-difference diagram shows."""

    statistic: float
    """Friedman's χ²."""
    p_value: float
    """The probability of ranks at least as uneven as these if all classifiers were equally good."""
    mean_ranks: FloatArray
    """The mean rank of each classifier, 1 for the best: (classifiers,)."""
    critical_difference: float
    """Two mean ranks that are at least this far apart differ significantly."""
    groups: tuple[tuple[int, ...], ...]
    """The bars of the diagram: groups of classifiers that are not shown to differ, best first. A classifier may be in
    none."""


def friedman(accuracy: ArrayLike, alpha: float = LEVEL) -> Friedman:
    """Return Friedman's test over all classifiers, with Nemenyi's critical difference of mean ranks (Demšar 2006).

    The critical difference is CD = q_α/√2 · √(k(k + 1)/6n) for k classifiers on n sets.

    >>> found = friedman([[0.9 - k / 1000, 0.8, 0.5 + k / 100] for k in range(10)])
    >>> found.mean_ranks, found.groups
    (array([1., 2., 3.]), ((0, 1), (1, 2)))
    """
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    accuracy = np.round(finite(accuracy), TIE_DECIMALS)
    n, k = accuracy.shape
    if k < 3:
        raise ValueError("Friedman's test compares at least three classifiers; for two there is compare_pairs.")
    all_tied = bool((accuracy == accuracy[:, :1]).all())
    statistic, p_value = (0.0, 1.0) if all_tied else friedmanchisquare(*accuracy.T)
    mean_ranks = rankdata(-accuracy, axis=1).mean(axis=0)
    unit = np.sqrt(k * (k + 1) / (6 * n)) / np.sqrt(2)
    critical = float(studentized_range.ppf(1 - alpha, k, np.inf) * unit)
    return Friedman(float(statistic), float(p_value), mean_ranks, critical, rank_groups(mean_ranks, critical))


def rank_groups(mean_ranks: FloatArray, critical_difference: float) -> tuple[tuple[int, ...], ...]:
    """Return the largest groups, of two or more, whose mean ranks differ by less than the critical difference.

    >>> rank_groups(np.array([3.0, 1.0, 1.5, 2.2]), 1.0)
    ((1, 2), (2, 3), (3, 0))
    """
    order = np.argsort(mean_ranks, kind="stable")
    ranks = np.asarray(mean_ranks)[order]
    stop = [int((ranks - first < critical_difference).sum()) for first in ranks]
    runs = [(start, end) for start, end in enumerate(stop) if end - start > 1 and (start == 0 or end > stop[start - 1])]
    return tuple(tuple(int(c) for c in order[start:end]) for start, end in runs)


@dataclass(frozen=True)
class Pairs:
    """Every pair of classifiers compared by Wilcoxon's test: matrices (rows, columns), the row against the column."""

    p_values: FloatArray
    """Two-tailed p-values of the single pairs, from the exact distribution that :func:`wilcoxon_critical` uses."""
    holm: FloatArray
    """The p-values corrected by Holm, which bounds the probability of any false positive among all pairs."""
    rank_biserial: FloatArray
    """(R⁺ − R⁻) / (R⁺ + R⁻), from −1 (the row is always lower) to 1 (always higher)."""


def compare_pairs(accuracy: ArrayLike) -> Pairs:
    """Return p-values, Holm-corrected p-values and the effect size for every pair of classifiers.

    >>> found = compare_pairs([[0.9, 0.8 + k / 1000, 0.7] for k in range(10)])
    >>> found.p_values[0, 1].round(5), found.holm[0, 1].round(5), found.rank_biserial[0, 1]
    (np.float64(0.00195), np.float64(0.00586), np.float64(1.0))
    """
    from scipy.stats import wilcoxon

    accuracy = finite(accuracy)
    if accuracy.shape[1] < 2:
        raise ValueError("a comparison needs at least two classifiers.")
    ranks = wilcoxon_ranks(accuracy)
    rows, columns = np.triu_indices(accuracy.shape[1], k=1)
    d = differences(accuracy)[:, rows, columns]  # (sets, pairs)
    p = wilcoxon(d, zero_method="zsplit", method="exact", axis=0).pvalue
    p_values, adjusted = np.ones_like(ranks), np.ones_like(ranks)
    p_values[rows, columns] = p_values[columns, rows] = p
    adjusted[rows, columns] = adjusted[columns, rows] = holm(p)
    return Pairs(p_values, adjusted, (ranks - ranks.T) / (ranks + ranks.T))


def holm(p_values: ArrayLike) -> FloatArray:
    """Return p-values corrected by Holm: p₍ᵢ₎ becomes the largest of (m + 1 − j)·p₍ⱼ₎ over j ≤ i, at most 1.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    order, raised = np.argsort(p_values), np.empty_like(p_values)
    raised[order] = np.maximum.accumulate(np.arange(len(order), 0, -1) * p_values[order])
    return np.asarray(np.minimum(raised, 1.0))


# --- arguments -------------------------------------------------------------------------------------


def finite(values: ArrayLike, axes: tuple[str, ...] = ("sets", "classifiers")) -> FloatArray:
    """Return values as a finite array with these axes, or raise a ValueError."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != len(axes) or 0 in array.shape:
        raise ValueError(f"expected an array ({', '.join(axes)}) that is not empty, not one of shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"a value is NaN or infinite in row {np.argwhere(~np.isfinite(array))[0, 0]}.")
    return array


def differences(accuracy: FloatArray, decimals: int | None = TIE_DECIMALS) -> FloatArray:
    """Return the accuracy of the row less that of the column: (sets, rows, columns)."""
    d = accuracy[:, :, None] - accuracy[:, None, :]
    return d if decimals is None else np.round(d, decimals)


def is_best(accuracy: FloatArray) -> BoolArray:
    """Return whether each classifier is the highest on a set, alone or tied: (sets, classifiers)."""
    return np.asarray((differences(accuracy) >= 0).all(axis=2))
