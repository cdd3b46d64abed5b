"""A table as plain columns, not yet encoded, and which of their cells are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import Message, Setting, listed_names
from atfnb._typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from atfnb.tables.dates import DatePart


@dataclass(frozen=True)
class Dictionary:
    """The distinct values of a column of text, and the position of each cell's value among them."""

    values: NDArray[Any]
    """(distinct,)"""
    position: NDArray[np.integer[Any]]
    """(rows,) arbitrary for a missing cell."""


@dataclass(frozen=True)
class Column:
    """One column of a table, not yet encoded.

    Parameters
    ----------
    name : str
        The name of the column.
    values : (rows,) array
        Numbers or booleans; dates (``datetime64[us]``) or times of day (``timedelta64[us]``); otherwise text or other
        plain objects.
    missing : (rows,) array of bool
        Which cells have no value.
    categorical : bool
        Whether the values are categories.
    dictionary : Dictionary, optional
        The distinct values, if they are known without a look at every cell.
    part : {"date", "month", "weekday", "hour", "time"}, optional
        Which part of a column of dates this is, if it is one.
    zone : str, optional
        The time zone of dates, whose values are then in UTC; or the zone that a part of them is in.
    cuts : (cuts,) array, optional
        Where the user cuts the numbers: there and nowhere else.
    order : tuple, optional
        All categories in their order, if they have one.
    """

    name: str
    values: NDArray[Any]
    missing: BoolArray
    categorical: bool
    dictionary: Dictionary | None = None
    part: DatePart | None = None
    zone: str | None = None
    cuts: FloatArray | None = None
    order: tuple[Any, ...] | None = None

    @property
    def source(self) -> str:
        """The name of the column that the user gave, of which this may be a part."""
        return source_of(self.name, self.part)

    @property
    def is_complete(self) -> bool:
        """Whether no cell is missing."""
        return self.missing.strides == (0,) or not self.missing.any()

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers or booleans, categorical or not."""
        return self.values.dtype.kind not in "OMm"

    @property
    def _is_rounded(self) -> bool:
        """Whether it holds whole numbers beyond 2⁵³ of which some become the same as floating point numbers."""
        if self.categorical or self.values.dtype.kind not in "iu" or not len(self.values):
            return False
        small = int(self.values.min()) >= -(2**53) and int(self.values.max()) <= 2**53
        return not small and len(np.unique(self.values)) > len(np.unique(self.values.astype(np.float64)))

    @property
    def distinct(self) -> list[Any]:
        """The different values, without missing ones."""
        known = self.dictionary.values if self.dictionary is not None else self.values[~self.missing]
        return list(dict.fromkeys(known.tolist()))

    def take(self, rows: BoolArray) -> Column:
        """Return the column with only the rows that are True in a mask."""
        missing = none_missing(self.values[rows]) if self.is_complete else self.missing[rows]
        known = self.dictionary
        dictionary = None if known is None else Dictionary(known.values, known.position[rows])
        return replace(self, values=self.values[rows], missing=missing, dictionary=dictionary)


def join_columns(parts: Sequence[Column]) -> Column:
    """Return a column of some rows after the other; where no row has a value, it may have been read as numbers.

    >>> gone, there = np.array([np.nan]), np.array(["a"], dtype=object)
    >>> parts = Column("x", gone, np.isnan(gone), True), Column("x", there, none_missing(there), True)
    >>> join_columns(parts).values
    array([None, 'a'], dtype=object)
    """
    like = next((part for part in parts if not part.missing.all()), parts[0])
    nothing = None if like.values.dtype == object else 0
    values = [
        np.full(len(part.values), nothing, like.values.dtype) if part.missing.all() else part.values for part in parts
    ]
    missing = np.concatenate([part.missing for part in parts])
    return replace(like, values=np.concatenate(values), missing=missing, dictionary=None)


@dataclass(frozen=True)
class Table:
    """The columns of a table, and the table as one array if it is a matrix of whole numbers."""

    columns: tuple[Column, ...]
    integers: NDArray[np.integer[Any]] | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].values)

    def on_rounded(self) -> Iterator[Message]:
        """Yield a note on the columns of whole numbers of which some become the same as floats, if there are any."""
        if names := [column.name for column in self.columns if column._is_rounded]:
            hold = f"{listed_names(names)} {'holds' if len(names) == 1 else 'hold'} whole numbers beyond 2^53, "
            apart = "of which neighbours count as one: to keep them apart, give "
            yield Message(hold, apart, Setting("categorical_features", names), ".")

    def take(self, rows: BoolArray) -> Table:
        """Return the table with only the rows that are True in a mask."""
        integers = None if self.integers is None else self.integers[rows]
        return Table(tuple(column.take(rows) for column in self.columns), integers)

    def with_values(self) -> Table:
        """Return the table without the columns that are missing in every row; a table without rows keeps no column."""
        return self.only([column.name for column in self.columns if not column.missing.all()])

    def like(self, other: Table) -> Table:
        """Return the table with only the columns of ``other``, which must all be in this table."""
        return self.only([column.name for column in other.columns])

    def only(self, names: Collection[str]) -> Table:
        """Return the table with only the columns of the given names."""
        wanted = set(names)
        left = tuple(column for column in self.columns if column.name in wanted)
        return self if len(left) == len(self.columns) else Table(left)


def source_of(name: str, part: DatePart | None) -> str:
    """Return the name of the column that the user gave, from the name of an attribute and which part of dates it is.

    >>> source_of("signed_up: month", "month"), source_of("size", None)
    ('signed_up', 'size')
    """
    return name if part is None else name.removesuffix(f": {part}")


# --- Missing values --------------------------------------------------------------------------------


def is_missing(values: NDArray[Any]) -> BoolArray:
    """Return which cells of a column are missing: NaN, None, NaT or pandas' NA.

    >>> is_missing(np.array(["a", None, float("nan")], dtype=object))
    array([False,  True,  True])
    """
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in "Mm":
        return np.asarray(np.isnat(values))
    if values.dtype != object:
        return none_missing(values)
    return np.fromiter(map(_is_missing_cell, values), dtype=bool, count=len(values))


def none_missing(values: NDArray[Any]) -> BoolArray:
    """Return False for every cell of a column, as an array that takes no memory."""
    return np.broadcast_to(np.False_, values.shape)


def spared(missing: BoolArray) -> BoolArray:
    """Return which cells are missing, as an array that takes no memory if none is."""
    return missing if missing.any() else none_missing(missing)


def _is_missing_cell(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, (float, np.floating)) and bool(cell != cell)
