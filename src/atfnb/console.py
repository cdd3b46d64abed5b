"""A progress bar on the terminal, for work that takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from atfnb._processes import Progress, listening
from atfnb._stops import Undoing

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress_bar(console: Console, what: str) -> Iterator[Progress]:
    """Show a progress bar with the time left and the step that a long fit is at; show nothing outside a terminal.

    The context yields a function to call with the number of tasks done, the number of all tasks, and the last task.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Undoing(), Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None, last="")
        with listening((lambda step: bar.update(task, last=step)) if console.is_terminal else None):
            yield lambda done, total, last: bar.update(task, completed=done, total=total, last=last)
