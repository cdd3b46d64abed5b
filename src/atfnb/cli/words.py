"""Columns and numbers in words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence


class UsageError(ValueError):
    """What was asked for makes no sense, whatever is in the files."""


NAMED = 8
"""How many columns a sentence names at most."""
LONGEST = 60
"""The longest name, in characters, that a sentence shows whole."""


def named(columns: Sequence[str]) -> str:
    """Columns in words, the first few of many.

    >>> named(["age", "job"])
    "'age', 'job'"
    """
    shown = ", ".join(repr(short(name)) for name in columns[:NAMED])
    return shown if len(columns) <= NAMED else f"{shown} and {len(columns) - NAMED} more"


def short(name: str) -> str:
    """Return a name, cut off if it is too long for a sentence.

    >>> len(short("x" * 100))
    60
    """
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def many(number: int, noun: str) -> str:
    """A number of things.

    >>> many(1, "row"), many(1200, "row"), many(2, "class")
    ('1 row', '1,200 rows', '2 classes')
    """
    end = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{end}"


def options(option: str, columns: Sequence[str]) -> str:
    """Return an option for each column, the first few of many, quoted for the shell.

    >>> options("--ignore", ["id", "full name"])
    "--ignore id --ignore 'full name'"
    """
    shown = " ".join(f"{option} {shell_word(name)}" for name in columns[:3])
    return shown + " …" * (len(columns) > 3)


def shell_word(word: str) -> str:
    r"""Quote a word for the shell; with escapes where it holds a tab or another character that cannot be seen.

    >>> print(shell_word("it's"), shell_word("a\tb"))
    'it'"'"'s' $'a\U00000009b'
    """
    if word.isprintable():
        return shlex.quote(word)
    escaped = (each if each.isprintable() and each not in "\\'" else f"\\U{ord(each):08x}" for each in word)
    return f"$'{''.join(escaped)}'"
