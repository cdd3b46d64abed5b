"""CSV files: every cell as the text that it is, in batches; or the whole file, its columns typed."""

from __future__ import annotations

import codecs
import io
from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.csv

from atfnb.table_files.cells import Cells, typed
from atfnb.table_files.dialects import Layout, lay_out
from atfnb.table_files.encodings import sniff_encoding, weigh
from atfnb.table_files.formats import Dialect, Format
from atfnb.table_files.kinds import Batch, text_of
from atfnb.table_files.reading import ROWS, TableFile
from atfnb.table_files.sources import Peekable, Source, open_source
from atfnb.table_files.text import UndecodableError, Utf8Stream

SAMPLE = 1 << 18
"""So many bytes tell the encoding, the delimiter and the decimal sign."""
_LONGEST_HEADER = 1 << 26
_BLOCK = 1 << 20
"""pyarrow reads so many bytes at a time, and some blocks ahead; a row must fit."""
_BATCH = 1 << 22
"""A batch is put together from blocks until it has so many bytes, or enough rows."""


class CsvFile(TableFile):
    """A CSV file; see :class:`TableFile`."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.name, self.path = source.name, source.path
        self._stream, self._dialect = source.stream, dialect
        self._short_name, self._compression = source.short_name, source.compression
        self._lay_out(dialect.encoding or sniff_encoding(self._stream.peek(SAMPLE)))

    def _lay_out(self, encoding: str) -> None:
        """Look at the header and the first rows, the file being in that encoding; they stay to be read."""
        self._layout = layout = _laid_out(self._stream, encoding, self.name, self._dialect.delimiter)
        self.columns = list(layout.columns)
        self.format = Format(self._short_name, "CSV", self._compression, encoding, layout.delimiter, layout.decimal)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _whole(self, as_text: Collection[str]) -> Any:
        if self.path is None:  # what comes through a pipe can be read again only if it is kept
            self._kept = self._stream.read()
            self._stream = Peekable(io.BytesIO(self._kept))
        try:
            return self._typed(as_text)
        except UndecodableError:
            if self._dialect.encoding is not None or self.format.encoding != "utf-8":
                raise
        encoding = weigh(_beyond_ascii(self._again()))  # it shows itself late
        self._again()
        self._lay_out(encoding)
        return self._typed(as_text)

    def _again(self) -> Peekable:
        """The same bytes once more."""
        self._stream.close()
        self._stream = Peekable(io.BytesIO(self._kept)) if self.path is None else open_source(str(self.path)).stream
        return self._stream

    def _typed(self, as_text: Collection[str]) -> Any:
        cells = self._cells()
        columns = pa.Table.from_batches(list(self._text_batches()), self._schema()).columns
        for place, column in enumerate(columns):  # one after the other: the text of each is let go
            columns[place] = (text_of if self.columns[place] in as_text else typed)(column, cells)
        return pa.table(columns, self.columns)

    def _batches(self) -> Iterator[Batch]:
        cells = self._cells()
        pieces: list[Any] = []
        for rows in self._text_batches():
            pieces.append(rows)
            if sum(map(len, pieces)) >= ROWS or sum(piece.nbytes for piece in pieces) >= _BATCH:
                yield Batch(pa.Table.from_batches(pieces), name=self.name, cells=cells)
                pieces = []
        if pieces:
            yield Batch(pa.Table.from_batches(pieces), name=self.name, cells=cells)

    def _cells(self) -> Cells:
        return Cells.of(self._dialect.missing, self._layout.decimal)

    def _schema(self) -> Any:
        return pa.schema([(column, pa.string()) for column in self.columns])

    def _text_batches(self) -> Iterator[Any]:
        """The rows as text; what pyarrow refuses is said in a sentence of ours."""
        ragged: list[Any] = []

        def refuse(row: Any) -> str:
            ragged.append(row)
            return "error"

        text, last = Utf8Stream(self._stream, self.format.encoding or "utf-8", self.name), None
        text.read(self._layout.header_bytes)
        try:
            for rows in self._reader(text, refuse):
                last = rows if rows.num_rows else last
                yield rows
        except pa.ArrowException as error:
            if "Empty CSV" in str(error):
                return
            raise ValueError(self._refusal(str(error), ragged)) from None
        if last is not None and _is_open(last, text.tail):
            raise ValueError(f"{self.name} opens a quotation mark and never closes it: close or remove it.")

    def _reader(self, text: Utf8Stream, refuse: Any) -> Any:
        csv = pyarrow.csv
        return csv.open_csv(
            text,
            # One thread: with more, pyarrow does not know the number of a row that it refuses.
            csv.ReadOptions(
                use_threads=False,
                block_size=max(_BLOCK, 32 * self._layout.header_bytes),
                column_names=self.columns,
            ),
            csv.ParseOptions(
                delimiter=self._layout.delimiter or ",", newlines_in_values=True, invalid_row_handler=refuse
            ),
            csv.ConvertOptions(check_utf8=False, column_types=self._schema(), strings_can_be_null=False),
        )

    def _refusal(self, error: str, ragged: list[Any]) -> str:
        if ragged:
            row = ragged[0]
            return (
                f"row {row.number} below the header of {self.name} has {_cells_of(row.actual_columns)} and the header "
                f"{row.expected_columns}: correct it, or quote the cells that hold the delimiter, or give --delimiter."
            )
        if "straddling" in error:
            return (
                f"{self.name} has a row of more than {_BLOCK >> 20} MB: perhaps a quotation mark is never closed; "
                "close or remove it."
            )
        return f"{self.name} cannot be read as CSV ({error.splitlines()[0].rstrip('.')}): check the file."


def _laid_out(stream: Peekable, encoding: str, name: str, delimiter: str | None) -> Layout:
    """The layout, from as much of the beginning as it takes."""
    size = SAMPLE
    while size <= _LONGEST_HEADER:
        sample = stream.peek(size)
        text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)  # reading it is more strict
        layout = lay_out(text, name, delimiter, whole=len(sample) < size)
        if layout is not None:
            return layout
        size *= 4
    raise ValueError(f"{name} has a first line without an end: perhaps a quotation mark is never closed; remove it.")


def _beyond_ascii(stream: Peekable, enough: int = 1 << 16) -> bytes:
    """The lines with bytes beyond ASCII, as many as are enough to tell an encoding."""
    found, length, rest = [], 0, b""
    while length < enough and (chunk := stream.read(1 << 20)):
        *lines, rest = (rest + chunk).split(b"\n")
        telling = [line for line in lines if not line.isascii()]
        found += telling
        length += sum(map(len, telling))
    return b"\n".join([*found, rest])


def _is_open(last: Any, tail: bytes) -> bool:
    """Whether the last cell of a file swallowed line ends, and no quotation mark closed it."""
    cell = last.column(last.num_columns - 1)[-1].as_py()
    return ("\n" in cell or "\r" in cell) and not tail.rstrip(b"\r\n").endswith(b'"')


def _cells_of(count: int) -> str:
    return f"{count} cell" if count == 1 else f"{count} cells"
