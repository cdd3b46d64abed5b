"""The group and the time of each row, by which rows are trained on or held out."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, Setting
from atfnb._typing import IntArray
from atfnb.tables.columns import Column
from atfnb.tables.frames import read_table


def given_groups(groups: Any, n_rows: int) -> NDArray[np.uint64]:
    """Return a number for the group of each row, the same for the same name in whatever piece of a table: (rows,).

    >>> keys = given_groups(["ann", "bob", "ann"], 3)
    >>> keys[0] == keys[2], keys[0] == keys[1]
    (np.True_, np.False_)
    """
    column = _column(groups, n_rows, "groups")
    names, position = np.unique(_plain(column), return_inverse=True)
    numbers = [int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") for name in names.tolist()]
    return np.array(numbers, dtype=np.uint64)[position]


def given_times(time: Any, n_rows: int) -> IntArray:
    """Return the rank of each row's time, 0 for the earliest: (rows,).

    >>> given_times([2.5, -1.0, 2.5], 3)
    array([1, 0, 1])
    """
    column = _column(time, n_rows, "time")
    if column.values.dtype.kind not in "iufMm":
        odd = column.values[0]
        raise AdvisedError(Setting("time"), f" must be dates or numbers, which have an order, not like {odd!r}.")
    return np.unique(column.values, return_inverse=True)[1]


def _column(values: Any, n_rows: int, role: str) -> Column:
    """Return what the user gives for each row as a column; refuse another number of rows, and a missing value."""
    (column,) = read_table([[value] for value in values]).columns if len(values) else read_table([[0.0]]).columns
    if len(values) != n_rows:
        raise AdvisedError(Setting(role), f" has {len(values)} values for {n_rows} rows: give one for each row.")
    if column.missing.any():
        where = f" is missing in row {np.argmax(column.missing)}: fill it in, or leave out such rows."
        raise AdvisedError(Setting(role), where)
    return column


def _plain(column: Column) -> NDArray[np.str_]:
    """Return the values of a column as text, whole numbers without a decimal point: (rows,)."""
    values = column.values
    if values.dtype.kind == "f" and (values == np.round(values)).all() and np.abs(values).max() < 2**53:
        values = values.astype(np.int64)
    return np.array([str(value) for value in values.tolist()])
