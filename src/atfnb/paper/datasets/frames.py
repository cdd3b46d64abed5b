"""Frames of a data set: text for categories, numbers for the rest, and the shape that is checked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

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
        raise ImportError("data sets are pandas frames, and pandas is missing: pip install 'atfnb[bench]'.") from error


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
    return frame.assign(
        **{
            column: _text(frame[column])
            if column in categorical or column == "class"
            else _numbers(frame[column], name)
            for column in frame
        }
    )


def _text(column: pd.Series) -> pd.Series:
    return column.astype(str).where(column.notna())


def _numbers(column: pd.Series, name: str) -> pd.Series:
    try:
        return column.astype(float)
    except ValueError as error:
        raise ValueError(
            f"data set {name!r}: column {column.name!r} should hold numbers only, and does not: {error}."
        ) from error
