"""The header of a table, in CSV files and workbooks alike: the titles above it, its names, its units and types."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from atfnb._errors import Message, Setting, counted, listed_names

Row = Sequence[Any]
"""The cells of a row; an empty cell is the empty text."""
Merged = tuple[tuple[int, int], tuple[int, int]]
"""The first and the last row and column of merged cells, counted from 0."""
HEAD_ROWS = 200
"""The number of rows that show what is usual in a table."""

_NUMBER = re.compile(r"[\W_]{0,4}\d")
"""How a number, a date or a time begins, whatever sign is before it."""


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


def is_number(cell: Any) -> bool:
    """Return whether a cell is no text: a number, a date or a time, or the text of one."""
    return not isinstance(cell, str) or _NUMBER.match(cell) is not None


def has_no_value(cell: Any, marks: Collection[str]) -> bool:
    """Return whether a cell is empty or a mark of a missing value."""
    return isinstance(cell, str) and (not cell or cell.isspace() or cell.strip() in marks)


# --- The names of the columns ----------------------------------------------------------------------


@dataclass(frozen=True)
class Header:
    """The row with the names of the columns."""

    number: int
    """The number of the row, counted from 1, as a spreadsheet shows it."""
    cells: list[Any]
    titles: tuple[str, ...]
    """The text of the rows above it that are not empty."""
    groups: int = 0
    """The number of rows above it that are part of the names: merged cells, each over a group of columns."""

    def described(self, word: str = "row") -> list[str]:
        """Return a note if the header is not the first row alone."""
        if self.number == 1:
            return []
        first, it = self.number - self.groups, "them" if self.groups else "it"
        where = f"{word}s {first:,} to {self.number:,}" if self.groups else f"{word} {self.number:,}"
        above = f"; the {word}s above {it} are empty" if first > 1 else ""
        if self.titles:
            above = f"; left out above {it}: {listed_names(self.titles, 3)}"
        return [f"The names of the columns are in {where}{above}."]


def find_header(
    rows: Sequence[tuple[int, Row]], merged: Collection[Merged] = (), left: int = 0, least: int | None = None
) -> Header | None:
    """Return the header of a table, or None if there is none.

    It is the first row with several cells, none of them merged with a neighbour; in a table of a single column, the
    first row with a cell. Rows of merged cells right above it are part of the names. In a wide table, a row with two
    cells, such as "Region: North", is a title.

    Parameters
    ----------
    rows : sequence of (int, list)
        The first rows and their numbers, counted from 1; each of merged cells has the value of the first.
    merged : collection
        The merged cells of the sheet.
    left : int
        The first column of the sheet, counted from 0.
    least : int, optional
        The number of cells from which on a row has several; by default, more than half of what most rows have.

    Examples
    --------
    >>> sheet = [["Sales in 2024", ""], ["", ""], ["city", "sum"], ["Ulm", 5.0]]
    >>> find_header([*enumerate(sheet, 1)])
    Header(number=3, cells=['city', 'sum'], titles=('Sales in 2024',), groups=0)
    """
    across = {top + 1 for (top, first), (_, last) in merged if last > first}
    least = least or max(2, most_common(filled(row) for _, row in rows) // 2 + 1)
    above: list[tuple[int, Row]] = []
    for number, row in rows:
        several = filled(row) >= least and number not in across
        if several or (len(row) == 1 and filled(row)):
            return _chosen(above, number, row, merged, left)
        if filled(row):
            above.append((number, row))
    return None


def first_rows(rows: Iterator[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Return the next rows of a sheet, which are consumed: enough to show its header and what is usual below it."""
    found, left = list[tuple[int, Row]](), HEAD_ROWS
    while left and (each := next(rows, None)):
        found.append(each)
        left -= filled(each[1]) > 0
    return found


def most_common(counts: Iterable[int]) -> int:
    """Return the most common number of cells beyond 1; of equals, the largest; 1 if there is none."""
    several = Counter(count for count in counts if count > 1)
    return max(several, key=lambda count: (several[count], count), default=1)


def _chosen(above: list[tuple[int, Row]], number: int, row: Row, merged: Collection[Merged], left: int) -> Header:
    """Return the header: a row and the groups above it, or the row right above it if that cannot be a title."""
    if above and above[-1][0] == number - 1 and not all(isinstance(cell, str) for cell in row):
        last = above[-1][1]
        if filled(last) > 1 or (len(row) == 2 and last[0] == ""):  # merged names; or an index without a name
            return Header(number - 1, _numbered(last, number - 1, merged, left), titles_of(above[:-1]))
    across, names = {top + 1 for (top, first), (_, last) in merged if last > first}, [row]
    while above and above[-1][0] == number - len(names) and above[-1][0] in across and filled(above[-1][1]) > 1:
        names.insert(0, above.pop()[1])
    cells = [_text(cells) for cells in zip(*names, strict=True)] if len(names) > 1 else list(row)
    return Header(number, cells, titles_of(above), groups=len(names) - 1)


def _numbered(row: Row, number: int, merged: Collection[Merged], left: int) -> list[Any]:
    """Return the names in a row, those in merged cells with a number from the second on."""
    cells = list(row)
    for (top, first), (_, last) in merged:
        for j in range(first + 1 - left, min(last + 1 - left, len(cells)) if top + 1 == number else 0):
            cells[j] = f"{written(cells[j])} {j + 1 + left - first}"
    return cells


def titles_of(above: Iterable[tuple[int, Row]]) -> tuple[str, ...]:
    """Return the text of each row; merged cells count once."""
    return tuple(_text(row) for _, row in above)


def _text(cells: Iterable[Any]) -> str:
    return " ".join(dict.fromkeys(written(cell).strip() for cell in cells if cell != ""))


def filled(row: Row) -> int:
    """Return the number of cells that are not empty."""
    return len(row) - row.count("")


# --- More lines of the header ----------------------------------------------------------------------

_TYPES = {
    *("c", "d", "s", "t", "continuous", "discrete", "string", "time", "text", "number", "numeric", "nominal"),
    *("categorical", "factor", "real", "float", "double", "int", "integer", "str", "date", "datetime", "boolean"),
}
"""The types in the second line of a file of Orange, and of others like it."""
_FLAGS = {"", "class", "c", "meta", "m", "ignore", "i", "weight", "w"}
"""What the third line of a file of Orange says about columns."""
_BRACKETED = re.compile(r"\s*(\[.*\]|\(.*\))\s*")
_LONGEST_UNIT = 20


def more_headers(rows: Sequence[Row], marks: Collection[str]) -> int:
    """Return how many rows right below the names of the columns belong to the header: units, types and flags.

    Parameters
    ----------
    rows : sequence of rows
        The first rows below the names.
    marks : collection of str
        The marks of a missing value.

    Examples
    --------
    >>> more_headers([["mm", "", "kg"], ["1.5", "a", "3"], ["2", "b", "?"]], ["", "?"])
    1
    >>> more_headers([["unknown", "a"], ["2", "b"]], [])
    0
    """
    if len(rows) < 2:
        return 0
    flags = _words(rows[1])
    has_flags = any(flags) and _FLAGS.issuperset(flags)
    types, below = _words(rows[0]), rows[1 + has_flags :]
    are_types = _TYPES.issuperset(types) and (has_flags or any(len(word) > 1 for word in types))
    if are_types and not any(cell == row[j] for row in below for j, cell in enumerate(rows[0][: len(row)])):
        return 1 + has_flags
    return int(_are_units(rows[0], rows[1:], marks))


def _words(row: Row) -> list[str]:
    return [written(cell).strip().lower() for cell in row]


def _are_units(line: Row, below: Sequence[Row], marks: Collection[str]) -> bool:
    """Return whether a row has units above numbers, and nothing else but units in brackets."""
    some = False
    for j, cell in enumerate(line):
        others = [row[j] for row in below if j < len(row) and not has_no_value(row[j], marks)]
        if has_no_value(cell, marks):
            continue
        is_short = not is_number(cell) and len(cell) <= _LONGEST_UNIT and len(cell.split()) <= 3
        above_numbers = bool(others) and all(map(is_number, others))
        if not is_short or not (above_numbers or _BRACKETED.fullmatch(cell)):
            return False
        some = some or above_numbers
    return some


def joined_names(headers: Sequence[Row]) -> list[Any]:
    """Return the names of the columns from the rows of a header.

    They are those of the first row, if it names every column differently; otherwise the names in all rows, joined, and
    a cell without a name in the first row belongs to the group on its left.

    Examples
    --------
    >>> joined_names([["size", "weight"], ["mm", "kg"]]), joined_names([["", "May", ""], ["id", "n", "sum"]])
    (['size', 'weight'], ['id', 'May n', 'May sum'])
    """
    first = [written(cell).strip() for cell in headers[0]]
    if len(headers) == 1 or len({*first} - {""}) == len(first):
        return list(headers[0])
    groups: Iterator[str] = accumulate(first, lambda group, cell: cell or group)
    lower = [[written(cell).strip() for cell in row] for row in headers[1:]]
    return [" ".join(filter(None, cells)) for cells in zip(groups, *lower, strict=True)]


def on_more_headers(headers: Sequence[Row]) -> list[str]:
    """Return a note on the rows of a header below the first, if there are any."""
    if len(headers) < 2:
        return []
    cells = [written(cell).strip() for row in headers[1:] for cell in row if cell != ""]
    verb, they = ("belongs", "it is a row") if len(headers) == 2 else ("belong", "they are rows")
    below = f"{counted(len(headers) - 1, 'row')} below the names of the columns {verb} to the header "
    named = f"({listed_names(cells, 3)}): if {they}, give "
    return [Message(below, named, Setting("Dialect.header_rows", 1), ".")]
