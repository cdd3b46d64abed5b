"""Write tables to an .xlsx workbook, row by row, in little memory. Needs the extra ``excel``."""

from __future__ import annotations

import datetime
import math
import tempfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_MOST_ROWS, _MOST_COLUMNS = (1 << 20) - 1, 1 << 14
"""The largest number of rows below the header, and of columns, that a sheet holds."""
_EXACT = 1 << 53
"""Whole numbers beyond this are written as text, because a workbook would round them."""
_FIRST_DAY = datetime.date(1900, 3, 1)
"""Dates before this are written as text: Excel has none before 1900, and a wrong one in February 1900."""
_FORMATS = {"day": "yyyy-mm-dd", "moment": "yyyy-mm-dd hh:mm:ss", "time": "hh:mm:ss", "duration": "[h]:mm:ss"}


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


class _Stream:
    """Passes bytes on until that fails; what the archive writes after an error, when it is thrown away, is dropped."""

    def __init__(self, raw: Any) -> None:
        self._raw, self.ended = raw, False

    def write(self, data: bytes) -> int:
        """Write bytes, and return their number."""
        if not self.ended:
            try:
                self._raw.write(data)
            except BaseException:
                self.ended = True
                raise
        return len(data)

    def flush(self) -> None:
        """Do nothing: every byte is already passed on."""


class ExcelSink:
    """Writes tables to a stream as the only sheet of an .xlsx workbook; text is never taken for a formula or a link.

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
        self._name, self._row, self._stream = name, 0, _Stream(stream)
        if len(schema) > _MOST_COLUMNS:
            raise ValueError(self._too_many(f"{_MOST_COLUMNS:,} columns"))
        self._folder = tempfile.TemporaryDirectory()
        options = {"constant_memory": True, "tmpdir": self._folder.name, "use_zip64": True}
        self._workbook = import_xlsxwriter(name).Workbook(self._stream, options)
        self._workbook.set_properties({"created": datetime.datetime(1980, 1, 1)})  # the same bytes on any day
        self._sheet: Any = self._workbook.add_worksheet()
        self._sheet.freeze_panes(1, 0)
        self._formats = {kind: self._workbook.add_format({"num_format": text}) for kind, text in _FORMATS.items()}
        bold = self._workbook.add_format({"bold": True})
        for position, column in enumerate(schema):
            self._put_text(0, position, column.name, bold)
            least = 20 if pa.types.is_timestamp(column.type) else 11  # what a date needs, so that it can be seen
            self._sheet.set_column(position, position, max(least, min(len(column.name) + 2, 40)))

    def write_table(self, table: Any) -> None:
        """Write the rows of a table."""
        if self._row + table.num_rows > _MOST_ROWS:
            raise ValueError(self._too_many(f"{_MOST_ROWS:,} rows"))
        columns = [(position, *self._cells(column)) for position, column in enumerate(table.columns)]
        for i in range(table.num_rows):
            self._row += 1
            for position, put, cells in columns:
                if (cell := cells[i]) is not None:
                    put(self._row, position, cell)

    def close(self) -> None:
        """Write the workbook to the stream."""
        if self._workbook.fileclosed:
            return
        try:
            self._workbook.close()
        except import_xlsxwriter(self._name).exceptions.FileCreateError as error:
            reason = getattr(error.args[0], "strerror", error)
            raise OSError(f"{self._name} cannot be written ({reason}): try another folder.") from None
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Remove the temporary files; nothing more is written to the stream."""
        self._stream.ended = self._workbook.fileclosed = True
        self._sheet._opt_close()
        self._folder.cleanup()

    def _too_many(self, most: str) -> str:
        return f"{self._name} would have more than {most}, the most that a sheet holds: write .parquet or .csv."

    # --- Cells -------------------------------------------------------------------------------------

    def _cells(self, column: Any) -> tuple[Callable[[int, int, Any], None], list[Any]]:
        """Return the method that writes the cells of a column, and the cells."""
        types, kind = pa.types, column.type
        if types.is_dictionary(kind):
            return self._cells(pc.cast(column, kind.value_type))
        if types.is_boolean(kind):
            return self._sheet.write_boolean, column.to_pylist()
        if types.is_decimal(kind):
            return self._put_number, pc.cast(column, pa.float64()).to_pylist()
        if types.is_integer(kind) or types.is_floating(kind):
            return self._put_number, column.to_pylist()
        if types.is_date(kind):
            return self._put_day, column.to_pylist()
        if types.is_timestamp(kind) and kind.tz is None:
            return self._put_moment, pc.cast(column, pa.timestamp("us"), safe=False).to_pylist()
        if types.is_time(kind):
            return self._put_time, column.to_pylist()
        if types.is_duration(kind):
            return self._put_duration, pc.cast(column, pa.duration("us"), safe=False).to_pylist()
        return self._put_text, pc.cast(column, pa.string()).to_pylist()

    def _put_text(self, row: int, position: int, text: str, style: Any = None) -> None:
        if text and self._sheet.write_string(row, position, text, style):
            raise ValueError(
                f"{self._name} would have a cell of {len(text):,} characters, more than a sheet holds: write .parquet "
                "or .csv."
            )

    def _put_number(self, row: int, position: int, number: float) -> None:
        if math.isfinite(number) and (isinstance(number, float) or abs(number) <= _EXACT):
            self._sheet.write_number(row, position, _Exact(number))
        elif not math.isnan(number):
            self._put_text(row, position, str(number))

    def _put_day(self, row: int, position: int, day: datetime.date) -> None:
        self._put_date(row, position, day, day, "day")

    def _put_moment(self, row: int, position: int, moment: datetime.datetime) -> None:
        self._put_date(row, position, moment.date(), moment, "moment")

    def _put_date(self, row: int, position: int, day: datetime.date, value: Any, style: str) -> None:
        if day < _FIRST_DAY:
            self._put_text(row, position, str(value))
        else:
            self._sheet.write_datetime(row, position, value, self._formats[style])

    def _put_time(self, row: int, position: int, time: datetime.time) -> None:
        self._sheet.write_datetime(row, position, time, self._formats["time"])

    def _put_duration(self, row: int, position: int, duration: datetime.timedelta) -> None:
        self._sheet.write_datetime(row, position, duration, self._formats["duration"])
