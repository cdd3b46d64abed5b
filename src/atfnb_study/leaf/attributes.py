"""Fourteen attributes of a leaf: ten of its shape, from the mask, and four of its texture, from the grey image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.distance import pdist
from skimage.feature import graycomatrix, graycoprops
from skimage.filters import gaussian
from skimage.measure import find_contours

from atfnb._typing import BoolArray, FloatArray
from atfnb_study.leaf.photograph import GreyArray, Pixels, Reason, UnmeasuredError, contact, grey, segment, window

MEASURES = ("area", "perimeter", "diameter", "length", "width")
RATIOS = ("aspect_ratio", "form_factor", "rectangularity", "perimeter_to_diameter", "perimeter_to_length_and_width")
PROPERTIES = ("contrast", "correlation", "energy", "homogeneity")
ATTRIBUTES = (*MEASURES, *RATIOS, *PROPERTIES)
"""The names of the attributes: ten of shape, then four of texture."""


def attributes(photograph: Pixels, *, leaf_pixels_only: bool = False) -> dict[str, float]:
    """Return the 14 attributes of the leaf in a photograph, by name.

    Parameters
    ----------
    photograph : array
        (rows, columns) if grey, (rows, columns, 3 or 4) if in colour; a dark leaf on a light ground.
    leaf_pixels_only : bool, default=False
        Measure the texture of the leaf only, instead of the whole image.

    Returns
    -------
    dict of str to float
        The attributes, in the order of :data:`ATTRIBUTES`.

    Raises
    ------
    UnmeasuredError
        If there is no leaf in the photograph, or the border cuts it.

    Examples
    --------
    >>> from atfnb_study.leaf import draw_leaf
    >>> found = attributes(draw_leaf("needle", seed=1))
    >>> tuple(found) == ATTRIBUTES, found["aspect_ratio"] > 8
    (True, True)
    """
    return measure(photograph, leaf_pixels_only=leaf_pixels_only).values


@dataclass(frozen=True)
class Measurement:
    """The attributes of a photograph, with the grey image and the outline that they were measured on."""

    grey: GreyArray
    outline: Outline
    values: dict[str, float]
    touches: bool
    """Whether the leaf touches the border of the photograph."""


def measure(photograph: Pixels, *, leaf_pixels_only: bool = False) -> Measurement:
    """Return the attributes of the leaf in a photograph, with the grey image and the outline for a preview.

    The parameters and errors are those of :func:`attributes`.
    """
    image = grey(photograph)
    leaf = segment(image)
    binary, traced = leaf > 0.5, outline(leaf)
    values = shape(traced) | texture(image, binary if leaf_pixels_only else None)
    return Measurement(image, traced, values, touches=contact(binary) > 0)


# --- shape ------------------------------------------------------------------------------------------

SMOOTHING = 1.0
"""The standard deviation, in pixels, of the smoothing before the outline is traced, so that it has no stairs."""
MARGIN = 8
"""The number of pixels around the leaf that are smoothed with it."""


@dataclass(frozen=True)
class Outline:
    """The outline of a leaf, and the axes along which its length and width are measured.

    Points are (row, column), in pixels; the centre of a pixel has whole numbers.
    """

    contours: tuple[FloatArray, ...]
    """Closed curves, (points, 2) each; more than one only where a leaf is too thin to be traced in one piece."""
    centre: FloatArray
    """The centre of gravity: (2,)."""
    along: FloatArray
    """The direction of the principal axis: (2,)."""

    @cached_property
    def points(self) -> FloatArray:
        """The points of all contours together: (points, 2)."""
        return np.concatenate(self.contours)

    @property
    def area(self) -> float:
        """The enclosed area in pixels: ½ |Σ x_i y_{i+1} − x_{i+1} y_i|."""
        parts = [(c[:-1, 1] * c[1:, 0] - c[1:, 1] * c[:-1, 0]).sum() for c in self.contours]
        return float(abs(sum(parts))) / 2

    @property
    def perimeter(self) -> float:
        """The length of the outline in pixels."""
        return float(sum(np.hypot(*np.diff(c, axis=0).T).sum() for c in self.contours))

    @property
    def across(self) -> FloatArray:
        """The direction perpendicular to the principal axis: (2,)."""
        return self.along[::-1] * (1, -1)

    def span(self, direction: FloatArray) -> tuple[float, float]:
        """Return how far the leaf reaches from its centre against a direction (negative) and along it."""
        reach = (self.points - self.centre) @ direction
        return float(reach.min()), float(reach.max())

    def extent(self, direction: FloatArray) -> float:
        """Return the size of the leaf from end to end in a direction."""
        low, high = self.span(direction)
        return high - low

    @property
    def diameter(self) -> float:
        """The largest distance between two points of the outline (the maximum Feret diameter)."""
        return float(pdist(self.points[ConvexHull(self.points).vertices]).max())


def outline(leaf: BoolArray | FloatArray) -> Outline:
    """Return the outline of a leaf, with its centre and its principal axis.

    Parameters
    ----------
    leaf : (rows, columns) array
        How much of each pixel the leaf covers, as :func:`~atfnb.leaf.segment` returns it; or a boolean mask.

    Returns
    -------
    Outline
        The contours, the centre and the direction of the principal axis.

    Raises
    ------
    UnmeasuredError
        If the leaf is only about a pixel wide, and has no edge to trace.

    Examples
    --------
    >>> found = outline(np.pad(np.ones((20, 50), dtype=bool), 3))
    >>> print(round(found.extent(found.along), 6), round(found.extent(found.across), 6))
    50.0 20.0
    """
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
    """Return ten attributes of shape, by name: five measures in pixels and five ratios without a unit.

    With area A, perimeter P, diameter D, length L and width W: aspect ratio L/W, form factor 4πA/P² (1 for a disc),
    rectangularity LW/A (1 for a rectangle), P/D and P/(L + W).

    Parameters
    ----------
    outline : Outline
        The outline of the leaf, as :func:`~atfnb.leaf.outline` returns it.

    Returns
    -------
    dict of str to float
        The first ten of :data:`ATTRIBUTES`.

    Examples
    --------
    >>> found = shape(outline(np.pad(np.ones((20, 50), dtype=bool), 3)))
    >>> print(round(found["aspect_ratio"], 6), round(found["rectangularity"], 2))
    2.5 1.0
    """
    area, perimeter, diameter = outline.area, outline.perimeter, outline.diameter
    length, width = outline.extent(outline.along), outline.extent(outline.across)
    measures = (area, perimeter, diameter, length, width)
    of_perimeter = (perimeter / diameter, perimeter / (length + width))
    ratios = (length / width, 4 * np.pi * area / perimeter**2, length * width / area, *of_perimeter)
    return dict(zip((*MEASURES, *RATIOS), (*measures, *ratios), strict=True))


# --- texture ----------------------------------------------------------------------------------------

LEVELS = 256
DISTANCE = 1
DIRECTIONS = (0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)


def texture(grey: GreyArray, leaf: BoolArray | None = None) -> dict[str, float]:
    """Return contrast, correlation, energy and homogeneity of neighbouring grey levels, the mean of four directions.

    With p(i, j) the share of pairs of neighbours that have the levels i and j, these are Σ p (i − j)²,
    Σ p (i − μ)(j − μ)/σ², √Σ p² and Σ p / (1 + (i − j)²) (Haralick, Shanmugam and Dinstein 1973).

    Parameters
    ----------
    grey : (rows, columns) array
        The grey image, 0 to 255.
    leaf : (rows, columns) array, optional
        A mask of the pixels to use: a pair of neighbours counts if both are in it. By default all pixels count.

    Returns
    -------
    dict of str to float
        The last four of :data:`ATTRIBUTES`.

    Examples
    --------
    >>> stripes = np.tile(np.array([0, 1], dtype=np.uint8), (10, 5))
    >>> round(texture(stripes)["contrast"], 2)      # one of the four directions runs along the stripes
    0.75
    """
    if leaf is None:
        neighbours = graycomatrix(grey, [DISTANCE], DIRECTIONS, LEVELS, symmetric=True, normed=True)
    else:
        # pixels outside the mask get a level of their own, which is cut off below
        marked = np.where(leaf, grey, np.uint16(LEVELS))
        counted = graycomatrix(marked, [DISTANCE], DIRECTIONS, LEVELS + 1, symmetric=True)[:LEVELS, :LEVELS]
        neighbours = counted / np.maximum(counted.sum(axis=(0, 1)), 1)
    return {name: float(graycoprops(neighbours, name).mean()) for name in PROPERTIES}
