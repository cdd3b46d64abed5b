"""The loops that find where a row of a CSV file ends, and that read cells as dates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from atfnb._kernels.compiler import compiled
from atfnb._typing import ByteArray, IntArray

_NO_DATE = np.iinfo(np.int64).min  # NumPy's NaT
_NAMES = np.array([int.from_bytes(name, "big") for name in b"jan feb mar apr may jun jul aug sep oct nov dec".split()])


@compiled
def row_end(text: ByteArray, delimiter: int, state: int) -> tuple[int, int]:
    """Return the position after the first row of a text (−1: the row does not end), and the state after the text.

    The states, of which ``state`` is that before the text: 0, a field begins; 1, inside a field; 2, inside a quoted
    field; 3, after a quotation mark inside a quoted field, which closes it unless another mark follows. A mark opens a
    quoted field only at its beginning, and a line ends only outside of quotes.
    """
    first = -1
    for i in range(len(text)):
        byte = text[i]
        if state == 2:
            if byte == 34:
                state = 3
        elif byte == 34 and state != 1:
            state = 2
        elif byte == 10 or byte == 13:
            state = 0
            if first < 0:
                first = i + 1
        else:
            state = 0 if byte == delimiter else 1
    return first, state


@compiled
def read_dates(
    text: ByteArray,
    offsets: IntArray,
    digits: NDArray[np.int8],
    bounds: IntArray,
    places: tuple[int, ...],
    months: IntArray,
    moments: IntArray,
) -> None:
    """Set ``moments[i]``, in microseconds since 1970, to what ``text[offsets[i]:offsets[i + 1]]`` says in a format.

    It is NaT where a cell is not written in the format, or is no possible date.

    Parameters
    ----------
    text, offsets
        The bytes of all cells; where each begins, and where the last one ends.
    digits, bounds
        The steps of the format, as :func:`_match` takes them.
    places
        Which steps take the year, month, day, hour, hour of twelve, minute, second, fraction of a second, and the
        digit 0 or 1 for AM or PM; the number of steps for what the format does not have. It has year, month and day.
    months
        The first day of each month from January of the year 0 to January of the year 10000, in days since 1970.
    moments
        One for each cell; only written to.
    """
    year_at, month_at, day_at, hour_at, twelve_at, minute_at, second_at, fraction_at, half_at = places
    steps = len(bounds)
    marks, numbers = np.zeros(steps + 2, np.int64), np.zeros(steps + 1, np.int64)
    for i in range(len(moments)):
        moments[i] = _NO_DATE
        if not _match(text, offsets[i], offsets[i + 1], digits, bounds, fraction_at, marks, numbers):
            continue
        year, month, day = numbers[year_at], numbers[month_at], numbers[day_at]
        if marks[year_at + 1] - marks[year_at] == 2:
            year += 1900 if year >= 69 else 2000
        begin = marks[month_at]
        if text[begin] > 57:  # a letter
            month = _named(text, begin)
        hour, minute, second = numbers[hour_at], numbers[minute_at], numbers[second_at]
        if twelve_at < steps:
            hour = numbers[twelve_at]
            if hour < 1 or hour > 12:
                continue
            if half_at < steps:
                hour = (0 if hour == 12 else hour) + 12 * numbers[half_at]
        if not (1 <= month <= 12 and hour < 24 and minute < 60 and second < 60):
            continue
        first = np.uintp(12 * year + month - 1)
        if not 1 <= day <= months[first + np.uintp(1)] - months[first]:
            continue
        fraction = numbers[fraction_at]
        if fraction > 0:
            fraction *= 10 ** (6 - marks[fraction_at + 1] + marks[fraction_at])
        seconds = 86400 * (months[first] + day - 1) + 3600 * hour + 60 * minute + second
        moments[i] = 1_000_000 * seconds + fraction


@compiled
def _match(
    text: ByteArray,
    begin: int,
    end: int,
    digits: NDArray[np.int8],
    bounds: IntArray,
    fraction_at: int,
    marks: IntArray,
    numbers: IntArray,
) -> bool:
    """Return whether the steps of a format take ``text[begin:end]`` from its beginning to its end.

    Step k takes at least ``bounds[k, 0]`` and at most ``bounds[k, 1]`` bytes for which ``digits[k]`` (256,) is not −1,
    as many as it can. If a later step fails, the last one that can do with less takes one byte less, as in a regular
    expression. The digits of a fraction are taken only if the step before, a point, took something.

    Step k took ``text[marks[k]:marks[k + 1]]``, of which the digits make ``numbers[k]``.
    """
    steps, k, position = len(bounds), 0, begin
    marks[0] = begin
    while k < steps or position < end:
        if k < steps:
            this = np.uintp(k)  # numbers without a sign make fast positions
            least, most = bounds[this, 0], bounds[this, 1]
            if k == fraction_at and marks[k] == marks[k - 1]:
                least, most = 0, 0
            stop, number = min(end, position + most), np.int64(0)
            while position < stop:
                digit = digits[this, text[np.uintp(position)]]
                if digit < 0:
                    break
                number = 10 * number + digit
                position += 1
            numbers[this] = number
            k += 1
            marks[np.uintp(k)] = position
            if position - marks[this] >= least:
                continue
        k -= 1
        while k >= 0 and marks[k + 1] - marks[k] <= bounds[k, 0]:
            k -= 1
        if k < 0:
            return False
        numbers[k] //= 10
        k += 1
        marks[k] -= 1
        position = marks[k]
    return True


@compiled
def _named(text: ByteArray, begin: int) -> int:
    """Return the number of the month whose name begins with the three letters from ``begin`` on, or 0."""
    letters, month = np.int64(0), 0
    for i in range(3):
        letters = letters << 8 | text[begin + i] | 32  # as a small letter
    for i in range(12):
        if _NAMES[i] == letters:
            month = i + 1
    return month
