"""Screening: of a table with many more columns than its rows can carry, the columns that say most by themselves.

A column is scored by what its values would gain in one step from no effects at all, as pairs are ranked: a function of
the value × class tables, so that the rows may come in any pieces. Columns that are screened out are left out of the
encoder: unknown in every row, they add nothing. Numbers are cut at a few quantiles, without a look at the classes.

Scores are honest only for rows that they have not seen: the folds that choose a shrinkage screen anew, each by its
training rows.
"""

from __future__ import annotations

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.counts import Counts, count_pieces
from atfnb.fusion.fitting import FusionOptions
from atfnb.training import TrainingRows

KEPT = 500
"""The number of columns that are kept, at least; half as many as there are rows, if that is more."""
LEAST = 1.0
"""What is added to the curvature of a cell, so that one with hardly any rows gains little."""


def screened(rows: TrainingRows, options: FusionOptions) -> TrainingRows:
    """Return training rows with the best columns only, or the rows as they are where the columns are not too many."""
    if rows.encoder.n_used <= KEPT:
        return rows
    every = rows.cut_at_quantiles(options.of_wide.max_cuts)
    counts = count_pieces(every.pieces, every.encoder.n_values, len(rows.classes))
    most = most_columns(counts)
    if every.encoder.n_used <= most:
        return rows
    kept = best_columns(counts, most)
    kept[options.named] = True
    return every.only(kept)


def most_columns(counts: Counts) -> int:
    """Return how many columns the counted rows can carry."""
    return max(KEPT, int(counts.classes.sum() / 2))


def best_columns(counts: Counts, most: int) -> BoolArray:
    """Return which columns have the highest scores, ``most`` of them and those that tie with the last: (attributes,).

    >>> values = np.array([[3.0, 0], [0, 3], [0, 0], [2, 1], [1, 2], [0, 0]])
    >>> best_columns(Counts(np.array([2, 2]), np.array([3.0, 3.0]), values), 1)
    array([ True, False])
    """
    scores = screening_scores(counts)
    lowest = np.sort(scores)[-min(most, len(scores))]
    return np.asarray(counts.used & (scores >= lowest))


def screening_scores(counts: Counts) -> FloatArray:
    """½ Σ (R² − H) / (H + 1) over the values and classes of each attribute: (attributes,).

    R = n_ac − n_a·P(c) and H = n_a·P(c)·(1 − P(c)) are the derivatives of the log-loss of the class frequencies by the
    effect of a value. A step of Newton's method gains ½ R² / (H + 1), of which chance alone would give ½ H / (H + 1).
    """
    p_c = counts.classes / counts.classes.sum()
    rows = np.where(counts.known[:, None], counts.values, 0.0)
    n_a = rows.sum(axis=1, keepdims=True)
    first, second = rows - n_a * p_c, n_a * p_c * (1.0 - p_c)
    gains = counts.per_attribute(((first**2 - second) / (second + LEAST)).sum(axis=1))
    return np.where(counts.used, 0.5 * gains, -np.inf).astype(np.float32)  # rounded: what is equal on paper ties
