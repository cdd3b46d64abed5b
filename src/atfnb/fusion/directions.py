"""Fused weights by training accuracy: exact line searches, as in minimum error rate training (Och 2003)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._pieces import CodedRows
from atfnb._typing import FloatArray
from atfnb.fusion.leave_one_out import CountedRows
from atfnb.model import AdditiveModel
from atfnb.switching import BetaSearch, reach, sweep

HALF = 2.0
"""A line is searched this far to both sides."""
RANDOM = 8
"""Random directions in each round, beside the coordinates."""


@dataclass(frozen=True)
class LinesBetween:
    """The scores of each row of a block, of its own class without the row, as lines in β: (rows, 2, classes)."""

    model: AdditiveModel
    classes: int

    def __call__(self, rows: CodedRows) -> FloatArray:
        """K and M of each class, by the values of the row."""
        scores = self.model.joint_of_block(rows.codes).reshape(-1, 2, 2, self.classes)
        others, own = np.moveaxis(scores, 2, 0)
        return np.where((rows.y[:, None] == np.arange(self.classes))[:, None], own, others)


def lines_between(start: FloatArray, end: FloatArray, data: CountedRows) -> LinesBetween:
    """The scores of each row, as lines in β, for the weights start + β·(end − start).

    For weights from −AA to CA they are the paper's (Eq. 16).
    """
    evidence, counts = data.evidence, data.counts
    said = np.hstack([evidence.table, evidence.own])
    slope, intercept = counts.per_cell(end - start)[:, None] * said, counts.per_cell(start)[:, None] * said
    prior = np.concatenate([evidence.prior, evidence.own_prior])
    begin = np.append(np.zeros_like(prior), prior)
    model = AdditiveModel.on_grid(counts.offsets, np.hstack([slope, intercept]), begin)
    return LinesBetween(model, len(evidence.prior))


def search_segment(start: FloatArray, end: FloatArray, data: CountedRows) -> BetaSearch:
    """Where between two weightings the most rows are right: QSF."""
    return sweep(reach(data.rows, lines_between(start, end, data)), float(data.counts.classes.sum())).found


@dataclass(frozen=True)
class Climb:
    """Where a climb ended, how accurate that is, and how many lines it searched."""

    theta: FloatArray
    accuracy: float
    n_lines: int


def fuse_by_accuracy(
    starts: list[FloatArray],
    indexes: FloatArray,
    data: CountedRows,
    *,
    random: np.random.Generator,
    max_iter: int = 100,
) -> Climb:
    """From each start, search along the coordinates and random directions until none improves; the best end wins."""

    def along(theta: FloatArray, direction: FloatArray) -> tuple[FloatArray, float]:
        low, high = theta - HALF * direction, theta + HALF * direction
        found = search_segment(indexes @ low, indexes @ high, data)
        return low + found.beta * (high - low), found.accuracy

    def climb(theta: FloatArray) -> Climb:
        n_lines, accuracy = 0, -1.0
        for _ in range(max_iter):
            before = accuracy
            drawn = random.standard_normal((RANDOM, len(theta)))
            for direction in (*np.eye(len(theta)), *(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))):
                there, reached = along(theta, direction)
                n_lines += 1
                if reached > accuracy:
                    theta, accuracy = there, reached
            if accuracy <= before:
                break
        return Climb(theta, accuracy, n_lines)

    climbs = [climb(start) for start in starts]
    best = max(climbs, key=lambda one: one.accuracy)
    return Climb(best.theta, best.accuracy, sum(one.n_lines for one in climbs))
