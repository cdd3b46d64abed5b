"""Adaptive two-index fusion, the classifier that the paper proposes; and CFW with its switching factor."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._pieces import KeptPieces
from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB
from atfnb.classifiers.declaration import INDEXES, Declaration, FittedField, Meaning, SharedParameters, by_value, one_of
from atfnb.classifiers.explaining import drawn
from atfnb.counts import Counts, Need, log_likelihood
from atfnb.indexes import check_normalize, find_redundancy, find_relevance, mean_redundancy, normalized
from atfnb.switching import BetaSearch, JointLines, beta_grid, joint_lines, reach, search_grid, step_function, sweep
from atfnb.training import TrainingRows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Search = Literal["qsf", "sls"]


class AccuracyCurve(NamedTuple):
    """The training accuracy as a step function of β: ``accuracy[k]`` between ``edges[k]`` and ``edges[k + 1]``."""

    edges: FloatArray
    """(steps + 1,) from 0 to 1."""
    accuracy: FloatArray
    """(steps,)"""
    is_whole: bool = True
    """Whether no step was left out."""


def fuse(beta: float, relevance: FloatArray, redundancy: FloatArray) -> FloatArray:
    """Return the weights w_j = β·CA_j − (1 − β)·AA_j (Eq. 15): (attributes,)."""
    return beta * relevance - (1 - beta) * redundancy


class ATFNB(BaseNB):
    """Naive Bayes weighted by relevance and redundancy, in the proportion that suits the data (Algorithm 2).

    The weight of an attribute is w = β·(its relevance to the class) − (1 − β)·(its redundancy with the others). The
    switching factor β is the one with the highest training accuracy, found exactly.

    Parameters
    ----------
    relevance : str or callable, default="information_gain"
        How much an attribute says about the class: "information_gain" (or "mutual_information"), "gain_ratio" (or
        "kullback_leibler"), "pearson", "symmetric_uncertainty", "uniform", or a function of the
        :class:`~atfnb.counts.Counts`.
    redundancy : str or callable, default="pearson"
        How much an attribute repeats the others: "pearson", "mutual_information", "symmetric_uncertainty", "zero",
        or a function of the counts.
    normalize : {"max", "mean", "sum", "minmax", None}, default="max"
        How relevance and redundancy are scaled before they are fused: divided by the largest, the mean or the sum,
        stretched to 0 … 1, or not at all.
    search : {"qsf", "sls"}, default="qsf"
        How β is found: "qsf" exactly, "sls" by trying 0, ``step``, 2·``step``, …, 1.
    step : float, default=0.01
        The distance between the values of β that "sls" tries.
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
        The weight of each attribute: w.
    relevance_ : array of shape (columns,)
        The relevance of each attribute, normalised.
    redundancy_ : array of shape (columns,)
        The mean redundancy of each attribute with the others, normalised.
    beta_ : float
        The switching factor: the middle of ``beta_interval_``.
    beta_interval_ : tuple of two floats
        The ends of the widest interval of β with the highest training accuracy.
    beta_intervals_ : array of shape (intervals, 2)
        The ends of all intervals with that accuracy.
    beta_accuracy_ : float
        The training accuracy in these intervals, each row counted with its weight.
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
    Zhou, X., Wu, D., You, Z., Zhang, L., Ye, N. A general framework for adaptive two-index fusion attribute
    weighted naive Bayes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ATFNB().fit(X, y)
    >>> low, high = model.beta_interval_
    >>> print(f"β from {low:.4f} to {high:.4f}, training accuracy {model.beta_accuracy_:.2f}")
    β from 0.4929 to 0.7353, training accuracy 0.96
    >>> model.weights_.round(2)
    array([ 0.02, -0.  ,  0.3 ,  0.32])
    """

    declaration = Declaration(
        "ATFNB",
        command="atfnb",
        fields=(
            *INDEXES,
            FittedField("beta_", "beta.value", low=0, high=1),
            FittedField("beta_interval_", "beta.interval", (2,), low=0, high=1),
            FittedField("beta_intervals_", "beta.intervals", ("intervals", 2), low=0, high=1),
            FittedField("beta_accuracy_", "beta.accuracy", low=0, high=1),
            FittedField("curve_", "beta.curve", kind="curve"),
        ),
        of_paper=True,
    )
    _curve: AccuracyCurve | KeptPieces[Any]
    """The curve, or the rows' intervals in memory, of which it is made."""
    parameter_checks = BaseNB.parameter_checks | {
        "relevance": by_value(find_relevance),
        "redundancy": by_value(find_redundancy),
        "normalize": by_value(check_normalize),
        "search": one_of("qsf", "sls"),
    }

    def __init__(
        self,
        *,
        relevance: Any = "information_gain",
        redundancy: Any = "pearson",
        normalize: str | None = "max",
        search: Search = "qsf",
        step: float = 0.01,
        **shared: Unpack[SharedParameters],
    ) -> None:
        self.relevance = relevance
        self.redundancy = redundancy
        self.normalize = normalize
        self.search = search
        self.step = step
        super().__init__(**shared)

    def check_parameters(self, *names: str) -> None:
        """Raise a ValueError, one sentence, for the first parameter that cannot be used: of all, or of these."""
        super().check_parameters(*names)
        if self.search == "sls" and not names:
            beta_grid(self.step)

    def _needs(self) -> AbstractSet[Need]:
        return find_relevance(self.relevance).needs | find_redundancy(self.redundancy).needs

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        """Algorithm 2: the two indexes, the lines of the rows, the best β, the fused weights."""
        self.relevance_ = normalized(find_relevance(self.relevance)(counts), self.normalize, counts.used)
        self.redundancy_ = mean_redundancy(find_redundancy(self.redundancy)(counts), self.normalize, counts.used)
        evidence, prior = log_likelihood(counts, self.alpha), self._log_prior(counts)
        found = self._search(joint_lines(self.relevance_, self.redundancy_, evidence, prior, counts), counts, rows)
        self.beta_, self.beta_accuracy_ = found.beta, found.accuracy
        self.beta_interval_, self.beta_intervals_ = found.interval, found.intervals
        return fuse(self.beta_, self.relevance_, self.redundancy_)

    def _search(self, lines: JointLines, counts: Counts, rows: TrainingRows) -> BetaSearch:
        """Return the best β, by QSF or by SLS, and keep the accuracy at the others."""
        total, reached = float(counts.classes.sum()), reach(rows.pieces, lines)
        swept = sweep(reached, total) if self.search == "qsf" or not reached.kept else None
        if isinstance(reached, KeptPieces):
            self._curve = reached
        elif swept:
            self._curve = AccuracyCurve(*swept.curve, is_whole=False)
        return swept.found if swept and self.search == "qsf" else search_grid(rows.pieces, lines, total, self.step)

    @property
    def curve_(self) -> AccuracyCurve:
        """The training accuracy as a step function of β, made when it is first asked for."""
        check_is_fitted(self)
        if isinstance(self._curve, KeptPieces):
            ends, weight = zip(*((block.ends, block.weight) for block in self._curve), strict=True)
            self._curve = AccuracyCurve(*step_function(np.concatenate(ends), np.concatenate(weight)))
        return self._curve

    @curve_.setter
    def curve_(self, curve: AccuracyCurve) -> None:
        self._curve = curve

    def accuracy_curve(self) -> tuple[FloatArray, FloatArray]:
        """Return the training accuracy as a step function of β.

        If the model was trained in parts (:mod:`atfnb.scale`), the curve is exact where it is highest, and at 2¹⁶
        points of a grid.

        Returns
        -------
        edges : array of shape (steps + 1,)
            Where each step begins, from 0 to 1.
        accuracy : array of shape (steps,)
            The training accuracy on each step.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> edges, accuracy = ATFNB().fit(*load_iris(return_X_y=True)).accuracy_curve()
        >>> print(f"{len(accuracy)} steps, the highest at {accuracy.max():.2f}")
        21 steps, the highest at 0.96
        """
        return self.curve_.edges, self.curve_.accuracy

    @property
    def weights_meaning(self) -> Meaning:
        """What the weights of the fitted model are: "switching"."""
        return "switching"

    def _sentences(self) -> Iterator[str]:
        yield f"β is {self.beta_:.3f}, where the accuracy on the training rows is highest, {self.beta_accuracy_:.1%}."
        yield "The weight of each attribute, β times its relevance less (1 − β) times its redundancy:"

    def plot_beta(self, *, ax: Axes | None = None, step: float | None = None) -> Axes:
        """Draw the training accuracy against β: see :func:`atfnb.plot_beta`."""
        return drawn("plot_beta", self, ax=ax, step=step)

    def __getstate__(self) -> Any:
        """Keep the curve in what is pickled, not a number for each training row."""
        if "_curve" in vars(self):
            self.accuracy_curve()
        return super().__getstate__()


class CFWBeta(ATFNB):
    """CFW with the switching factor: mutual information twice, fused by β (Section 4.2).

    CFW passes the difference of the two through a sigmoid; here it is linear, so that β can be found exactly.

    Parameters
    ----------
    normalize : {"max", "mean", "sum", "minmax", None}, default="max"
        How relevance and redundancy are scaled before they are fused: divided by the largest, the mean or the sum,
        stretched to 0 … 1, or not at all.
    search : {"qsf", "sls"}, default="qsf"
        How β is found: "qsf" exactly, "sls" by trying 0, ``step``, 2·``step``, …, 1.
    step : float, default=0.01
        The distance between the values of β that "sls" tries.
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
        The weight of each attribute: β·(its relevance) − (1 − β)·(its redundancy).
    relevance_ : array of shape (columns,)
        The mutual information of each attribute with the class, normalised.
    redundancy_ : array of shape (columns,)
        The mean mutual information of each attribute with the others, normalised.
    beta_ : float
        The switching factor: the middle of ``beta_interval_``.
    beta_interval_ : tuple of two floats
        The ends of the widest interval of β with the highest training accuracy.
    beta_intervals_ : array of shape (intervals, 2)
        The ends of all intervals with that accuracy.
    beta_accuracy_ : float
        The training accuracy in these intervals, each row counted with its weight.
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
    >>> CFWBeta().fit(*load_iris(return_X_y=True)).beta_accuracy_
    0.96
    """

    declaration = replace(ATFNB.declaration, name="CFW-β", command="cfw-beta")

    def __init__(
        self,
        *,
        normalize: str | None = "max",
        search: Search = "qsf",
        step: float = 0.01,
        **shared: Unpack[SharedParameters],
    ) -> None:
        index = "mutual_information"
        super().__init__(relevance=index, redundancy=index, normalize=normalize, search=search, step=step, **shared)
