"""A model and a file of new rows → the same rows with their classes, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import logsumexp

from atfnb._processes import Progress
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray
from atfnb.classifiers import BaseNB
from atfnb.cli.words import many, named
from atfnb.encoding import Attribute, NumericAttribute, learned_kinds
from atfnb.tables import Batch, Column, Dialect, Table, TableWriter, as_kinds, open_table, read_again, refuse_infinite

PLACES = 6
"""How many decimal places probabilities have in text."""
REASONS = 3
"""How many attributes an explanation names."""
LEAST = 0.005
"""What is less would be shown as +0.00, and is no reason."""


@dataclass(frozen=True)
class Extra:
    """What is written beside the class."""

    probabilities: bool = False
    reasons: bool = False


def predict_file(
    model: BaseNB, data: str, out: str, dialect: Dialect, extra: Extra, progress: Progress | None = None
) -> list[str]:
    """Write the rows of a file with their classes to another; give sentences on what was found."""
    with open_table(data, as_trained(model, dialect)) as file:
        new = check_columns(model, file.columns, file.format.name)
        predictor = Predictor(model, file.columns, extra)
        with TableWriter(out, file, holds=[*predictor.names, *predictor.labels]) as writer:
            predictor.as_text = writer.is_text
            for batch in file.batches():
                writer.write(predictor.add(batch))
                if progress is not None:
                    progress(predictor.rows, 0, "rows")
        notes = [str(file.format)]
    if new:
        notes.append(f"kept, though the model does not know {'it' if len(new) == 1 else 'them'}: {named(new)}.")
    return [*notes, *predictor.notes(), f"{many(predictor.rows, 'row')} classified: {writer.name}"]


def check_columns(model: BaseNB, columns: Sequence[str], file: str) -> list[str]:
    """Every column that the model learned from must be there; give those it does not know."""
    learned = learned_kinds(model.encoder_)
    missing = [name for name in learned if name not in columns]
    if missing:
        raise ValueError(f"{file} lacks what the model was trained on: {named(missing)}.")
    return [name for name in columns if name not in learned and name != target_of(model)]


def target_of(model: BaseNB) -> str | None:
    """The name of the column that the model tells, where it is known."""
    return model.training_record.get("target")


def forms_of(model: BaseNB) -> dict[str, str]:
    """Return the sign of each column whose numbers were written with one, or with separators, in the training."""
    return model.training_record.get("forms") or {}


def as_trained(model: BaseNB, dialect: Dialect) -> Dialect:
    """How to read a file: as asked for, and otherwise with the marks of missing cells of the training."""
    marks = model.training_record.get("missing_marks")
    return dialect if dialect.missing is not None or marks is None else replace(dialect, missing=tuple(marks))


class Predictor:
    """Adds the class, and what else was asked for, to batches of rows; counts what was never seen in training.

    Parameters
    ----------
    model : a fitted classifier
    columns : list of str
        The columns of the file, so that a new one gets a name of its own.
    extra : Extra

    Attributes
    ----------
    labels : list of str
        The classes as the training file spelled them.
    as_text : bool
        Whether the classes are given as they are spelled, and probabilities with ``PLACES`` decimal places.
    """

    def __init__(self, model: BaseNB, columns: Sequence[str], extra: Extra) -> None:
        self.model, self.extra, self.kinds, self.forms = model, extra, learned_kinds(model.encoder_), forms_of(model)
        self.rows = 0
        self.unseen = np.zeros(len(self.kinds), dtype=np.int64)
        self.gaps = np.zeros(len(self.kinds), dtype=np.int64)
        self.labels: list[str] = model.training_record.get("class_spelling") or [*map(str, model.classes_)]
        self.as_text = False
        wanted = ["predicted", *(f"P({label})" for label in self.labels if extra.probabilities)]
        wanted += ["because"] * extra.reasons
        self.names = [_free(name, columns) for name in wanted]

    def add(self, batch: Batch) -> pa.Table:
        """The rows with the new columns."""
        X = as_kinds(batch, self.kinds, self.forms)
        refuse_infinite(X, batch.name, batch.first)
        read = read_again(self.model, X)
        codes = self.model.encoder_.encode_table(read)
        self.rows += len(codes)
        self._count_unseen(codes, read)
        rows = batch.table
        gaps = np.column_stack([column.missing for column in read.columns])
        self.gaps += gaps.sum(axis=0)
        for name, column in zip(self.names, self._answers(codes, gaps, read), strict=True):
            rows = rows.append_column(name, column if isinstance(column, pa.Array) else pa.array(column))
        return rows

    def _count_unseen(self, codes: CodeArray, read: Table) -> None:
        """Cells with a value that training did not have; a gap may have the same code."""
        for j in np.flatnonzero((codes == self.model.encoder_.n_values).any(axis=0)):
            unknown = codes[:, j] == self.model.encoder_.n_values[j]
            self.unseen[j] += int((unknown & ~read.columns[j].missing).sum())

    def _answers(self, codes: CodeArray, gaps: BoolArray, read: Table) -> Iterator[object]:
        model = self.model
        chosen = model.model_.classify(codes)
        yield np.array(self.labels, dtype=object)[chosen] if self.as_text else model.classes_[chosen]
        if not (self.extra.probabilities or self.extra.reasons):
            return
        joint = model.model_.joint(codes)
        if self.extra.probabilities:
            probabilities = np.exp(joint - logsumexp(joint, axis=1, keepdims=True)).T
            yield from map(_rounded, probabilities) if self.as_text else probabilities
        if self.extra.reasons:
            yield reasons(model, read, codes, gaps, chosen, joint)

    def notes(self) -> list[str]:
        """What was odd about the rows, a sentence each."""
        odd = [name for name in self.names if name.endswith("_")]
        gaps = [name for name, count in zip(self.kinds, self.gaps, strict=True) if count]
        told = [f"the file has columns of these names already, so the new ones are {named(odd)}."] if odd else []
        if gaps:
            told.append(f"{many(int(self.gaps.sum()), 'cell')} missing, in {named(gaps)}.")
        return told + [
            f"column {name!r}: {count:,} of {self.rows:,} rows hold a value that was not seen in training; it says "
            "nothing for or against a class."
            for name, count in zip(self.kinds, self.unseen, strict=True)
            if count
        ]


def reasons(
    model: BaseNB, read: Table, codes: CodeArray, gaps: BoolArray, chosen: ClassArray, joint: FloatArray
) -> list[str]:
    """Describe what spoke most for the class of each row, and against the class that came next."""
    rest = joint.copy()
    row = np.arange(len(codes))
    rest[row, chosen] = -np.inf
    second = rest.argmax(axis=1)
    cells = codes + model.counts_.offsets[:-1]
    lead = model.table_[cells, chosen[:, None]] - model.table_[cells, second[:, None]]  # (rows, attributes)
    first = np.argsort(-lead, axis=1, kind="stable")[:, :REASONS]
    attributes = model.encoder_.attributes
    labels, intervals = _cell_labels(attributes), _cell_labels([_without_whole(one) for one in attributes])
    fits = np.column_stack([_label_holds(*pair) for pair in zip(attributes, read.columns, strict=True)])

    def told(i: int, j: int) -> str:
        label = labels[cells[i, j]] if fits[i, j] else intervals[cells[i, j]]
        return f"{attributes[j].name} missing" if gaps[i, j] else label

    return [
        "; ".join(f"{told(i, j)} ({lead[i, j]:+.2f})" for j in few if lead[i, j] >= LEAST)
        for i, few in enumerate(first)
    ]


def _label_holds(attribute: Attribute, column: Column) -> BoolArray:
    """Return whether the label of its value holds for each cell: it does not for a fraction among whole numbers."""
    if isinstance(attribute, NumericAttribute):
        return attribute.fits_labels(column.values)
    return np.ones(len(column.values), dtype=bool)


def _without_whole(attribute: Attribute) -> Attribute:
    """Return the attribute with labels that hold for any number."""
    return replace(attribute, whole=None) if isinstance(attribute, NumericAttribute) else attribute


def _cell_labels(attributes: Sequence[Attribute]) -> list[str]:
    """Describe every value of every attribute, in the order of the cells of the table."""
    labels: list[str] = []
    for attribute in attributes:
        sign = " " if isinstance(attribute, NumericAttribute) else " = "
        labels += [f"{attribute.name}{sign}{label}" for label in attribute.labels]
        labels.append(f"{attribute.name} unknown")
    return labels


def _rounded(probabilities: FloatArray) -> pa.Array:
    """Return probabilities with so many decimal places, none of them in powers of ten.

    >>> _rounded(np.array([0.25, 1e-5, 1.0])).cast(pa.string()).to_pylist()
    ['0.250000', '0.000010', '1.000000']
    """
    return pc.cast(pc.round(pa.array(probabilities), PLACES), pa.decimal128(PLACES + 2, PLACES), safe=False)


def _free(name: str, taken: Sequence[str]) -> str:
    """A name that no column has yet."""
    while name in taken:
        name += "_"
    return name
