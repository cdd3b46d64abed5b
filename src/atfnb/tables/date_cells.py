"""Dates as people write them: 2020-03-04, 4/3/2020, 4.3.2020, 4 Mar 2020, March 4, 2020 5:30 PM.

A column of text is a column of dates if all of its cells look like dates and one format reads them all. Where day and
month could be either way round in every cell, the column is undecided, and refused unless the user gives the format.
ISO dates never are. :class:`DateForm` keeps every format that reads a column, so that parts of a column can be read one
by one: the formats of the whole are those that all parts have in common.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, options

MOMENT = pa.timestamp("us")
"""The type of a column of dates with times; dates alone are of type date32."""
_TEXT = pa.string()
_FEW = 100
"""The number of cells that a format must read before it is tried on the others."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# --- Formats ---------------------------------------------------------------------------------------

_DIRECTIVES = {
    "Y": r"(?P<year>[0-9]{4})",
    "y": r"(?P<short>[0-9]{2})",
    "m": r"(?P<month>[0-9]{1,2})",
    "b": r"(?P<name>[A-Za-z]{3,9})\.?",
    "B": r"(?P<name>[A-Za-z]{3,9})\.?",
    "d": r"(?P<day>[0-9]{1,2})",
    "H": r"(?P<hour>[0-9]{1,2})",
    "I": r"(?P<twelve>[0-9]{1,2})",
    "M": r"(?P<minute>[0-9]{2})",
    "S": r"(?P<second>[0-9]{2}(?:\.[0-9]{1,6})?)",
    "p": r"(?P<half>[AaPp])\.?[Mm]\.?",
}
"""The directives of a format, as in Python's ``strptime``, and the pattern of each."""
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
_NAME = rf"(?i:{'|'.join(_MONTHS)})[a-z]*\.?"
_CERTAIN = (
    r"^(?:[0-9]{4}([-/.])[0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}"
    rf"|[0-9]{{1,2}}(?:[ -]|\. ){_NAME}[ -][0-9]{{4}}|{_NAME} [0-9]{{1,2}},? [0-9]{{4}}){_TIME}$"
)
"""What can only be meant as a date: it has a year of four digits."""
_LIKELY = rf"^(?:[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{2}}|[0-9]{{1,2}}[ -]{_NAME}[ -][0-9]{{2}}){_TIME}$"
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
def _pattern(form: str) -> str:
    """Return the regular expression of a format, with a named group for each directive."""
    pieces = re.split(r"%(.)", form)
    plain = [re.sub(r"\\?\s+", r"\\s+", re.escape(piece)) for piece in pieces[::2]]
    groups = [_DIRECTIVES[letter] for letter in pieces[1::2]]
    return "^" + "".join(map("".join, zip(plain, [*groups, ""], strict=True))) + "$"


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


def date_form(text: Any, given: tuple[str, ...] = (), plain: Any = None) -> tuple[DateForm | None, Any]:
    """Return how the dates of a column of text without marks of missing values are written, and the dates.

    Parameters
    ----------
    text : pyarrow.ChunkedArray
        The cells; null where a value is missing.
    given : tuple of str
        The formats that the user gave.
    plain : pyarrow.DataType, optional
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
    first, plain = text.drop_null().slice(0, 1), _TEXT if plain is None else plain
    kind = next((like for like in (_CERTAIN, _LIKELY) if _all_match(first, like)), None)
    if kind is None and not given:
        return None, None
    coded = _coded(text)
    cells = coded.dictionary
    known = [form for form in dict.fromkeys((*given, *(_FORMATS if kind else ()))) if _all_match(first, _pattern(form))]
    for some in (cells[:_FEW], cells):  # most formats fail on a few cells
        moments = {form: _moments(some, form) for form in known}
        known = [form for form in known if moments[form][1].all()]
    if known:
        form = DateForm(tuple(known), (str(cells[0]),), given, kind != _LIKELY, plain)
        return form, _column(coded, moments[known[0]][0], known[0]) if form.is_decided else None
    if kind != _CERTAIN or not _all_match(cells, _CERTAIN):
        return None, None
    return DateForm((), _contradicting(cells), given, True, plain), None


def certain_dates(text: Any) -> Any:
    """Return which cells can only be meant as dates, as they have a year of four digits.

    >>> certain_dates(pa.chunked_array([["2020-01-31", "31 Jan. 2020", "unknown"]])).to_pylist()
    [True, True, False]
    """
    return pc.match_substring_regex(pc.utf8_trim_whitespace(text), _CERTAIN)


def looks_like_day(cells: Any) -> bool:
    """Return whether all cells that are not null, of which there is one at least, look like dates without a time.

    >>> looks_like_day(pa.array(["13/4/2020"])), looks_like_day(pa.array(["13/4/2020 10:30"]))
    (True, False)
    """
    cells = cells.drop_null()
    with_time = len(cells) == 0 or pc.any(pc.match_substring(cells, ":")).as_py()
    return not with_time and any(_all_match(cells, like) for like in (_CERTAIN, _LIKELY))


def _all_match(cells: Any, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(pc.utf8_trim_whitespace(cells), pattern)).as_py())


def _coded(text: Any) -> Any:
    """Return a column of text as a dictionary of its distinct cells, without spaces around them."""
    trimmed = pc.utf8_trim_whitespace(text)
    return (trimmed.combine_chunks() if isinstance(trimmed, pa.ChunkedArray) else trimmed).dictionary_encode()


def _column(coded: Any, moments: NDArray[Any], form: str) -> Any:
    """Return the dates of all cells, from those of the distinct ones."""
    distinct = pa.array(moments, MOMENT)
    if not re.search(r"%[HI]", form):
        distinct = distinct.cast(pa.date32())
    return pa.chunked_array([distinct.take(coded.indices)])


def _contradicting(cells: Any) -> tuple[str, ...]:
    """Return the cell that no format reads, or two cells that no one format reads."""
    readable = {form: _moments(cells, form)[1] for form in _FORMATS}
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
    coded = _coded(text)
    moments, readable = _moments(coded.dictionary, form)
    return _column(coded, moments, form) if readable.all() else parse_iso(text)


def parse_iso(text: Any) -> Any:
    """Return ISO text without marks of missing values as dates, or as dates with times, those with a zone in UTC.

    Raises
    ------
    ValueError
        If a cell is not an ISO date.
    """
    for kind in (pa.date32(), MOMENT):
        try:
            return pc.cast(text, kind)
        except pa.ArrowInvalid:  # perhaps because of spaces, or of the other kind
            continue
    trimmed = pc.utf8_trim_whitespace(text)
    zoned, nothing = pc.match_substring_regex(trimmed, _ZONED), pa.scalar(None, pa.string())
    without = pc.cast(pc.if_else(zoned, nothing, trimmed), MOMENT)
    in_utc = pc.cast(pc.if_else(zoned, trimmed, nothing), pa.timestamp("us", "UTC"))
    return pc.coalesce(pc.cast(in_utc, MOMENT), without)


def _moments(cells: Any, form: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return cells as moments, and which of them the format reads as possible dates; both (cells,).

    pyarrow is fast, but takes 31/4 for 1/5 and 20 for a year: what it may have read wrongly, or not at all, is matched.
    """
    quick = pc.strptime(cells, format=form, unit="us", error_is_null=True)
    safe = pc.and_(pc.greater_equal(pc.year(quick), 1000), pc.greater(pc.day(quick), 3))
    doubtful = ~pc.fill_null(safe, False).to_numpy(zero_copy_only=False)
    moments, readable = quick.fill_null(0).to_numpy(zero_copy_only=False).copy(), ~doubtful
    if doubtful.any():
        moments[doubtful], readable[doubtful] = _matched(cells.filter(pa.array(doubtful)), form)
    return moments, readable


def _matched(cells: Any, form: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return cells as moments, and which of them match the format and are possible dates; both (cells,)."""
    found = pc.extract_regex(cells, _pattern(form))
    names = [found.type.field(i).name for i in range(found.type.num_fields)]
    matches = pc.is_valid(found).to_numpy(zero_copy_only=False)
    text = {name: pc.fill_null(pc.struct_field(found, name), "") for name in names}
    group = {name: _numbers(cells, matches) for name, cells in text.items() if name not in ("name", "half")}
    year = group["year"] if "year" in group else (group["short"] - 69) % 100 + 1969  # 69 to 99 are of the last century
    month, day = group["month"] if "month" in group else _named_month(text["name"]), group["day"]
    hour = group.get("hour", np.zeros(len(cells)))
    if "twelve" in group:
        after_noon = pc.is_in(text["half"], value_set=pa.array(["P", "p"])).to_numpy(zero_copy_only=False)
        hour = group["twelve"] % 12 + 12 * after_noon if "half" in text else group["twelve"]
    minute, second = (group.get(name, np.zeros(len(cells))) for name in ("minute", "second"))
    first = (12 * (year - 1970) + month - 1).astype(np.int64).astype("datetime64[M]")
    days = first.astype("datetime64[D]") + (day - 1).astype(np.int64)
    possible = matches & (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("datetime64[M]") == first)
    possible &= (hour < 24) & (minute < 60) & (second < 60) & (group.get("twelve", hour) <= 23)
    if "twelve" in group:
        possible &= (group["twelve"] >= 1) & (group["twelve"] <= 12)
    clock = np.round(1e6 * (3600 * hour + 60 * minute + second)).astype(np.int64)
    return days.astype("datetime64[us]") + clock.astype("timedelta64[us]"), possible


def _numbers(digits: Any, matches: NDArray[Any]) -> NDArray[Any]:
    """Return the digits that a format found as numbers; 1 where it found none."""
    numbers = pc.cast(pc.if_else(pa.array(matches), digits, "1"), pa.float64())
    return np.asarray(numbers.to_numpy(zero_copy_only=False))


def _named_month(names: Any) -> NDArray[Any]:
    """Return the number of each month from its name; 0 if there is no such month."""
    short = pc.utf8_slice_codeunits(pc.utf8_lower(names), 0, 3)
    position = pc.fill_null(pc.index_in(short, value_set=pa.array(_MONTHS)), -1)
    return np.asarray(position.to_numpy(zero_copy_only=False)) + 1.0
