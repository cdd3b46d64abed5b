"""Deep feature weighting: selected attributes count twice."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts, Need
from atfnb.indexes import redundancies, relevances

PATIENCE = 5
"""The search gives up after so many expansions without gain."""


class DFW(BaseNB):
    """Naive Bayes in which selected attributes count twice (Eq. 7): w_j = 2 if A_j is selected, else 1.

    Attributes are selected by correlation-based feature selection with symmetrical uncertainty. The parameters and
    the fitted attributes are those of :class:`~atfnb.NB`.

    References
    ----------
    Jiang, L., Li, C., Wang, S., Zhang, L. (2016). Deep feature weighting for naive Bayes and its application to
    text classification. Engineering Applications of Artificial Intelligence 52, 26-39.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> DFW().fit(*load_iris(return_X_y=True)).weights_
    array([1., 1., 2., 2.])
    """

    def _needs(self) -> AbstractSet[Need]:
        return frozenset(["pairs"])

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        selected = select(relevances.symmetric_uncertainty(counts), redundancies.symmetric_uncertainty(counts))
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
        if leader is not None and merits[leader] > best_merit + 1e-12:
            best_merit, best, idle = float(merits[leader]), subset | {leader}, 0
        else:
            idle += 1
    return np.isin(np.arange(n), list(best))
