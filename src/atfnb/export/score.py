"""Scores rows by the plan of a model, as ``predict`` and ``predict_proba`` do; needs nothing but Python.

A row is a dict: column → value. None and NaN are missing values; a column that is not there is an error. Dates are
``datetime`` objects or ISO text such as "2024-02-29" or "2024-02-29T18:00:00.5+02:00", with a time zone where
the model learned dates with one, and without where not; times of day are ``time`` objects or text such as "18:00".
"""

from __future__ import annotations

import datetime
import json
import math
import re
import zoneinfo
from bisect import bisect_right
from typing import Any

DAY, HOUR = 86_400_000_000, 3_600_000_000
EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
CLOCK = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?"
DATE = re.compile(rf"(\d{{4}})-(\d\d)-(\d\d)(?:[T ]{CLOCK}(Z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII)
OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)
TIME = re.compile(CLOCK, re.ASCII)


def prepare(text: str) -> dict[str, Any]:
    """Return the plan from its JSON, with a look-up table for the categories of each attribute."""
    plan: dict[str, Any] = json.loads(text)
    plan["classes"] = [plain(each) for each in plan["classes"]]
    for attribute in plan["attributes"]:
        known = attribute["categories"] or ()
        attribute["codes"] = {plain(category): code for code, category in enumerate(known)}
    return plan


def plain(value: Any) -> Any:
    """Return a value of the plan; whole numbers beyond 2⁵³ stand in it as {"whole": digits}."""
    return int(value["whole"]) if isinstance(value, dict) else value


def score(plan: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return the codes, contributions, joint log-likelihoods, probabilities and class of a row."""
    codes = [code_of(attribute, cell_of(row, attribute["column"])) for attribute in plan["attributes"]]
    added = [attribute["scores"][code] for attribute, code in zip(plan["attributes"], codes)]  # noqa: B905
    for pair in plan["pairs"]:
        a, b = (groups[codes[j]] for j, groups in zip(pair["of"], pair["groups"]))  # noqa: B905
        rows, columns = pair["shape"]
        added.append(pair["scores"][a * columns + b if a < rows and b < columns else rows * columns])
    joint = [start + sum(each[c] for each in added) for c, start in enumerate(plan["starts"])]
    highest = max(joint)
    shares = [math.exp(each - highest) for each in joint]
    position = next(c for c, each in enumerate(joint) if each >= highest - plan["tie"])
    return {
        "codes": codes,
        "contributions": added,
        "joint": joint,
        "probabilities": [share / sum(shares) for share in shares],
        "position": position,
        "class": plan["classes"][position],
    }


def reasons_of(plan: dict[str, Any], scored: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """Return the largest leads of the predicted class over the second most probable one."""
    codes, position = scored["codes"], scored["position"]
    others = [each if c != position else -math.inf for c, each in enumerate(scored["joint"])]
    second = others.index(max(others))
    labels = [attribute["labels"][code] for attribute, code in zip(plan["attributes"], codes)]  # noqa: B905
    names = [attribute["name"] for attribute in plan["attributes"]] + [pair["name"] for pair in plan["pairs"]]
    labels += [" × ".join(labels[j] for j in pair["of"]) for pair in plan["pairs"]]
    leads = [added[position] - added[second] for added in scored["contributions"]]
    found = [{"name": n, "label": x, "lead": lead} for n, x, lead in zip(names, labels, leads) if lead > 0]  # noqa: B905
    return sorted(found, key=lambda reason: -reason["lead"])[:most]


# --- One value of a row → the code of an attribute -------------------------------------------------


def cell_of(row: dict[str, Any], column: str) -> Any:
    """Return the value of a column; numbers of NumPy become numbers of Python."""
    if column not in row:
        raise ValueError(f"the row has no column {column!r}: give None where its value is missing.")
    value = row[column]
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def code_of(attribute: dict[str, Any], value: Any) -> int:
    """Return the code of a value; raise a ValueError, one sentence, for one that the attribute cannot take."""
    if value is None or value != value:
        return int(attribute["missing"])
    if isinstance(value, float) and math.isinf(value):
        raise refusal(attribute, "is infinite: give a number or None")
    if attribute["kind"] == "nothing":
        return int(attribute["unseen"])
    seen = plain_of(attribute, value) if attribute["part"] is None else part_of(attribute, value)
    if attribute["cuts"] is None:
        return int(attribute["codes"].get(seen, attribute["unseen"]))
    return bisect_right(attribute["cuts"], number_of(attribute, seen))


def plain_of(attribute: dict[str, Any], value: Any) -> Any:
    """Return a number or text, whichever the attribute was learned from."""
    text = isinstance(value, str)
    if not text and not hasattr(value, "__float__"):
        raise refusal(attribute, "is neither text nor a number")
    if attribute["kind"] != "mixed" and text != (attribute["kind"] == "text"):
        raise refusal(attribute, "is text: give a number" if text else "is a number: give text")
    return value


def number_of(attribute: dict[str, Any], value: Any) -> float:
    """Return a number as a float."""
    try:
        return float(value)
    except OverflowError:
        raise refusal(attribute, "is too large for a float") from None


def refusal(attribute: dict[str, Any], fault: str) -> ValueError:
    """Return the error for a value that an attribute cannot take."""
    return ValueError(f"column {attribute['column']!r} {fault}.")


# --- Parts of dates --------------------------------------------------------------------------------


def part_of(attribute: dict[str, Any], value: Any) -> float:
    """Return the part of a date, or of a time of day, that the attribute is."""
    if attribute["part"] == "time":
        return time_of(attribute, value) / HOUR
    moment = moment_of(attribute, value)
    day = moment // DAY
    if attribute["part"] == "date":
        return float(moment) / DAY
    if attribute["part"] == "month":
        return (EPOCH + datetime.timedelta(days=day)).month
    return (day + 3) % 7 + 1 if attribute["part"] == "weekday" else moment // HOUR % 24


def moment_of(attribute: dict[str, Any], value: Any) -> int:
    """Return the microseconds since 1970-01-01, by the clocks of the zone that the attribute was learned in."""
    if isinstance(value, str):
        value = read_date(attribute, value)
    if not isinstance(value, datetime.date):
        raise refusal(attribute, "is no date: give a datetime, or text such as 2024-02-29 or 2024-02-29T18:00:00")
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    zone = attribute["zone"]
    if (value.tzinfo is None) != (zone is None):
        known = f"has no time zone, and the model learned dates in {zone}: give it one"
        raise refusal(
            attribute, "has a time zone, and the model learned dates without: take it off" if zone is None else known
        )
    if zone is not None:
        value = value.astimezone(zone_of(attribute, zone)).replace(tzinfo=None)
    return int((value - EPOCH) // MICROSECOND)


def zone_of(attribute: dict[str, Any], zone: str) -> datetime.tzinfo:
    """Return a time zone, given by its name or by its offset from UTC."""
    offset = OFFSET.fullmatch("+00:00" if zone == "UTC" else zone)
    if offset is not None:
        ahead = datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return datetime.timezone(-ahead if offset[1] == "-" else ahead)
    try:
        return zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise refusal(attribute, f"is in the time zone {zone}, which is not known here: install tzdata") from None


def read_date(attribute: dict[str, Any], text: str) -> datetime.datetime:
    """Return a date that is written as text."""
    found = DATE.fullmatch(text)
    if found is None:
        raise refusal(attribute, "is no date: give text such as 2024-02-29 or 2024-02-29T18:00:00")
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    h, m, s, us = int(hour or 0), int(minute or 0), int(second or 0), int((fraction or "").ljust(6, "0")[:6])
    try:
        moment = datetime.datetime(int(year), int(month), int(day), h, m, s, us)
    except ValueError as error:
        raise refusal(attribute, f"is {text}, which does not exist: {error}") from None
    if zone is None:
        return moment
    digits = "+00:00" if zone == "Z" else zone if ":" in zone else f"{zone[:3]}:{zone[3:] or '00'}"
    return moment.replace(tzinfo=zone_of(attribute, digits))


def time_of(attribute: dict[str, Any], value: Any) -> int:
    """Return the microseconds since midnight."""
    if isinstance(value, datetime.time):
        value = value.replace(tzinfo=None).isoformat()
    found = TIME.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise refusal(attribute, "is no time of day: give a time, or text such as 18:00 or 18:00:00")
    hour, minute, second = (int(each or 0) for each in found.groups()[:3])
    if hour > 23 or minute > 59 or second > 59:
        raise refusal(attribute, "has a time of day that does not exist")
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + int((found[4] or "").ljust(6, "0")[:6])


# --- The model ---------------------------------------------------------------------------------------

PLAN = prepare('{"classes": [], "attributes": []}')
CLASSES = PLAN["classes"]


def predict(row: dict[str, Any]) -> Any:
    """Return the class of a row: a dict of column → value, with None for a missing value."""
    return score(PLAN, row)["class"]


def predict_proba(row: dict[str, Any]) -> list[float]:
    """Return the probability of each class, in the order of CLASSES."""
    return score(PLAN, row)["probabilities"]


def explain(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the values that contribute most to the class of a row: name, label and lead.

    The lead is by how much the value raises the joint log-likelihood of this class above that of the second most
    probable one.
    """
    return reasons_of(PLAN, score(PLAN, row), 3)
