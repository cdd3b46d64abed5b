"""A finer encoder: the cuts of another encoder, and further cuts at quantiles between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import Attribute, NumericAttribute
from atfnb.encoding.encoder import TableEncoder
from atfnb.encoding.quantiles import nearest_quantiles
from atfnb.encoding.tabulate import halfway, interval_codes, weighted_mean


@dataclass(frozen=True)
class Distribution:
    """How the rows are distributed over a number: over its values, or over groups of neighbouring values, in order."""

    values: FloatArray
    """(groups,) each value, or the mean of each group."""
    weight: FloatArray
    """(groups,) the weight of the rows in each."""
    between: FloatArray
    """(groups − 1,) the possible cuts between them."""
    ends: tuple[float, float]
    """The lowest and the highest number."""
    mean: float
    """The weighted mean of the number."""

    @classmethod
    def of_values(cls, distinct: FloatArray, weight: FloatArray) -> Self:
        """Return the distribution over distinct values, each with the weight of the rows that have it."""
        ends = float(distinct[0]), float(distinct[-1])
        return cls(distinct, weight, halfway(distinct[:-1], distinct[1:]), ends, weighted_mean(distinct, weight))


@dataclass(frozen=True)
class FineEncoder:
    """An encoder with more cuts than another, and how its values are related to each other and to the coarse ones."""

    encoder: TableEncoder
    """The encoder with more cuts."""
    distance: FloatArray
    """(cells,) how far each interval of a number is from the one below, as a share of the way from lowest to highest.

    0 for the lowest interval, and for values without neighbours: categories, "missing" and "unknown".
    """
    ordered: FloatArray
    """(cells,) 1 where a value has neighbours, 0 where it has none."""
    coarse: IntArray
    """(cells,) the cell of the coarse encoder that each value lies in."""


def refine_encoder(encoder: TableEncoder, distributions: Sequence[Distribution | None], max_cuts: int) -> FineEncoder:
    """Return an encoder that also cuts the numbers at quantiles, at most ``max_cuts`` of them for each number.

    >>> from atfnb.encoding import learn_coding
    >>> from atfnb.tables import LabelledRows, read_table
    >>> y = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> coarse = learn_coding(LabelledRows(read_table([[1.0], [2.0], [4.0], [8.0]]), np.arange(2), y, np.ones(4)))
    >>> fine = refine_encoder(coarse.encoder, coarse.distributions, max_cuts=10)
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
    """Return an attribute with more cuts, and the distance of each value from the one below: (values + 1,)."""
    if not isinstance(attribute, NumericAttribute) or numbers is None:
        return attribute, np.zeros(attribute.n_values + 1)
    share = numbers.weight / numbers.weight.sum()
    quantiles = numbers.between[nearest_quantiles(np.cumsum(share)[:-1], max_cuts)]
    cuts = np.union1d(attribute.cuts, quantiles)
    more = len(cuts) - len(attribute.cuts)
    code = attribute.missing_code + more
    if attribute.missing_code <= len(attribute.cuts):  # imputed: the interval that the mean lies in
        code = int(interval_codes(cuts, np.array([numbers.mean]))[0])
    fine = replace(attribute, cuts=cuts, n_values=attribute.n_values + more, missing_code=code)
    distance = np.zeros(fine.n_values + 1)
    distance[1 : len(cuts) + 1] = _distances(numbers, share, cuts)
    return fine, distance


def _distances(numbers: Distribution, share: FloatArray, cuts: FloatArray) -> FloatArray:
    """Return how far each interval is from the one below: the mean of its distance in rows and in numbers, (cuts,)."""
    if len(cuts) == 0:
        return np.zeros(0)
    position = interval_codes(cuts, numbers.values)
    rows = np.bincount(position, weights=share, minlength=len(cuts) + 1)
    middle = np.cumsum(rows) - rows / 2
    edges = np.concatenate([numbers.ends[:1], cuts, numbers.ends[1:]])
    filled = rows > 0
    number = edges[:-1] / 2 + edges[1:] / 2
    number[filled] = np.bincount(position, weights=share * numbers.values, minlength=len(rows))[filled] / rows[filled]
    by_rows, by_number = np.diff(middle), np.maximum(np.diff(number / 4), 0.0)  # so that no distance overflows
    return np.asarray(0.5 * by_rows / by_rows.sum() + 0.5 * by_number / by_number.sum())


def _ordered(attribute: Attribute) -> FloatArray:
    """Return 1 for the intervals of a number, and 0 for all other values: (values + 1,)."""
    ordered = np.zeros(attribute.n_values + 1)
    if isinstance(attribute, NumericAttribute):
        ordered[: len(attribute.cuts) + 1] = 1.0
    return ordered


def _coarse(fine: Attribute, coarse: Attribute) -> IntArray:
    """Return the value of the coarse attribute that each value of the fine attribute lies in: (values + 1,)."""
    if not (isinstance(fine, NumericAttribute) and isinstance(coarse, NumericAttribute)):
        return np.arange(fine.n_values + 1)
    intervals = np.concatenate([[0], interval_codes(coarse.cuts, fine.cuts)])
    others = np.arange(len(coarse.cuts) + 1, coarse.n_values + 1)  # "missing" and "unknown"
    return np.concatenate([intervals, others])
