"""The switching factor β: QSF, which is exact, and SLS, which tries a grid.

A row's score for class c is a line in β, T_c = β·K_c + M_c (Eq. 16), so the row is right on one interval of β
(Eq. 18), and the training accuracy is a step function of β: the weight of the intervals that cover it. QSF finds
the highest step by sweeping over the intervals' ends. It is the exact line search of minimum error rate training
(Och 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

import numpy as np

from atfnb._rows import SPAN, for_each_block, on_all_cores, row_blocks
from atfnb._typing import BoolArray, ClassArray, FloatArray, IntArray
from atfnb.encoding import read_weights
from atfnb.likelihood import TIE

Lines = Callable[[slice], FloatArray]
"""Slope K and intercept M of the rows in a slice: (rows, 2, classes)."""

ROWS_PER_CELL = 64
"""How many rows share a cell of the coarse sweep, about."""
LATTICE = 2.0**40
"""Ends of intervals are multiples of 1 / LATTICE."""
NOTHING = 1.5 / LATTICE
"""Between two ends closer than this there is nothing."""


@dataclass(frozen=True)
class BetaSearch:
    """What a search for β found.

    ``intervals`` are all those with the highest training accuracy. After QSF every β in one of them has ``accuracy``;
    after SLS the points of the grid in it have.
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
    >>> low, high = qsf(slope, intercept, np.array([1, 0])).interval
    >>> print(f"{low:.6f} to {high:.6f}")
    0.250000 to 0.750000
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
    if y.dtype.kind not in "iu" or len(y) == 0 or y.min() < 0 or y.max() >= slope.shape[1]:
        raise ValueError(f"y must hold the number of each row's class, a whole number from 0 to {slope.shape[1] - 1}.")
    if not (np.isfinite(slope).all() and np.isfinite(intercept).all()):
        row = np.flatnonzero(~np.isfinite(slope + intercept).all(axis=1))[0]
        raise ValueError(f"slope or intercept is NaN or infinite in row {row}.")
    weight = read_weights(sample_weight, len(y))
    return (lambda rows: np.stack([slope[rows], intercept[rows]], axis=1)), y.astype(np.int32), weight


# --- QSF -------------------------------------------------------------------------------------------


def reach(lines: Lines, y: ClassArray) -> FloatArray:
    """The lowest and the highest β at which each row is right (Eq. 18): (rows, 2); 1 and 0 where there is none."""
    from atfnb import _kernels

    ends = np.empty((len(y), 2))

    def block(rows: slice) -> None:
        ends[rows] = _kernels.reach(lines(rows), y[rows], TIE, LATTICE)

    for_each_block(block, len(y))
    return ends


def sweep(ends: FloatArray, weight: FloatArray) -> BetaSearch:
    """Find where the rows' intervals cover β most (Eq. 19 and 20).

    Only the ends in cells of [0, 1] that can hold the best are sorted: see :func:`_open_cells`.
    """
    edge, is_stop, covered = _coverage(ends, weight, max(len(ends) // ROWS_PER_CELL, 1))
    if len(edge) == 0:
        return BetaSearch(0.5, (0.0, 1.0), np.array([[0.0, 1.0]]), 0.0)
    # between a start and a stop that follows it, nothing changes: those are the steps that can be highest
    opens = np.flatnonzero(~is_stop[:-1] & is_stop[1:])
    best = covered[opens].max()
    intervals = _join(np.column_stack([edge[opens], edge[opens + 1]])[covered[opens] == best])
    widest = intervals[np.argmax(intervals[:, 1] - intervals[:, 0])]
    middle = float(widest[0] / 2 + widest[1] / 2)
    return BetaSearch(middle, (float(widest[0]), float(widest[1])), intervals, float(best / weight.sum()))


def _coverage(ends: FloatArray, weight: FloatArray, cells: int) -> tuple[FloatArray, BoolArray, FloatArray]:
    """The ends in cells that can hold the best, in order; whether each is a stop; and the coverage after it."""
    is_open, before = _open_cells(ends, weight, cells)
    edge, is_stop, change = _ends_in(ends, weight, is_open)
    order = np.lexsort((~is_stop, edge))  # at equal ends the stops come first: to touch is not to overlap
    edge, is_stop, change = edge[order], is_stop[order], change[order]
    return edge, is_stop, np.cumsum(change) + before[_cell(edge, cells)]


def _cell(beta: FloatArray, cells: int) -> IntArray:
    """In which of equal cells of [0, 1] each β lies; 1 has a cell of its own."""
    return (beta * cells).astype(np.int64)


def _open_cells(ends: FloatArray, weight: FloatArray, cells: int) -> tuple[BoolArray, FloatArray]:
    """Mark the cells of [0, 1] where the highest coverage can be.

    Coverage at a cell's left edge is exact: what began in the cells before it less what ended there. What begins
    inside the cell bounds how far it can rise. A cell whose bound stays below the best left edge cannot hold the
    best. Beside the marks: what the ends in the closed cells before each cell add to a running sum.
    """
    from atfnb import _kernels

    def block(rows: slice) -> FloatArray:
        return _kernels.ends_per_cell(ends[rows], np.ascontiguousarray(weight[rows]), cells)

    begun, ended = sum(on_all_cores(block, row_blocks(len(ends), SPAN)), start=np.zeros((2, cells + 1)))
    at_left = np.concatenate([[0.0], np.cumsum(begun - ended)[:-1]])
    is_open = at_left + begun >= at_left.max()
    return is_open, np.concatenate([[0.0], np.cumsum(np.where(is_open, 0.0, begun - ended))[:-1]])


def _ends_in(ends: FloatArray, weight: FloatArray, is_open: BoolArray) -> tuple[FloatArray, BoolArray, FloatArray]:
    """The ends that lie in open cells, whether each is a stop, and how it changes the coverage."""

    def block(rows: slice) -> tuple[FloatArray, BoolArray, FloatArray]:
        low, high = ends[rows].T
        starts = (low < high) & is_open[_cell(low, len(is_open) - 1)]
        stops = (low < high) & is_open[_cell(high, len(is_open) - 1)]
        edge = np.concatenate([low[starts], high[stops]])
        change = np.concatenate([weight[rows][starts], -weight[rows][stops]])
        return edge, np.repeat([False, True], [starts.sum(), stops.sum()]), change

    edge, is_stop, change = zip(*on_all_cores(block, row_blocks(len(ends), SPAN)), strict=True)
    return np.concatenate(edge), np.concatenate(is_stop), np.concatenate(change)


def _join(intervals: FloatArray) -> FloatArray:
    """Join intervals with nothing between them."""
    first = np.ones(len(intervals), dtype=bool)
    first[1:] = intervals[1:, 0] > intervals[:-1, 1] + NOTHING
    last = np.roll(first, -1)
    return np.column_stack([intervals[first, 0], intervals[last, 1]])


def step_function(ends: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The training accuracy for every β: ``accuracy[k]`` holds between ``edges[k]`` and ``edges[k + 1]``.

    >>> step_function(np.array([[0.25, 1.0], [0.0, 0.75]]), np.ones(2))
    (array([0.  , 0.25, 0.75, 1.  ]), array([0.5, 1. , 0.5]))
    """
    reaching = ends[:, 0] < ends[:, 1]
    low, high = ends[reaching, 0], ends[reaching, 1]
    edges, place = np.unique(np.concatenate([[0.0, 1.0], low, high]), return_inverse=True)
    change = np.concatenate([[0.0, 0.0], weight[reaching], -weight[reaching]])
    covered = np.cumsum(np.bincount(place, weights=change))[:-1]
    real = np.diff(edges) > NOTHING
    covered = covered[real]
    differs = np.append(True, covered[1:] != covered[:-1])
    lefts = np.append(0.0, edges[:-1][real][differs][1:])
    return np.append(lefts, 1.0), covered[differs] / weight.sum()


def accuracy_at(beta: FloatArray, edges: FloatArray, accuracy: FloatArray) -> FloatArray:
    """The step function's value at each β.

    >>> accuracy_at(np.array([0.1, 0.9]), np.array([0.0, 0.5, 1.0]), np.array([0.7, 0.8]))
    array([0.7, 0.8])
    """
    return accuracy[np.clip(np.searchsorted(edges, beta, side="right") - 1, 0, len(accuracy) - 1)]


# --- SLS -------------------------------------------------------------------------------------------


def beta_grid(step: float) -> FloatArray:
    """0, step, 2·step, …, 1.

    >>> beta_grid(0.3)
    array([0. , 0.3, 0.6, 0.9, 1. ])
    """
    if not (isinstance(step, Real) and 1e-6 <= step <= 1):
        raise ValueError(f"step must be a number from 0.000001 to 1, not {step!r}; search='qsf' is exact without any.")
    return np.minimum(np.arange(int(np.ceil(1 / step - 1e-9)) + 1) * float(step), 1.0)


def search_grid(lines: Lines, y: ClassArray, weight: FloatArray, step: float) -> BetaSearch:
    """SLS over rows whose lines are made block by block."""
    grid = beta_grid(step)
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
        return _kernels.right_at(lines(rows), y[rows], np.ascontiguousarray(weight[rows]), betas, TIE)

    return np.asarray(np.sum(list(on_all_cores(block, row_blocks(len(y)))), axis=0))
