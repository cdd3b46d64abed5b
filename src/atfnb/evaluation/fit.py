"""How well a model does on the rows that it is trained on: a sum over pieces of rows, in memory or in parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import FloatArray
from atfnb.evaluation.metrics import BINS, log_loss, over_classes, reliability
from atfnb.model import AdditiveModel, most_probable

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


@contextmanager
def measuring_fit(model: Any) -> Iterator[dict[str, float]]:
    """Measure how well a model does on its training rows, in one more pass over them at the end of its fit.

    Parameters
    ----------
    model : classifier of this library
        The classifier that is fitted in the block inside, in memory or in parts.

    Yields
    ------
    dict
        After the fit: the "accuracy", "log_loss" and "calibration_error" on the training rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> with measuring_fit(model := NB()) as fit:
    ...     model = model.fit(*load_iris(return_X_y=True))
    >>> round(fit["accuracy"], 4)
    0.9533
    """
    found: dict[str, float] = {}
    model._when_learned = partial(_measure, found, model)
    try:
        yield found
    finally:
        model.__dict__.pop("_when_learned", None)


def _measure(found: dict[str, float], model: Any, rows: Pieces[CodedRows]) -> None:
    """Put the figures of a model on its training rows into a dict."""
    sums = rows.sum("fit on the training rows", partial(np.zeros, (BINS + 1, 3)), partial(_fill, model.model_))
    found |= asdict(Fit.of(sums[:BINS], float(sums[BINS, 0])))


def _fill(model: AdditiveModel, into: FloatArray, rows: CodedRows) -> FloatArray:
    """Return the sums with a piece of rows added: the reliability of each bin, and below them the log-loss."""
    joint = model.joint_of_block(rows.codes)
    classes = np.arange(joint.shape[1])
    p = over_classes(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), classes, classes)
    into[:BINS] += reliability(p.max(axis=1), most_probable(joint) == rows.y)
    into[BINS, 0] += log_loss(p, rows.y.astype(np.int64)) * len(rows.y)
    return into
