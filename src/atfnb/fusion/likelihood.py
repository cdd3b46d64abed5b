"""Fused weights w = Fθ (+ δ) by likelihood: each row is judged by tables that are made without it.

Without leaving the row out, the most detailed attribute would always look best: the tables would have counted the very
row that they are to predict. Leaving one row out changes the counts of its own class only, so the log-probabilities of
all rows stand in two tables (:class:`LogProbabilities`), and the log-loss is convex in the weights: Newton's method
finds its minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from atfnb._pieces import CodedRows, Pieces, row_blocks
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.counts import Counts, log_likelihood, log_prior

BLOCK_NUMBERS = 1 << 20
"""The number of log-probabilities, rows × attributes × classes, that are held at once."""
THETA_SHRINKAGE = 1.0
"""How strongly the coefficients of the indexes are shrunk to those of naive Bayes."""
PRECISE = 1e-9
"""A Newton step that would lower the loss by less than this share of it is not taken."""


# --- Probabilities without the row itself -----------------------------------------------------------


class LogProbabilities(NamedTuple):
    """The logarithms of P(a|c) and P(c), by all rows and without the row in question."""

    offsets: IntArray
    """(attributes + 1,) where the cells of each attribute begin."""
    table: FloatArray
    """(cells, classes) log P(a|c) by all rows: for the classes other than a row's own."""
    own: FloatArray
    """(cells, classes) log P(a|c) without the row: for a row's own class."""
    prior: FloatArray
    """(classes,) log P(c) by all rows."""
    own_prior: FloatArray
    """(classes,) log P(c) without the row."""


def log_probabilities(counts: Counts, alpha: float, missing: BoolArray | None = None) -> LogProbabilities:
    """Return log P(a|c) = log (n_ac − [c = y] + α) / (n_c − [c = y] + α·V), and log P(c) in the same way.

    Parameters
    ----------
    counts : Counts
        What was counted of all rows. A row of weight two is two rows, each of which leaves only itself out: what is
        subtracted is one.
    alpha : float
        The smoothing of Eq. 2 and 3.
    missing : (cells,) array of bool, optional
        The cells of missing values, as in :func:`~atfnb.model.log_likelihood`.

    Examples
    --------
    >>> counts = Counts(np.array([2]), np.array([2.0, 1.0]), np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    >>> np.exp(log_probabilities(counts, 1.0).own).round(3)
    array([[0.667, 0.333],
           [0.25 , 0.5  ],
           [1.   , 1.   ]])
    """
    table, prior = log_likelihood(counts, alpha, missing), log_prior(counts, alpha)
    own = log_likelihood(counts, alpha, missing, less=np.minimum(1.0, counts.values))
    rest = counts.classes - np.minimum(1.0, counts.classes) + alpha
    all_but_one = counts.classes.sum() - np.minimum(1.0, counts.classes) + alpha * len(rest)
    return LogProbabilities(counts.offsets, table, own, prior, np.asarray(np.log(rest) - np.log(all_but_one)))


@dataclass(frozen=True)
class CountedRows:
    """Coded rows, the counts of them, and the log-probabilities that follow for each row without itself."""

    rows: Pieces[CodedRows]
    counts: Counts
    log_p: LogProbabilities


# --- The log-loss -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Quadratic:
    """A function at one point: its value, its gradient (n,) and its Hessian (n, n). Quadratics add up."""

    value: float
    gradient: FloatArray
    hessian: FloatArray

    @classmethod
    def zero(cls, n: int) -> Quadratic:
        """Return the function that is 0 everywhere, of n coefficients."""
        return cls(0.0, np.zeros(n), np.zeros((n, n)))

    def __add__(self, other: Quadratic) -> Quadratic:
        return Quadratic(self.value + other.value, self.gradient + other.gradient, self.hessian + other.hessian)


def log_loss(weights: FloatArray, basis: FloatArray | None, data: CountedRows) -> Quadratic:
    """Return the leave-one-out log-loss of weighted naive Bayes, with derivatives by coefficients of the weights.

    Parameters
    ----------
    weights : (attributes,) array
        w, where the log-loss is taken.
    basis : (attributes, coefficients) array or None
        The derivatives of the weights by each coefficient; None for derivatives by the weights themselves.
    data : CountedRows
    """
    coefficients = len(weights) if basis is None else basis.shape[1]
    add_block = partial(_add_block, weights, basis, data.log_p)
    total: Quadratic = data.rows.sum("log-loss", partial(Quadratic.zero, coefficients), add_block)
    return total


def _add_block(
    weights: FloatArray, basis: FloatArray | None, log_p: LogProbabilities, into: Quadratic, rows: CodedRows
) -> Quadratic:
    """Add the log-loss of a block of rows; where it would hold too many numbers, in smaller blocks."""
    if basis is not None:
        return into + _log_loss_by_coefficients(weights, basis, log_p, rows)
    for part in row_blocks(len(rows.y), max(BLOCK_NUMBERS // (len(weights) * len(log_p.prior)), 1)):
        into = into + _log_loss_by_weights(weights, log_p, rows.take(part))
    return into


def _log_loss_by_coefficients(
    weights: FloatArray, basis: FloatArray, log_p: LogProbabilities, rows: CodedRows
) -> Quadratic:
    """Return the log-loss of a block of rows, with derivatives by a few coefficients of the weights."""
    from atfnb._kernels import fusion as kernels

    total, columns = Quadratic.zero(basis.shape[1]), np.column_stack([basis, weights])
    codes, weight = np.ascontiguousarray(rows.codes), np.ascontiguousarray(rows.weight)
    loss = kernels.add_log_loss(codes, rows.y, weight, log_p, columns, total.gradient, total.hessian)
    return Quadratic(loss, total.gradient, total.hessian + np.tril(total.hessian, -1).T)


def _log_loss_by_weights(weights: FloatArray, log_p: LogProbabilities, rows: CodedRows) -> Quadratic:
    """Return the log-loss of a block of rows, with derivatives by all weights."""
    from atfnb._kernels import fusion as kernels

    codes, y, w = np.ascontiguousarray(rows.codes), rows.y, np.ascontiguousarray(rows.weight)
    said = kernels.leave_one_out(codes, y, log_p)  # (rows, classes, attributes)
    is_own = y[:, None] == np.arange(len(log_p.prior))
    joint = np.where(is_own, log_p.own_prior, log_p.prior) + said @ weights
    chance = softmax(joint, axis=1)
    loss = float(kernels.log_losses(joint, y, w).sum())  # from here on, joint holds the derivatives
    spread = (said * np.sqrt(w[:, None] * chance)[:, :, None]).reshape(-1, said.shape[2])
    mean = np.einsum("ncp,nc->np", said, chance) * np.sqrt(w)[:, None]
    return Quadratic(loss, np.einsum("ncp,nc->p", said, joint), spread.T @ spread - mean.T @ mean)


# --- Its minimum ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FusedWeights:
    """Weights w = Fθ + δ, and how they were found."""

    indexes: FloatArray
    """(attributes, indexes) F."""
    theta: FloatArray
    """(indexes,) the coefficient of each index."""
    delta: FloatArray
    """(attributes,) the correction of each attribute; 0 without any."""
    weights: FloatArray
    """(attributes,) w."""
    n_iter: int
    converged: bool


def fuse_by_likelihood(
    indexes: FloatArray,
    data: CountedRows,
    shrinkage: float | None = None,
    *,
    max_iter: int = 100,
    start: FloatArray | None = None,
) -> FusedWeights:
    """Return the weights Fθ with the lowest leave-one-out log-loss + ½·|θ − (1, 0, …)|², by Newton's method.

    Parameters
    ----------
    indexes : (attributes, indexes) array
        F; its first column is 1 for every attribute, so that θ = (1, 0, …) is naive Bayes.
    data : CountedRows
    shrinkage : float, optional
        If given, the weights are Fθ + δ, and ½·shrinkage·|δ|² is added to the loss.
    max_iter : int, default=100
    start : (indexes,) array, optional
        The θ of similar rows, to begin from in place of naive Bayes. The loss is convex, so this saves steps and leads
        to the same minimum.
    """
    attributes, n_indexes = indexes.shape
    corrected = shrinkage is not None
    naive = np.zeros(n_indexes + (attributes if corrected else 0))
    naive[0] = 1.0
    # w = basis · (θ, δ); with δ the derivatives are taken by the weights, and carried over
    basis = np.hstack([indexes, np.eye(attributes)]) if corrected else indexes
    precision = np.repeat([THETA_SHRINKAGE, shrinkage or 0.0], [n_indexes, len(naive) - n_indexes])

    def penalised(at: FloatArray) -> Quadratic:
        loss = log_loss(weights_of(basis, at), None if corrected else basis, data)
        if corrected:
            loss = replace(loss, gradient=basis.T @ loss.gradient, hessian=basis.T @ loss.hessian @ basis)
        away = at - naive
        return loss + Quadratic(0.5 * float(precision @ away**2), precision * away, np.diag(precision))

    begin = naive.copy()
    if start is not None:
        begin[:n_indexes] = start
    found, n_iter, converged = newton(penalised, begin, max_iter)
    delta = found[n_indexes:] if corrected else np.zeros(attributes)
    return FusedWeights(indexes, found[:n_indexes], delta, weights_of(basis, found), n_iter, converged)


def weights_of(indexes: FloatArray, theta: FloatArray) -> FloatArray:
    """Return w = Fθ: (attributes,); the same to the bit if there are attributes beside that are not used, rows of 0."""
    weights, used = np.zeros(len(indexes)), indexes.any(axis=1)
    weights[used] = indexes[used] @ theta
    return weights


def newton(function: Callable[[FloatArray], Quadratic], at: FloatArray, max_iter: int) -> tuple[FloatArray, int, bool]:
    """Minimise a convex function by Newton's method, halving steps that do not lower it enough.

    Returns
    -------
    at : array
        Where the function is lowest.
    n_iter : int
        The number of steps.
    converged : bool
        Whether further steps would not lower it noticeably.

    Examples
    --------
    >>> square = lambda x: Quadratic(float((x - 3) @ (x - 3)), 2 * (x - 3), 2 * np.eye(1))
    >>> newton(square, np.zeros(1), 10)[0]
    array([3.])
    """
    here = function(at)
    for n_iter in range(max_iter):
        step = np.linalg.solve(here.hessian, -here.gradient)
        gain = -float(here.gradient @ step)
        if gain <= PRECISE * (1 + abs(here.value)):
            return at, n_iter, True
        length = 1.0
        while (there := function(at + length * step)).value > here.value - 1e-4 * length * gain:
            length /= 2
            if length < 1e-10:  # nothing but rounding is left to gain
                return at, n_iter, True
        at, here = at + length * step, there
    return at, max_iter, False
