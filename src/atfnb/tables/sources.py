"""From a path to bytes: what a file is, by its first bytes, and what packs it."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

HEAD = 512
"""So many bytes tell what a file is."""

_PACKED = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
}
_FOREIGN = [
    (rb"SQLite format 3\0", "a SQLite database: export the table as CSV"),
    (rb"\x80[\x02-\x05]", "a Python pickle, which could run anything: save the table as CSV or Parquet"),
    (rb"\x93NUMPY", "a NumPy array without column names: save the table as CSV or Parquet"),
    (rb"\x89HDF\r\n", "an HDF5 file: save the table as CSV or Parquet"),
    (rb"\xd0\xcf\x11\xe0", "an old Excel workbook: save it as CSV"),
    (rb"FEA1", "a Feather file of the first version: save it again, as Arrow or Parquet"),
    (rb"%PDF", "a PDF document: give the table as CSV"),
    (rb"\s*(?i:<!doctype html|<html)", "a web page: download the table itself, as CSV"),
    (rb"\s*<\?xml", "an XML document: save the table as CSV"),
    (rb"\s*(\{\s*[\"}]|\[\s*[\[{\"])", "JSON: save the table as CSV or Parquet"),
    (rb"(?s).{257}ustar", "a tar archive: unpack it, and give the table in it"),
]
_MEMBERS = [("xl/", "an Excel workbook: save it as CSV"), ("content.xml", "an office document: save it as CSV")]
_UNPACKERS: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda raw: gzip.GzipFile(fileobj=raw),
    "bz2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zstd": lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"),
    "zip": lambda raw: zipfile.ZipFile(io.BytesIO(raw.read())),
    "lz4": lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, "r"), "lz4"),
}


@dataclass(frozen=True)
class Source:
    """An open file: its bytes, unpacked, and what they are."""

    name: str
    """As the user gave it; for sentences."""
    path: Path | None
    """None for standard input."""
    stream: Peekable
    kind: Literal["CSV", "Parquet", "Arrow"]
    compression: str | None

    @property
    def short_name(self) -> str:
        """The name without its folder."""
        return self.name if self.path is None else self.path.name


class Peekable(io.RawIOBase):
    """A stream whose beginning can be looked at; a read gives all that was asked for, or what is left."""

    def __init__(self, raw: Any, damaged: str = "", below: Peekable | None = None) -> None:
        self._raw, self._ahead, self._damaged, self._below = raw, b"", damaged, below

    def readable(self) -> bool:
        """Always."""
        return True

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay to be read."""
        self._fill(size)
        return self._ahead[:size]

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or the rest."""
        self._fill(size)
        taken = self._ahead if size < 0 else self._ahead[:size]
        self._ahead = self._ahead[len(taken) :]
        return taken

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._raw.close()
            if self._below is not None:  # a decompressor leaves its file open
                self._below.close()
        super().close()

    def _fill(self, size: int) -> None:
        pieces, length = [self._ahead], len(self._ahead)
        while size < 0 or length < size:
            try:
                piece = self._raw.read(1 << 20 if size < 0 else size - length)
            except Exception as error:  # the unpackers raise anything on damaged files
                if not self._damaged:
                    raise
                raise ValueError(f"{self._damaged} ({_first_line(error)}): copy it again.") from None
            if not piece:
                break
            pieces.append(bytes(piece))
            length += len(piece)
        self._ahead = b"".join(pieces)


def open_source(path: str) -> Source:
    """Open a file, unpack it if it is compressed, and tell what it is; ``-`` is standard input.

    Raises
    ------
    ValueError, OSError
        If there is no such file, or it is not a table.
    """
    name = "standard input" if path == "-" else path
    place = None if path == "-" else Path(path).expanduser()
    raw = Peekable(_standard_input() if place is None else _opened(place, name))
    try:
        compression = _compression(raw.peek(HEAD))
        stream = raw if compression is None else _unpacked(raw, compression, name)
        return Source(name, place, stream, _kind(stream.peek(HEAD), name), compression)
    except BaseException:
        raw.close()
        raise


def _standard_input() -> Any:
    # Our own copy of the descriptor: closing it leaves standard input open.
    try:
        return os.fdopen(os.dup(sys.stdin.buffer.fileno()), "rb")
    except (AttributeError, io.UnsupportedOperation):
        buffer: Any = sys.stdin.buffer
        return io.BytesIO(buffer.read())


def _opened(place: Path, name: str) -> Any:
    if "\0" in name:
        raise ValueError(f"{name!r} cannot be the name of a file: give another.")
    if place.is_dir():
        raise IsADirectoryError(f"{name} is a folder: give a table file.")
    try:
        return place.open("rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {name!r}: give a table file, or - for standard input.") from None
    except OSError as error:
        raise type(error)(f"{name} cannot be opened ({error.strerror}): choose another file.") from None


def _compression(head: bytes) -> str | None:
    if re.match(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", head):
        return "bz2"
    return next((kind for magic, kind in _PACKED.items() if head.startswith(magic)), None)


def _unpacked(raw: Peekable, compression: str, name: str) -> Peekable:
    damaged = f"{name} is a damaged {compression} file"
    unpacker, refusal = None, None
    try:
        unpacker = _UNPACKERS[compression](raw)
        if isinstance(unpacker, zipfile.ZipFile):
            members = [member for member in unpacker.namelist() if not member.endswith("/")]
            refusal = _refusal(members)
            unpacker = unpacker.open(members[0]) if refusal is None else None
    except Exception as error:
        raise ValueError(f"{damaged} ({_first_line(error)}): copy it again.") from None
    if refusal is not None:
        raise ValueError(f"{name} {refusal}.")
    stream = Peekable(unpacker, damaged, raw)
    if _compression(stream.peek(HEAD)):
        raise ValueError(f"{name} is compressed twice: unpack it once.")
    return stream


def _refusal(members: list[str]) -> str | None:
    """Why an archive is not a table, if it is not."""
    for beginning, what in _MEMBERS:
        if any(member.startswith(beginning) for member in members):
            return f"is {what}"
    if members and all(member.endswith(".npy") for member in members):
        return "holds NumPy arrays without column names: save the table as CSV or Parquet"
    if len(members) != 1:
        return f"is an archive of {len(members)} files: unpack it, and give the one with the table"
    return None


def _kind(head: bytes, name: str) -> Literal["CSV", "Parquet", "Arrow"]:
    if head.startswith(b"PAR1"):
        return "Parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "Arrow"
    if not head:
        raise ValueError(f"{name} is empty: it needs a line with the names of the columns, and rows.")
    for beginning, what in _FOREIGN:
        if re.match(beginning, head):
            raise ValueError(f"{name} is {what}.")
    return "CSV"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
