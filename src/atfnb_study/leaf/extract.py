"""Measure a folder of photographs: labels and images in, a table of attributes and previews out.

What is measured is written to a journal at once, so that an interrupted run continues where it stopped.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from atfnb._files import write_whole
from atfnb._progress import Progress
from atfnb._typing import FloatArray
from atfnb_study.journal import Journal, in_processes
from atfnb_study.leaf.attributes import ATTRIBUTES, Outline, measure
from atfnb_study.leaf.photograph import GreyArray, Reason, UnmeasuredError, jpeg, read
from atfnb_study.text_table import csv_text

METHOD = 1
"""The version of the method: raised when a photograph would give other numbers than before."""
FEW = 16
"""Up to this number of photographs one process is faster than starting others."""
CLASS_COLUMNS = ("class", "species", "label")
"""The names for the column of the class in a table of labels; the first one found counts."""
EDGE, LENGTH, WIDTH = "#e0218a", "#1f5fd0", "#d9480f"
"""The colours of a preview."""


@dataclass(frozen=True)
class MeasuredFile:
    """One line of the journal: the 14 numbers of a file, or the reason why there are none, or numbers and a remark."""

    file: str
    mark: str
    """The size and the time of the last change; if they differ, the photograph is measured again."""
    values: list[float]
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Summary:
    """The outcome of measuring a folder of photographs."""

    out: Path
    measured: int
    """The number of rows of the table."""
    known: int
    """The number of files that an earlier run had measured or left out."""
    skipped: dict[Reason, list[str]]
    """The files that are not in the table, by reason."""
    remarks: dict[Reason, list[str]]
    """The files that are in the table with a remark, by reason."""
    details: dict[str, str]
    """By file name: what is known of a skipped file beyond the reason."""


def extract(
    images: Path,
    labels: Path,
    out: Path,
    *,
    leaf_pixels_only: bool = False,
    preview: Path | None = None,
    jobs: int = 2,
    progress: Progress = lambda *_: None,
) -> Summary:
    """Measure every photograph that has a label, and write a table: file, 14 attributes, class.

    Measurements are kept in a journal beside the table. A second run continues from there, and measures only the
    photographs that are new or have changed.

    Parameters
    ----------
    images : Path
        The folder of photographs.
    labels : Path
        A CSV table with a column ``file`` and one named ``class``, ``species`` or ``label``.
    out : Path
        The table to write; it is written as a whole, after the last photograph.
    leaf_pixels_only : bool, default=False
        Measure the texture of the leaf only, instead of the whole image.
    preview : Path, optional
        A folder for a picture of each photograph with its outline, length and width drawn on it.
    jobs : int, default=2
        The number of processes.
    progress : callable, optional
        Called after every photograph with the number done, the total and the file name.

    Returns
    -------
    Summary
        The number of rows written, and the files left out, by reason.

    Examples
    --------
    >>> import tempfile
    >>> from atfnb_study.leaf import draw_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels = draw_folder(Path(folder), each=1)
    ...     done = extract(Path(folder), labels, Path(folder) / "features.csv", jobs=1)
    >>> done.measured, done.skipped
    (8, {})
    """
    journal_file = out.with_name(f"{out.name}.journal")
    there = files_in(images, but_not=[labels, out, journal_file, *([preview] if preview else [])])
    classes = read_labels(labels)
    options = {"leaf_pixels_only": leaf_pixels_only, "method": METHOD, "scikit-image": version("scikit-image")}
    again = "its photograph is measured again"
    journal = Journal(journal_file, MeasuredFile, options, work="measurements", again=again)
    known = {one.file: one for one in journal.records}
    named = [_photograph(name, images, preview) for name in there if name in classes]
    todo = [one for one in named if not one.is_done(known.get(one.name))]
    task = partial(_measure_file, leaf_pixels_only=leaf_pixels_only)
    for done, one in enumerate(in_processes(task, todo, jobs if len(todo) > FEW else 1), start=1):
        journal.add(one)
        known[one.file] = one
        progress(len(named) - len(todo) + done, len(named), one.file)
    found = {one.name: known[one.name] for one in named}
    rows = [(found[name], label) for name, label in classes.items() if name in found and found[name].values]
    table = ((one.file, *one.values, label) for one, label in rows)  # all digits: tables compare to the byte
    write_whole(out, csv_text(["file", *ATTRIBUTES, "class"], table))
    skipped = [(one.file, one.reason) for one in found.values() if not one.values]
    skipped += [(name, Reason.NO_FILE) for name in classes if name not in found]
    skipped += [(name, Reason.NO_LABEL) for name in there if name not in classes]
    remarks = [(one.file, one.reason) for one, _ in rows if one.reason]
    details = {one.file: one.detail for one in found.values() if one.detail}
    return Summary(out, len(rows), len(named) - len(todo), _by_reason(skipped), _by_reason(remarks), details)


@dataclass(frozen=True)
class _Photograph:
    """A file to be measured, and the path of its preview."""

    name: str
    path: Path
    mark: str
    picture: Path | None

    def is_done(self, known: MeasuredFile | None) -> bool:
        """Return whether an earlier run has measured this very file, and drawn its preview if one is wanted."""
        if known is None or known.mark != self.mark:
            return False
        return self.picture is None or not known.values or self.picture.exists()


def _photograph(name: str, folder: Path, preview: Path | None) -> _Photograph:
    status = (folder / name).stat()
    picture = preview / f"{name}.preview.jpg" if preview else None
    return _Photograph(name, folder / name, f"{status.st_size} {status.st_mtime_ns}", picture)


def _measure_file(photograph: _Photograph, leaf_pixels_only: bool) -> MeasuredFile:
    """Return the line of the journal for one photograph, and write its preview; runs in any process."""
    try:
        found = measure(read(photograph.path), leaf_pixels_only=leaf_pixels_only)
    except UnmeasuredError as error:
        return MeasuredFile(photograph.name, photograph.mark, [], error.reason.value, error.detail)
    if photograph.picture:
        write_preview(photograph.picture, found.grey, found.outline)
    values = [found.values[attribute] for attribute in ATTRIBUTES]
    return MeasuredFile(photograph.name, photograph.mark, values, Reason.TOUCHES.value if found.touches else "")


def _by_reason(reasons: list[tuple[str, str]]) -> dict[Reason, list[str]]:
    """Return the file names of each reason, from pairs of a name and a reason."""
    names = {reason: [name for name, why in reasons if why == reason] for reason in Reason}
    return {reason: files for reason, files in names.items() if files}


# --- which photographs there are, and the class of each ---------------------------------------------


def read_labels(path: Path) -> dict[str, str]:
    r"""Return the class of each file, from a CSV table with a column ``file`` and one for the class.

    The class is in the column ``class``, ``species`` or ``label``; a file whose class is blank is left out.

    Raises
    ------
    ValueError
        If the file is not a table, lacks a column, or gives one file two classes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "labels.csv"
    ...     _ = table.write_text("file,species_id,species\n1001.jpg,1,pubescent bamboo\n")
    ...     read_labels(table)
    {'1001.jpg': 'pubescent bamboo'}
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no table of labels {str(path)!r}: name one with --labels FILE.")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file)
            column = _class_column(lines.fieldnames or (), path)
            found = [(line["file"] or "", line[column] or "") for line in lines]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is not a CSV table: {error}.") from None
    labels: dict[str, str] = {}
    for name, label in ((Path(name.strip()).as_posix(), label.strip()) for name, label in found if name.strip()):
        if label and labels.setdefault(name, label) != label:
            raise ValueError(f"{path} gives {name!r} two classes, {labels[name]!r} and {label!r}.")
    if not labels:
        raise ValueError(f"{path} has no labels.")
    return labels


def _class_column(columns: Collection[str], path: Path) -> str:
    column = next((column for column in CLASS_COLUMNS if column in columns), None)
    if "file" not in columns or column is None:
        raise ValueError(
            f"{path} should have a column 'file' and one of {', '.join(CLASS_COLUMNS)}; "
            f"it has {', '.join(columns) or 'none'}."
        )
    return column


def files_in(folder: Path, but_not: Collection[Path] = ()) -> list[str]:
    """Return the path of every file below a folder, relative to it and sorted, without hidden ones and ``but_not``.

    Raises
    ------
    NotADirectoryError
        If there is no such folder.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"there is no folder {str(folder)!r}.")
    left_out = {path.resolve() for path in but_not}
    found: list[str] = []
    for parent, folders, files in os.walk(folder):
        here = Path(parent)
        folders[:] = [name for name in folders if name[0] != "." and (here / name).resolve() not in left_out]
        kept = (here / name for name in files if name[0] != "." and (here / name).resolve() not in left_out)
        found += [path.relative_to(folder).as_posix() for path in kept]
    return sorted(found)


# --- previews ---------------------------------------------------------------------------------------


def preview(grey: GreyArray, outline: Outline) -> NDArray[np.uint8]:
    """Return the grey image with the outline, the length and the width of the leaf drawn on it: (rows, columns, 3).

    Parameters
    ----------
    grey : (rows, columns) array of uint8
        The grey image.
    outline : Outline
        The outline of the leaf in it.

    Returns
    -------
    (rows, columns, 3) array of uint8
        The picture in colour.

    Examples
    --------
    >>> from atfnb_study.leaf import draw_leaf, grey, outline, segment
    >>> image = grey(draw_leaf("lance"))
    >>> preview(image, outline(segment(image))).shape
    (240, 320, 3)
    """
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
    """Return points (row, column) as Pillow's (x, y), in which the centre of a pixel lies at one half."""
    return [(float(column) + 0.5, float(row) + 0.5) for row, column in points]


def _write(draw: Any, text: str, ends: FloatArray, colour: str, font: Any, size: tuple[int, ...]) -> None:
    """Write a text at the end of a line that leaves more room, inside the picture, on a white ground."""
    row, column = max(ends, key=lambda end: min(*end, *(np.array(size) - end)))
    left, top, right, bottom = draw.textbbox((0, 0), text, font=font)
    x = float(np.clip(column - (right - left) / 2, 2, max(2, size[1] - (right - left) - 4)))
    y = float(np.clip(row + 4, 2, max(2, size[0] - (bottom - top) - 8)))
    draw.rectangle(draw.textbbox((x, y), text, font=font), fill="white")
    draw.text((x, y), text, fill=colour, font=font)


def write_preview(path: Path, grey: GreyArray, outline: Outline) -> None:
    """Write the preview of a photograph as JPEG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, jpeg(Image.fromarray(preview(grey, outline)), quality=85, subsampling=0))
