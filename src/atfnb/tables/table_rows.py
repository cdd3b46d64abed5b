"""Which rows of a file are rows of its table, for CSV files and workbooks alike: the header, and what is above it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from atfnb._errors import listed_names
from atfnb.tables.excel_cells import written

Row = Sequence[Any]
"""The cells of a row; an empty cell is the empty text."""
Merged = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last row and column of merged cells, counted from 0."""


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
        several = filled(row) > 1 and number not in across
        if several or (len(row) == 1 and filled(row)):
            return _chosen(above, number, row, merged, left)
        if filled(row):
            above.append((number, row))
    return None


def _chosen(above: list[tuple[int, Row]], number: int, row: Row, merged: Collection[Merged], left: int) -> Header:
    """Return the header: a row, or the one right above it if that cannot be a title."""
    if above and above[-1][0] == number - 1 and not _is_text(row):
        last = above[-1][1]
        if filled(last) > 1 or (len(row) == 2 and last[0] == ""):  # merged names; or an index without a name
            return Header(number - 1, list(last), titles_of(above[:-1]), row)
    cells, rows = list(row), dict(above)
    for (top, first), (bottom, _) in merged:  # a name may be merged with the rows above
        if top + 1 in rows and bottom + 1 >= number and 0 <= first - left < len(cells) and not cells[first - left]:
            cells[first - left] = rows[top + 1][first - left]
    return Header(number, cells, titles_of(above))


def titles_of(above: Iterable[tuple[int, Row]]) -> tuple[str, ...]:
    """Return the text of each row."""
    return tuple(" ".join(written(cell).strip() for cell in row if cell != "") for _, row in above)


def filled(row: Row) -> int:
    """Return the number of cells that are not empty."""
    return len(row) - row.count("")


def _is_text(row: Row) -> bool:
    return all(isinstance(cell, str) for cell in row)
