"""QSF: where the rows' intervals cover β most, exactly, and without ever sorting them all (Eq. 19 and 20).

Coverage at a cell's left edge is exact: what began in the cells before it less what ended there. What begins inside
the cell bounds how far it can rise. A cell whose bound stays below the best left edge cannot hold the best; only the
ends in the others are looked at. Where these are too many, their cells are cut into smaller ones first, and once more,
until they are few, or until a cell is a single multiple of 2⁻⁴⁰, of which a sum is all there is to know.

A narrow interval of β is no answer. So only those left edges count that no end follows closely: their coverage holds
on an interval that is wide enough, and the best is at least as high.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.switching.cells import Cells, gather, tally
from atfnb.switching.curve import as_steps, joined
from atfnb.switching.found import BetaSearch
from atfnb.switching.intervals import LATTICE, Reach, inside, narrowest

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
    """(4, cells) what begins and what ends in each, how many ends that is, and how many are close to the left edge."""
    left: FloatArray
    """(cells,) the coverage before the first end of each."""
    best: float
    """The highest coverage known to be reached on an interval that is wide enough."""
    narrow: float
    """How wide that is."""

    @property
    def is_open(self) -> BoolArray:
        """(cells,) whether there are ends inside, and the highest coverage can be among them."""
        return np.asarray((self.left + self.tallied[0] >= self.best) & (self.tallied[2] > 0))

    @classmethod
    def at_first(cls, reached: Pieces[Reach]) -> tuple[Covered, float]:
        """Pass over all intervals once; return the coverage, and what begins at 0."""
        bits = min(max((reached.n_rows // ROWS_PER_CELL).bit_length() - 1, 0), MAX_BITS)
        cells = Cells.of_whole(bits)
        narrow = narrowest(reached.n_rows)
        tallied, from_0 = _without_ends(tally(reached, cells, _multiples(narrow)))
        left = from_0 + _before(tallied[0] - tallied[1])
        return cls(cells, tallied, left, 0.0, narrow).raised(), from_0

    def closer(self, reached: Pieces[Reach]) -> Covered:
        """One more pass, in which the open cells are cut into smaller ones."""
        is_open = self.is_open
        wanted = max(MAX_BITS - int(is_open.sum()).bit_length(), 1)
        cells = self.cells.opened(is_open, min(wanted, self.cells.shifts[-1]))
        tallied, _ = _without_ends(tally(reached, cells, _multiples(self.narrow)))
        change = (tallied[0] - tallied[1]).reshape(int(is_open.sum()), -1)
        left = (self.left[is_open, None] + _before(change)).ravel()
        return replace(self, cells=cells, tallied=tallied, left=left).raised()

    @property
    def is_clear(self) -> BoolArray:
        """(cells,) whether the coverage at the left edge holds on an interval that is wide enough."""
        return np.asarray((self.tallied[3] == 0) & (1 << self.cells.shifts[-1] >= _multiples(self.narrow)))

    def raised(self) -> Covered:
        """Raise the best to the highest of the clear left edges."""
        return replace(self, best=float(self.left[self.is_clear].max(initial=self.best)))


def _multiples(width: float) -> int:
    """Return how many multiples of 2⁻⁴⁰ a width is, rounded up."""
    return int(np.ceil(width * LATTICE))


def _without_ends(tallied: FloatArray) -> tuple[FloatArray, float]:
    """Return what was tallied in cells, and what begins at 0."""
    return tallied[:, :-2], float(tallied[0, -2])


def _before(change: FloatArray) -> FloatArray:
    """The sum of the changes before each, along the last axis."""
    before = np.zeros_like(change)
    np.cumsum(change[..., :-1], axis=-1, out=before[..., 1:])
    return before


@dataclass(frozen=True)
class Swept:
    """The ends in the cells that can hold the best, in order, with the coverage after each; and the first cells."""

    edge: FloatArray
    covered: FloatArray
    best: float
    """Steps at least as high as this are known from end to end."""
    first: Covered
    total: float
    """The weight of all rows."""

    @property
    def found(self) -> BetaSearch:
        """The highest of the steps that are wide enough, and the middle of the widest."""
        edges, covered = joined(self.edge, self.covered[:-1])
        wide = (covered >= self.best) & (np.diff(edges) >= self.first.narrow)
        best = covered[wide].max()
        highest = np.flatnonzero(wide & (covered == best))
        intervals = inside(np.column_stack([edges[highest], edges[highest + 1]]))
        low, high = intervals[np.argmax(intervals[:, 1] - intervals[:, 0])]
        return BetaSearch(float(low / 2 + high / 2), (float(low), float(high)), intervals, float(best / self.total))

    @property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """The training accuracy by β, exact where it is highest and at the lines between the first cells.

        A line that an end follows closely, as where it is itself a crossing, is left out.
        """
        clear = self.first.is_clear
        lines = self.first.cells.firsts[clear] / LATTICE
        edges, place = np.unique(np.concatenate([self.edge, lines]), return_index=True)
        covered = np.concatenate([self.covered, self.first.left[clear]])[place]
        below_1 = edges < 1.0
        return as_steps(np.append(edges[below_1], 1.0), covered[below_1], self.total, self.first.narrow)


def sweep(reached: Pieces[Reach], total: float) -> Swept:
    """Find where the rows' intervals cover β most (Eq. 19 and 20); ``total`` is the weight of all rows."""
    first, from_0 = Covered.at_first(reached)
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
        np.concatenate([[from_0], after, [0.0]]),
        covered.best,
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
    begun, ended = covered.tallied[:2, is_open]
    return covered.cells.firsts[is_open], begun, ended
