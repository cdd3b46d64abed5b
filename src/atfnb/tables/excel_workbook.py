"""A workbook: the names of its sheets, and the cells of one of them. Needs the extra ``excel``."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from atfnb._errors import first_line, listed_names
from atfnb.tables.excel_scan import scan_sheet
from atfnb.tables.sources import FileKind

SHEET_ROWS = 1 << 20
"""The largest number of rows of a sheet."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, OSError)
"""What readers of zip files raise on damaged ones, beside the errors of the reader of workbooks."""


@dataclass(frozen=True)
class Sheet:
    """The cells of a sheet."""

    rows: Iterator[tuple[int, list[Any]]]
    """The number of each row, counted from 1, and its cells, from the first column that is not empty."""
    left: int
    """The first column that is not empty, counted from 0."""
    last: int
    """The number of the last row, counted from 1; 0 if the sheet is empty."""
    merged: Collection[tuple[tuple[int, int], tuple[int, int]]]
    """The first and the last row and column of merged cells, counted from 0."""
    errors: Collection[tuple[int, int]]
    """The row, counted from 1, and the column, counted from 0, of each formula error in an .xlsx file."""


class Workbook:
    """A workbook of Excel or LibreOffice in memory: the names of its sheets, and the cells of each.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        The name of the file, for messages.
    kind : str
        The format, for messages.

    Raises
    ------
    ValueError
        If the file is damaged, or has no sheets but charts.
    ImportError
        If the extra ``excel`` is not installed.
    """

    def __init__(self, data: bytes, name: str, kind: FileKind) -> None:
        try:
            import python_calamine as reader
        except ImportError:
            raise ImportError(
                f"{name} is a workbook, which needs python-calamine to be read: pip install 'atfnb[excel]'"
            ) from None
        self._data, self._name, self._kind = data, name, kind
        with self._reading():
            _check(data)
            self._book = reader.load_workbook(io.BytesIO(data))
            found = [each for each in self._book.sheets_metadata if each.typ == reader.SheetTypeEnum.WorkSheet]
        self.sheets = [each.name for each in found]
        """The names of the sheets, without those that hold a chart only."""
        self._visible = [each.name for each in found if each.visible == reader.SheetVisibleEnum.Visible]
        if not self.sheets:
            raise ValueError(f"{name} has no sheet with cells: give a workbook with a table.")

    def named(self, asked: str | None) -> str:
        """Return the name of a sheet from its name or number; of the first that is visible, if it is None."""
        if asked is None:
            return (self._visible or self.sheets)[0]
        if asked in self.sheets:
            return asked
        if asked.isdecimal() and 1 <= int(asked) <= len(self.sheets):
            return self.sheets[int(asked) - 1]
        raise ValueError(f"{self._name} has no sheet {asked!r}: it has {listed_names(self.sheets)}.")

    def read(self, name: str) -> Sheet:
        """Return the cells of a sheet; nothing else of the workbook is read any more."""
        with self._reading():
            scan = scan_sheet(self._data, self._book.sheet_names.index(name))
        if scan.reaches is not None:
            raise ValueError(
                f"sheet {name!r} of {self._name} has cells as far as {scan.reaches} and is almost empty: delete the "
                "cells that do not belong to the table."
            )
        with self._reading():
            sheet = self._book.get_sheet_by_name(name)
            self._book.close()
            (_, left), (last, _) = sheet.start or (0, 0), sheet.end or (-1, 0)
            return Sheet(enumerate(sheet.iter_rows(), 1), left, last + 1, sheet.merged_cell_ranges or (), scan.errors)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Report the errors of the reader as one sentence."""
        from python_calamine import CalamineError

        try:
            yield
        except BaseException as error:
            if isinstance(error, (CalamineError, *_DAMAGED)) or type(error).__name__ == "PanicException":
                raise ValueError(
                    f"{self._name} is a damaged {self._kind} workbook ({first_line(error)}): save or copy it again."
                ) from None
            raise


def _check(data: bytes) -> None:
    """Raise an error if a part of a workbook is damaged, which its reader need not notice, or may not survive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        damaged = archive.testzip()
    if damaged is not None:
        raise zipfile.BadZipFile(f"the checksum of {damaged} is wrong")
