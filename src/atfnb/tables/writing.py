"""A table file that is whole or not there."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from atfnb._files import NewFile
from atfnb.tables.csv_text import CsvSink
from atfnb.tables.formats import Format
from atfnb.tables.reading import TableFile

_COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd", ".lz4": "lz4"}
_KINDS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": None, ".parquet": "Parquet", ".pq": "Parquet"}
_KINDS |= {".arrow": "Arrow", ".feather": "Arrow", ".ipc": "Arrow"}


class TableWriter:
    """Writes a table piece by piece; the file appears when all is written, and not at all if something goes wrong.

    The kind is told by the name's ending: .csv, .tsv, .parquet or .arrow, and .gz, .zst, .bz2, .xz or .lz4 after it.
    A CSV file has the delimiter, the encoding, the line ends and the decimal sign of the input, if that is CSV too; a
    .tsv has tabs.

    Parameters
    ----------
    path : str
        The file; ``-`` is standard output, as CSV.
    source : TableFile, optional
        The input, whose layout is kept; the output must not replace it.
    holds : iterable of str, optional
        Text that will be written, as names of classes: if the input's encoding does not have its characters, the
        output is in UTF-8.

    Raises
    ------
    ValueError, OSError
        If the kind is not known, the folder is not there, or the output would replace the input.

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
        self._path = None if path == "-" else Path(path).expanduser()
        self._like, self._holds = None if source is None else source.format, "".join(holds)
        self._kind, self._compression = ",", None
        if self._path is not None:
            self._kind, self._compression = _kind_of(self._path.name, self.name)
            _check_place(self._path, self.name, source)
        self._new: NewFile | None = None
        self._raw: Any = None
        self._sink: Any = None
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    @property
    def is_text(self) -> bool:
        """Return whether the output is CSV."""
        return self._kind not in ("Parquet", "Arrow")

    def write(self, table: Any) -> None:
        """Write some rows; all pieces have the same columns."""
        if self._writer is None:
            self._open(table.schema)
        try:
            self._writer.write_table(table)
        except pa.ArrowException as error:
            raise ValueError(f"{self.name} cannot be written ({str(error).splitlines()[0]}): try .parquet.") from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._writer is not None:
                self._finish()
        finally:
            self._let_go()

    def _open(self, schema: Any) -> None:
        self._raw = self._opened()
        self._sink = _packing(self._raw, self._compression)
        if self._kind == "Parquet":
            import pyarrow.parquet

            self._writer = pyarrow.parquet.ParquetWriter(self._sink, schema)
        elif self._kind == "Arrow":
            self._writer = pa.ipc.new_file(self._sink, schema)
        else:
            like = self._like if self._like is not None else Format("", "CSV")
            written = {"decimal": like.decimal, "line_end": like.line_end}
            self._writer = CsvSink(self._sink, schema.names, *self._layout(schema, like), name=self.name, **written)

    def _layout(self, schema: Any, like: Format) -> tuple[str, str]:
        """The delimiter and the encoding of a CSV file."""
        delimiter = like.delimiter or "," if self._kind in (None, ",") else self._kind
        encoding = like.encoding or "utf-8"
        try:
            (self._holds + "".join(schema.names)).encode(encoding)
        except UnicodeError:
            encoding = "utf-8"
        return delimiter, encoding

    def _opened(self) -> Any:
        if self._path is None:
            return _standard_output()
        if self._path.exists() and not self._path.is_file():
            return self._path.open("wb")  # a device or a pipe: nothing can take its place
        self._new = NewFile(self._path)
        return self._new.file

    def _finish(self) -> None:
        self._writer.close()
        if self._sink is not self._raw:
            self._sink.close()
        if not self._raw.closed:  # pyarrow's compressions close the file with themselves
            self._raw.flush()
        if self._new is not None:
            self._new.keep(lasting=True)

    def _let_go(self) -> None:
        """Close what is open, and leave no temporary file."""
        for open_end in (self._writer, self._sink):
            if open_end is not None and self._path is not None:
                with suppress(Exception):  # what it still writes goes to a file that is thrown away
                    open_end.close()
        self._writer = self._sink = None
        if self._raw is not None and self._path is not None:
            self._raw.close()
        if self._new is not None:
            self._new.discard()


def _kind_of(name: str, said: str) -> tuple[Any, str | None]:
    stem, ending = os.path.splitext(name)
    compression = _COMPRESSIONS.get(ending.lower())
    if compression is not None:
        ending = os.path.splitext(stem)[1]
    if ending.lower() not in _KINDS and ending:
        known = ", ".join(_KINDS)
        raise ValueError(f"{said} ends with {ending}, which says no kind of table: use one of {known}.")
    return _KINDS.get(ending.lower()), compression


def _check_place(path: Path, name: str, source: TableFile | None) -> None:
    if path.is_dir():
        raise IsADirectoryError(f"{name} is a folder: give the output a file's name.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} for the output: make it first.")
    if source is not None and source.path is not None and path.exists() and path.samefile(source.path):
        raise ValueError(f"the output would replace the input {name}: give the output another name.")


def _standard_output() -> Any:
    return getattr(sys.stdout, "buffer", sys.stdout)


def _packing(raw: Any, compression: str | None) -> Any:
    if compression is None:
        return raw
    if compression == "gzip":
        return gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0)
    if compression == "bz2":
        return bz2.BZ2File(raw, "wb")
    if compression == "xz":
        return lzma.LZMAFile(raw, "wb")
    return io.BufferedWriter(pa.CompressedOutputStream(pa.PythonFile(raw, "w"), compression))
