"""From a photograph to its 14 attributes."""

from __future__ import annotations

from dataclasses import dataclass

from atfnb.paper.leaf.photograph import GreyArray, Pixels, grey
from atfnb.paper.leaf.segment import contact, segment
from atfnb.paper.leaf.shape import Outline, outline, shape
from atfnb.paper.leaf.texture import texture

ATTRIBUTES = (
    "area",
    "perimeter",
    "diameter",
    "length",
    "width",
    "aspect_ratio",
    "form_factor",
    "rectangularity",
    "perimeter_to_diameter",
    "perimeter_to_length_and_width",
    "contrast",
    "correlation",
    "energy",
    "homogeneity",
)
"""Ten of shape, then four of texture."""


def attributes(photograph: Pixels, *, leaf_pixels_only: bool = False) -> dict[str, float]:
    """Measure the leaf in a photograph.

    Parameters
    ----------
    photograph : array
        (rows, columns) if grey, (rows, columns, 3 or 4) if in colour; a dark leaf on a light ground.
    leaf_pixels_only : bool, default=False
        Take the texture of the leaf alone, instead of the whole image.

    Raises
    ------
    UnmeasuredError
        If there is no leaf in it, or the border cuts it.

    Examples
    --------
    >>> from atfnb.paper.leaf import draw_leaf
    >>> found = attributes(draw_leaf("needle", seed=1))
    >>> tuple(found) == ATTRIBUTES, found["aspect_ratio"] > 8
    (True, True)
    """
    return measure(photograph, leaf_pixels_only=leaf_pixels_only).values


@dataclass(frozen=True)
class Measurement:
    """The attributes of a photograph, and what they were taken from."""

    grey: GreyArray
    outline: Outline
    values: dict[str, float]
    touches: bool
    """Whether the leaf touches the border of the photograph."""


def measure(photograph: Pixels, *, leaf_pixels_only: bool = False) -> Measurement:
    """Measure as :func:`attributes` does, and keep what a preview shows."""
    image = grey(photograph)
    leaf = segment(image)
    binary, traced = leaf > 0.5, outline(leaf)
    values = shape(traced) | texture(image, binary if leaf_pixels_only else None)
    return Measurement(image, traced, values, touches=contact(binary) > 0)
