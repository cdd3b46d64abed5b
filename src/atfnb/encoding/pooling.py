"""Which categories of a column with very many of them count as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import gammaln

from atfnb._typing import BoolArray, FloatArray

MinCategoryRows = Literal["auto"] | int | None

MANY = 50
"""The rule "auto" leaves columns with this many categories, or fewer, as they are."""
FEWEST = 50
"""With "auto", a category is rare if it has fewer rows: what fewer say is mostly chance."""
FEWEST_SHRUNK = 10
"""The same, for a classifier that shrinks what categories add the more, the fewer rows they have."""
PRIOR_ROWS = 10.0
"""The number of rows that the class frequencies of all rows count for, when a category's own are estimated."""


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
    """The rule: in a column with more than ``beyond`` categories, those with less weight than ``fewest`` are rare.

    If it ``judges``, all categories of such a column count as one, unless they help to predict the class. With
    ``merge_case``, categories that differ by upper and lower case only count as one in any column, before all that.
    """

    fewest: int = FEWEST
    beyond: int = MANY
    judges: bool = True
    merge_case: bool = False

    @classmethod
    def of(cls, min_category_rows: MinCategoryRows, *, merge_case: bool = False, shrunk: bool = False) -> Pooling:
        """Return the rule that a classifier's ``min_category_rows`` stands for.

        >>> Pooling.of("auto", shrunk=True)
        Pooling(fewest=10, beyond=50, judges=True, merge_case=False)
        >>> Pooling.of(3)
        Pooling(fewest=3, beyond=0, judges=False, merge_case=False)
        """
        if min_category_rows == "auto":
            return cls(FEWEST_SHRUNK if shrunk else FEWEST, merge_case=merge_case)
        fewest = 0 if min_category_rows is None else int(min_category_rows)
        return cls(fewest, beyond=0, judges=False, merge_case=merge_case)

    def pooled(self, table: FloatArray) -> BoolArray:
        """Return which categories count as one: (categories,). It is none, or two or more.

        Parameters
        ----------
        table : (categories, classes) array
            The weight of the rows with each category and class.

        Examples
        --------
        >>> Pooling(3, beyond=0, judges=False).pooled(np.array([[9.0, 1.0], [1.0, 1.0], [0.0, 3.0], [1.0, 0.0]]))
        array([False,  True, False,  True])
        """
        if len(table) <= self.beyond:
            return np.zeros(len(table), dtype=bool)
        rare = table.sum(axis=1) < self.fewest
        if rare.sum() < 2:
            rare = np.zeros(len(table), dtype=bool)
        used = np.vstack([table[~rare], table[rare].sum(axis=0)]) if rare.any() else table
        return np.ones(len(table), dtype=bool) if self.judges and log_bayes_factor(used) <= 0 else rare


def log_bayes_factor(table: FloatArray) -> float:
    """Return how much better the categories of a column predict the classes of its rows than no column does.

    It is the logarithm of a Bayes factor, Σ_v log P(n_v | p) − Σ_v Σ_c n_vc log p_c: row by row, the class is predicted
    from the earlier rows with the same category v and :data:`PRIOR_ROWS` rows with the class frequencies p, or from p
    alone. The n_vc, which are weights of rows, have a Dirichlet-multinomial distribution, so the order does not matter.

    Parameters
    ----------
    table : (categories, classes) array
        The weight of the rows with each category and class.

    Examples
    --------
    >>> for table in ([[40.0, 10.0], [10.0, 40.0]], [[25.0, 25.0], [25.0, 25.0]]):
    ...     print(round(log_bayes_factor(np.array(table)), 1))
    14.2
    -1.8
    """
    table = table[:, table.any(axis=0)]
    frequency = table.sum(axis=0) / table.sum()
    prior = PRIOR_ROWS * frequency
    with_categories = (gammaln(table + prior) - gammaln(prior)).sum(axis=1)
    with_categories += gammaln(PRIOR_ROWS) - gammaln(table.sum(axis=1) + PRIOR_ROWS)
    return float(with_categories.sum() - (table.sum(axis=0) * np.log(frequency)).sum())


def pooled_in_words(name: str, values: int, pooled: int, rule: Pooling, of: str = "", *, gaps: bool = False) -> str:
    """Return that some or all values of a column count as one.

    Parameters
    ----------
    name : str
        The name of the column.
    values, pooled : int
        The number of its values, and of those that count as one.
    rule : Pooling
        The rule by which they do.
    of : str, default ""
        The classifiers in which the values count as one: the end of a sentence.
    gaps : bool, default False
        Whether "missing" is a value of the column, which may have an effect even if all others count as one.

    Examples
    --------
    >>> pooled_in_words("town", 5000, 4812, Pooling(10))
    "'town' has 5,000 values; 4,812 with fewer than 10 rows count as one."
    >>> pooled_in_words("name", 950, 950, Pooling(10), " in NB")
    "'name' has 950 values, with too few rows each to help predict the class: it has no effect in NB."
    >>> pooled_in_words("cabin", 186, 186, Pooling(3, judges=False), gaps=True)
    "'cabin' has 186 values, all with fewer than 3 rows: only whether it is missing has an effect."
    """
    if pooled < values:
        return f"{name!r} has {values:,} values; {pooled:,} with fewer than {rule.fewest:,} rows count as one{of}."
    why = "with too few rows each to help predict the class"
    if not rule.judges:
        why = f"all with fewer than {rule.fewest:,} rows"
    effect = "only whether it is missing has an effect" if gaps else "it has no effect"
    return f"{name!r} has {values:,} values, {why}: {effect}{of}."
