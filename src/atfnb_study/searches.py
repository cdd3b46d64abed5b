"""The switching factor β on all rows of a set, by both of the paper's searches, timed."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.classifiers import ATFNB, JointLines, fuse, joint_lines
from atfnb.counts import log_likelihood
from atfnb.model import AdditiveModel
from atfnb.switching import beta_grid, reach, sweep
from atfnb_study import published

TIMED = published.by_name("T4").keys()
"""The sets on which the paper times both searches."""


@dataclass(frozen=True)
class BetaOfSet:
    """The switching factor of one set, by both searches, on all of its rows."""

    name: str
    qsf: tuple[float, float]
    sls: tuple[float, float]
    beta: float
    accuracy: float
    qsf_seconds: float
    """NaN if the searches were not timed."""
    sls_seconds: float
    """NaN if the searches were not timed."""
    edges: FloatArray
    """The values of β between which the training accuracy is constant: (steps + 1,)."""
    curve: FloatArray
    """The training accuracy between them: (steps,)."""


def beta_of_set(name: str, X: Any, y: Any, *, timed: bool = True) -> BetaOfSet:
    """Fit ATFNB on all rows of a set and, if ``timed``, time both searches on its codes, the best of five runs."""
    model = ATFNB().fit(X, y)
    codes = model.encoder_.encode(X)
    classes = np.searchsorted(model.classes_, np.asarray(y))
    edges, curve = model.accuracy_curve()
    return BetaOfSet(
        name,
        model.beta_interval_,
        ATFNB(search="sls").fit(X, y).beta_interval_,
        model.beta_,
        model.beta_accuracy_,
        _seconds(lambda: search_qsf(model, codes, classes)) if timed else np.nan,
        _seconds(lambda: search_sls(model, codes, classes)) if timed else np.nan,
        edges,
        curve,
    )


def lines_of(model: ATFNB) -> JointLines:
    """Return the lines of Eq. 16 of a fitted model: each class as a line in β."""
    evidence = log_likelihood(model.counts_, model.alpha)
    return joint_lines(model.relevance_, model.redundancy_, evidence, model.class_log_prior_, model.counts_)


def rows_of(codes: CodeArray, y: IntArray) -> Pieces[CodedRows]:
    """Return coded rows, each with weight one, in blocks."""
    return CodedRows(codes, y.astype(np.int32), np.broadcast_to(1.0, len(y))).in_blocks()


def search_qsf(model: ATFNB, codes: CodeArray, y: IntArray) -> float:
    """Return β by QSF, from the codes of the training rows."""
    return sweep(reach(rows_of(codes, y), lines_of(model)), float(len(y))).found.beta


def search_sls(model: ATFNB, codes: CodeArray, y: IntArray, step: float = 0.01) -> float:
    """Return β by SLS as in Section 4.3: at each β of a grid make the weights and classify all rows.

    The loops are those of ``predict``.
    """
    evidence = log_likelihood(model.counts_, model.alpha)

    def accuracy(beta: float) -> float:
        weights = fuse(beta, model.relevance_, model.redundancy_)
        at_beta = AdditiveModel.weighted(weights, evidence, model.class_log_prior_, model.counts_.offsets)
        return float((at_beta.classify(codes) == y).mean())

    return float(max(beta_grid(step), key=accuracy))


def _seconds(run: Callable[[], object]) -> float:
    return min(timeit.repeat(run, number=1, repeat=5))
