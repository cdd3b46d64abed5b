"""Deep feature weighting: selected attributes have a weight of 2."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.classifiers.counted import CountedNB
from atfnb.classifiers.declaration import Declaration, SharedParameters, true_or_false
from atfnb.counts import Counts
from atfnb.indexes import find_redundancy, find_relevance

PATIENCE = 5
"""The search stops after this number of expansions without gain."""
EQUAL = 1e-12
"""Merits and correlations that differ by less than this are equal but for rounding."""


class DFW(CountedNB):
    """Naive Bayes in which selected attributes count twice (Eq. 7): w_j = 2 if A_j is selected, else 1.

    Attributes are selected by correlation-based feature selection with symmetrical uncertainty, as in WEKA's
    CfsSubsetEval with BestFirst.

    Parameters
    ----------
    locally_predictive : bool, default=True
        Whether to select, after the search, also those attributes that are more strongly correlated with the class
        than with any selected attribute. WEKA does so unless it is given ``-L``.
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
        How much each attribute counts: 2 if it is selected, otherwise 1.
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

    declaration = Declaration(
        "DFW", command="dfw", needs=frozenset(["pairs"]), of_paper=True, earlier={"locally_predictive": False}
    )
    parameter_checks = CountedNB.parameter_checks | {"locally_predictive": true_or_false}

    def __init__(self, *, locally_predictive: bool = True, **shared: Unpack[SharedParameters]) -> None:
        self.locally_predictive = locally_predictive
        super().__init__(**shared)

    def _weights_of(self, counts: Counts) -> FloatArray:
        weights, used = np.zeros(len(counts.used)), counts.used
        to_class = find_relevance("symmetric_uncertainty")(counts)[used]
        to_others = find_redundancy("symmetric_uncertainty")(counts)[np.ix_(used, used)]
        selected = select(to_class, to_others)
        if self.locally_predictive:
            selected = with_locally_predictive(selected, to_class, to_others)
        weights[used] = np.where(selected, 2.0, 1.0)
        return weights


def select(to_class: FloatArray, to_others: FloatArray) -> BoolArray:
    """Return which attributes correlation-based feature selection keeps (Hall 2000): (attributes,).

    A best-first search adds attributes one at a time, starting from none.

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
    """Return the selection with further attributes that correlate at least as much with the class as with all selected.

    They are tried in the order of their correlation with the class, the strongest first; one that is added is selected
    from then on. An attribute without any correlation with the class is not added.
    """
    selected = selected.copy()
    for j in np.argsort(-np.round(to_class, 12), kind="stable"):
        if to_class[j] > EQUAL and to_others[j, selected].max(initial=0.0) <= to_class[j] + EQUAL:
            selected[j] = True
    return selected
