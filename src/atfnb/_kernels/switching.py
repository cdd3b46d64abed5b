"""Loops of the search for the switching factor β."""

from __future__ import annotations

import numpy as np

from atfnb._kernels.compiler import compiled
from atfnb._typing import ClassArray, FloatArray, IntArray


@compiled
def reach(lines: FloatArray, y: ClassArray, tie: float, lattice: float) -> FloatArray:
    """Return the lowest and the highest β in [0, 1] at which each row is right: (rows, 2); 1 and 0 where none is.

    ``lines`` holds K and M of each class: (rows, 2, classes). Row i is right where β·K_y + M_y beats every other
    line (Eq. 18); two lines cross at one β, so that is an interval. Lines that differ by at most ``tie`` from β = 0 to
    β = 1 are one line, and the first of their classes is taken.

    A crossing is rounded to a multiple of 4 / lattice, so that crossings that are equal on paper are equal here. There
    the first class is taken as well: the interval of the earlier class ends 1 / lattice beyond the crossing, and that
    of the later class begins there.
    """
    rows, _, classes = lines.shape
    out = np.empty((rows, 2))
    quarter = lattice / 4.0
    for i in range(rows):
        low, high = 0.0, lattice
        own = y[i]
        own_slope, own_intercept = lines[i, 0, own], lines[i, 1, own]
        for c in range(classes):
            rise = own_slope - lines[i, 0, c]
            lead = own_intercept - lines[i, 1, c]
            if abs(lead) <= tie and abs(lead + rise) <= tie:
                if c < own:
                    high = -1.0
            elif rise > 0.0:
                low = max(low, np.floor(-lead / rise * quarter + 0.5) * 4.0 + (1.0 if c < own else -1.0))
            elif rise < 0.0:
                high = min(high, np.floor(-lead / rise * quarter + 0.5) * 4.0 - (1.0 if c < own else -1.0))
            elif lead < 0.0:
                high = -1.0
        if low <= 1.0:  # what happens in 0 and in 1 alone is not counted
            low = 0.0
        if high >= lattice - 1.0:
            high = lattice
        if low >= high or high <= 1.0 or low >= lattice - 1.0:
            low, high = lattice, 0.0
        out[i, 0], out[i, 1] = low / lattice, high / lattice
    return out


@compiled
def cell_of(end: float, lattice: float, shift: int, cells: int) -> int:
    """In which of equal cells of (0, 1) an end of an interval lies; 0 itself is ``cells``, and 1 is ``cells`` + 1.

    A cell is a run of 2^shift multiples of 1 / lattice.
    """
    if end == 0.0:
        return cells
    if end == 1.0:
        return cells + 1
    return int(end * lattice) >> shift


@compiled
def first_cells(ends: FloatArray, lattice: float, shift: int, cells: int) -> IntArray:
    """In which of equal cells each interval begins and ends: (rows, 2); −1 where there is none."""
    out = np.full((ends.shape[0], 2), -1)
    for i in range(ends.shape[0]):
        if ends[i, 0] < ends[i, 1]:
            for end in range(2):
                out[i, end] = cell_of(ends[i, end], lattice, shift, cells)
    return out


@compiled
def tally_first(
    ends: FloatArray, lattice: float, shift: int, narrow: int, weight: FloatArray, into: FloatArray
) -> None:
    """Add what :func:`tally` adds, for the cells of :func:`first_cells`."""
    for i in range(ends.shape[0]):
        if ends[i, 0] < ends[i, 1]:
            for end in range(2):
                cell = cell_of(ends[i, end], lattice, shift, into.shape[1] - 2)
                into[end, cell] += weight[i]
                into[2, cell] += 1.0
                if int(ends[i, end] * lattice) & ((1 << shift) - 1) < narrow:
                    into[3, cell] += 1.0


@compiled
def tally(
    ends: FloatArray, cells: IntArray, lattice: float, shift: int, narrow: int, weight: FloatArray, into: FloatArray
) -> None:
    """Add the weight of the intervals that begin, and that end, in each cell, and how many ends that is: (4, cells).

    The last row counts the ends within ``narrow`` multiples of 1 / lattice of the left edge of their cell, which is a
    run of 2^shift multiples. ``cells`` (rows, 2) holds the cells in which each interval begins and ends; −1 is none.
    """
    for i in range(cells.shape[0]):
        for end in range(2):
            cell = cells[i, end]
            if cell >= 0:
                into[end, cell] += weight[i]
                into[2, cell] += 1.0
                if int(ends[i, end] * lattice) & ((1 << shift) - 1) < narrow:
                    into[3, cell] += 1.0


@compiled
def right_at(lines: FloatArray, y: ClassArray, weight: FloatArray, betas: FloatArray, tie: float) -> FloatArray:
    """Return the weight of the rows that are right just below each β, at β itself, and just above it: (3, betas).

    At β itself the first of the classes that tie is taken; beside it, the one whose line is then higher.
    """
    right = np.zeros((3, betas.shape[0]))
    for b in range(betas.shape[0]):
        beta = betas[b]
        for i in range(lines.shape[0]):
            own_slope = lines[i, 0, y[i]]
            own = beta * own_slope + lines[i, 1, y[i]]
            below, at, above = True, True, True
            for c in range(lines.shape[2]):
                lead = own - (beta * lines[i, 0, c] + lines[i, 1, c])
                if lead < -tie:
                    below, at, above = False, False, False
                    break
                if lead <= tie and c != y[i]:
                    rise = own_slope - lines[i, 0, c]
                    tied = abs(rise) <= tie  # one line
                    at = at and c > y[i]
                    below = below and (c > y[i] if tied else rise < 0.0)
                    above = above and (c > y[i] if tied else rise > 0.0)
            if below:
                right[0, b] += weight[i]
            if at:
                right[1, b] += weight[i]
            if above:
                right[2, b] += weight[i]
    return right
