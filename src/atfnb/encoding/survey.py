"""The survey of a table: what must be known of its columns and classes before any row can be coded.

A survey is a sum over pieces of rows: a table in memory is one piece, a table in parts has one for each frame that is
read. The distinct values of a number are kept, each with its weight in every class, as long as there are few; otherwise
quantiles.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import AdvisedError
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding.attributes import are_whole, kind_of_values
from atfnb.encoding.quantiles import Quantiles, Sketch
from atfnb.encoding.tabulate import add_tables, class_table, distinct_values
from atfnb.tables import (
    Column,
    ColumnFacts,
    LabelledRows,
    counts_rows,
    is_identifier,
    named_as_identifier,
    nothing_to_learn_from,
)

MAX_CATEGORIES = 1_000_000
"""The number of categories that a column in parts may have."""
UNEVEN = 0.02
"""The quantiles of evenly spread numbers are off by at most this share of their range."""


@dataclass(frozen=True)
class Rising:
    """Whether whole numbers rise from row to row in every frame, as row numbers do, and by how much in all."""

    holds: bool
    frames: int = 0
    rows: int = 0
    span: float = 0.0
    """The sum over the frames of the last value less the first."""

    @classmethod
    def of(cls, column: Column) -> Rising:
        """Look at the rows of one frame."""
        values = column.values
        if values.dtype.kind not in "iu" or not column.is_complete or not (values[1:] > values[:-1]).all():
            return cls(False)
        return cls(True, 1, len(values), float(values[-1]) - float(values[0]))

    @property
    def counts_rows(self) -> bool:
        """Whether these are row numbers."""
        return self.holds and counts_rows(self.frames, self.rows, self.span)

    def __add__(self, other: Rising) -> Rising:
        if not (self.holds and other.holds):
            return Rising(False)
        return Rising(True, self.frames + other.frames, self.rows + other.rows, self.span + other.span)


@dataclass(frozen=True)
class Numbers:
    """What is known of a column of numbers: its distinct values with their classes, or its quantiles."""

    name: str
    most: int | None
    """The number of distinct values that are kept, at most; None keeps all."""
    distinct: FloatArray
    table: FloatArray
    """(distinct, classes) the weight of the rows with each value and each class."""
    missing: FloatArray
    """(classes,) the weight of the rows without a value."""
    quantiles: Quantiles | Sketch | None = None
    """In place of the distinct values, where there are too many."""
    whole: bool = True
    """Whether all values are whole numbers."""
    integer: bool = False
    """Whether the column is of an integer type in every frame."""
    rising: Rising = Rising(False)

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return len(self.distinct) == 0 and self.quantiles is None

    def aligned(self, n_classes: int, position: IntArray) -> Numbers:
        """Return the survey with more classes, among which those of this one stand at the positions given."""
        table, missing = np.zeros((len(self.table), n_classes)), np.zeros(n_classes)
        table[:, position], missing[position] = self.table, self.missing
        return replace(self, table=table, missing=missing)

    def __add__(self, other: Numbers) -> Numbers:
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
        if self.most is None or len(distinct) <= self.most:
            return both
        return replace(both, distinct=np.zeros(0), table=table[:0], quantiles=both.sketched())

    def sketched(self) -> Sketch:
        """Return a sketch of the values, in whatever form they are kept."""
        if self.quantiles is None:
            return Sketch.of_table(self.distinct, self.table.sum(axis=1))
        if isinstance(self.quantiles, Sketch):
            return self.quantiles
        raise TypeError("exact quantiles are those of all rows, and cannot be added to others.")

    def names_rows(self, rows: int) -> bool:
        """Return whether these are row numbers or identifiers, as far as is known where there are many of them."""
        if self.rising.counts_rows:
            return True
        if not self.integer or self.missing.any() or self.quantiles is not None:
            return False
        return is_identifier(self.name, "whole", rows, len(self.distinct), float(self.distinct[-1] - self.distinct[0]))

    def may_name_rows(self, rows: int) -> bool:
        """Return whether these may be identifiers, but are too many to know whether all of them differ.

        That is, whole numbers with a name of an identifier, or spread evenly over a range that has room for a number
        each, and little more.
        """
        if not self.integer or self.missing.any() or not isinstance(self.quantiles, Sketch):
            return False
        low, high = self.quantiles.ends
        if not rows - 1 <= high - low < 2 * rows:
            return named_as_identifier(self.name)
        edges, shares = self.quantiles.candidates(99)
        return bool(np.abs((edges - low) / (high - low) - shares).max() < UNEVEN)


@dataclass(frozen=True)
class Categories:
    """What is known of a column of categories: the weight of the rows with each, and of those without any."""

    name: str
    known: dict[Any, float]
    missing: float

    @classmethod
    def of_counts(cls, name: str, values: NDArray[Any], weights: FloatArray) -> Categories:
        """Survey a column without missing values, whose categories have been counted."""
        return cls(name, dict(zip(values.tolist(), weights.tolist(), strict=True)), 0.0)

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return not self.known

    def names_rows(self, rows: int) -> bool:
        """Return whether the categories are text that is different in every row."""
        text = kind_of_values(self.known) == "text"
        return not self.missing and text and is_identifier(self.name, "text", rows, len(self.known))

    def aligned(self, n_classes: int, position: IntArray) -> Categories:
        """Return self: classes do not matter here."""
        return self

    def __add__(self, other: Categories) -> Categories:
        known = dict(self.known)
        for category, weight in other.known.items():
            known[category] = known.get(category, 0.0) + weight
        if len(known) > MAX_CATEGORIES:
            raise AdvisedError(
                f"column {self.name!r} has more than {MAX_CATEGORIES:,} categories",
                "leave it out",
                f"leave it out with --ignore {shlex.quote(self.name)}",
            )
        return Categories(self.name, known, self.missing + other.missing)


ColumnSurvey = Numbers | Categories


@dataclass(frozen=True)
class Survey:
    """What is known of all columns, and of the classes. The survey of no rows has no columns either."""

    rows: int = 0
    classes: NDArray[Any] | None = None
    columns: tuple[ColumnSurvey, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    """What each column holds, and then the target; and in which part that was seen."""
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
            _added(a.aligned(len(classes), ours), b.aligned(len(classes), theirs))
            for a, b in zip(self.columns, other.columns, strict=True)
        )
        return Survey(self.rows + other.rows, classes, columns, kinds, unlabelled)

    @property
    def kind_of_classes(self) -> Literal["text", "whole"]:
        """Whether the classes are text, or else numbers or booleans."""
        return "text" if self.kinds[-1][0] == "text" else "whole"

    @property
    def facts(self) -> list[ColumnFacts]:
        """What the policy on columns that cannot be used needs to know of each column."""
        return [_facts(column, self.rows) for column in self.columns]

    def without(self, names: Collection[str]) -> Survey:
        """Return the survey without some columns."""
        left = [pair for pair in zip(self.columns, self.kinds, strict=False) if pair[0].name not in names]
        kinds = (*(kind for _, kind in left), self.kinds[-1])
        return replace(self, columns=tuple(column for column, _ in left), kinds=kinds)

    def with_values(self) -> Survey:
        """Return the survey without the columns that have no value."""
        left = self.without([column.name for column in self.columns if column.is_empty])
        if not left.columns:
            raise nothing_to_learn_from()
        return left


def _facts(column: ColumnSurvey, rows: int) -> ColumnFacts:
    if column.is_empty:
        return ColumnFacts(column.name, is_empty=True)
    perhaps = column.most if isinstance(column, Numbers) and column.may_name_rows(rows) else 0
    return ColumnFacts(column.name, is_identifier=column.names_rows(rows), perhaps_identifier=perhaps or 0)


def _added(a: Any, b: Any) -> ColumnSurvey:
    """Add two surveys of a column. Text that is missing in all rows of a part was read as numbers there."""
    if isinstance(a, Numbers) and isinstance(b, Categories):
        return b + Categories(a.name, {}, float(a.missing.sum()))
    if isinstance(a, Categories) and isinstance(b, Numbers):
        return a + Categories(b.name, {}, float(b.missing.sum()))
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
    >>> surveying = SurveyPass(most=100)
    >>> surveying.fill(surveying.empty(), rows).columns[0].table
    array([[2., 0.],
           [0., 1.]])
    """

    most: int | None
    """Of a number with more distinct values, a sketch is kept; None keeps all values."""

    def empty(self) -> Survey:
        """Start from no rows."""
        return Survey()

    def fill(self, into: Survey, rows: LabelledRows) -> Survey:
        """Add some rows to a survey."""
        if not len(rows.y):
            return into + Survey(unlabelled=rows.unlabelled)
        sketched = [isinstance(column, Numbers) and column.quantiles is not None for column in into.columns]
        columns = [
            survey_column(column, rows, self.most, sketch_at_once=at_once)
            for column, at_once in zip(rows.table.columns, sketched or [False] * len(rows.table.columns), strict=True)
        ]
        kinds = (*map(_kind, rows.table.columns), _kind_of(rows.classes))
        where = tuple((kind, rows.part) for kind in kinds)
        return into + Survey(len(rows.y), rows.classes, tuple(columns), where, rows.unlabelled)


def _kind(column: Column) -> str:
    return "nothing" if column.missing.all() else _kind_of(column.values)


def _kind_of(values: NDArray[Any]) -> str:
    return "booleans" if values.dtype == bool else "text" if values.dtype.kind in "OUS" else "numbers"


def survey_column(
    column: Column,
    rows: LabelledRows,
    most: int | None,
    *,
    all_rows: bool = False,
    sketch_at_once: bool = False,
) -> ColumnSurvey:
    """Survey one column of some rows.

    A number with more than ``most`` distinct values gets exact quantiles if these are all rows of the table, and
    otherwise a sketch, which can be added to others. With ``sketch_at_once`` its distinct values are not looked for.
    """
    if column.categorical:
        return _survey_categories(column, rows.weight)
    present: Any = slice(None) if column.is_complete else ~column.missing
    values = np.ascontiguousarray(column.values[present], dtype=np.float64)
    y, weight, n_classes = rows.y[present], rows.weight[present], len(rows.classes)
    missing = np.zeros(n_classes)
    if not column.is_complete:
        missing += np.bincount(rows.y[column.missing], weights=rows.weight[column.missing], minlength=n_classes)
    empty = Numbers(
        column.name,
        most,
        np.zeros(0),
        np.zeros((0, n_classes)),
        missing,
        whole=column.values.dtype.kind in "iu" or are_whole(values),
        integer=column.values.dtype.kind in "iu",
        rising=Rising.of(column),
    )
    if sketch_at_once and len(values):
        return replace(empty, quantiles=Sketch.of(values, weight))
    distinct, weights = distinct_values(values, weight)
    if most is None or len(distinct) <= most:
        return replace(empty, distinct=distinct, table=class_table(distinct, values, y, weight, n_classes))
    return replace(empty, quantiles=Quantiles.of(distinct, weights) if all_rows else Sketch.of(values, weight))


def _survey_categories(column: Column, weight: FloatArray) -> Categories:
    """Weigh the categories of a column, those of numbers in their order and those of text as they come."""
    present: Any = slice(None) if column.is_complete else ~column.missing
    missing = 0.0 if column.is_complete else float(weight[column.missing].sum())
    names: list[Any]
    if column.words is not None:
        names, position = column.words.distinct.tolist(), column.words.place[present]
    elif column.is_number:
        known, position = np.unique(column.values[present], return_inverse=True)
        names = known.tolist()
    else:
        cells = column.values[present].tolist()
        names = list(dict.fromkeys(cells))
        index = {name: code for code, name in enumerate(names)}
        position = np.fromiter(map(index.__getitem__, cells), dtype=np.int64, count=len(cells))
    weights = np.bincount(position, weights=weight[present], minlength=len(names)).tolist()
    known_weights = {name: each for name, each in zip(names, weights, strict=True) if each > 0}
    return Categories(column.name, known_weights, missing)
