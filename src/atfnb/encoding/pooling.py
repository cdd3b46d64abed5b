"""Which categories of a column are so rare that they count as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from atfnb._typing import BoolArray, FloatArray

MinCategoryRows = Literal["auto"] | int | None

MANY = 50
"""The rule "auto" leaves columns with this many categories, or fewer, as they are."""
FEWEST = 50
"""With "auto", a category is rare if it has fewer rows: what fewer say is mostly chance."""
FEWEST_SHRUNK = 10
"""The same, for a classifier that shrinks what categories add the more, the fewer rows they have."""


def check_min_category_rows(value: Any) -> None:
    """Raise a ValueError unless the fewest rows of a category are "auto", None or a whole number from 1 on.

    >>> check_min_category_rows(0)
    Traceback (most recent call last):
    ...
    ValueError: min_category_rows must be 'auto', a whole number from 1 on, or None, not 0.
    """
    number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not (value is None or (isinstance(value, str) and value == "auto") or (number and value >= 1)):
        raise ValueError(f"min_category_rows must be 'auto', a whole number from 1 on, or None, not {value!r}.")


@dataclass(frozen=True)
class Pooling:
    """The rule: in a column with more than ``beyond`` categories, those with less weight than ``fewest`` are rare."""

    fewest: int = FEWEST
    beyond: int = MANY

    @classmethod
    def of(cls, min_category_rows: MinCategoryRows, *, shrunk: bool = False) -> Pooling:
        """Return the rule that a classifier's ``min_category_rows`` stands for.

        >>> Pooling.of("auto"), Pooling.of("auto", shrunk=True), Pooling.of(3)
        (Pooling(fewest=50, beyond=50), Pooling(fewest=10, beyond=50), Pooling(fewest=3, beyond=0))
        """
        if min_category_rows == "auto":
            return cls(FEWEST_SHRUNK if shrunk else FEWEST)
        return cls(0 if min_category_rows is None else int(min_category_rows), beyond=0)

    def rare(self, weights: FloatArray) -> BoolArray:
        """Return which categories count as one, by their weights: all rare ones, if there are two or more.

        >>> Pooling(3, 0).rare(np.array([9.0, 2.0, 3.0, 1.0])), Pooling(3, 0).rare(np.array([9.0, 2.0, 3.0]))
        (array([False,  True, False,  True]), array([False, False, False]))
        """
        rare = weights < self.fewest
        pools = len(weights) > self.beyond and rare.sum() >= 2
        return np.asarray(rare if pools else np.zeros_like(rare))
