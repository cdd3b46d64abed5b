"""What the text of a cell means: a number, a boolean, a date, text, or a missing value.

The rules, for files that are read whole or in batches:

- spaces around a number, a boolean or a mark of a missing value are ignored; text is kept as it is;
- a column whose cells are all numbers is a column of numbers: whole numbers if 64 bits hold them all and none has a
  fraction, an exponent or a plus sign; ``inf`` is a number, ``nan`` among numbers is missing;
- a column with a number that begins with a needless zero, such as 007, is text: codes, not numbers;
- ``true`` and ``false``, also capitalised or in capitals, are booleans;
- ISO dates, times and both together are dates, and so is a column whose cells are all dates in one other format (see
  :mod:`atfnb.tables.date_cells`);
- a column whose cells are all numbers in one form, with thousands separators, a currency sign, a percent sign or a unit
  (2,701 · $3.50 · 72% · 12 kg) is a column of numbers; telephone numbers, ranges, versions and lists are not;
- everything else is text.

The type of a column does not depend on the order of its cells, so parts of a column can be read one by one
(:func:`merge_types`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import options
from atfnb.tables.date_cells import MOMENT, DateForm, date_form, looks_like_day, parse_iso, readable_form

MISSING_MARKS = (
    "",
    "?",
    *("NA", "N/A", "n/a", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "NaN", "nan", "-NaN", "-nan"),
    *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""The marks of a missing value, unless the user gives others: those of pyarrow, and the question mark."""
LEADING_ZERO = r"^\s*[+-]?0[0-9]"
"""The pattern of a number with a needless zero, such as 007."""
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_DATE_LIKE = r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME_LIKE = r"^\s*[0-9]{2}:[0-9]{2}"
_EXACT = 2.0**53


@dataclass(frozen=True)
class CellRules:
    """How the cells of a file are read: the marks of a missing value, the decimal sign, the user's date formats."""

    missing: tuple[str, ...] = MISSING_MARKS
    decimal: str = "."
    date_formats: tuple[str, ...] = ()

    @classmethod
    def of(cls, missing: tuple[str, ...] | None, decimal: str = ".", date_formats: tuple[str, ...] = ()) -> CellRules:
        """Return the rules with the user's marks, or the usual ones; an empty cell is always missing."""
        marks = MISSING_MARKS if missing is None else ("", *(mark.strip() for mark in missing))
        return cls(marks, decimal, date_formats)

    @cached_property
    def marks_look_like_numbers(self) -> bool:
        """Whether a mark of a missing value could be read as a number, such as −999."""
        return any(_is_number(mark.replace(self.decimal, ".")) for mark in set(self.missing) - set(MISSING_MARKS))


def without_missing(text: Any, rules: CellRules) -> Any:
    """Return a column of text with null for each mark of a missing value."""
    marked = pc.is_in(pc.utf8_trim_whitespace(text), value_set=pa.array(rules.missing, pa.string()))
    if not pc.any(marked).as_py():
        return text
    return pc.if_else(marked, pa.nulls(len(text), text.type), text)  # pyarrow < 24 errs on a slice beside a null scalar


# --- Whole columns ---------------------------------------------------------------------------------


def parse(text: Any, rules: CellRules) -> tuple[Any, Form | DateForm | None]:
    """Return a column of text as numbers, booleans, dates or text, and the form of its numbers or dates, if any.

    A column of dates that cannot be read is returned as text, with a form that says why.

    Examples
    --------
    >>> column, form = parse(pa.chunked_array([["$3.50", "?", "$1,200"]]), CellRules())
    >>> column.to_pylist(), form
    ([3.5, None, 1200.0], Form(sign='$', thousands=','))
    """
    if looks_like_day(text.slice(0, 1)):  # days are often repeated: each different one is read once
        coded = text.combine_chunks().dictionary_encode()
        column, form = _parse(pa.chunked_array([coded.dictionary]), rules)
        return column.take(coded.indices), form
    return _parse(text, rules)


def _parse(text: Any, rules: CellRules) -> tuple[Any, Form | DateForm | None]:
    """Return a column of text with its type, and the form of its numbers or dates; every cell is looked at."""
    if rules.missing == MISSING_MARKS and _column_of_dates(text.slice(0, 1), rules) is None:
        form, dates = readable_form(text, rules.date_formats, marks=rules.missing)
        if dates is not None:
            return dates, form
    column = parse_plain(text, rules)
    digits = bool(rules.date_formats) and pa.types.is_integer(column.type)  # a format may be %Y%m%d
    if not (digits or pa.types.is_string(column.type)):
        return column, None
    present = column if pa.types.is_string(column.type) else without_missing(text, rules)
    form, dates = date_form(present, rules.date_formats, column.type)
    if form is not None:
        return (column if dates is None else dates), form
    sign = _form_of(column, rules) if pa.types.is_string(column.type) else None
    return (column, None) if sign is None else (parse_in_form(column, rules, sign.sign), sign)


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
    present = without_missing(text, rules)
    if present.null_count == len(present):
        return pa.chunked_array([pa.nulls(len(text))])
    first = present.drop_null().slice(0, 1)  # what is not true of the first cell is not true of all
    attempts = (_column_of_numbers, _column_of_booleans, _column_of_dates)
    hopeful = (attempt for attempt in attempts if attempt(first, rules) is not None)
    return next((found for attempt in hopeful if (found := attempt(present, rules)) is not None), present)


def merge_types(one: Any, other: Any) -> Any:
    """Return the type or the form of a column from those that :func:`parse` finds in two parts of it.

    Examples
    --------
    >>> merge_types(pa.int64(), pa.float64()), merge_types(pa.bool_(), pa.int64())
    (DataType(double), DataType(string))
    >>> merge_types(Form("$"), Form("$", ",")), merge_types(Form("$"), pa.int64())
    (Form(sign='$', thousands=','), DataType(string))
    >>> merge_types(Form("", ","), pa.int64())
    Form(sign='', thousands=',')
    """
    if isinstance(one, DateForm) or isinstance(other, DateForm):
        return _merge_dates(*((one, other) if isinstance(one, DateForm) else (other, one)))
    forms = [each for each in (one, other) if isinstance(each, Form)]
    if len(forms) == 2:
        marks = "".join(sorted({*one.thousands, *other.thousands}))
        return Form(one.sign, marks) if one.sign == other.sign else pa.string()
    if not forms:
        return _merge_plain_types(one, other)
    rest = other if forms[0] is one else one
    plain = pa.types.is_integer(rest) or pa.types.is_floating(rest)
    return forms[0] if pa.types.is_null(rest) or (plain and not forms[0].sign) else pa.string()


def _merge_dates(dates: DateForm, other: Any) -> Any:
    """Return the type or the form of a column of which one part holds dates that are not ISO dates, or are none."""
    if isinstance(other, DateForm):
        return dates.merged(other)
    if isinstance(other, Form):
        return pa.string()
    if pa.types.is_null(other):
        return dates
    if pa.types.is_string(dates.plain) and dates.certain and other in (pa.date32(), MOMENT):
        return replace(dates, formats=(), odd=(dates.odd[0],))
    return merge_types(dates.plain, other)


def _merge_plain_types(one: Any, other: Any) -> Any:
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    wider = {frozenset((pa.int64(), pa.float64())): pa.float64(), frozenset((pa.date32(), MOMENT)): MOMENT}
    return wider.get(frozenset((one, other)), pa.string())


def _column_of_numbers(text: Any, rules: CellRules) -> Any:
    try:
        values = parse_numbers(text, rules)
    except pa.ArrowInvalid:
        return None
    if pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py():
        return None
    try:
        return pc.cast(pc.utf8_trim_whitespace(text), pa.int64())
    except pa.ArrowInvalid:
        return values


def _column_of_booleans(text: Any, rules: CellRules) -> Any:
    words = pc.utf8_trim_whitespace(text.drop_null())
    are_booleans = pc.all(pc.is_in(words, value_set=pa.array([*_TRUE, *_FALSE]))).as_py()
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


def parse_numbers(text: Any, rules: CellRules) -> Any:
    """Return text without marks of missing values as numbers.

    Raises
    ------
    ValueError
        If a cell is not a number.
    """
    plain = _with_points(text, rules)
    try:
        values = pc.cast(plain, pa.float64())
    except pa.ArrowInvalid:
        values = pc.cast(pc.utf8_trim_whitespace(plain), pa.float64())
    nan = pc.is_nan(values)
    return pc.if_else(nan, pa.scalar(None, pa.float64()), values) if pc.any(nan).as_py() else values


def parse_whole_numbers(text: Any, rules: CellRules) -> Any:
    """Return text without marks of missing values as whole numbers, or as numbers if some are not whole."""
    values = parse_numbers(text, rules)
    largest = pc.min_max(pc.abs(values))["max"].as_py()
    try:
        if largest is not None and largest >= _EXACT:
            written = pc.if_else(pc.is_valid(values), pc.utf8_trim_whitespace(text), pa.scalar(None, pa.string()))
            return pc.cast(written, pa.int64())
        return pc.cast(values, pa.int64())
    except pa.ArrowInvalid:
        return values


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


def _with_points(text: Any, rules: CellRules) -> Any:
    """Return text with decimal points instead of commas; a cell that had a point before is then no number."""
    if rules.decimal == ".":
        return text
    return pc.replace_substring(pc.replace_substring(text, ".", "_"), ",", ".")


def _is_number(text: str) -> bool:
    try:
        pc.cast(pa.scalar(text), pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


# --- Numbers as people write them ------------------------------------------------------------------

_CURRENCIES = r"[$€£¥₹₽₩₺₪₴₦₫₱฿¢]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL"
_UNITS = r"[%‰]|[A-Za-zµμ°Ω]+(?:[²³]|/[A-Za-zµμ°Ω]+[²³]?)?|[cdkm]?m[23]"
_LETTERS = {"m", "g", "s", "h", "l", "t", "d", "V", "W"}
"""The units of one letter that may follow a number without a space; 12a and 7B are names of houses and classes."""
_ORDINALS = {"st", "nd", "rd", "th"}


@dataclass(frozen=True)
class Form:
    """How the numbers of a column are written.

    Parameters
    ----------
    sign : str
        A currency sign, % or a unit before or after every number; "" if there is none.
    thousands : str
        The thousands separator in some of the numbers; "" if there is none.

    Examples
    --------
    >>> Form("$").described("fee")
    "'fee' is read as numbers without the sign $; --categorical fee keeps it as text."
    """

    sign: str = ""
    thousands: str = ""

    is_decided = True
    """Whether there is one way to read the column."""

    @property
    def recorded(self) -> str:
        """The sign or unit, as a model file records it."""
        return self.sign

    def refusal(self, file: str, column: str) -> None:
        """Return None: numbers in one form can be read."""

    def described(self, column: str) -> str:
        """Return a note on how the numbers of a column are read."""
        left_out = [f"the {'unit' if self.sign[0].isalpha() else 'sign'} {self.sign}"] if self.sign else []
        left_out += [f"the thousands separator {self.thousands}"] if self.thousands else []
        percent = f" (72{self.sign} is 72)" if self.sign in ("%", "‰") else ""
        return (
            f"{column!r} is read as numbers without {' and '.join(left_out)}{percent}; "
            f"{options('--categorical', [column])} keeps it as text."
        )


def parse_in_form(text: Any, rules: CellRules, sign: str) -> Any:
    """Return text without marks of missing values as numbers, plain or with this sign or thousands separators.

    Raises
    ------
    ValueError
        If a cell is not such a number.
    """
    trimmed = pc.utf8_trim_whitespace(text)
    patterns = {_pattern(sign, rules.decimal), _pattern("", rules.decimal)}
    in_form = pc.match_substring_regex(trimmed, "|".join(sorted(patterns)))
    strange = rf"[^0-9+{re.escape(rules.decimal)}-]"
    bare = pc.replace_substring_regex(pc.replace_substring(trimmed, sign, "") if sign else trimmed, strange, "")
    return parse_numbers(pc.if_else(in_form, bare, trimmed), rules)


def _form_of(text: Any, rules: CellRules) -> Form | None:
    """Return how the numbers of a column of text are written, or None if it is a column of text."""
    first = text.drop_null().slice(0, 1)
    sign = _sign_of(first[0].as_py().strip(), rules.decimal)
    if sign is None and not _are_plain(first, rules):
        return None
    sign = sign or ""
    trimmed = pc.utf8_trim_whitespace(text.drop_null())
    in_form = pc.match_substring_regex(trimmed, _pattern(sign, rules.decimal))
    others = trimmed.filter(pc.invert(in_form))
    if len(others) == len(trimmed) or (len(others) and (sign or not _are_plain(others, rules))):
        return None
    mark = "," if rules.decimal == "." else "."
    grouped = pc.any(pc.match_substring_regex(trimmed.filter(in_form), rf"[0-9]{re.escape(mark)}[0-9]{{3}}")).as_py()
    return Form(sign, mark if grouped else "")


def _are_plain(text: Any, rules: CellRules) -> bool:
    """Return whether all cells are numbers without any form, and none is a code such as 007."""
    try:
        parse_numbers(text, rules)
    except pa.ArrowInvalid:
        return False
    return not pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py()


def _sign_of(cell: str, decimal: str) -> str | None:
    """Return the sign or unit of a number, "" if it has none, or None if the cell is not a number in some form."""
    number = rf"[+-]?{_number(decimal)}"
    if found := re.fullmatch(rf"(?:[+-]?({_CURRENCIES})\s*)?{number}", cell):
        return found[1] or ""
    found = re.fullmatch(rf"{number}(\s*)({_CURRENCIES}|{_UNITS})", cell)
    if not found or found[2] in _ORDINALS:
        return None
    is_name = len(found[2]) == 1 and found[2].isalpha() and not found[1] and found[2] not in _LETTERS
    return None if is_name else found[2]


def _number(decimal: str) -> str:
    """Return the pattern of a number without an exponent or a needless zero, with thousands in groups of three."""
    mark, point = ("," if decimal == "." else r"\."), re.escape(decimal)
    return rf"(?:(?:0|[1-9][0-9]*|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+)(?:{point}[0-9]+)?|{point}[0-9]+)"


@lru_cache(maxsize=64)
def _pattern(sign: str, decimal: str) -> str:
    """Return the pattern of a number with this sign before or after it; for "", of a number with separators."""
    if not sign:
        mark, point = ("," if decimal == "." else r"\."), re.escape(decimal)
        return rf"^[+-]?[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+(?:{point}[0-9]+)?$"
    this, number = re.escape(sign), _number(decimal)
    behind = rf"[+-]?{number}\s*{this}"
    if not re.fullmatch(_CURRENCIES, sign):
        glued = r"\s+" if len(sign) == 1 and sign.isalpha() and sign not in _LETTERS else r"\s*"
        return rf"^[+-]?{number}{glued}{this}$"
    return rf"^(?:[+-]?{this}\s*[+-]?{number}|{behind})$"
