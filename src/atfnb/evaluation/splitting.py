"""Which rows are trained on and which are held out: random folds, folds of groups, or earlier and later rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold, TimeSeriesSplit

from atfnb._errors import AdvisedError, Setting
from atfnb._typing import BoolArray, IntArray
from atfnb.copies import copies_of, first_copies
from atfnb.tables import given_groups, given_times, read_table

Folding = Literal["rows", "groups", "time"]
"""What folds are made of: any rows, whole groups of rows, or rows that follow each other in time."""


@dataclass(frozen=True)
class Splits:
    """The training and the test rows of each split of a table."""

    parts: list[tuple[IntArray, IntArray]]
    judged: IntArray
    """The positions of the classes of which rows are held out."""
    copies: int
    """The number of rows that are copies of an earlier one; no copy of a row that is held out is trained on."""
    folding: Folding


def splits_of(
    X: Any,
    truth: IntArray,
    folds: int,
    *,
    repeats: int = 1,
    random_state: int = 0,
    groups: Any = None,
    time: Any = None,
) -> Splits:
    """Return the splits of a table by groups, by time, or by chance with the same share of every class in each fold.

    A class with one row only, or copies of one, or one group, is trained on, and never held out.

    Parameters
    ----------
    X : data frame or two-dimensional array-like of shape (rows, columns)
    truth : (rows,) array
        The position of each row's class.
    folds : int
        The number of parts that are held out in turn.
    repeats : int, default=1
        How many times the rows are split anew; those in time are split once.
    random_state : int, default=0
    groups : array-like of shape (rows,), optional
        The group of each row. The rows of a group are all trained on, or all held out.
    time : array-like of shape (rows,), optional
        A number or a date for each row. Only rows before all that are held out are trained on.

    Examples
    --------
    >>> days = [3, 1, 2, 4, 5, 6]
    >>> for train, test in splits_of([[0.0]] * 6, np.array([0, 1, 0, 1, 0, 1]), folds=2, time=days).parts:
    ...     print(train, test)
    [1 2] [0 3]
    [0 1 2 3] [4 5]
    """
    if groups is not None and time is not None:
        raise AdvisedError("give ", Setting("groups"), " or ", Setting("time"), ", not both.")
    first_copy = first_copies(*copies_of(read_table(X), truth, np.ones(len(truth))))
    unit = first_copy if groups is None else np.unique(given_groups(groups, len(truth)), return_inverse=True)[1]
    when = np.zeros(len(truth), dtype=np.int64) if time is None else given_times(time, len(truth))
    units = np.bincount(np.unique(np.column_stack([unit, truth]), axis=0)[:, 1], minlength=truth.max() + 1)
    folding: Folding = "time" if time is not None else "rows" if groups is None else "groups"
    what = "row" if groups is None else "group"
    if (units < 2).all():
        raise ValueError(f"every class has one {what} only: cross-validation needs a class of two {what}s or more.")
    if time is None and folds > (most := int(units.max())):
        raise ValueError(f"no class has {folds} {what}s, the largest has {most}: use {most} folds or fewer.")
    rows, random = np.flatnonzero((units >= 2)[truth]), np.random.RandomState(random_state)

    def held_out() -> Iterator[IntArray]:
        """Generate the rows of each test part."""
        if time is not None:
            in_time = rows[np.argsort(when[rows], kind="stable")]
            yield from (np.sort(in_time[test]) for _, test in TimeSeriesSplit(folds).split(in_time))
        elif groups is None:
            heads = rows[unit[rows] == rows]  # one row of all copies
            repeated = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
            for _, test in repeated.split(heads, truth[heads]):
                yield np.flatnonzero(np.isin(unit, heads[test]))
        else:
            for _ in range(repeats):
                whole = StratifiedGroupKFold(folds, shuffle=True, random_state=random)
                yield from (rows[test] for _, test in whole.split(rows, truth[rows], unit[rows]))

    parts = list[tuple[IntArray, IntArray]]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a class has fewer rows than there are folds
        for test in held_out():
            rest = ~np.isin(unit, unit[test])
            rest &= True if time is None else when < when[test].min()
            parts.append((np.flatnonzero(rest), test))
    if any(not len(test) or len(np.unique(truth[train])) < 2 for train, test in parts):
        raise ValueError("a fold would have no row to score, or one class only to train on: use fewer folds.")
    judged = np.unique(truth[np.concatenate([test for _, test in parts])])
    return Splits(parts, judged, int((first_copy != np.arange(len(truth))).sum()), folding)


def held_out_rows(
    X: Any, y: Any, share: float, *, random_state: int = 0, groups: Any = None, time: Any = None
) -> BoolArray:
    """Return which rows are held out to test on, about a share of them, some folds of many or the latest: (rows,).

    Parameters
    ----------
    X : data frame or two-dimensional array-like of shape (rows, columns)
    y : list of length rows
        The class of each row; a missing one is a class too.
    share : float
        Above 0 and below 1.
    random_state, groups, time
        See :func:`splits_of`.

    Examples
    --------
    >>> held_out_rows([[i / 7] for i in range(10)], ["no", "yes"] * 5, 0.2).sum()
    np.int64(2)
    """
    if time is not None and groups is None:
        when = given_times(time, len(y))
        return np.asarray(when >= np.sort(when)[round((1 - share) * len(when))])
    _, truth = np.unique([str(label) for label in y], return_inverse=True)
    part = Fraction(share).limit_denominator(20)
    splits = splits_of(X, truth, part.denominator, random_state=random_state, groups=groups, time=time)
    return np.isin(np.arange(len(y)), np.concatenate([test for _, test in splits.parts[: part.numerator]]))
