"""From the document of a file to the fitted model: every type, length and number is checked, and nothing is executed.

A file names its classifier, which is looked up in a fixed table; all else in it is data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from inspect import signature
from typing import Any

import numpy as np
from msgspec import UNSET

from atfnb._typing import FloatArray
from atfnb.classifiers import AccuracyCurve, BaseNB, FittedField
from atfnb.counts import Counts
from atfnb.encoding import Attribute, CategoricalAttribute, NumericAttribute, TableEncoder
from atfnb.model import AdditiveModel
from atfnb.model_file.checks import CLOSE, check_consistency
from atfnb.model_file.pairs import check_pair_weights, read_pairs, read_value_pairs
from atfnb.model_file.refusals import RefusedError, converted, inconsistent, refuse_odd_values, shown
from atfnb.model_file.structs import CLASSIFIERS, FORMAT, VERSION, Size, Training, file_type
from atfnb.model_file.values import category_tuple, class_array, option
from atfnb.tables import NAMES_OF_PARTS

LAST_MOMENT = 1e8
"""The largest number of days, or of hours, that a date or a time can be told from; NumPy counts microseconds."""


def from_document(document: Any, name: str = "the document") -> BaseNB:
    """Return the fitted model that a document of :func:`to_document` describes.

    Parameters
    ----------
    document : dict
        Plain numbers, text, lists and dicts.
    name : str
        How the sentence that refuses the document names it.

    Returns
    -------
    model
        The fitted classifier.

    Examples
    --------
    >>> from_document({"version": 3})
    Traceback (most recent call last):
    ...
    ValueError: the document is not an atfnb model: it has no "format".
    """
    try:
        classifier = _classifier(document)
        refuse_odd_values(document)
        file = converted(document, file_type(classifier))
        with np.errstate(over="ignore"):
            model: BaseNB = _model(classifier, file, document)
        try:
            check_consistency(model)
        except ValueError as error:
            raise inconsistent(str(error)) from None
    except RefusedError as problem:
        raise ValueError(f"{name} {problem}") from None
    return model


def _classifier(document: Any) -> type[BaseNB]:
    """Return the class that a document names, if it is a document of this program, of a version that it reads."""
    if not isinstance(document, dict):
        raise RefusedError(f"is not an atfnb model: it holds {shown(document)}, not an object.")
    if "format" not in document:
        raise RefusedError('is not an atfnb model: it has no "format".')
    if document["format"] != FORMAT:
        raise RefusedError(f'is not an atfnb model: its "format" is {shown(document["format"])}, not {FORMAT!r}.')
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise inconsistent(f'"version" must be a whole number of at least 1, not {shown(version)}.')
    if version > VERSION:
        raise RefusedError(
            f"is of version {shown(version)}, and this atfnb reads version {VERSION}: install a newer atfnb."
        )
    name = document.get("classifier")
    if not isinstance(name, str) or name not in CLASSIFIERS:
        raise inconsistent(f'"classifier" is {shown(name)}, and must be one of {", ".join(CLASSIFIERS)}.')
    return CLASSIFIERS[name]


def _model(classifier: type[BaseNB], file: Any, document: dict[str, Any]) -> Any:
    """Return the model; whether its parts are consistent with each other is not checked yet."""
    model: Any = classifier(**_parameters(classifier, file.training.options))
    model.training_, model.n_rows_ = dict(document["training"]), file.training.rows
    model.classes_ = class_array(file.classes.names, file.classes.type)
    model.encoder_ = TableEncoder(tuple(map(_attribute, file.columns)))
    model.counts_ = read_value_pairs(file, _counts(file, model))
    _check_size(file.size, model)
    _check_training(file.training, model)
    _set_names(model, file.named_columns)
    model.weights_ = np.array([column.weight for column in file.columns])
    scores = _of_cells("adds", file, model, unknown=_nothing(model))
    model.model_ = AdditiveModel(model.counts_.offsets, scores, np.array(file.classes.starts), *read_pairs(file, model))
    check_pair_weights(file, model, CLOSE)
    lengths: dict[Any, int] = {"attributes": len(file.columns), "classes": len(model.classes_)}
    for field in classifier.declaration.fields:
        read = _of_columns if field.of_columns else _of_section
        setattr(model, field.name, read(field, file, model, lengths))
    return model


def _check_length(values: Sequence[Any], length: int, where: str) -> None:
    if len(values) != length:
        raise inconsistent(f"{where} must be {length} numbers, not {len(values)}.")


# --- how it was trained ----------------------------------------------------------------------------


def _parameters(classifier: type[BaseNB], options: Any) -> dict[str, Any]:
    """Return the parameters of the classifier; one that an older file lacks has the value of that version."""
    found: dict[str, Any] = {}
    for name, parameter in signature(classifier).parameters.items():
        node, default = getattr(options, name), parameter.default
        found[name] = (
            classifier.declaration.earlier.get(name, default) if node is UNSET else option(node, f'the option "{name}"')
        )
        if isinstance(default, tuple) and found[name] == list(default):
            found[name] = default  # JSON knows no tuples
    return found


def _check_training(training: Training, model: BaseNB) -> None:
    try:
        datetime.fromisoformat(training.date)
    except ValueError:
        date = shown(training.date)
        raise inconsistent(f'"date" of "training" is {date}, and must be like 2026-01-31T12:00:00Z.') from None
    spelled, n_classes, total = training.class_spelling, len(model.classes_), model.counts_.classes.sum()
    if spelled is not UNSET and len(spelled) != n_classes:
        raise inconsistent(f"it spells {len(spelled)} classes, and has {n_classes}.")
    rare = training.rare_classes
    if rare is not UNSET and rare.into is not None and rare.into not in model.classes_.tolist():
        raise inconsistent(f"its rare classes count as {shown(rare.into)}, which is none of its classes.")
    if abs(training.weight - total) > 1e-12 * total:
        raise inconsistent("the weight of the training rows is not the sum of the counts of the classes.")


def _check_size(size: Size, model: BaseNB) -> None:
    """Refuse a file whose numbers of columns, classes and values are not those that it states."""
    found = Size.of(model)
    for name in Size.__struct_fields__:
        if getattr(size, name) != getattr(found, name):
            raise inconsistent(f"it says that it has {getattr(size, name)} {name}, and has {getattr(found, name)}.")


def _set_names(model: Any, named: bool) -> None:
    """Set the names of the columns, as scikit-learn keeps them, if the table had any."""
    attributes = [attribute.name for attribute in model.encoder_.attributes]
    names = model.encoder_.sources
    model.n_features_in_ = len(names)
    for of in (attributes, names) if named else ():
        if len(set(of)) < len(of):
            twice = next(name for name in of if of.count(name) > 1)
            raise inconsistent(f"two columns are named {shown(twice)}.")
    if named:
        model.feature_names_in_ = np.array(names, dtype=object)


# --- columns ---------------------------------------------------------------------------------------


def _attribute(column: Any) -> Attribute:
    """Return how a column is coded."""
    where, part = f"column {shown(column.name)}", None if column.part is UNSET else column.part
    if part is not None and not column.name.endswith(f": {part}"):
        raise inconsistent(f"{where} is the {part} of a column of dates, and its name must end with ': {part}'.")
    zone = None if column.zone is UNSET else column.zone
    if zone is not None and part in (None, "time"):
        raise inconsistent(f"{where} has a time zone, and only parts of dates have one.")
    if _kind(column) == "categories":
        pooled = 0 if column.pooled is UNSET else column.pooled
        categories = _categories(column, part, where)
        is_used = categories or column.counts
        missing = _missing(column.missing, len(categories) + (pooled > 0) if is_used else 0, where)
        spelling = () if column.spelling is UNSET else tuple(column.spelling)
        return CategoricalAttribute(column.name, categories, *missing, part, pooled, zone, spelling)
    since = _first_day(column, part, where)
    cuts = np.array(column.cuts, dtype=np.float64) + since
    if not (cuts[1:] > cuts[:-1]).all():
        raise inconsistent(f"the cuts of {where} must rise.")
    whole = None if column.whole is UNSET else (column.whole[0] + since, column.whole[1] + since)
    if whole and whole[0] > whole[1]:
        raise inconsistent(f'"whole" of {where} must be two whole numbers, the lower one first.')
    if whole and len(cuts) and not whole[0] < cuts[0] <= cuts[-1] <= whole[1]:
        raise inconsistent(f'the cuts of {where} must be between the two numbers of "whole".')
    if part in ("date", "time") and (np.abs([*cuts, *(whole or ())]) > LAST_MOMENT).any():
        raise inconsistent(f"the cuts of {where} are beyond any {part}.")
    missing = _missing(column.missing, len(cuts) + 1, where)
    return NumericAttribute(column.name, cuts, *missing, whole, part, since, zone)


def _categories(column: Any, part: Any, where: str) -> tuple[Any, ...]:
    """Return the categories of a column; those of months and weekdays from their names."""
    if part is None:
        return category_tuple(column.categories, f"the categories of {where}")
    unknown = [name for name in column.categories if name not in NAMES_OF_PARTS[part]]
    if unknown:
        raise inconsistent(f"the categories of {where} must be names of {part}s, and {shown(unknown[0])} is none.")
    numbers = [NAMES_OF_PARTS[part].index(name) + 1 for name in column.categories]
    return category_tuple(numbers, f"the categories of {where}")


def _first_day(column: Any, part: Any, where: str) -> int:
    """Return the day that the cuts of a column of dates are counted from, as days since 1970-01-01; 0 for others."""
    if (column.since is UNSET) != (part != "date"):
        raise inconsistent(f'{where} must have "since" if its part is "date", and only then.')
    if part != "date":
        return 0
    try:
        return int(np.datetime64(column.since, "D").astype(np.int64))
    except ValueError:
        raise inconsistent(f'"since" of {where} must be a day, like 2026-01-31, not {shown(column.since)}.') from None


def _kind(column: Any) -> str:
    return str(column.__struct_config__.tag)


def _missing(entry: int | str, n_known: int, where: str) -> tuple[int, int]:
    """Return the number of values of a column, and the code of a missing value."""
    if n_known == 0 and entry != "skip":
        raise inconsistent(f'"missing" of {where} must be "skip", as the column has no values, not {shown(entry)}.')
    if isinstance(entry, str):
        return n_known + (entry == "value"), n_known
    if entry >= n_known:
        raise inconsistent(
            f'"missing" of {where} must be "skip", "value" or the position of a value, 0 to {n_known - 1}, '
            f"not {shown(entry)}."
        )
    return n_known, entry


def _counts(file: Any, model: BaseNB) -> Counts:
    """Return the counts; rows skipped in a column are counted in its cell for an unknown value."""
    classes, n_classes = file.classes, len(model.classes_)
    for entry in ("counts", "starts", "rows"):
        if getattr(classes, entry) is not UNSET:
            _check_length(getattr(classes, entry), n_classes, f'"{entry}" of "classes"')
    skipped = [[0.0] * n_classes if column.skipped is UNSET else column.skipped for column in file.columns]
    for column, weights in zip(file.columns, skipped, strict=True):
        _check_length(weights, n_classes, f'"skipped" of column {shown(column.name)}')
    digits = file.training.fingerprint
    counts = Counts(
        model.encoder_.n_values,
        np.array(classes.counts),
        _of_cells("counts", file, model, unknown=np.array(skipped)),
        fingerprint=None if digits is UNSET else np.array([int(digits, 16)], dtype=np.uint64),
        rows=None if classes.rows is UNSET else np.array(classes.rows),
    )
    return replace(counts, value_rows=_value_rows(file, counts, model.n_rows_))


def _value_rows(file: Any, counts: Counts, n_rows: int) -> FloatArray | None:
    """Return the number of rows in each cell; None for an older file of weighted rows, which does not have it."""
    of_columns = [column.rows for column in file.columns]
    if all(rows is UNSET for rows in of_columns):
        return None if counts.rows is None or counts.weighted else counts.values.sum(axis=1)
    for column, n in zip(file.columns, counts.n_values.tolist(), strict=True):
        _check_length(() if column.rows is UNSET else column.rows, n, f'"rows" of column {shown(column.name)}')
    known = [[] if rows is UNSET else rows for rows in of_columns]
    return np.array([float(each) for rows in known for each in (*rows, n_rows - sum(rows))])


def _of_cells(entry: str, file: Any, model: BaseNB, unknown: FloatArray) -> FloatArray:
    """Return the tables of all columns one below the other, each followed by its row for an unknown value."""
    n_values, n_classes = model.encoder_.n_values, len(model.classes_)
    for column, n in zip(file.columns, n_values.tolist(), strict=True):
        _check_shape(getattr(column, entry), n, n_classes, entry, column)
    ends = np.cumsum(n_values + 1)
    cells = np.empty((ends[-1], n_classes))
    is_known = np.ones(len(cells), dtype=bool)
    is_known[ends - 1] = False
    cells[~is_known] = unknown
    cells[is_known] = np.array([row for column in file.columns for row in getattr(column, entry)]).reshape(
        -1, n_classes
    )
    return cells


def _check_shape(rows: list[list[float]], n_values: int, n_classes: int, entry: str, column: Any) -> None:
    """Refuse a table of a column that does not have a row for each value and a number for each class."""
    where = f"column {shown(column.name)}"
    if len(rows) != n_values:
        coding = "cuts" if _kind(column) == "number" else "categories"
        has = f"{len(getattr(column, coding))} {coding}, so {n_values} values"
        raise inconsistent(f"{where} has {has}, and {len(rows)} rows of {entry}.")
    for position, row in enumerate(rows):
        if len(row) != n_classes:
            _check_length(row, n_classes, f'row {position} of "{entry}" of {where}')


def _nothing(model: BaseNB) -> FloatArray:
    """Return what an unknown value of each column adds to each class: w · 0, with the sign that zero has there."""
    of_cells = any(field.shape[:1] == ("cells",) and field.present(model) for field in model.declaration.fields)
    weights = np.zeros_like(model.weights_) if of_cells else model.weights_
    nothing: FloatArray = np.multiply.outer(weights, np.zeros(len(model.classes_)))
    return nothing


# --- what the classifier declares ------------------------------------------------------------------


def _of_columns(field: FittedField, file: Any, model: BaseNB, lengths: dict[Any, int]) -> Any:
    """Return a fitted field that has a part in each column; None where the parameters say that there is none."""
    entry, is_present = field.saved_as, field.present(model)
    parts = [getattr(column, entry) for column in file.columns]
    is_present &= not (field.optional and all(part is UNSET for part in parts))
    for column, part in zip(file.columns, parts, strict=True):
        where = f"column {shown(column.name)}"
        if part is UNSET and is_present:
            raise inconsistent(f'{where} has no "{entry}".')
        if part is not UNSET and not is_present:
            raise inconsistent(f"{where} has an entry {entry!r}, which does not go with these options.")
        if is_present and field.shape[0] == "attributes" and len(field.shape) > 1:
            _check_length(part, lengths.setdefault(field.shape[1], len(part)), f'"{entry}" of {where}')
    if not is_present:
        return None
    if field.shape[0] == "cells":
        return _of_cells(entry, file, model, unknown=np.zeros((len(parts), len(model.classes_))))
    return np.array(parts)


def _of_section(field: FittedField, file: Any, model: BaseNB, lengths: dict[Any, int]) -> Any:
    """Return a fitted field that stands in a section of the file; None where the parameters say that there is none."""
    section, entry = field.saved_as.split(".")
    value: Any = getattr(getattr(file, section), entry)
    value, where = None if value is UNSET else value, f'"{entry}" of "{section}"'
    if (value is None) == field.present(model):
        raise inconsistent(f"{where} must {'not be' if value is None else 'be'} null with these options.")
    if field.kind == "curve":
        _check_length(value.accuracy, len(value.edges) - 1, f'"accuracy" of {where}')
        return AccuracyCurve(np.array(value.edges), np.array(value.accuracy), value.whole)
    if value is None or not field.shape:
        return value
    if isinstance(field.shape[0], int):
        return tuple(value)
    _check_length(value, lengths.setdefault(field.shape[0], len(value)), where)
    return value if field.kind == "text" else np.array(value).reshape(len(value), *field.shape[1:])
