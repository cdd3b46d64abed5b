"""Redundancy: how much two attributes say about each other. A symmetric matrix, never negative."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from atfnb._typing import FloatArray
from atfnb.counts import Counts
from atfnb.indexes.registry import redundancy
from atfnb.indexes.relevances import divide, without_noise


def _entropies(counts: Counts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return H(A_i), H(A_j) and H(A_i, A_j) over the rows in which both are known: (attributes, attributes) each."""
    if counts.pairs is None:
        raise ValueError("this index needs the pairs of values: register it with needs='pairs'.")
    above = np.where(np.outer(counts.known, counts.known), counts.pairs, 0.0)
    n_ab = above + above.T
    n_a = counts.per_attribute(n_ab, axis=1)  # (cells, attributes): the marginal of a where the other is known
    n = counts.per_attribute(n_a)  # (attributes, attributes)

    def entropy(sum_of_logs: FloatArray) -> FloatArray:
        """H = log n − Σ n_x log n_x / n."""
        return np.log(np.where(n > 0, n, 1.0)) - divide(sum_of_logs, n)

    h_i = entropy(counts.per_attribute(xlogy(n_a, n_a)))
    h_ij = entropy(counts.per_attribute(counts.per_attribute(xlogy(n_ab, n_ab), axis=1)))
    return h_i, h_i.T, h_ij


@redundancy("mutual_information", needs="pairs")
def mutual_information(counts: Counts) -> FloatArray:
    """I(A_i;A_j) = Σ P(a_i,a_j) log P(a_i,a_j) / (P(a_i)P(a_j)) = H(A_i) + H(A_j) − H(A_i,A_j) (Eq. 9)."""
    h_i, h_j, h_ij = _entropies(counts)
    return without_noise(h_i + h_j - h_ij, h_i + h_j)


@redundancy("symmetric_uncertainty", needs="pairs")
def symmetric_uncertainty(counts: Counts) -> FloatArray:
    """2·I(A_i;A_j) / (H(A_i) + H(A_j)), between 0 and 1."""
    h_i, h_j, _ = _entropies(counts)
    return divide(2 * mutual_information(counts), h_i + h_j)


@redundancy("pearson", needs="moments")
def pearson(counts: Counts) -> FloatArray:
    """|cov(A_i,A_j) / (σ_i σ_j)| of the codes (Eq. 23); 0 for a constant attribute.

    A code is the position of a value in a sorted list, so for categories the result depends on their names.
    """
    if counts.moments is None:
        raise ValueError("this index needs the cross-moments of codes: register it with needs='moments'.")
    n, x, xx, xy = counts.moments
    covariance = n * xy - x * x.T
    variance = n * xx - x * x
    variance[variance <= 1e-12 * n * xx] = 0.0  # a constant attribute, up to rounding
    correlation = np.minimum(divide(np.abs(covariance), np.sqrt(variance * variance.T)), 1.0)
    return without_noise(correlation, np.ones_like(correlation))


@redundancy("zero")
def zero(counts: Counts) -> FloatArray:
    """0 for every two attributes, so that only the relevance counts."""
    return np.zeros((len(counts.n_values), len(counts.n_values)))
