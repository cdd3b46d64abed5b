"""The class of each row and its weight, checked."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from atfnb._typing import BoolArray, ClassArray, FloatArray
from atfnb.tables.frames import Table
from atfnb.tables.missing import is_missing
from atfnb.tables.weights import given_weights, weigh_classes

FEW = 1 << 16
"""Whole numbers within such a range are looked up in a table, not sorted."""


@dataclass(frozen=True)
class Target:
    """What to learn: the classes, and of each row that counts its class and its weight."""

    classes: NDArray[Any]
    y: ClassArray
    weight: FloatArray
    counting: BoolArray | None
    """Which rows of the table count, where some do not."""


@dataclass(frozen=True)
class LabelledRows:
    """Rows of a table, the class of each and its weight: all rows of a table in memory, or some of a table in parts."""

    table: Table
    classes: NDArray[Any]
    """The classes that occur in these rows, sorted."""
    y: ClassArray
    """(rows,) the position of each row's class among them."""
    weight: FloatArray
    part: str = "the table"
    """Where the rows are from, for messages."""
    unlabelled: int = 0
    """The number of rows without a class, which were left out."""


def read_target(y: Any, sample_weight: Any, n_rows: int, class_weight: Any = None) -> Target:
    """Read the classes and the weights of ``n_rows`` rows; a zero weight is absence.

    ``class_weight`` multiplies the weights of each class: None, "balanced" or a dict of class to weight.

    >>> read_target(["no", "yes", "maybe"], [1, 2, 0], 3).classes
    array(['no', 'yes'], dtype='<U5')
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: give the class of each row.")
    classes, codes = encode_labels(y)
    if len(codes) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(codes)}: inconsistent numbers of samples.")
    weight, counting = given_weights(sample_weight, n_rows), None
    if sample_weight is not None or class_weight is not None:
        weight = weigh_classes(weight, classes, codes, class_weight)
    if not weight.all():
        counting = weight > 0
        present, again = np.unique(codes[counting], return_inverse=True)
        classes, codes, weight = classes[present], again.astype(np.int32), weight[counting]
    if len(classes) < 2:
        raise ValueError(f"y holds one class only, {classes[0].item()!r}: there is nothing to tell apart.")
    return Target(classes, codes, weight, counting)


def encode_labels(y: Any) -> tuple[NDArray[Any], ClassArray]:
    """The sorted classes, and the code of each row's class.

    >>> encode_labels(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind in "iu" and len(labels) and int(labels.max()) - int(labels.min()) < FEW:
        present = np.bincount(labels - labels.min()) > 0
        place = np.cumsum(present, dtype=np.int32) - np.int32(1)
        return (np.flatnonzero(present) + labels.min()).astype(labels.dtype), place[labels - labels.min()]
    if labels.dtype == object and (words := _encode_words(labels)) is not None:
        return words
    missing = np.flatnonzero(is_missing(labels))
    if len(missing):
        raise ValueError(f"y is missing (NaN or None) in row {missing[0]}: leave out the rows without a class.")
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        raise ValueError(
            f"Input y contains infinity, in row {np.flatnonzero(~np.isfinite(labels))[0]}: name the class."
        )
    if labels.dtype == object:
        labels = _plain(labels)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers, but a class is a name or a number.")
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def _encode_words(labels: NDArray[Any]) -> tuple[NDArray[Any], ClassArray] | None:
    """The classes and codes of labels that are all text, most of them more than once; each is sorted in only once."""
    cells = labels.tolist()
    if set(map(type, cells)) != {str}:
        return None
    place = {word: n for n, word in enumerate(dict.fromkeys(cells))}
    if 2 * len(place) > len(cells):  # scikit-learn may have something to say on so many classes
        return None
    classes, code = np.unique(np.array(list(place), dtype=str), return_inverse=True)
    codes = np.fromiter(map(place.__getitem__, cells), dtype=np.int32, count=len(cells))
    return classes, code.astype(np.int32)[codes]


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Objects that are all text, all numbers or all truth values, as an array of such."""
    kinds: list[tuple[Any, Any]] = [(str, str), ((bool, np.bool_), bool), (Real, None)]
    for kind, dtype in kinds:
        if all(isinstance(label, kind) for label in labels):
            return np.array(labels.tolist(), dtype=dtype)
    odd = next(
        i for i, label in enumerate(labels) if not isinstance(label, (str, Real)) or type(label) is not type(labels[0])
    )
    raise ValueError(
        f"Unknown label type: y holds {labels[0]!r} and, in row {odd}, {labels[odd]!r}; "
        "make the classes all text or all numbers."
    )
