"""What the text of a cell means: a number, a truth value, a date, text, or nothing.

The rules, which are the same for reading whole and in batches:

- spaces around a number, a truth value or a mark for a missing cell do not count; text is kept as it is;
- a column whose cells are all numbers is a column of numbers: whole ones if 64 bits hold them all and none has a
  fraction, an exponent or a plus sign; ``inf`` is a number, ``nan`` among numbers is missing;
- a column with a number that begins with a needless zero, as 007, is text: codes, not numbers;
- ``true`` and ``false``, also capitalised or in capitals, are truth values;
- ISO dates, times and both together are dates; everything else is text, unless it is numbers in one of the forms of
  :mod:`atfnb.tables.forms`.

What a column holds depends on no order, so that its parts may be looked at one by one (``type_of_both``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MISSING = (
    "",
    "?",
    *("NA", "N/A", "n/a", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "NaN", "nan", "-NaN", "-nan"),
    *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""What a missing cell holds, if the user does not say: pyarrow's list, and the question mark of the field."""

_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
LEADING_ZERO = r"^\s*[+-]?0[0-9]"
_DATE_LIKE = r"^\s*([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2})"
_EXACT = 2.0**53
_MOMENT = pa.timestamp("us")


@dataclass(frozen=True)
class Cells:
    """How the cells of a file are to be understood."""

    missing: tuple[str, ...] = MISSING
    decimal: str = "."

    @classmethod
    def of(cls, missing: tuple[str, ...] | None, decimal: str = ".") -> Cells:
        """With the user's marks, or the usual ones; an empty cell is missing in any case."""
        return cls(MISSING if missing is None else ("", *(mark.strip() for mark in missing)), decimal)

    @cached_property
    def marks_look_like_numbers(self) -> bool:
        """Whether a missing cell could be taken for a number, as −999."""
        return any(_is_number(mark.replace(self.decimal, ".")) for mark in set(self.missing) - set(MISSING))


def without_missing(text: Any, cells: Cells) -> Any:
    """A column of text with null for each mark of a missing cell."""
    gone = pc.is_in(pc.utf8_trim_whitespace(text), value_set=pa.array(cells.missing, pa.string()))
    return pc.if_else(gone, pa.scalar(None, pa.string()), text) if pc.any(gone).as_py() else text


def typed(text: Any, cells: Cells) -> Any:
    """A whole column of text as what it holds.

    Examples
    --------
    >>> typed(pa.chunked_array([["1", " 2", "?"]]), Cells()).to_pylist()
    [1, 2, None]
    >>> typed(pa.chunked_array([["007", "2"]]), Cells()).to_pylist()
    ['007', '2']
    """
    present = without_missing(text, cells)
    some = present.drop_null()
    if not len(some):
        return pa.chunked_array([pa.nulls(len(text))])
    attempts: tuple[Callable[[Any, Cells], Any], ...] = (_column_of_numbers, _column_of_truths, _column_of_dates)
    return next((found for attempt in attempts if (found := attempt(present, cells)) is not None), present)


def type_of_both(one: Any, other: Any) -> Any:
    """The type of a column, if that is what :func:`typed` makes of two parts of it.

    Examples
    --------
    >>> type_of_both(pa.int64(), pa.float64()), type_of_both(pa.bool_(), pa.int64())
    (DataType(double), DataType(string))
    """
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    wider = {frozenset((pa.int64(), pa.float64())): pa.float64(), frozenset((pa.date32(), _MOMENT)): _MOMENT}
    return wider.get(frozenset((one, other)), pa.string())


def numbers(text: Any, cells: Cells) -> Any:
    """Text without marks for missing cells as numbers.

    Raises
    ------
    ValueError
        If a cell is not a number.
    """
    plain = _with_points(text, cells)
    try:
        values = pc.cast(plain, pa.float64())
    except pa.ArrowInvalid:
        values = pc.cast(pc.utf8_trim_whitespace(plain), pa.float64())
    nan = pc.is_nan(values)
    return pc.if_else(nan, pa.scalar(None, pa.float64()), values) if pc.any(nan).as_py() else values


def whole_numbers(text: Any, cells: Cells) -> Any:
    """Text without marks for missing cells as whole numbers; as numbers, if some are not whole."""
    values = numbers(text, cells)
    extremes = pc.min_max(pc.abs(values))["max"].as_py()
    try:
        if extremes is not None and extremes >= _EXACT:
            written = pc.if_else(pc.is_valid(values), pc.utf8_trim_whitespace(text), pa.scalar(None, pa.string()))
            return pc.cast(written, pa.int64())
        return pc.cast(values, pa.int64())
    except pa.ArrowInvalid:
        return values


def truths(text: Any, _: Cells) -> Any:
    """Text without marks for missing cells as truth values; 1 and 0 are such, where they are asked for."""
    words = pc.utf8_trim_whitespace(text)
    true = pc.is_in(words, value_set=pa.array([*_TRUE, "1"]))
    known = pc.or_(true, pc.is_in(words, value_set=pa.array([*_FALSE, "0"])))
    if not pc.all(pc.or_(known, pc.is_null(words))).as_py():
        raise ValueError("not a truth value")
    return pc.if_else(known, true, pa.scalar(None, pa.bool_()))


def _column_of_numbers(text: Any, cells: Cells) -> Any:
    try:
        values = numbers(text, cells)
    except pa.ArrowInvalid:
        return None
    if pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py():
        return None
    try:
        return pc.cast(pc.utf8_trim_whitespace(text), pa.int64())
    except pa.ArrowInvalid:
        return values


def _column_of_truths(text: Any, cells: Cells) -> Any:
    words = pc.utf8_trim_whitespace(text.drop_null())
    is_truth = pc.all(pc.is_in(words, value_set=pa.array([*_TRUE, *_FALSE]))).as_py()
    return truths(text, cells) if is_truth else None


def _column_of_dates(text: Any, _: Cells) -> Any:
    first = text.drop_null().slice(0, 1)
    if not pc.all(pc.match_substring_regex(first, _DATE_LIKE)).as_py():
        return None
    trimmed = pc.utf8_trim_whitespace(text)
    if not pc.all(pc.match_substring_regex(trimmed, _DATE_LIKE)).as_py():
        return None
    for kind in (pa.date32(), _MOMENT, pa.timestamp("us", "UTC")):
        try:
            return pc.cast(trimmed, kind)
        except pa.ArrowInvalid:
            continue
    try:
        some_day = pc.binary_join_element_wise(pa.scalar("1970-01-01"), trimmed, " ")
        return pc.cast(pc.cast(some_day, pa.timestamp("us")), pa.time64("us"))
    except pa.ArrowInvalid:
        return None


def _with_points(text: Any, cells: Cells) -> Any:
    """Numbers with a decimal point; with decimal commas, a point stands for thousands, and is no number's."""
    if cells.decimal == ".":
        return text
    return pc.replace_substring(pc.replace_substring(text, ".", "_"), ",", ".")


def _is_number(text: str) -> bool:
    try:
        pc.cast(pa.scalar(text), pa.float64())
    except pa.ArrowInvalid:
        return False
    return True
