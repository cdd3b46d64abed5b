"""A frame of a table in parts → its columns, the class of each row and its weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, located
from atfnb._typing import ClassArray, FloatArray
from atfnb.tables.columns import Table
from atfnb.tables.frames import read_table
from atfnb.tables.parts import Frame
from atfnb.tables.target import ClassTotals, LabelledRows, Weighting, check_weights, encode_labels, totals_of


@dataclass(frozen=True)
class Reading:
    """Which columns of a table in parts are attributes, which is the target, and how rows are weighted."""

    features: tuple[str, ...]
    target: str
    weight: str | None = None
    categorical_features: Any = "from_dtype"
    weighting: Weighting | None = None
    """How the rows are weighted, if they or their classes have weights."""
    leave_out_unlabelled: bool = False
    """Whether rows without a class are left out; otherwise they are refused."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that must be read."""
        return (*self.features, self.target, *([self.weight] if self.weight else []))


def labelled_rows(reading: Reading, frame: Frame) -> Iterator[LabelledRows]:
    """Yield the rows of a frame whose weight is not zero; nothing, if there are none."""
    if len(frame.native) == 0:
        return
    native, unlabelled = frame.native, 0
    if reading.leave_out_unlabelled:
        native, unlabelled = with_class(native, reading.target)
    if len(native) == 0:
        yield LabelledRows(Table(()), np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(0), frame.part, unlabelled)
        return
    features = native.select(list(reading.features)) if isinstance(native, pa.Table) else native[list(reading.features)]
    try:
        table = read_table(features, reading.categorical_features)
        classes, y = labels_of(native[reading.target])
        weight = weights_of(native, reading.weight)
        if reading.weighting is not None:
            weight = reading.weighting(weight, classes, y)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise located(error, frame.part) from None
    if not weight.all():
        counting = weight > 0
        present, again = np.unique(y[counting], return_inverse=True)
        table, classes, y, weight = table.take(counting), classes[present], again.astype(np.int32), weight[counting]
    if len(y) or unlabelled:
        yield LabelledRows(table, classes, y, weight, frame.part, unlabelled)


def add_totals(reading: Reading, into: ClassTotals, frame: Frame) -> ClassTotals:
    """Add the weights of a frame's rows to the totals of their classes."""
    native = with_class(frame.native, reading.target)[0] if reading.leave_out_unlabelled else frame.native
    if len(native) == 0:
        return into
    try:
        classes, y = labels_of(native[reading.target])
        return into + totals_of(weights_of(native, reading.weight), classes, y)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise located(error, frame.part) from None


def with_class(native: Any, target: str) -> tuple[Any, int]:
    """Return the rows of a frame that have a class, and the number of those that have none."""
    known = _arrow(native[target]).is_valid()
    if known.true_count == len(known):
        return native, 0
    some = native.filter(known) if isinstance(native, pa.Table) else native[known.to_numpy(zero_copy_only=False)]
    return some, len(known) - known.true_count


def labels_of(column: Any) -> tuple[NDArray[Any], ClassArray]:
    """Return the sorted classes of a column, and the position of each row's class among them.

    >>> labels_of(pa.array(["no", "yes", "no"]))
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    coded = _arrow(column)
    coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()
    if coded.indices.null_count:
        row = int(np.flatnonzero(coded.indices.is_null().to_numpy(zero_copy_only=False))[0])
        raise ValueError(f"the target is missing in row {row} of this frame: leave out the rows without a class.")
    place = coded.indices.to_numpy(zero_copy_only=False)
    used = np.bincount(place, minlength=len(coded.dictionary)) > 0  # a dictionary may have more than occurs here
    names = coded.dictionary.to_numpy(zero_copy_only=False)[used]
    if names.dtype.kind == "f" and (np.modf(names)[0] != 0).any():
        odd = names[np.modf(names)[0] != 0][0]
        raise AdvisedError(
            f"the target holds numbers with fractions, as {odd}",
            "if they name classes, take the column as text, with as_text",
            "if they name classes, take the column as text, with --categorical",
        )
    classes, codes = encode_labels(np.tile(names, 3))  # a class that occurs once looks like a number to scikit-learn
    return classes, codes[np.cumsum(used) - 1][place]


def weights_of(native: Any, column: str | None) -> FloatArray:
    """Return the weights in a column of a frame, checked; one for each row, without a column."""
    if column is None:
        return np.broadcast_to(1.0, len(native))
    try:
        weight = _arrow(native[column]).cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
        check_weights(weight)
    except (ValueError, pa.ArrowException) as error:
        raise ValueError(f"column {column!r}: {error}") from None
    return np.asarray(weight, dtype=np.float64)


def _arrow(column: Any) -> pa.Array:
    """Return a column of any frame as a pyarrow.Array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    array = column if isinstance(column, pa.Array) else pa.Array.from_pandas(column)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
