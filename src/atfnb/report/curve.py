"""The training accuracy as a step function of β, small enough for a page and exact where it matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._typing import BoolArray, FloatArray, IntArray

MOST_STEPS = 20_000
MOST_INTERVALS = 500
"""Intervals that are drawn at most: the widest."""
DIGITS = 9
STOPS = np.arange(1001) / 1000
"""Where the page's slider can stand."""


@dataclass(frozen=True)
class Curve:
    """``accuracy[k]`` holds from ``edges[k]`` to ``edges[k + 1]``; and what the weights are at any β."""

    model: str
    """The classifier that it is of."""
    own: bool
    """Whether that is the model at hand."""
    edges: FloatArray
    accuracy: FloatArray
    all_steps: int
    """How many steps there are, those that were left out too."""
    beta: float
    best: float
    """The accuracy at ``beta``."""
    interval: tuple[float, float]
    intervals: FloatArray
    """(k, 2) all intervals with the highest accuracy, or the widest of many."""
    relevance: FloatArray
    redundancy: FloatArray
    """(attributes,) β times the one less (1 − β) times the other are the weights."""
    weighted: bool
    """Whether the accuracy counts the rows by their weights."""


def curve_of(model: Any, *, own: bool) -> Curve:
    """The step function of a model with a switching factor."""
    edges, accuracy = model.accuracy_curve()
    intervals = np.asarray(model.beta_intervals_, dtype=np.float64)
    anchors = np.unique(np.append(intervals, model.beta_))
    kept = _kept(edges, model.beta_, anchors)
    thin_edges, thin_accuracy = np.append(edges[:-1][kept], edges[-1]), accuracy[kept]
    widest = np.sort(np.argsort(intervals[:, 0] - intervals[:, 1], kind="stable")[:MOST_INTERVALS])
    low, high = model.beta_interval_
    return Curve(
        model=type(model).__name__,
        own=own,
        edges=rounded(thin_edges, anchors),
        accuracy=thin_accuracy,
        all_steps=len(accuracy),
        beta=float(model.beta_),
        best=float(model.beta_accuracy_),
        interval=(float(low), float(high)),
        intervals=intervals[widest],
        relevance=model.relevance_,
        redundancy=model.redundancy_,
        weighted=model.counts_.weighted,
    )


def _kept(edges: FloatArray, beta: float, anchors: FloatArray, most: int = MOST_STEPS) -> BoolArray:
    """Which steps to keep: those at β and at the anchors, beside them, under the slider's stops, and then the widest.

    A step that is left out is taken over by the one before it, so the steps on both sides of an anchor stay.
    """
    n = len(edges) - 1
    if n <= most:
        return np.ones(n, dtype=bool)

    def step_at(betas: FloatArray) -> IntArray:
        return np.clip(np.searchsorted(edges, betas, side="right") - 1, 0, n - 1)

    at_anchor, at_beta = step_at(anchors), step_at(np.array([beta]))
    rank = np.diff(edges)
    rank[step_at(STOPS)] += 2.0
    rank[np.maximum(at_anchor - 1, 0)] += 4.0
    rank[np.minimum(at_anchor + 1, n - 1)] += 4.0
    rank[at_anchor] += 16.0
    rank[np.minimum(at_beta + 1, n - 1)] += 32.0
    rank[np.append(at_beta, 0)] += 64.0
    kept = np.zeros(n, dtype=bool)
    kept[np.argsort(-rank, kind="stable")[:most]] = True
    return kept


def rounded(edges: FloatArray, anchors: FloatArray, digits: int = DIGITS) -> FloatArray:
    """Edges with few digits, but for those that would then lie on, or on another side of, an anchor.

    >>> rounded(np.array([0.123456, 0.500004, 0.500006]), np.array([0.500005]), digits=4)
    array([0.1235  , 0.5     , 0.500006])
    """
    short = np.round(edges, digits)
    same = np.ones(len(edges), dtype=bool)
    for side in ("left", "right"):
        same &= np.searchsorted(anchors, short, side=side) == np.searchsorted(anchors, edges, side=side)
    return np.where(same, short, edges)
