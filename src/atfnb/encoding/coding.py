"""From the survey of a table to an encoder, and to how the rows are distributed over its numbers.

::

    rows ──survey──▶ distinct values × classes ─────────────────────────ChiMerge──▶ cuts
                └──▶ quantiles (very many values) ──groups × classes──▶ ChiMerge──▶ cuts
                └──▶ categories × classes ──────────────── rare ones count as one──▶ codes
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard, get_args

import numpy as np

from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import FloatArray
from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    Missing,
    NumericAttribute,
    whole_range,
    without_values,
)
from atfnb.encoding.chimerge import MaxBins, chimerge, resolve_max_bins
from atfnb.encoding.encoder import TableEncoder, count_categories
from atfnb.encoding.fine import Distribution
from atfnb.encoding.pooling import Pooling
from atfnb.encoding.quantiles import MAX_DISTINCT, GroupPass, Groups, check_max_distinct, rank_error
from atfnb.encoding.survey import CategoricalSurvey, ColumnSurvey, NumericSurvey, Survey, survey_column
from atfnb.encoding.tabulate import halfway, interval_codes
from atfnb.tables import Column, LabelledRows, Table, Target, case_variants, taken_for

_Coded = tuple[Attribute, Distribution | None]
"""An attribute, and how the rows are distributed over it if it is numeric."""


@dataclass(frozen=True)
class Coding:
    """How to code each column, and how the rows are distributed over each numeric one."""

    encoder: TableEncoder
    """The code of each value of each attribute."""
    distributions: tuple[Distribution | None, ...]
    """(attributes,) how the rows are distributed over each numeric attribute; None for a categorical attribute."""
    rank_errors: tuple[tuple[str, float], ...] = ()
    """Each numeric column that was cut at quantiles of a sketch, with their largest error, as a share of the rows."""

    def of_use(self, empty: Mapping[int, str]) -> tuple[Coding, dict[int, CategoricalAttribute]]:
        """Return the coding of the columns that can be learned from, and the other columns of the table by position.

        Nothing can be learned from a column whose categories all count as one. If that is so for all columns, they stay
        in the coding, because a model has at least one.

        Parameters
        ----------
        empty : mapping of int to str
            The positions and names of the columns without any value, which this coding does not have.
        """
        attributes = self.encoder.attributes
        places = [j for j in range(len(attributes) + len(empty)) if j not in empty]
        unused = {j: without_values(name) for j, name in empty.items()}
        used = [k for k, each in enumerate(attributes) if not _is_one(each)]
        if not used:
            return self, unused
        unused |= {places[k]: _unused(each) for k, each in enumerate(attributes) if _is_one(each)}
        encoder = TableEncoder(tuple(attributes[k] for k in used))
        return replace(self, encoder=encoder, distributions=tuple(self.distributions[k] for k in used)), unused


def learn_coding(
    rows: LabelledRows,
    *,
    max_bins: MaxBins = "n_classes",
    missing: Missing = "impute",
    max_distinct: int | None = MAX_DISTINCT,
    pooling: Pooling = Pooling(),  # noqa: B008 - frozen
) -> Coding:
    """Learn from a table in memory how to code each column.

    The columns are surveyed and cut one by one, so that memory holds only the tables of a few columns at a time.

    Parameters
    ----------
    rows : LabelledRows
        All training rows.
    max_bins : "n_classes" or int
        The largest number of intervals that a numeric column is cut into.
    missing : {"impute", "skip", "value"}
        How a missing value is coded.
    max_distinct : int or None
        A numeric column with more distinct values is cut at some of 2,000 quantiles; None cuts between any two values.
    pooling : Pooling
        Which categories count as one.
    """
    check_missing(missing)
    check_max_distinct(max_distinct)
    bins = resolve_max_bins(max_bins, len(rows.classes))
    table = rows.table
    if table.integers is not None and all(column.categorical for column in table.columns):
        counted = count_categories(table.integers, rows.y, rows.weight, len(rows.classes))
        if counted is not None:
            surveyed = [CategoricalSurvey.of_table(c.name, *of) for c, of in zip(table.columns, counted, strict=True)]
            return _coding([(_categorical(each, missing, pooling), None) for each in surveyed])

    def learn(column: Column) -> _Coded:
        if not column.categorical:  # its values are read twice, and are not contiguous in a matrix of rows
            column = replace(column, values=np.ascontiguousarray(column.values))
        surveyed = survey_column(column, rows, max_distinct, all_rows=True)
        groups = None
        if isinstance(surveyed, NumericSurvey) and surveyed.quantiles is not None:
            counting = GroupPass(rows.classes, {column.name: surveyed.quantiles})
            (groups,) = counting.fill(counting.empty(), replace(rows, table=Table((column,))))
        return _code(surveyed, groups, bins, missing, pooling)

    return _coding(list(on_all_cores(learn, table.columns, worth=table.n_rows > BLOCK, small=True)))


def group_pass(surveyed: Survey) -> GroupPass | None:
    """Return the pass that :func:`coding_of` needs beside the survey if a column has very many numbers, or None."""
    numbers = [column for column in surveyed.columns if isinstance(column, NumericSurvey)]
    quantiles = {column.name: column.quantiles for column in numbers if column.quantiles is not None}
    return GroupPass(surveyed.classes, quantiles) if quantiles and surveyed.classes is not None else None


def coding_of(
    surveyed: Survey,
    grouped: Mapping[str, Groups],
    *,
    max_bins: MaxBins = "n_classes",
    missing: Missing = "impute",
    pooling: Pooling = Pooling(),  # noqa: B008 - frozen
) -> Coding:
    """Return how to code the columns of a table in parts, from its survey and from the groups of :func:`group_pass`."""
    n_classes = 0 if surveyed.classes is None else len(surveyed.classes)
    bins = resolve_max_bins(max_bins, n_classes)
    coded = [_code(column, grouped.get(column.name), bins, missing, pooling) for column in surveyed.columns]
    errors = [
        (column.name, rank_error(column.quantiles.candidates()[1], grouped[column.name].by_class))
        for column in surveyed.columns
        if isinstance(column, NumericSurvey) and column.quantiles is not None
    ]
    return replace(_coding(coded), rank_errors=tuple(errors))


def fit_encoder(
    table: Table,
    target: Target,
    *,
    max_bins: MaxBins = "n_classes",
    missing: Missing = "impute",
    max_distinct: int | None = MAX_DISTINCT,
    pooling: Pooling = Pooling(),  # noqa: B008 - frozen
) -> TableEncoder:
    """Learn from a table in memory how to code each column; see :func:`learn_coding`."""
    rows = LabelledRows(table, target.classes, target.y, target.weight)
    options: Any = {"max_bins": max_bins, "missing": missing, "max_distinct": max_distinct, "pooling": pooling}
    return learn_coding(rows, **options).encoder


def check_missing(missing: Any) -> None:
    """Raise a ValueError if this is not the name of a treatment of missing values."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be one of {', '.join(map(repr, get_args(Missing)))}, not {missing!r}.")


# --- One column ------------------------------------------------------------------------------------


def _is_one(attribute: Attribute) -> TypeGuard[CategoricalAttribute]:
    """Return whether all categories of an attribute count as one, and "missing" is not another value."""
    return isinstance(attribute, CategoricalAttribute) and not attribute.categories and attribute.n_values == 1


def _unused(attribute: CategoricalAttribute) -> CategoricalAttribute:
    """Return an attribute with the same pooled categories that is unknown in every row."""
    return replace(attribute, n_values=0, missing_code=0)


def _coding(coded: list[_Coded]) -> Coding:
    """Return the coding of a table from that of its columns."""
    return Coding(TableEncoder(tuple(attribute for attribute, _ in coded)), tuple(over for _, over in coded))


def _code(column: ColumnSurvey, groups: Groups | None, max_bins: int, missing: Missing, pooling: Pooling) -> _Coded:
    """Return how to code a column, and how the rows are distributed over its values if they are numbers."""
    if isinstance(column, CategoricalSurvey):
        return _categorical(column, missing, pooling), None
    if column.is_empty:
        return without_values(column.source), None
    if groups is not None:
        return _cut_groups(column, groups, max_bins, missing)
    distribution = Distribution.of_values(column.distinct, column.table.sum(axis=1))
    return _cut_values(column, distribution.mean, max_bins, missing), distribution


def _cut_values(column: NumericSurvey, mean: float, max_bins: int, missing: Missing) -> NumericAttribute:
    """Return the attribute of a numeric column, cut between its distinct values where the classes change."""
    distinct, table = column.distinct, column.table
    whole = whole_range(float(distinct[0]), float(distinct[-1])) if column.whole else None
    if missing == "impute" and column.missing.any():
        distinct, table = _impute(distinct, table, mean, column.missing)
    starts = chimerge(table, max_bins)[1:]
    cuts = halfway(distinct[starts - 1], distinct[starts])
    return _numeric(column, cuts, mean, missing, whole, lowest=float(column.distinct[0]))


def _cut_groups(
    column: NumericSurvey, groups: Groups, max_bins: int, missing: Missing
) -> tuple[Attribute, Distribution]:
    """Return the attribute of a numeric column with very many values, cut between groups, and its distribution."""
    quantiles, table = column.quantiles, groups.by_class.copy()
    assert quantiles is not None  # noqa: S101
    if missing == "impute":
        table[interval_codes(groups.edges, np.array([quantiles.mean]))[0]] += column.missing
    filled = np.flatnonzero(table.sum(axis=1))  # edges of a sketch may have no rows between them
    starts = filled[chimerge(table[filled], max_bins)]
    whole = whole_range(*quantiles.ends) if column.whole else None
    cut = _numeric(column, groups.edges[starts[1:] - 1], quantiles.mean, missing, whole, lowest=quantiles.ends[0])
    weight = groups.by_class.sum(axis=1)
    return cut, Distribution(groups.means, weight, groups.edges, quantiles.ends, quantiles.mean)


def _impute(distinct: FloatArray, table: FloatArray, mean: float, missing: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct values and their table, with the weight of the missing values added at the mean."""
    position = int(np.searchsorted(distinct, mean))
    if distinct[position] == mean:
        table = table.copy()
    else:
        distinct, table = np.insert(distinct, position, mean), np.insert(table, position, 0.0, axis=0)
    table[position] += missing
    return distinct, table


def _numeric(
    column: NumericSurvey,
    cuts: FloatArray,
    mean: float,
    missing: Missing,
    whole: tuple[int, int] | None,
    lowest: float,
) -> NumericAttribute:
    imputed = int(interval_codes(cuts, np.array([mean]))[0])
    codes = _missing_code(not column.missing.any(), missing, len(cuts) + 1, imputed)
    since = math.floor(lowest) if column.part == "date" else 0
    return NumericAttribute(column.name, cuts, *codes, whole, column.part, since, column.zone)


def _categorical(column: CategoricalSurvey, missing: Missing, pooling: Pooling) -> CategoricalAttribute:
    """Return the attribute of a column of categories, in sorted order; pooled ones have one code, after the others.

    If some parts hold whole numbers and others fractions, all categories are floats, as in one array of all rows. A
    missing value is imputed by the most frequent of the categories that have a code of their own, if any has.
    """
    if pooling.merge_case:
        column = column.renamed(case_variants(column.weights))
    known = sorted(column.known, key=_numbers_first)
    if not known:
        return without_values(column.source)
    table = column.table[[column.known[category] for category in known]]
    if set(map(type, known)) == {int, float}:
        known = [float(category) for category in known]
    pooled = pooling.pooled(table) if column.part is None else np.zeros(len(known), dtype=bool)
    categories = tuple(category for category, is_pooled in zip(known, pooled.tolist(), strict=True) if not is_pooled)
    rare = [category for category, is_pooled in zip(known, pooled.tolist(), strict=True) if is_pooled]
    if other := taken_for(rare, categories):  # they have the codes of these
        return _categorical(column.renamed(other), missing, pooling)
    imputed = int(np.argmax(table[~pooled].sum(axis=1))) if categories else 0
    codes = _missing_code(not column.missing, missing, len(categories) + bool(pooled.any()), imputed)
    return CategoricalAttribute(column.name, categories, *codes, column.part, int(pooled.sum()), column.zone)


def _missing_code(complete: bool, missing: Missing, n_known: int, imputed: int) -> tuple[int, int]:
    """Return the number of values, and the code of a missing value."""
    if missing == "impute":
        return n_known, imputed
    if missing == "value" and not complete:
        return n_known + 1, n_known
    return n_known, n_known  # skipped, or never missing in training: coded as unknown


def _numbers_first(category: Any) -> tuple[int, Any]:
    """Return a key that sorts numbers before text, and text before bytes, in a column that mixes them."""
    return (1 if isinstance(category, str) else 2 if isinstance(category, bytes) else 0), category
