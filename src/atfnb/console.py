"""What is printed with rich: tables and notes that a terminal cannot mistake for commands, and progress bars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from atfnb._progress import Progress, listening
from atfnb._stops import Undoing
from atfnb._streams import printable


class Screen(Console):
    """A console that takes names and values for text: neither for markup nor for what a terminal obeys."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
        """Generate the segments of what is printed, without control characters in their text."""
        if isinstance(renderable, Text) and printable(renderable.plain) != renderable.plain:
            renderable = Text(printable(renderable.plain), renderable.style)  # before lines are wrapped
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


@contextmanager
def progress_bar(console: Console, what: str) -> Iterator[Progress]:
    """Show a progress bar with the time left and the step that a long fit is at; show nothing outside a terminal.

    The context yields a function to call with the number of tasks done, the number of all tasks, and the last task.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", markup=False),
    )
    with Undoing(), Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None, last="")
        with listening((lambda step: bar.update(task, last=step)) if console.is_terminal else None):
            yield lambda done, total, last: bar.update(task, completed=done, total=total, last=last)
