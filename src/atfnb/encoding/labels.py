"""The class of each row and its weight, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from atfnb._typing import ClassArray, FloatArray
from atfnb.encoding.missing import is_missing


def encode_labels(y: Any) -> tuple[Any, ClassArray]:
    """The sorted classes, and the code of each row's class.

    >>> encode_labels(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    labels = column_or_1d(y, warn=True)
    missing = np.flatnonzero(is_missing(labels))
    if len(missing):
        raise ValueError(f"y is missing (NaN or None) in row {missing[0]}: leave out the rows without a class.")
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError(
            f"Input y contains infinity, in row {np.flatnonzero(np.isinf(labels))[0]}: a class has a name."
        )
    if labels.dtype == object:
        labels = np.array(labels.tolist())  # plain strings, numbers or booleans
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """The weight of each row, on a grid so fine that no sum of them ever rounds.

    The grid's step is the power of two that is 2⁻⁵² of the total, or less fine by a factor of two at most.
    Whole numbers stay as they are. Sums of such weights are exact, so the order of rows, blocks and shards
    does not matter, not even in the last bit.

    >>> read_weights([1, 2, 0.5], 3)
    array([1. , 2. , 0.5])
    """
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar: one number for each row.")
    if len(weight) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected ({n_rows},): it needs one number for each row."
        )
    if not np.isfinite(weight).all():
        raise ValueError(f"sample_weight is NaN or infinite in row {np.flatnonzero(~np.isfinite(weight))[0]}.")
    if (weight < 0).any():
        raise ValueError(f"sample_weight is negative in row {np.flatnonzero(weight < 0)[0]}: use 0 to leave a row out.")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: at least one row must count.")
    step = 2.0 ** (np.ceil(np.log2(weight.sum())) - 52)
    return np.asarray(np.round(weight / step) * step)
