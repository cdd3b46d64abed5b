"""One door for training rows: a table of any kind → the rows that every classifier learns from.

A table in memory is one piece, a table in parts many, which are read again in every pass. From here on they are the
same: labelled rows in pieces, an encoder of their values, and a record of what was read, left out and pooled.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from atfnb._errors import did_you_mean, listed_names
from atfnb._pieces import CodedRows, KeptPieces, Pieces
from atfnb.encoding import (
    CategoricalAttribute,
    CategoricalSurvey,
    Coding,
    CodingOptions,
    Distribution,
    EmptyColumnWarning,
    Survey,
    SurveyPass,
    TableEncoder,
    UnusedColumnWarning,
    coding_of,
    group_pass,
    learn_coding,
    pooled_in_words,
)
from atfnb.tables import (
    ClassTotals,
    Dates,
    Dialect,
    LabelledRows,
    Plan,
    Policy,
    Relabelling,
    RowReader,
    TrainingRecord,
    add_totals,
    check_names,
    classes_of,
    expand_dates,
    holds_dates,
    join_rows,
    kinds_of,
    label_rows,
    looks_like,
    no_classes,
    nothing_to_learn_from,
    on_case,
    one_class,
    open_table,
    read_table,
    record_of,
    refuse_dates,
    totals_of,
    usable_columns,
    weighting_of,
    weights_of_all,
    with_class,
    without_date_columns,
    without_needless_parts,
)

_ADVICE = {
    None: "Leave it out, or use it all the same with min_category_rows=None.",
    "numbers": "Its values are numbers written as text: remove units and other signs, if any, and convert them, "
    "as with pandas.to_numeric.",
    "dates": "Its values are dates written as text: convert them, as with pandas.to_datetime.",
}
"""What to do about a column that is not used as text."""


@dataclass(frozen=True)
class RowOptions:
    """The parameters of a classifier that decide how its training rows are read, weighted and coded."""

    coding: CodingOptions = field(default_factory=CodingOptions)
    categorical_features: Any = "from_dtype"
    dates: Dates = "expand"
    class_weight: Any = None


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a classifier learns from, in memory or in parts."""

    rows: Pieces[LabelledRows]
    """The rows with the columns that are used, in pieces: one in memory, many in parts."""
    classes: NDArray[Any]
    """(classes,) all classes, sorted."""
    n_rows: int
    """The number of rows."""
    coding: Coding
    """How the values are coded, and how the rows are distributed over them."""
    n_columns: int = 0
    """The number of columns of the table."""
    names: NDArray[Any] | None = None
    """(columns,) the names of the columns; None for an array, whose columns have none."""
    record: TrainingRecord = field(default_factory=TrainingRecord)
    """What was read, left out and pooled."""
    _encoded: list[tuple[TableEncoder, Pieces[CodedRows]]] = field(default_factory=list, repr=False)
    """The rows in memory as encoders have coded them so far."""

    @property
    def encoder(self) -> TableEncoder:
        """The code of each value of each attribute."""
        return self.coding.encoder

    @property
    def distributions(self) -> tuple[Distribution | None, ...]:
        """(attributes,) how the rows are distributed over each numeric attribute; None for a categorical one."""
        return self.coding.distributions

    @property
    def pieces(self) -> Pieces[CodedRows]:
        """The coded rows, in blocks."""
        return self.encoded_by(self.encoder)

    def encoded_by(self, encoder: TableEncoder) -> Pieces[CodedRows]:
        """Return the rows coded by an encoder, in blocks; rows in memory are coded once by each encoder."""
        for known, pieces in self._encoded:
            if known is encoder:
                return pieces
        coding = partial(code_rows, encoder, self.classes)
        coded = self.rows.flat_map(coding, self.n_rows, cells=int(encoder.n_values.sum()))
        if coded.kept:
            self._encoded.append((encoder, coded))
        return coded

    @cached_property
    def in_memory(self) -> LabelledRows:
        """All rows at once; only for tables that fit into memory."""
        parts: list[LabelledRows] = self.rows.sum("all rows", list, _appended)
        return join_rows(parts, self.classes)


def code_rows(encoder: TableEncoder, classes: NDArray[Any], rows: LabelledRows) -> Iterator[CodedRows]:
    """Yield the coded rows in blocks that fit into the processor's cache."""
    if len(rows.y):
        y = np.searchsorted(classes, rows.classes).astype(np.int32)[rows.y]
        yield from CodedRows(encoder.encode_used(rows.table), y, rows.weight).in_blocks()


def _appended(into: list[LabelledRows], rows: LabelledRows) -> list[LabelledRows]:
    return [*into, rows] if len(rows.y) else into


# --- Sources ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableInMemory:
    """A data frame or an array, with the class and the weight of each row.

    >>> table = TableInMemory([["red", 1.0], ["red", 2.0], ["blue", 5.0]], ["no", "no", "yes"])
    >>> [attribute.name for attribute in table.training_rows(RowOptions()).encoder.attributes]
    ['x0', 'x1']
    """

    X: Any
    y: Any
    sample_weight: Any = None
    classes: Any = None
    """All classes that may occur; None for those that do."""
    record: TrainingRecord = field(default_factory=TrainingRecord)
    """What was read from a file, left out and pooled."""

    def training_rows(self, options: RowOptions) -> TrainingRows:
        """Return the rows that a classifier with these options learns from; warn of columns that it cannot use."""
        given = read_table(self.X, options.categorical_features)
        validate_data(names := BaseEstimator(), self.X, skip_check_array=True)
        rows = label_rows(given, self.y, self.sample_weight, options.class_weight, self.classes)
        table = without_needless_parts(expand_dates(rows.table, options.dates))
        if all(column.missing.all() for column in table.columns):
            raise ValueError("no column has any value: there is nothing to tell the classes by.")
        for note in table.on_rounded():
            warnings.warn(note, UnusedColumnWarning, stacklevel=3)
        coding = learn_coding(replace(rows, table=table), options.coding)
        warn_of_pooled(coding.encoder, lambda name: table.only([name]).columns[0].distinct, options)
        coding = coding.of_use().spelled(self.record.words)
        ignored = {column.name for column in given.columns if options.dates == "ignore" and holds_dates(column)}
        warn_of_empty(name for name in coding.encoder.empty if name not in ignored)
        rows = replace(rows, table=table.only({each.name for each in coding.encoder.attributes if each.n_values}))
        pieces = KeptPieces([rows], len(rows.y))
        columns = (len(given.columns), getattr(names, "feature_names_in_", None))
        return TrainingRows(pieces, rows.classes, len(rows.y), coding, *columns, self.record)


def read_training_table(
    data: Any,
    target: str,
    *,
    ignore: Collection[str] = (),
    weight: str | None = None,
    as_text: Collection[str] = (),
    dates: Dates = "expand",
    dialect: Dialect | None = None,
    policy: Policy | None = None,
) -> TableInMemory:
    """Read a file whole: attributes, classes and weights, without what a model cannot learn from.

    Parameters
    ----------
    data : path, glob or list of paths
        The file, or several, whose rows are read one after the other.
    target : str
        The column with the class of each row.
    ignore : names
        Columns to leave out.
    weight : str, optional
        The column with the weight of each row.
    as_text : names
        Columns to read as text, even if they look like numbers.
    dates : {"expand", "number", "ignore"}
        What is learned from columns of dates: "ignore" leaves them out.
    dialect : Dialect, optional
        What is known about the file.
    policy : Policy, optional
        What is done with rows and columns that a model cannot learn from; by default they are left out.
    """
    policy = policy or Policy(leave_out=True)
    with open_table(data, dialect) as file:
        check_names(file, [target, *ignore, *policy.keep, *as_text, *([weight] if weight else [])])
        table = file.read(as_text, as_written=[target])
    n_rows = table.num_rows
    numbers = np.flatnonzero(table.column(target).is_valid().to_numpy()) + 1
    table, unlabelled = with_class(table, target)
    y = classes_of(table, target, n_rows - table.num_rows)
    weights = None if weight is None else weights_of_all(table, weight)
    names, position = np.unique(y, return_inverse=True)
    totals = totals_of(np.ones(len(y)) if weights is None else weights, names, position.astype(np.int32))
    relabelling = Relabelling.of(totals, policy, target)
    y, kept = relabelling.of_rows(y)
    left_out = {target, weight, *ignore}
    X = table.select([name for name in table.column_names if name not in left_out]).filter(kept)
    weights = None if weights is None else weights[kept]
    X, ignored = without_date_columns(X, file.forms) if dates == "ignore" else (X, ())
    refuse_dates(file.forms, X.column_names, {}, file.format.name)
    X, on_columns = usable_columns(X, file.format.name, policy, as_text, numbers[kept])
    texts = [name for name, kind in kinds_of(X).items() if kind == "text"]
    values: Any = {None: names.tolist()} | {name: X.column(name).unique().to_pylist() for name in texts}
    on_values = on_case(target, values, merged=policy.merge_case)
    record = record_of(file, target, X.column_names, np.unique(y), relabelling, file.format.decimal)
    notes = (*file.notes, *unlabelled, *ignored, *relabelling.notes, *on_columns, *on_values, *record.notes)
    record = replace(record, notes=notes, format=str(file.format), source=file.format.name, files=())
    return TableInMemory(X, y, weights, record=record)


@dataclass(frozen=True)
class TableInParts:
    """The parts of a table that is read some rows at a time, by threads of this process or by a cluster."""

    plan: Plan
    target: str
    """The column with the class of each row."""
    parts: Pieces[Any]
    """The parts of the plan, as pieces over which threads or a cluster run the passes."""
    weight: str | None = None
    """The column with the weight of each row."""
    ignore: tuple[str, ...] = ()
    """Columns that are left out."""
    policy: Policy = field(default_factory=Policy)
    """What is done with rows and columns that a model cannot learn from."""
    frame_rows: int = 1 << 17
    """The largest number of rows that are read at a time."""

    def training_rows(self, options: RowOptions) -> TrainingRows:
        """Return the rows that a classifier with these options learns from; warn of columns that it cannot use."""
        reader, surveying = self._reader(options), SurveyPass(options.coding.max_distinct)
        surveyed: Survey = self._rows(reader).sum("classes and values", surveying.empty, surveying.fill)
        classes, review = self._classes(surveyed), self.policy.review(surveyed.facts, surveyed.unlabelled)
        surveyed = surveyed.without(review.left_out).without_needless_parts()
        if all(column.is_empty for column in surveyed.columns):
            raise nothing_to_learn_from()
        coding, known = self._coding(surveyed, reader, options), {c.name: c for c in surveyed.columns}
        warn_of_pooled(coding.encoder, lambda name: getattr(known[name], "known", ()), options)
        coding = coding.of_use().spelled(self.plan.words)
        warn_of_empty(coding.encoder.empty)
        rows = self._rows(_only(surveyed, reader, [each.name for each in coding.encoder.attributes if each.n_values]))
        columns = tuple(dict.fromkeys(column.source for column in surveyed.columns))
        record = record_of(self.plan, self.target, columns, classes, reader.relabelling)
        values: Any = {None: [*classes.tolist(), *reader.relabelling.spelling]} | surveyed.categories
        on_values = on_case(self.target, values, merged=self.policy.merge_case)
        notes = (*self.plan.notes, *reader.relabelling.notes, *review.notes, *record.notes, *on_values)
        record = replace(record, notes=notes, identifiers=review.identifiers)
        names = np.array(columns, dtype=object)
        return TrainingRows(rows, classes, surveyed.rows, coding, len(columns), names, record)

    def _rows(self, reader: RowReader) -> Pieces[LabelledRows]:
        return self.parts.flat_map(reader)

    def _reader(self, options: RowOptions) -> RowReader:
        """Return what opens the parts; a pass finds how rows are weighted and classes are named, if that may matter."""
        reader = RowReader(
            self._features(),
            self.target,
            self.weight,
            options.categorical_features,
            dates=options.dates,
            leave_out_unlabelled=self.policy.leave_out,
            frame_rows=self.frame_rows,
        )
        refuse_dates(self.plan.forms, reader.columns, self.plan.dates)
        for column, role in ((self.target, "target"), (self.weight, "weight")):
            if column in self.plan.dates:
                file = self.plan.dates[column]
                raise ValueError(f"the {role} {column!r} is a column of dates in {file}: give another column.")
        weighted = self.weight is not None or options.class_weight is not None
        if not (weighted or self.policy.min_class_rows > 1 or self.policy.merge_case):
            return reader
        totals = self._rows(replace(reader, features=())).sum("weights", ClassTotals, add_totals)
        relabelling = Relabelling.of(totals, self.policy, self.target)
        weighting = weighting_of(relabelling.of_totals(totals), options.class_weight) if weighted else None
        return replace(reader, relabelling=relabelling, weighting=weighting)

    def _features(self) -> tuple[str, ...]:
        """Return the columns that attributes are made from; raise a ValueError if one that is asked for is missing."""
        names, special = self.plan.names, (self.target, *([self.weight] if self.weight else []), *self.ignore)
        for name in (*special, *self.policy.keep):
            if name not in names:
                hint = did_you_mean(name, names) or f"it has {listed_names(names)}."
                raise ValueError(f"the table has no column {name!r}: {hint}")
        features = tuple(name for name in names if name not in special)
        if not features:
            raise ValueError("no column is left to learn from: ignore fewer of them.")
        return features

    def _classes(self, surveyed: Survey) -> NDArray[Any]:
        """Return the classes, sorted; raise a ValueError if there are none, only one, or too many."""
        classes = surveyed.classes
        if classes is None and surveyed.unlabelled:
            raise no_classes(self.target)
        if classes is None:
            raise ValueError("the data hold no rows: there is nothing to learn from.")
        if len(classes) < 2:
            raise one_class(self.target, classes[0].item(), surveyed.unlabelled)
        self.policy.check_classes(self.target, surveyed.kind_of_classes, len(classes), surveyed.rows)
        return classes

    def _coding(self, surveyed: Survey, reader: RowReader, options: RowOptions) -> Coding:
        """Return how to code each column; numbers with very many values need one more pass over the rows."""
        counting, grouped = group_pass(surveyed), {}
        if counting is not None:
            rows = self._rows(_only(surveyed, reader, counting.quantiles))
            groups = rows.sum("candidate cuts", counting.empty, counting.fill)
            grouped = dict(zip(counting.quantiles, groups, strict=True))
        return coding_of(surveyed, grouped, options.coding)


def _only(surveyed: Survey, reader: RowReader, names: Collection[str] | None = None) -> RowReader:
    """Return a reader of the attributes of a survey, or of some of them, that reads each as it was surveyed."""
    columns = [column for column in surveyed.columns if names is None or column.name in names]
    categorical = [c.source for c in columns if isinstance(c, CategoricalSurvey) and c.part is None]
    return replace(
        reader,
        features=tuple(dict.fromkeys(column.source for column in columns)),
        attributes=frozenset(column.name for column in columns),
        categorical_features=categorical,
    )


# --- Warnings --------------------------------------------------------------------------------------


def warn_of_pooled(encoder: TableEncoder, values_of: Callable[[str], Collection[Any]], options: RowOptions) -> None:
    """Warn of the columns whose values all count as one, and say what to do; ``values_of`` gives their values."""
    attributes = [each for each in encoder.attributes if isinstance(each, CategoricalAttribute)]
    pooled = [each for each in attributes if each.pooled and not each.categories]
    if not pooled:
        return
    sentences = list[str]()
    for each in pooled:
        gaps = each.n_values > each.n_known
        said = pooled_in_words(each.name, each.pooled, each.pooled, options.coding.pooling, gaps=gaps)
        sentences.append(f"{said} {_ADVICE[looks_like(values_of(each.name))]}")
    warnings.warn(" ".join(sentences), UnusedColumnWarning, stacklevel=4)


def warn_of_empty(columns: Iterable[str]) -> None:
    """Warn of columns without any value, if there are any."""
    if names := list(columns):
        have, they = ("column {} has", "it has") if len(names) == 1 else ("columns {} have", "they have")
        said = f"{have.format(listed_names(names))} no value in any row: {they} no effect."
        warnings.warn(said, EmptyColumnWarning, stacklevel=4)
