"""How one attribute is coded: cuts for numbers, a list of categories for the rest.

A coded attribute has ``n_values`` values, 0 … n_values − 1, and one more code, ``unknown`` = n_values, for what
was not seen in training: it says nothing for or against a class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import BoolArray, ClassArray, FloatArray, IntArray
from atfnb.encoding.chimerge import chimerge, cut_points, place_among, value_class_table
from atfnb.encoding.number_labels import are_whole, interval_labels, whole_labels, whole_range
from atfnb.tables import Column, Words

Missing = Literal["impute", "skip", "value"]


class EmptyColumnWarning(UserWarning):
    """Some columns have no value in any of the training rows."""


@dataclass(frozen=True)
class NumericAttribute:
    """A number's code is the number of cuts that do not exceed it."""

    name: str
    cuts: FloatArray
    n_values: int
    missing_code: int
    """The code of a missing cell."""
    whole: tuple[int, int] | None = None
    """The lowest and the highest number in training, if all were whole numbers. It only matters for the labels."""

    @property
    def n_known(self) -> int:
        """The number of intervals: of values beside "missing"."""
        return len(self.cuts) + 1

    @property
    def unknown(self) -> int:
        """The code that says nothing."""
        return self.n_values

    @property
    def labels(self) -> list[str]:
        """The values in words: whole numbers or intervals, and "missing" where that is a value.

        >>> NumericAttribute("year", np.array([2007.5, 2008.5]), 3, 0, whole=(2001, 2012)).labels
        ['≤ 2007', '= 2008', '≥ 2009']
        >>> NumericAttribute("size", np.array([2.5, 4.0]), 3, 0).labels
        ['< 2.5', '2.5 to 4', '≥ 4']
        """
        intervals = interval_labels(self.cuts) if self.whole is None else whole_labels(self.cuts, *self.whole)
        return [*intervals, "missing"][: self.n_values]

    def fits_labels(self, values: NDArray[Any]) -> BoolArray:
        """Return whether the labels hold for each number: not for a fraction if training had whole numbers only."""
        if self.whole is None:
            return np.ones(len(values), dtype=bool)
        low, high = self.whole
        return np.asarray((values == np.floor(values)) & (values >= low) & (values <= high))

    def encode(self, column: Column) -> IntArray:
        """The code of each cell."""
        if not column.is_number:
            raise ValueError(
                f"column {self.name!r} held numbers when the model was fitted and holds text now: convert it."
            )
        codes = place_among(self.cuts, column.values)
        return codes if column.is_complete else np.where(column.missing, self.missing_code, codes)


@dataclass(frozen=True)
class CategoricalAttribute:
    """A category's code is its place in the sorted list of those seen in training.

    A column that had no value in training has no categories: whatever it holds later is unknown.
    """

    name: str
    categories: tuple[Any, ...]
    n_values: int
    missing_code: int
    """The code of a missing cell."""

    @property
    def n_known(self) -> int:
        """The number of categories: of values beside "missing"."""
        return len(self.categories)

    @property
    def unknown(self) -> int:
        """The code of a category that was not seen, which says nothing."""
        return self.n_values

    @property
    def labels(self) -> list[str]:
        """The values in words."""
        return [*map(str, self.categories), "missing"][: self.n_values]

    @property
    def is_number(self) -> bool:
        """Whether the categories are numbers or truth values."""
        return not any(isinstance(category, (str, bytes)) for category in self.categories)

    def encode(self, column: Column) -> IntArray:
        """The code of each cell."""
        if not self.categories:
            return np.full(len(column.values), self.unknown)
        if column.is_number and self.is_number:
            codes = self._encode_numbers(column.values)
        elif column.words is not None:
            self._check_kind(column.words.distinct)
            codes = self._encode_objects(column.words.distinct)[column.words.place]
        else:
            self._check_kind(column.values[~column.missing])
            codes = self._encode_objects(column.values)
        return codes if column.is_complete else np.where(column.missing, self.missing_code, codes)

    def _encode_numbers(self, values: NDArray[Any]) -> IntArray:
        known = np.array(self.categories)
        whole = values.dtype.kind in "iu" and all(type(category) is int for category in self.categories)
        mixed_up = whole and np.result_type(known, values).kind == "f"  # beyond 64 bits with a sign
        if mixed_up or known.dtype == object:  # decimals cannot be sorted in among gaps
            return self._encode_objects(values)
        place = np.minimum(np.searchsorted(known, values), len(known) - 1)
        return np.where(known[place] == values, place, self.unknown)

    def _encode_objects(self, values: NDArray[Any]) -> IntArray:
        place = {category: code for code, category in enumerate(self.categories)}
        codes = map(place.get, values.tolist(), repeat(self.unknown))
        return np.fromiter(codes, dtype=np.int64, count=len(values))

    def _check_kind(self, cells: NDArray[Any]) -> None:
        """Refuse text where numbers were learned, and numbers where text was: nothing would be recognised."""
        text = {issubclass(kind, (str, bytes)) for kind in set(map(type, cells.tolist()))}
        learned = {isinstance(category, (str, bytes)) for category in self.categories}
        if text and text.isdisjoint(learned):
            was, now = ("text", "numbers") if True in learned else ("numbers", "text")
            raise ValueError(
                f"column {self.name!r} held {was} when the model was fitted and holds {now} now: convert it."
            )


Attribute = NumericAttribute | CategoricalAttribute


def fit_attribute(
    column: Column, y: ClassArray, weight: FloatArray, n_classes: int, max_bins: int, missing: Missing
) -> Attribute:
    """Learn how to code one column."""
    if not column.is_complete and column.missing.all():
        return without_values(column.name)
    if column.categorical:
        return _fit_categorical(column, weight, missing)
    present: Any = slice(None) if column.is_complete else ~column.missing
    values = np.ascontiguousarray(column.values[present], dtype=np.float64)
    distinct, table = value_class_table(values, y[present], weight[present], n_classes)
    gaps = np.zeros(n_classes)
    if not column.is_complete:
        gaps = np.bincount(y[column.missing], weights=weight[column.missing], minlength=n_classes).astype(np.float64)
    return cut_numbers(column.name, distinct, table, gaps, max_bins, missing)


def cut_numbers(
    name: str, distinct: FloatArray, table: FloatArray, gaps: FloatArray, max_bins: int, missing: Missing
) -> NumericAttribute:
    """Cut a number between its distinct values, by how often each occurs with each class.

    ``gaps`` (classes,) is how often the number is missing.

    >>> table = np.array([[5.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    >>> cut_numbers("x", np.array([1.0, 2.0, 4.0]), table, np.zeros(2), max_bins=2, missing="impute").cuts
    array([3.])
    """
    mean = weighted_mean(distinct, table)
    whole = whole_range(float(distinct[0]), float(distinct[-1])) if are_whole(distinct) else None
    if missing == "impute" and gaps.any():
        distinct, table = _impute(distinct, table, mean, gaps)
    return _numeric(name, cut_points(distinct, chimerge(table, max_bins)), mean, gaps, missing, whole)


def cut_between(
    name: str,
    edges: FloatArray,
    table: FloatArray,
    mean: float,
    gaps: FloatArray,
    max_bins: int,
    missing: Missing,
    whole: tuple[int, int] | None = None,
) -> NumericAttribute:
    """Cut a number at some of given edges, by how often it falls between them with each class: (edges + 1, classes).

    ``whole`` holds the lowest and the highest number, if all are whole.

    >>> table = np.array([[5.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    >>> cut_between("x", np.array([1.5, 3.0]), table, 2.0, np.zeros(2), max_bins=2, missing="impute").cuts
    array([3.])
    """
    table = table.copy()
    if missing == "impute":
        table[place_among(edges, np.array([mean]))[0]] += gaps
    filled = np.flatnonzero(table.sum(axis=1))
    starts = filled[chimerge(table[filled], max_bins)]
    return _numeric(name, edges[starts[1:] - 1], mean, gaps, missing, whole)


def _numeric(
    name: str, cuts: FloatArray, mean: float, gaps: FloatArray, missing: Missing, whole: tuple[int, int] | None
) -> NumericAttribute:
    imputed = int(place_among(cuts, np.array([mean]))[0])
    return NumericAttribute(name, cuts, *_missing_code(not gaps.any(), missing, len(cuts) + 1, imputed), whole)


def weighted_mean(distinct: FloatArray, table: FloatArray) -> float:
    """The mean of the values, in whatever order they came; a value itself, where it is one but for rounding."""
    share = table @ np.ones(table.shape[1])
    mean = float(np.clip(np.sum(distinct * (share / share.sum())), distinct[0], distinct[-1]))
    place = int(np.searchsorted(distinct, mean))
    around = distinct[max(place - 1, 0) : place + 1]
    nearest = float(around[np.argmin(np.abs(around - mean))])
    return nearest if math.isclose(nearest, mean, rel_tol=1e-14) else mean


def _impute(distinct: FloatArray, table: FloatArray, mean: float, gaps: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The table of values and classes with the missing cells put at the mean."""
    place = int(np.searchsorted(distinct, mean))
    if distinct[place] == mean:
        table = table.copy()
    else:
        distinct, table = np.insert(distinct, place, mean), np.insert(table, place, 0.0, axis=0)
    table[place] += gaps
    return distinct, table


def without_values(name: str) -> CategoricalAttribute:
    """Return the attribute of a column that has no values: each of its cells is unknown."""
    return CategoricalAttribute(name, (), n_values=0, missing_code=0)


def _fit_categorical(column: Column, weight: FloatArray, missing: Missing) -> CategoricalAttribute:
    if column.words is not None:
        return _of_words(column, column.words, weight, missing)
    cells = column.values[~column.missing]
    categories: Any
    if column.is_number:
        categories, place = np.unique(cells, return_inverse=True)
    else:
        categories = sorted(set(cells.tolist()), key=numbers_first)
        index = {category: code for code, category in enumerate(categories)}
        place = np.fromiter(map(index.__getitem__, cells.tolist()), dtype=np.int64, count=len(cells))
    weights = np.bincount(place, weights=weight[~column.missing]).astype(np.float64, copy=False)
    return from_counts(column.name, categories, weights, column.is_complete, missing)


def _of_words(column: Column, words: Words, weight: FloatArray, missing: Missing) -> CategoricalAttribute:
    counted = count_words(column, words, weight)
    categories = sorted(counted, key=numbers_first)
    weights = np.array([counted[category] for category in categories])
    return from_counts(column.name, categories, weights, column.is_complete, missing)


def count_words(column: Column, words: Words, weight: FloatArray) -> dict[Any, float]:
    """The weight of each word that occurs."""
    n = len(words.distinct)
    present: Any = slice(None) if column.is_complete else ~column.missing
    weights = np.bincount(words.place[present], weights=weight[present], minlength=n)
    return {word: weight for word, weight in zip(words.distinct.tolist(), weights.tolist(), strict=True) if weight > 0}


def from_counts(
    name: str, categories: Any, weights: FloatArray, complete: bool, missing: Missing
) -> CategoricalAttribute:
    """Code categories, sorted, each with its weight; ``complete`` tells that none is missing in any row."""
    plain = categories.tolist() if isinstance(categories, np.ndarray) else categories
    codes = _missing_code(complete, missing, len(categories), int(np.argmax(weights)))
    return CategoricalAttribute(name, tuple(plain), *codes)


def _missing_code(complete: bool, missing: Missing, n_known: int, imputed: int) -> tuple[int, int]:
    """How many values there are, and the code of a missing cell."""
    if missing == "impute":
        return n_known, imputed
    if missing == "value" and not complete:
        return n_known + 1, n_known
    return n_known, n_known  # skipped, or never seen in training: unknown


def numbers_first(category: Any) -> tuple[int, Any]:
    """Sort numbers before text, and text before bytes, in a column that mixes them."""
    return (1 if isinstance(category, str) else 2 if isinstance(category, bytes) else 0), category
