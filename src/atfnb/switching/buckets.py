"""Where the coverage of β can be highest: the few ends of intervals that matter, found without sorting all ends.

The interval (0, 1) is cut into buckets, and a pass over the rows adds up the weight of the intervals that begin and
that end in each. The coverage at a bucket's left edge is then exact: what began in the buckets before it, less what
ended there. What begins inside the bucket bounds how far the coverage can rise there. A bucket whose bound stays below
the best left edge cannot hold the maximum; the others are *open*, and only their ends are looked at. Where these are
too many, another pass cuts the open buckets into smaller ones, until the ends are few, or until a bucket is a single
multiple of 2⁻⁴⁰, for which the sums are all that is needed. Nothing is rounded.

An interval of β that is too narrow is no answer. So the highest coverage is taken only from left edges that no end
follows closely: the coverage there holds on an interval that is wide enough, and the best is at least as high.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.switching.intervals import LATTICE, LATTICE_BITS, Reach, narrowest

ROWS_PER_BUCKET = 64
"""The approximate number of rows per bucket in the first pass, if there are few rows."""
MAX_BITS = 16
"""The first pass has at most 2^16 buckets, and each further pass about as many: 1.5 MB for any number of rows."""
MAX_ENDS = 1 << 22
"""The largest number of ends to sort: some 100 MB, and faster than another pass over the rows."""
NOWHERE = (-1, -1, -1)
"""What follows the last bucket in a table of slots: entries for β = 0, for β = 1, and for ends in no bucket (−1)."""


@dataclass(frozen=True)
class Coverage:
    """The coverage of β that is known from buckets: exact at their left edges, bounded inside."""

    buckets: Buckets
    """The buckets that (0, 1) is cut into."""
    tallied: FloatArray
    """(4, buckets) the weight that begins in each, the weight that ends, the number of ends, and of those near its left
    edge."""
    left: FloatArray
    """(buckets,) the coverage before the first end of each."""
    best: float
    """The highest coverage known to be reached on an interval that is wide enough."""
    narrow: float
    """The smallest width of an interval that is wide enough."""
    at_0: float
    """The weight of the intervals that begin at β = 0: the coverage there."""

    @classmethod
    def of_all(cls, reached: Pieces[Reach]) -> Coverage:
        """Return the coverage of the intervals of all rows in equal buckets, from one pass over them."""
        bits = min(max((reached.n_rows // ROWS_PER_BUCKET).bit_length() - 1, 0), MAX_BITS)
        buckets, narrow = Buckets.equal(bits), narrowest(reached.n_rows)
        tallied = tally(reached, buckets, _multiples(narrow))
        tallied, at_0 = tallied[:, :-2], float(tallied[0, -2])
        left = at_0 + _sum_before(tallied[0] - tallied[1])
        return cls(buckets, tallied, left, 0.0, narrow, at_0)._with_best()

    def in_smaller_buckets(self, reached: Pieces[Reach]) -> Coverage:
        """Return the coverage with the open buckets cut into smaller ones, from one more pass over the intervals."""
        is_open = self.is_open
        wanted = max(MAX_BITS - int(is_open.sum()).bit_length(), 1)
        buckets = self.buckets.cut(is_open, min(wanted, self.buckets.shifts[-1]))
        tallied = tally(reached, buckets, _multiples(self.narrow))[:, :-2]
        change = (tallied[0] - tallied[1]).reshape(int(is_open.sum()), -1)
        left = (self.left[is_open, None] + _sum_before(change)).ravel()
        return replace(self, buckets=buckets, tallied=tallied, left=left)._with_best()

    @property
    def is_open(self) -> BoolArray:
        """(buckets,) whether the coverage can be highest at an end inside the bucket."""
        return np.asarray((self.left + self.tallied[0] >= self.best) & (self.tallied[2] > 0))

    @property
    def is_clear(self) -> BoolArray:
        """(buckets,) whether the coverage at the left edge holds on an interval that is wide enough."""
        return np.asarray((self.tallied[3] == 0) & (1 << self.buckets.shifts[-1] >= _multiples(self.narrow)))

    @property
    def has_too_many_ends(self) -> bool:
        """Whether the open buckets hold more ends than can be sorted at once, and can be cut further."""
        return bool(self.tallied[2, self.is_open].sum() > MAX_ENDS and self.buckets.shifts[-1] > 0)

    def ends_that_matter(self, reached: Pieces[Reach]) -> tuple[IntArray, FloatArray]:
        """Return the distinct ends in open buckets, in multiples of 2⁻⁴⁰ and in order, and the coverage after each."""
        is_open = self.is_open
        if not is_open.any():
            return np.zeros(0, np.int64), np.zeros(0)
        if self.tallied[2, is_open].sum() > MAX_ENDS:  # buckets of a single multiple: the sums are all that is needed
            position, (begun, ended) = self.buckets.firsts[is_open], self.tallied[:2, is_open]
        else:
            position, begun, ended = gather(reached, self.buckets, is_open)
        bucket = self.buckets.find(position)
        before = _sum_before(begun - ended)
        before_in_bucket = before - before[np.searchsorted(bucket, bucket)]
        return position, self.left[bucket] + before_in_bucket + (begun - ended)

    def _with_best(self) -> Coverage:
        """Return the coverage with ``best`` raised to the highest coverage at a clear left edge."""
        return replace(self, best=float(self.left[self.is_clear].max(initial=self.best)))


def _multiples(width: float) -> int:
    """Return how many multiples of 2⁻⁴⁰ a width is, rounded up."""
    return int(np.ceil(width * LATTICE))


def _sum_before(change: FloatArray) -> FloatArray:
    """Return the sum of the changes before each one, along the last axis."""
    before = np.zeros_like(change)
    np.cumsum(change[..., :-1], axis=-1, out=before[..., 1:])
    return before


@dataclass(frozen=True)
class Buckets:
    """Equal buckets of the interval (0, 1), some of which are cut into equal smaller buckets, and so on.

    The ends of intervals are whole multiples of 2⁻⁴⁰, so a bucket is a range of whole numbers, and the bits of an end
    show in which smaller bucket it lies. 0 and 1 themselves, where many intervals begin and end, lie in no bucket.
    """

    shifts: tuple[int, ...]
    """For each depth, the number of low bits that its buckets leave out: they are 2^shift multiples wide."""
    slots: tuple[IntArray, ...]
    """For each depth but the last, the number of each bucket among those that were cut; −1 for the others."""
    firsts: IntArray
    """(buckets,) where the deepest buckets begin, in multiples of 2⁻⁴⁰."""

    @classmethod
    def equal(cls, bits: int) -> Buckets:
        """Return 2^bits equal buckets."""
        shift = LATTICE_BITS - bits
        return cls((shift,), (), np.arange(1 << bits) << shift)

    def cut(self, is_open: BoolArray, bits: int) -> Buckets:
        """Return the buckets with each of those in ``is_open`` cut into 2^bits smaller ones."""
        slots = np.append(np.where(is_open, np.cumsum(is_open) - 1, -1), NOWHERE)
        shift = self.shifts[-1] - bits
        inside = np.arange(1 << bits) << shift
        firsts = (self.firsts[is_open, None] + inside).ravel()
        return Buckets((*self.shifts, shift), (*self.slots, slots), firsts)

    def find(self, position: IntArray) -> IntArray:
        """Return the number of the deepest bucket that each position between 0 and 1 lies in; −1 for none."""
        return self._deepest(position >> self.shifts[0], position)

    def locate(self, ends: FloatArray) -> IntArray:
        """Return the number of the bucket that each end of an interval lies in: (rows, 2); −1 for none.

        Before any bucket is cut, 0 itself comes after the last bucket, and 1 after that.
        """
        from atfnb._kernels import switching as kernels

        first = kernels.first_buckets(ends, LATTICE, self.shifts[0], 1 << (LATTICE_BITS - self.shifts[0]))
        return self._deepest(first, (ends * LATTICE).astype(np.int64)) if self.slots else first

    def _deepest(self, bucket: IntArray, position: IntArray) -> IntArray:
        """Return the deepest bucket of each position, from its first bucket."""
        for slots, before, shift in zip(self.slots, self.shifts[:-1], self.shifts[1:], strict=True):
            slot = slots[bucket]
            inside = (position >> shift) & ((1 << (before - shift)) - 1)
            bucket = np.where(slot < 0, -1, (slot << (before - shift)) + inside)
        return bucket


# --- Passes over the rows' intervals ----------------------------------------------------------------


def tally(reached: Pieces[Reach], buckets: Buckets, narrow: int) -> FloatArray:
    """Return the weight of the intervals that begin and that end in each bucket, and numbers of ends: (4, buckets + 2).

    The third row counts all ends, the fourth those less than ``narrow`` multiples of 2⁻⁴⁰ behind the left edge of their
    bucket. The last two columns are 0 and 1 themselves; they are filled only while no bucket has been cut.
    """
    what = f"open buckets of β, depth {len(buckets.slots)}" if buckets.slots else "ends of the rows' intervals of β"
    return reached.sum(what, partial(np.zeros, (4, len(buckets.firsts) + 2)), partial(_tally_block, buckets, narrow))


def _tally_block(buckets: Buckets, narrow: int, into: FloatArray, reached: Reach) -> FloatArray:
    from atfnb._kernels import switching as kernels

    weight, located = np.ascontiguousarray(reached.weight), buckets.locate(reached.ends)
    kernels.tally(reached.ends, located, LATTICE, buckets.shifts[-1], narrow, weight, into)
    return into


def gather(reached: Pieces[Reach], buckets: Buckets, is_open: BoolArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the distinct ends in open buckets, in order, and the weight that begins and that ends at each."""
    marked = np.append(is_open, [False] * len(NOWHERE))
    opened = buckets.firsts[is_open]
    span = opened.min() / LATTICE, (opened.max() + (1 << buckets.shifts[-1])) / LATTICE
    found: list[tuple[IntArray, FloatArray, FloatArray]] = reached.sum(
        "ends in the buckets that can hold the best", list, partial(_gather_block, buckets, marked, span)
    )
    positions, begun, ended = (np.concatenate(parts) for parts in zip(*found, strict=True))
    distinct, inverse = np.unique(positions, return_inverse=True)
    begun, ended = (np.bincount(inverse, weights=w).astype(np.float64, copy=False) for w in (begun, ended))
    return distinct, begun, ended


def _gather_block(
    buckets: Buckets,
    marked: BoolArray,
    span: tuple[float, float],
    into: list[tuple[IntArray, FloatArray, FloatArray]],
    reached: Reach,
) -> list[tuple[IntArray, FloatArray, FloatArray]]:
    """Append the ends of a block that lie in marked buckets, with the weights that begin and end there, to a list."""
    near = (reached.ends >= span[0]) & (reached.ends < span[1])  # most rows have no end there, and are skipped
    row = np.flatnonzero(near[:, 0] | near[:, 1])
    ends, weight = reached.ends[row], reached.weight[row]
    in_marked = np.flatnonzero(marked[buckets.locate(ends)])
    is_high, weight = (in_marked & 1).astype(bool), weight[in_marked >> 1]
    position = (ends.ravel()[in_marked] * LATTICE).astype(np.int64)
    into.append((position, np.where(is_high, 0.0, weight), np.where(is_high, weight, 0.0)))
    return into
