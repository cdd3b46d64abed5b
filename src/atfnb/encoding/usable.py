"""Which columns of a survey can be used: those that have values, and do not name the rows."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from atfnb import tables
from atfnb._errors import listed_names
from atfnb.encoding.survey import Numbers, Survey


@dataclass(frozen=True)
class Usable:
    """A survey without the columns that cannot be used, and what was left out."""

    surveyed: Survey
    identifiers: tuple[str, ...] = ()
    """Columns that name the rows."""
    notes: tuple[str, ...] = ()
    """A sentence on each thing that was left out, or that may have to be."""


def usable(surveyed: Survey, target: str, keep: Collection[str] = ()) -> Usable:
    """Leave out the columns that have no value, and those that name the rows, unless they are to be kept.

    Parameters
    ----------
    surveyed : Survey
        That of all rows.
    target : str
        The column of the classes; one that looks like a measurement or a name for each row is refused.
    keep : names
        Columns to use even if they name the rows.

    Returns
    -------
    Usable
        The survey of the other columns, and a sentence on each thing that was left out.
    """
    _refuse_too_many(surveyed, target)
    notes, n = [], surveyed.unlabelled
    if n:
        notes.append(f"{n:,} row{'s' * (n != 1)} without a class left out.")
    empty = [column.name for column in surveyed.columns if column.is_empty]
    if empty:
        notes.append(f"{len(empty)} column{'s' * (len(empty) != 1)} without any value left out: {listed_names(empty)}.")
    surveyed = with_values(surveyed)
    ids = [each.name for each in surveyed.columns if each.name not in keep and each.names_rows(surveyed.rows)]
    if len(ids) == len(surveyed.columns):
        raise ValueError(
            f"every column has another value in every row, as {ids[0]!r}: there is nothing to tell the classes by."
        )
    surveyed = _without(surveyed, ids)
    notes += [
        f"column {each.name!r} looks like an identifier, of more than {each.most:,} different whole numbers; if it is "
        f"one, leave it out with --ignore {shlex.quote(each.name)}."
        for each in surveyed.columns
        if isinstance(each, Numbers) and each.name not in keep and each.may_name_rows(surveyed.rows)
    ]
    return Usable(surveyed, tuple(ids), tuple(notes))


def _without(surveyed: Survey, names: Collection[str]) -> Survey:
    """Return a survey without some columns."""
    left = [
        (column, kind)
        for column, kind in zip(surveyed.columns, surveyed.kinds, strict=False)
        if column.name not in names
    ]
    kinds = (*(kind for _, kind in left), surveyed.kinds[-1])
    return replace(surveyed, columns=tuple(column for column, _ in left), kinds=kinds)


def with_values(surveyed: Survey) -> Survey:
    """Return the survey without the columns that have no value."""
    left = _without(surveyed, [column.name for column in surveyed.columns if column.is_empty])
    if not left.columns:
        raise ValueError("no column has any value: there is nothing to tell the classes by.")
    return left


def _refuse_too_many(surveyed: Survey, target: str) -> None:
    """Refuse a target that looks like a measurement, or like a name for each row."""
    distinct = 0 if surveyed.classes is None else len(surveyed.classes)
    kind: Literal["text", "whole"] = "text" if surveyed.kinds[-1][0] == "text" else "whole"
    if tables.too_many_classes(kind, distinct, surveyed.rows):
        what = "a name for each row" if kind == "text" else "a measurement"
        raise ValueError(
            f"the target {target!r} looks like {what}, not like a class: it has {distinct:,} different values. "
            "Give another column, or cut it into a few ranges in a new one."
        )
