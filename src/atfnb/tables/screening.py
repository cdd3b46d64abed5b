"""A table as it is read from a file → the rows and columns that a model can learn from, and notes on the rest.

This module finds out what a column looks like: an identifier, a constant, almost only numbers, a quantity. The
rules in :mod:`atfnb.tables.policy` decide what is done about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from atfnb._errors import listed_names, options, shortened
from atfnb.tables.cells import CellRules, ColumnForm, Marked, parse
from atfnb.tables.date_cells import DateForm, certain_dates
from atfnb.tables.kinds import Kind, is_binary, kinds_of
from atfnb.tables.labelled import drop_unlabelled
from atfnb.tables.number_cells import LEADING_ZERO
from atfnb.tables.policy import (
    ENOUGH,
    ColumnFacts,
    Policy,
    is_identifier,
    no_classes,
    not_classes,
    one_class,
    rows_left_out,
    too_many_classes,
)

_LIKE_A_NUMBER = (
    r"^\s*[-+−(<>~≈$€£]{0,2}\s*[0-9]+([ '’\x{a0}\x{202f}][0-9]{3})*([.,][0-9]+)?\s*([kKM%]|[a-zµ]{1,3})?\)?\s*$"
)
"""A number as people may write it: with spaces between thousands, a sign, a bracket or a unit."""
_ORDINAL = r"[0-9](st|nd|rd|th)\s*$"


# --- Rows and classes ------------------------------------------------------------------------------


def with_class(table: pa.Table, target: str) -> tuple[pa.Table, tuple[str, ...]]:
    """Return the rows of a table that have a class, and a note on the others, if there are any.

    Examples
    --------
    >>> table, notes = with_class(pa.table({"size": [1, 2], "kind": ["a", None]}), "kind")
    >>> table.num_rows, notes
    (1, ('1 row without a class left out.',))
    """
    labelled, unlabelled = drop_unlabelled(table, target)
    if not labelled.num_rows:
        raise no_classes(target)
    return labelled, tuple(rows_left_out(unlabelled))


def classes_of(table: pa.Table, target: str) -> NDArray[Any]:
    """Return the class of each row, (rows,): text, booleans or whole numbers.

    Raises
    ------
    ValueError
        If the column cannot be a target: it holds bytes or dates, a measurement, a name for each row, or one value.

    Examples
    --------
    >>> classes_of(pa.table({"kind": ["a", "b", "a"]}), "kind")
    array(['a', 'b', 'a'], dtype='<U1')
    """
    column = table.column(target)
    if is_binary(column.type):
        raise ValueError(f"the target {target!r} holds bytes that are not text in UTF-8: convert it to text.")
    if kinds_of(table.select([target])).get(target) in (None, "date", "time"):
        raise ValueError(
            f"the target {target!r} is of type {column.type}, and classes are text, numbers or booleans: convert it, "
            "or give another column."
        )
    if pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.float64())
    if looks_continuous(column):
        raise not_classes(target, "whole", len(column.unique()))
    if looks_unique(column):
        raise not_classes(target, "text", _distinct(column))
    classes = np.array(column.to_pylist())
    if (classes == classes[0]).all():
        raise one_class(target, classes[0].item())
    return plain_classes(classes)


def plain_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Return classes that are floats as whole numbers if they all are, otherwise as text; other classes as they are.

    >>> plain_classes(np.array([1.0, 2.0])), plain_classes(np.array([1.0, 2.5]))
    (array([1, 2]), array(['1.0', '2.5'], dtype='<U32'))
    """
    if classes.dtype.kind != "f":
        return classes
    return classes.astype(np.int64) if (classes == np.round(classes)).all() else classes.astype(str)


def looks_continuous(column: Any) -> bool:
    """Return whether a column of numbers is a quantity rather than a class.

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
        return bool(distinct > min(ENOUGH, max(2, len(values) / 2)))
    return too_many_classes("whole", distinct, len(values))


def looks_unique(column: Any) -> bool:
    """Return whether a column of text names the rows rather than their classes: nine in ten values are different.

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


# --- Columns ---------------------------------------------------------------------------------------


def usable_columns(
    X: pa.Table, file: str, policy: Policy, as_text: Collection[str] = ()
) -> tuple[pa.Table, tuple[str, ...]]:
    """Return the columns that a model can learn from, and notes on columns that are left out or look wrong.

    Parameters
    ----------
    X : pyarrow.Table
        The columns besides the target.
    file : str
        The name of the file, for messages.
    policy : Policy
        What is done with columns without any value, and with identifiers.
    as_text : names
        Columns that the user wants to be text, for which there is no note that they look like numbers.

    Raises
    ------
    ValueError
        If a column holds bytes, nested or infinite values, or no column is left.

    Examples
    --------
    >>> X = pa.table({"id": range(30), "size": [1, 2] * 15, "gone": pa.nulls(30)})
    >>> X, notes = usable_columns(X, "a.csv", Policy(leave_out=True, keep=("id",)))
    >>> X.column_names, notes
    (['id', 'size'], ("1 column without any value left out: 'gone'.",))
    """
    empty = [name for name in X.column_names if X.column(name).null_count == X.num_rows]
    filled = X.drop_columns(empty)
    refuse_unreadable(filled, file)
    refuse_infinite(filled, file)
    ids = identifiers(filled)
    review = policy.review([ColumnFacts(name, name in empty, name in ids) for name in X.column_names])
    odd = [*_on_constants(constant(filled)), *_on_nearly(filled, as_text)]
    return X.drop_columns(list(review.left_out)), (*review.notes, *odd)


def without_date_columns(X: pa.Table, forms: Mapping[str, ColumnForm]) -> tuple[pa.Table, tuple[str, ...]]:
    """Return a table without its columns of dates, and a note that names them.

    >>> import datetime
    >>> X, notes = without_date_columns(pa.table({"day": [datetime.date(2024, 1, 1)], "n": [1]}), {})
    >>> X.column_names, notes
    (['n'], ("'day' left out, as dates are ignored.",))
    """
    kinds = kinds_of(X)
    held = {n: form.kind if isinstance(form, Marked) else form for n, form in forms.items()}
    dates = [n for n in X.column_names if isinstance(held.get(n), DateForm) or kinds.get(n) in ("date", "time")]
    return X.drop_columns(dates), ((f"{listed_names(dates)} left out, as dates are ignored.",) if dates else ())


def _on_constants(columns: list[str]) -> Iterator[str]:
    """Yield the note on columns with one value only, if there are any."""
    if columns:
        verbs = ("holds", "predicts") if len(columns) == 1 else ("hold", "predict")
        yield f"{listed_names(columns)} {verbs[0]} one value only and {verbs[1]} nothing."


def _on_nearly(X: pa.Table, as_text: Collection[str]) -> Iterator[str]:
    """Yield a note on each column of text in which most cells look like numbers, or like dates."""
    kinds = {"numbers": ("plain numbers", nearly_numbers(X)), "dates": ("dates", nearly_dates(X))}
    for like, (proper, found) in kinds.items():
        for name, odd in found.items():
            if name not in as_text:
                yield (
                    f"{name!r} is taken for text because of cells such as {shortened(odd)!r}, though most look like "
                    f"{like}: write them as {proper}, or name those that mean a missing value with --missing-mark."
                )


def refuse_unreadable(X: pa.Table, file: str) -> None:
    """Raise a ValueError for columns with bytes that are not text, or with nested values."""
    if raw := [column.name for column in X.schema if is_binary(column.type)]:
        raise ValueError(
            f"{file} holds bytes that are not text in UTF-8 in {listed_names(raw)}: convert them to text, or leave "
            f"them out with {options('--ignore', raw)}."
        )
    known = kinds_of(X)
    if odd := [name for name in X.column_names if name not in known]:
        raise ValueError(
            f"{file} holds neither numbers nor text in {listed_names(odd)}: take them apart into columns, or leave "
            f"them out with {options('--ignore', odd)}."
        )


def refuse_infinite(X: pa.Table, file: str, first: int = 1) -> None:
    """Raise a ValueError that names the column and the row of an infinite number; ``first`` numbers the first row."""
    for name in X.column_names:
        column = X.column(name)
        if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            row = first + pc.index(pc.is_inf(column), True).as_py()
            raise ValueError(f"{file}: column {name!r} is infinite in row {row}: put a number there, or nothing.")


def identifiers(table: Any) -> list[str]:
    """Return the names of the columns that hold identifiers, by the rule of :func:`atfnb.tables.is_identifier`.

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
    """Return the names of the columns with at most one value, not counting missing values.

    Examples
    --------
    >>> constant(pa.table({"a": [1, 1, None], "b": [None, None, None], "c": [1, 2, 1]}))
    ['a', 'b']
    """
    return [name for name in table.column_names if _distinct(table.column(name)) <= 1]


def nearly_numbers(table: Any) -> dict[str, str]:
    """Return the columns of text of which nine in ten cells look like numbers, each with the first cell that does not.

    Codes with leading zeros, cells with several points or commas, as in dates and versions, and ordinals, such as 1st,
    do not look like numbers.

    Examples
    --------
    >>> nearly_numbers(pa.table({"sum": ["3 544", *"123456789"], "size": [*"123456789", "?"], "code": ["007"] * 10}))
    {'sum': '3 544', 'size': '?'}
    """
    found = {name: _first_not_plain(text) for name, text in _texts(table)}
    return {name: odd for name, odd in found.items() if odd is not None}


def nearly_dates(table: Any) -> dict[str, str]:
    """Return the columns of text of which nine in ten cells look like dates, each with the first cell that does not.

    Examples
    --------
    >>> nearly_dates(pa.table({"day": ["unknown", *["31/1/2020"] * 9], "size": ["2020", "?"] * 5}))
    {'day': 'unknown'}
    """
    found = dict[str, str]()
    for name, text in _texts(table):
        like = certain_dates(text)
        if 0.9 * len(text) <= pc.sum(like).as_py() < len(text):
            found[name] = str(text.filter(pc.invert(like))[0])
    return found


def looks_like(values: Collection[Any]) -> Literal["numbers", "dates"] | None:
    """Return "numbers" or "dates" if that is what text would be read as in a file, otherwise None.

    >>> looks_like(["$3.50", "$1,200"]), looks_like(["2024-02-29"]), looks_like(["007"]), looks_like(["red", "3"])
    ('numbers', 'dates', None, None)
    """
    kind = kinds_of(pa.table({"x": parse(pa.chunked_array([pa.array([*map(str, values)])]), CellRules())[0]})).get("x")
    return "numbers" if kind in ("number", "whole") else "dates" if kind == "date" else None


def _texts(table: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names of the columns of text that hold something, and their cells that are not missing."""
    for name, kind in kinds_of(table).items():
        if kind == "text" and len(cells := _present(table.column(name))):
            yield name, pc.cast(cells, pa.string())


def _first_not_plain(text: Any) -> str | None:
    """Return the first cell that is not a plain number if nine in ten cells look like numbers, otherwise None."""
    like = pc.and_not(pc.match_substring_regex(text, _LIKE_A_NUMBER), pc.match_substring_regex(text, _ORDINAL))
    if pc.sum(like).as_py() < 0.9 * len(text) or pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py():
        return None
    odd = text.filter(pc.invert(pc.match_substring_regex(text, r"^\s*[+-]?[0-9]+([.,][0-9]+)?\s*$")))
    return str(odd[0]) if len(odd) else None


def _present(column: Any) -> Any:
    """Return the values of a column that are not missing; decimals as floats, dictionaries decoded."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.float64(), safe=False)
        column = column.filter(pc.invert(pc.is_nan(column)))
    return column.drop_null()


def _distinct(column: Any) -> int:
    """Return the number of different values of a column, not counting missing values."""
    values = _present(column)
    try:
        return int(pc.count_distinct(values).as_py()) if len(values) else 0
    except pa.ArrowNotImplementedError:  # lists and other nested values
        return len(values)
