"""A table as data, and its text as Markdown, as CSV and on a terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class TextTable:
    """A named table with a title, a header, rows and a note; numbers stay numbers until they are written.

    Examples
    --------
    >>> table = TextTable("T0", "an example", ("set", "accuracy"), (("iris", 0.95),), note="nothing to add")
    >>> print(table.markdown())
    ## T0: an example
    <BLANKLINE>
    | set | accuracy |
    | --- | --- |
    | iris | 0.9500 |
    <BLANKLINE>
    nothing to add
    <BLANKLINE>
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    remark: str = ""
    """A remark on the data that stands in every form of the table, as "drawn leaves, a demonstration"."""

    @property
    def heading(self) -> str:
        """The title, with the remark if there is one."""
        return _with_remark(self.title, self.remark)

    def only(self, *columns: str) -> TextTable:
        """Return the table with these columns only, without the note."""
        at = [self.header.index(column) for column in columns]
        return replace(self, header=columns, rows=tuple(tuple(row[i] for i in at) for row in self.rows), note="")

    def markdown(self) -> str:
        """Return the table as Markdown, with its heading and its note."""
        lines = [self.header, tuple("---" for _ in self.header), *(tuple(map(cell_text, row)) for row in self.rows)]
        body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"## {self.name}: {self.heading}\n\n{body}\n" + (f"\n{self.note}\n" if self.note else "")

    def csv(self) -> str:
        """Return the table as CSV with all digits; a remark is added to the first cell of the header."""
        return csv_text([_with_remark(self.header[0], self.remark), *self.header[1:]], self.rows)


def _with_remark(text: str, remark: str) -> str:
    return f"{text} ({remark})" if text and remark else text or remark


def csv_text(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    r"""Return a table as CSV, the same to the byte on every system; a cell that is None is empty.

    >>> csv_text(["set", "seconds"], [["iris", None]])
    'set,seconds\niris,\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def sentences(*given: str) -> str:
    """Return the sentences that are not empty, as one text."""
    return " ".join(filter(None, given))


def cell_text(cell: Cell) -> str:
    """Return the text of a cell: a float with four decimals, an empty text for None.

    >>> cell_text(0.5), cell_text(7), cell_text(None)
    ('0.5000', '7', '')
    """
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def console_table(table: TextTable) -> Any:
    """Return a table as a rich table, to print on a console."""
    from rich.table import Column, Table

    # on a narrow terminal the names in the first column stay whole, and the words of the others are wrapped
    columns = (Column(name, overflow="fold", no_wrap=not i) for i, name in enumerate(table.header))
    drawn = Table(*columns, title=table.heading, caption=table.note)
    for row in table.rows:
        drawn.add_row(*map(cell_text, row))
    return drawn
