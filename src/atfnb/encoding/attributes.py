"""How one attribute is coded, by cuts if it holds numbers and by a list of categories otherwise, and its labels.

A coded attribute has ``n_values`` values, 0 … n_values − 1, and one more code, ``unknown`` = n_values, for a value that
did not occur in training: it counts neither for nor against any class.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import listed_names
from atfnb._typing import BoolArray, CodeArray, FloatArray, IntArray
from atfnb.encoding.quantiles import interval_codes
from atfnb.tables import (
    NAMES_OF_PARTS,
    Column,
    ColumnKind,
    DatePart,
    Table,
    distinct_numbers,
    moment_label,
    source_of,
    taken_for,
)

Missing = Literal["impute", "skip", "value"]


class UnusedColumnWarning(UserWarning):
    """Nothing is learned from some columns, as their many different values do not help to predict the class."""


class SpellingWarning(UserWarning):
    """Some values of new rows differ from known ones by upper and lower case only, and are taken for these."""


class EmptyColumnWarning(UnusedColumnWarning):
    """Some columns have no value in any of the training rows."""


@dataclass(frozen=True, eq=False)
class Attribute(ABC):
    """How the values of one attribute are coded; what a kind lacks, as a number has no categories, is empty."""

    name: str
    n_values: int
    missing_code: int
    """The code of a missing value."""
    part: DatePart | None = None
    """Which part of a column of dates it is: "date" in days since 1970-01-01, "hour", "time" of day in hours, "month"
    from 1 to 12, or "weekday" from 1, Monday, to 7."""
    zone: str | None = None
    """The time zone of the column of dates that it is a part of, if that has one."""
    cuts: FloatArray = field(default_factory=partial(np.zeros, 0), kw_only=True)
    """(cuts,) where the intervals of numbers begin, but for the lowest."""
    whole: tuple[int, int] | None = field(default=None, kw_only=True)
    """The lowest and the highest number in training, if all were whole numbers; used for the labels only."""
    since: int = field(default=0, kw_only=True)
    """The first day in training, of a "date"; model files count the days from it."""
    categories: tuple[Any, ...] = field(default=(), kw_only=True)
    """The categories that have a code of their own, in its order."""
    ordered: bool = field(default=False, kw_only=True)
    """Whether that is an order that the user or the type of the column gave; otherwise they are sorted."""
    pooled: int = field(default=0, kw_only=True)
    """The number of categories in training that have one code together."""
    spelling: tuple[str, ...] = field(default=(), kw_only=True)
    """How the training file spells False and True, if not as Python does; used for the labels only."""
    is_numeric: ClassVar[bool]
    """Whether it is cut into intervals; otherwise it has categories."""

    @property
    def n_known(self) -> int:
        """The number of values apart from "missing": intervals, or categories, the pooled ones as one."""
        known = len(self.cuts) + 1 if self.is_numeric else len(self.categories) + (self.pooled > 0)
        return known if self.n_values else 0

    @property
    def n_ordered(self) -> int:
        """The number of values that have an order: all intervals, or all categories that have one."""
        return self.n_known if self.is_numeric or self.ordered else 0

    def left_out(self) -> Self:
        """Return the attribute without values: it is unknown in every row, and nothing is learned from it."""
        nothing: dict[str, Any] = {"n_values": 0, "missing_code": 0, "categories": (), "pooled": 0, "spelling": ()}
        nothing["ordered"] = False
        return replace(self, cuts=self.cuts[:0], whole=None, **nothing)

    @property
    @abstractmethod
    def labels(self) -> list[str]:
        """The values in words, and "missing" where that is a value."""

    @abstractmethod
    def encode(self, column: Column) -> IntArray:
        """Return the code of each cell of a column: (rows,)."""

    def __eq__(self, other: object) -> bool:
        plain = ({**vars(each), "cuts": each.cuts.tolist()} for each in (self, other) if type(each) is type(self))
        return type(other) is type(self) and next(plain) == next(plain)

    @property
    def source(self) -> str:
        """The name of the column of the table that the attribute is made from."""
        return source_of(self.name, self.part)

    @property
    def unknown(self) -> int:
        """The code that counts neither for nor against any class."""
        return self.n_values

    @property
    def is_number(self) -> bool:
        """Whether its values, intervals or categories, are numbers or booleans."""
        return not any(isinstance(category, (str, bytes)) for category in self.categories)

    @property
    def has_order(self) -> bool:
        """Whether its values have an order: numbers, dates, booleans, and categories that were given one."""
        return self.is_numeric or self.ordered or {*map(type, self.categories)} == {bool}

    @property
    def is_unused(self) -> bool:
        """Whether nothing is learned from the column, although it has values."""
        return self.n_values == 0 and (self.is_numeric or self.pooled > 0)

    @property
    def counts_as_one(self) -> bool:
        """Whether all categories count as one, and "missing" is not another value."""
        return self.n_values == 1 and self.pooled > 0 and not self.categories

    @property
    def unseen(self) -> int:
        """The code of a value that did not occur in training: that of the pooled ones, or unknown.

        Every number lies in an interval, so none has it.
        """
        return len(self.categories) if self.pooled else self.unknown

    @property
    def kind(self) -> ColumnKind:
        """What its column must hold to be coded."""
        if self.part is not None:
            return "time" if self.part == "time" else "date"
        return "number" if self.is_numeric else kind_of_values(self.categories)

    def fits_labels(self, values: NDArray[Any]) -> BoolArray:
        """Return whether the label of its interval describes each number: (values,).

        A label such as "1 to 2" does not describe a fraction, if training had whole numbers only, and "= 2", the
        label of the last interval, describes no larger number. Dates before and after those in training have labels.
        """
        if self.whole is None:
            return np.ones(len(values), dtype=bool)
        low, high = self.whole if self.part != "date" else (-np.inf, np.inf)
        return np.asarray((values == np.floor(values)) & (values >= low) & (values <= high))

    def changed(self, was: str, now: str) -> ValueError:
        """Return the error for a column that holds something else than in training."""
        return ValueError(f"column {self.name!r} held {was} when the model was fitted and holds {now} now: convert it.")

    def check_kind(self, values: Iterable[Any]) -> None:
        """Raise a ValueError for text where numbers were learned, or numbers where text was: all would be unknown."""
        text = {issubclass(kind, (str, bytes)) for kind in set(map(type, values))}
        learned = {isinstance(category, (str, bytes)) for category in self.categories}
        if text and learned and text.isdisjoint(learned):  # where all values are pooled, none was learned
            raise self.changed("text", "numbers") if True in learned else self.changed("numbers", "text")

    def taken_for(self, column: Column) -> dict[str, str]:
        """Return the texts of a column that differ from exactly one category by case only, and that category."""
        return {} if column.is_number or self.is_number else taken_for(column.distinct, self.categories)

    def spelled(self, words: Collection[str]) -> Self:
        """Return the attribute with labels of booleans as a file spells them, given the different words in its column.

        >>> flag = CategoricalAttribute("flag", 2, 0, categories=(False, True))
        >>> flag.spelled(["TRUE", "FALSE"]).labels, flag.spelled(["True", "FALSE"]).labels
        (['FALSE', 'TRUE'], ['False', 'True'])
        """
        if self.is_numeric or not words:
            return self
        spellings = (both for both in (("FALSE", "TRUE"), ("false", "true")) if {*words} <= {*both})
        return replace(self, spelling=next(spellings, ()))

    def as_spelled(self, column: Column) -> Column:
        """Return a column with each text spelled as the category that it is taken for."""
        other = self.taken_for(column)
        if not other:
            return column
        values = np.array([other.get(value, value) for value in column.values.tolist()] + [None], dtype=object)[:-1]
        return replace(column, values=values, dictionary=None)


class NumericAttribute(Attribute):
    """An attribute of numbers: the code of a number is the number of cuts that do not exceed it."""

    is_numeric = True

    @property
    def labels(self) -> list[str]:
        """The values in words: whole numbers or intervals, and "missing" where that is a value.

        >>> NumericAttribute("year", 3, 0, cuts=np.array([2007.5, 2008.5]), whole=(2001, 2012)).labels
        ['≤ 2007', '= 2008', '≥ 2009']
        >>> NumericAttribute("size", 3, 0, cuts=np.array([2.5, 4.0])).labels
        ['< 2.5', '2.5 to 4', '≥ 4']
        >>> cuts = np.array([19782.5, 19800.5])
        >>> NumericAttribute("born: date", 3, 0, "date", cuts=cuts, whole=(19000, 20000)).labels
        ['before 2024-03-01', '2024-03-01 to 2024-03-18', 'from 2024-03-19 on']
        """
        if self.part in ("date", "time"):
            intervals = moment_labels(self.cuts, self.part, whole=self.whole is not None)
        else:
            intervals = interval_labels(self.cuts) if self.whole is None else whole_labels(self.cuts, *self.whole)
        return [*intervals, "missing"][: self.n_values]

    def encode(self, column: Column) -> IntArray:
        """Return the code of each cell of a column: (rows,)."""
        if not column.is_number:
            raise self.changed("numbers", "text")
        codes = interval_codes(self.cuts, column.values)
        return codes if column.is_complete else np.where(column.missing, self.missing_code, codes)


class CategoricalAttribute(Attribute):
    """An attribute of categories: the code of a category is its position in the sorted list of those in training.

    If the categories have an order, the list is that order, whether all of them occur in training or not.

    A text that is not a category, but differs from exactly one of them by upper and lower case only, is taken for it.

    Categories that were pooled in training have one code, after those of the others, and so has every category that did
    not occur in training. A column without any value in training has no categories, and a column whose many categories
    do not help to predict the class has only pooled ones: if nothing can be learned from them, ``n_values`` is 0, and
    every cell is unknown.
    """

    is_numeric = False

    @property
    def labels(self) -> list[str]:
        """The values in words: the categories, the pooled ones, and "missing" where that is a value.

        >>> CategoricalAttribute("day: weekday", 2, 0, "weekday", categories=(1, 7)).labels
        ['Monday', 'Sunday']
        >>> CategoricalAttribute("town", 3, 0, categories=("Bonn", "Ulm"), pooled=4812).labels
        ['Bonn', 'Ulm', 'any of 4,812 rare values']
        >>> CategoricalAttribute("town", 1, 0, pooled=5000).labels
        ['any of 5,000 values']
        """
        names = NAMES_OF_PARTS.get(self.part) if self.part is not None else None
        words = [self._spelled(category) if names is None else names[category - 1] for category in self.categories]
        pool = [f"any of {self.pooled:,} {'rare ' if words else ''}values"] if self.pooled else []
        return [*words, *pool, "missing"][: self.n_values]

    def _spelled(self, category: Any) -> str:
        return self.spelling[category] if self.spelling and isinstance(category, bool) else str(category)

    def encode(self, column: Column) -> IntArray:
        """Return the code of each cell of a column: (rows,)."""
        if not self.categories:
            return np.where(column.missing, self.missing_code, self.unseen)
        values, position = distinct_categories(column)
        codes = np.full(len(column.values), self.missing_code)
        codes[present_rows(column)] = self._codes(values)[position]
        return codes

    def _codes(self, values: list[Any]) -> IntArray:
        """Return the code of each of some different values, without missing ones."""
        position = {category: code for code, category in enumerate(self.categories)}
        self.check_kind(values)
        other = taken_for([value for value in values if value not in position], self.categories)
        return np.array([position.get(other.get(each, each), self.unseen) for each in values], dtype=np.int64)


def present_rows(column: Column) -> Any:
    """Return an index of the rows in which a column has a value: a mask, or a slice of all rows."""
    return slice(None) if column.is_complete else ~column.missing


def distinct_categories(column: Column) -> tuple[list[Any], NDArray[np.integer[Any]]]:
    """Return the different values of a column of categories, and the position of each present cell's among them.

    Numbers are in order, text as it first appears. Some values of a dictionary may have no cell.
    """
    present = present_rows(column)
    if column.dictionary is not None:
        return column.dictionary.values.tolist(), column.dictionary.position[present]
    if column.is_number:
        known, position = distinct_numbers(column.values[present])
        return known.tolist(), position
    cells = column.values[present].tolist()
    position_of = {value: position for position, value in enumerate(dict.fromkeys(cells))}
    return list(position_of), np.fromiter(map(position_of.__getitem__, cells), dtype=np.int64, count=len(cells))


def in_order(categories: Iterable[Any]) -> list[Any]:
    """Return categories sorted, numbers before text, and text before bytes; floats, if only some of them are."""
    known = sorted(categories, key=lambda each: (isinstance(each, str) + 2 * isinstance(each, bytes), each))
    return [float(category) for category in known] if set(map(type, known)) == {int, float} else known


def outside(name: str, value: Any, order: Sequence[Any]) -> ValueError:
    """Return the error for a value in training that is not in the order of its column.

    >>> print(outside("size", "XL", ["S", "M", "L"]))
    column 'size' has the value 'XL', which is not in its order, 'S', 'M', 'L': give it a place there.
    """
    where = f"which is not in its order, {listed_names(order)}: give it a place there."
    return ValueError(f"column {name!r} has the value {value!r}, {where}")


def without_values(name: str) -> CategoricalAttribute:
    """Return the attribute of a column without any value in training: each of its cells is coded as unknown."""
    return CategoricalAttribute(name, n_values=0, missing_code=0)


def kind_of_values(values: Iterable[object]) -> ColumnKind:
    """Return what a column with these values holds: "whole" numbers, "number", "boolean" or "text".

    >>> kind_of_values([1, 2.5]), kind_of_values([True, False])
    ('number', 'boolean')
    """
    types = {type(value) for value in values}
    if types == {bool}:
        return "boolean"
    return "whole" if types == {int} else "number" if types and types <= {int, float} else "text"


# --- Labels ----------------------------------------------------------------------------------------

LARGEST_WHOLE = 10**15
"""Larger numbers are not described as whole numbers: a 64-bit float can hardly represent their neighbours."""


def interval_labels(cuts: FloatArray) -> list[str]:
    """Return a label for each interval between cuts, with at least six digits, and enough to tell them apart.

    >>> interval_labels(np.array([0.5, 2.5])), interval_labels(np.array([-118.29213, -118.29178]))[1]
    (['< 0.5', '0.5 to 2.5', '≥ 2.5'], '-118.2921 to -118.2918')
    """
    rounded = ([f"{cut:.{digits}g}" for cut in cuts] for digits in range(6, 18))
    ends = next(texts for texts in rounded if len(set(texts)) == len(cuts))
    if not ends:
        return ["any"]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return [f"< {ends[0]}", *between, f"≥ {ends[-1]}"]


def whole_labels(cuts: FloatArray, lowest: int, highest: int) -> list[str]:
    """Return a label for each interval between cuts, by the whole numbers from ``lowest`` to ``highest`` in it.

    >>> whole_labels(np.array([0.5, 2.5]), 0, 9)
    ['= 0', '1 to 2', '≥ 3']
    """
    labels = interval_labels(cuts)
    starts = [lowest, *(math.ceil(cut) for cut in cuts)]
    for position, (first, after) in enumerate(zip(starts, [*starts[1:], highest + 1], strict=True)):
        last = after - 1
        if first > last or not len(cuts):  # no whole number is in it, only an imputed mean; or all numbers are
            continue
        if first == last:
            labels[position] = f"= {first}"
        elif position == 0:
            labels[position] = f"≤ {last}"
        else:
            labels[position] = f"≥ {first}" if position == len(cuts) else f"{first} to {last}"
    return labels


def moment_labels(cuts: FloatArray, part: DatePart, *, whole: bool) -> list[str]:
    """Return a label for each interval between cuts that are dates or times of day.

    If all dates in training were whole days, the labels name the first and the last day of each interval.

    >>> moment_labels(np.array([8.0, 17.5]), "time", whole=False)
    ['before 08:00', '08:00 to 17:30', 'from 17:30 on']
    """
    if not len(cuts):
        return ["any"]
    starts = np.ceil(cuts) if whole and part == "date" else cuts
    ends = starts - 1 if whole and part == "date" else cuts
    first, last = ([moment_label(float(cut), part) for cut in of] for of in (starts, ends))
    between = [low if low == high else f"{low} to {high}" for low, high in zip(first[:-1], last[1:], strict=True)]
    return [f"before {first[0]}", *between, f"from {first[-1]} on"]


def whole_range(lowest: float, highest: float) -> tuple[int, int] | None:
    """Return the ends of a range of whole numbers as integers, or None if one of them is too large.

    >>> whole_range(0.0, 12.0), whole_range(0.0, 1e300)
    ((0, 12), None)
    """
    if max(abs(lowest), abs(highest)) > LARGEST_WHOLE:
        return None
    return int(lowest), int(highest)


def are_whole(values: FloatArray) -> bool:
    """Return whether all numbers are whole."""
    return bool((values == np.floor(values)).all())


# --- Cells in words ------------------------------------------------------------------------------------

UNSEEN = "not seen in training"
"""What a value without a code of its own is called; many a column has a category named "unknown"."""


@dataclass(frozen=True)
class Wording:
    """The values of some rows in words, each distinct one once."""

    names: Sequence[str]
    """(attributes,) the names of the attributes."""
    values: Sequence[str]
    """(words,) the values in words, for example ``March``, ``≥ 320``, ``missing`` or ``not seen in training``."""
    signs: Sequence[str]
    """(words,) what stands before the value in a statement: "= " before a category, otherwise nothing."""
    position: IntArray
    """(rows, attributes) where the words for each cell stand in ``values``."""

    def statement(self, row: int, attribute: int, shown: Callable[[str], str] = str, between: str = " ") -> str:
        """Return the name of an attribute and its value in a row, for example ``month = March`` or ``size ≥ 320``.

        ``shown`` returns a name, or a value, as it is to be shown, for example cut off.
        """
        word = self.position[row, attribute]
        return f"{shown(self.names[attribute])}{between}{self.signs[word]}{shown(self.values[word])}"


def wording_of(attributes: Sequence[Attribute], table: Table, codes: CodeArray) -> Wording:
    """Return the cells of a table in words.

    A missing cell is called ``missing``, whatever code it has, and a value that has the code "unknown"
    ``not seen in training``. A number that the label of its interval does not describe, as a fraction among whole
    numbers, gets a label that does.

    Parameters
    ----------
    attributes : sequence of Attribute
        How each attribute is coded.
    table : Table
        The rows, with one column for each attribute.
    codes : (rows, attributes) array
        The code of each cell.

    Examples
    --------
    >>> from atfnb.encoding import CategoricalAttribute, NumericAttribute
    >>> from atfnb.tables import read_table
    >>> year = NumericAttribute("year", 2, 0, cuts=np.array([2008.5]), whole=(2001, 2012))
    >>> fuel = CategoricalAttribute("fuel", 2, 0, categories=("diesel", "petrol"))
    >>> table = read_table([[2003, "petrol"], [2003.5, None], [2010, "steam"]])
    >>> words = wording_of([year, fuel], table, np.array([[0, 1], [0, 0], [1, 2]]))
    >>> [words.statement(row, 0) for row in range(3)]
    ['year ≤ 2008', 'year < 2008.5', 'year ≥ 2009']
    >>> [words.statement(row, 1) for row in range(3)]
    ['fuel = petrol', 'fuel missing', 'fuel not seen in training']
    """
    offsets = np.concatenate([[0], np.cumsum([attribute.n_values + 1 for attribute in attributes])])
    n_cells, cells = offsets[-1], codes + offsets[:-1]
    for j, (attribute, column) in enumerate(zip(attributes, table.columns, strict=True)):
        cells[~attribute.fits_labels(column.values), j] += n_cells
        cells[column.missing, j] = 2 * n_cells
    words = list[tuple[str, str]]()
    for attribute in (*attributes, *(replace(each, whole=None) for each in attributes)):
        sign = "" if attribute.is_numeric else "= "
        words += [*((label, sign) for label in attribute.labels), (UNSEEN, "")]
    values, signs = zip(*words, ("missing", ""), strict=True)
    return Wording([attribute.name for attribute in attributes], values, signs, cells)
