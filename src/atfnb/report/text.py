"""Words that come from strangers - names of columns, values, classes - made fit to be shown."""

from __future__ import annotations

import unicodedata

from atfnb.evaluation import Name, Sentence, joined, listed, percent

__all__ = ["LONGEST", "Name", "Sentence", "joined", "listed", "number", "percent", "shown"]

LONGEST = 200
"""Characters of a name that a page holds at most."""


def shown(text: object, longest: int = LONGEST) -> str:
    r"""One line of text that any page and any file can hold.

    >>> shown(" a\n\tb "), shown(""), shown("abcdef", longest=4)
    ('a b', '(blank)', 'abc…')
    """
    head = str(text)[: 4 * longest]  # what is cut off anyway need not be cleaned
    plain = "".join(" " if unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") else mark for mark in head)
    line = " ".join(plain.split()) or "(blank)"
    return line if len(line) <= longest and len(head) == len(str(text)) else line[: longest - 1] + "…"


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
