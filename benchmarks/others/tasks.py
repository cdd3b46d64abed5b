"""The splits of a study, as files that other programs read, and the figures of what they predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from atfnb._typing import FloatArray
from atfnb.encoding import learn_encoder
from atfnb.evaluation import log_loss, over_classes
from atfnb.tables import label_rows, read_table
from atfnb_study import datasets
from atfnb_study.protocol import draw_split

Figures = tuple[float, float, float]
"""Accuracy, log-loss, and the seconds of processor time that the training took."""


@dataclass(frozen=True)
class Task:
    """One split of one set: the attributes, the number of the class of each row, and the rows of both parts."""

    X: pd.DataFrame
    y: Any
    train: Any
    test: Any

    @property
    def classes(self) -> Any:
        """The classes of the training part, sorted."""
        return np.unique(self.y[self.train])

    def figures(self, p: FloatArray, seconds: float) -> Figures | None:
        """Return the figures of probabilities: (test rows, classes); None if they are not all numbers."""
        if np.isnan(p).any():
            return None
        y = self.y[self.test]
        right = np.mean(self.classes[p.argmax(axis=1)] == y)
        return float(right), log_loss(over_classes(p, self.classes, np.arange(self.y.max() + 1)), y), seconds

    def read_figures(self, file: Path) -> Figures | None:
        """Return the figures of the probabilities that a program wrote; None if it wrote none."""
        if not file.exists():
            return None
        p = np.genfromtxt(file, delimiter=",", skip_header=1, ndmin=2)
        return self.figures(p, float(file.read_text().split("\n", 1)[0]))

    def write(self, folder: Path) -> None:
        """Write both parts, as they are and as codes; the classes of the test part are left out."""
        folder.mkdir()
        for view, (columns, sizes) in (("", numbered(self)), ("-codes", coded(self))):
            for part, rows, y in (("train", self.train, self.y[self.train]), ("test", self.test, None)):
                (folder / f"{part}{view}.arff").write_text(arff(columns.iloc[rows], sizes, y, self.classes))


def make_task(name: str, split: int, data: str | None) -> Task:
    """Return a split of a set of the study.

    >>> make_task("iris", 0, None).classes
    array([0, 1, 2])
    """
    X, y = datasets.load(name, data)
    rows = draw_split(len(y), split)
    return Task(X, np.unique(y, return_inverse=True)[1], rows.train, rows.test)


def numbered(task: Task) -> tuple[pd.DataFrame, list[int]]:
    """Return the columns with a number for each category of the training part, and how many; 0 for columns of numbers.

    A category that does not occur in the training part is a missing value.
    """
    columns, sizes = {}, []
    for column in read_table(task.X).columns:
        values = task.X[column.name]
        known = pd.Index(values.iloc[task.train].dropna().unique() if column.categorical else [])
        if column.categorical:
            at = known.get_indexer(values)
            values = np.where(at < 0, None, at.astype(object))
        columns[column.name] = values
        sizes.append(len(known))
    return pd.DataFrame(columns, index=task.X.index, dtype=object), sizes


def coded(task: Task) -> tuple[pd.DataFrame, list[int]]:
    """Return codes that are learned from the training part, and how many each column has, with one for "unknown"."""
    table, inside = read_table(task.X), np.isin(np.arange(len(task.y)), task.train)
    encoder = learn_encoder(label_rows(table.take(inside), task.y[inside])).encoder
    return pd.DataFrame(encoder.encode_table(table)), [n + 1 for n in encoder.n_values]


def arff(columns: pd.DataFrame, sizes: Sequence[int], y: Any, classes: Sequence[int]) -> str:
    """Return a table as the text of an ARFF file.

    >>> print(arff(pd.DataFrame({"length": [1.5, None], "colour": [0, 1]}), [0, 2], [0, 1], [0, 1]))
    @relation table
    @attribute a0 numeric
    @attribute a1 {0,1}
    @attribute class {0,1}
    @data
    1.5,0,0
    ?,1,1
    <BLANKLINE>
    """
    kinds = ["{" + ",".join(map(str, range(size))) + "}" if size else "numeric" for size in sizes]
    header = [f"@attribute a{i} {kind}" for i, kind in enumerate(kinds)]
    header.append("@attribute class {" + ",".join(map(str, classes)) + "}")
    rows = columns.assign(**{"class": y}).to_csv(index=False, header=False, na_rep="?")
    return "\n".join(["@relation table", *header, "@data", rows])
