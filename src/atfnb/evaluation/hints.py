"""Whether random folds may flatter: rows in groups or in time, and what a quick fit scores on folds of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np

from atfnb._errors import Message, Setting, message_of, percent
from atfnb._typing import IntArray
from atfnb.classifiers import NB
from atfnb.copies import numbered
from atfnb.evaluation.cross_validation import cross_validate
from atfnb.evaluation.tables import FEWER, predicts_alone
from atfnb.tables import ENOUGH_ROWS, Column, encode_labels, holds_dates, is_frame, named_as_identifier, read_table

PER_GROUP = 20
"""A column whose values have more rows than this on average names groups only if its own name says so."""
MOST_ROWS = 100_000
"""The largest number of rows for which the quick fits are made."""


def hidden_order(X: Any, y: Any) -> Iterator[Message]:
    """Generate a sentence on the first column of groups, and on the first of dates, that random folds mix.

    Groups are the values of a column that recur, and whose rows nearly always have the class of the others. Plain naive
    Bayes without the column is scored on random folds, and on folds of these groups or in time.

    Parameters
    ----------
    X : data frame or two-dimensional array-like of shape (rows, columns)
        Only columns of a data frame have names that can be given.
    y : array-like of shape (rows,)
    """
    columns, truth = read_table(X).columns if is_frame(X) else (), encode_labels(y)[1].astype(np.int64)
    if grouped := next((column for column in columns if _names_groups(column, truth)), None):
        said = f"{grouped.name!r} looks like a group, as the rows of each value have mostly one class"
        yield _compared(said, "new groups", grouped, "groups", X, y)
    if dated := next((column for column in columns if holds_dates(column)), None):
        said = f"{dated.name!r} holds dates, and cross-validation mixes earlier and later rows"
        yield _compared(said, "later rows", dated, "time", X, y)


def _compared(said: str, new: str, column: Column, role: Literal["groups", "time"], X: Any, y: Any) -> Message:
    """Return a sentence with the scores of naive Bayes on random folds and on others, and the option for these."""
    rest = nw.from_native(X, eager_only=True).drop(column.name)
    values = nw.from_native(X, eager_only=True)[column.name].to_list()
    if len(rest) <= MOST_ROWS and rest.columns:
        others: list[dict[str, Any]] = [{}, {role: values}]
        try:
            scored = (cross_validate({"NB": NB()}, rest.to_native(), y, **other) for other in others)
            random, ordered = (percent(found.mean("NB", "accuracy")) for found in scored)
            said += f": without it, plain naive Bayes is right for {random} of the rows, and for {ordered} of {new}"
        except ValueError as refusal:
            said += f"; naive Bayes cannot be scored on {new}, as {message_of(refusal).rstrip('.')}"
    return Message(said, f". To score {new}: ", Setting(role, column.name), ".")


def _names_groups(column: Column, truth: IntArray) -> bool:
    """Return whether the values of a column recur, and nearly always go with the class of the other rows they have."""
    whole = column.values.dtype.kind in "iu" or not (column.is_number and (column.values % 1).any())
    if holds_dates(column) or not whole or not column.is_complete or not len(truth):
        return False
    values, named = numbered(column), named_as_identifier(column.name)
    table = np.zeros((values.max() + 1, truth.max() + 1))
    np.add.at(table, (values, truth), 1.0)
    times = table.sum(axis=1)
    n_values, guess = int((times > 1).sum()), float(table.sum(axis=0).max())
    if n_values < ENOUGH_ROWS or times[times > 1].sum() < len(truth) / 2 or column.is_number > named:
        return False
    wrong = len(truth) - predicts_alone(table)
    return (named or len(truth) <= PER_GROUP * n_values) and FEWER * wrong <= len(truth) - guess
