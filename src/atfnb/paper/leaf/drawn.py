"""Drawn leaves: a few species that need no photographs, for trying things out and for tests."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from atfnb._files import write_whole
from atfnb._typing import FloatArray

FINER = 4
"""Leaves are drawn this many times finer and then averaged, so that edges are soft as in a photograph."""
TURN = np.linspace(0, 2 * np.pi, 720, endpoint=False)

Draw = Callable[[np.random.Generator], FloatArray]


def _oval(ratio: float) -> Draw:
    """An ellipse, this many times longer than it is wide."""
    return lambda rng: np.stack([np.cos(TURN), np.sin(TURN) / (ratio * rng.lognormal(0, 0.25))], axis=1)


def _pointed(ratio: float) -> Draw:
    """Pointed at both ends."""
    return lambda rng: _oval(ratio)(rng) * np.stack([np.ones_like(TURN), np.abs(np.sin(TURN))], axis=1)


def _egg(ratio: float) -> Draw:
    """Wider at one end."""
    return lambda rng: _oval(ratio)(rng) * np.stack([np.ones_like(TURN), 1 + 0.45 * np.cos(TURN)], axis=1)


def _wavy(ratio: float, waves: int, depth: float) -> Draw:
    """An ellipse whose edge goes in and out: lobes if few and deep, teeth if many and shallow."""
    return lambda rng: (
        _oval(ratio)(rng) * (1 + depth * rng.lognormal(0, 0.25) * np.cos(waves * TURN))[:, None] / (1 + depth)
    )


SPECIES: dict[str, tuple[Draw, float]] = {
    "broad oval": (_oval(1.5), 5.0),
    "narrow oval": (_oval(2.6), 8.0),
    "needle": (_oval(14.0), 4.0),
    "lance": (_pointed(3.2), 9.0),
    "egg": (_egg(1.7), 7.0),
    "three-lobed": (_wavy(1.4, 3, 0.32), 6.0),
    "five-lobed": (_wavy(1.4, 5, 0.28), 10.0),
    "toothed": (_wavy(2.0, 26, 0.05), 12.0),
}
"""What is drawn, by name: the outline, and how rough the surface is in grey levels."""


def draw_leaf(
    species: str,
    seed: int | tuple[int, ...] = 0,
    *,
    angle: float | None = None,
    mirrored: bool = False,
    size: tuple[int, int] = (240, 320),
) -> NDArray[np.uint8]:
    """Draw one leaf on a light ground, with a pale midrib and noise: (rows, columns, 3).

    Parameters
    ----------
    species : str
        One of :data:`SPECIES`.
    seed : int or tuple of int
        Which leaf of the species.
    angle : float, optional
        By how many degrees it is turned; by default the leaf's own angle.
    mirrored : bool
        Whether to show its other side.
    size : (rows, columns)

    Examples
    --------
    >>> draw_leaf("egg").shape
    (240, 320, 3)
    """
    if species not in SPECIES:
        raise ValueError(f"there is no drawn species {species!r}; there are {', '.join(SPECIES)}.")
    rng = np.random.default_rng([*np.atleast_1d(seed), list(SPECIES).index(species)])
    draw, roughness = SPECIES[species]
    points = draw(rng) * (1, -1 if mirrored else 1) * rng.uniform(0.3, 0.42) * min(size)  # (points, 2)
    turned = np.deg2rad(rng.uniform(0, 360) if angle is None else angle)
    leaf, midrib = _cover(points, turned, size), _cover(_rib(points), turned, size)
    roughness *= rng.lognormal(0, 0.5)
    colour = np.array([70, 125, 50]) * rng.lognormal(0, 0.12, 3)
    image = np.full((*size, 3), 248.0)
    image += leaf[..., None] * (colour - image) + (leaf * midrib)[..., None] * 45
    image += rng.normal(0, 1, size)[..., None] * (1.0 + leaf[..., None] * roughness)
    return np.asarray(np.clip(image, 0, 255), dtype=np.uint8)


def _rib(points: FloatArray) -> FloatArray:
    """A thin wedge along the leaf, from its stalk on."""
    reach, half = np.abs(points[:, 0]).max(), 0.04 * np.abs(points[:, 1]).max() + 0.3
    return np.array([[-reach, half], [0.8 * reach, 0.0], [-reach, -half]])


def _cover(points: FloatArray, angle: float, size: tuple[int, int]) -> FloatArray:
    """What part of each pixel lies inside a polygon (x, y) turned about the middle of the image: (rows, columns)."""
    from PIL import Image, ImageDraw

    turned = points @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    rows, columns = size
    fine = Image.new("L", (FINER * columns, FINER * rows))
    corners = FINER * (turned + np.array([columns, rows]) / 2) - 0.5
    ImageDraw.Draw(fine).polygon([(x, y) for x, y in corners.tolist()], fill=1)
    return np.asarray(np.array(fine).reshape(rows, FINER, columns, FINER).mean(axis=(1, 3)))


def draw_folder(folder: Path, each: int = 30, seed: int = 0) -> Path:
    """Draw so many leaves of each species into a folder, and give the path of their ``labels.csv``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels = draw_folder(Path(folder), each=1).read_text().splitlines()
    >>> labels[:2], len(labels)
    (['file,class', 'broad-oval-000.jpg,broad oval'], 9)
    """
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", "class"])
    for species in SPECIES:
        for number in range(each):
            name = f"{species.replace(' ', '-')}-{number:03}.jpg"
            picture = io.BytesIO()
            Image.fromarray(draw_leaf(species, (seed, number))).save(picture, "JPEG", quality=92)
            write_whole(folder / name, picture.getvalue())
            writer.writerow([name, species])
    labels = folder / "labels.csv"
    write_whole(labels, text.getvalue())
    return labels
