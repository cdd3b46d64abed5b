"""From the survey of a table to an encoder, and to how the rows are distributed over its numbers.

::

    rows ──survey──▶ distinct values × classes ─────────────────────────ChiMerge──▶ cuts
                └──▶ quantiles (very many values) ──groups × classes──▶ ChiMerge──▶ cuts
                └──▶ categories × classes ──────────────── rare ones count as one──▶ codes
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from atfnb._pieces import BLOCK, Pieces, on_all_cores
from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    Missing,
    NumericAttribute,
    present_rows,
    whole_range,
    without_values,
)
from atfnb.encoding.chimerge import MaxBins, cuts_of, resolve_max_bins
from atfnb.encoding.encoder import TableEncoder, count_categories
from atfnb.encoding.pooling import Pooling
from atfnb.encoding.quantiles import MAX_DISTINCT, Distribution, Groups, interval_codes, rank_error
from atfnb.encoding.survey import ColumnSurvey, Survey, survey_column
from atfnb.tables import Column, LabelledRows, case_variants, taken_for

_Coded = tuple[Attribute, Distribution | None]
"""An attribute, and how the rows are distributed over it if it is numeric."""


@dataclass(frozen=True)
class CodingOptions:
    """The parameters of a classifier that decide how the columns are coded."""

    max_bins: MaxBins = "n_classes"
    """The largest number of intervals that a numeric column is cut into: that of the classes, or a number."""
    missing: Missing = "impute"
    """How a missing value is coded."""
    max_distinct: int | None = MAX_DISTINCT
    """A numeric column with more distinct values is cut at some of 2,000 quantiles; None cuts between any two."""
    pooling: Pooling = field(default_factory=Pooling)
    """Which categories count as one."""


@dataclass(frozen=True)
class Coding:
    """How to code each column, and how the rows are distributed over each numeric one."""

    encoder: TableEncoder
    """The code of each value of each attribute."""
    distributions: tuple[Distribution | None, ...]
    """(attributes,) how the rows are distributed over each numeric attribute; None for a categorical attribute."""
    rank_errors: tuple[tuple[str, float], ...] = ()
    """Each numeric column that was cut at quantiles of a sketch, with their largest error, as a share of the rows."""

    @property
    def used(self) -> list[str]:
        """The names of the attributes that have values."""
        return [each.name for each in self.encoder.attributes if each.n_values]

    def of_use(self) -> Coding:
        """Return the coding in which a column whose categories all count as one is not used: unknown in every row.

        If that is so for all columns, they stay as they are, because a model learns from at least one.
        """
        attributes = self.encoder.attributes
        if all(each.n_values == 0 or each.counts_as_one for each in attributes):
            return self
        used = (replace(each, n_values=0, missing_code=0) if each.counts_as_one else each for each in attributes)
        return replace(self, encoder=TableEncoder(tuple(used)))

    def spelled(self, words: Mapping[str, Collection[str]]) -> Coding:
        """Return the coding with labels of booleans as a file spells them, given the words in its columns."""
        attributes = tuple(each.spelled(words.get(each.name, ())) for each in self.encoder.attributes)
        return replace(self, encoder=TableEncoder(attributes))


def learn_coding(rows: LabelledRows, options: CodingOptions = CodingOptions()) -> Coding:  # noqa: B008 - frozen
    """Learn from a table in memory how to code each column.

    The columns are surveyed and cut one by one, so that memory holds only the tables of a few columns at a time.
    """
    bins, table = resolve_max_bins(options.max_bins, len(rows.classes)), rows.table
    if table.integers is not None and all(column.categorical for column in table.columns):
        counted = count_categories(table.integers, rows.y, rows.weight, len(rows.classes))
        if counted is not None:
            complete = np.zeros(len(rows.classes))
            surveyed = [
                ColumnSurvey(name=column.name, is_numeric=False, values=values.tolist(), table=counts, missing=complete)
                for column, (values, counts) in zip(table.columns, counted, strict=True)
            ]
            return _coding([_code(each, bins, options) for each in surveyed])

    def learn(column: Column) -> _Coded:
        return _code(survey_column(column, rows, options.max_distinct, all_rows=True), bins, options)

    return _coding(list(on_all_cores(learn, table.columns, worth=table.n_rows > BLOCK, small=True)))


def coding_of(
    surveyed: Survey, rows_with: Callable[[Collection[str]], Pieces[LabelledRows]], options: CodingOptions
) -> Coding:
    """Return how to code the columns of a table in parts, from its survey.

    For numbers with very many values, one more pass over the rows counts those between quantiles; ``rows_with`` returns
    the rows with the columns of some names.
    """
    classes = np.zeros(0) if surveyed.classes is None else surveyed.classes
    many = {column.name: column.quantiles for column in surveyed.columns if column.quantiles is not None}
    groups: Any = [Groups.empty(each.candidates()[0], each.ends, each.mean, len(classes)) for each in many.values()]
    if many:
        empty = np.array(groups, dtype=object)  # such an array adds up group by group
        groups = rows_with(many).sum("candidate cuts", partial(deepcopy, empty), partial(_with_groups, classes))
    grouped = dict(zip(many, groups, strict=True))
    columns = [each.with_groups(grouped[each.name]) if each.name in many else each for each in surveyed.columns]
    bins = resolve_max_bins(options.max_bins, len(classes))
    errors = tuple((name, rank_error(each.candidates()[1], grouped[name].by_class)) for name, each in many.items())
    return replace(_coding([_code(column, bins, options) for column in columns]), rank_errors=errors)


def _with_groups(classes: NDArray[Any], into: NDArray[Any], rows: LabelledRows) -> NDArray[Any]:
    """Return the groups of each column, with some more rows; their table has these columns and no other."""
    if not len(rows.y):
        return into
    y = rows.among(classes).y
    for groups, column in zip(into, rows.table.columns, strict=True):
        present = present_rows(column)
        values = np.ascontiguousarray(column.values[present], dtype=np.float64)
        groups.fill(values, y[present], rows.weight[present])
    return into


def check_missing(missing: Any) -> None:
    """Raise a ValueError if this is not the name of a treatment of missing values."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be one of {', '.join(map(repr, get_args(Missing)))}, not {missing!r}.")


# --- One column ------------------------------------------------------------------------------------


def _coding(coded: list[_Coded]) -> Coding:
    """Return the coding of a table from that of its columns."""
    return Coding(TableEncoder(tuple(attribute for attribute, _ in coded)), tuple(over for _, over in coded))


def _code(column: ColumnSurvey, max_bins: int, options: CodingOptions) -> _Coded:
    """Return how to code a column, and how the rows are distributed over its values if they are numbers."""
    if not column.is_numeric:
        return _categorical(column, options.missing, options.pooling), None
    if column.is_empty:
        return without_values(column.source), None
    over = column.distribution
    cuts = cuts_of(column, max_bins, impute=options.missing == "impute")
    imputed = int(interval_codes(cuts, np.array([over.mean]))[0])
    codes = _missing_code(column, options.missing, len(cuts) + 1, imputed)
    whole = whole_range(*over.ends) if column.whole else None
    since = math.floor(over.ends[0]) if column.part == "date" else 0
    return NumericAttribute(column.name, *codes, column.part, column.zone, cuts=cuts, whole=whole, since=since), over


def _categorical(column: ColumnSurvey, missing: Missing, pooling: Pooling) -> CategoricalAttribute:
    """Return the attribute of a column of categories, in sorted order; pooled ones have one code, after the others.

    If some parts hold whole numbers and others fractions, all categories are floats, as in one array of all rows. A
    missing value is imputed by the most frequent of the categories that have a code of their own, if any has.
    """
    if pooling.merge_case:
        weights = zip(column.values, column.table.sum(axis=1).tolist(), strict=True)
        column = column.renamed(case_variants(dict(weights)))
    known = in_order(column.values)
    if not known:
        return without_values(column.source)
    row = {category: row for row, category in enumerate(column.values)}
    table = column.table[[row[category] for category in known]]
    pooled = pooling.pooled(table) if column.part is None else np.zeros(len(known), dtype=bool)
    categories = tuple(compress(known, ~pooled))
    if other := taken_for(compress(known, pooled), categories):  # they have the codes of these
        return _categorical(column.renamed(other), missing, pooling)
    imputed = int(np.argmax(table[~pooled].sum(axis=1))) if categories else 0
    codes = _missing_code(column, missing, len(categories) + bool(pooled.any()), imputed)
    number = int(pooled.sum())
    return CategoricalAttribute(column.name, *codes, column.part, column.zone, categories=categories, pooled=number)


def _missing_code(column: ColumnSurvey, missing: Missing, n_known: int, imputed: int) -> tuple[int, int]:
    """Return the number of values, and the code of a missing value."""
    if missing == "impute":
        return n_known, imputed
    if missing == "value" and column.missing.any():
        return n_known + 1, n_known
    return n_known, n_known  # skipped, or never missing in training: coded as unknown


def in_order(categories: Iterable[Any]) -> list[Any]:
    """Return categories sorted, numbers before text, and text before bytes; floats, if only some of them are."""
    known = sorted(categories, key=lambda each: (isinstance(each, str) + 2 * isinstance(each, bytes), each))
    return [float(category) for category in known] if set(map(type, known)) == {int, float} else known
