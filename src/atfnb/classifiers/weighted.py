"""Naive Bayes with weights that the user gives, or with one index as weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray
from atfnb.classifiers.counted import TRAIN_AGAIN, CountedNB
from atfnb.classifiers.declaration import Declaration, SharedParameters
from atfnb.counts import Counts, Need
from atfnb.encoding import TableEncoder
from atfnb.indexes import check_normalize, find_relevance, normalized


class WeightedNB(CountedNB):
    """Naive Bayes with given attribute weights (Eq. 4).

    Parameters
    ----------
    weights : str, dict, array-like or callable, default="uniform"
        The weight of each attribute: the name of a relevance, which is then normalised; a dict of column name to
        weight, 1 for the columns that it does not name; one number for each column; or a function of the
        :class:`~atfnb.counts.Counts` that returns them. Numbers are taken as they are. If a function needs more than
        the counts of values, its attribute ``needs`` lists what: "pairs", "moments".
    normalize : {"max", "mean", "sum", "minmax", None}, default="mean"
        How a relevance given by name is scaled. "mean" makes the weights 1 on average, as in naive Bayes.
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
        The weight of each attribute, as it was given or computed; 0 for a column without any value.
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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> WeightedNB(weights=[0, 0, 1, 1]).fit(X, y).score(X, y)
    0.96
    """

    declaration = Declaration("WeightedNB")

    def __init__(
        self, *, weights: Any = "uniform", normalize: str | None = "mean", **shared: Unpack[SharedParameters]
    ) -> None:
        self.weights = weights
        self.normalize = normalize
        super().__init__(**shared)

    def check_parameters(self, *names: str) -> None:
        """Raise a ValueError, one sentence, for the first parameter that cannot be used: of all, or of these."""
        super().check_parameters(*names)
        if isinstance(self.weights, str) and not names:
            find_relevance(self.weights)
            check_normalize(self.normalize)

    def _check_updatable(self) -> None:
        recorded = self.training_record.get("options", {}).get("weights")
        if isinstance(recorded, dict) and isinstance(self.weights, str) and self.weights in recorded.values():
            raise ValueError(
                f"the weights of this model were computed by {self.weights}, which its file does not hold: "
                f"{TRAIN_AGAIN}."
            )
        super()._check_updatable()

    def _needs(self) -> AbstractSet[Need]:
        if isinstance(self.weights, str):
            return find_relevance(self.weights).needs
        return frozenset(getattr(self.weights, "needs", ()))

    def _weights_of(self, counts: Counts) -> FloatArray:
        if isinstance(self.weights, str):
            return normalized(find_relevance(self.weights)(counts), self.normalize, counts.used)
        if isinstance(self.weights, Mapping):
            return _by_name(self.weights, self.encoder_)
        given = self.weights(counts) if callable(self.weights) else self.weights
        return _checked(np.asarray(given), self.encoder_)


def _by_name(given: Mapping[Any, Any], encoder: TableEncoder) -> FloatArray:
    """Return the weight of each attribute, given by the name or position of its column; 1 where it is not given."""
    by_column, weights = encoder.by_column, np.ones(len(encoder.attributes))
    for column, weight in given.items():
        if column not in by_column:
            names = encoder.sources
            shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
            raise ValueError(f"weights names {column!r}, which is not a column. Columns: {shown}.")
        if not (isinstance(weight, Real) and math.isfinite(weight)):
            raise ValueError(f"weights gives column {column!r} {weight!r}: give a finite number.")
        weights[by_column[column]] = float(weight)
    return weights


def _checked(weights: NDArray[Any], encoder: TableEncoder) -> FloatArray:
    """Return the weights as floats; raise a ValueError unless they are one finite number for each attribute."""
    n_attributes = len(encoder.attributes)
    if weights.shape != (n_attributes,) or weights.dtype.kind not in "fiub":
        raise ValueError(
            f"weights needs one number for each of the {n_attributes} attributes, "
            f"not an array of shape {weights.shape} and type {weights.dtype}."
        )
    if not np.isfinite(weights).all():
        name = encoder.attributes[int(np.flatnonzero(~np.isfinite(weights))[0])].name
        raise ValueError(f"the weight of column {name!r} is NaN or infinite: give a number.")
    return weights.astype(np.float64)
