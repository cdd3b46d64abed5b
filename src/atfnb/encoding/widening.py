"""More rows for a table that has been coded before: new categories and missing values get codes of their own.

The cuts of numbers stay where they are, so that the counts of earlier rows can be laid out anew and added to.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np

from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    Missing,
    NumericAttribute,
    are_whole,
    whole_range,
)
from atfnb.encoding.coding import _numbers_first
from atfnb.encoding.encoder import TableEncoder
from atfnb.encoding.survey import CategoricalSurvey, survey_column
from atfnb.tables import Column, LabelledRows, Table, case_variants


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
    >>> from atfnb.encoding import fit_encoder
    >>> from atfnb.tables import read_table, read_target
    >>> table = read_table([[1.0, "red"], [2.0, "blue"]])
    >>> encoder = fit_encoder(table, read_target(["a", "b"], None, 2))
    >>> widened(encoder, read_table([[9.0, "green"]]), "impute").attributes[1].categories
    ('blue', 'green', 'red')
    """
    columns = encoder.aligned(table).columns
    pairs = zip(encoder.attributes, columns, strict=True)
    return TableEncoder(tuple(_widened(*each, missing, merge_case) for each in pairs))


def moved_cells(before: TableEncoder, after: TableEncoder) -> IntArray:
    """Return where each cell of the counts by one encoder is in those by a :func:`widened` one: (cells before,)."""
    starts = np.cumsum([0, *(after.n_values + 1)])[:-1]
    moved = [start + _moved(*each) for start, each in zip(starts, _pairs(before, after), strict=True)]
    return np.concatenate(moved)


def _pairs(before: TableEncoder, after: TableEncoder) -> Any:
    return zip(before.attributes, after.attributes, strict=True)


def _moved(before: Attribute, after: Attribute) -> IntArray:
    """Return the new code of each code of an attribute: its known values, "missing" if that is one, and "unknown"."""
    codes = np.arange(before.n_known)
    if isinstance(before, CategoricalAttribute) and isinstance(after, CategoricalAttribute):
        position = {category: code for code, category in enumerate(after.categories)}
        kept = [position[category] for category in before.categories]
        codes = np.array([*kept, *([after.unseen] if before.pooled else [])], dtype=np.int64)
    missing = [after.n_known] if before.n_values > before.n_known else []
    return np.concatenate([codes, np.array([*missing, after.unknown], dtype=np.int64)])


def _widened(attribute: Attribute, column: Column, missing: Missing, merge_case: bool) -> Attribute:
    """Return the attribute with codes for the values of a column of new rows."""
    if attribute.n_known == 0:
        return attribute
    after: Attribute
    if isinstance(attribute, NumericAttribute):
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
    values: FloatArray = column.values if column.is_complete else column.values[~column.missing]
    if whole is None or not column.is_number or not len(values):
        return whole
    lowest, highest = float(values.min()), float(values.max())
    return whole_range(min(lowest, whole[0]), max(highest, whole[1])) if are_whole(values) else None


def _categories(attribute: CategoricalAttribute, column: Column, merge_case: bool) -> tuple[Any, ...]:
    """Return the categories with those that a column has in addition, sorted."""
    known, weights = attribute.categories, _found(column)
    alike = {*attribute.taken_for(weights), *case_variants(weights)} if merge_case else set[str]()
    found = [category for category in weights if category not in alike]
    attribute._check_kind(np.array([*found, None], dtype=object)[:-1])
    new = [category for category in found if category not in set(known)]
    if not new or attribute.pooled:
        return known
    if set(map(type, known)) == {int} and all(isinstance(each, float) and each.is_integer() for each in new):
        new = [int(each) for each in new]  # such as 3.0, in a column of whole numbers with gaps
    numbers = {isinstance(each, bool) for each in (*known, *new) if isinstance(each, Number)}
    if len(numbers) > 1:
        was, now = ("booleans", "numbers") if isinstance(known[0], bool) else ("numbers", "booleans")
        raise ValueError(
            f"column {attribute.name!r} held {was} when the model was fitted and holds {now} now: convert it."
        )
    categories = sorted([*known, *new], key=_numbers_first)
    return tuple(map(float, categories) if set(map(type, categories)) == {int, float} else categories)


def _found(column: Column) -> dict[Any, float]:
    """Return the distinct values of a column, as categories, and the number of rows with each."""
    n_rows = len(column.values)
    rows = LabelledRows(Table((column,)), np.zeros(1), np.zeros(n_rows, dtype=np.int32), np.ones(n_rows))
    surveyed = survey_column(replace(column, categorical=True), rows, None)
    return surveyed.weights if isinstance(surveyed, CategoricalSurvey) else {}
