"""Fused weights w = Fθ by training accuracy: exact line searches, as in minimum error rate training (Och 2003).

Along a line of weights, start + β·(end − start), the joint log-likelihoods of a row are lines in β, so QSF finds the
most accurate point of the line exactly. A climb searches one line after the other, each through the best point so far.
As in :mod:`atfnb.fusion.likelihood`, each row is judged by tables that are made without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from atfnb._pieces import CodedRows
from atfnb._typing import FloatArray
from atfnb.fusion.likelihood import CountedRows, weights_of
from atfnb.model import AdditiveModel
from atfnb.switching import BetaSearch, reach, sweep

HALF = 2.0
"""How far a line is searched to both sides of the point that it goes through."""
RANDOM = 8
"""The number of random directions in each round, besides the coordinates."""


@dataclass(frozen=True)
class Climb:
    """The end of a climb."""

    theta: FloatArray
    """(indexes,) the coefficients where it ended."""
    accuracy: float
    """The training accuracy there."""
    n_lines: int
    """The number of lines that were searched."""


def fuse_by_accuracy(
    starts: list[FloatArray],
    indexes: FloatArray,
    data: CountedRows,
    *,
    random: np.random.Generator,
    max_iter: int = 100,
) -> Climb:
    """Return the most accurate θ that climbs from several starts reach.

    Each climb searches along the coordinates and along random directions, in rounds, until a round brings no gain.

    Parameters
    ----------
    starts : list of (indexes,) arrays
        The θ to climb from.
    indexes : (attributes, indexes) array
        F; the weights are w = Fθ.
    data : CountedRows
    random : numpy.random.Generator
        What random directions are drawn with.
    max_iter : int, default=100
        The number of rounds of each climb, at most.
    """
    climbs = [_climb(start, indexes, data, random, max_iter) for start in starts]
    best = max(climbs, key=lambda climb: climb.accuracy)
    return Climb(best.theta, best.accuracy, sum(climb.n_lines for climb in climbs))


def _climb(
    theta: FloatArray, indexes: FloatArray, data: CountedRows, random: np.random.Generator, max_iter: int
) -> Climb:
    """Search line after line from one start, until a round of directions brings no gain."""
    n_lines, accuracy = 0, -1.0
    for _ in range(max_iter):
        before = accuracy
        drawn = random.standard_normal((RANDOM, len(theta)))
        for direction in (*np.eye(len(theta)), *(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))):
            low, high = theta - HALF * direction, theta + HALF * direction
            found = search_segment(weights_of(indexes, low), weights_of(indexes, high), data)
            n_lines += 1
            if found.accuracy > accuracy:
                theta, accuracy = low + found.beta * (high - low), found.accuracy
        if accuracy <= before:
            break
    return Climb(theta, accuracy, n_lines)


def search_segment(start: FloatArray, end: FloatArray, data: CountedRows) -> BetaSearch:
    """Return the β for which the weights start + β·(end − start) have the highest training accuracy, by QSF."""
    return sweep(reach(data.rows, lines_between(start, end, data)), float(data.counts.classes.sum())).found


def lines_between(start: FloatArray, end: FloatArray, data: CountedRows) -> Callable[[CodedRows], FloatArray]:
    """Return the function that gives each row's lines in β for the weights start + β·(end − start).

    For weights from −AA to CA they are the paper's lines (Eq. 16).
    """
    log_p, counts = data.log_p, data.counts
    said = np.hstack([log_p.table, log_p.own])
    slope, intercept = counts.per_cell(end - start)[:, None] * said, counts.per_cell(start)[:, None] * said
    prior = np.concatenate([log_p.prior, log_p.own_prior])
    begin = np.append(np.zeros_like(prior), prior)
    model = AdditiveModel.on_grid(counts.offsets, np.hstack([slope, intercept]), begin)
    return partial(_lines, model, len(log_p.prior))  # small, so that it can be sent to where the rows are


def _lines(model: AdditiveModel, classes: int, rows: CodedRows) -> FloatArray:
    """Return K and M of each row and class (Eq. 16), for its own class without the row: (rows, 2, classes).

    The model sums the slopes and the intercepts, by all rows and without the row itself: 2 × 2 × classes columns.
    """
    sums = model.joint_of_block(rows.codes).reshape(-1, 2, 2, classes)
    others, own = np.moveaxis(sums, 2, 0)
    return np.where((rows.y[:, None] == np.arange(classes))[:, None], own, others)
