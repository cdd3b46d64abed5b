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
from atfnb.switching import BetaSearch, JointLines, joint_lines, reach, sweep

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
    log_p = data.log_p
    evidence, prior = np.hstack([log_p.table, log_p.own]), np.concatenate([log_p.prior, log_p.own_prior])
    return partial(_lines, joint_lines(end, -start, evidence, prior, data.counts))


def _lines(of_both: JointLines, rows: CodedRows) -> FloatArray:
    """Return K and M of each row and class (Eq. 16), for its own class without the row: (rows, 2, classes).

    ``of_both`` gives those by all rows, and beside them those without the row itself.
    """
    others, own = np.split(of_both(rows), 2, axis=2)
    return np.where((rows.y[:, None] == np.arange(others.shape[2]))[:, None], own, others)
