"""How one attribute is coded: cuts for numbers, a list of categories for the rest.

A coded attribute has ``n_values`` values, 0 … n_values − 1, and one more code, ``unknown`` = n_values, for what
was not seen in training: it says nothing for or against a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import ClassArray, FloatArray, IntArray
from atfnb.encoding.chimerge import chimerge, cut_points, value_class_table
from atfnb.encoding.table import Column

Missing = Literal["impute", "skip", "value"]


@dataclass(frozen=True)
class NumericAttribute:
    """A number's code is the number of cuts that do not exceed it."""

    name: str
    cuts: FloatArray
    n_values: int
    missing: int
    """The code of a missing cell."""

    @property
    def unknown(self) -> int:
        """The code that says nothing."""
        return self.n_values

    @property
    def labels(self) -> list[str]:
        """The values in words: intervals, and "missing" where that is a value."""
        ends = [f"{cut:.6g}" for cut in self.cuts]
        if not ends:
            intervals = ["any"]
        else:
            between = [f"{low} to {high}" for low, high in pairwise(ends)]
            intervals = [f"< {ends[0]}", *between, f"≥ {ends[-1]}"]
        return [*intervals, "missing"][: self.n_values]

    def encode(self, column: Column) -> IntArray:
        """The code of each cell."""
        if not column.is_number:
            raise ValueError(
                f"column {self.name!r} held numbers when the model was fitted and holds text now: convert it."
            )
        codes = np.searchsorted(self.cuts, column.values.astype(np.float64), side="right")
        return np.where(column.missing, self.missing, codes)


@dataclass(frozen=True)
class CategoricalAttribute:
    """A category's code is its place in the sorted list of those seen in training."""

    name: str
    categories: tuple[Any, ...]
    n_values: int
    missing: int
    """The code of a missing cell."""

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
        present = ~column.missing
        if column.is_number and self.is_number:
            codes = self._encode_numbers(column.values)
        else:
            self._check_kind(column.values[present])
            codes = self._encode_objects(column.values)
        return np.where(present, codes, self.missing)

    def _encode_numbers(self, values: NDArray[Any]) -> IntArray:
        known = np.array(self.categories)
        place = np.minimum(np.searchsorted(known, values), len(known) - 1)
        return np.where(known[place] == values, place, self.unknown)

    def _encode_objects(self, values: NDArray[Any]) -> IntArray:
        place = {category: code for code, category in enumerate(self.categories)}
        codes = map(place.get, values.tolist(), repeat(self.unknown))
        return np.fromiter(codes, dtype=np.int64, count=len(values))

    def _check_kind(self, cells: NDArray[Any]) -> None:
        """Refuse text where numbers were learned, and numbers where text was: nothing would be recognised."""
        text = {isinstance(cell, (str, bytes)) for cell in cells.tolist()}
        learned = {isinstance(category, (str, bytes)) for category in self.categories}
        if text and text.isdisjoint(learned):
            was, now = ("text", "numbers") if True in learned else ("numbers", "text")
            raise ValueError(
                f"column {self.name!r} held {was} when the model was fitted and holds {now} now: convert it."
            )


Attribute = NumericAttribute | CategoricalAttribute


def fit_attribute(
    column: Column,
    y: ClassArray,
    weight: FloatArray,
    n_classes: int,
    *,
    max_bins: int | None,
    significance: float | None,
    missing: Missing,
) -> Attribute:
    """Learn how to code one column."""
    if column.missing.all():
        raise ValueError(f"column {column.name!r} has no values, all are missing: leave it out.")
    if column.categorical:
        return _fit_categorical(column, weight, missing)
    present = ~column.missing
    values = column.values.astype(np.float64)
    mean = float(np.average(values[present], weights=weight[present]))
    if missing == "impute":
        values, present = np.where(present, values, mean), np.ones_like(present)
    distinct, table = value_class_table(values[present], y[present], weight[present], n_classes)
    cuts = cut_points(distinct, chimerge(table, max_bins, significance))
    n_bins = len(cuts) + 1
    n_values, missing_code = _missing_code(column, missing, n_bins, int(np.searchsorted(cuts, mean, side="right")))
    return NumericAttribute(column.name, cuts, n_values, missing_code)


def _fit_categorical(column: Column, weight: FloatArray, missing: Missing) -> CategoricalAttribute:
    cells = column.values[~column.missing]
    if column.is_number:
        distinct, place = np.unique(cells, return_inverse=True)
        categories = tuple(distinct.tolist())
    else:
        categories = tuple(sorted(set(cells.tolist()), key=_numbers_first))
        index = {category: code for code, category in enumerate(categories)}
        place = np.fromiter(map(index.__getitem__, cells.tolist()), dtype=np.int64, count=len(cells))
    most_frequent = int(np.argmax(np.bincount(place, weights=weight[~column.missing])))
    n_values, missing_code = _missing_code(column, missing, len(categories), most_frequent)
    return CategoricalAttribute(column.name, categories, n_values, missing_code)


def _missing_code(column: Column, missing: Missing, n_known: int, imputed: int) -> tuple[int, int]:
    """How many values there are, and the code of a missing cell."""
    if missing == "impute":
        return n_known, imputed
    if missing == "value" and column.missing.any():
        return n_known + 1, n_known
    return n_known, n_known  # skipped, or never seen in training: unknown


def _numbers_first(category: Any) -> tuple[int, Any]:
    """Sort numbers before text, and text before bytes, in a column that mixes them."""
    return (1 if isinstance(category, str) else 2 if isinstance(category, bytes) else 0), category
