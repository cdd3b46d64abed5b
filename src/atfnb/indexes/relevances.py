"""Relevance: how much the value of an attribute says about the class. One number per attribute, never negative."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from atfnb._typing import FloatArray
from atfnb.counts import Counts
from atfnb.indexes.registry import relevance


def divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return the quotient, with 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def without_noise(index: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the index with 0 in place of numbers so small, compared to their terms, that they are rounding errors."""
    return np.where(index > 1e-12 * scale, index, 0.0)


def _probabilities(counts: Counts) -> FloatArray:
    """Return P(a, c) over the rows in which the attribute is known, 0 for "unknown": (cells, classes)."""
    known = np.where(counts.known[:, None], counts.values, 0.0)
    total = counts.per_cell(counts.per_attribute(known).sum(axis=1))
    return divide(known, np.broadcast_to(total[:, None], known.shape))


def _entropies(counts: Counts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return H(A), H(C) and H(A, C) of each attribute, over the rows in which it is known: (attributes,) each."""
    p_ac = _probabilities(counts)
    p_a = p_ac.sum(axis=1)
    p_c = counts.per_attribute(p_ac)
    h_a = -counts.per_attribute(xlogy(p_a, p_a))
    h_c = -xlogy(p_c, p_c).sum(axis=1)
    h_ac = -counts.per_attribute(xlogy(p_ac, p_ac).sum(axis=1))
    return h_a, h_c, h_ac


@relevance("information_gain")
@relevance("mutual_information")
def mutual_information(counts: Counts) -> FloatArray:
    """I(A;C) = Σ P(a,c) log P(a,c) / (P(a)P(c)) = H(A) + H(C) − H(A,C) (Eq. 8).

    The information gain H(C) − Σ P(a) H(C|a) (Eq. 22) is the same number, hence the two names.
    """
    h_a, h_c, h_ac = _entropies(counts)
    return without_noise(h_a + h_c - h_ac, h_a + h_c)


@relevance("gain_ratio")
@relevance("kullback_leibler")
def gain_ratio(counts: Counts) -> FloatArray:
    """I(A;C) / H(A), the gain ratio of Eq. 5; 0 for a constant attribute.

    The Kullback-Leibler weighting Σ P(a) KL(C|a ‖ C) / H(A) (Eq. 6) is the same number, hence the two names.
    """
    h_a, _, _ = _entropies(counts)
    return divide(mutual_information(counts), h_a)


@relevance("symmetric_uncertainty")
def symmetric_uncertainty(counts: Counts) -> FloatArray:
    """2·I(A;C) / (H(A) + H(C)), between 0 and 1."""
    h_a, h_c, _ = _entropies(counts)
    return divide(2 * mutual_information(counts), h_a + h_c)


@relevance("pearson")
def pearson(counts: Counts) -> FloatArray:
    """|cov(A,C) / (σ_A σ_C)| of the codes (Eq. 23); 0 for a constant attribute.

    A code is the position of a value, or of a class, in a sorted list. With more than two classes the result depends
    on the names of the classes.
    """
    p_ac = _probabilities(counts)
    code = np.arange(len(p_ac)) - counts.per_cell(counts.offsets[:-1].astype(np.float64))
    label = np.arange(p_ac.shape[1])
    a = code - counts.per_cell(counts.per_attribute(p_ac.sum(axis=1) * code))  # centred
    c = label - counts.per_cell(counts.per_attribute(p_ac @ label))[:, None]
    covariance = counts.per_attribute((p_ac * a[:, None] * c).sum(axis=1))
    variance_a = counts.per_attribute(p_ac.sum(axis=1) * a**2)
    variance_c = counts.per_attribute((p_ac * c**2).sum(axis=1))
    several = counts.per_attribute((p_ac.sum(axis=1) > 0).astype(float)) > 1
    correlation = divide(np.abs(covariance), np.sqrt(variance_a * variance_c)) * several
    return without_noise(correlation, np.ones_like(correlation))


@relevance("uniform")
def uniform(counts: Counts) -> FloatArray:
    """w_j = 1 for every attribute: plain naive Bayes (Eq. 1)."""
    return np.ones(len(counts.n_values))
