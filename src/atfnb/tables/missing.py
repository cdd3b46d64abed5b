"""What counts as a missing cell: NaN, None, NaT and pandas' NA."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import BoolArray


def is_missing(values: NDArray[Any]) -> BoolArray:
    """Mark the missing cells of a column.

    >>> is_missing(np.array(["a", None, float("nan")], dtype=object))
    array([False,  True,  True])
    """
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype != object:
        return none_missing(values)
    return np.fromiter(map(_is_missing_cell, values), dtype=bool, count=len(values))


def none_missing(values: NDArray[Any]) -> BoolArray:
    """No cell is missing; takes no memory."""
    return np.broadcast_to(np.False_, values.shape)


def _is_missing_cell(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, (float, np.floating)) and bool(cell != cell)
