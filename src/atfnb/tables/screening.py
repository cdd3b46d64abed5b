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

from atfnb._errors import listed_names, options
from atfnb._typing import IntArray
from atfnb.tables.cells import CellRules, ColumnForm, Marked, parse
from atfnb.tables.date_cells import DateForm
from atfnb.tables.kinds import Kind, is_binary, kinds_of
from atfnb.tables.labelled import drop_unlabelled
from atfnb.tables.mixtures import mixture
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
    X: pa.Table, file: str, policy: Policy, as_text: Collection[str] = (), rows: IntArray | None = None
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
    rows : (rows,) array, optional
        The numbers of the rows in the file, for messages; 1, 2, 3, … by default.

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
    ids, rows = identifiers(filled), np.arange(1, X.num_rows + 1) if rows is None else rows
    texts = [name for name, kind in kinds_of(filled).items() if kind == "text" and name not in as_text]
    mixed = {name: mixture(filled.column(name), rows) for name in texts}
    review = policy.review([ColumnFacts(n, n in empty, n in ids, mixed=mixed.get(n)) for n in X.column_names])
    return X.drop_columns(list(review.left_out)), (*review.notes, *_on_constants(constant(filled)), *_on_large(filled))


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


def _on_large(X: pa.Table) -> Iterator[str]:
    """Yield the note on columns of whole numbers of which some become the same as floating point numbers."""
    large = [
        field.name
        for field in X.schema
        if pa.types.is_integer(field.type)
        and _distinct_large(X[field.name]) > _distinct_large(pc.cast(X[field.name], "double", safe=False))
    ]
    if large:
        yield (
            f"{listed_names(large)} {'holds' if len(large) == 1 else 'hold'} whole numbers beyond 2^53, of which "
            f"neighbours count as one: to keep them apart, give {options('--categorical', large)}."
        )


def _distinct_large(column: Any) -> int:
    """Return the number of distinct values; 0 for a column of small numbers, all of which stay apart."""
    ends = pc.min_max(column).as_py()
    return 0 if max(map(abs, filter(None, ends.values())), default=0) < 2**53 else pc.count_distinct(column).as_py()


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


def looks_like(values: Collection[Any]) -> Literal["numbers", "dates"] | None:
    """Return "numbers" or "dates" if that is what text would be read as in a file, otherwise None.

    >>> looks_like(["$3.50", "$1,200"]), looks_like(["2024-02-29"]), looks_like(["007"]), looks_like(["red", "3"])
    ('numbers', 'dates', None, None)
    """
    kind = kinds_of(pa.table({"x": parse(pa.chunked_array([pa.array([*map(str, values)])]), CellRules())[0]})).get("x")
    return "numbers" if kind in ("number", "whole") else "dates" if kind == "date" else None


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
