"""What the page knows of each attribute: how much it counts, and what each of its values says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.encoding import NumericAttribute
from atfnb.report.fitted import Fitted
from atfnb.report.histograms import BARS, SERIES, Histogram, histogram, lumped
from atfnb.report.text import LONGEST, shown
from atfnb.tables import Table

MOST_BYTES = 4_400_000
"""Of what a page holds of the values of all attributes, at most and about."""
MOST_VALUES = 400
"""Categories of one attribute that a page holds at most: the most frequent, and those of the rows to explain."""
MOST_LETTERS = 200_000
"""Letters of all categories together that a page holds at most, about."""


@dataclass(frozen=True)
class Bins:
    """The intervals ChiMerge made, or the categories, and how many rows of each series are in them."""

    cuts: FloatArray
    counts: FloatArray
    """(values, series)"""


@dataclass(frozen=True)
class Detail:
    """The values of an attribute, and what each adds to the score of each class."""

    cuts: FloatArray | None
    """Where a number is cut; categories have none."""
    whole: tuple[int, int] | None
    """The lowest and the highest number in training, if all were whole numbers."""
    codes: IntArray
    """Of the values that are here, in order; the last is "unknown"."""
    labels: tuple[str, ...] | None
    """The categories in words; intervals are told by the cuts."""
    missing_is_value: bool
    left_out: int
    """Categories that are not here, for there are too many."""
    rows: FloatArray
    """(values,) how much of the training rows has each."""
    effects: FloatArray
    """(values, classes) what each adds, less the mean over the classes."""
    histogram: Histogram | None
    bins: Bins
    gaps: int
    """Rows without a value."""


@dataclass(frozen=True)
class AttributeFacts:
    """One attribute."""

    name: str
    is_number: bool
    constant: bool
    weight: float
    spread: float
    """How far it moves the score of a class, up or down: see :func:`atfnb.model.spread`."""
    relevance: float
    redundancy: float
    like: tuple[int, float] | None
    """The attribute that is most like it, and how much so."""
    detail: Detail | None
    """Where there is room for it."""


def detailed(model: Fitted, bins: Fitted, order: IntArray, n_rows: int) -> BoolArray:
    """Which attributes there is room for: the first in the order given, so long as they fit.

    A number takes some bytes as text, and a byte of the packed effects 4/3 of a letter.
    """
    most, n_series = _most_cells(model), min(len(model.classes_), SERIES + 1)
    cells, n_bins = (np.minimum(one.counts_.n_values + 1, most) for one in (model, bins))
    sizes = cells * (4 / 3 * len(model.classes_) + 13) + (n_bins + BARS) * n_series * 2.2 + 10 * n_rows
    fits = np.zeros(len(sizes), dtype=bool)
    fits[order] = np.cumsum(sizes[order]) <= MOST_BYTES
    fits[order[0]] = True
    return fits


def _most_cells(model: Fitted) -> IntArray:
    """Intervals are all shown, of categories the most frequent."""
    numbers = [isinstance(attribute, NumericAttribute) for attribute in model.encoder_.attributes]
    return np.where(numbers, np.iinfo(np.int64).max, MOST_VALUES)


def detail_of(
    model: Fitted, j: int, table: Table, used: IntArray, bins: Fitted, series: IntArray, y: IntArray
) -> Detail:
    """The values of attribute j, those in ``used`` among them."""
    attribute, column = model.encoder_.attributes[j], table.columns[j]
    start, rows = model.counts_.offsets[j], model.counts_.of(j).sum(axis=1)
    is_number = isinstance(attribute, NumericAttribute)
    codes = np.arange(attribute.n_values)
    if not is_number and len(codes) > MOST_VALUES:
        frequent = np.argsort(-rows, kind="stable")[: MOST_VALUES // 2]
        codes = np.union1d(frequent, used[used < attribute.n_values])
    effects = model.table_[start + np.append(codes, attribute.n_values)]
    words = attribute.labels
    gaps = 0 if column.is_complete else int(column.missing.sum())
    return Detail(
        cuts=attribute.cuts if isinstance(attribute, NumericAttribute) else None,
        whole=attribute.whole if isinstance(attribute, NumericAttribute) else None,
        codes=np.append(codes, attribute.n_values),
        labels=None if is_number else tuple(shown(words[code]) for code in codes),
        missing_is_value=attribute.n_values > attribute.n_known,
        left_out=attribute.n_values - len(codes),
        rows=rows[codes],
        effects=effects - effects.mean(axis=1, keepdims=True),
        histogram=_histogram(column, series, y) if is_number else None,
        bins=_bins(model, bins, j, codes, series),
        gaps=gaps,
    )


def _histogram(column: Any, series: IntArray, y: IntArray) -> Histogram | None:
    present = ~column.missing
    if not present.any():
        return None
    return histogram(column.values[present], series[y[present]], int(series.max()) + 1)


def _bins(model: Fitted, bins: Fitted, j: int, codes: IntArray, series: IntArray) -> Bins:
    """ChiMerge's, of the model that has them; the categories are the model's own."""
    pair = model.encoder_.attributes[j], bins.encoder_.attributes[j]
    if not all(isinstance(attribute, NumericAttribute) for attribute in pair):
        return Bins(np.empty(0), lumped(model.counts_.of(j)[codes], series))
    return Bins(pair[1].cuts, lumped(bins.counts_.of(j), series))  # type: ignore[union-attr]


def longest_label(details: list[Detail]) -> int:
    """How many letters of a category there is room for."""
    n = sum(len(detail.labels or ()) for detail in details)
    return int(np.clip(MOST_LETTERS / max(n, 1), 16, LONGEST))
