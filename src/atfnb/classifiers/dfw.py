"""Deep feature weighting: selected attributes count twice."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts, Need
from atfnb.encoding import MaxBins, Missing
from atfnb.indexes import redundancies, relevances

PATIENCE = 5
"""The search gives up after so many expansions without gain."""
EQUAL = 1e-12
"""Merits and correlations that differ by no more than this differ only by rounding."""


class DFW(BaseNB):
    """Naive Bayes in which selected attributes count twice (Eq. 7): w_j = 2 if A_j is selected, else 1.

    Attributes are selected by correlation-based feature selection with symmetrical uncertainty, as in WEKA's
    CfsSubsetEval with BestFirst.

    Parameters
    ----------
    locally_predictive : bool, default=True
        Whether to select, after the search, also those attributes that are more strongly correlated with the class
        than with any selected attribute. WEKA does so unless it is given ``-L``.
    categorical_features, max_bins, missing, alpha, fit_prior, class_prior
        As in :class:`~atfnb.NB`, where the fitted attributes are described too.

    References
    ----------
    Hall, M. A. (2000). Correlation-based feature selection for discrete and numeric class machine learning. ICML,
    359-366.

    Jiang, L., Li, C., Wang, S., Zhang, L. (2016). Deep feature weighting for naive Bayes and its application to
    text classification. Engineering Applications of Artificial Intelligence 52, 26-39.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> DFW().fit(*load_iris(return_X_y=True)).weights_
    array([1., 1., 2., 2.])
    """

    def __init__(
        self,
        *,
        locally_predictive: bool = True,
        categorical_features: Any = "from_dtype",
        max_bins: MaxBins = "n_classes",
        missing: Missing = "impute",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.locally_predictive = locally_predictive
        super().__init__(
            categorical_features=categorical_features,
            max_bins=max_bins,
            missing=missing,
            alpha=alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
        )

    def _needs(self) -> AbstractSet[Need]:
        return frozenset(["pairs"])

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        if not isinstance(self.locally_predictive, (bool, np.bool_)):
            raise ValueError(f"locally_predictive must be True or False, not {self.locally_predictive!r}.")
        to_class, to_others = relevances.symmetric_uncertainty(counts), redundancies.symmetric_uncertainty(counts)
        selected = select(to_class, to_others)
        if self.locally_predictive:
            selected = with_locally_predictive(selected, to_class, to_others)
        return np.where(selected, 2.0, 1.0)


def select(to_class: FloatArray, to_others: FloatArray) -> BoolArray:
    """Correlation-based feature selection (Hall 2000), by best-first search forward from no attribute at all.

    The merit of a subset S of k attributes is Σ_S r_c / √(k + 2 Σ_{i<j in S} r_ij).
    """
    n = len(to_class)
    open_sets = [(0.0, frozenset[int]())]
    seen = {frozenset[int]()}
    best_merit, best = open_sets[0]
    idle = 0
    while open_sets and idle < PATIENCE:
        _, subset = open_sets.pop(max(range(len(open_sets)), key=lambda i: open_sets[i][0]))
        inside = np.array(sorted(subset), dtype=np.intp)
        candidates = [j for j in range(n) if j not in subset and subset | {j} not in seen]
        seen.update(subset | {j} for j in candidates)
        within = to_others[np.ix_(inside, inside)].sum() - np.trace(to_others[np.ix_(inside, inside)])
        added = to_others[inside].sum(axis=0)  # (attributes,): redundancy that each attribute would bring
        merits = (to_class[inside].sum() + to_class) / np.sqrt(len(inside) + 1 + within + 2 * added)
        open_sets.extend((float(merits[j]), subset | {j}) for j in candidates)
        leader = max(candidates, key=lambda j: merits[j], default=None)
        if leader is not None and merits[leader] > best_merit + EQUAL:
            best_merit, best, idle = float(merits[leader]), subset | {leader}, 0
        else:
            idle += 1
    return np.isin(np.arange(n), list(best))


def with_locally_predictive(selected: BoolArray, to_class: FloatArray, to_others: FloatArray) -> BoolArray:
    """Add attributes that are at least as strongly correlated with the class as with every selected attribute.

    The others are tried in the order of their correlation with the class, the strongest first; one that is added is
    among the selected from then on. An attribute without any correlation with the class is not added.
    """
    selected = selected.copy()
    for j in np.argsort(-np.round(to_class, 12), kind="stable"):
        if to_class[j] > EQUAL and to_others[j, selected].max(initial=0.0) <= to_class[j] + EQUAL:
            selected[j] = True
    return selected
