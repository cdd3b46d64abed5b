"""The training accuracy as a function of β."""

from __future__ import annotations

import numpy as np

from atfnb._typing import FloatArray
from atfnb.switching.intervals import crossings, narrowest


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
    return as_steps(edges, covered, float(weight.sum()), narrowest(len(weight)))


def as_steps(edges: FloatArray, covered: FloatArray, total: float, narrow: float) -> tuple[FloatArray, FloatArray]:
    """Return the steps at least ``narrow`` wide; a narrower one becomes part of the step before it."""
    edges, covered = joined(edges, covered)
    wide = np.diff(edges) >= narrow
    lefts, covered = joined(np.append(edges[:-1][wide], 1.0), covered[wide])
    lefts[0] = 0.0
    return crossings(lefts), covered / total


def joined(edges: FloatArray, covered: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Join neighbouring steps of the same height."""
    differs = np.append(True, covered[1:] != covered[:-1])
    return np.append(edges[:-1][differs], edges[-1]), covered[differs]


def accuracy_at(beta: FloatArray, edges: FloatArray, accuracy: FloatArray) -> FloatArray:
    """The step function's value at each β.

    >>> accuracy_at(np.array([0.1, 0.9]), np.array([0.0, 0.5, 1.0]), np.array([0.7, 0.8]))
    array([0.7, 0.8])
    """
    return accuracy[np.clip(np.searchsorted(edges, beta, side="right") - 1, 0, len(accuracy) - 1)]
