"""The error of a command that makes no sense, and the words for columns and numbers."""

from __future__ import annotations

from atfnb._errors import counted as many
from atfnb._errors import listed_names as named
from atfnb._errors import options, shell_word
from atfnb._errors import shortened as short

__all__ = ["UsageError", "many", "named", "options", "shell_word", "short"]


class UsageError(ValueError):
    """What was asked for makes no sense, whatever is in the files."""
