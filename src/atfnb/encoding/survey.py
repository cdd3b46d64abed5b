"""The survey of a table: what must be known of its columns and classes before any row can be coded.

A survey is a sum over pieces of rows: a table in memory is one piece, a table in parts has one for each frame that is
read. The distinct values of a number are kept, each with its weight in every class, as long as there are few; otherwise
its quantiles are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from typing import Any, Literal, Self

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
class _ColumnSurvey:
    """What the surveys of numbers and of categories have in common."""

    name: str
    table: FloatArray
    """(values, classes) the weight of the rows with each value, or with one of a group of values, and each class."""
    missing: FloatArray
    """(classes,) the weight of the rows without a value."""
    quantiles: Sketch | None = None
    """The quantiles of a number in parts with too many values for a table, which has then no rows."""
    part: DatePart | None = None
    """Which part of a column of dates it is, if it is one."""
    zone: str | None = None
    """The time zone of the column of dates, if that has one."""
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

    def aligned(self, n_classes: int, position: IntArray) -> Self:
        """Return the survey with ``n_classes`` classes; those of this survey are at the given positions among them."""
        table, missing = np.zeros((len(self.table), n_classes)), np.zeros(n_classes)
        table[:, position], missing[position] = self.table, self.missing
        return replace(self, table=table, missing=missing)


@dataclass(frozen=True, kw_only=True)
class NumericSurvey(_ColumnSurvey):
    """The survey of a column of numbers: its distinct values and the weight of each class, or its quantiles."""

    max_distinct: int | None
    """The largest number of distinct values that are kept; None keeps all."""
    distinct: FloatArray
    """(distinct,) the values, sorted; none if there are more than ``max_distinct``."""
    groups: Groups | None = None
    """The groups of neighbouring values that ``table`` counts, if there are more than ``max_distinct`` values."""
    whole: bool
    """Whether all values are whole numbers."""
    integer: bool
    """Whether the column is of an integer type in every frame."""
    rising: FloatArray
    """(3,) the sum of :func:`rise_of` over the frames."""

    @cached_property
    def distribution(self) -> Distribution:
        """How the rows are distributed over the distinct values, or over the groups."""
        if self.groups is not None:
            return self.groups.distribution
        return Distribution.of_values(self.distinct, self.table.sum(axis=1))

    def with_groups(self, groups: Groups) -> NumericSurvey:
        """Return the survey with a table of groups of neighbouring values."""
        return replace(self, groups=groups, table=groups.by_class)

    def __add__(self, other: NumericSurvey) -> NumericSurvey:
        both = replace(
            self,
            missing=self.missing + other.missing,
            held=_agreed(f"column {self.name!r}", self.held, other.held),
            whole=self.whole and other.whole,
            integer=self.integer and other.integer,
            rising=self.rising + other.rising,
        )
        if self.quantiles is None and other.quantiles is None:
            distinct, table = add_tables((self.distinct, self.table), (other.distinct, other.table))
            both = replace(both, distinct=distinct, table=table)
            if self.max_distinct is None or len(distinct) <= self.max_distinct:
                return both
            sketch = both.sketched()
        else:
            sketch = reduce(add, [each.sketched() for each in (self, other) if not each.is_empty])
        return replace(both, distinct=np.zeros(0), table=self.table[:0], quantiles=sketch)

    def sketched(self) -> Sketch:
        """Return a sketch of the values, made of the distinct values if there is none yet."""
        return self.quantiles or Sketch.of_table(self.distinct, self.table.sum(axis=1))

    def is_identifier(self, rows: int) -> bool:
        """Return whether the numbers are known to be row numbers or identifiers of the rows."""
        frames, risen, span = self.rising
        if risen - frames >= ENOUGH_ROWS - 1 and span < 2 * risen:  # row numbers; false for NaN
            return True
        if not self.integer or self.missing.any() or self.quantiles is not None:
            return False
        return is_identifier(self.name, "whole", rows, len(self.distinct), float(self.distinct[-1] - self.distinct[0]))

    def may_be_identifier(self, rows: int) -> bool:
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


@dataclass(frozen=True, kw_only=True)
class CategoricalSurvey(_ColumnSurvey):
    """The survey of a column of categories: the weight of each class in the rows with each category."""

    known: dict[Any, int]
    """The categories, and the row of the table that each has, counted from 0."""

    def renamed(self, names: Mapping[Any, Any]) -> CategoricalSurvey:
        """Return the survey with other names for some categories; those that have one name then are one."""
        if not names:
            return self
        known = positions(dict.fromkeys(names.get(category, category) for category in self.known))
        table = np.zeros((len(known), self.table.shape[1]))
        np.add.at(table, [known[names.get(category, category)] for category in self.known], self.table)
        return replace(self, known=known, table=table)

    def is_identifier(self, rows: int) -> bool:
        """Return whether the categories are text that is different in every row."""
        text = kind_of_values(self.known) == "text"
        return not self.missing.any() and text and is_identifier(self.name, "text", rows, len(self.known))

    def __add__(self, other: CategoricalSurvey) -> CategoricalSurvey:
        known = positions([*self.known, *(category for category in other.known if category not in self.known)])
        if len(known) > MAX_CATEGORIES:
            fault = f"column {self.name!r} has more than {MAX_CATEGORIES:,} categories: "
            raise AdvisedError(fault, Setting("ignore", [self.name], act="leave it out"), ".")
        table = np.zeros((len(known), self.table.shape[1]))
        table[: len(self.table)] = self.table
        table[[known[category] for category in other.known]] += other.table
        held = _agreed(f"column {self.name!r}", self.held, other.held)
        return replace(self, known=known, table=table, missing=self.missing + other.missing, held=held)


ColumnSurvey = NumericSurvey | CategoricalSurvey


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
            _add_surveys(a.aligned(len(classes), ours), b.aligned(len(classes), theirs))
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
        return [*{column.source: _facts(column, self.rows) for column in self.columns}.values()]

    @property
    def categories(self) -> dict[str, Collection[Any]]:
        """The categories of each column of categories that is no part of a column of dates."""
        return {c.name: c.known for c in self.columns if isinstance(c, CategoricalSurvey) and c.part is None}

    def sources(self, names: Collection[str] | None = None) -> tuple[str, ...]:
        """Return the columns of the table that were surveyed, or those from which the attributes of some names are."""
        return tuple(dict.fromkeys(c.source for c in self.columns if names is None or c.name in names))

    def without(self, names: Collection[str]) -> Survey:
        """Return the survey without the columns of the given names, and without parts of dates with one value only."""
        columns = [column for column in self.columns if column.source not in names]
        constant = {j for j, column in enumerate(columns) if column.is_constant}
        needless = needless_parts([(column.name, column.part) for column in columns], constant)
        return replace(self, columns=tuple(column for j, column in enumerate(columns) if j not in needless))


def _facts(column: ColumnSurvey, rows: int) -> ColumnFacts:
    if column.is_empty or column.part is not None:
        return ColumnFacts(column.source, is_empty=column.is_empty)
    perhaps = column.max_distinct if isinstance(column, NumericSurvey) and column.may_be_identifier(rows) else 0
    return ColumnFacts(column.name, is_identifier=column.is_identifier(rows), perhaps_identifier=perhaps or 0)


def _add_surveys(a: Any, b: Any) -> ColumnSurvey:
    """Return the sum of two surveys of a column; text that is missing in a whole part was read as numbers there."""
    if type(a) is type(b):
        added: ColumnSurvey = a + b
        return added
    held = _agreed(f"column {a.name!r}", a.held, b.held)
    return replace(a if isinstance(a, CategoricalSurvey) else b, missing=a.missing + b.missing, held=held)


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
    missing = np.bincount(rows.y[column.missing], weights=rows.weight[column.missing], minlength=n_classes)
    common: dict[str, Any] = {"name": column.name, "missing": missing, "part": column.part, "zone": column.zone}
    common["held"] = (_contents(column), rows.part)
    if column.categorical:
        names, position = distinct_categories(column)
        cells = np.bincount(position.astype(np.int64) * n_classes + y, weights=weight, minlength=len(names) * n_classes)
        table = np.asarray(cells, dtype=np.float64).reshape(len(names), n_classes)
        there = np.flatnonzero(table.any(axis=1))
        return CategoricalSurvey(known=positions(names[row] for row in there.tolist()), table=table[there], **common)
    values = np.ascontiguousarray(column.values[present], dtype=np.float64)
    integer = column.values.dtype.kind in "iu"
    empty = NumericSurvey(
        max_distinct=max_distinct,
        distinct=np.zeros(0),
        table=np.zeros((0, n_classes)),
        whole=integer or are_whole(values),
        integer=integer,
        rising=rise_of(column),
        **common,
    )
    if sketch_at_once and len(values):
        return replace(empty, quantiles=Sketch.of(values, weight))
    distinct, weights = distinct_values(values, weight)
    if max_distinct is None or len(distinct) <= max_distinct:
        return replace(empty, distinct=distinct, table=class_table(distinct, values, y, weight, n_classes))
    if not all_rows:
        return replace(empty, quantiles=Sketch.of(values, weight))
    groups = Groups.between_quantiles(distinct, weights, n_classes)
    groups.fill(values, y, weight)
    return empty.with_groups(groups)


def positions(categories: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each category in a table that has them in this order."""
    return {category: position for position, category in enumerate(categories)}
