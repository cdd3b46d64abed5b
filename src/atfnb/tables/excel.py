"""Workbooks: .xlsx, .xlsm and .xlsb of Excel, .ods of LibreOffice; the table on one of their sheets.

::

    file ──excel_workbook, excel_child──▶ sheet ──excel_layout──▶ header, rows ──excel_cells──▶ columns with types

Reading needs the extra ``excel``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterable
from itertools import chain
from typing import Any

import pyarrow as pa

from atfnb._errors import NAMED, counted, listed_names
from atfnb.tables.cells import CellRules
from atfnb.tables.csv_layout import column_names
from atfnb.tables.excel_cells import as_text, with_whole_numbers, written
from atfnb.tables.excel_layout import Body
from atfnb.tables.excel_workbook import SHEET_ROWS, Sheet, Workbook, open_workbook
from atfnb.tables.headers import Header, filled, find_header, first_rows, joined_names, more_headers, on_more_headers
from atfnb.tables.kinds import Batch
from atfnb.tables.left_out import Screen
from atfnb.tables.reading import TableFile
from atfnb.tables.sources import Dialect, Format, Source


class ExcelFile(TableFile):
    """The table on a sheet of a workbook: it is read when the file is opened, a block of rows at a time."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self.name, self.path = source.name, source.path
        self._marks, self._rules = dialect.missing, CellRules.of(dialect.missing, date_formats=dialect.date_formats)
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
        ahead, asked, marks = first_rows(rows), dialect.header_rows, self._rules.missing
        header = find_header(ahead, sheet.merged, sheet.left, 2 if asked else None)
        if asked == 0 and ahead:
            header = Header(0, [""] * sheet.width, ())
        if header is None:
            raise ValueError(self._without_table(sheet, self._other_tables(workbook)))
        below = [(number, row) for number, row in ahead if number > header.number and filled(row)]
        more = below[: more_headers([row for _, row in below], marks) if asked is None else max(asked - 1, 0)]
        headers, last = [header.cells, *(row for _, row in more)], max([header.number, *(number for number, _ in more)])
        again = [row for number, row in ahead if header.number <= number <= last and filled(row)]
        screen = Screen.of(again, [row for _, row in below[len(more) :]], marks, keep_totals=dialect.keep_totals)
        body = Body(header, self._where, screen, [row for row, _ in sheet.errors])
        body.read(chain((each for each in ahead if each[0] > last), rows))
        names = joined_names(headers)
        used = [name != "" or not pa.types.is_null(kind) for name, kind in zip(names, body.types, strict=True)]
        first, end = used.index(True), len(used) - used[::-1].index(True)
        if not all(used[first:end]):
            raise ValueError(self._side_by_side(_letters(sheet.left + used.index(False, first))))
        self.columns = list(column_names([written(cell) for cell in names[first:end]], self._where))
        self._columns = body.columns()[first:end]
        rows_of, columns_of = range(header.number + 1, body.last + 1), range(sheet.left + first, sheet.left + end)

        def in_table(cells: Iterable[tuple[int, int]]) -> Counter[str]:
            return Counter(self.columns[j - columns_of.start] for i, j in cells if i in rows_of and j in columns_of)

        above = (*header.described(), *on_more_headers(headers)) if asked != 0 else ()
        self.notes = (*self._on_sheets(), *above, *body.described())
        if errors := in_table(sheet.errors):
            self.notes += (f"Formula errors are read as missing values: {_by_column(errors)}.",)
        if merged := in_table((top + 1, left) for (top, left), _ in sheet.filled()):
            self.notes += (f"Merged cells have their value in each row and column: {_by_column(merged)}.",)
        if sheet.has_unknown_merged:
            self.notes += ("Merged cells have their value in the first cell only: save as .xlsx to have them filled.",)
        if sheet.last == SHEET_ROWS:
            self.notes += (f"The sheet is full, with {SHEET_ROWS:,} rows: rows beyond may have been cut off.",)

    def _without_table(self, sheet: Sheet, tables: list[str]) -> str:
        if tables:
            what = "holds no table" if sheet.last else "is empty"
            return f"{self._where} {what}: choose another one with --sheet: {listed_names(tables)}."
        if sheet.last:
            return f"{self._where} has no row with several cells: it needs the names of the columns, and rows below."
        return f"{self._where} is empty: give a workbook with a table."

    def _side_by_side(self, column: str) -> str:
        return (
            f"{self._where} seems to hold several tables side by side, as column {column} is empty: give each table a "
            "sheet of its own or, if they are one, delete the empty column."
        )

    def _on_sheets(self) -> list[str]:
        if not self._others:
            return []
        return [f"Other sheets are not read: {listed_names(self._others)}; to choose one: --sheet NAME."]

    def _whole(self, as_text_: Collection[str], as_written: Collection[str]) -> Any:
        columns = []
        for name, column in zip(self.columns, self._columns, strict=True):
            spelled = pa.types.is_string(column.type) or pa.types.is_boolean(column.type)
            if spelled or self._marks is not None or name in {*as_text_, *as_written}:
                columns.append(self._typed(name, as_text(column), self._rules, as_text_, as_written))
            else:
                columns.append(with_whole_numbers(column))
        return pa.table(columns, self.columns)

    def _batches(self) -> Generator[Batch]:
        given = with_whole_numbers if self._marks is None else as_text  # a mark may look like a number
        yield Batch(
            pa.table([given(column) for column in self._columns], self.columns), name=self.name, rules=self._rules
        )


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
