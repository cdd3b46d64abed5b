"""Columns without any value: left out while a classifier learns, then put back with a weight of 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from atfnb._errors import listed_names
from atfnb.encoding import TableEncoder, without_values

PER_COLUMN = ("weights_", "relevance_", "redundancy_", "index_matrix_")
PER_CELL = ("table_", "value_effects_")


def put_back(model: Any, empty: Mapping[int, str]) -> None:
    """Give a fitted model the columns that it did not learn from, position → name: they add 0, whatever they hold."""
    before = [position - n for n, position in enumerate(sorted(empty))]
    for names, at in ((PER_COLUMN, before), (PER_CELL, model.counts_.offsets[before])):
        for name in names:
            if getattr(model, name, None) is not None:
                setattr(model, name, np.insert(getattr(model, name), at, 0.0, axis=0))
    attributes = list(model.encoder_.attributes)
    for position in sorted(empty):
        attributes.insert(position, without_values(empty[position]))
    model.encoder_, model.counts_ = TableEncoder(tuple(attributes)), model.counts_.with_empty(before)


def describe(empty: Mapping[int, str]) -> str:
    """Name the columns that have no values.

    >>> describe({0: "a"})
    "column 'a' has no value in any row: it counts nothing."
    """
    names = [empty[position] for position in sorted(empty)]
    named = listed_names(names)
    if len(names) == 1:
        return f"column {named} has no value in any row: it counts nothing."
    return f"columns {named} have no value in any row: they count nothing."
