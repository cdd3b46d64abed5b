"""Where each row is right: its interval of β (Eq. 18)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import FloatArray
from atfnb.model import TIE

Block = TypeVar("Block", bound=Any)
"""Some rows, with their classes ``y`` and their ``weight``."""
Lines = Callable[[Block], FloatArray]
"""Slope K and intercept M of a block of rows: (rows, 2, classes)."""

LATTICE_BITS = 40
LATTICE = 2.0**LATTICE_BITS
"""Ends of intervals are multiples of 1 / LATTICE; the crossings that they belong to, of 4 / LATTICE."""
NARROW = 1e-8
"""An interval of β narrower than this is no answer.

Where the lines of two rows cross at the same β, both can be right at that one β, and on neither side of it. That is
not Eq. 18, which wants a row's own class strictly ahead, and rounding decides whether such an interval exists at all.
"""


def narrowest(n_rows: int) -> float:
    """Return how wide an interval of β must be to be an answer: NARROW, or less for more than ten million rows.

    The ends of the rows' intervals cut [0, 1] into 2·n_rows + 1 steps at most. The widest of them is wider than
    0.1 / n_rows, so at least one step is wide enough, whatever the rows.
    """
    return min(NARROW, 0.1 / max(n_rows, 1))


@dataclass(frozen=True)
class Reach:
    """The intervals of a block of rows."""

    ends: FloatArray
    """(rows, 2) the lowest and the highest β at which each row is right; 1 and 0 where there is none.

    They are 1 / LATTICE away from a crossing: beyond it where the row is right at the crossing too.
    """
    weight: FloatArray


def reach(rows: Pieces[Block], lines: Lines[Block]) -> Pieces[Reach]:
    """Find the lowest and the highest β at which each row is right (Eq. 18)."""
    return rows.map(partial(_reach, lines))


def _reach(lines: Lines[Block], rows: Block) -> Reach:
    from atfnb._kernels import switching as kernels

    return Reach(kernels.reach(lines(rows), rows.y, TIE, LATTICE), rows.weight)


def crossings(ends: FloatArray) -> FloatArray:
    """Return the crossings that ends of intervals belong to, rounded to multiples of 4 / LATTICE."""
    return np.asarray(np.round(ends * (LATTICE / 4)) / (LATTICE / 4))


def inside(intervals: FloatArray) -> FloatArray:
    """Move ends to the inside of their crossings, further than these were rounded: (intervals, 2)."""
    at = crossings(intervals)
    margin = np.where((at == 0) | (at == 1), 0.0, 2 / LATTICE)
    return np.asarray(at + margin * (1.0, -1.0))
