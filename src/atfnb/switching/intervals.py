"""Each row's interval of β: where its own class is ahead of all others (Eq. 16 and 18).

The joint log-likelihoods of a row are lines in β, T_c = β·K_c + M_c (Eq. 16), with a slope K_c and an intercept M_c for
each class. Two lines cross at one β, so the row is classified correctly (Eq. 18) on one interval of β, its *reach*,
which may be empty.

The ends of these intervals are whole multiples of 2⁻⁴⁰. Crossings that are equal on paper are then equal here, and the
sweep over the ends can count in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from atfnb._pieces import CodedRows, KeptPieces, Pieces, row_blocks
from atfnb._typing import ClassArray, FloatArray
from atfnb.counts import Counts
from atfnb.model import TIE, AdditiveModel
from atfnb.tables import read_weights

Block = TypeVar("Block", bound=Any)
"""A block of rows, with attributes ``y`` (their classes) and ``weight``."""
Lines = Callable[[Block], FloatArray]
"""A function that returns the slopes K and the intercepts M of a block of rows (Eq. 16): (rows, 2, classes)."""

LATTICE_BITS = 40
LATTICE = 2.0**LATTICE_BITS
"""The ends of intervals are multiples of 1 / LATTICE; the crossings that they belong to, of 4 / LATTICE."""
NARROW = 1e-8
"""An interval of β narrower than this is no answer.

Where the lines of two rows cross at the same β, both rows can be classified correctly at that one β, and on neither
side of it. That is not Eq. 18, which wants a row's own class strictly ahead, and rounding decides whether such an
interval exists at all.
"""


@dataclass(frozen=True)
class BetaSearch:
    """The best β that a search found, and the intervals of β that are as good.

    Attributes
    ----------
    beta : float
        The middle of ``interval``.
    interval : tuple of two floats
        The ends of the widest of the ``intervals``.
    intervals : array of shape (intervals, 2)
        The ends of all intervals with the highest training accuracy. After QSF every β inside them has that accuracy;
        after SLS the points of the grid inside them have it.
    accuracy : float
        The training accuracy there, each row counted with its weight.
    """

    beta: float
    interval: tuple[float, float]
    intervals: FloatArray
    accuracy: float


@dataclass(frozen=True)
class Reach:
    """The intervals of β on which the rows of a block are classified correctly, and the weights of the rows."""

    ends: FloatArray
    """(rows, 2) the lowest and the highest β of each row; 1 and 0 where the row is correct at no β.

    An end lies 1 / LATTICE beside the crossing that it belongs to: beyond it if the row is also correct at the crossing
    itself, because ties go to the first class.
    """
    weight: FloatArray
    """(rows,)"""


@dataclass(frozen=True)
class JointLines:
    """Gives the lines T_c = β·K_c + M_c of each row of a block (Eq. 16): (rows, 2, classes)."""

    model: AdditiveModel

    def __call__(self, rows: CodedRows) -> FloatArray:
        """Return the slope K and the intercept M of each row and class: (rows, 2, classes)."""
        sums = self.model.joint_of_block(rows.codes)
        return sums.reshape(len(sums), 2, -1)


def joint_lines(
    relevance: FloatArray, redundancy: FloatArray, evidence: FloatArray, prior: FloatArray, counts: Counts
) -> JointLines:
    """Return the lines of Eq. 16: K weighs log P(a|c) by CA + AA; M weighs it by −AA and adds log P(c)."""
    slopes = counts.per_cell(relevance + redundancy)[:, None] * evidence
    intercepts = counts.per_cell(-redundancy)[:, None] * evidence
    scores, start = np.hstack([slopes, intercepts]), np.append(np.zeros_like(prior), prior)  # (cells, 2 × classes)
    return JointLines(AdditiveModel.on_grid(counts.offsets, scores, start))


def reach(rows: Pieces[Block], lines: Lines[Block]) -> Pieces[Reach]:
    """Return the interval of β on which each row is classified correctly (Eq. 18), in the same pieces as the rows."""
    return rows.map(partial(_reach_of_block, lines))


def _reach_of_block(lines: Lines[Block], rows: Block) -> Reach:
    from atfnb._kernels import switching as kernels

    return Reach(kernels.reach(lines(rows), rows.y, TIE, LATTICE), rows.weight)


def crossings(ends: FloatArray) -> FloatArray:
    """Return the crossings that the ends of intervals belong to, as multiples of 4 / LATTICE."""
    return np.asarray(np.round(ends * (LATTICE / 4)) / (LATTICE / 4))


def inside_crossings(intervals: FloatArray) -> FloatArray:
    """Return intervals with ends inside of the crossings, by more than the crossings were rounded: (intervals, 2)."""
    at = crossings(intervals)
    margin = np.where((at == 0) | (at == 1), 0.0, 2 / LATTICE)
    return np.asarray(at + margin * (1.0, -1.0))


def narrowest(n_rows: int) -> float:
    """Return the smallest width of an interval of β that is an answer: NARROW, or less for over ten million rows.

    The ends of the rows' intervals cut [0, 1] into 2·n_rows + 1 steps at most. The widest of them is wider than
    0.1 / n_rows, so at least one step is wide enough, whatever the rows.
    """
    return min(NARROW, 0.1 / max(n_rows, 1))


# --- Lines given as arrays, for the public functions qsf and sls ------------------------------------


@dataclass(frozen=True)
class RowsOfLines:
    """A block of rows whose slopes and intercepts are given."""

    lines: FloatArray
    """(rows, 2, classes) the slopes and the intercepts."""
    y: ClassArray
    """(rows,) the number of each row's class."""
    weight: FloatArray
    """(rows,) the weight of each row."""


def given_lines(rows: RowsOfLines) -> FloatArray:
    """Return the slopes and intercepts of a block of rows, as they were given: (rows, 2, classes)."""
    return rows.lines


def rows_of_lines(
    slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None
) -> tuple[KeptPieces[RowsOfLines], float]:
    """Return slopes, intercepts, classes and weights as blocks of rows, after checking them, and the total weight."""
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
    classes = y.astype(np.int32)
    blocks = [
        RowsOfLines(np.stack([slope[rows], intercept[rows]], axis=1), classes[rows], weight[rows])
        for rows in row_blocks(len(y))
    ]
    return KeptPieces(blocks, len(y)), float(weight.sum())
