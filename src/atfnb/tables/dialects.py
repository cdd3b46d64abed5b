"""How a CSV file is laid out: its delimiter, its header, its decimal sign."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from atfnb._errors import listed_names
from atfnb.tables.formats import SEPARATED

_RECORDS = 200
"""So many rows tell the delimiter and the decimal sign."""
_RARE_FIRST = sorted(SEPARATED, key="\t;,|".index)
"""Tabs and semicolons are seldom part of a text: of equals, they are taken."""
_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_SIGN = r"[^\d\s.,;:|/+-]{0,4}"
_THOUSANDS_AND_POINT = re.compile(rf"\s*[+-]?{_SIGN}\s*\d{{1,3}}((,\d{{3}})+\.\d+|(,\d{{3}}){{2,}})\s*{_SIGN}\s*")
_THOUSANDS_AND_COMMA = re.compile(rf"\s*[+-]?{_SIGN}\s*\d{{1,3}}(\.\d{{3}})+,\d+\s*{_SIGN}\s*")
_SIGNED_POINT = re.compile(rf"\s*[+-]?{_SIGN}\s*\d*\.\d+\s*{_SIGN}\s*")
_SIGNED_COMMA = re.compile(rf"\s*[+-]?{_SIGN}\s*\d*,\d+\s*{_SIGN}\s*")
_EVIDENCE = (
    (_THOUSANDS_AND_POINT, "."),
    (_THOUSANDS_AND_COMMA, ","),
    (_POINT, "."),
    (_COMMA, ","),
    (_SIGNED_POINT, "."),
    (_SIGNED_COMMA, ","),
)
"""What tells the decimal sign, the surest first; a currency sign or a unit may stand at some of the numbers."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """The layout of a CSV file."""

    columns: tuple[str, ...]
    delimiter: str | None
    """None if there is one column."""
    decimal: str
    header_bytes: int
    """How many bytes of UTF-8 come before the first row."""
    line_end: str = field(default="\n", repr=False)


def lay_out(text: str, name: str, delimiter: str | None = None, *, whole: bool) -> Layout | None:
    r"""Find out how a CSV file is laid out from its beginning; None if its header is cut off.

    Parameters
    ----------
    text : str
        The beginning of the file.
    name : str
        The file's name, for sentences.
    delimiter : str or None
        The delimiter, if the user says so.
    whole : bool
        Whether that is the whole file.

    Examples
    --------
    >>> lay_out("size;weight\n1,5;2\n", "a.csv", whole=True)
    Layout(columns=('size', 'weight'), delimiter=';', decimal=',', header_bytes=12)
    """
    chosen = delimiter or _delimiter(text, whole=whole)
    parsed = _header(text, chosen or ",")
    if parsed is None:
        raise ValueError(f"{name} is empty: it needs a line with the names of the columns, and rows.")
    cells, length = parsed
    if not whole and length >= len(text) - 1:
        return None
    if whole and length >= len(text) and any("\n" in cell or "\r" in cell for cell in cells):
        raise ValueError(f"{name} opens a quotation mark in its header and never closes it: close or remove it.")
    columns = _names(cells, name)
    decimal = "," if chosen != "," and _has_decimal_comma(text[length:], chosen, whole=whole) else "."
    end = next((end for end in ("\r\n", "\n", "\r") if text[:length].endswith(end)), "\n")
    return Layout(columns, chosen if len(columns) > 1 else None, decimal, len(text[:length].encode("utf-8")), end)


def _delimiter(text: str, *, whole: bool) -> str | None:
    """The delimiter with the header's number of cells in most rows; of equals, with the most cells, then the rarest."""
    best, best_score = None, (0.0, 1)
    for candidate in _RARE_FIRST:
        counts = [len(record) for record in _records(text, candidate, whole=whole)]
        if counts and counts[0] > 1:
            score = (Counter(counts)[counts[0]] / len(counts), counts[0])
            if score > best_score:
                best, best_score = candidate, score
    return best


def _records(text: str, delimiter: str | None, *, whole: bool) -> list[list[str]]:
    """The first rows that are there in full, blank ones left out."""
    records = islice(filter(None, _tolerant(text, delimiter or ",")), _RECORDS + 1)
    found = list(records)
    return found if whole or len(found) < 2 else found[:-1]


def _tolerant(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    except csv.Error:  # an endless cell; what comes before it tells enough
        return


def _header(text: str, delimiter: str) -> tuple[list[str], int] | None:
    """The cells of the first line that is not blank, and how many characters they end after."""
    consumed = 0

    def lines() -> Iterator[str]:
        nonlocal consumed
        for line in io.StringIO(text, newline=""):
            consumed += len(line)
            yield line

    try:
        header = next(filter(None, csv.reader(lines(), delimiter=delimiter)), None)
    except csv.Error:
        return [text], len(text)  # as a cell that does not end
    return None if header is None else (header, consumed)


def _names(cells: list[str], name: str) -> tuple[str, ...]:
    if all(_NUMBER.fullmatch(cell.strip()) for cell in cells) and not _is_count(cells):
        raise ValueError(
            f"the first line of {name} holds numbers only: add a line with the names of the columns above it."
        )
    columns = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, 1))
    refuse_duplicates(columns, name)
    return columns


def _is_count(cells: list[str]) -> bool:
    """Whether the names are 0, 1, 2, …, as pandas gives them to columns without any."""
    return len(cells) > 2 and cells == [str(place) for place in range(len(cells))]


def refuse_duplicates(columns: tuple[str, ...], name: str) -> None:
    """Refuse columns with the same name, naming them."""
    again = [column for column, times in Counter(columns).items() if times > 1]
    if again:
        raise ValueError(f"{name} has more than one column named {listed_names(again)}: give each its own name.")


def _has_decimal_comma(text: str, delimiter: str | None, *, whole: bool) -> bool:
    """Return whether numbers with a fraction are written as 3,14 or 1.234,5, and none as 3.14 or 1,234.5."""
    if delimiter is None:
        return False
    records = _records(text, delimiter, whole=whole)
    cells = [cell for record in records for cell in record if "," in cell or "." in cell]
    return next((decimal == "," for sure, decimal in _EVIDENCE if any(map(sure.fullmatch, cells))), False)
