"""SLS: the training accuracy at β = 0, step, 2·step, …, 1, and the best of them (Section 4.3)."""

from __future__ import annotations

from functools import partial
from numbers import Real

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import BoolArray, ClassArray, FloatArray
from atfnb.model import TIE
from atfnb.switching.intervals import BetaSearch, Block, Lines, given_lines, rows_of_lines


def sls(
    slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None = None, step: float = 0.01
) -> BetaSearch:
    """Try β = 0, step, 2·step, …, 1 and return those with the highest training accuracy (Section 4.3).

    Parameters
    ----------
    slope, intercept : (rows, classes) arrays
        K_c and M_c of Eq. 16.
    y : (rows,) array
        The number of each row's class.
    sample_weight : (rows,) array, optional
        How much each row counts; 1 if not given.
    step : float, default=0.01
        The distance between two values of β.

    Returns
    -------
    BetaSearch
        The best β, the intervals of the grid that are as good, and the training accuracy there.

    Examples
    --------
    One row is classified correctly from β = 0.25 on, the other up to β = 0.75:

    >>> slope = np.array([[0.0, 4.0], [0.0, 4.0]])
    >>> intercept = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> sls(slope, intercept, np.array([1, 0])).interval
    (0.26, 0.75)
    """
    rows, total = rows_of_lines(slope, intercept, y, sample_weight)
    return search_grid(rows, given_lines, total, step)


def search_grid(rows: Pieces[Block], lines: Lines[Block], total: float, step: float) -> BetaSearch:
    """Return the best β of a grid, for rows in pieces of the given total weight.

    Neighbouring points of the grid that are equally good form an interval; the middle point of the longest one is β.
    """
    grid = beta_grid(step)
    correct = weight_correct(rows, lines, grid)
    at, usual = correct[1], _is_usual(correct)
    best = usual & (at == at[usual].max())
    first = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    last = np.flatnonzero(best & ~np.concatenate([best[1:], [False]]))
    longest = np.argmax(last - first)
    middle = float(grid[(first[longest] + last[longest]) // 2])
    intervals = np.column_stack([grid[first], grid[last]])
    low, high = intervals[longest]
    return BetaSearch(middle, (float(low), float(high)), intervals, float(at[best][0] / total))


def beta_grid(step: float) -> FloatArray:
    """Return 0, step, 2·step, …, 1.

    >>> beta_grid(0.3)
    array([0. , 0.3, 0.6, 0.9, 1. ])
    """
    if not (isinstance(step, Real) and 1e-6 <= step <= 1):
        raise ValueError(f"step must be a number from 0.000001 to 1, not {step!r}; search='qsf' is exact without any.")
    return np.minimum(np.arange(int(np.ceil(1 / step - 1e-9)) + 1) * float(step), 1.0)


def weight_correct(rows: Pieces[Block], lines: Lines[Block], betas: FloatArray) -> FloatArray:
    """Return the weight of the rows classified correctly just below each β, at it, and just above it: (3, betas)."""
    return rows.sum("the grid of β", partial(np.zeros, (3, len(betas))), partial(_add_block, lines, betas))


def _add_block(lines: Lines[Block], betas: FloatArray, into: FloatArray, rows: Block) -> FloatArray:
    from atfnb._kernels import switching as kernels

    into += kernels.weight_correct(lines(rows), rows.y, np.ascontiguousarray(rows.weight), betas, TIE)
    return into


def _is_usual(correct: FloatArray) -> BoolArray:
    """Return whether each β has the accuracy of the β just below or just above it: (betas,).

    At a β of the grid where lines cross, the first of the classes that tie is taken. So rows can be correct at this one
    β that are wrong on both sides of it. Such a β is no answer, unless all of the grid are of this kind.
    """
    below, at, above = correct
    usual = (at == below) | (at == above)
    usual[0], usual[-1] = at[0] == above[0], at[-1] == below[-1]  # no β lies below 0 or above 1
    return usual if usual.any() else np.ones_like(usual)
