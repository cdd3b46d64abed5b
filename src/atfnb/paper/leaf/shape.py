"""Ten attributes of a leaf's shape, from the binary image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.paper.leaf.photograph import Reason, UnmeasuredError
from atfnb.paper.leaf.segment import window

SMOOTHING = 1.0
"""Pixels: the leaf is smoothed by this much before its outline is traced, so that it has no stairs."""
MARGIN = 8
"""Pixels around the leaf that are looked at with it."""


@dataclass(frozen=True)
class Outline:
    """A leaf's outline, and the axes its length and width are taken along.

    Points are (row, column), in pixels; a pixel's centre has whole numbers.
    """

    contours: tuple[FloatArray, ...]
    """(points, 2) each, closed. More than one only where a leaf is too thin to be followed."""
    centre: FloatArray
    """(2,) The centre of gravity."""
    along: FloatArray
    """(2,) The direction of the principal axis."""

    @cached_property
    def points(self) -> FloatArray:
        """(points, 2) All points together."""
        return np.concatenate(self.contours)

    @property
    def area(self) -> float:
        """How many pixels it encloses: ½ |Σ x_i y_{i+1} − x_{i+1} y_i|."""
        parts = [(c[:-1, 1] * c[1:, 0] - c[1:, 1] * c[:-1, 0]).sum() for c in self.contours]
        return float(abs(sum(parts))) / 2

    @property
    def perimeter(self) -> float:
        """How long it is."""
        return float(sum(np.hypot(*np.diff(c, axis=0).T).sum() for c in self.contours))

    @property
    def across(self) -> FloatArray:
        """(2,) The direction across the principal axis."""
        return self.along[::-1] * (1, -1)

    def span(self, direction: FloatArray) -> tuple[float, float]:
        """How far the leaf reaches from its centre, backwards and forwards."""
        reach = (self.points - self.centre) @ direction
        return float(reach.min()), float(reach.max())

    def extent(self, direction: FloatArray) -> float:
        """From end to end in a direction."""
        low, high = self.span(direction)
        return high - low

    @property
    def diameter(self) -> float:
        """The largest distance of two points (the maximum Feret diameter)."""
        from scipy.spatial import ConvexHull
        from scipy.spatial.distance import pdist

        return float(pdist(self.points[ConvexHull(self.points).vertices]).max())


def outline(leaf: BoolArray | FloatArray) -> Outline:
    """Trace a leaf and find its axes.

    Parameters
    ----------
    leaf : (rows, columns) array
        How much of each pixel the leaf covers, as :func:`~atfnb.leaf.segment` gives it; or True where the leaf is.

    Raises
    ------
    UnmeasuredError
        If it is only a pixel or so wide: it has no edge to follow.

    Examples
    --------
    >>> found = outline(np.pad(np.ones((20, 50), dtype=bool), 3))
    >>> print(round(found.extent(found.along), 6), round(found.extent(found.across), 6))
    50.0 20.0
    """
    from skimage.filters import gaussian
    from skimage.measure import find_contours

    here = window(np.asarray(leaf > 0.5))
    corner = np.array([side.start for side in here]) - MARGIN
    with_margin = tuple(slice(side.start, side.stop + 2 * MARGIN) for side in here)
    cover = np.pad(leaf, MARGIN)[with_margin].astype(np.float64)
    contours = find_contours(gaussian(cover, SMOOTHING), 0.5)
    if not contours:
        raise UnmeasuredError(Reason.NO_LEAF, "what is dark in it is too thin to be measured")
    pixels = np.argwhere(cover > 0.5) + corner  # (pixels, 2)
    return Outline(
        contours=tuple(contour + corner for contour in contours),
        centre=pixels.mean(axis=0),
        along=np.linalg.eigh(np.cov(pixels.T))[1][:, -1],
    )


def shape(outline: Outline) -> dict[str, float]:
    """Ten attributes of shape: five measures in pixels, five ratios without a unit.

    With area A, perimeter P, diameter D, length L and width W: aspect ratio L/W, form factor 4πA/P² (1 for a disc),
    rectangularity LW/A (1 for a rectangle), P/D and P/(L + W).

    Examples
    --------
    >>> found = shape(outline(np.pad(np.ones((20, 50), dtype=bool), 3)))
    >>> print(round(found["aspect_ratio"], 6), round(found["rectangularity"], 2))
    2.5 1.0
    """
    area, perimeter, diameter = outline.area, outline.perimeter, outline.diameter
    length, width = outline.extent(outline.along), outline.extent(outline.across)
    return {
        "area": area,
        "perimeter": perimeter,
        "diameter": diameter,
        "length": length,
        "width": width,
        "aspect_ratio": length / width,
        "form_factor": 4 * np.pi * area / perimeter**2,
        "rectangularity": length * width / area,
        "perimeter_to_diameter": perimeter / diameter,
        "perimeter_to_length_and_width": perimeter / (length + width),
    }
