"""QSF and SLS over arrays of slopes and intercepts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._pieces import KeptPieces, row_blocks
from atfnb._typing import ClassArray, FloatArray
from atfnb.switching.found import BetaSearch
from atfnb.switching.grid import search_grid
from atfnb.switching.intervals import reach
from atfnb.switching.sweeping import sweep
from atfnb.tables import read_weights


@dataclass(frozen=True)
class GivenLines:
    """A block of rows whose lines are known."""

    lines: FloatArray
    """(rows, 2, classes)"""
    y: ClassArray
    weight: FloatArray


def _lines(rows: GivenLines) -> FloatArray:
    return rows.lines


def qsf(slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None = None) -> BetaSearch:
    """Find the exact intervals of β in [0, 1] with the highest training accuracy (Algorithm 1).

    Parameters
    ----------
    slope, intercept : (rows, classes) arrays
        K_c and M_c of Eq. 16.
    y : (rows,) array
        The number of each row's class.
    sample_weight : (rows,) array, optional
        How much each row counts.

    Examples
    --------
    One row is right from β = 0.25 on, the other up to β = 0.75:

    >>> slope = np.array([[0.0, 4.0], [0.0, 4.0]])
    >>> intercept = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> low, high = qsf(slope, intercept, np.array([1, 0])).interval
    >>> print(f"{low:.6f} to {high:.6f}")
    0.250000 to 0.750000
    """
    rows, total = _from_arrays(slope, intercept, y, sample_weight)
    return sweep(reach(rows, _lines), total).found


def sls(
    slope: FloatArray,
    intercept: FloatArray,
    y: ClassArray,
    sample_weight: FloatArray | None = None,
    step: float = 0.01,
) -> BetaSearch:
    """Try β = 0, step, 2·step, …, 1 and keep the best (Section 4.3).

    Examples
    --------
    >>> slope = np.array([[0.0, 4.0], [0.0, 4.0]])
    >>> intercept = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> sls(slope, intercept, np.array([1, 0])).interval
    (0.26, 0.75)
    """
    rows, total = _from_arrays(slope, intercept, y, sample_weight)
    return search_grid(rows, _lines, total, step)


def _from_arrays(
    slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None
) -> tuple[KeptPieces[GivenLines], float]:
    slope, intercept = np.asarray(slope, dtype=np.float64), np.asarray(intercept, dtype=np.float64)
    y = np.asarray(y)
    if slope.ndim != 2 or slope.shape != intercept.shape or y.shape != slope.shape[:1]:
        raise ValueError(
            "slope and intercept must be (rows, classes) and y (rows,), "
            f"not {slope.shape}, {intercept.shape} and {y.shape}."
        )
    if y.dtype.kind not in "iu" or len(y) == 0 or y.min() < 0 or y.max() >= slope.shape[1]:
        raise ValueError(f"y must hold the number of each row's class, a whole number from 0 to {slope.shape[1] - 1}.")
    if not (np.isfinite(slope).all() and np.isfinite(intercept).all()):
        row = np.flatnonzero(~np.isfinite(slope + intercept).all(axis=1))[0]
        raise ValueError(f"slope or intercept is NaN or infinite in row {row}.")
    weight = read_weights(sample_weight, len(y))
    codes = y.astype(np.int32)
    blocks = [
        GivenLines(np.stack([slope[rows], intercept[rows]], axis=1), codes[rows], weight[rows])
        for rows in row_blocks(len(y))
    ]
    return KeptPieces(blocks, len(y)), float(weight.sum())
