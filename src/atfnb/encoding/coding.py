"""From the survey of a table to an encoder, and to how the rows are distributed over its numbers.

::

    rows ──survey──▶ distinct values × classes ─────────────────────────ChiMerge──▶ cuts
                └──▶ quantiles (very many values) ──groups × classes──▶ ChiMerge──▶ cuts
                └──▶ categories × classes ──────────────── rare ones count as one──▶ codes
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, TypeGuard, get_args

import numpy as np

from atfnb._pieces import BLOCK, on_all_cores
from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    Missing,
    NumericAttribute,
    whole_range,
    without_values,
)
from atfnb.encoding.chimerge import MaxBins, cuts_of, resolve_max_bins
from atfnb.encoding.encoder import TableEncoder, count_categories
from atfnb.encoding.pooling import Pooling
from atfnb.encoding.quantiles import MAX_DISTINCT, Distribution, GroupPass, Groups, interval_codes, rank_error
from atfnb.encoding.survey import CategoricalSurvey, ColumnSurvey, NumericSurvey, Survey, positions, survey_column
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

    def spelled(self, words: Mapping[str, Collection[str]]) -> Coding:
        """Return the coding with labels of booleans as a file spells them, given the words in its columns."""
        attributes = (
            replace(each, spelling=_spelling(words[each.name]))
            if isinstance(each, CategoricalAttribute) and words.get(each.name)
            else each
            for each in self.encoder.attributes
        )
        return replace(self, encoder=TableEncoder(tuple(attributes)))

    def of_use(self) -> Coding:
        """Return the coding in which a column whose categories all count as one is not used: unknown in every row.

        If that is so for all columns, they stay as they are, because a model learns from at least one.
        """
        attributes = self.encoder.attributes
        if all(each.n_values == 0 or _is_one(each) for each in attributes):
            return self
        used = (replace(each, n_values=0, missing_code=0) if _is_one(each) else each for each in attributes)
        return replace(self, encoder=TableEncoder(tuple(used)))


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
                CategoricalSurvey(name=column.name, known=positions(values.tolist()), table=counts, missing=complete)
                for column, (values, counts) in zip(table.columns, counted, strict=True)
            ]
            return _coding([_code(each, bins, options) for each in surveyed])

    def learn(column: Column) -> _Coded:
        return _code(survey_column(column, rows, options.max_distinct, all_rows=True), bins, options)

    return _coding(list(on_all_cores(learn, table.columns, worth=table.n_rows > BLOCK, small=True)))


def group_pass(surveyed: Survey) -> GroupPass | None:
    """Return the pass that :func:`coding_of` needs beside the survey if a column has very many numbers, or None."""
    quantiles = {column.name: column.quantiles for column in surveyed.columns if column.quantiles is not None}
    return GroupPass(surveyed.classes, quantiles) if quantiles and surveyed.classes is not None else None


def coding_of(surveyed: Survey, grouped: Mapping[str, Groups], options: CodingOptions) -> Coding:
    """Return how to code the columns of a table in parts, from its survey and from the groups of :func:`group_pass`."""
    bins = resolve_max_bins(options.max_bins, 0 if surveyed.classes is None else len(surveyed.classes))
    coded, errors = list[_Coded](), list[tuple[str, float]]()
    for column in surveyed.columns:
        if isinstance(column, NumericSurvey) and column.quantiles is not None:
            groups = grouped[column.name]
            errors.append((column.name, rank_error(column.quantiles.candidates()[1], groups.by_class)))
            column = column.with_groups(groups)
        coded.append(_code(column, bins, options))
    return replace(_coding(coded), rank_errors=tuple(errors))


def check_missing(missing: Any) -> None:
    """Raise a ValueError if this is not the name of a treatment of missing values."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be one of {', '.join(map(repr, get_args(Missing)))}, not {missing!r}.")


# --- One column ------------------------------------------------------------------------------------


def _is_one(attribute: Attribute) -> TypeGuard[CategoricalAttribute]:
    """Return whether all categories of an attribute count as one, and "missing" is not another value."""
    return isinstance(attribute, CategoricalAttribute) and not attribute.categories and attribute.n_values == 1


def _spelling(words: Collection[str]) -> tuple[str, ...]:
    """Return how False and True are spelled in a column of booleans: () if as in Python, or in several ways.

    >>> _spelling(["TRUE", "FALSE"]), _spelling(["true"]), _spelling(["True", "FALSE"])
    (('FALSE', 'TRUE'), ('false', 'true'), ())
    """
    spellings = (("FALSE", "TRUE"), ("false", "true"))
    return next((both for both in spellings if set(words) <= set(both)), ())


def _coding(coded: list[_Coded]) -> Coding:
    """Return the coding of a table from that of its columns."""
    return Coding(TableEncoder(tuple(attribute for attribute, _ in coded)), tuple(over for _, over in coded))


def _code(column: ColumnSurvey, max_bins: int, options: CodingOptions) -> _Coded:
    """Return how to code a column, and how the rows are distributed over its values if they are numbers."""
    if isinstance(column, CategoricalSurvey):
        return _categorical(column, options.missing, options.pooling), None
    if column.is_empty:
        return without_values(column.source), None
    over = column.distribution
    cuts = cuts_of(column, max_bins, impute=options.missing == "impute")
    imputed = int(interval_codes(cuts, np.array([over.mean]))[0])
    codes = _missing_code(column, options.missing, len(cuts) + 1, imputed)
    whole = whole_range(*over.ends) if column.whole else None
    since = math.floor(over.ends[0]) if column.part == "date" else 0
    return NumericAttribute(column.name, cuts, *codes, whole, column.part, since, column.zone), over


def _categorical(column: CategoricalSurvey, missing: Missing, pooling: Pooling) -> CategoricalAttribute:
    """Return the attribute of a column of categories, in sorted order; pooled ones have one code, after the others.

    If some parts hold whole numbers and others fractions, all categories are floats, as in one array of all rows. A
    missing value is imputed by the most frequent of the categories that have a code of their own, if any has.
    """
    if pooling.merge_case:
        weights = zip(column.known, column.table.sum(axis=1).tolist(), strict=True)
        column = column.renamed(case_variants(dict(weights)))
    known = sorted(column.known, key=_numbers_first)
    if not known:
        return without_values(column.source)
    table = column.table[[column.known[category] for category in known]]
    if set(map(type, known)) == {int, float}:
        known = [float(category) for category in known]
    pooled = pooling.pooled(table) if column.part is None else np.zeros(len(known), dtype=bool)
    categories = tuple(compress(known, ~pooled))
    if other := taken_for(compress(known, pooled), categories):  # they have the codes of these
        return _categorical(column.renamed(other), missing, pooling)
    imputed = int(np.argmax(table[~pooled].sum(axis=1))) if categories else 0
    codes = _missing_code(column, missing, len(categories) + bool(pooled.any()), imputed)
    return CategoricalAttribute(column.name, categories, *codes, column.part, int(pooled.sum()), column.zone)


def _missing_code(column: ColumnSurvey, missing: Missing, n_known: int, imputed: int) -> tuple[int, int]:
    """Return the number of values, and the code of a missing value."""
    if missing == "impute":
        return n_known, imputed
    if missing == "value" and column.missing.any():
        return n_known + 1, n_known
    return n_known, n_known  # skipped, or never missing in training: coded as unknown


def _numbers_first(category: Any) -> tuple[int, Any]:
    """Return a key that sorts numbers before text, and text before bytes, in a column that mixes them."""
    return (1 if isinstance(category, str) else 2 if isinstance(category, bytes) else 0), category
