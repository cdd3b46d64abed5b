"""The result of a verb that measures: tables and sentences on the terminal, and figures in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atfnb.cli.options import check_output
from atfnb.cli.terminal import UsageError, echo

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

ENDINGS = (".json", ".csv")
ResultFile = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Also write the figures to this file: JSON or CSV, by its ending.",
        show_default=False,
    ),
]


def check_result(out: Path | None, *inputs: str) -> None:
    """Raise an error, before any work is done, if the figures cannot be written to a file."""
    if out is None:
        return
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"figures are written as JSON or CSV: name a file that ends in .json or .csv, not {out}.")
    check_output(out, *inputs)


@dataclass(frozen=True)
class Result:
    """What a verb has found, in the forms that a person or a program reads."""

    print_tables: Callable[[Console], None]
    sentences: Iterable[str]
    document: Mapping[str, Any]
    """All figures as plain numbers and texts, for JSON; None where one is not known."""
    lines: Sequence[Mapping[str, Any]]
    """The lines of a CSV file, which have the same columns."""

    def show(self, out: Path | None, *, quiet: bool) -> None:
        """Print the tables and the sentences, and write the figures if there is a file for them."""
        from atfnb._files import csv_text, write_whole
        from atfnb.console import Screen

        if not quiet:
            self.print_tables(Screen())
        if not quiet or out is None:
            echo(self.sentences)
        if out is None:
            return
        if out.suffix.lower() == ".json":
            write_whole(out, json.dumps(self.document, indent=2, ensure_ascii=False) + "\n")
        else:
            write_whole(out, csv_text([list(self.lines[0]), *(line.values() for line in self.lines)]))


def table_of(
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    words: Sequence[str] = (),
    caption: str | None = None,
) -> Table:
    """Return a table of figures; the first column, and those with the headings ``words``, hold text."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, caption=caption)
    for heading in headings:
        is_text = heading in (headings[0], *words)
        table.add_column(Text(heading), overflow="fold", justify="left" if is_text else "right", no_wrap=not is_text)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def fits(console: Console, table: Table) -> bool:
    """Return whether a console is wide enough to print a table without cutting anything off."""
    unlimited = console.options.update(max_width=10_000)
    return console.measure(table, options=unlimited).maximum <= console.width
