"""The survey of a table: what must be known of its columns and classes before any row can be coded.

A survey is a sum over pieces of rows: a table in memory is one piece, a table in parts has one for each frame that is
read. The distinct values of a number are kept, each with its weight in every class, as long as there are few; otherwise
its quantiles are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from itertools import chain
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, Setting
from atfnb._pieces import Pieces
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import are_whole, distinct_categories, kind_of_values, present_rows
from atfnb.encoding.quantiles import Distribution, Groups, Sketch, add_tables, class_table, distinct_values
from atfnb.tables import (
    ENOUGH_ROWS,
    Column,
    ColumnFacts,
    DatePart,
    LabelledRows,
    is_identifier,
    needless_parts,
    source_of,
)

MAX_CATEGORIES = 1_000_000
"""The number of categories that a column in parts may have."""
UNEVEN = 0.02
"""The quantiles of evenly spread numbers are off by at most this share of their range."""


def rise_of(column: Column) -> FloatArray:
    """Return 1, the number of rows, and the last value less the first, if a frame's whole numbers rise: (3,).

    It is NaN where they do not rise from row to row, as row numbers do: so is then the sum over all frames.
    """
    values = column.values
    if values.dtype.kind not in "iu" or not column.is_complete or not (values[1:] > values[:-1]).all():
        return np.full(3, np.nan)
    return np.array([1.0, len(values), float(values[-1]) - float(values[0])])


@dataclass(frozen=True, kw_only=True)
class ColumnSurvey:
    """The survey of a column: the weight of each class in the rows with each of its values."""

    name: str
    is_numeric: bool
    """Whether it holds numbers; otherwise it holds categories."""
    values: Any
    """(values,) the categories, or the distinct numbers, sorted; none if there are more than ``max_distinct``."""
    table: FloatArray
    """(values, classes) the weight of the rows with each value, or with one of a group of values, and each class."""
    missing: FloatArray
    """(classes,) the weight of the rows without a value."""
    quantiles: Sketch | None = None
    """The quantiles of a number in parts with too many values for a table, which has then no rows."""
    groups: Groups | None = None
    """The groups of neighbouring values that ``table`` counts, if there are more than ``max_distinct`` values."""
    max_distinct: int | None = None
    """The largest number of distinct numbers that are kept; None keeps all."""
    whole: bool = False
    """Whether all numbers are whole."""
    integer: bool = False
    """Whether the column is of an integer type in every frame."""
    rising: FloatArray = field(default_factory=partial(np.full, 3, np.nan))
    """(3,) the sum of :func:`rise_of` over the frames."""
    part: DatePart | None = None
    """Which part of a column of dates it is, if it is one."""
    zone: str | None = None
    """The time zone of the column of dates, if that has one."""
    cuts: FloatArray | None = None
    """Where the user cuts the numbers; None if ChiMerge does."""
    order: tuple[Any, ...] | None = None
    """All categories in their order, if they have one."""
    held: tuple[str, str] = ("nothing", "")
    """What it holds, in a word, and the part of the table where that was seen."""

    @property
    def source(self) -> str:
        """The name of the column of the table that it is, or is a part of."""
        return source_of(self.name, self.part)

    @property
    def is_constant(self) -> bool:
        """Whether the rows have at most one value."""
        return len(self.table) <= 1 and self.quantiles is None

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return len(self.table) == 0 and self.quantiles is None

    @cached_property
    def distribution(self) -> Distribution:
        """How the rows are distributed over the distinct numbers, or over the groups."""
        if self.groups is not None:
            return replace(self.groups.distribution, given=self.cuts is not None)
        over = Distribution.of_values(self.values, self.table.sum(axis=1))
        return over if self.cuts is None else over.cut_at(self.cuts)

    def with_groups(self, groups: Groups) -> ColumnSurvey:
        """Return the survey with a table of groups of neighbouring values."""
        return replace(self, groups=groups, table=groups.by_class)

    def renamed(self, names: Mapping[Any, Any]) -> ColumnSurvey:
        """Return the survey with other names for some categories; those that have one name then are one."""
        renamed = [names.get(category, category) for category in self.values]
        position = _positions(dict.fromkeys(renamed))
        table = np.zeros((len(position), self.table.shape[1]))
        np.add.at(table, [position[category] for category in renamed], self.table)
        return replace(self, values=list(position), table=table)

    def aligned(self, n_classes: int, position: IntArray) -> ColumnSurvey:
        """Return the survey with ``n_classes`` classes; those of this survey are at the given positions among them."""
        table, missing = np.zeros((len(self.table), n_classes)), np.zeros(n_classes)
        table[:, position], missing[position] = self.table, self.missing
        return replace(self, table=table, missing=missing)

    def __add__(self, other: ColumnSurvey) -> ColumnSurvey:
        there = other if self.is_numeric and not other.is_numeric else self  # text that a part lacks is numbers there
        held = _agreed(f"column {self.name!r}", self.held, other.held)
        known = other if self.held[0] == "nothing" else self  # of a column without values, nothing is
        if known.order != other.order and other.held[0] != "nothing":
            fault = f"column {self.name!r} has another order in {other.held[1]} than in {self.held[1]}: "
            raise AdvisedError(fault, "give it the same one.")
        both = replace(there, missing=self.missing + other.missing, held=held, cuts=known.cuts, order=known.order)
        if self.is_numeric != other.is_numeric:
            return both
        return both._with_numbers(self, other) if self.is_numeric else both._with_categories(self, other)

    def _with_categories(self, *parts: ColumnSurvey) -> ColumnSurvey:
        """Return the survey with the categories of both parts."""
        position = _positions(dict.fromkeys(chain.from_iterable(part.values for part in parts)))
        if len(position) > MAX_CATEGORIES:
            fault = f"column {self.name!r} has more than {MAX_CATEGORIES:,} categories: "
            raise AdvisedError(fault, Setting("ignore", [self.name], act="leave it out"), ".")
        table = np.zeros((len(position), self.table.shape[1]))
        for part in parts:
            table[[position[category] for category in part.values]] += part.table
        return replace(self, values=list(position), table=table)

    def _with_numbers(self, one: ColumnSurvey, other: ColumnSurvey) -> ColumnSurvey:
        """Return the survey with the numbers of both parts: the distinct ones, or their quantiles if they are many."""
        whole, integer = one.whole and other.whole, one.integer and other.integer
        both = replace(self, whole=whole, integer=integer, rising=one.rising + other.rising)
        if one.quantiles is None and other.quantiles is None:
            values, table = add_tables((one.values, one.table), (other.values, other.table))
            both = replace(both, values=values, table=table)
            if self.max_distinct is None or len(values) <= self.max_distinct:
                return both
            sketch = both.sketched()
        else:
            sketch = reduce(add, [each.sketched() for each in (one, other) if not each.is_empty])
        return replace(both, values=np.zeros(0), table=self.table[:0], quantiles=sketch)

    def sketched(self) -> Sketch:
        """Return a sketch of the numbers, made of the distinct ones if there is none yet."""
        return self.quantiles or Sketch.of_table(self.values, self.table.sum(axis=1))

    def facts(self, rows: int) -> ColumnFacts:
        """Return what the policy on columns that cannot be used needs to know, given the number of rows."""
        if self.is_empty or self.part is not None:
            return ColumnFacts(self.source, is_empty=self.is_empty)
        perhaps = self.max_distinct if self._may_be_identifier(rows) else 0
        return ColumnFacts(self.name, is_identifier=self._is_identifier(rows), perhaps_identifier=perhaps or 0)

    def _is_identifier(self, rows: int) -> bool:
        """Return whether the values are known to be row numbers or identifiers: whole numbers, or text."""
        frames, risen, span = self.rising
        if risen - frames >= ENOUGH_ROWS - 1 and span < 2 * risen:  # row numbers; false for NaN
            return True
        if self.missing.any() or self.quantiles is not None:
            return False
        if self.is_numeric:
            span = float(self.values[-1] - self.values[0])
            return self.integer and is_identifier(self.name, "whole", rows, len(self.values), span)
        return kind_of_values(self.values) == "text" and is_identifier(self.name, "text", rows, len(self.values))

    def _may_be_identifier(self, rows: int) -> bool:
        """Return whether the numbers may be identifiers, but are too many to know whether all of them differ.

        That is so for whole numbers in a column with the name of an identifier, and for whole numbers that are spread
        evenly over a range of at least as many, and less than twice as many, numbers as there are rows.
        """
        if not self.integer or self.missing.any() or self.quantiles is None:
            return False
        low, high = self.quantiles.ends
        if not rows - 1 <= high - low < 2 * rows:
            return is_identifier(self.name, "whole", rows, rows, span=math.inf)  # by its name alone
        edges, shares = self.quantiles.candidates(99)
        return bool(np.abs((edges - low) / (high - low) - shares).max() < UNEVEN)


def _positions(values: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each of some different values."""
    return {value: position for position, value in enumerate(values)}


@dataclass(frozen=True)
class Survey:
    """What is known of all columns, and of the classes. The survey of no rows has no columns either."""

    rows: int = 0
    """The number of rows."""
    classes: NDArray[Any] | None = None
    """The classes, sorted; None if there are no rows."""
    columns: tuple[ColumnSurvey, ...] = ()
    """The survey of each column."""
    target: tuple[str, str] = ("nothing", "")
    """What the target holds, in a word, and the part of the table where that was seen."""
    unlabelled: int = 0
    """The number of rows without a class, which are left out."""

    def __add__(self, other: Survey) -> Survey:
        unlabelled = self.unlabelled + other.unlabelled
        if self.classes is None or other.classes is None:
            return replace(other if self.classes is None else self, unlabelled=unlabelled)
        classes = np.unique(np.concatenate([self.classes, other.classes]))
        ours, theirs = np.searchsorted(classes, self.classes), np.searchsorted(classes, other.classes)
        columns = tuple(
            a.aligned(len(classes), ours) + b.aligned(len(classes), theirs)
            for a, b in zip(self.columns, other.columns, strict=True)
        )
        target = _agreed("the target", self.target, other.target)
        return Survey(self.rows + other.rows, classes, columns, target, unlabelled)

    @property
    def kind_of_classes(self) -> Literal["text", "whole"]:
        """Whether the classes are text, or else numbers or booleans."""
        return "text" if self.target[0] == "text" else "whole"

    @property
    def facts(self) -> list[ColumnFacts]:
        """What the policy on columns that cannot be used needs to know of each column of the table."""
        return [*{column.source: column.facts(self.rows) for column in self.columns}.values()]

    @property
    def categories(self) -> dict[str, Collection[Any]]:
        """The categories of each column of categories that is no part of a column of dates."""
        return {c.name: c.values for c in self.columns if not c.is_numeric and c.part is None}

    def sources(self, names: Collection[str] | None = None) -> tuple[str, ...]:
        """Return the columns of the table that were surveyed, or those from which the attributes of some names are."""
        return tuple(dict.fromkeys(c.source for c in self.columns if names is None or c.name in names))

    def without(self, names: Collection[str]) -> Survey:
        """Return the survey without the columns of the given names, and without parts of dates with one value only."""
        columns = [column for column in self.columns if column.source not in names]
        constant = {j for j, column in enumerate(columns) if column.is_constant}
        needless = needless_parts([(column.name, column.part) for column in columns], constant)
        return replace(self, columns=tuple(column for j, column in enumerate(columns) if j not in needless))


def _agreed(name: str, one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
    """Return what a column holds in two parts; refuse parts that do not agree."""
    if "nothing" in (one[0], other[0]):
        return other if one[0] == "nothing" else one
    if one[0] != other[0]:
        raise ValueError(f"{name} holds {one[0]} in {one[1]} and {other[0]} in {other[1]}: convert it in one of them.")
    return one


def survey_rows(rows: Pieces[LabelledRows], max_distinct: int | None) -> Survey:
    """Return the survey of the columns and classes of a table in parts, from one pass over all rows.

    A number with more distinct values than ``max_distinct`` is summarised by a sketch; None keeps all values.

    Examples
    --------
    >>> from atfnb._pieces import KeptPieces
    >>> from atfnb.tables import label_rows, read_table
    >>> rows = label_rows(read_table([[1.5], [2.5], [1.5]]), ["no", "yes", "no"])
    >>> survey_rows(KeptPieces([rows], 3), max_distinct=100).columns[0].table
    array([[2., 0.],
           [0., 1.]])
    """
    surveyed: Survey = rows.sum("classes and values", Survey, partial(_with_rows, max_distinct=max_distinct))
    return surveyed


def _with_rows(into: Survey, rows: LabelledRows, max_distinct: int | None) -> Survey:
    """Return a survey with some more rows."""
    if not len(rows.y):
        return into + Survey(unlabelled=rows.unlabelled)
    sketched = {column.name for column in into.columns if column.quantiles is not None}
    columns = tuple(
        survey_column(column, rows, max_distinct, sketch_at_once=column.name in sketched)
        for column in rows.table.columns
    )
    return into + Survey(len(rows.y), rows.classes, columns, (_contents_of(rows.classes), rows.part), rows.unlabelled)


def _contents(column: Column) -> str:
    if column.missing.all():
        return "nothing"
    return _contents_of(column.values) if column.zone is None else f"times in {column.zone}"


def _contents_of(values: NDArray[Any]) -> str:
    return "booleans" if values.dtype == bool else "text" if values.dtype.kind in "OUS" else "numbers"


def survey_column(
    column: Column,
    rows: LabelledRows,
    max_distinct: int | None,
    *,
    all_rows: bool = False,
    sketch_at_once: bool = False,
) -> ColumnSurvey:
    """Return the survey of one column of some rows.

    A number with more than ``max_distinct`` distinct values is counted in groups between its quantiles if these are all
    rows of the table (``all_rows``), and otherwise gets a sketch, which can be added to others. With ``sketch_at_once``
    the sketch is made without looking for the distinct values first.
    """
    present = present_rows(column)
    y, weight, n_classes = rows.y[present], rows.weight[present], len(rows.classes)
    missing: Any = np.bincount(rows.y[column.missing], weights=rows.weight[column.missing], minlength=n_classes)
    found = ColumnSurvey(
        name=column.name,
        is_numeric=not column.categorical,
        values=np.zeros(0),
        table=np.zeros((0, n_classes)),
        missing=missing,
        max_distinct=max_distinct,
        part=column.part,
        zone=column.zone,
        cuts=column.cuts,
        order=column.order,
        held=(_contents(column), rows.part),
    )
    if column.categorical:
        names, position = distinct_categories(column)
        cells = np.bincount(position.astype(np.int64) * n_classes + y, weights=weight, minlength=len(names) * n_classes)
        table = np.asarray(cells, dtype=np.float64).reshape(len(names), n_classes)
        there = np.flatnonzero(table.any(axis=1))
        return replace(found, values=[names[row] for row in there.tolist()], table=table[there])
    values, integer = np.ascontiguousarray(column.values[present], dtype=np.float64), column.values.dtype.kind in "iu"
    found = replace(found, whole=integer or are_whole(values), integer=integer, rising=rise_of(column))
    if sketch_at_once and len(values):
        return replace(found, quantiles=Sketch.of(values, weight))
    distinct, weights = distinct_values(values, weight)
    if max_distinct is None or len(distinct) <= max_distinct:
        return replace(found, values=distinct, table=class_table(distinct, values, y, weight, n_classes))
    if not all_rows:
        return replace(found, quantiles=Sketch.of(values, weight))
    groups = Groups.between_quantiles(distinct, weights, n_classes)
    groups = groups if column.cuts is None else Groups.empty(column.cuts, groups.ends, groups.mean, n_classes)
    groups.fill(values, y, weight)
    return found.with_groups(groups)
