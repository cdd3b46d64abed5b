"""The pairs of columns and of values of a model file: read, and compared with the columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import UNSET

from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.counts import Counts
from atfnb.model import PairGrids
from atfnb.model_file.refusals import inconsistent, shown

MAX_PAIR_CELLS = 10_000
"""The largest number of values, with an unknown one for each column, whose table of pairs is read and written."""


def read_pairs(file: Any, model: BaseNB) -> tuple[PairGrids | None, FloatArray | None]:
    """Return the grids of the pairs and their scores (cells, classes); None if there are none."""
    if file.pairs is UNSET:
        _refuse_groups(file, np.zeros(0, dtype=np.int64))
        return None, None
    of = np.array([pair.columns for pair in file.pairs], dtype=np.int64)
    for a, b in of.tolist():
        if not a < b < len(file.columns):
            raise inconsistent(f"a pair of columns is {a} and {b}, and must be two of the columns, in their order.")
    if len(np.unique(of, axis=0)) < len(of):
        raise inconsistent("two pairs are of the same columns.")
    _refuse_groups(file, of)
    groups = [_groups(column, n) for column, n in zip(file.columns, model.encoder_.n_values.tolist(), strict=True)]
    n_groups = np.array([each[-1] for each in groups])
    grids = PairGrids(of, np.concatenate(groups), n_groups, model.counts_.offsets)
    scores, rows = np.zeros((grids.offsets[-1], len(model.classes_))), np.zeros(grids.offsets[-1])
    total = float(model.counts_.classes.sum())
    for p, pair in enumerate(file.pairs):
        where, first, last = _named(file, pair), grids.offsets[p], grids.offsets[p + 1] - 1
        shape = tuple(grids.shapes[p].tolist())
        scores[first:last] = _grid(pair.adds, (*shape, len(model.classes_)), f'"adds" of {where}').reshape(
            last - first, -1
        )
        rows[first:last] = _grid(pair.rows, shape, f'"rows" of {where}').ravel()
        rows[last] = max(total - rows[first:last].sum(), 0.0)  # rows in which either value is unknown
    return replace(grids, rows=rows), scores


def check_pair_weights(file: Any, model: BaseNB, close: float) -> None:
    """Refuse a file in which the weight of a pair is not what its grid gives."""
    if file.pairs is UNSET:
        return
    for pair, weight in zip(file.pairs, model.pair_weights_, strict=True):
        if not abs(pair.weight - weight) <= close * (abs(weight) + 1.0):
            raise inconsistent(
                f"the weight of {_named(file, pair)} is {pair.weight:.6g}, and its grid gives {weight:.6g}."
            )


def read_value_pairs(file: Any, counts: Counts) -> Counts:
    """Return the counts with those of pairs of values, if the file has them."""
    if file.value_pairs is UNSET:
        return counts
    cells = len(counts.values)
    if cells > MAX_PAIR_CELLS:
        raise inconsistent(f'it has "value_pairs", and more than {MAX_PAIR_CELLS} values.')
    after = np.repeat(counts.offsets[1:], counts.n_values + 1).tolist()
    lengths = [cells - start for start in after]
    if list(map(len, file.value_pairs)) != lengths:
        raise inconsistent(
            f'"value_pairs" must be {cells} lists, one for each value of each column and for an unknown one, with a '
            "number for each value of the columns after it."
        )
    pairs = np.zeros((cells, cells))
    for cell, (start, row) in enumerate(zip(after, file.value_pairs, strict=True)):
        pairs[cell, start:] = row
    return replace(counts, pairs=pairs)


def _named(file: Any, pair: Any) -> str:
    names = " and ".join(shown(file.columns[j].name) for j in pair.columns)
    return f"the pair {names}"


def _refuse_groups(file: Any, of: IntArray) -> None:
    """Refuse groups of values of a column that is in no pair, and a column of a pair without them."""
    for j, column in enumerate(file.columns):
        if (column.groups is UNSET) == bool((of == j).any()):
            has = "has no" if column.groups is UNSET else "is in no pair, and has"
            raise inconsistent(f'column {shown(column.name)} {has} "groups".')


def _groups(column: Any, n_values: int) -> IntArray:
    """Return the group of each value of a column, and as the last entry, for unknown values, the number of groups."""
    if column.groups is UNSET:
        return np.zeros(n_values + 1, dtype=np.int64)
    groups = np.array(column.groups, dtype=np.int64)
    n_groups = int(groups.max(initial=-1)) + 1
    if len(groups) != n_values or n_groups != len(np.unique(groups)):
        raise inconsistent(
            f'"groups" of column {shown(column.name)} must be a whole number for each of its {n_values} values, '
            "0, 1, 2 and so on, without a gap."
        )
    return np.append(groups, n_groups)


def _grid(entries: Any, shape: tuple[int, ...], where: str) -> FloatArray:
    """Return nested lists as an array of a given shape, or refuse them."""
    try:
        array = np.array(entries, dtype=np.float64)
    except ValueError:
        array = np.zeros(0)
    if array.shape != shape:
        raise inconsistent(f"{where} must be a table of {' × '.join(map(str, shape))} numbers.")
    return array
