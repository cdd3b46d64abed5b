"""Training rows, and what is counted of them: additive contingency tables.

The counts of parts of the rows add up to those of the whole, in any order. Smoothing never enters the counts;
probabilities and indexes are derived from the sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray
from atfnb.encoding import Distribution, TableEncoder
from atfnb.tables import Table

Need = Literal["pairs", "moments", "fingerprint"]
"""What can be counted beside the values of each class.

- "pairs": value × value tables;
- "moments": cross-moments of the codes;
- "fingerprint": a hash of all rows, and the number of rows of each class and of each value.
"""
Fingerprint = NDArray[np.uint64]
"""(1,) a hash of rows and their classes."""


class TrainingRows(Protocol):
    """Training rows in memory or in parts: counting, the search for β and the fusion of indexes pass over them."""

    @property
    def pieces(self) -> Pieces[CodedRows]:
        """The coded rows, in blocks."""
        ...

    def distributions(self) -> Sequence[Distribution | None]:
        """Return how the rows are distributed over each numeric attribute; None for a categorical one."""
        ...

    def encoded_by(self, encoder: TableEncoder) -> Pieces[CodedRows]:
        """Return the rows coded by another encoder, in blocks."""
        ...

    def in_memory(self) -> RowsInMemory:
        """Return all rows in memory; only for tables that fit."""
        ...


@dataclass(frozen=True)
class RowsInMemory:
    """Training rows in memory: their codes, and the table that they were made from."""

    codes: CodeArray
    """(rows, attributes)"""
    y: ClassArray
    """(rows,) the position of each row's class."""
    weight: FloatArray
    """(rows,) the weight that each row is counted with."""
    table: Table
    """The table that the codes were made from."""
    cells: int = 0
    """The number of values that the attributes have together."""
    over: Sequence[Distribution | None] = ()
    """(attributes,) how the rows are distributed over each numeric attribute; empty for a selection of rows."""

    @cached_property
    def pieces(self) -> Pieces[CodedRows]:
        """The coded rows, in blocks."""
        return CodedRows(self.codes, self.y, self.weight).in_blocks(self.cells)

    def distributions(self) -> Sequence[Distribution | None]:
        """Return how the rows are distributed over each numeric attribute; None for a categorical one."""
        return self.over

    def encoded_by(self, encoder: TableEncoder) -> Pieces[CodedRows]:
        """Return the rows coded by another encoder, in blocks."""
        codes = encoder.encode_table(self.table)
        return CodedRows(codes, self.y, self.weight).in_blocks(int(encoder.n_values.sum()))

    def in_memory(self) -> RowsInMemory:
        """Return self: the rows are in memory already."""
        return self

    def take(self, rows: BoolArray, weight: FloatArray) -> RowsInMemory:
        """Return the rows that are True in a mask, with other weights; both arrays are (rows,) of all rows."""
        return RowsInMemory(self.codes[rows], self.y[rows], weight[rows], self.table.take(rows), self.cells)


@dataclass(frozen=True)
class Counts:
    """The weight of the training rows with each class, and with each value and class.

    The cells of all attributes stand one below the other: those of attribute j begin at ``offsets[j]``, one for each of
    its values and one, the last, for "unknown".

    Examples
    --------
    >>> codes = np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8)
    >>> y = np.array([0, 1, 1], dtype=np.int32)
    >>> counts = count(codes, y, np.ones(3), n_values=np.array([2, 2]), n_classes=2)
    >>> counts.of(0)
    array([[1., 0.],
           [0., 2.]])
    >>> (counts + counts).classes
    array([2., 4.])
    """

    n_values: IntArray
    """(attributes,) the number of values of each, without "unknown"."""
    classes: FloatArray
    """(classes,) the weight of the rows of each class."""
    values: FloatArray
    """(cells, classes) the weight of the rows with each value and each class."""
    pairs: FloatArray | None = None
    """(cells, cells) the weight of the rows with each two values of different attributes, if asked for."""
    moments: FloatArray | None = None
    """(4, attributes, attributes) Σw, Σw·x_i, Σw·x_i², Σw·x_i·x_j of the codes where both are known, if asked for."""
    fingerprint: Fingerprint | None = None
    """(1,) a hash by which equal rows and classes are recognised, in any order: see :func:`fingerprint_of`."""
    rows: IntArray | None = None
    """(classes,) the number of rows of each class, without weights; counted together with the fingerprint."""
    value_rows: FloatArray | None = None
    """(cells,) the number of rows with each value, without weights; counted together with the fingerprint."""

    @classmethod
    def empty(cls, n_values: IntArray, n_classes: int, needs: AbstractSet[Need] = frozenset()) -> Counts:
        """Return the counts of no rows, from which every sum starts."""
        cells, attributes = int(n_values.sum()) + len(n_values), len(n_values)
        return cls(
            n_values=n_values,
            classes=np.zeros(n_classes),
            values=np.zeros((cells, n_classes)),
            pairs=np.zeros((cells, cells)) if "pairs" in needs else None,
            moments=np.zeros((4, attributes, attributes)) if "moments" in needs else None,
            fingerprint=np.zeros(1, dtype=np.uint64) if "fingerprint" in needs else None,
            rows=np.zeros(n_classes, dtype=np.int64) if "fingerprint" in needs else None,
            value_rows=np.zeros(cells) if "fingerprint" in needs else None,
        )

    def __add__(self, other: Counts) -> Counts:
        if not np.array_equal(self.n_values, other.n_values) or self.classes.shape != other.classes.shape:
            raise ValueError("counts of different attributes or classes do not add up.")
        return Counts(
            self.n_values,
            self.classes + other.classes,
            self.values + other.values,
            _sum(self.pairs, other.pairs),
            _sum(self.moments, other.moments),
            _sum(self.fingerprint, other.fingerprint),
            _sum(self.rows, other.rows),
            _sum(self.value_rows, other.value_rows),
        )

    def with_empty(self, before: list[int]) -> Counts:
        """Return counts with more attributes, one before each of these positions, that are unknown in every row."""
        at = self.offsets[before]
        return Counts(
            np.insert(self.n_values, before, 0),
            self.classes,
            np.insert(self.values, at, self.classes, axis=0),
            _with_zeros(self.pairs, at),
            _with_zeros(self.moments, before),
            self.fingerprint,
            self.rows,
            None
            if self.value_rows is None
            else np.insert(self.value_rows, at, self.value_rows[: self.offsets[1]].sum()),
        )

    def without_empty(self) -> Counts:
        """Return the counts without the attributes that have no value: what :meth:`with_empty` was called on."""
        left, cells = np.flatnonzero(self.n_values), np.flatnonzero(np.repeat(self.n_values, self.n_values + 1))
        return Counts(
            self.n_values[left],
            self.classes,
            self.values[cells],
            None if self.pairs is None else self.pairs[np.ix_(cells, cells)],
            None if self.moments is None else self.moments[:, left][:, :, left],
            self.fingerprint,
            self.rows,
            None if self.value_rows is None else self.value_rows[cells],
        )

    def relaid(self, n_values: IntArray, cells: IntArray, n_classes: int, classes: IntArray) -> Counts:
        """Return the counts with further values and classes, of which no row has been counted.

        The fingerprint hashes the codes of the rows, and the moments are sums of codes: where a code is another one
        now, they cannot be known, and are None.

        Parameters
        ----------
        n_values : (attributes,) array of int
            The number of values of each attribute.
        cells : (cells,) array of int
            Where each cell is in the new counts.
        n_classes : int
        classes : (classes,) array of int
            Where each class is in the new counts.
        """
        offsets = np.concatenate([[0], np.cumsum(n_values + 1)])
        values, of = (int(offsets[-1]), cells), (n_classes, classes)
        further = np.repeat(offsets[:-1] - self.offsets[:-1], self.n_values + 1)  # (cells,)
        steady = cells - further == np.arange(len(cells))  # whether the code is the same
        steady |= ~self.values.any(axis=1)  # a cell without rows
        as_before = bool(steady.all()) and np.array_equal(classes, np.arange(len(classes)))
        return Counts(
            n_values,
            _placed(self.classes, of),
            _placed(self.values, values, of),
            _placed(self.pairs, values, values),
            self.moments if steady[self.known].all() else None,
            self.fingerprint if as_before else None,
            _placed(self.rows, of),
            _placed(self.value_rows, values),
        )

    @property
    def weighted(self) -> bool:
        """Whether the rows are known to have weights other than 1."""
        return self.rows is not None and not (
            np.array_equal(self.rows, self.classes) and np.array_equal(self.rows_of_values, self.values.sum(axis=1))
        )

    @cached_property
    def rows_of_values(self) -> FloatArray:
        """(cells,) the number of rows with each value, without weights.

        A file of version 0.2.0 or older keeps weights only: it is exact then if all rows of a class have one weight.
        """
        if self.value_rows is not None:
            return self.value_rows
        rows = self.classes if self.rows is None else self.rows
        share = np.divide(rows, self.classes, out=np.zeros(len(rows)), where=self.classes > 0)
        return np.asarray(self.values @ share)

    @cached_property
    def unit(self) -> float:
        """A power of two whose multiples add up over the rows without rounding, if each is at most its row's weight.

        Such sums are the same to the bit in any order of the rows, and in any parts.
        """
        return float(2.0 ** (np.ceil(np.log2(max(self.classes.sum(), 1e-300))) - 52))

    @cached_property
    def offsets(self) -> IntArray:
        """(attributes + 1,) where the cells of each attribute begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.n_values + 1)])

    @cached_property
    def known(self) -> BoolArray:
        """(cells,) whether a cell stands for a value, not for "unknown"."""
        known = np.ones(len(self.values), dtype=bool)
        known[self.offsets[1:] - 1] = False
        return known

    def of(self, attribute: int) -> FloatArray:
        """Return the counts of one attribute, without "unknown": (values, classes)."""
        start = self.offsets[attribute]
        return self.values[start : start + self.n_values[attribute]]

    def per_cell(self, per_attribute: FloatArray) -> FloatArray:
        """Return what is given for each attribute, repeated for each of its cells: (cells, …)."""
        return np.repeat(per_attribute, self.n_values + 1, axis=0)

    def per_attribute(self, per_cell: FloatArray, axis: int = 0) -> FloatArray:
        """Return the sum over the cells of each attribute of what is given for each cell: (attributes, …)."""
        return np.add.reduceat(per_cell, self.offsets[:-1], axis=axis)


def _sum(one: NDArray[Any] | None, other: NDArray[Any] | None) -> Any:
    """Return the sum of two tables, or None if either was not counted."""
    return None if one is None or other is None else one + other


def _placed(table: NDArray[Any] | None, *axes: tuple[int, IntArray]) -> Any:
    """Return a longer table with zeros between the entries: for each axis, its length, and the entries' positions."""
    if table is None:
        return None
    longer = np.zeros([length for length, _ in axes], dtype=table.dtype)
    longer[np.ix_(*(positions for _, positions in axes))] = table
    return longer


def _with_zeros(table: FloatArray | None, before: IntArray | list[int]) -> FloatArray | None:
    """Return a table with zeros inserted into its last two axes."""
    return None if table is None else np.insert(np.insert(table, before, 0.0, axis=-1), before, 0.0, axis=-2)


def count(
    codes: CodeArray,
    y: ClassArray,
    weight: FloatArray,
    n_values: IntArray,
    n_classes: int,
    needs: AbstractSet[Need] = frozenset(),
) -> Counts:
    """Return the counts of coded rows in memory; ``needs`` says what to count beside the values of each class."""
    cells = int(n_values.sum()) + len(n_values)
    return count_pieces(CodedRows(codes, y, weight).in_blocks(cells), n_values, n_classes, needs)


def count_pieces(
    rows: Pieces[CodedRows], n_values: IntArray, n_classes: int, needs: AbstractSet[Need] = frozenset()
) -> Counts:
    """Return the counts of coded rows in pieces, in memory or in parts."""
    return rows.sum("counts", partial(Counts.empty, n_values, n_classes, frozenset(needs)), _fill)


def _fill(into: Counts, rows: CodedRows) -> Counts:
    """Return the counts with a piece of rows added to their tables, which are changed."""
    from atfnb._kernels import counts as kernels

    codes, w = np.ascontiguousarray(rows.codes), np.ascontiguousarray(rows.weight)
    into.classes[:] += np.bincount(rows.y, weights=w, minlength=len(into.classes))
    kernels.count_values(codes, rows.y, w, into.offsets, into.values)
    if into.pairs is not None:
        kernels.count_pairs(codes, w, into.offsets, into.pairs)
    if into.moments is not None:
        kernels.cross_moments(codes, into.n_values, w, into.moments)
    if into.fingerprint is not None:
        into.fingerprint[:] += fingerprint_of(codes, rows.y)
    if into.rows is not None:
        into.rows[:] += np.bincount(rows.y, minlength=len(into.rows))
    if into.value_rows is not None:
        kernels.count_values(codes, np.zeros_like(rows.y), np.ones_like(w), into.offsets, into.value_rows[:, None])
    return into


def fingerprint_of(codes: CodeArray, y: ClassArray) -> Fingerprint:
    """Return the sum, modulo 2⁶⁴, of a hash of each row's codes and class: (1,).

    The fingerprints of parts add up to that of the whole, in any order of the rows. Weights do not enter.

    >>> codes, y = np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8), np.array([0, 1, 1], dtype=np.int32)
    >>> bool(fingerprint_of(codes, y) == fingerprint_of(codes[::-1], y[::-1]))
    True
    >>> bool(fingerprint_of(codes, y) == fingerprint_of(codes, y[::-1]))
    False
    """
    keys = y.astype(np.uint64) + np.uint64(1)
    for j in range(codes.shape[1]):
        keys *= np.uint64(0x9E3779B97F4A7C15)
        keys ^= codes[:, j]
    keys ^= keys >> np.uint64(30)
    keys *= np.uint64(0xBF58476D1CE4E5B9)  # the finaliser of SplitMix64: every bit depends on every other
    keys ^= keys >> np.uint64(27)
    keys *= np.uint64(0x94D049BB133111EB)
    keys ^= keys >> np.uint64(31)
    return np.atleast_1d(keys.sum(dtype=np.uint64))


def as_hex(fingerprint: Fingerprint) -> str:
    """Return a fingerprint as 16 hexadecimal digits."""
    return f"{int(fingerprint[0]):016x}"


def pair_bytes(n_values: IntArray) -> int:
    """Return the number of bytes of the table of pairs of values."""
    return 8 * int((n_values + 1).sum()) ** 2
