"""Finer values: the cuts of an encoder, and between them as many more as there are quantiles to put them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import Attribute, NumericAttribute, weighted_mean
from atfnb.encoding.chimerge import place_among, value_class_table
from atfnb.encoding.encoder import TableEncoder
from atfnb.tables import Column, Table


@dataclass(frozen=True)
class FineEncoder:
    """An encoder with more cuts, and how its values stand to each other.

    A value of a number has a neighbour below it: ``distance`` is how far away that is, as a share of the way from
    the lowest to the highest; 0 for the lowest, and for what has no neighbours (categories, "missing", "unknown").
    """

    encoder: TableEncoder
    distance: FloatArray
    """(cells,)"""
    ordered: FloatArray
    """(cells,) 1 where a value has neighbours, 0 where it has none."""
    coarse: IntArray
    """(cells,) the cell of the coarse encoder that each value lies in."""


@dataclass(frozen=True)
class Distribution:
    """How rows are distributed over a number: its values, or groups of neighbouring values, from the lowest on."""

    values: FloatArray
    """(groups,) each value, or the mean of each group."""
    weight: FloatArray
    """(groups,) of the rows that have it."""
    between: FloatArray
    """(groups − 1,) where it can be cut."""
    ends: tuple[float, float]
    """The lowest and the highest number."""
    mean: float

    @classmethod
    def of_values(cls, distinct: FloatArray, weight: FloatArray) -> Self:
        """Distinct values, and the weight of the rows that have each."""
        mean = weighted_mean(distinct, weight[:, None])
        between = distinct[:-1] / 2 + distinct[1:] / 2
        return cls(distinct, weight, between, (float(distinct[0]), float(distinct[-1])), mean)

    @classmethod
    def of_groups(
        cls, edges: FloatArray, weight: FloatArray, total: FloatArray, ends: tuple[float, float], mean: float
    ) -> Self:
        """Values between edges: of each group, the weight of the rows and the weighted sum of the values."""
        lines = np.concatenate([ends[:1], edges, ends[1:]])
        middle = lines[:-1] / 2 + lines[1:] / 2
        return cls(np.divide(total, weight, out=middle, where=weight > 0), weight, edges, ends, mean)


def distributions_of(table: Table, weight: FloatArray) -> list[Distribution | None]:
    """How the rows are distributed over each number of a table; None for a category."""

    def of(column: Column) -> Distribution | None:
        if column.categorical:
            return None
        present = ~column.missing
        values = np.ascontiguousarray(column.values[present], dtype=np.float64)
        distinct, counted = value_class_table(values, np.zeros(len(values), dtype=np.int32), weight[present], 1)
        return Distribution.of_values(distinct.copy(), counted[:, 0].copy())  # both are parts of a larger array

    return list(on_all_cores(of, table.columns, worth=table.n_rows > BLOCK))


def refine_encoder(encoder: TableEncoder, distributions: Sequence[Distribution | None], max_cuts: int) -> FineEncoder:
    """Cut the numbers at their quantiles too.

    >>> from atfnb.encoding import fit_encoder
    >>> from atfnb.tables import read_table, read_target
    >>> table = read_table([[1.0], [2.0], [4.0], [8.0]])
    >>> coarse = fit_encoder(table, read_target([0, 0, 1, 1], None, 4))
    >>> fine = refine_encoder(coarse, distributions_of(table, np.ones(4)), max_cuts=10)
    >>> fine.encoder.attributes[0].cuts, fine.coarse
    (array([1.5, 3. , 6. ]), array([0, 0, 1, 1, 2]))
    """
    refined = [_refine(*each, max_cuts) for each in zip(encoder.attributes, distributions, strict=True)]
    attributes = tuple(attribute for attribute, _ in refined)
    starts = np.concatenate([[0], np.cumsum(encoder.n_values + 1)])
    pairs = zip(attributes, encoder.attributes, starts, strict=False)
    return FineEncoder(
        TableEncoder(attributes),
        np.concatenate([distance for _, distance in refined]),
        np.concatenate([_ordered(attribute) for attribute in attributes]),
        np.concatenate([start + _coarse(fine, coarse) for fine, coarse, start in pairs]),
    )


def _refine(attribute: Attribute, numbers: Distribution | None, max_cuts: int) -> tuple[Attribute, FloatArray]:
    """An attribute with more cuts, and the distance of each value from the one below."""
    if not isinstance(attribute, NumericAttribute) or numbers is None:
        return attribute, np.zeros(attribute.n_values + 1)
    share = numbers.weight / numbers.weight.sum()
    cuts = np.union1d(attribute.cuts, _quantile_cuts(numbers.between, np.cumsum(share)[:-1], max_cuts))
    more = len(cuts) - len(attribute.cuts)
    code = attribute.missing_code + more
    if attribute.missing_code <= len(attribute.cuts):  # imputed: the value that the mean is in
        code = int(place_among(cuts, np.array([numbers.mean]))[0])
    fine = replace(attribute, cuts=cuts, n_values=attribute.n_values + more, missing_code=code)
    distance = np.zeros(fine.n_values + 1)
    distance[1 : len(cuts) + 1] = _distances(numbers, share, cuts)
    return fine, distance


def _quantile_cuts(between: FloatArray, below: FloatArray, max_cuts: int) -> FloatArray:
    """Some of the places between values, with about the same share of the rows between any two; all, if few."""
    if len(between) <= max_cuts:
        return between
    wanted = np.arange(1, max_cuts + 1) / (max_cuts + 1)
    right = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    left = np.maximum(right - 1, 0)
    return np.unique(between[np.where(wanted - below[left] < below[right] - wanted, left, right)])


def _distances(numbers: Distribution, share: FloatArray, cuts: FloatArray) -> FloatArray:
    """How far each value is from the one below: half by the rows between their middles, half by the numbers."""
    if len(cuts) == 0:
        return np.zeros(0)
    place = place_among(cuts, numbers.values)
    rows = np.bincount(place, weights=share, minlength=len(cuts) + 1)
    middle = np.cumsum(rows) - rows / 2
    edges = np.concatenate([numbers.ends[:1], cuts, numbers.ends[1:]])
    filled = rows > 0
    number = edges[:-1] / 2 + edges[1:] / 2
    number[filled] = np.bincount(place, weights=share * numbers.values, minlength=len(rows))[filled] / rows[filled]
    by_rows, by_number = np.diff(middle), np.maximum(np.diff(number), 0.0)
    return np.asarray(0.5 * by_rows / by_rows.sum() + 0.5 * by_number / by_number.sum())


def _ordered(attribute: Attribute) -> FloatArray:
    """1 for the intervals of a number, 0 for all else."""
    ordered = np.zeros(attribute.n_values + 1)
    if isinstance(attribute, NumericAttribute):
        ordered[: len(attribute.cuts) + 1] = 1.0
    return ordered


def _coarse(fine: Attribute, coarse: Attribute) -> IntArray:
    """The value of the coarse attribute that each value of the fine one lies in."""
    if not (isinstance(fine, NumericAttribute) and isinstance(coarse, NumericAttribute)):
        return np.arange(fine.n_values + 1)
    intervals = np.concatenate([[0], place_among(coarse.cuts, fine.cuts)])
    others = np.arange(len(coarse.cuts) + 1, coarse.n_values + 1)  # "missing" and "unknown"
    return np.concatenate([intervals, others])
