"""How a CSV file is written: its encoding, its delimiter, its header and its decimal sign.

The encoding is that of a byte order mark, or UTF-8 if the text is valid UTF-8, or else the one in which the text looks
most like words.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

from atfnb._errors import listed_names
from atfnb.tables.sources import SEPARATED

# --- Encoding --------------------------------------------------------------------------------------

_MARKS = [  # longer marks first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_LATIN = ["cp1252", "cp1250", "iso8859_2"]
"""Western and Central European encodings: a text can be valid in all of them; the first is the most common."""
_OTHERS = ["cp1251", "koi8_r", "cp1253", "cp1254", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
_FEW = 4
"""With fewer bytes beyond ASCII than this, the encoding is not detected."""
EVIDENCE_BYTES = 1 << 16
"""The number of bytes of lines beyond ASCII that an encoding is detected from."""


def sniff_encoding(sample: bytes) -> str:
    """Return the encoding of a text, detected from its first bytes, which may be cut off anywhere.

    Valid UTF-8 is UTF-8. Otherwise the lines with bytes beyond ASCII decide; with too few of them, it is the Western
    encoding of Windows, CP1252.

    Examples
    --------
    >>> sniff_encoding("Köln, Österreich".encode("utf-8"))
    'utf-8'
    >>> sniff_encoding("Köln".encode("cp1252"))
    'cp1252'
    """
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        return _without_mark(sample)
    return "utf-8" if is_utf8(sample) else guess_encoding(sample)


def is_utf8(sample: bytes) -> bool:
    """Return whether a text that may be cut off at its end is valid UTF-8."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def is_cuttable(encoding: str) -> bool:
    """Return whether text in this encoding can be read from any line on: an ASCII byte always is that character.

    Examples
    --------
    >>> [is_cuttable(encoding) for encoding in ("utf-8", "cp1252", "utf-16", "cp932", "utf-7")]
    [True, True, False, False, False]
    """
    if encoding in ("utf-8", "utf-8-sig"):
        return True
    try:
        every = bytes(range(256)).decode(encoding, "replace")
    except UnicodeError:
        return False
    return len(every) == 256 and every[:128] == bytes(range(128)).decode("ascii") and "escape" not in encoding


def guess_encoding(sample: bytes) -> str:
    r"""Return the likeliest encoding of a text that is not UTF-8.

    Examples
    --------
    >>> guess_encoding("miasto\nWrocław\nŁódź\nGdańsk".encode("cp1250"))
    'cp1250'
    """
    from charset_normalizer import from_bytes

    lines = dict.fromkeys(line for line in re.split(rb"[\r\n]+", sample) if not line.isascii())
    evidence = b"\n".join(lines)[:EVIDENCE_BYTES]
    if sum(byte > 127 for byte in evidence) < _FEW:
        return _LATIN[0]
    matches = list(from_bytes(evidence, cp_isolation=_LATIN + _OTHERS))
    least = min((match.chaos for match in matches), default=0.0)
    names = [name for match in matches if match.chaos == least for name in match.could_be_from_charset]
    if not names or any(name in _LATIN for name in names):
        return min(_LATIN, key=lambda encoding: _oddness(evidence, encoding))
    return names[0]


def _oddness(evidence: bytes, encoding: str) -> int:
    """Return how often a text looks wrong in an encoding: a sign inside a word, a capital after a small letter."""
    text = evidence.decode(encoding, "replace")
    odd = re.findall(r"[^\W\d_](?=[^\x00-\x7f])[\W\d]|(?=[^\x00-\x7f])[\W\d](?=[^\W\d_])", text)
    capitals = [b for a, b in pairwise(text) if a.islower() and b.isupper() and ord(b) > 127]
    return len(odd) + len(capitals)


def _without_mark(sample: bytes) -> str:
    """Return the encoding of a text with NUL bytes: UTF-16 if about every other byte is NUL, otherwise UTF-8."""
    half = max(1, len(sample) // 2)
    even, odd = sample[::2].count(0) / half, sample[1::2].count(0) / half
    if odd > 0.5 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.5 and odd < 0.1 else "utf-8"


# --- Layout ----------------------------------------------------------------------------------------

_RECORDS = 200
"""The number of rows that the delimiter and the decimal sign are detected from."""
_RARE_FIRST = sorted(SEPARATED, key="\t;,|".index)
"""The order in which delimiters win a tie: tabs and semicolons are seldom part of a text."""
_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_SIGN = r"[^\d\s.,;:|/+-]{0,4}"
_THOUSANDS_AND_POINT = re.compile(rf"\s*[+-]?{_SIGN}\s*\d{{1,3}}((,\d{{3}})+\.\d+|(,\d{{3}}){{2,}})\s*{_SIGN}\s*")
_THOUSANDS_AND_COMMA = re.compile(rf"\s*[+-]?{_SIGN}\s*\d{{1,3}}(\.\d{{3}})+,\d+\s*{_SIGN}\s*")
_SIGNED_POINT = re.compile(rf"\s*[+-]?{_SIGN}\s*\d*\.\d+\s*{_SIGN}\s*")
_SIGNED_COMMA = re.compile(rf"\s*[+-]?{_SIGN}\s*\d*,\d+\s*{_SIGN}\s*")
_DECIMAL_SIGNS = (
    (_THOUSANDS_AND_POINT, "."),
    (_THOUSANDS_AND_COMMA, ","),
    (_POINT, "."),
    (_COMMA, ","),
    (_SIGNED_POINT, "."),
    (_SIGNED_COMMA, ","),
)
"""The patterns that show the decimal sign, the surest first; numbers may have a currency sign or a unit."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


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


def lay_out(text: str, name: str, delimiter: str | None = None, *, whole: bool) -> Layout | None:
    r"""Return the layout of a CSV file, detected from its beginning, or None if the header is cut off.

    Parameters
    ----------
    text : str
        The beginning of the file.
    name : str
        The name of the file, for messages.
    delimiter : str or None
        The delimiter, if the user gives it.
    whole : bool
        Whether ``text`` is the whole file.

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
    columns = column_names(cells, name)
    decimal = "," if chosen != "," and _has_decimal_comma(text[length:], chosen, whole=whole) else "."
    end = next((end for end in ("\r\n", "\n", "\r") if text[:length].endswith(end)), "\n")
    return Layout(columns, chosen if len(columns) > 1 else None, decimal, len(text[:length].encode("utf-8")), end)


def _delimiter(text: str, *, whole: bool) -> str | None:
    """Return the delimiter with which most rows have as many cells as the header; of equals, the most cells win."""
    best, best_score = None, (0.0, 1)
    for candidate in _RARE_FIRST:
        counts = [len(record) for record in _records(text, candidate, whole=whole)]
        if counts and counts[0] > 1:
            score = (Counter(counts)[counts[0]] / len(counts), counts[0])
            if score > best_score:
                best, best_score = candidate, score
    return best


def _records(text: str, delimiter: str | None, *, whole: bool) -> list[list[str]]:
    """Return the first complete rows, without blank ones."""
    records = islice(filter(None, _tolerant(text, delimiter or ",")), _RECORDS + 1)
    found = list(records)
    return found if whole or len(found) < 2 else found[:-1]


def _tolerant(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    except csv.Error:  # a cell without an end; the rows before it are enough
        return


def _header(text: str, delimiter: str) -> tuple[list[str], int] | None:
    """Return the cells of the first line that is not blank, and the number of characters up to its end."""
    consumed = 0

    def lines() -> Iterator[str]:
        nonlocal consumed
        for line in io.StringIO(text, newline=""):
            consumed += len(line)
            yield line

    try:
        header = next(filter(None, csv.reader(lines(), delimiter=delimiter)), None)
    except csv.Error:
        return [text], len(text)  # one cell that does not end
    return None if header is None else (header, consumed)


def column_names(cells: list[str], name: str) -> tuple[str, ...]:
    """Return the names of the columns from the cells of a header; a column without one is named by its position.

    Examples
    --------
    >>> column_names(["age ", ""], "a.csv")
    ('age', 'column 2')
    """
    if all(_NUMBER.fullmatch(cell.strip()) for cell in cells) and not _is_count(cells):
        raise ValueError(
            f"the first line of {name} holds numbers only: add a line with the names of the columns above it."
        )
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


def _has_decimal_comma(text: str, delimiter: str | None, *, whole: bool) -> bool:
    """Return whether numbers with a fraction are written as 3,14 or 1.234,5, and none as 3.14 or 1,234.5."""
    if delimiter is None:
        return False
    records = _records(text, delimiter, whole=whole)
    cells = [cell for record in records for cell in record if "," in cell or "." in cell]
    return next((decimal == "," for sure, decimal in _DECIMAL_SIGNS if any(map(sure.fullmatch, cells))), False)
