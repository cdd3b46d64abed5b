"""Why a file is refused: one sentence that names the entry, what it must be, and what it is.

The rules are those of the declared types; msgspec checks them, and its errors are put into words here.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

LONGEST = 60
"""The number of characters of a text of the file that a sentence shows."""
WORDS = {
    "float": ("a number", "numbers"),
    "int": ("a whole number", "whole numbers"),
    "str": ("text", "text"),
    "bool": ("true or false", "booleans"),
    "array": ("a list", "lists"),
    "object": ("an object", "objects"),
    "null": ("null", "nulls"),
}
"""msgspec's names of types in words: of one value, and of the values of a list."""
BOUNDS = {">": "at least", "<": "at most"}
CHOICES = {
    "categories": "text, numbers or booleans",
    "counted": "fingerprints of 16 hexadecimal digits",
    "date": "a date like 2026-01-31T12:00:00Z",
    "fingerprint": "16 hexadecimal digits",
    "float": '"inf" or "-inf"',
    "format": '"atfnb model"',
    "kind": '"number" or "categories"',
    "missing": '"skip", "value" or the position of a value',
    "names": "text, numbers or booleans",
    "type": '"text", "bool" or the name of a NumPy type of number, such as "int64"',
    "zone": "the name of a time zone, or an offset such as +05:30",
}
"""What an entry must be, where the type that msgspec names does not say it."""

Path = tuple[str | int, ...]
"""The keys and positions that lead to a place in the document."""


class RefusedError(ValueError):
    """A document is refused; the message is the rest of a sentence that begins with the name of the file."""


def inconsistent(reason: str) -> RefusedError:
    """Return the refusal of a document whose parts do not fit each other, or are not of the declared types."""
    return RefusedError(f"is inconsistent: {reason}")


def shown(node: Any) -> str:
    """Return a value of the document for a sentence: short, and on one line.

    >>> shown("blue"), shown([1, 2]), shown(None)
    ("'blue'", 'a list', 'null')
    """
    words = {list: "a list", dict: "an object", type(None): "null"}
    if type(node) in words:
        return words[type(node)]
    if isinstance(node, bool):
        return str(node).lower()
    try:
        text = repr(node if not isinstance(node, str) else node[: LONGEST + 1])
    except ValueError:  # a whole number of thousands of digits
        return "a very large number"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def place(document: Any, path: Path) -> str:
    r"""Return how a sentence names a place in the document; positions in a list are left out.

    A column is named by its name, or by its position if it has none.

    >>> place({"columns": [{"name": "age"}]}, ("columns", 0, "counts", 1, 0)), place({}, ("beta", "value"))
    ('"counts" of column \'age\'', '"value" of "beta"')
    """
    if path[:1] == ("columns",) and len(path) > 1:
        name = _at(document, (*path[:2], "name"))
        entries, whole = path[2:], f"column {shown(name) if isinstance(name, str) else path[1]}"
    else:
        entries, whole = path, "" if path else "the file"
    quoted = [f'"{key}"' for key in reversed(entries) if isinstance(key, str)]
    return " of ".join([*quoted, *([whole] if whole else [])])


def _at(document: Any, path: Path) -> Any:
    """Return what stands at a place of the document, or None."""
    for key in path:
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return None
    return document


# --- the plain values that a file can hold ---------------------------------------------------------


def refuse_odd_values(document: Any) -> None:
    """Refuse numbers that are not finite and text that cannot be written again, wherever they stand."""
    try:
        _look_for_odd(document, (), document)
    except RecursionError:
        raise RefusedError("is not an atfnb model: it is nested too deep.") from None


def _look_for_odd(node: Any, path: Path, document: Any) -> None:
    if isinstance(node, str):
        try:
            node.encode("utf-8")
        except UnicodeEncodeError:
            raise inconsistent(
                f"{place(document, path)} is {shown(node)}, which contains half of a surrogate pair."
            ) from None
    elif isinstance(node, (int, float)):
        if not (_are_finite([node]) or (isinstance(node, int) and path[-2:-1] == ("categories",))):
            must = "hold finite numbers" if isinstance(path[-1], int) else "be a finite number"
            raise inconsistent(f"{place(document, path)} must {must}, not {shown(node)}.")
    elif isinstance(node, list) and not _are_finite(node):
        for position, entry in enumerate(node):
            _look_for_odd(entry, (*path, position), document)
    elif isinstance(node, dict):
        for key, entry in node.items():
            _look_for_odd(key, path, document)
            _look_for_odd(entry, (*path, key), document)


def _are_finite(entries: list[Any]) -> bool:
    """Return whether a list holds finite numbers and nothing else: the quick answer for most lists of a file."""
    try:
        return all(map(math.isfinite, entries))
    except (TypeError, OverflowError):  # not a number, or a whole number too large for floating point
        return False


# --- the declared types ----------------------------------------------------------------------------


def converted(document: Any, kind: Any) -> Any:
    """Return the document as an object of a declared type, or refuse it with the entry that does not fit."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise inconsistent(_sentence(document, str(error))) from None


def _sentence(document: Any, problem: str) -> str:
    """Put an error of msgspec into words, as "Expected `float`, got `str` - at `$.columns[0].weight`"."""
    problem, _, tail = problem.partition(" - at `$")
    steps = re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", tail)  # [...] is any entry of a mapping
    path: Path = tuple(key or (int(n) if n.isdecimal() else -1) for key, n in steps)
    where, node = place(document, path), _at(document, path)
    if lacking := re.fullmatch("Object missing required field `(.*)`", problem):
        return f'{where} has no "{lacking[1]}".'
    if unknown := re.fullmatch("Object contains unknown field `(.*)`", problem, re.DOTALL):
        return f"{where} has an entry {shown(unknown[1])}, which is not known here."
    in_list = len(path) > 2 and isinstance(path[-1], int)
    entry = next((key for key in reversed(path) if isinstance(key, str)), "")
    if length := re.match(r"Expected `array` of length ([<>])= (\d+)", problem):
        return f"{where} must have {BOUNDS[length[1]]} {length[2]} entries, not {len(node)}."
    return (
        f"{where} must {'hold' if in_list else 'be'} {_expected(problem, entry, in_list)}, not {_found(problem, node)}."
    )


def _expected(problem: str, entry: str, in_list: bool) -> str:
    """Return in words what an entry must be."""
    found = re.match(r"Expected `([\w |]+)`(?: ([<>])= (-?[\d.e+]+))?", problem)
    if not found or entry in CHOICES:
        return CHOICES.get(entry, "one of the values that the format has")
    words = " or ".join(WORDS[kind][in_list] for kind in found[1].split(" | "))
    return f"{words} of {BOUNDS[found[2]]} {float(found[3]):g}" if found[2] else words


def _found(problem: str, node: Any) -> str:
    """Return in words what the entry is instead."""
    kind = re.search(r"got `(\w+)`", problem)
    if node is None and kind:  # an entry of a mapping, of which the error does not say which one it is
        return WORDS.get(kind[1], (kind[1],))[0]
    return shown(node)
