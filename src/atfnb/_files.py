"""Files that are replaced whole or not at all.

:class:`NewFile` is the one place where a file is written under a temporary name and then renamed.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self
from uuid import uuid4

from atfnb._stops import note_written, unfinished
from atfnb._streams import NamedFile, naming

_LONGEST = 150
"""The longest name, in bytes, that a temporary name repeats; a longer one is replaced by its checksum."""
_ABANDONED = 7 * 24 * 3600.0
"""The number of seconds without a change after which a temporary file is removed, even if it may be locked."""
_NEW = 0.2
"""The number of seconds without a change in which a temporary file may not be locked yet."""


def write_whole(path: Path, text: str | bytes, *, lasting: bool = False) -> None:
    """Replace the content of a file by a text; if that fails, the file stays as it was.

    Parameters
    ----------
    path : Path
        The file to replace or to make.
    text : str or bytes
        What to write; text is encoded as UTF-8.
    lasting : bool, default=False
        Whether to wait until the data are on disk, in case the power fails.
    """
    with NewFile(path) as new:
        new.file.write(text.encode("utf-8") if isinstance(text, str) else text)
        new.keep(lasting=lasting)


def check_writable(path: Path) -> None:
    """Raise an error that says why, if a file cannot be written: call it before work that takes long.

    Parameters
    ----------
    path : Path
        The file to replace or to make. A file that exists stays as it is.

    Raises
    ------
    OSError
        If there is no such folder, or nothing can be written into it, or the path leads to something else than a file.
    """
    NewFile(path).discard()


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Wait until no other process that calls this function changes a file, and keep others waiting in the block inside.

    The file itself is locked, so nothing is left behind when a process is killed. The block may replace the file: who
    waited for the old one then waits for the new one. Where there is no lock (on Windows), nobody waits.
    """
    with ExitStack() as opened:
        while path.is_file():  # whatever else it is, the block says what is wrong with it
            opened.close()
            file = opened.enter_context(path.open("rb"))
            if not _locked(file, wait=True):
                opened.close()
                break
            if not path.exists() or os.path.samestat(os.fstat(file.fileno()), path.stat()):
                break
        yield


def _locked(file: BinaryIO, *, wait: bool) -> bool:
    """Lock a file until it is closed; return False if somebody else has, or there are no locks."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # Windows, and some network drives
        return False
    return True


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    r"""Return rows as CSV in which no text breaks a line, and none is a formula if a spreadsheet opens the file.

    An apostrophe stands before text that begins like a formula; numbers, and ranges of them, are left as they are.

    >>> csv_text([["=1+1", "-2.5 to 3", "a\rb", -1], ["-cmd", "+1", "", 2.5]])
    '\'=1+1,-2.5 to 3,"a\rb",-1\n\'-cmd,+1,,2.5\n'
    """
    lines = io.StringIO(newline="")
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line).writerow(f"'{cell}" if _like_formula(cell) else cell for cell in row)
        lines.write(line.getvalue()[:-2] + "\n")  # it ends in \r\n, so that text with either of these is quoted
    return lines.getvalue()


def _like_formula(cell: object) -> bool:
    """Return whether a spreadsheet would take a cell for a formula."""
    if not (isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))):
        return False
    try:
        return not [float(number) for number in cell.split(" to ")]
    except ValueError:
        return True


class NewFile:
    """A file that is written under a temporary name, and gets its final name when :meth:`keep` is called.

    It also removes the temporary files that earlier processes left when they were killed while they wrote the same
    file: those that nobody has locked, and where there are no locks those that are a week old.

    Parameters
    ----------
    path : Path
        The file to replace or to make. The file that a link leads to is replaced, not the link.

    Attributes
    ----------
    file : binary file
        Where to write the content.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with NewFile(Path(folder, "a.txt")) as new:
    ...         _ = new.file.write(b"whole")
    ...         new.keep()
    ...     os.listdir(folder)
    ['a.txt']
    """

    def __init__(self, path: Path) -> None:
        self._path, self._final = path, _destination(path)
        _remove_leftovers(self._final)
        self._temporary: Path | None = self._final.with_name(f".{_stem(self._final.name)}.{uuid4().hex}.new")
        unfinished.add(str(self._temporary))
        try:
            self.file: BinaryIO = io.BufferedWriter(NamedFile(self._temporary, "x", path))
        except BaseException:
            unfinished.discard(str(self._temporary))
            raise
        self._lock = self._temporary.open("rb")
        if not _locked(self._lock, wait=False):
            self._lock.close()

    def keep(self, *, lasting: bool = False) -> None:
        """Close the file and give it its final name; ``lasting`` waits for the disk, in case the power fails."""
        if self._temporary is None:
            return
        with naming(self._path):
            self.file.close()
            if lasting:
                with self._temporary.open("rb") as written:
                    os.fsync(written.fileno())
            if self._final.exists():
                self._temporary.chmod(self._final.stat().st_mode)
            self._temporary.replace(self._final)
        note_written()
        self._forget()

    def discard(self) -> None:
        """Close the file, and remove it unless it was kept."""
        with suppress(OSError):  # on a full disk; what was not written is not kept
            self.file.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)
            self._forget()

    def _forget(self) -> None:
        self._lock.close()
        unfinished.discard(str(self._temporary))
        self._temporary = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def _destination(path: Path) -> Path:
    """Return the file that a path leads to over links; raise an error if no file can be there."""
    final = Path(os.path.realpath(path))
    if final.is_symlink():
        raise OSError(f"{path} is a link that leads back to itself: give another name.")
    if final.is_dir():
        raise IsADirectoryError(f"{path} is a folder: give the name of a file.")
    if final.exists() and not final.is_file():
        raise FileExistsError(f"{path} is a device or a pipe, not a file: give another name.")
    if not final.parent.is_dir():
        folder = final.parent if path.is_symlink() else path.parent
        raise FileNotFoundError(f"there is no folder {folder}: create it, or choose another one.")
    return final


def _stem(name: str) -> str:
    """Return the beginning of the temporary names of a file."""
    raw = os.fsencode(name)
    return name if len(raw) <= _LONGEST else hashlib.sha256(raw).hexdigest()


def _remove_leftovers(final: Path) -> None:
    """Remove the temporary files of processes that were killed while they wrote this file."""
    pattern = re.compile(re.escape(f".{_stem(final.name)}.") + r"[0-9a-f]{32}\.new")
    with suppress(OSError):  # a folder may be written to and not listed
        for path in map(final.with_name, filter(pattern.fullmatch, os.listdir(final.parent))):
            with suppress(OSError):  # in a folder where only the owner of a file may remove it
                if _is_abandoned(path):
                    path.unlink()


def _is_abandoned(path: Path) -> bool:
    """Return whether nobody will finish a temporary file: no process has locked it, or nothing changed for a week."""
    age = time.time() - path.stat().st_mtime
    with path.open("rb") as file:
        return age > _ABANDONED or (age > _NEW and _locked(file, wait=False))
