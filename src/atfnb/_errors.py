"""Sentences for users: errors with advice for Python and for the command, and lists of names in words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

_TERMS = {"sample_weight": "the weight", "class_weight": "--balance", "alpha": "--alpha", "max_bins": "--max-bins"}
_TERMS |= {"y": "the target", "min_category_rows": "--min-category-rows"}
_PARAMETER = re.compile(rf"(^|: )({'|'.join(_TERMS)})(?= (?:must|holds|is|of)\b)")


class AdvisedError(ValueError):
    """An error whose advice differs between Python and the command.

    Parameters
    ----------
    fault : str
        What is wrong.
    in_python, in_command : str
        What to do about it, in Python and on the command line.

    Examples
    --------
    >>> error = AdvisedError("column 'id' has too many values", "drop it", "leave it out with --ignore id")
    >>> print(error)
    column 'id' has too many values: drop it.
    >>> print(in_command(error))
    column 'id' has too many values: leave it out with --ignore id.
    """

    def __init__(self, fault: str, in_python: str, in_command: str) -> None:
        super().__init__(fault, in_python, in_command)  # all of them, so that it can be sent between processes

    def __str__(self) -> str:
        return f"{self.args[0]}: {self.args[1]}."

    @property
    def for_command(self) -> str:
        """The message with the advice for the command line."""
        return f"{self.args[0]}: {self.args[2]}."


def located(error: Exception, where: str) -> ValueError:
    """Return an error whose message begins with where in the data it occurred, such as the name of a file.

    >>> print(located(ValueError("the target is missing."), "part.csv"))
    part.csv: the target is missing.
    """
    if isinstance(error, AdvisedError):
        fault, *advice = error.args
        return AdvisedError(f"{where}: {fault}", *advice)
    return ValueError(f"{where}: {error}")


def first_line(error: BaseException) -> str:
    r"""Return the first line of an error's message without its full stop; the name of the error, if it has no message.

    >>> first_line(OSError("file is damaged.\nSee the log.")), first_line(OSError())
    ('file is damaged', 'OSError')
    """
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def in_command(error: Exception) -> str:
    """Return the message of an error in the words of the command: its options instead of Python's parameters.

    >>> in_command(ValueError("sample_weight is negative in row 3: use 0 to leave a row out."))
    'the weight is negative in row 3: use 0 to leave a row out.'
    """
    if isinstance(error, AdvisedError):
        return error.for_command
    return _PARAMETER.sub(lambda found: found[1] + _TERMS[found[2]], str(error))


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


def options(option: str, columns: Sequence[str]) -> str:
    """Return an option of the command for each column, the first three of many, quoted for the shell.

    >>> options("--ignore", ["id", "full name"])
    "--ignore id --ignore 'full name'"
    """
    written = " ".join(f"{option} {shell_word(name)}" for name in columns[:3])
    return written + " …" * (len(columns) > 3)


def shell_word(word: str) -> str:
    r"""Return a word quoted for the shell; a tab, another invisible character or a byte that is not UTF-8 is escaped.

    >>> print(shell_word("it's"), shell_word("a\tb"), shell_word("\udcff.csv"))
    'it'"'"'s' $'a\U00000009b' $'\xff.csv'
    """
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(map(_shell_character, word))}'"


def _shell_character(each: str) -> str:
    if "\udc80" <= each <= "\udcff":  # how Python reads a byte of a name that is not UTF-8
        return f"\\x{ord(each) - 0xDC00:02x}"
    return each if each.isprintable() and each not in "\\'" else f"\\U{ord(each):08x}"
