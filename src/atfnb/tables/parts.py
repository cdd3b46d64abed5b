"""Parts of a table that is read some rows at a time: row groups of a Parquet file, any other file, a data frame.

A part opens into frames of a limited number of rows, so that a pass over a table never holds more than these. What a
part reads is counted (:func:`counting_bytes`), so that a run can report how much it read.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from atfnb._errors import first_line
from atfnb.tables.csv_rows import CsvReader
from atfnb.tables.kinds import Batch, ColumnKind, as_kinds, is_binary, not_text, with_text
from atfnb.tables.paths import TablePath
from atfnb.tables.reading import ArrowFile, CsvFile, TableFile, in_rows, open_file
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


_READ: ContextVar[list[int] | None] = ContextVar("bytes_read", default=None)


@contextmanager
def counting_bytes() -> Iterator[list[int]]:
    """Yield a list of how many bytes parts read at a time in this thread, until the block ends.

    Examples
    --------
    >>> with counting_bytes() as read:
    ...     count_bytes(7)
    ...     count_bytes(3)
    >>> sum(read)
    10
    """
    read: list[int] = []
    token = _READ.set(read)
    try:
        yield read
    finally:
        _READ.reset(token)


def count_bytes(number: int) -> None:
    """Add to the bytes read in the innermost block of :func:`counting_bytes`, if there is one."""
    if (read := _READ.get()) is not None:
        read.append(number)


# --- Files -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FilePart(ABC):
    """A file that is read from its beginning to its end, or some rows of one."""

    file: TablePath
    dialect: Dialect

    @property
    def name(self) -> str:
        """The path of the file, for messages."""
        return self.file.path

    @abstractmethod
    def frames(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Yield tables of at most ``rows`` rows."""

    def batches(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Yield batches of at most ``rows`` rows, with the given columns at least; the cells of a CSV file are text."""
        with self.file.unchanged(), closing(self._read(rows, columns)) as found:
            for batch in found:
                yield from in_rows(replace(batch, table=self.file.with_folders(batch.table)), rows)

    def _read(self, rows: int, columns: Sequence[str] | None) -> Generator[Batch]:
        """Yield batches of the file, which may have more rows or columns."""
        with open_file(self.name, self.dialect) as file:
            count_bytes(os.path.getsize(self.name))
            yield from file.batches()


@dataclass(frozen=True)
class TypedPart(FilePart):
    """A file whose columns have types, such as one of Arrow or JSON lines."""

    as_text: tuple[str, ...] = field(default=(), kw_only=True)
    """The columns that are read as text."""

    def cut(self, rows: int) -> Sequence[TypedPart]:
        """Return parts of about ``rows`` rows: here one, as the file can only be read from its beginning."""
        return [self]

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Yield tables of at most ``rows`` rows."""
        for batch in self.batches(rows, columns):
            table = with_text(batch.table.select(columns), self.as_text, self.dialect.missing)
            for column in table.schema:
                if is_binary(column.type):
                    raise ValueError(not_text(self.name, column.name))
            yield table


@dataclass(frozen=True)
class ParquetPart(TypedPart):
    """Some row groups of a Parquet file, of which only the columns that are needed are read."""

    groups: Mapping[int, int] = field(default_factory=dict)
    """The number of rows in each of them."""

    def cut(self, rows: int) -> Sequence[TypedPart]:
        """Return parts of neighbouring row groups that have about ``rows`` rows together."""
        above = np.cumsum([0, *self.groups.values()])
        together = groupby(self.groups.items(), lambda group: above[group[0]] // rows)
        return [replace(self, groups=dict(groups)) for _, groups in together]

    def _read(self, rows: int, columns: Sequence[str] | None) -> Generator[Batch]:
        from pyarrow.parquet import ParquetFile, read_schema

        columns = self.file.own(columns or ())
        # a column of text is read as a dictionary: its distinct values and the position of each cell's, as stored
        types = read_schema(self.name)
        plain = [name for name in columns if not pa.types.is_dictionary(types.field(name).type)]  # one may be in order
        with ParquetFile(self.name, page_checksum_verification=True, read_dictionary=plain) as file:
            own = columns or file.schema_arrow.names[:1]  # for the number of rows
            count_bytes(sum(_bytes_of(file.metadata.row_group(group), own) for group in self.groups))
            for batch in file.iter_batches(rows, [*self.groups], own, use_threads=False):
                yield Batch(pa.Table.from_batches([batch]))


def _bytes_of(group: Any, columns: Sequence[str]) -> int:
    """Return the compressed size of some columns of a row group."""
    chunks = (group.column(j) for j in range(group.num_columns))
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema.split(".")[0] in columns)


@dataclass(frozen=True)
class TextPart(FilePart):
    """A file whose columns have their types only after a pass over all files, such as a workbook."""

    kinds: Mapping[str, ColumnKind] = field(default_factory=dict, kw_only=True)
    """The kind of each column, known after a pass over all files."""
    forms: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """The sign of each column whose numbers have a sign or thousands separators, "" for no sign; formats of dates."""
    zones: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """The time zone of each column of dates that has one."""

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Yield tables of at most ``rows`` rows, with the types that the columns have in all files together."""
        kinds: dict[str, ColumnKind] = {name: self.kinds.get(name, "text") for name in columns}
        for batch in self.batches(rows, columns):
            yield as_kinds(batch, kinds, self.forms, self.zones)


@dataclass(frozen=True)
class CsvPart(TextPart):
    """A CSV file whose layout is known, so that a pass need not detect it again."""

    reader: CsvReader

    def _read(self, rows: int, columns: Sequence[str] | None) -> Generator[Batch]:
        own = None if columns is None else self.file.own(columns) or self.reader.layout.columns[:1]
        with open_source(self.file.path).stream as stream:
            count_bytes(os.path.getsize(self.file.path))
            yield from self.reader.batches(stream, rows, FRAME_BYTES, own)


def whole_part(file: TablePath, opened: TableFile, dialect: Dialect) -> TypedPart | TextPart:
    """Return an open file as one part; one of Parquet can be cut into several."""
    if isinstance(opened, ArrowFile):
        groups = opened.row_groups
        return TypedPart(file, dialect) if groups is None else ParquetPart(file, dialect, dict(enumerate(groups)))
    return CsvPart(file, dialect, opened.reader) if isinstance(opened, CsvFile) else TextPart(file, dialect)


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
