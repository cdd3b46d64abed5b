"""Files and standard streams whose errors name them, and text that a terminal shows instead of obeying it."""

# The command imports this before anything else: it must need nothing that takes time.
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_UNSEEN = r"\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""Control characters but tab, carriage return, line feed and escape; marks of direction; halves of characters."""
_CONTROLS = re.compile(rf"[\r\x1b{_UNSEEN}]")
_FOREIGN = re.compile(rf"\x1b(?!\[[0-9;]*[A-DGHJKm]|\[\?25[hl])|[{_UNSEEN}]")
"""What is neither text nor a colour or a movement of the cursor, as tables and progress bars need."""


def printable(text: str) -> str:
    r"""Return a text with escapes such as ``\x1b`` for the characters that a terminal would obey or cannot show.

    >>> print(printable("cat\x1b[31m, \u202edog"))
    cat\x1b[31m, \u202edog
    """
    return _CONTROLS.sub(_escaped, text)


def legible(path: str) -> str:
    r"""Return the name of a file with escapes for bytes that are not UTF-8, so that it can be written into other files.

    >>> print(legible("b\udcff.csv"))
    b\xff.csv
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _escaped(found: re.Match[str]) -> str:
    return legible(found[0]) if "\udc80" <= found[0] <= "\udcff" else found[0].encode("unicode_escape").decode("ascii")


# --- Errors that name the file ---------------------------------------------------------------------


@contextmanager
def naming(name: str | Path) -> Iterator[None]:
    """Let an error of the operating system, such as a full disk, name this file, not a temporary one or none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(name)) from None


class NamedFile(io.FileIO):
    """A file to write to, by its path or its descriptor, whose errors name it as a user knows it."""

    def __init__(self, file: Path | int, mode: str, known_as: str | Path) -> None:
        self._known_as = known_as
        with naming(known_as):
            super().__init__(file, mode, closefd=not isinstance(file, int))

    def write(self, data: Any, /) -> int:
        """Write bytes, and return how many were written."""
        with naming(self._known_as):
            return super().write(data)


# --- Standard streams ------------------------------------------------------------------------------


class _Notes(io.FileIO):
    """Standard error, on which a note that cannot be written is lost: the work goes on."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


class _Output(io.TextIOWrapper):
    """Standard output or standard error: to a terminal, it passes on text and colours, and nothing else."""

    def __init__(self, raw: io.FileIO, encoding: str) -> None:
        self._terminal = raw.isatty()
        at_once = self._terminal or isinstance(raw, _Notes)
        super().__init__(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=at_once)

    def write(self, text: str, /) -> int:
        return super().write(_FOREIGN.sub(_escaped, text) if self._terminal else text)


def prepare_streams() -> None:
    """Make the standard streams of the command safe to use, before anything is read or printed.

    A closed stream is opened, because the first file that is opened would get its number: nothing can be read from it,
    an output to it is an error, and notes to it are lost. A character that the encoding lacks is printed as an
    escape.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)  # the lowest number that is free: this one
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _Output(NamedFile(1, "w", "standard output"), getattr(sys.stdout, "encoding", "utf-8"))
    sys.stderr = _Output(_Notes(2, "w", closefd=False), getattr(sys.stderr, "encoding", "utf-8"))
