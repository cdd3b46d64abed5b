"""Open a table file of any format, and read it whole or in batches."""

from __future__ import annotations

import codecs
import io
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from atfnb._errors import NAMED, AdvisedError, Setting, and_more, did_you_mean, first_line, listed_names
from atfnb.tables.cells import CellRules, ColumnForm, settled
from atfnb.tables.csv_layout import Layout, lay_out, lay_out_arff, refuse_duplicates
from atfnb.tables.csv_rows import CsvReader, UndecodableError
from atfnb.tables.encodings import guess_encoding, sniff_encoding
from atfnb.tables.headers import written
from atfnb.tables.kinds import Batch, text_of, with_text, without_runs
from atfnb.tables.left_out import LeftOut
from atfnb.tables.naming import parse_spelled
from atfnb.tables.paths import table_paths
from atfnb.tables.sources import WORKBOOKS, Dialect, Format, Peekable, Source, open_source

BATCH_ROWS = 1 << 16
"""The largest number of rows in a batch."""
_BATCH_BYTES = 1 << 22
"""The approximate number of bytes in a batch of a CSV file, if it does not reach ``BATCH_ROWS`` before."""
SAMPLE = 1 << 18
"""The number of bytes that the encoding, the delimiter and the decimal sign are detected from."""
_JSON_BLOCK = 1 << 26
"""The number of bytes that pyarrow parses at a time; no object of a file of JSON lines may be longer."""
_LONGEST_HEADER = 1 << 26
"""The largest number of bytes in which the end of the header is looked for."""


WITHOUT_NAME = re.compile(r"column \d+")
"""What a column is called that has no name."""


def check_names(asked: Iterable[str], columns: Sequence[str], file: str, notes: Iterable[str] = ()) -> None:
    """Raise a ValueError if a file lacks one of the columns asked for, with those that have a similar name.

    If there is none, what was found above the rows and on other sheets, the ``notes``, may say why.
    """
    for name in asked:
        if name not in columns:
            hint: Any = [did_you_mean(name, columns)]
            if WITHOUT_NAME.fullmatch(name):
                hint = ["give ", Setting("Dialect.header_rows", 0), " if its columns have no names."]
            elif not hint[0]:
                hint = [f"it has {listed_names(columns)}.", *(" " + note for note in notes)]
            raise AdvisedError(f"{file} has no column {name!r}: ", *hint)


def check_needed(names: Iterable[str], columns: Collection[str], where: str) -> None:
    """Raise a ValueError if a table lacks a column that a model was fitted with."""
    if lost := [name for name in names if name not in columns]:
        hint = did_you_mean(lost[0], columns) or "add it."
        raise ValueError(f"{where} has no column {lost[0]!r}, which the model was fitted with: {hint}")


def open_table(source: Any, dialect: Dialect | None = None, needed: Collection[str] = ()) -> TableFile:
    r"""Open a table: CSV, Parquet, Arrow, ARFF or JSON lines, compressed or not, or a workbook.

    Parameters
    ----------
    source : str, Path or list of these
        A file, a folder, a pattern such as ``"data/*.csv"``, or several of them, whose rows are read one after the
        other; ``-`` is standard input.
    dialect : Dialect, optional
        What is known about the files; the rest is detected.
    needed : names
        The columns that a model needs; see :func:`~atfnb.tables.paths.table_paths`.

    Returns
    -------
    TableFile
        The open file, to be read once.

    Raises
    ------
    ValueError, OSError
        If there is no such file, or it cannot be read as a table; the message says why, and what to do.
    ImportError
        If the file is a workbook and the extra ``excel`` is not installed.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "few.csv").write_text("size;city\n1,5;Köln\n?;Ulm\n", encoding="cp1252")
    >>> with open_table(f"{folder.name}/few.csv") as file:
    ...     table = file.read()
    >>> print(file.format)
    few.csv: CSV, CP1252, separated by semicolons, decimal comma
    >>> table.to_pydict()
    {'size': [1.5, None], 'city': ['Köln', 'Ulm']}
    >>> folder.cleanup()
    """
    dialect, files = dialect or Dialect(), table_paths(source, needed)
    if len(files) == 1 and not files[0].folders:
        return open_file(files[0].path, dialect)
    from atfnb.tables.planning import SeveralFiles

    return SeveralFiles(files, dialect)


def open_file(path: str, dialect: Dialect) -> TableFile:
    """Open one table file; ``-`` is standard input."""
    source = open_source(path)
    try:
        if source.kind in WORKBOOKS:
            from atfnb.tables.excel import ExcelFile

            file: TableFile = ExcelFile(source, dialect)
        else:
            file = (CsvFile if source.kind in ("CSV", "ARFF") else ArrowFile)(source, dialect)
        file.unreadable = Counter() if dialect.lenient else None
        return file
    except BaseException:
        source.stream.close()
        raise


class TableFile(ABC):
    """An open table file, to be read once: whole, or in batches.

    Attributes
    ----------
    name : str
        The file as the user named it, or "standard input".
    path : Path or None
        Where the file is; None for standard input.
    files : tuple of str
        The files that the rows come from, if there are several.
    format : Format
        The format, as detected.
    formats : sequence of Format
        The different formats of the files, if there are several.
    columns : list of str
        The names of the columns.
    rules : CellRules
        How text is read.
    declared : names
        The columns that the file itself says hold text.
    forms : dict of str to Form, DateForm or Marked
        The columns whose numbers are not plain, those whose dates are not ISO dates, and those with words that mean a
        missing value; known after ``read``.
    words : dict of str to set of str
        How the values of the columns in ``as_written`` are spelled, if they are few; known after ``read``.
    notes : tuple of str
        What was left out, and which cells could not be read, a sentence each; complete after all rows were read.
    unreadable : Counter or None
        How many cells of the batches could not be read, by column, where the dialect is lenient.
    """

    name: str
    path: Path | None
    files: tuple[str, ...] = ()
    format: Format
    formats: Sequence[Format] = ()
    columns: list[str]
    rules: CellRules
    declared: tuple[str, ...] = ()
    forms: dict[str, ColumnForm]
    words: dict[str, frozenset[str]]
    notes: tuple[str, ...] = ()
    unreadable: Counter[str] | None = None
    _given: Generator[Batch] | None = None

    @abstractmethod
    def _batches(self) -> Generator[Batch]:
        """Yield the rows in order, in pieces of any size."""

    def close(self) -> None:
        """Close the file; batches that were asked for end here."""
        if self._given is not None:
            self._given.close()

    def read(self, as_text: Collection[str] = (), as_written: Collection[str] = ()) -> Any:
        """Return all rows as a pyarrow.Table of numbers, booleans, dates and text; missing values are null.

        Parameters
        ----------
        as_text : names
            Columns that hold text, even if it looks like numbers.
        as_written : names
            Columns in which numbers with a sign, a unit or thousands separators are text, as for names of classes.
        """
        self.forms, self.words = {}, {}
        columns = self._all_rows().columns
        for position, name in enumerate(self.columns):  # in place, so that the text of each column is freed
            columns[position] = self._typed(name, columns[position], {*as_text, *self.declared}, as_written)
        return pa.table(columns, self.columns)

    def batches(self) -> Iterator[Batch]:
        """Return an iterator over the rows in order, some at a time, in little memory; cells of CSV files are text."""
        self._given = self._numbered()
        return self._given

    def _all_rows(self) -> Any:
        """Return all rows as a table of what the batches hold."""
        return self._joined([batch.table for batch in self._batches()])

    def _numbered(self) -> Generator[Batch]:
        """Yield the batches with the number of their first row."""
        first = 1
        with closing(self._batches()) as found:
            for batch in found:
                for part in in_rows(batch, BATCH_ROWS):
                    yield replace(part, first=first, unreadable=self.unreadable)
                    first += part.table.num_rows
        if first == 1:
            self._joined([])
        if self.unreadable:
            cells = ", ".join(f"{number:,} in {name!r}" for name, number in self.unreadable.most_common(NAMED))
            more = and_more(len(self.unreadable))
            self.notes += (f"Cells that cannot be read are taken as missing values: {cells}{more}.",)

    def _typed(self, name: str, column: Any, as_text: Collection[str], as_written: Collection[str]) -> Any:
        """Return a column as what its cells mean if it is text, booleans or asked for; its form and words are kept."""
        spelled = pa.types.is_string(column.type) or pa.types.is_boolean(column.type)
        if not spelled and name not in {*as_text, *as_written}:
            return column
        text = text_as_written(column)
        if name in as_text:
            return text_of(text, self.rules)
        column, form, words = parse_spelled(text, self.rules, as_written=name in as_written)
        if (known := settled(form)) is not None:
            self.forms[name] = known
        if words is not None:
            self.words[name] = words
        return column

    def _joined(self, tables: list[Any]) -> Any:
        """Return tables as one; types may differ where one is wider than the other."""
        table = pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})
        if not table.num_rows:
            raise ValueError(f"{self.name} has a header and no rows: give a table with rows.")
        return table

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_rows(batch: Batch, rows: int) -> Iterator[Batch]:
    """Yield the rows of a batch in batches of at most ``rows`` rows; the first says what was left out."""
    for first in range(0, batch.table.num_rows, rows):
        left_out = LeftOut() if first else batch.left_out
        yield replace(batch, table=batch.table.slice(first, rows), left_out=left_out)


def text_as_written(column: Any) -> Any:
    """Return a column or an array of any type as text, each cell as a CSV file would have it.

    Examples
    --------
    >>> text_as_written(pa.array([1.0, None, 2.5])).to_pylist()
    ['1', None, '2.5']
    """
    if pa.types.is_string(column.type):
        return column
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array(map(text_as_written, column.chunks), pa.string())
    return pa.array([None if cell is None else written(cell) for cell in column.to_pylist()], pa.string())


# --- CSV -------------------------------------------------------------------------------------------


class CsvFile(TableFile):
    """A CSV or ARFF file: the cells of its batches are text, and ``read`` finds the type of each column."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.name, self.path = source.name, source.path
        self._source, self._stream, self._dialect = source, source.stream, dialect
        self._lay_out(dialect.encoding or sniff_encoding(self._stream.peek(SAMPLE)))

    def _lay_out(self, encoding: str) -> None:
        """Set the layout and the names of the columns, from the first rows in this encoding; nothing is consumed."""
        source = self._source
        lay = lay_out_arff if source.kind == "ARFF" else partial(lay_out, dialect=self._dialect)
        layout = _laid_out(self._stream, encoding, self.name, lay)
        self.rules = CellRules.of(self._dialect.missing, layout.decimal, self._dialect.date_formats)
        self.reader = CsvReader(self.name, encoding, layout, self.rules)
        self.columns, self.notes = list(layout.columns), layout.notes
        self.declared = layout.declared or ()
        details = (encoding, layout.delimiter, layout.decimal, layout.line_end)
        self.format = Format(source.short_name, source.kind, source.compression, *details)

    def close(self) -> None:
        """Close the file and its readers."""
        super().close()
        self._stream.close()

    def _all_rows(self) -> Any:
        data = None
        if self.path is None:  # standard input can be read again only if it is kept
            data = self._stream.read()
            self._stream = Peekable(io.BytesIO(data))
        try:
            return super()._all_rows()
        except UndecodableError:
            if self._dialect.encoding is not None or self.format.encoding != "utf-8":
                raise
        self._stream.close()  # the sample was ASCII, and the rest is not UTF-8
        if data is None:
            with open_source(str(self.path)).stream as stream:
                data = stream.read()
        self._stream = Peekable(io.BytesIO(data))
        self._lay_out(guess_encoding(data))
        return super()._all_rows()

    def _batches(self) -> Generator[Batch]:
        left_out = LeftOut()
        with closing(self.reader.batches(self._stream, BATCH_ROWS, _BATCH_BYTES)) as found:
            for batch in found:
                left_out += batch.left_out
                yield batch
        self.notes += tuple(left_out.described())


def _laid_out(stream: Peekable, encoding: str, name: str, lay: Callable[..., Layout | None]) -> Layout:
    """Return the layout of a CSV file, from a beginning that is long enough."""
    size = SAMPLE
    while size <= _LONGEST_HEADER:
        sample = stream.peek(size)
        try:  # invalid bytes are refused later, when rows are read
            text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
        except UnicodeError:  # UTF-16 without a byte order mark
            fault = f"{name} is not {encoding.upper()}: give its encoding, as "
            raise AdvisedError(fault, Setting("Dialect.encoding", "utf-8"), ".") from None
        layout = lay(text, name, whole=len(sample) < size)
        if layout is not None:
            return layout
        size *= 4
    raise ValueError(f"{name} has a first line without an end: perhaps a quotation mark is never closed; remove it.")


# --- Parquet and Arrow -----------------------------------------------------------------------------


class ArrowFile(TableFile):
    """A file whose columns have types: Parquet, Arrow or JSON lines; marks of missing values are those of the user."""

    row_groups: tuple[int, ...] | None = None
    """The number of rows in each row group of a Parquet file that can be read from anywhere."""
    _file: Any = None

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.name, self.path = source.name, source.path
        self._stream, self.rules = source.stream, CellRules.of_types(dialect.missing)
        self._marks = dialect.missing
        self.format = Format(source.short_name, source.kind, source.compression)
        try:
            schema, self._rows = self._opened(source)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(self._damaged(error)) from None
        self.columns = list(schema.names)
        refuse_duplicates(tuple(self.columns), self.name)
        if not self.columns:
            raise ValueError(f"{self.name} has no columns: give a table with columns and rows.")

    def close(self) -> None:
        """Close the file and its readers."""
        super().close()
        if self._file is not None:
            self._file.close()
        self._stream.close()

    def _opened(self, source: Source) -> tuple[Any, Iterator[Any]]:
        """Return the schema of the file, and its rows as record batches."""
        if source.kind == "Arrow" and source.stream.peek(4) == b"\xff\xff\xff\xff":
            stream = pa.ipc.open_stream(pa.PythonFile(source.stream, "r"))
            return stream.schema, stream
        if source.kind == "JSON lines":  # types are those of all lines
            import pyarrow.json

            data = pa.BufferReader(source.stream.read().removeprefix(codecs.BOM_UTF8))
            table = pyarrow.json.read_json(data, pyarrow.json.ReadOptions(block_size=_JSON_BLOCK))
            return table.schema, table.to_reader(BATCH_ROWS)
        # the other formats are read from their end: what cannot be rewound is kept in memory
        self._file = pa.OSFile(str(source.path)) if source.is_plain else pa.BufferReader(source.stream.read())
        if source.kind == "Arrow":
            file = pa.ipc.open_file(self._file)
            return file.schema, map(file.get_batch, range(file.num_record_batches))
        import pyarrow.parquet

        parquet = pyarrow.parquet.ParquetFile(self._file)
        if source.is_plain:
            self.row_groups = tuple(parquet.metadata.row_group(i).num_rows for i in range(parquet.num_row_groups))
        return parquet.schema_arrow, parquet.iter_batches(batch_size=BATCH_ROWS)

    def _typed(self, name: str, column: Any, as_text: Collection[str], as_written: Collection[str]) -> Any:
        """Return a column as it is, bytes decoded and text without outer spaces; as text if that is asked for."""
        return with_text(pa.table([column], [name]), as_text, self._marks).column(0)

    def _batches(self) -> Generator[Batch]:
        try:
            for rows in self._rows:
                rows.validate(full=True)  # reading a damaged batch any further could crash
                table = pa.Table.from_arrays([*map(without_runs, rows.columns)], names=rows.schema.names)
                yield Batch(table, name=self.name, rules=self.rules)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(self._damaged(error)) from None

    def _damaged(self, error: BaseException) -> str:
        if self.format.kind == "JSON lines":
            return (
                f"{self.name} cannot be read as JSON lines ({first_line(error)}): each line must be an object, and a "
                "name must have the same type of value in all of them."
            )
        return f"{self.name} is a damaged {self.format.kind} file ({first_line(error)}): write or copy it again."
