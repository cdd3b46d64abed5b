"""Candidate cuts of a number with too many distinct values to keep: a mergeable sketch of its quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from atfnb._typing import FloatArray

K = 16_000
"""The size of a sketch, at most some 300 kB."""
CANDIDATES = 2000
"""Among so many quantiles ChiMerge looks for cuts."""
AT_ONCE = 1 << 20


class Sketch:
    """A t-digest of numbers, by Apache DataSketches. Sketches add up; nothing is drawn at random.

    Of sketches that draw (KLL and its kin), two on the same rows differ, and so would two models.

    References
    ----------
    Dunning, T. and Ertl, O. (2019). Computing extremely accurate quantiles using t-digests. arXiv:1902.04023.

    Examples
    --------
    >>> sketch = Sketch.of(np.arange(100_000.0)) + Sketch.of(np.arange(100_000.0, 200_000.0))
    >>> bool(abs(sketch.candidates(3)[0][1] - 100_000) < 0.001 * 200_000)
    True
    """

    def __init__(self, digest: Any = None) -> None:
        from datasketches import tdigest_double

        self._digest = tdigest_double(K) if digest is None else digest

    @classmethod
    def of(cls, values: FloatArray) -> Sketch:
        """The sketch of numbers."""
        return cls()._put(values)

    @classmethod
    def of_table(cls, distinct: FloatArray, rows: FloatArray) -> Sketch:
        """The sketch of distinct numbers, each so many times."""
        sketch = cls()
        times = np.maximum(np.rint(rows), 1).astype(np.int64)
        groups = np.cumsum(times) // AT_ONCE  # a frequent number makes a long array by itself, but a short-lived one
        for group in np.unique(groups):
            some = groups == group
            sketch._put(np.repeat(distinct[some], times[some]))
        return sketch

    def _put(self, values: FloatArray) -> Sketch:
        self._digest.update(np.require(values, np.float64, ["C", "W"]))  # it takes no array that is read-only
        return self

    def __add__(self, other: Sketch) -> Sketch:
        both = Sketch()
        both._digest.merge(self._digest)
        both._digest.merge(other._digest)
        return both

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number."""
        return float(self._digest.get_min_value()), float(self._digest.get_max_value())

    def candidates(self, n: int = CANDIDATES) -> tuple[FloatArray, FloatArray]:
        """At most n candidate cuts with about as many rows between any two, and the share of the rows below each.

        A number on a cut is above it. The shares are those asked for: :func:`rank_error` tells how far off they are.
        """
        shares = np.arange(1, n + 1) / (n + 1)
        quantiles = np.array([self._digest.get_quantile(share) for share in shares]) + 0.0  # no −0
        edges, first = np.unique(quantiles, return_index=True)
        above = edges > self.ends[0]  # below the lowest there is nothing to cut off
        return edges[above], shares[first[above]]

    def __reduce__(self) -> Any:
        return _restored, (self._digest.serialize(),)


def _restored(state: bytes) -> Sketch:
    from datasketches import tdigest_double

    return Sketch(tdigest_double.deserialize(state))


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
