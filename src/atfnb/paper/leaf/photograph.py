"""A file → a photograph as an array → the grey image that everything is measured on."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[Any]
"""A photograph: (rows, columns) if grey, (rows, columns, 3 or 4) if in colour; 8 or 16 bits, or numbers from 0 to 1."""
GreyArray = NDArray[np.uint8]
"""A grey image: (rows, columns), 0 is black and 255 is white."""


class Reason(StrEnum):
    """Why a photograph was not measured, or what to know of it, as the end of a sentence that begins with its name."""

    NO_FILE = "has a label, but no file"
    NO_LABEL = "has no label"
    EMPTY = "is empty"
    NO_IMAGE = "is no image"
    UNREADABLE = "cannot be read"
    NO_LEAF = "shows no leaf"
    CUT = "shows a leaf that the border cuts"
    TOUCHES = "shows a leaf that just touches the border"


class UnmeasuredError(ValueError):
    """A photograph that cannot be measured, with the reason and what more there is to say."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"the photograph {reason}" + (f": {detail}" if detail else ""))
        self.reason, self.detail = reason, detail


def read(path: str | os.PathLike[str]) -> Pixels:
    """Read a photograph, turned as the camera held it.

    Grey, colour, transparent, 16-bit and palette images all come as what they show.

    Raises
    ------
    UnmeasuredError
        If the file is empty, is no image, or is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.NamedTemporaryFile(suffix=".png") as file:
    ...     Image.new("P", (4, 3)).save(file.name)
    ...     read(file.name).shape
    (3, 4, 3)
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        if Path(path).stat().st_size == 0:
            raise UnmeasuredError(Reason.EMPTY, "the file has no content")
        with Image.open(path) as image:
            return _as_array(ImageOps.exif_transpose(image))
    except UnidentifiedImageError:
        raise UnmeasuredError(Reason.NO_IMAGE) from None
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnmeasuredError(Reason.UNREADABLE, str(error)) from None


def _as_array(image: Any) -> Pixels:
    """Pixels as they are where they are numbers of grey or colours, and else as the colours they stand for."""
    if image.mode.startswith("I"):  # 16 bits, in one of several spellings
        return np.asarray(np.clip(np.array(image), 0, 2**16 - 1), dtype=np.uint16)
    if image.mode in ("L", "RGB", "RGBA"):
        return np.array(image)
    return np.array(image.convert("RGBA" if image.has_transparency_data else "RGB"))


def grey(photograph: Pixels) -> GreyArray:
    """The grey image of a photograph: 0.2125·R + 0.7154·G + 0.0721·B, on white where it is transparent.

    Examples
    --------
    >>> grey(np.array([[[255, 255, 255], [0, 255, 0]]], dtype=np.uint8))
    array([[255, 182]], dtype=uint8)
    """
    from skimage.color import rgb2gray, rgba2rgb
    from skimage.util import img_as_ubyte

    if photograph.size == 0:
        raise UnmeasuredError(Reason.EMPTY, "it has no pixels")
    if photograph.ndim == 3 and photograph.shape[2] == 4:
        photograph = rgba2rgb(photograph)
    if photograph.ndim == 3 and photograph.shape[2] == 3:
        photograph = rgb2gray(photograph)
    if photograph.ndim != 2:
        raise ValueError(f"a photograph is (rows, columns) or (rows, columns, 3 or 4), not {photograph.shape}.")
    return np.asarray(img_as_ubyte(photograph))
