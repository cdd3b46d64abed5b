"""FusionNB: weights from any number of indexes, an effect of each value, and effects of pairs of attributes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import product
from numbers import Integral, Real
from typing import Any, Literal, Self, Unpack, get_args

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from atfnb._errors import NAMED, and_more, listed_names
from atfnb._pieces import n_threads, on_cores
from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB
from atfnb.classifiers.declaration import (
    CommonParameters,
    Declaration,
    FittedField,
    Meaning,
    by_value,
    one_of,
    refuse,
    whole_from_1,
)
from atfnb.classifiers.shaping import AskedShape, Shapes, asked_shapes, check_shapes, positions_of
from atfnb.counts import Counts, Need, centred_variance, count_pieces, log_likelihood, spread
from atfnb.encoding import Missing, TableEncoder, UnusedColumnWarning, check_max_bins
from atfnb.fusion import (
    Criterion,
    FusionOptions,
    PairOption,
    Refined,
    additive_scores,
    fewer_cuts,
    fuse_weights,
    refine_values,
    screened,
)
from atfnb.indexes import Index, check_normalize, find_redundancy, find_relevance
from atfnb.model import AdditiveModel
from atfnb.training import TableInMemory, TrainingRows, training_rows

Refine = Literal["attribute", "value"]
Shrinkage = Literal["auto"] | float | Sequence[float]
Pairs = Literal["auto"] | int | Sequence[tuple[str | int, str | int]]


class PairsSkippedWarning(UserWarning):
    """Warns that a table has too many classes to look for pairs of attributes that act together."""


RELEVANCE = ("information_gain", "gain_ratio", "symmetric_uncertainty", "pearson")
REDUNDANCY = ("pearson",)
SHRINKAGES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 1e4, 1e5, 1e6)
"""From hardly at all to no effect at all."""
SHRINKAGE = 10.0
"""How strongly ``refine="attribute"`` shrinks its corrections by default."""
COSTS = 0.0005
"""A log-loss per row, out of fold, below which the shape of a column costs nothing."""
MOVED = 0.05
"""How far the effects of a column must have moved to be named, as ``weights_`` measures it."""
MAX_ATTRIBUTES = 4000
"""With more attributes, the Hessian of ``refine="attribute"`` would be too large."""


def _listed(one_or_more: Any) -> list[Any]:
    """Return a list of what may be one thing alone."""
    if isinstance(one_or_more, (list, tuple, np.ndarray)):
        return list(one_or_more)
    return [one_or_more]


def _has_effects(model: Any) -> bool:
    return bool(model.refine == "value")


def _has_shapes(model: Any) -> bool:
    return bool(model.shapes)


def check_pairs(name: str, value: Any) -> None:
    """Check that a parameter is "auto", a number from 0 on, or a list of pairs of names or positions.

    >>> check_pairs("pairs", [("age", "job")])
    """
    is_number = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0
    is_list = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 2)
    is_list = is_list and all(isinstance(pair, (list, tuple, np.ndarray)) and len(pair) == 2 for pair in value)
    if not (is_number or is_list or (isinstance(value, str) and value == "auto")):
        refuse(name, "'auto', a number from 0 on, or a list of pairs of columns", value)


class FusionNB(BaseNB):
    """Naive Bayes with weights fused from many indexes, refined down to single values.

    The joint log-likelihood of a class is log P(c) + γ·Σ_j w_j log P(x_j|c) + Σ_j u_j(x_j, c) + Σ_jk u_jk(x_j, x_k, c),
    where the last sum is over the pairs of attributes that act together. The weights are w = Fθ: the columns of F are
    the normalised indexes, the first of them 1 for every attribute, so that θ = (1, 0, …) is naive Bayes. θ maximises
    the likelihood of each training row under tables that are made without that row.

    With ``refine="value"`` every value of an attribute gets an effect u_j on each class. The effects are shrunk:
    those of neighbouring values of a number, which is cut finely, to be similar; those of categories to be small. How
    strongly, and how much of the sum of naive Bayes stands beside them (γ), is chosen by cross-validated log-loss;
    above 20,000 rows the shrinkage is chosen on a sample, and there is no such sum.

    Pairs of attributes join where their values say more together than alone. They are ranked by what the effects of
    single values leave over, and cross-validation chooses how many there are and how strongly they are shrunk. A pair
    holds only what its two attributes do not say alone, so the effects of single values keep their meaning.

    A missing value is a value of its own, whose effect is held to zero: it adds something only if enough rows show it.
    If no value was missing in training, a row in which all values are missing gets the class frequencies.

    Parameters
    ----------
    relevance : list of str or callable, default=("information_gain", "gain_ratio", "symmetric_uncertainty", "pearson")
        The indexes that enter the weights with a plus, each by name or as a function of the counts: how much an
        attribute says about the class. Known names: "information_gain", "gain_ratio", "symmetric_uncertainty",
        "pearson", "uniform".
    redundancy : list of str or callable, default=("pearson",)
        The indexes that enter the weights with a minus: how much an attribute repeats the others.
    normalize : {"max", "mean", "sum", "minmax", None}, default="max"
        How each index is scaled: divided by the largest, the mean or the sum, stretched to 0 … 1, or not at all.
    criterion : {"likelihood", "accuracy"}, default="likelihood"
        What θ maximises: the leave-one-out likelihood, by Newton's method; or the leave-one-out accuracy, by exact
        line searches along the coordinates and random directions, from several starts.
    refine : {"value", "attribute", None}, default="value"
        What corrects the fused weights: an effect of each value; a correction of each attribute, w = Fθ + δ; nothing.
    shrinkage : "auto", float or list of float, default="auto"
        How strongly the correction is shrunk. Of several numbers, cross-validation chooses one ("value" only).
        "auto" means numbers from 0.003 to a million for "value", and 10 for "attribute". With "value", straight lines
        along a number are shrunk by as much, or by 0.3, 0.1 or 0.03 of it: cross-validation chooses that too.
    pairs : "auto", int or list of pairs, default="auto"
        Which pairs of attributes get effects of their own, with ``refine="value"``: "auto" lets cross-validation choose
        how many, and takes none unless they lower the log-loss reliably; a number takes that many, the most promising
        ones; a list of pairs of column names or positions takes those, and of a column of dates all
        parts; 0 takes none.
    shapes : dict or None, default=None
        What is known of some columns, by name or position, with ``refine="value"``: the log-odds of a class along the
        column are "rising", "falling", "convex" or "concave", and the model obeys that on every row, whatever else the
        row holds. With two classes it is about the second of ``classes_``. With more, a class is named, against all
        others or against one: ``{"dose": ("rising", "toxic")}``, ``("rising", "toxic", "harmless")``; a list holds
        several. Of a column of dates it is the date as a number. There is no sum of naive Bayes beside the effects
        then, and a column that is convex or concave is in no pair.
    max_cuts : int, default=31
        The largest number of quantiles at which a number is cut for "value", beside ChiMerge's cuts.
    max_iter : int, default=1000
        The largest number of steps; if they are not enough, a warning says so.
    random_state : int, RandomState or None, default=0
        The seed of the random directions and starts of ``criterion="accuracy"``.
    categorical_features : {"from_dtype", "all"}, list or None, default="from_dtype"
        Which columns hold categories: "from_dtype" means text, booleans and categorical types, "all" every column, None
        no column; a list holds the names or positions of the columns, or a boolean for each. The others hold numbers.
    cuts : dict or None, default=None
        Where columns of numbers or dates are cut, such as ``{"age": [18, 65]}``: there and nowhere else. The keys are
        names or positions. A value equal to a cut lies above it: 18 is in the interval "18 to 64".
    orders : dict or None, default=None
        The order of all categories of some columns, such as ``{"size": ["S", "M", "L"]}``; the keys are names or
        positions. Ordered categoricals of pandas and Enums of polars bring theirs, which None takes away. The effects
        of neighbouring categories are then shrunk to be similar, as those of a number are.
    max_bins : "n_classes" or int, default="n_classes"
        The largest number of intervals of a number. With ``refine="value"``, the default is no limit but that of
        ``max_cuts``; with a number from 2 on, the effects are learned twice: finely first, then with those cuts whose
        intervals follow the fine effects best. Otherwise ChiMerge cuts into as many as there are classes (up to 32).
    max_distinct : int or None, default=20000
        The largest number of distinct values of a numeric attribute that ChiMerge starts from. If there are more, it
        starts from some 2,000 groups of neighbouring values with about as many rows each; with None, never.
    min_category_rows : "auto", int or None, default="auto"
        Categories with fewer rows than this count as one, and so does a category that did not occur in training. "auto"
        means fewer than 10 rows (50, unless ``refine="value"`` shrinks what they add), in columns with more than 50
        categories, which are not used at all if they do not help to predict the class; None, that none are pooled.
    merge_case : bool, default=False
        Whether texts that differ by upper and lower case only are one category, with the name of the most frequent one.
    missing : {"value", "skip", "impute"}, default="value"
        How a missing value is treated: "value" makes it a value of its own, whose effect is held to zero ten times as
        strongly as that of a category; "skip" leaves it out, so that it adds nothing; "impute" replaces it by the mean
        or by the most frequent category. A value that is missing where none was in training adds nothing, unless it is
        imputed.
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
        The weight of each attribute: w. With "value", the spread of what the attribute adds to the joint log-likelihood
        of a class: the root mean square over the training rows and the classes, less each row's mean over the classes.
    indexes_ : list of str
        The names of the indexes in F, "uniform" first.
    theta_ : array of shape (indexes,)
        The coefficient of each index.
    index_matrix_ : array of shape (columns, indexes)
        The normalised indexes of each attribute: F.
    gamma_ : float
        The factor of the weighted sum of naive Bayes beside the effects: 0 if it does not help them; 1 without effects.
    value_effects_ : array of shape (cells, classes) or None
        The effect u of each value on each class, with ``refine="value"``; the cells are those of ``table_``.
    value_errors_ : array of shape (cells, classes) or None
        The standard errors of ``value_effects_``, from the curvature of the loss at its minimum; None without effects,
        or in a model whose file does not have them.
    pairs_ : list of (str, str)
        The names of the attributes of each pair, the most promising pair first, or in the order of the columns where
        ``pairs`` names them; empty if there are none.
    pair_effects_ : list of arrays of shape (groups, groups, classes)
        The effects of each pair. The values of an attribute are gathered into at most 14 groups: intervals of a number
        with about as many rows each; the 12 most frequent categories and the others; and missing values.
    pair_weights_ : array of shape (pairs,)
        How far each pair moves the joint log-likelihood of a class, as ``weights_`` says it of attributes.
    pair_shrinkage_ : float or None
        How many times as strongly the effects of pairs were shrunk as those of values; None without pairs.
    shrinkage_ : float or None
        The shrinkage that was chosen; None without a correction.
    line_shrinkage_ : float or None
        How strongly effects that rise or fall evenly along a number were shrunk, at most ``shrinkage_``; None without
        effects, or in a model whose file does not have it.
    shape_costs_ : array of shape (columns,) or None
        How much ``shapes`` of each column raises the log-loss of a row out of fold, all else being equal; below 0 where
        it helps. None without shapes, or where there are too few rows to hold any out.
    shape_moves_ : array of shape (columns,) or None
        How far ``shapes`` moved the effects of each column, as ``weights_`` measures effects; None without shapes.
    n_iter_ : int
        The number of steps that the optimiser took.
    model_ : AdditiveModel
        What predicts: ``table_`` and ``class_log_prior_``, with where the cells of each attribute begin.
    table_ : array of shape (cells, classes)
        What each value of each attribute adds to the joint log-likelihood of each class. The values of all attributes
        stand one below the other, those of each attribute followed by one more cell for an unknown value, which adds 0.
    class_log_prior_ : array of shape (classes,)
        The logarithm of each class's prior probability; the biases b of the classes are among the effects of values.
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
    >>> model = FusionNB().fit(X, y)
    >>> model.weights_.round(1)
    array([1.3, 1.7, 3.8, 3.6])
    """

    value_effects_: FloatArray | None
    value_errors_: FloatArray | None
    pair_shrinkage_: float | None
    line_shrinkage_: float | None
    shape_costs_: FloatArray | None
    shape_moves_: FloatArray | None

    declaration = Declaration(
        "FusionNB",
        command="fusion",
        fields=(
            FittedField("indexes_", "fusion.indexes", ("indexes",), kind="text"),
            FittedField("theta_", "fusion.theta", ("indexes",)),
            FittedField("gamma_", "fusion.gamma", low=0),
            FittedField("shrinkage_", "fusion.shrinkage", low=0, present=lambda model: model.refine is not None),
            FittedField("line_shrinkage_", "fusion.line_shrinkage", low=0, present=_has_effects, optional=True),
            FittedField("n_iter_", "fusion.steps", kind="whole", low=0),
            FittedField("pair_shrinkage_", "fusion.pair_shrinkage", low=0, present=lambda model: bool(model.pairs_)),
            FittedField("shape_costs_", "shape_cost", ("attributes",), present=_has_shapes, optional=True),
            FittedField("shape_moves_", "shape_move", ("attributes",), low=0, present=_has_shapes, optional=True),
            FittedField("index_matrix_", "indexes", ("attributes", "indexes")),
            FittedField("value_effects_", "effects", ("cells", "classes"), present=_has_effects),
            FittedField("value_errors_", "errors", ("cells", "classes"), low=0, present=_has_effects, optional=True),
        ),
        cuts_again=True,
        earlier={"pairs": 0},
    )
    parameter_checks = BaseNB.parameter_checks | {
        "relevance": lambda name, value: [*map(find_relevance, _listed(value))],
        "redundancy": lambda name, value: [*map(find_redundancy, _listed(value))],
        "normalize": by_value(check_normalize),
        "criterion": one_of(*get_args(Criterion)),
        "refine": one_of(*get_args(Refine), None),
        "pairs": check_pairs,
        "shapes": check_shapes,
        "max_cuts": whole_from_1,
        "max_iter": whole_from_1,
    }

    def __init__(
        self,
        *,
        relevance: Any = RELEVANCE,
        redundancy: Any = REDUNDANCY,
        normalize: str | None = "max",
        criterion: Criterion = "likelihood",
        refine: Refine | None = "value",
        shrinkage: Shrinkage = "auto",
        pairs: Pairs = "auto",
        shapes: Shapes = None,
        max_cuts: int = 31,
        max_iter: int = 1000,
        random_state: Any = 0,
        missing: Missing = "value",
        **shared: Unpack[CommonParameters],
    ) -> None:
        self.relevance = relevance
        self.redundancy = redundancy
        self.normalize = normalize
        self.criterion = criterion
        self.refine = refine
        self.shrinkage = shrinkage
        self.pairs = pairs
        self.shapes = shapes
        self.max_cuts = max_cuts
        self.max_iter = max_iter
        self.random_state = random_state
        super().__init__(missing=missing, **shared)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X, y, sample_weight
            As for the other classifiers: see :meth:`~atfnb.NB.fit`.
        groups : array-like of shape (rows,), optional
            The group of each row, such as a patient or a customer. Cross-validation, which chooses how strongly effects
            are shrunk and which pairs are learned, then keeps all rows of a group together: the model is chosen for
            groups that are new. scikit-learn passes groups on after ``set_fit_request(groups=True)``.

        Returns
        -------
        self
        """
        self.check_parameters()
        with on_cores(self.n_jobs):
            return self.learn(training_rows(TableInMemory(X, y, sample_weight, groups=groups), self.row_options))

    # --- fused weights --------------------------------------------------------------------------------

    def check_parameters(self, *names: str) -> None:
        """Raise a ValueError, one sentence, for the first parameter that cannot be used: of all, or of these."""
        super().check_parameters(*names)
        if not names:
            self._shrinkages()
            named = not isinstance(self.pairs, (str, int, Integral)) and len(self.pairs) > 0
            wanted = named or (isinstance(self.pairs, Integral) and int(self.pairs) > 0)
            if self.refine != "value" and wanted:
                raise ValueError("pairs need the effects of values: set refine='value', or pairs=0.")
            if self.refine != "value" and self.shapes:
                raise ValueError("shapes are those of the effects of values: set refine='value', or shapes=None.")

    def _needs(self) -> AbstractSet[Need]:
        return self._options().needs

    def _shrinks(self) -> bool:
        return self.refine == "value"

    def _options(self) -> FusionOptions:
        """Return what the learning depends on."""
        shrinkages = self._shrinkages()
        as_given = ("normalize", "criterion", "max_cuts", "max_iter", "random_state", "alpha")
        return FusionOptions(
            **{name: getattr(self, name) for name in as_given},
            shapes=tuple(
                each.contrasts(len(self.classes_))
                for each in self._asked_shapes()
                if self.encoder_.n_values[each.attribute] > 0
            ),
            indexes=[*map(find_relevance, _listed(self.relevance)), *map(find_redundancy, _listed(self.redundancy))],
            shrinkage=shrinkages[0] if self.refine == "attribute" else None,
            shrinkages=shrinkages,
            encoding=self.row_options,
            pairs=self._pair_option(),
        )

    def _options_for(self, rows: TrainingRows) -> FusionOptions:
        """Return what the learning depends on, for rows whose columns may have been screened."""
        return self._options() if rows.every is None else self._options().of_wide

    def _pair_option(self) -> PairOption:
        """Return which pairs to learn: "auto", how many, or their positions."""
        if isinstance(self.pairs, (str, int, Integral)):
            return "auto" if isinstance(self.pairs, str) else int(self.pairs)
        chosen, bent = set[tuple[int, int]](), {each.attribute for each in self._asked_shapes() if each.is_bent}
        for pair in self.pairs:
            first, second = (self._positions(column, bent) for column in pair)
            if first == second:
                raise ValueError(f"pairs names column {pair[0]!r} beside itself: a pair is of two columns.")
            chosen |= {(min(a, b), max(a, b)) for a, b in product(first, second) if a != b}
        return np.array(sorted(chosen), dtype=np.int64).reshape(-1, 2)

    def _positions(self, column: Any, bent: AbstractSet[int]) -> list[int]:
        """Return the positions of the attributes of a column of ``pairs`` that are used, and not ``bent``."""
        positions = [j for j in positions_of("pairs", column, self.encoder_) if self.encoder_.n_values[j] > 0]
        if not positions:
            raise ValueError(
                f"pairs names column {column!r}, which is not used, as nothing can be learned from its values."
            )
        if bent & {*positions}:
            why = "convex or concave, as effects of pairs are steps."
            raise ValueError(f"pairs names column {column!r}, which cannot be in a pair and be {why}")
        return positions

    def _asked_shapes(self) -> list[AskedShape]:
        """Return the shapes that are asked for."""
        return list(asked_shapes(self.shapes, self.encoder_, self.classes_.tolist(), self.class_labels))

    def shape_sentences(self) -> Iterator[str]:
        """Yield for each column with a shape what it is and what it costs, and which other columns that has moved."""
        words, names = self.shapes_in_words, [each.name for each in self.encoder_.attributes]
        for j, said in words.items():
            if self.encoder_.n_values[j] < 2:
                yield f"{names[j]!r} may rise or fall: nothing is learned from it."
                continue
            cost = "" if self.shape_costs_ is None else f", {_cost_in_words(float(self.shape_costs_[j]))}"
            yield f"{names[j]!r} is {said}, as asked{cost}."
        if self.shape_moves_ is not None:
            size = self.shape_moves_
            others = [j for j in np.argsort(-size, kind="stable").tolist() if j not in words and size[j] >= MOVED]
            if others:
                listed = ", ".join(f"{names[j]!r} by {size[j]:.2f}" for j in others[:NAMED])
                yield f"Shapes moved the effects of other columns too: {listed}{and_more(len(others))}."

    @property
    def shapes_in_words(self) -> dict[int, str]:
        """The shapes that the effects of some attributes have, in words, by the position of the attribute."""
        words = dict[int, str]()
        for each in self._asked_shapes():
            said = each.in_words(self.class_labels)
            words[each.attribute] = f"{words[each.attribute]} and {said}" if each.attribute in words else said
        return words

    def _shrinkages(self) -> tuple[float, ...]:
        """Return how strongly corrections may be shrunk: one number for "attribute", several for "value"."""
        if isinstance(self.shrinkage, str) and self.shrinkage == "auto":
            return (SHRINKAGE,) if self.refine == "attribute" else SHRINKAGES
        shrinkages = _listed(self.shrinkage)
        if not shrinkages or not all(isinstance(each, Real) and 0 < float(each) < 1e12 for each in shrinkages):
            raise ValueError(f"shrinkage must be 'auto', a number above 0, or some of them, not {self.shrinkage!r}.")
        if self.refine == "attribute" and len(shrinkages) > 1:
            raise ValueError("shrinkage must be one number, or 'auto', where refine='attribute'.")
        return tuple(map(float, shrinkages))

    def _learn(self, rows: TrainingRows) -> Self:
        # threads of BLAS would be in the way of those over rows; where it is built with OpenMP, both have one limit
        with on_cores(n_threads()), threadpool_limits(limits=1, user_api="blas"):
            if self.refine != "value":
                return super()._learn(rows)
            rows = screened(rows, self._options())
            self.encoder_ = rows.encoder
            if rows.every is not None:
                why = f"the {rows.n_rows:,} rows say too little of the others."
                warnings.warn(f"{_learned_from(self.encoder_)}: {why}", UnusedColumnWarning, stacklevel=4)
            refined, most = super()._learn(rows)._refine(rows), check_max_bins(self.max_bins)
            if most and (cuts := fewer_cuts(self.encoder_.attributes, self.model_, refined.curvature, most)):
                rows = rows.cut_at(cuts)
                self.encoder_ = rows.encoder
                super()._learn(rows)._refine(rows)
            return self

    def _count(self, rows: TrainingRows) -> Counts:
        """Return the counts that the weights need; where columns were screened, that is no more than the tables."""
        if rows.every is None:
            return super()._count(rows)
        return count_pieces(rows.pieces, self.encoder_.n_values, len(self.classes_), {"fingerprint"})

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        """Return the weights that are fused from the indexes."""
        if self.refine == "attribute" and self.n_features_in_ > MAX_ATTRIBUTES:
            raise ValueError(
                f"refine='attribute' takes at most {MAX_ATTRIBUTES} attributes, not {self.n_features_in_}: "
                "use refine='value', or None."
            )
        options = self._options_for(rows)
        fused = fuse_weights(self.encoder_, counts, rows.pieces, options)
        self.indexes_ = ["uniform", *(_in_words(index) for index in options.indexes)]
        self.index_matrix_, self.theta_, self.n_iter_ = fused.indexes, fused.theta, fused.n_iter
        self.gamma_, self.shrinkage_, self.pair_shrinkage_, self.line_shrinkage_ = 1.0, options.shrinkage, None, None
        self.value_effects_ = self.value_errors_ = self.shape_costs_ = self.shape_moves_ = None
        self._warn_unless(fused.converged)
        return fused.weights

    def _refine(self, rows: TrainingRows) -> Refined:
        """Give every value an effect of its own, beside the weighted sum of naive Bayes."""
        options = self._options_for(rows)
        refined = refine_values(rows, self.encoder_, len(self.classes_), self.theta_, options)
        self._warn_unless(refined.converged)
        if refined.too_wide:
            warnings.warn(
                f"{len(self.classes_)} classes are too many to look for pairs of columns that act together, so none is "
                "learned: name some in pairs, or set pairs=0.",
                PairsSkippedWarning,
                stacklevel=5,
            )
        self.shrinkage_, self.line_shrinkage_ = refined.shrinkage, refined.line_shrinkage
        self.n_iter_, self.shape_costs_, self.shape_moves_ = refined.n_iter, refined.shape_costs, refined.shape_moves
        unused = {each.attribute for each in self._asked_shapes()} - {*np.flatnonzero(self.encoder_.n_values > 1)}
        if unused:
            named = listed_names([self.encoder_.attributes[j].name for j in sorted(unused)])
            why = "nothing is learned from them, so no shape changes anything."
            warnings.warn(f"{named}: {why}", UnusedColumnWarning, stacklevel=5)
        self._set_effects(refined)
        return refined

    def _set_effects(self, refined: Refined) -> Self:
        """Set the model in which every fine value adds γ·w_j log P(a|c) + u_j(a, c)."""
        evidence = self._evidence(self.counts_, self.encoder_)
        scores, self.value_effects_ = additive_scores(refined, self.weights_, evidence)
        self.value_errors_ = np.round(refined.errors, 4)  # more digits would say nothing, and fill the file
        self.encoder_, self.counts_, self.gamma_ = refined.fine.encoder, refined.counts, refined.effects.gamma
        pairs, self.pair_shrinkage_ = refined.pairs, refined.pairs.kappa
        offsets, table = pairs.grids.offsets_after(self.counts_.offsets), np.vstack([scores, pairs.values])
        self.model_ = AdditiveModel.on_grid(offsets, table, self._log_prior(self.counts_), pairs.grids)
        self.weights_ = spread(scores, self.counts_)
        return self

    def _errors(self) -> FloatArray | None:
        if self.value_effects_ is None:
            return super()._errors()
        if self.value_errors_ is None:
            return None
        of_naive = self._evidence_variance(self.gamma_ * (self.index_matrix_ @ self.theta_))
        return np.asarray(np.sqrt(self.value_errors_**2 + centred_variance(of_naive)))

    def _evidence(self, counts: Counts, encoder: TableEncoder) -> FloatArray:
        """Return log P(a|c): (cells, classes). A missing value that is rare says nothing."""
        return log_likelihood(counts, self.alpha, encoder.missing)

    def _warn_unless(self, converged: bool) -> None:
        if not converged:
            warnings.warn(
                f"the fit had not come to rest after {self.max_iter} steps: raise max_iter, or shrinkage.",
                ConvergenceWarning,
                stacklevel=6,
            )

    # --- what a model file is checked by ----------------------------------------------------------------

    @property
    def weights_meaning(self) -> Meaning:
        """What the weights of the fitted model are: "spread" with effects of values, otherwise "fused"."""
        return "fused" if self.value_effects_ is None else "spread"

    # --- in words -------------------------------------------------------------------------------------

    def _sentences(self) -> Iterator[str]:
        yield "The weights of naive Bayes are a sum of these indexes, each times its coefficient:"
        for name, coefficient in zip(self.indexes_, self.theta_, strict=True):
            yield f"  {coefficient:+7.3f}  {name}"
        if self.value_effects_ is None:
            yield from super()._sentences()
            return
        added = "is not added, as it does not help" if self.gamma_ == 0 else f"is added {self.gamma_:.2f} times"
        if self.encoder_.n_used < len(self.encoder_.attributes):
            yield f"{_learned_from(self.encoder_)}."
        weaker = self.line_shrinkage_ not in (None, self.shrinkage_)
        lines = f" ({self.line_shrinkage_:g} for straight lines)" if weaker else ""
        yield f"Every value has its own effect on each class, with a shrinkage of {self.shrinkage_:g}{lines};"
        yield f"the weighted sum of naive Bayes {added}."
        if self.pairs_:
            n = len(self.pairs_)
            act = "1 pair of attributes acts" if n == 1 else f"{n} pairs of attributes act"
            yield f"{act} together, shrunk {self.pair_shrinkage_:.3g} times as strongly as the values."
        yield from self.shape_sentences()
        yield "How far each attribute or pair moves the log-likelihood of a class, up or down:"


def _cost_in_words(cost: float) -> str:
    """Return what the shapes of a column cost out of fold, as the end of a sentence."""
    return "which costs nothing" if cost < COSTS else f"which costs {cost:.4f} of log-loss out of fold"


def _learned_from(encoder: TableEncoder) -> str:
    """Return how many of the attributes have values, in words."""
    return f"{encoder.n_used:,} of {len(encoder.attributes):,} columns are learned from"


def _in_words(index: Index) -> str:
    """Return the name of an index as it stands in ``indexes_``."""
    return f"less {index.name} (redundancy)" if index.of_pairs else index.name
