"""How good one trained model is on rows whose classes are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from atfnb._errors import listed_names
from atfnb._pieces import CodedRows, on_cores
from atfnb._typing import CodeArray, FloatArray
from atfnb.counts import fingerprint_of
from atfnb.evaluation.metrics import (
    BINS,
    FLOOR,
    Answers,
    Measured,
    balanced_difference,
    calibration_error,
    confusion_of,
    log_loss,
    paired_difference,
    ranks_of,
    recalls,
    reliability_of,
    tallies,
)
from atfnb.model import AdditiveModel
from atfnb.tables import encode_labels, order_of_type, read_again
from atfnb.training import TrainingRows

DIGITS = 9
"""The figures of a fit are rounded to this many digits: sums of parts in another order differ in the last ones."""


@dataclass(frozen=True)
class Scores:
    """The scores of a trained model on the rows of a table, compared with always guessing the most frequent class."""

    classes: Any
    """The classes of the model."""
    unknown: dict[str, int]
    """The classes of the rows that the model does not know, with their rows, which are not in the scores."""
    measured: Measured
    """Accuracy, recalls, log-loss and confusion matrix, compared with guessing."""
    roc_auc: float | None
    """The area under the ROC curve; of more than two classes, the mean over each against the rest. None if the rows
    are all of one class."""
    answers: Answers
    training_rows: bool | None
    """Whether these are the rows that the model was trained on; None if its file does not say."""

    @property
    def rows(self) -> int:
        """The number of rows that are scored: those of a class that the model knows."""
        return len(self.answers.truth)


def score_on(model: Any, X: Any, y: Any, class_order: Any = None) -> Scores:
    """Score a trained model on a table whose classes are known.

    Rows of a class that the model does not know are not in the scores: ``unknown`` says how many there are of each.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    X : data frame or two-dimensional array-like of shape (rows, columns)
        The table, with the columns that the model was trained on.
    y : array-like of shape (rows,)
        The class of each row.
    class_order : list of classes or "sorted", optional
        The order of the classes, for :attr:`Measured.along_order`: by default the one that the model's file says, or
        that of an ordered categorical ``y``.

    Returns
    -------
    Scores

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = score_on(NB().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> print(f"{found.measured.accuracy:.3f}, guessing {found.measured.guess_accuracy:.3f}")
    0.960, guessing 0.333
    >>> found.measured.recall
    array([1.  , 0.96, 0.92])
    """
    return score_codes(model, model.encode(X), y, class_order)


def score_codes(model: Any, codes: CodeArray, y: Any, class_order: Any = None) -> Scores:
    """Score a trained model on rows that it has encoded: see :func:`score_on`.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    codes : (rows, attributes) array
        What the method ``encode`` of the model returns.
    y : array-like of shape (rows,)
        The class of each row.
    class_order : list of classes or "sorted", optional
        The order of the classes.
    """
    if class_order is None:
        class_order = model.training_record.get("class_order") or order_of_type(y)
    known, (of_rows, position) = model.classes_, encode_labels(y)
    check_kind(known, of_rows)
    of_known = np.isin(of_rows, known)[position]
    rows, unknown = np.flatnonzero(of_known), unknown_classes(of_rows[position[~of_known]])
    if not len(rows):
        names, own = listed_names([*unknown]), listed_names(known.tolist())
        raise ValueError(f"the model knows none of the classes of these rows, {names}: its own are {own}.")
    truth = np.searchsorted(known, of_rows)[position[rows]].astype(np.int64)
    with on_cores(model.n_jobs):
        answers = Answers.of_joint(model.model_.joint(codes[rows]), truth, rows)
    return Scores(
        classes=known,
        unknown=unknown,
        measured=replace(_measured(model, answers), rank=ranks_of(class_order, known)),
        roc_auc=_roc_auc(answers),
        answers=answers,
        training_rows=are_coded_training_rows(model, codes, of_rows[position]),
    )


def unknown_classes(of_rows: Any) -> dict[str, int]:
    """Return the classes of some rows, each with its number of rows.

    >>> unknown_classes(np.array(["fish", "bird", "fish"]))
    {'bird': 1, 'fish': 2}
    """
    names, rows = np.unique(of_rows, return_counts=True)
    return dict(zip(map(str, names.tolist()), rows.tolist(), strict=True))


def are_training_rows(model: Any, X: Any, y: Any) -> bool | None:
    """Return whether a table holds exactly the rows that a model was trained on, in any order.

    Returns None if the model was saved by version 0.1.0, which kept no fingerprint of the training rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NB().fit(X, y)
    >>> are_training_rows(model, X[::-1], y[::-1]), are_training_rows(model, X, y[::-1])
    (True, False)
    """
    if model.counts_.fingerprint is None:
        return None
    classes, position = encode_labels(y)
    if len(position) != model.n_rows_ or not np.isin(classes, model.classes_).all():
        return False
    with on_cores(model.n_jobs):
        codes = model.encoder_.encode_table(read_again(model, X))
    return are_coded_training_rows(model, codes, classes[position])


def are_coded_training_rows(model: Any, codes: CodeArray, y: Any) -> bool | None:
    """Return whether coded rows and their classes are those that a model was trained on: see are_training_rows."""
    if model.counts_.fingerprint is None:
        return None
    if len(y) != model.n_rows_ or not np.isin(y, model.classes_).all():
        return False
    of_class = np.searchsorted(model.classes_, y).astype(np.int32)
    learned = model.encoder_.n_values > 0  # a column without any value in training took no part
    return bool(fingerprint_of(codes[:, learned], of_class) == model.counts_.fingerprint)


def check_kind(known: Any, of_rows: Any) -> None:
    """Refuse text where the model's classes are numbers, and the other way round."""
    if (known.dtype.kind == "U") != (of_rows.dtype.kind == "U"):
        raise ValueError(
            f"the classes of the model are like {known[0].item()!r}, and those of the rows like {of_rows[0].item()!r}: "
            "make them the same type."
        )


def _measured(model: Any, answers: Answers) -> Measured:
    """Summarise answers, compared with guessing by the share of each class in the training rows, each counted once.

    A model saved by version 0.1.0 kept only their weights, which are the same unless the rows were weighted.
    """
    labels, counts = model.class_labels, model.counts_
    learned = counts.classes if counts.rows is None else counts.rows
    share, confusion = learned / learned.sum(), confusion_of(answers, len(labels))
    guess = int(np.argmax(share))
    found, rows = np.diag(confusion), confusion.sum(axis=1)
    there = rows > 0
    guess_balanced = float(there[guess]) / there.sum()
    return Measured(
        classes=tuple(labels),
        confusion=confusion,
        reliability=reliability_of(answers),
        accuracy=float(answers.right.mean()),
        recall=recalls(tallies(answers)),
        log_loss=log_loss(answers.probability, answers.truth),
        guess=labels[guess],
        guess_accuracy=float(rows[guess] / rows.sum()),
        guess_balanced=guess_balanced,
        guess_log_loss=log_loss(np.tile(np.maximum(share, FLOOR), (len(answers.truth), 1)), answers.truth),
        over_guessing=paired_difference(answers.right, answers.truth == guess),
        balanced_over_guessing=balanced_difference(found[there], rows[there], guess_balanced),
    )


def _roc_auc(answers: Answers) -> float | None:
    """Return the area under the ROC curve, the mean over the classes that the rows have, each against the rest."""
    there = np.unique(answers.truth)
    if len(there) < 2:
        return None
    classes = there[1:] if answers.probability.shape[1] == 2 else there
    areas = [roc_auc_score(answers.truth == c, answers.probability[:, c]) for c in classes]
    return float(np.mean(areas))


# --- on the training rows --------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """The accuracy, the log-loss and the calibration of a model on some rows, each of which counts the same."""

    accuracy: float
    log_loss: float
    calibration_error: float
    """The expected calibration error: how far the highest probability is from the share of correct predictions, over
    ten bins of the highest probability."""

    @classmethod
    def of(cls, sums: FloatArray) -> Fit:
        """Return the figures of rows from the sums of :func:`fit_sums`, added up."""
        reliable = sums[:BINS]
        rows, _, right = reliable.sum(axis=0).tolist()
        figures = (right / rows, float(sums[BINS, 0]) / rows, calibration_error(reliable))
        return cls(*(round(figure, DIGITS) for figure in figures))


def fit_sums(answers: Answers) -> FloatArray:
    """Return the reliability of each bin, and below them the sum of the log-loss: (bins + 1, 3)."""
    loss = log_loss(answers.probability, answers.truth) * len(answers.truth)
    return np.vstack([reliability_of(answers), [loss, 0.0, 0.0]])


def measure_fit(model: Any, rows: TrainingRows) -> Fit:
    """Measure how well a model does on the rows that it has learned from, in one more pass over them.

    Parameters
    ----------
    model : classifier of this library
        A model that has learned from these rows.
    rows : TrainingRows
        The rows, in memory or in parts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> from atfnb.training import TableInMemory, training_rows
    >>> model = NB()
    >>> rows = training_rows(TableInMemory(*load_iris(return_X_y=True)), model.row_options)
    >>> round(measure_fit(model.learn(rows), rows).accuracy, 4)
    0.9533
    """
    empty, fill = partial(np.zeros, (BINS + 1, 3)), partial(_add, model.model_)
    with on_cores(model.n_jobs):
        return Fit.of(rows.encoded_by(model.encoder_).sum("fit on the training rows", empty, fill))


def _add(model: AdditiveModel, into: FloatArray, rows: CodedRows) -> FloatArray:
    """Return the sums with those of a piece of rows added."""
    into += fit_sums(Answers.of_joint(model.joint_of_block(rows.codes), rows.y.astype(np.int64)))
    return into
