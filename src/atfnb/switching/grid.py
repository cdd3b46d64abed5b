"""SLS: β = 0, step, 2·step, …, 1, each tried."""

from __future__ import annotations

from functools import partial
from numbers import Real

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import BoolArray, FloatArray
from atfnb.model import TIE
from atfnb.switching.found import BetaSearch
from atfnb.switching.intervals import Block, Lines


def beta_grid(step: float) -> FloatArray:
    """0, step, 2·step, …, 1.

    >>> beta_grid(0.3)
    array([0. , 0.3, 0.6, 0.9, 1. ])
    """
    if not (isinstance(step, Real) and 1e-6 <= step <= 1):
        raise ValueError(f"step must be a number from 0.000001 to 1, not {step!r}; search='qsf' is exact without any.")
    return np.minimum(np.arange(int(np.ceil(1 / step - 1e-9)) + 1) * float(step), 1.0)


def search_grid(rows: Pieces[Block], lines: Lines[Block], total: float, step: float) -> BetaSearch:
    """SLS over rows whose lines are made block by block; ``total`` is their weight."""
    grid = beta_grid(step)
    beside = weight_right(rows, lines, grid)
    right, usual = beside[1], _is_usual(beside)
    best = usual & (right == right[usual].max())
    first = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    last = np.flatnonzero(best & ~np.concatenate([best[1:], [False]]))
    longest = np.argmax(last - first)
    middle = float(grid[(first[longest] + last[longest]) // 2])
    intervals = np.column_stack([grid[first], grid[last]])
    low, high = intervals[longest]
    return BetaSearch(middle, (float(low), float(high)), intervals, float(right[best][0] / total))


def _is_usual(beside: FloatArray) -> BoolArray:
    """Return whether each β has the accuracy of a β next to it: (betas,).

    Where lines cross at a point of the grid, the first of the classes that tie is taken, and that alone can make rows
    right that are wrong on both sides. Such a point is no answer, unless all are such points.
    """
    below, at, above = beside
    usual = (at == below) | (at == above)
    usual[0], usual[-1] = at[0] == above[0], at[-1] == below[-1]  # no β lies below 0 or above 1
    return usual if usual.any() else np.ones_like(usual)


def weight_right(rows: Pieces[Block], lines: Lines[Block], betas: FloatArray) -> FloatArray:
    """Return the weight of the rows that are right just below each β, at it, and just above it: (3, betas)."""
    return rows.sum("the grid of β", partial(np.zeros, (3, len(betas))), partial(_fill, lines, betas))


def _fill(lines: Lines[Block], betas: FloatArray, into: FloatArray, rows: Block) -> FloatArray:
    from atfnb._kernels import switching as kernels

    into += kernels.right_at(lines(rows), rows.y, np.ascontiguousarray(rows.weight), betas, TIE)
    return into
