"""Single values as JSON holds them, and back: numbers, classes, categories, and the parameters of a classifier.

A value that JSON has no notation for is an object of one entry: ``{"decimal": "0.1"}``, ``{"float": "inf"}``, and among
the parameters ``{"mapping": [[key, value], …]}``, ``{"function": "module.name"}`` and ``{"object": "module.Type"}``.
The last two only name something that the file does not contain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray
from atfnb.model_file.structs import CLASSES, SpecialNumber
from atfnb.model_file.text import inconsistent, shown

EXACT = 2.0**53
"""Whole numbers below this are written without a point; larger floats may not be exact whole numbers."""
DIGITS = 1000
"""The largest number of digits of a category that is a whole number."""
DEEPEST = 8
"""The largest number of lists within lists in a parameter."""
MAX_CLASS_BYTES = 1 << 26
"""The most memory that the names of the classes may take; an array gives each the length of the longest."""


# --- Numbers ---------------------------------------------------------------------------------------


def plain_numbers(numbers: Any) -> Any:
    """Return an array as lists of numbers: whole ones without a point, the others with as many digits as they need.

    >>> plain_numbers(np.array([2.0, 0.1])), plain_numbers(3.0)
    ([2, 0.1], 3)
    """
    array = np.asarray(numbers, dtype=np.float64)
    brief = (array == np.round(array)) & (np.abs(array) < EXACT) & ~((array == 0) & np.signbit(array))
    if brief.all():
        return array.astype(np.int64).tolist()
    mixed = array.astype(object)
    mixed[brief] = array[brief].astype(np.int64)
    return mixed.tolist()


def as_table(entries: Any, shape: tuple[int, ...], where: str, dtype: Any = np.float64) -> NDArray[Any]:
    """Return nested lists as an array of a given shape, or refuse them.

    >>> as_table([[1, 2]], (1, 2), '"counts"')
    array([[1., 2.]])
    """
    try:
        array = np.array([] if entries is None else entries, dtype=dtype)
    except ValueError:  # lists of different lengths
        array = np.zeros(0)
    if array.shape != shape and (array.size or math.prod(shape)):
        raise inconsistent(f"{where} must be {' × '.join(map(str, shape))} numbers.")
    return array.reshape(shape)


def refuse_disorder(values: Sequence[Any] | FloatArray, where: str) -> None:
    """Refuse values that do not rise."""
    for before, after in pairwise(values):
        if not before < after:
            raise inconsistent(f"{where} must be sorted and differ, and {shown(after)} stands after {shown(before)}.")


# --- Classes ---------------------------------------------------------------------------------------


def class_type(classes: NDArray[Any]) -> Any:
    """Return what the classes are: "text", or the name of a NumPy type of numbers or booleans."""
    name = "text" if classes.dtype.kind == "U" else classes.dtype.name
    if name not in CLASSES:
        raise ValueError(
            f"the classes are of type {classes.dtype}, and a model file holds text and plain numbers only."
        )
    if classes.nbytes > MAX_CLASS_BYTES:
        raise ValueError(f"the names of the classes take {classes.nbytes} bytes: choose shorter ones.")
    return name


def class_array(entry: Any) -> NDArray[Any]:
    """Return the classes as an array of their type; refuse names that the type cannot hold, or that are not sorted."""
    names, kind = entry.names, entry.__struct_config__.tag
    if 4 * len(names) * max(len(str(name)) for name in names) > MAX_CLASS_BYTES:
        raise inconsistent("the names of the classes are too long.")
    try:
        classes = np.array(names, dtype=str if kind == "text" else kind)
    except OverflowError:
        classes = np.zeros(0)
    if classes.tolist() != names:
        raise inconsistent(f"one of the classes is not of type {kind}.")
    refuse_disorder(names, "the classes")
    return classes


# --- Categories ------------------------------------------------------------------------------------


def plain_category(category: Any, column: str) -> Any:
    """Return a category as JSON holds it; NumPy's numbers become Python's."""
    if isinstance(category, np.generic):
        category = category.item()
    if isinstance(category, (bool, str)) or (isinstance(category, int) and abs(category) < 10**DIGITS):
        return category
    if isinstance(category, float):
        return category if math.isfinite(category) else SpecialNumber(float=str(category))  # type: ignore[arg-type]
    if isinstance(category, Decimal):
        return SpecialNumber(decimal=category)
    raise ValueError(
        f"column {column!r} has the category {shown(category)} of type {type(category).__name__}, which a model file "
        "does not hold: turn it into text or a plain number first."
    )


def category_tuple(entries: Sequence[Any], where: str, *, ordered: bool = False) -> tuple[Any, ...]:
    """Return the categories of a column; refuse them unless they are sorted, numbers before text, or all differ.

    The latter is enough where they have an order of their own.
    """
    found = tuple(_from_special(entry, where) if isinstance(entry, SpecialNumber) else entry for entry in entries)
    if ordered:
        if len({*found}) < len(found):
            raise inconsistent(f"{where} must differ.")
        return found
    first_word = next((k for k, entry in enumerate(found) if isinstance(entry, str)), len(found))
    if not all(isinstance(entry, str) for entry in found[first_word:]):
        raise inconsistent(f"{where} must have numbers before text.")
    refuse_disorder(found[:first_word], where)
    refuse_disorder(found[first_word:], where)
    return found


def _from_special(number: SpecialNumber, where: str) -> Any:
    """Return the decimal or the infinite number that an object of one entry stands for."""
    if (number.decimal is None) == (number.float is None) or (number.decimal is not None and number.decimal.is_nan()):
        raise inconsistent(f'{where} hold an object that must have one entry, a number as "decimal" or "float".')
    return number.decimal if number.float is None else float(number.float)


# --- Parameters ------------------------------------------------------------------------------------


def plain_option(value: Any) -> Any:
    """Return a parameter of a classifier as JSON holds it; of a function or another object, its name."""
    if hasattr(value, "tolist") and not isinstance(value, type):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    if isinstance(value, (list, tuple, range)):
        return [plain_option(entry) for entry in value]
    if isinstance(value, Mapping):
        return {"mapping": [[plain_option(key), plain_option(entry)] for key, entry in value.items()]}
    if hasattr(value, "__qualname__"):
        return {"function": f"{value.__module__}.{value.__qualname__}"}
    return {"object": f"{type(value).__module__}.{type(value).__qualname__}"}


def option(node: Any, where: str, depth: int = 0) -> Any:
    """Return a parameter that a file holds; of what was a function or another object, its name as text."""
    if node is None or isinstance(node, (bool, int, float, str)):
        return node
    if isinstance(node, list) and depth < DEEPEST:
        return [option(entry, where, depth + 1) for entry in node]
    match node:
        case {"float": "nan" | "inf" | "-inf" as word, **rest} if not rest:
            return float(word)
        case {"mapping": list(pairs), **rest} if not rest and depth < DEEPEST:
            try:
                return {key: option(entry, where, depth + 1) for key, entry in pairs}
            except (TypeError, ValueError):
                raise inconsistent(f"{where} must be a mapping of names or numbers.") from None
        case {"function": str(name), **rest} | {"object": str(name), **rest} if not rest:
            return name
    raise inconsistent(f"{where} cannot be {shown(node)}.")
