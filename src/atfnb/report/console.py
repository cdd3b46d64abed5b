"""Bars and tables on a console."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from atfnb._processes import Progress
from atfnb.bench.text_table import TextTable, shown

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress_bar(console: Console, what: str) -> Iterator[Progress]:
    """A progress bar with the time left."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None, last="")
        yield lambda done, total, last: bar.update(task, completed=done, total=total, last=last)


def on_console(table: TextTable) -> Any:
    """A table as rich draws it."""
    from rich.table import Table

    shown_table = Table(*table.header, title=table.title, caption=table.note)
    for row in table.rows:
        shown_table.add_row(*map(shown, row))
    return shown_table
