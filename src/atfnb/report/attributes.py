"""What the page shows of each attribute: how much it counts, its values, their effects and their distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import NumericAttribute
from atfnb.report.sentences import LONGEST, one_line
from atfnb.tables import Column, Part

MOST_BYTES = 4_400_000
"""The approximate limit, in bytes, on the values of all attributes together in a page."""
FINE_CELLS = 1_000_000
"""With up to this number of effects, each takes two bytes in the page, and one more for its band; with more, one."""
MOST_VALUES = 400
"""The largest number of categories of one attribute in a page: the most frequent, and those of the rows to explain."""
MOST_LETTERS = 200_000
"""The approximate limit on the characters of all categories together in a page."""
BARS = 30
"""The largest number of bars of a histogram."""
SERIES = 8
"""The number of classes that have a colour of their own, the most frequent ones; the other classes share one colour."""
TAIL = 0.005
"""The share of the rows at either end that the outermost bar of a histogram may hold in addition to its own."""


@dataclass(frozen=True)
class Histogram:
    """The number of rows in bars over a number, by series."""

    edges: FloatArray
    """(bars + 1,) the ends of the bars."""
    counts: IntArray
    """(bars, series) the number of rows."""
    below: bool
    """Whether the first bar also holds the rows below its edge."""
    above: bool
    """Whether the last bar also holds the rows above its edge."""


@dataclass(frozen=True)
class Detail:
    """The values of an attribute, and what each adds to the joint log-likelihood of each class."""

    cuts: FloatArray | None
    """Where a number is cut; None for categories."""
    whole: tuple[int, int] | None
    """The lowest and the highest number in training, if all were whole numbers."""
    codes: IntArray
    """(values,) the codes of the values in the page, in order; the last is "unknown"."""
    labels: tuple[str, ...] | None
    """The categories; None for a number, whose intervals follow from the cuts."""
    missing_is_value: bool
    """Whether a missing value counts as a value of its own."""
    left_out: int
    """The number of categories that the page has no room for."""
    rows: FloatArray
    """(values,) the weight of the training rows with each value."""
    effects: FloatArray
    """(values, classes) what each value adds, less the mean over the classes."""
    errors: FloatArray | None
    """(values, classes) the standard errors of the effects; None where the model does not have them."""
    histogram: Histogram | None
    """How the rows are distributed over a number; None for categories."""
    counts: FloatArray | None
    """(values, series) the weight of the training rows with each category, by series; None for a number."""


@dataclass(frozen=True)
class AttributeFacts:
    """One attribute of the page."""

    name: str
    is_number: bool
    part: Part | None
    """Which part of a date or time it is, if any."""
    ordered: bool
    """Whether its values have an order: numbers, months and weekdays."""
    constant: bool
    """Whether the attribute has one value only."""
    unused: int
    """The number of values of a column that is not used because they do not help to predict the class; otherwise 0."""
    missing: int
    """The number of rows in which the value is missing."""
    share: float
    """The share of the total effect of all attributes and pairs, by :func:`atfnb.model.spread`."""
    weight: float
    relevance: float | None
    redundancy: float | None
    """The two indexes of a model that weighs them against each other; None for others."""
    similar: tuple[int, float] | None
    """The position of the most similar other attribute, and the similarity, from 0 to 1, for such a model."""
    detail: Detail | None
    """The values and their effects; None where the page has no room for them."""


def detailed(model: BaseNB, order: IntArray, n_rows: int, taken: int = 0) -> BoolArray:
    """Return which attributes the page has room for, taken in the given order: a boolean array (attributes,).

    The size is an estimate: a number takes some bytes as text, and a byte of the packed effects 4/3 of a character.
    ``taken`` bytes of the room are needed for something else.
    """
    n_series = min(len(model.classes_), SERIES + 1)
    cells = np.minimum(model.counts_.n_values + 1, _most_cells(model))
    bytes_of_effects = 3 if has_bands(model) else 1
    sizes = cells * (4 / 3 * bytes_of_effects * len(model.classes_) + 13) + BARS * n_series * 2.2 + 10 * n_rows
    fits = np.zeros(len(sizes), dtype=bool)
    fits[order] = np.cumsum(sizes[order]) <= MOST_BYTES - taken
    fits[order[0]] = True
    return fits


def has_bands(model: BaseNB) -> bool:
    """Return whether the page has room for the band of each effect, and for two bytes of the effect itself."""
    cells = np.minimum(model.counts_.n_values + 1, _most_cells(model))
    return bool(cells.sum() * len(model.classes_) <= FINE_CELLS)


def _most_cells(model: BaseNB) -> IntArray:
    """Return the number of values of each attribute that are shown at most: all intervals, but not all categories."""
    numbers = [isinstance(attribute, NumericAttribute) for attribute in model.encoder_.attributes]
    return np.where(numbers, np.iinfo(np.int64).max, MOST_VALUES)


def detail_of(
    model: BaseNB, j: int, column: Column, used: IntArray, errors: FloatArray | None, series: IntArray, y: IntArray
) -> Detail:
    """Return the values of attribute j and their effects.

    Parameters
    ----------
    model : classifier
        A fitted one.
    j : int
        The position of the attribute.
    column : Column
        Its column in the table of the page.
    used : (rows to explain,) array
        The codes that must be among the values.
    errors : (cells, classes) array or None
        The model's ``effect_errors_``.
    series : (classes,) array
        See :func:`series_of`.
    y : (rows,) array
        The code of each row's class.
    """
    attribute, rows = model.encoder_.attributes[j], model.counts_.of(j).sum(axis=1)
    number = attribute if isinstance(attribute, NumericAttribute) else None
    codes = np.arange(attribute.n_values)
    if number is None and len(codes) > MOST_VALUES:
        frequent = np.argsort(-rows, kind="stable")[: MOST_VALUES // 2]
        codes = np.union1d(frequent, used[used < attribute.n_values])
    shown = np.append(codes, attribute.n_values)
    cells = model.model_.offsets[j] + shown
    effects, words = model.model_.scores[cells], attribute.labels
    return Detail(
        cuts=number.cuts if number else None,
        whole=number.whole if number else None,
        codes=shown,
        labels=None if number else tuple(one_line(words[code]) for code in codes),
        missing_is_value=attribute.n_values > attribute.n_known,
        left_out=attribute.n_values - len(codes),
        rows=rows[codes],
        effects=effects - effects.mean(axis=1, keepdims=True),
        errors=None if errors is None else errors[cells],
        histogram=_histogram(column, series, y) if number else None,
        counts=None if number else lumped(model.counts_.of(j)[codes], series),
    )


def _histogram(column: Column, series: IntArray, y: IntArray) -> Histogram | None:
    """Return the histogram of a number; None if all of its values are missing."""
    present = ~column.missing
    if not present.any():
        return None
    return histogram(column.values[present], series[y[present]], int(series.max()) + 1)


def longest_label(details: list[Detail]) -> int:
    """Return how many characters of each category the page has room for."""
    n = sum(len(detail.labels or ()) for detail in details)
    return int(np.clip(MOST_LETTERS / max(n, 1), 16, LONGEST))


# --- classes in series, rows in bars ---------------------------------------------------------------


def series_of(class_rows: FloatArray) -> IntArray:
    """Return the series in which each class is drawn: 0, 1, … for the eight most frequent, in order; 8 for the others.

    >>> series_of(np.array([5.0, 9.0, 1.0]))
    array([0, 1, 2])
    """
    frequent = np.sort(np.argsort(-class_rows, kind="stable")[:SERIES])
    series = np.full(len(class_rows), SERIES, dtype=np.int64)
    series[frequent] = np.arange(len(frequent))
    return series


def lumped(table: FloatArray, series: IntArray) -> FloatArray:
    """Add up the columns of a (values, classes) table by series: (values, series).

    >>> lumped(np.array([[1.0, 2.0, 3.0]]), np.array([0, 1, 1]))
    array([[1., 5.]])
    """
    into = np.zeros((len(table), int(series.max()) + 1))
    np.add.at(into.T, series, table.T)
    return into


def histogram(values: NDArray[Any], series: IntArray, n_series: int) -> Histogram:
    """Return the number of rows in bars over the values of a number, by series.

    >>> found = histogram(np.array([1, 1, 3]), np.array([0, 1, 1]), 2)
    >>> found.edges, found.counts.tolist()
    (array([0.5, 1.5, 2.5, 3.5]), [[1, 1], [0, 0], [0, 1]])
    """
    numbers = values.astype(np.float64)
    lowest, highest = float(numbers.min()), float(numbers.max())
    edges = _edges(numbers, lowest, highest)
    bar = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(bar * n_series + series, minlength=(len(edges) - 1) * n_series)
    return Histogram(edges, counts.reshape(-1, n_series), bool(lowest < edges[0]), bool(highest > edges[-1]))


def _edges(numbers: FloatArray, lowest: float, highest: float) -> FloatArray:
    """Return the edges of the bars: one bar per value for a few whole numbers, else bars of equal width."""
    low, high = _body(numbers, lowest, highest)
    if high / 2 - low / 2 < BARS / 2 and np.array_equal(numbers, np.floor(numbers)):
        return np.arange(low, high + 2) - 0.5
    if low == high:
        around = max(abs(low) * 0.05, 0.5)
        low, high = low - around, high + around
    share = np.linspace(0.0, 1.0, min(BARS, max(5, int(2 * np.sqrt(len(numbers))))) + 1)
    return np.unique(low * (1 - share) + high * share)  # the difference of two numbers may be too large for a float


def _body(numbers: FloatArray, lowest: float, highest: float) -> tuple[float, float]:
    """Return the ends of the range of nearly all rows, extended to the lowest or highest value if that is near."""
    low = float(np.quantile(numbers, TAIL, method="lower"))
    high = float(np.quantile(numbers, 1 - TAIL, method="higher"))
    near = (high / 2 - low / 2) / 4
    if low == high:
        return lowest, highest
    return (lowest if low / 2 - lowest / 2 <= near else low), (highest if highest / 2 - high / 2 <= near else high)
