"""Parts of a table that is read some rows at a time: row groups of a Parquet file, lines of a CSV file, a data frame.

A part opens into frames of a limited number of rows, so that a pass over a table never holds more than these. What a
part reads is counted (:func:`counting_bytes`), so that a run can report how much it read.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pyarrow as pa

from atfnb._errors import first_line
from atfnb.tables.csv_rows import CsvReader, Utf8Stream
from atfnb.tables.kinds import Batch, ColumnKind, as_kinds, is_binary, not_text, with_text
from atfnb.tables.left_out import LeftOut
from atfnb.tables.paths import TablePath
from atfnb.tables.reading import open_file
from atfnb.tables.sources import Dialect, open_source

FRAME_ROWS = 1 << 17
"""The largest number of rows in a frame."""
FRAME_BYTES = 1 << 25
"""The approximate largest size of a frame in the text of a CSV file."""


def read_frames(part: Any, columns: Sequence[str], rows: int = FRAME_ROWS) -> Iterator[tuple[str, Any]]:
    """Yield frames of a part, each of one to ``rows`` rows, and where it is from, for messages.

    A part that cannot be read is named in the error.
    """
    above = 0
    try:
        for frame in part.frames(columns, rows):
            if len(frame):
                yield f"{part.name}, {above:,} rows further down" if above else part.name, frame
            above += len(frame)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{part.name} cannot be read: {first_line(error)}. Write it again.") from None


# --- Bytes -----------------------------------------------------------------------------------------


@dataclass
class BytesRead:
    """The number of bytes that were read inside a block of :func:`counting_bytes`."""

    total: int = 0


_COUNTER: ContextVar[BytesRead | None] = ContextVar("bytes_read", default=None)


@contextmanager
def counting_bytes() -> Iterator[BytesRead]:
    """Count the bytes that parts read in this thread, until the block ends.

    Examples
    --------
    >>> with counting_bytes() as read:
    ...     count_bytes(7)
    ...     count_bytes(3)
    >>> read.total
    10
    """
    counter = BytesRead()
    token = _COUNTER.set(counter)
    try:
        yield counter
    finally:
        _COUNTER.reset(token)


def count_bytes(number: int) -> None:
    """Add to the bytes read in the innermost block of :func:`counting_bytes`, if there is one."""
    counter = _COUNTER.get()
    if counter is not None:
        counter.total += number


# --- Parquet ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ParquetPart:
    """Some row groups of a Parquet file."""

    file: TablePath
    groups: tuple[int, ...]
    as_text: tuple[str, ...] = ()
    """The columns that are read as text."""
    marks: tuple[str, ...] | None = None
    """The user's marks of a missing value in text, if there are any."""

    @property
    def name(self) -> str:
        """The path of the file, for messages."""
        return self.file.path

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Yield tables of at most ``rows`` rows; only the given columns are read."""
        from pyarrow.parquet import ParquetFile

        # a column of text is read as a dictionary: its distinct values and the position of each cell's, as stored
        own = self.file.own(columns)
        opened = partial(ParquetFile, self.name, page_checksum_verification=True, read_dictionary=own)
        with self.file.unchanged(), opened() as file:
            own = own or file.schema_arrow.names[:1]  # for the number of rows
            count_bytes(sum(_bytes_of(file.metadata.row_group(group), own) for group in self.groups))
            for batch in file.iter_batches(rows, self.groups, own, use_threads=False):
                table = self.file.with_folders(pa.Table.from_batches([batch])).select(columns)
                table = with_text(table, self.as_text, self.marks)
                for field in table.schema:
                    if is_binary(field.type):
                        raise ValueError(not_text(self.name, field.name))
                yield table


def _bytes_of(group: Any, columns: Sequence[str]) -> int:
    """Return the compressed size of some columns of a row group."""
    chunks = (group.column(j) for j in range(group.num_columns))
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema.split(".")[0] in columns)


# --- CSV -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stretch:
    """Some bytes of a CSV file with whole rows; the first stretch of a file also has the header."""

    begin: int
    """The position of the first byte."""
    end: int
    """The position after the last byte."""
    line: int
    """The number of the line that the first byte is in, counted from 1."""


@dataclass(frozen=True)
class TextPart(ABC):
    """Rows of a file whose columns have their types only after a pass over all parts."""

    file: TablePath
    kinds: tuple[tuple[str, ColumnKind], ...] = field(default=(), kw_only=True)
    """The name and the kind of each column, known after a pass over all parts."""
    forms: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    """The name and the sign of each column whose numbers have a sign or thousands separators; "" for no sign."""
    zones: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    """The name and the time zone of each column of dates that has one."""

    @property
    def name(self) -> str:
        """The path of the file, for messages."""
        return self.file.path

    @abstractmethod
    def _read(self, rows: int, columns: Sequence[str] | None) -> Generator[Batch]:
        """Yield batches of the file, which may have more rows or columns."""

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Yield tables of at most ``rows`` rows, with the types that the columns have in all files together."""
        kinds = dict(self.kinds)
        for batch in self.batches(rows, columns):
            learned = {name: kinds.get(name, "text") for name in columns}
            yield as_kinds(batch, learned, dict(self.forms), dict(self.zones))

    def batches(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Yield batches of at most ``rows`` rows; the cells of a CSV file are text."""
        with self.file.unchanged(), closing(self._read(rows, columns)) as found:
            for batch in found:
                table = self.file.with_folders(batch.table)
                for first in range(0, table.num_rows, rows):
                    left_out = LeftOut() if first else batch.left_out
                    yield replace(batch, table=table.slice(first, rows), left_out=left_out)


@dataclass(frozen=True)
class WholePart(TextPart):
    """A file that can only be read whole, such as a workbook."""

    dialect: Dialect

    def _read(self, rows: int, columns: Sequence[str] | None) -> Generator[Batch]:
        with open_file(self.name, self.dialect) as file:
            count_bytes(os.path.getsize(self.name))
            yield from file.batches()


@dataclass(frozen=True)
class CsvPart(TextPart):
    """The rows of a CSV file, or of a stretch of it."""

    reader: CsvReader
    stretch: Stretch | None = None
    """None for a file that can only be read whole, from its beginning."""

    @property
    def name(self) -> str:
        """The path of the file, and the line that the part begins in, for messages."""
        if self.stretch is None or self.stretch.begin == 0:
            return self.file.path
        return f"{self.file.path} from line {self.stretch.line:,} on"

    def _read(self, rows: int, columns: Sequence[str] | None) -> Generator[Batch]:
        path, stretch = self.file.path, self.stretch
        own = None if columns is None else self.file.own(columns) or self.reader.layout.columns[:1]
        with open_source(path).stream if stretch is None else open(path, "rb") as raw:
            count_bytes(os.path.getsize(path) if stretch is None else stretch.end - stretch.begin)
            yield from self.reader.batches(self._text(raw), rows, FRAME_BYTES, own)

    def _text(self, raw: Any) -> Utf8Stream:
        if self.stretch is None:
            return self.reader.below_header(raw)
        raw.seek(self.stretch.begin)
        some = _Some(raw, self.stretch.end - self.stretch.begin)
        return self.reader.stretch(some, self.stretch.line) if self.stretch.begin else self.reader.below_header(some)


@dataclass
class _Some:
    """The next ``left`` bytes of a file."""

    file: Any
    left: int

    def read(self, size: int) -> bytes:
        taken: bytes = self.file.read(min(size, self.left))
        self.left -= len(taken)
        return taken


# --- Data frames -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class FramePart:
    """A data frame of pandas in memory, as a part of a larger table."""

    name: str
    frame: Any

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield data frames of at most ``rows`` rows with the given columns."""
        lost = [column for column in columns if column not in self.frame.columns]
        if lost:
            raise ValueError(f"{self.name} has no column {lost[0]!r}: every partition needs the same columns.")
        chosen = self.frame[list(columns)]
        count_bytes(int(chosen.memory_usage(index=False).sum()))
        for first in range(0, len(chosen), rows):
            yield chosen.iloc[first : first + rows]
