"""Dates and times → columns that a classifier can learn from: the date as a number, month, weekday, hour.

A column of dates stays one column in the table that the user gives. What is learned from it are its parts, which are
columns of their own: ``signed_up: date`` (days since 1970-01-01, shown as dates), ``signed_up: month``,
``signed_up: weekday`` and ``signed_up: hour``. A column of times of day has the one part ``opens: time`` (hours).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb.tables.columns import Column, Table, source_of

Dates = Literal["expand", "number", "ignore"]
"""What is learned from a column of dates: all its parts, the date as a number, or nothing."""
DatePart = Literal["date", "month", "weekday", "hour", "time"]
"""A part of a column of dates ("date", "month", "weekday", "hour"), or of a column of times of day ("time")."""

DAY, _HOUR = 86_400_000_000, 3_600_000_000
"""Microseconds in a day and in an hour."""
_OF_DATES: tuple[DatePart, ...] = ("date", "month", "weekday", "hour")
_PARTS: dict[DatePart, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "date": lambda moments: moments.astype(np.int64) / DAY,
    "month": lambda moments: moments.astype("datetime64[M]").astype(np.int64) % 12 + 1,
    "weekday": lambda moments: (moments.astype("datetime64[D]").astype(np.int64) + 3) % 7 + 1,
    "hour": lambda moments: moments.astype(np.int64) // _HOUR % 24,
    "time": lambda times: times.astype(np.int64) / _HOUR,
}
"""Each part as a number: days since 1970-01-01, month from 1 to 12, weekday from 1 (Monday) to 7, hour of the day."""
NAMES_OF_PARTS: dict[DatePart, tuple[str, ...]] = {
    "month": (
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
"""The parts that are categories, and the names of their values 1, 2, 3, …"""


def holds_dates(column: Column) -> bool:
    """Return whether a column holds dates, with or without times, or times of day."""
    return column.values.dtype.kind in "Mm"


def zone_name(zone: Any) -> str:
    """Return the name of a time zone, or its offset from UTC, as every part of the library writes it.

    >>> from datetime import timedelta, timezone
    >>> zone_name("America/New_York"), zone_name(timezone(timedelta(hours=2))), zone_name("Z"), zone_name("-0500")
    ('America/New_York', '+02:00', 'UTC', '-05:00')
    """
    text = str(zone)
    if minutes := re.search(r"FixedOffset\((-?[0-9]+)\)", text):  # of pytz
        text = f"{int(minutes[1]) / 60:+03.0f}:{abs(int(minutes[1])) % 60:02}"
    if offset := re.search(r"([+-][0-9]{2}):?([0-9]{2})$", text):
        text = f"{offset[1]}:{offset[2]}"
    return "UTC" if text in ("Z", "tzutc()", "Etc/UTC", "+00:00", "-00:00") else text


def in_local_time(column: Column, zone: str | None = None) -> Column:
    """Return dates, if the column holds dates in UTC, as the wall-clock times of a zone: of the given one, or its own.

    >>> noon = np.array(["2024-07-01T12:00"], dtype="datetime64[us]")
    >>> column = Column("when", noon, np.zeros(1, dtype=bool), categorical=False, zone="America/New_York")
    >>> in_local_time(column).values
    array(['2024-07-01T08:00:00.000000'], dtype='datetime64[us]')
    """
    if column.zone is None or column.values.dtype.kind != "M":
        return column
    zone = zone or column.zone
    if zone == "UTC":
        return replace(column, zone=zone)
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        local = pc.local_timestamp(pa.array(column.values, pa.timestamp("us", zone)))
    except pa.ArrowInvalid:
        raise ValueError(
            f"column {column.name!r} is in the time zone {zone!r}, which this machine does not know: install tzdata, "
            "or convert the column to UTC."
        ) from None
    return replace(column, values=local.to_numpy(zero_copy_only=False), zone=zone)


def part_of(column: Column, part: DatePart) -> Column:
    """Return a part of a column of dates, in local time, or of times of day, as a column of its own.

    >>> from atfnb.tables.columns import none_missing
    >>> days = np.array(["2024-02-29", "2024-03-03"], dtype="datetime64[us]")
    >>> column = Column("day", days, none_missing(days), categorical=False)
    >>> part_of(column, "date").values, part_of(column, "weekday").values
    (array([19782., 19785.]), array([4, 7]))
    """
    moments = column.values
    if not column.is_complete:
        moments = np.where(column.missing, np.zeros(1, dtype=moments.dtype), moments)
    name, categories = f"{column.name}: {part}", part in NAMES_OF_PARTS
    cuts = column.cuts if part == "date" else None
    return replace(column, name=name, values=_PARTS[part](moments), categorical=categories, part=part, cuts=cuts)


def parts_of(column: Column, dates: Dates) -> list[Column]:
    """Return the columns that are learned from a column: parts of dates; with "ignore", one without any value."""
    if not holds_dates(column):
        return [column]
    if dates == "ignore":
        nothing = np.full(len(column.values), np.nan)
        return [Column(column.name, nothing, np.isnan(nothing), categorical=False)]
    if column.values.dtype.kind == "m":
        return [part_of(column, "time")]
    local = in_local_time(column)
    return [part_of(local, part) for part in (_OF_DATES if dates == "expand" else _OF_DATES[:1])]


def expand_dates(table: Table, dates: Dates) -> Table:
    """Return a table in which each column of dates is replaced by its parts.

    >>> from atfnb.tables.columns import none_missing
    >>> days = np.array(["2024-02-29", "2024-03-03"], dtype="datetime64[us]")
    >>> table = Table((Column("day", days, none_missing(days), categorical=False),))
    >>> [column.name for column in expand_dates(table, "expand").columns]
    ['day: date', 'day: month', 'day: weekday', 'day: hour']
    """
    if not any(map(holds_dates, table.columns)):
        return table
    return Table(tuple(part for column in table.columns for part in parts_of(column, dates)))


def without_dates(table: Table) -> Table:
    """Return a table without its columns of dates."""
    return table.only([column.name for column in table.columns if not holds_dates(column)])


def needless_parts(parts: Sequence[tuple[str, DatePart | None]], constant: Collection[int]) -> set[int]:
    """Return the positions of parts that are left out: those with one value only, unless all parts of the column have.

    Parameters
    ----------
    parts : sequence of (str, DatePart or None)
        The name of each column and which part it is; None if it is no part of a column of dates.
    constant : collection of int
        The positions of the columns that have at most one value.

    Examples
    --------
    >>> needless_parts([("d: date", "date"), ("d: month", "month"), ("n", None)], {1, 2})
    {1}
    >>> needless_parts([("d: date", "date"), ("d: month", "month")], {0, 1})
    {1}
    """
    of_source = defaultdict[str, list[int]](list)
    for position, (name, part) in enumerate(parts):
        if part is not None:
            of_source[source_of(name, part)].append(position)
    kept = [[one for one in positions if one not in constant] or positions[:1] for positions in of_source.values()]
    return set(chain(*of_source.values())) - set(chain(*kept))


def without_needless_parts(table: Table) -> Table:
    """Return a table without the parts of dates that have one value only."""
    constant = {j for j, column in enumerate(table.columns) if column.part is not None and _is_constant(column)}
    left_out = needless_parts([(column.name, column.part) for column in table.columns], constant)
    return Table(tuple(column for j, column in enumerate(table.columns) if j not in left_out)) if left_out else table


def _is_constant(column: Column) -> bool:
    values = column.values if column.is_complete else column.values[~column.missing]
    return len(values) == 0 or bool((values == values[0]).all())


def aligned(table: Table, attributes: Sequence[tuple[str, DatePart | None, str | None]]) -> Table:
    """Return a table with one column for each attribute of a model, made from the columns that the user gave.

    Parameters
    ----------
    table : Table
        The columns that the user gave, in the order of training; or a table that already has one for each attribute.
    attributes : sequence of (str, DatePart or None, str or None)
        The name of each attribute; and which part of a column of dates it is, and in which time zone, if any.

    Raises
    ------
    ValueError
        If a column of dates now holds something else, or the other way round; or only then or now has a time zone.
    """
    if [column.part for column in table.columns] == [part for _, part, _ in attributes]:
        return table
    sources = groupby(attributes, key=lambda each: (source_of(each[0], each[1]), each[1] is not None))
    columns = list[Column]()
    for given, ((source, _), parts) in zip(table.columns, sources, strict=True):
        columns += [_as_part(given, source, part, zone) for _, part, zone in parts]
    return Table(tuple(columns))


def _in_zone(column: Column, zone: str | None) -> Column:
    """Return dates in the time zone in which they were learned; refuse a zone where there was none, or none now."""
    if (column.zone is None) != (zone is None) and holds_dates(column) and not column.missing.all():
        raise ValueError(other_zone(f"column {column.name!r}", zone, column.zone, "tz_localize(None)", "tz_localize"))
    return in_local_time(column, zone)


def other_zone(column: str, then: str | None, now: str | None, take_off: str = "", give: str = "") -> str:
    """Return the message of the error for dates that had a time zone only in training, or have one only now.

    >>> other_zone("new.csv: column 'when'", None, "UTC")
    "new.csv: column 'when' had no time zone when the model was fitted, and is in UTC now: take the zone off."
    """
    how = f", as with pandas.Series.dt.{take_off if then is None else give}" if give else ""
    if then is None:
        return f"{column} had no time zone when the model was fitted, and is in {now} now: take the zone off{how}."
    return f"{column} was in the time zone {then} when the model was fitted, and has none now: give it its zone{how}."


def _as_part(column: Column, source: str, part: DatePart | None, zone: str | None) -> Column:
    """Return a part of a column of dates in a time zone, or of times of day; a column as it is, if it is to be none."""
    if part is None or column.part == part:
        return column
    if part != "time":
        column = _in_zone(column, zone)
    wanted, kind = ("times of day", "m") if part == "time" else ("dates", "M")
    if not holds_dates(column) and column.missing.all():  # nothing at all: of no type
        column = replace(column, values=np.zeros(len(column.values), dtype=f"{kind}8[us]"))
    if column.values.dtype.kind != kind:
        raise ValueError(
            f"column {source!r} held {wanted} when the model was fitted and holds something else now: convert it, as "
            "with pandas.to_datetime."
        )
    return part_of(column, part)


# --- In words --------------------------------------------------------------------------------------


def moment_label(value: float, part: DatePart) -> str:
    """Return a date, given as days since 1970-01-01, or a time of day, given in hours, as text.

    >>> moment_label(19782.0, "date"), moment_label(19782.75, "date"), moment_label(7.5, "time")
    ('2024-02-29', '2024-02-29 18:00', '07:30')
    """
    unit = DAY if part == "date" else _HOUR
    moment = np.datetime64(round(value * unit), "us")
    seconds = np.datetime_as_string(moment, unit="s")
    clock = seconds[-8:] if seconds[-2:] != "00" else seconds[-8:-3]
    if part == "time":
        return str(clock)
    return str(seconds[:-9]) if clock == "00:00" else f"{seconds[:-9]} {clock}"
