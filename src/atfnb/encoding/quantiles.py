"""Numbers as tables of their values: distinct ones, or groups of neighbouring values, cut at quantiles.

ChiMerge starts from the distinct values; if there are very many, from groups.

The quantiles of a table in memory are exact. Those of a table in parts come from a sum of sketches (:class:`Sketch`),
and are off by less than 0.1 % of the rows; one more pass (:class:`Groups`) counts the rows between them exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import ClassArray, FloatArray, IntArray

FEW_CUTS = 4
"""Up to this number of cuts, all values are compared with each cut; with more, each value is searched for."""


def distinct_values(values: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sorted distinct values, and the weight of the rows with each: (distinct,) each.

    Rows of equal weights are counted after a sort of the values alone, which is faster than a sort with weights.

    >>> distinct_values(np.array([2.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]))
    (array([1., 2.]), array([1., 4.]))
    """
    if len(values) == 0:
        return np.zeros(0), np.zeros(0)
    alike = weight.strides == (0,) or bool((weight == weight[0]).all())
    order = None if alike else np.argsort(values)
    in_order = np.sort(values) if order is None else values[order]
    first = np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1]]))
    distinct = in_order[first] + 0.0  # turns −0 into 0: which of them comes first depends on the order of the rows
    if order is None:
        return distinct, np.diff(first, append=len(values)) * float(weight[0])
    return distinct, np.add.reduceat(weight[order], first)


def class_table(
    distinct: FloatArray, values: FloatArray, y: ClassArray, weight: FloatArray, n_classes: int
) -> FloatArray:
    """Return the weight of the rows with each of the distinct values and each class: (distinct, classes).

    >>> class_table(np.array([1.0, 2.0]), np.array([2.0, 1.0, 2.0]), np.array([0, 1, 1]), np.ones(3), 2)
    array([[0., 1.],
           [1., 1.]])
    """
    from atfnb._kernels import encoding as kernels

    table = np.zeros((len(distinct), n_classes))
    kernels.count_between(kernels.search_tree(distinct[1:]), values, y, np.ascontiguousarray(weight), table)
    return table


def add_tables(
    one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the sum of two tables of distinct values, each a pair of the values and their (values, classes) weights.

    >>> add_tables((np.array([1.0, 3.0]), np.array([[5.0], [6.0]])), (np.array([2.0, 3.0]), np.array([[1.0], [1.0]])))
    (array([1., 2., 3.]), array([[5.],
           [1.],
           [7.]]))
    """
    distinct = np.union1d(one[0], other[0])
    table = np.zeros((len(distinct), one[1].shape[1]))
    for values, counts in (one, other):
        table[np.searchsorted(distinct, values)] += counts
    return distinct, table


def weighted_mean(distinct: FloatArray, weight: FloatArray) -> float:
    """Return the mean of sorted distinct values; one of the values, if the mean differs from it by rounding only.

    >>> weighted_mean(np.array([0.1, 0.2, 0.3]), np.array([1.0, 1.0, 1.0]))
    0.2
    """
    mean = float(np.clip(np.sum(distinct * (weight / weight.sum())), distinct[0], distinct[-1]))
    position = int(np.searchsorted(distinct, mean))
    around = distinct[max(position - 1, 0) : position + 1]
    nearest = float(around[np.argmin(np.abs(around / 2 - mean / 2))])  # halves, as the difference may be too large
    return nearest if math.isclose(nearest, mean, rel_tol=1e-14) else mean


def halfway(below: FloatArray, above: FloatArray) -> FloatArray:
    """Return a cut between each number below and its neighbour above: their middle, or the number above if none is.

    >>> halfway(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    array([1.5, 3. ])
    """
    middle = below / 2 + above / 2
    return np.where(middle > below, middle, above)  # two neighbouring floats have nothing between them


def interval_codes(cuts: FloatArray, values: NDArray[Any]) -> IntArray:
    """Return the interval that each value lies in, counted from 0: the number of cuts that do not exceed it.

    >>> interval_codes(np.array([2.0, 5.0]), np.array([1.0, 2.0, 9.0]))
    array([0, 1, 2])
    """
    if len(cuts) > FEW_CUTS:
        return np.searchsorted(cuts, values.astype(np.float64), side="right")
    codes = np.zeros(len(values), dtype=np.int64)
    for cut in cuts:
        codes += values >= cut
    return codes


@dataclass(frozen=True)
class Distribution:
    """How the rows are distributed over a number: over its values, or over groups of neighbouring values, in order."""

    values: FloatArray
    """(groups,) each value, or the mean of each group."""
    weight: FloatArray
    """(groups,) the weight of the rows in each."""
    between: FloatArray
    """(groups − 1,) the possible cuts between them."""
    ends: tuple[float, float]
    """The lowest and the highest number."""
    mean: float
    """The weighted mean of the number."""
    given: bool = False
    """Whether the groups are the values of the attribute: its cuts were given, or it has categories with an order."""

    @classmethod
    def of_values(cls, distinct: FloatArray, weight: FloatArray) -> Self:
        """Return the distribution over distinct values, each with the weight of the rows that have it."""
        ends = float(distinct[0]), float(distinct[-1])
        return cls(distinct, weight, halfway(distinct[:-1], distinct[1:]), ends, weighted_mean(distinct, weight))

    def cut_at(self, cuts: FloatArray) -> Self:
        """Return the distribution over the intervals between given cuts.

        >>> over = Distribution.of_values(np.array([1.0, 2.0, 8.0]), np.ones(3)).cut_at(np.array([2.0, 10.0]))
        >>> over.values, over.weight
        (array([ 1.,  5., 10.]), array([1., 2., 0.]))
        """
        position, n = interval_codes(cuts, self.values), len(cuts) + 1
        weight: Any = np.bincount(position, weights=self.weight, minlength=n)
        total = np.bincount(position, weights=self.weight * self.values, minlength=n)
        means = np.divide(total, weight, out=middles(cuts, self.ends), where=weight > 0)
        return replace(self, values=means, weight=weight, between=cuts, given=True)


def middles(cuts: FloatArray, ends: tuple[float, float]) -> FloatArray:
    """Return the middle of each interval between cuts; a cut may lie below the lowest number, or above the highest.

    >>> middles(np.array([2.0, 10.0]), (0.0, 8.0))
    array([ 1.,  6., 10.])
    """
    lines = np.concatenate([[min([ends[0], *cuts[:1]])], cuts, [max([ends[1], *cuts[-1:]])]])
    return np.asarray(lines[:-1] / 2 + lines[1:] / 2)


# --- Very many values ---------------------------------------------------------------------------------

MAX_DISTINCT = 20_000
"""ChiMerge starts from the distinct values of a number if there are at most this many, otherwise from groups."""
CANDIDATES = 2000
"""The largest number of quantiles between the groups; ChiMerge chooses its cuts among them."""
SKETCH_SIZE = 16_000
"""The number of centroids of a sketch: at most some 300 kB."""
AT_ONCE = 1 << 20
"""The number of values that are put into a sketch at once."""
STEPS = 1 << 24
"""The number of steps from the lowest value to the highest; values are summed in whole steps, which never rounds."""


def check_max_distinct(max_distinct: Any) -> None:
    """Raise a ValueError unless a limit of distinct values is None or a whole number of at least 2."""
    number = isinstance(max_distinct, (int, np.integer)) and not isinstance(max_distinct, bool)
    if max_distinct is not None and not (number and max_distinct >= 2):
        raise ValueError(f"max_distinct must be a whole number of at least 2, or None, not {max_distinct!r}.")


class Sketch:
    """A summary of numbers that gives approximate quantiles, and adds up: a t-digest, by Apache DataSketches.

    A t-digest draws nothing at random. Other sketches do (KLL and its relatives): two of them of the same rows differ,
    and two models fitted to the same rows would differ as well.

    References
    ----------
    Dunning, T. and Ertl, O. (2019). Computing extremely accurate quantiles using t-digests. arXiv:1902.04023.

    Examples
    --------
    >>> low, high = np.arange(100_000.0), np.arange(100_000.0, 200_000.0)
    >>> sketch = Sketch.of(low, np.ones(100_000)) + Sketch.of(high, np.ones(100_000))
    >>> bool(abs(sketch.candidates(3)[0][1] - 100_000) < 0.001 * 200_000)
    True
    """

    def __init__(self, weight: float, total: float, state: bytes | None = None) -> None:
        self._digest = _tdigest()(SKETCH_SIZE) if state is None else _tdigest().deserialize(state)
        self.weight, self.total = weight, total  # Σw and Σw·x

    @classmethod
    def of(cls, values: FloatArray, weight: FloatArray) -> Sketch:
        """Return the sketch of the numbers of some rows; its quantiles do not depend on the weights of the rows."""
        return cls(float(weight.sum()), float(weight @ values))._put(values)

    @classmethod
    def of_table(cls, distinct: FloatArray, weight: FloatArray) -> Sketch:
        """Return the sketch of distinct numbers, each repeated as often as its weight says, rounded."""
        sketch = cls(float(weight.sum()), float(weight @ distinct))
        times = np.maximum(np.rint(weight), 1).astype(np.int64)
        groups = np.cumsum(times) // AT_ONCE  # a frequent number makes a long array, for a short time
        for group in np.unique(groups):
            some = groups == group
            sketch._put(np.repeat(distinct[some], times[some]))
        return sketch

    def _put(self, values: FloatArray) -> Sketch:
        self._digest.update(np.require(values, np.float64, ["C", "W"]))  # a t-digest accepts no read-only array
        return self

    def __add__(self, other: Sketch) -> Sketch:
        both = Sketch(self.weight + other.weight, self.total + other.total)
        both._digest.merge(self._digest)
        both._digest.merge(other._digest)
        return both

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number."""
        return float(self._digest.get_min_value()), float(self._digest.get_max_value())

    @property
    def mean(self) -> float:
        """The weighted mean of the numbers."""
        return self.total / self.weight

    def candidates(self, n: int = CANDIDATES) -> tuple[FloatArray, FloatArray]:
        """Return at most ``n`` candidate cuts with about equal numbers of rows between, and the share below each.

        A number equal to a cut is above it. The shares are those asked for; :func:`rank_error` returns how far they are
        from the actual ones.
        """
        shares = np.arange(1, n + 1) / (n + 1)
        quantiles = np.array([self._digest.get_quantile(share) for share in shares]) + 0.0  # turns −0 into 0
        edges, first = np.unique(quantiles, return_index=True)
        above = edges > self.ends[0]  # a cut at the lowest number would have no rows below it
        return edges[above], shares[first[above]]

    def __reduce__(self) -> Any:
        return Sketch, (self.weight, self.total, self._digest.serialize())


def _tdigest() -> Any:
    """Return the class of t-digests. Only tables in parts need it, so it comes with the extra ``scale``."""
    try:
        from datasketches import tdigest_double
    except ImportError:
        raise ImportError(
            "a column of very many different numbers, in parts, needs datasketches, which is missing: "
            "pip install 'atfnb[scale]'"
        ) from None
    return tdigest_double


def nearest_quantiles(below: FloatArray, n: int) -> NDArray[np.intp]:
    """Return the positions of the shares nearest to ``n`` equidistant ones; all positions, if there are at most ``n``.

    ``below`` (shares,) holds the shares of the weight below each possible cut, in increasing order.

    >>> nearest_quantiles(np.array([0.1, 0.2, 0.3, 0.5, 0.7]), 2)
    array([2, 4])
    """
    if len(below) <= n:
        return np.arange(len(below))
    wanted = np.arange(1, n + 1) / (n + 1)
    right = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    left = np.maximum(right - 1, 0)
    return np.unique(np.where(wanted - below[left] < below[right] - wanted, left, right))


def without_majority(weight: FloatArray, n: int) -> FloatArray:
    """Return weights in which no value counts more than all others together, if there are more than ``n`` values.

    Cut into ``n`` intervals at quantiles of these weights, a number that is 0 in nine rows of ten has half of its cuts
    in the others.

    >>> without_majority(np.array([95.0, 3.0, 2.0]), 2), without_majority(np.array([50.0, 30.0, 20.0]), 2)
    (array([5., 3., 2.]), array([50., 30., 20.]))
    """
    others = weight.sum() - weight.max()
    return np.minimum(weight, others) if len(weight) > n and others > 0 else weight


def rank_error(shares: FloatArray, table: FloatArray) -> float:
    """Return the largest error of the shares of the weight below candidate cuts.

    Parameters
    ----------
    shares : (edges,) array
        The shares of the weight that the edges were meant to have below them.
    table : (edges + 1, classes) array
        The actual weight of the rows between the edges, for each class.

    Examples
    --------
    >>> rank_error(np.array([0.25, 0.5]), np.array([[2.0, 0.0], [3.0, 0.0], [0.0, 3.0]]))
    0.125
    """
    below = np.cumsum(table.sum(axis=1))
    return float(np.abs(below[:-1] / below[-1] - shares).max(initial=0.0))


@dataclass(frozen=True)
class Groups:
    """The weight of the rows between neighbouring edges of a number, for each class. Groups of other rows add up."""

    edges: FloatArray
    """(edges,) the numbers between the groups, in increasing order."""
    ends: tuple[float, float]
    """The lowest and the highest number."""
    mean: float
    """The weighted mean of the number."""
    table: FloatArray
    """(edges + 1, classes + 1) the weights; in the last column, weighted sums of the steps from the lowest number."""

    @classmethod
    def empty(cls, edges: FloatArray, ends: tuple[float, float], mean: float, n_classes: int) -> Self:
        """Return the groups of no rows."""
        return cls(edges, ends, mean, np.zeros((len(edges) + 1, n_classes + 1)))

    @classmethod
    def between_quantiles(cls, distinct: FloatArray, weight: FloatArray, n_classes: int, n: int = CANDIDATES) -> Self:
        """Return the groups of no rows between at most ``n`` exact quantiles of sorted distinct values.

        >>> found = Groups.between_quantiles(np.arange(100_000.0), np.ones(100_000), n_classes=2, n=3)
        >>> found.edges, found.ends, found.mean
        (array([24999.5, 49999.5, 74999.5]), (0.0, 99999.0), 49999.5)
        """
        total = np.cumsum(weight)
        at = nearest_quantiles(total[:-1] / total[-1], n)
        ends = float(distinct[0]), float(distinct[-1])
        return cls.empty(halfway(distinct[at], distinct[at + 1]), ends, weighted_mean(distinct, weight), n_classes)

    def fill(self, values: FloatArray, y: ClassArray, weight: FloatArray) -> None:
        """Add some rows to the table of the groups, which is changed."""
        from atfnb._kernels import encoding as kernels

        low, high = self.ends
        scale = min(STEPS / max(high / 2 - low / 2, 1e-300), 1e300)
        tree, weight = kernels.search_tree(self.edges), np.ascontiguousarray(weight)
        kernels.count_groups(tree, values, y, weight, low / 2, scale, self.table)

    def __add__(self, other: Groups) -> Groups:
        return replace(self, table=self.table + other.table)

    @property
    def by_class(self) -> FloatArray:
        """(groups, classes) the weight of the rows."""
        return self.table[:, :-1]

    @property
    def distribution(self) -> Distribution:
        """How the rows are distributed over the groups; the middle of a group without rows stands for its mean."""
        low, high = self.ends
        weight = self.by_class.sum(axis=1)
        steps = np.divide(self.table[:, -1], weight, out=np.zeros(len(weight)), where=weight > 0)
        means = 2 * (low / 2 + steps / STEPS * (high / 2 - low / 2))
        means = np.where(weight > 0, means, middles(self.edges, self.ends))
        return Distribution(means, weight, self.edges, self.ends, self.mean)
