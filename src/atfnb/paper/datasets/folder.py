"""Data sets from a folder of CSV files: one file per name, the last column is ``class``, an empty cell is a gap."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from atfnb.paper.datasets.frames import import_pandas
from atfnb.paper.datasets.records import Record

if TYPE_CHECKING:
    import pandas as pd

VARIABLE = "ATFNB_DATA"
"""The environment variable that names the folder, where no argument does."""


def folder_of(data: str | os.PathLike[str] | None = None) -> Path | None:
    """Find the folder to look in: the one given, or the one that ATFNB_DATA names, or none.

    Raises
    ------
    NotADirectoryError
        If there is no such folder.

    Examples
    --------
    >>> folder_of("/no/such/folder")
    Traceback (most recent call last):
        ...
    NotADirectoryError: there is no folder '/no/such/folder': give --data DIR or ATFNB_DATA a folder of CSV files.
    """
    said = os.fspath(data) if data is not None else os.environ.get(VARIABLE, "")
    if not said:
        return None
    folder = Path(said).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(
            f"there is no folder {str(folder)!r}: give --data DIR or {VARIABLE} a folder of CSV files."
        )
    return folder


def file_of(record: Record, folder: Path | None) -> Path | None:
    """Find the file of a set in the folder, under its own name or that of its double.

    Examples
    --------
    >>> from atfnb.paper.datasets.records import record_of
    >>> file_of(record_of("iris"), None) is None
    True
    """
    if folder is None:
        return None
    files = (folder / f"{name}.csv" for name in (record.name, record.same_as) if name)
    return next((file for file in files if file.is_file()), None)


def read(record: Record, file: Path) -> pd.DataFrame:
    """Read a CSV file as text, a gap for each empty cell.

    Parameters
    ----------
    record : Record
        The set it should be.
    file : Path
        A CSV file with a header line whose last name is ``class``.

    Raises
    ------
    ValueError
        If it is not such a file, or a categorical column of the record is not in it.
    """
    pd = import_pandas()
    try:
        frame = pd.read_csv(file, dtype=str, keep_default_na=False, na_values=[""], encoding="utf-8-sig")
    except ValueError as error:
        raise ValueError(f"data set {record.name!r}: {file} cannot be read as CSV: {str(error).strip()}") from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError(f"data set {record.name!r}: the rows of {file} have more cells than its header has names.")
    if list(frame.columns[-1:]) != ["class"]:
        raise ValueError(f"data set {record.name!r}: the last column of {file} should be named 'class'.")
    lost = [column for column in record.categorical if column not in frame and column != "ALL"]
    if lost:
        raise ValueError(f"data set {record.name!r}: {file} should have a column {lost[0]!r} and has none.")
    return frame
