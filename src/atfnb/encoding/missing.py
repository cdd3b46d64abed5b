"""What counts as a missing cell: NaN, None, NaT and pandas' NA."""

from __future__ import annotations

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
        return np.zeros(values.shape, dtype=bool)
    return np.fromiter(map(_is_missing_cell, values), dtype=bool, count=len(values))


def _is_missing_cell(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating)) and cell != cell
