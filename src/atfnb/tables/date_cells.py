"""Dates as people write them: 2020-03-04, 4/3/2020, 4.3.2020, 4 Mar 2020, March 4, 2020 5:30 PM.

A column of text is a column of dates if all of its cells look like dates and one format reads them all. Where day and
month could be either way round in every cell, the column is undecided, and refused unless the user gives the format.
ISO dates never are. :class:`DateForm` keeps every format that reads a column, so that parts of a column can be read one
by one: the formats of the whole are those that all parts have in common.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import AdvisedError, Message, Setting
from atfnb._typing import BoolArray
from atfnb.tables.dates import zone_name

MOMENT = pa.timestamp("us")
"""The type of a column of dates with times; dates alone are of type date32."""
_TEXT = pa.string()
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# --- Formats ---------------------------------------------------------------------------------------

_DIRECTIVES = {
    "Y": ("year", "(?P<year>[0-9]{4})"),
    "y": ("year", "(?P<short_year>[0-9]{2})"),
    "m": ("month", "(?P<month>[0-9]{1,2})"),
    "b": ("month", r"(?P<month_name>[A-Za-z]{3,9})\.?"),
    "B": ("month", r"(?P<month_name>[A-Za-z]{3,9})\.?"),
    "d": ("day", "(?P<day>[0-9]{1,2})"),
    "H": ("hour", "(?P<hour>[0-9]{1,2})"),
    "I": ("hour", "(?P<hour_of_12>[0-9]{1,2})"),
    "M": ("minute", "(?P<minute>[0-9]{2})"),
    "S": ("second", r"(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,6}))?"),
    "p": ("AM or PM", r"(?P<half>[AaPp])\.?[Mm]\.?"),
}
"""The directives of a format, as in Python's ``strptime``: what each stands for, in words, and the pattern of it."""
_DATES = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y"),
    *("%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d-%b-%Y", "%d. %b %Y", "%b %d, %Y", "%b %d %Y", "%d %b %y", "%d-%b-%y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", "T%H:%M", "T%H:%M:%S")
_FORMATS = tuple(date + time for date, time in product(_DATES, _TIMES))
"""The formats that are looked for. With points, the day comes first: nobody writes 3.31.2020."""

_TIME = r"(?:[T ] ?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_ZONED = r":[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})$"
_MONTH = rf"(?i:{'|'.join(_MONTHS)})[a-z]*\.?"
_CERTAIN = (
    r"^(?:[0-9]{4}([-/.])[0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}"
    rf"|[0-9]{{1,2}}(?:[ -]|\. ){_MONTH}[ -][0-9]{{4}}|{_MONTH} [0-9]{{1,2}},? [0-9]{{4}}){_TIME}$"
)
"""What can only be meant as a date: it has a year of four digits."""
_LIKELY = rf"^(?:[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{2}}|[0-9]{{1,2}}[ -]{_MONTH}[ -][0-9]{{2}}){_TIME}$"
"""What may be a date with a year of two digits, or a code."""


def check_format(form: str) -> None:
    """Raise a ValueError if a format does not say where day, month and year stand.

    >>> check_format("%d/%m")
    Traceback (most recent call last):
        ...
    ValueError: the date format '%d/%m' lacks the year: give one such as %d/%m/%Y.
    """
    used = re.findall(r"%(.)", form)
    unknown = [letter for letter in used if letter not in _DIRECTIVES]
    if unknown:
        known = ", ".join(f"%{letter}" for letter in _DIRECTIVES)
        raise ValueError(f"the date format {form!r} has %{unknown[0]}, which is not known: use {known}.")
    words = [_DIRECTIVES[letter][0] for letter in used]
    lacking = [word for word in ("day", "month", "year") if word not in words]
    if lacking:
        raise ValueError(f"the date format {form!r} lacks the {lacking[0]}: give one such as %d/%m/%Y.")
    if len(set(words)) < len(words):
        raise ValueError(f"the date format {form!r} has something twice: give one such as %d/%m/%Y.")


@lru_cache(maxsize=256)
def _pattern(form: str) -> str:
    """Return the regular expression of a format, or of a part of one, with a named group for each number and name."""
    tokens = re.findall(r"%(.)|(\s+)|(.)", form)
    patterns = (
        _DIRECTIVES[letter][1] if letter else r"[ \t\n\f\r]+" if space else re.escape(other)
        for letter, space, other in tokens
    )
    return f"^{''.join(patterns)}$"


def in_words(form: str) -> str:
    """Return a format as a person would describe it.

    >>> in_words("%d/%m/%Y %H:%M")
    'day/month/year hour:minute'
    """
    return re.sub(r"%(.)", lambda found: _DIRECTIVES[found[1]][0], form)


# --- A column --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DateForm:
    """How the dates of a column of text are written.

    Parameters
    ----------
    formats : tuple of str
        The formats that read every cell; those that the user gave come first. None of them if the cells contradict
        each other, or one is no possible date.
    odd : tuple of str
        Cells that show why there is no format, or an example.
    given : tuple of str
        The formats that the user gave, which take precedence.
    certain : bool
        Whether the cells have years of four digits, and so cannot be anything but dates.
    plain : pyarrow.DataType
        What the column would be if it held no dates: text, or numbers such as 20200304.

    Examples
    --------
    >>> DateForm(("%d/%m/%Y",)).described("when")
    "'when' is read as dates written as day/month/year; as_text=['when'] keeps it as text."
    """

    formats: tuple[str, ...]
    odd: tuple[str, ...] = field(default=(), compare=False)
    given: tuple[str, ...] = ()
    certain: bool = True
    plain: Any = _TEXT

    type = MOMENT
    """The type of the column, once its dates are read."""

    @property
    def recorded(self) -> str | None:
        """The format that the column is read by, as a model file records it; None if it is undecided."""
        return self.formats[0] if self.is_decided else None

    @property
    def is_decided(self) -> bool:
        """Whether there is one format to read the column by."""
        return len(self.formats) == 1 or any(form in self.given for form in self.formats)

    def described(self, column: str) -> str:
        """Return a note on how the dates of a column are read."""
        written = f"written as {in_words(self.formats[0])}"
        return Message(f"{column!r} is read as dates {written}; ", Setting("as_text", [column]), " keeps it as text.")

    def refusal(self, file: str, column: str) -> AdvisedError | None:
        """Return the error for a column of dates that cannot be read, or None if it can."""
        if self.is_decided:
            return None
        as_text = ("or take the column as text with ", Setting("as_text", [column]), ".")
        if self.formats:
            example, orders = self.odd[0], " or ".join(in_words(form) for form in self.formats[:2])
            fault = f"{file}: the dates of column {column!r}, such as {example!r}, can be read as {orders}: "
            one, other = (Setting("Dialect.date_formats", [form]) for form in self.formats[:2])
            return AdvisedError(fault, "say which with ", one, " or ", other, ", ", *as_text)
        cells = " and ".join(map(repr, self.odd[:2]))
        fault = f"{file}: column {column!r} holds dates, and no date format reads {cells}: correct it, "
        if len(self.odd) > 1:
            fault = f"{file}: column {column!r} holds dates in different formats, such as {cells}: correct them, "
        marks = ("name what means a missing value with ", Setting("Dialect.missing"), ", ")
        return AdvisedError(fault, *marks, *as_text)

    def merged(self, other: DateForm) -> Any:
        """Return the form of a column from those of two parts of it, or its type if it holds no dates."""
        if self.certain != other.certain or self.plain != other.plain:
            return _TEXT
        both = tuple(form for form in self.formats if form in other.formats)
        if not both and not (self.certain and pa.types.is_string(self.plain)):
            return self.plain
        odd = (*self.odd, *other.odd) if self.formats and other.formats else (self if other.formats else other).odd
        return DateForm(both, odd, self.given, self.certain, self.plain)


def date_form(text: Any, given: tuple[str, ...] = (), plain: Any = _TEXT) -> tuple[DateForm | None, Any]:
    """Return how the dates of a column of text are written, and the dates.

    Parameters
    ----------
    text : pyarrow.ChunkedArray
        The cells, without spaces around them; null where a value is missing. One at least is not.
    given : tuple of str
        The formats that the user gave.
    plain : pyarrow.DataType
        What the column would be if it held no dates; text by default.

    Returns
    -------
    form : DateForm or None
        None if the column does not hold dates.
    dates : pyarrow.ChunkedArray or None
        None if the column does not hold dates, or they cannot be read.

    Examples
    --------
    >>> date_form(pa.chunked_array([["3/4/2020", "13/4/2020"]]))[0].formats
    ('%d/%m/%Y',)
    >>> date_form(pa.chunked_array([["3/4/2020", "5/4/2020"]]))[0].formats
    ('%d/%m/%Y', '%m/%d/%Y')
    """
    first = str(text.drop_null()[0])
    certain, likely = (re.match(like, first) is not None for like in (_CERTAIN, _LIKELY))
    formats = dict.fromkeys((*given, *_FORMATS) if certain or likely else given)
    known = [form for form in formats if re.match(_pattern(form), first)]
    read = {form: dates for form in known if (dates := _read(text, form)) is not None}
    if read:
        form = DateForm(tuple(read), (first,), given, not likely, plain)
        return form, read[form.formats[0]] if form.is_decided else None
    if certain and pc.all(pc.match_substring_regex(text, _CERTAIN)).as_py():
        return DateForm((), _contradicting(pc.unique(text.drop_null())), given, True, plain), None
    return None, None


def like_dates(cells: Any) -> BoolArray:
    """Return which cells look like dates, in any format.

    >>> like_dates(pa.array(["2020-01-31", "31 Jan. 2020", "Jan 31, 20", "3/4/20", "unknown"])).tolist()
    [True, True, True, True, False]
    """
    pattern = "|".join((_CERTAIN, _LIKELY, rf"^{_MONTH} [0-9]{{1,2}},? [0-9]{{2}}{_TIME}$"))
    return np.asarray(pc.match_substring_regex(cells, pattern).to_numpy(zero_copy_only=False))


def formats_of(cells: Any) -> tuple[str, BoolArray]:
    """Return the format that reads most cells, in words, and which cells it reads.

    >>> formats_of(pa.array(["31.1.2020", "1.2.2020", "Jan 31, 20"]))
    ('as day.month.year', array([ True,  True, False]))
    """
    read = _readable(cells)
    iso = pc.match_substring_regex(cells, rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_TIME}$").to_numpy(zero_copy_only=False)
    best = max(read, key=lambda form: int(read[form].sum()), default=None)
    if best is None or iso.sum() >= read[best].sum():
        return "as year-month-day", iso
    return f"as {in_words(best)}", read[best]


def _readable(cells: Any) -> dict[str, BoolArray]:
    """Return which cells each format reads, for the formats in which one of them may be written."""
    shapes = pc.replace_substring_regex(cells, "[0-9]", "0")
    shapes = pc.unique(pc.replace_substring_regex(shapes, "[A-Za-z]{3,9}", "May")).to_pylist()
    formats = [form for form in _FORMATS if any(re.match(_pattern(form), shape) for shape in shapes)]
    return {form: _moments(cells, form).is_valid().to_numpy(zero_copy_only=False) for form in formats}


def _contradicting(cells: Any) -> tuple[str, ...]:
    """Return the cell that no format reads, or two cells that no one format reads: one may lack a time zone."""
    alike = pc.match_substring_regex(cells, _ZONED).to_numpy(zero_copy_only=False)
    if alike.all() or not alike.any():
        readable = [np.zeros(len(cells), dtype=bool), *_readable(cells).values()]
        if not (by_any := np.logical_or.reduce(readable)).all():
            return (str(cells[int(by_any.argmin())]),)
        alike = max(readable, key=np.sum)
    return tuple(str(cells[int(at)]) for at in (alike.argmax(), alike.argmin()))


def parse_dates(text: Any, form: str) -> Any:
    """Return text without marks of missing values as dates, read by a format or, failing that, as ISO dates.

    Raises
    ------
    ValueError
        If a cell is not a date in this format.

    Examples
    --------
    >>> parse_dates(pa.chunked_array([["31/1/2020", None]]), "%d/%m/%Y").to_pylist()
    [datetime.date(2020, 1, 31), None]
    """
    dates = _read(pc.utf8_trim_whitespace(text), form)
    return parse_iso(text) if dates is None else dates


def parse_iso(text: Any) -> Any:
    """Return ISO text without marks of missing values as dates, or as dates with times, in the zone of their offsets.

    If the offsets differ, the zone is UTC.

    Raises
    ------
    ValueError
        If a cell is not an ISO date, or only some cells have an offset.

    Examples
    --------
    >>> parse_iso(pa.chunked_array([["2024-07-01T08:00:00-04:00", None]])).type
    TimestampType(timestamp[us, tz=-04:00])
    """
    trimmed = pc.utf8_trim_whitespace(text)
    for kind in (pa.date32(), MOMENT):
        try:
            return pc.cast(trimmed, kind)
        except pa.ArrowInvalid:  # perhaps of the other kind
            continue
    in_utc = pc.cast(trimmed, pa.timestamp("us", "UTC"))
    offsets = pc.unique(pc.replace_substring_regex(trimmed.drop_null(), "^.*(Z|[+-][0-9]{2}:?[0-9]{2})$", r"\1"))
    zones = {zone_name(offset) for offset in offsets.to_pylist()}
    return pc.cast(in_utc, pa.timestamp("us", *zones if len(zones) == 1 else ["UTC"]))


# --- Cells -----------------------------------------------------------------------------------------

_FEW = 1000
"""The number of cells that a format is tried on before all others."""


def _read(text: Any, form: str) -> Any:
    """Return a column of text as dates, or None if the format does not read a cell."""
    if len(text) > _FEW and _read(text.slice(0, _FEW), form) is None:  # most formats fail early
        return None
    moments = _moments(text.combine_chunks(), form)
    if moments.null_count > text.null_count:
        return None
    return pa.chunked_array([moments if re.search("%[HIMS]", form) else moments.cast(pa.date32())])


def _moments(cells: Any, form: str) -> Any:
    """Return an array of text as moments; null where the format does not read a cell, or it is no possible date."""
    check_format(form)  # one from a model file may be anything
    left, _, right = form.partition(":")
    halves = "%I" in form and "%p" in form
    if not right or re.search("%[YymbBd]", right):
        return _microseconds(cells, form, halves=halves).cast(MOMENT)
    # a day with an hour, and minutes with seconds, are often repeated; with one more colon, no cell lacks one
    parts = pc.split_pattern(pc.binary_join_element_wise(cells, ":", ""), ":", max_splits=1)
    read = (_microseconds(pc.list_element(parts, i), part, halves=halves) for i, part in enumerate((left, f"{right}:")))
    return pc.add(*read).cast(MOMENT)


def _microseconds(text: Any, form: str, *, halves: bool) -> Any:
    """Return the microseconds since 1970 that cells say in a format, or in a part of one; null where it reads nothing.

    Each different cell is read once. ``halves`` says whether AM and PM count.
    """
    coded = text.dictionary_encode()
    found = pc.extract_regex(coded.dictionary, _pattern(form))
    said = {
        group.name: _GROUPS.get(group.name, _as_whole)(part).to_numpy(zero_copy_only=False)
        for group, part in zip(found.type, found.flatten(), strict=True)
    }
    possible, total = found.is_valid().to_numpy(zero_copy_only=False), np.zeros(len(found), dtype=np.int64)
    if "day" in said:
        year = said["year" if "year" in said else "short_year"]
        month = said["month" if "month" in said else "month_name"]
        first = (12 * (year - 1970) + month - 1).astype("M8[M]")
        days = first.astype("M8[D]") + (said["day"] - 1)
        possible &= (month >= 1) & (month <= 12) & (days.astype("M8[M]") == first)
        total += days.astype("M8[us]").astype(np.int64)
    if "hour_of_12" in said:
        possible &= (said["hour_of_12"] >= 1) & (said["hour_of_12"] <= 12)
        said["hour"] = said["hour_of_12"] % 12 if halves else said["hour_of_12"]
    if halves and "half" in said:
        total += 12 * _CLOCK["hour"] * said["half"]
    for name in said.keys() & _CLOCK.keys():
        possible &= said[name] < (24 if name == "hour" else 60)
        total += _CLOCK[name] * said[name]
    total += said.get("fraction", 0)
    return pc.take(pa.array(total, mask=~possible), coded.indices)


_CLOCK = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}
"""The parts of a time of day, and the microseconds of one."""


def _as_whole(digits: Any) -> Any:
    return pc.fill_null(pc.cast(digits, pa.int64()), 0)


def _as_year(digits: Any) -> Any:
    years = _as_whole(digits)
    return pc.add(years, pc.if_else(pc.greater_equal(years, 69), 1900, 2000))


def _as_month(names: Any) -> Any:
    letters = pc.utf8_lower(pc.utf8_slice_codeunits(names, 0, 3))
    return pc.add(pc.fill_null(pc.index_in(letters, pa.array(_MONTHS)), -1), pa.scalar(1, pa.int64()))


_GROUPS: dict[str, Callable[[Any], Any]] = {
    "short_year": _as_year,
    "month_name": _as_month,
    "fraction": lambda digits: _as_whole(pc.utf8_rpad(digits, 6, "0")),
    "half": lambda letters: pc.cast(pc.is_in(letters, pa.array(["P", "p"])), pa.int64()),
}
"""How the groups of a format become numbers, if they are not whole numbers as they stand."""
