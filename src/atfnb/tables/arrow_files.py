"""Parquet and Arrow files: columns with types, as they are."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from typing import Any

import pyarrow as pa

from atfnb.tables.binary import with_decoded
from atfnb.tables.cells import Cells
from atfnb.tables.dialects import refuse_duplicates
from atfnb.tables.formats import Dialect, Format
from atfnb.tables.kinds import Batch, kinds_of, text_of
from atfnb.tables.reading import ROWS, TableFile
from atfnb.tables.sources import Source


class ArrowFile(TableFile):
    """A Parquet or Arrow file; see :class:`TableFile`. Marks for missing cells count only if the user gives some."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.name, self.path = source.name, source.path
        self._stream, self._marks = source.stream, dialect.missing
        self.format = Format(source.short_name, source.kind, source.compression)
        try:
            self._file, schema = self._opened(source)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(self._damaged(error)) from None
        self.columns = list(schema.names)
        refuse_duplicates(tuple(self.columns), self.name)
        if not self.columns:
            raise ValueError(f"{self.name} has no columns: give a table with columns and rows.")

    def close(self) -> None:
        """Close the file, and what reads from it."""
        super().close()
        if not isinstance(self._file, pa.ipc.RecordBatchFileReader):  # which has nothing to close
            self._file.close()
        self._stream.close()

    def _opened(self, source: Source) -> tuple[Any, Any]:
        """The reader of the file, and its schema."""
        plain = source.path is not None and source.compression is None and source.path.is_file()
        if source.kind == "Arrow" and source.stream.peek(4) == b"\xff\xff\xff\xff":
            reader = pa.ipc.open_stream(pa.PythonFile(source.stream, "r"))
            return reader, reader.schema
        # The rest is read from its end: what cannot be wound back is kept in memory.
        file = pa.OSFile(str(source.path)) if plain else pa.BufferReader(source.stream.read())
        if source.kind == "Arrow":
            reader = pa.ipc.open_file(file)
            return reader, reader.schema
        import pyarrow.parquet

        parquet = pyarrow.parquet.ParquetFile(file)
        return parquet, parquet.schema_arrow

    def _tables(self) -> Iterator[Any]:
        try:
            for rows in self._record_batches():
                rows.validate(full=True)  # a damaged file must not be looked at any further
                yield pa.Table.from_batches([rows])
        except (pa.ArrowException, OSError) as error:
            raise ValueError(self._damaged(error)) from None

    def _record_batches(self) -> Iterator[Any]:
        if self.format.kind == "Parquet":
            yield from self._file.iter_batches(batch_size=ROWS)
        elif hasattr(self._file, "num_record_batches"):
            yield from map(self._file.get_batch, range(self._file.num_record_batches))
        else:
            yield from self._file

    def _whole(self, as_text: Collection[str], as_written: Collection[str]) -> Any:
        tables = list(self._tables())
        if not tables:
            return pa.table({})
        return with_text(with_decoded(pa.concat_tables(tables)), as_text, self._marks)

    def _batches(self) -> Generator[Batch]:
        cells = self._cells()
        for table in self._tables():
            yield Batch(table, name=self.name, cells=cells)

    def _cells(self) -> Cells:
        return Cells(()) if self._marks is None else Cells.of(self._marks)

    def _damaged(self, error: BaseException) -> str:
        lines = str(error).splitlines() or [type(error).__name__]
        return f"{self.name} is a damaged {self.format.kind} file ({lines[0].rstrip('.')}): write or copy it again."


def with_text(table: Any, as_text: Collection[str], marks: tuple[str, ...] | None) -> Any:
    """A table with some columns as text, and gaps for the user's marks, if there are any, in all that hold text.

    Examples
    --------
    >>> with_text(pa.table({"code": [7, 8], "city": ["Ulm", "-"]}), ["code"], ("-",)).to_pydict()
    {'code': ['7', '8'], 'city': ['Ulm', None]}
    """
    cells = Cells(()) if marks is None else Cells.of(marks)
    for name, kind in kinds_of(table).items():
        if name in as_text or (kind == "text" and marks is not None):
            place = table.column_names.index(name)
            table = table.set_column(place, name, text_of(table.column(place), cells))
    return table
