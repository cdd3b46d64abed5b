"""The rows of the table of a worksheet, below its header, and the notes below it.

Several tables on a sheet are refused: which one is meant, only the user knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from operator import and_
from typing import Any

import pyarrow as pa

from atfnb._errors import counted, listed_names
from atfnb.tables.excel_cells import Columns
from atfnb.tables.excel_workbook import BLOCK
from atfnb.tables.headers import Header, Row, filled, titles_of
from atfnb.tables.left_out import LeftOut, Screen


class Body:
    """Reads the rows below a header into columns.

    Empty rows are skipped. Rows with a single cell that follow the last row of the table after an empty row are notes.

    Parameters
    ----------
    header : Header
        The row with the names of the columns.
    where : str
        The sheet, for messages.
    screen : Screen
        What is usual in the table: it shows which rows are none.
    errors : collection of int
        The rows that hold formula errors, which are not empty although all their cells may be.

    Attributes
    ----------
    last : int
        The number of the last row of the table, counted from 1.

    Raises
    ------
    ValueError
        If something else follows below, such as another table.
    """

    def __init__(self, header: Header, where: str, screen: Screen, errors: Collection[int]) -> None:
        self._where, self._screen, self._errors = where, screen, set(errors)
        self._left_out = LeftOut()
        self._columns = Columns(len(header.cells))
        self._below: tuple[str, ...] = ()
        self.last = header.number
        self._block: list[Row] = []
        self._looked = 0
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
            if (found := self._screen.reason(row)) is not None:
                self._left_out += LeftOut.of(found[0], f"row {number:,}", found[1])
                if found[0] == "header":  # what is right above it is the title of a page
                    self._left_out += sum(map(_page_title, single), start=LeftOut())
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
        self._below = titles_of(single)
        self._flush()

    @property
    def types(self) -> list[Any]:
        """The type of each column so far, as :class:`Columns` has it."""
        return self._columns.types

    def columns(self) -> list[Any]:
        """Return the columns that were read."""
        return self._columns.finish()

    def described(self) -> list[str]:
        """Return notes on the rows that are left out in the table and below it, if there are any."""
        rows, notes = counted(len(self._below), "row"), self._left_out.described()
        return [*notes, *([f"{rows} below the table left out: {listed_names(self._below, 3)}."] if self._below else [])]

    def _take(self, number: int, row: Row) -> None:
        self._block.append(row)
        self.last = number
        if self._heading is not None and number > self._heading[0]:
            self._look_below(*self._heading, row)
        if len(self._block) == BLOCK:
            self._flush()

    def _flush(self) -> None:
        self._columns.add(self._block)
        self._block, self._looked = [], 0

    # --- something else below ----------------------------------------------------------------------

    def _refuse_another(self, number: int, row: Row, titles: Sequence[tuple[int, Row]]) -> None:
        """Raise an error if a row after an empty one, with single cells above it, does not belong to the table.

        That is so if it has text among values of another kind, or names columns. Whether it does may depend on the row
        below it: then it is kept for that.
        """
        self._columns.look(self._block[self._looked :])
        self._looked = len(self._block)
        texts = [isinstance(cell, str) and cell.strip() not in self._screen.marks for cell in row]
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


def _page_title(numbered: tuple[int, Row]) -> LeftOut:
    return LeftOut.of("note", f"row {numbered[0]:,}", *titles_of([numbered]))
