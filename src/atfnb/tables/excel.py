"""Workbooks: .xlsx, .xlsm and .xlsb of Excel, .ods of LibreOffice; the table on one of their sheets.

A column of one kind of cells gets its type: numbers, booleans, dates, times. Text, and cells of several kinds, become
text, which is then read as the text of a CSV file. Several tables on a sheet are refused: which one is meant, only the
user knows.

::

    file ──excel_workbook, excel_child──▶ sheet ──headers, Body──▶ names, columns with types

Reading needs the extra ``excel``.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import and_
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import NAMED, Message, Setting, counted, listed_names
from atfnb.tables.cells import CellRules, merge_types
from atfnb.tables.csv_layout import column_names
from atfnb.tables.date_cells import MOMENT
from atfnb.tables.excel_workbook import BLOCK, SHEET_ROWS, Sheet, Workbook, open_workbook
from atfnb.tables.headers import (
    Header,
    Row,
    filled,
    find_header,
    first_rows,
    joined_names,
    more_headers,
    on_more_headers,
    titles_of,
    written,
)
from atfnb.tables.kinds import Batch
from atfnb.tables.left_out import LeftOut, RowFilter
from atfnb.tables.reading import TableFile, text_as_written
from atfnb.tables.sources import Dialect, Format, Source


class ExcelFile(TableFile):
    """The table on a sheet of a workbook: it is read when the file is opened, a block of rows at a time."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.name, self.path = source.name, source.path
        self._marks, self.rules = dialect.missing, CellRules.of(dialect.missing, date_formats=dialect.date_formats)
        data = source.stream.read()
        source.stream.close()
        with open_workbook(data, self.name, source.kind) as workbook:
            sheet = workbook.named(dialect.sheet)
            self.format = Format(source.short_name, source.kind, sheet=sheet)
            self._where = f"sheet {sheet!r} of {self.name}"
            self._others = [each for each in workbook.sheets if each != sheet] if dialect.sheet is None else []
            found = workbook.read(sheet)
            if found.width < 2 and (tables := self._other_tables(workbook)):  # a sheet with explanations
                raise ValueError(self._without_table(found, tables))
            self._lay_out(workbook.read(sheet) if found.width < 2 else found, dialect, workbook)

    def _other_tables(self, workbook: Workbook) -> list[str]:
        """Return the sheets that hold tables, besides the one that is read; the rows of that one are lost."""
        return [name for name in self._others if _is_table(workbook.read(name))]

    def _lay_out(self, sheet: Sheet, dialect: Dialect, workbook: Workbook) -> None:
        """Set the columns, their names and the notes."""
        rows = ((number, row) for number, row in sheet.rows if number > dialect.skip_rows)
        ahead, asked, marks = first_rows(rows), dialect.header_rows, self.rules.missing
        header = find_header(ahead, sheet.merged, sheet.left, 2 if asked else None)
        if asked == 0 and ahead:
            header = Header(0, [""] * sheet.width, ())
        if header is None:
            raise ValueError(self._without_table(sheet, self._other_tables(workbook)))
        below = [(number, row) for number, row in ahead if number > header.number and filled(row)]
        more = below[: more_headers([row for _, row in below], marks) if asked is None else max(asked - 1, 0)]
        headers, last = [header.cells, *(row for _, row in more)], max([header.number, *(number for number, _ in more)])
        again = [row for number, row in ahead if header.number <= number <= last and filled(row)]
        row_filter = RowFilter.of(again, [row for _, row in below[len(more) :]], marks, keep_totals=dialect.keep_totals)
        body = Body(header, self._where, row_filter, [row for row, _ in sheet.errors])
        body.read(chain((each for each in ahead if each[0] > last), rows))
        names = joined_names(headers)
        used = [name != "" or not pa.types.is_null(kind) for name, kind in zip(names, body.types, strict=True)]
        first, end = used.index(True), len(used) - used[::-1].index(True)
        if not all(used[first:end]):
            column = _letters(sheet.left + used.index(False, first))
            raise ValueError(
                f"{self._where} seems to hold several tables side by side, as column {column} is empty: give each "
                "table a sheet of its own or, if they are one, delete the empty column."
            )
        self.columns = list(column_names([written(cell) for cell in names[first:end]], self._where))
        self._columns = body.columns()[first:end]
        rows_of = range(header.number + 1, body.last + 1)
        names_of = {_letters(sheet.left + first + i): name for i, name in enumerate(self.columns)}

        def in_table(cells: Iterable[tuple[int, str]]) -> Counter[str]:
            return Counter(names_of[column] for row, column in cells if row in rows_of and column in names_of)

        above = (*header.described(), *on_more_headers(headers)) if asked != 0 else ()
        self.notes = (*above, *body.left_out.described())
        if self._others:
            others = f"Other sheets are not read: {listed_names(self._others)}; to choose one: "
            self.notes = (Message(others, Setting("Dialect.sheet", "NAME"), "."), *self.notes)
        if errors := in_table(sheet.errors):
            self.notes += (f"Formula errors are read as missing values: {_by_column(errors)}.",)
        if merged := in_table((top + 1, _letters(left)) for (top, left), _ in sheet.filled):
            self.notes += (f"Merged cells have their value in each row and column: {_by_column(merged)}.",)
        if sheet.has_unknown_merged:
            self.notes += ("Merged cells have their value in the first cell only: save as .xlsx to have them filled.",)
        if sheet.last == SHEET_ROWS:
            self.notes += (f"The sheet is full, with {SHEET_ROWS:,} rows: rows beyond may have been cut off.",)

    def _without_table(self, sheet: Sheet, tables: list[str]) -> str:
        if tables:
            what = "holds no table" if sheet.last else "is empty"
            advice = (": choose another one with ", Setting("Dialect.sheet"), f": {listed_names(tables)}.")
            return Message(f"{self._where} {what}", *advice)
        if sheet.last:
            return f"{self._where} has no row with several cells: it needs the names of the columns, and rows below."
        return f"{self._where} is empty: give a workbook with a table."

    def _batches(self) -> Generator[Batch]:
        given = with_whole_numbers if self._marks is None else text_as_written  # a mark may look like a number
        yield Batch(pa.table([*map(given, self._columns)], self.columns), name=self.name, rules=self.rules)


def _is_table(sheet: Sheet) -> bool:
    """Return whether a sheet has a header of several columns, and a row below it."""
    rows = first_rows(sheet.rows)
    header = find_header(rows, sheet.merged, sheet.left) if sheet.width > 1 else None
    return header is not None and any(number > header.number and filled(row) for number, row in rows)


def _letters(column: int) -> str:
    """Return the letters of a column from its position, counted from 0.

    >>> _letters(0), _letters(27)
    ('A', 'AB')
    """
    before, letter = divmod(column, 26)
    return (_letters(before - 1) if before else "") + chr(65 + letter)


def _by_column(cells: Counter[str]) -> str:
    """Return how many cells there are in each column, in words."""
    found = [f"{counted(number, 'cell')} in {name!r}" for name, number in cells.items()]
    more = f" and in {counted(len(found) - NAMED, 'more column')}" if len(found) > NAMED else ""
    return f"{', '.join(found[:NAMED])}{more}"


# --- Rows ------------------------------------------------------------------------------------------


class Body:
    """Reads the rows below a header into columns.

    Empty rows are skipped. Rows with a single cell that follow the last row of the table after an empty row are notes.

    Parameters
    ----------
    header : Header
        The row with the names of the columns.
    where : str
        The sheet, for messages.
    row_filter : RowFilter
        What is usual in the table: it shows which rows are none.
    errors : collection of int
        The rows that hold formula errors, which are not empty although all their cells may be.

    Attributes
    ----------
    last : int
        The number of the last row of the table, counted from 1.
    left_out : LeftOut
        What is no row of the table.
    types : list of pyarrow.DataType
        The type of each column so far: null where it has no cell, text where its cells are of several kinds.

    Raises
    ------
    ValueError
        If something else follows below, such as another table.
    """

    def __init__(self, header: Header, where: str, row_filter: RowFilter, errors: Collection[int]) -> None:
        self._where, self._row_filter, self._errors = where, row_filter, set(errors)
        self.left_out = LeftOut()
        self.last = header.number
        self.types = [pa.null() for _ in header.cells]
        self._chunks: list[list[Any]] = [[] for _ in header.cells]
        self._block: list[Row] = []
        self._heading: tuple[int, Row] | None = None

    def read(self, rows: Iterable[tuple[int, Row]]) -> None:
        """Read the rows below the header and their numbers."""
        single: list[tuple[int, Row]] = []
        after_empty = False
        for number, row in rows:
            n = filled(row)
            if not n and number not in self._errors:
                after_empty = True
                continue
            if (found := self._row_filter.reason(row)) is not None:
                self.left_out += LeftOut.of(found[0], f"row {number:,}", found[1])
                if found[0] == "header":  # what is right above it is the title of a page
                    self._leave_out(single)
                    single, after_empty = [], False
                continue
            if after_empty and n == 1 and len(row) > 1:
                single.append((number, row))
                continue
            if after_empty:
                self._refuse_another(number, row, single)
                for each in single:
                    self._take(*each)
                single, after_empty = [], False
            self._take(number, row)
        self._leave_out(single)
        self._flush()

    def _leave_out(self, notes: Sequence[tuple[int, Row]]) -> None:
        for number, row in notes:
            self.left_out += LeftOut.of("note", f"row {number:,}", *titles_of([(number, row)]))

    def columns(self) -> list[Any]:
        """Return the columns that were read."""
        return [
            pa.chunked_array([_as_type(chunk, kind) for chunk in chunks], kind)
            for chunks, kind in zip(self._chunks, self.types, strict=True)
        ]

    def _take(self, number: int, row: Row) -> None:
        self._block.append(row)
        self.last = number
        if self._heading is not None and number > self._heading[0]:
            self._look_below(*self._heading, row)
        if len(self._block) == BLOCK:
            self._flush()

    def _flush(self) -> None:
        for j, column in enumerate(zip(*self._block, strict=True)):
            chunk = _chunk([None if cell == "" else cell for cell in column])
            self.types[j] = merge_types(self.types[j], chunk.type)
            self._chunks[j].append(chunk)
        self._block = []

    # --- something else below ----------------------------------------------------------------------

    def _refuse_another(self, number: int, row: Row, titles: Sequence[tuple[int, Row]]) -> None:
        """Raise an error if a row after an empty one, with single cells above it, does not belong to the table.

        That is so if it has text among values of another kind, or names columns. Whether it does may depend on the row
        below it: then it is kept for that.
        """
        self._flush()
        texts = [isinstance(cell, str) and cell.strip() not in self._row_filter.marks for cell in row]
        are_values = [not (pa.types.is_string(kind) or pa.types.is_null(kind)) for kind in self.types]
        is_heading = sum(texts) > 1 and sum(texts) == filled(row)
        if any(map(and_, texts, are_values)) or (is_heading and titles):
            raise ValueError(self._something_else(titles[0][0] if titles else number))
        self._heading = (number, row) if is_heading else None

    def _look_below(self, number: int, heading: Row, row: Row) -> None:
        """Raise an error if a row has numbers where there was only text above the row that may be a header."""
        self._heading = None
        for cell, name, kind in zip(row, heading, self.types, strict=True):
            if not isinstance(cell, str) and name != "" and pa.types.is_string(kind):
                raise ValueError(self._something_else(number))

    def _something_else(self, number: int) -> str:
        return (
            f"{self._where} seems to hold something else than the table from row {number:,} on, below an empty row: "
            "move it to another sheet or, if it belongs to the table, delete the empty row."
        )


# --- Cells -----------------------------------------------------------------------------------------

_TYPES: dict[type, Any] = {
    float: pa.float64(),
    int: pa.float64(),
    bool: pa.bool_(),
    datetime.date: pa.date32(),
    datetime.datetime: MOMENT,
    datetime.time: pa.time64("us"),
    datetime.timedelta: pa.duration("us"),
}
"""The type of a column by the kind of its cells, if it is not text."""


def _chunk(cells: list[Any]) -> Any:
    """Return cells of one block as an array of the type that they have by themselves."""
    kinds = {type(cell) for cell in cells if cell is not None}
    kind = reduce(merge_types, (_TYPES.get(each, pa.string()) for each in kinds), pa.null())
    if pa.types.is_string(kind):
        cells = [None if cell is None else written(cell) for cell in cells]
    if kind == MOMENT:
        midnight = datetime.time()
        cells = [datetime.datetime.combine(cell, midnight) if type(cell) is datetime.date else cell for cell in cells]
    return pa.array(cells, kind)


def _as_type(chunk: Any, kind: Any) -> Any:
    return text_as_written(chunk) if pa.types.is_string(kind) else pc.cast(chunk, kind)


def with_whole_numbers(column: Any) -> Any:
    """Return a column of numbers as 64-bit whole numbers if all of them are whole; any other column as it is.

    Examples
    --------
    >>> with_whole_numbers(pa.chunked_array([[1.0, None]])).to_pylist()
    [1, None]
    """
    if not pa.types.is_floating(column.type):
        return column
    are_whole = pc.and_(pc.equal(pc.floor(column), column), pc.less(pc.abs(column), 2.0**63))
    return pc.cast(column, pa.int64(), safe=False) if pc.all(are_whole).as_py() else column
