"""QSF: where the rows' intervals cover β most, exactly, and without ever sorting them all (Eq. 19 and 20).

Coverage at a cell's left edge is exact: what began in the cells before it less what ended there. What begins inside
the cell bounds how far it can rise. A cell whose bound stays below the best left edge cannot hold the best; only the
ends in the others are looked at. Where these are too many, their cells are cut into smaller ones first, and once more,
until they are few, or until a cell is a single multiple of 2⁻⁴⁰, of which a sum is all there is to know.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.switching.cells import Cells, gather, tally
from atfnb.switching.curve import as_steps
from atfnb.switching.found import BetaSearch
from atfnb.switching.intervals import LATTICE, NOTHING, Reach

ROWS_PER_CELL = 64
"""How many rows share a cell at first, about, where there are few rows."""
MAX_BITS = 16
"""At most 2^16 cells at first, and about as many each time they are cut: 1.5 MB, whatever the number of rows."""
MAX_ENDS = 1 << 22
"""So many ends are few: some 100 MB, less than another pass over the rows costs."""


@dataclass(frozen=True)
class Covered:
    """Coverage as far as cells tell it: exact at their left edges, bounded inside."""

    cells: Cells
    tallied: FloatArray
    """(3, cells) what begins and what ends in each, and how many ends that is."""
    left: FloatArray
    """(cells,) the coverage before the first end of each."""
    best: float
    """The highest coverage known to be reached."""

    @property
    def is_open(self) -> BoolArray:
        """(cells,) whether there are ends inside, and the highest coverage can be among them."""
        return np.asarray((self.left + self.tallied[0] >= self.best) & (self.tallied[2] > 0))

    @classmethod
    def at_first(cls, reached: Pieces[Reach]) -> tuple[Covered, float, float]:
        """One pass over all intervals; and what begins at 0, and what ends at 1."""
        bits = min(max((reached.n_rows // ROWS_PER_CELL).bit_length() - 1, 0), MAX_BITS)
        cells = Cells.of_whole(bits)
        tallied, from_0, to_1 = _without_ends(tally(reached, cells))
        change = tallied[0] - tallied[1]
        left = from_0 + _before(change)
        return cls(cells, tallied, left, float(max(left.max(), left[-1] + change[-1]))), from_0, to_1

    def closer(self, reached: Pieces[Reach]) -> Covered:
        """One more pass, in which the open cells are cut into smaller ones."""
        is_open = self.is_open
        wanted = max(MAX_BITS - int(is_open.sum()).bit_length(), 1)
        cells = self.cells.opened(is_open, min(wanted, self.cells.shifts[-1]))
        tallied, _, _ = _without_ends(tally(reached, cells))
        change = (tallied[0] - tallied[1]).reshape(int(is_open.sum()), -1)
        left = (self.left[is_open, None] + _before(change)).ravel()
        return Covered(cells, tallied, left, max(self.best, float(left.max())))


def _without_ends(tallied: FloatArray) -> tuple[FloatArray, float, float]:
    """What was tallied in cells, what begins at 0, and what ends at 1."""
    return tallied[:, :-2], float(tallied[0, -2]), float(tallied[1, -1])


def _before(change: FloatArray) -> FloatArray:
    """The sum of the changes before each, along the last axis."""
    before = np.zeros_like(change)
    np.cumsum(change[..., :-1], axis=-1, out=before[..., 1:])
    return before


@dataclass(frozen=True)
class Swept:
    """The ends in the cells that can hold the best, in order, with the coverage after each; and the first cells."""

    edge: FloatArray
    begins: BoolArray
    stops: BoolArray
    """Whether an interval begins at each end, and whether one stops there."""
    covered: FloatArray
    first: Covered
    total: float
    """The weight of all rows."""

    @property
    def found(self) -> BetaSearch:
        """The highest steps, and the middle of the widest."""
        # between a start and a stop that follows it, nothing changes: those are the steps that can be highest
        opens = np.flatnonzero(self.begins[:-1] & self.stops[1:])
        if len(opens) == 0:
            return BetaSearch(0.5, (0.0, 1.0), np.array([[0.0, 1.0]]), 0.0)
        best = self.covered[opens].max()
        opens = opens[self.covered[opens] == best]
        intervals = _join(np.column_stack([self.edge[opens], self.edge[opens + 1]]))
        widest = intervals[np.argmax(intervals[:, 1] - intervals[:, 0])]
        middle = float(widest[0] / 2 + widest[1] / 2)
        return BetaSearch(middle, (float(widest[0]), float(widest[1])), intervals, float(best / self.total))

    @property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """The training accuracy by β, exact where it is highest and at the lines between the first cells."""
        lines = self.first.cells.firsts / LATTICE
        edges, place = np.unique(np.concatenate([self.edge, lines]), return_index=True)
        covered = np.concatenate([self.covered, self.first.left])[place]
        inside = edges < 1.0
        return as_steps(np.append(edges[inside], 1.0), covered[inside], self.total)


def sweep(reached: Pieces[Reach], total: float) -> Swept:
    """Find where the rows' intervals cover β most (Eq. 19 and 20); ``total`` is the weight of all rows."""
    first, from_0, to_1 = Covered.at_first(reached)
    covered = first
    while covered.tallied[2, covered.is_open].sum() > MAX_ENDS and covered.cells.shifts[-1] > 0:
        covered = covered.closer(reached)
    position, begun, ended = _ends(covered, reached)
    change = begun - ended
    cell = covered.cells.find(position)
    before = _before(change)
    begin_of_cell = before[np.searchsorted(cell, cell)]
    after = covered.left[cell] + (before - begin_of_cell) + change
    return Swept(
        np.concatenate([[0.0], position / LATTICE, [1.0]]),
        np.concatenate([[from_0 > 0], begun > 0, [False]]),
        np.concatenate([[False], ended > 0, [to_1 > 0]]),
        np.concatenate([[from_0], after, [0.0]]),
        first,
        total,
    )


def _ends(covered: Covered, reached: Pieces[Reach]) -> tuple[IntArray, FloatArray, FloatArray]:
    """The ends in open cells: gathered, where they are few; otherwise their cells are as small as can be."""
    is_open = covered.is_open
    if not is_open.any():
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    if covered.tallied[2, is_open].sum() > MAX_ENDS:
        return _from_cells(covered, is_open)
    return gather(reached, covered.cells, is_open)


def _from_cells(covered: Covered, is_open: BoolArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The ends in cells that are single multiples of 2⁻⁴⁰: what was tallied is all there is."""
    begun, ended, _ = covered.tallied[:, is_open]
    return covered.cells.firsts[is_open], begun, ended


def _join(intervals: FloatArray) -> FloatArray:
    """Join intervals with nothing between them."""
    first = np.ones(len(intervals), dtype=bool)
    first[1:] = intervals[1:, 0] > intervals[:-1, 1] + NOTHING
    last = np.roll(first, -1)
    return np.column_stack([intervals[first, 0], intervals[last, 1]])
