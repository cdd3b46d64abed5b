"""A table as data: its text is made for Markdown, CSV, the terminal or a page elsewhere."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class TextTable:
    """A named table; numbers stay numbers until they are shown.

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
    """What every form of the table must say of its data, as "drawn leaves, a demonstration"."""

    @property
    def heading(self) -> str:
        """The title, with the remark if there is one."""
        return _remarked(self.title, self.remark)

    def narrow(self, columns: int) -> TextTable:
        """Only the first columns, without the note."""
        rows = tuple(row[:columns] for row in self.rows)
        return replace(self, header=self.header[:columns], rows=rows, note="")

    def markdown(self) -> str:
        """As Markdown."""
        lines = [self.header, tuple("---" for _ in self.header), *(tuple(map(shown, row)) for row in self.rows)]
        body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"## {self.name}: {self.heading}\n\n{body}\n" + (f"\n{self.note}\n" if self.note else "")

    def csv(self) -> str:
        """As CSV, with all digits; a remark stands in the first cell of the header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([_remarked(self.header[0], self.remark), *self.header[1:]])
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()


def _remarked(text: str, remark: str) -> str:
    return f"{text} ({remark})" if text and remark else text or remark


def counted(number: int, unit: str) -> str:
    """Return a number with its unit, which is given in the plural.

    >>> counted(1, "groups"), counted(0, "groups")
    ('1 group', '0 groups')
    """
    return f"{number:,} {unit.removesuffix('s') if number == 1 else unit}"


def shown(cell: Cell) -> str:
    """A cell as a person reads it: four digits, nothing where there is nothing."""
    if cell is None:
        return ""
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)


def on_console(table: TextTable) -> Any:
    """A table as rich draws it."""
    from rich.table import Table

    shown_table = Table(*table.header, title=table.heading, caption=table.note)
    for row in table.rows:
        shown_table.add_row(*map(shown, row))
    return shown_table
