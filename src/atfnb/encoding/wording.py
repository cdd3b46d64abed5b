"""What the cells of rows are called: the label of the code of each, in words that are true of the cell itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from atfnb._typing import BoolArray, CodeArray, IntArray
from atfnb.encoding.attributes import Attribute, NumericAttribute
from atfnb.tables import Column, Table

UNSEEN = "not seen in training"
"""What a value without a code of its own is called; many a column has a category named "unknown"."""


@dataclass(frozen=True)
class Wording:
    """The values of some rows in words, each distinct one once."""

    names: Sequence[str]
    """(attributes,) the names of the attributes."""
    values: Sequence[str]
    """(words,) the values in words, for example ``March``, ``≥ 320``, ``missing`` or ``not seen in training``."""
    signs: Sequence[str]
    """(words,) what stands before the value in a statement: "= " before a category, otherwise nothing."""
    position: IntArray
    """(rows, attributes) where the words for each cell stand in ``values``."""

    def statement(self, row: int, attribute: int, shown: Callable[[str], str] = str, between: str = " ") -> str:
        """Return the name of an attribute and its value in a row, for example ``month = March`` or ``size ≥ 320``.

        ``shown`` returns a name, or a value, as it is to be shown, for example cut off.
        """
        word = self.position[row, attribute]
        return f"{shown(self.names[attribute])}{between}{self.signs[word]}{shown(self.values[word])}"


def wording_of(attributes: Sequence[Attribute], table: Table, codes: CodeArray) -> Wording:
    """Return the cells of a table in words.

    A missing cell is called ``missing``, whatever code it has, and a value that has the code "unknown"
    ``not seen in training``. A number that the label of its interval does not describe, as a fraction among whole
    numbers, gets a label that does.

    Parameters
    ----------
    attributes : sequence of Attribute
        How each attribute is coded.
    table : Table
        The rows, with one column for each attribute.
    codes : (rows, attributes) array
        The code of each cell.

    Examples
    --------
    >>> from atfnb.encoding import CategoricalAttribute
    >>> from atfnb.tables import read_table
    >>> year = NumericAttribute("year", np.array([2008.5]), 2, 0, whole=(2001, 2012))
    >>> fuel = CategoricalAttribute("fuel", ("diesel", "petrol"), 2, 0)
    >>> table = read_table([[2003, "petrol"], [2003.5, None], [2010, "steam"]])
    >>> words = wording_of([year, fuel], table, np.array([[0, 1], [0, 0], [1, 2]]))
    >>> [words.statement(row, 0) for row in range(3)]
    ['year ≤ 2008', 'year < 2008.5', 'year ≥ 2009']
    >>> [words.statement(row, 1) for row in range(3)]
    ['fuel = petrol', 'fuel missing', 'fuel not seen in training']
    """
    offsets = np.concatenate([[0], np.cumsum([attribute.n_values + 1 for attribute in attributes])])
    n_cells, cells = offsets[-1], codes + offsets[:-1]
    for j, (attribute, column) in enumerate(zip(attributes, table.columns, strict=True)):
        cells[~_label_holds(attribute, column), j] += n_cells
        cells[column.missing, j] = 2 * n_cells
    labels, intervals = _cell_labels(attributes), _cell_labels([_without_whole(one) for one in attributes])
    values, signs = zip(*labels, *intervals, ("missing", ""), strict=True)
    return Wording([attribute.name for attribute in attributes], values, signs, cells)


def _label_holds(attribute: Attribute, column: Column) -> BoolArray:
    """Return whether the label of its code is true of each cell: it is not for a fraction among whole numbers."""
    if isinstance(attribute, NumericAttribute):
        return attribute.fits_labels(column.values)
    return np.ones(len(column.values), dtype=bool)


def _without_whole(attribute: Attribute) -> Attribute:
    """Return the attribute with labels that are true of any number."""
    return replace(attribute, whole=None) if isinstance(attribute, NumericAttribute) else attribute


def _cell_labels(attributes: Sequence[Attribute]) -> list[tuple[str, str]]:
    """Return label and sign of every value of every attribute, in the order of the cells of the model."""
    labels: list[tuple[str, str]] = []
    for attribute in attributes:
        sign = "" if isinstance(attribute, NumericAttribute) else "= "
        labels += [(label, sign) for label in attribute.labels]
        labels.append((UNSEEN, ""))
    return labels
