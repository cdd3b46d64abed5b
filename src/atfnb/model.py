"""From counts to probabilities (Eq. 2 and 3), and from probabilities to scores (Eq. 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._pieces import for_each_block
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray
from atfnb.counts import Counts

TIE = 1e-10
"""Scores closer than this are equal; the first of the classes is taken.

Classes that tie on paper, as ½·⅓ and ⅙·1 do, differ by what rounding left of the sums of their logarithms, and that
must not decide.
"""


def log_prior(counts: Counts, alpha: float) -> FloatArray:
    """Log P(c) = log (n_c + α) / (n + α·K), with K classes (Eq. 2)."""
    smoothed = counts.classes + alpha
    return np.asarray(np.log(smoothed) - np.log(smoothed.sum()))


def log_likelihood(
    counts: Counts, alpha: float, missing: BoolArray | None = None, less: FloatArray | float = 0.0
) -> FloatArray:
    """Log P(a|c) = log (n_ac + α) / (n_c + α·V), with V values of the attribute (Eq. 3): (cells, classes).

    n_c counts the rows that know the attribute. An unknown value has 0: it says nothing.

    Parameters
    ----------
    counts : Counts
    alpha : float
    missing : (cells,) array of bool, optional
        Cells that stand for a missing value. P(a|c) is then P(present|c) · P(a|present, c), and P(missing|c) is
        smoothed towards the share of all rows in which the attribute is missing: a missing value that is rare says
        nothing. Without this argument such a cell is a value like the others.
    less : (cells, classes) array, optional
        What is taken away from the count of each cell, and from the sums that it is part of.
    """
    present = (counts.known if missing is None else counts.known & ~missing)[:, None]
    smoothed = np.where(present, counts.values + alpha, 0.0)
    total = counts.per_cell(counts.per_attribute(smoothed))  # (cells, classes): n_c + α·V
    total[total == 0] = 1.0  # an attribute without any value
    own = np.where(present, less, 0.0)
    evidence = np.log(np.where(present, smoothed - own, total)) - np.log(total - own)
    return np.asarray(evidence if missing is None else evidence + _log_present(counts, alpha, missing, less))


def _log_present(counts: Counts, alpha: float, missing: BoolArray, less: FloatArray | float) -> FloatArray:
    """Return log P(missing|c), P(missing|c) = q · (n_mc + α) / (q·n_c + α), for "missing": (cells, classes).

    q is the share of all rows in which the attribute is missing, so q·n_c of them are expected in a class. The other
    values have log P(present|c) = log (1 − P(missing|c)); "unknown" has 0, as has a value where q = 0.
    """
    known, gone = counts.known[:, None], missing[:, None]
    rows, less = np.where(known, counts.values, 0.0), np.where(known, less, 0.0)
    total = counts.per_cell(counts.per_attribute(rows))
    absent = counts.per_cell(counts.per_attribute(np.where(gone, rows, 0.0)))
    q = absent.sum(axis=1, keepdims=True) / np.maximum(total.sum(axis=1, keepdims=True), 1e-300)
    alike, share = np.where(gone, absent, total - absent), np.where(gone, q, 1.0 - q)
    counted = known & (q > 0)
    smoothed = np.where(counted, q * (alike - less) + alpha * share, 1.0)
    return np.asarray(np.log(smoothed) - np.log(np.where(counted, q * (total - less) + alpha, 1.0)))


def weigh(
    weights: FloatArray, evidence: FloatArray, prior: FloatArray, counts: Counts
) -> tuple[FloatArray, FloatArray]:
    """w_j log P(a|c) for every value, and log P(c) (Eq. 4): a table of additive scores, and what they start from.

    Both are rounded to a power of two so coarse that no sum of one cell per attribute ever rounds: scores do not
    depend on the order of the attributes, and contributions sum to them to the bit.
    """
    with np.errstate(over="ignore"):
        table = counts.per_cell(weights)[:, None] * evidence
    return on_grid(table, prior, counts)


def on_grid(table: FloatArray, prior: FloatArray, counts: Counts) -> tuple[FloatArray, FloatArray]:
    """Round a table, and what its sums start from, so that no sum of one cell per attribute ever rounds."""
    largest = np.maximum.reduceat(np.abs(table).max(axis=1), counts.offsets[:-1]).sum() + np.abs(prior).max()
    if not np.isfinite(largest):
        raise ValueError("the scores are too large for floating point: choose smaller weights or a smaller alpha.")
    if largest == 0:
        return table, prior
    step = 2.0 ** (np.ceil(np.log2(largest)) - 52)
    return np.round(table / step) * step, np.round(prior / step) * step


@dataclass(frozen=True)
class Scorer:
    """Gives start_c + Σ_j table[x_j, c] for each row of a block of codes: (rows, classes)."""

    offsets: IntArray
    padded: FloatArray
    start: FloatArray

    def __call__(self, codes: CodeArray) -> FloatArray:
        """The scores of a block of codes."""
        from atfnb._kernels import model as kernels

        return kernels.add_up(np.ascontiguousarray(codes), self.offsets, self.padded, self.start)


def spread(table: FloatArray, counts: Counts) -> FloatArray:
    """How far each attribute moves the score of a class, up or down: (attributes,).

    The root mean square, over the rows and the classes, of what it adds, less the mean over the classes and the rows.
    """
    away = table - table.mean(axis=1, keepdims=True)
    share = counts.values.sum(axis=1) / counts.classes.sum()
    mean = counts.per_attribute(share[:, None] * away)
    square = counts.per_attribute(share[:, None] * (away - counts.per_cell(mean)) ** 2)
    return np.asarray(np.sqrt(square.mean(axis=1)))


def scorer(table: FloatArray, start: FloatArray, counts: Counts) -> Scorer:
    """The function that scores a block of codes by a table; it is small, and can be sent to where the rows are."""
    padded = np.zeros((len(table), len(start) + -len(start) % 4))  # np.pad takes longer than scoring some rows
    padded[:, : len(start)] = table
    return Scorer(counts.offsets, padded, start)


def add_up(codes: CodeArray, table: FloatArray, prior: FloatArray, counts: Counts) -> FloatArray:
    """prior_c + Σ_j table[x_j, c] for each row: (rows, classes)."""
    scores = np.empty((len(codes), len(prior)))
    score = scorer(table, prior, counts)

    def block(rows: slice) -> None:
        scores[rows] = score(codes[rows])

    for_each_block(block, len(codes))
    return scores


def classify(codes: CodeArray, table: FloatArray, prior: FloatArray, counts: Counts) -> ClassArray:
    """argmax_c of the same sums, the first of classes that tie: (rows,)."""
    from atfnb._kernels import model as kernels

    classes = np.empty(len(codes), dtype=np.int32)
    score = scorer(table, prior, counts)

    def block(rows: slice) -> None:
        classes[rows] = kernels.first_highest(score(codes[rows]), TIE)

    for_each_block(block, len(codes))
    return classes
