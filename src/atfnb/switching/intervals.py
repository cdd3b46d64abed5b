"""Where each row is right: its interval of β (Eq. 18)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from atfnb._pieces import Pieces
from atfnb._typing import FloatArray
from atfnb.likelihood import TIE

Block = TypeVar("Block", bound=Any)
"""Some rows, with their classes ``y`` and their ``weight``."""
Lines = Callable[[Block], FloatArray]
"""Slope K and intercept M of a block of rows: (rows, 2, classes)."""

LATTICE_BITS = 40
LATTICE = 2.0**LATTICE_BITS
"""Ends of intervals are multiples of 1 / LATTICE."""
NOTHING = 1.5 / LATTICE
"""Between two ends closer than this there is nothing."""


@dataclass(frozen=True)
class Reach:
    """The intervals of a block of rows."""

    ends: FloatArray
    """(rows, 2) the lowest and the highest β at which each row is right; 1 and 0 where there is none."""
    weight: FloatArray


def reach(rows: Pieces[Block], lines: Lines[Block]) -> Pieces[Reach]:
    """The lowest and the highest β at which each row is right (Eq. 18)."""
    return rows.map(partial(_reach, lines))


def _reach(lines: Lines[Block], rows: Block) -> Reach:
    from atfnb import _kernels

    return Reach(_kernels.reach(lines(rows), rows.y, TIE, LATTICE), rows.weight)
