"""How the values of an attribute are spread, class by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray, IntArray

BARS = 30
SERIES = 8
"""Classes that have a colour of their own: the most frequent. The others share one."""
TAIL = 0.005
"""The share of the rows, at either end, that may be put into the last bar."""


@dataclass(frozen=True)
class Histogram:
    """Bars over a number; ``counts[bar, series]`` rows each."""

    edges: FloatArray
    counts: IntArray
    below: bool
    above: bool
    """Whether the first and the last bar also hold what is beyond their edge."""


def series_of(class_rows: FloatArray) -> IntArray:
    """The series each class is drawn in: the most frequent ones 0, 1, …, in the order of the classes; the others 8.

    >>> series_of(np.array([5.0, 9.0, 1.0]))
    array([0, 1, 2])
    """
    frequent = np.sort(np.argsort(-class_rows, kind="stable")[:SERIES])
    series = np.full(len(class_rows), SERIES, dtype=np.int64)
    series[frequent] = np.arange(len(frequent))
    return series


def lumped(table: FloatArray, series: IntArray) -> FloatArray:
    """The columns of a (values × classes) table, added up by series."""
    into = np.zeros((len(table), int(series.max()) + 1))
    for c, place in enumerate(series):
        into[:, place] += table[:, c]
    return into


def histogram(values: NDArray[Any], series: IntArray, n_series: int) -> Histogram:
    """Bars over the values that are there, and of which series the rows in each are.

    >>> found = histogram(np.array([1, 1, 3]), np.array([0, 1, 1]), 2)
    >>> found.edges, found.counts.tolist()
    (array([0.5, 1.5, 2.5, 3.5]), [[1, 1], [0, 0], [0, 1]])
    """
    numbers = values.astype(np.float64)
    lowest, highest = float(numbers.min()), float(numbers.max())
    edges = _edges(numbers, lowest, highest)
    bar = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(bar * n_series + series, minlength=(len(edges) - 1) * n_series)
    ends = bool(lowest < edges[0]), bool(highest > edges[-1])
    return Histogram(edges, counts.reshape(-1, n_series), *ends)


def _edges(numbers: FloatArray, lowest: float, highest: float) -> FloatArray:
    """A bar for each of a few whole numbers, else equal bars; without the few rows that are far off."""
    low, high = _body(numbers, lowest, highest)
    if high / 2 - low / 2 < BARS / 2 and np.array_equal(numbers, np.floor(numbers)):
        return np.arange(low, high + 2) - 0.5
    if low == high:
        around = max(abs(low) * 0.05, 0.5)
        low, high = low - around, high + around
    share = np.linspace(0.0, 1.0, min(BARS, max(5, int(2 * np.sqrt(len(numbers))))) + 1)
    return np.unique(low * (1 - share) + high * share)  # the difference of two numbers may be too large for a float


def _body(numbers: FloatArray, lowest: float, highest: float) -> tuple[float, float]:
    """Between which values nearly all rows are; an end that is not far from there stays the end."""
    low = float(np.quantile(numbers, TAIL, method="lower"))
    high = float(np.quantile(numbers, 1 - TAIL, method="higher"))
    near = (high / 2 - low / 2) / 4
    if low == high:
        return lowest, highest
    return (lowest if low / 2 - lowest / 2 <= near else low), (highest if highest / 2 - high / 2 <= near else high)
