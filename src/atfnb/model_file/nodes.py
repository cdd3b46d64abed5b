"""What stands at one place of a document: of the kind that must stand there, or refused with its place.

A truth value is no number here, though Python takes it for one; and no array is made before its rows were measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from atfnb._typing import FloatArray

LONGEST = 60
"""As much of a text of the document is shown in a sentence about it."""


class RefusedError(ValueError):
    """What is wrong with a document: the rest of a sentence that begins with its name."""


def inconsistent(reason: str) -> RefusedError:
    """A document whose parts do not fit each other, or are not of the kind they must be."""
    return RefusedError(f"is inconsistent: {reason}")


def shown(node: Any) -> str:
    """A value of the document in a sentence: short, and on one line.

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


def fields(node: Any, where: str, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """An object with exactly these entries: an unknown one is most likely a slip."""
    if not isinstance(node, dict):
        raise inconsistent(f"{where} must be an object, not {shown(node)}.")
    for name in required:
        if name not in node:
            raise inconsistent(f'{where} has no "{name}".')
    for name in node:
        if name not in required and name not in optional:
            raise inconsistent(f"{where} has an entry {shown(name)}, which is not known here.")
    return node


def entries(node: Any, where: str) -> dict[str, Any]:
    """Return an object with any entries."""
    if not isinstance(node, dict):
        raise inconsistent(f"{where} must be an object, not {shown(node)}.")
    return {text(name, f"a name in {where}"): entry for name, entry in node.items()}


def listed(node: Any, where: str) -> list[Any]:
    """A list."""
    if not isinstance(node, list):
        raise inconsistent(f"{where} must be a list, not {shown(node)}.")
    return node


def text(node: Any, where: str) -> str:
    """Text that can be written again."""
    if not isinstance(node, str):
        raise inconsistent(f"{where} must be text, not {shown(node)}.")
    try:
        node.encode("utf-8")
    except UnicodeEncodeError:
        raise inconsistent(f"{where} is {shown(node)}, which holds half a character.") from None
    return node


def whole(node: Any, where: str, least: int = 0) -> int:
    """A whole number from ``least`` on."""
    if type(node) is not int or not least <= node < 2**63:
        raise inconsistent(f"{where} must be a whole number from {least} on, not {shown(node)}.")
    return node


def number(node: Any, where: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number between two others."""
    value = _finite(node)
    if value is None:
        raise inconsistent(f"{where} must be a number, not {shown(node)}.")
    if not low <= value <= high:
        raise inconsistent(f"{where} is {shown(node)}, and must be from {low:g} to {high:g}.")
    return value


def _finite(node: Any) -> float | None:
    if type(node) not in (int, float):
        return None
    try:
        value = float(node)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def numbers(node: Any, where: str, length: int | None = None) -> FloatArray:
    """A list of finite numbers, of a known length if one is given."""
    cells = listed(node, where)
    if length is not None and len(cells) != length:
        raise inconsistent(f"{where} must be {length} numbers, not {len(cells)}.")
    return _array(cells, [cells], where)


def table(node: Any, where: str, width: int) -> FloatArray:
    """A list of rows of as many finite numbers each: (rows, width)."""
    rows = listed(node, where)
    for place, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != width:
            found = f"{len(row)} numbers" if isinstance(row, list) else shown(row)
            raise inconsistent(f"row {place} of {where} must be {width} numbers, not {found}.")
    return _array(rows, rows, where).reshape(len(rows), width)


def _array(cells: list[Any], rows: list[list[Any]], where: str) -> FloatArray:
    """The cells as an array, once every one of them is known to be a number."""
    for row in rows:
        if not set(map(type, row)) <= {int, float}:
            odd = next(cell for cell in row if type(cell) not in (int, float))
            raise inconsistent(f"{where} must hold numbers, not {shown(odd)}.")
    try:
        array = np.array(cells, dtype=np.float64)
    except OverflowError:
        array = np.array([np.inf])
    if not np.isfinite(array).all():
        raise inconsistent(f"{where} must hold finite numbers, and one is too large, or none.")
    return array
