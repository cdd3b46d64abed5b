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
from atfnb.cli.options import FoldedTable, LabelledTable, WeightedTable
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


def rows_for(model: BaseNB, given: LabelledTable, data: Any = None, *, may_lack_classes: bool = False) -> TableInMemory:
    """Read the attributes of a model and the actual classes from a file.

    Parameters
    ----------
    model : a fitted classifier
    given : LabelledTable
        The file, or several, and what the user says about them.
    data : str or list of str, optional
        Another file, whose rows are not divided into folds; see :func:`atfnb.tables.open_table`.
    may_lack_classes : bool
        Whether rows without a class are kept, with None in its place; if there is no column of classes, and the user
        names none, the result has no classes. Otherwise rows without a class are left out.
    """
    table, file, target, weight = _read_as_trained(model, given, data, may_lack_classes=may_lack_classes)
    roles = _roles(given) if data is None else {}
    for role, column in roles.items():
        table = table.append_column(role, column)
    notes = [*file.notes]
    if not may_lack_classes and target is not None:
        table, unlabelled = with_class(table, target)
        notes += unlabelled
    weights = None if weight is None else weights_of_all(table, weight)
    if weight is None and _is_weighted(model):
        hint = ": to count by weight, name the column with --weight" if isinstance(given, WeightedTable) else ""
        notes.append(f"The model was trained on weighted rows; here every row counts the same{hint}.")
    y, kept = None, np.ones(table.num_rows, dtype=bool)
    if target is not None and target in table.column_names:
        y, kept, more = _as_in_training(model, table.column(target))
        notes += more
    roles = {
        role: table.column(table.num_columns - len(roles) + i).filter(pa.array(kept)) for i, role in enumerate(roles)
    }
    X = table.select(learned_kinds(model.encoder_)).filter(pa.array(kept))
    weights = None if weights is None else weights[kept]
    record = TrainingRecord(tuple(notes), format=str(file.format), target=target, source=file.format.name)
    return TableInMemory(X, y, weights, record=record, **{role: of.to_pylist() for role, of in roles.items()})


def _roles(given: LabelledTable) -> dict[str, Any]:
    """Return the columns with the group and the time of each row, if the user names them."""
    roles = {"groups": given.groups, "time": given.time} if isinstance(given, FoldedTable) else {}
    if not (named := {role: name for role, name in roles.items() if name is not None}):
        return {}
    with open_table(given.data, given.dialect()) as file:
        check_names(named.values(), file.columns, file.format.name)
        table = file.read()
    return {role: table.column(name) for role, name in named.items()}


def _is_weighted(model: BaseNB) -> bool:
    """Return whether a model was trained on rows of different weights; a file of version 0.1.0 has only their sum."""
    counts = model.counts_
    alike = math.isclose(float(counts.classes.sum()), model.n_rows_, rel_tol=1e-9)
    return model.class_weight is None and (counts.weighted or not alike)


def _read_as_trained(
    model: BaseNB, given: LabelledTable, data: Any, *, may_lack_classes: bool
) -> tuple[pa.Table, TableFile, str | None, str | None]:
    """Return the attributes of a model with classes and weights; the file; the columns of the classes and the weights.

    A file without the column of weights, or of classes if it may not lack them or the user names it, is refused.
    """
    kinds, forms, zones = as_learned(model)
    target = given.target or model.training_.get("target") or None
    weight = given.weight if isinstance(given, WeightedTable) else None
    if target in kinds:
        raise ValueError(
            f"column {target!r} is an attribute of the model, so it cannot hold the class: name the column with the "
            "actual class with --target."
        )
    if target is None and not may_lack_classes:
        raise ValueError("the model file does not say which column it predicts: name it with --target.")
    if weight in kinds:
        raise ValueError(f"column {weight!r} is an attribute of the model, so it cannot be the weight.")
    needed = [name for name in (None if may_lack_classes and given.target is None else target, weight) if name]
    with open_as_trained(model, given.data if data is None else data, given.dialect(), needed) as file:
        if target is not None and target in file.columns:
            rare = RareClasses.recorded(model.training_)
            kinds[target] = kind_of_values(model.classes_.tolist() if rare is None else rare.names)
        if weight is not None:
            kinds[weight] = "number"
        table = pa.concat_tables([as_kinds(batch, kinds, forms, zones) for batch in file.batches()])
    return table, file, target, weight


def as_learned(model: BaseNB) -> tuple[dict[str, Any], dict[str, str], dict[str, Any]]:
    """Return how a model reads its columns: the kind of each, the forms of its cells, and time zones."""
    return learned_kinds(model.encoder_), model.training_.get("forms") or {}, learned_zones(model.encoder_)


def _as_in_training(model: BaseNB, column: pa.ChunkedArray) -> tuple[NDArray[Any], BoolArray, list[str]]:
    """Return the classes that a model was trained on, (rows kept,), which rows are kept, (rows,), and notes.

    Classes with few rows may have been pooled in training, or their rows left out. A row without a class has None.
    """
    labelled, notes = column.is_valid().to_numpy(), list[str]()
    y, kept = np.full(len(labelled), None), np.ones(len(labelled), dtype=bool)
    if labelled.any():
        classes = plain_classes(np.array(column.drop_null().to_pylist()))
        named, kept[labelled], notes = _named_as_in_training(model, classes)
        if labelled.all():
            return named, kept, notes
        y[labelled & kept] = named.tolist()
    unlabelled = int((~labelled).sum())
    return y[kept], kept, [*notes, f"{counted(unlabelled, 'row')} {'has' if unlabelled == 1 else 'have'} no class."]


def _named_as_in_training(model: BaseNB, classes: NDArray[Any]) -> tuple[NDArray[Any], BoolArray, list[str]]:
    """Return the classes that a model was trained on, which rows are kept, and notes on those that were rare."""
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
    if (marks := model.training_.get("missing_marks")) is not None:
        dialect = replace(dialect, missing=(*marks, *(dialect.missing or ())))
    known = (value for each in model.encoder_.attributes for value in getattr(each, "categories", ()))
    if any(map(names_total, chain(known, model.class_labels))):
        dialect = replace(dialect, keep_totals=True)
    learned = learned_kinds(model.encoder_)
    with open_table(data, dialect, [*learned, *also]) as file:
        check_names(also, file.columns, file.format.name, file.notes)
        there = set(file.columns)
        if absent := [name for name in learned if name not in there]:
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
