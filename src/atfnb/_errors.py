"""Sentences for users: messages that name parameters, and lists of names in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isnan
from typing import Any

# --- Messages that name parameters -----------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A parameter in a message, which Python and the command each show as they write it.

    Parameters
    ----------
    parameter : str
        The name in Python; ``"Policy.keep"`` is a parameter of a class.
    value : object
        The value to give; None if the message only names the parameter.
    act : str
        What to do instead in words, where not every function that raises the error has such a parameter.

    Examples
    --------
    >>> print(Setting("as_text", ["zip"]), Setting("Dialect.missing"), Setting("alpha"), Setting("x", act="drop it"))
    as_text=['zip'] Dialect(missing=…) alpha drop it
    """

    parameter: str
    value: Any = None
    act: str = ""

    def __str__(self) -> str:
        owner, _, name = self.parameter.rpartition(".")
        if self.act or (self.value is None and not owner):
            return self.act or name
        value = "…" if self.value is None else repr(self.value)
        return f"{owner}({name}={value})" if owner else f"{name}={value}"


class Message(str):
    """A sentence that names parameters: a text for Python, which :meth:`worded` says in other words.

    It is the message of an error or a note. Added to other text, it stays one.

    Examples
    --------
    >>> message = "a.csv: " + Message("to keep it as text, give ", Setting("as_text", ["zip"]), ".")
    >>> message
    "a.csv: to keep it as text, give as_text=['zip']."
    >>> message.worded(lambda setting: setting.parameter.upper())
    'a.csv: to keep it as text, give AS_TEXT.'
    """

    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: str | Setting) -> Message:
        """Join the parts: text, settings and other messages."""
        made = super().__new__(cls, "".join(map(str, parts)))
        made.parts = tuple(one for part in parts for one in (part.parts if isinstance(part, Message) else (part,)))
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.parts  # so that it can be sent between processes

    def __add__(self, after: str) -> Message:
        return Message(self, after)

    def __radd__(self, before: str) -> Message:
        return Message(before, self)

    def worded(self, word: Callable[[Setting], str]) -> str:
        """Return the message with each setting in the words that a function has for it."""
        return "".join(part if isinstance(part, str) else word(part) for part in self.parts)


class AdvisedError(ValueError):
    """An error whose message names parameters; its arguments are the parts of that :class:`Message`."""

    def __init__(self, *parts: str | Setting) -> None:
        super().__init__(Message(*parts))


def message_of(error: BaseException) -> str:
    """Return the message of an error; a :class:`Message` as it is."""
    return error.args[0] if error.args and isinstance(error.args[0], Message) else str(error)


def located(error: Exception, where: str) -> ValueError:
    """Return an error whose message begins with where in the data it occurred, such as the name of a file.

    >>> print(located(ValueError("the target is missing."), "part.csv"))
    part.csv: the target is missing.
    """
    return ValueError(f"{where}: " + message_of(error))


def first_line(error: BaseException) -> str:
    r"""Return the first line of an error's message without its full stop; the name of the error, if it has no message.

    >>> first_line(OSError("file is damaged.\nSee the log.")), first_line(OSError())
    ('file is damaged', 'OSError')
    """
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


# --- Names and numbers in sentences ----------------------------------------------------------------

NAMED = 8
"""A sentence names at most this number of columns or classes."""
LONGEST = 60
"""A sentence shows a name whole up to this number of characters."""


def listed_names(names: Sequence[Any], most: int = NAMED) -> str:
    """Return names in quotation marks, the first few of many, and how many more there are.

    >>> listed_names(["age", "job"]), listed_names(["a", "b", "c"], most=1)
    ("'age', 'job'", "'a' and 2 more")
    """
    quoted = (repr(shortened(name) if isinstance(name, str) else name) for name in names[:most])
    return ", ".join(quoted) + and_more(len(names), most)


def classes_named(names: Sequence[Any]) -> str:
    """Return classes as the beginning of a sentence.

    >>> classes_named(["cat"]), classes_named(["cat", "dog"])
    ("Class 'cat'", "Classes 'cat', 'dog'")
    """
    return f"{'Class' if len(names) == 1 else 'Classes'} {listed_names(names)}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question for the names that are similar, whatever their case and outer spaces; "" if there are none.

    >>> did_you_mean("hours", ["age", "Hours "])
    "did you mean 'Hours '?"
    """
    folded: dict[str, str] = {}
    for each in known:
        folded.setdefault(each.strip().casefold(), each)
    asked = name.strip().casefold()
    similar = [folded[each] for each in ([asked] if asked in folded else get_close_matches(asked, folded, n=3))]
    return f"did you mean {' or '.join(map(repr, similar))}?" if similar else ""


def and_more(number: int, most: int = NAMED) -> str:
    """Return how many names a list of at most ``most`` leaves out, as the end of that list.

    >>> and_more(10), and_more(2)
    (' and 2 more', '')
    """
    return f" and {number - most:,} more" if number > most else ""


def shortened(name: str, longest: int = LONGEST) -> str:
    """Return a name, cut off with an ellipsis if it has more than ``longest`` characters.

    >>> len(shortened("x" * 100)), shortened("abcdef", 4)
    (60, 'abc…')
    """
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not 1.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class")
    ('1 row', '1,200 rows', '2 classes')
    """
    end = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{end}"


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal; "–" for NaN.

    >>> percent(0.94), percent(float("nan"))
    ('94.0 %', '–')
    """
    return "–" if isnan(share) else f"{100 * share:.1f} %"
