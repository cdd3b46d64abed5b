"""Naive Bayes itself: every attribute counts the same."""

from __future__ import annotations

from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts
from atfnb.indexes import relevances


class NB(BaseNB):
    """Naive Bayes on coded attributes (Eq. 1): argmax_c P(c) Π_j P(x_j|c).

    Parameters
    ----------
    categorical_features : "from_dtype", "all", None, or names, indices or a mask, default="from_dtype"
        Which columns are categories. By default text, truth values and categorical types; the rest are numbers.
    max_bins : "n_classes" or int, default="n_classes"
        Into how many intervals :class:`~atfnb.ChiMerge` cuts a numeric attribute.
    missing : {"impute", "skip", "value"}, default="impute"
        A missing cell takes the mean or the most frequent value; says nothing; or is a value of its own.
    alpha : float, default=1.0
        The smoothing of Eq. 2 and 3.
    fit_prior : bool, default=True
        Whether the classes' frequencies count; otherwise all classes are equally probable beforehand.
    class_prior : array-like, optional
        The classes' probabilities beforehand, instead of their frequencies.
    class_weight : dict, "balanced" or None, default=None
        What the weights of the rows of each class are multiplied by, before anything is counted. A class that a dict
        does not name counts 1; "balanced" makes all classes weigh the same, as in scikit-learn.

    Attributes
    ----------
    weights_ : (attributes,) array
        How much each attribute counts: here 1.
    table_ : (cells, classes) array
        What each value of each attribute adds to each class.
    class_log_prior_ : (classes,) array
        The logarithm of each class's probability beforehand.
    classes_ : array
        The classes, sorted.
    n_features_in_, feature_names_in_
        The number of columns, and their names where the table had them.
    n_rows_ : int
        The number of rows that counted in training.
    encoder_, counts_
        How columns are coded, and what was counted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> round(NB().fit(X, y).score(X, y), 4)
    0.9533
    """

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        return relevances.uniform(counts)
