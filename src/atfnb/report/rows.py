"""Some rows of the table, to be explained one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.report.text import shown
from atfnb.tables import Column, Table

MOST_ROWS, FEWEST_ROWS = 200, 20
MOST_ROW_CELLS = 20_000
"""Cells of all rows to explain together, about."""
LONGEST_CELL = 80


@dataclass(frozen=True)
class RowFacts:
    """Rows, what they are and what the model makes of them."""

    numbers: IntArray
    """(rows,) their places in the table, counted from 0."""
    truth: IntArray
    predicted: IntArray
    scores: FloatArray
    """(rows, classes) the joint log-likelihoods."""
    codes: IntArray
    """(rows, attributes) the values as the model codes them."""
    texts: tuple[tuple[str | None, ...], ...]
    """(rows, attributes) the values as they stand in the table; None where there is none."""


def chosen_rows(wrong: BoolArray, n_attributes: int, random_state: int) -> IntArray:
    """A sample of the rows, half of it such as the model gets wrong, if there are so many."""
    most = min(len(wrong), int(np.clip(MOST_ROW_CELLS // n_attributes, FEWEST_ROWS, MOST_ROWS)))
    random = np.random.default_rng(random_state)
    missed, others = (random.permutation(np.flatnonzero(mark)) for mark in (wrong, ~wrong))
    n_missed = min(len(missed), max(most // 2, most - len(others)))
    return np.sort(np.concatenate([missed[:n_missed], others[: most - n_missed]]))


def texts_of(table: Table, rows: IntArray) -> tuple[tuple[str | None, ...], ...]:
    """The cells of some rows in words."""
    columns = [_texts(column, rows) for column in table.columns]
    return tuple(zip(*columns, strict=True))


def _texts(column: Column, rows: IntArray) -> list[str | None]:
    cells = zip(column.values[rows].tolist(), column.missing[rows].tolist(), strict=True)
    return [None if gap else _text(value) for value, gap in cells]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return shown(value, LONGEST_CELL)
