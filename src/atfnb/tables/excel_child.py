"""The process that reads a workbook: what a damaged or hostile file does to its reader, it does here.

:mod:`atfnb.tables.excel_workbook` starts this file as a script, with its limits as arguments: the bytes of memory and
the seconds of processor time. Each request on standard input names a method of :class:`Reader`, and is answered on
standard output. Nothing of atfnb is imported, so that the process starts within some 30 ms.
"""

from __future__ import annotations

import faulthandler
import io
import os
import pickle
import posixpath
import re
import signal
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import IO, Any

_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^<>]*>")
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\s[^<>]*>")
_ERROR = re.compile(rb"<(?:\w+:)?c\s(?=[^<>]*\bt=[\"']e[\"'])[^<>]*\br=[\"']([A-Z]{1,3})([0-9]{1,7})[\"']")
_PIECE = 1 << 22


class Reader:
    """A workbook of Excel or LibreOffice, and the rows of its sheets."""

    _archive: zipfile.ZipFile
    _book: Any
    _rows: Iterator[list[Any]]

    def open(self, data: bytes) -> list[tuple[str, bool]]:
        """Open the bytes of a file; return the names of its sheets, without charts, and which ones are visible."""
        import python_calamine as reader

        self._archive = zipfile.ZipFile(io.BytesIO(data))
        damaged = self._archive.testzip()  # the reader need not notice damage
        if damaged is not None:
            raise zipfile.BadZipFile(f"the checksum of {damaged} is wrong")
        self._book = reader.load_workbook(io.BytesIO(data))
        sheets = [each for each in self._book.sheets_metadata if each.typ == reader.SheetTypeEnum.WorkSheet]
        return [(each.name, each.visible == reader.SheetVisibleEnum.Visible) for each in sheets]

    def sheet(self, name: str) -> dict[str, Any]:
        """Turn to the rows of a sheet; return what else :class:`~atfnb.tables.excel_workbook.Sheet` holds."""
        errors = _formula_errors(self._archive, self._book.sheet_names.index(name))
        sheet = self._book.get_sheet_by_name(name)
        (_, left), (last, right) = sheet.start or (0, 0), sheet.end or (-1, -1)
        self._rows, merged = iter(sheet.iter_rows()), sheet.merged_cell_ranges or []
        facts = {"left": left, "width": right + 1 - left, "last": last + 1, "merged": merged, "errors": errors}
        return facts | {"has_unknown_merged": _holds(self._archive, "content.xml", b"<table:covered-table-cell")}

    def rows(self, most: int) -> list[list[Any]]:
        """Return the next rows of the sheet, of which empty ones have no cells; none at its end."""
        return [row if row.count("") < len(row) else [] for row in islice(self._rows, most)]


def _formula_errors(archive: zipfile.ZipFile, position: int) -> list[tuple[int, str]]:
    """Return the row, counted from 1, and the letters of the column of each formula error on a sheet of .xlsx.

    The reader returns an empty cell for them, so the XML of the sheet is searched.
    """
    try:
        sheet = _SHEET.findall(archive.read("xl/workbook.xml"))[position]
        relations = _RELATION.findall(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {_attribute(each, rb"Id"): _attribute(each, rb"Target") for each in relations}
        target = posixpath.join("xl", targets[_attribute(sheet, rb"\w+:id")])
        part = archive.open(posixpath.normpath(target).lstrip("/"))
    except (KeyError, IndexError):  # another format
        return []
    found = []
    for piece in _pieces(part):
        if re.search(rb"t=[\"']e[\"']", piece):
            found += [(int(row), letters.decode()) for letters, row in _ERROR.findall(piece)]
    return found


def _holds(archive: zipfile.ZipFile, member: str, tag: bytes) -> bool:
    return member in archive.namelist() and any(tag in piece for piece in _pieces(archive.open(member)))


def _pieces(part: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces that end with a tag."""
    rest = b""
    with part:
        while piece := part.read(_PIECE):
            whole, tag, rest = (rest[-_PIECE:] + piece).rpartition(b">")
            yield whole + tag


def _attribute(tag: bytes, name: bytes) -> str:
    found = re.search(rb"\s" + name + rb"\s*=\s*[\"']([^\"']*)", tag)
    return "" if found is None else found[1].decode("utf-8", "replace")


def _limit(memory: int, seconds: int) -> None:
    """Let the system end this process if it needs more memory or time."""
    try:
        import resource
    except ImportError:  # Windows, which limits neither
        faulthandler.dump_traceback_later(seconds, exit=True)
        return
    for limit, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(limit)[1]
        with suppress(ValueError, OSError):  # macOS refuses to limit memory
            resource.setrlimit(limit, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def answer(reader: Reader, request: tuple[Any, ...]) -> tuple[Any, str | None]:
    """Return what a method of the reader returns, and no fault; or nothing, and the fault in a line."""
    method, *arguments = request
    try:
        return getattr(reader, method)(*arguments), None
    except MemoryError:
        os.abort()  # as the reader does where it runs out of memory
    except BaseException as error:  # a panic of the reader is no Exception
        return None, (str(error).strip().splitlines() or [type(error).__name__])[0]


def _main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches this process too, and Python's handler would wait
    _limit(*map(int, sys.argv[1:]))
    reader = Reader()
    with suppress(EOFError):
        while True:
            request = pickle.load(sys.stdin.buffer)  # noqa: S301 our own process wrote it
            pickle.dump(answer(reader, request), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    _main()
