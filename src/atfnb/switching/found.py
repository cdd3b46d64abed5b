"""What a search for β found."""

from __future__ import annotations

from dataclasses import dataclass

from atfnb._typing import FloatArray


@dataclass(frozen=True)
class BetaSearch:
    """What a search for β found.

    ``intervals`` are all those with the highest training accuracy. After QSF every β in one of them has ``accuracy``;
    after SLS the points of the grid in it have.
    ``interval`` is the widest of them, and ``beta`` its middle.
    """

    beta: float
    interval: tuple[float, float]
    intervals: FloatArray
    accuracy: float
