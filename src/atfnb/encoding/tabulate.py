"""Tables of the values of a number: its distinct values, and the weight of the rows with each value and class."""

from __future__ import annotations

import math
from typing import Any

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
