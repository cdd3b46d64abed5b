"""A photograph with what was measured drawn on it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._files import write_whole
from atfnb._typing import FloatArray
from atfnb.paper.leaf.photograph import GreyArray
from atfnb.paper.leaf.shape import Outline

EDGE, LENGTH, WIDTH = "#e0218a", "#1f5fd0", "#d9480f"


def preview(grey: GreyArray, outline: Outline) -> NDArray[np.uint8]:
    """The grey image with its outline, and its length and width as a draughtsman gives them: (rows, columns, 3).

    Examples
    --------
    >>> from atfnb.paper.leaf import draw_leaf, grey, outline, segment
    >>> image = grey(draw_leaf("lance"))
    >>> preview(image, outline(segment(image))).shape
    (240, 320, 3)
    """
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.fromarray(grey // 2 + 127).convert("RGB")  # pale, so that lines stand out
    draw = ImageDraw.Draw(picture)
    thick = max(1, round(min(grey.shape) / 240))
    font = ImageFont.load_default(size=max(10, min(grey.shape) / 28))
    for contour in outline.contours:
        draw.line(_xy(contour), fill=EDGE, width=thick)
    for word, direction, other, colour in (
        ("length", outline.along, outline.across, LENGTH),
        ("width", outline.across, outline.along, WIDTH),
    ):
        ends = outline.centre + np.outer(outline.span(direction), direction)  # (2, 2)
        draw.line(_xy(ends), fill=colour, width=thick)
        bar = np.outer((-1, 1), other) * 0.025 * min(grey.shape)
        for end in ends:
            draw.line(_xy(end + bar), fill=colour, width=thick)
        _write(draw, f"{word} {outline.extent(direction):.1f}", ends, colour, font, grey.shape)
    return np.array(picture)


def _xy(points: FloatArray) -> list[tuple[float, float]]:
    """Points (row, column) as Pillow wants them, a pixel's centre at one half."""
    return [(float(column) + 0.5, float(row) + 0.5) for row, column in points]


def _write(draw: Any, text: str, ends: FloatArray, colour: str, font: Any, size: tuple[int, ...]) -> None:
    """Put a text at that end of a line that leaves most room, inside the picture, on a pale ground."""
    row, column = max(ends, key=lambda end: min(*end, *(np.array(size) - end)))
    left, top, right, bottom = draw.textbbox((0, 0), text, font=font)
    x = float(np.clip(column - (right - left) / 2, 2, max(2, size[1] - (right - left) - 4)))
    y = float(np.clip(row + 4, 2, max(2, size[0] - (bottom - top) - 8)))
    draw.rectangle(draw.textbbox((x, y), text, font=font), fill="white")
    draw.text((x, y), text, fill=colour, font=font)


def write_preview(path: Path, grey: GreyArray, outline: Outline) -> None:
    """Write the preview of a photograph as JPEG."""
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(preview(grey, outline)).save(content, "JPEG", quality=85, subsampling=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.getvalue())
