"""The survey of a table: what must be known of its columns and classes before any row can be coded.

A survey is a sum over pieces of rows: a table in memory is one piece, a table in parts has one for each frame that is
read. The distinct values of a number are kept, each with its weight in every class, as long as there are few; otherwise
its quantiles are.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, options
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import are_whole, kind_of_values
from atfnb.encoding.quantiles import Quantiles, Sketch
from atfnb.encoding.tabulate import add_tables, class_table, distinct_values
from atfnb.tables import (
    Column,
    ColumnFacts,
    LabelledRows,
    Part,
    are_row_numbers,
    is_identifier,
    named_as_identifier,
    needless_parts,
    nothing_to_learn_from,
    source_of,
)

MAX_CATEGORIES = 1_000_000
"""The number of categories that a column in parts may have."""
UNEVEN = 0.02
"""The quantiles of evenly spread numbers are off by at most this share of their range."""


@dataclass(frozen=True)
class Rising:
    """Whether the whole numbers of a column rise from row to row in each of some frames, as row numbers do."""

    rises: bool
    frames: int = 0
    """The number of frames."""
    rows: int = 0
    """The number of rows in all frames."""
    span: float = 0.0
    """The sum over the frames of the last value less the first."""

    @classmethod
    def of(cls, column: Column) -> Rising:
        """Return whether a column of one frame rises."""
        values = column.values
        if values.dtype.kind not in "iu" or not column.is_complete or not (values[1:] > values[:-1]).all():
            return cls(False)
        return cls(True, 1, len(values), float(values[-1]) - float(values[0]))

    @property
    def are_row_numbers(self) -> bool:
        """Whether the numbers are row numbers."""
        return self.rises and are_row_numbers(self.frames, self.rows, self.span)

    def __add__(self, other: Rising) -> Rising:
        if not (self.rises and other.rises):
            return Rising(False)
        return Rising(True, self.frames + other.frames, self.rows + other.rows, self.span + other.span)


@dataclass(frozen=True)
class NumericSurvey:
    """The survey of a column of numbers: its distinct values and the weight of each class, or its quantiles."""

    name: str
    max_distinct: int | None
    """The largest number of distinct values that are kept; None keeps all."""
    distinct: FloatArray
    """(distinct,) the values, sorted; none if there are quantiles."""
    table: FloatArray
    """(distinct, classes) the weight of the rows with each value and each class."""
    missing: FloatArray
    """(classes,) the weight of the rows without a value."""
    quantiles: Quantiles | Sketch | None = None
    """The quantiles of the values, if there are more than ``max_distinct``."""
    whole: bool = True
    """Whether all values are whole numbers."""
    integer: bool = False
    """Whether the column is of an integer type in every frame."""
    rising: Rising = Rising(False)
    """Whether the values rise from row to row."""
    part: Part | None = None
    """Which part of a column of dates it is, if it is one."""
    zone: str | None = None
    """The time zone of the column of dates, if that has one."""

    @property
    def source(self) -> str:
        """The name of the column of the table that it is, or is a part of."""
        return source_of(self.name, self.part)

    @property
    def is_constant(self) -> bool:
        """Whether the rows have at most one value."""
        return len(self.distinct) <= 1 and self.quantiles is None

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return len(self.distinct) == 0 and self.quantiles is None

    def aligned(self, n_classes: int, position: IntArray) -> NumericSurvey:
        """Return the survey with ``n_classes`` classes; those of this survey are at the given positions among them."""
        table, missing = np.zeros((len(self.table), n_classes)), np.zeros(n_classes)
        table[:, position], missing[position] = self.table, self.missing
        return replace(self, table=table, missing=missing)

    def __add__(self, other: NumericSurvey) -> NumericSurvey:
        both = replace(
            self,
            missing=self.missing + other.missing,
            whole=self.whole and other.whole,
            integer=self.integer and other.integer,
            rising=self.rising + other.rising,
        )
        if self.quantiles is not None or other.quantiles is not None:
            sketches = [each.sketched() for each in (self, other) if not each.is_empty]
            return replace(both, distinct=np.zeros(0), table=self.table[:0], quantiles=reduce(add, sketches))
        distinct, table = add_tables((self.distinct, self.table), (other.distinct, other.table))
        both = replace(both, distinct=distinct, table=table)
        if self.max_distinct is None or len(distinct) <= self.max_distinct:
            return both
        return replace(both, distinct=np.zeros(0), table=table[:0], quantiles=both.sketched())

    def sketched(self) -> Sketch:
        """Return a sketch of the values, made of the distinct values if there is none yet."""
        if self.quantiles is None:
            return Sketch.of_table(self.distinct, self.table.sum(axis=1))
        if isinstance(self.quantiles, Sketch):
            return self.quantiles
        raise TypeError("exact quantiles are those of all rows, and cannot be added to others.")

    def is_identifier(self, rows: int) -> bool:
        """Return whether the numbers are known to be row numbers or identifiers of the rows."""
        if self.rising.are_row_numbers:
            return True
        if not self.integer or self.missing.any() or self.quantiles is not None:
            return False
        return is_identifier(self.name, "whole", rows, len(self.distinct), float(self.distinct[-1] - self.distinct[0]))

    def may_be_identifier(self, rows: int) -> bool:
        """Return whether the numbers may be identifiers, but are too many to know whether all of them differ.

        That is so for whole numbers in a column with the name of an identifier, and for whole numbers that are spread
        evenly over a range of at least as many, and less than twice as many, numbers as there are rows.
        """
        if not self.integer or self.missing.any() or not isinstance(self.quantiles, Sketch):
            return False
        low, high = self.quantiles.ends
        if not rows - 1 <= high - low < 2 * rows:
            return named_as_identifier(self.name)
        edges, shares = self.quantiles.candidates(99)
        return bool(np.abs((edges - low) / (high - low) - shares).max() < UNEVEN)


@dataclass(frozen=True)
class CategoricalSurvey:
    """The survey of a column of categories: the weight of each class in the rows with each category."""

    name: str
    known: dict[Any, int]
    """The categories, and the row of the table that each has, counted from 0."""
    table: FloatArray
    """(categories, classes) the weight of the rows with each category and each class."""
    missing: float
    """The weight of the rows without a value."""
    part: Part | None = None
    """Which part of a column of dates it is, if it is one."""
    zone: str | None = None
    """The time zone of the column of dates, if that has one."""

    @classmethod
    def of_table(cls, name: str, values: NDArray[Any], table: FloatArray) -> CategoricalSurvey:
        """Return the survey of a column without missing values from its categories and their table."""
        return cls(name, _positions(values.tolist()), table, 0.0)

    @property
    def source(self) -> str:
        """The name of the column of the table that it is, or is a part of."""
        return source_of(self.name, self.part)

    @property
    def is_constant(self) -> bool:
        """Whether the rows have at most one value."""
        return len(self.known) <= 1

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return not self.known

    @property
    def weights(self) -> dict[Any, float]:
        """The categories, and the weight of the rows with each."""
        return dict(zip(self.known, self.table.sum(axis=1).tolist(), strict=True))

    def renamed(self, names: Mapping[Any, Any]) -> CategoricalSurvey:
        """Return the survey with other names for some categories; those that have one name then are one."""
        if not names:
            return self
        known = _positions(dict.fromkeys(names.get(category, category) for category in self.known))
        table = np.zeros((len(known), self.table.shape[1]))
        np.add.at(table, [known[names.get(category, category)] for category in self.known], self.table)
        return replace(self, known=known, table=table)

    def is_identifier(self, rows: int) -> bool:
        """Return whether the categories are text that is different in every row."""
        text = kind_of_values(self.known) == "text"
        return not self.missing and text and is_identifier(self.name, "text", rows, len(self.known))

    def aligned(self, n_classes: int, position: IntArray) -> CategoricalSurvey:
        """Return the survey with ``n_classes`` classes; those of this survey are at the given positions among them."""
        table = np.zeros((len(self.table), n_classes))
        table[:, position] = self.table
        return replace(self, table=table)

    def __add__(self, other: CategoricalSurvey) -> CategoricalSurvey:
        known = _positions([*self.known, *(category for category in other.known if category not in self.known)])
        if len(known) > MAX_CATEGORIES:
            raise AdvisedError(
                f"column {self.name!r} has more than {MAX_CATEGORIES:,} categories",
                "leave it out",
                f"leave it out with {options('--ignore', [self.name])}",
            )
        table = np.zeros((len(known), self.table.shape[1]))
        table[: len(self.table)] = self.table
        table[[known[category] for category in other.known]] += other.table
        return replace(self, known=known, table=table, missing=self.missing + other.missing)


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
    kinds: tuple[tuple[str, str], ...] = ()
    """What each column holds, and last the target: in a word, and the part of the table where that was seen."""
    unlabelled: int = 0
    """The number of rows without a class, which are left out."""

    def __add__(self, other: Survey) -> Survey:
        unlabelled = self.unlabelled + other.unlabelled
        if self.classes is None or other.classes is None:
            return replace(other if self.classes is None else self, unlabelled=unlabelled)
        names = (*(f"column {column.name!r}" for column in self.columns), "the target")
        kinds = tuple(map(_agreed, names, self.kinds, other.kinds))
        classes = np.unique(np.concatenate([self.classes, other.classes]))
        ours, theirs = np.searchsorted(classes, self.classes), np.searchsorted(classes, other.classes)
        columns = tuple(
            _add_surveys(a.aligned(len(classes), ours), b.aligned(len(classes), theirs))
            for a, b in zip(self.columns, other.columns, strict=True)
        )
        return Survey(self.rows + other.rows, classes, columns, kinds, unlabelled)

    @property
    def kind_of_classes(self) -> Literal["text", "whole"]:
        """Whether the classes are text, or else numbers or booleans."""
        return "text" if self.kinds[-1][0] == "text" else "whole"

    @property
    def facts(self) -> list[ColumnFacts]:
        """What the policy on columns that cannot be used needs to know of each column of the table."""
        return [*{column.source: _facts(column, self.rows) for column in self.columns}.values()]

    @property
    def categories(self) -> dict[str | None, Iterable[Any]]:
        """The categories of each column that has some and is no part of a column of dates."""
        return {c.name: c.known for c in self.columns if isinstance(c, CategoricalSurvey) and c.part is None}

    def without(self, names: Collection[str]) -> Survey:
        """Return the survey without the columns of the given names, and all parts of these columns."""
        return self._only([j for j, column in enumerate(self.columns) if column.source not in names])

    def without_needless_parts(self) -> Survey:
        """Return the survey without the parts of dates that have one value only."""
        constant = {j for j, column in enumerate(self.columns) if column.is_constant}
        left_out = needless_parts([(column.name, column.part) for column in self.columns], constant)
        return self._only([j for j in range(len(self.columns)) if j not in left_out]) if left_out else self

    def _only(self, positions: Sequence[int]) -> Survey:
        """Return the survey with the columns at these positions only."""
        kinds = (*(self.kinds[j] for j in positions), self.kinds[-1])
        return replace(self, columns=tuple(self.columns[j] for j in positions), kinds=kinds)

    def with_values(self) -> Survey:
        """Return the survey without the columns that have no value; raise a ValueError if no column is left."""
        left = self._only([j for j, column in enumerate(self.columns) if not column.is_empty])
        if not left.columns:
            raise nothing_to_learn_from()
        return left


def _facts(column: ColumnSurvey, rows: int) -> ColumnFacts:
    if column.is_empty or column.part is not None:
        return ColumnFacts(column.source, is_empty=column.is_empty)
    perhaps = column.max_distinct if isinstance(column, NumericSurvey) and column.may_be_identifier(rows) else 0
    return ColumnFacts(column.name, is_identifier=column.is_identifier(rows), perhaps_identifier=perhaps or 0)


def _add_surveys(a: Any, b: Any) -> ColumnSurvey:
    """Return the sum of two surveys of a column; text that is missing in a whole part was read as numbers there."""
    if isinstance(a, NumericSurvey) and isinstance(b, CategoricalSurvey):
        return replace(b, missing=b.missing + float(a.missing.sum()))
    if isinstance(a, CategoricalSurvey) and isinstance(b, NumericSurvey):
        return replace(a, missing=a.missing + float(b.missing.sum()))
    added: ColumnSurvey = a + b
    return added


def _agreed(name: str, one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
    """Return what a column holds in two parts; refuse parts that do not agree."""
    if "nothing" in (one[0], other[0]):
        return other if one[0] == "nothing" else one
    if one[0] != other[0]:
        raise ValueError(f"{name} holds {one[0]} in {one[1]} and {other[0]} in {other[1]}: convert it in one of them.")
    return one


@dataclass(frozen=True)
class SurveyPass:
    """The pass over all rows of a table in parts that surveys its columns and classes.

    Examples
    --------
    >>> from atfnb.tables import read_table
    >>> y = np.array([0, 1, 0], dtype=np.int32)
    >>> rows = LabelledRows(read_table([[1.5], [2.5], [1.5]]), np.array(["no", "yes"]), y, np.ones(3))
    >>> surveying = SurveyPass(max_distinct=100)
    >>> surveying.fill(surveying.empty(), rows).columns[0].table
    array([[2., 0.],
           [0., 1.]])
    """

    max_distinct: int | None
    """A number with more distinct values than this is summarised by a sketch; None keeps all values."""

    def empty(self) -> Survey:
        """Return the survey of no rows."""
        return Survey()

    def fill(self, into: Survey, rows: LabelledRows) -> Survey:
        """Return the survey with some more rows."""
        if not len(rows.y):
            return into + Survey(unlabelled=rows.unlabelled)
        sketched = [isinstance(column, NumericSurvey) and column.quantiles is not None for column in into.columns]
        columns = [
            survey_column(column, rows, self.max_distinct, sketch_at_once=at_once)
            for column, at_once in zip(rows.table.columns, sketched or [False] * len(rows.table.columns), strict=True)
        ]
        kinds = (*map(_contents, rows.table.columns), _contents_of(rows.classes))
        where = tuple((kind, rows.part) for kind in kinds)
        return into + Survey(len(rows.y), rows.classes, tuple(columns), where, rows.unlabelled)


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

    A number with more than ``max_distinct`` distinct values gets exact quantiles if these are all rows of the table
    (``all_rows``), and otherwise a sketch, which can be added to others. With ``sketch_at_once`` the sketch is made
    without looking for the distinct values first.
    """
    if column.categorical:
        return _survey_categories(column, rows)
    present: Any = slice(None) if column.is_complete else ~column.missing
    values = np.ascontiguousarray(column.values[present], dtype=np.float64)
    y, weight, n_classes = rows.y[present], rows.weight[present], len(rows.classes)
    missing = np.zeros(n_classes)
    if not column.is_complete:
        missing += np.bincount(rows.y[column.missing], weights=rows.weight[column.missing], minlength=n_classes)
    empty = NumericSurvey(
        column.name,
        max_distinct,
        np.zeros(0),
        np.zeros((0, n_classes)),
        missing,
        whole=column.values.dtype.kind in "iu" or are_whole(values),
        integer=column.values.dtype.kind in "iu",
        rising=Rising.of(column),
        part=column.part,
        zone=column.zone,
    )
    if sketch_at_once and len(values):
        return replace(empty, quantiles=Sketch.of(values, weight))
    distinct, weights = distinct_values(values, weight)
    if max_distinct is None or len(distinct) <= max_distinct:
        return replace(empty, distinct=distinct, table=class_table(distinct, values, y, weight, n_classes))
    return replace(empty, quantiles=Quantiles.of(distinct, weights) if all_rows else Sketch.of(values, weight))


def _survey_categories(column: Column, rows: LabelledRows) -> CategoricalSurvey:
    """Return the survey of a column of categories: numbers in their order, text in order of first appearance."""
    present: Any = slice(None) if column.is_complete else ~column.missing
    missing = 0.0 if column.is_complete else float(rows.weight[column.missing].sum())
    names: list[Any]
    if column.dictionary is not None:
        names, position = column.dictionary.values.tolist(), column.dictionary.position[present]
    elif column.is_number:
        known, position = np.unique(column.values[present], return_inverse=True)
        names = known.tolist()
    else:
        cells = column.values[present].tolist()
        names = list(dict.fromkeys(cells))
        position = np.fromiter(map(_positions(names).__getitem__, cells), dtype=np.int64, count=len(cells))
    shape = (len(names), len(rows.classes))
    cell = position.astype(np.int64) * shape[1] + rows.y[present]
    weights = np.bincount(cell, weights=rows.weight[present], minlength=math.prod(shape))
    table = np.asarray(weights, dtype=np.float64).reshape(shape)
    there = np.flatnonzero(table.any(axis=1))
    positions = _positions(names[row] for row in there.tolist())
    return CategoricalSurvey(column.name, positions, table[there], missing, column.part, column.zone)


def _positions(categories: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each category in a table that has them in this order."""
    return {category: position for position, category in enumerate(categories)}
