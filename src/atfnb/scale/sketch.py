"""Candidate cuts of a number with too many distinct values to keep: a mergeable sketch of its quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from atfnb._typing import FloatArray

K = 4096
"""The size of a sketch, some 100 kB: a quantile's rank is off by at most 0.08 % of the rows, with 99 % confidence."""
CANDIDATES = 2000
"""Among so many quantiles ChiMerge looks for cuts."""
AT_ONCE = 1 << 20


class Sketch:
    """A KLL sketch of numbers (Karnin, Lang, Liberty 2016), by Apache DataSketches. Sketches add up.

    Which numbers it keeps is drawn at random, so candidates differ from run to run, within the error that is stated.

    Examples
    --------
    >>> sketch = Sketch.of(np.arange(100_000.0)) + Sketch.of(np.arange(100_000.0, 200_000.0))
    >>> bool(abs(sketch.edges(3)[1] - 100_000) < 3 * sketch.error * 200_000)
    True
    """

    def __init__(self, kll: Any = None) -> None:
        from datasketches import kll_doubles_sketch

        self._kll = kll_doubles_sketch(K) if kll is None else kll

    @classmethod
    def of(cls, values: FloatArray) -> Sketch:
        """The sketch of numbers."""
        return cls().put(values)

    @classmethod
    def of_table(cls, distinct: FloatArray, rows: FloatArray) -> Sketch:
        """The sketch of distinct numbers, each so many times."""
        sketch = cls()
        times = np.maximum(np.rint(rows), 1).astype(np.int64)
        groups = np.cumsum(times) // AT_ONCE  # a frequent number makes a long array by itself, but a short-lived one
        for group in np.unique(groups):
            some = groups == group
            sketch.put(np.repeat(distinct[some], times[some]))
        return sketch

    def put(self, values: FloatArray) -> Sketch:
        """Put numbers into a sketch that nobody else holds."""
        self._kll.update(np.require(values, np.float64, ["C", "W"]))  # it takes no array that is read-only
        return self

    def __add__(self, other: Sketch) -> Sketch:
        both = Sketch()
        both._kll.merge(self._kll)
        both._kll.merge(other._kll)
        return both

    @property
    def error(self) -> float:
        """By how much of all rows a quantile's rank may be off."""
        return float(self._kll.normalized_rank_error(False))

    def edges(self, n: int = CANDIDATES) -> FloatArray:
        """At most n candidate cuts with about as many rows between any two; a number on an edge is above it."""
        quantiles = np.asarray(self._kll.get_quantiles(np.arange(1, n + 1) / (n + 1)))
        return np.unique(quantiles[quantiles > self.ends[0]])

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number."""
        return float(self._kll.get_min_value()), float(self._kll.get_max_value())

    def __reduce__(self) -> Any:
        return _restored, (self._kll.serialize(),)


def _restored(state: bytes) -> Sketch:
    from datasketches import kll_doubles_sketch

    return Sketch(kll_doubles_sketch.deserialize(state))
