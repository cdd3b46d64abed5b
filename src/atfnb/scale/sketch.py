"""Candidate cuts of a number with too many distinct values to keep: a mergeable sketch of its quantiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._typing import FloatArray

K = 1 << 14
"""The size of a sketch, 128 kB."""
CANDIDATES = 2000
"""Among so many quantiles ChiMerge looks for cuts."""


@dataclass(frozen=True)
class Sketch:
    """A number's quantiles, each standing for an equal share of the rows. Sketches add up; nothing is drawn at random.

    Two sketches are put in order together, and of more than K values K quantiles stay, each for a K-th of the weight
    of both: mergeable summaries, as in XGBoost. That moves the rank of a value by at most half of such a
    share; these halves are added up, so how far off a rank can be is known at any time.

    References
    ----------
    Agarwal, P. K. et al. (2013). Mergeable summaries. ACM Transactions on Database Systems 38(4), 26.
    Chen, T. and Guestrin, C. (2016). XGBoost: a scalable tree boosting system, appendix. arXiv:1603.02754.

    Examples
    --------
    >>> sketch = Sketch.of(np.arange(100_000.0)) + Sketch.of(np.arange(100_000.0, 200_000.0))
    >>> bool(abs(sketch.edges(3)[1] - 100_000) <= sketch.error * 200_000)
    True
    """

    values: FloatArray
    """In order."""
    weights: FloatArray
    """Of each value, or one for all."""
    slack: float = 0.0
    """By how much weight a rank may be off."""

    @classmethod
    def of(cls, values: FloatArray, weight: FloatArray | None = None) -> Sketch:
        """The sketch of numbers, with the weights of their rows."""
        if weight is None or len(weight) == 0 or weight.min() == weight.max():  # then it does not matter whose it is
            one = np.ones(1) if weight is None else np.array(weight[:1])
            return cls(np.sort(values), one)._thinned()
        return cls.of_table(values, weight)

    @classmethod
    def of_table(cls, distinct: FloatArray, rows: FloatArray) -> Sketch:
        """The sketch of numbers, each so many times."""
        order = np.argsort(distinct, kind="stable")
        return cls(distinct[order], rows[order])._thinned()

    def __add__(self, other: Sketch) -> Sketch:
        values = np.concatenate([self.values, other.values])
        weights = np.concatenate([each._each_weight() for each in (self, other)])
        order = np.argsort(values, kind="stable")
        return Sketch(values[order], weights[order], self.slack + other.slack)._thinned()

    @property
    def error(self) -> float:
        """By how much of all weight a quantile's rank may be off, at most."""
        return self.slack / float(self._each_weight().sum())

    def edges(self, n: int = CANDIDATES) -> FloatArray:
        """At most n candidate cuts with about as many rows between any two; a number on an edge is above it."""
        return self.candidates(n)[0]

    def candidates(self, n: int = CANDIDATES) -> tuple[FloatArray, FloatArray]:
        """The candidate cuts, and the share of all weight that each was looked for at."""
        shares = np.arange(1, n + 1) / (n + 1)
        edges, first = np.unique(self._quantiles(shares) + 0.0, return_index=True)  # no −0
        above = edges > self.values[0]  # below the lowest there is nothing to cut off
        return edges[above], shares[first[above]]

    def _quantiles(self, shares: FloatArray) -> FloatArray:
        """The lowest values that, with those below, have these shares of all weight."""
        so_far = np.cumsum(self._each_weight())
        quantiles: FloatArray = self.values[np.searchsorted(so_far, shares * so_far[-1])]
        return quantiles

    def _thinned(self) -> Sketch:
        """The same, or K quantiles in place of more values; K is a power of 2, so that shares do not round."""
        if len(self.values) <= K:
            return self
        share = float(self._each_weight().sum()) / K
        return Sketch(self._quantiles((np.arange(K) + 0.5) / K), np.array([share]), self.slack + share / 2)

    def _each_weight(self) -> FloatArray:
        return np.broadcast_to(self.weights, self.values.shape)


def rank_error(shares: FloatArray, table: FloatArray) -> float:
    """By how much the share of the weight below a candidate cut is off, at most.

    Parameters
    ----------
    shares : (edges,) array
        The shares that the edges were looked for at.
    table : (edges + 1, classes) array
        What lies between them, counted.

    Examples
    --------
    >>> rank_error(np.array([0.25, 0.5]), np.array([[2.0, 0.0], [3.0, 0.0], [0.0, 3.0]]))
    0.125
    """
    below = np.cumsum(table.sum(axis=1))
    return float(np.abs(below[:-1] / below[-1] - shares).max(initial=0.0))
