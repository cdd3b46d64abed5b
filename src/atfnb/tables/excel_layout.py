"""Where the table of a worksheet is: its header below empty rows and titles, its rows, the notes below it.

Several tables on a sheet are refused: which one is meant, only the user knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import and_
from typing import Any

import pyarrow as pa

from atfnb._errors import counted, listed_names
from atfnb.tables.excel_cells import Columns, written

Row = Sequence[Any]
"""The cells of a row; an empty cell is the empty text."""
Merged = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last row and column of merged cells, counted from 0."""
BLOCK = 4096
"""The number of rows that are converted at a time."""


@dataclass(frozen=True)
class Header:
    """The row with the names of the columns."""

    number: int
    """The number of the row, counted from 1, as a spreadsheet shows it."""
    cells: list[Any]
    titles: tuple[str, ...]
    """The text of the rows above it that are not empty."""
    next: Row | None = None
    """The first row of the table, if it was looked at to find the header."""

    def described(self) -> list[str]:
        """Return a note if the header is not in the first row."""
        if self.number == 1:
            return []
        above = f"left out above it: {listed_names(self.titles, 3)}" if self.titles else "the rows above it are empty"
        return [f"The names of the columns are in row {self.number:,}; {above}."]


def find_header(rows: Iterator[tuple[int, Row]], merged: Collection[Merged], left: int) -> Header | None:
    """Return the header of a sheet, after consuming the rows up to it, or None if there is none.

    It is the first row with several cells, none of them merged with a neighbour; in a sheet of a single column, the
    first row with a cell.

    Parameters
    ----------
    rows : iterator of (int, list)
        The rows of the sheet and their numbers, counted from 1.
    merged : collection
        The merged cells of the sheet.
    left : int
        The first column of the sheet, counted from 0.

    Examples
    --------
    >>> sheet = [["Sales in 2024", ""], ["", ""], ["city", "sum"], ["Ulm", 5.0]]
    >>> find_header(enumerate(sheet, 1), [], 0)
    Header(number=3, cells=['city', 'sum'], titles=('Sales in 2024',), next=None)
    """
    across = {top + 1 for (top, first), (_, last) in merged if last > first}
    above: list[tuple[int, Row]] = []
    for number, row in rows:
        several = _filled(row) > 1 and number not in across
        if several or (len(row) == 1 and _filled(row)):
            return _chosen(above, number, row, merged, left)
        if _filled(row):
            above.append((number, row))
    return None


def _chosen(above: list[tuple[int, Row]], number: int, row: Row, merged: Collection[Merged], left: int) -> Header:
    """Return the header: a row, or the one right above it if that cannot be a title."""
    if above and above[-1][0] == number - 1 and not _is_text(row):
        last = above[-1][1]
        if _filled(last) > 1 or (len(row) == 2 and last[0] == ""):  # merged names; or an index without a name
            return Header(number - 1, list(last), _titles(above[:-1]), row)
    cells, rows = list(row), dict(above)
    for (top, first), (bottom, _) in merged:  # a name may be merged with the rows above
        if top + 1 in rows and bottom + 1 >= number and 0 <= first - left < len(cells) and not cells[first - left]:
            cells[first - left] = rows[top + 1][first - left]
    return Header(number, cells, _titles(above))


def _titles(above: Iterable[tuple[int, Row]]) -> tuple[str, ...]:
    return tuple(" ".join(written(cell).strip() for cell in row if cell != "") for _, row in above)


def _filled(row: Row) -> int:
    """Return the number of cells that are not empty."""
    return len(row) - row.count("")


def _is_text(row: Row) -> bool:
    return all(isinstance(cell, str) for cell in row)


class Body:
    """Reads the rows below a header into columns.

    Empty rows are skipped. Rows with a single cell that follow the last row of the table after an empty row are notes.

    Parameters
    ----------
    header : Header
        The row with the names of the columns.
    where : str
        The sheet, for messages.
    marks : collection of str
        The marks of a missing value, which are no names.
    errors : collection of int
        The rows that hold formula errors, which are not empty although all their cells may be.

    Attributes
    ----------
    last : int
        The number of the last row of the table, counted from 1.

    Raises
    ------
    ValueError
        If something else follows below, such as another table or totals.
    """

    def __init__(self, header: Header, where: str, marks: Collection[str], errors: Collection[int]) -> None:
        self._header, self._where, self._marks, self._errors = header, where, set(marks), set(errors)
        self._columns = Columns(len(header.cells))
        self._below: tuple[str, ...] = ()
        self.last = header.number
        self._block: list[Row] = []
        self._looked = 0
        self._heading: tuple[int, Row] | None = None

    def read(self, rows: Iterable[tuple[int, Row]]) -> None:
        """Read the rows below the header and their numbers."""
        if self._header.next is not None:
            rows = chain([(self._header.number + 1, self._header.next)], rows)
        single: list[tuple[int, Row]] = []
        after_empty = False
        for number, row in rows:
            filled = _filled(row)
            if not filled and number not in self._errors:
                after_empty = True
                continue
            if after_empty and filled == 1 and len(row) > 1:
                single.append((number, row))
                continue
            if after_empty:
                self._refuse_another(number, row, single)
                for each in single:
                    self._take(*each)
                single, after_empty = [], False
            self._take(number, row)
        self._below = _titles(single)
        self._flush()

    @property
    def types(self) -> list[Any]:
        """The type of each column so far, as :class:`Columns` has it."""
        return self._columns.types

    def columns(self) -> list[Any]:
        """Return the columns that were read."""
        return self._columns.finish()

    def described(self) -> list[str]:
        """Return a note on the rows below the table, if there are any."""
        rows = counted(len(self._below), "row")
        return [f"{rows} below the table left out: {listed_names(self._below, 3)}."] if self._below else []

    def _take(self, number: int, row: Row) -> None:
        self._block.append(row)
        self.last = number
        if self._heading is not None and number > self._heading[0]:
            self._look_below(*self._heading, row)
        if len(self._block) == BLOCK:
            self._flush()

    def _flush(self) -> None:
        self._columns.add(self._block)
        self._block, self._looked = [], 0

    # --- something else below ----------------------------------------------------------------------

    def _refuse_another(self, number: int, row: Row, titles: Sequence[tuple[int, Row]]) -> None:
        """Raise an error if a row after an empty one, with single cells above it, does not belong to the table.

        That is so if it has text among values of another kind, or names columns. Whether it does may depend on the row
        below it: then it is kept for that.
        """
        self._columns.look(self._block[self._looked :])
        self._looked = len(self._block)
        texts = [isinstance(cell, str) and cell.strip() not in self._marks for cell in row]
        are_values = [not (pa.types.is_string(kind) or pa.types.is_null(kind)) for kind in self.types]
        is_heading = sum(texts) > 1 and sum(texts) == _filled(row)
        if any(map(and_, texts, are_values)) or (is_heading and (titles or list(row) == self._header.cells)):
            raise ValueError(self._something_else(titles[0][0] if titles else number))
        self._heading = (number, row) if is_heading else None

    def _look_below(self, number: int, heading: Row, row: Row) -> None:
        """Raise an error if a row has numbers where there was only text above the row that may be a header."""
        self._heading = None
        for cell, name, kind in zip(row, heading, self.types, strict=True):
            if not isinstance(cell, str) and name != "" and pa.types.is_string(kind):
                raise ValueError(self._something_else(number))

    def _something_else(self, number: int) -> str:
        return (
            f"{self._where} seems to hold something else than the table from row {number:,} on, below an empty row: "
            "move it to another sheet or, if it belongs to the table, delete the empty row."
        )
