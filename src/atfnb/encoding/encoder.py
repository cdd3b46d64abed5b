"""A whole table → codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import BoolArray, CodeArray, IntArray
from atfnb.encoding.attributes import Attribute, NumericAttribute, kind_of_values
from atfnb.encoding.integers import coder
from atfnb.tables import Table, read_table

if TYPE_CHECKING:  # it would import pyarrow
    from atfnb.tables import Kind


@dataclass(frozen=True)
class TableEncoder:
    """How each attribute of a table is coded.

    Examples
    --------
    >>> from atfnb.encoding import fit_encoder
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
        """(attributes,) the number of values of each, "unknown" left out."""
        return np.array([attribute.n_values for attribute in self.attributes], dtype=np.int64)

    @property
    def missing(self) -> BoolArray:
        """(cells,) which cells of the counts stand for a missing value that is a value of its own."""
        return np.concatenate([_missing_cell(attribute) for attribute in self.attributes])

    @property
    def code_type(self) -> np.dtype[Any]:
        """The smallest type that holds every code."""
        return np.min_scalar_type(int(self.n_values.max()))

    def encode(self, X: Any) -> CodeArray:
        """Return the codes of a table with the columns of training: (rows, attributes)."""
        return self.encode_table(read_table(X))

    def encode_table(self, table: Table) -> CodeArray:
        """Return the codes of a table that has been read: (rows, attributes)."""
        if table.integers is not None and (short_cut := coder(self.attributes)):
            return short_cut.encode(table.integers)
        codes = np.empty((table.n_rows, len(table.columns)), dtype=self.code_type)

        def encode(j: int) -> None:
            codes[:, j] = self.attributes[j].encode(table.columns[j])

        for _ in on_all_cores(encode, range(len(table.columns)), worth=table.n_rows > BLOCK, small=True):
            pass
        return codes


def _missing_cell(attribute: Attribute) -> BoolArray:
    """Mark the cell of "missing", if there is one, among the values of an attribute and "unknown"."""
    position = np.arange(attribute.n_values + 1)
    return np.asarray((position >= attribute.n_known) & (position < attribute.unknown))


def learned_kinds(encoder: TableEncoder) -> dict[str, Kind]:
    """Return the name of each column, and what it must hold to be coded: numbers, booleans or text."""
    return {attribute.name: _kind(attribute) for attribute in encoder.attributes}


def _kind(attribute: Attribute) -> Kind:
    return "number" if isinstance(attribute, NumericAttribute) else kind_of_values(attribute.categories)
