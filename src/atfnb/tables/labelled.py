"""A frame of a table in parts → the columns, classes and weights of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, located
from atfnb._typing import ClassArray, FloatArray
from atfnb.tables.columns import Table
from atfnb.tables.dates import Dates, expand_dates, without_dates
from atfnb.tables.frames import read_table
from atfnb.tables.parts import Frame
from atfnb.tables.rare_classes import RareClasses
from atfnb.tables.spelling import renamed
from atfnb.tables.target import ClassTotals, LabelledRows, Weighting, check_weights, encode_labels, totals_of


@dataclass(frozen=True)
class ColumnRoles:
    """Which columns of a table in parts are attributes, which are the target and the weights, and how rows count."""

    features: tuple[str, ...]
    """The columns that attributes are made from."""
    target: str
    """The column with the classes."""
    weight: str | None = None
    """The column with the weights of the rows, if there is one."""
    categorical_features: Any = "from_dtype"
    """Which of the attributes are categorical, as in :func:`atfnb.tables.read_table`."""
    weighting: Weighting | None = None
    """How the rows are weighted, if they or their classes have weights."""
    dates: Dates = "expand"
    """What is learned from columns of dates."""
    attributes: frozenset[str] | None = None
    """The names of the attributes that are made from the columns; None for all of them."""
    leave_out_unlabelled: bool = False
    """Whether rows without a class are left out; otherwise they are refused."""
    spelling: Mapping[str, str] = field(default_factory=dict)
    """The classes that are spelled in another way than the one they are merged with, and that one."""
    rare: RareClasses | None = None
    """The classes that count as one, or whose rows are left out, if there are any."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that must be read."""
        return (*self.features, self.target, *([self.weight] if self.weight else []))


def labelled_rows(roles: ColumnRoles, frame: Frame) -> Iterator[LabelledRows]:
    """Yield the rows of a frame whose weight is above 0, all at once; yield nothing if there are none."""
    if len(frame.native) == 0:
        return
    native, unlabelled = frame.native, 0
    if roles.leave_out_unlabelled:
        native, unlabelled = drop_unlabelled(native, roles.target)
    if len(native) == 0:
        yield LabelledRows(Table(()), np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(0), frame.part, unlabelled)
        return
    features = native.select(list(roles.features)) if isinstance(native, pa.Table) else native[list(roles.features)]
    try:
        table = read_table(features, roles.categorical_features)
        table = without_dates(table) if roles.dates == "ignore" else expand_dates(table, roles.dates)
        if roles.attributes is not None:
            table = table.only(roles.attributes)
        classes, y = renamed(*labels_of(native[roles.target]), roles.spelling)
        weight = weights_of(native, roles.weight)
        if roles.rare is not None:
            classes, y, kept = roles.rare.relabelled(classes, y)
            weight = np.where(kept, weight, 0.0)
        if roles.weighting is not None:
            weight = roles.weighting(weight, classes, y)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise located(error, frame.part) from None
    if not weight.all():
        counting = weight > 0
        present, again = np.unique(y[counting], return_inverse=True)
        table, classes, y, weight = table.take(counting), classes[present], again.astype(np.int32), weight[counting]
    if len(y) or unlabelled:
        yield LabelledRows(table, classes, y, weight, frame.part, unlabelled)


def add_totals(roles: ColumnRoles, into: ClassTotals, frame: Frame) -> ClassTotals:
    """Return the totals of the classes with the weights of a frame's rows added."""
    native = drop_unlabelled(frame.native, roles.target)[0] if roles.leave_out_unlabelled else frame.native
    if len(native) == 0:
        return into
    try:
        classes, y = labels_of(native[roles.target])
        return into + totals_of(weights_of(native, roles.weight), classes, y)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise located(error, frame.part) from None


def drop_unlabelled(native: Any, target: str) -> tuple[Any, int]:
    """Return the rows of a frame that have a class, and the number of rows without a class."""
    known = _arrow(native[target]).is_valid()
    if known.true_count == len(known):
        return native, 0
    some = native.filter(known) if isinstance(native, pa.Table) else native[known.to_numpy(zero_copy_only=False)]
    return some, len(known) - known.true_count


def labels_of(column: Any) -> tuple[NDArray[Any], ClassArray]:
    """Return the sorted classes of a column, (classes,), and the position of each row's class among them, (rows,).

    >>> labels_of(pa.array(["no", "yes", "no"]))
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    coded = _arrow(column)
    coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()
    if coded.indices.null_count:
        row = int(np.flatnonzero(coded.indices.is_null().to_numpy(zero_copy_only=False))[0])
        raise ValueError(f"the target is missing in row {row} of this frame: leave out the rows without a class.")
    position = coded.indices.to_numpy(zero_copy_only=False)
    used = np.bincount(position, minlength=len(coded.dictionary)) > 0  # a dictionary may have values that no row has
    names = coded.dictionary.to_numpy(zero_copy_only=False)[used]
    if names.dtype.kind == "f" and (np.modf(names)[0] != 0).any():
        odd = names[np.modf(names)[0] != 0][0]
        raise AdvisedError(
            f"the target holds numbers with fractions, such as {odd}",
            "if they name classes, take the column as text, with as_text",
            "if they name classes, take the column as text, with --categorical",
        )
    classes, codes = encode_labels(np.tile(names, 3))  # a class that occurs once looks like a number to scikit-learn
    return classes, codes[np.cumsum(used) - 1][position]


def weights_of(native: Any, column: str | None) -> FloatArray:
    """Return the weights in a column of a frame, checked, (rows,); 1 for each row if there is no such column."""
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
