"""Encoders made from another one: with more cuts at quantiles, or with codes for the new values of more rows.

The cuts that there are stay where they are, so that the counts of earlier rows can be laid out anew and added to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Number
from typing import Any

import numpy as np

from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import (
    Attribute,
    Missing,
    are_whole,
    present_rows,
    whole_range,
)
from atfnb.encoding.coding import in_order
from atfnb.encoding.encoder import TableEncoder
from atfnb.encoding.quantiles import Distribution, interval_codes, nearest_quantiles
from atfnb.tables import Column, Table, case_variants, taken_for

# --- More cuts ----------------------------------------------------------------------------------------


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
    if numbers is None:
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
    n_ordered = attribute.n_known if attribute.is_numeric else 0
    return (np.arange(attribute.n_values + 1) < n_ordered).astype(np.float64)


def _coarse(fine: Attribute, coarse: Attribute) -> IntArray:
    """Return the value of the coarse attribute that each value of the fine attribute lies in: (values + 1,)."""
    if not fine.is_numeric:
        return np.arange(fine.n_values + 1)
    intervals = np.concatenate([[0], interval_codes(coarse.cuts, fine.cuts)])
    others = np.arange(len(coarse.cuts) + 1, coarse.n_values + 1)  # "missing" and "unknown"
    return np.concatenate([intervals, others])


# --- More rows ----------------------------------------------------------------------------------------


def widened(encoder: TableEncoder, table: Table, missing: Missing, *, merge_case: bool = False) -> TableEncoder:
    """Return an encoder that also has a code for every value of more rows.

    - Numbers keep their cuts; labels of whole numbers are widened to the new ones.
    - New categories are put in their place in the sorted list. If rare categories are pooled, new ones count as pooled.
      With ``merge_case``, a text that differs from a category by case only is that category.
    - With ``missing="value"``, the first missing value of an attribute gives it the value "missing". With "impute", a
      missing value has the code that it had before.
    - An attribute without any value before stays without.

    Parameters
    ----------
    encoder : TableEncoder
    table : Table
        The new rows, with the columns of training.
    missing : {"impute", "skip", "value"}
        How a missing value is coded.
    merge_case : bool, default=False
        Whether upper and lower case do not count in text.

    Examples
    --------
    >>> from atfnb.encoding import learn_coding
    >>> from atfnb.tables import label_rows, read_table
    >>> table = read_table([[1.0, "red"], [2.0, "blue"]])
    >>> encoder = learn_coding(label_rows(table, ["a", "b"])).encoder
    >>> widened(encoder, read_table([[9.0, "green"]]), "impute").attributes[1].categories
    ('blue', 'green', 'red')
    """
    columns = encoder.aligned(table).columns
    pairs = zip(encoder.attributes, columns, strict=True)
    return TableEncoder(tuple(_widened(*each, missing, merge_case) for each in pairs))


def moved_cells(before: TableEncoder, after: TableEncoder) -> IntArray:
    """Return where each cell of the counts by one encoder is in those by a :func:`widened` one: (cells before,)."""
    starts = np.cumsum([0, *(after.n_values + 1)])[:-1]
    each = zip(starts, before.attributes, after.attributes, strict=True)
    return np.concatenate([start + _moved(old, new) for start, old, new in each])


def _moved(before: Attribute, after: Attribute) -> IntArray:
    """Return the new code of each code of an attribute: its known values, "missing" if that is one, and "unknown"."""
    codes = np.arange(before.n_known)
    if not before.is_numeric:
        position = {category: code for code, category in enumerate(after.categories)}
        kept = [position[category] for category in before.categories]
        codes = np.array([*kept, *([after.unseen] if before.pooled else [])], dtype=np.int64)[: before.n_known]
    missing = [after.n_known] if before.n_values > before.n_known else []
    return np.concatenate([codes, np.array([*missing, after.unknown], dtype=np.int64)])


def _widened(attribute: Attribute, column: Column, missing: Missing, merge_case: bool) -> Attribute:
    """Return the attribute with codes for the values of a column of new rows."""
    if attribute.n_known == 0:
        return attribute
    if attribute.is_numeric:
        after = replace(attribute, whole=_wider(attribute.whole, column))
    else:
        after = replace(attribute, categories=_categories(attribute, column, merge_case))
    own = attribute.n_values > attribute.n_known or (missing == "value" and bool(column.missing.any()))
    after = replace(after, n_values=after.n_known + own)
    imputed = attribute.missing_code < attribute.n_known
    code = int(_moved(attribute, after)[attribute.missing_code]) if imputed else after.n_known
    return replace(after, missing_code=code)


def _wider(whole: tuple[int, int] | None, column: Column) -> tuple[int, int] | None:
    """Return the range of the whole numbers before and of those of a column; None if one of all is a fraction."""
    values: FloatArray = column.values[present_rows(column)]
    if whole is None or not column.is_number or not len(values):
        return whole
    lowest, highest = float(values.min()), float(values.max())
    return whole_range(min(lowest, whole[0]), max(highest, whole[1])) if are_whole(values) else None


def _categories(attribute: Attribute, column: Column, merge_case: bool) -> tuple[Any, ...]:
    """Return the categories with those that a column has in addition, sorted."""
    known, weights = attribute.categories, Counter(column.values[~column.missing].tolist())
    alike = {*taken_for(weights, known), *case_variants(weights)} if merge_case else set[str]()
    found = [category for category in weights if category not in alike]
    attribute.check_kind(found)
    new = [category for category in found if category not in set(known)]
    if not new or attribute.pooled:
        return known
    if set(map(type, known)) == {int} and all(isinstance(each, float) and each.is_integer() for each in new):
        new = [int(each) for each in new]  # such as 3.0, in a column of whole numbers with gaps
    numbers = {isinstance(each, bool) for each in (*known, *new) if isinstance(each, Number)}
    if len(numbers) > 1:
        kinds = ("booleans", "numbers") if isinstance(known[0], bool) else ("numbers", "booleans")
        raise attribute.changed(*kinds)
    return tuple(in_order([*known, *new]))
