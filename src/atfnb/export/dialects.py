"""How the dialects of SQL differ: names, literals, numbers, errors, dates and look-ups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

DialectName = Literal["sqlite", "duckdb", "postgres", "spark"]
LARGEST = "1.7976931348623157e308"
"""The largest 64-bit float: what exceeds it is infinite, or not a number."""
DAY, HOUR = 86_400_000_000, 3_600_000_000
"""Microseconds in a day and in an hour."""


@dataclass(frozen=True)
class Dialect:
    """One dialect of SQL. Functions take and return the text of expressions, except where they say otherwise."""

    name: DialectName
    mark: str
    """The quotation mark of identifiers, doubled inside them."""
    text: Callable[[str], str]
    """A text → its literal."""
    number: Callable[[float], str]
    """A float → its literal, a 64-bit float."""
    cut: Callable[[float], str]
    """A float → an expression that is equal to it to the bit."""
    double: Callable[[str], str]
    """Any number or boolean → a 64-bit float."""
    plain: Callable[[str], str]
    """A number → a number to compare with categories."""
    truth: Callable[[str], str]
    """A boolean → 1 or 0, as a 64-bit float."""
    as_text: Callable[[str], str]
    """Text of any type → text that compares by its bytes."""
    is_nan: Callable[[str], str]
    """A 64-bit float → whether it is not a number."""
    error: Callable[[str, str], str]
    """A message, a plain string, and the expression at fault → an expression that fails with the message."""
    moment: Callable[[str, str | None], str]
    """A date, and its time zone if it has one → microseconds since 1970-01-01 by the clocks there, a whole number."""
    clock: Callable[[str], str]
    """A time of day → microseconds since midnight, a whole number."""
    month: Callable[[str], str]
    """Days since 1970-01-01, a whole number → the month, 1 to 12."""
    divide: str
    """The operator that divides whole numbers."""
    highest: str
    """The function that returns the highest of its arguments."""
    item: Callable[[str, Sequence[str]], str] | None
    """A position from 0 and the items of a list → the item; None where there are no lists."""
    fence: tuple[str, str] = ("", "")
    """What stands before and after the text of a step, so that it is computed once and not in every use of it."""
    types: tuple[str, str, str] = ("BIGINT", "DOUBLE", "VARCHAR")
    """The types of whole numbers, of 64-bit floats and of text."""
    widest: int = 10**6
    """How many columns a step may have."""
    joins: int = 50
    """How many tables are joined in one step."""
    folds_case: bool = True
    """Whether names that differ in the case of their letters only are the same."""
    holds: Mapping[str, str] = field(default_factory=dict)
    """What a column of each kind must be, in words; "zoned" for dates with a time zone."""

    def identifier(self, name: str) -> str:
        """Return a name, quoted."""
        return f"{self.mark}{name.replace(self.mark, 2 * self.mark)}{self.mark}"

    def value(self, value: Any) -> str:
        """Return a class or a category as a literal."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool):
            return str(value).upper()
        return str(value) if isinstance(value, int) else self.cut(value)

    def floor_divide(self, value: str, by: int) -> str:
        """Return a whole number divided by a positive one and rounded down."""
        return f"(({value} - {self.modulo(value, by)}) {self.divide} {by})"

    def modulo(self, value: str, by: int) -> str:
        """Return the remainder of a whole number, never negative."""
        return f"(({value} % {by} + {by}) % {by})"

    def look_up(self, code: str, items: Sequence[str]) -> str:
        """Return the item at the position that a whole number from 0 gives.

        Equal items are looked up too: databases do not compute a code that nothing uses, and it refuses infinities.
        """
        if self.item is not None:
            return self.item(code, items)
        return steps(code, [str(k) for k in range(1, len(items))], items)

    def max_of(self, items: Sequence[str]) -> str:
        """Return the highest of some numbers; few arguments at a time, as SQLite takes no more than 100."""
        if len(items) == 1:
            return items[0]
        if len(items) > 90:
            middle = len(items) // 2
            items = [self.max_of(items[:middle]), self.max_of(items[middle:])]
        return f"{self.highest}({', '.join(items)})"


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
    below = steps(value, cuts[: middle - 1], leaves[:middle])
    return (
        f"CASE WHEN {value} < {cuts[middle - 1]} THEN {below} ELSE {steps(value, cuts[middle:], leaves[middle:])} END"
    )


def summed(items: Sequence[str]) -> str:
    """Return a sum as a balanced tree: SQLite takes no expression that is more than 1,000 deep."""
    if len(items) <= 100:
        return " + ".join(items)
    middle = len(items) // 2
    return f"({summed(items[:middle])}) + ({summed(items[middle:])})"


# --- Literals ----------------------------------------------------------------------------------------


def _doubled(text: str) -> str:
    return f"'{text.replace(chr(39), 2 * chr(39))}'"


def _postgres_text(text: str) -> str:
    """Return a literal that does not depend on ``standard_conforming_strings``."""
    quoted = _doubled(text)
    return f"E{quoted.replace(chr(92), 2 * chr(92))}" if "\\" in text else quoted


def _spark_text(text: str) -> str:
    """Return a literal in which Spark substitutes no variable: it would replace ``${name}`` even there."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{") + "'"


def _with_exponent(number: float) -> str:
    """Return a literal that DuckDB reads as a 64-bit float; without the exponent it would be a decimal number."""
    written = repr(float(number))
    return written if "e" in written else f"{written}e0"


def _sqlite_cut(number: float) -> str:
    """Return a number to the bit: SQLite reads literals of more than 15 digits with an error in the last bit.

    >>> _sqlite_cut(2.5), _sqlite_cut(1 / 3)
    ('2.5', '(6004799503160661.0 / 18014398509481984)')
    """
    written = repr(float(number))
    digits, _, exponent = written.lstrip("-").partition("e")
    if len(digits.replace(".", "").strip("0")) <= 15 and not exponent:
        return written
    numerator, denominator = float(number).as_integer_ratio()
    up, down = max(numerator.bit_length() - 53, 0), denominator.bit_length() - 1
    text = f"{numerator >> up}.0"
    while down > 0:
        text, down = f"{text} / {2 ** min(down, 62)}", down - 62
    while up > 0:
        text, up = f"{text} * {2 ** min(up, 62)}", up - 62
    return f"({text})"


# --- SQLite: a column may hold anything, and dates are text -----------------------------------------

_NUMBER = "CASE WHEN typeof({0}) IN ('text', 'blob') THEN {1} ELSE {0} END"
_CLOCK = (  # seconds from a text without its fraction, and the fraction as six digits
    "CASE WHEN {0} IS NULL THEN NULL "
    "WHEN typeof({0}) <> 'text' OR strftime('%s', {1}substr({0}, 1, {2}) || {3}) IS NULL THEN {4} "
    "ELSE CAST(strftime('%s', {1}substr({0}, 1, {2}) || {3}) AS INTEGER) * 1000000 + CASE substr({0}, {2} + 1, 1) "
    "WHEN '.' THEN CAST(substr(substr({0}, {2} + 2, length({0}) - {2} - 1 - length({3})) || '000000', 1, 6) "
    "AS INTEGER) ELSE 0 END END"
)


def _sqlite_error(message: str, value: str) -> str:
    return f"json_extract('{{}}', {_doubled(message)} || coalesce({value}, ''))"


def _sqlite_number(value: str) -> str:
    return _NUMBER.format(value, _sqlite_error("a column of numbers holds text: ", value))


def _sqlite_moment(value: str, zone: str | None) -> str:
    offset = f"ltrim(substr({value}, 20), '.0123456789')"
    moment = _CLOCK.format(value, "", 19, offset, _sqlite_error(f"this is no date as {DATE}: ", value))
    zoned = f"({value} GLOB '*Z' OR {value} GLOB '*:*[+-][0-9][0-9]:[0-9][0-9]')"
    if zone is None:
        return f"CASE WHEN {zoned} THEN {_sqlite_error(UNZONED, value)} ELSE {moment} END"
    return f"CASE WHEN NOT {zoned} THEN {_sqlite_error(ZONED, value)} ELSE {moment} + {offset_of(zone)} END"


def _sqlite_clock(value: str) -> str:
    fault = _sqlite_error("this is no time of day as 18:00:00: ", value)
    return _CLOCK.format(value, "'1970-01-01 ' || ", 8, "''", fault)


# --- Dates ------------------------------------------------------------------------------------------

DATE = "2024-02-29 18:00:00"
ZONED = f"the model learned dates with a time zone, as {DATE}+02:00, and this has none: "
UNZONED = f"the model learned dates without a time zone, as {DATE}, and this has one: "
WITH_OFFSET = "':[0-9]{2}[.0-9]*(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'"
"""A regular expression that text with a time zone matches."""


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


def _duckdb_error(message: str, value: str) -> str:
    return f"CAST(error({_doubled(message)} || CAST({value} AS VARCHAR)) AS INTEGER)"


def _duckdb_moment(value: str, zone: str | None) -> str:
    text = f"CASE WHEN typeof({value}) = 'VARCHAR' THEN CAST({value} AS VARCHAR) END"
    offset, kind = f"regexp_matches({text}, {WITH_OFFSET})", f"typeof({value})"
    if zone is None:
        odd = f"{kind} = 'TIMESTAMP WITH TIME ZONE' OR {offset}"
        return f"CASE WHEN {odd} THEN {_duckdb_error(UNZONED, value)} ELSE epoch_us(CAST({value} AS TIMESTAMP)) END"
    moment, ahead = f"CAST({value} AS TIMESTAMPTZ)", offset_of(zone)
    local = f"epoch_us({moment}) + {ahead}" if ahead is not None else f"epoch_us(timezone({_doubled(zone)}, {moment}))"
    odd = f"NOT ({kind} = 'TIMESTAMP WITH TIME ZONE' OR coalesce({offset}, {value} IS NULL))"
    return f"CASE WHEN {odd} THEN {_duckdb_error(ZONED, value)} ELSE {local} END"


def _postgres_error(message: str, value: str) -> str:
    return f"CAST({_postgres_text(message)} || CAST({value} AS text) AS integer)"


def _postgres_moment(value: str, zone: str | None) -> str:
    offset = f"CAST({value} AS text) ~ {WITH_OFFSET}"
    if zone is None:
        micros = f"CAST(EXTRACT(EPOCH FROM CAST({value} AS timestamp)) * 1000000 AS bigint)"
        return f"CASE WHEN {offset} THEN {_postgres_error(UNZONED, value)} ELSE {micros} END"
    ahead = offset_of(zone)
    local = f"CAST({value} AS timestamptz) AT TIME ZONE {_postgres_text(zone if ahead is None else 'UTC')}"
    micros = f"CAST(EXTRACT(EPOCH FROM {local}) * 1000000 AS bigint) + {ahead or 0}"
    return f"CASE WHEN NOT ({offset}) THEN {_postgres_error(ZONED, value)} ELSE {micros} END"


def _spark_error(message: str, value: str) -> str:
    return f"CAST(raise_error(concat({_spark_text(message)}, CAST({value} AS STRING))) AS INT)"


def _spark_moment(value: str, zone: str | None) -> str:
    offset, kind = f"CAST({value} AS STRING) RLIKE {WITH_OFFSET}", f"typeof({value})"
    moment = f"CAST({value} AS TIMESTAMP)"
    if zone is None:
        return f"CASE WHEN {offset} THEN {_spark_error(UNZONED, value)} ELSE unix_micros({moment}) END"
    odd = f"{kind} <> 'timestamp' AND NOT {offset}"
    local = f"unix_micros(from_utc_timestamp({moment}, {_spark_text(zone)}))"
    return f"CASE WHEN {odd} THEN {_spark_error(ZONED, value)} ELSE {local} END"


# --- The dialects -------------------------------------------------------------------------------------

_STANDARD = {
    "number": "DOUBLE PRECISION, or any other number",
    "whole": "BIGINT, or any other number",
    "boolean": "BOOLEAN",
    "text": "TEXT",
    "date": "TIMESTAMP or DATE, or text with ISO dates",
    "zoned": "TIMESTAMP WITH TIME ZONE, or text with offsets from UTC",
    "time": "TIME, or text such as 18:00:00",
}
_POSTGRES_DAY = "CAST(DATE '1970-01-01' + CAST({} AS integer) AS timestamp)"

DIALECTS: dict[DialectName, Dialect] = {
    "sqlite": Dialect(
        name="sqlite",
        mark='"',
        text=_doubled,
        number=lambda number: repr(float(number)),
        cut=_sqlite_cut,
        double=_sqlite_number,
        plain=_sqlite_number,
        truth=_sqlite_number,
        as_text=lambda x: f"({x} COLLATE BINARY)",
        is_nan=lambda x: "FALSE",
        error=_sqlite_error,
        moment=_sqlite_moment,
        clock=_sqlite_clock,
        month=lambda day: f"CAST(strftime('%m', {day} * 86400, 'unixepoch') AS INTEGER)",
        divide="/",
        highest="max",
        item=None,
        fence=("MATERIALIZED ", ""),
        types=("INTEGER", "REAL", "TEXT"),
        widest=1990,
        holds={
            "number": "REAL or INTEGER",
            "whole": "INTEGER",
            "boolean": "INTEGER, 0 or 1",
            "text": "TEXT",
            "date": f"TEXT such as {DATE}",
            "zoned": f"TEXT such as {DATE}+02:00",
            "time": "TEXT such as 18:00:00",
        },
    ),
    "duckdb": Dialect(
        name="duckdb",
        mark='"',
        text=_doubled,
        number=_with_exponent,
        cut=_with_exponent,
        double=lambda x: f"CAST({x} AS DOUBLE)",
        plain=lambda x: f"({x})",
        truth=lambda x: f"CAST({x} AS DOUBLE)",
        as_text=lambda x: f"CAST({x} AS VARCHAR)",
        is_nan=lambda x: f"isnan({x})",
        error=_duckdb_error,
        moment=_duckdb_moment,
        clock=lambda x: f"epoch_us(CAST({x} AS TIME))",
        month=lambda day: f"month(DATE '1970-01-01' + CAST({day} AS INTEGER))",
        divide="//",
        highest="greatest",
        item=lambda code, items: f"([{', '.join(items)}])[{code} + 1]",
        holds=_STANDARD | {"text": "VARCHAR"},
    ),
    "postgres": Dialect(
        name="postgres",
        mark='"',
        text=_postgres_text,
        number=lambda number: f"{float(number)!r}::float8",
        cut=lambda number: f"({float(number)!r}::float8)",
        double=lambda x: f"CAST({x} AS double precision)",
        plain=lambda x: f"({x})",
        truth=lambda x: f"CAST(CAST({x} AS integer) AS double precision)",
        as_text=lambda x: f'(CAST({x} AS text) COLLATE "C")',
        is_nan=lambda x: f"{x} = 'NaN'::float8",
        error=_postgres_error,
        moment=_postgres_moment,
        clock=lambda x: f"CAST(EXTRACT(EPOCH FROM CAST({x} AS time)) * 1000000 AS bigint)",
        month=lambda day: f"CAST(EXTRACT(MONTH FROM {_POSTGRES_DAY.format(day)}) AS integer)",
        divide="/",
        highest="GREATEST",
        item=lambda code, items: f"(ARRAY[{', '.join(items)}])[{code} + 1]",
        fence=("", " OFFSET 0"),
        types=("bigint", "double precision", "text"),
        widest=1600,
        folds_case=False,
        holds=_STANDARD,
    ),
    "spark": Dialect(
        name="spark",
        mark="`",
        text=_spark_text,
        number=lambda number: f"{float(number)!r}D",
        cut=lambda number: f"{float(number)!r}D",
        double=lambda x: f"CAST({x} AS DOUBLE)",
        plain=lambda x: f"({x})",
        truth=lambda x: f"CAST({x} AS DOUBLE)",
        as_text=lambda x: f"CAST({x} AS STRING)",
        is_nan=lambda x: f"isnan({x})",
        error=_spark_error,
        moment=_spark_moment,
        clock=lambda x: f"unix_micros(to_timestamp(concat('1970-01-01 ', {x}, '+00:00')))",
        month=lambda day: f"month(date_add(DATE '1970-01-01', CAST({day} AS INT)))",
        divide="DIV",
        highest="greatest",
        item=lambda code, items: f"element_at(array({', '.join(items)}), {code} + 1)",
        types=("INT", "DOUBLE", "STRING"),
        holds=_STANDARD
        | {
            "text": "STRING",
            "date": "TIMESTAMP or DATE, or STRING with ISO dates, in a session whose time zone is UTC",
            "zoned": "TIMESTAMP, or STRING with offsets from UTC",
            "time": "STRING such as 18:00:00",
        },
    ),
}
"""Every dialect by its name."""
