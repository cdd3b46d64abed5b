"""The algorithm of FusionNB, from counts to weights and effects.

1. ``index_matrix``: the normalised indexes of the attributes are the columns of F.
2. ``fuse_weights``: θ, and with it the weights w = Fθ (+ δ), by the likelihood or the accuracy of each row under
   tables without that row.
3. ``refine_values``: the numbers are cut finely, and every value gets an effect u on each class. How strongly the
   effects are shrunk is chosen by cross-validation; where rows are few, so is whether the weighted sum of naive
   Bayes stands beside the effects, and how much of it (γ).
4. ``additive_scores``: γ·w_j log P(a|c) + u_j(a, c) for every value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from atfnb._pieces import CodedRows, Pieces, on_all_cores
from atfnb._typing import FloatArray
from atfnb.counts import Counts, Need, RowsInMemory, TrainingRows, count, count_pieces
from atfnb.encoding import FineEncoder, MaxBins, Missing, TableEncoder, fit_encoder, refine_encoder
from atfnb.fusion.accuracy import fuse_by_accuracy
from atfnb.fusion.effects import (
    Effects,
    EffectSetting,
    LearnedEffects,
    centred_effects,
    effect_setting,
    learn_effects,
)
from atfnb.fusion.likelihood import CountedRows, FusedWeights, evidence_of, fuse_by_likelihood
from atfnb.fusion.strengths import (
    Fold,
    Keys,
    content_keys,
    folds_of,
    lowest_loss,
    sample_rows,
    split_weights,
    try_strengths,
    worth_threads,
)
from atfnb.indexes import Index, mean_redundancy, normalized
from atfnb.model import AdditiveModel, log_likelihood, log_prior, spread
from atfnb.tables import Table, Target

Criterion = Literal["likelihood", "accuracy"]

RIDGE = 1.0
"""How strongly the coefficients of the indexes are held to naive Bayes."""
STARTS = 4
"""The number of points that the search by accuracy starts from: naive Bayes, the likelihood's θ, and random ones."""
FOLDS = 3
"""The number of folds that choose a strength."""
TERM_FOLDS = 5
"""The number of folds for the sum of naive Bayes of rows that it has not seen."""
ENOUGH = 20_000
"""The number of rows that are enough to choose a strength, and to do without the sum of naive Bayes."""
PRECISE = 1e-2
"""The steepest slope, in white coordinates, that counts as none: the loss is then within some 10⁻⁴ of its minimum."""


@dataclass(frozen=True)
class FusionOptions:
    """The parameters of FusionNB that its learning depends on."""

    indexes: Sequence[Index]
    normalize: str | None
    criterion: Criterion
    shrinkage: float | None
    """How strongly the correction δ of each attribute's weight is shrunk; None for no correction."""
    strengths: tuple[float, ...]
    """How strongly the effects of values may be shrunk: cross-validation chooses one."""
    max_cuts: int
    max_iter: int
    random_state: Any
    max_bins: MaxBins
    max_distinct: int | None
    missing: Missing
    alpha: float

    @property
    def needs(self) -> frozenset[Need]:
        """What must be counted for the indexes."""
        return frozenset[Need]().union(*(index.needs for index in self.indexes))


# --- Weights -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Coarse:
    """Training rows as ChiMerge's cuts code them: the encoder, the counts, and the indexes of the attributes."""

    encoder: TableEncoder
    counts: Counts
    indexes: FloatArray
    """(attributes, indexes) F."""

    @classmethod
    def of(cls, encoder: TableEncoder, counts: Counts, options: FusionOptions) -> Coarse:
        """Return the encoder and the counts with the indexes that follow from them."""
        return cls(encoder, counts, index_matrix(counts, options))

    def leave_one_out(self, rows: Pieces[CodedRows], alpha: float) -> CountedRows:
        """Return the rows with the log-probabilities of each under tables that are made without it."""
        return CountedRows(rows, self.counts, evidence_of(self.counts, alpha, self.encoder.missing))


def index_matrix(counts: Counts, options: FusionOptions) -> FloatArray:
    """Return F: ones, then each index, normalised, redundancies with a minus: (attributes, indexes)."""
    columns = [
        -mean_redundancy(index(counts), options.normalize)
        if index.of_pairs
        else normalized(index(counts), options.normalize)
        for index in options.indexes
    ]
    return np.column_stack([np.ones(len(counts.n_values)), *columns])


def fuse_weights(
    coarse: Coarse, rows: Pieces[CodedRows], options: FusionOptions, start: FloatArray | None = None
) -> FusedWeights:
    """Return the weights w = Fθ (+ δ), by likelihood or by accuracy; the correction δ is always by likelihood.

    ``start`` is the θ of similar rows, to start from in place of naive Bayes.
    """
    data, indexes = coarse.leave_one_out(rows, options.alpha), coarse.indexes
    shrinkage, max_iter = options.shrinkage, options.max_iter
    fused = fuse_by_likelihood(indexes, data, ridge=RIDGE, shrinkage=shrinkage, max_iter=max_iter, start=start)
    if options.criterion == "likelihood":
        return fused
    random = np.random.default_rng(check_random_state(options.random_state).randint(2**31 - 1))
    naive = np.eye(indexes.shape[1])[0]
    drawn = [naive + random.standard_normal(len(naive)) for _ in range(STARTS - 2)]
    climb = fuse_by_accuracy([naive, fused.theta, *drawn], indexes, data, random=random)
    return replace(fused, theta=climb.theta, weights=indexes @ climb.theta + fused.delta, n_iter=climb.n_lines)


# --- Effects of values -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refined:
    """The effects of values, and how they were learned."""

    fine: FineEncoder
    counts: Counts
    """The counts of the fine values."""
    effects: Effects
    strength: float
    """How strongly the effects were shrunk."""
    n_iter: int
    converged: bool


def refine_values(rows: TrainingRows, coarse: Coarse, options: FusionOptions) -> Refined:
    """Cut the numbers finely, choose a strength by cross-validation, and learn the effect of each value."""
    fine = refine_encoder(coarse.encoder, rows.distributions(), options.max_cuts)
    coded = rows.encoded_by(fine.encoder).keep(len(fine.encoder.attributes) * fine.encoder.code_type.itemsize)
    counts = count_pieces(coded, fine.encoder.n_values, len(coarse.counts.classes), {"fingerprint"})
    setting = effect_setting(fine, counts, log_prior(counts, options.alpha))
    if coded.n_rows <= ENOUGH:
        strength, learned = _learn_from_few(rows.in_memory(), coarse, fine.encoder, setting, options)
    else:
        strength, learned = _learn_from_many(coded, setting, options)
    effects = centred_effects(learned.effects, setting)
    return Refined(fine, counts, effects, strength, learned.n_iter, learned.converged)


def _learn_from_few(
    rows: RowsInMemory, coarse: Coarse, fine: TableEncoder, setting: EffectSetting, options: FusionOptions
) -> tuple[float, LearnedEffects]:
    """Choose a strength, and whether the sum of naive Bayes stands beside the effects; then learn from all rows."""
    data, strengths = CodedRows(fine.encode_table(rows.table), rows.y, rows.weight), options.strengths
    keys = content_keys(data.codes, setting.counts)
    alone = list(folds_of(data, keys, FOLDS))
    if not alone:  # too few rows to leave any out
        return max(strengths), _learn(max(strengths), setting, data, options)
    loss, strength = lowest_loss(try_strengths(strengths, setting, alone, data.weight), data.weight)
    fused = fuse_by_likelihood(
        coarse.indexes, coarse.leave_one_out(rows.pieces, options.alpha), ridge=RIDGE, max_iter=options.max_iter
    )
    naive = _NaiveBayes(options, len(setting.prior), fused.theta)
    helped = list(on_all_cores(partial(naive.join, rows, keys), alone, worth=worth_threads(setting, len(keys))))
    loss_helped, strength_helped = lowest_loss(try_strengths(strengths, setting, helped, data.weight), data.weight)
    if loss_helped < loss:
        strength = strength_helped
        learned = _learn(strength, setting, replace(data, naive_sum=naive.unseen_sums(rows, keys)), options)
        if learned.effects.gamma >= 0:  # otherwise naive Bayes would count against itself
            return strength, learned
    return strength, _learn(strength, setting, data, options)


def _learn_from_many(
    rows: Pieces[CodedRows], setting: EffectSetting, options: FusionOptions
) -> tuple[float, LearnedEffects]:
    """Choose a strength on a sample, and learn the effects from all rows, starting from those of the sample."""
    few = sample_rows(rows, setting.counts, ENOUGH)
    data, strengths = few.rows, options.strengths
    folds, strength = list(folds_of(data, few.keys, FOLDS)), max(strengths)
    if folds:
        strength = lowest_loss(try_strengths(strengths, setting, folds, data.weight), data.weight)[1]
    start = _learn(strength, setting, data, options).effects
    return strength, _learn(strength, setting, rows, options, start)


def _learn(
    strength: float,
    setting: EffectSetting,
    rows: CodedRows | Pieces[CodedRows],
    options: FusionOptions,
    start: Effects | None = None,
) -> LearnedEffects:
    """Learn effects, precisely, from rows in memory or in pieces."""
    pieces = rows.in_blocks(len(setting.share)) if isinstance(rows, CodedRows) else rows
    start = Effects.none(setting) if start is None else start
    return learn_effects(strength, setting, pieces, start, precision=PRECISE, max_iter=options.max_iter)


@dataclass(frozen=True)
class _NaiveBayes:
    """The sum of naive Bayes of each row, Σ_j w_j log P(x_j|c), by a model that has not seen the row."""

    options: FusionOptions
    n_classes: int
    start: FloatArray
    """(indexes,) the θ of all rows, to start from: that of most of the rows is close to it."""

    def join(self, rows: RowsInMemory, keys: Keys, fold: Fold) -> Fold:
        """Return a fold whose rows have that sum, training and test rows alike."""
        seen = rows.take(fold.seen, fold.rest)
        inside = self.unseen_sums(seen, keys[fold.seen])
        outside = self.sums(seen, rows.table.take(fold.held_out))
        return replace(
            fold, training=replace(fold.training, naive_sum=inside), test=replace(fold.test, naive_sum=outside)
        )

    def unseen_sums(self, rows: RowsInMemory, keys: Keys) -> FloatArray:
        """Return the sum of each row by a model that was made without it: (rows, classes).

        ChiMerge has seen the classes of the rows that it cut, so it cuts again for each fold.
        """
        term = np.zeros((len(rows.y), self.n_classes))
        for rest, share in split_weights(keys, rows.y, rows.weight, TERM_FOLDS):
            held_out = share > 0
            sums = self.sums(rows.take(rest > 0, rest), rows.table.take(held_out))
            term[held_out] += (share / rows.weight)[held_out, None] * sums
        return term

    def sums(self, rows: RowsInMemory, table: Table) -> FloatArray:
        """Return the sum of each row of a table, by a model made of other rows: (rows, classes)."""
        known, nothing, options = rows.table.with_values(), np.zeros(self.n_classes), self.options
        if not known.columns:
            return np.zeros((table.n_rows, self.n_classes))
        target = Target(np.arange(self.n_classes), rows.y, rows.weight, None)
        encoder = fit_encoder(
            known, target, max_bins=options.max_bins, missing=options.missing, max_distinct=options.max_distinct
        )
        training = replace(rows, codes=encoder.encode_table(known), table=known)
        counts = count(training.codes, rows.y, rows.weight, encoder.n_values, self.n_classes, options.needs)
        weights = fuse_weights(Coarse.of(encoder, counts, options), training.pieces, options, self.start).weights
        evidence = log_likelihood(counts, options.alpha, encoder.missing)
        model = AdditiveModel.weighted(weights, evidence, nothing, counts)
        return model.joint(encoder.encode_table(table.like(known)))


# --- Scores ------------------------------------------------------------------------------------------


def additive_scores(refined: Refined, weights: FloatArray, evidence: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return γ·w_j log P(a|c) + u_j(a, c) for every fine value, and u with its part of the biases: (cells, classes).

    Parameters
    ----------
    refined : Refined
    weights : (attributes,) array
        w.
    evidence : (coarse cells, classes) array
        log P(a|c) of the values that ChiMerge made, in which the fine ones lie.
    """
    effects, counts = refined.effects, refined.counts
    term = effects.gamma * counts.per_cell(weights)[:, None] * evidence[refined.fine.coarse]
    values = effects.values + _divided(effects.bias, spread(effects.values, counts), refined.fine, counts)
    return term + values, values


def _divided(bias: FloatArray, spreads: FloatArray, fine: FineEncoder, counts: Counts) -> FloatArray:
    """Divide the biases among the attributes, by the square of how far the effects of each reach: (cells, classes).

    Every value that is present gets its attribute's part. "Missing" and "unknown" get none, so that an attribute that
    is not known adds nothing, and a row of which nothing is known has the class frequencies.
    """
    square = spreads**2 if spreads.any() else np.ones_like(spreads)
    present = counts.known & ~fine.encoder.missing
    return np.asarray(np.outer(present * counts.per_cell(square / square.sum()), bias))
