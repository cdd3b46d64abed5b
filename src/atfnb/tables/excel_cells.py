"""Cells of a worksheet → columns with types, a block of rows at a time.

A column of one kind of cells gets its type: numbers, booleans, dates, times. Text, and cells of several kinds, become
text, which is then read as the text of a CSV file.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MOMENT = pa.timestamp("us")
_TYPES: dict[frozenset[type], Any] = {
    frozenset(): pa.null(),
    frozenset([str]): pa.string(),
    frozenset([float]): pa.float64(),
    frozenset([int]): pa.float64(),
    frozenset([int, float]): pa.float64(),
    frozenset([bool]): pa.bool_(),
    frozenset([datetime.date]): pa.date32(),
    frozenset([datetime.datetime]): MOMENT,
    frozenset([datetime.date, datetime.datetime]): MOMENT,
    frozenset([datetime.time]): pa.time64("us"),
    frozenset([datetime.timedelta]): pa.duration("us"),
}
"""The type of a column by the kinds of its cells; cells of any other kinds together become text."""


def written(cell: Any) -> str:
    """Return a cell as a CSV file would have it.

    Examples
    --------
    >>> [written(cell) for cell in (2.0, 0.5, True, "x", datetime.date(2024, 1, 31))]
    ['2', '0.5', 'TRUE', 'x', '2024-01-31']
    """
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**63:
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return str(cell.date())
    return str(cell)


def as_text(column: Any) -> Any:
    """Return a column of any type as text, each cell as a CSV file would have it.

    Examples
    --------
    >>> as_text(pa.chunked_array([[1.0, None, 2.5]])).to_pylist()
    ['1', None, '2.5']
    """
    if pa.types.is_string(column.type):
        return column
    chunks = [
        pa.array([None if cell is None else written(cell) for cell in chunk.to_pylist()], pa.string())
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, pa.string())


def with_whole_numbers(column: Any) -> Any:
    """Return a column of numbers as 64-bit whole numbers if all of them are whole; any other column as it is.

    Examples
    --------
    >>> with_whole_numbers(pa.chunked_array([[1.0, None]])).to_pylist()
    [1, None]
    """
    if not pa.types.is_floating(column.type):
        return column
    are_whole = pc.and_(pc.equal(pc.floor(column), column), pc.less(pc.abs(column), 2.0**63))
    return pc.cast(column, pa.int64(), safe=False) if pc.all(are_whole).as_py() else column


class Columns:
    """The columns of a sheet, which grow by blocks of rows.

    Attributes
    ----------
    types : list of pyarrow.DataType
        The type of each column so far: null where it has no cell, text where its cells are of several kinds.

    Examples
    --------
    >>> columns = Columns(2)
    >>> columns.add([[1.0, "a"], ["", 2.0]])
    >>> columns.types, [column.to_pylist() for column in columns.finish()]
    ([DataType(double), DataType(string)], [[1.0, None], ['a', '2']])
    """

    def __init__(self, width: int) -> None:
        self.types: list[Any] = [pa.null()] * width
        self._chunks: list[list[Any]] = [[] for _ in range(width)]

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Append rows; an empty cell is the empty text."""
        for position, cells in enumerate(zip(*rows, strict=True)):
            chunk = _chunk([None if cell == "" else cell for cell in cells])
            self._chunks[position].append(chunk)
            self.types[position] = _common(self.types[position], chunk.type)

    def look(self, rows: Sequence[Sequence[Any]]) -> None:
        """Let the types take account of rows that will be added later."""
        for position, cells in enumerate(zip(*rows, strict=True)):
            kinds = frozenset(type(cell) for cell in cells if cell != "")
            self.types[position] = _common(self.types[position], _TYPES.get(kinds, pa.string()))

    def finish(self) -> list[Any]:
        """Return the columns, each a pyarrow.ChunkedArray; those of several kinds are text."""
        columns = []
        for position, kind in enumerate(self.types):
            chunks, self._chunks[position] = self._chunks[position], []
            if pa.types.is_string(kind):
                chunks = [as_text(pa.chunked_array([chunk])).chunk(0) for chunk in chunks]
            columns.append(pa.chunked_array([pc.cast(chunk, kind) for chunk in chunks], kind))
        return columns


def _chunk(cells: list[Any]) -> Any:
    kind = _TYPES.get(frozenset(map(type, cells)) - {type(None)})
    if kind is None:
        return pa.array([None if cell is None else written(cell) for cell in cells], pa.string())
    if kind == MOMENT:
        cells = [_moment(cell) for cell in cells]
    return pa.array(cells, kind)


def _moment(cell: Any) -> Any:
    is_day = type(cell) is datetime.date
    return datetime.datetime.combine(cell, datetime.time()) if is_day else cell


def _common(one: Any, other: Any) -> Any:
    """Return the type of a column from those of two of its chunks."""
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    return MOMENT if {one, other} == {pa.date32(), MOMENT} else pa.string()
