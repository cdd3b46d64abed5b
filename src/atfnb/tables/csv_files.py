"""CSV files: every cell as the text that it is, in batches; or the whole file, its columns typed."""

from __future__ import annotations

import codecs
import io
from collections.abc import Collection, Generator
from typing import Any

import pyarrow as pa

from atfnb.tables.cells import typed
from atfnb.tables.csv_rows import CsvRows
from atfnb.tables.dialects import Layout, lay_out
from atfnb.tables.encodings import is_cuttable, sniff_encoding, weigh
from atfnb.tables.formats import Dialect, Format
from atfnb.tables.forms import understood
from atfnb.tables.kinds import Batch, text_of
from atfnb.tables.reading import ROWS, TableFile
from atfnb.tables.sources import Peekable, Source, open_source
from atfnb.tables.spellings import words_of
from atfnb.tables.text import UndecodableError, Utf8Stream

SAMPLE = 1 << 18
"""So many bytes tell the encoding, the delimiter and the decimal sign."""
_LONGEST_HEADER = 1 << 26
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
        layout = _laid_out(self._stream, encoding, self.name, self._dialect.delimiter)
        self.rows = CsvRows(self.name, encoding, layout, self._dialect.missing)
        self.columns = list(layout.columns)
        written = (encoding, layout.delimiter, layout.decimal, layout.line_end)
        self.format = Format(self._short_name, "CSV", self._compression, *written)

    def close(self) -> None:
        """Close the file, and what reads from it."""
        super().close()
        self._stream.close()

    def first_row(self) -> int | None:
        """Where the rows begin in the file as it stands; None if it can be read from its beginning only.

        That is so of compressed files, and of encodings in which a byte tells nothing without those before it.
        """
        encoding, header_bytes = self.rows.encoding, self.rows.layout.header_bytes
        plain = self.path is not None and self.path.is_file() and self._compression is None
        if not plain or not is_cuttable(encoding):
            return None
        mark = len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0
        head = io.BytesIO(self._stream.peek(mark + header_bytes))
        header = Utf8Stream(head, encoding, self.name).read(header_bytes)
        return mark + len(header if encoding.startswith("utf-8") else header.decode("utf-8"))

    def _whole(self, as_text: Collection[str], as_written: Collection[str]) -> Any:
        if self.path is None:  # what comes through a pipe can be read again only if it is kept
            self._kept = self._stream.read()
            self._stream = Peekable(io.BytesIO(self._kept))
        try:
            return self._typed(as_text, as_written)
        except UndecodableError:
            if self._dialect.encoding is not None or self.format.encoding != "utf-8":
                raise
        encoding = weigh(_beyond_ascii(self._again()))  # it shows itself late
        self._again()
        self._lay_out(encoding)
        return self._typed(as_text, as_written)

    def _again(self) -> Peekable:
        """The same bytes once more."""
        self._stream.close()
        self._stream = Peekable(io.BytesIO(self._kept)) if self.path is None else open_source(str(self.path)).stream
        return self._stream

    def _typed(self, as_text: Collection[str], as_written: Collection[str]) -> Any:
        cells = self.rows.cells
        text = self.rows.read(self.rows.below_header(self._stream))
        columns = pa.Table.from_batches(list(text), self.rows.schema).columns
        for place, name in enumerate(self.columns):  # one after the other: the text of each is let go
            if name in as_text or name in as_written:
                if name not in as_text:
                    self.words[name] = words_of(columns[place], cells)
                columns[place] = (text_of if name in as_text else typed)(columns[place], cells)
                continue
            columns[place], form = understood(columns[place], cells)
            if form is not None:
                self.forms[name] = form
        return pa.table(columns, self.columns)

    def _batches(self) -> Generator[Batch]:
        yield from self.rows.batches(self.rows.below_header(self._stream), ROWS, _BATCH)


def _laid_out(stream: Peekable, encoding: str, name: str, delimiter: str | None) -> Layout:
    """The layout, from as much of the beginning as it takes."""
    size = SAMPLE
    while size <= _LONGEST_HEADER:
        sample = stream.peek(size)
        try:
            text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)  # reading it is more strict
        except UnicodeError:  # UTF-16 that does not begin with its mark
            raise ValueError(f"{name} is not {encoding.upper()}: give its encoding, as --encoding utf-8.") from None
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
