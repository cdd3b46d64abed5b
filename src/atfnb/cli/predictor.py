"""A model and batches of rows → the rows with their classes, probabilities and explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import logsumexp

from atfnb._errors import counted, listed_names
from atfnb._typing import ClassArray, CodeArray, FloatArray
from atfnb.classifiers import BaseNB
from atfnb.cli.rows import as_learned
from atfnb.encoding import wording_of
from atfnb.model import most_probable, runner_up
from atfnb.tables import Batch, Table, as_kinds, read_again, refuse_infinite, taken_in_words

DECIMALS = 6
"""How many decimal places probabilities have in text."""
REASONS = 3
"""How many attributes an explanation names."""
LEAST = 0.005
"""The smallest difference that an explanation names: less would be printed as +0.00."""


class Predictor:
    """Adds the predicted class of each row, and what else was asked for, to batches of rows.

    It also counts missing values, and values that did not occur in training.

    Parameters
    ----------
    model : a fitted classifier
    columns : sequence of str
        The columns of the file, so that no new column gets the name of one of them.
    proba : bool
        Whether to add the probability of each class.
    explain : bool
        Whether to add the values that contributed most to the predicted class.

    Attributes
    ----------
    labels : list of str
        The classes as the training file spelled them.
    names : list of str
        The names of the new columns.
    as_text : bool
        Whether classes are written as they were spelled, and probabilities with ``DECIMALS`` decimal places, instead
        of as values with a type.
    as_numbers : bool
        Whether columns that the model reads as numbers or booleans are copied as such, although the file has text.
    rows : int
        How many rows were predicted so far.
    """

    def __init__(self, model: BaseNB, columns: Sequence[str], *, proba: bool = False, explain: bool = False) -> None:
        self.model, self.proba, self.explain = model, proba, explain
        self.labels = model.class_labels
        names = ["predicted", *(f"P({label})" for label in self.labels if proba), *(["because"] if explain else [])]
        self.names = [_free(name, columns) for name in names]
        self.as_text = self.as_numbers = False
        self.rows = 0
        self._as_learned = as_learned(model)
        self._missing, self._unseen = Counter[str](), Counter[str]()
        self._taken_for = dict[str, dict[str, str]]()

    def add(self, batch: Batch) -> pa.Table:
        """Return the rows of a batch with the new columns."""
        X = as_kinds(batch, *self._as_learned)
        refuse_infinite(X, batch.name, batch.first)
        read = self.model.encoder_.aligned(read_again(self.model, X))
        codes = self.model.encoder_.encode_table(read)
        self.rows += len(codes)
        self._count(codes, read)
        rows, (kinds, forms, _) = batch.table, self._as_learned
        for name, kind in kinds.items() if self.as_numbers else ():
            if kind != "text" and name not in forms:
                rows = rows.set_column(rows.column_names.index(name), name, X.column(name))
        for name, column in zip(self.names, self._new_columns(codes, read), strict=True):
            rows = rows.append_column(name, column if isinstance(column, pa.Array) else pa.array(column))
        return rows

    def _count(self, codes: CodeArray, read: Table) -> None:
        """Count missing values and values that did not occur in training, and note those that differ by case only."""
        n_values = self.model.encoder_.n_values
        unknown = codes == n_values
        self._missing.update({column.source: int(column.missing.sum()) for column in read.columns})
        for j in n_values.nonzero()[0]:
            column = read.columns[j]
            self._unseen[column.name] += int((unknown[:, j] & ~column.missing).sum())
        for name, found in ({} if self.model.merge_case else self.model.encoder_.taken_for(read)).items():
            self._taken_for.setdefault(name, {}).update(found)

    def _new_columns(self, codes: CodeArray, read: Table) -> Iterator[object]:
        """Generate the columns of ``names`` for some rows."""
        model = self.model.model_
        joint = model.joint(codes) if self.proba or self.explain else None
        chosen = model.classify(codes) if joint is None else most_probable(joint)
        yield np.array(self.labels, dtype=object)[chosen] if self.as_text else self.model.classes_[chosen]
        if joint is None:
            return
        if self.proba:
            probabilities = np.exp(joint - logsumexp(joint, axis=1, keepdims=True)).T
            yield from map(_rounded, probabilities) if self.as_text else probabilities
        if self.explain:
            yield explanations(self.model, read, codes, chosen, joint)

    def notes(self) -> Iterator[str]:
        """Generate a sentence on everything unusual about the rows so far."""
        if renamed := [name for name in self.names if name.endswith("_")]:
            reason = "because the file already has columns with the usual names"
            yield f"The new columns are named {listed_names(renamed)}, {reason}."
        if missing := [name for name, count in self._missing.items() if count]:
            yield f"{counted(self._missing.total(), 'missing value')}, in {listed_names(missing)}."
        for name, found in self._taken_for.items():
            yield taken_in_words(name, found)
        for name, count in self._unseen.items():
            if count:
                unseen = f"{name!r} has a value that did not occur in training in {count:,} of {self.rows:,} rows"
                yield f"{unseen}: it has no effect on the prediction."


def explanations(model: BaseNB, read: Table, codes: CodeArray, chosen: ClassArray, joint: FloatArray) -> list[str]:
    """Return for each row the values that contributed most to its class, compared with the second most probable class.

    Each is followed by the difference between the contributions to the two classes. Values that contribute together
    are joined by ×.
    """
    second = runner_up(joint, chosen)
    lead = model.model_.contributions_to(codes, chosen) - model.model_.contributions_to(codes, second)
    first = np.argsort(-lead, axis=1, kind="stable")[:, :REASONS]
    words, pairs = wording_of(model.encoder_.attributes, read, codes), model.model_.pairs

    def label(i: int, j: int) -> str:
        alone = j < len(words.names)
        return " × ".join(words.statement(i, k) for k in ([j] if alone else pairs[j - len(words.names)]))

    return [
        "; ".join(f"{label(i, j)} ({lead[i, j]:+.2f})" for j in few if lead[i, j] >= LEAST)
        for i, few in enumerate(first)
    ]


def _rounded(probabilities: FloatArray) -> pa.Array:
    """Return probabilities with ``DECIMALS`` decimal places, never in scientific notation.

    >>> _rounded(np.array([0.25, 1e-5, 1.0])).cast(pa.string()).to_pylist()
    ['0.250000', '0.000010', '1.000000']
    """
    return pc.cast(pc.round(pa.array(probabilities), DECIMALS), pa.decimal128(DECIMALS + 2, DECIMALS), safe=False)


def _free(name: str, taken: Sequence[str]) -> str:
    """Return a name that no column has, with underscores appended where needed."""
    while name in taken:
        name += "_"
    return name
