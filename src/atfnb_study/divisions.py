"""The sets divided by their size: where ATFNB is best (T13), and where β lies (T14 and T15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from atfnb._typing import BoolArray
from atfnb_study.statistics import Texts, finite, is_best

FEW_INSTANCES = 500
"""Sets with fewer rows are the small ones of T13 and T15."""
FEW_ATTRIBUTES = 15
"""Sets with fewer attributes are the narrow ones of T13 and T15."""
BETA_MARKS = ("above", "contains", "below")
"""How an interval of β can lie to 0.5."""


@dataclass(frozen=True)
class Shares:
    """One division of T13 or T15: the positions of its sets under each heading."""

    division: str
    sets: Mapping[str, tuple[int, ...]]

    @property
    def counts(self) -> dict[str, int]:
        """The number of sets under each heading."""
        return {heading: len(sets) for heading, sets in self.sets.items()}

    @property
    def number(self) -> int:
        """The number of sets in the division."""
        return sum(self.counts.values())

    @property
    def percent(self) -> dict[str, float]:
        """The percentage of the sets under each heading; NaN if the division has no sets."""
        return {heading: 100 * n / self.number if self.number else np.nan for heading, n in self.counts.items()}


def divisions(instances: ArrayLike, attributes: ArrayLike) -> dict[str, BoolArray]:
    """Return the eight divisions of T13 and T15, each as a mask of the sets: few instances, few attributes, or both.

    >>> list(divisions([100, 900], [4, 4]))[:3]
    ['instances < 500', 'instances ≥ 500', 'attributes < 15']
    """
    few_rows, few_columns = np.asarray(instances) < FEW_INSTANCES, np.asarray(attributes) < FEW_ATTRIBUTES
    rows = {f"instances < {FEW_INSTANCES}": few_rows, f"instances ≥ {FEW_INSTANCES}": ~few_rows}
    columns = {f"attributes < {FEW_ATTRIBUTES}": few_columns, f"attributes ≥ {FEW_ATTRIBUTES}": ~few_columns}
    return rows | columns | {f"{r}, {c}": rows[r] & columns[c] for r in rows for c in columns}


def by_size(accuracy: ArrayLike, instances: ArrayLike, attributes: ArrayLike, reference: int) -> tuple[Shares, ...]:
    """Return for each division the sets on which ``reference`` is the highest, alone or tied, and the others (T13).

    >>> by_size([[0.9, 0.8], [0.5, 0.7]], [100, 900], [4, 4], reference=0)[2]
    Shares(division='attributes < 15', sets={'reference': (0,), 'others': (1,)})
    """
    heading = np.where(is_best(finite(accuracy))[:, reference], "reference", "others")
    return _shares(heading, ("reference", "others"), instances, attributes)


def beta_marks(intervals: ArrayLike) -> Texts:
    """Return for each interval of β "above", "below" or "contains": how it lies to 0.5 (T14).

    >>> beta_marks([[0.71, 0.83], [0.44, 0.94], [0.32, 0.45]])
    array(['above', 'contains', 'below'], dtype='<U8')
    """
    ends = finite(intervals, ("sets", "ends"))
    if ends.shape[1] != 2 or (ends[:, 0] > ends[:, 1]).any():
        raise ValueError("an interval of β has two ends, the lower one first.")
    low, high = ends.T
    return np.where(low > 0.5, "above", np.where(high < 0.5, "below", "contains"))


def by_beta(marks: ArrayLike, instances: ArrayLike, attributes: ArrayLike) -> tuple[Shares, ...]:
    """Return for each division the sets with β above 0.5, containing it and below it (T15).

    ``marks`` is as :func:`beta_marks` returns it.

    >>> by_beta(["above", "below"], [100, 900], [4, 4])[2].percent
    {'above': 50.0, 'contains': 0.0, 'below': 50.0}
    """
    return _shares(np.asarray(marks), BETA_MARKS, instances, attributes)


def _shares(
    heading: Texts, headings: tuple[str, ...], instances: ArrayLike, attributes: ArrayLike
) -> tuple[Shares, ...]:
    if not np.shape(heading) == np.shape(instances) == np.shape(attributes):
        raise ValueError("instances and attributes must hold one number for each set.")
    return tuple(
        Shares(name, {h: tuple(map(int, np.flatnonzero(members & (heading == h)))) for h in headings})
        for name, members in divisions(instances, attributes).items()
    )
