"""The short cut for a matrix of whole numbers whose columns are all categories: tables to look them up in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._pieces import SPAN, for_each_block, on_all_cores, row_blocks
from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.encoding.attributes import CategoricalAttribute

MAX_CELLS = 1 << 22
"""Look-up tables larger than this are slower than sorting."""


@dataclass(frozen=True)
class IntegerCoder:
    """Where in the sorted list of its categories each whole number stands, column by column."""

    lowest: IntArray
    place: CodeArray
    """(columns, span) codes of lowest, lowest + 1, …"""
    unknown: CodeArray

    def are_codes(self, values: NDArray[Any]) -> bool:
        """Whether whole numbers are their own codes, those left out in training being just above the others."""
        own = np.minimum(np.arange(self.place.shape[1]), self.unknown[:, None])
        if values.dtype != self.place.dtype or self.lowest.any() or not np.array_equal(self.place, own):
            return False
        return bool((bounds(values)[1] <= self.unknown).all())

    def encode(self, values: NDArray[Any]) -> CodeArray:
        """The code of each cell of a matrix of whole numbers; the matrix itself, where it holds the codes."""
        from atfnb._kernels import encoding as kernels

        if self.are_codes(values):
            return values
        codes = np.empty(values.shape, dtype=self.place.dtype)

        def block(rows: slice) -> None:
            kernels.look_up(np.ascontiguousarray(values[rows]), self.lowest, self.place, self.unknown, codes[rows])

        for_each_block(block, len(values))
        return codes


def coder(attributes: tuple[Any, ...]) -> IntegerCoder | None:
    """The look-up tables of attributes that are all categories of whole numbers; None where they would not serve."""
    if not all(
        isinstance(a, CategoricalAttribute) and a.categories and all(map(_fits, a.categories)) for a in attributes
    ):
        return None
    lowest = np.array([a.categories[0] for a in attributes], dtype=np.int64)
    span = max(a.categories[-1] - a.categories[0] for a in attributes) + 1
    if span * len(attributes) > MAX_CELLS:
        return None
    unknown = np.array([a.unknown for a in attributes])
    place = np.repeat(unknown[:, None], span, axis=1)
    for j, a in enumerate(attributes):
        place[j, np.array(a.categories) - lowest[j]] = np.arange(len(a.categories))
    dtype = np.min_scalar_type(int(unknown.max()))
    return IntegerCoder(lowest, place.astype(dtype), unknown.astype(dtype))


def _fits(category: Any) -> bool:
    """Whether a category is a whole number of 64 bits."""
    return type(category) is int and -(2**63) <= category < 2**63


def bounds(values: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """The lowest and the highest whole number of each column."""
    from atfnb._kernels import encoding as kernels

    def block(rows: slice) -> IntArray:
        return kernels.bounds(np.ascontiguousarray(values[rows]))

    ends = np.array(list(on_all_cores(block, row_blocks(len(values), SPAN))))
    return ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)


def count_categories(values: NDArray[Any], weight: FloatArray) -> list[tuple[IntArray, FloatArray]] | None:
    """The whole numbers in each column, sorted, and the weight of each; None where a table would not serve."""
    from atfnb._kernels import encoding as kernels

    lowest, highest = bounds(values)
    span = int((highest - lowest).max()) + 1
    if span * values.shape[1] > MAX_CELLS:
        return None

    def count(rows: slice) -> FloatArray:
        counts = np.zeros((values.shape[1], span))
        kernels.count_integers(np.ascontiguousarray(values[rows]), lowest, np.ascontiguousarray(weight[rows]), counts)
        return counts

    total = sum(on_all_cores(count, row_blocks(len(values), SPAN)), start=np.zeros((values.shape[1], span)))
    return [(np.flatnonzero(counts) + low, counts[counts > 0]) for low, counts in zip(lowest, total, strict=True)]
