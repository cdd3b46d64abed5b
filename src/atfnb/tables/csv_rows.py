"""The rows of a CSV file: bytes → UTF-8, checked → record batches of text, parsed by pyarrow."""

from __future__ import annotations

import codecs
import io
import re
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.csv

from atfnb._errors import Message, Setting, counted
from atfnb.tables.cells import CellRules
from atfnb.tables.csv_layout import Layout
from atfnb.tables.kinds import Batch
from atfnb.tables.left_out import LeftOut
from atfnb.tables.sources import Peekable

# --- Text ------------------------------------------------------------------------------------------


class UndecodableError(ValueError):
    """The error of a byte that is not valid in the encoding."""


class Utf8Stream(Peekable):
    """A text file in any encoding, read as UTF-8 without a byte order mark; invalid bytes raise an error.

    A read never returns more bytes than were asked for: pyarrow would write them beyond its buffer.

    Parameters
    ----------
    raw : stream of bytes
        The file, which stays open when this stream is closed.
    encoding : str
        Its encoding.
    name : str
        The name of the file, for messages.
    """

    def __init__(self, raw: Any, encoding: str, name: str) -> None:
        super().__init__(raw)
        self.encoding, self.name, self._lines = encoding, name, 1
        self._decoder, self._ended = codecs.getincrementaldecoder(encoding)(), False
        self.tail = b""
        """The last bytes that were read, up to 64."""

    def read(self, size: int = -1) -> bytes:
        """Return the next ``size`` bytes, or all that are left if it is negative."""
        taken = super().read(size)
        self.tail = taken[-64:] or self.tail
        return taken

    def close(self) -> None:
        """Close this stream, and not the file below it."""
        io.RawIOBase.close(self)

    def _next(self, size: int) -> bytes:
        text = b""
        while not text and not self._ended:  # some bytes may be a part of a character only
            text = self._decoded(self._raw.read(max(size, 64)))
        return text

    def _decoded(self, chunk: bytes) -> bytes:
        self._ended = not chunk
        if not self.encoding.startswith(("utf-16", "utf-32")):
            self._refuse_nul(chunk)  # before decoding: a file with NUL bytes is not text in any encoding
        try:
            plain = self._decoder.decode(chunk, final=self._ended).encode("utf-8")
        except UnicodeError as error:
            raise UndecodableError(self._undecodable(error)) from None
        self._refuse_nul(plain)
        self._lines += count_line_ends(plain)
        return plain

    def _refuse_nul(self, text: bytes) -> None:
        if b"\0" in text:
            line = self._lines + count_line_ends(text[: text.index(b"\0")])
            raise ValueError(
                f"{self.name} holds a NUL byte in line {line}: it is not text, or damaged; save the table as CSV again."
            )

    def _undecodable(self, error: UnicodeError) -> str:
        line, what = self._lines, "a character that cannot be"  # half of a surrogate pair, which some decoders accept
        if isinstance(error, UnicodeDecodeError):
            before = error.object[: error.start].decode(self.encoding, "replace").encode("utf-8", "replace")
            line, what = line + count_line_ends(before), f"the byte 0x{error.object[error.start]:02X}"
        fault = f"{self.name} holds {what} in line {line}, which is not {self.encoding.upper()}: "
        return Message(fault, "give its encoding, such as ", Setting("Dialect.encoding", "cp1252"), ".")


def count_line_ends(text: bytes) -> int:
    """Return the number of line ends in a text: of line feeds, or of carriage returns if it has none."""
    return text.count(b"\n") or text.count(b"\r")


# --- Rows ------------------------------------------------------------------------------------------

_BLOCK = 1 << 20
"""The number of bytes that pyarrow reads at a time; no row may be longer."""
_NOTE = re.compile(r"\s*[^\W\d_].*\s\S")
"""A line of several words, which is a note if it is a single cell."""


@dataclass(frozen=True)
class CsvReader:
    """Reads the rows of a CSV file, given how the file is written.

    Parameters
    ----------
    name : str
        The name of the file, for messages.
    encoding : str
        The encoding of the file.
    layout : Layout
        Its columns, its delimiter and its decimal sign.
    rules : CellRules
        The marks of missing values, the decimal sign and the date formats of the cells.
    """

    name: str
    encoding: str
    layout: Layout
    rules: CellRules = field(default_factory=CellRules)

    def batches(self, raw: Any, rows: int, size: int, columns: Sequence[str] | None = None) -> Generator[Batch]:
        """Yield batches of about ``rows`` rows, or ``size`` bytes if these are fewer rows, whose cells are text."""
        text = Utf8Stream(raw, self.encoding, self.name)
        text.read(self.layout.header_bytes)
        pieces, left_out = list[Any](), list[LeftOut]()
        with closing(self._read(text, left_out)) as found:
            for piece in found:
                pieces.append(piece if columns is None else piece.select(list(columns)))
                if sum(map(len, pieces)) >= rows or sum(piece.nbytes for piece in pieces) >= size:
                    yield self._batch(pieces, left_out)
                    pieces, left_out[:] = [], []
        if pieces:
            yield self._batch(pieces, left_out)

    def _batch(self, pieces: Iterable[Any], left_out: Iterable[LeftOut]) -> Batch:
        table = pa.Table.from_batches(pieces)
        return Batch(table, name=self.name, rules=self.rules, left_out=sum(left_out, start=LeftOut()))

    def _read(self, text: Utf8Stream, left_out: list[LeftOut]) -> Generator[Any]:
        """Yield record batches of text; a damaged file raises a ValueError.

        What is no row is left out, and appended to ``left_out``: whether a row is one can depend on every column.
        """
        ragged: list[Any] = []
        last, number = None, 0

        def refuse(row: Any) -> str:
            if self.layout.declared is not None and row.text.startswith("%"):  # a comment of an ARFF file
                return "skip"
            if row.actual_columns == 1 and row.expected_columns > 2 and _NOTE.match(row.text):
                left_out.append(LeftOut.of("note", f"row {row.number:,} below the header", row.text))
                return "skip"
            ragged.append(row)
            return "error"

        try:
            with lending(text.read, refuse) as lent:
                for rows in pyarrow.csv.open_csv(lent[0], *self._options(lent[0])):
                    last = rows if rows.num_rows else last
                    kept, found = self.layout.row_filter.passed(rows, number)
                    number += rows.num_rows
                    left_out.append(found)
                    yield kept
        except pa.ArrowException as error:
            if "Empty CSV" in str(error):
                return
            raise ValueError(self._refusal(str(error), ragged)) from None
        if last is not None and _is_open(last, text.tail, self.layout.quote.encode()):
            raise ValueError(f"{self.name} opens a quotation mark and never closes it: close or remove it.")

    def _options(self, refuse: Any) -> tuple[Any, ...]:
        layout, as_text = self.layout, dict.fromkeys(self.layout.columns, pa.string())
        escape = False if layout.declared is None else "\\"
        signs = {"delimiter": layout.delimiter or ",", "quote_char": layout.quote, "escape_char": escape}
        size = max(_BLOCK, 32 * layout.header_bytes)
        return (
            # one thread: with more, pyarrow does not know the number of a row that it refuses
            pyarrow.csv.ReadOptions(use_threads=False, block_size=size, column_names=[*as_text]),
            pyarrow.csv.ParseOptions(**signs, newlines_in_values=True, invalid_row_handler=refuse),
            pyarrow.csv.ConvertOptions(check_utf8=False, column_types=as_text, strings_can_be_null=False),
        )

    def _refusal(self, error: str, ragged: list[Any]) -> str:
        if ragged:
            row = ragged[0]
            fault = (
                f"row {row.number} below the header of {self.name} has {counted(row.actual_columns, 'cell')} and the "
                f"header {row.expected_columns}: correct it, or quote the cells that hold the delimiter, or give "
            )
            return Message(fault, Setting("Dialect.delimiter"), ".")
        if "straddling" in error:
            return (
                f"{self.name} has a row of more than {_BLOCK >> 20} MB: perhaps a quotation mark is never closed; "
                "close or remove it."
            )
        return f"{self.name} cannot be read as CSV ({error.splitlines()[0].rstrip('.')}): check the file."


def _is_open(last: Any, tail: bytes, quote: bytes) -> bool:
    """Return whether the last cell of a file has line ends in it, and no quotation mark that closes it."""
    cell = last.column(last.num_columns - 1)[-1].as_py()
    return ("\n" in cell or "\r" in cell) and not tail.rstrip(b"\r\n").endswith(quote)


# --- Functions that threads of pyarrow call --------------------------------------------------------

_PATIENCE = 5.0
"""The number of seconds to wait for a thread, which may itself wait for standard input."""


class Lent:
    """A stream and a function that are lent to pyarrow, as one object."""

    closed = False

    def __init__(self, read: Callable[..., Any], function: Callable[..., Any]) -> None:
        self.read, self._function = read, function

    def __call__(self, *arguments: Any) -> Any:
        """Return what the lent function returns for these arguments."""
        return self._function(*arguments)


@contextmanager
def lending(read: Callable[..., Any], function: Callable[..., Any]) -> Iterator[list[Lent]]:
    """Lend the ``read`` of a file and a function, in a list of one object; wait at the end until no thread holds it.

    pyarrow reads ahead in a thread of its own and lets go of a file there, even after it refused its content. If the
    program ends while that thread is in Python, the process is aborted.

    Examples
    --------
    >>> with lending(len, max) as lent:
    ...     lent[0].read("abc"), lent[0](1, 2)
    (3, 2)
    """
    lent, returned = [Lent(read, function)], threading.Event()
    weakref.finalize(lent[0], returned.set).atexit = False
    try:
        yield lent
    finally:
        lent.clear()
        returned.wait(_PATIENCE)
