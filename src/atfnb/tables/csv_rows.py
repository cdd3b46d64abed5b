"""How the rows of a CSV file are written, and the way from its bytes to them: of the whole file, or of a stretch."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv

from atfnb.tables.cells import Cells
from atfnb.tables.dialects import Layout
from atfnb.tables.kinds import Batch
from atfnb.tables.lending import lending
from atfnb.tables.text import Utf8Stream

_BLOCK = 1 << 20
"""pyarrow reads so many bytes at a time, and some blocks ahead; a row must fit."""


@dataclass(frozen=True)
class CsvRows:
    """How the rows of a CSV file are written: all that is needed to read any of them.

    Parameters
    ----------
    name : str
        The file's name, for sentences.
    encoding : str
        The file's encoding.
    layout : Layout
        Its columns, its delimiter and its decimal sign.
    missing : tuple of str or None
        The user's marks for missing cells, if there are any.
    """

    name: str
    encoding: str
    layout: Layout
    missing: tuple[str, ...] | None = None

    @property
    def cells(self) -> Cells:
        """How the cells are to be understood."""
        return Cells.of(self.missing, self.layout.decimal)

    def below_header(self, raw: Any) -> Utf8Stream:
        """The text of a whole file, from its first row on."""
        text = Utf8Stream(raw, self.encoding, self.name)
        text.read(self.layout.header_bytes)
        return text

    def stretch(self, raw: Any, line: int) -> Utf8Stream:
        """The text of some rows that begin in this line of the file."""
        return Utf8Stream(raw, self.encoding.removesuffix("-sig"), self.name, line)

    def batches(self, text: Utf8Stream, rows: int, size: int, columns: Sequence[str] | None = None) -> Generator[Batch]:
        """The rows, put together until they are so many, or have so many bytes; their cells are text."""
        pieces: list[Any] = []
        with closing(self.read(text, columns)) as found:
            for piece in found:
                pieces.append(piece)
                if sum(map(len, pieces)) >= rows or sum(piece.nbytes for piece in pieces) >= size:
                    yield self._batch(pieces)
                    pieces = []
        if pieces:
            yield self._batch(pieces)

    def _batch(self, pieces: Iterable[Any]) -> Batch:
        return Batch(pa.Table.from_batches(pieces), name=self.name, cells=self.cells)

    def read(self, text: Utf8Stream, columns: Sequence[str] | None = None) -> Generator[Any]:
        """The rows as text, all columns or some; what pyarrow refuses is said in a sentence of ours."""
        ragged: list[Any] = []

        def refuse(row: Any) -> str:
            ragged.append(row)
            return "error"

        last, above = None, text.first_line
        try:
            with lending(text.read, refuse) as lent:
                for rows in pyarrow.csv.open_csv(lent[0], *self._options(lent[1], columns)):
                    last = rows if rows.num_rows else last
                    yield rows
        except pa.ArrowException as error:
            if "Empty CSV" in str(error):
                return
            raise ValueError(self._refusal(str(error), ragged, above)) from None
        if columns is None and last is not None and _is_open(last, text.tail):
            raise ValueError(f"{self.name} opens a quotation mark and never closes it: close or remove it.")

    @property
    def schema(self) -> Any:
        """Every column as text."""
        return pa.schema([(column, pa.string()) for column in self.layout.columns])

    def _options(self, refuse: Any, columns: Sequence[str] | None) -> tuple[Any, ...]:
        csv = pyarrow.csv
        return (
            # One thread: with more, pyarrow does not know the number of a row that it refuses.
            csv.ReadOptions(
                use_threads=False,
                block_size=max(_BLOCK, 32 * self.layout.header_bytes),
                column_names=list(self.layout.columns),
            ),
            csv.ParseOptions(
                delimiter=self.layout.delimiter or ",", newlines_in_values=True, invalid_row_handler=refuse
            ),
            csv.ConvertOptions(
                check_utf8=False, column_types=self.schema, strings_can_be_null=False, include_columns=columns
            ),
        )

    def _refusal(self, error: str, ragged: list[Any], above: int) -> str:
        if ragged:
            row, below = ragged[0], "the header" if above == 1 else f"line {above - 1}"
            return (
                f"row {row.number} below {below} of {self.name} has {_cells_of(row.actual_columns)} and the header "
                f"{row.expected_columns}: correct it, or quote the cells that hold the delimiter, or give --delimiter."
            )
        if "straddling" in error:
            return (
                f"{self.name} has a row of more than {_BLOCK >> 20} MB: perhaps a quotation mark is never closed; "
                "close or remove it."
            )
        return f"{self.name} cannot be read as CSV ({error.splitlines()[0].rstrip('.')}): check the file."


def _is_open(last: Any, tail: bytes) -> bool:
    """Whether the last cell of a file swallowed line ends, and no quotation mark closed it."""
    cell = last.column(last.num_columns - 1)[-1].as_py()
    return ("\n" in cell or "\r" in cell) and not tail.rstrip(b"\r\n").endswith(b'"')


def _cells_of(count: int) -> str:
    return f"{count} cell" if count == 1 else f"{count} cells"
