"""Correlation-based feature weighting: two indexes, equally strong."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from scipy.special import expit

from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts, Need
from atfnb.indexes import mean_redundancy, normalized, redundancies, relevances


class CFW(BaseNB):
    """Naive Bayes weighted by mutual information with the class less that with the others (Eq. 8-13).

    w_j = 1 / (1 + exp(−(NI(A_j;C) − mean_i NI(A_i;A_j)))), both divided by their mean. The parameters and the fitted
    attributes are those of :class:`~atfnb.NB`.

    References
    ----------
    Jiang, L., Zhang, L., Li, C., Wu, J. (2018). A correlation-based feature weighting filter for naive Bayes. IEEE
    Transactions on Knowledge and Data Engineering 31, 201-213.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> CFW().fit(*load_iris(return_X_y=True)).weights_.round(2)
    array([0.46, 0.47, 0.53, 0.54])
    """

    def _needs(self) -> AbstractSet[Need]:
        return frozenset(["pairs"])

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        self.relevance_ = normalized(relevances.mutual_information(counts), "mean")
        self.redundancy_ = mean_redundancy(redundancies.mutual_information(counts), "mean")
        weights: FloatArray = expit(self.relevance_ - self.redundancy_)
        return weights
