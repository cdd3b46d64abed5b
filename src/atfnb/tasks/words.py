"""Columns and numbers in words."""

from __future__ import annotations

from collections.abc import Sequence


class UsageError(ValueError):
    """What was asked for makes no sense, whatever is in the files."""


NAMED = 8
"""How many columns a sentence names at most."""


def named(columns: Sequence[str]) -> str:
    """Columns in words, the first few of many.

    >>> named(["age", "job"])
    "'age', 'job'"
    """
    shown = ", ".join(map(repr, columns[:NAMED]))
    return shown if len(columns) <= NAMED else f"{shown} and {len(columns) - NAMED} more"


def many(number: int, noun: str) -> str:
    """A number of things.

    >>> many(1, "row"), many(1200, "row"), many(2, "class")
    ('1 row', '1,200 rows', '2 classes')
    """
    end = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{end}"
