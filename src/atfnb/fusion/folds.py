"""Folds and samples of rows, by the content of a row and not by its position.

Rows, columns and classes in another order have the same folds, and a row of weight two is two equal rows. Rows that are
equal by chance are dealt apart; copies, and the rows of a group, stay in one fold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray
from atfnb.copies import Keys, are_copies, equal_by_chance
from atfnb.counts import Counts

MAX_DEALT = 64
"""The number of equal rows that are dealt one by one; of more, the others go into the folds evenly."""


# --- Folds by the content of rows -------------------------------------------------------------------


@dataclass(frozen=True)
class RowKeys:
    """What rows are dealt into folds by."""

    keys: Keys
    """(rows,) a number for each row, the same for equal rows."""
    whole: BoolArray
    """(rows,) which rows stay in one fold with all rows of the same number."""

    @classmethod
    def of(cls, rows: CodedRows, keys: Keys, copies: BoolArray) -> RowKeys:
        """Return what rows are dealt by: their groups, if they have any, or their content, of which some are copies."""
        return cls(keys, copies) if rows.groups is None else cls(rows.groups, np.ones(len(keys), dtype=bool))

    @classmethod
    def of_sample(cls, sample: RowSample, counts: Counts) -> RowKeys:
        """Return what a sample of a table is dealt by; ``counts`` are those of the whole table."""
        likely = np.divide(counts.values, counts.classes, where=counts.classes > 0, out=np.zeros_like(counts.values))
        alike = counts.per_attribute(likely**2)[counts.used]
        rows, by_chance = sample.rows, equal_by_chance(counts.classes, alike)
        return cls.of(rows, sample.keys, are_copies(sample.keys, rows.y, rows.weight, by_chance))

    def take(self, rows: BoolArray) -> RowKeys:
        """Return those of the rows that are True in a mask."""
        return RowKeys(self.keys[rows], self.whole[rows])

    def deal(self, y: ClassArray, weight: FloatArray, folds: int) -> FloatArray:
        """Return how much of each row's weight goes into each fold, stratified by class: (rows, folds)."""
        shares = np.zeros((len(y), folds))
        for dealt, some in ((deal_weights, ~self.whole), (deal_whole, self.whole)):
            if some.any():
                shares[some] = dealt(self.keys[some], y[some], weight[some], folds)
        return shares


def content_keys(codes: CodeArray, counts: Counts) -> Keys:
    """Return a number for the content of each row: (rows,).

    Equal rows have equal numbers, whatever the order of the columns and the names of the classes.
    """
    of_classes = _mix(counts.values.view(np.uint64)).sum(axis=1, dtype=np.uint64)
    position = np.arange(len(of_classes)) - np.repeat(counts.offsets[:-1], counts.n_values + 1)
    of_cells = _mix(of_classes + _mix(position.astype(np.uint64)))
    keys = np.zeros(len(codes), dtype=np.uint64)
    for j in np.flatnonzero(counts.used):
        first = counts.offsets[j]
        keys += of_cells[first : first + counts.n_values[j] + 1][codes[:, j]]
    return _mix(keys)


def _mix(bits: Keys) -> Keys:
    """Spread the bits of whole numbers (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def deal_weights(keys: Keys, y: ClassArray, weight: FloatArray, folds: int) -> FloatArray:
    """Return how much of each row's weight goes into each fold, stratified by class and by content: (rows, folds).

    The rows of a class are dealt in turn, in an order that equal rows do not share. If equal rows were dealt one after
    the other, every fold would have the same share of each class among them, and not show what is learned by heart. A
    weight of two is two equal rows.

    >>> keys, y = np.array([5, 7, 9], dtype=np.uint64), np.zeros(3, dtype=np.int32)
    >>> deal_weights(keys, y, np.array([1.0, 1.0, 2.0]), folds=2)
    array([[0., 1.],
           [1., 0.],
           [1., 1.]])
    """
    group, total, key, of_class = _equal_rows(keys, y, weight)
    evenly = np.floor(np.maximum(total - MAX_DEALT, 0.0) / folds)
    one, share, one_key = _single_rows(key, of_class, total - folds * evenly)
    first = np.searchsorted(of_class[one], of_class[one])  # the position of the first row of the same class
    turn = np.arange(len(one)) - first + (one_key[first] % np.uint64(folds)).astype(np.int64)
    dealt = np.repeat(evenly[:, None], folds, axis=1)  # (groups, folds)
    np.add.at(dealt, (one, turn % folds), share)
    return np.asarray((weight / total[group])[:, None] * dealt[group])


def deal_whole(keys: Keys, y: ClassArray, weight: FloatArray, folds: int) -> FloatArray:
    """Return how much of each row's weight goes into each fold: all of it, into that of its key: (rows, folds).

    The rows of a key go where there are fewest of their classes so far, the heaviest first.

    >>> keys, y = np.array([5, 5, 7, 9], dtype=np.uint64), np.zeros(4, dtype=np.int32)
    >>> deal_whole(keys, y, np.ones(4), folds=2)
    array([[1., 0.],
           [1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    _, group = np.unique(keys, return_inverse=True)
    of_class = np.bincount(y, weights=weight)
    part = np.zeros((group.max() + 1, len(of_class)))
    np.add.at(part, (group, y), weight)
    part /= np.sqrt(np.maximum(of_class, 1e-300))
    load, fold = np.zeros((folds, len(of_class))), np.zeros(len(part), dtype=np.int64)
    for g in np.argsort(-part.sum(axis=1), kind="stable"):
        fold[g] = np.argmin(np.round(load @ part[g], 9))
        load[fold[g]] += part[g]
    return np.where(np.arange(folds) == fold[group][:, None], weight[:, None], 0.0)


def _equal_rows(keys: Keys, y: ClassArray, weight: FloatArray) -> tuple[IntArray, FloatArray, Keys, ClassArray]:
    """Return the group of equal rows that each row is in, and the weight, the key and the class of each group."""
    order = np.lexsort((keys, y))
    begins = np.append(True, (np.diff(keys[order]) != 0) | (np.diff(y[order]) != 0))
    group = np.empty(len(keys), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    total: FloatArray = np.bincount(group, weights=weight).astype(np.float64)
    return group, total, keys[order][begins], y[order][begins]


def _single_rows(keys: Keys, y: ClassArray, weight: FloatArray) -> tuple[IntArray, FloatArray, Keys]:
    """Return groups of equal rows as single rows: their groups, weights of at most 1, and keys that differ.

    They are sorted by class and key. A key follows from what is in the row, its class and its number among equal rows.
    """
    starts, of_class = np.unique(np.searchsorted(y, y), return_inverse=True)
    seed = keys + np.add.reduceat(_mix(keys + weight.view(np.uint64)), starts)[of_class]
    copies = np.ceil(weight).astype(np.int64)
    group = np.repeat(np.arange(len(keys)), copies)
    number = np.arange(len(group)) - np.repeat(np.cumsum(copies) - copies, copies)
    single = np.where(number == 0, keys[group], _mix(seed[group] + _mix(number.astype(np.uint64))))
    order = np.lexsort((single, y[group]))
    return group[order], np.minimum(weight[group] - number, 1.0)[order], single[order]


def split_weights(shares: FloatArray, weight: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield, for each fold, the training weight and the test weight of each row: (rows,) and (rows,).

    ``shares`` (rows, folds) is what :meth:`RowKeys.deal` returns. A fold without training rows or without test rows is
    left out.
    """
    for share in shares.T:
        rest = np.where(weight - share > 1e-9 * weight, weight - share, 0.0)
        if share.any() and rest.any():
            yield rest, share


@dataclass(frozen=True)
class Fold:
    """The training rows and the test rows of a fold; a row of weight above 1 can be among both, in parts."""

    name: str
    """Which fold it is, such as "fold 1 of 3"."""
    training: CodedRows
    test: CodedRows
    seen: BoolArray
    """(rows,) which of all rows are training rows."""
    held_out: BoolArray
    """(rows,) which of all rows are test rows."""
    rest: FloatArray
    """(rows,) the training weight of all rows."""
    part: FloatArray
    """(test rows,) the share of each test row's weight that is held out."""
    columns: IntArray | None = None
    """The positions of the columns that the rows have, if the others have been screened out."""


def folds_of(rows: CodedRows, shares: FloatArray) -> list[Fold]:
    """Return the folds of rows, of whose weights each has a share (rows, folds); none if there are too few rows."""
    folds, split = [], list(split_weights(shares, rows.weight))
    for k, (rest, share) in enumerate(split, start=1):
        name, seen, held_out = f"fold {k} of {len(split)}", rest > 0, share > 0
        part = (share / rows.weight)[held_out]
        folds.append(Fold(name, rows.take(seen, rest), rows.take(held_out, share), seen, held_out, rest, part))
    return folds


# --- A sample of many rows --------------------------------------------------------------------------


@dataclass(frozen=True)
class RowSample:
    """The rows with the lowest keys: at most ``most`` keys, equal rows as one row with their total weight.

    Samples add up: the sample of all rows is the same, whatever pieces they came in.
    """

    most: int
    keys: Keys
    """(rows,) sorted."""
    rows: CodedRows

    @classmethod
    def empty(cls, counts: Counts, most: int) -> RowSample:
        """Return the sample of no rows."""
        codes, y = np.zeros((0, len(counts.n_values)), dtype=np.uint8), np.zeros(0, dtype=np.int32)
        return cls(most, np.zeros(0, dtype=np.uint64), CodedRows(codes, y, np.zeros(0)))

    def fill(self, rows: CodedRows, *, counts: Counts) -> RowSample:
        """Return the sample with a block of rows added; rows with higher keys than a full sample are left out."""
        keys = content_keys(rows.codes, counts)
        keys = keys if rows.groups is None else _mix(keys ^ rows.groups)
        full = len(self.keys) >= self.most
        low = keys <= self.keys[-1] if full else np.ones(len(keys), dtype=bool)
        return self + RowSample(self.most, keys[low], rows.take(low))

    def __add__(self, other: RowSample) -> RowSample:
        parts = [part for part in (self, other) if len(part.keys)] or [self]
        keys, rows = (
            np.concatenate([part.keys for part in parts]),
            CodedRows.concatenated([part.rows for part in parts]),
        )
        order = np.lexsort((rows.y, keys))
        keys, rows = keys[order], rows.take(order)
        new_key = np.append(True, np.diff(keys) != 0)[: len(keys)]
        begins = np.flatnonzero(new_key | np.append(True, np.diff(rows.y) != 0)[: len(keys)])
        kept = begins[np.cumsum(new_key)[begins] <= self.most]
        weight = np.add.reduceat(rows.weight, begins) if len(begins) else rows.weight
        return RowSample(self.most, keys[kept], replace(rows.take(kept), weight=weight[: len(kept)]))


def sample_rows(rows: Pieces[CodedRows], counts: Counts, most: int) -> RowSample:
    """Return a sample of the rows, the same in whatever order and pieces they come."""
    empty, fill = partial(RowSample.empty, counts, most), partial(RowSample.fill, counts=counts)
    total: RowSample = rows.sum("rows to choose by", empty, fill)
    return total
