"""Beyond the paper: all classifiers at once, by Friedman's test and by every pair, corrected for their number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from atfnb._typing import FloatArray
from atfnb.paper.statistics import DECIMALS, averages, checked, differences, wilcoxon_ranks


@dataclass(frozen=True)
class Friedman:
    """Friedman's test, and what Nemenyi's makes of its ranks: all that a critical-difference diagram shows."""

    statistic: float
    p_value: float
    """How likely ranks as uneven as these are if all classifiers are equally good."""
    mean_ranks: FloatArray
    """(classifiers,) 1 is the best."""
    critical_difference: float
    """Mean ranks that lie this far apart differ significantly."""
    nemenyi: FloatArray
    """(rows, columns) p-value of each pair."""
    groups: tuple[tuple[int, ...], ...]
    """Classifiers that are not shown to differ, best first: the bars of the diagram. One may stand in none."""


def friedman(accuracy: ArrayLike, alpha: float = 0.05) -> Friedman:
    """Test whether all classifiers are equally good, then which differ: CD = q_α/√2 · √(k(k + 1)/6n) (Demšar 2006).

    >>> found = friedman([[0.9 - k / 1000, 0.8, 0.5 + k / 100] for k in range(10)])
    >>> found.mean_ranks, found.groups
    (array([1., 2., 3.]), ((0, 1), (1, 2)))
    """
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    accuracy = np.round(checked(accuracy), DECIMALS)
    n, k = accuracy.shape
    if k < 3:
        raise ValueError("Friedman's test compares at least three classifiers; for two there is compare_pairs.")
    all_tied = bool((accuracy == accuracy[:, :1]).all())
    statistic, p_value = (0.0, 1.0) if all_tied else friedmanchisquare(*accuracy.T)
    mean_ranks = rankdata(-accuracy, axis=1).mean(axis=0)
    unit = np.sqrt(k * (k + 1) / (6 * n)) / np.sqrt(2)
    critical = float(studentized_range.ppf(1 - alpha, k, np.inf) * unit)
    nemenyi = studentized_range.sf(np.abs(mean_ranks[:, None] - mean_ranks) / unit, k, np.inf)
    return Friedman(
        float(statistic), float(p_value), mean_ranks, critical, np.asarray(nemenyi), rank_groups(mean_ranks, critical)
    )


def rank_groups(mean_ranks: FloatArray, critical_difference: float) -> tuple[tuple[int, ...], ...]:
    """The largest runs of classifiers, two or more, whose mean ranks lie less than the critical difference apart.

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
    """Every two classifiers compared by Wilcoxon's test: matrices (rows, columns), the row against the column."""

    p_values: FloatArray
    """Two-tailed, each for itself, from the distribution that :func:`wilcoxon_critical` uses too."""
    holm: FloatArray
    """The same, raised so that the chance of any false alarm among all pairs is kept."""
    rank_biserial: FloatArray
    """(R⁺ − R⁻) / (R⁺ + R⁻), from −1 (the row is always lower) to 1 (always higher)."""
    mean_difference: FloatArray
    """The row's mean accuracy less the column's."""


def compare_pairs(accuracy: ArrayLike) -> Pairs:
    """Compare every two classifiers: p-values, Holm's correction of them, and two effect sizes.

    >>> found = compare_pairs([[0.9, 0.8 + k / 1000, 0.7] for k in range(10)])
    >>> found.p_values[0, 1].round(5), found.holm[0, 1].round(5), found.rank_biserial[0, 1]
    (np.float64(0.00195), np.float64(0.00586), np.float64(1.0))
    """
    from scipy.stats import wilcoxon

    accuracy = checked(accuracy)
    if accuracy.shape[1] < 2:
        raise ValueError("a comparison needs at least two classifiers.")
    ranks, mean = wilcoxon_ranks(accuracy), averages(accuracy)
    rows, columns = np.triu_indices(accuracy.shape[1], k=1)
    d = differences(accuracy)[:, rows, columns]  # (sets, pairs)
    p = wilcoxon(d, zero_method="zsplit", method="exact", axis=0).pvalue
    p_values, adjusted = np.ones_like(ranks), np.ones_like(ranks)
    p_values[rows, columns] = p_values[columns, rows] = p
    adjusted[rows, columns] = adjusted[columns, rows] = holm(p)
    return Pairs(p_values, adjusted, (ranks - ranks.T) / (ranks + ranks.T), mean[:, None] - mean)


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's step-down correction: p₍ᵢ₎ becomes the largest of (m + 1 − j)·p₍ⱼ₎ over j ≤ i, at most 1.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    order, raised = np.argsort(p_values), np.empty_like(p_values)
    raised[order] = np.maximum.accumulate(np.arange(len(order), 0, -1) * p_values[order])
    return np.asarray(np.minimum(raised, 1.0))
