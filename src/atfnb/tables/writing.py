"""Write a table to a file that is either complete or not there."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from atfnb._files import NewFile, check_writable
from atfnb._streams import NamedFile, printable
from atfnb.tables.reading import TableFile
from atfnb.tables.sinks import CsvSink, ExcelSink, import_xlsxwriter
from atfnb.tables.sources import Format

_PACKERS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".zst": lambda raw: io.BufferedWriter(pa.CompressedOutputStream(pa.PythonFile(raw, "w"), "zstd")),
    ".lz4": lambda raw: io.BufferedWriter(pa.CompressedOutputStream(pa.PythonFile(raw, "w"), "lz4")),
}
"""The stream that compresses what is written to a file, by the ending of its name."""
_KINDS: dict[str, str | None] = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": None}
_KINDS |= {".parquet": "Parquet", ".pq": "Parquet"}
_KINDS |= {".arrow": "Arrow", ".feather": "Arrow", ".ipc": "Arrow", ".xlsx": "Excel"}
_READ_ONLY = (".xlsm", ".xlsb", ".xls", ".ods")
"""Endings of workbooks that are not written."""


class TableWriter:
    """Writes a table piece by piece to a file that appears when it is complete, and not at all if an error occurs.

    The format follows from the ending of the name: .csv, .tsv, .parquet, .arrow or .xlsx; all but .xlsx may have .gz,
    .zst, .bz2, .xz or .lz4 after it for a compressed file. A CSV file has the delimiter, the encoding, the line ends
    and the decimal sign of the input, if that is CSV too; a .tsv file has tabs.

    Parameters
    ----------
    path : str
        The file; ``-`` is standard output, as CSV.
    source : TableFile, optional
        The input, whose layout is kept; the output must not replace it.
    holds : iterable of str, optional
        Text that will be written, such as the names of classes: if the encoding of the input does not have its
        characters, the output is in UTF-8.

    Raises
    ------
    ValueError, OSError
        If the format is not known, the folder does not exist, or the output would replace the input.
    ImportError
        If the output is .xlsx and the extra ``excel`` is not installed.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with TableWriter(f"{folder.name}/out.csv") as writer:
    ...     writer.write(pa.table({"class": ["yes", "no, never"], "p": [0.5, 0.25]}))
    >>> print(Path(folder.name, "out.csv").read_text(), end="")
    class,p
    yes,0.5
    "no, never",0.25
    >>> folder.cleanup()
    """

    def __init__(self, path: str, source: TableFile | None = None, *, holds: Iterable[str] = ()) -> None:
        self.name = "standard output" if path == "-" else path
        self._path = None if path == "-" else Path(os.path.expanduser(path))
        self._like, self._holds = None if source is None else source.format, "".join(holds)
        self._kind, self._packer = _kind_of("" if self._path is None else self._path.name, self.name)
        if self._path is not None:
            _check_target(self._path, self.name, source)
            if self._kind == "Excel":
                import_xlsxwriter(self.name)
        self._new: NewFile | None = None
        self._raw: Any = None
        self._sink: Any = None
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    @property
    def is_text(self) -> bool:
        """Whether the output is CSV."""
        return self._kind not in ("Parquet", "Arrow", "Excel")

    @property
    def is_workbook(self) -> bool:
        """Whether the output is a workbook, in which numbers that are written as text cannot be added up."""
        return self._kind == "Excel"

    def write(self, table: Any) -> None:
        """Write the rows of a table; every table has the columns of the first."""
        if self._writer is None:
            self._open(table.schema)
        try:
            self._writer.write_table(table)
        except pa.ArrowException as error:
            raise ValueError(f"{self.name} cannot be written ({str(error).splitlines()[0]}): try .parquet.") from None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._writer is not None:
                self._finish()
            elif isinstance(self._writer, ExcelSink):
                self._writer.abandon()
        finally:
            self._let_go()

    def _open(self, schema: Any) -> None:
        self._raw = self._opened()
        self._sink = self._raw if self._packer is None else self._packer(self._raw)
        if self._kind == "Parquet":
            import pyarrow.parquet

            self._writer = pyarrow.parquet.ParquetWriter(self._sink, schema)
        elif self._kind == "Arrow":
            self._writer = pa.ipc.new_file(self._sink, schema)
        elif self._kind == "Excel":
            self._writer = ExcelSink(self._sink, schema, self.name)
        else:
            like = self._like or Format("", "CSV")
            if isinstance(self._raw, _Terminal):
                like = replace(like, encoding="utf-8", line_end="\n")
            delimiter = like.delimiter if self._kind in (None, ",") else self._kind
            layout = replace(like, name=self.name, delimiter=delimiter, encoding=self._encoding(like, schema.names))
            self._writer = CsvSink(self._sink, schema.names, layout)

    def _encoding(self, like: Format, names: list[str]) -> str:
        """Return the encoding of a CSV file: that of the input, if it has all characters of what will be written."""
        encoding = like.encoding or "utf-8"
        try:
            (self._holds + "".join(names)).encode(encoding)
        except UnicodeError:
            return "utf-8"
        return encoding

    def _opened(self) -> Any:
        if self._path is None:
            return _Terminal() if sys.stdout.isatty() else getattr(sys.stdout, "buffer", sys.stdout)
        if _is_stream(self._path):
            return io.BufferedWriter(NamedFile(self._path, "w", self.name))
        self._new = NewFile(self._path)
        return self._new.file

    def _finish(self) -> None:
        self._writer.close()
        if self._sink is not self._raw:
            self._sink.close()
        if not self._raw.closed:  # closing a compressing stream of pyarrow also closes the file
            self._raw.flush()
        if self._new is not None:
            self._new.keep(lasting=True)

    def _let_go(self) -> None:
        """Close all streams, and remove the temporary file unless it was kept."""
        for open_end in (self._writer, self._sink, self._raw):
            if open_end is not None and self._path is not None:
                with suppress(Exception):  # what a failing close writes goes to a file that is discarded
                    open_end.close()
        self._writer = self._sink = None
        if self._new is not None:
            self._new.discard()


def _kind_of(name: str, shown: str) -> tuple[str | None, Callable[[Any], Any] | None]:
    """Return the kind of a file, and what compresses it if that is asked for."""
    stem, ending = os.path.splitext(name)
    packer = _PACKERS.get(ending.lower())
    if packer is not None:
        ending = os.path.splitext(stem)[1]
    if ending.lower() in _READ_ONLY:
        raise ValueError(f"{shown} ends with {ending}, which atfnb does not write: write .xlsx.")
    if ending.lower() == ".xlsx" and packer is not None:
        raise ValueError(f"{shown} would be compressed twice, as a workbook already is: write .xlsx.")
    if ending.lower() not in _KINDS and ending:
        known = ", ".join(_KINDS)
        raise ValueError(f"{shown} ends with {ending}, which is not the ending of a table file: use one of {known}.")
    return _KINDS.get(ending.lower()), packer


def _check_target(path: Path, name: str, source: TableFile | None) -> None:
    inputs: Iterable[str] = () if source is None else filter(None, [*source.files, str(source.path or "")])
    if path.exists() and any(path.samefile(each) for each in inputs):
        raise ValueError(f"the output would replace the input {name}: give the output another name.")
    if not _is_stream(path):
        check_writable(path)


def _is_stream(path: Path) -> bool:
    """Return whether a path is that of a device or a pipe, which cannot be replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


class _Terminal:
    """Standard output where it is a terminal, which must not obey what cells contain."""

    closed = False

    def write(self, text: bytes) -> None:
        sys.stdout.write(printable(text.decode("utf-8")))

    def flush(self) -> None:
        sys.stdout.flush()
