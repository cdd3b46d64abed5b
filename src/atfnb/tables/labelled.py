"""A part of a table → the columns, classes and weights of its rows, under the names that the classes get."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, Setting, did_you_mean, listed_names, located
from atfnb._typing import ClassArray, FloatArray
from atfnb.tables.cells import ColumnForm
from atfnb.tables.columns import Table
from atfnb.tables.dates import Dates, expand_dates, without_dates
from atfnb.tables.frames import read_table
from atfnb.tables.naming import Relabelling
from atfnb.tables.parts import FRAME_ROWS, read_frames
from atfnb.tables.target import LabelledRows, Weighting, distinct_numbers, encode_labels, given_weights

WITHOUT_NAME = re.compile(r"column \d+")
"""What a column is called that has no name."""


def refuse_dates(
    forms: Mapping[str, ColumnForm], columns: Iterable[str], files: Mapping[str, str], file: str = "the data"
) -> None:
    """Raise an error if a column holds dates that can be read in two ways; ``files`` names a file with each column."""
    for name in columns:
        if name in forms and (refusal := forms[name].refusal(files.get(name, file), name)) is not None:
            raise refusal


# --- Rows ------------------------------------------------------------------------------------------


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
        table = read_table(
            frame.select(names) if isinstance(frame, pa.Table) else frame[names], self.categorical_features
        )
        table = without_dates(table) if self.dates == "ignore" else expand_dates(table, self.dates)
        return table if self.attributes is None else table.only(self.attributes)


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
    used, position = distinct_numbers(coded.indices.to_numpy(zero_copy_only=False))  # some values may have no row
    names = coded.dictionary.take(pa.array(used)).to_numpy(zero_copy_only=False)
    if names.dtype.kind == "f" and (np.modf(names)[0] != 0).any():
        odd = names[np.modf(names)[0] != 0][0]
        fault = f"the target holds numbers with fractions, such as {odd}: "
        raise AdvisedError(fault, "if they name classes, take the column as text, with ", Setting("as_text"), ".")
    classes, codes = encode_labels(np.tile(names, 3))  # a class that occurs once looks like a number to scikit-learn
    return classes, codes[position]


def weights_of(native: Any, column: str | None) -> FloatArray:
    """Return the weights in a column of a frame, checked, (rows,); 1 for each row if there is no such column."""
    if column is None:
        return np.broadcast_to(1.0, len(native))
    try:
        cells = _arrow(native[column]).cast(pa.float64()).fill_null(np.nan)
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


def check_names(asked: Iterable[str], columns: Sequence[str], file: str, notes: Iterable[str] = ()) -> None:
    """Raise a ValueError if a file lacks one of the columns asked for, with those that have a similar name.

    If there is none, what was found above the rows and on other sheets, the ``notes``, may say why.
    """
    for name in asked:
        if name not in columns:
            hint: Any = [did_you_mean(name, columns)]
            if WITHOUT_NAME.fullmatch(name):
                hint = ["give ", Setting("Dialect.header_rows", 0), " if its columns have no names."]
            elif not hint[0]:
                hint = [f"it has {listed_names(columns)}.", *(" " + note for note in notes)]
            raise AdvisedError(f"{file} has no column {name!r}: ", *hint)


def _arrow(column: Any) -> pa.Array:
    """Return a column of any frame as a pyarrow.Array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    array = column if isinstance(column, pa.Array) else pa.Array.from_pandas(column)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
