"""What is done with rows and columns that a model cannot learn from: one policy, in memory and in parts.

The rules take counts (of rows, of different values), not rows, so they do not depend on how a table is read. They cover
rows without a class, a target with too many classes, columns without any value, and identifiers of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from atfnb._errors import AdvisedError, Message, Setting, counted, listed_names

# --- Rules -----------------------------------------------------------------------------------------

ENOUGH_ROWS = 20
"""With fewer rows than this, all values of a column may differ by chance. This many classes are never too many."""
FEW = 5
"""With at least this many rows, a column in which all values differ and whose name says so holds identifiers."""
_NAMED = re.compile(
    r"(?i:(^|[\W_\d])(id|ids|key|uuid|guid|nr|number|rowid)$)"
    r"|[a-z]I[dD]$"
    r"|(?i:^(index|idx|row[ _.]?(names?|number)?|unnamed: \d+|\.\.\.\d+|column 1)$)"  # pandas, R, and our own readers
)


def is_identifier(name: str, kind: Literal["text", "whole"], rows: int, distinct: int, span: float = 0.0) -> bool:
    """Return whether a column of text or whole numbers holds identifiers: every row has a value, and all differ.

    With fewer than 20 rows they may differ by chance, so at least 20 are needed. Whole numbers must also fill at least
    half of the range between the smallest and the largest, as measurements may differ in every row. If the column has
    the name of an identifier (id, key, number, …, or no name at all), five rows are enough, and any range.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"text", "whole"}
        What it holds. Numbers with fractions are never identifiers.
    rows, distinct : int
        The number of rows, and of different values.
    span : float
        The largest value minus the smallest, for whole numbers.

    Examples
    --------
    >>> is_identifier("row", "whole", rows=100, distinct=100, span=99)
    True
    >>> is_identifier("income", "whole", rows=100, distinct=100, span=80_000)
    False
    """
    if distinct < rows or rows < FEW:
        return False
    return named_as_identifier(name) or (rows >= ENOUGH_ROWS and (kind == "text" or span < 2 * rows))


def named_as_identifier(name: str) -> bool:
    """Return whether the name of a column is that of an identifier.

    >>> [name for name in ("customer_id", "Unnamed: 0", "acid", "votes_no", "mass index") if named_as_identifier(name)]
    ['customer_id', 'Unnamed: 0']
    """
    return _NAMED.search(name) is not None


def refuse_many(target: str, holds: Literal["text", "whole", "fractions"], distinct: int, rows: int) -> None:
    """Raise a ValueError if a target has too many different values to be classes: they name or measure the rows.

    Text: nine in ten rows differ, of at least 20. Whole numbers: more than 20 values, and more than one for every ten
    rows. Fractions: more than 20 values, or in a small table more than one for every two rows.

    >>> refuse_many("price", "whole", distinct=1234, rows=2000)
    Traceback (most recent call last):
        ...
    ValueError: the target 'price' looks like a measurement, not like a class: it has 1,234 different values. Cut it \
into a few ranges in a new column, and give that as the target.
    >>> refuse_many("price", "whole", distinct=30, rows=1000)
    """
    most = {"whole": max(ENOUGH_ROWS, rows / 10), "fractions": min(ENOUGH_ROWS, max(2, rows / 2))}
    most["text"] = 0.9 * rows if rows >= ENOUGH_ROWS else rows
    if distinct <= most[holds]:
        return
    what, advice = "a measurement", "Cut it into a few ranges in a new column, and give that as the target."
    if holds == "text":
        what, advice = "a name for each row", "Give another column."
    raise ValueError(
        f"the target {target!r} looks like {what}, not like a class: it has {distinct:,} different values. {advice}"
    )


# --- The policy ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnFacts:
    """What a policy needs to know of a column that is not the target."""

    name: str
    is_empty: bool = False
    """Whether no row has a value."""
    is_identifier: bool = False
    """Whether the column holds identifiers of the rows."""
    perhaps_identifier: int = 0
    """If not 0, the column may hold identifiers, with more different whole numbers than this."""
    mixed: str | None = None
    """Why it cannot be read as the numbers or dates that it almost is, if so."""


@dataclass(frozen=True)
class Review:
    """What a policy decided on the columns of a table."""

    left_out: tuple[str, ...] = ()
    """The columns that are not used."""
    identifiers: tuple[str, ...] = ()
    """The columns among those that hold identifiers of the rows."""
    notes: tuple[str, ...] = ()
    """A sentence on each kind of rows and columns left out, and on each column that may hold identifiers."""


@dataclass(frozen=True)
class Policy:
    """What is done with rows and columns that a model cannot learn from.

    Parameters
    ----------
    leave_out : bool, default=False
        Whether rows without a class, columns without any value and identifiers of the rows are left out, and a target
        with too many classes is refused. If False, as in ``fit``, rows without a class are refused, and every column
        is used.
    keep : tuple of str
        Columns that are used even if they hold identifiers.
    min_class_rows : int, default=1
        Classes with fewer rows are rare.
    rare_classes : {"pool", "drop"}, default="pool"
        Whether rare classes count as one class, or their rows are left out.
    merge_case : bool, default=False
        Whether classes that differ by upper and lower case only are one, with the name of the most frequent one.

    Examples
    --------
    >>> columns = [ColumnFacts("id", is_identifier=True), ColumnFacts("gone", is_empty=True), ColumnFacts("size")]
    >>> for note in Policy(leave_out=True).review(columns, unlabelled=3).notes:
    ...     print(note)
    3 rows without a class left out.
    1 column without any value left out: 'gone'.
    'id' left out: another value in every row, as an identifier or a row number has; to use it: Policy(keep=['id'])
    >>> Policy().review(columns).left_out
    ()
    """

    leave_out: bool = False
    keep: tuple[str, ...] = ()
    min_class_rows: int = 1
    rare_classes: Literal["pool", "drop"] = "pool"
    merge_case: bool = False

    def check_classes(self, target: str, kind: Literal["text", "whole"], distinct: int, rows: int) -> None:
        """Raise a ValueError if the target has too many different values to be classes."""
        if self.leave_out:
            refuse_many(target, kind, distinct, rows)

    def review(self, columns: Sequence[ColumnFacts], unlabelled: int = 0) -> Review:
        """Return which columns are left out, and notes on them and on ``unlabelled`` rows without a class.

        Raises
        ------
        ValueError
            If no column is left.
        """
        if not self.leave_out:
            return Review()
        empty = [column.name for column in columns if column.is_empty]
        ids = [column.name for column in columns if column.is_identifier and column.name not in self.keep]
        if len(empty) + len(ids) == len(columns):
            raise nothing_to_learn_from(ids)
        notes = self._notes(columns, empty, ids, unlabelled)
        return Review((*empty, *ids), tuple(ids), tuple(notes))

    def _notes(
        self, columns: Sequence[ColumnFacts], empty: Sequence[str], ids: Sequence[str], unlabelled: int
    ) -> Iterator[str]:
        """Generate a sentence on each kind of rows and columns left out, and on each column that looks odd."""
        mixed = {column.name: column.mixed for column in columns if column.mixed is not None}
        yield from rows_left_out(unlabelled)
        if empty:
            yield f"{counted(len(empty), 'column')} without any value left out: {listed_names(empty)}."
        if plain := [name for name in ids if name not in mixed]:
            one = len(plain) == 1
            it, number = ("it", "an identifier or a row number has") if one else ("them", "identifiers have")
            what = f"{listed_names(plain)} left out: another value in every row, as {number}; to use {it}: "
            yield Message(what, Setting("Policy.keep", plain))
        for name, why in mixed.items():
            yield f"{name!r} {'left out' if name in ids else 'is taken for text'} because " + why + "."
        for name, most in ((column.name, column.perhaps_identifier) for column in columns):
            if most and name not in (*empty, *ids, *self.keep):
                many = f"with more than {most:,} different whole numbers; if it is one, leave it out with "
                yield Message(f"column {name!r} looks like an identifier, ", many, Setting("ignore", [name]), ".")


# --- Sentences -------------------------------------------------------------------------------------


def rows_left_out(unlabelled: int) -> Iterator[str]:
    """Yield the note on rows without a class, if there are any.

    >>> list(rows_left_out(1200)), list(rows_left_out(0))
    (['1,200 rows without a class left out.'], [])
    """
    if unlabelled:
        yield f"{counted(unlabelled, 'row')} without a class left out."


def no_classes(target: str) -> ValueError:
    """Return the error for a target that is missing in every row."""
    return ValueError(f"the target {target!r} is missing in every row: choose another column.")


def one_class(target: str, only: Any, unlabelled: int = 0) -> ValueError:
    """Return the error for a target that has the same value in every row, but for those without a class.

    >>> print(one_class("kind", "a"))
    the target 'kind' holds one class only, 'a': a classifier needs at least two.
    """
    marks = "which empty cells, NA, null, ? and the like mark: write it in another way if that is a class"
    without = f" In {counted(unlabelled, 'row')} it is missing, {marks}." if unlabelled else ""
    return ValueError(
        f"the target {target!r} holds one class only, {only!r}: a classifier needs at least two.{without}"
    )


def nothing_to_learn_from(identifiers: Sequence[str] = ()) -> ValueError:
    """Return the error for a table without a column that can predict the class."""
    if not identifiers:
        return ValueError("no column has any value to predict the class from: add columns besides the target.")
    besides = f"no column to predict the class from besides {listed_names(identifiers)}, with another value in every "
    keep = ("row: add columns, or use them all the same with ", Setting("Policy.keep", identifiers), ".")
    return AdvisedError(besides, *keep)
