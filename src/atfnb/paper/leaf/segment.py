"""Which pixels are the leaf: grey → slight blur → Otsu → closing → largest component → holes filled."""

from __future__ import annotations

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.paper.leaf.photograph import GreyArray, Reason, UnmeasuredError

BLUR = 1.0
"""Pixels: the width of the blur that quiets single pixels."""
CLOSING = 1 / 60
"""Of the photograph's shorter side: gaps up to twice this wide are closed.

A bright midrib or a glossy spot at the edge otherwise cuts into the leaf, and the perimeter follows it all the way in
and out again.
"""
CLEAR = 20
"""Grey levels by which a leaf must be darker than what surrounds it."""
SMALLEST = 1 / 1000
"""Of the photograph: anything smaller is a speck."""
TOUCH = 1 / 50
"""Of the photograph's shorter side: a leaf that meets the border over more than this is cut by it."""


def segment(grey: GreyArray) -> FloatArray:
    """Find the leaf, dark on a light ground: how much of each pixel it covers, from 0 to 1.

    What is covered by more than a half is the binary image of the leaf, holes and bright spots filled. The shades at
    its edge tell where between two pixels the grey image crosses the threshold: turned by an angle, a leaf keeps its
    width.

    Parameters
    ----------
    grey : (rows, columns) array
        The grey image, 0 to 255.

    Raises
    ------
    UnmeasuredError
        If there is no leaf, or if the border cuts it: what lies outside is unknown, and no attribute would be right.
        A leaf that only touches the border, with its tip or its stalk, is all but whole, and is taken as it is.

    Examples
    --------
    >>> image = np.full((60, 80), 250, dtype=np.uint8)
    >>> image[20:40, 10:70] = 80
    >>> image[30, 15:60] = 240      # a bright midrib
    >>> int((segment(image)[30] > 0.5).sum())      # belongs to the leaf
    60
    """
    from scipy.ndimage import binary_fill_holes

    cover = darkness(blurred(grey))
    dark = cover > 0.5
    leaf, here = np.zeros_like(dark), window(dark)
    leaf[here] = binary_fill_holes(largest(closed(dark[here], CLOSING * min(dark.shape))))
    if leaf.sum() < SMALLEST * leaf.size:
        raise UnmeasuredError(Reason.NO_LEAF, "what is dark in it is a speck")
    if contact(leaf) > TOUCH * min(leaf.shape):
        raise UnmeasuredError(Reason.CUT, "or its ground is darker than the leaf")
    return np.where(leaf == dark, cover, leaf)


def contact(leaf: BoolArray) -> int:
    """How many pixels of the leaf lie on the border of the photograph.

    >>> contact(np.array([[False, True, True], [False, True, True], [False, False, False]]))
    3
    """
    return int(leaf.sum() - leaf[1:-1, 1:-1].sum())


def blurred(grey: GreyArray) -> FloatArray:
    """The grey image, slightly blurred."""
    from skimage.filters import gaussian

    return np.asarray(gaussian(grey, BLUR, preserve_range=True), dtype=np.float64)


def darkness(image: FloatArray) -> FloatArray:
    """From 0 to 1, with one half at Otsu's threshold, if what is darker is clearly darker than the rest."""
    from skimage.filters import threshold_otsu

    threshold = threshold_otsu(image)
    dark = image <= threshold
    depth = 0.0 if dark.all() else float(image[~dark].mean() - image[dark].mean())
    if depth < CLEAR:
        raise UnmeasuredError(Reason.NO_LEAF, "nothing in it is clearly darker than the rest")
    return np.asarray(np.clip(0.5 + (threshold - image) / depth, 0, 1))


def window(mask: BoolArray) -> tuple[slice, ...]:
    """The smallest part of the image that holds all of the mask: there is nothing to be done elsewhere.

    >>> window(np.array([[False, False, False], [False, True, True]]))
    (slice(1, 2, None), slice(1, 3, None))
    """
    from scipy.ndimage import find_objects

    return tuple(find_objects(mask.astype(np.uint8))[0])


def closed(mask: BoolArray, radius: float) -> BoolArray:
    """Close gaps: what no disc of this radius fits into belongs to the leaf."""
    from skimage.morphology import isotropic_closing

    radius = max(1.0, radius)
    margin = int(radius) + 2  # so that nothing is joined to the border
    padded = isotropic_closing(np.pad(mask, margin), radius)
    return np.asarray(padded[margin:-margin, margin:-margin], dtype=bool)


def largest(mask: BoolArray) -> BoolArray:
    """The largest connected component."""
    from skimage.measure import label

    labels = label(mask)
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    return np.asarray(labels == sizes.argmax())
