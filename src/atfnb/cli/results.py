"""The result of a verb that measures: tables and sentences on the terminal, and figures in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atfnb.cli.options import check_output, option
from atfnb.cli.terminal import UsageError, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    Cells = Sequence[str | Text]
    """The cells of a row, in words."""

Figures = Mapping[str, Any]
"""Figures by their names, as plain numbers and texts."""


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """Where the result of a verb goes."""

    out: Path | None = option("Also write the figures to this file: JSON or CSV, by its ending.", None, "-o")
    quiet: bool = option("Print nothing but errors and, unless -o is given, the conclusion.", False, "-q")

    def check(self, *inputs: object) -> None:
        """Raise an error, before any work is done, if the figures cannot be written to a file."""
        if self.out is None:
            return
        if self.out.suffix.lower() not in (".json", ".csv"):
            end = f"name a file that ends in .json or .csv, not {self.out}."
            raise UsageError(f"figures are written as JSON or CSV: {end}")
        check_output(self.out, *inputs)

    def show(
        self,
        print_tables: Callable[[Console], None],
        sentences: Iterable[str],
        document: Figures,
        lines: Sequence[Figures],
    ) -> None:
        """Print the tables and the sentences, and write the figures if there is a file for them.

        Parameters
        ----------
        print_tables : callable
            Prints the tables on a console.
        sentences : iterable of str
        document : mapping
            All figures as plain numbers and texts, for JSON; None where one is not known.
        lines : sequence of mappings
            The lines of a CSV file, which have the same columns.
        """
        from atfnb._files import csv_text, write_whole
        from atfnb.console import Screen

        console = Screen()
        if not self.quiet:
            print_tables(console)
        if not self.quiet or self.out is None:
            say(console, sentences)
        if self.out is None:
            return
        if self.out.suffix.lower() == ".json":
            write_whole(self.out, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        else:
            write_whole(self.out, csv_text([lines[0], *(line.values() for line in lines)]))


def table_of(
    title: str, headings: Sequence[str], rows: Iterable[Cells], *, words: Sequence[str] = (), caption: str | None = None
) -> Table:
    """Return a table of figures; the first column, and those with the headings ``words``, hold text."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, caption=caption)
    for heading in headings:
        is_text = heading in (headings[0], *words)
        table.add_column(Text(heading), overflow="fold", justify="left" if is_text else "right", no_wrap=not is_text)
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def fits(console: Console, table: Table) -> bool:
    """Return whether a console is wide enough to print a table without cutting anything off."""
    unlimited = console.options.update(max_width=10_000)
    return console.measure(table, options=unlimited).maximum <= console.width
