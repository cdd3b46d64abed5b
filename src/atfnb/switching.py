"""The switching factor β: QSF, which is exact, and SLS, which tries a grid.

A row's score for class c is a line in β, T_c = β·K_c + M_c (Eq. 16), so the row is right on one interval of β
(Eq. 18), and the training accuracy is a step function of β: the weight of the intervals that cover it. QSF finds
the highest step by sweeping over the intervals' ends. It is the exact line search of minimum error rate training
(Och 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from atfnb._rows import for_each_block, on_all_cores, row_blocks
from atfnb._typing import BoolArray, ClassArray, FloatArray
from atfnb.encoding import read_weights

Lines = Callable[[slice], tuple[FloatArray, FloatArray]]
"""Slope K and intercept M, each (rows, classes), of the rows in a slice."""

ROWS_PER_CELL = 64
"""How many rows share a cell of the coarse sweep, about."""


@dataclass(frozen=True)
class BetaSearch:
    """What a search for β found.

    ``intervals`` are all those with the highest training accuracy; every β inside one of them, its ends perhaps left
    out, has ``accuracy``.
    ``interval`` is the widest of them, and ``beta`` its middle.
    """

    beta: float
    interval: tuple[float, float]
    intervals: FloatArray
    accuracy: float


def qsf(slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None = None) -> BetaSearch:
    """Find the exact intervals of β in [0, 1] with the highest training accuracy (Algorithm 1).

    Parameters
    ----------
    slope, intercept : (rows, classes) arrays
        K_c and M_c of Eq. 16.
    y : (rows,) array
        The number of each row's class.
    sample_weight : (rows,) array, optional
        How much each row counts.

    Examples
    --------
    One row is right from β = 0.25 on, the other up to β = 0.75:

    >>> slope = np.array([[0.0, 4.0], [0.0, 4.0]])
    >>> intercept = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> qsf(slope, intercept, np.array([1, 0])).interval
    (0.25, 0.75)
    """
    lines, y, weight = _from_arrays(slope, intercept, y, sample_weight)
    return sweep(reach(lines, y), weight)


def sls(
    slope: FloatArray,
    intercept: FloatArray,
    y: ClassArray,
    sample_weight: FloatArray | None = None,
    step: float = 0.01,
) -> BetaSearch:
    """Try β = 0, step, 2·step, …, 1 and keep the best (Section 4.3).

    Examples
    --------
    >>> slope = np.array([[0.0, 4.0], [0.0, 4.0]])
    >>> intercept = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> sls(slope, intercept, np.array([1, 0])).interval
    (0.26, 0.75)
    """
    return search_grid(*_from_arrays(slope, intercept, y, sample_weight), step)


def _from_arrays(
    slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None
) -> tuple[Lines, ClassArray, FloatArray]:
    slope, intercept = np.asarray(slope, dtype=np.float64), np.asarray(intercept, dtype=np.float64)
    y = np.asarray(y)
    if slope.ndim != 2 or slope.shape != intercept.shape or y.shape != slope.shape[:1]:
        raise ValueError(
            "slope and intercept must be (rows, classes) and y (rows,), "
            f"not {slope.shape}, {intercept.shape} and {y.shape}."
        )
    if len(y) == 0 or y.min() < 0 or y.max() >= slope.shape[1]:
        raise ValueError(f"y must hold numbers of classes, from 0 to {slope.shape[1] - 1}, at least one.")
    weight = read_weights(sample_weight, len(y))
    return (lambda rows: (slope[rows], intercept[rows])), y.astype(np.int32), weight


# --- QSF -------------------------------------------------------------------------------------------


def reach(lines: Lines, y: ClassArray) -> FloatArray:
    """The lowest and the highest β at which each row is right (Eq. 18): (rows, 2); 1 and 0 where there is none."""
    from atfnb import _kernels

    ends = np.empty((len(y), 2))

    def block(rows: slice) -> None:
        slope, intercept = lines(rows)
        ends[rows] = _kernels.reach(np.ascontiguousarray(slope), np.ascontiguousarray(intercept), y[rows])

    for_each_block(block, len(y))
    return ends


def sweep(ends: FloatArray, weight: FloatArray, min_width: float = 0.0) -> BetaSearch:
    """Find where the rows' intervals cover β most (Eq. 19 and 20).

    Only the ends in cells of [0, 1] that can hold the best are sorted: see :func:`_open_cells`. Best intervals
    narrower than ``min_width`` are passed over.
    """
    total = float(weight.sum())
    reaching = ends[:, 0] <= ends[:, 1]
    low, high, weight = ends[reaching, 0], ends[reaching, 1], weight[reaching]
    if len(low) == 0:
        return BetaSearch(0.5, (0.0, 1.0), np.array([[0.0, 1.0]]), 0.0)
    starts, stops, base = _open_cells(low, high, weight, min_width)
    edge = np.concatenate([low[starts], high[stops]])
    is_stop = np.repeat([False, True], [starts.sum(), stops.sum()])
    change = np.concatenate([weight[starts], -weight[stops]])
    order = np.lexsort((is_stop, edge))  # at equal ends the starts come first: intervals are closed
    edge, is_stop, change = edge[order], is_stop[order], change[order]
    covered = np.cumsum(change) + base(edge)
    # between a start and a stop that follows it, nothing changes: those are the steps that can be highest
    opens = np.flatnonzero(~is_stop[:-1] & is_stop[1:])
    wide = edge[opens + 1] - edge[opens] >= min_width
    opens = opens[wide] if wide.any() else opens
    best = covered[opens].max()
    intervals = _tidy(_join(np.column_stack([edge[opens], edge[opens + 1]])[covered[opens] == best]))
    widest = intervals[np.argmax(intervals[:, 1] - intervals[:, 0])]
    middle = float(widest[0] / 2 + widest[1] / 2)
    return BetaSearch(middle, (float(widest[0]), float(widest[1])), intervals, float(best) / total)


def _open_cells(
    low: FloatArray, high: FloatArray, weight: FloatArray, min_width: float
) -> tuple[BoolArray, BoolArray, Callable[[FloatArray], FloatArray]]:
    """Mark the ends that lie in cells of [0, 1] where the highest coverage can be.

    Coverage at a cell's left edge is exact: what began in the cells before it less what ended there. What begins
    inside the cell bounds how far it can rise. A cell whose bound stays below the best left edge cannot hold the
    best. The last result gives, for the ends kept, what the ends left out would have added to a running sum.
    """
    cells = max(len(low) // ROWS_PER_CELL, 1) if min_width == 0 else 1
    low_cell = (low * cells).astype(np.int64)
    high_cell = (high * cells).astype(np.int64)
    begun = np.bincount(low_cell, weights=weight, minlength=cells + 1)
    ended = np.bincount(high_cell, weights=weight, minlength=cells + 1)
    at_left = np.concatenate([[0.0], np.cumsum(begun - ended)[:-1]])
    is_open = at_left + begun >= at_left.max()
    skipped = np.concatenate([[0.0], np.cumsum(np.where(is_open, 0.0, begun - ended))[:-1]])
    return is_open[low_cell], is_open[high_cell], lambda edge: skipped[(edge * cells).astype(np.int64)]


def _join(intervals: FloatArray) -> FloatArray:
    """Join intervals with no number between them."""
    first = np.ones(len(intervals), dtype=bool)
    first[1:] = intervals[1:, 0] > np.nextafter(intervals[:-1, 1], 2.0)
    last = np.roll(first, -1)
    return np.column_stack([intervals[first, 0], intervals[last, 1]])


def _tidy(intervals: FloatArray) -> FloatArray:
    """Write an open end, which is the float next to the crossing, as the crossing; single points stay."""
    return np.where(np.diff(intervals) > 1e-12, np.round(intervals, 15), intervals)


def step_function(ends: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The training accuracy for every β: ``accuracy[k]`` holds between ``edges[k]`` and ``edges[k + 1]``.

    >>> step_function(np.array([[0.25, 1.0], [0.0, 0.75]]), np.ones(2))
    (array([0.  , 0.25, 0.75, 1.  ]), array([0.5, 1. , 0.5]))
    """
    reaching = ends[:, 0] <= ends[:, 1]
    low, high = ends[reaching, 0], ends[reaching, 1]
    edges, place = np.unique(np.concatenate([[0.0, 1.0], low, high]), return_inverse=True)
    change = np.concatenate([[0.0, 0.0], weight[reaching], -weight[reaching]])
    covered = np.cumsum(np.bincount(place, weights=change))[:-1]
    real = np.diff(edges) > 1e-15  # an end and the float next to it are one edge
    covered = covered[real]
    differs = np.ones(len(covered), dtype=bool)
    differs[1:] = covered[1:] != covered[:-1]
    lefts = np.round(edges[:-1][real][differs], 15)
    return np.append(lefts, 1.0), covered[differs] / weight.sum()


# --- SLS -------------------------------------------------------------------------------------------


def search_grid(lines: Lines, y: ClassArray, weight: FloatArray, step: float) -> BetaSearch:
    """SLS over rows whose lines are made block by block."""
    if not 0 < step <= 1:
        raise ValueError(f"step must lie above 0 and at most at 1, not {step!r}.")
    grid = np.minimum(np.arange(round(1 / step) + 1) * step, 1.0)
    right = weight_right(lines, y, weight, grid)
    best = right == right.max()
    first = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    last = np.flatnonzero(best & ~np.concatenate([best[1:], [False]]))
    longest = np.argmax(last - first)
    middle = float(grid[(first[longest] + last[longest]) // 2])
    intervals = np.column_stack([grid[first], grid[last]])
    low, high = intervals[longest]
    return BetaSearch(middle, (float(low), float(high)), intervals, float(right.max() / weight.sum()))


def weight_right(lines: Lines, y: ClassArray, weight: FloatArray, betas: FloatArray) -> FloatArray:
    """The weight of the rows that are right at each β."""
    from atfnb import _kernels

    def block(rows: slice) -> FloatArray:
        slope, intercept = map(np.ascontiguousarray, lines(rows))
        return _kernels.right_at(slope, intercept, y[rows], weight[rows], betas)

    return np.asarray(np.sum(list(on_all_cores(block, row_blocks(len(y)))), axis=0))
