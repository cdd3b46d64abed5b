"""Drawn leaves of a few imaginary species, for tests and for trying things out without photographs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from atfnb._files import write_whole
from atfnb._typing import FloatArray
from atfnb_study.leaf.photograph import jpeg
from atfnb_study.text_table import csv_text

FINER = 4
"""Leaves are drawn at this many times the resolution and averaged, for soft edges as in a photograph."""
TURN = np.linspace(0, 2 * np.pi, 720, endpoint=False)

MakeOutline = Callable[[np.random.Generator], FloatArray]
"""Draws the outline of one leaf of a species, of length 2: (points, 2)."""


def _oval(ratio: float) -> MakeOutline:
    """Return a maker of ellipses whose length is about ``ratio`` times their width."""
    return lambda rng: np.stack([np.cos(TURN), np.sin(TURN) / (ratio * rng.lognormal(0, 0.25))], axis=1)


def _shaped(ratio: float, widths: FloatArray) -> MakeOutline:
    """Return a maker of ellipses whose width is multiplied by ``widths``: one for each point."""
    return lambda rng: _oval(ratio)(rng) * np.stack([np.ones_like(TURN), widths], axis=1)


def _wavy(ratio: float, waves: int, depth: float) -> MakeOutline:
    """Return a maker of ellipses with a wavy edge: lobes if the waves are few and deep, teeth if many and shallow."""
    return lambda rng: (
        _oval(ratio)(rng) * (1 + depth * rng.lognormal(0, 0.25) * np.cos(waves * TURN))[:, None] / (1 + depth)
    )


SPECIES: dict[str, tuple[MakeOutline, float]] = {
    "broad oval": (_oval(1.5), 5.0),
    "narrow oval": (_oval(2.6), 8.0),
    "needle": (_oval(14.0), 4.0),
    "lance": (_shaped(3.2, np.abs(np.sin(TURN))), 9.0),
    "egg": (_shaped(1.7, 1 + 0.45 * np.cos(TURN)), 7.0),
    "three-lobed": (_wavy(1.4, 3, 0.32), 6.0),
    "five-lobed": (_wavy(1.4, 5, 0.28), 10.0),
    "toothed": (_wavy(2.0, 26, 0.05), 12.0),
}
"""The drawn species by name: the maker of outlines, and the roughness of the surface in grey levels."""


def draw_leaf(
    species: str,
    seed: int | tuple[int, ...] = 0,
    *,
    angle: float | None = None,
    mirrored: bool = False,
    size: tuple[int, int] = (240, 320),
) -> NDArray[np.uint8]:
    """Return the picture of one leaf on a light ground, with a pale midrib and noise: (rows, columns, 3).

    Parameters
    ----------
    species : str
        One of :data:`SPECIES`.
    seed : int or tuple of int
        The number of the leaf: another seed draws another leaf of the species.
    angle : float, optional
        The rotation in degrees; by default a random angle that depends on the seed.
    mirrored : bool
        Whether to draw the mirror image.
    size : (int, int), default=(240, 320)
        The rows and columns of the picture.

    Returns
    -------
    (rows, columns, 3) array of uint8
        The picture in colour.

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
    """Return the midrib as a thin wedge along the leaf, from the stalk on: (3, 2)."""
    reach, half = np.abs(points[:, 0]).max(), 0.04 * np.abs(points[:, 1]).max() + 0.3
    return np.array([[-reach, half], [0.8 * reach, 0.0], [-reach, -half]])


def _cover(points: FloatArray, angle: float, size: tuple[int, int]) -> FloatArray:
    """Return the share of each pixel inside a polygon (x, y) turned about the middle of the image: (rows, columns)."""
    turned = points @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    rows, columns = size
    fine = Image.new("L", (FINER * columns, FINER * rows))
    corners = FINER * (turned + np.array([columns, rows]) / 2) - 0.5
    ImageDraw.Draw(fine).polygon([(x, y) for x, y in corners.tolist()], fill=1)
    return np.asarray(np.array(fine).reshape(rows, FINER, columns, FINER).mean(axis=(1, 3)))


def draw_folder(folder: Path, each: int = 30, seed: int = 0) -> Path:
    """Draw ``each`` leaves of every species into a folder, and return the path of their ``labels.csv``.

    Parameters
    ----------
    folder : Path
        The folder for the pictures; it is made if it does not exist.
    each : int, default=30
        The number of leaves of each species.
    seed : int, default=0
        Another seed draws other leaves.

    Returns
    -------
    Path
        The table of labels, with the columns ``file`` and ``class``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels = draw_folder(Path(folder), each=1).read_text().splitlines()
    >>> labels[:2], len(labels)
    (['file,class', 'broad-oval-000.jpg,broad oval'], 9)
    """
    folder.mkdir(parents=True, exist_ok=True)
    labels = []
    for species in SPECIES:
        for number in range(each):
            name = f"{species.replace(' ', '-')}-{number:03}.jpg"
            write_whole(folder / name, jpeg(Image.fromarray(draw_leaf(species, (seed, number))), quality=92))
            labels.append((name, species))
    table = folder / "labels.csv"
    write_whole(table, csv_text(("file", "class"), labels))
    return table
