"""Parts of a table: a few row groups of a Parquet file, some lines of a CSV file, a partition of a Dask data frame.

A part opens into frames of some rows at a time, so that a pass never holds more than these.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

ROWS = 1 << 17
"""Rows of a frame, at most."""


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
        try:
            for native, size in part.frames(self.columns, self.rows):
                yield Frame(native, part.name), size
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{part.name} cannot be read: {_first_line(error)}. Write it again.") from None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


@dataclass(frozen=True)
class ParquetPart:
    """A few row groups of a Parquet file."""

    path: str
    groups: tuple[int, ...]

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
                yield pa.Table.from_batches([batch]).select(columns), size
                size = 0


def _bytes_of(group: Any, columns: Sequence[str]) -> int:
    chunks = (group.column(j) for j in range(group.num_columns))
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema.split(".")[0] in columns)


@dataclass(frozen=True)
class CsvPart:
    """The lines of a CSV file that begin between two places in it; a cell has no line break."""

    path: str
    begin: int
    end: int
    names: tuple[str, ...]
    delimiter: str
    types: tuple[tuple[str, str], ...] = ()
    """Of each column, once all parts were seen; without, each part goes by itself."""

    @property
    def name(self) -> str:
        """For messages."""
        return self.path

    def frames(self, columns: Sequence[str], rows: int) -> Iterator[tuple[pa.Table, int]]:
        """Tables of so many rows."""
        from pyarrow import csv as arrow

        lines = self._lines()
        if not lines.strip():
            return
        table = arrow.read_csv(
            pa.BufferReader(lines),
            arrow.ReadOptions(use_threads=False, column_names=list(self.names)),
            arrow.ParseOptions(delimiter=self.delimiter),
            arrow.ConvertOptions(
                include_columns=list(columns), strings_can_be_null=True, column_types=dict(self.types) or None
            ),
        )
        size = len(lines)
        for first in range(0, len(table), rows):
            yield table.slice(first, rows), size
            size = 0

    def _lines(self) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(max(self.begin - 1, 0))
            file.readline()  # the header, or the line that began before
            lines = file.read(max(self.end - file.tell(), 0))
            return lines if not lines or lines.endswith(b"\n") else lines + file.readline()


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


def header_of(path: str) -> tuple[tuple[str, ...], str]:
    """The names in the first line of a CSV file, and what stands between them."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        line = file.readline()
    delimiter = max(",;\t|", key=line.count)
    names = next(csv.reader([line], delimiter=delimiter), [])
    if not names:
        raise ValueError(f"{path} is empty: its first line must name the columns.")
    return tuple(names), delimiter
