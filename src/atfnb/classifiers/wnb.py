"""Weights by one index: the gain ratio, under the two names it was published with."""

from __future__ import annotations

from atfnb._typing import FloatArray
from atfnb.classifiers.counted import CountedNB
from atfnb.classifiers.declaration import Declaration
from atfnb.counts import Counts
from atfnb.indexes import find_relevance, normalized


class WNB(CountedNB):
    """Naive Bayes weighted by the gain ratio (Eq. 5): w_j = GainRatio_j / mean(GainRatio).

    Parameters
    ----------
    categorical_features : {"from_dtype", "all"}, list or None, default="from_dtype"
        Which columns hold categories: "from_dtype" means text, booleans and categorical types, "all" every column, None
        no column; a list holds the names or positions of the columns, or a boolean for each. The others hold numbers.
    cuts : dict or None, default=None
        Where columns of numbers or dates are cut, such as ``{"age": [18, 65]}``: there and nowhere else. The keys are
        names or positions. A value equal to a cut lies above it: 18 is in the interval "18 to 64".
    orders : dict or None, default=None
        The order of all categories of some columns, such as ``{"size": ["S", "M", "L"]}``; the keys are names or
        positions. Ordered categoricals of pandas and Enums of polars bring theirs, which None takes away. This
        classifier takes them for categories like others, listed in that order.
    max_bins : "n_classes" or int, default="n_classes"
        The largest number of intervals that ChiMerge cuts a numeric attribute into: the number of classes (up to 32),
        or a number from 2 on.
    max_distinct : int or None, default=20000
        The largest number of distinct values of a numeric attribute that ChiMerge starts from. If there are more, it
        starts from some 2,000 groups of neighbouring values with about as many rows each; with None, never.
    min_category_rows : "auto", int or None, default="auto"
        Categories with fewer rows than this count as one, and so does a category that did not occur in training. "auto"
        means fewer than 50 rows, in columns with more than 50 categories, which are not used at all if they do not help
        to predict the class; None, that no categories are pooled.
    merge_case : bool, default=False
        Whether texts that differ by upper and lower case only are one category, with the name of the most frequent one.
    missing : {"impute", "skip", "value"}, default="impute"
        How a missing value is treated: "impute" replaces it by the mean or by the most frequent category, "skip" leaves
        it out, so that it adds nothing, and "value" counts it as a value of its own.
    dates : {"expand", "number", "ignore"}, default="expand"
        What is learned from a column of dates: its date, month, weekday and hour as attributes of their own ("expand"),
        the date as a number only ("number"), or nothing ("ignore").
    alpha : float, default=1.0
        The smoothing of Eq. 2 and 3: a number above 0 that is added to every count.
    fit_prior : bool, default=True
        Whether to learn the prior probabilities of the classes; if False, all classes are equally probable.
    class_prior : dict, array-like of shape (classes,) or None, default=None
        The prior probabilities of the classes, in place of the learned ones: a dict of class to probability, or one
        number for each class in sorted order. They are divided by their sum.
    class_weight : dict, "balanced" or None, default=None
        A factor for the weights of the rows of each class, applied before anything is counted: a dict of class to
        factor, 1 for the classes that it does not name; or "balanced", which gives all classes an equal total weight,
        as in scikit-learn.
    n_jobs : int or None, default=None
        How many threads learn and predict at most; -1 means one per core. None means what joblib's ``parallel_config``
        says, otherwise one per core. No result depends on it, and a model file does not keep it.

    Attributes
    ----------
    weights_ : array of shape (columns,)
        How much each attribute counts: its gain ratio, divided by the mean of all.
    model_ : AdditiveModel
        What predicts: ``table_`` and ``class_log_prior_``, with where the cells of each attribute begin.
    table_ : array of shape (cells, classes)
        What each value of each attribute adds to the joint log-likelihood of each class. The values of all attributes
        stand one below the other, those of each attribute followed by one more cell for an unknown value, which adds 0.
    class_log_prior_ : array of shape (classes,)
        The logarithm of each class's prior probability.
    feature_importances_ : array of shape (columns,)
        The share of each column in how far the model moves the joint log-likelihoods; the shares sum to 1.
    classes_ : array of shape (classes,)
        The classes, sorted.
    encoder_ : TableEncoder
        How the values of each column become codes: by the cuts of a number, or by its categories.
    counts_ : Counts
        The total weight of the training rows with each value and each class.
    n_rows_ : int
        The number of training rows, without those of weight 0.
    n_features_in_ : int
        The number of columns of the table.
    feature_names_in_ : array of shape (columns,)
        The names of the columns, if all names are text.

    References
    ----------
    Zhang, H., Sheng, S. (2004). Learning weighted naive Bayes with accurate ranking. ICDM, 567-570.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> WNB().fit(*load_iris(return_X_y=True)).weights_.round(2)
    array([0.77, 0.4 , 1.4 , 1.43])
    """

    declaration = Declaration("WNB", command="wnb", of_paper=True)
    _relevance = "gain_ratio"

    def _weights_of(self, counts: Counts) -> FloatArray:
        return normalized(find_relevance(self._relevance)(counts), "mean", counts.used)


class KLNB(WNB):
    """Naive Bayes weighted by the Kullback-Leibler measure (Eq. 6).

    Its weights are those of :class:`WNB`: the expected divergence of the class given the value from the class
    is their mutual information, and both divide it by the attribute's entropy and then by the mean.

    Parameters
    ----------
    categorical_features : {"from_dtype", "all"}, list or None, default="from_dtype"
        Which columns hold categories: "from_dtype" means text, booleans and categorical types, "all" every column, None
        no column; a list holds the names or positions of the columns, or a boolean for each. The others hold numbers.
    cuts : dict or None, default=None
        Where columns of numbers or dates are cut, such as ``{"age": [18, 65]}``: there and nowhere else. The keys are
        names or positions. A value equal to a cut lies above it: 18 is in the interval "18 to 64".
    orders : dict or None, default=None
        The order of all categories of some columns, such as ``{"size": ["S", "M", "L"]}``; the keys are names or
        positions. Ordered categoricals of pandas and Enums of polars bring theirs, which None takes away. This
        classifier takes them for categories like others, listed in that order.
    max_bins : "n_classes" or int, default="n_classes"
        The largest number of intervals that ChiMerge cuts a numeric attribute into: the number of classes (up to 32),
        or a number from 2 on.
    max_distinct : int or None, default=20000
        The largest number of distinct values of a numeric attribute that ChiMerge starts from. If there are more, it
        starts from some 2,000 groups of neighbouring values with about as many rows each; with None, never.
    min_category_rows : "auto", int or None, default="auto"
        Categories with fewer rows than this count as one, and so does a category that did not occur in training. "auto"
        means fewer than 50 rows, in columns with more than 50 categories, which are not used at all if they do not help
        to predict the class; None, that no categories are pooled.
    merge_case : bool, default=False
        Whether texts that differ by upper and lower case only are one category, with the name of the most frequent one.
    missing : {"impute", "skip", "value"}, default="impute"
        How a missing value is treated: "impute" replaces it by the mean or by the most frequent category, "skip" leaves
        it out, so that it adds nothing, and "value" counts it as a value of its own.
    dates : {"expand", "number", "ignore"}, default="expand"
        What is learned from a column of dates: its date, month, weekday and hour as attributes of their own ("expand"),
        the date as a number only ("number"), or nothing ("ignore").
    alpha : float, default=1.0
        The smoothing of Eq. 2 and 3: a number above 0 that is added to every count.
    fit_prior : bool, default=True
        Whether to learn the prior probabilities of the classes; if False, all classes are equally probable.
    class_prior : dict, array-like of shape (classes,) or None, default=None
        The prior probabilities of the classes, in place of the learned ones: a dict of class to probability, or one
        number for each class in sorted order. They are divided by their sum.
    class_weight : dict, "balanced" or None, default=None
        A factor for the weights of the rows of each class, applied before anything is counted: a dict of class to
        factor, 1 for the classes that it does not name; or "balanced", which gives all classes an equal total weight,
        as in scikit-learn.
    n_jobs : int or None, default=None
        How many threads learn and predict at most; -1 means one per core. None means what joblib's ``parallel_config``
        says, otherwise one per core. No result depends on it, and a model file does not keep it.

    Attributes
    ----------
    weights_ : array of shape (columns,)
        How much each attribute counts: its Kullback-Leibler measure, divided by the mean of all.
    model_ : AdditiveModel
        What predicts: ``table_`` and ``class_log_prior_``, with where the cells of each attribute begin.
    table_ : array of shape (cells, classes)
        What each value of each attribute adds to the joint log-likelihood of each class. The values of all attributes
        stand one below the other, those of each attribute followed by one more cell for an unknown value, which adds 0.
    class_log_prior_ : array of shape (classes,)
        The logarithm of each class's prior probability.
    feature_importances_ : array of shape (columns,)
        The share of each column in how far the model moves the joint log-likelihoods; the shares sum to 1.
    classes_ : array of shape (classes,)
        The classes, sorted.
    encoder_ : TableEncoder
        How the values of each column become codes: by the cuts of a number, or by its categories.
    counts_ : Counts
        The total weight of the training rows with each value and each class.
    n_rows_ : int
        The number of training rows, without those of weight 0.
    n_features_in_ : int
        The number of columns of the table.
    feature_names_in_ : array of shape (columns,)
        The names of the columns, if all names are text.

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

    declaration = Declaration("KLNB", command="klnb", alias_of="WNB", of_paper=True)
    _relevance = "kullback_leibler"
