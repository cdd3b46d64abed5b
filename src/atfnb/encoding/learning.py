"""From the survey of a table to an encoder, and to how the rows are distributed over its numbers.

::

    rows ──survey──▶ distinct values × classes ─────────────────────────ChiMerge──▶ cuts
                └──▶ quantiles (very many values) ──groups × classes──▶ ChiMerge──▶ cuts
                └──▶ categories × classes ──────────────── rare ones count as one──▶ codes
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from atfnb._pieces import BLOCK, Pieces, on_all_cores
from atfnb._typing import BoolArray, FloatArray
from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    Missing,
    NumericAttribute,
    in_order,
    outside,
    present_rows,
    whole_range,
    without_values,
)
from atfnb.encoding.chimerge import MaxBins, cuts_of, resolve_max_bins
from atfnb.encoding.encoder import TableEncoder, count_categories, cut_again, refine_encoder
from atfnb.encoding.quantiles import MAX_DISTINCT, Distribution, Groups, interval_codes, rank_error
from atfnb.encoding.survey import ColumnSurvey, Survey, survey_column
from atfnb.tables import Column, LabelledRows, case_variants, taken_for

# --- Rare categories ---

MinCategoryRows = Literal["auto"] | int | None

MANY = 50
"""The rule "auto" leaves columns with this many categories, or fewer, as they are."""
FEWEST = 50
"""With "auto", a category is rare if it has fewer rows: what fewer say is mostly chance."""
FEWEST_SHRUNK = 10
"""The same, for a classifier that shrinks what categories add the more, the fewer rows they have."""
PRIOR_ROWS = 10.0
"""The number of rows that the class frequencies of all rows count for, when a category's own are estimated."""


def check_min_category_rows(value: Any) -> None:
    """Raise a ValueError unless the fewest rows of a category are "auto", None or a whole number from 1 on.

    >>> check_min_category_rows(0)
    Traceback (most recent call last):
    ...
    ValueError: min_category_rows must be 'auto', a whole number from 1 on, or None, not 0.
    """
    number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not (value is None or (isinstance(value, str) and value == "auto") or (number and value >= 1)):
        raise ValueError(f"min_category_rows must be 'auto', a whole number from 1 on, or None, not {value!r}.")


@dataclass(frozen=True)
class Pooling:
    """The rule: in a column with more than ``beyond`` categories, those with less weight than ``fewest`` are rare.

    If it ``judges``, all categories of such a column count as one, unless they help to predict the class. With
    ``merge_case``, categories that differ by upper and lower case only count as one in any column, before all that.
    """

    fewest: int = FEWEST
    beyond: int = MANY
    judges: bool = True
    merge_case: bool = False

    @classmethod
    def of(cls, min_category_rows: MinCategoryRows, *, merge_case: bool = False, shrunk: bool = False) -> Pooling:
        """Return the rule that a classifier's ``min_category_rows`` stands for.

        >>> Pooling.of("auto", shrunk=True)
        Pooling(fewest=10, beyond=50, judges=True, merge_case=False)
        >>> Pooling.of(3)
        Pooling(fewest=3, beyond=0, judges=False, merge_case=False)
        """
        if min_category_rows == "auto":
            return cls(FEWEST_SHRUNK if shrunk else FEWEST, merge_case=merge_case)
        fewest = 0 if min_category_rows is None else int(min_category_rows)
        return cls(fewest, beyond=0, judges=False, merge_case=merge_case)

    def pooled(self, table: FloatArray) -> BoolArray:
        """Return which categories count as one: (categories,). It is none, or two or more.

        Parameters
        ----------
        table : (categories, classes) array
            The weight of the rows with each category and class.

        Examples
        --------
        >>> Pooling(3, beyond=0, judges=False).pooled(np.array([[9.0, 1.0], [1.0, 1.0], [0.0, 3.0], [1.0, 0.0]]))
        array([False,  True, False,  True])
        """
        if len(table) <= self.beyond:
            return np.zeros(len(table), dtype=bool)
        rare = table.sum(axis=1) < self.fewest
        if rare.sum() < 2:
            rare = np.zeros(len(table), dtype=bool)
        used = np.vstack([table[~rare], table[rare].sum(axis=0)]) if rare.any() else table
        return np.ones(len(table), dtype=bool) if self.judges and log_bayes_factor(used) <= 0 else rare


def log_bayes_factor(table: FloatArray) -> float:
    """Return how much better the categories of a column predict the classes of its rows than no column does.

    It is the logarithm of a Bayes factor, Σ_v log P(n_v | p) − Σ_v Σ_c n_vc log p_c: row by row, the class is predicted
    from the earlier rows with the same category v and :data:`PRIOR_ROWS` rows with the class frequencies p, or from p
    alone. The n_vc, which are weights of rows, have a Dirichlet-multinomial distribution, so the order does not matter.

    Parameters
    ----------
    table : (categories, classes) array
        The weight of the rows with each category and class.

    Examples
    --------
    >>> for table in ([[40.0, 10.0], [10.0, 40.0]], [[25.0, 25.0], [25.0, 25.0]]):
    ...     print(round(log_bayes_factor(np.array(table)), 1))
    14.2
    -1.8
    """
    table = table[:, table.any(axis=0)]
    frequency = table.sum(axis=0) / table.sum()
    prior = PRIOR_ROWS * frequency
    with_categories = (gammaln(table + prior) - gammaln(prior)).sum(axis=1)
    with_categories += gammaln(PRIOR_ROWS) - gammaln(table.sum(axis=1) + PRIOR_ROWS)
    return float(with_categories.sum() - (table.sum(axis=0) * np.log(frequency)).sum())


def pooled_in_words(name: str, values: int, pooled: int, rule: Pooling, of: str = "", *, gaps: bool = False) -> str:
    """Return that some or all values of a column count as one.

    Parameters
    ----------
    name : str
        The name of the column.
    values, pooled : int
        The number of its values, and of those that count as one.
    rule : Pooling
        The rule by which they do.
    of : str, default ""
        The classifiers in which the values count as one: the end of a sentence.
    gaps : bool, default False
        Whether "missing" is a value of the column, which may have an effect even if all others count as one.

    Examples
    --------
    >>> pooled_in_words("town", 5000, 4812, Pooling(10))
    "'town' has 5,000 values; 4,812 with fewer than 10 rows count as one."
    >>> pooled_in_words("name", 950, 950, Pooling(10), " in NB")
    "'name' has 950 values, with too few rows each to help predict the class: it has no effect in NB."
    >>> pooled_in_words("cabin", 186, 186, Pooling(3, judges=False), gaps=True)
    "'cabin' has 186 values, all with fewer than 3 rows: only whether it is missing has an effect."
    """
    if pooled < values:
        return f"{name!r} has {values:,} values; {pooled:,} with fewer than {rule.fewest:,} rows count as one{of}."
    why = "with too few rows each to help predict the class"
    if not rule.judges:
        why = f"all with fewer than {rule.fewest:,} rows"
    effect = "only whether it is missing has an effect" if gaps else "it has no effect"
    return f"{name!r} has {values:,} values, {why}: {effect}{of}."


# --- The encoder of a table ---

_Coded = tuple[Attribute, Distribution | None]
"""An attribute, and how the rows are distributed over it if it is numeric."""


@dataclass(frozen=True)
class EncoderOptions:
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
class LearnedEncoder:
    """How to code each column, and how the rows are distributed over each numeric one."""

    encoder: TableEncoder
    """The code of each value of each attribute."""
    distributions: tuple[Distribution | None, ...]
    """(attributes,) how the rows are distributed over each attribute with an order; None for other categories."""
    rank_errors: tuple[tuple[str, float], ...] = ()
    """Each numeric column that was cut at quantiles of a sketch, with their largest error, as a share of the rows."""

    @property
    def used(self) -> list[str]:
        """The names of the attributes that have values."""
        return [each.name for each in self.encoder.attributes if each.n_values]

    def of_use(self) -> LearnedEncoder:
        """Return the encoder in which a column whose categories all count as one is not used: unknown in every row.

        If that is so for all columns, they stay as they are, because a model learns from at least one.
        """
        attributes = self.encoder.attributes
        if all(each.n_values == 0 or each.counts_as_one for each in attributes):
            return self
        used = (replace(each, n_values=0, missing_code=0) if each.counts_as_one else each for each in attributes)
        return replace(self, encoder=TableEncoder(tuple(used)))

    def cut_at_quantiles(self, most: int) -> LearnedEncoder:
        """Return the encoder that cuts numbers at quantiles alone, ``most`` of them at the most."""
        of_all = zip(self.encoder.attributes, self.distributions, strict=True)
        attributes = (
            cut_again(each, each.cuts[:0], over.mean) if over and not over.given else each for each, over in of_all
        )
        return replace(self, encoder=refine_encoder(TableEncoder(tuple(attributes)), self.distributions, most).encoder)

    def cut_at(self, cuts: Mapping[str, FloatArray]) -> LearnedEncoder:
        """Return the encoder that cuts the numbers of some names at given cuts, and nowhere else."""
        of_all = zip(self.encoder.attributes, self.distributions, strict=True)
        coded: list[_Coded] = [
            (cut_again(each, cuts[each.name], over.mean), over.cut_at(cuts[each.name]))
            if over and each.name in cuts
            else (each, over)
            for each, over in of_all
        ]
        return replace(_encoder_of_columns(coded), rank_errors=self.rank_errors)

    def only(self, kept: BoolArray) -> LearnedEncoder:
        """Return the encoder in which the other attributes are left out: they are unknown in every row."""
        of_all = zip(self.encoder.attributes, self.distributions, kept, strict=True)
        left = [(attribute, over) if keep else (attribute.left_out(), None) for attribute, over, keep in of_all]
        return replace(_encoder_of_columns(left), rank_errors=self.rank_errors)

    def spelled(self, words: Mapping[str, Collection[str]]) -> LearnedEncoder:
        """Return the encoder with labels of booleans as a file spells them, given the words in its columns."""
        attributes = tuple(each.spelled(words.get(each.name, ())) for each in self.encoder.attributes)
        return replace(self, encoder=TableEncoder(attributes))


def learn_encoder(rows: LabelledRows, options: EncoderOptions = EncoderOptions()) -> LearnedEncoder:  # noqa: B008 - frozen
    """Learn from a table in memory how to code each column.

    The columns are surveyed and cut one by one, so that memory holds only the tables of a few columns at a time.
    """
    bins, table = resolve_max_bins(options.max_bins, len(rows.classes)), rows.table
    if table.integers is not None and all(column.categorical for column in table.columns):
        counted = count_categories(table.integers, rows.y, rows.weight, len(rows.classes))
        if counted is not None:
            shared: Any = {"is_numeric": False, "missing": np.zeros(len(rows.classes))}
            surveyed = [
                ColumnSurvey(name=column.name, values=values.tolist(), table=counts, order=column.order, **shared)
                for column, (values, counts) in zip(table.columns, counted, strict=True)
            ]
            return _encoder_of_columns([_code(each, bins, options) for each in surveyed])

    def learn(column: Column) -> _Coded:
        return _code(survey_column(column, rows, options.max_distinct, all_rows=True), bins, options)

    return _encoder_of_columns(list(on_all_cores(learn, table.columns, worth=table.n_rows > BLOCK, small=True)))


def encoder_of(
    surveyed: Survey, rows_with: Callable[[Collection[str]], Pieces[LabelledRows]], options: EncoderOptions
) -> LearnedEncoder:
    """Return how to code the columns of a table in parts, from its survey.

    For numbers with very many values, one more pass over the rows counts those between quantiles; ``rows_with`` returns
    the rows with the columns of some names.
    """
    classes = np.zeros(0) if surveyed.classes is None else surveyed.classes
    many = {column.name: column.quantiles for column in surveyed.columns if column.quantiles is not None}
    own = {column.name: column.cuts for column in surveyed.columns if column.cuts is not None}
    groups: Any = [
        Groups.empty(own[name] if name in own else each.candidates()[0], each.ends, each.mean, len(classes))
        for name, each in many.items()
    ]
    if many:
        empty = np.array(groups, dtype=object)  # such an array adds up group by group
        groups = rows_with(many).sum("candidate cuts", partial(deepcopy, empty), partial(_with_groups, classes))
    grouped = dict(zip(many, groups, strict=True))
    columns = [each.with_groups(grouped[each.name]) if each.name in many else each for each in surveyed.columns]
    bins = resolve_max_bins(options.max_bins, len(classes))
    sketched = {name: each for name, each in many.items() if name not in own}
    errors = tuple((name, rank_error(each.candidates()[1], grouped[name].by_class)) for name, each in sketched.items())
    return replace(_encoder_of_columns([_code(column, bins, options) for column in columns]), rank_errors=errors)


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


# --- One column ------------------------------------------------------------------------------------


def _encoder_of_columns(coded: list[_Coded]) -> LearnedEncoder:
    """Return the encoder of a table from what was learned of its columns."""
    return LearnedEncoder(TableEncoder(tuple(attribute for attribute, _ in coded)), tuple(over for _, over in coded))


def _code(column: ColumnSurvey, max_bins: int, options: EncoderOptions) -> _Coded:
    """Return how to code a column, and how the rows are distributed over its values if they are numbers."""
    if not column.is_numeric:
        return _categorical(column, options.missing, options.pooling)
    if column.is_empty:
        return without_values(column.source), None
    over = column.distribution
    cuts = over.between if over.given else cuts_of(column, max_bins, impute=options.missing == "impute")
    imputed = int(interval_codes(cuts, np.array([over.mean]))[0])
    codes = _missing_code(column, options.missing, len(cuts) + 1, imputed)
    whole = whole_range(*over.ends) if column.whole else None
    since = math.floor(over.ends[0]) if column.part == "date" else 0
    return NumericAttribute(column.name, *codes, column.part, column.zone, cuts=cuts, whole=whole, since=since), over


def _categorical(column: ColumnSurvey, missing: Missing, pooling: Pooling) -> _Coded:
    """Return how to code a column of categories, in sorted order; pooled ones have one code, after the others.

    Categories that have an order stand in that order, none of them is pooled, and the rows are distributed over them.
    If some parts hold whole numbers and others fractions, all categories are floats, as in one array of all rows. A
    missing value is imputed by the most frequent of the categories that have a code of their own, if any has.
    """
    if pooling.merge_case:
        weights = zip(column.values, column.table.sum(axis=1).tolist(), strict=True)
        names = case_variants(dict(weights)) if column.order is None else taken_for(column.values, column.order)
        column = column.renamed(names)
    if not column.values:
        return without_values(column.source), None
    known = in_order(column.values) if column.order is None else list(column.order)
    code, table = {category: code for code, category in enumerate(known)}, np.zeros((len(known), column.table.shape[1]))
    if new := [category for category in column.values if category not in code]:
        raise outside(column.name, in_order(new)[0], known)
    table[[code[category] for category in column.values]] = column.table
    ordered = column.order is not None
    pooled = pooling.pooled(table) if column.part is None and not ordered else np.zeros(len(known), dtype=bool)
    categories = tuple(compress(known, ~pooled))
    if other := taken_for(compress(known, pooled), categories):  # they have the codes of these
        return _categorical(column.renamed(other), missing, pooling)
    imputed = int(np.argmax(table[~pooled].sum(axis=1))) if categories else 0
    codes = _missing_code(column, missing, len(categories) + bool(pooled.any()), imputed)
    number = int(pooled.sum())
    attribute = CategoricalAttribute(
        column.name, *codes, column.part, column.zone, categories=categories, ordered=ordered, pooled=number
    )
    ranks = Distribution.of_values(np.arange(float(len(known))), table.sum(axis=1)) if ordered else None
    return attribute, ranks and replace(ranks, given=True)


def _missing_code(column: ColumnSurvey, missing: Missing, n_known: int, imputed: int) -> tuple[int, int]:
    """Return the number of values, and the code of a missing value."""
    if missing == "impute":
        return n_known, imputed
    if missing == "value" and column.missing.any():
        return n_known + 1, n_known
    return n_known, n_known  # skipped, or never missing in training: coded as unknown
