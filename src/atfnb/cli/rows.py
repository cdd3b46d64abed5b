"""A file and the name of its target → a table, the class of each row, and what a person should know about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._typing import FloatArray
from atfnb.cli.words import UsageError, named, shell_word
from atfnb.tables import Dialect, Format, Policy, classes_of, open_table, spelled_classes, usable_columns, with_class


@dataclass(frozen=True)
class Wanted:
    """Which column is what, and how the file is written where that is to be said."""

    target: str
    ignore: Sequence[str] = ()
    keep: Sequence[str] = ()
    categorical: Sequence[str] = ()
    weight: str | None = None
    dialect: Dialect = field(default_factory=Dialect)

    @property
    def names(self) -> tuple[str | None, ...]:
        """All columns that must be there."""
        return (self.target, *self.ignore, *self.keep, *self.categorical, self.weight)

    @property
    def policy(self) -> Policy:
        """What is done with rows and columns that a model cannot learn from: they are left out, with a note."""
        return Policy(leave_out=True, keep=tuple(self.keep))


@dataclass(frozen=True)
class Rows:
    """The rows of a file that have a class."""

    X: pa.Table
    y: NDArray[Any]
    weight: FloatArray | None
    format: Format
    notes: tuple[str, ...]
    """What was found and done, a sentence each."""
    wanted: Wanted
    """What was asked for."""
    forms: dict[str, str] = field(default_factory=dict)
    """The sign of each column of numbers that are written with one, or with thousands separators."""
    class_spelling: list[str] | None = None
    """The classes as the file spells them, where that is not how Python does."""


def read_rows(path: str, wanted: Wanted) -> Rows:
    """Read a file whole, part the target from the attributes, and look for what would go wrong."""
    check_roles(wanted)
    with open_table(path, wanted.dialect) as file:
        check_names(file.columns, wanted.names, file.format.name)
        table, found = file.read(wanted.categorical, as_written=[wanted.target]), file.format
    table, notes = with_class(table, wanted.target)
    y = classes_of(table, wanted.target)
    weight = None if wanted.weight is None else _weights(table, wanted.weight)
    left_out = {wanted.target, wanted.weight, *wanted.ignore}
    X = table.select([name for name in table.column_names if name not in left_out])
    X, more = usable_columns(X, found.name, wanted.policy, wanted.categorical)
    forms = {name: form for name, form in file.forms.items() if name in X.column_names}
    more = (*more, *(form.described(name) for name, form in forms.items()))
    signs = {name: form.sign for name, form in forms.items()}
    spelled = spelled_classes(file.words.get(wanted.target, frozenset()), np.unique(y), found.decimal)
    return Rows(X, y, weight, found, (*notes, *more), wanted, signs, spelled)


def check_roles(wanted: Wanted) -> None:
    """Refuse a column that is to be two things at once."""
    if wanted.target in (wanted.weight, *wanted.ignore):
        raise UsageError(f"{wanted.target!r} is the target: it cannot be left out, or be the weight, too.")
    for name in wanted.keep:
        if name in (wanted.target, wanted.weight, *wanted.ignore):
            raise UsageError(f"--keep {shell_word(name)}: the column is the target, the weight or to be ignored, too.")


def check_names(columns: Sequence[str], asked: Sequence[str | None], file: str) -> None:
    """Every column asked for must be there."""
    for name in asked:
        if name is not None and name not in columns:
            near = get_close_matches(name, columns, n=3)
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {named(columns)}."
            raise ValueError(f"{file} has no column {name!r}: {hint}")


def _weights(table: pa.Table, name: str) -> FloatArray:
    try:
        weights = np.array(table.column(name).to_pylist(), dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.array([np.nan])
    if not ((weights >= 0) & (weights < np.inf)).all():
        raise ValueError(f"column {name!r} cannot be the weight: every row needs a number from 0 on there.")
    if not weights.any():
        raise ValueError(f"column {name!r} cannot be the weight: it is 0 in every row, and no row would count.")
    return weights
