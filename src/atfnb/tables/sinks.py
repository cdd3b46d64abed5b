"""Write tables to a stream, some rows at a time: as CSV, or as the sheet of an .xlsx workbook."""

from __future__ import annotations

import codecs
import datetime
import math
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb.tables.sources import Format

# --- CSV -------------------------------------------------------------------------------------------

_BYTES = 1 << 25
"""The approximate number of bytes that are joined and written at a time."""
_SIGNS = {"≥": ">=", "≤": "<=", "×": "x", "−": "-", "–": "-", "…": "..."}
"""The signs that explanations are written with, in ASCII."""


class CsvSink:
    """Writes tables to a stream as CSV, with quotes only where necessary and the shortest digits of each number.

    pyarrow's own writer puts all text in quotes; this one is as fast, as pyarrow joins the columns to lines.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> sink = CsvSink(stream, ["a", "b"], Format("out.csv", "CSV", delimiter=";"))
    >>> sink.write_table(pa.table({"a": [0.1, None], "b": ["x;y", "z"]}))
    >>> print(stream.getvalue().decode(), end="")
    a;b
    0.1;"x;y"
    ;z
    """

    def __init__(self, stream: Any, columns: list[str], layout: Format) -> None:
        self._stream, self._layout = stream, layout
        self._encoding, self._delimiter = layout.encoding or "utf-8", layout.delimiter or ","
        self._encoder = None if self._encoding == "utf-8" else codecs.getincrementalencoder(self._encoding)()
        self._lacking = [each for each in _SIGNS.items() if not each[0].encode(self._encoding, "ignore")]
        # a lone empty cell would be a blank line, and a blank line is not a row
        empty = "|^$" if len(columns) == 1 else ""
        self._columns, self._signs = columns, [sign.encode() for sign in ('"', "\r", "\n", self._delimiter)]
        self._special = rf'["\r\n{re.escape(self._delimiter)}]{empty}'
        self.write_table(pa.table([pa.array([column]) for column in columns], columns))

    def write_table(self, table: Any) -> None:
        """Write the rows of a table."""
        step = max(1, int(_BYTES * table.num_rows / max(table.nbytes, 1)))
        for start in range(0, table.num_rows, step):
            self._write(table.slice(start, step))

    def close(self) -> None:
        """Do nothing: every row is already written."""

    def _write(self, table: Any) -> None:
        cells = [self._cells(column) for column in table.columns]
        cells[-1] = pc.binary_join_element_wise(cells[-1], self._layout.line_end, "")
        self._put(_letters(pc.binary_join_element_wise(*cells, self._delimiter)))

    def _cells(self, column: Any) -> Any:
        text = pc.fill_null(pc.cast(column.combine_chunks(), pa.string()), "")
        if self._layout.decimal != "." and (pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)):
            text = pc.replace_substring(text, ".", self._layout.decimal)
        letters = _letters(text)
        if len(self._columns) > 1 and not any(sign in letters for sign in self._signs):
            return text  # most columns need no quotes, and this test is fast
        special = pc.match_substring_regex(text, self._special)
        quoted = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
        return pc.if_else(special, quoted, text)

    def _put(self, text: bytes) -> None:
        if self._encoder is None:
            self._stream.write(text)
            return
        written = text.decode("utf-8")
        for sign, in_ascii in self._lacking:
            written = written.replace(sign, in_ascii)
        try:
            self._stream.write(self._encoder.encode(written))
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{self._layout.name} cannot be written in {self._encoding.upper()}, which has no "
                f"{error.object[error.start]!r}: write .parquet or .xlsx, or save the input as UTF-8."
            ) from None


def _letters(text: Any) -> bytes:
    """Return the bytes of all cells of a column of text, one after the other."""
    _, offsets, data = text.buffers()
    if data is None:
        return b""
    ends = np.frombuffer(offsets, dtype=np.int32)[text.offset : text.offset + len(text) + 1]
    return bytes(memoryview(data)[ends[0] : ends[-1]])


# --- Excel -----------------------------------------------------------------------------------------

MOST_ROWS, MOST_COLUMNS = (1 << 20) - 1, 1 << 14
"""The largest number of rows below the header, and of columns, that a sheet holds."""
_EXACT = 1 << 53
"""Whole numbers beyond this are written as text, because a workbook would round them."""
_FIRST_DAY = datetime.date(1900, 3, 1)
"""Dates before this are written as text: Excel has none before 1900, and a wrong one in February 1900."""
_STYLES = (
    (pa.types.is_date, "yyyy-mm-dd"),
    (pa.types.is_timestamp, "yyyy-mm-dd hh:mm:ss"),
    (pa.types.is_time, "hh:mm:ss"),
    (pa.types.is_duration, "[h]:mm:ss"),
)
"""How Excel shows the cells of columns that hold dates or times."""
_NUMBERS = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating)


def import_xlsxwriter(name: str) -> Any:
    """Return the module that writes workbooks; raise an ImportError that says what to install if it is missing."""
    try:
        import xlsxwriter
    except ImportError:
        raise ImportError(
            f"{name} is a workbook, which needs XlsxWriter to be written: pip install 'atfnb[excel]'"
        ) from None
    return xlsxwriter


class _Exact(float):
    """A number that is written with all its digits."""

    def __format__(self, _: str) -> str:
        return repr(float(self))


class ExcelSink:
    """Writes tables to a stream as the only sheet of an .xlsx workbook; text is never taken for a formula or a link.

    Needs the extra ``excel``.

    Parameters
    ----------
    stream : binary file
        Where the workbook is written when the sink is closed.
    schema : pyarrow.Schema
        The names of the columns, for the first row, and their types.
    name : str
        The name of the file, for messages.
    """

    def __init__(self, stream: Any, schema: Any, name: str) -> None:
        self._name, self._row, self._stream = name, 0, stream
        if len(schema) > MOST_COLUMNS:
            raise ValueError(self._too_many(f"{MOST_COLUMNS:,} columns"))
        self._folder = tempfile.TemporaryDirectory()
        options = {"constant_memory": True, "tmpdir": self._folder.name, "use_zip64": True}
        self._path = Path(self._folder.name, "book.xlsx")
        self._workbook = import_xlsxwriter(name).Workbook(self._path, options)
        self._workbook.set_properties({"created": datetime.datetime(1980, 1, 1)})  # the same bytes on any day
        self._sheet: Any = self._workbook.add_worksheet()
        self._sheet.freeze_panes(1, 0)
        self._styles = [self._workbook.add_format({"num_format": style}) for _, style in _STYLES]
        bold = self._workbook.add_format({"bold": True})
        for position, column in enumerate(schema):
            self._put(position, column.name, bold)
            least = 20 if pa.types.is_timestamp(column.type) else 11  # what a date needs, so that it can be seen
            self._sheet.set_column(position, position, max(least, min(len(column.name) + 2, 40)))

    def write_table(self, table: Any) -> None:
        """Write the rows of a table."""
        if self._row + table.num_rows > MOST_ROWS:
            raise ValueError(self._too_many(f"{MOST_ROWS:,} rows"))
        styles = [self._style(column.type) for column in table.columns]
        for row in zip(*map(_cells, table.columns), strict=True):
            self._row += 1
            for position, cell in enumerate(row):
                if cell is not None:
                    self._put(position, cell, styles[position])

    def close(self) -> None:
        """Write the workbook to the stream."""
        if self._workbook.fileclosed:
            return
        try:
            self._workbook.close()
            with self._path.open("rb") as book:
                shutil.copyfileobj(book, self._stream)
        except (import_xlsxwriter(self._name).exceptions.FileCreateError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise OSError(f"{self._name} cannot be written ({reason}): try another folder.") from None
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Remove the temporary files; nothing is written to the stream."""
        self._workbook.fileclosed = True
        self._sheet._opt_close()
        self._folder.cleanup()

    def _too_many(self, most: str) -> str:
        return f"{self._name} would have more than {most}, the most that a sheet holds: write .parquet or .csv."

    def _style(self, kind: Any) -> Any:
        """Return how the cells of a column are shown; None for those that are no dates or times."""
        return next((style for style, (is_kind, _) in zip(self._styles, _STYLES, strict=True) if is_kind(kind)), None)

    def _put(self, position: int, cell: Any, style: Any) -> None:
        """Write a cell of the current row."""
        if isinstance(cell, bool):
            self._sheet.write_boolean(self._row, position, cell)
        elif isinstance(cell, (int, float)):
            self._sheet.write_number(self._row, position, _Exact(cell))
        elif not isinstance(cell, str):
            self._sheet.write_datetime(self._row, position, cell, style)
        elif cell and self._sheet.write_string(self._row, position, cell, None if self._row else style):
            raise ValueError(
                f"{self._name} would have a cell of {len(cell):,} characters, more than a sheet holds: write .parquet "
                "or .csv."
            )


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column as a sheet can hold them; as text, if it would change them."""
    types, kind = pa.types, column.type
    if types.is_dictionary(kind):
        return _cells(pc.cast(column, kind.value_type))
    if types.is_decimal(kind):
        column = pc.cast(column, pa.float64())
    elif (types.is_timestamp(kind) and kind.tz is None) or types.is_duration(kind):
        column = pc.cast(column, pa.timestamp("us") if types.is_timestamp(kind) else pa.duration("us"), safe=False)
    elif not any(is_kind(kind) for is_kind in (*_NUMBERS, types.is_date, types.is_time)):
        return pc.cast(column, pa.string()).to_pylist()  # type: ignore[no-any-return]
    return [_as_held(cell) for cell in column.to_pylist()]


def _as_held(cell: Any) -> Any:
    """Return a number, a date or a time as it is, or as text if a sheet would change it; None for NaN."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if math.isnan(cell) else str(cell)
    if isinstance(cell, int) and abs(cell) > _EXACT:
        return str(cell)
    day = cell.date() if isinstance(cell, datetime.datetime) else cell
    return str(cell) if isinstance(day, datetime.date) and day < _FIRST_DAY else cell
