"""The paper's printed tables as data, to be shown next to our results.

Figures are as printed, misprints included. Sets are spelled as in T2. T6 and T10 keep the paper's ``i(j)``; the
diagonals of T6 to T8 and T10 to T12 are blank. The last lines of T5 and T9 are tables of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import pyarrow as pa
import pyarrow.csv

from atfnb._typing import FloatArray

PrintedCell = int | float | str
PrintedRow = dict[str, PrintedCell]


def _read(name: str) -> list[PrintedRow]:
    """Return a table with its columns as integers, floats or text; blank cells are empty texts."""
    text = (files("atfnb_study") / "published_tables" / f"{name}.csv").read_bytes()
    rows = pyarrow.csv.read_csv(pa.BufferReader(text)).to_pylist()
    return [{column: "" if cell is None else cell for column, cell in row.items()} for row in rows]


TABLES = {str(name): str(what) for name, what in (row.values() for row in _read("contents"))}
"""The tables by name, with what each one holds."""


def table(name: str) -> list[PrintedRow]:
    """Return the rows of one of the paper's tables, each as a dictionary by column.

    Parameters
    ----------
    name : str
        One of the names in :data:`TABLES`, as "T5".

    Examples
    --------
    >>> table("T2")[0]
    {'set': 'abalone', 'instances': 4177, 'attributes': 8, 'classes': 3}
    """
    return [dict(row) for row in _rows(name)]


def number_columns(name: str, columns: Sequence[str]) -> FloatArray:
    """Return some columns of one of the paper's tables as an array (rows, columns), with NaN for a blank cell.

    Parameters
    ----------
    name : str
        One of the names in :data:`TABLES`.
    columns : sequence of str
        The names of columns that hold numbers.

    Examples
    --------
    >>> number_columns("T5", ["NB", "ATFNB"])[:2]
    array([[0.5886, 0.5908],
           [0.9958, 0.9635]])
    """
    rows = _rows(name)
    for column in columns:
        if any(isinstance(row.get(column, "none"), str) and row.get(column) != "" for row in rows):
            raise ValueError(f"{name} has no column {column!r} of numbers; its columns are {', '.join(rows[0])}.")
    return np.array([[np.nan if row[c] == "" else row[c] for c in columns] for row in rows], dtype=np.float64)


def by_name(name: str) -> dict[str, PrintedRow]:
    """Return the rows of one of the paper's tables by their first cell.

    >>> by_name("T3")["G_1"]["classes"]
    15
    """
    return {str(next(iter(row.values()))): row for row in table(name)}


@cache
def _rows(name: str) -> tuple[PrintedRow, ...]:
    if name not in TABLES:
        raise ValueError(f"there is no table {name!r}; there are {', '.join(TABLES)}.")
    return tuple(_read(name))
