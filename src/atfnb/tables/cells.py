"""What the text of a cell means: a number, a boolean, a date, text, or a missing value.

The rules, for files that are read whole or in batches:

- spaces around a cell do not count, no-break ones included;
- a column whose cells are all numbers is a column of numbers: whole numbers if 64 bits hold them all and none has a
  fraction, an exponent or a plus sign; ``inf`` is a number, ``nan`` among numbers is missing;
- a column with a number that begins with a needless zero, such as 007, is text: codes, not numbers;
- ``true`` and ``false``, also capitalised or in capitals, are booleans;
- ISO dates, times and both together are dates, and so is a column whose cells are all dates in one other format (see
  :mod:`atfnb.tables.date_cells`);
- a column whose cells are all numbers in one form, with thousands separators, a currency sign, a percent sign or a unit
  (2,701 · $3.50 · 72% · 12 kg) is a column of numbers (see :mod:`atfnb.tables.number_cells`); telephone numbers,
  ranges, versions and lists are not;
- words that may mean a missing value, such as - and unknown, do if all other cells are numbers or dates;
- everything else is text.

The type of a column does not depend on the order of its cells, so parts of a column can be read one by one
(:func:`merge_types`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from atfnb._errors import AdvisedError, Message, Setting, listed_names
from atfnb.tables.date_cells import MOMENT, DateForm, date_form, parse_iso
from atfnb.tables.number_cells import Form, form_of, parse_in_form, plain_numbers

MISSING_MARKS = (
    *("", "?", "NULL", "null", "<NA>", "NaT", "NaN", "nan", "-NaN", "-nan"),
    *("NA", "na", "N/A", "n/a", "N.A.", "n.a.", "#NA", "#N/A", "#N/A N/A"),
    *("#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#WERT!", "#NV", "#BEZUG!", "#ZAHL!", "#VALEUR!"),
    *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""The marks of a missing value in every column."""
_WORDS = (
    *("none", "nil", "unknown", "unk", "missing", "undefined", "unspecified", "not available", "not applicable"),
    *("not known", "not specified", "not stated", "not recorded", "no data", "no value"),
    *("blank", "empty", "tbd", "tba"),
)
DOUBTFUL_MARKS = (
    *("-", "--", "---", "–", "—", ".", "..", "...", "…", "*"),
    *(each for word in _WORDS for each in (word, word.capitalize(), word.upper(), word.title())),
)
"""What marks a missing value among numbers or dates, and may be a value in a column of text."""
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_DATE_LIKE = r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME_LIKE = r"^\s*[0-9]{2}:[0-9]{2}"


@dataclass(frozen=True)
class CellRules:
    """How the cells of a file are read: the marks of a missing value, the decimal sign, the user's date formats."""

    missing: tuple[str, ...] = MISSING_MARKS
    decimal: str = "."
    date_formats: tuple[str, ...] = ()

    @classmethod
    def of(cls, missing: tuple[str, ...] | None, decimal: str = ".", date_formats: tuple[str, ...] = ()) -> CellRules:
        """Return the rules with the known marks and the user's."""
        return cls((*MISSING_MARKS, *(mark.strip() for mark in missing or ())), decimal, date_formats)

    @classmethod
    def of_types(cls, missing: tuple[str, ...] | None) -> CellRules:
        """Return the rules for a file whose columns have types: text marks a missing value only if the user says so."""
        return cls(() if missing is None else ("", *(mark.strip() for mark in missing)))


def without_missing(text: Any, marks: tuple[str, ...]) -> Any:
    """Return a column of text without spaces around its cells, with null for each mark of a missing value."""
    trimmed = pc.utf8_trim_whitespace(text)
    marked = pc.is_in(trimmed, value_set=pa.array(marks, pa.string()))
    if not pc.any(marked).as_py():
        return trimmed
    return pc.if_else(marked, pa.nulls(len(text), text.type), trimmed)  # pyarrow < 24 errs on a slice beside a scalar


# --- Whole columns ---------------------------------------------------------------------------------


def parse(text: Any, rules: CellRules) -> tuple[Any, ColumnForm | None]:
    """Return a column of text as numbers, booleans, dates or text, and the form of its numbers or dates, if any.

    A column of dates that cannot be read is returned as text, with a form that says why; and so is a column of which
    only the cells in other parts of a table can tell whether it holds numbers (see :func:`settled`).

    Examples
    --------
    >>> column, form = parse(pa.chunked_array([["$3.50", "?", "$1,200"]]), CellRules())
    >>> column.to_pylist(), form.sign, form.thousands
    ([3.5, None, 1200.0], '$', ',')
    """
    column, form = _parse_all(text, rules)
    if form is not None or not types.is_string(column.type) or not _may_be_marked(column, rules):
        return column, form
    present = without_missing(column, DOUBTFUL_MARKS)
    if present.null_count == column.null_count:
        return column, None
    words = pc.unique(column.filter(pc.and_(present.is_null(), column.is_valid()))).to_pylist()
    found, form = _parse_all(present, rules)
    kind = found.type if form is None else form
    if not _may_have_marks(kind):
        return column, None
    return (column if types.is_null(found.type) else found), Marked(kind, frozenset(words))


def _may_be_marked(text: Any, rules: CellRules) -> bool:
    """Return whether the first cell of a column of text may stand among numbers or dates."""
    first = text.drop_null().slice(0, 1)
    if first[0].as_py() in DOUBTFUL_MARKS:
        return True
    found, form = _parse_all(first, rules)
    return _may_have_marks(found.type if form is None else form)


def _parse_all(text: Any, rules: CellRules) -> tuple[Any, Form | DateForm | None]:
    """Return a column of text with its type, and the form of its numbers or dates; every cell is looked at."""
    column = parse_plain(text, rules)
    digits = bool(rules.date_formats) and types.is_integer(column.type)  # a format may be %Y%m%d
    if not (digits or types.is_string(column.type)):
        return column, None
    present = column if types.is_string(column.type) else without_missing(text, rules.missing)
    form, dates = date_form(present, rules.date_formats, column.type)
    if form is not None:
        return (column if dates is None else dates), form
    numbers = form_of(column, rules) if types.is_string(column.type) else None
    if numbers is None or numbers.only_bounds:
        return column, numbers
    return parse_in_form(column, rules, numbers.sign), numbers


@dataclass(frozen=True)
class Marked:
    """Numbers or dates beside words that mean a missing value there, such as - or unknown.

    Examples
    --------
    >>> Marked(pa.int64(), frozenset(["-"])).described("age")
    "'age': '-' is read as a missing value, as all other cells are numbers; as_text=['age'] keeps it as a value."
    """

    kind: Any
    """The type or the form of the other cells; null if there are none."""
    words: frozenset[str]
    """The words."""

    @property
    def type(self) -> Any:
        """The type of the column: that of the other cells."""
        return getattr(self.kind, "type", self.kind)

    @property
    def recorded(self) -> str | None:
        """The form of the other cells, as a model file records it; None if they have none."""
        return getattr(self.kind, "recorded", None)

    def refusal(self, file: str, column: str) -> AdvisedError | None:
        """Return the error for a column that cannot be read, or None if it can."""
        return None if isinstance(self.kind, pa.DataType) else self.kind.refusal(file, column)

    def described(self, column: str) -> str:
        """Return a note on how the cells of a column are read."""
        are, it = ("is read as a missing value", "it as a value")
        if len(self.words) > 1:
            are, it = ("are read as missing values", "them as values")
        form = "" if isinstance(self.kind, pa.DataType) else self.kind.described(column) + " "
        others = "dates" if types.is_temporal(self.type) else "numbers"
        marks = f"{column!r}: {listed_names(sorted(self.words))} {are}, as all other cells are {others}; "
        return Message(form, marks, Setting("as_text", [column]), f" keeps {it}.")


ColumnForm = Form | DateForm | Marked
"""How the cells of a column are written, if they are not plain numbers, ISO dates or text."""


def _may_have_marks(kind: Any) -> bool:
    """Return whether the words of ``DOUBTFUL_MARKS`` mean a missing value in a column of this type or form."""
    is_form = not isinstance(kind, pa.DataType)
    return is_form or _is_number(kind) or types.is_temporal(kind) or types.is_null(kind)


def _is_number(kind: Any) -> bool:
    return bool(types.is_integer(kind) or types.is_floating(kind))


def settled(form: ColumnForm | None) -> ColumnForm | None:
    """Return the form of a whole column, or None if it is text after all: only bounds, or only doubtful words."""
    return None if form is None or form.type in (pa.null(), pa.string()) else form


def parse_plain(text: Any, rules: CellRules) -> Any:
    """Return a column of text as numbers, booleans, dates or text; numbers with a sign or a unit are text.

    Examples
    --------
    >>> parse_plain(pa.chunked_array([["1", " 2", "?"]]), CellRules()).to_pylist()
    [1, 2, None]
    >>> parse_plain(pa.chunked_array([["007", "2"]]), CellRules()).to_pylist()
    ['007', '2']
    """
    if rules.missing == MISSING_MARKS and (dates := _column_of_dates(text, rules)) is not None:
        return dates  # no mark of a missing value is a date, so none need be looked for
    present = without_missing(text, rules.missing)
    if present.null_count == len(present):
        return pa.chunked_array([pa.nulls(len(text))])
    first = present.drop_null().slice(0, 1)  # what is not true of the first cell is not true of all
    attempts = (plain_numbers, _column_of_booleans, _column_of_dates)
    hopeful = (attempt for attempt in attempts if attempt(first, rules) is not None)
    return next((found for attempt in hopeful if (found := attempt(present, rules)) is not None), present)


def merge_types(one: Any, other: Any) -> Any:
    """Return the type or the form of a column from those that :func:`parse` finds in two parts of it.

    Examples
    --------
    >>> merge_types(pa.int64(), pa.float64()), merge_types(pa.bool_(), pa.int64())
    (DataType(double), DataType(string))
    >>> merge_types(Form("$"), Form("$", ",")) == Form("$", ","), merge_types(Form("$"), pa.int64())
    (True, DataType(string))
    >>> merge_types(Form("", ","), pa.int64()) == Form("", ",")
    True
    """
    if pa.null() in (one, other):
        return other if one == pa.null() else one
    if marked := [each for each in (one, other) if isinstance(each, Marked)]:
        both = merge_types(*(each.kind if isinstance(each, Marked) else each for each in (one, other)))
        words = frozenset().union(*(each.words for each in marked))
        return Marked(both, words) if _may_have_marks(both) else pa.string()
    form, rest = sorted(
        (one, other), key=lambda kind: isinstance(kind, Form) + 2 * isinstance(kind, DateForm), reverse=True
    )
    if isinstance(form, DateForm):
        return _merge_dates(form, rest)
    if not isinstance(form, Form):
        return _merge_plain_types(one, other)
    if isinstance(rest, Form):
        return form.merged(rest) or pa.string()
    return replace(form, only_bounds=False) if _is_number(rest) and not form.sign else pa.string()


def _merge_dates(dates: DateForm, other: Any) -> Any:
    """Return the type or the form of a column of which one part holds dates that are not ISO dates, or are none."""
    if isinstance(other, DateForm):
        return dates.merged(other)
    if isinstance(other, Form):
        return pa.string()
    if types.is_string(dates.plain) and dates.certain and (other == pa.date32() or types.is_timestamp(other)):
        return replace(dates, formats=(), odd=dates.odd[:1]) if dates.formats else dates
    return merge_types(dates.plain, other)


def _merge_plain_types(one: Any, other: Any) -> Any:
    if one == other:
        return one
    dates = [kind for kind in (one, other) if types.is_temporal(kind) and not types.is_time(kind)]
    zones = {getattr(kind, "tz", None) for kind in dates}
    if len(zones) == 2:
        return DateForm((), ("with a time zone", "without one")) if None in zones else pa.timestamp("us", "UTC")
    wider = {frozenset((pa.int64(), pa.float64())): pa.float64(), frozenset((pa.date32(), MOMENT)): MOMENT}
    return wider.get(frozenset((one, other)), pa.string())


def _column_of_booleans(text: Any, rules: CellRules) -> Any:
    are_booleans = pc.all(pc.is_in(text.drop_null(), value_set=pa.array([*_TRUE, *_FALSE]))).as_py()
    return parse_booleans(text, rules) if are_booleans else None


def _column_of_dates(text: Any, rules: CellRules) -> Any:
    first = text.slice(0, 1) if text.null_count == 0 else text.drop_null().slice(0, 1)
    for like, parser in ((_DATE_LIKE, parse_iso), (_TIME_LIKE, partial(parse_times, rules=rules))):
        if len(first) and pc.all(pc.match_substring_regex(first, like)).as_py():
            try:
                return parser(text)
            except ValueError:
                return None
    return None


# --- Columns of a known kind -----------------------------------------------------------------------


def parse_booleans(text: Any, _: CellRules) -> Any:
    """Return text without marks of missing values as booleans; 1 and 0 are booleans too."""
    words = pc.utf8_trim_whitespace(text)
    true = pc.is_in(words, value_set=pa.array([*_TRUE, "1"]))
    known = pc.or_(true, pc.is_in(words, value_set=pa.array([*_FALSE, "0"])))
    if not pc.all(pc.or_(known, pc.is_null(words))).as_py():
        raise ValueError("not a boolean")
    return pc.if_else(known, true, pa.scalar(None, pa.bool_()))


def parse_times(text: Any, rules: CellRules) -> Any:
    """Return text without marks of missing values as times of day.

    Raises
    ------
    ValueError
        If a cell is not a time of day, such as 10:30.
    """
    if not pc.all(pc.match_substring_regex(text, _TIME_LIKE)).as_py():  # 10 alone would be an hour to pyarrow
        raise ValueError("not a time of day")
    some_day = pc.binary_join_element_wise(pa.scalar("1970-01-01"), pc.utf8_trim_whitespace(text), " ")
    return pc.cast(pc.cast(some_day, MOMENT), pa.time64("us"))
