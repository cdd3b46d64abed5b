"""A whole table → codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from atfnb._rows import on_all_cores
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray
from atfnb.encoding.attributes import Attribute, Missing, fit_attribute
from atfnb.encoding.chimerge import MaxBins, resolve_max_bins
from atfnb.encoding.table import Column, read_table


@dataclass(frozen=True)
class TableEncoder:
    """How each attribute of a table is coded.

    Examples
    --------
    >>> import numpy as np
    >>> columns = read_table([[1.0, "red"], [2.0, "blue"], [3.0, None]])
    >>> encoder = fit_encoder(columns, np.array([0, 0, 1], dtype=np.int32), np.ones(3), n_classes=2)
    >>> encoder.encode([[1.5, "red"], [9.0, "green"]])
    array([[0, 1],
           [1, 2]], dtype=uint8)
    """

    attributes: tuple[Attribute, ...]

    @property
    def n_values(self) -> IntArray:
        """How many values each attribute has, "unknown" left out."""
        return np.array([attribute.n_values for attribute in self.attributes], dtype=np.int64)

    def encode(self, X: Any) -> CodeArray:
        """The codes of a table with the same columns: (rows, attributes)."""
        return self.encode_columns(read_table(X))

    def encode_columns(self, columns: list[Column]) -> CodeArray:
        """The codes of columns already read."""
        codes = np.empty((len(columns[0].values), len(columns)), dtype=np.min_scalar_type(int(self.n_values.max())))

        def encode(j: int) -> None:
            codes[:, j] = self.attributes[j].encode(columns[j])

        for _ in on_all_cores(encode, range(len(columns))):
            pass
        return codes


def fit_encoder(
    columns: list[Column],
    y: ClassArray,
    weight: FloatArray,
    n_classes: int,
    *,
    max_bins: MaxBins = "n_classes",
    significance: float | None = None,
    missing: Missing = "impute",
) -> TableEncoder:
    """Learn how to code each column of a table."""
    if missing not in get_args(Missing):
        raise ValueError(f"missing must be one of {', '.join(map(repr, get_args(Missing)))}, not {missing!r}.")
    bins = resolve_max_bins(max_bins, significance, n_classes)

    def fit(column: Column) -> Attribute:
        return fit_attribute(column, y, weight, n_classes, max_bins=bins, significance=significance, missing=missing)

    return TableEncoder(tuple(on_all_cores(fit, columns)))
