"""A file and the name of its target → a table, the class of each row, and what a person should know about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from atfnb._typing import FloatArray
from atfnb.cli.words import UsageError, many, named, options, shell_word, short
from atfnb.tables import (
    Dialect,
    Format,
    constant,
    identifiers,
    is_binary,
    kinds_of,
    looks_continuous,
    looks_unique,
    nearly_numbers,
    open_table,
    spelled_classes,
    temporal,
)


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
    table, notes = with_class(table, wanted.target, found.name)
    y = classes_of(table, wanted.target)
    weight = None if wanted.weight is None else _weights(table, wanted.weight)
    left_out = {wanted.target, wanted.weight, *wanted.ignore}
    X = table.select([name for name in table.column_names if name not in left_out])
    X, more = _usable(X, found.name, wanted)
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


def classes_of(table: pa.Table, target: str) -> NDArray[Any]:
    """The class of each row: text, truth values or whole numbers."""
    column = table.column(target)
    if is_binary(column.type):
        raise ValueError(f"the target {target!r} holds bytes that are not text in UTF-8: convert it to text.")
    if target not in kinds_of(table.select([target])):
        raise ValueError(
            f"the target {target!r} is of type {column.type}, and classes are text, numbers or booleans: convert it, "
            "or give another column."
        )
    if pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.float64())
    if looks_continuous(column):
        raise ValueError(
            f"the target {target!r} looks like a measurement, not like a class: it has {len(column.unique()):,} "
            "different values. Cut it into a few ranges in a new column, and give that as the target."
        )
    if looks_unique(column):
        raise ValueError(f"the target {target!r} is a name for each row, not a class: give another column.")
    classes = np.array(column.to_pylist())
    if (classes == classes[0]).all():
        raise ValueError(f"the target {target!r} is {classes[0]} in every row: there is nothing to tell apart.")
    return plain_classes(classes)


def plain_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Classes that are numbers: whole ones, or else text.

    >>> plain_classes(np.array([1.0, 2.0])), plain_classes(np.array([1.0, 2.5]))
    (array([1, 2]), array(['1.0', '2.5'], dtype='<U32'))
    """
    if classes.dtype.kind != "f":
        return classes
    return classes.astype(np.int64) if (classes == np.round(classes)).all() else classes.astype(str)


def with_class(table: pa.Table, target: str, file: str) -> tuple[pa.Table, tuple[str, ...]]:
    """Only the rows whose class is known, and a sentence if there are others."""
    missing = table.column(target).null_count
    if missing == table.num_rows:
        raise ValueError(f"the target {target!r} of {file} is missing in every row: choose another column.")
    if not missing:
        return table, ()
    note = f"{many(missing, 'row')} without a class left out."
    return table.filter(table.column(target).is_valid()), (note,)


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


def _usable(X: pa.Table, file: str, wanted: Wanted) -> tuple[pa.Table, tuple[str, ...]]:
    """The attributes: none that are empty or name the rows, no dates; and sentences about what is odd."""
    notes = []
    empty = [name for name in X.column_names if X.column(name).null_count == X.num_rows]
    if empty:
        X = X.drop_columns(empty)
        notes.append(f"{many(len(empty), 'column')} without any value left out: {named(empty)}.")
    if X.num_columns == 0:
        raise ValueError(f"{file} has no column to tell the classes by: it needs some beside the target.")
    if dates := temporal(X):
        raise ValueError(
            f"{file} holds dates or times in {named(dates)}: turn them into numbers or categories (days since some "
            f"day, the month), or leave them out with {options('--ignore', dates)}."
        )
    if raw := [column.name for column in X.schema if is_binary(column.type)]:
        raise ValueError(
            f"{file} holds bytes that are not text in UTF-8 in {named(raw)}: convert them to text, or leave them out "
            f"with {options('--ignore', raw)}."
        )
    known = kinds_of(X)
    if odd := [name for name in X.column_names if name not in known]:
        raise ValueError(
            f"{file} holds neither numbers nor text in {named(odd)}: take them apart into columns, or leave "
            f"them out with {options('--ignore', odd)}."
        )
    refuse_infinite(X, file)
    if same := constant(X):
        notes.append(f"{named(same)} {'holds' if len(same) == 1 else 'hold'} one value only, which tells nothing.")
    notes += [
        f"{name!r} is taken for text because of cells such as {short(odd)!r}, though most look like numbers: write "
        "them as plain numbers, or name those that mean a missing value with --missing-mark."
        for name, odd in nearly_numbers(X).items()
        if name not in wanted.categorical
    ]
    if ids := [name for name in identifiers(X) if name not in wanted.keep]:
        notes.append(left_out_as_identifiers(ids))
        X = X.drop_columns(ids)
        if X.num_columns == 0:
            raise ValueError(
                f"{file} has no column to tell the classes by beside {named(ids)}, with another value in every row: "
                f"add columns, or use it all the same with {options('--keep', ids)}."
            )
    return X, tuple(notes)


def left_out_as_identifiers(columns: Sequence[str]) -> str:
    """Return the sentence on columns that name the rows, and how to use them all the same.

    >>> left_out_as_identifiers(["id"])
    "'id' left out: another value in every row, as an identifier or a row number has; to use it: --keep id"
    """
    it, number = ("it", "an identifier or a row number has") if len(columns) == 1 else ("them", "identifiers have")
    return (
        f"{named(columns)} left out: another value in every row, as {number}; to use {it}: {options('--keep', columns)}"
    )


def refuse_infinite(X: pa.Table, file: str, first: int = 1) -> None:
    """Infinite numbers have no place among others; rows are counted from ``first``."""
    for name in X.column_names:
        column = X.column(name)
        if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            row = first + pc.index(pc.is_inf(column), True).as_py()
            raise ValueError(f"{file}: column {name!r} is infinite in row {row}: put a number there, or nothing.")
