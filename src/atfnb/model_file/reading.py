"""Plain dict → model: every shape and every number is checked, and nothing is executed.

A file names its classifier, which is looked up in a fixed table; all else in it is data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import ATFNB, CFW, BaseNB, FusionNB
from atfnb.counts import Counts, Fingerprint
from atfnb.encoding import TableEncoder
from atfnb.model import AdditiveModel
from atfnb.model_file import beta, fusion
from atfnb.model_file.checks import check
from atfnb.model_file.columns import Column, read_column
from atfnb.model_file.document import CLASSIFIERS, FORMAT, VERSION
from atfnb.model_file.nodes import (
    RefusedError,
    entries,
    fields,
    inconsistent,
    listed,
    number,
    numbers,
    shown,
    text,
    whole,
)
from atfnb.model_file.values import class_array, option

TOP = ("format", "version", "classifier", "size", "training", "classes", "named_columns", "columns")
TRAINING = ("rows", "weight", "date", "library", "target", "source", "missing_marks", "options")
EARLIER: dict[str, Any] = {"class_weight": None, "locally_predictive": False}
"""Parameters that files of version 0.1.0 do not have, with what the classifiers did then."""
OPTIONAL = ("forms", "class_spelling", "fingerprint")
"""Entries of the training that a file may lack."""


def from_document(document: Any, name: str = "the document") -> BaseNB:
    """The model that a document of :func:`to_document` tells of.

    Parameters
    ----------
    document : dict
        Plain numbers, texts, lists and dicts.
    name : str
        What the document is called in the sentence that refuses it.

    Examples
    --------
    >>> from_document({"version": 3})
    Traceback (most recent call last):
    ...
    ValueError: the document is not an atfnb model: it has no "format".
    """
    try:
        with np.errstate(over="ignore"):
            model = _model(_version_1(document))
        try:
            check(model)
        except ValueError as error:
            raise inconsistent(str(error)) from None
    except RefusedError as problem:
        raise ValueError(f"{name} {problem}") from None
    return model


def _version_1(document: Any) -> Any:
    """A document of this program, and of the version that it reads."""
    if not isinstance(document, dict):
        raise RefusedError(f"is not an atfnb model: it holds {shown(document)}, not an object.")
    if "format" not in document:
        raise RefusedError('is not an atfnb model: it has no "format".')
    if document["format"] != FORMAT:
        raise RefusedError(f'is not an atfnb model: its "format" is {shown(document["format"])}, not {FORMAT!r}.')
    version = whole(document.get("version"), "the version", 1)
    if version > VERSION:
        raise RefusedError(f"is of version {version}, and this atfnb reads version {VERSION}: install a newer atfnb.")
    return document


def _model(document: Any) -> BaseNB:
    kind = document.get("classifier")
    if not isinstance(kind, str) or kind not in CLASSIFIERS:
        raise inconsistent(f"the classifier is {shown(kind)}, and must be one of {', '.join(CLASSIFIERS)}.")
    of_kind = ("beta",) if issubclass(CLASSIFIERS[kind], ATFNB) else ("fusion",) if kind == "FusionNB" else ()
    told = fields(document, "the file", (*TOP, *of_kind))
    model: BaseNB = _with_options(CLASSIFIERS[kind], told["training"])
    of_classes, starts = _restore_classes(model, told["classes"])
    if isinstance(model, ATFNB):
        beta.restore(model, told["beta"])
    if isinstance(model, FusionNB):
        fusion.restore(model, told["fusion"])
    nodes = listed(told["columns"], "columns")
    columns = [read_column(node, j, model) for j, node in enumerate(nodes)]
    _check_size(told["size"], columns, len(model.classes_))
    recognised = _fingerprint(told["training"]), _class_rows(told["classes"], model)
    _restore_columns(model, columns, of_classes, starts, *recognised)
    _restore_names(model, told["named_columns"])
    if abs(told["training"]["weight"] - of_classes.sum()) > 1e-12 * of_classes.sum():
        raise inconsistent("the weight of the training rows is not the sum of the counts of the classes.")
    return model


# --- how it was trained ----------------------------------------------------------------------------


def _with_options(kind: type[BaseNB], node: Any) -> Any:
    """A classifier with the options of the file, and the record of its training."""
    training = fields(node, "training", TRAINING, OPTIONAL)
    parameters = {name: p for name, p in signature(kind.__init__).parameters.items() if name != "self"}
    earlier = {name: value for name, value in EARLIER.items() if name in parameters}
    required = tuple(name for name in parameters if name not in earlier)
    options = fields(training["options"], f"the options of {kind.__name__}", required, tuple(earlier))
    restored = earlier | {name: option(value, f"the option {name}") for name, value in options.items()}
    for name, parameter in parameters.items():
        if isinstance(parameter.default, tuple) and restored[name] == list(parameter.default):
            restored[name] = parameter.default  # JSON knows no tuples
    model: Any = kind(**restored)
    model.n_rows_ = whole(training["rows"], "the number of rows")
    number(training["weight"], "the weight of the rows", 0)
    _check_date(text(training["date"], "the date"))
    text(training["library"], "the version of the library")
    for name in ("target", "source"):
        if training[name] is not None:
            text(training[name], f"the {name}")
    if training["missing_marks"] is not None:
        for mark in listed(training["missing_marks"], "the marks of missing cells"):
            text(mark, "a mark of missing cells")
    if "forms" in training:
        for column, sign in entries(training["forms"], "the forms of numbers").items():
            text(sign, f"the sign of column {shown(column)}")
    model.training_ = dict(training)
    return model


def _fingerprint(training: dict[str, Any]) -> Fingerprint | None:
    """Return the fingerprint of the training rows, if the file has one."""
    if "fingerprint" not in training:
        return None
    digits = text(training["fingerprint"], "the fingerprint of the rows")
    if not re.fullmatch("[0-9a-f]{16}", digits):
        raise inconsistent(f"the fingerprint of the rows is {shown(digits)}, and must be 16 hexadecimal digits.")
    return np.array([int(digits, 16)], dtype=np.uint64)


def _class_rows(node: dict[str, Any], model: Any) -> IntArray | None:
    """Return the number of rows of each class, if the file has it."""
    if "rows" not in node:
        return None
    rows = [whole(each, "the number of rows of a class", 1) for each in listed(node["rows"], "the rows of the classes")]
    if len(rows) != len(model.classes_):
        raise inconsistent(
            f"the rows of its classes are {len(rows)} numbers, and it has {len(model.classes_)} classes."
        )
    return np.array(rows)


def _check_date(date: str) -> None:
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", date, re.ASCII):
            datetime.fromisoformat(date)
            return
    except ValueError:
        pass
    raise inconsistent(f"the date is {shown(date)}, and must be like 2026-01-31T12:00:00Z.")


# --- classes and columns ---------------------------------------------------------------------------


def _restore_classes(model: Any, node: Any) -> tuple[FloatArray, FloatArray]:
    """Give a model its classes; return how often each was counted, and what each starts from."""
    told = fields(node, "classes", ("type", "names", "counts", "starts"), ("rows",))
    names = listed(told["names"], "the names of the classes")
    if len(names) < 2:
        raise inconsistent(f"a model needs two classes or more, not {len(names)}.")
    model.classes_ = class_array(names, text(told["type"], "the type of the classes"))
    spelled = model.training_.get("class_spelling", names)
    if len(listed(spelled, "the spelling of the classes")) != len(names):
        raise inconsistent(f"it spells {len(spelled)} classes, and has {len(names)}.")
    for word in model.training_.get("class_spelling", ()):
        text(word, "the spelling of a class")
    starts = numbers(told["starts"], "the starts of the classes", len(names))
    return numbers(told["counts"], "the counts of the classes", len(names)), starts


def _check_size(node: Any, columns: Sequence[Column], n_classes: int) -> None:
    """The file has as much of everything as it says."""
    values = sum(column.attribute.n_values for column in columns)
    found = {"columns": len(columns), "classes": n_classes, "values": values}
    for name, said in fields(node, "size", tuple(found)).items():
        if whole(said, f"the number of {name}", 1) != found[name]:
            raise inconsistent(f"it says that it has {said} {name}, and has {found[name]}.")


def _restore_columns(
    model: Any,
    columns: Sequence[Column],
    of_classes: FloatArray,
    starts: FloatArray,
    fingerprint: Fingerprint | None,
    class_rows: IntArray | None,
) -> None:
    """The cells of all columns, one below the other; an unknown value adds nothing."""
    model.encoder_ = TableEncoder(tuple(column.attribute for column in columns))
    values = np.concatenate([column.counts for column in columns])
    model.counts_ = Counts(model.encoder_.n_values, of_classes, values, fingerprint=fingerprint, rows=class_rows)
    model.weights_ = np.array([column.weight for column in columns])
    effects = [column.effects for column in columns if column.effects is not None]
    nothing = np.zeros(len(columns))
    scores = _cells([column.adds for column in columns], nothing if effects else model.weights_)
    model.model_ = AdditiveModel(model.counts_.offsets, scores, starts)
    if isinstance(model, (ATFNB, CFW)):
        model.relevance_, model.redundancy_ = np.array([column.two for column in columns]).T.copy()
    if isinstance(model, FusionNB):
        model.index_matrix_ = np.array([column.indexes for column in columns])
        model.value_effects_ = _cells(effects, nothing) if effects else None


def _cells(tables: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """The tables of all columns, each with a last row of nothing: of w · 0, with the sign that zero has there."""
    nothing: NDArray[Any] = np.multiply.outer(weights, np.zeros((1, tables[0].shape[1])))
    return np.concatenate([part for rows, none in zip(tables, nothing, strict=True) for part in (rows, none)])


def _restore_names(model: Any, named: Any) -> None:
    """The names of the columns, as scikit-learn keeps them, if the table had any."""
    if not isinstance(named, bool):
        raise inconsistent(f'"named_columns" must be true or false, not {shown(named)}.')
    names = [attribute.name for attribute in model.encoder_.attributes]
    model.n_features_in_ = len(names)
    if named:
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise inconsistent(f"two columns are named {shown(twice)}.")
        model.feature_names_in_ = np.array(names, dtype=object)
