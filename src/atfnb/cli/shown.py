"""What is said on a terminal: notes and bars, on standard error."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from atfnb._processes import when_compiling
from atfnb.console import progress_bar

__all__ = ["console", "progress_bar", "say"]


def console(quiet: bool) -> Console:
    """Return where bars and notes go; on a terminal, a note that the loops are being compiled too."""
    made = Console(stderr=True, quiet=quiet)
    if made.is_terminal:
        when_compiling(lambda sentence: say(made, [sentence]))
    return made


def say(where: Console, sentences: Iterable[str]) -> None:
    """A line each; names of columns are shown as they are, not taken for markup."""
    for sentence in sentences:
        where.print(Text(sentence), soft_wrap=True)
