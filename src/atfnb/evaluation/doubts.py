"""Columns to look at before trusting a model: text whose values hardly recur, and columns that give the class away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from atfnb._errors import Message, Setting, listed_names
from atfnb._typing import FloatArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import Attribute
from atfnb.tables import ENOUGH_ROWS, Table, is_identifier

RIGHT = 0.99
"""A column that alone predicts the class in this share of the rows, or more, may be a leak."""
FEWER = 10
"""A column may be a leak only if it is wrong this many times less often than guessing the most frequent class."""
NAMED_COLUMNS = 5
"""The largest number of columns that a sentence names."""


@dataclass(frozen=True)
class Doubts:
    """The columns of a model that may be of no use for new rows."""

    rare_values: tuple[str, ...]
    """Columns of text in which most rows have a value of their own: names, addresses, comments."""
    leaks: tuple[tuple[str, float], ...]
    """Columns that alone predict the class almost everywhere, and the share of the rows in which they do."""
    row_numbers: tuple[str, ...] = ()
    """Columns of whole numbers that only number the rows."""

    def without(self, columns: Sequence[str]) -> Doubts:
        """Return the doubts about all columns but these."""
        rare = tuple(name for name in self.rare_values if name not in columns)
        return Doubts(rare, tuple(leak for leak in self.leaks if leak[0] not in columns), self.row_numbers)


def doubts_of(model: BaseNB, row_numbers: tuple[str, ...] = ()) -> Doubts:
    """Return the columns of a model that may be of no use for new rows, by what was counted in training.

    Parameters
    ----------
    model : BaseNB
        A fitted classifier.
    row_numbers : tuple of str
        Columns that only number the rows, by :func:`row_numbers`.

    Examples
    --------
    >>> from atfnb import NB
    >>> X = [[f"name {i}", "paid" if i % 2 else "owed"] for i in range(50)]
    >>> doubts_of(NB().fit(X, [i % 2 for i in range(50)]))
    Doubts(rare_values=('x0',), leaks=(('x1', 1.0),), row_numbers=())
    """
    encoder, counts, rows = model.encoder_, model.counts_, model.n_rows_
    if rows < ENOUGH_ROWS:
        return Doubts((), (), row_numbers)
    unit = rows / max(float(counts.classes.sum()), 1e-300)  # weights that add up to the number of rows
    guess = float(counts.classes.max() / counts.classes.sum())
    rare, leaks = list[str](), dict[str, float]()
    for j, attribute in enumerate(encoder.attributes):
        table = unit * counts.of_attribute(j)
        if _mostly_once(attribute, table, rows):
            rare.append(attribute.source)
        right = predicts_alone(table) / rows
        if right >= RIGHT and FEWER * (1 - right) <= 1 - guess:
            leaks[attribute.source] = max(right, leaks.get(attribute.source, 0.0))
    return Doubts(tuple(rare), tuple(leaks.items()), row_numbers)


def predicts_alone(table: FloatArray) -> float:
    """Return in how many rows the class is the most frequent one among the other rows with an equal value.

    Parameters
    ----------
    table : (values, classes) array
        The number of rows with each value and each class.

    Examples
    --------
    >>> predicts_alone(np.array([[8.0, 1.0], [0.0, 1.0]]))  # 8 rows; a value that occurs once predicts nothing
    8.0
    """
    first = table.argmax(axis=1)
    most = table[np.arange(len(table)), first]
    others = table.copy()
    others[np.arange(len(table)), first] = 0.0
    return float(most[most - 1 > others.max(axis=1, initial=0.0)].sum())


def _mostly_once(attribute: Attribute, table: FloatArray, rows: int) -> bool:
    """Return whether an attribute is text, and most rows have a value of it that no other row has."""
    if attribute.kind != "text":
        return False
    times, kept = table.sum(axis=1), len(attribute.categories)
    once = float((times[:kept] < 1.5).sum())
    if attribute.pooled:  # if p values have w rows, at least 2 p − w of them occur once
        once += max(2 * attribute.pooled - (rows if attribute.is_unused else float(times[kept])), 0.0)
    return kept + attribute.pooled > ENOUGH_ROWS and 2 * once > rows


def row_numbers(table: Table) -> tuple[str, ...]:
    """Return the names of the columns of whole numbers that only number the rows."""
    found = list[str]()
    for column in table.columns:
        if column.categorical or column.part or not column.is_complete or (column.values % 1).any():
            continue
        distinct = np.unique(column.values)
        span = float(distinct[-1]) - float(distinct[0])
        if is_identifier(column.name, "whole", table.n_rows, len(distinct), span):
            found.append(column.name)
    return tuple(found)


def doubts_in_words(doubts: Doubts, target: str) -> Iterator[str]:
    """Generate a sentence on each kind of doubt; ``target`` says what is predicted."""
    if names := doubts.row_numbers:
        numbers = f"{listed_names(names, NAMED_COLUMNS)}: a different whole number in every row, like a row number, "
        yield Message(numbers, "which predicts nothing in new rows; ", _leave_out(names), ".")
    for name, right in doubts.leaks:
        leak = f"{name!r} alone predicts {target} in {100 * right:.1f} % of the rows: "
        yield Message(leak, "if it is not yet known when a class is to be predicted, ", _leave_out([name]), ".")
    if names := doubts.rare_values:
        its = "its" if len(names) == 1 else "their"
        once = f"{listed_names(names, NAMED_COLUMNS)}: most of {its} values occur only once, like names or comments, "
        yield Message(once, "and predict little in new rows; ", _leave_out(names), ".")


def _leave_out(columns: Sequence[str]) -> Setting:
    return Setting("ignore", columns, act=f"leave {'it' if len(columns) == 1 else 'them'} out and train again")
