"""Cells of [0, 1], and how much begins and ends in each: what bounds the coverage of β.

Ends of intervals are whole multiples of 2⁻⁴⁰, so a cell is a run of whole numbers, and to look inside it is to look at
more bits. Nothing is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.switching.intervals import LATTICE, LATTICE_BITS, Reach

NOWHERE = (-1, -1, -1)
"""0, 1, and what lies in no cell, one after the other behind the last cell."""


@dataclass(frozen=True)
class Cells:
    """Equal cells of (0, 1); and, of those that were opened, equal cells inside; and so on.

    0 and 1 themselves, where many intervals begin and end, lie in no cell.
    ``shifts[k]`` is how many bits of a position the cells of depth k leave out. ``slots[k]`` numbers those cells of
    depth k that were opened; −1 for the others, and for what lies in no cell.
    """

    shifts: tuple[int, ...]
    slots: tuple[IntArray, ...]
    firsts: IntArray
    """(cells,) where the deepest cells begin, in multiples of 2⁻⁴⁰."""

    @classmethod
    def of_whole(cls, bits: int) -> Cells:
        """2^bits cells of (0, 1)."""
        shift = LATTICE_BITS - bits
        return cls((shift,), (), np.arange(1 << bits) << shift)

    def opened(self, is_open: BoolArray, bits: int) -> Cells:
        """Cut each of the cells marked into 2^bits."""
        slots = np.append(np.where(is_open, np.cumsum(is_open) - 1, -1), NOWHERE)
        shift = self.shifts[-1] - bits
        inside = np.arange(1 << bits) << shift
        firsts = (self.firsts[is_open, None] + inside).ravel()
        return Cells((*self.shifts, shift), (*self.slots, slots), firsts)

    def find(self, position: IntArray) -> IntArray:
        """The number of the deepest cell that each position between 0 and 1 lies in; −1 where it lies in none."""
        return self._inside(position >> self.shifts[0], position)

    def locate(self, ends: FloatArray) -> IntArray:
        """The number of the cell that each end of an interval lies in: (rows, 2); −1 where it lies in none.

        Before any cell is opened, 0 itself comes after the last cell, and 1 after that.
        """
        from atfnb._kernels import switching as kernels

        first = kernels.first_cells(ends, LATTICE, self.shifts[0], 1 << (LATTICE_BITS - self.shifts[0]))
        return self._inside(first, (ends * LATTICE).astype(np.int64)) if self.slots else first

    def _inside(self, cell: IntArray, position: IntArray) -> IntArray:
        """From the first cells to the deepest."""
        for slots, before, shift in zip(self.slots, self.shifts[:-1], self.shifts[1:], strict=True):
            slot = slots[cell]
            inside = (position >> shift) & ((1 << (before - shift)) - 1)
            cell = np.where(slot < 0, -1, (slot << (before - shift)) + inside)
        return cell


def tally(reached: Pieces[Reach], cells: Cells, narrow: int) -> FloatArray:
    """Sum the weight of the intervals that begin, and that end, in each cell, and count ends: (4, cells + 2).

    The third row counts all ends, the fourth those less than ``narrow`` multiples of 2⁻⁴⁰ behind the
    left edge of their cell.
    The last two columns are 0 and 1 themselves; they are filled only for cells that were not opened from others.
    """
    what = "ends of the rows' intervals of β" if not cells.slots else f"open cells of β, depth {len(cells.slots)}"
    return reached.sum(what, partial(np.zeros, (4, len(cells.firsts) + 2)), partial(_tally, cells, narrow))


def _tally(cells: Cells, narrow: int, into: FloatArray, reached: Reach) -> FloatArray:
    from atfnb._kernels import switching as kernels

    weight, shift = np.ascontiguousarray(reached.weight), cells.shifts[-1]
    if cells.slots:
        kernels.tally(reached.ends, cells.locate(reached.ends), LATTICE, shift, narrow, weight, into)
    else:
        kernels.tally_first(reached.ends, LATTICE, shift, narrow, weight, into)
    return into


def gather(reached: Pieces[Reach], cells: Cells, is_open: BoolArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The distinct ends in open cells, in order, and the weight that begins and that ends at each."""
    marked = np.append(is_open, [False] * len(NOWHERE))
    opened = cells.firsts[is_open]
    span = opened.min() / LATTICE, (opened.max() + (1 << cells.shifts[-1])) / LATTICE
    found: list[tuple[IntArray, FloatArray, FloatArray]] = reached.sum(
        "ends in the cells that can hold the best", list, partial(_gather, cells, marked, span)
    )
    position, begun, ended = (np.concatenate(parts) for parts in zip(*found, strict=True))
    distinct, place = np.unique(position, return_inverse=True)
    begun, ended = (np.bincount(place, weights=w).astype(np.float64, copy=False) for w in (begun, ended))
    return distinct, begun, ended


def _gather(
    cells: Cells,
    marked: BoolArray,
    span: tuple[float, float],
    into: list[tuple[IntArray, FloatArray, FloatArray]],
    reached: Reach,
) -> list[tuple[IntArray, FloatArray, FloatArray]]:
    near = (reached.ends >= span[0]) & (reached.ends < span[1])  # most are not, and need no closer look
    row = np.flatnonzero(near[:, 0] | near[:, 1])
    ends, weight = reached.ends[row], reached.weight[row]
    place = np.flatnonzero(marked[cells.locate(ends)])
    stops, weight = (place & 1).astype(bool), weight[place >> 1]
    position = (ends.ravel()[place] * LATTICE).astype(np.int64)
    into.append((position, np.where(stops, 0.0, weight), np.where(stops, weight, 0.0)))
    return into
