"""The training accuracy as a function of β."""

from __future__ import annotations

import numpy as np

from atfnb._typing import FloatArray
from atfnb.switching.intervals import NOTHING


def step_function(ends: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The training accuracy for every β: ``accuracy[k]`` holds between ``edges[k]`` and ``edges[k + 1]``.

    >>> step_function(np.array([[0.25, 1.0], [0.0, 0.75]]), np.ones(2))
    (array([0.  , 0.25, 0.75, 1.  ]), array([0.5, 1. , 0.5]))
    """
    reaching = ends[:, 0] < ends[:, 1]
    low, high = ends[reaching, 0], ends[reaching, 1]
    edges, place = np.unique(np.concatenate([[0.0, 1.0], low, high]), return_inverse=True)
    change = np.concatenate([[0.0, 0.0], weight[reaching], -weight[reaching]])
    covered = np.cumsum(np.bincount(place, weights=change).astype(np.float64, copy=False))[:-1]
    return as_steps(edges, covered, float(weight.sum()))


def as_steps(edges: FloatArray, covered: FloatArray, total: float) -> tuple[FloatArray, FloatArray]:
    """Steps without those that are too narrow to be real, and without edges where nothing changes."""
    real = np.diff(edges) > NOTHING
    covered = covered[real]
    differs = np.append(True, covered[1:] != covered[:-1])
    lefts = np.append(0.0, edges[:-1][real][differs][1:])
    return np.append(lefts, 1.0), covered[differs] / total


def accuracy_at(beta: FloatArray, edges: FloatArray, accuracy: FloatArray) -> FloatArray:
    """The step function's value at each β.

    >>> accuracy_at(np.array([0.1, 0.9]), np.array([0.0, 0.5, 1.0]), np.array([0.7, 0.8]))
    array([0.7, 0.8])
    """
    return accuracy[np.clip(np.searchsorted(edges, beta, side="right") - 1, 0, len(accuracy) - 1)]
