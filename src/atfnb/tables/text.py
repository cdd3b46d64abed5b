"""The bytes of a text as UTF-8, checked on the way: an undecodable byte or a NUL is refused with its line."""

from __future__ import annotations

import codecs
import io
from typing import Any

_STEP = 1 << 20


class UndecodableError(ValueError):
    """A byte that the encoding does not have."""


class Utf8Stream(io.RawIOBase):
    """A text file as UTF-8 without a mark, whatever its encoding.

    Parameters
    ----------
    raw : stream of bytes
        The file.
    encoding : str
        Its encoding.
    name : str
        The file's name, for sentences.
    first_line : int
        The line that the bytes begin with, for sentences.
    """

    def __init__(self, raw: Any, encoding: str, name: str, first_line: int = 1) -> None:
        self._raw, self.encoding, self.name, self.first_line = raw, encoding, name, first_line
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready, self._ended, self._lines = b"", False, first_line
        self.tail = b""
        """The last bytes that were read."""

    def readable(self) -> bool:
        """Always."""
        return True

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay to be read."""
        self._fill(size)
        return self._ready[:size]

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or the rest. Never more: pyarrow would write them beyond its buffer."""
        self._fill(size)
        taken = self._ready if size < 0 else self._ready[:size]
        self._ready = self._ready[len(taken) :]
        if taken:
            self.tail = taken[-64:]
        return taken

    def _fill(self, size: int) -> None:
        pieces, length = [self._ready], len(self._ready)
        while not self._ended and (size < 0 or length < size):
            piece = self._next(_STEP if size < 0 else max(size - length, 64))
            pieces.append(piece)
            length += len(piece)
        self._ready = b"".join(pieces)

    def _next(self, size: int) -> bytes:
        chunk = self._raw.read(size)
        self._ended = not chunk
        if not self.encoding.startswith(("utf-16", "utf-32")):
            self._refuse_nul(chunk)  # first of all: what is no text is in no encoding either
        try:
            text = self._decoder.decode(chunk, final=self._ended)
            plain = text.encode("utf-8")
        except UnicodeDecodeError as error:
            raise UndecodableError(self._undecodable(error)) from None
        except UnicodeError:  # half a pair of surrogates, which some encodings let pass
            raise UndecodableError(self._sentence(self._lines, "a character that cannot be")) from None
        self._refuse_nul(plain)
        self._lines += _line_ends(plain)
        return plain

    def _refuse_nul(self, text: bytes) -> None:
        if b"\0" in text:
            line = self._lines + _line_ends(text[: text.index(b"\0")])
            raise ValueError(
                f"{self.name} holds a NUL byte in line {line}: it is no text, or damaged; save the table as CSV again."
            )

    def _undecodable(self, error: UnicodeDecodeError) -> str:
        before = error.object[: error.start].decode(self.encoding, "replace").encode("utf-8", "replace")
        return self._sentence(self._lines + _line_ends(before), f"the byte 0x{error.object[error.start]:02X}")

    def _sentence(self, line: int, what: str) -> str:
        return (
            f"{self.name} holds {what} in line {line}, which is not {self.encoding.upper()}: "
            "give its encoding, as --encoding cp1252."
        )


def _line_ends(text: bytes) -> int:
    return text.count(b"\n") or text.count(b"\r")
