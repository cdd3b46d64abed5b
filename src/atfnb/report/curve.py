"""The training accuracy as a step function of β, small enough for a page and exact where it matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._typing import FloatArray
from atfnb.classifiers import ATFNB
from atfnb.switching import thinned

MOST_STEPS = 20_000
"""The largest number of steps of a curve in a page."""
MOST_INTERVALS = 500
"""The largest number of best intervals that are drawn: the widest ones."""
DIGITS = 9
"""The number of decimals of an edge."""
STOPS = np.arange(1001) / 1000
"""The values of β at which the page's slider can stand."""


@dataclass(frozen=True)
class BetaCurve:
    """The training accuracy of a classifier at every β, and its weights at any β."""

    model: str
    """The name of the classifier."""
    edges: FloatArray
    """(steps + 1,) the values of β between the steps, from 0 to 1."""
    accuracy: FloatArray
    """(steps,) the training accuracy between two edges."""
    all_steps: int
    """The number of steps, including those that were left out."""
    beta: float
    best: float
    """The accuracy at ``beta``."""
    interval: tuple[float, float]
    """The ends of the best interval, in which ``beta`` lies."""
    intervals: FloatArray
    """(k, 2) all intervals with the highest accuracy, or the widest of many."""
    relevance: FloatArray
    """(attributes,) the relevance, which is multiplied by β in a weight."""
    redundancy: FloatArray
    """(attributes,) the redundancy, which is multiplied by −(1 − β) in a weight."""
    weighted: bool
    """Whether the accuracy counts the rows by their weights."""


def curve_of(model: ATFNB) -> BetaCurve:
    """Return the accuracy curve of a fitted model with a switching factor."""
    edges, accuracy = model.accuracy_curve()
    intervals = np.asarray(model.beta_intervals_, dtype=np.float64)
    widest = np.argsort(intervals[:, 0] - intervals[:, 1], kind="stable")[:MOST_INTERVALS]
    low, high = model.beta_interval_
    anchors = np.concatenate([[model.beta_, low, high], intervals[widest].ravel()])
    fewer, kept = thinned(edges, accuracy, MOST_STEPS, np.concatenate([anchors, STOPS]))
    return BetaCurve(
        model=type(model).__name__,
        edges=rounded(fewer, np.unique(anchors)),
        accuracy=kept,
        all_steps=len(accuracy),
        beta=float(model.beta_),
        best=float(model.beta_accuracy_),
        interval=(float(low), float(high)),
        intervals=intervals[np.sort(widest)],
        relevance=model.relevance_,
        redundancy=model.redundancy_,
        weighted=model.counts_.weighted,
    )


def rounded(edges: FloatArray, anchors: FloatArray, digits: int = DIGITS) -> FloatArray:
    """Return edges rounded to few digits, except where rounding would move one onto, or past, an anchor.

    >>> rounded(np.array([0.123456, 0.500004, 0.500006]), np.array([0.500005]), digits=4)
    array([0.1235  , 0.5     , 0.500006])
    """
    short = np.round(edges, digits)
    same = np.ones(len(edges), dtype=bool)
    for side in ("left", "right"):
        same &= np.searchsorted(anchors, short, side=side) == np.searchsorted(anchors, edges, side=side)
    return np.where(same, short, edges)
