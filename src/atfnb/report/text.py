"""Words that come from strangers - names of columns, values, classes - made fit to be shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

LONGEST = 200
"""Characters of a name that a page holds at most."""


class Name(str):
    """A part of a sentence that is not ours: a column, a value, a class."""

    __slots__ = ()


Sentence = tuple[str, ...]
"""Parts that read as one; those that are a :class:`Name` are set apart on the page."""


def shown(text: object, longest: int = LONGEST) -> str:
    r"""One line of text that any page and any file can hold.

    >>> shown(" a\n\tb "), shown(""), shown("abcdef", longest=4)
    ('a b', '(blank)', 'abc…')
    """
    head = str(text)[: 4 * longest]  # what is cut off anyway need not be cleaned
    plain = "".join(" " if unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") else mark for mark in head)
    line = " ".join(plain.split()) or "(blank)"
    return line if len(line) <= longest and len(head) == len(str(text)) else line[: longest - 1] + "…"


def joined(sentence: Sentence) -> str:
    """A sentence as plain text.

    >>> joined(("The class is ", Name("yes"), "."))
    'The class is yes.'
    """
    return "".join(sentence)


def listed(names: Iterable[str]) -> Sentence:
    """Names with commas, and "and" before the last.

    >>> joined(listed(["a", "b", "c"]))
    'a, b and c'
    """
    names = list(names)
    parts: list[str] = []
    for place, name in enumerate(names):
        if place:
            parts.append(" and " if place == len(names) - 1 else ", ")
        parts.append(Name(name))
    return tuple(parts)


def number(value: float) -> str:
    """Three significant digits, with a true minus.

    >>> number(0.31415), number(-12345), number(0.0)
    ('0.314', '−12,345', '0')
    """
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


def percent(share: float) -> str:
    """A share as a percentage with one decimal.

    >>> percent(0.94)
    '94.0 %'
    """
    return f"{100 * share:.1f} %"
