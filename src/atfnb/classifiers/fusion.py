"""FusionNB: any number of indexes, and an effect of each value."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self, get_args

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from atfnb._typing import BoolArray, FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts, Need, count
from atfnb.encoding import FineEncoder, MaxBins, Missing, Target, fit_encoder, refine_encoder
from atfnb.fusion import (
    Effects,
    Fused,
    Keys,
    Rows,
    Setting,
    best_of,
    by_accuracy,
    by_likelihood,
    clearly_better,
    content_keys,
    deal,
    evidence_of,
    learn,
    plain,
    sample,
    setting_of,
    try_strengths,
)
from atfnb.indexes import Index, find_redundancy, find_relevance, mean_redundancy, normalized
from atfnb.likelihood import add_up, log_likelihood, log_prior, on_grid, weigh

Criterion = Literal["likelihood", "accuracy"]
Refine = Literal["attribute", "value"]

RELEVANCE = ("information_gain", "gain_ratio", "symmetric_uncertainty", "pearson")
REDUNDANCY = ("pearson",)
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
SHRINKAGE = 10.0
"""How strongly "attribute" holds its corrections back, if nothing else is said."""
RIDGE = 1.0
"""How strongly the coefficients of the indexes are held to naive Bayes."""
FOLDS = 3
"""Folds to choose a strength."""
TERM_FOLDS = 5
"""Folds for naive Bayes' own scores of the rows that it has not seen."""
ENOUGH = 20_000
"""Rows that are enough to choose a strength."""
PRECISE = 1e-2
"""The steepest slope, in white coordinates, that counts as none: the target is then within some 10⁻⁴ of its lowest."""
STARTS = 4


class FusionNB(BaseNB):
    """Naive Bayes with weights fused from many indexes, refined down to single values.

    The score of a class is log P(c) + b_c + γ·Σ_j w_j log P(x_j|c) + Σ_j u_j(x_j, c). The weights are w = Fθ: the
    columns of F are the normalised indexes, the first of them 1 for every attribute, so that θ = (1, 0, …) is naive
    Bayes. θ has the highest likelihood of each training row under the tables without that row.

    With ``refine="value"`` every value of an attribute gets an effect u_j on each class: along a number, cut finely,
    the effects of neighbours are alike; those of categories are small. How strongly, and whether the sum of naive
    Bayes helps (γ), is chosen by cross-validated log-loss.

    Parameters
    ----------
    relevance : list of str or callable
        Indexes that enter with a plus: see :class:`~atfnb.ATFNB`.
    redundancy : list of str or callable
        Indexes that enter with a minus.
    normalize : {"max", "mean", "sum", "minmax", None}, default="max"
        How each index is scaled.
    criterion : {"likelihood", "accuracy"}, default="likelihood"
        What θ is good for: the leave-one-out likelihood, by Newton's method; or the leave-one-out accuracy, by exact
        line searches along the coordinates and random directions, from several starts.
    refine : {"value", "attribute", None}, default="value"
        How fine the correction is: an effect of each value; a weight of its own for each attribute, w = Fθ + δ; none.
    shrinkage : "auto", number or list of numbers, default="auto"
        How strongly the correction is held back. Of several numbers cross-validation chooses one ("value" only);
        "auto" is 0.1 to 30 for "value", and 10 for "attribute".
    max_cuts : int, default=31
        How many quantiles a number is cut at for "value", beside ChiMerge's cuts.
    max_iter : int, default=1000
        At most so many steps; a warning tells if they were not enough.
    random_state : int, RandomState or None, default=0
        Of the random directions and starts of "accuracy".
    categorical_features, max_bins, missing, alpha, fit_prior, class_prior
        As in :class:`~atfnb.NB`.

    Attributes
    ----------
    weights_ : (attributes,) array
        How much each attribute counts: w. With "value", the spread of what the attribute adds to the score of a class:
        the root of its mean square over the training rows and the classes, each row's mean over the classes taken away.
    indexes_ : list of str
        The names of the indexes in F, "uniform" first.
    theta_ : (indexes,) array
        The coefficient of each.
    index_matrix_ : (attributes, indexes) array
        F.
    gamma_ : float
        How much the weighted sum of naive Bayes counts beside the effects: 0 where it does not help them; 1 without.
    value_effects_ : (cells, classes) array or None
        u, where ``refine="value"``: the cells of all attributes, one below the other, as in ``counts_``.
    shrinkage_ : float or None
        The strength that was chosen.
    n_iter_ : int
        Steps of the last fit.
    table_, class_log_prior_, classes_, encoder_, counts_
        As in :class:`~atfnb.NB`; ``class_log_prior_`` includes b.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FusionNB().fit(X, y)
    >>> model.weights_.round(1)
    array([0.2, 0.3, 1.6, 2.1])
    """

    value_effects_: FloatArray | None

    def __init__(
        self,
        *,
        relevance: Any = RELEVANCE,
        redundancy: Any = REDUNDANCY,
        normalize: str | None = "max",
        criterion: Criterion = "likelihood",
        refine: Refine | None = "value",
        shrinkage: Any = "auto",
        max_cuts: int = 31,
        max_iter: int = 1000,
        random_state: Any = 0,
        categorical_features: Any = "from_dtype",
        max_bins: MaxBins = "n_classes",
        missing: Missing = "impute",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.relevance = relevance
        self.redundancy = redundancy
        self.normalize = normalize
        self.criterion = criterion
        self.refine = refine
        self.shrinkage = shrinkage
        self.max_cuts = max_cuts
        self.max_iter = max_iter
        self.random_state = random_state
        super().__init__(
            categorical_features=categorical_features,
            max_bins=max_bins,
            missing=missing,
            alpha=alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
        )

    # --- fused weights --------------------------------------------------------------------------------

    def _needs(self) -> AbstractSet[Need]:
        return frozenset().union(*(index.needs for index in self._indexes()))

    def _indexes(self) -> list[Index]:
        return [*map(find_relevance, _listed(self.relevance)), *map(find_redundancy, _listed(self.redundancy))]

    def _index_matrix(self, counts: Counts) -> FloatArray:
        """F: the uniform index, the relevances with a plus, the redundancies with a minus; each normalised."""
        columns = [
            -mean_redundancy(index(counts), self.normalize)
            if index.of_pairs
            else normalized(index(counts), self.normalize)
            for index in self._indexes()
        ]
        return np.column_stack([np.ones(len(counts.n_values)), *columns])

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        self._check()
        self.indexes_ = ["uniform", *(("− " if index.of_pairs else "") + index.name for index in self._indexes())]
        self.index_matrix_ = self._index_matrix(counts)
        fused = self._fuse(self.index_matrix_, counts, rows)
        self.theta_, self.n_iter_, self.gamma_, self.value_effects_ = fused.theta, fused.n_iter, 1.0, None
        self.shrinkage_ = self._attribute_shrinkage()
        self._say_unless(fused.converged)
        return fused.weights

    def _fuse(self, indexes: FloatArray, counts: Counts, rows: TrainingRows) -> Fused:
        """θ by likelihood or by accuracy; and, if asked for, a correction of each attribute by likelihood."""
        evidence, data = evidence_of(counts, self.alpha), (rows.codes, rows.y, rows.weight)
        shrinkage = self._attribute_shrinkage()
        fused = by_likelihood(
            indexes, evidence, counts, *data, ridge=RIDGE, shrinkage=shrinkage, max_iter=self.max_iter
        )
        if self.criterion == "likelihood":
            return fused
        random = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        naive = np.eye(indexes.shape[1])[0]
        drawn = [naive + random.standard_normal(len(naive)) for _ in range(STARTS - 2)]
        climb = by_accuracy([naive, fused.theta, *drawn], indexes, evidence, counts, *data, random=random)
        weights = indexes @ climb.theta + fused.delta
        return Fused(climb.theta, fused.delta, weights, climb.n_lines, fused.converged, fused.start, fused.end)

    def _attribute_shrinkage(self) -> float | None:
        if self.refine != "attribute":
            return None
        return SHRINKAGE if self.shrinkage == "auto" else float(self.shrinkage)

    # --- effects of values ----------------------------------------------------------------------------

    def _learn(self, rows: TrainingRows) -> Self:
        with threadpool_limits(limits=1, user_api="blas"):  # its own threads would be in the way of those over rows
            super()._learn(rows)
            return self._refine(rows) if self.refine == "value" else self

    def _refine(self, rows: TrainingRows) -> Self:
        """Cut finely, choose by cross-validation, learn the effects, and put them into the table."""
        coarse = self.counts_
        fine = refine_encoder(rows.table, rows.weight, self.encoder_, self.max_cuts)
        codes = fine.encoder.encode_table(rows.table)
        counts = count(codes, rows.y, rows.weight, fine.encoder.n_values, len(self.classes_))
        setting, keys = setting_of(fine, counts, log_prior(counts, self.alpha)), content_keys(codes, counts)
        data = Rows(codes, rows.y, rows.weight, None)
        strength, with_term = self._choose(rows, data, keys, setting)
        if with_term:
            data = replace(data, term=self._unseen_term(rows, keys))
        learned = learn(strength, setting, data, Effects.none(setting), precision=PRECISE, max_iter=self.max_iter)
        self._say_unless(learned.converged)
        self._set_effects(plain(learned.effects, setting), fine, coarse, counts)
        self.shrinkage_, self.n_iter_ = strength, learned.n_iter
        return self

    def _choose(self, rows: TrainingRows, data: Rows, keys: Keys, setting: Setting) -> tuple[float, bool]:
        """The strength with the lowest log-loss out of fold; and whether naive Bayes' sum clearly lowers it."""
        few = sample(keys, ENOUGH)
        if few is not None:
            rows, data, keys = _marked(rows, few), data.take(few, data.weight), keys[few]
        strengths = STRENGTHS if isinstance(self.shrinkage, str) else tuple(map(float, _listed(self.shrinkage)))
        shares = deal(keys, data.y, data.weight, FOLDS)
        alone = best_of(try_strengths(strengths, setting, data, shares), data.weight)
        helped = replace(data, term=self._unseen_term(rows, keys))
        together = best_of(try_strengths(strengths, setting, helped, shares), data.weight)
        if clearly_better(together, alone, data.weight):
            return together.strength, True
        return alone.strength, False

    def _unseen_term(self, rows: TrainingRows, keys: Keys) -> FloatArray:
        """Σ_j w_j log P(x_j|c) of each row, by a model that was made without it: (rows, classes).

        ChiMerge has seen the classes of the rows that it cut, so it cuts again for each fold.
        """
        term, nothing = np.zeros((len(rows.y), len(self.classes_))), np.zeros(len(self.classes_))
        for share in deal(keys, rows.y, rows.weight, TERM_FOLDS).T:
            rest = rows.weight - share
            seen, held_out = rest > 1e-9 * rows.weight, share > 0
            target = Target(self.classes_, rows.y[seen], rest[seen], None)
            part = rows.table.take(seen).with_values()
            if not part.columns or not held_out.any():
                continue  # nothing was seen, or nothing is asked: the term says nothing
            encoder = fit_encoder(part, target, max_bins=self.max_bins, missing=self.missing)
            training = TrainingRows(encoder.encode_table(part), target.y, target.weight, part)
            counts = count(training.codes, target.y, target.weight, encoder.n_values, len(nothing), self._needs())
            weights = self._fuse(self._index_matrix(counts), counts, training).weights
            table, _ = weigh(weights, log_likelihood(counts, self.alpha), nothing, counts)
            scores = add_up(encoder.encode_table(rows.table.take(held_out).like(part)), table, nothing, counts)
            term[held_out] += (share / rows.weight)[held_out, None] * scores
        return term

    def _set_effects(self, effects: Effects, fine: FineEncoder, coarse: Counts, counts: Counts) -> None:
        """γ·w_j log P(a|c) + u_j(a, c) for every fine value, as the table of additive scores."""
        evidence = log_likelihood(coarse, self.alpha)[fine.coarse]
        sums = effects.gamma * counts.per_cell(self.weights_)[:, None] * evidence + effects.values
        self.table_, self.class_log_prior_ = on_grid(sums, self._log_prior(counts) + effects.bias, counts)
        self.encoder_, self.counts_ = fine.encoder, counts
        self.gamma_, self.value_effects_, self.weights_ = effects.gamma, effects.values, _spread(sums, counts)

    # --- in words -------------------------------------------------------------------------------------

    def summary(self) -> str:
        """What each index and each attribute carried, in words.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> print(FusionNB().fit(iris.data, iris.target).summary())
        """
        check_is_fitted(self)
        return "\n".join(_sentences(self))

    def _say_unless(self, converged: bool) -> None:
        if not converged:
            warnings.warn(
                f"the fit had not come to rest after {self.max_iter} steps: raise max_iter, or shrinkage.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _check(self) -> None:
        for name, kinds in (("criterion", get_args(Criterion)), ("refine", (*get_args(Refine), None))):
            if getattr(self, name) not in kinds:
                raise ValueError(f"{name} must be {' or '.join(map(repr, kinds))}, not {getattr(self, name)!r}.")
        for name in ("max_cuts", "max_iter"):
            if not (isinstance(getattr(self, name), Integral) and getattr(self, name) >= 1):
                raise ValueError(f"{name} must be a whole number from 1 on, not {getattr(self, name)!r}.")
        strengths = [1.0] if isinstance(self.shrinkage, str) and self.shrinkage == "auto" else _listed(self.shrinkage)
        if not strengths or not all(isinstance(s, Real) and 0 < float(s) < 1e12 for s in strengths):
            raise ValueError(f"shrinkage must be 'auto', a number above 0, or some of them, not {self.shrinkage!r}.")
        if self.refine == "attribute" and len(strengths) > 1:
            raise ValueError("shrinkage must be one number, or 'auto', where refine='attribute'.")


def _listed(one_or_more: Any) -> list[Any]:
    """A list of what may be one thing alone."""
    if isinstance(one_or_more, (list, tuple, np.ndarray)):
        return list(one_or_more)
    return [one_or_more]


def _marked(rows: TrainingRows, marked: BoolArray) -> TrainingRows:
    return TrainingRows(rows.codes[marked], rows.y[marked], rows.weight[marked], rows.table.take(marked))


def _spread(table: FloatArray, counts: Counts) -> FloatArray:
    """The root mean square of what each attribute adds, less each row's mean over the classes."""
    away = table - table.mean(axis=1, keepdims=True)
    share = counts.values.sum(axis=1) / counts.classes.sum()
    mean = counts.per_attribute(share[:, None] * away)
    square = counts.per_attribute(share[:, None] * (away - counts.per_cell(mean)) ** 2)
    return np.asarray(np.sqrt(square.mean(axis=1)))


def _sentences(model: FusionNB) -> Iterator[str]:
    names = [attribute.name for attribute in model.encoder_.attributes]
    order = np.argsort(-np.abs(model.weights_), kind="stable")
    total = np.abs(model.weights_).sum()
    yield f"{len(names)} attributes, {len(model.classes_)} classes."
    yield "The weights of naive Bayes were fused from these indexes:"
    for name, coefficient in zip(model.indexes_, model.theta_, strict=True):
        yield f"  {coefficient:+8.3f} × {name}"
    if model.value_effects_ is None:
        yield "The attributes count, where 1 is as much as in naive Bayes:"
    else:
        part = "does not help" if model.gamma_ == 0 else f"enters {model.gamma_:.2f} times"
        yield f"Beside the effects of single values, held back with strength {model.shrinkage_:g}, their sum {part}."
        yield "The attributes move the scores by, in natural logarithms:"
    for j in order:
        share = abs(model.weights_[j]) / total if total > 0 else 0.0
        yield f"  {model.weights_[j]:8.3f}  {share:4.0%}  {names[j]}"
