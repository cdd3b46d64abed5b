"""A bar on a console, for work that takes long."""

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
    """A progress bar with the time left, and the step that a long fit is at; where nobody watches, nothing."""
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
