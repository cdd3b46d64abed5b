"""Fused weights, w = Fθ (+ δ), by the likelihood of each row under a model that has not seen it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import softmax

from atfnb._pieces import CodedRows, Pieces, row_blocks
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.counts import Counts
from atfnb.model import log_likelihood, log_prior

BLOCK_NUMBERS = 1 << 20
"""How many numbers a block of rows may hold."""
PRECISE = 1e-9
"""A Newton step that would lower the target by less than this share of it is not worth taking."""


@dataclass(frozen=True)
class Evidence:
    """Log P(a|c) and log P(c): for a row that was not seen in training, and for a row's own class without the row."""

    table: FloatArray
    own: FloatArray
    """(cells, classes)"""
    prior: FloatArray
    own_prior: FloatArray
    """(classes,)"""


def evidence_of(
    counts: Counts, alpha: float, missing: BoolArray | None = None, *, leave_one_out: bool = True
) -> Evidence:
    """P(v|c) = (n_vc − [c = y] + α) / (n_c − [c = y] + αV), and the prior likewise.

    A row's own count is one: a row of weight two is two rows, each of which leaves only itself out. ``missing`` is as
    in :func:`~atfnb.model.log_likelihood`.

    >>> counts = Counts(np.array([2]), np.array([2.0, 1.0]), np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    >>> np.exp(evidence_of(counts, 1.0).own).round(3)
    array([[0.667, 0.333],
           [0.25 , 0.5  ],
           [1.   , 1.   ]])
    """
    table, prior = log_likelihood(counts, alpha, missing), log_prior(counts, alpha)
    if not leave_one_out:
        return Evidence(table, table, prior, prior)
    own = log_likelihood(counts, alpha, missing, less=np.minimum(1.0, counts.values))
    rest = counts.classes - np.minimum(1.0, counts.classes) + alpha
    all_but_one = counts.classes.sum() - np.minimum(1.0, counts.classes) + alpha * len(rest)
    return Evidence(table, own, prior, np.asarray(np.log(rest) - np.log(all_but_one)))


@dataclass(frozen=True)
class CountedRows:
    """Coded rows, what was counted of them, and what that says of each."""

    rows: Pieces[CodedRows]
    counts: Counts
    evidence: Evidence


@dataclass(frozen=True)
class Quadratic:
    """A target to be made small, at one point: its value, gradient and second derivatives."""

    value: float
    gradient: FloatArray
    hessian: FloatArray

    @classmethod
    def nothing(cls, n: int) -> Quadratic:
        """0 everywhere, of n coefficients."""
        return cls(0.0, np.zeros(n), np.zeros((n, n)))

    def __add__(self, other: Quadratic) -> Quadratic:
        return Quadratic(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)


def log_loss(weights: FloatArray, basis: FloatArray | None, data: CountedRows) -> Quadratic:
    """The leave-one-out log-loss of weighted naive Bayes, by the coefficients of ``basis`` (or by the weights)."""
    coefficients = len(weights) if basis is None else basis.shape[1]
    add_block = partial(_add_block, weights, basis, data.evidence, data.counts.offsets)
    total: Quadratic = data.rows.sum("log-loss", partial(Quadratic.nothing, coefficients), add_block)
    return total


def _add_block(
    weights: FloatArray,
    basis: FloatArray | None,
    evidence: Evidence,
    offsets: IntArray,
    into: Quadratic,
    rows: CodedRows,
) -> Quadratic:
    """Add the log-loss of a block of rows, cut further where it would be too many numbers."""
    if basis is not None:
        return into + _log_loss_by(weights, basis, evidence, offsets, rows)
    for part in row_blocks(len(rows.y), max(BLOCK_NUMBERS // (len(weights) * len(evidence.prior)), 1)):
        some = CodedRows(rows.codes[part], rows.y[part], rows.weight[part])
        into = into + _log_loss(weights, evidence, offsets, some)
    return into


def _log_loss_by(
    weights: FloatArray, basis: FloatArray, evidence: Evidence, offsets: IntArray, rows: CodedRows
) -> Quadratic:
    """Return the log-loss of some rows, with derivatives by a few coefficients."""
    from atfnb._kernels import fusion as kernels

    total, columns = Quadratic.nothing(basis.shape[1]), np.column_stack([basis, weights])
    codes, weight = np.ascontiguousarray(rows.codes), np.ascontiguousarray(rows.weight)
    tables = (evidence.table, evidence.own, evidence.prior, evidence.own_prior)
    loss = kernels.add_log_loss(codes, rows.y, weight, offsets, *tables, columns, total.gradient, total.hessian)
    half = total.hessian
    return Quadratic(loss, total.gradient, half + np.tril(half, -1).T)


def _log_loss(weights: FloatArray, evidence: Evidence, offsets: IntArray, rows: CodedRows) -> Quadratic:
    """Return the log-loss of some rows, with derivatives by all weights."""
    from atfnb._kernels import fusion as kernels

    codes, y, w = np.ascontiguousarray(rows.codes), rows.y, np.ascontiguousarray(rows.weight)
    said = kernels.leave_one_out(codes, y, offsets, evidence.table, evidence.own)
    is_own = y[:, None] == np.arange(len(evidence.prior))
    scores = np.where(is_own, evidence.own_prior, evidence.prior) + said @ weights
    chance = softmax(scores, axis=1)
    loss = float(kernels.log_losses(scores, y, w).sum())
    spread = (said * np.sqrt(w[:, None] * chance)[:, :, None]).reshape(-1, said.shape[2])
    mean = np.einsum("ncp,nc->np", said, chance) * np.sqrt(w)[:, None]
    return Quadratic(loss, np.einsum("ncp,nc->p", said, scores), spread.T @ spread - mean.T @ mean)


@dataclass(frozen=True)
class FusedWeights:
    """Weights w = Fθ + δ, and how they were found."""

    theta: FloatArray
    delta: FloatArray
    weights: FloatArray
    n_iter: int
    converged: bool
    start: float
    end: float
    """The target, log-loss and ridge, where the search began (naive Bayes, unless told otherwise) and at the end."""


def fuse_by_likelihood(
    indexes: FloatArray,
    data: CountedRows,
    *,
    ridge: float,
    shrinkage: float | None = None,
    max_iter: int = 100,
    start: FloatArray | None = None,
) -> FusedWeights:
    """θ with the lowest leave-one-out log-loss + ½·ridge·|θ − (1, 0, …)|², by Newton's method.

    With ``shrinkage`` the weights are Fθ + δ, and ½·shrinkage·|δ|² is added to the target. Both are convex, so that
    ``start``, the θ of similar rows in place of naive Bayes, saves steps and leads to the same lowest point.
    """
    attributes, n_indexes = indexes.shape
    naive = np.zeros(n_indexes + (attributes if shrinkage is not None else 0))
    naive[0] = 1.0
    # w = basis · (θ, δ); with δ the derivatives are taken by the weights, and carried over
    basis = indexes if shrinkage is None else np.hstack([indexes, np.eye(attributes)])
    strength = np.repeat([ridge, shrinkage or 0.0], [n_indexes, len(naive) - n_indexes])

    def target(at: FloatArray) -> Quadratic:
        inner = None if shrinkage is not None else basis
        loss = log_loss(basis @ at, inner, data)
        if inner is None:
            loss = replace(loss, gradient=basis.T @ loss.gradient, hessian=basis.T @ loss.hessian @ basis)
        away = at - naive
        return loss + Quadratic(0.5 * float(strength @ away**2), strength * away, np.diag(strength))

    begin = naive.copy()
    if start is not None:
        begin[:n_indexes] = start
    found, n_iter, converged, before, after = newton(target, begin, max_iter)
    theta, delta = found[:n_indexes], found[n_indexes:] if shrinkage is not None else np.zeros(attributes)
    return FusedWeights(theta, delta, basis @ found, n_iter, converged, before, after)


def newton(
    target: Callable[[FloatArray], Quadratic], at: FloatArray, max_iter: int
) -> tuple[FloatArray, int, bool, float, float]:
    """Make a convex target small: steps, whether they came to rest, and the target at the start and at the end.

    >>> square = lambda x: Quadratic(float((x - 3) @ (x - 3)), 2 * (x - 3), 2 * np.eye(1))
    >>> newton(square, np.zeros(1), 10)[0]
    array([3.])
    """
    here = target(at)
    start = here.value
    for n_iter in range(max_iter):
        step = np.linalg.solve(here.hessian, -here.gradient)
        gain = -float(here.gradient @ step)
        if gain <= PRECISE * (1 + abs(here.value)):
            return at, n_iter, True, start, here.value
        length = 1.0
        while (there := target(at + length * step)).value > here.value - 1e-4 * length * gain:
            length /= 2
            if length < 1e-10:  # nothing but rounding is left
                return at, n_iter, True, start, here.value
        at, here = at + length * step, there
    return at, max_iter, False, start, here.value
