"""A table as it is read from a file → the rows and columns that a model can learn from, and notes on the rest.

This module finds out what a column looks like: an identifier, a constant, almost only numbers, a quantity. The
rules in :mod:`atfnb.tables.policy` decide what is done about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, Message, Setting, listed_names
from atfnb._typing import BoolArray, IntArray
from atfnb.tables.cells import DOUBTFUL_MARKS, CellRules, ColumnForm, parse, without_missing
from atfnb.tables.date_cells import formats_of, like_dates
from atfnb.tables.frames import read_table
from atfnb.tables.kinds import ColumnKind, is_binary, kind_of, kinds_of
from atfnb.tables.number_cells import CURRENCIES, like_numbers, signs_of, without_nan
from atfnb.tables.policy import ColumnFacts, Policy, is_identifier, no_classes, one_class, refuse_many, rows_left_out

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


def drop_unlabelled(native: Any, target: str) -> tuple[Any, int]:
    """Return the rows of a frame that have a class, and the number of rows without a class."""
    known = in_arrow(native[target]).is_valid()
    if known.true_count < len(known):
        native = native.filter(known) if isinstance(native, pa.Table) else native[known.to_numpy(zero_copy_only=False)]
    return native, len(known) - known.true_count


def in_arrow(column: Any) -> pa.Array:
    """Return a column of any frame as a pyarrow.Array; NaN becomes null."""
    array = column if isinstance(column, (pa.Array, pa.ChunkedArray)) else pa.Array.from_pandas(column)
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return without_nan(pc.cast(array, pa.float64())) if pa.types.is_floating(array.type) else array


def classes_of(table: pa.Table, target: str, unlabelled: int = 0) -> NDArray[Any]:
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
    if kind_of(column.type) in (None, "date", "time"):
        raise ValueError(
            f"the target {target!r} is of type {column.type}, and classes are text, numbers or booleans: convert it, "
            "or give another column."
        )
    if pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.float64())
    refuse_many(target, *_extent(column))
    classes = np.array(column.to_pylist())
    if (classes == classes[0]).all():
        raise one_class(target, classes[0].item(), unlabelled)
    return plain_classes(classes)


def plain_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Return classes that are floats as whole numbers if they all are, otherwise as text; other classes as they are.

    >>> plain_classes(np.array([1.0, 2.0])), plain_classes(np.array([1.0, 2.5]))
    (array([1, 2]), array(['1.0', '2.5'], dtype='<U32'))
    >>> plain_classes(np.array([1.0, np.inf]))
    array(['1.0', 'inf'], dtype='<U32')
    """
    if classes.dtype.kind != "f":
        return classes
    whole = (classes == np.round(classes)) & (np.abs(classes) <= 2.0**53)
    return classes.astype(np.int64) if whole.all() else classes.astype(str)


def _extent(column: Any) -> tuple[Literal["text", "whole", "fractions"], int, int]:
    """Return what a column of classes holds, its number of different values, and its number of rows with a value."""
    values = _present(column)
    if pa.types.is_floating(values.type) and pc.any(pc.not_equal(pc.floor(values), values)).as_py():
        return "fractions", _distinct(column), len(values)
    return "text" if kind_of(values.type) == "text" else "whole", _distinct(column), len(values)


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
    whole = filled.select([field.name for field in filled.schema if pa.types.is_integer(field.type)])
    on_numbers = read_table(whole).on_rounded() if whole.num_columns else ()
    same = constant(filled)
    s = "s" if len(same) == 1 else ""
    on_constants = [f"{listed_names(same)} hold{s} one value only and predict{s} nothing."] if same else []
    return X.drop_columns(list(review.left_out)), (*review.notes, *on_constants, *on_numbers)


def drop_date_columns(X: pa.Table, forms: Mapping[str, ColumnForm]) -> tuple[pa.Table, tuple[str, ...]]:
    """Return a table without its columns of dates, and a note that names them.

    >>> import datetime
    >>> X, notes = drop_date_columns(pa.table({"day": [datetime.date(2024, 1, 1)], "n": [1]}), {})
    >>> X.column_names, notes
    (['n'], ("'day' left out, as dates are ignored.",))
    """
    kinds = {**kinds_of(X), **{name: kind_of(form.type) for name, form in forms.items()}}
    dates = [name for name in X.column_names if kinds.get(name) in ("date", "time")]
    return X.drop_columns(dates), ((f"{listed_names(dates)} left out, as dates are ignored.",) if dates else ())


def refuse_unreadable(X: pa.Table, file: str) -> None:
    """Raise a ValueError for columns with bytes that are not text, or with nested values."""
    raw, known = [column.name for column in X.schema if is_binary(column.type)], kinds_of(X)
    if odd := raw or [name for name in X.column_names if name not in known]:
        what, convert = "bytes that are not text in UTF-8", "convert them to text"
        if not raw:
            what, convert = "neither numbers nor text", "take them apart into columns"
        fault = f"{file} holds {what} in {listed_names(odd)}: {convert}, or leave them out with "
        raise AdvisedError(fault, Setting("ignore", odd), ".")


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


def _is_identifier(name: str, kind: ColumnKind, column: Any) -> bool:
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
    kind = kind_of(parse(pa.chunked_array([pa.array([*map(str, values)])]), CellRules())[0].type)
    return "numbers" if kind in ("number", "whole") else "dates" if kind == "date" else None


def _present(column: Any) -> Any:
    """Return the values of a column that are not missing; decimals as floats, dictionaries decoded."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        column = without_nan(pc.cast(column, pa.float64(), safe=False))
    return column.drop_null()


def _distinct(column: Any) -> int:
    """Return the number of different values of a column, not counting missing values."""
    values = _present(column)
    try:
        return int(pc.count_distinct(values).as_py()) if len(values) else 0
    except pa.ArrowNotImplementedError:  # lists and other nested values
        return len(values)


# --- Text that is almost numbers or dates ------------------------------------------------------------

MOST = 0.9
"""A column is almost numbers, or dates, if at least this share of its cells is."""
_SAMPLE = 1000
"""So many cells are looked at before all are."""


def mixture(column: Any, rows: IntArray) -> str | None:
    """Return why a column of text cannot be read as numbers or dates, though it is almost that; None for other text.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The cells; null where a value is missing.
    rows : (rows,) array
        The numbers of the rows, for the sentence.

    Examples
    --------
    >>> mixture(pa.chunked_array([["$3", "€4", "$5", None]]), np.arange(1, 5))
    'it holds amounts in different currencies, $ in 2 rows and € in 1 (row 2): convert them to one'
    >>> mixture(pa.chunked_array([["red", "blue"]]), np.arange(1, 3))
    """
    column = without_missing(pc.cast(column, pa.string()), DOUBTFUL_MARKS)  # beside numbers, these mean missing values
    rows = rows[column.is_valid().to_numpy()]
    cells = column.drop_null().combine_chunks()
    if not len(cells):
        return None
    sample = cells.take(pa.array(np.unique(np.linspace(0, len(cells) - 1, _SAMPLE).astype(np.int64))))
    for like, one, all_alike in ((like_numbers, "number", _on_signs), (like_dates, "date", _on_formats)):
        if like(sample).mean() >= MOST / 2 and (are := like(cells)).mean() >= MOST:
            return all_alike(cells, rows) if are.all() else _on_odd(cells, rows, ~are, one)
    return None


def _on_odd(cells: Any, rows: IntArray, odd: BoolArray, one: str) -> str:
    """Return a clause on the few cells that are no number, or no date."""
    several = len(pc.unique(cells.filter(pa.array(odd)))) > 1
    are, it = (f"are no {one}s", f"them as {one}s") if several else (f"is no {one}", "it as one")
    fault = f"{_example(cells, rows, odd)} {are}, though most of its cells are: write {it}, "
    return Message(fault, "or name what means a missing value with ", Setting("Dialect.missing"))


def _on_signs(cells: Any, rows: IntArray) -> str | None:
    """Return a clause on numbers with different signs or units, if they are."""
    signs = signs_of(cells).to_pylist()
    order = sorted(Counter(signs).items(), key=lambda each: (-each[1], each[0]))
    if len(order) < 2:
        return _on_decimal_signs(cells, rows)
    each = [f"{sign or 'none'} in {number:,}" for sign, number in order[:3]]
    each[0] += " rows"
    money = all(re.fullmatch(CURRENCIES, sign) for sign, _ in order if sign)
    what = "amounts in different currencies" if money else "numbers with different units"
    named = f"{', '.join(each[:-1])} and {each[-1]}{' and others' if len(order) > len(each) else ''}"
    others = rows[[sign != order[0][0] for sign in signs]]
    return f"it holds {what}, {named} ({_rows(others)}): convert them to one"


def _on_decimal_signs(cells: Any, rows: IntArray) -> str | None:
    """Return a clause on numbers that have another decimal sign than the numbers of the file, or not the same one.

    >>> _on_decimal_signs(pa.array(["3,5", "1,25"]), np.arange(1, 3))
    "'3,5', '1,25' in rows 1, 2 have a comma: if it is the decimal sign, write a point"
    """
    odd = {sign: ~like_numbers(cells, decimals=other) for sign, other in ((",", "."), (".", ","))}
    sign, name, right = (",", "comma", "point") if odd[","].any() else (".", "point", "comma")
    if not odd[sign].any():
        return None
    has = "have" if odd[sign].sum() > 1 else "has"
    return f"{_example(cells, rows, odd[sign])} {has} a {name}: if it is the decimal sign, write a {right}"


def _on_formats(cells: Any, rows: IntArray) -> str | None:
    """Return a clause on dates in different formats."""
    words, read = formats_of(cells)
    if read.all():
        return None
    most = f"most of them {words}, and " if words else ""
    return f"it holds dates in different formats, {most}{_example(cells, rows, ~read)}: write them in one"


def _example(cells: Any, rows: IntArray, odd: BoolArray) -> str:
    """Return the first different ones of some cells, and the rows of all."""
    return f"{listed_names(pc.unique(cells.filter(pa.array(odd))).to_pylist(), 3)} in {_rows(rows[odd])}"


def _rows(rows: IntArray) -> str:
    """Return the numbers of some rows in words.

    >>> _rows(np.array([7])), _rows(np.array([1, 2, 3, 4]))
    ('row 7', 'rows 1, 2, 3 and 1 more')
    """
    more = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
    return f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows[:3].tolist()))}{more}"
