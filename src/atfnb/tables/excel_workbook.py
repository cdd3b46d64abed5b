"""A workbook: the names of its sheets, and the cells of each. Needs the extra ``excel``."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from signal import Signals
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

from atfnb._errors import counted, listed_names
from atfnb._stops import Undoing
from atfnb.tables.headers import Merged
from atfnb.tables.sources import FileKind

SHEET_ROWS = 1 << 20
"""The largest number of rows of a sheet."""
BLOCK = 4096
"""The number of rows that are read at a time."""
MEMORY = 2 << 30, 64
"""The bytes of memory that reading a workbook may take: as many, and as many more for each byte of the file."""
SECONDS = 30, 10
"""The seconds of processor time that it may take: as many, and as many more for each MB of the file."""


@dataclass(frozen=True)
class Sheet:
    """The cells of a sheet."""

    rows: Iterator[tuple[int, list[Any]]]
    """The number of each row, counted from 1, and its cells, from the first column that is not empty."""
    left: int
    """The first column that is not empty, counted from 0."""
    width: int
    """The number of columns from there on."""
    last: int
    """The number of the last row, counted from 1; 0 if the sheet is empty."""
    merged: Collection[Merged]
    """The merged cells in an .xlsx file."""
    filled: Collection[Merged]
    """Those that were filled in the rows so far: each of their cells has the value of the first."""
    has_unknown_merged: bool
    """Whether there are merged cells in an .ods file, where only the first of them has a value."""
    errors: Collection[tuple[int, str]]
    """The row, counted from 1, and the letters of the column of each formula error in an .xlsx file."""


@contextmanager
def open_workbook(data: bytes, name: str, kind: FileKind) -> Iterator[Workbook]:
    """Open a workbook, which a process of its own reads until the context ends.

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
        If the file is damaged, has no sheets but charts, or needs too much memory or time.
    OSError
        If no process can be started.
    ImportError
        If the extra ``excel`` is not installed.
    """
    try:
        import python_calamine  # noqa: F401 the process that reads will need it
    except ImportError:
        raise ImportError(
            f"{name} is a workbook, which needs python-calamine to be read: pip install 'atfnb[excel]'"
        ) from None
    with Undoing(), closing(Workbook(name, kind, len(data))) as workbook:
        workbook.open(data)
        yield workbook


class Workbook:
    """A workbook of Excel or LibreOffice, and the process that reads it, ``excel_child.py``: there it does no harm.

    Parameters
    ----------
    name, kind : str
        The name and the format of the file, for messages.
    size : int
        The number of bytes of the file, which the limits of memory and time depend on.

    Attributes
    ----------
    sheets : list of str
        The names of the sheets, without those that hold a chart only.
    """

    def __init__(self, name: str, kind: FileKind, size: int) -> None:
        self._name, self._kind = name, kind
        self._memory = MEMORY[0] + MEMORY[1] * size
        self._seconds = SECONDS[0] + SECONDS[1] * size // 10**6
        python = "" if hasattr(sys, "frozen") else sys.executable or ""  # a frozen program would start itself
        script = str(Path(__file__).with_name("excel_child.py"))
        command = [python, "-P", script, str(self._memory), str(self._seconds)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment)
        except OSError as error:
            raise OSError(
                f"{name} cannot be read, as no process can be started for it ({error.strerror}): save the table as CSV."
            ) from None

    def open(self, data: bytes) -> None:
        """Read the names of the sheets from the bytes of the file."""
        found: list[tuple[str, bool]] = self._ask("open", data)
        self.sheets = [sheet for sheet, _ in found]
        self._visible = [sheet for sheet, is_visible in found if is_visible]
        if not self.sheets:
            raise ValueError(f"{self._name} has no sheet with cells: give a workbook with a table.")

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
        """Return a sheet, whose rows can be read until the next one is asked for."""
        facts, filled = self._ask("sheet", name), list[Merged]()
        rows = self._rows(facts["width"])
        if facts["merged"]:
            errors = {row for row, _ in facts["errors"]}
            rows = _with_merged(rows, facts["merged"], facts["left"], errors, filled)
        return Sheet(enumerate(rows, 1), filled=filled, **facts)

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        with suppress(OSError):  # what it was still to be asked
            self._process.communicate()

    def _rows(self, width: int) -> Iterator[list[Any]]:
        while rows := self._ask("rows", BLOCK):
            for row in rows:
                yield row or [""] * width

    def _ask(self, *request: Any) -> Any:
        """Return what a method of the reader returns; raise a ValueError with one sentence if it fails in any way."""
        try:
            value, fault = self._exchange(request)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise ValueError(self._ended()) from None
        if fault is not None:
            fault = fault.rstrip(".")
            raise ValueError(f"{self._name} is a damaged {self._kind} workbook ({fault}): save or copy it again.")
        return value

    def _exchange(self, request: Any) -> Any:
        asked: Any = self._process.stdin
        pickle.dump(request, asked, pickle.HIGHEST_PROTOCOL)
        asked.flush()
        return pickle.load(self._process.stdout)  # type: ignore[arg-type]  # noqa: S301 our own process wrote it

    def _ended(self) -> str:
        """Return why the process has ended."""
        code = self._process.wait()
        how = Signals(-code).name if code < 0 else f"code {code}"
        if how in ("SIGABRT", "SIGKILL"):
            why = f"it needs more than {self._memory / 2**30:.0f} GB of memory: delete cells far from the table"
        elif how == "SIGXCPU":
            why = f"it takes more than {counted(self._seconds, 'second')}: save it again"
        else:
            why = f"its reader ended with {how}: save it again"
        return f"{self._name} cannot be read, as {why}, or save the table as CSV."


def _with_merged(
    rows: Iterator[list[Any]], merged: Collection[Merged], left: int, errors: Collection[int], filled: list[Merged]
) -> Iterator[list[Any]]:
    """Generate rows in which merged cells have the value of the first; add those that are filled to a list.

    The first row of a range must have other cells, as otherwise the range is a title. Empty rows stay empty.
    """
    beginning = {top: list(some) for top, some in groupby(sorted(merged), key=lambda each: each[0][0])}
    active: list[tuple[int, slice, Any]] = []
    for number, row in enumerate(rows):
        active = [each for each in active if each[0] >= number]
        if row.count("") < len(row) or number + 1 in errors:
            for _, columns, value in active:
                row[columns] = [value if cell == "" else cell for cell in row[columns]]
        for each in beginning.get(number, ()):
            (_, first), (bottom, last) = each
            columns = slice(max(first - left, 0), max(last + 1 - left, 0))
            value = (row[columns] or [""])[0]
            if value != "" and (len(row) - row.count("") > 1 or len(row) == 1):
                active.append((bottom, columns, value))
                row[columns] = [value if cell == "" else cell for cell in row[columns]]
                filled.append(each)
        yield row
