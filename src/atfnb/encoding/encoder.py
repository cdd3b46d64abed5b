"""A whole table → codes, column by column, with a short cut for a matrix of whole numbers that are all categories."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._pieces import BLOCK, SPAN, for_each_block, on_all_cores, row_blocks
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray
from atfnb.encoding.attributes import Attribute
from atfnb.tables import ColumnKind, Table, aligned, read_table


@dataclass(frozen=True)
class TableEncoder:
    """How each attribute of a table is coded.

    Examples
    --------
    >>> from atfnb.encoding import learn_coding
    >>> from atfnb.tables import label_rows
    >>> table = read_table([[1.0, "red"], [2.0, "blue"], [3.0, None]])
    >>> encoder = learn_coding(label_rows(table, ["a", "a", "b"])).encoder
    >>> encoder.encode([[1.5, "red"], [9.0, "green"]])
    array([[0, 1],
           [1, 2]], dtype=uint8)
    """

    attributes: tuple[Attribute, ...]

    @property
    def n_values(self) -> IntArray:
        """(attributes,) the number of values of each, without "unknown"."""
        return np.array([attribute.n_values for attribute in self.attributes], dtype=np.int64)

    @property
    def empty(self) -> list[str]:
        """The names of the columns that had no value in any training row."""
        return [each.name for each in self.attributes if not (each.n_values or each.pooled)]

    @property
    def sources(self) -> list[str]:
        """The names of the columns of the table that the attributes are made from; a column of dates has several."""
        return list(dict.fromkeys(attribute.source for attribute in self.attributes))

    @property
    def source_positions(self) -> IntArray:
        """(attributes,) the position of the column of the table that each attribute is made from."""
        position = {source: position for position, source in enumerate(self.sources)}
        return np.array([position[attribute.source] for attribute in self.attributes])

    @property
    def by_column(self) -> dict[str | int, list[int]]:
        """The positions of the attributes that are made from a column, given by its name or its position in the table.

        A column of dates has several; each of them is there by its own name too.
        """
        found = dict[str | int, list[int]]()
        for j, (attribute, column) in enumerate(zip(self.attributes, self.source_positions.tolist(), strict=True)):
            found.setdefault(attribute.source, []).append(j)
            found.setdefault(column, []).append(j)
        return {attribute.name: [j] for j, attribute in enumerate(self.attributes)} | found

    @property
    def missing(self) -> BoolArray:
        """(cells,) which cells of the counts stand for "missing" as a value of its own."""
        codes = ((each, np.arange(each.n_values + 1)) for each in self.attributes)
        return np.concatenate([(code >= each.n_known) & (code < each.unknown) for each, code in codes])

    @property
    def code_type(self) -> np.dtype[Any]:
        """The smallest unsigned dtype that holds every code."""
        return np.min_scalar_type(int(self.n_values.max()))

    def encode(self, X: Any) -> CodeArray:
        """Return the codes of a table with the columns of training: (rows, attributes)."""
        return self.encode_table(read_table(X))

    def aligned(self, table: Table) -> Table:
        """Return the table with one column for each attribute: dates become the parts that were learned from them."""
        return aligned(table, [(each.name, each.part, each.zone) for each in self.attributes])

    def as_spelled(self, table: Table) -> Table:
        """Return the columns that the user gave, with each text spelled as the category that it is taken for."""
        columns = list(table.columns)
        for attribute, position in zip(self.attributes, self.source_positions.tolist(), strict=True):
            if attribute.part is None:
                columns[position] = attribute.as_spelled(columns[position])
        return replace(table, columns=tuple(columns))

    def taken_for(self, table: Table) -> dict[str, dict[str, str]]:
        """Return for each attribute the texts that are taken for a category which they differ from by case only.

        The table has one column for each attribute; attributes without such texts are left out.
        """
        pairs = zip(self.attributes, table.columns, strict=True)
        found = {attribute.name: attribute.taken_for(column) for attribute, column in pairs}
        return {name: other for name, other in found.items() if other}

    def encode_used(self, table: Table) -> CodeArray:
        """Return the codes of training rows, which have only the columns that are used: (rows, attributes)."""
        used = self.n_values > 0
        if used.all():
            return self.encode_table(table)
        codes = np.zeros((table.n_rows, len(used)), dtype=self.code_type)
        codes[:, used] = TableEncoder(tuple(each for each in self.attributes if each.n_values)).encode_table(table)
        return codes

    def encode_table(self, table: Table) -> CodeArray:
        """Return the codes of a table that has been read: (rows, attributes)."""
        table = self.aligned(table)
        if table.integers is not None and (found := encode_integers(self.attributes, table.integers)) is not None:
            return found
        codes = np.empty((table.n_rows, len(table.columns)), dtype=self.code_type)

        def encode(j: int) -> None:
            codes[:, j] = self.attributes[j].encode(table.columns[j])

        for _ in on_all_cores(encode, range(len(table.columns)), worth=table.n_rows > BLOCK, small=True):
            pass
        return codes


def learned_kinds(encoder: TableEncoder) -> dict[str, ColumnKind]:
    """Return the name of each column of the table and what it must hold to be coded, for example numbers or dates."""
    return {attribute.source: attribute.kind for attribute in encoder.attributes}


def learned_zones(encoder: TableEncoder) -> dict[str, str]:
    """Return the name and the time zone of each column of dates that has one."""
    return {attribute.source: attribute.zone for attribute in encoder.attributes if attribute.zone is not None}


def zones_in_words(encoder: TableEncoder) -> Iterator[str]:
    """Yield a sentence on each column of dates that has a time zone."""
    for column, zone in learned_zones(encoder).items():
        yield f"{column!r} is in the time zone {zone}: dates, weekdays and hours are those of the clocks there."


# --- Matrices of whole numbers ----------------------------------------------------------------------

MAX_CELLS = 1 << 22
"""The largest number of cells of a look-up table; a larger one is slower than sorting."""


def encode_integers(attributes: tuple[Attribute, ...], values: NDArray[Any]) -> CodeArray | None:
    """Return the codes of a matrix of whole numbers, from look-up tables: (rows, columns).

    It is the matrix itself if that holds its codes already; None unless all attributes are categories of whole numbers
    within a small range.
    """
    from atfnb._kernels import encoding as kernels

    categories = [np.array(a.categories) for a in attributes]
    if any(known.dtype != np.int64 for known in categories):
        return None
    lowest = np.array([known[0] for known in categories])
    span = max(int(known[-1]) - int(known[0]) for known in categories) + 1
    if span * len(categories) > MAX_CELLS:
        return None
    dtype = np.min_scalar_type(max(a.unknown for a in attributes))
    unseen = np.array([a.unseen for a in attributes], dtype=dtype)
    code = np.repeat(unseen[:, None], span, axis=1)  # (columns, span) the codes of lowest, lowest + 1, …
    for j, known in enumerate(categories):
        code[j, known - lowest[j]] = np.arange(len(known))
    if _are_codes(values, lowest, code, unseen):
        return values
    codes = np.empty(values.shape, dtype=dtype)

    def block(rows: slice) -> None:
        kernels.look_up(np.ascontiguousarray(values[rows]), lowest, code, unseen, codes[rows])

    for_each_block(block, len(values))
    return codes


def _are_codes(values: NDArray[Any], lowest: IntArray, code: CodeArray, unseen: CodeArray) -> bool:
    """Return whether the numbers of a matrix already are their codes, so that nothing need be looked up.

    That is so if the categories of each column are 0, 1, 2, … and every other number is the one after the last.
    """
    own = np.minimum(np.arange(code.shape[1]), unseen[:, None])
    if values.dtype != code.dtype or lowest.any() or not np.array_equal(code, own):
        return False
    return bool((bounds(values)[1] <= unseen).all())


def bounds(values: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the lowest and the highest whole number of each column, (columns,) each."""
    from atfnb._kernels import encoding as kernels

    def block(rows: slice) -> IntArray:
        return kernels.bounds(np.ascontiguousarray(values[rows]))

    ends = np.array(list(on_all_cores(block, row_blocks(len(values), SPAN))))
    return ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)


def count_categories(
    values: NDArray[Any], y: ClassArray, weight: FloatArray, n_classes: int
) -> list[tuple[IntArray, FloatArray]] | None:
    """Return the sorted whole numbers of each column and the weight of the rows with each number and class.

    They are (categories,) and (categories, classes) for each column; None if the numbers span too wide a range.
    """
    from atfnb._kernels import encoding as kernels

    lowest, highest = bounds(values)
    span = int((highest - lowest).max()) + 1
    shape = (values.shape[1], span, n_classes)
    if math.prod(shape) > MAX_CELLS:
        return None

    def count(rows: slice) -> FloatArray:
        counts, weights = np.zeros(shape), np.ascontiguousarray(weight[rows])
        kernels.count_integers(np.ascontiguousarray(values[rows]), lowest, y[rows], weights, counts)
        return counts

    total = sum(on_all_cores(count, row_blocks(len(values), SPAN)), start=np.zeros(shape))
    found = [np.flatnonzero(counts.any(axis=1)) for counts in total]
    return [(there + low, counts[there]) for there, low, counts in zip(found, lowest, total, strict=True)]
