"""Rows that belong together: exact copies of each other, and groups that a user names.

What is measured on rows of which copies were learned from is too good. But rows of a few categories are equal by
chance, and a new row then has equals among the training rows too: such rows are no copies, and are split like any.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import BoolArray, ClassArray, FloatArray, IntArray
from atfnb.tables import Column, Table

Keys = NDArray[np.uint64]
"""A number for each row, the same for rows that are equal, or of one group."""

BEYOND_CHANCE = 50.0
"""Equal rows are copies if they are this many times as frequent as among columns that depend on the class only.

Columns that depend on each other more make them up to 28 times as frequent on the paper's 50 sets (``blood``, of which
one column is a multiple of another); in its sets with copies of measurements they are 7,500 times as frequent and more.
"""
ENOUGH = 20
"""More different rows than this are not each there three times, say, by chance."""


def are_copies(keys: Keys | IntArray, y: ClassArray | IntArray, weight: FloatArray, by_chance: FloatArray) -> BoolArray:
    """Return which rows are copies of others, all of one class: (rows,).

    Equal rows are copies if they are far more frequent in the table than by chance, or if all rows are there twice, or
    three times, and so on. A row of weight two is two copies.

    Parameters
    ----------
    keys : (rows,) array
        A number for the values of each row, the same for equal rows.
    y : (rows,) array
        The class of each row.
    weight : (rows,) array
    by_chance : (classes,) array
        How many rows equal a row of each class by chance: see :func:`equal_by_chance`.

    Examples
    --------
    >>> keys, y = np.array([3, 3, 5, 8, 8], dtype=np.uint64), np.array([0, 0, 1, 0, 1])
    >>> are_copies(keys, y, np.ones(5), by_chance=np.array([1e-6, 1e-6]))
    array([ True,  True, False, False, False])
    """
    _, group = np.unique(keys, return_inverse=True)
    total = np.bincount(group, weights=weight)
    lowest, highest = np.full(len(total), len(by_chance)), np.full(len(total), -1)
    np.minimum.at(lowest, group, y)
    np.maximum.at(highest, group, y)
    pure, times = lowest == highest, total.astype(np.int64)
    others = np.where(pure, np.maximum(total - 1.0, 0.0), 0.0)[group]
    often = bool(weight @ others > BEYOND_CHANCE * (weight @ by_chance[y]))
    whole_table = len(total) > ENOUGH and pure.all() and (times == total).all() and np.gcd.reduce(times) > 1
    return (others > 0) & (often or bool(whole_table))


def equal_by_chance(n_rows: FloatArray, alike: FloatArray) -> FloatArray:
    """Return n_c Π_j Σ_a P(a|c)², how many rows equal a row of each class where columns are independent: (classes,).

    Parameters
    ----------
    n_rows : (classes,) array
        The number of rows of each class.
    alike : (attributes, classes) array
        Σ_a P(a|c)², the probability that two rows of a class have the same value of an attribute.
    """
    return np.asarray(n_rows * np.exp(np.log(np.maximum(alike, 1e-300)).sum(axis=0)))


def copies_of(table: Table, y: ClassArray | IntArray, weight: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return a number for each row, the same for equal rows, and which rows are copies: (rows,) and (rows,).

    Rows are compared as they were read, before any value is coded.

    >>> from atfnb.tables import read_table
    >>> rows = [[i, i / 7, i / 9] for i in range(400)]
    >>> _, copies = copies_of(read_table([*rows, rows[3]]), np.zeros(401, dtype=int), np.ones(401))
    >>> np.flatnonzero(copies)
    array([  3, 400])
    """
    same: IntArray = np.zeros(table.n_rows, dtype=np.int64)
    of_class: FloatArray = np.bincount(y, weights=weight).astype(np.float64)
    n_classes, share, alike = len(of_class), weight / of_class[y], list[FloatArray]()
    for column in table.columns:
        values = numbered(column)
        cells, cell = np.unique(values * n_classes + y, return_inverse=True)
        alike.append(np.bincount(cells % n_classes, np.bincount(cell, share) ** 2, n_classes).astype(np.float64))
        same = np.unique(same * (values.max() + 1) + values, return_inverse=True)[1]
    return same, are_copies(same, y, weight, equal_by_chance(of_class, np.array(alike)))


def first_copies(same: IntArray, copies: BoolArray) -> IntArray:
    """Return the position of the first copy of each row, its own for a row that is no copy: (rows,).

    >>> first_copies(np.array([0, 2, 0, 2]), np.array([True, False, True, False]))
    array([0, 1, 0, 3])
    """
    apart = np.where(copies, same, same.max(initial=0) + 1 + np.arange(len(same)))
    _, first, unit = np.unique(apart, return_index=True, return_inverse=True)
    return np.asarray(first[unit])


def numbered(column: Column) -> IntArray:
    """Return a number for each cell of a column, the same for equal cells; 0 for a missing one: (rows,)."""
    if column.dictionary is not None:
        numbers = column.dictionary.position.astype(np.int64)
    elif column.values.dtype == object:
        known = {value: i for i, value in enumerate(column.distinct)}
        numbers = np.array([known.get(value, 0) for value in column.values.tolist()], dtype=np.int64)
    else:
        numbers = np.unique(column.values, return_inverse=True)[1]
    return np.where(column.missing, 0, numbers + 1)
