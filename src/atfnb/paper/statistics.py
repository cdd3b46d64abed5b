"""Which classifier is better, and what tests say of it: the paper's (Sections 4.4 and 5), and what it leaves out.

``accuracy`` is (sets, classifiers): one mean accuracy per set and classifier, higher is better. A matrix of pairs
is (rows, columns) in the order of the classifiers, and is read as the paper's tables are: the row against the column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.evaluation import corrected_p_value

Texts = NDArray[np.str_]

DECIMALS = 12
"""Accuracies are compared to this many decimals, so that 0.9750 − 0.9694 ties with 0.5903 − 0.5847 as it should."""
FEW_INSTANCES = 500
"""Sets with fewer rows are the small ones of T13 and T15."""
FEW_ATTRIBUTES = 15
"""Sets with fewer attributes are the narrow ones of T13 and T15."""
MARKS = ("above", "contains", "below")
"""Where an interval of β lies: above 0.5, containing it, or below it."""


# --- how often, and by how much --------------------------------------------------------------------


def averages(accuracy: ArrayLike) -> FloatArray:
    """The mean accuracy of each classifier over the sets.

    >>> averages([[0.5, 0.75], [0.75, 1.0]])
    array([0.625, 0.875])
    """
    return np.asarray(checked(accuracy).mean(axis=0))


def wins(accuracy: ArrayLike) -> IntArray:
    """On how many sets the column is higher than the row: i of the i(j) in T6 and T10.

    >>> wins([[0.8, 0.9], [0.7, 0.9], [0.6, 0.5]])
    array([[0, 2],
           [1, 0]])
    """
    return np.asarray((differences(checked(accuracy)) < 0).sum(axis=0))


@dataclass(frozen=True)
class GoodWinLoss:
    """G/W/L at the foot of T5 and T9, a number per classifier each."""

    good: IntArray
    """Sets on which it is the highest, alone or with others."""
    win: IntArray
    """Sets on which it is higher than the reference."""
    loss: IntArray
    """Sets on which it is lower than the reference."""


def good_win_loss(accuracy: ArrayLike, reference: int) -> GoodWinLoss:
    """Count G, W and L against the classifier in column ``reference``. A tie is neither a win nor a loss.

    >>> good_win_loss([[0.8, 0.9], [0.7, 0.9], [0.6, 0.6]], reference=1)
    GoodWinLoss(good=array([1, 3]), win=array([0, 0]), loss=array([2, 0]))
    """
    accuracy = checked(accuracy)
    over_row = wins(accuracy)  # (row, column)
    return GoodWinLoss(_is_best(accuracy).sum(axis=0), over_row[reference], over_row[:, reference])


# --- corrected t-test ------------------------------------------------------------------------------


def corrected_t_test(differences: ArrayLike, test_share: ArrayLike) -> FloatArray:
    """Two-tailed p of t = d̄ / √((1/n + n_test/n_train)·s²), with n − 1 degrees of freedom (Nadeau and Bengio 2003).

    The splits of one set share rows, so their plain variance s²/n is too small; n_test/n_train makes up for it.
    Where all differences are the same, p is 1 if they are 0 and 0 if not.

    Parameters
    ----------
    differences : (..., splits) array
        One classifier's accuracy less another's, split by split.
    test_share : number or (...) array
        The part of a set that is tested on: 0.2 for 80/20 splits.

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


def stars(accuracy: ArrayLike, test_share: ArrayLike, alpha: float = 0.05) -> BoolArray:
    """On which sets the column is significantly higher than the row, by the corrected t-test: (sets, rows, columns).

    Parameters
    ----------
    accuracy : (sets, splits, classifiers) array
        Test accuracies, on the same splits for all classifiers.
    test_share : number or (sets,) array
        The part of each set that is tested on.
    alpha : float
        The level of significance, two-tailed.

    Examples
    --------
    >>> one_set = [[0.80, 0.84], [0.78, 0.83], [0.81, 0.85]]
    >>> stars([one_set], test_share=0.2)
    array([[[False,  True],
            [False, False]]])
    """
    accuracy = _finite(accuracy, ("sets", "splits", "classifiers"))
    by_split = np.moveaxis(accuracy, 1, -1)  # (sets, classifiers, splits)
    gain = np.round(by_split[:, None, :] - by_split[:, :, None], DECIMALS)  # (sets, rows, columns, splits)
    share = np.broadcast_to(np.asarray(test_share, dtype=np.float64), len(accuracy))
    p = corrected_t_test(gain, share[:, None, None])
    return np.asarray((p <= alpha) & (gain.mean(axis=-1) > 0))


def significant_wins(is_starred: BoolArray) -> IntArray:
    """On how many sets the column is significantly higher than the row: j of the i(j) in T6 and T10.

    >>> significant_wins(np.array([[[False, True], [False, False]]] * 3))
    array([[0, 3],
           [0, 0]])
    """
    return np.asarray(np.asarray(is_starred, dtype=bool).sum(axis=0))


# --- Wilcoxon signed ranks -------------------------------------------------------------------------


def wilcoxon_ranks(accuracy: ArrayLike, decimals: int | None = DECIMALS) -> FloatArray:
    """R⁺ = Σ rank|d| over d > 0, plus ½·Σ rank|d| over d = 0, with d the row less the column (T7, T11).

    Equal |d| share their mean rank, and sets without a difference are split evenly between both sums, so that
    R⁺ + R⁻ = n(n + 1)/2. The paper's tables have no d = 0.

    Parameters
    ----------
    accuracy : (sets, classifiers) array
        Mean accuracies.
    decimals : int or None
        Differences are rounded to this many decimals. None takes them as subtraction leaves them, as the paper did:
        it breaks one tie of T7, +0.0056 (wine) and −0.0056 (libras) between CFW and NB, and prints 771 and 504
        for 771.5 and 503.5.

    Examples
    --------
    >>> wilcoxon_ranks([[0.8, 0.9], [0.7, 0.9], [0.6, 0.5]])
    array([[3. , 1.5],
           [4.5, 3. ]])
    """
    from scipy.stats import rankdata

    d = differences(checked(accuracy), decimals)
    rank = rankdata(np.abs(d), axis=0)
    return np.asarray((rank * (d > 0) + rank * (d == 0) / 2).sum(axis=0))


def wilcoxon_critical(n: int, alpha: float = 0.05) -> int:
    """The largest c with 2·P(R ≤ c) ≤ α, where R adds each of the ranks 1 … n or not, by tosses of a coin.

    The smaller of R⁺ and R⁻ is significant if it is at most c. With few sets nothing is, and c is −1.

    >>> wilcoxon_critical(50), wilcoxon_critical(15), wilcoxon_critical(5)
    (434, 25, -1)
    """
    if n < 1 or not 0 < alpha < 1:
        raise ValueError(f"n must be at least 1 and alpha between 0 and 1, not {n} and {alpha}.")
    chance = np.zeros(n * (n + 1) // 2 + 1)  # of each sum
    chance[0] = 1.0
    for rank in range(1, n + 1):
        chance[rank:] += chance[:-rank].copy()
        chance /= 2
    return int(np.searchsorted(2 * np.cumsum(chance), alpha, side="right")) - 1


def wilcoxon_signs(accuracy: ArrayLike, alpha: float = 0.05) -> Texts:
    """● where the column is significantly better than the row, ○ where the row is, else blank (T8, T12).

    >>> wilcoxon_signs([[0.80 + k / 100, 0.70] for k in range(8)])
    array([['', '○'],
           ['●', '']], dtype='<U1')
    """
    accuracy = checked(accuracy)
    ranks, critical = wilcoxon_ranks(accuracy), wilcoxon_critical(len(accuracy), alpha)
    return np.where(ranks <= critical, "●", np.where((ranks <= critical).T, "○", ""))


# --- by size, and by β -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Shares:
    """How the sets of one division of T13 or T15 fall: the numbers of the sets under each heading."""

    division: str
    sets: Mapping[str, tuple[int, ...]]

    @property
    def counts(self) -> dict[str, int]:
        """How many sets stand under each heading."""
        return {heading: len(sets) for heading, sets in self.sets.items()}

    @property
    def number(self) -> int:
        """How many sets the division has."""
        return sum(self.counts.values())

    @property
    def percent(self) -> dict[str, float]:
        """What part of the division stands under each heading; NaN if it has no sets."""
        return {heading: 100 * n / self.number if self.number else np.nan for heading, n in self.counts.items()}


def divisions(instances: ArrayLike, attributes: ArrayLike) -> dict[str, BoolArray]:
    """The eight divisions of T13 and T15: which sets have few instances, few attributes, both or neither.

    >>> list(divisions([100, 900], [4, 4]))[:3]
    ['instances < 500', 'instances ≥ 500', 'attributes < 15']
    """
    few_rows, few_columns = np.asarray(instances) < FEW_INSTANCES, np.asarray(attributes) < FEW_ATTRIBUTES
    rows = {f"instances < {FEW_INSTANCES}": few_rows, f"instances ≥ {FEW_INSTANCES}": ~few_rows}
    columns = {f"attributes < {FEW_ATTRIBUTES}": few_columns, f"attributes ≥ {FEW_ATTRIBUTES}": ~few_columns}
    return rows | columns | {f"{r}, {c}": rows[r] & columns[c] for r in rows for c in columns}


def by_size(accuracy: ArrayLike, instances: ArrayLike, attributes: ArrayLike, reference: int) -> tuple[Shares, ...]:
    """On which sets of each division the ``reference`` is the highest, alone or with others, and on which not (T13).

    >>> by_size([[0.9, 0.8], [0.5, 0.7]], [100, 900], [4, 4], reference=0)[2]
    Shares(division='attributes < 15', sets={'reference': (0,), 'others': (1,)})
    """
    heading = np.where(_is_best(checked(accuracy))[:, reference], "reference", "others")
    return _shares(heading, ("reference", "others"), instances, attributes)


def beta_marks(intervals: ArrayLike) -> Texts:
    """Where each interval of β lies: "above" 0.5, "below" it, or it "contains" 0.5 (T14).

    >>> beta_marks([[0.71, 0.83], [0.44, 0.94], [0.32, 0.45]])
    array(['above', 'contains', 'below'], dtype='<U8')
    """
    ends = _finite(intervals, ("sets", "ends"))
    if ends.shape[1] != 2 or (ends[:, 0] > ends[:, 1]).any():
        raise ValueError("an interval of β has two ends, the lower one first.")
    low, high = ends.T
    return np.where(low > 0.5, "above", np.where(high < 0.5, "below", "contains"))


def by_beta(marks: ArrayLike, instances: ArrayLike, attributes: ArrayLike) -> tuple[Shares, ...]:
    """Which sets of each division have β above 0.5, containing it and below it (T15); marks by :func:`beta_marks`.

    >>> by_beta(["above", "below"], [100, 900], [4, 4])[2].percent
    {'above': 50.0, 'contains': 0.0, 'below': 50.0}
    """
    return _shares(np.asarray(marks), MARKS, instances, attributes)


def _shares(
    heading: Texts, headings: tuple[str, ...], instances: ArrayLike, attributes: ArrayLike
) -> tuple[Shares, ...]:
    if not np.shape(heading) == np.shape(instances) == np.shape(attributes):
        raise ValueError("instances and attributes must hold one number for each set.")
    return tuple(
        Shares(name, {h: tuple(map(int, np.flatnonzero(members & (heading == h)))) for h in headings})
        for name, members in divisions(instances, attributes).items()
    )


# --- what comes in ---------------------------------------------------------------------------------


def _finite(values: ArrayLike, axes: tuple[str, ...]) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != len(axes) or 0 in array.shape:
        raise ValueError(f"expected an array ({', '.join(axes)}) that is not empty, not one of shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"a value is NaN or infinite in row {np.argwhere(~np.isfinite(array))[0, 0]}.")
    return array


def checked(accuracy: ArrayLike) -> FloatArray:
    """Accuracies as a finite (sets, classifiers) array."""
    return _finite(accuracy, ("sets", "classifiers"))


def differences(accuracy: FloatArray, decimals: int | None = DECIMALS) -> FloatArray:
    """The row less the column: (sets, rows, columns)."""
    d = accuracy[:, :, None] - accuracy[:, None, :]
    return d if decimals is None else np.round(d, decimals)


def _is_best(accuracy: FloatArray) -> BoolArray:
    """Whether each classifier is the highest on a set, alone or with others: (sets, classifiers)."""
    return np.asarray((differences(accuracy) >= 0).all(axis=2))
