"""From what was surveyed to an encoder: ChiMerge, a pure function of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray
from atfnb.encoding import Attribute, Distribution, MaxBins, Missing, TableEncoder
from atfnb.encoding.attributes import cut_between, cut_numbers, from_counts, numbers_first
from atfnb.encoding.chimerge import place_among, resolve_max_bins
from atfnb.encoding.number_labels import whole_range
from atfnb.scale.labelled import Labelled
from atfnb.scale.rows import TableInParts
from atfnb.scale.sketch import rank_error
from atfnb.scale.summary import RankErrors
from atfnb.scale.survey import Categories, Numbers, Survey


@dataclass(frozen=True)
class Candidates:
    """The pass over candidate cuts: how often each number falls between its own, with each class; and their sum."""

    classes: NDArray[Any]
    edges: dict[str, FloatArray]
    """Of each column that was sketched."""

    def empty(self) -> _Tables:
        """No rows: a table of (edges + 1, classes and the sum) for each of the columns."""
        return _Tables(np.zeros((len(edges) + 1, len(self.classes) + 1)) for edges in self.edges.values())

    def fill(self, into: _Tables, rows: Labelled) -> _Tables:
        """Add some rows."""
        if not len(rows.y):
            return into
        y = np.searchsorted(self.classes, rows.classes)[rows.y]
        for table, column, edges in zip(into, rows.table.columns, self.edges.values(), strict=True):
            present = ~column.missing
            values, weight = column.values[present], rows.weight[present]
            place = place_among(edges, values)
            counted = np.bincount(place * len(self.classes) + y[present], weight, len(table) * len(self.classes))
            table[:, :-1] += counted.reshape(len(table), -1)
            table[:, -1] += np.bincount(place, weight * values, len(table))
        return into


class _Tables(list[FloatArray]):
    """Tables that add up one by one."""

    def __add__(self, other: list[FloatArray]) -> _Tables:  # type: ignore[override]
        return _Tables(a + b for a, b in zip(self, other, strict=True))


@dataclass(frozen=True)
class Coding:
    """How to code each column, and what came to light on the way."""

    encoder: TableEncoder
    distributions: tuple[Distribution | None, ...]
    """How the rows are distributed over each number; None for a category."""
    rank_errors: RankErrors


def fit_encoder_to(
    surveyed: Survey, rows: TableInParts, *, max_bins: MaxBins = "n_classes", missing: Missing = "impute"
) -> Coding:
    """Learn how to code each column.

    One more pass, over those numbers that had too many distinct values, if any.
    """
    classes = surveyed.classes
    assert classes is not None  # noqa: S101
    bins = resolve_max_bins(max_bins, len(classes))
    numbers = [column for column in surveyed.columns if isinstance(column, Numbers)]
    found = {column.name: column.sketch.candidates() for column in numbers if column.sketch is not None}
    edges = {name: at for name, (at, _) in found.items()}
    between = {}
    if edges:
        candidates = Candidates(classes, edges)
        tables = rows.of_numbers(tuple(edges)).rows.sum("candidate cuts", candidates.empty, candidates.fill)
        between = dict(zip(edges, tables, strict=True))

    def attribute(column: Numbers | Categories) -> tuple[Attribute, Distribution | None]:
        if isinstance(column, Categories):
            return _categorical(column, missing), None
        if column.sketch is None:
            coded = cut_numbers(column.name, column.distinct, column.table, column.gaps, bins, missing)
            return coded, Distribution.of_values(column.distinct, column.table.sum(axis=1))
        cuts, table, mean = edges[column.name], between[column.name], column.total / column.weight
        whole = whole_range(*column.sketch.ends) if column.whole else None
        coded = cut_between(column.name, cuts, table[:, :-1], mean, column.gaps, bins, missing, whole)
        return coded, Distribution.of_groups(cuts, table[:, :-1].sum(axis=1), table[:, -1], column.sketch.ends, mean)

    attributes, distributions = zip(*map(attribute, surveyed.columns), strict=True)
    errors = tuple((name, rank_error(shares, between[name][:, :-1])) for name, (_, shares) in found.items())
    return Coding(TableEncoder(attributes), distributions, errors)


def _categorical(column: Categories, missing: Missing) -> Attribute:
    """Whole numbers in one part and others in another are all numbers, as in one array of both."""
    categories = sorted(column.known, key=numbers_first)
    weights = np.array([column.known[category] for category in categories])
    if any(isinstance(category, float) for category in categories):
        categories = [float(category) if isinstance(category, int) else category for category in categories]
    return from_counts(column.name, categories, weights, column.missing == 0, missing)
