"""Which photographs there are, and of which class each is."""

from __future__ import annotations

import csv
import os
from collections.abc import Collection
from pathlib import Path

CLASS_COLUMNS = ("class", "species", "label")
"""The column of the class is the first of these that a table of labels has."""


def read_labels(path: Path) -> dict[str, str]:
    r"""The class of each file, from a CSV table with a column ``file`` and one for the class.

    The class is in the column ``class``, ``species`` or ``label``; a file whose class is blank is left out.

    Raises
    ------
    ValueError
        If it is no table, lacks a column, or gives one file two classes.

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
        raise ValueError(f"{path} is no CSV table: {error}.") from None
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
    """Every file below a folder, by its path from there, hidden ones left out, and those in ``but_not`` too.

    Raises
    ------
    NotADirectoryError
        If there is no such folder.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"there is no folder {str(folder)!r}.")
    left_out = {path.resolve() for path in but_not}
    found: list[str] = []
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = [name for name in folders if name[0] != "." and (here / name).resolve() not in left_out]
        kept = (here / name for name in files if name[0] != "." and (here / name).resolve() not in left_out)
        found += [path.relative_to(folder).as_posix() for path in kept]
    return sorted(found)
