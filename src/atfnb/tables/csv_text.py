"""Tables as CSV text: cells quoted only where they must be, numbers with the fewest digits that tell them."""

from __future__ import annotations

import codecs
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_BYTES = 1 << 25
"""Rows are put together in pieces of about that size."""


class CsvSink:
    """Writes tables to a stream as CSV.

    pyarrow's own writer puts all text in quotes; this one joins columns to lines itself, as fast.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> sink = CsvSink(stream, ["a", "b"], ";", "utf-8")
    >>> sink.write_table(pa.table({"a": [0.1, None], "b": ["x;y", "z"]}))
    >>> print(stream.getvalue().decode(), end="")
    a;b
    0.1;"x;y"
    ;z
    """

    def __init__(
        self,
        stream: Any,
        columns: list[str],
        delimiter: str,
        encoding: str,
        name: str = "output",
        *,
        decimal: str = ".",
        line_end: str = "\n",
    ) -> None:
        self._decimal, self._line_end = decimal, line_end
        self._stream, self._delimiter, self._name, self._encoding = stream, delimiter, name, encoding
        self._encoder = None if encoding == "utf-8" else codecs.getincrementalencoder(encoding)()
        # A lone empty cell would be a blank line, and a blank line is no row.
        empty = "|^$" if len(columns) == 1 else ""
        self._columns, self._signs = columns, [sign.encode() for sign in ('"', "\r", "\n", delimiter)]
        self._special = rf'["\r\n{re.escape(delimiter)}]{empty}'
        self.write_table(pa.table([pa.array([column]) for column in columns], columns))

    def write_table(self, table: Any) -> None:
        """Write some rows."""
        step = max(1, int(_BYTES * table.num_rows / max(table.nbytes, 1)))
        for start in range(0, table.num_rows, step):
            self._write(table.slice(start, step))

    def close(self) -> None:
        """Nothing is left to write."""

    def _write(self, table: Any) -> None:
        cells = [self._cells(column) for column in table.columns]
        cells[-1] = pc.binary_join_element_wise(cells[-1], self._line_end, "")
        self._put(_letters(pc.binary_join_element_wise(*cells, self._delimiter)))

    def _cells(self, column: Any) -> Any:
        text = pc.fill_null(pc.cast(_joined(column), pa.string()), "")
        if self._decimal != "." and (pa.types.is_floating(column.type) or pa.types.is_decimal(column.type)):
            text = pc.replace_substring(text, ".", self._decimal)
        letters = _letters(text)
        if len(self._columns) > 1 and not any(sign in letters for sign in self._signs):
            return text  # most columns need no quotes, and this look is quick
        special = pc.match_substring_regex(text, self._special)
        quoted = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
        return pc.if_else(special, quoted, text)

    def _put(self, text: bytes) -> None:
        if self._encoder is None:
            self._stream.write(text)
            return
        try:
            self._stream.write(self._encoder.encode(text.decode("utf-8")))
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{self._name} cannot be written in {self._encoding.upper()}, which has no "
                f"{error.object[error.start]!r}: write .parquet, or read the input with --encoding utf-8."
            ) from None


def _joined(column: Any) -> Any:
    """A column in one piece."""
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _letters(text: Any) -> bytes:
    """The cells of a column of text, one after the other."""
    _, offsets, data = text.buffers()
    if data is None:
        return b""
    ends = np.frombuffer(offsets, dtype=np.int32)[text.offset : text.offset + len(text) + 1]
    return bytes(memoryview(data)[ends[0] : ends[-1]])
