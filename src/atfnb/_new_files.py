"""Files that are written beside their final place and take it when they are complete."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from atfnb._stops import note_written, unfinished

_LONGEST = 150
"""Bytes of a file's name that its temporary name repeats; of a longer one, a checksum."""
_ABANDONED = 7 * 24 * 3600.0
"""After so many seconds without a change, a temporary file is given up, whoever wrote it."""
_numbers = count()


class NewFile:
    """A file that replaces another when it is kept; otherwise it leaves no trace.

    What earlier processes of this machine left of the same file when they were killed is removed.

    Parameters
    ----------
    path : Path
        The file to replace or to make. The file that a link leads to is replaced, not the link.

    Attributes
    ----------
    file : binary file
        What to write to.

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
        self._final = path.resolve()
        _remove_leftovers(self._final)
        name = f".{_stem(self._final.name)}.{_here()}.{os.getpid()}.{next(_numbers)}"
        self._temporary: Path | None = self._final.with_name(name)
        unfinished.add(str(self._temporary))
        try:
            self.file: BinaryIO = self._temporary.open("xb")
        except BaseException:
            self._forget()
            raise

    def keep(self, *, lasting: bool = False) -> None:
        """Let the file take its place; ``lasting`` waits for the disk, in case the power fails."""
        if self._temporary is None:
            return
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
        """Remove the file, unless it was kept."""
        self.file.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)
            self._forget()

    def _forget(self) -> None:
        unfinished.discard(str(self._temporary))
        self._temporary = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()


def _stem(name: str) -> str:
    """Return what the temporary names of a file begin with."""
    raw = os.fsencode(name)
    return name if len(raw) <= _LONGEST else hashlib.sha256(raw).hexdigest()


def _here() -> str:
    """Return a short name of where process numbers are unique: of this machine, or of this container on it."""
    try:
        numbered = os.readlink("/proc/self/ns/pid")
    except OSError:
        numbered = ""
    return hashlib.sha256(f"{socket.gethostname()} {numbered}".encode()).hexdigest()[:12]


def _remove_leftovers(final: Path) -> None:
    """Remove the temporary files of processes that were killed while they wrote this file."""
    pattern = re.compile(re.escape(f".{_stem(final.name)}.") + r"([0-9a-f]{12})\.([0-9]{1,9})\.[0-9]+")
    try:
        names = os.listdir(final.parent)
    except OSError:  # a folder may be written to and not listed
        return
    for name in names:
        found = pattern.fullmatch(name)
        if found and _is_abandoned(final.with_name(name), found[1], int(found[2])):
            with suppress(OSError):  # in a folder where only the owner of a file may remove it
                final.with_name(name).unlink()


def _is_abandoned(path: Path, where: str, process: int) -> bool:
    if where == _here() and not _lives(process, path):
        return True
    try:
        return time.time() - path.stat().st_mtime > _ABANDONED
    except FileNotFoundError:
        return False


def _lives(process: int, path: Path) -> bool:
    """Return whether a process may still be writing a file."""
    if process == os.getpid():
        return str(path) in unfinished  # an earlier process may have had the same number
    if os.name == "nt":  # where signal 0 is Ctrl-C; the age of the file decides
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it lives, and is somebody else's
        return True
    return True
