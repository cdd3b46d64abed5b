"""The searches for β on one set, timed: QSF, and SLS as the paper runs it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._pieces import CodedRows, Pieces, in_blocks
from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.classifiers import ATFNB, ScoreLines, fuse, score_lines
from atfnb.model import AdditiveModel, log_likelihood
from atfnb.switching import beta_grid, reach, sweep


@dataclass(frozen=True)
class BetaOfSet:
    """The switching factor of one set, by both searches, on all of its rows."""

    name: str
    qsf: tuple[float, float]
    sls: tuple[float, float]
    beta: float
    accuracy: float
    qsf_seconds: float
    sls_seconds: float
    """NaN where they were not timed."""
    edges: FloatArray
    curve: FloatArray


def beta_of_set(name: str, X: Any, y: Any, *, timed: bool = True) -> BetaOfSet:
    """Fit ATFNB on all rows of a set and, where asked to, time both searches on its codes, the best of five."""
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


def lines_of(model: ATFNB) -> ScoreLines:
    """The lines of rows under a fitted model."""
    evidence = log_likelihood(model.counts_, model.alpha)
    return score_lines(model.relevance_, model.redundancy_, evidence, model.class_log_prior_, model.counts_)


def rows_of(codes: CodeArray, y: IntArray) -> Pieces[CodedRows]:
    """Coded rows, each of weight one, in blocks."""
    return in_blocks(codes, y.astype(np.int32), np.broadcast_to(1.0, len(y)))


def search_qsf(model: ATFNB, codes: CodeArray, y: IntArray) -> float:
    """β by QSF, from the codes of the training rows on."""
    return sweep(reach(rows_of(codes, y), lines_of(model)), float(len(y))).found.beta


def search_sls(model: ATFNB, codes: CodeArray, y: IntArray, step: float = 0.01) -> float:
    """β by SLS as in Section 4.3: at each β make the weights and classify all rows, with the loops predict uses."""
    evidence = log_likelihood(model.counts_, model.alpha)

    def accuracy(beta: float) -> float:
        weights = fuse(beta, model.relevance_, model.redundancy_)
        at_beta = AdditiveModel.weighted(weights, evidence, model.class_log_prior_, model.counts_)
        return float((at_beta.classify(codes) == y).mean())

    return float(max(beta_grid(step), key=accuracy))


def _seconds(run: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)
