"""The pass over values: what there is to know of the columns and the classes before any row can be coded.

A number's distinct values are kept, each with how often it occurs with each class, while they are few; otherwise a
sketch of their quantiles. Both add up.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import AdvisedError
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding import kind_of_values
from atfnb.encoding.attributes import count_words
from atfnb.encoding.chimerge import add_tables, value_class_table
from atfnb.encoding.number_labels import are_whole
from atfnb.scale.labelled import Labelled
from atfnb.scale.rising import NOT_RISING, Rising
from atfnb.scale.sketch import Sketch
from atfnb.tables import Column, ColumnFacts, is_identifier, named_as_identifier, nothing_to_learn_from

MAX_DISTINCT = 10_000
"""Up to so many distinct values of a number are kept, and its cuts are those of a fit in memory."""
MAX_CATEGORIES = 1_000_000
UNEVEN = 0.02
"""By so much of their range, at most, the quantiles of evenly spread numbers are off."""


@dataclass(frozen=True)
class Numbers:
    """A number: its distinct values with their classes, or a sketch; and how often it is missing with each class."""

    name: str
    most: int
    distinct: FloatArray
    table: FloatArray
    """(distinct, classes)"""
    gaps: FloatArray
    """(classes,)"""
    weight: float
    total: float
    """Σw and Σw·x of the rows that have it."""
    sketch: Sketch | None = None
    whole: bool = True
    """Whether all values are whole numbers."""
    integer: bool = False
    """Whether the column is of a type of whole numbers in every frame."""
    rising: Rising = NOT_RISING

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return len(self.distinct) == 0 and self.sketch is None

    def aligned(self, n_classes: int, place: IntArray) -> Numbers:
        """The same, with more classes."""
        table, gaps = np.zeros((len(self.table), n_classes)), np.zeros(n_classes)
        table[:, place], gaps[place] = self.table, self.gaps
        return replace(self, table=table, gaps=gaps)

    def __add__(self, other: Numbers) -> Numbers:
        both = replace(
            self,
            gaps=self.gaps + other.gaps,
            weight=self.weight + other.weight,
            total=self.total + other.total,
            whole=self.whole and other.whole,
            integer=self.integer and other.integer,
            rising=self.rising + other.rising,
        )
        if self.sketch is not None or other.sketch is not None:
            sketches = [each.sketched() for each in (self, other) if not each.is_empty]
            return replace(both, distinct=np.zeros(0), table=self.table[:0], sketch=reduce(add, sketches))
        distinct, table = add_tables((self.distinct, self.table), (other.distinct, other.table))
        both = replace(both, distinct=distinct, table=table)
        if len(distinct) <= self.most:
            return both
        return replace(both, distinct=np.zeros(0), table=table[:0], sketch=both.sketched())

    def names_rows(self, rows: int) -> bool:
        """Return whether these are row numbers or identifiers, as far as is known where there are many of them."""
        if self.rising.counts_rows:
            return True
        if not self.integer or self.gaps.any() or self.sketch is not None:
            return False
        return is_identifier(self.name, "whole", rows, len(self.distinct), float(self.distinct[-1] - self.distinct[0]))

    def may_name_rows(self, rows: int) -> bool:
        """Return whether these are so many whole numbers that one cannot know if all differ, but spread as if they did.

        That is, with a name of an identifier, or evenly over a range that has room for a number each, and little more.
        """
        if not self.integer or self.gaps.any() or self.sketch is None:
            return False
        low, high = self.sketch.ends
        if not rows - 1 <= high - low < 2 * rows:
            return named_as_identifier(self.name)
        edges, shares = self.sketch.candidates(99)
        return bool(np.abs((edges - low) / (high - low) - shares).max() < UNEVEN)

    def sketched(self) -> Sketch:
        """A sketch of the values, whatever they are kept as."""
        return self.sketch or Sketch.of_table(self.distinct, self.table.sum(axis=1))


@dataclass(frozen=True)
class Categories:
    """A category: the weight of each value, and of the rows without one."""

    name: str
    known: dict[Any, float]
    missing: float

    @property
    def is_empty(self) -> bool:
        """Whether no row has a value."""
        return not self.known

    def names_rows(self, rows: int) -> bool:
        """Return whether the categories are text that is different in every row."""
        return (
            not self.missing
            and kind_of_values(self.known) == "text"
            and is_identifier(self.name, "text", rows, len(self.known))
        )

    def aligned(self, n_classes: int, place: IntArray) -> Categories:
        """The same: classes do not matter here."""
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


@dataclass(frozen=True)
class Survey:
    """What is known of all columns, and of the classes. No rows: no columns either."""

    rows: int = 0
    classes: NDArray[Any] | None = None
    columns: tuple[Numbers | Categories, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    """What each column holds, and then the target; and in which part that was seen."""
    unlabelled: int = 0
    """Rows without a class, which are left out."""

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


def _added(a: Any, b: Any) -> Numbers | Categories:
    """Add up two columns. Text that is missing in all of a part was read as numbers: that part has gaps only."""
    if isinstance(a, Numbers) and isinstance(b, Categories):
        return b + Categories(a.name, {}, float(a.gaps.sum()))
    if isinstance(a, Categories) and isinstance(b, Numbers):
        return a + Categories(b.name, {}, float(b.gaps.sum()))
    added: Numbers | Categories = a + b
    return added


def _agreed(name: str, one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
    """What a column holds in two parts; parts that do not agree are named."""
    if "nothing" in (one[0], other[0]):
        return other if one[0] == "nothing" else one
    if one[0] != other[0]:
        raise ValueError(f"{name} holds {one[0]} in {one[1]} and {other[0]} in {other[1]}: convert it in one of them.")
    return one


def survey(most: int, into: Survey, rows: Labelled) -> Survey:
    """Add some rows. Where a number is sketched already, its distinct values are not looked for."""
    if not len(rows.y):
        return into + Survey(unlabelled=rows.unlabelled)
    sketching = [isinstance(column, Numbers) and column.sketch is not None for column in into.columns]
    sketching = sketching or [False] * len(rows.table.columns)
    columns = [
        _categories(column, rows.weight) if column.categorical else _numbers(column, rows, most, at_once)
        for column, at_once in zip(rows.table.columns, sketching, strict=True)
    ]
    kinds = (*map(_kind, rows.table.columns), _kind_of_values(rows.classes))
    where = tuple((kind, rows.part) for kind in kinds)
    return into + Survey(len(rows.y), rows.classes, tuple(columns), where, rows.unlabelled)


def column_facts(surveyed: Survey) -> list[ColumnFacts]:
    """Return what a policy needs to know of each column."""
    return [_facts(column, surveyed.rows) for column in surveyed.columns]


def _facts(column: Numbers | Categories, rows: int) -> ColumnFacts:
    if column.is_empty:
        return ColumnFacts(column.name, is_empty=True)
    perhaps = column.most if isinstance(column, Numbers) and column.may_name_rows(rows) else 0
    return ColumnFacts(column.name, is_identifier=column.names_rows(rows), perhaps_identifier=perhaps)


def kind_of_classes(surveyed: Survey) -> Literal["text", "whole"]:
    """Return whether the classes are text, or numbers or booleans."""
    return "text" if surveyed.kinds[-1][0] == "text" else "whole"


def without(surveyed: Survey, names: Collection[str]) -> Survey:
    """Return a survey without some columns."""
    left = [
        (column, kind)
        for column, kind in zip(surveyed.columns, surveyed.kinds, strict=False)
        if column.name not in names
    ]
    kinds = (*(kind for _, kind in left), surveyed.kinds[-1])
    return replace(surveyed, columns=tuple(column for column, _ in left), kinds=kinds)


def with_values(surveyed: Survey) -> Survey:
    """Return the survey without the columns that have no value."""
    left = without(surveyed, [column.name for column in surveyed.columns if column.is_empty])
    if not left.columns:
        raise nothing_to_learn_from()
    return left


def _kind(column: Column) -> str:
    if column.missing.all():
        return "nothing"
    return _kind_of_values(column.values)


def _kind_of_values(values: NDArray[Any]) -> str:
    return "truth values" if values.dtype == bool else "text" if values.dtype.kind in "OUS" else "numbers"


def _numbers(column: Column, rows: Labelled, most: int, sketching: bool) -> Numbers:
    present: Any = slice(None) if column.is_complete else ~column.missing
    values = np.ascontiguousarray(column.values[present], dtype=np.float64)
    y, weight, n_classes = rows.y[present], rows.weight[present], len(rows.classes)
    gaps = np.zeros(n_classes)
    if not column.is_complete:
        gaps += np.bincount(rows.y[column.missing], weights=rows.weight[column.missing], minlength=n_classes)
    nothing = np.zeros(0), np.zeros((0, n_classes))
    counted = partial(
        Numbers,
        column.name,
        most,
        gaps=gaps,
        weight=float(weight.sum()),
        total=float(weight @ values),
        whole=are_whole(values),
        integer=column.values.dtype.kind in "iu",
        rising=Rising.of(column),
    )
    if sketching and len(values):
        return counted(*nothing, sketch=Sketch.of(values))
    distinct, table = value_class_table(values, y, weight, n_classes)
    if len(distinct) > most:
        return counted(*nothing, sketch=Sketch.of(values))
    return counted(distinct.copy(), table.copy())


def _categories(column: Column, weight: FloatArray) -> Categories:
    present = ~column.missing
    if column.words is not None:
        return Categories(column.name, count_words(column, column.words, weight), float(weight[~present].sum()))
    cells = column.values[present]
    if column.is_number:
        known, place = np.unique(cells, return_inverse=True)
        names = known.tolist()
    else:
        names = list(dict.fromkeys(cells.tolist()))
        index = {name: code for code, name in enumerate(names)}
        place = np.fromiter(map(index.__getitem__, cells.tolist()), dtype=np.int64, count=len(cells))
    weights = np.bincount(place, weights=weight[present], minlength=len(names)).tolist()
    return Categories(column.name, dict(zip(names, weights, strict=True)), float(weight[~present].sum()))
