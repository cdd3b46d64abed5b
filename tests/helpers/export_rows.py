"""The hard cases that every target must agree on: names, values, missing values, numbers on a cut, dates."""

import datetime

import numpy as np
import pandas as pd

from atfnb.encoding import NumericAttribute

NAMES = {
    "number": "'; DROP TABLE x; --",
    "tiny": "</script><!--",
    "huge": "${process.exit(1)}",
    "constant": '"""',
    "whole": "back\\slash \\' {0} %s",
    "code": "__proto__",
    "text": "emoji 😀 `tick` × y",
    "place": "עברית مرحبا",
    "boolean": "x" * 80,
    "date": "when's it?",
    "time": "constructor",
}
WORDS = [
    "'; DROP TABLE rows; --",
    "</script>",
    "${1+1}",
    '"""',
    "back\\slash\\",
    "😀",
    "\\'",
    "مرحبا",
    "y" * 80,
    "a",
    "A",
    "_",
]
CODES = [1, 10, 100, 1000, 10000, 99]
DATED = ("date", "time")
BEYOND = ("tiny", "huge")
"""Columns of numbers that 32-bit floats do not have."""
EXTREMES = [1e308, -1e308, 1.7976931348623157e308, 5e-324, -5e-324]


def training(rows=400, classes=3):
    """A table with a column for each kind of value, and the class of each row."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, classes, rows)
    gone = rng.random((rows, 4)) < 0.08
    text = np.array(WORDS, dtype=object)[(rng.integers(0, 7, rows) + 3 * y) % len(WORDS)]
    whole = rng.integers(0, 6, rows) + y
    moments = pd.Timestamp("1965-11-03") + pd.to_timedelta(rng.integers(0, 2 * 10**14, rows) + y * 10**14, unit="us")
    frame = pd.DataFrame(
        {
            NAMES["number"]: np.where(gone[:, 0], np.nan, (rng.normal(size=rows) + y).round(1)),
            NAMES["tiny"]: np.ldexp(rng.normal(size=rows) + y, -1040),
            NAMES["huge"]: (rng.random(rows) + y) * 1e300 * rng.choice([-1, 1], rows),
            NAMES["constant"]: np.full(rows, 7.5),
            NAMES["whole"]: whole,
            NAMES["code"]: pd.Categorical(np.where(gone[:, 0], None, 10 ** (whole % 3 + y)), categories=CODES),
            NAMES["text"]: np.where(gone[:, 1], None, text),
            NAMES["place"]: np.array(["in", "out", "ü"], dtype=object)[(whole % 2 + y) % 3],
            NAMES["boolean"]: pd.array(np.where(gone[:, 2], None, rng.random(rows) < 0.2 + 0.3 * y), dtype="boolean"),
            NAMES["date"]: pd.Series(moments).where(~gone[:, 3]),
            NAMES["time"]: [
                _time(hour, minute) for hour, minute in zip(rng.integers(0, 8, rows) + 7 * y, whole, strict=True)
            ],
        }
    )
    return frame, np.array(["no", "yes", "'maybe'"])[y]


def _time(hour, minute):
    return datetime.time(int(hour), int(minute), 59, 999_999)


def hard_rows(model, X, single=False):
    """Rows like those of training, with numbers on the cuts of a model, and values that no training row had.

    Those of ``single`` are numbers that 32-bit floats can tell apart.
    """
    rows = X.sample(60, random_state=0).reset_index(drop=True)
    for attribute in model.encoder_.attributes:
        if not isinstance(attribute, NumericAttribute) or attribute.part is not None:
            continue
        few, at = attribute.cuts[:4], rows.columns.get_loc(attribute.name)
        on = [
            *few,
            0.0,
            -0.0,
            *([1e30, -1e30] if single else EXTREMES),
            *([] if single else np.nextafter(few, -np.inf)),
        ]
        if rows.dtypes.iloc[at].kind == "f":
            rows.iloc[: len(on), at] = on
            rows.iloc[20 + at, at] = np.nan
    for column in (NAMES["text"], NAMES["place"]):
        if column in rows:
            rows.loc[30:34, column] = ["never seen", "a'", "\\", None, "ä"]
    rows.loc[35:36, NAMES["code"]] = [99, None]
    if NAMES["date"] in rows:
        rows.loc[40:42, NAMES["date"]] = [
            pd.NaT,
            pd.Timestamp("1969-12-31 23:59:59.999999"),
            pd.Timestamp("2096-02-29 00:00:00"),
        ]
    return rows
