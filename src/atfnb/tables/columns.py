"""What a column looks like, before anything is learned from it: an identifier, a constant, a date, a quantity."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from atfnb.tables.cells import LEADING_ZERO
from atfnb.tables.kinds import Kind, kinds_of
from atfnb.tables.row_names import is_identifier

_LIKE_A_NUMBER = (
    r"^\s*[-+−(<>~≈$€£]{0,2}\s*[0-9]+([ '’\x{a0}\x{202f}][0-9]{3})*([.,][0-9]+)?\s*([kKM%]|[a-zµ]{1,3})?\)?\s*$"
)
"""A number as people may write it: with spaces between thousands, a sign, a bracket or a unit."""
_ENOUGH = 20
"""So many classes are never too many."""


def identifiers(table: Any) -> list[str]:
    """Return the columns that name the rows: see :func:`atfnb.tables.row_names.is_identifier`.

    Examples
    --------
    >>> identifiers(pa.table({"id": range(1, 31), "income": [i * i for i in range(30)]}))
    ['id']
    """
    return [name for name, kind in kinds_of(table).items() if _is_identifier(name, kind, table.column(name))]


def _is_identifier(name: str, kind: Kind, column: Any) -> bool:
    if kind not in ("text", "whole") or column.null_count:
        return False
    span = 0.0
    if kind == "whole":
        ends = pc.min_max(_present(column))
        span = float(ends["max"].as_py() - ends["min"].as_py())
    return is_identifier(name, kind, len(column), _distinct(column), span)


def constant(table: Any) -> list[str]:
    """The columns with one value only, missing cells aside, or with none.

    Examples
    --------
    >>> constant(pa.table({"a": [1, 1, None], "b": [None, None, None], "c": [1, 2, 1]}))
    ['a', 'b']
    """
    return [name for name in table.column_names if _distinct(table.column(name)) <= 1]


def temporal(table: Any) -> list[str]:
    """The columns that hold dates or times.

    Examples
    --------
    >>> import datetime
    >>> temporal(pa.table({"day": [datetime.date(2024, 1, 1)], "n": [1]}))
    ['day']
    """
    return [column.name for column in table.schema if pa.types.is_temporal(column.type)]


def nearly_numbers(table: Any) -> dict[str, str]:
    """Return the columns of text of which nine in ten cells look like numbers, each with the first cell that is none.

    Codes with leading zeros, and cells with several points or commas, as dates and versions have, do not.

    Examples
    --------
    >>> nearly_numbers(pa.table({"sum": ["3 544", *"123456789"], "size": [*"123456789", "?"], "code": ["007"] * 10}))
    {'sum': '3 544', 'size': '?'}
    """
    texts = {name: _present(table.column(name)) for name, kind in kinds_of(table).items() if kind == "text"}
    found = {name: _first_odd(pc.cast(column, pa.string())) for name, column in texts.items() if len(column)}
    return {name: odd for name, odd in found.items() if odd is not None}


def _first_odd(text: Any) -> str | None:
    """Return the first cell that is not a plain number, if most cells look like numbers."""
    like = pc.match_substring_regex(text, _LIKE_A_NUMBER)
    if pc.sum(like).as_py() < 0.9 * len(text) or pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py():
        return None
    odd = text.filter(pc.invert(pc.match_substring_regex(text, r"^\s*[+-]?[0-9]+([.,][0-9]+)?\s*$")))
    return str(odd[0]) if len(odd) else None


def looks_continuous(column: Any) -> bool:
    """Whether a column of numbers is a quantity rather than a class.

    With fractions: more than 20 different values, or in a small table more than one for every two rows. Whole
    numbers: more than 20 different values, and more than one for every ten rows.

    Examples
    --------
    >>> looks_continuous(pa.chunked_array([[0.5 * i for i in range(100)]]))
    True
    >>> looks_continuous(pa.chunked_array([[i % 30 for i in range(1000)]]))
    False
    """
    kind = kinds_of(pa.table({"y": column})).get("y")
    if kind not in ("number", "whole"):
        return False
    values = _present(column)
    distinct = pc.count_distinct(values).as_py()
    if kind == "number" and pc.any(pc.not_equal(pc.floor(values), values)).as_py():
        return bool(distinct > min(_ENOUGH, max(2, len(values) / 2)))
    return too_many_classes("whole", distinct, len(values))


def looks_unique(column: Any) -> bool:
    """Whether a column of text is a name for each row rather than a class: nine of ten values stand alone.

    Examples
    --------
    >>> looks_unique(pa.chunked_array([[f"customer {i}" for i in range(50)]]))
    True
    >>> looks_unique(pa.chunked_array([["yes", "no"] * 25]))
    False
    """
    if kinds_of(pa.table({"y": column})).get("y") != "text":
        return False
    return too_many_classes("text", _distinct(column), len(column))


def too_many_classes(kind: Kind, distinct: int, rows: int) -> bool:
    """Whether a column of whole numbers or text has too many different values for classes.

    Examples
    --------
    >>> too_many_classes("whole", 30, 1000), too_many_classes("whole", 30, 100), too_many_classes("text", 30, 30)
    (False, True, True)
    """
    if kind == "text":
        return rows >= _ENOUGH and distinct > 0.9 * rows
    return distinct > max(_ENOUGH, rows / 10)


def _present(column: Any) -> Any:
    """The values that are there; decimals as numbers, categories as their values."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.float64(), safe=False)
        column = column.filter(pc.invert(pc.is_nan(column)))
    return column.drop_null()


def _distinct(column: Any) -> int:
    values = _present(column)
    try:
        return int(pc.count_distinct(values).as_py()) if len(values) else 0
    except pa.ArrowNotImplementedError:  # lists and the like
        return len(values)
