"""A file → the rows that a verb works on, as a model learned to read them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._errors import counted, did_you_mean, listed_names
from atfnb._typing import BoolArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import kind_of_values, learned_kinds, learned_zones
from atfnb.tables import (
    WITHOUT_NAME,
    Dialect,
    RareClasses,
    Relabelling,
    TableFile,
    TrainingRecord,
    as_kinds,
    check_names,
    names_total,
    open_table,
    plain_classes,
    taken_for,
    taken_in_words,
    weights_of_all,
    with_class,
)
from atfnb.training import TableInMemory

SAME_IN_RESULTS = "The model was trained on weighted rows; in these results every row counts the same."


def rows_for(
    model: BaseNB,
    data: Any,
    target: str | None,
    dialect: Dialect,
    *,
    weight: str | None = None,
    on_weights: str = SAME_IN_RESULTS,
) -> TableInMemory:
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
    weights = None if weight is None else weights_of_all(table, weight)
    if weight is None and not math.isclose(float(model.counts_.classes.sum()), model.n_rows_, rel_tol=1e-9):
        notes = (*notes, on_weights)
    y, kept, more = as_in_training(model, actual_classes(table, target))
    X = table.drop_columns([name for name in (target, weight) if name]).filter(pa.array(kept))
    weights = None if weights is None else weights[kept]
    notes = (*found.notes, *notes, *more)
    record = TrainingRecord(notes, format=str(found.format), target=target, source=found.format.name)
    return TableInMemory(X, y, weights, record=record)


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
        notes.append(taken_in_words(model.training_.get("target") or "class", other))
    y, kept = Relabelling(other, rare).of_rows(classes)
    if rare is None:
        return y, kept, notes
    if not kept.any():
        raise ValueError("no row has a class that the model was trained on: their classes were left out in training.")
    n = int(np.isin([other.get(name, name) for name in classes.tolist()], rare.names).sum())
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
        check_names(also, file.columns, file.format.name, file.notes)
        there = set(file.columns)
        absent = [name for name in learned if name not in there]
        if absent:
            columns, them = ("the column", "it") if len(absent) == 1 else ("the columns", "them")
            others = unused_columns(model, file.columns)
            of = "" if len(absent) == 1 else "for {!r}, "
            asked = (of.format(name) + question for name in absent if (question := did_you_mean(name, others)))
            hint = next(asked, f"add {them}.")
            if all(map(WITHOUT_NAME.fullmatch, absent)):
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
