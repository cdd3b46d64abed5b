"""The values of a number in words: the intervals between its cuts, or the whole numbers in them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from atfnb._typing import FloatArray

LARGEST_WHOLE = 10**15
"""Numbers beyond are not described as whole: a float of 64 bits hardly tells them from their neighbours."""


def interval_labels(cuts: FloatArray) -> list[str]:
    """Describe the intervals between cuts, which hold for any number.

    >>> interval_labels(np.array([0.5, 2.5]))
    ['< 0.5', '0.5 to 2.5', '≥ 2.5']
    """
    ends = [f"{cut:.6g}" for cut in cuts]
    if not ends:
        return ["any"]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return [f"< {ends[0]}", *between, f"≥ {ends[-1]}"]


def whole_labels(cuts: FloatArray, lowest: int, highest: int) -> list[str]:
    """Describe which of the whole numbers from ``lowest`` to ``highest`` lie in each interval between cuts.

    >>> whole_labels(np.array([0.5, 2.5]), 0, 9)
    ['= 0', '1 to 2', '≥ 3']
    """
    labels = interval_labels(cuts)
    starts = [lowest, *(math.ceil(cut) for cut in cuts)]
    for place, (first, after) in enumerate(zip(starts, [*starts[1:], highest + 1], strict=True)):
        last = after - 1
        if first > last or not len(cuts):  # nothing but an imputed mean is in it, or everything is
            continue
        if first == last:
            labels[place] = f"= {first}"
        elif place == 0:
            labels[place] = f"≤ {last}"
        else:
            labels[place] = f"≥ {first}" if place == len(cuts) else f"{first} to {last}"
    return labels


def whole_range(lowest: float, highest: float) -> tuple[int, int] | None:
    """Return the ends of a range of whole numbers, or None if one of them is too large.

    >>> whole_range(0.0, 12.0), whole_range(0.0, 1e300)
    ((0, 12), None)
    """
    if max(abs(lowest), abs(highest)) > LARGEST_WHOLE:
        return None
    return int(lowest), int(highest)


def are_whole(values: FloatArray) -> bool:
    """Return whether all numbers are whole."""
    return bool((values == np.floor(values)).all())
