"""Tables to train on, whole or in parts: who has rows makes one of these, and :mod:`atfnb.training` learns from it.

Both follow one policy on the rows and columns that a model cannot learn from, and have a record of what was read, left
out and pooled before a model learned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, Setting, located
from atfnb._pieces import Pieces
from atfnb._typing import ClassArray, FloatArray
from atfnb.tables.cells import ColumnForm
from atfnb.tables.columns import Table
from atfnb.tables.dates import Dates, expand_dates, without_dates
from atfnb.tables.frames import read_table
from atfnb.tables.kinds import kinds_of
from atfnb.tables.knowledge import Knowledge
from atfnb.tables.naming import RareClasses, Relabelling, on_case, spelled_classes
from atfnb.tables.parts import FRAME_ROWS, read_frames
from atfnb.tables.planning import Plan
from atfnb.tables.policy import Policy, no_classes, one_class
from atfnb.tables.reading import check_names, open_table
from atfnb.tables.screening import classes_of, drop_date_columns, drop_unlabelled, in_arrow, usable_columns, with_class
from atfnb.tables.sources import Dialect
from atfnb.tables.target import (
    ClassTotals,
    LabelledRows,
    Weighting,
    add_totals,
    distinct_numbers,
    encode_labels,
    given_weights,
    totals_of,
    weighting_of,
)

# --- The record ---


@dataclass(frozen=True)
class TrainingRecord:
    """What was read, left out and pooled before a model learned: notes for the user, and entries of the model file."""

    notes: tuple[str, ...] = ()
    """What was found in the table and done about it, a sentence each."""
    identifiers: tuple[str, ...] = ()
    """Columns that were left out because they hold identifiers of the rows."""
    format: str = ""
    """How the file is written, in words."""
    target: str | None = None
    """The column with the classes."""
    source: str | None = None
    """The file, or the files, as the user named them."""
    files: Sequence[str] = ()
    """The paths of the files, if there are several."""
    forms: Mapping[str, str] = field(default_factory=dict)
    """The sign or unit of each column whose numbers are written with one, "" for thousands separators alone; and the
    format of each column of dates that are not ISO dates."""
    class_spelling: Sequence[str] | None = None
    """The classes as the file spells them, where Python spells them differently."""
    rare: RareClasses | None = None
    """The classes that count as one, or whose rows are left out, if there are any."""
    words: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The different cells, as they are written, of the column with the classes and of columns of booleans."""

    @classmethod
    def of(
        cls, file: Any, target: str, columns: Iterable[str], classes: Any, names: Relabelling, decimal: str = "."
    ) -> TrainingRecord:
        """Return the record of what was read from a file, or a plan of files: how cells and classes are written."""
        forms = {name: form for name in columns if (form := file.forms.get(name)) is not None}
        return cls(
            notes=tuple(form.described(name) for name, form in forms.items()),
            target=target,
            files=file.files if len(file.files) > 1 else (),
            forms={name: form.recorded for name, form in forms.items() if form.recorded is not None},
            class_spelling=spelled_classes(file.words.get(target, ()), classes, decimal),
            rare=names.rare,
            words=file.words,
        )

    @property
    def entries(self) -> dict[str, Any]:
        """What a fitted model keeps as ``training_``, and its file says."""
        kept = {
            "target": self.target,
            "source": self.source,
            "forms": dict(self.forms),
            "class_spelling": list(self.class_spelling or ()),
            "rare_classes": self.rare and self.rare.record,
            "files": list(self.files),
        }
        return {name: value for name, value in kept.items() if value}


# --- In memory ---


@dataclass(frozen=True)
class TableInMemory:
    """A data frame or an array, with the class and the weight of each row."""

    X: Any
    y: Any
    sample_weight: Any = None
    classes: Any = None
    """All classes that may occur; None for those that do."""
    record: TrainingRecord = field(default_factory=TrainingRecord)
    """What was read from a file, left out and pooled."""
    groups: Any = None
    """The group of each row, for classifiers that hold out rows of their own; None if rows have no groups."""
    time: Any = None
    """The time of each row, which no classifier learns from; None if rows have none."""


def read_training_table(
    data: Any,
    target: str,
    *,
    ignore: Collection[str] = (),
    weight: str | None = None,
    groups: str | None = None,
    time: str | None = None,
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
    groups : str, optional
        The column with the group of each row, which is no attribute.
    time : str, optional
        The column with the time of each row, which is no attribute unless the policy keeps it.
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
        asked = [target, *ignore, *policy.keep, *as_text, *filter(None, [weight, groups, time])]
        check_names(asked, file.columns, file.format.name, file.notes)
        table = file.read(as_text, as_written=[target])
    n_rows = table.num_rows
    numbers = np.flatnonzero(in_arrow(table.column(target)).is_valid().to_numpy(zero_copy_only=False)) + 1
    table, unlabelled = with_class(table, target)
    y = classes_of(table, target, n_rows - table.num_rows)
    weights = None if weight is None else weights_of_all(table, weight)
    names, position = np.unique(y, return_inverse=True)
    totals = totals_of(given_weights(weights, len(y)), names, position.astype(np.int32))
    relabelling = Relabelling.of(totals, policy, target)
    y, kept = relabelling.of_rows(y)
    left_out = {target, weight, groups, *([] if time in policy.keep else [time]), *ignore}
    refuse_dates(file.forms, filter(None, [time]), {}, file.format.name)
    X = table.select([name for name in table.column_names if name not in left_out]).filter(kept)
    weights = None if weights is None else weights[kept]
    X, ignored = drop_date_columns(X, file.forms) if dates == "ignore" else (X, ())
    refuse_dates(file.forms, X.column_names, {}, file.format.name)
    X, on_columns = usable_columns(X, file.format.name, policy, as_text, numbers[kept])
    texts = {name: X.column(name).unique().to_pylist() for name, kind in kinds_of(X).items() if kind == "text"}
    record = TrainingRecord.of(file, target, X.column_names, np.unique(y), relabelling, file.format.decimal)
    on_values = on_case(target, names.tolist(), texts, merged=policy.merge_case)
    notes = (*file.notes, *unlabelled, *ignored, *relabelling.notes, *on_columns, *on_values, *record.notes)
    record = replace(record, notes=notes, format=str(file.format), source=file.format.name, files=())
    beside = {role: table.column(name).filter(kept) for role, name in (("groups", groups), ("time", time)) if name}
    return TableInMemory(X, y, weights, record=record, **{role: of.to_pylist() for role, of in beside.items()})


def refuse_dates(
    forms: Mapping[str, ColumnForm], columns: Iterable[str], files: Mapping[str, str], file: str = "the data"
) -> None:
    """Raise an error if a column holds dates that can be read in two ways; ``files`` names a file with each column."""
    for name in columns:
        if name in forms and (refusal := forms[name].refusal(files.get(name, file), name)) is not None:
            raise refusal


def weights_of(native: Any, column: str | None) -> FloatArray:
    """Return the weights in a column of a frame, checked, (rows,); 1 for each row if there is no such column."""
    if column is None:
        return given_weights(None, len(native))
    try:
        cells = in_arrow(native[column]).cast(pa.float64()).fill_null(np.nan)
        return given_weights(cells.to_numpy(zero_copy_only=False), len(native))
    except (ValueError, pa.ArrowException) as error:
        raise located(error, f"column {column!r}") from None


def weights_of_all(table: pa.Table, column: str) -> FloatArray:
    """Return the weight of each row of a whole table, (rows,), of which one must be above 0."""
    try:
        weights = weights_of(table, column)
    except ValueError:
        raise ValueError(
            f"column {column!r} cannot be the weight: every row needs a number there, 0 or above."
        ) from None
    if not weights.any():
        raise ValueError(f"column {column!r} cannot be the weight: it is 0 in every row, so no row would count.")
    return weights


# --- In parts ---


def labels_of(column: Any) -> tuple[NDArray[Any], ClassArray]:
    """Return the sorted classes of a column, (classes,), and the position of each row's class among them, (rows,).

    >>> labels_of(pa.array(["no", "yes", "no"]))
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    coded = in_arrow(column)
    coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()
    if coded.indices.null_count:
        row = int(np.flatnonzero(coded.indices.is_null().to_numpy(zero_copy_only=False))[0])
        raise ValueError(f"the target is missing in row {row} of this frame: leave out the rows without a class.")
    used, position = distinct_numbers(coded.indices.to_numpy(zero_copy_only=False))  # some values may have no row
    names = coded.dictionary.take(pa.array(used)).to_numpy(zero_copy_only=False)
    if names.dtype.kind == "f" and (np.modf(names)[0] != 0).any():
        odd = names[np.modf(names)[0] != 0][0]
        fault = f"the target holds numbers with fractions, such as {odd}: "
        raise AdvisedError(fault, "if they name classes, take the column as text, with ", Setting("as_text"), ".")
    classes, codes = encode_labels(np.tile(names, 3))  # a class that occurs once looks like a number to scikit-learn
    return classes, codes[position]


@dataclass(frozen=True)
class RowReader:
    """Opens parts of a table into labelled rows: which columns are attributes, target and weight, how rows count."""

    features: tuple[str, ...]
    """The columns that attributes are made from."""
    target: str
    """The column with the classes."""
    weight: str | None = None
    """The column with the weights of the rows, if there is one."""
    categorical_features: Any = "from_dtype"
    """Which of the attributes are categorical, as in :func:`atfnb.tables.read_table`."""
    dates: Dates = "expand"
    """What is learned from columns of dates."""
    knowledge: Knowledge = field(default_factory=Knowledge)
    """What is known of the attributes beside the data."""
    leave_out_unlabelled: bool = False
    """Whether rows without a class are left out; otherwise they are refused."""
    frame_rows: int = FRAME_ROWS
    """The largest number of rows that are read at a time."""
    attributes: frozenset[str] | None = None
    """The names of the attributes that are made from the columns; None for all of them."""
    relabelling: Relabelling = field(default_factory=Relabelling)
    """The names of the classes."""
    weighting: Weighting | None = None
    """How the rows are weighted, if they or their classes have weights."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that must be read."""
        return (*self.features, self.target, *([self.weight] if self.weight else []))

    def __call__(self, part: Any) -> Iterator[LabelledRows]:
        """Yield the rows of a part whose weight is above 0, some at a time."""
        for where, frame in read_frames(part, self.columns, self.frame_rows):
            try:
                yield self._labelled(frame, where)
            except (ValueError, TypeError, pa.ArrowException) as error:
                raise located(error, where) from None

    def _labelled(self, frame: Any, where: str) -> LabelledRows:
        unlabelled = 0
        if self.leave_out_unlabelled:
            frame, unlabelled = drop_unlabelled(frame, self.target)
        if len(frame) == 0:
            return LabelledRows(Table(()), np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(0), where, unlabelled)
        table = self._table(frame)
        classes, y, kept = self.relabelling(*labels_of(frame[self.target]))
        weight = np.where(kept, weights_of(frame, self.weight), 0.0)
        if self.weighting is not None:
            weight = self.weighting(weight, classes, y)
        return LabelledRows(table, classes, y, weight, where, unlabelled).counting()

    def _table(self, frame: Any) -> Table:
        """Return the attributes of some rows; none where only classes and weights are read."""
        if not self.features:
            return Table(())
        names = list(self.features)
        chosen = frame.select(names) if isinstance(frame, pa.Table) else frame[names]
        table = self.knowledge.told(read_table(chosen, self.categorical_features))
        table = without_dates(table) if self.dates == "ignore" else expand_dates(table, self.dates)
        return table if self.attributes is None else table.only(self.attributes)


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
    frame_rows: int = FRAME_ROWS
    """The largest number of rows that are read at a time."""

    def rows(self, reader: RowReader) -> Pieces[LabelledRows]:
        """Return the rows as a reader opens them, in pieces."""
        return self.parts.flat_map(reader)

    def reader(
        self,
        categorical_features: Any,
        dates: Dates,
        class_weight: Any,
        knowledge: Callable[[Sequence[str]], Knowledge],
    ) -> RowReader:
        """Return what opens the parts; a pass finds how rows are weighted and classes are named, if that may matter.

        ``knowledge`` returns what is known of columns of some names.
        """
        special = [self.target, *([self.weight] if self.weight else []), *self.ignore]
        check_names([*special, *self.policy.keep], self.plan.names, "the table")
        features = tuple(name for name in self.plan.names if name not in special)
        if not features:
            raise ValueError("no column is left to learn from: ignore fewer of them.")
        asked = (categorical_features, dates, knowledge(features), self.policy.leave_out, self.frame_rows)
        reader = RowReader(features, self.target, self.weight, *asked)
        refuse_dates(self.plan.forms, reader.columns, self.plan.dates)
        for column, role in ((self.target, "target"), (self.weight, "weight")):
            if column in self.plan.dates:
                file = self.plan.dates[column]
                raise ValueError(f"the {role} {column!r} is a column of dates in {file}: give another column.")
        weighted = self.weight is not None or class_weight is not None
        if not (weighted or self.policy.min_class_rows > 1 or self.policy.merge_case):
            return reader
        totals = self.rows(replace(reader, features=())).sum("weights", ClassTotals, add_totals)
        relabelling = Relabelling.of(totals, self.policy, self.target)
        weighting = weighting_of(relabelling.of_totals(totals), class_weight) if weighted else None
        return replace(reader, relabelling=relabelling, weighting=weighting)

    def checked(self, classes: Any, kind: Literal["text", "whole"], rows: int, unlabelled: int) -> NDArray[Any]:
        """Return the classes; raise a ValueError if there are none, only one, or too many for the number of rows."""
        if classes is None and unlabelled:
            raise no_classes(self.target)
        if classes is None:
            raise ValueError("the data hold no rows: there is nothing to learn from.")
        if len(classes) < 2:
            raise one_class(self.target, classes[0].item(), unlabelled)
        self.policy.check_classes(self.target, kind, len(classes), rows)
        return np.asarray(classes)
