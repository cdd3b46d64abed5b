"""How good the probabilities are, not only the classes they point at: log-loss, Brier score, reliability."""

from __future__ import annotations

from typing import Any

import numpy as np

from atfnb._typing import BoolArray, FloatArray, IntArray

FLOOR = 1e-15
"""No class is taken for less probable than this."""
BINS = 10
"""The parts of a reliability diagram, from 0 to 1."""


def over_classes(probability: FloatArray, known: Any, classes: Any) -> FloatArray:
    """Probabilities of the classes a model knows as those of all classes: at least 1e-15 each, and summing to one.

    Parameters
    ----------
    probability : (rows, known) array
    known : array
        The model's ``classes_``.
    classes : array
        All classes, sorted; those not seen in training too.

    Examples
    --------
    >>> over_classes(np.array([[0.25, 0.75]]), ["a", "c"], ["a", "b", "c"]).round(2)
    array([[0.25, 0.  , 0.75]])
    """
    p = np.full((len(probability), len(classes)), FLOOR)
    p[:, np.searchsorted(classes, known)] = np.clip(probability, FLOOR, 1.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def log_loss(p: FloatArray, y: IntArray, weight: FloatArray | None = None) -> float:
    """−Σ w log P(y|x) / Σ w; without weights, every row counts the same.

    >>> round(log_loss(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 0])), 4)
    1.0397
    """
    return float(-np.average(np.log(p[np.arange(len(y)), y]), weights=weight))


def brier(p: FloatArray, y: IntArray) -> float:
    """Σ_x Σ_c (P(c|x) − [c = y])² / rows.

    >>> brier(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 0]))
    0.8125
    """
    away = p.copy()
    away[np.arange(len(y)), y] -= 1
    return float((away**2).sum(axis=1).mean())


def reliability(highest: FloatArray, right: BoolArray) -> FloatArray:
    """Rows, sum of the highest probability, and right ones in each of ten equal bins of that probability: (bins, 3).

    A probability on an edge belongs to the bin above it.

    >>> reliability(np.array([0.95, 1.0, 0.5]), np.array([True, False, True]))[[5, 9]]
    array([[1.  , 0.5 , 1.  ],
           [2.  , 1.95, 1.  ]])
    """
    place = np.minimum(np.floor(np.round(BINS * highest, 9)), BINS - 1).astype(np.intp)
    each = (np.ones(len(highest)), highest, right.astype(np.float64))
    return np.column_stack([np.bincount(place, weights=weight, minlength=BINS) for weight in each])
