"""How a CSV file is written: its delimiter, its header, its decimal sign, and what is usual in its rows."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from atfnb._errors import AdvisedError, Message, Setting, listed_names
from atfnb.tables.cells import CellRules
from atfnb.tables.headers import HEAD_ROWS, find_header, joined_names, more_headers, most_common, on_more_headers
from atfnb.tables.left_out import RowFilter
from atfnb.tables.sources import SEPARATED, Dialect

_RARE_FIRST = sorted(SEPARATED, key="\t;,|".index)
"""The order in which delimiters win a tie: tabs and semicolons are seldom part of a text."""
_SAID = re.compile(r'"?sep=([^"\r\n])"?[ \t]*(\r\n|\n|\r)', re.IGNORECASE)
"""The first line with which Excel is told the delimiter."""
_SIGN = r"[^\d\s.,;:|/+-]{0,4}"
_DECIMAL_SIGNS = [
    (re.compile(rf"\s*[+-]?{number}\s*"), sign)
    for number, sign in (
        (rf"{_SIGN}\s*\d{{1,3}}((,\d{{3}})+\.\d+|(,\d{{3}}){{2,}})\s*{_SIGN}", "."),
        (rf"{_SIGN}\s*\d{{1,3}}(\.\d{{3}})+,\d+\s*{_SIGN}", ","),
        (r"\d*\.\d+([eE][+-]?\d+)?", "."),
        (r"\d*,\d+([eE][+-]?\d+)?", ","),
        (rf"{_SIGN}\s*\d*\.\d+\s*{_SIGN}", "."),
        (rf"{_SIGN}\s*\d*,\d+\s*{_SIGN}", ","),
    )
]
"""The patterns that show the decimal sign, the surest first; numbers may have a currency sign or a unit."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_YEAR = re.compile(r"(19|20)\d\d")


@dataclass(frozen=True)
class Layout:
    """The columns, delimiter, decimal sign and header of a CSV file."""

    columns: tuple[str, ...]
    """The names of the columns."""
    delimiter: str | None
    """None if there is only one column."""
    decimal: str
    header_bytes: int
    """The number of bytes in UTF-8 before the first row."""
    line_end: str = field(default="\n", repr=False)
    row_filter: RowFilter = field(default=RowFilter(), repr=False)
    """Shows which rows are none."""
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What is left out above the rows, a sentence each."""
    quote: str = field(default='"', repr=False)
    declared: tuple[str, ...] | None = field(default=None, repr=False)
    """The columns that an ARFF file declares to be text; None for a CSV file, which declares nothing."""


@dataclass(frozen=True)
class _Record:
    """A row of a text: the line that it begins in, the position after it, and its cells."""

    line: int
    end: int
    cells: list[str]


def lay_out(text: str, name: str, dialect: Dialect | None = None, *, whole: bool) -> Layout | None:
    r"""Return the layout of a CSV file, detected from its beginning, or None if the header is cut off.

    Parameters
    ----------
    text : str
        The beginning of the file.
    name : str
        The name of the file, for messages.
    dialect : Dialect, optional
        What the user says about the file.
    whole : bool
        Whether ``text`` is the whole file.

    Examples
    --------
    >>> lay_out("size;weight\n1,5;2\n", "a.csv", whole=True)
    Layout(columns=('size', 'weight'), delimiter=';', decimal=',', header_bytes=12)
    """
    dialect = dialect or Dialect()
    marks = CellRules.of(dialect.missing).missing
    start = sum(map(len, islice(io.StringIO(text, newline=""), dialect.skip_rows)))
    if said := _SAID.match(text, start):
        start = said.end()
    delimiter = dialect.delimiter or (said[1] if said else _delimiter(text[start:], whole=whole))
    records = _records(text, delimiter, start, whole=whole)
    if not records and whole:
        raise ValueError(f"{name} is empty: it needs a line with the names of the columns, and rows.")
    headers, notes = _headers(records, dialect, marks)
    length = headers[-1].end if headers else start
    if not whole and (not records or length >= len(text) - 1):
        return None
    if whole and length >= len(text) and any(re.search("[\r\n]", cell) for each in headers for cell in each.cells):
        raise ValueError(f"{name} opens a quotation mark in its header and never closes it: close or remove it.")
    names = joined_names([each.cells for each in headers]) if headers else [""] * len(records[0].cells)
    columns = column_names(names, name)
    rows = [record.cells for record in records if record.end > length]
    decimal = "," if delimiter not in (None, ",") and _has_decimal_comma(rows) else "."
    header = text[:length]
    line_end = next((end for end in ("\r\n", "\n", "\r") if header.endswith(end)), "\n")
    row_filter = RowFilter.of([each.cells for each in headers], rows, marks, keep_totals=dialect.keep_totals)
    signs = delimiter if len(columns) > 1 else None, decimal, len(header.encode("utf-8")), line_end
    return Layout(columns, *signs, row_filter, (*notes, *_on_numbers(names, rows, name)))


def _delimiter(text: str, *, whole: bool) -> str | None:
    """Return the delimiter with which most rows have the same number of cells; of equals, the most cells win.

    If these are not as many as in the first row, which may be a title, more than half of the rows must have them.
    """
    best, best_score = None, (0.0, 1)
    for candidate in _RARE_FIRST:
        counts = [len(record.cells) for record in _records(text, candidate, whole=whole)]
        width = most_common(counts)
        score = (counts.count(width) / max(len(counts), 1), width)
        if width > 1 and score > best_score and (width == counts[0] or score[0] > 0.5):
            best, best_score = candidate, score
    return best


def _records(text: str, delimiter: str | None, start: int = 0, *, whole: bool) -> list[_Record]:
    """Return the first complete rows from a position on, without blank ones."""
    found = list(islice((record for record in _tolerant(text, delimiter or ",", start) if record.cells), HEAD_ROWS + 1))
    return found if whole or len(found) < 2 else found[:-1]


def _tolerant(text: str, delimiter: str, start: int) -> Iterator[_Record]:
    """Generate the rows of a text; a cell without an end makes the last one."""
    lines, above, begun = io.StringIO(text, newline=""), 1 + text.count("\n", 0, start), 0
    lines.seek(start)
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for cells in reader:
            yield _Record(above + begun, lines.tell(), cells)
            begun = reader.line_num
    except csv.Error:
        yield _Record(above + begun, len(text), [text[start:]])


def _headers(
    records: Sequence[_Record], dialect: Dialect, marks: Collection[str]
) -> tuple[list[_Record], tuple[str, ...]]:
    """Return the rows of the header, and notes on the titles above them and on what is below the names."""
    if dialect.header_rows == 0 or not records:
        return [], ()
    width = most_common([len(record.cells) for record in records])
    rows = [(record.line, [_cell(text) for text in record.cells]) for record in records]
    padded = [(line, cells + [""] * (width - len(cells))) for line, cells in rows]
    header = find_header(padded, least=2 if dialect.header_rows else None)
    first = next((i for i, record in enumerate(records) if header and record.line == header.number), 0)
    below = [record.cells for record in records[first + 1 :]]
    fits = bool(below) and len(below[0]) == len(records[first].cells)
    more = more_headers(below, marks) if dialect.header_rows is None and fits else (dialect.header_rows or 1) - 1
    headers = [*records[first : first + 1 + more]]
    titles = header.described("line") if header is not None and header.titles else []
    return headers, (*titles, *on_more_headers([each.cells for each in headers]))


def _cell(text: str) -> str | float:
    """Return a cell as a sheet would have it: a number if it is one."""
    return float(text) if _NUMBER.fullmatch(text.strip()) else text.strip()


def _on_numbers(names: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> Iterator[str]:
    """Yield a note if the names of the columns look like a row: a number, no year, over numbers."""
    for j, each in enumerate(names):
        is_name = not _NUMBER.fullmatch(each.strip()) or _YEAR.fullmatch(each.strip())
        cells = [row[j].strip() for row in rows if j < len(row)]
        if not is_name and not _is_count(list(names)) and cells and all(map(_NUMBER.fullmatch, filter(None, cells))):
            note = f"The first line of {name} is taken for the names of the columns, though {each.strip()!r} is a "
            yield Message(note, "number: if it is a row, give ", Setting("Dialect.header_rows", 0), ".")
            return


def column_names(cells: Sequence[str], name: str) -> tuple[str, ...]:
    """Return the names of the columns from the cells of a header; a column without one is named by its position.

    Examples
    --------
    >>> column_names(["age ", ""], "a.csv")
    ('age', 'column 2')
    """
    if all(_NUMBER.fullmatch(cell.strip()) for cell in cells) and not _is_count(list(cells)):
        fault = f"the first line of {name} holds numbers only: add a line with the names of the columns above it, "
        raise AdvisedError(fault, "or give ", Setting("Dialect.header_rows", 0), ".")
    columns = tuple(cell.strip() or f"column {number}" for number, cell in enumerate(cells, 1))
    refuse_duplicates(columns, name)
    return columns


def _is_count(cells: list[str]) -> bool:
    """Return whether the names of the columns are 0, 1, 2, …, which pandas writes for columns without names."""
    return len(cells) > 2 and cells == [str(number) for number in range(len(cells))]


def refuse_duplicates(columns: tuple[str, ...], name: str) -> None:
    """Raise a ValueError if several columns have the same name."""
    again = [column for column, times in Counter(columns).items() if times > 1]
    if again:
        raise ValueError(f"{name} has more than one column named {listed_names(again)}: give each its own name.")


def _has_decimal_comma(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether numbers with a fraction are written as 3,14 or 1.234,5, and none as 3.14 or 1,234.5."""
    cells = [cell for row in rows for cell in row if "," in cell or "." in cell]
    return next((decimal == "," for sure, decimal in _DECIMAL_SIGNS if any(map(sure.fullmatch, cells))), False)


# --- ARFF ------------------------------------------------------------------------------------------

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(\{|\w+)""", re.IGNORECASE)
_NUMBERS, _TEXTS = ("numeric", "real", "integer"), ("{", "string")


def lay_out_arff(text: str, name: str, *, whole: bool) -> Layout | None:
    r"""Return the layout of an ARFF file, from its beginning, or None if the header is cut off.

    Parameters
    ----------
    text : str
        The beginning of the file.
    name : str
        The name of the file, for messages.
    whole : bool
        Whether ``text`` is the whole file.

    Examples
    --------
    >>> text = "@relation r\n@attribute 'my size' real\n@attribute kind {a,b}\n@data\n1,a\n"
    >>> lay_out_arff(text, "r.arff", whole=True)
    Layout(columns=('my size', 'kind'), delimiter=',', decimal='.', header_bytes=66)
    """
    columns, texts, end = list[str](), list[str](), 0
    for line in io.StringIO(text, newline=""):
        end += len(line)
        word = line.strip().lower()
        if word.startswith("@attribute"):
            column, kind = _attribute(line, name)
            columns.append(column)
            texts += [column] if kind in _TEXTS else []
        elif word == "@data":
            break
    else:
        if whole:
            raise ValueError(f"{name} is an ARFF file without a line @data: it needs one, and rows below.")
        return None
    if not columns:
        raise ValueError(f"{name} is an ARFF file without attributes: it needs a line @attribute for each column.")
    refuse_duplicates(tuple(columns), name)
    rows = [line for line in text[end:].splitlines() if line.strip() and not line.startswith("%")]
    if rows and rows[0].lstrip().startswith("{"):
        raise ValueError(f"{name} is a sparse ARFF file: save it as a dense one, or as CSV.")
    quote = "'" if any(re.search(r"(^|,)'", row) for row in rows) else '"'
    values = RowFilter(words=frozenset(range(len(columns))))  # what such a file declares is a row
    delimiter = "," if len(columns) > 1 else None
    return Layout(tuple(columns), delimiter, ".", len(text[:end].encode()), "\n", values, (), quote, tuple(texts))


def _attribute(line: str, name: str) -> tuple[str, str]:
    """Return the name of an attribute and its type; ``{`` for a list of values."""
    found = _ATTRIBUTE.match(line.strip())
    kind = found[2].lower() if found else ""
    if found is None or kind not in (*_NUMBERS, *_TEXTS, "date"):
        raise ValueError(f"{name} has an attribute that cannot be read, {line.strip()!r}: save the table as CSV.")
    column = found[1]
    return (re.sub(r"\\(.)", r"\1", column[1:-1]) if column[0] in "'\"" else column), kind
