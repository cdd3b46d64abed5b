"""Dates as people write them: 2020-03-04, 4/3/2020, 4.3.2020, 4 Mar 2020, March 4, 2020 5:30 PM.

A column of text is a column of dates if all of its cells look like dates and one format reads them all. Where day and
month could be either way round in every cell, the column is undecided, and refused unless the user gives the format.
ISO dates never are. :class:`DateForm` keeps every format that reads a column, so that parts of a column can be read one
by one: the formats of the whole are those that all parts have in common.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, options
from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import BoolArray, IntArray
from atfnb.tables.dates import zone_name

MOMENT = pa.timestamp("us")
"""The type of a column of dates with times; dates alone are of type date32."""
_TEXT = pa.string()
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# --- Formats ---------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """What a part of a format takes from a cell: which bytes, how many of them, and what they mean."""

    taken: bytes
    least: int
    most: int
    meaning: str = ""


_DIGITS, _LETTERS, _SPACES = (text.encode() for text in (string.digits, string.ascii_letters, " \t\n\f\r"))
_VALUES = {byte: value for value, byte in enumerate(_DIGITS)} | dict.fromkeys(b"Pp", 1)
_ANY, _POINT, _NAME = 1 << 40, _Step(b".", 0, 1), _Step(_LETTERS, 3, 9, "month")
_DIRECTIVES = {
    "Y": [_Step(_DIGITS, 4, 4, "year")],
    "y": [_Step(_DIGITS, 2, 2, "year")],
    "m": [_Step(_DIGITS, 1, 2, "month")],
    "b": [_NAME, _POINT],
    "B": [_NAME, _POINT],
    "d": [_Step(_DIGITS, 1, 2, "day")],
    "H": [_Step(_DIGITS, 1, 2, "hour")],
    "I": [_Step(_DIGITS, 1, 2, "twelve")],
    "M": [_Step(_DIGITS, 2, 2, "minute")],
    "S": [_Step(_DIGITS, 2, 2, "second"), _POINT, _Step(_DIGITS, 1, 6, "fraction")],
    "p": [_Step(b"AaPp", 1, 1, "half"), _POINT, _Step(b"Mm", 1, 1), _POINT],
}
"""The directives of a format, as in Python's ``strptime``, and the steps of each."""
_MEANINGS = ("year", "month", "day", "hour", "twelve", "minute", "second", "fraction", "half")
_WORDS = {"Y": "year", "y": "year", "m": "month", "b": "month", "B": "month", "d": "day", "H": "hour", "I": "hour"}
_WORDS |= {"M": "minute", "S": "second", "p": "AM or PM"}
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
    lacking = [word for word in ("day", "month", "year") if word not in [_WORDS[letter] for letter in used]]
    if lacking:
        raise ValueError(f"the date format {form!r} lacks the {lacking[0]}: give one such as %d/%m/%Y.")
    if len({_WORDS[letter] for letter in used}) < len(used):
        raise ValueError(f"the date format {form!r} has something twice: give one such as %d/%m/%Y.")


@lru_cache(maxsize=256)
def _steps(form: str) -> tuple[NDArray[np.int8], IntArray, tuple[int, ...]]:
    """Return the steps of a format: (steps, 256) digits of bytes, (steps, 2) bounds, and where each meaning stands."""
    check_format(form)  # one from a model file may be anything
    steps = list[_Step]()
    for directive, spaces, other in re.findall(r"%(.)|(\s+)|(.)", form):
        if directive:
            steps += _DIRECTIVES[directive]
        else:
            steps += [_Step(_SPACES, 1, _ANY)] if spaces else [_Step(bytes([byte]), 1, 1) for byte in other.encode()]
    digits = np.full((len(steps), 256), -1, np.int8)
    for row, step in zip(digits, steps, strict=True):
        row[list(step.taken)] = [_VALUES.get(byte, 0) for byte in step.taken]
    meanings = [step.meaning for step in steps]
    places = tuple(meanings.index(each) if each in meanings else len(steps) for each in _MEANINGS)
    return digits, np.array([(step.least, step.most) for step in steps], np.int64), places


@cache
def _months() -> IntArray:
    """Return the first day of each month from the year 0 to the year 10000, in days since 1970."""
    months = np.arange("0000-01", "10000-02", dtype="datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64)


def in_words(form: str) -> str:
    """Return a format as a person would describe it.

    >>> in_words("%d/%m/%Y %H:%M")
    'day/month/year hour:minute'
    """
    return re.sub(r"%(.)", lambda found: _WORDS[found[1]], form)


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
    "'when' is read as dates written as day/month/year; --categorical when keeps it as text."
    """

    formats: tuple[str, ...]
    odd: tuple[str, ...] = field(default=(), compare=False)
    given: tuple[str, ...] = ()
    certain: bool = True
    plain: Any = _TEXT

    @property
    def recorded(self) -> str:
        """The format that the column is read by, as a model file records it."""
        return self.formats[0]

    @property
    def is_decided(self) -> bool:
        """Whether there is one format to read the column by."""
        return len(self.formats) == 1 or any(form in self.given for form in self.formats)

    def described(self, column: str) -> str:
        """Return a note on how the dates of a column are read."""
        written = f"written as {in_words(self.recorded)}"
        return f"{column!r} is read as dates {written}; {options('--categorical', [column])} keeps it as text."

    def refusal(self, file: str, column: str) -> AdvisedError | None:
        """Return the error for a column of dates that cannot be read, or None if it can."""
        if self.is_decided:
            return None
        as_text = options("--categorical", [column])
        if self.formats:
            example, orders = self.odd[0], " or ".join(in_words(form) for form in self.formats[:2])
            return AdvisedError(
                f"{file}: the dates of column {column!r}, such as {example!r}, can be read as {orders}",
                "give the format in Dialect(date_formats=…), or take the column as text",
                f"say which with --date-format '{self.formats[0]}' or --date-format '{self.formats[1]}', or take the "
                f"column as text with {as_text}",
            )
        cells = " and ".join(map(repr, self.odd[:2]))
        fault = f"{file}: column {column!r} holds dates, and no date format reads {cells}"
        if len(self.odd) > 1:
            fault = f"{file}: column {column!r} holds dates in different formats, such as {cells}"
        them = "them" if len(self.odd) > 1 else "it"
        return AdvisedError(
            fault,
            f"correct {them}, or take the column as text",
            f"correct {them}, name what means a missing value with --missing-mark, or take the column as text with "
            f"{as_text}",
        )

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
    """Return how the dates of a column of text without marks of missing values are written, and the dates.

    Parameters
    ----------
    text : pyarrow.ChunkedArray
        The cells; null where a value is missing.
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
    kind = _likeness(_first(text))
    if kind is None and not given:
        return None, None
    form, dates = readable_form(text, given, plain)
    if form is None:  # perhaps because of spaces
        text = pc.utf8_trim_whitespace(text)
        form, dates = readable_form(text, given, plain)
    if form is not None or kind != _CERTAIN or not all(_all_match(cells, _CERTAIN) for cells in text.chunks):
        return form, dates
    return DateForm((), _contradicting(pc.unique(text.drop_null())), given, True, plain), None


def readable_form(
    text: Any, given: tuple[str, ...] = (), plain: Any = None, marks: tuple[str, ...] = ()
) -> tuple[DateForm | None, Any]:
    """Return how the dates of a column of text are written, and the dates; (None, None) if no format reads all cells.

    Parameters
    ----------
    text : pyarrow.ChunkedArray
        The cells, without spaces around them; null where a value is missing.
    given : tuple of str
        The formats that the user gave.
    plain : pyarrow.DataType, optional
        What the column would be if it held no dates. Without it, only cells that look like dates are read.
    marks : tuple of str
        What means a missing value and cannot be a date. Only cells that are not read are compared with them, which is
        faster than to replace them in all cells before.

    Examples
    --------
    >>> readable_form(pa.chunked_array([["13/4/2020", "NA"]]), marks=("NA", "?"))[1].to_pylist()
    [datetime.date(2020, 4, 13), None]
    """
    first = _first(text)
    kind = _likeness(first)
    formats = dict.fromkeys((*given, *_FORMATS) if kind else given if plain is not None else ())
    known = [form for form in formats if _moments(first, form).null_count < len(first)]
    read = {form: dates for form in known if (dates := _read(text, form, marks)) is not None}
    if not read:
        return None, None
    form = DateForm(tuple(read), (str(first[0]),), given, kind != _LIKELY, _TEXT if plain is None else plain)
    return form, read[form.recorded] if form.is_decided else None


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
    read = {form: _moments(cells, form).is_valid().to_numpy(zero_copy_only=False) for form in _FORMATS}
    iso = pc.match_substring_regex(cells, rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_TIME}$").to_numpy(zero_copy_only=False)
    best = max(read, key=lambda form: int(read[form].sum()))
    return ("as year-month-day", iso) if iso.sum() >= read[best].sum() else (f"as {in_words(best)}", read[best])


def looks_like_day(cells: Any) -> bool:
    """Return whether all cells that are not null, of which there is one at least, look like dates without a time.

    >>> looks_like_day(pa.array(["13/4/2020"])), looks_like_day(pa.array(["13/4/2020 10:30"]))
    (True, False)
    """
    cells = cells.drop_null()
    with_time = len(cells) == 0 or pc.any(pc.match_substring(cells, ":")).as_py()
    return not with_time and any(_all_match(cells, like) for like in (_CERTAIN, _LIKELY))


def _first(text: Any) -> Any:
    """Return an array with the first cell of a column that is not null, if there is one."""
    return text.drop_null().slice(0, 1).combine_chunks()


def _likeness(first: Any) -> str | None:
    """Return the pattern of dates that a cell matches, or None."""
    return next((like for like in (_CERTAIN, _LIKELY) if len(first) and _all_match(first, like)), None)


def _all_match(cells: Any, pattern: str) -> bool:
    matches = pc.match_substring_regex(pc.utf8_trim_whitespace(cells), pattern)
    return bool(pc.all(matches, min_count=0).as_py())


def _contradicting(cells: Any) -> tuple[str, ...]:
    """Return the cell that no format reads, or two cells that no one format reads: one may lack a time zone."""
    zoned = pc.match_substring_regex(cells, _ZONED).to_numpy(zero_copy_only=False)
    if zoned.any() and not zoned.all():
        return (str(cells[int(np.argmax(zoned))]), str(cells[int(np.argmin(zoned))]))
    readable = {form: _moments(cells, form).is_valid().to_numpy(zero_copy_only=False) for form in _FORMATS}
    by_any = np.logical_or.reduce(list(readable.values()))
    if not by_any.all():
        return (str(cells[int(np.argmin(by_any))]),)
    best = max(readable.values(), key=np.sum)
    return (str(cells[int(np.argmax(best))]), str(cells[int(np.argmin(best))]))


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
    dates = _read(text, form)
    if dates is None:  # perhaps because of spaces
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
    for kind in (pa.date32(), MOMENT):
        try:
            return pc.cast(text, kind)
        except pa.ArrowInvalid:  # perhaps because of spaces, or of the other kind
            continue
    trimmed = pc.utf8_trim_whitespace(text)
    if not pc.any(pc.match_substring_regex(trimmed, _ZONED)).as_py():
        return pc.cast(trimmed, MOMENT)
    in_utc = pc.cast(trimmed, pa.timestamp("us", "UTC"))
    offsets = pc.unique(pc.replace_substring_regex(trimmed.drop_null(), "^.*(Z|[+-][0-9]{2}:?[0-9]{2})$", r"\1"))
    zones = {zone_name(offset) for offset in offsets.to_pylist()}
    return pc.cast(in_utc, pa.timestamp("us", *zones if len(zones) == 1 else ["UTC"]))


def _read(text: Any, form: str, marks: tuple[str, ...] = ()) -> Any:
    """Return a column of text as dates, or None if the format does not read a cell that is not a mark."""
    read = []
    chunks = on_all_cores(partial(_moments, form=form), text.chunks, worth=len(text) > BLOCK)
    for cells, moments in zip(text.chunks, chunks, strict=True):
        if moments.null_count > cells.null_count and not (marks and _are_marks(cells.filter(moments.is_null()), marks)):
            return None
        read.append(moments)
    dates = pa.chunked_array(read, MOMENT)
    return dates if re.search("%[HIMS]", form) else dates.cast(pa.date32())


def _are_marks(cells: Any, marks: tuple[str, ...]) -> bool:
    return bool(pc.all(pc.is_in(pc.utf8_trim_whitespace(cells.drop_null()), value_set=pa.array(marks, _TEXT))).as_py())


def _moments(cells: Any, form: str) -> Any:
    """Return an array of text as moments; null where the format does not read a cell, or it is no possible date."""
    from atfnb._kernels.tables import read_dates

    moments = np.empty(len(cells), "datetime64[us]")
    if len(cells):
        long = cells.cast(pa.large_string())
        _, offsets, text = long.buffers()
        positions = _read_only(offsets, np.int64)[long.offset : long.offset + len(cells) + 1]
        read_dates(_read_only(text or b"", np.uint8), positions, *_steps(form), _months(), moments.view(np.int64))
    if cells.null_count:
        moments[cells.is_null().to_numpy(zero_copy_only=False)] = "NaT"
    return pa.array(moments, MOMENT)


def _read_only(buffer: Any, kind: Any) -> NDArray[Any]:
    """Return a buffer as an array; some buffers could be written to, and the loop would be compiled twice for them."""
    array = np.frombuffer(buffer, kind)
    array.flags.writeable = False
    return array
