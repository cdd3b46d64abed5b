"""Columns without any value: left out while a classifier learns, then put back with a weight of 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from atfnb._errors import listed_names
from atfnb.encoding import TableEncoder, without_values


def put_back(model: Any, empty: Mapping[int, str]) -> None:
    """Give a fitted model the columns that it did not learn from, position → name: they add 0, whatever they hold."""
    before = [position - n for n, position in enumerate(sorted(empty))]
    cells = model.counts_.offsets[before]
    for field in model.declaration.fields:
        if field.of_columns and (learned := getattr(model, field.name)) is not None:
            at = before if field.shape[0] == "attributes" else cells
            setattr(model, field.name, np.insert(learned, at, 0.0, axis=0))
    model._set_model(model.model_.with_empty(before), np.insert(model.weights_, before, 0.0))
    attributes = list(model.encoder_.attributes)
    for position in sorted(empty):
        attributes.insert(position, without_values(empty[position]))
    model.encoder_, model.counts_ = TableEncoder(tuple(attributes)), model.counts_.with_empty(before)


def describe(empty: Mapping[int, str]) -> str:
    """Return a sentence that names the columns without any value.

    >>> describe({0: "a"})
    "column 'a' has no value in any row: it counts nothing."
    """
    names = [empty[position] for position in sorted(empty)]
    named = listed_names(names)
    if len(names) == 1:
        return f"column {named} has no value in any row: it counts nothing."
    return f"columns {named} have no value in any row: they count nothing."
