"""A whole table → codes, column by column, with a short cut for a matrix of whole numbers that are all categories.

From an encoder others are made: with more cuts at quantiles, or with codes for the new values of more rows. The cuts
that there are stay where they are, so that the counts of earlier rows can be laid out anew and added to.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._pieces import BLOCK, SPAN, for_each_block, on_all_cores, row_blocks
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray
from atfnb.encoding.attributes import Attribute, Missing, are_whole, in_order, outside, present_rows, whole_range
from atfnb.encoding.quantiles import Distribution, interval_codes, nearest_quantiles, without_majority
from atfnb.tables import Column, ColumnKind, Table, aligned, case_variants, read_table, taken_for


@dataclass(frozen=True)
class TableEncoder:
    """How each attribute of a table is coded.

    Examples
    --------
    >>> from atfnb.encoding import learn_encoder
    >>> from atfnb.tables import label_rows
    >>> table = read_table([[1.0, "red"], [2.0, "blue"], [3.0, None]])
    >>> encoder = learn_encoder(label_rows(table, ["a", "a", "b"])).encoder
    >>> encoder.encode([[1.5, "red"], [9.0, "green"]])
    array([[0, 1],
           [1, 2]], dtype=uint8)
    """

    attributes: tuple[Attribute, ...]

    @property
    def n_values(self) -> IntArray:
        """(attributes,) the number of values of each, without "unknown"."""
        return np.array([attribute.n_values for attribute in self.attributes], dtype=np.int64)

    @property
    def n_used(self) -> int:
        """The number of attributes that have values; the others are unknown in every row."""
        return int((self.n_values > 0).sum())

    @property
    def empty(self) -> list[str]:
        """The names of the columns that had no value in any training row."""
        return [each.name for each in self.attributes if not (each.n_values or each.is_unused)]

    @property
    def sources(self) -> list[str]:
        """The names of the columns of the table that the attributes are made from; a column of dates has several."""
        return list(dict.fromkeys(attribute.source for attribute in self.attributes))

    @property
    def source_positions(self) -> IntArray:
        """(attributes,) the position of the column of the table that each attribute is made from."""
        position = {source: position for position, source in enumerate(self.sources)}
        return np.array([position[attribute.source] for attribute in self.attributes])

    @property
    def by_column(self) -> dict[str | int, list[int]]:
        """The positions of the attributes that are made from a column, given by its name or its position in the table.

        A column of dates has several; each of them is there by its own name too.
        """
        found = dict[str | int, list[int]]()
        for j, (attribute, column) in enumerate(zip(self.attributes, self.source_positions.tolist(), strict=True)):
            found.setdefault(attribute.source, []).append(j)
            found.setdefault(column, []).append(j)
        return {attribute.name: [j] for j, attribute in enumerate(self.attributes)} | found

    @cached_property
    def missing(self) -> BoolArray:
        """(cells,) which cells of the counts stand for "missing" as a value of its own."""
        codes = ((each, np.arange(each.n_values + 1)) for each in self.attributes)
        return np.concatenate([(code >= each.n_known) & (code < each.unknown) for each, code in codes])

    @property
    def code_type(self) -> np.dtype[Any]:
        """The smallest unsigned dtype that holds every code."""
        return np.min_scalar_type(int(self.n_values.max()))

    def encode(self, X: Any) -> CodeArray:
        """Return the codes of a table with the columns of training: (rows, attributes)."""
        return self.encode_table(read_table(X))

    def aligned(self, table: Table) -> Table:
        """Return the table with one column for each attribute: dates become the parts that were learned from them."""
        return aligned(table, [(each.name, each.part, each.zone) for each in self.attributes])

    def as_spelled(self, table: Table) -> Table:
        """Return the columns that the user gave, with each text spelled as the category that it is taken for."""
        columns = list(table.columns)
        for attribute, position in zip(self.attributes, self.source_positions.tolist(), strict=True):
            if attribute.part is None:
                columns[position] = attribute.as_spelled(columns[position])
        return replace(table, columns=tuple(columns))

    def taken_for(self, table: Table) -> dict[str, dict[str, str]]:
        """Return for each attribute the texts that are taken for a category which they differ from by case only.

        The table has one column for each attribute; attributes without such texts are left out.
        """
        pairs = zip(self.attributes, table.columns, strict=True)
        found = {attribute.name: attribute.taken_for(column) for attribute, column in pairs}
        return {name: other for name, other in found.items() if other}

    def encode_used(self, table: Table) -> CodeArray:
        """Return the codes of training rows, which have only the columns that are used: (rows, attributes)."""
        used = self.n_values > 0
        if used.all():
            return self.encode_table(table)
        codes = np.zeros((table.n_rows, len(used)), dtype=self.code_type)
        codes[:, used] = TableEncoder(tuple(each for each in self.attributes if each.n_values)).encode_table(table)
        return codes

    def encode_table(self, table: Table) -> CodeArray:
        """Return the codes of a table that has been read: (rows, attributes)."""
        table = self.aligned(table)
        if table.integers is not None and (found := encode_integers(self.attributes, table.integers)) is not None:
            return found
        codes = np.empty((table.n_rows, len(table.columns)), dtype=self.code_type)

        def encode(j: int) -> None:
            codes[:, j] = self.attributes[j].encode(table.columns[j])

        for _ in on_all_cores(encode, range(len(table.columns)), worth=table.n_rows > BLOCK, small=True):
            pass
        return codes


def learned_kinds(encoder: TableEncoder) -> dict[str, ColumnKind]:
    """Return the name of each column of the table and what it must hold to be coded, for example numbers or dates."""
    return {attribute.source: attribute.kind for attribute in encoder.attributes}


def learned_zones(encoder: TableEncoder) -> dict[str, str]:
    """Return the name and the time zone of each column of dates that has one."""
    return {attribute.source: attribute.zone for attribute in encoder.attributes if attribute.zone is not None}


def zones_in_words(encoder: TableEncoder) -> Iterator[str]:
    """Yield a sentence on each column of dates that has a time zone."""
    for column, zone in learned_zones(encoder).items():
        yield f"{column!r} is in the time zone {zone}: dates, weekdays and hours are those of the clocks there."


# --- Matrices of whole numbers ----------------------------------------------------------------------

MAX_CELLS = 1 << 22
"""The largest number of cells of a look-up table; a larger one is slower than sorting."""


def encode_integers(attributes: tuple[Attribute, ...], values: NDArray[Any]) -> CodeArray | None:
    """Return the codes of a matrix of whole numbers, from look-up tables: (rows, columns).

    It is the matrix itself if that holds its codes already; None unless all attributes are categories of whole numbers
    within a small range.
    """
    from atfnb._kernels import encoding as kernels

    categories = [np.array(a.categories) for a in attributes]
    if any(known.dtype != np.int64 for known in categories):
        return None
    lowest = np.array([known.min() for known in categories])
    span = max(int(known.max()) - int(known.min()) for known in categories) + 1
    if span * len(categories) > MAX_CELLS:
        return None
    dtype = np.min_scalar_type(max(a.unknown for a in attributes))
    unseen = np.array([a.unseen for a in attributes], dtype=dtype)
    code = np.repeat(unseen[:, None], span, axis=1)  # (columns, span) the codes of lowest, lowest + 1, …
    for j, known in enumerate(categories):
        code[j, known - lowest[j]] = np.arange(len(known))
    if _are_codes(values, lowest, code, unseen):
        return values
    codes = np.empty(values.shape, dtype=dtype)

    def block(rows: slice) -> None:
        kernels.look_up(np.ascontiguousarray(values[rows]), lowest, code, unseen, codes[rows])

    for_each_block(block, len(values))
    return codes


def _are_codes(values: NDArray[Any], lowest: IntArray, code: CodeArray, unseen: CodeArray) -> bool:
    """Return whether the numbers of a matrix already are their codes, so that nothing need be looked up.

    That is so if the categories of each column are 0, 1, 2, … and every other number is the one after the last.
    """
    own = np.minimum(np.arange(code.shape[1]), unseen[:, None])
    if values.dtype != code.dtype or lowest.any() or not np.array_equal(code, own):
        return False
    return bool((bounds(values)[1] <= unseen).all())


def bounds(values: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the lowest and the highest whole number of each column, (columns,) each."""
    from atfnb._kernels import encoding as kernels

    def block(rows: slice) -> IntArray:
        return kernels.bounds(np.ascontiguousarray(values[rows]))

    ends = np.array(list(on_all_cores(block, row_blocks(len(values), SPAN))))
    return ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)


def count_categories(
    values: NDArray[Any], y: ClassArray, weight: FloatArray, n_classes: int
) -> list[tuple[IntArray, FloatArray]] | None:
    """Return the sorted whole numbers of each column and the weight of the rows with each number and class.

    They are (categories,) and (categories, classes) for each column; None if the numbers span too wide a range.
    """
    from atfnb._kernels import encoding as kernels

    lowest, highest = bounds(values)
    span = int((highest - lowest).max()) + 1
    shape = (values.shape[1], span, n_classes)
    if math.prod(shape) > MAX_CELLS:
        return None

    def count(rows: slice) -> FloatArray:
        counts, weights = np.zeros(shape), np.ascontiguousarray(weight[rows])
        kernels.count_integers(np.ascontiguousarray(values[rows]), lowest, y[rows], weights, counts)
        return counts

    total = sum(on_all_cores(count, row_blocks(len(values), SPAN)), start=np.zeros(shape))
    found = [np.flatnonzero(counts.any(axis=1)) for counts in total]
    return [(there + low, counts[there]) for there, low, counts in zip(found, lowest, total, strict=True)]


# --- More cuts ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FineEncoder:
    """An encoder with more cuts than another, and how its values are related to each other and to the coarse ones."""

    encoder: TableEncoder
    """The encoder with more cuts."""
    distance: FloatArray
    """(cells,) how far each interval of a number is from the one below, as a share of the way from lowest to highest.

    0 for the lowest interval, and for values without neighbours: categories without an order, "missing" and "unknown".
    """
    ordered: FloatArray
    """(cells,) 1 where a value has neighbours, 0 where it has none."""
    coarse: IntArray
    """(cells,) the cell of the coarse encoder that each value lies in."""
    along: FloatArray
    """(cells,) the distance in numbers alone: ``distance`` is in rows too."""

    def in_order(self, attribute: int) -> IntArray:
        """Return the codes of the values of an attribute that have an order, from the lowest: (values,)."""
        one = self.encoder.attributes[attribute]
        return np.arange(one.n_known if one.has_order else 0)

    def of(self, attributes: IntArray, cells: IntArray) -> FineEncoder:
        """Return the encoder of some attributes, whose cells are given; ``coarse`` is that of all."""
        own = TableEncoder(tuple(self.encoder.attributes[j] for j in attributes))
        return FineEncoder(own, self.distance[cells], self.ordered[cells], self.coarse[cells], self.along[cells])


def refine_encoder(encoder: TableEncoder, distributions: Sequence[Distribution | None], max_cuts: int) -> FineEncoder:
    """Return an encoder that also cuts the numbers at quantiles, at most ``max_cuts`` of them for each number.

    >>> from atfnb.encoding import learn_encoder
    >>> from atfnb.tables import LabelledRows, read_table
    >>> y = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> coarse = learn_encoder(LabelledRows(read_table([[1.0], [2.0], [4.0], [8.0]]), np.arange(2), y, np.ones(4)))
    >>> fine = refine_encoder(coarse.encoder, coarse.distributions, max_cuts=10)
    >>> fine.encoder.attributes[0].cuts, fine.coarse
    (array([1.5, 3. , 6. ]), array([0, 0, 1, 1, 2]))
    """
    refined = [_refine(*each, max_cuts) for each in zip(encoder.attributes, distributions, strict=True)]
    attributes = tuple(attribute for attribute, _ in refined)
    starts = np.concatenate([[0], np.cumsum(encoder.n_values + 1)])
    pairs = zip(attributes, encoder.attributes, starts, strict=False)
    return FineEncoder(
        TableEncoder(attributes),
        np.concatenate([distances[0] for _, distances in refined]),
        np.concatenate([np.arange(each.n_values + 1) < each.n_ordered for each in attributes]) * 1.0,
        np.concatenate([start + _coarse(fine, coarse) for fine, coarse, start in pairs]),
        np.concatenate([distances[1] for _, distances in refined]),
    )


def _refine(attribute: Attribute, numbers: Distribution | None, max_cuts: int) -> tuple[Attribute, FloatArray]:
    """Return an attribute with more cuts, and the distances of each value from the one below: (2, values + 1)."""
    if numbers is None:
        return attribute, np.zeros((2, attribute.n_values + 1))
    if numbers.given:
        distances = _distances(numbers.weight / numbers.weight.sum(), numbers.values)
        return attribute, np.pad(distances, ((0, 0), (1, attribute.n_values - distances.shape[1])))
    weight = without_majority(numbers.weight, max_cuts + 1)
    share = weight / weight.sum()
    quantiles = numbers.between[nearest_quantiles(np.cumsum(share)[:-1], max_cuts)]
    cuts = np.union1d(attribute.cuts, quantiles)
    fine = cut_again(attribute, cuts, numbers.mean)
    intervals = replace(numbers, weight=share).cut_at(cuts)
    distances = _distances(intervals.weight, intervals.values)
    return fine, np.pad(distances, ((0, 0), (1, fine.n_values - distances.shape[1])))


def cut_again(attribute: Attribute, cuts: FloatArray, mean: float) -> Attribute:
    """Return an attribute of numbers, of which the mean is given, with other cuts (cuts,)."""
    more = len(cuts) - len(attribute.cuts)
    code = attribute.missing_code + more
    if attribute.missing_code <= len(attribute.cuts):  # imputed: the interval that the mean lies in
        code = int(interval_codes(cuts, np.array([mean]))[0])
    return replace(attribute, cuts=cuts, n_values=attribute.n_values + more, missing_code=code)


def _distances(rows: FloatArray, number: FloatArray) -> FloatArray:
    """Return how far each interval is from the one below, in rows and numbers and in numbers alone: (2, cuts).

    The first is the mean of the distance in rows and of that in numbers. ``rows`` (intervals,) are the shares of the
    rows, and ``number`` (intervals,) the means of the numbers.
    """
    if len(rows) == 1:
        return np.zeros((2, 0))
    by_rows = np.diff(np.cumsum(rows) - rows / 2)
    by_number = np.maximum(np.diff(number / 4), 0.0)  # a quarter, so that no distance overflows
    if not by_number.any():  # one value only, and a cut that is equal to it
        by_number = by_rows
    by_number = by_number / by_number.sum()
    return np.stack([0.5 * by_rows / by_rows.sum() + 0.5 * by_number, by_number])


def _coarse(fine: Attribute, coarse: Attribute) -> IntArray:
    """Return the value of the coarse attribute that each value of the fine attribute lies in: (values + 1,)."""
    intervals = np.concatenate([[0], interval_codes(coarse.cuts, fine.cuts)])
    others = np.arange(len(coarse.cuts) + 1, coarse.n_values + 1)  # categories, "missing" and "unknown"
    return np.concatenate([intervals, others])


# --- More rows ----------------------------------------------------------------------------------------


def widened(encoder: TableEncoder, table: Table, missing: Missing, *, merge_case: bool = False) -> TableEncoder:
    """Return an encoder that also has a code for every value of more rows.

    - Numbers keep their cuts; labels of whole numbers are widened to the new ones.
    - New categories are put in their place in the sorted list. If rare categories are pooled, new ones count as pooled.
      With ``merge_case``, a text that differs from a category by case only is that category.
    - With ``missing="value"``, the first missing value of an attribute gives it the value "missing". With "impute", a
      missing value has the code that it had before.
    - An attribute without any value before stays without.

    Parameters
    ----------
    encoder : TableEncoder
    table : Table
        The new rows, with the columns of training.
    missing : {"impute", "skip", "value"}
        How a missing value is coded.
    merge_case : bool, default=False
        Whether upper and lower case do not count in text.

    Examples
    --------
    >>> from atfnb.encoding import learn_encoder
    >>> from atfnb.tables import label_rows, read_table
    >>> table = read_table([[1.0, "red"], [2.0, "blue"]])
    >>> encoder = learn_encoder(label_rows(table, ["a", "b"])).encoder
    >>> widened(encoder, read_table([[9.0, "green"]]), "impute").attributes[1].categories
    ('blue', 'green', 'red')
    """
    columns = encoder.aligned(table).columns
    pairs = zip(encoder.attributes, columns, strict=True)
    return TableEncoder(tuple(_widened(*each, missing, merge_case) for each in pairs))


def moved_cells(before: TableEncoder, after: TableEncoder) -> IntArray:
    """Return where each cell of the counts by one encoder is in those by a :func:`widened` one: (cells before,)."""
    starts = np.cumsum([0, *(after.n_values + 1)])[:-1]
    each = zip(starts, before.attributes, after.attributes, strict=True)
    return np.concatenate([start + _moved(old, new) for start, old, new in each])


def _moved(before: Attribute, after: Attribute) -> IntArray:
    """Return the new code of each code of an attribute: its known values, "missing" if that is one, and "unknown"."""
    codes = np.arange(before.n_known)
    if not before.is_numeric:
        position = {category: code for code, category in enumerate(after.categories)}
        kept = [position[category] for category in before.categories]
        codes = np.array([*kept, *([after.unseen] if before.pooled else [])], dtype=np.int64)[: before.n_known]
    missing = [after.n_known] if before.n_values > before.n_known else []
    return np.concatenate([codes, np.array([*missing, after.unknown], dtype=np.int64)])


def _widened(attribute: Attribute, column: Column, missing: Missing, merge_case: bool) -> Attribute:
    """Return the attribute with codes for the values of a column of new rows."""
    if attribute.n_known == 0:
        return attribute
    if attribute.is_numeric:
        after = replace(attribute, whole=_wider(attribute.whole, column))
    else:
        after = replace(attribute, categories=_categories(attribute, column, merge_case))
    own = attribute.n_values > attribute.n_known or (missing == "value" and bool(column.missing.any()))
    after = replace(after, n_values=after.n_known + own)
    imputed = attribute.missing_code < attribute.n_known
    code = int(_moved(attribute, after)[attribute.missing_code]) if imputed else after.n_known
    return replace(after, missing_code=code)


def _wider(whole: tuple[int, int] | None, column: Column) -> tuple[int, int] | None:
    """Return the range of the whole numbers before and of those of a column; None if one of all is a fraction."""
    values: FloatArray = column.values[present_rows(column)]
    if whole is None or not column.is_number or not len(values):
        return whole
    lowest, highest = float(values.min()), float(values.max())
    return whole_range(min(lowest, whole[0]), max(highest, whole[1])) if are_whole(values) else None


def _categories(attribute: Attribute, column: Column, merge_case: bool) -> tuple[Any, ...]:
    """Return the categories with those that a column has in addition, sorted."""
    known, weights = attribute.categories, Counter(column.values[~column.missing].tolist())
    alike = {*taken_for(weights, known), *case_variants(weights)} if merge_case else set[str]()
    found = [category for category in weights if category not in alike]
    attribute.check_kind(found)
    new = [category for category in found if category not in set(known)]
    if not new or attribute.pooled:
        return known
    if attribute.ordered:
        raise outside(attribute.name, new[0], known)
    if set(map(type, known)) == {int} and all(isinstance(each, float) and each.is_integer() for each in new):
        new = [int(each) for each in new]  # such as 3.0, in a column of whole numbers with gaps
    numbers = {isinstance(each, bool) for each in (*known, *new) if isinstance(each, Number)}
    if len(numbers) > 1:
        kinds = ("booleans", "numbers") if isinstance(known[0], bool) else ("numbers", "booleans")
        raise attribute.changed(*kinds)
    return tuple(in_order([*known, *new]))
