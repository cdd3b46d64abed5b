"""Batches of a table file as the columns that a model wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import listed_names
from atfnb.tables.binary import decoded, is_binary
from atfnb.tables.cells import Cells, numbers, truths, whole_numbers, without_missing
from atfnb.tables.forms import formed

Kind = Literal["number", "whole", "boolean", "text"]
"""What a column holds: numbers, whole numbers, booleans or text."""

_WORDS: dict[Kind, str] = {"number": "a number", "whole": "a number", "boolean": "true or false", "text": "text"}
_PARSERS: dict[Kind, Callable[[Any, Cells], Any]] = {"number": numbers, "whole": whole_numbers, "boolean": truths}


@dataclass(frozen=True)
class Batch:
    """Some rows of a table file, in order, with all their columns.

    Parameters
    ----------
    table : pyarrow.Table
        The rows; the cells of a CSV file are the text that they are.
    first : int
        The number of the first of them; the first row of a file is 1.
    name : str
        The file's name, for sentences.
    cells : Cells
        How text is to be understood.
    """

    table: Any
    first: int = 1
    name: str = "the table"
    cells: Cells = field(default_factory=Cells)


def kinds_of(table: Any) -> dict[str, Kind]:
    """What the columns of a table hold; dates, nested columns and columns without any value are left out.

    Examples
    --------
    >>> kinds_of(pa.table({"age": [1, 2], "size": [0.5, None], "city": ["Bonn", "Ulm"], "gap": [None, None]}))
    {'age': 'whole', 'size': 'number', 'city': 'text'}
    """
    found = {column.name: _kind(column.type) for column in table.schema}
    return {name: kind for name, kind in found.items() if kind is not None}


def as_kinds(batch: Batch, kinds: Mapping[str, Kind], forms: Mapping[str, str] | None = None) -> Any:
    """The columns that a model wants, in that order, as it learned them.

    Parameters
    ----------
    batch : Batch
        Some rows, as :meth:`TableFile.batches` gives them.
    kinds : mapping of str to {"number", "whole", "boolean", "text"}
        The columns, and what they held when the model was trained, as :func:`kinds_of` tells it. Where whole
        numbers were learned, a batch with a fraction gives numbers.
    forms : mapping of str to str, optional
        The columns whose numbers were written with a sign, a unit or thousands separators when the model was trained,
        and the sign or unit of each, "" for none. Plain numbers are read there too.

    Returns
    -------
    pyarrow.Table
        Missing cells are null.

    Raises
    ------
    ValueError
        If a column is not there, or a cell is not what the model learned; the column, the row and the cell are named.

    Examples
    --------
    >>> rows = Batch(pa.table({"age": ["31", "?"], "id": ["a", "b"]}), name="new.csv")
    >>> as_kinds(rows, {"age": "number"}).to_pydict()
    {'age': [31.0, None]}
    """
    there = set(batch.table.column_names)
    missing = [name for name in kinds if name not in there]
    if missing:
        named = f"column{'s' if len(missing) > 1 else ''} {listed_names(missing)}"
        raise ValueError(f"{batch.name} has no {named}: the model needs every column that it learned from.")
    return pa.table({name: _as_kind(batch, name, kind, (forms or {}).get(name)) for name, kind in kinds.items()})


def _kind(kind: Any) -> Kind | None:
    types = pa.types
    if types.is_dictionary(kind):
        return _kind(kind.value_type)
    if types.is_integer(kind):
        return "whole"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_boolean(kind):
        return "boolean"
    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    return "text" if is_text else None


def _as_kind(batch: Batch, name: str, kind: Kind, sign: str | None) -> Any:
    column = batch.table.column(name)
    if is_binary(column.type):
        column = decoded(column)
        if column is None:
            raise ValueError(not_text(batch.name, name))
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_null(column.type):
        return pa.chunked_array([pa.nulls(len(column), _TYPES[kind])])
    found = _kind(column.type)
    if found is not None and kind == "text":
        return text_of(column, batch.cells)
    if found == "text":
        return _from_text(batch, name, kind, pc.cast(column, pa.string()), sign)
    if found is None or (kind == "boolean" and found != "boolean"):
        raise ValueError(
            f"{batch.name}: column {name!r} held {_LEARNED[kind]} when the model was trained and is of type "
            f"{column.type} now: convert it."
        )
    return _from_typed(column, kind)


_LEARNED: dict[Kind, str] = {"number": "numbers", "whole": "numbers", "boolean": "booleans", "text": "text"}
_TYPES: dict[Kind, Any] = {"number": pa.float64(), "whole": pa.int64(), "boolean": pa.bool_(), "text": pa.string()}


def not_text(file: str, name: str) -> str:
    """Return the sentence that refuses a binary column without text."""
    return f"{file}: column {name!r} holds bytes that are not text in UTF-8: convert it, or leave it out."


def text_of(column: Any, cells: Cells) -> Any:
    """A column of any kind as text, for what looks like numbers and is not, as a postcode."""
    return without_missing(pc.cast(column, pa.string()), cells)


def _from_text(batch: Batch, name: str, kind: Kind, column: Any, sign: str | None) -> Any:
    parse = _PARSERS[kind] if sign is None else partial(formed, sign=sign)
    if kind != "boolean" and not batch.cells.marks_look_like_numbers:
        try:  # most columns have no gap to look for
            return parse(column, batch.cells)
        except ValueError:
            pass
    present = without_missing(column, batch.cells)
    try:
        return parse(present, batch.cells)
    except ValueError:
        row = _first_odd(present, lambda part: parse(part, batch.cells))
        cell = present[row].as_py()
        said = cell if len(cell) <= 40 else cell[:39] + "…"
        raise ValueError(
            f"{batch.name}: {said!r} in column {name!r}, row {batch.first + row}, is not {_WORDS[kind]}, which the "
            f"model learned there: correct it, or say that it means nothing known with --missing-mark."
        ) from None


def _first_odd(column: Any, parse: Callable[[Any], Any]) -> int:
    """The place of the first cell that cannot be parsed, by halving."""
    low, high = 0, len(column)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            parse(column.slice(low, middle - low))
            low = middle
        except ValueError:
            high = middle
    return low


def _from_typed(column: Any, kind: Kind) -> Any:
    """Numbers or booleans as the kind that is wanted; NaN is missing."""
    if kind == "boolean":
        return column
    values = pc.cast(column, pa.float64(), safe=False) if not pa.types.is_integer(column.type) else column
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    try:
        return pc.cast(values, _TYPES[kind], safe=kind == "whole")
    except pa.ArrowInvalid:
        return values
