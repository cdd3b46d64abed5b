"""From a path to bytes: the format and the compression of a file, by its first bytes, and what the user says of it."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import lzma
import os
import re
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa

from atfnb._errors import first_line
from atfnb._streams import legible
from atfnb.tables.date_cells import check_format
from atfnb.tables.encodings import sniff_encoding

HEAD = 512
"""The number of first bytes by which the format of a file is recognised."""
_LONGEST_BEGINNING = 1 << 20
"""The number of bytes in which the first line of an ARFF file or of JSON lines ends."""
_FEW_CONTROLS = 8
"""A text may hold fewer control characters than this."""
WorkbookKind = Literal["Excel", "OpenDocument"]
FileKind = Literal["CSV", "ARFF", "Parquet", "Arrow", "JSON lines"] | WorkbookKind
WORKBOOKS = get_args(WorkbookKind)
"""The formats with sheets."""
SEPARATED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""The delimiters that are detected, and their names."""

_PACKED = {
    rb"\x1f\x8b": "gzip",
    rb"\xfd7zXZ\0": "xz",
    rb"\x28\xb5\x2f\xfd": "zstd",
    rb"\x04\x22\x4d\x18": "lz4",
    rb"PK\x03\x04|PK\x05\x06": "zip",
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": "bz2",
}
"""How compressed files begin."""
_GIVE = "give the table, as CSV, Parquet or a workbook"
_FOREIGN = [
    (rb"SQLite format 3\0", "a SQLite database: export the table as CSV"),
    (rb"\x80[\x02-\x05]", "a Python pickle, which could run anything: save the table as CSV or Parquet"),
    (rb"\x93NUMPY", "a NumPy array without column names: save the table as CSV or Parquet"),
    (rb"\x89HDF\r\n", "an HDF5 file: save the table as CSV or Parquet"),
    (rb"FEA1", "a Feather file of the first version: save it again, as Arrow or Parquet"),
    (rb"%PDF", "a PDF document: give the table as CSV"),
    (
        rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|BM.{4}\0\0\0\0|II\*\0|MM\0\*|RIFF.{4}WEBP|\0\0\0.ftyp(hei|avif)",
        "a picture: " + _GIVE,
    ),
    (rb"\{\\rtf|%!PS", "a text document: " + _GIVE),
    (rb"MZ.*\0|\x7fELF|\xcf\xfa\xed\xfe", "a program: " + _GIVE),
    (rb"(ID3|OggS|fLaC|RIFF).*\0|\0\0\0.ftyp|\x1aE\xdf\xa3", "a sound or a film: " + _GIVE),
    (rb"7z\xbc\xaf|Rar!\x1a", "an archive: unpack it, and give the table in it"),
    (rb"\$FL[23]@", "a file of SPSS: save the table as CSV or Parquet"),
    (rb"<stata_dta>", "a file of Stata: save the table as CSV or Parquet"),
    (rb"RD[AX][234]\n", "a file of R: save the table as CSV or Parquet"),
    (rb"MATLAB [57]\.\d MAT-file", "a file of MATLAB: save the table as CSV or Parquet"),
    (rb"ORC.*\0|Obj\x01", "an ORC or Avro file: save the table as Parquet"),
    (
        rb"\s*(?i:<(!doctype html|html|head|body|table|div|script|meta|!--))",
        "a web page: download the table itself, as CSV",
    ),
    (rb"\s*<(\?xml|svg)", "an XML document: save the table as CSV"),
    (rb"\s*(\{\s*[\"}]|\[\s*[\[{\"])", "JSON: save the table as CSV, Parquet or JSON lines"),
    (rb"(?s).{257}ustar", "a tar archive: unpack it, and give the table in it"),
]
_MEMBERS = [
    ("word/", "a Word document: save the table in it as .xlsx or CSV"),
    ("ppt/", "a PowerPoint document: save the table in it as .xlsx or CSV"),
    ("xl/", "an Excel workbook without its list of sheets: save it again"),
    ("content.xml", "an office document without sheets: save the table in it as .xlsx or CSV"),
]
_CLUTTER = re.compile(r"/$|^__MACOSX/|(^|/)(\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$")
"""The folders in an archive, and what operating systems put beside its files."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
_MANIFEST = "META-INF/manifest.xml"
_ENCRYPTED = b"encryption-data"
_LOCKED = "is protected by a password: save it without one"
_OFFICE = (b"[Content_Types].xml", b"xl/", b"docProps/", b"mimetypeapplication/vnd.oasis")
"""What the first bytes of a workbook hold, even if its end is lost."""
_UNPACKERS: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda raw: gzip.GzipFile(fileobj=raw),
    "bz2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zstd": lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"),
    "lz4": lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, "r"), "lz4"),
}


@dataclass(frozen=True)
class Source:
    """An open file: its bytes, decompressed, and the format they are in."""

    name: str
    """The name as the user gave it, for messages."""
    path: Path | None
    """None for standard input."""
    stream: Peekable
    """The bytes, decompressed."""
    kind: FileKind
    """The format."""
    compression: str | None
    """The name of the compression, if the file is compressed."""

    @property
    def short_name(self) -> str:
        """The name without its folder."""
        return self.name if self.path is None else legible(self.path.name)

    @property
    def is_plain(self) -> bool:
        """Whether the bytes are those of a file, which can be read from anywhere."""
        return self.path is not None and self.compression is None and self.path.is_file()


class Peekable(io.RawIOBase):
    """A stream whose next bytes can be looked at; a read returns fewer bytes than asked for only at the end."""

    def __init__(self, raw: Any, damaged: str = "", below: Peekable | None = None) -> None:
        self._raw, self._ahead, self._damaged, self._below = raw, b"", damaged, below

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def peek(self, size: int) -> bytes:
        """Return the next bytes without consuming them."""
        self._fill(size)
        return self._ahead[:size]

    def read(self, size: int = -1) -> bytes:
        """Return the next ``size`` bytes, or all that are left if it is negative."""
        self._fill(size)
        taken = self._ahead if size < 0 else self._ahead[:size]
        self._ahead = self._ahead[len(taken) :]
        return taken

    def close(self) -> None:
        """Close the stream and the compressed file below it."""
        if not self.closed:
            self._raw.close()
            if self._below is not None:  # a decompressor leaves its file open
                self._below.close()
        super().close()

    def _fill(self, size: int) -> None:
        pieces, length = [self._ahead], len(self._ahead)
        while size < 0 or length < size:
            piece = self._next(1 << 20 if size < 0 else size - length)
            if not piece:
                break
            pieces.append(piece)
            length += len(piece)
        self._ahead = b"".join(pieces)

    def _next(self, size: int) -> bytes:
        """Return about ``size`` more bytes, none at the end."""
        try:
            return bytes(self._raw.read(size) or b"")
        except Exception as error:  # decompressors raise errors of any type on damaged files
            if not self._damaged:
                raise
            raise ValueError(f"{self._damaged} ({first_line(error)}): copy it again.") from None


def open_source(path: str) -> Source:
    """Open a file, decompress it if necessary, and detect its format; ``-`` is standard input.

    Raises
    ------
    ValueError, OSError
        If there is no such file, or it is not a table.
    """
    name = "standard input" if path == "-" else legible(path)
    file = None if path == "-" else Path(path if os.path.exists(path) else os.path.expanduser(path))
    raw = Peekable(_standard_input() if file is None else _opened(file, name))
    try:
        compression, stream = _compression(raw.peek(HEAD)), raw
        if compression == "zip":
            data = raw.read()
            kind, member = _in_zip(data, name)
            if kind is not None:
                return Source(name, file, Peekable(io.BytesIO(data), below=raw), kind, None)
            stream = Peekable(member, f"{name} is a damaged zip file", raw)
        elif compression is not None:
            stream = Peekable(_UNPACKERS[compression](raw), f"{name} is a damaged {compression} file", raw)
        if compression is not None and _compression(stream.peek(HEAD)):
            raise ValueError(f"{name} is compressed twice: unpack it once.")
        _refuse_old_office(stream, name)
        return Source(name, file, stream, _format_of(stream, name), compression)
    except BaseException:
        raw.close()
        raise


def _standard_input() -> Any:
    # a copy of the descriptor: closing it leaves standard input open
    try:
        return os.fdopen(os.dup(sys.stdin.buffer.fileno()), "rb")
    except (AttributeError, io.UnsupportedOperation):
        buffer: Any = sys.stdin.buffer
        return io.BytesIO(buffer.read())


def _opened(path: Path, name: str) -> Any:
    if "\0" in name:
        raise ValueError(f"{name!r} cannot be the name of a file: give another.")
    if path.is_dir():
        raise IsADirectoryError(f"{name} is a folder: give a table file.")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {name!r}: give a table file, or - for standard input.") from None
    except OSError as error:
        raise type(error)(f"{name} cannot be opened ({error.strerror}): choose another file.") from None


def _compression(head: bytes) -> str | None:
    return next((kind for beginning, kind in _PACKED.items() if re.match(beginning, head)), None)


def _in_zip(data: bytes, name: str) -> tuple[WorkbookKind | None, Any]:
    """Return the kind of workbook that a zip archive is, or its one file if it is none; refuse what is no table."""
    what = "office document" if any(part in data[:HEAD] for part in _OFFICE) else "zip file"
    kind: WorkbookKind | None = None
    file, refusal = None, None
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [member for member in archive.namelist() if not _CLUTTER.search(member)]
        if "mimetype" in members and archive.open("mimetype").read(HEAD).startswith(_SPREADSHEET):
            kind = "OpenDocument"
            if _MANIFEST in members and _ENCRYPTED in archive.open(_MANIFEST).read(1 << 20):
                refusal = _LOCKED
        elif any(member.startswith("xl/workbook.") for member in members):
            kind = "Excel"
        elif (refusal := _refusal(members)) is None:
            file = archive.open(members[0])
    except Exception as error:
        raise ValueError(f"{name} is a damaged {what} ({first_line(error)}): copy it again.") from None
    if refusal is not None:
        raise ValueError(f"{name} {refusal}.")
    return kind, file


def _refuse_old_office(stream: Peekable, name: str) -> None:
    """Raise an error for a workbook with a password, and for the formats of old versions of Office.

    Damaged files of the old formats could end the process of their reader.
    """
    if stream.peek(len(_OLD_OFFICE)) != _OLD_OFFICE:
        return
    if "EncryptedPackage".encode("utf-16-le") in stream.read():
        raise ValueError(f"{name} {_LOCKED}.")
    raise ValueError(f"{name} is in the format of old versions of Office, as .xls: save the table as .xlsx or CSV.")


def _refusal(members: list[str]) -> str | None:
    """Return why an archive is not a table, or None if it is one."""
    for beginning, what in _MEMBERS:
        if any(member.startswith(beginning) for member in members):
            return f"is {what}"
    if members and all(member.endswith(".npy") for member in members):
        return "holds NumPy arrays without column names: save the table as CSV or Parquet"
    if len(members) != 1:
        return f"is an archive of {len(members)} files: unpack it, and give the one with the table"
    return None


def _format_of(stream: Peekable, name: str) -> FileKind:
    """Return the format of a file by its beginning; raise an error that says what it is if it is no table."""
    head = stream.peek(HEAD).removeprefix(codecs.BOM_UTF8)
    if head.startswith(b"PAR1"):
        return "Parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "Arrow"
    if not head:
        raise ValueError(f"{name} is empty: it needs a line with the names of the columns, and rows.")
    first = head.lstrip()[:1]
    if first in b"%@" and _is_arff(stream.peek(_LONGEST_BEGINNING)):
        return "ARFF"
    if first == b"{" and _is_json_lines(stream.peek(_LONGEST_BEGINNING)):
        return "JSON lines"
    for beginning, what in _FOREIGN:
        if re.match(beginning, head, re.DOTALL):
            raise ValueError(f"{name} is {what}.")
    if _is_binary(head):
        raise ValueError(f"{name} is not text, and of no known format: {_GIVE}.")
    return "CSV"


def _is_arff(beginning: bytes) -> bool:
    """Return whether the first line that is not blank and no comment names a relation."""
    lines = (line.strip().lower() for line in beginning.removeprefix(codecs.BOM_UTF8).splitlines())
    return next((line for line in lines if line and not line.startswith(b"%")), b"").startswith(b"@relation")


def _is_json_lines(beginning: bytes) -> bool:
    """Return whether the first line is a whole object, of which at least one value is a plain one."""
    try:
        line = json.loads(beginning.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")[0])
    except ValueError:
        return False
    return isinstance(line, dict) and not all(isinstance(value, (dict, list)) for value in line.values())


def _is_binary(head: bytes) -> bool:
    """Return whether a file holds too many control characters for a text; in UTF-16 and UTF-32, NUL is none."""
    if sniff_encoding(head).startswith(("utf-16", "utf-32")):
        return False
    controls = len(head.translate(None, bytes({*range(256)} - {*range(32)} | {*b"\t\n\v\f\r\x1a\x1b"})))
    return controls >= _FEW_CONTROLS and controls > len(head) / 20


# --- Formats ---------------------------------------------------------------------------------------

_ENCODINGS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8 with a BOM"}
_NO_TEXT_FILES = {"unicode-escape", "raw-unicode-escape", "punycode", "idna", "charmap", "undefined"}
"""Codecs of Python that turn bytes into text but are not the encoding of any file."""
_SPELLED_OUT = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|"}


@dataclass(frozen=True)
class Format:
    """The format of a file, as detected; ``str`` gives a line for the user.

    Examples
    --------
    >>> print(Format("bank.csv", "CSV", "gzip", "utf-8", ";", ","))
    bank.csv: CSV, UTF-8, separated by semicolons, decimal comma, gzip
    >>> print(Format("bank.parquet", "Parquet"))
    bank.parquet: Parquet
    >>> print(Format("bank.xlsx", "Excel", sheet="May"))
    bank.xlsx: Excel, sheet 'May'
    """

    name: str
    kind: FileKind
    compression: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str = "."
    line_end: str = "\n"
    sheet: str | None = None

    def __str__(self) -> str:
        parts: list[str | None] = [self.kind]
        if self.encoding is not None:
            delimiter = self.delimiter and f"separated by {SEPARATED.get(self.delimiter, repr(self.delimiter))}"
            parts += [_ENCODINGS.get(self.encoding, self.encoding.upper()), delimiter or "one column"]
        sheet = None if self.sheet is None else f"sheet {self.sheet!r}"
        parts += [sheet, "decimal comma" if self.decimal == "," else None, self.compression]
        return f"{self.name}: {', '.join(filter(None, parts))}"


@dataclass(frozen=True)
class Dialect:
    r"""What the user says about a file; the rest is detected.

    Parameters
    ----------
    encoding : str or None
        The encoding of a CSV file, by its name in Python.
    delimiter : str or None
        The character between the cells of a CSV file; ``"tab"`` and ``"\t"`` are the tab.
    missing : tuple of str or None
        The marks of a missing value, instead of the usual ones; an empty cell is always missing.
    date_formats : tuple of str
        How dates are written in text, as in Python's ``strptime``, such as ``"%d/%m/%Y"``; looked for before the usual
        ones.
    sheet : str or None
        The sheet of a workbook: its name, or its number, counted from 1; the first one if it is None.
    lenient : bool
        Whether a cell that is not of the kind that a model learned is a missing value instead of an error.
    skip_rows : int
        The number of lines of a CSV file, or rows of a sheet, that are left out before anything is looked for.
    header_rows : int or None
        The number of rows of the header, of which the first has the names of the columns; 0 if there is none, so that
        columns are named by their position.
    keep_totals : bool
        Whether rows that look like totals are rows of the table.

    Raises
    ------
    ValueError
        If there is no such encoding, the delimiter is not a single character that can separate cells, or a date format
        lacks the day, the month or the year.

    Examples
    --------
    >>> Dialect(delimiter="tab").delimiter
    '\t'
    >>> Dialect(encoding="utf-9")
    Traceback (most recent call last):
        ...
    ValueError: there is no encoding 'utf-9': try utf-8, cp1252 or utf-16.
    """

    encoding: str | None = None
    delimiter: str | None = None
    missing: tuple[str, ...] | None = None
    date_formats: tuple[str, ...] = ()
    sheet: str | None = None
    lenient: bool = False
    skip_rows: int = 0
    header_rows: int | None = None
    keep_totals: bool = False

    def __post_init__(self) -> None:
        for form in self.date_formats:
            check_format(form)
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _known(self.encoding))
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _one_character(self.delimiter))


def _known(encoding: str) -> str:
    """Return the name of an encoding as its codec spells it; raise a ValueError if text files cannot have it."""
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):
        raise ValueError(f"there is no encoding {encoding!r}: try utf-8, cp1252 or utf-16.") from None
    with suppress(LookupError):
        io.TextIOWrapper(io.BytesIO(), encoding)  # raises if the codec does not encode text, such as base64
        if codec.name.replace("_", "-") not in _NO_TEXT_FILES:
            return codec.name
    raise ValueError(f"{encoding!r} is not an encoding of text files: try utf-8, cp1252 or utf-16.")


def _one_character(delimiter: str) -> str:
    character = _SPELLED_OUT.get(delimiter.lower(), delimiter)
    if len(character) != 1 or not character.isascii() or character in '"\r\n\0':
        raise ValueError(f"the delimiter {delimiter!r} cannot separate cells: give one character, such as ; or tab.")
    return character
