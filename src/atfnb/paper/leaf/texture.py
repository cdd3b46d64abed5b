"""Four attributes of a leaf's texture, from the grey image."""

from __future__ import annotations

import numpy as np

from atfnb._typing import BoolArray
from atfnb.paper.leaf.photograph import GreyArray

LEVELS = 256
DISTANCE = 1
DIRECTIONS = (0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)
PROPERTIES = ("contrast", "correlation", "energy", "homogeneity")


def texture(grey: GreyArray, leaf: BoolArray | None = None) -> dict[str, float]:
    """Contrast, correlation, energy and homogeneity of grey levels side by side, the mean of four directions.

    With p(i, j) the share of neighbours that have the levels i and j: Σ p (i − j)², Σ p (i − μ)(j − μ)/σ², √Σ p²
    and Σ p / (1 + (i − j)²) (Haralick, Shanmugam and Dinstein 1973).

    Parameters
    ----------
    grey : (rows, columns) array
        The grey image, 0 to 255.
    leaf : (rows, columns) array, optional
        True on the pixels that count: neighbours count if both of them do. All pixels by default.

    Examples
    --------
    >>> stripes = np.tile(np.array([0, 1], dtype=np.uint8), (10, 5))
    >>> round(texture(stripes)["contrast"], 2)      # of four directions, one runs along the stripes
    0.75
    """
    from skimage.feature import graycomatrix, graycoprops

    if leaf is None:
        neighbours = graycomatrix(grey, [DISTANCE], DIRECTIONS, LEVELS, symmetric=True, normed=True)
    else:
        marked = np.where(leaf, grey, np.uint16(LEVELS))  # a level of its own for what does not count
        counted = graycomatrix(marked, [DISTANCE], DIRECTIONS, LEVELS + 1, symmetric=True)[:LEVELS, :LEVELS]
        neighbours = counted / np.maximum(counted.sum(axis=(0, 1)), 1)
    return {name: float(graycoprops(neighbours, name).mean()) for name in PROPERTIES}
