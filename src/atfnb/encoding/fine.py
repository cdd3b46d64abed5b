"""Finer values: the cuts of an encoder, and between them as many more as there are quantiles to put them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from atfnb._rows import BLOCK, on_all_cores
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import Attribute, NumericAttribute, weighted_mean
from atfnb.encoding.chimerge import place_among, value_class_table
from atfnb.encoding.encoder import TableEncoder
from atfnb.encoding.table import Column, Table


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


def refine_encoder(table: Table, weight: FloatArray, encoder: TableEncoder, max_cuts: int) -> FineEncoder:
    """Cut the numbers of a table at their quantiles too.

    >>> from atfnb.encoding import fit_encoder, read_table, read_target
    >>> table = read_table([[1.0], [2.0], [4.0], [8.0]])
    >>> coarse = fit_encoder(table, read_target([0, 0, 1, 1], None, 4))
    >>> fine = refine_encoder(table, np.ones(4), coarse, max_cuts=10)
    >>> fine.encoder.attributes[0].cuts, fine.coarse
    (array([1.5, 3. , 6. ]), array([0, 0, 1, 1, 2]))
    """

    def refine(j: int) -> tuple[Attribute, FloatArray]:
        return _refine(encoder.attributes[j], table.columns[j], weight, max_cuts)

    refined = list(on_all_cores(refine, range(len(table.columns)), worth=table.n_rows > BLOCK))
    attributes = tuple(attribute for attribute, _ in refined)
    starts = np.concatenate([[0], np.cumsum(encoder.n_values + 1)])
    pairs = zip(attributes, encoder.attributes, starts, strict=False)
    return FineEncoder(
        TableEncoder(attributes),
        np.concatenate([distance for _, distance in refined]),
        np.concatenate([_ordered(attribute) for attribute in attributes]),
        np.concatenate([start + _coarse(fine, coarse) for fine, coarse, start in pairs]),
    )


def _refine(attribute: Attribute, column: Column, weight: FloatArray, max_cuts: int) -> tuple[Attribute, FloatArray]:
    """An attribute with more cuts, and the distance of each value from the one below."""
    if not isinstance(attribute, NumericAttribute):
        return attribute, np.zeros(attribute.n_values + 1)
    present = ~column.missing
    values = np.ascontiguousarray(column.values[present], dtype=np.float64)
    distinct, counted = value_class_table(values, np.zeros(len(values), dtype=np.int32), weight[present], 1)
    share = counted[:, 0] / counted.sum()
    cuts = np.union1d(attribute.cuts, _quantile_cuts(distinct, np.cumsum(share)[:-1], max_cuts))
    more = len(cuts) - len(attribute.cuts)
    code = attribute.missing_code + more
    if attribute.missing_code <= len(attribute.cuts):  # imputed: the value that the mean is in
        code = int(place_among(cuts, np.array([weighted_mean(distinct, counted)]))[0])
    fine = replace(attribute, cuts=cuts, n_values=attribute.n_values + more, missing_code=code)
    distance = np.zeros(fine.n_values + 1)
    distance[1 : len(cuts) + 1] = _distances(distinct, share, cuts)
    return fine, distance


def _quantile_cuts(distinct: FloatArray, below: FloatArray, max_cuts: int) -> FloatArray:
    """Midway between values, with about the same share of the rows between any two; between all, if they are few."""
    between = distinct[:-1] / 2 + distinct[1:] / 2
    if len(between) <= max_cuts:
        return between
    wanted = np.arange(1, max_cuts + 1) / (max_cuts + 1)
    right = np.minimum(np.searchsorted(below, wanted), len(below) - 1)
    left = np.maximum(right - 1, 0)
    return np.unique(between[np.where(wanted - below[left] < below[right] - wanted, left, right)])


def _distances(distinct: FloatArray, share: FloatArray, cuts: FloatArray) -> FloatArray:
    """How far each value is from the one below: half by the rows between their middles, half by the numbers."""
    if len(cuts) == 0:
        return np.zeros(0)
    place = place_among(cuts, distinct)
    rows = np.bincount(place, weights=share, minlength=len(cuts) + 1)
    middle = np.cumsum(rows) - rows / 2
    edges = np.concatenate([distinct[:1], cuts, distinct[-1:]])
    filled = rows > 0
    number = edges[:-1] / 2 + edges[1:] / 2
    number[filled] = np.bincount(place, weights=share * distinct, minlength=len(rows))[filled] / rows[filled]
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
