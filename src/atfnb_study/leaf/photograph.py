"""From an image file to the mask of the leaf.

::

    file ──read──▶ photograph ──grey──▶ grey image ──segment──▶ cover of the leaf, from 0 to 1 per pixel

Segmenting is: slight blur → Otsu's threshold → closing → largest component → holes filled.
"""

from __future__ import annotations

import io
import os
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError
from scipy.ndimage import binary_fill_holes, find_objects
from skimage.color import rgb2gray, rgba2rgb
from skimage.filters import gaussian, threshold_otsu
from skimage.measure import label
from skimage.morphology import isotropic_closing
from skimage.util import img_as_ubyte

from atfnb._typing import BoolArray, FloatArray

Pixels = NDArray[Any]
"""A photograph: (rows, columns) if grey, (rows, columns, 3 or 4) if in colour; 8 or 16 bits, or floats from 0 to 1."""
GreyArray = NDArray[np.uint8]
"""A grey image: (rows, columns), 0 is black and 255 is white."""


class Reason(StrEnum):
    """Why a photograph is left out or remarked on, as the end of a sentence that begins with the file name."""

    NO_FILE = "has a label, but no file"
    NO_LABEL = "has no label"
    EMPTY = "is empty"
    NO_IMAGE = "is no image"
    UNREADABLE = "cannot be read"
    NO_LEAF = "shows no leaf"
    CUT = "shows a leaf that the border cuts"
    TOUCHES = "shows a leaf that just touches the border"


class UnmeasuredError(ValueError):
    """A photograph cannot be measured: ``reason`` says why, ``detail`` adds what is known beyond it."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"the photograph {reason}" + (f": {detail}" if detail else ""))
        self.reason, self.detail = reason, detail


def read(path: str | os.PathLike[str]) -> Pixels:
    """Return a photograph as an array, turned upright by its EXIF orientation.

    Grey, colour, transparent, 16-bit and palette images are all read as they look on a screen.

    Parameters
    ----------
    path : path
        The file: of any kind that Pillow reads.

    Returns
    -------
    array
        (rows, columns) if grey, (rows, columns, 3 or 4) if in colour; 8 or 16 bits.

    Raises
    ------
    UnmeasuredError
        If the file is empty, is not an image, or is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.NamedTemporaryFile(suffix=".png") as file:
    ...     Image.new("P", (4, 3)).save(file.name)
    ...     read(file.name).shape
    (3, 4, 3)
    """
    try:
        if Path(path).stat().st_size == 0:
            raise UnmeasuredError(Reason.EMPTY, "the file has no content")
        with Image.open(path) as image:
            return _as_array(ImageOps.exif_transpose(image))
    except UnidentifiedImageError:
        raise UnmeasuredError(Reason.NO_IMAGE) from None
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnmeasuredError(Reason.UNREADABLE, str(error)) from None


def jpeg(picture: Image.Image, **options: Any) -> bytes:
    """Return a picture as the content of a JPEG file."""
    content = io.BytesIO()
    picture.save(content, "JPEG", **options)
    return content.getvalue()


def _as_array(image: Any) -> Pixels:
    """Return the pixels of an image: grey levels and colours unchanged, other modes (as palettes) as colours."""
    if image.mode.startswith("I"):  # Pillow has several names for 16 bits
        return np.asarray(np.clip(np.array(image), 0, 2**16 - 1), dtype=np.uint16)
    if image.mode in ("L", "RGB", "RGBA"):
        return np.array(image)
    return np.array(image.convert("RGBA" if image.has_transparency_data else "RGB"))


def grey(photograph: Pixels) -> GreyArray:
    """Return the grey image of a photograph: 0.2125·R + 0.7154·G + 0.0721·B, on white where it is transparent.

    Parameters
    ----------
    photograph : array
        (rows, columns) if grey, (rows, columns, 3 or 4) if in colour; 8 or 16 bits, or floats from 0 to 1.

    Returns
    -------
    (rows, columns) array of uint8
        The grey levels, from 0 for black to 255 for white.

    Examples
    --------
    >>> grey(np.array([[[255, 255, 255], [0, 255, 0]]], dtype=np.uint8))
    array([[255, 182]], dtype=uint8)
    """
    if photograph.size == 0:
        raise UnmeasuredError(Reason.EMPTY, "it has no pixels")
    if photograph.ndim == 3 and photograph.shape[2] == 4:
        photograph = rgba2rgb(photograph)
    if photograph.ndim == 3 and photograph.shape[2] == 3:
        photograph = rgb2gray(photograph)
    if photograph.ndim != 2:
        raise ValueError(f"a photograph is (rows, columns) or (rows, columns, 3 or 4), not {photograph.shape}.")
    return np.asarray(img_as_ubyte(photograph))


# --- the mask of the leaf ---------------------------------------------------------------------------

BLUR = 1.0
"""The standard deviation, in pixels, of the blur that smooths single pixels."""
CLOSING = 1 / 60
"""The radius of the closing, as a share of the shorter side: clefts up to twice this wide are closed.

A bright midrib or a glossy spot at the edge otherwise cuts into the leaf, and the perimeter follows it all the way in
and out again.
"""
CLEAR = 20
"""The number of grey levels by which a leaf must be darker than its surroundings."""
SMALLEST = 1 / 1000
"""The share of the photograph below which a dark region is a speck, not a leaf."""
TOUCH = 1 / 50
"""The share of the shorter side over which a leaf may meet the border; with more, the border cuts the leaf."""


def segment(grey: GreyArray) -> FloatArray:
    """Return how much of each pixel a dark leaf on a light ground covers, from 0 to 1: (rows, columns).

    The pixels above one half are the binary image of the leaf, with holes and bright spots filled. The shades at the
    edge say where between two pixels the grey image crosses the threshold, so that a leaf keeps its width when the
    photograph is turned.

    Parameters
    ----------
    grey : (rows, columns) array
        The grey image, 0 to 255.

    Returns
    -------
    (rows, columns) array of float
        The share of each pixel that the leaf covers.

    Raises
    ------
    UnmeasuredError
        If there is no leaf, or if the border cuts it: the part outside is unknown, and no attribute would be right.
        A leaf whose tip or stalk only touches the border is nearly whole, and is accepted.

    Examples
    --------
    >>> image = np.full((60, 80), 250, dtype=np.uint8)
    >>> image[20:40, 10:70] = 80
    >>> image[30, 15:60] = 240      # a bright midrib
    >>> int((segment(image)[30] > 0.5).sum())      # the midrib belongs to the leaf
    60
    """
    cover = darkness(gaussian(grey, BLUR, preserve_range=True))
    dark = cover > 0.5
    leaf, here = np.zeros_like(dark), window(dark)
    leaf[here] = binary_fill_holes(largest(closed(dark[here], CLOSING * min(dark.shape))))
    if leaf.sum() < SMALLEST * leaf.size:
        raise UnmeasuredError(Reason.NO_LEAF, "what is dark in it is a speck")
    if contact(leaf) > TOUCH * min(leaf.shape):
        raise UnmeasuredError(Reason.CUT, "or its ground is darker than the leaf")
    return np.where(leaf == dark, cover, leaf)


def contact(leaf: BoolArray) -> int:
    """Return the number of pixels of the leaf on the border of the photograph.

    >>> contact(np.array([[False, True, True], [False, True, True], [False, False, False]]))
    3
    """
    return int(leaf.sum() - leaf[1:-1, 1:-1].sum())


def darkness(image: FloatArray) -> FloatArray:
    """Return how dark each pixel is, from 0 to 1, with one half at Otsu's threshold: (rows, columns).

    Raises UnmeasuredError if the dark pixels are not clearly darker than the rest.
    """
    threshold = threshold_otsu(image)
    dark = image <= threshold
    depth = 0.0 if dark.all() else float(image[~dark].mean() - image[dark].mean())
    if depth < CLEAR:
        raise UnmeasuredError(Reason.NO_LEAF, "nothing in it is clearly darker than the rest")
    return np.asarray(np.clip(0.5 + (threshold - image) / depth, 0, 1))


def window(mask: BoolArray) -> tuple[slice, ...]:
    """Return the smallest rectangle of the image that holds the whole mask, as a pair of slices.

    >>> window(np.array([[False, False, False], [False, True, True]]))
    (slice(1, 2, None), slice(1, 3, None))
    """
    return tuple(find_objects(mask.astype(np.uint8))[0])


def closed(mask: BoolArray, radius: float) -> BoolArray:
    """Return the mask with narrow clefts closed: those into which no disc of this radius fits."""
    radius = max(1.0, radius)
    margin = int(radius) + 2  # keeps the closing from joining the leaf to the border
    padded = isotropic_closing(np.pad(mask, margin), radius)
    return np.asarray(padded[margin:-margin, margin:-margin], dtype=bool)


def largest(mask: BoolArray) -> BoolArray:
    """Return the largest connected component of a mask: (rows, columns)."""
    labels = label(mask)
    sizes = np.bincount(labels.ravel())
    sizes[0] = 0
    return np.asarray(labels == sizes.argmax())
