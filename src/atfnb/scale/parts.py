"""Parts of a table: a few row groups of a Parquet file, some lines of a CSV file, a partition of a Dask data frame.

A part opens into frames of some rows at a time, so that a pass never holds more than these.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from atfnb.scale.cuts import Stretch
from atfnb.tables import Batch, Kind, as_kinds
from atfnb.tables.arrow_files import with_text
from atfnb.tables.binary import is_binary, with_decoded
from atfnb.tables.csv_rows import CsvRows
from atfnb.tables.kinds import not_text
from atfnb.tables.sources import open_source
from atfnb.tables.text import Utf8Stream

ROWS = 1 << 17
"""Rows of a frame, at most."""
BYTES = 1 << 25
"""Bytes of a frame of a CSV file's text, about, at most."""


@dataclass(frozen=True)
class Frame:
    """Some rows of a part: a data frame, and where it is from."""

    native: Any
    part: str


@dataclass(frozen=True)
class Reader:
    """Opens a part into frames with these columns, each with the bytes that were read for it."""

    columns: tuple[str, ...]
    rows: int = ROWS

    def __call__(self, part: Any) -> Iterator[tuple[Frame, int]]:
        """The frames of a part; what cannot be read is named."""
        above = 0
        try:
            for native, size in part.frames(self.columns, self.rows):
                yield Frame(native, f"{part.name}, {above:,} rows further down" if above else part.name), size
                above += len(native)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{part.name} cannot be read: {_first_line(error)}. Write it again.") from None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


@dataclass(frozen=True)
class ParquetPart:
    """A few row groups of a Parquet file."""

    path: str
    groups: tuple[int, ...]
    as_text: tuple[str, ...] = ()
    marks: tuple[str, ...] | None = None
    """What a missing cell of text holds, if the user says so."""

    @property
    def name(self) -> str:
        """For messages."""
        return self.path

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[tuple[pa.Table, int]]:
        """Tables of so many rows; only the columns asked for are read."""
        from pyarrow.parquet import ParquetFile

        # text comes as the words of a column and the place of each cell's among them, as it stands in the file
        with ParquetFile(self.path, page_checksum_verification=True, read_dictionary=list(columns)) as file:
            size = sum(_bytes_of(file.metadata.row_group(group), columns) for group in self.groups)
            for batch in file.iter_batches(rows, self.groups, list(columns), use_threads=False):
                table = with_decoded(pa.Table.from_batches([batch]).select(columns))
                for field in table.schema:
                    if is_binary(field.type):
                        raise ValueError(not_text(self.path, field.name))
                yield with_text(table, self.as_text, self.marks), size
                size = 0


def _bytes_of(group: Any, columns: Sequence[str]) -> int:
    chunks = (group.column(j) for j in range(group.num_columns))
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema.split(".")[0] in columns)


@dataclass(frozen=True)
class CsvPart:
    """The rows of a CSV file, or of a stretch of it."""

    path: str
    written: CsvRows
    stretch: Stretch | None = None
    """None: the whole file, which can be read from its beginning only."""
    kinds: tuple[tuple[str, Kind], ...] = ()
    """What each column holds, known when all parts were seen."""
    forms: tuple[tuple[str, str], ...] = ()
    """The sign of each column of numbers that are written with one, or with thousands separators."""

    @property
    def name(self) -> str:
        """For messages."""
        if self.stretch is None or self.stretch.begin == 0:
            return self.path
        return f"{self.path} from line {self.stretch.line:,} on"

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[tuple[pa.Table, int]]:
        """Tables of so many rows, as a table read whole would have them."""
        kinds = dict(self.kinds)
        for batch, size in self.batches(rows, columns):
            yield as_kinds(batch, {name: kinds[name] for name in columns}, dict(self.forms)), size

    def batches(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[tuple[Batch, int]]:
        """The rows as text, so many at a time."""
        with self._opened() as raw:
            size = os.path.getsize(self.path) if self.stretch is None else self.stretch.end - self.stretch.begin
            with closing(self.written.batches(self._text(raw), rows, BYTES, columns)) as found:
                for batch in found:
                    for first in range(0, batch.table.num_rows, rows):
                        yield replace(batch, table=batch.table.slice(first, rows)), size
                        size = 0

    def _opened(self) -> Any:
        return open_source(self.path).stream if self.stretch is None else open(self.path, "rb")

    def _text(self, raw: Any) -> Utf8Stream:
        if self.stretch is None:
            return self.written.below_header(raw)
        raw.seek(self.stretch.begin)
        some = _Some(raw, self.stretch.end - self.stretch.begin)
        return self.written.stretch(some, self.stretch.line) if self.stretch.begin else self.written.below_header(some)


@dataclass
class _Some:
    """The next bytes of a file, so many at most."""

    file: Any
    left: int

    def read(self, size: int) -> bytes:
        taken: bytes = self.file.read(min(size, self.left))
        self.left -= len(taken)
        return taken


@dataclass(frozen=True)
class FramePart:
    """A partition of a Dask data frame, computed."""

    name: str
    frame: Any

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[tuple[Any, int]]:
        """Data frames of so many rows."""
        lost = [column for column in columns if column not in self.frame.columns]
        if lost:
            raise ValueError(f"{self.name} has no column {lost[0]!r}: every partition needs the same columns.")
        chosen = self.frame[list(columns)]
        size = int(chosen.memory_usage(index=False).sum())
        for first in range(0, len(chosen), rows):
            yield chosen.iloc[first : first + rows], size
            size = 0
