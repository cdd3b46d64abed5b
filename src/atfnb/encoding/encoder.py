"""A whole table → codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import BoolArray, CodeArray, IntArray
from atfnb.encoding.attributes import Attribute, Missing, fit_attribute, from_counts
from atfnb.encoding.chimerge import MaxBins, resolve_max_bins
from atfnb.encoding.integers import coder, count_categories
from atfnb.tables import Column, Table, Target, read_table


@dataclass(frozen=True)
class TableEncoder:
    """How each attribute of a table is coded.

    Examples
    --------
    >>> from atfnb.tables import read_target
    >>> table = read_table([[1.0, "red"], [2.0, "blue"], [3.0, None]])
    >>> encoder = fit_encoder(table, read_target(["a", "a", "b"], None, 3))
    >>> encoder.encode([[1.5, "red"], [9.0, "green"]])
    array([[0, 1],
           [1, 2]], dtype=uint8)
    """

    attributes: tuple[Attribute, ...]

    @property
    def n_values(self) -> IntArray:
        """How many values each attribute has, "unknown" left out."""
        return np.array([attribute.n_values for attribute in self.attributes], dtype=np.int64)

    @property
    def missing(self) -> BoolArray:
        """(cells,) which cells of the counts stand for a missing value that is a value of its own."""
        return np.concatenate([_missing_cell(attribute) for attribute in self.attributes])

    def encode(self, X: Any) -> CodeArray:
        """The codes of a table with the same columns: (rows, attributes)."""
        return self.encode_table(read_table(X))

    @property
    def code_type(self) -> np.dtype[Any]:
        """The smallest type that holds every code."""
        return np.min_scalar_type(int(self.n_values.max()))

    def encode_table(self, table: Table) -> CodeArray:
        """The codes of a table already read."""
        if table.integers is not None and (short_cut := coder(self.attributes)):
            return short_cut.encode(table.integers)
        codes = np.empty((table.n_rows, len(table.columns)), dtype=self.code_type)

        def encode(j: int) -> None:
            codes[:, j] = self.attributes[j].encode(table.columns[j])

        for _ in on_all_cores(encode, range(len(table.columns)), worth=table.n_rows > BLOCK, small=True):
            pass
        return codes


def _missing_cell(attribute: Attribute) -> BoolArray:
    """Mark the cell of "missing", if it has one, among the values of an attribute and "unknown"."""
    place = np.arange(attribute.n_values + 1)
    return np.asarray((place >= attribute.n_known) & (place < attribute.unknown))


def fit_encoder(
    table: Table, target: Target, *, max_bins: MaxBins = "n_classes", missing: Missing = "impute"
) -> TableEncoder:
    """Learn how to code each column of a table."""
    check_missing(missing)
    n_classes = len(target.classes)
    bins = resolve_max_bins(max_bins, n_classes)
    if table.integers is not None and all(column.categorical for column in table.columns):
        counted = count_categories(table.integers, target.weight)
        if counted is not None:
            pairs = zip(table.columns, counted, strict=True)
            return TableEncoder(tuple(from_counts(c.name, *of, c.is_complete, missing) for c, of in pairs))

    def fit(column: Column) -> Attribute:
        return fit_attribute(column, target.y, target.weight, n_classes, bins, missing)

    return TableEncoder(tuple(on_all_cores(fit, table.columns, worth=table.n_rows > BLOCK, small=True)))


def check_missing(missing: Any) -> None:
    """Refuse what is not a way with missing cells."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be one of {', '.join(map(repr, get_args(Missing)))}, not {missing!r}.")
