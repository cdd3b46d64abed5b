"""One index: the gain ratio, under the two names it was published with."""

from __future__ import annotations

from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts
from atfnb.indexes import find_relevance, normalized


class WNB(BaseNB):
    """Naive Bayes weighted by the gain ratio (Eq. 5): w_j = GainRatio_j / mean(GainRatio).

    The parameters and the fitted attributes are those of :class:`~atfnb.NB`.

    References
    ----------
    Zhang, H., Sheng, S. (2004). Learning weighted naive Bayes with accurate ranking. ICDM, 567-570.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> WNB().fit(*load_iris(return_X_y=True)).weights_.round(2)
    array([0.77, 0.4 , 1.4 , 1.43])
    """

    _relevance = "gain_ratio"

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        return normalized(find_relevance(self._relevance)(counts), "mean")


class KLNB(WNB):
    """Naive Bayes weighted by the Kullback-Leibler measure (Eq. 6).

    Its weights are those of :class:`WNB`: the expected divergence of the class given the value from the class
    is their mutual information, and both divide it by the attribute's entropy and then by the mean.

    References
    ----------
    Lee, C.-H., Gutierrez, F., Dou, D. (2011). Calculating feature weights in naive Bayes with Kullback-Leibler
    measure. ICDM, 1146-1151.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> KLNB().fit(*load_iris(return_X_y=True)).weights_.round(2)
    array([0.77, 0.4 , 1.4 , 1.43])
    """

    _relevance = "kullback_leibler"
