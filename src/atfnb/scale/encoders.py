"""From what was surveyed to an encoder: ChiMerge, a pure function of tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray
from atfnb.encoding import Attribute, MaxBins, Missing, TableEncoder
from atfnb.encoding.attributes import cut_between, cut_numbers, from_counts, numbers_first
from atfnb.encoding.chimerge import place_among, resolve_max_bins
from atfnb.scale.labelled import Labelled
from atfnb.scale.running import DaskPieces
from atfnb.scale.sketch import rank_error
from atfnb.scale.summary import RankErrors
from atfnb.scale.survey import Categories, Numbers, Survey

RowsWith = Callable[[tuple[str, ...]], DaskPieces[Labelled]]
"""The rows, with these attributes only."""


@dataclass(frozen=True)
class Candidates:
    """The pass over candidate cuts: how often each number falls between its own, with each class."""

    classes: NDArray[Any]
    edges: dict[str, FloatArray]
    """Of each column that was sketched."""

    def empty(self) -> _Tables:
        """No rows: a table of (edges + 1, classes) for each of the columns."""
        return _Tables(np.zeros((len(edges) + 1, len(self.classes))) for edges in self.edges.values())

    def fill(self, into: _Tables, rows: Labelled) -> _Tables:
        """Add some rows."""
        y = np.searchsorted(self.classes, rows.classes)[rows.y]
        for table, column, edges in zip(into, rows.table.columns, self.edges.values(), strict=True):
            present = ~column.missing
            cell = place_among(edges, column.values[present]) * len(self.classes) + y[present]
            table += np.bincount(cell, weights=rows.weight[present], minlength=table.size).reshape(table.shape)
        return into


class _Tables(list[FloatArray]):
    """Tables that add up one by one."""

    def __add__(self, other: list[FloatArray]) -> _Tables:  # type: ignore[override]
        return _Tables(a + b for a, b in zip(self, other, strict=True))


def fit_encoder_to(
    surveyed: Survey, rows_with: RowsWith, *, max_bins: MaxBins = "n_classes", missing: Missing = "impute"
) -> tuple[TableEncoder, RankErrors]:
    """Learn how to code each column; one more pass, over those numbers that had too many distinct values, if any.

    Also, of each of those, by how much of the rows its candidate cuts are off.
    """
    classes = surveyed.classes
    assert classes is not None  # noqa: S101
    bins = resolve_max_bins(max_bins, len(classes))
    for column in surveyed.columns:
        if column.is_empty:
            raise ValueError(f"column {column.name!r} has no values, all are missing: leave it out.")
    numbers = [column for column in surveyed.columns if isinstance(column, Numbers)]
    found = {column.name: column.sketch.candidates() for column in numbers if column.sketch is not None}
    edges = {name: at for name, (at, _) in found.items()}
    between = {}
    if edges:
        candidates = Candidates(classes, edges)
        tables = rows_with(tuple(edges)).sum("candidate cuts", candidates.empty, candidates.fill)
        between = dict(zip(edges, tables, strict=True))

    def attribute(column: Numbers | Categories) -> Attribute:
        if isinstance(column, Categories):
            return _categorical(column, missing)
        if column.name in edges:
            mean, table = column.total / column.weight, between[column.name]
            return cut_between(column.name, edges[column.name], table, mean, column.gaps, bins, missing)
        return cut_numbers(column.name, column.distinct, column.table, column.gaps, bins, missing)

    errors = tuple((name, rank_error(shares, between[name])) for name, (_, shares) in found.items())
    return TableEncoder(tuple(map(attribute, surveyed.columns))), errors


def _categorical(column: Categories, missing: Missing) -> Attribute:
    """Whole numbers in one part and others in another are all numbers, as in one array of both."""
    categories = sorted(column.known, key=numbers_first)
    weights = np.array([column.known[category] for category in categories])
    if any(isinstance(category, float) for category in categories):
        categories = [float(category) if isinstance(category, int) else category for category in categories]
    return from_counts(column.name, categories, weights, column.missing == 0, missing)
