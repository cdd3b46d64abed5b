"""How well a model does on the rows that it is trained on: a sum over pieces of rows, in memory or in parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp

from atfnb._pieces import CodedRows
from atfnb._typing import FloatArray
from atfnb.evaluation.metrics import BINS, log_loss, over_classes, reliability
from atfnb.model import AdditiveModel, most_probable
from atfnb.training import TrainingRows

DIGITS = 9
"""Figures are rounded to this many digits: sums of parts in another order differ in the last ones."""


@dataclass(frozen=True)
class Fit:
    """The accuracy, the log-loss and the calibration of a model on some rows, each of which counts the same."""

    accuracy: float
    log_loss: float
    calibration_error: float
    """The expected calibration error: how far the highest probability is from the share of correct predictions, over
    ten bins of the highest probability."""

    @classmethod
    def of(cls, reliable: FloatArray, loss: float) -> Fit:
        """Return the figures from the sums of :func:`~atfnb.evaluation.reliability`, and the sum of the log-loss."""
        rows, sure, right = reliable.T
        sums = (float(right.sum()), loss, float(np.abs(right - sure).sum()))
        return cls(*(round(total / float(rows.sum()), DIGITS) for total in sums))


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
    coded = rows.encoded_by(model.encoder_)
    sums = coded.sum("fit on the training rows", partial(np.zeros, (BINS + 1, 3)), partial(_fill, model.model_))
    return Fit.of(sums[:BINS], float(sums[BINS, 0]))


def _fill(model: AdditiveModel, into: FloatArray, rows: CodedRows) -> FloatArray:
    """Return the sums with a piece of rows added: the reliability of each bin, and below them the log-loss."""
    joint = model.joint_of_block(rows.codes)
    classes = np.arange(joint.shape[1])
    p = over_classes(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), classes, classes)
    into[:BINS] += reliability(p.max(axis=1), most_probable(joint) == rows.y)
    into[BINS, 0] += log_loss(p, rows.y.astype(np.int64)) * len(rows.y)
    return into
