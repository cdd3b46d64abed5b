"""How the dialects of SQL differ: names, literals, numbers, errors, dates and look-ups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from atfnb.export.plan import HOUR

DialectName = Literal["sqlite", "duckdb", "postgres", "spark"]
LARGEST = 1.7976931348623157e308
"""The largest 64-bit float: what exceeds it is infinite, or not a number."""
DATE = "2024-02-29 18:00:00"
ZONED = f"the model learned dates with a time zone, as {DATE}+02:00, and this has none: "
UNZONED = f"the model learned dates without a time zone, as {DATE}, and this has one: "
WITH_OFFSET = "':[0-9]{2}[.0-9]*(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'"
"""A regular expression that text with a time zone matches."""
HOLDS = {
    "boolean": "BOOLEAN",
    "date": "TIMESTAMP or DATE, or text with ISO dates",
    "zoned": "TIMESTAMP WITH TIME ZONE, or text with offsets from UTC",
    "time": "TIME, or text such as 18:00:00",
}
"""What a column of some kinds must be, in words; "zoned" for dates with a time zone."""


# --- Literals ----------------------------------------------------------------------------------------


def _with_exponent(number: float) -> str:
    """Return a literal that DuckDB reads as a 64-bit float; without the exponent it would be a decimal number."""
    written = repr(number)
    return written if "e" in written else f"{written}e0"


def _sqlite_exact(number: float) -> str:
    """Return a number to the bit: SQLite reads literals of more than 15 digits with an error in the last bit.

    >>> _sqlite_exact(2.5), _sqlite_exact(1 / 3)
    ('2.5', '(6004799503160661.0 / 18014398509481984)')
    """
    written = repr(number)
    digits, _, power = written.lstrip("-").partition("e")
    if len(digits.replace(".", "").strip("0")) <= 15 and not power:
        return written
    fraction, exponent = math.frexp(number)
    text, exponent = f"{int(fraction * 2**53)}.0", exponent - 53
    while exponent:
        step = max(-62, min(exponent, 62))
        text, exponent = f"{text} {'*' if step > 0 else '/'} {2 ** abs(step)}", exponent - step
    return f"({text})"


def offset_of(zone: str) -> int | None:
    """Return how far the clocks of a zone are ahead of UTC, in microseconds, if they always are as far.

    >>> offset_of("-05:30"), offset_of("UTC"), offset_of("Europe/Berlin")
    (-19800000000, 0, None)
    """
    if zone == "UTC":
        return 0
    if zone[0] not in "+-":
        return None
    return int(zone[0] + "1") * (int(zone[1:3]) * HOUR + int(zone[4:6]) * HOUR // 60)


# --- What a dialect is -------------------------------------------------------------------------------


def _duckdb_has_zone(value: str) -> str:
    text = f"typeof({value}) = 'VARCHAR' AND regexp_matches(CAST({value} AS VARCHAR), {WITH_OFFSET})"
    return f"typeof({value}) = 'TIMESTAMP WITH TIME ZONE' OR {text}"


@dataclass(frozen=True)
class SqlDialect:
    """One dialect of SQL; the defaults are those of DuckDB, and what several others do too.

    Functions take and return the text of expressions, except where they say otherwise.
    """

    name: DialectName
    mark: str = '"'
    """The quotation mark of identifiers, doubled inside them."""
    quote: str = "'"
    """What a literal of text begins with; it ends with an apostrophe."""
    escapes: Mapping[str, str] = field(default_factory=lambda: {"'": "''"})
    """The characters that literals of text write otherwise."""
    number: Callable[[float], str] = _with_exponent
    """A float → its literal, a 64-bit float."""
    exact: Callable[[float], str] = _with_exponent
    """A float → an expression that is equal to it to the bit."""
    double: Callable[[str], str] = "CAST({} AS DOUBLE)".format
    """Any number or boolean → a 64-bit float."""
    plain: Callable[[str], str] = "({})".format
    """A number → a number to compare with categories."""
    truth: Callable[[str], str] = "CAST({} AS DOUBLE)".format
    """A boolean → 1 or 0, as a 64-bit float."""
    as_text: Callable[[str], str] = "CAST({} AS VARCHAR)".format
    """Text of any type → text that compares by its bytes."""
    is_nan: Callable[[str], str] = "isnan({})".format
    """A 64-bit float → whether it is not a number."""
    failing: Callable[[str, str], str] = "CAST(error({} || CAST({} AS VARCHAR)) AS INTEGER)".format
    """A literal and the expression at fault → an expression that fails with both as the message."""
    has_zone: Callable[[str], str] = _duckdb_has_zone
    """A date → whether it has a time zone."""
    lacks_zone: Callable[[str, str], str] = "{0} IS NOT NULL AND NOT ({1})".format
    """A date, and whether it has a time zone → whether it is known and cannot be one with a time zone."""
    moment: Callable[[str], str] = "epoch_us(CAST({} AS TIMESTAMP))".format
    """A date without a time zone → microseconds since 1970-01-01, a whole number."""
    in_utc: Callable[[str], str] = "epoch_us(CAST({} AS TIMESTAMPTZ))".format
    """A date with a time zone → microseconds since 1970-01-01 in UTC, a whole number."""
    in_zone: Callable[[str, str], str] | None = "epoch_us(timezone({1}, CAST({0} AS TIMESTAMPTZ)))".format
    """A date with a time zone, and the literal of the name of another → microseconds since 1970-01-01 by the clocks of
    that zone; None if names of zones are not known."""
    clock: Callable[[str], str] = "epoch_us(CAST({} AS TIME))".format
    """A time of day → microseconds since midnight, a whole number."""
    month: Callable[[str], str] = "month(DATE '1970-01-01' + CAST({} AS INTEGER))".format
    """Days since 1970-01-01, a whole number → the month, 1 to 12."""
    exp: Callable[[str], str] = "exp({})".format
    """A number that is never above 0 → its exponential."""
    divide: str = "//"
    """The operator that divides whole numbers."""
    highest: str = "greatest"
    """The function that returns the highest of its arguments."""
    item: Callable[[str, str], str] | None = "([{1}])[{0} + 1]".format
    """A position from 0 and the items of a list → the item; None where there are no lists."""
    fence: tuple[str, str] = ("", "")
    """What stands before and after the text of a step, so that it is computed once and not in every use of it."""
    types: tuple[str, str, str] = ("BIGINT", "DOUBLE", "VARCHAR")
    """The types of whole numbers, of 64-bit floats and of text."""
    widest: int = 10**6
    """How many columns a step may have."""
    folds_case: bool = True
    """Whether names that differ in the case of their letters only are the same."""
    stores_tables: bool = True
    """Whether look-up tables can be created anywhere; otherwise they are views of constants."""
    variable: str = ""
    """What a name must not contain, as it would be taken for the beginning of a variable."""
    holding: Mapping[str, str] = field(default_factory=dict)
    """What a column of some kinds must be, in words, where that differs from ``HOLDS``."""

    @property
    def holds(self) -> dict[str, str]:
        """What a column of each kind must be, in words."""
        whole, double, text = self.types
        numbers = {"number": f"{double}, or any other number", "whole": f"{whole}, or any other number"}
        return {**HOLDS, **numbers, "text": text, **self.holding}

    def identifier(self, name: str) -> str:
        """Return a name, quoted."""
        return f"{self.mark}{name.replace(self.mark, 2 * self.mark)}{self.mark}"

    def text(self, text: str) -> str:
        """Return a text as a literal."""
        return f"{self.quote}{''.join(self.escapes.get(each, each) for each in text)}'"

    def value(self, value: Any) -> str:
        """Return a class or a category as a literal."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool):
            return str(value).upper()
        return str(value) if isinstance(value, int) else self.exact(value)

    def error(self, message: str, value: str) -> str:
        """Return an expression that fails with a message, a plain string, and the value at fault."""
        return self.failing(self.text(message), value)

    def local_moment(self, value: str, zone: str | None) -> str:
        """Return the microseconds of a date since 1970-01-01, by the clocks of the zone in which dates were learned.

        It fails if only the date has a time zone, or only those that were learned have one.
        """
        zoned = self.has_zone(value)
        if zone is None:
            return f"CASE WHEN {zoned} THEN {self.error(UNZONED, value)} ELSE {self.moment(value)} END"
        ahead, fault = offset_of(zone), self.error(ZONED, value)
        if ahead is None and self.in_zone is not None:
            found = self.in_zone(value, self.text(zone))
        else:
            found = f"{self.in_utc(value)} + {ahead}"
        return f"CASE WHEN {self.lacks_zone(value, zoned)} THEN {fault} ELSE {found} END"

    def floor_divide(self, value: str, by: int) -> str:
        """Return a whole number divided by a positive one and rounded down."""
        return f"(({value} - {self.modulo(value, by)}) {self.divide} {by})"

    def modulo(self, value: str, by: int) -> str:
        """Return the remainder of a whole number, never negative."""
        return f"(({value} % {by} + {by}) % {by})"

    def look_up(self, code: str, items: Sequence[str]) -> str:
        """Return the item at the position that a whole number from 0 gives."""
        if self.item is not None:
            return self.item(code, ", ".join(items))
        return steps(code, [str(k) for k in range(1, len(items))], items)

    def max_of(self, items: Sequence[str]) -> str:
        """Return the highest of some numbers."""
        return halved(items, lambda few: f"{self.highest}({', '.join(few)})" if len(few) > 1 else few[0])


def steps(value: str, cuts: Sequence[str], leaves: Sequence[str]) -> str:
    """Return a step function of a value, as a balanced tree: the first leaf below the first cut, and so on.

    >>> steps("x", ["1", "5"], ["a", "b", "c"])
    'CASE WHEN x < 1 THEN a ELSE CASE WHEN x < 5 THEN b ELSE c END END'
    """
    merged = [k for k in range(1, len(leaves)) if leaves[k] != leaves[k - 1]]
    if len(merged) < len(cuts):
        return steps(value, [cuts[k - 1] for k in merged], [leaves[0], *(leaves[k] for k in merged)])
    if not cuts:
        return leaves[0]
    middle = len(leaves) // 2
    below, above = steps(value, cuts[: middle - 1], leaves[:middle]), steps(value, cuts[middle:], leaves[middle:])
    return f"CASE WHEN {value} < {cuts[middle - 1]} THEN {below} ELSE {above} END"


def summed(items: Sequence[str]) -> str:
    """Return the sum of some numbers."""
    return halved(items, lambda few: f"({' + '.join(few)})")


def halved(items: Sequence[str], joined: Callable[[Sequence[str]], str]) -> str:
    """Return many items joined as a balanced tree: SQLite takes 100 arguments, and expressions that are 1,000 deep."""
    if len(items) <= 90:
        return joined(items)
    middle = len(items) // 2
    return joined([halved(items[:middle], joined), halved(items[middle:], joined)])


# --- SQLite: a column may hold anything, and dates are text -----------------------------------------

_SQLITE_ERROR = "json_extract('{{}}', {} || coalesce({}, ''))".format
_SQLITE_ZONED = "({0} GLOB '*Z' OR {0} GLOB '*:*[+-][0-9][0-9]:[0-9][0-9]')".format
_SQLITE_SECONDS = (  # seconds from a text without its fraction, and the fraction as six digits
    "CASE WHEN {0} IS NULL THEN NULL "
    "WHEN typeof({0}) <> 'text' OR strftime('%s', {1}substr({0}, 1, {2}) || {3}) IS NULL THEN {4} "
    "ELSE CAST(strftime('%s', {1}substr({0}, 1, {2}) || {3}) AS INTEGER) * 1000000 + CASE substr({0}, {2} + 1, 1) "
    "WHEN '.' THEN CAST(substr(substr({0}, {2} + 2, length({0}) - {2} - 1 - length({3})) || '000000', 1, 6) "
    "AS INTEGER) ELSE 0 END END"
)


def _sqlite_number(value: str) -> str:
    fault = _SQLITE_ERROR("'a column of numbers holds text: '", value)
    return f"CASE WHEN typeof({value}) IN ('text', 'blob') THEN {fault} ELSE {value} END"


def _sqlite_moment(value: str) -> str:
    offset = f"ltrim(substr({value}, 20), '.0123456789')"
    return _SQLITE_SECONDS.format(value, "", 19, offset, _SQLITE_ERROR(f"'this is no date as {DATE}: '", value))


def _sqlite_clock(value: str) -> str:
    fault = _SQLITE_ERROR("'this is no time of day as 18:00:00: '", value)
    return _SQLITE_SECONDS.format(value, "'1970-01-01 ' || ", 8, "''", fault)


# --- The dialects -------------------------------------------------------------------------------------

_SQLITE = SqlDialect(
    "sqlite",
    number=repr,
    exact=_sqlite_exact,
    double=_sqlite_number,
    plain=_sqlite_number,
    truth=_sqlite_number,
    as_text="({} COLLATE BINARY)".format,
    is_nan="FALSE".format,
    failing=_SQLITE_ERROR,
    has_zone=_SQLITE_ZONED,
    moment=_sqlite_moment,
    in_utc=_sqlite_moment,
    in_zone=None,
    clock=_sqlite_clock,
    month="CAST(strftime('%m', {} * 86400, 'unixepoch') AS INTEGER)".format,
    divide="/",
    highest="max",
    item=None,
    fence=("MATERIALIZED ", ""),
    types=("INTEGER", "REAL", "TEXT"),
    widest=1990,
    holding={
        "boolean": "INTEGER, 0 or 1",
        "date": f"TEXT such as {DATE}",
        "zoned": f"TEXT such as {DATE}+02:00",
        "time": "TEXT such as 18:00:00",
    },
)
_POSTGRES = SqlDialect(
    "postgres",
    quote="E'",
    escapes={"'": "''", "\\": "\\\\"},
    number="{!r}::float8".format,
    exact="({!r}::float8)".format,
    double="CAST({} AS double precision)".format,
    truth="CAST(CAST({} AS integer) AS double precision)".format,
    as_text='(CAST({} AS text) COLLATE "C")'.format,
    is_nan="{} = 'NaN'::float8".format,
    failing="CAST({} || CAST({} AS text) AS integer)".format,
    has_zone=lambda value: f"CAST({value} AS text) ~ {WITH_OFFSET}",
    moment="CAST(EXTRACT(EPOCH FROM CAST({} AS timestamp)) * 1000000 AS bigint)".format,
    in_utc="CAST(EXTRACT(EPOCH FROM CAST({} AS timestamptz)) * 1000000 AS bigint)".format,
    in_zone="CAST(EXTRACT(EPOCH FROM CAST({0} AS timestamptz) AT TIME ZONE {1}) * 1000000 AS bigint)".format,
    clock="CAST(EXTRACT(EPOCH FROM CAST({} AS time)) * 1000000 AS bigint)".format,
    month=("CAST(EXTRACT(MONTH FROM CAST(DATE '1970-01-01' + CAST({} AS integer) AS timestamp)) AS integer)".format),
    exp="exp(GREATEST({}, -700))".format,  # it fails where the result is too small
    divide="/",
    item="(ARRAY[{1}])[{0} + 1]".format,
    fence=("", " OFFSET 0"),
    types=("bigint", "double precision", "text"),
    widest=1600,
    folds_case=False,
)
_SPARK = SqlDialect(
    "spark",
    mark="`",
    escapes={"'": "\\'", "\\": "\\\\", "$": "\\u0024"},  # it would replace ${name} even in a literal
    number="{!r}D".format,
    exact="{!r}D".format,
    as_text="CAST({} AS STRING)".format,
    failing="CAST(raise_error(concat({}, CAST({} AS STRING))) AS INT)".format,
    has_zone=lambda value: f"CAST({value} AS STRING) RLIKE {WITH_OFFSET}",
    lacks_zone=lambda value, zoned: f"typeof({value}) <> 'timestamp' AND NOT {zoned}",
    moment="unix_micros(CAST({} AS TIMESTAMP))".format,
    in_utc="unix_micros(CAST({} AS TIMESTAMP))".format,
    in_zone="unix_micros(from_utc_timestamp(CAST({0} AS TIMESTAMP), {1}))".format,
    clock="unix_micros(to_timestamp(concat('1970-01-01 ', {}, '+00:00')))".format,
    month="month(date_add(DATE '1970-01-01', CAST({} AS INT)))".format,
    divide="DIV",
    item="element_at(array({1}), {0} + 1)".format,
    types=("INT", "DOUBLE", "STRING"),
    stores_tables=False,
    variable="${",
    holding={
        "date": "TIMESTAMP or DATE, or STRING with ISO dates, in a session whose time zone is UTC",
        "zoned": "TIMESTAMP, or STRING with offsets from UTC",
        "time": "STRING such as 18:00:00",
    },
)
DIALECTS = {each.name: each for each in (_SQLITE, SqlDialect("duckdb"), _POSTGRES, _SPARK)}
"""Every dialect by its name."""
