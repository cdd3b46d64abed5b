"""The switching factor in a file: its interval, all the best intervals, and the curve of accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.classifiers import ATFNB, AccuracyCurve
from atfnb.model_file.nodes import fields, inconsistent, number, numbers, shown, table
from atfnb.model_file.values import plain_number, plain_numbers
from atfnb.switching import accuracy_at

MAX_STEPS = 10_000
"""A curve of more steps is thinned to this many."""


def part(model: ATFNB) -> dict[str, Any]:
    """What the file says of β."""
    edges, accuracy, is_whole = model.curve_
    is_whole = is_whole and len(accuracy) <= MAX_STEPS
    if len(accuracy) > MAX_STEPS:
        edges, accuracy = thin(edges, accuracy)
    return {
        "value": plain_number(model.beta_),
        "interval": plain_numbers(np.array(model.beta_interval_)),
        "intervals": plain_numbers(model.beta_intervals_),
        "accuracy": plain_number(model.beta_accuracy_),
        "curve": {"whole": is_whole, "edges": plain_numbers(edges), "accuracy": plain_numbers(accuracy)},
    }


def thin(edges: FloatArray, accuracy: FloatArray, steps: int = MAX_STEPS) -> tuple[FloatArray, FloatArray]:
    """A curve with fewer steps: the widest of the best as they are, then every so many of the others.

    >>> thin(np.array([0.0, 0.1, 0.2, 0.3, 0.7, 1.0]), np.array([0.1, 0.2, 0.3, 0.9, 0.5]), steps=4)
    (array([0. , 0.1, 0.3, 0.7, 1. ]), array([0.1, 0.3, 0.9, 0.5]))
    """
    best = np.flatnonzero(accuracy == accuracy.max())
    widest = best[np.argsort(edges[best] - edges[best + 1], kind="stable")][: max(steps // 4, 1)]
    kept = np.unique(np.concatenate([[0, len(accuracy)], widest, widest + 1]))
    others = np.setdiff1d(np.arange(len(edges)), kept)
    evenly = np.linspace(0, len(others) - 1, max(steps + 1 - len(kept), 0)).round().astype(np.int64)
    kept = np.union1d(kept, others[evenly])
    fewer = edges[kept]
    return fewer, accuracy_at(fewer[:-1] / 2 + fewer[1:] / 2, edges, accuracy)


def restore(model: ATFNB, node: Any) -> None:
    """Give a model what the file says of β."""
    told = fields(node, "beta", ("value", "interval", "intervals", "accuracy", "curve"))
    low, high = numbers(told["interval"], "the interval of beta", 2)
    model.beta_ = number(told["value"], "beta", 0, 1)
    model.beta_interval_ = float(low), float(high)
    model.beta_intervals_ = table(told["intervals"], "the intervals of beta", 2)
    model.beta_accuracy_ = number(told["accuracy"], "the accuracy of beta", 0, 1)
    curve = fields(told["curve"], "the curve of beta", ("whole", "edges", "accuracy"))
    edges = numbers(curve["edges"], "the edges of the curve")
    accuracy = numbers(curve["accuracy"], "the accuracy of the curve", max(len(edges) - 1, 1))
    if not isinstance(curve["whole"], bool):
        raise inconsistent(f'"whole" of the curve must be true or false, not {shown(curve["whole"])}.')
    model.curve_ = AccuracyCurve(edges, accuracy, curve["whole"])


def check(model: ATFNB) -> None:
    """β lies in its interval, which is one of the intervals; and the curve runs from 0 to 1."""
    if model.search not in ("qsf", "sls"):
        raise ValueError(f"the option search is {shown(model.search)}, and must be 'qsf' or 'sls'.")
    (low, high), intervals = model.beta_interval_, model.beta_intervals_
    ends = intervals.ravel()
    if not (len(ends) and ends[0] >= 0 and ends[-1] <= 1 and (np.diff(ends) >= 0).all()):
        raise ValueError("the intervals of beta must lie between 0 and 1, one after the other.")
    if [low, high] not in intervals.tolist():
        raise ValueError("the interval of beta is not one of its intervals.")
    if not low <= model.beta_ <= high or (model.search == "qsf" and abs(model.beta_ - (low + high) / 2) > 1e-12):
        raise ValueError("beta is not in the middle of its interval.")
    _check_curve(model)


def _check_curve(model: ATFNB) -> None:
    edges, accuracy = model.accuracy_curve()
    if not (edges[0] == 0 and edges[-1] == 1 and (np.diff(edges) > 0).all()):
        raise ValueError("the edges of the curve must rise from 0 to 1.")
    if accuracy.min() < 0 or accuracy.max() > 1 + 1e-12:
        raise ValueError("the accuracy of the curve must be from 0 to 1.")
    if model.search == "qsf" and accuracy.max() > model.beta_accuracy_ + 1e-9:
        raise ValueError("the curve is higher somewhere than the accuracy of beta.")
