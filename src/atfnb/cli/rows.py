"""A file → the rows that a verb works on: to train on, or as a model learned to read them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._errors import counted, did_you_mean, listed_names
from atfnb._typing import BoolArray, FloatArray
from atfnb.classifiers import BaseNB
from atfnb.cli.options import TrainingFile
from atfnb.encoding import kind_of_values, learned_kinds, learned_zones
from atfnb.tables import (
    Dialect,
    Format,
    RareClasses,
    TableFile,
    as_kinds,
    case_variants,
    classes_of,
    kinds_of,
    names_total,
    on_case,
    one_class,
    open_table,
    plain_classes,
    renamed,
    spelled_classes,
    taken_for,
    taken_in_words,
    totals_of,
    usable_columns,
    with_class,
    without_date_columns,
)


@dataclass(frozen=True)
class LabelledTable:
    """The rows of a file that have a class: their attributes, their classes, and notes for the user."""

    X: pa.Table
    y: NDArray[Any]
    """(rows,) the class of each row: text, booleans or whole numbers."""
    target: str
    """The column that holds the class."""
    format: Format
    notes: tuple[str, ...] = ()
    """What was found in the file and done about it, a sentence each."""
    weight: FloatArray | None = None
    """(rows,) the weight of each row, where a column holds it."""
    forms: dict[str, str] = field(default_factory=dict)
    """The sign or unit of each column whose numbers are written with one, "" for thousands separators alone; and the
    format of each column of dates that are not ISO dates."""
    class_spelling: list[str] | None = None
    """The classes as the file spells them, where Python spells them differently."""
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The different cells, as they are written, of the column with the classes and of columns of booleans."""
    rare: RareClasses | None = None
    """The classes that count as one, or whose rows are left out, if there are any."""


_WITHOUT_NAME = re.compile(r"column \d+")
"""What a column is called that has no name."""

# --- To train on -----------------------------------------------------------------------------------


def read_rows(file: TrainingFile) -> LabelledTable:
    """Read a file whole: attributes, classes and weights, without what a model cannot learn from."""
    target, columns = file.target, file.columns
    categorical = columns.categorical or ()
    with open_table(file.data, file.dialect) as opened:
        check_names(opened, file.named_columns)
        table, found = opened.read(categorical, as_written=[target]), opened.format
    numbers = np.flatnonzero(table.column(target).is_valid().to_numpy()) + 1
    table, notes = with_class(table, target)
    y = classes_of(table, target)
    weight = None if columns.weight is None else weights_of(table, columns.weight)
    spelled, y = np.unique(y), _merged(y, weight, file)
    rare, about_classes = _rare_classes(y, weight, file)
    if rare is not None:
        y, kept = _relabelled(rare, y)
        table, weight = table.filter(pa.array(kept)), None if weight is None else weight[kept]
        numbers = numbers[kept]
    left_out = {target, columns.weight, *(columns.ignore or ())}
    X = table.select([name for name in table.column_names if name not in left_out])
    if columns.dates is not None and columns.dates.value == "ignore":
        X, ignored = without_date_columns(X, opened.forms)
        notes = (*notes, *ignored)
    for name in X.column_names:
        if name in opened.forms and (refusal := opened.forms[name].refusal(found.name, name)) is not None:
            raise refusal
    X, more = usable_columns(X, found.name, file.policy, categorical, numbers)
    forms = {name: form for name, form in opened.forms.items() if name in X.column_names}
    values: dict[str | None, Any] = {None: spelled.tolist()}
    values |= {name: X.column(name).unique().to_pylist() for name, kind in kinds_of(X).items() if kind == "text"}
    more = (*more, *on_case(target, values, merged=columns.merge_case))
    return LabelledTable(
        X,
        y,
        target,
        found,
        notes=(*opened.notes, *notes, *about_classes, *more, *(form.described(name) for name, form in forms.items())),
        weight=weight,
        forms={name: form.recorded for name, form in forms.items() if form.recorded is not None},
        class_spelling=spelled_classes(opened.words.get(target, frozenset()), np.unique(y), found.decimal),
        words=opened.words,
        rare=rare,
    )


def _merged(y: NDArray[Any], weight: FloatArray | None, file: TrainingFile) -> NDArray[Any]:
    """Return the class of each row, (rows,), with classes that differ by case only merged if the user says so."""
    if not file.policy.merge_case:
        return y
    names, position = np.unique(y, return_inverse=True)
    totals = totals_of(np.ones(len(y)) if weight is None else weight, names, position.astype(np.int32))
    merged = _renamed(y, case_variants({name: total.weight for name, total in totals.items()}))
    if (merged == merged[0]).all():
        raise one_class(file.target, merged[0].item())
    return merged


def _renamed(y: NDArray[Any], names: Mapping[str, str]) -> NDArray[Any]:
    """Return the class of each row, (rows,), under the names that some classes have instead."""
    found, position = np.unique(y, return_inverse=True)
    classes, codes = renamed(found, position.astype(np.int32), names)
    return np.asarray(classes[codes])


def _rare_classes(
    y: NDArray[Any], weight: FloatArray | None, file: TrainingFile
) -> tuple[RareClasses | None, list[str]]:
    """Return the classes with fewer rows than the command line asks for, and a note on them, if there are any."""
    fewest, how = file.policy.min_class_rows, file.policy.rare_classes
    names, times = np.unique(y if weight is None else y[weight > 0], return_counts=True)
    rows = dict(zip(names.tolist(), times.tolist(), strict=True))
    rare = RareClasses.of(rows, fewest, how, file.target)
    return rare, [] if rare is None else [rare.in_words(rows, fewest)]


def _relabelled(rare: RareClasses, y: NDArray[Any]) -> tuple[NDArray[Any], BoolArray]:
    """Return the class of each row that is kept, and which rows are."""
    names, position = np.unique(y, return_inverse=True)
    classes, codes, kept = rare.relabelled(names, position.astype(np.int32))
    return classes[codes[kept]], kept


def check_names(file: TableFile, asked: Sequence[str]) -> None:
    """Raise an error if a file lacks one of the columns asked for, with those that have a similar name.

    If there is none, what was found above the rows and on other sheets may say why.
    """
    for name in asked:
        if name not in file.columns:
            hint = did_you_mean(name, file.columns) or " ".join([f"it has {listed_names(file.columns)}.", *file.notes])
            if _WITHOUT_NAME.fullmatch(name):
                hint = "give --no-header if its columns have no names."
            raise ValueError(f"{file.format.name} has no column {name!r}: {hint}")


def weights_of(table: pa.Table, name: str) -> FloatArray:
    """Return the weight of each row: (rows,)."""
    try:
        weights = np.array(table.column(name).to_pylist(), dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.array([np.nan])
    if not ((weights >= 0) & (weights < np.inf)).all():
        raise ValueError(f"column {name!r} cannot be the weight: every row needs a number there, 0 or above.")
    if not weights.any():
        raise ValueError(f"column {name!r} cannot be the weight: it is 0 in every row, so no row would count.")
    return weights


# --- As a model learned to read them ---------------------------------------------------------------


SAME_IN_RESULTS = "The model was trained on weighted rows; in these results every row counts the same."


def rows_for(
    model: BaseNB,
    data: Any,
    target: str | None,
    dialect: Dialect,
    *,
    weight: str | None = None,
    on_weights: str = SAME_IN_RESULTS,
) -> LabelledTable:
    """Read the attributes of a model and the actual classes from a file.

    Parameters
    ----------
    model : a fitted classifier
    data : str or list of str
        The file, or several; see :func:`atfnb.tables.open_table`.
    target : str or None
        The column with the classes; None for the column that the model was trained to predict.
    dialect : Dialect
        How the file is written, where that is not to be detected.
    weight : str, optional
        The column with the weights of the rows.
    on_weights : str
        The note if the model was trained on weighted rows, and these have no weights.
    """
    target = checked_target(model, target)
    if target is None:
        raise ValueError("the model file does not say which column it predicts: name it with --target.")
    table, found = read_as_trained(model, data, dialect, target, weight=weight)
    table, notes = with_class(table, target)
    weights = None if weight is None else weights_of(table, weight)
    if weight is None and not math.isclose(float(model.counts_.classes.sum()), model.n_rows_, rel_tol=1e-9):
        notes = (*notes, on_weights)
    y, kept, more = as_in_training(model, actual_classes(table, target))
    X = table.drop_columns([name for name in (target, weight) if name]).filter(pa.array(kept))
    weights = None if weights is None else weights[kept]
    return LabelledTable(X, y, target, found.format, (*found.notes, *notes, *more), weights)


def checked_target(model: BaseNB, target: str | None) -> str | None:
    """Return the column with the classes, which must not be an attribute; None if neither user nor model names one."""
    target = target or model.training_.get("target") or None
    if target in learned_kinds(model.encoder_):
        raise ValueError(
            f"column {target!r} is an attribute of the model, so it cannot hold the class: name the column with the "
            "actual class with --target."
        )
    return target


def read_as_trained(
    model: BaseNB,
    data: Any,
    dialect: Dialect,
    target: str | None,
    *,
    weight: str | None = None,
    may_lack_target: bool = False,
) -> tuple[pa.Table, TableFile]:
    """Return the attributes of a model, and the columns of the classes and of the weights; and the file they are from.

    A file without the classes is refused, unless it ``may_lack_target``.
    """
    kinds, forms = learned_kinds(model.encoder_), model.training_.get("forms") or {}
    if weight in kinds:
        raise ValueError(f"column {weight!r} is an attribute of the model, so it cannot be the weight.")
    needed = [name for name in (None if may_lack_target else target, weight) if name]
    with open_as_trained(model, data, dialect, needed) as file:
        if target is not None and target in file.columns:
            rare = RareClasses.recorded(model.training_)
            kinds[target] = kind_of_values(model.classes_.tolist() if rare is None else rare.names)
        if weight is not None:
            kinds[weight] = "number"
        return pa.concat_tables(
            [as_kinds(batch, kinds, forms, learned_zones(model.encoder_)) for batch in file.batches()]
        ), file


def actual_classes(table: pa.Table, target: str) -> NDArray[Any]:
    """Return the class of each row, (rows,), of a table in which each row has one."""
    return plain_classes(np.array(table.column(target).to_pylist()))


def as_in_training(model: BaseNB, classes: NDArray[Any]) -> tuple[NDArray[Any], BoolArray, list[str]]:
    """Return the classes that a model was trained on, which rows are kept, and a note if classes were rare in training.

    Classes with few rows may have been pooled in training, or their rows left out.
    """
    if classes.dtype.kind == "U":  # numbers with fractions are classes as text, whatever the decimal sign
        known = dict(zip(model.class_labels, model.classes_.tolist(), strict=True))
        classes = np.array([known.get(name, name) for name in classes.tolist()])
    rare, notes = RareClasses.recorded(model.training_), list[str]()
    if other := taken_for(classes.tolist(), [*model.classes_.tolist(), *(() if rare is None else rare.names)]):
        classes = _renamed(classes, other)
        notes.append(taken_in_words(model.training_.get("target") or "class", other))
    if rare is None:
        return classes, np.ones(len(classes), dtype=bool), notes
    y, kept = _relabelled(rare, classes)
    if not kept.any():
        raise ValueError("no row has a class that the model was trained on: their classes were left out in training.")
    n = int(np.isin(classes, rare.names).sum())
    verb = "counts" if n == 1 else "count"
    done = "left out, as in training" if rare.into is None else f"{verb} as {rare.into!r}, as in training"
    return y, kept, [*notes, *([f"{counted(n, 'row')} of classes that were rare in training {done}."] if n else [])]


@contextmanager
def open_as_trained(model: BaseNB, data: Any, dialect: Dialect, also: Sequence[str] = ()) -> Iterator[TableFile]:
    """Open a table that has the columns that a model was trained on, and the columns ``also``.

    What marked a missing value in the training file does so here, beside what the dialect says; and a word that the
    model learned as a value or a class makes no row a total.
    """
    marks = model.training_.get("missing_marks")
    if marks is not None:
        dialect = replace(dialect, missing=(*marks, *(dialect.missing or ())))
    known = (value for each in model.encoder_.attributes for value in getattr(each, "categories", ()))
    if any(map(names_total, chain(known, model.class_labels))):
        dialect = replace(dialect, keep_totals=True)
    learned = learned_kinds(model.encoder_)
    with open_table(data, dialect, [*learned, *also]) as file:
        check_names(file, also)
        there = set(file.columns)
        absent = [name for name in learned if name not in there]
        if absent:
            columns, them = ("the column", "it") if len(absent) == 1 else ("the columns", "them")
            others = unused_columns(model, file.columns)
            of = "" if len(absent) == 1 else "for {!r}, "
            asked = (of.format(name) + question for name in absent if (question := did_you_mean(name, others)))
            hint = next(asked, f"add {them}.")
            if all(map(_WITHOUT_NAME.fullmatch, absent)):
                hint = "give --no-header."
            raise ValueError(
                f"{file.format.name} lacks {columns} {listed_names(absent)}, which the model was trained on: {hint}"
            )
        if not hasattr(model, "feature_names_in_"):  # it was fitted to an array; the command goes by names
            model.feature_names_in_ = np.array(model.encoder_.sources, dtype=object)
        yield file


def unused_columns(model: BaseNB, columns: Sequence[str]) -> list[str]:
    """Return the columns of a file that a model neither uses nor predicts."""
    known = {*learned_kinds(model.encoder_), model.training_.get("target")}
    return [name for name in columns if name not in known]
