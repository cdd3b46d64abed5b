"""Columns of table files as the kinds that a model learned: numbers, whole numbers, booleans and text.

Also here: binary columns that hold text, as some programs write it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from atfnb._errors import AdvisedError, Setting, listed_names, shortened
from atfnb.tables.cells import DOUBTFUL_MARKS, MISSING_MARKS, CellRules, parse_booleans, parse_times, without_missing
from atfnb.tables.date_cells import MOMENT, parse_dates, parse_iso
from atfnb.tables.dates import other_zone
from atfnb.tables.left_out import LeftOut
from atfnb.tables.number_cells import parse_in_form, parse_numbers, without_nan

ColumnKind = Literal["number", "whole", "boolean", "date", "time", "text"]
"""What a column holds: numbers, whole numbers, booleans, dates (with or without times), times of day, or text."""


def _parse_whole_numbers(text: Any, rules: CellRules) -> Any:
    """Return text without marks of missing values as whole numbers, or as numbers if some are not whole."""
    values = parse_numbers(text, rules)
    largest = pc.min_max(pc.abs(values))["max"].as_py()
    try:
        if largest is not None and largest >= 2.0**53:
            written = pc.if_else(pc.is_valid(values), pc.utf8_trim_whitespace(text), pa.scalar(None, pa.string()))
            return pc.cast(written, pa.int64())
        return pc.cast(values, pa.int64())
    except pa.ArrowInvalid:
        return values


@dataclass(frozen=True)
class _Held:
    """What columns of a kind hold, in words, for all and for one; their type, and what reads it from text."""

    words: str
    one: str
    type: Any
    parse: Callable[[Any, CellRules], Any]
    tests: tuple[Callable[[Any], bool], ...]
    """What tells from the type of a column that it is of this kind."""


_TEXTS = (types.is_string, types.is_large_string, types.is_string_view)
KINDS: dict[ColumnKind, _Held] = {
    "number": _Held(
        "numbers", "a number", pa.float64(), parse_numbers, (types.is_floating, types.is_decimal, types.is_duration)
    ),
    "whole": _Held("numbers", "a number", pa.int64(), _parse_whole_numbers, (types.is_integer,)),
    "boolean": _Held("booleans", "true or false", pa.bool_(), parse_booleans, (types.is_boolean,)),
    "date": _Held("dates", "a date", MOMENT, lambda text, _: parse_iso(text), (types.is_date, types.is_timestamp)),
    "time": _Held("times of day", "a time of day", pa.time64("us"), parse_times, (types.is_time,)),
    "text": _Held("text", "text", pa.string(), lambda text, rules: without_missing(text, rules.missing), _TEXTS),
}
_DAY = 86_400_000_000.0
"""Microseconds in a day."""


@dataclass(frozen=True)
class Batch:
    """Some rows of a table file, in order, with all their columns.

    Parameters
    ----------
    table : pyarrow.Table
        The rows; the cells of a CSV file are text.
    first : int
        The number of the first of these rows; the first row of a file is 1.
    name : str
        The name of the file, for messages.
    rules : CellRules
        How text is read.
    unreadable : Counter, optional
        Where cells that are not of the kind that a model learned are counted, by column; they are then missing values.
        If there is none, such a cell is an error.
    left_out : LeftOut
        The rows among these, or right below them, that are no rows of the table.
    """

    table: Any
    first: int = 1
    name: str = "the table"
    rules: CellRules = field(default_factory=CellRules)
    unreadable: Counter[str] | None = None
    left_out: LeftOut = field(default_factory=LeftOut)


def kinds_of(table: Any) -> dict[str, ColumnKind]:
    """Return the kind of each column; columns of nested values and without any value are left out.

    Examples
    --------
    >>> kinds_of(pa.table({"age": [1, 2], "size": [0.5, None], "city": ["Bonn", "Ulm"], "gone": [None, None]}))
    {'age': 'whole', 'size': 'number', 'city': 'text'}
    """
    return {column.name: kind for column in table.schema if (kind := kind_of(column.type)) is not None}


def kind_of(kind: Any) -> ColumnKind | None:
    """Return the kind of a column of a type; None for nested values, bytes and columns without any value."""
    plain = kind.value_type if types.is_dictionary(kind) else kind
    return next((name for name, held in KINDS.items() if any(test(plain) for test in held.tests)), None)


# --- As a model learned them -----------------------------------------------------------------------


def as_kinds(
    batch: Batch,
    kinds: Mapping[str, ColumnKind],
    forms: Mapping[str, str] | None = None,
    zones: Mapping[str, str] | None = None,
) -> Any:
    """Return the columns that a model needs, in its order, as the kinds that it learned.

    Parameters
    ----------
    batch : Batch
        Some rows, as :meth:`TableFile.batches` yields them.
    kinds : mapping of str to {"number", "whole", "boolean", "text"}
        The columns, and the kind of each when the model was trained, as :func:`kinds_of` returns it. Where whole
        numbers were learned, a batch with a fraction gives numbers.
    forms : mapping of str to str, optional
        The columns whose numbers were written with a sign, a unit or thousands separators when the model was trained,
        and the sign or unit of each, "" for none; and the columns of dates, with their format. Plain numbers and ISO
        dates are read there too.
    zones : mapping of str to str, optional
        The columns of dates that had a time zone when the model was trained, and their zones.

    Returns
    -------
    pyarrow.Table
        The columns; missing values are null.

    Raises
    ------
    ValueError
        If a column is not there, or a cell is not of the kind that the model learned, and the batch does not count
        such cells; the message names the column, the row and the cell. Also if a column of dates has a time zone only
        now, or had one only in training.

    Examples
    --------
    >>> rows = Batch(pa.table({"age": ["31", "?"], "id": ["a", "b"]}), name="new.csv")
    >>> as_kinds(rows, {"age": "number"}).to_pydict()
    {'age': [31.0, None]}
    """
    there = set(batch.table.column_names)
    if absent := [name for name in kinds if name not in there]:
        named = f"column{'s' if len(absent) > 1 else ''} {listed_names(absent)}"
        raise ValueError(f"{batch.name} has no {named}: the model needs every column that it learned from.")
    found = {name: _as_kind(batch, name, kind, (forms or {}).get(name)) for name, kind in kinds.items()}
    for name, column in found.items():
        if batch.unreadable is not None and types.is_floating(column.type):
            found[name] = _without(column, pc.is_inf(column), name, batch.unreadable)
    dates = [name for name, kind in kinds.items() if kind == "date"]
    return pa.table(found | {name: _in_zone(batch, name, found[name], (zones or {}).get(name)) for name in dates})


def _in_zone(batch: Batch, name: str, column: Any, zone: str | None) -> Any:
    """Return a column of dates in a time zone, or without one; refuse dates that are not as they were in training."""
    now = getattr(column.type, "tz", None)
    if (now is None) != (zone is None) and column.null_count < len(column):
        raise ValueError(other_zone(f"{batch.name}: column {name!r}", zone, now))
    return pc.cast(column, pa.timestamp("us", zone), safe=False)


def _as_kind(batch: Batch, name: str, kind: ColumnKind, sign: str | None) -> Any:
    column = decoded(batch.table.column(name))
    if is_binary(column.type):
        raise ValueError(not_text(batch.name, name))
    if types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if types.is_null(column.type):
        return pa.chunked_array([pa.nulls(len(column), KINDS[kind].type)])
    found = kind_of(column.type)
    if found is not None and kind == "text":
        return text_of(column, batch.rules)
    if found == "text":
        return _from_text(batch, name, kind, pc.cast(column, pa.string()), sign)
    if found is None or (found != kind and {found, kind} & {"date", "time"}) or (found != kind == "boolean"):
        raise ValueError(
            f"{batch.name}: column {name!r} held {KINDS[kind].words} when the model was trained and is of type "
            f"{column.type} now: convert it."
        )
    return _from_typed(column, kind)


def text_of(column: Any, rules: CellRules) -> Any:
    """Return a column of any kind as text, for codes that look like numbers, such as postcodes; marks become null.

    A dictionary whose values have an order stays one.
    """
    text = without_missing(pc.cast(column, pa.string()), rules.missing)
    if not (getattr(column.type, "ordered", False) and column.num_chunks):
        return text
    names = without_missing(pc.cast(column.chunk(0).dictionary, pa.string()), rules.missing).drop_null().unique()
    codes = pc.index_in(text, value_set=names).chunks
    return pa.chunked_array([pa.DictionaryArray.from_arrays(each, names, ordered=True) for each in codes])


def with_text(table: Any, as_text: Iterable[str], marks: tuple[str, ...] | None) -> Any:
    """Return a table with bytes decoded, some columns converted to text, and text without outer spaces and the marks.

    Examples
    --------
    >>> with_text(pa.table({"code": [7, 8], "city": ["Ulm ", "-"]}), ["code"], ("-",)).to_pydict()
    {'code': ['7', '8'], 'city': ['Ulm', None]}
    """
    wanted, rules, columns = set(as_text), CellRules.of_types(marks), []
    for name, column in zip(table.column_names, map(decoded, table.columns), strict=True):
        kind = kind_of(column.type)
        trimmed = kind == "text" and (marks is not None or _has_outer_spaces(column))
        columns.append(text_of(column, rules) if trimmed or (kind and name in wanted) else column)
    return pa.table(columns, names=table.column_names)


def _has_outer_spaces(text: Any) -> bool:
    """Return whether a cell of a column of text, or of a dictionary of text, begins or ends with a space."""
    values = [chunk.dictionary if types.is_dictionary(text.type) else chunk for chunk in text.chunks]
    return any(pc.any(pc.not_equal(pc.utf8_trim_whitespace(some), some)).as_py() for some in values)


def _from_text(batch: Batch, name: str, kind: ColumnKind, column: Any, sign: str | None) -> Any:
    """Return text as a kind, in a form if the model learned one; cells that cannot be read are counted, or refused."""
    parse = KINDS[kind].parse
    if sign is not None:
        parse = partial(parse_in_form, sign=sign) if kind != "date" else lambda text, _: parse_dates(text, sign)
    if kind != "boolean" and {*batch.rules.missing} <= {*MISSING_MARKS}:  # those of the user may be numbers: -999
        try:  # most columns have no missing value to look for
            return parse(column, batch.rules)
        except ValueError:
            pass
    marks = batch.rules.missing if kind == "boolean" else (*batch.rules.missing, *DOUBTFUL_MARKS)
    present = without_missing(column, marks)
    try:
        return parse(present, batch.rules)
    except ValueError:
        odd = _unreadable(pc.unique(present.drop_null()), lambda *words: parse(pa.chunked_array(words), batch.rules))
    if batch.unreadable is None:
        cell = next(odd)
        row = batch.first + pc.index(present, cell).as_py()
        fault = f"{batch.name}: {shortened(cell, 40)!r} in column {name!r}, row {row}, is not {KINDS[kind].one}, "
        mark = ("correct it, give it as a mark of a missing value with ", Setting("Dialect.missing"))
        lenient = (", or take every such cell as missing with ", Setting("Dialect.lenient", True), ".")
        raise AdvisedError(fault, "which the model learned there: ", *mark, *lenient)
    are_odd = pc.is_in(present, value_set=pa.array(odd, pa.string()))
    return parse(_without(present, are_odd, name, batch.unreadable), batch.rules)


def _without(column: Any, odd: Any, name: str, times: Counter[str]) -> Any:
    """Return a column with null for its odd cells, which are counted by its name."""
    if number := pc.sum(odd).as_py():
        times[name] += number
        return pc.if_else(odd, pa.nulls(len(column), column.type), column)
    return column


def _unreadable(words: Any, parse: Callable[..., Any]) -> Iterator[str]:
    """Return the words that cannot be parsed, in order: alone, or together with the first that can be."""

    def fails(*words: Any) -> bool:
        try:
            parse(*words)
        except ValueError:
            return True
        return False

    def among(some: Any) -> Iterator[str]:
        if not fails(first, some):
            return
        if half := len(some) // 2:
            yield from chain(among(some[:half]), among(some[half:]))
        else:
            yield some[0].as_py()

    singles = (words[i : i + 1] for i in range(len(words)))
    first = next((word for word in singles if not fails(word)), words[:0])
    return among(words)


def _from_typed(column: Any, kind: ColumnKind) -> Any:
    """Return a column with a type as the given kind, dates as they are; NaN becomes null."""
    if kind in ("boolean", "date"):
        return column
    if kind == "time":
        return pc.cast(column, KINDS[kind].type, safe=False)
    if types.is_duration(column.type):
        column = pc.divide(pc.cast(pc.cast(column, pa.duration("us")), pa.int64()), pa.scalar(_DAY))
    is_whole = types.is_integer(column.type)
    values = column if is_whole else without_nan(pc.cast(column, pa.float64(), safe=False))
    try:
        return pc.cast(values, KINDS[kind].type, safe=kind == "whole")
    except pa.ArrowInvalid:
        return values


# --- Binary columns --------------------------------------------------------------------------------


def is_binary(kind: Any) -> bool:
    """Return whether a column of this type holds bytes.

    Examples
    --------
    >>> is_binary(pa.binary()), is_binary(pa.dictionary(pa.int32(), pa.binary())), is_binary(pa.string())
    (True, True, False)
    """
    plain = kind.value_type if types.is_dictionary(kind) else kind
    tests = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view)
    return any(test(plain) for test in tests)


def decoded(column: Any) -> Any:
    r"""Return a binary column as text, unless one of its cells is not text in UTF-8; other columns as they are.

    Examples
    --------
    >>> decoded(pa.chunked_array([[b"Ulm", None]])).to_pylist(), decoded(pa.chunked_array([[b"\xff"]])).to_pylist()
    (['Ulm', None], [b'\xff'])
    """
    kind, text = column.type, pa.string()
    try:
        text = pa.dictionary(kind.index_type, text) if types.is_dictionary(kind) else text
        return pc.cast(column, text) if is_binary(kind) else column
    except pa.ArrowInvalid:
        return column


def without_runs(column: Any) -> Any:
    """Return a column with a cell for each row, where Arrow may keep one for each run of equal cells.

    >>> without_runs(pc.run_end_encode(pa.array(["a", "a", "b"]))).to_pylist()
    ['a', 'a', 'b']
    """
    return pc.run_end_decode(column) if types.is_run_end_encoded(column.type) else column


def not_text(file: str, name: str) -> str:
    """Return the message of the error for a binary column that is not text."""
    return f"{file}: column {name!r} holds bytes that are not text in UTF-8: convert it, or leave it out."
