"""From counts to probabilities (Eq. 2 and 3), and from probabilities to scores (Eq. 4)."""

from __future__ import annotations

import numpy as np

from atfnb._rows import for_each_block
from atfnb._typing import CodeArray, FloatArray
from atfnb.counts import Counts

FINEST = 2.0**-36


def log_prior(counts: Counts, alpha: float) -> FloatArray:
    """Log P(c) = log (n_c + α) / (n + α·K), with K classes (Eq. 2)."""
    smoothed = counts.classes + alpha
    return np.asarray(np.log(smoothed) - np.log(smoothed.sum()))


def log_likelihood(counts: Counts, alpha: float) -> FloatArray:
    """Log P(a|c) = log (n_ac + α) / (n_c + α·V), with V values of the attribute (Eq. 3): (cells, classes).

    n_c counts the rows that know the attribute. An unknown value has 0: it says nothing.
    """
    smoothed = np.where(counts.known[:, None], counts.values + alpha, 0.0)
    total = counts.per_cell(counts.per_attribute(smoothed))  # (cells, classes): n_c + α·V
    smoothed[~counts.known] = total[~counts.known]
    return np.asarray(np.log(smoothed) - np.log(total))


def on_grid(table: FloatArray, prior: FloatArray, counts: Counts) -> tuple[FloatArray, FloatArray]:
    """Round a table of additive scores, and the prior, so that no sum of one cell per attribute ever rounds.

    The step of the grid is 2⁻³⁶, or a coarser power of two where the sums are so large that 53 bits would not
    hold them. Sums of multiples of a power of two are exact: scores do not depend on the order of the
    attributes, and classes that tie on paper tie in the machine, where the first of them is taken.
    """
    largest = np.maximum.reduceat(np.abs(table).max(axis=1), counts.offsets[:-1]).sum() + np.abs(prior).max()
    step = max(FINEST, 2.0 ** (np.ceil(np.log2(max(largest, 1.0))) - 52))
    return np.round(table / step) * step, np.round(prior / step) * step


def add_up(codes: CodeArray, table: FloatArray, prior: FloatArray, counts: Counts) -> FloatArray:
    """prior_c + Σ_j table[x_j, c] for each row: (rows, classes)."""
    from atfnb import _kernels

    scores = np.empty((len(codes), len(prior)))

    def block(rows: slice) -> None:
        scores[rows] = _kernels.add_up(np.ascontiguousarray(codes[rows]), counts.offsets, table, prior)

    for_each_block(block, len(codes))
    return scores
