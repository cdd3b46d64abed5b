"""The text of a model file: how it is laid out, how it is read, and the sentences that refuse what is no model.

A refusal names the entry, what it must be, and what it is. The rules are those of the declared types; msgspec checks
them, and its errors are put into words here.
"""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import getitem
from typing import Any, get_args

import msgspec

from atfnb.editing import AnyEdit
from atfnb.model_file.structs import CLASSIFIERS, FORMAT

BOM, NEWLINE = b"\xef\xbb\xbf", b"\n"
LONGEST = 60
"""The number of characters of a text of the file that a sentence shows."""
WORDS = {
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
"""msgspec's names of types in words."""
BOUNDS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}
CHOICES = {
    "categories": "text, numbers or booleans",
    "classifier": f"one of {', '.join(CLASSIFIERS)}",
    "checksum": "16 hexadecimal digits",
    "counted": "16 hexadecimal digits",
    "date": "a date like 2026-01-31T12:00:00Z",
    "decimal": "a decimal number",
    "do": ", ".join(each.__struct_config__.tag for each in get_args(AnyEdit)),
    "fingerprint": "16 hexadecimal digits",
    "float": '"inf" or "-inf"',
    "format": '"atfnb model"',
    "kind": '"number" or "categories"',
    "missing": '"skip", "value" or the position of a value',
    "reason": "text that is not empty",
    "type": '"text", "bool" or the name of a NumPy type of number, such as "int64"',
    "when": "a date like 2026-01-31T12:00:00Z",
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
    text = repr(node if not isinstance(node, str) else node[: LONGEST + 1])
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


# --- Writing ---------------------------------------------------------------------------------------


def laid_out(document: Any, indent: str = "") -> str:
    """Return JSON that a person can read: objects and lists of lists are spread over lines, lists of values are not.

    >>> print(laid_out({"name": "age", "cuts": [1, 2.5], "counts": [[3, 0], [1, 1]]}))
    {
      "name": "age",
      "cuts": [1, 2.5],
      "counts": [
        [3, 0],
        [1, 1]
      ]
    }
    """
    if not _is_spread(document) or (isinstance(document, list) and not any(map(_is_spread, document))):
        return _compact(document)
    deeper, (opening, closing) = f"{indent}  ", "{}" if isinstance(document, dict) else "[]"
    if isinstance(document, dict):
        entries = [f"{_compact(key)}: {laid_out(value, deeper)}" for key, value in document.items()]
    else:
        entries = [laid_out(entry, deeper) for entry in document]
    inside = f",\n{deeper}".join(entries)
    return f"{opening}\n{deeper}{inside}\n{indent}{closing}"


_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _is_spread(node: Any) -> bool:
    """Return whether a value takes several lines in a list: not an object of one text, such as {"decimal": "0.1"}."""
    if isinstance(node, dict):
        return len(node) != 1 or not all(isinstance(value, str) for value in node.values())
    return isinstance(node, list)


# --- Reading ---------------------------------------------------------------------------------------


def parsed(content: bytes, what: str = FORMAT) -> Any:
    """Return the document in the content of a file, or refuse it; ``what`` is what the file should hold, in words."""
    if not content.strip():
        raise RefusedError("is empty: save it again.")
    try:
        return msgspec.json.decode(content.removeprefix(BOM))
    except UnicodeDecodeError:
        raise RefusedError(f"is not an {what}: it is not text in UTF-8.") from None
    except RecursionError:
        raise RefusedError(f"is not an {what}: it is nested too deep.") from None
    except msgspec.DecodeError as error:
        raise _no_json(content.removeprefix(BOM), str(error), what) from None


def _no_json(content: bytes, problem: str, what: str) -> RefusedError:
    """Return why a file is not JSON: it stops too early, was damaged, or never was any."""
    at = re.search(r"\(byte (\d+)\)", problem)
    if problem == "Input data was truncated" or (at and int(at[1]) >= len(content)):
        return RefusedError(f"was cut off: it ends at line {content.count(NEWLINE) + 1}, before it is complete.")
    if at:
        lines = content[: int(at[1])].split(NEWLINE)
        problem = f"it is not JSON at line {len(lines)}, column {len(lines[-1]) + 1}"
    subject = "is damaged" if f'"{FORMAT}"'.encode() in content[:200] else f"is not an {what}"
    return RefusedError(f"{subject}: {problem.partition(' - ')[0]}.")


def converted(document: Any, kind: Any) -> Any:
    """Return the document as an object of a declared type, or refuse it with the entry that does not fit."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise inconsistent(_sentence(document, str(error))) from None


def place(document: Any, path: Path) -> str:
    r"""Return how a sentence names a place in the document; positions in lists are left out.

    A column is named by its name, or by its position if it has none.

    >>> place({"columns": [{"name": "age"}]}, ("columns", 0, "counts", 1, 0)), place({}, ("beta", "value"))
    ('an entry of "counts" of column \'age\'', '"value" of "beta"')
    """
    parts, names = ["the file"] if not path else [], path
    if path[:1] == ("columns",) and len(path) > 1:
        name = _at(document, (*path[:2], "name"))
        parts, names = [f"column {shown(name) if isinstance(name, str) else path[1]}"], path[2:]
    quoted = [f'"{key}"' for key in reversed(names) if isinstance(key, str)]
    return " of ".join([*(["an entry"] if names and isinstance(names[-1], int) else []), *quoted, *parts])


def _at(document: Any, path: Path) -> Any:
    """Return what stands at a place of the document, or None."""
    try:
        return reduce(getitem, path, document)
    except (KeyError, IndexError, TypeError):
        return None


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
    if length := re.match(r"Expected `array` of length ([<>]=) (\d+)", problem):
        return f"{where} must have {BOUNDS[length[1]].removeprefix('of ')} {length[2]} entries, not {len(node)}."
    found = "" if -1 in path else f", not {shown(node)}"
    return f"{where} must be {_expected(problem, [key for key in path if isinstance(key, str)])}{found}."


def _expected(problem: str, names: list[str]) -> str:
    """Return in words what an entry must be, given the names that lead to it."""
    found = re.match(r"Expected `([\w |]+)`(?: ([<>]=?) (-?[\d.e+]+))?", problem)
    if problem == "Number out of range":
        return "a number that 64 bits can hold"
    if not found or names[-1] in CHOICES:
        return CHOICES.get(names[-1], "one of the values that the format has")
    words = " or ".join(WORDS[kind] for kind in found[1].split(" | "))
    return f"{words} {BOUNDS[found[2]]} {float(found[3]):g}" if found[2] else words
