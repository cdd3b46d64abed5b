"""One door for training rows: a table of any kind → the rows that every classifier learns from.

A table in memory is one piece, a table in parts many, which are read again in every pass. From here on they are the
same: labelled rows in pieces, an encoder of their values, and a record of what was read, left out and pooled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from atfnb._errors import listed_names
from atfnb._pieces import CodedRows, KeptPieces, Pieces
from atfnb._typing import BoolArray, FloatArray
from atfnb.encoding import (
    EmptyColumnWarning,
    EncoderOptions,
    LearnedEncoder,
    Pooling,
    TableEncoder,
    UnusedColumnWarning,
    encoder_of,
    learn_encoder,
    pooled_in_words,
    survey_rows,
)
from atfnb.tables import (
    Cuts,
    Dates,
    Knowledge,
    LabelledRows,
    Orders,
    TableInMemory,
    TableInParts,
    TrainingRecord,
    expand_dates,
    holds_dates,
    join_rows,
    label_rows,
    looks_like,
    nothing_to_learn_from,
    on_case,
    read_table,
    without_needless_parts,
)

__all__ = ["RowOptions", "TableInMemory", "TableInParts", "TrainingRows", "code_rows", "training_rows"]

_ADVICE = {
    None: "Leave it out, or use it all the same with min_category_rows=None.",
    "numbers": "Its values are numbers written as text: remove units and other signs, if any, and convert them, "
    "as with pandas.to_numeric.",
    "dates": "Its values are dates written as text: convert them, as with pandas.to_datetime.",
}
"""What to do about a column that is not used as text."""


@dataclass(frozen=True)
class RowOptions(EncoderOptions):
    """The parameters of a classifier that decide how its training rows are coded, read and weighted."""

    categorical_features: Any = "from_dtype"
    dates: Dates = "expand"
    class_weight: Any = None
    cuts: Cuts = None
    orders: Orders = None

    def knowledge(self, names: Sequence[str]) -> Knowledge:
        """Return what the user knows of a table with columns of these names."""
        return Knowledge.of(names, self.cuts, self.orders)


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a classifier learns from, in memory or in parts."""

    rows: Pieces[LabelledRows]
    """The rows with the columns that are used, in pieces: one in memory, many in parts."""
    classes: NDArray[Any]
    """(classes,) all classes, sorted."""
    n_rows: int
    """The number of rows."""
    learned: LearnedEncoder
    """How the values are coded, and how the rows are distributed over them."""
    n_columns: int = 0
    """The number of columns of the table."""
    names: NDArray[Any] | None = None
    """(columns,) the names of the columns; None for an array, whose columns have none."""
    record: TrainingRecord = field(default_factory=TrainingRecord)
    """What was read, left out and pooled."""
    every: TrainingRows | None = None
    """The rows with all columns, where some have been screened out."""
    _encoded: list[tuple[TableEncoder, Pieces[CodedRows]]] = field(default_factory=list, repr=False)
    """The rows in memory as encoders have coded them so far."""

    @property
    def encoder(self) -> TableEncoder:
        """The code of each value of each attribute."""
        return self.learned.encoder

    @property
    def pieces(self) -> Pieces[CodedRows]:
        """The coded rows, in blocks."""
        return self.encoded_by(self.encoder)

    def encoded_by(self, encoder: TableEncoder) -> Pieces[CodedRows]:
        """Return the rows coded by an encoder, in blocks; rows in memory are coded once by each encoder."""
        for known, pieces in self._encoded:
            if known is encoder:
                return pieces
        code = partial(code_rows, encoder, self.classes)
        coded = self.rows.flat_map(code, self.n_rows, cells=int(encoder.n_values.sum()))
        if coded.kept:
            self._encoded.append((encoder, coded))
        return coded

    def cut_at_quantiles(self, most: int) -> TrainingRows:
        """Return the rows with numbers that are cut at quantiles alone, ``most`` of them at the most."""
        return replace(self, learned=self.learned.cut_at_quantiles(most), _encoded=[])

    def cut_at(self, cuts: Mapping[str, FloatArray]) -> TrainingRows:
        """Return the rows with numbers that are cut at given cuts, by their names; own cuts stay as they are."""
        of_all = zip(self.encoder.attributes, self.learned.distributions, strict=True)
        free = {each.name: cuts[each.name] for each, over in of_all if each.name in cuts and not (over and over.given)}
        rows, every = self.rows.map(partial(_with_cuts, free)), self.every and self.every.cut_at(free)
        return replace(self, rows=rows, learned=self.learned.cut_at(free), every=every, _encoded=[])

    def only(self, kept: BoolArray) -> TrainingRows:
        """Return the rows with some attributes only; the others are unknown in every row."""
        learned = self.learned.only(kept)
        rows = self.rows.map(partial(_with_columns, frozenset(learned.used)))
        return replace(self, rows=rows, learned=learned, every=self, _encoded=[])

    @cached_property
    def in_memory(self) -> LabelledRows:
        """All rows at once; only for tables that fit into memory."""
        return join_rows([rows for rows in self.rows.listed("all rows") if len(rows.y)], self.classes)


def _with_columns(names: Collection[str], rows: LabelledRows) -> LabelledRows:
    return replace(rows, table=rows.table.only(names))


def _with_cuts(cuts: Mapping[str, FloatArray], rows: LabelledRows) -> LabelledRows:
    columns = tuple(replace(each, cuts=cuts.get(each.name, each.cuts)) for each in rows.table.columns)
    return replace(rows, table=replace(rows.table, columns=columns))


def code_rows(encoder: TableEncoder, classes: NDArray[Any], rows: LabelledRows) -> Iterator[CodedRows]:
    """Yield the coded rows in blocks that fit into the processor's cache."""
    if len(rows.y):
        y, codes = rows.among(classes).y, encoder.encode_used(rows.table)
        yield from CodedRows(codes, y, rows.weight, groups=rows.groups).in_blocks()


def training_rows(table: TableInMemory | TableInParts, options: RowOptions) -> TrainingRows:
    """Return the rows that a classifier with these options learns from; warn of columns that it cannot use.

    >>> table = TableInMemory([["red", 1.0], ["red", 2.0], ["blue", 5.0]], ["no", "no", "yes"])
    >>> [attribute.name for attribute in training_rows(table, RowOptions()).encoder.attributes]
    ['x0', 'x1']
    """
    return _in_memory(table, options) if isinstance(table, TableInMemory) else _in_parts(table, options)


def _in_memory(given: TableInMemory, options: RowOptions) -> TrainingRows:
    """Return the rows that a classifier with these options learns from; warn of columns that it cannot use."""
    read = read_table(given.X, options.categorical_features)
    read = options.knowledge([column.name for column in read.columns]).told(read)
    validate_data(names := BaseEstimator(), given.X, skip_check_array=True)
    rows = label_rows(read, given.y, given.sample_weight, options.class_weight, given.classes, given.groups)
    table = without_needless_parts(expand_dates(rows.table, options.dates))
    if all(column.missing.all() for column in table.columns):
        raise ValueError("no column has any value: there is nothing to tell the classes by.")
    for note in table.on_rounded():
        warnings.warn(note, UnusedColumnWarning, stacklevel=4)
    learned = learn_encoder(replace(rows, table=table), options)
    ignored = {column.name for column in read.columns if options.dates == "ignore" and holds_dates(column)}
    values = {column.name: column for column in table.columns}
    learned = usable(learned, lambda name: values[name].distinct, options.pooling, ignored)
    rows = replace(rows, table=table.only(learned.used))
    pieces = KeptPieces([rows], len(rows.y))
    columns = (len(read.columns), getattr(names, "feature_names_in_", None))
    return TrainingRows(pieces, rows.classes, len(rows.y), learned.spelled(given.record.words), *columns, given.record)


def _in_parts(table: TableInParts, options: RowOptions) -> TrainingRows:
    """Return the rows that a classifier with these options learns from; warn of columns that it cannot use."""
    reader = table.reader(options.categorical_features, options.dates, options.class_weight, options.knowledge)
    surveyed = survey_rows(table.rows(reader), options.max_distinct)
    classes = table.checked(surveyed.classes, surveyed.kind_of_classes, surveyed.rows, surveyed.unlabelled)
    review = table.policy.review(surveyed.facts, surveyed.unlabelled)
    surveyed = surveyed.without(review.left_out)
    if all(column.is_empty for column in surveyed.columns):
        raise nothing_to_learn_from()

    def rows_with(names: Collection[str]) -> Pieces[LabelledRows]:
        """Return the rows with the attributes of some names, each read as it was surveyed."""
        categorical = [name for name in surveyed.categories if name in names]
        asked: Any = {"features": surveyed.sources(names), "attributes": frozenset(names)}
        return table.rows(replace(reader, categorical_features=categorical, **asked))

    columns = surveyed.sources()
    record = TrainingRecord.of(table.plan, table.target, columns, classes, reader.relabelling)
    found = (*classes.tolist(), *reader.relabelling.spelling)
    on_values = on_case(table.target, found, surveyed.categories, merged=table.policy.merge_case)
    notes = (*table.plan.notes, *reader.relabelling.notes, *review.notes, *record.notes, *on_values)
    record = replace(record, notes=notes, identifiers=review.identifiers)
    learned = encoder_of(surveyed, rows_with, options)
    learned = usable(learned, lambda name: surveyed.categories.get(name, ()), options.pooling)
    learned = learned.spelled(record.words)
    rows, names = rows_with(learned.used), np.array(columns, dtype=object)
    return TrainingRows(rows, classes, surveyed.rows, learned, len(columns), names, record)


# --- What is of use --------------------------------------------------------------------------------


def usable(
    learned: LearnedEncoder,
    values_of: Callable[[str], Collection[Any]],
    pooling: Pooling,
    ignored: Collection[str] = (),
) -> LearnedEncoder:
    """Return a learned encoder without what a model cannot learn from.

    A warning says which columns have values that all count as one, and what to do, and which have no value at all.

    Parameters
    ----------
    learned : LearnedEncoder
    values_of : callable
        Returns the different values of the column of a name.
    pooling : Pooling
        Which categories count as one.
    ignored : names
        Columns without any value that are not named.
    """
    sentences = list[str]()
    for each in learned.encoder.attributes:
        if each.pooled and not each.categories:
            gaps = each.n_values > each.n_known
            said = pooled_in_words(each.name, each.pooled, each.pooled, pooling, gaps=gaps)
            sentences.append(f"{said} {_ADVICE[looks_like(values_of(each.name))]}")
    if sentences:
        warnings.warn(" ".join(sentences), UnusedColumnWarning, stacklevel=5)
    if names := [name for name in learned.encoder.empty if name not in ignored]:
        have, they = ("column {} has", "it has") if len(names) == 1 else ("columns {} have", "they have")
        said = f"{have.format(listed_names(names))} no value in any row: {they} no effect."
        warnings.warn(said, EmptyColumnWarning, stacklevel=5)
    return learned.of_use()
