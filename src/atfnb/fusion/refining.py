"""Effects of values and of pairs: what FusionNB learns beside the weights.

1. ``choose``: cross-validation chooses how strongly the effects are shrunk, and how many pairs of attributes join: a
   ``Choice``, made by all rows in memory or by a sample of many.
2. ``learn``: the effects of that choice, from all rows, in memory and in parts alike.
3. ``additive_scores``: γ·w_j log P(a|c) + u_j(a, c) for every value.

Where rows are few, both are done with the weighted sum of naive Bayes beside the effects, γ times, if that helps:
``from_few``. How strongly one attribute or pair is shrunk against another is in the ``EffectSetting``, whose precisions
are of single cells; a shrinkage λ multiplies them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import methodcaller
from typing import Self

import numpy as np

from atfnb._pieces import CodedRows, Pieces, on_all_cores
from atfnb._progress import step
from atfnb._typing import FloatArray, IntArray
from atfnb.copies import copies_of
from atfnb.counts import Counts, count, count_pieces, log_prior, spread
from atfnb.encoding import FineEncoder, TableEncoder, refine_encoder
from atfnb.fusion.choosing import (
    KAPPAS,
    ROUGH,
    Choice,
    FoldLearner,
    Trial,
    is_reliable,
    numbers_of_pairs,
    run_trial,
    try_pairs,
    try_shrinkages,
    worth_threads,
)
from atfnb.fusion.effects import Effects, EffectSetting, centred_effects, effect_setting, sum_over_rows
from atfnb.fusion.fitting import FusionOptions, UnseenNaiveBayes
from atfnb.fusion.folds import Fold, RowKeys, content_keys, folds_of, sample_rows
from atfnb.fusion.learning import effect_errors, learn_effects, obeying
from atfnb.fusion.pairs import RANKED_GROUPS, Grouping, PairEffects, PairRows, group_values, rank_pairs, resized
from atfnb.fusion.screening import best_columns, most_columns
from atfnb.tables import LabelledRows
from atfnb.training import TrainingRows

FOLDS = 3
"""The number of folds that choose shrinkages and pairs."""
ENOUGH = 20_000
"""The number of rows that are enough to choose shrinkages and pairs, and to do without the sum of naive Bayes."""
PRECISE = 1e-2
"""The gradient tolerance, in whitened coordinates: the loss is then within some 10⁻⁴ of its minimum."""
PRECISE_PER_ROW = 1e-7
"""The gradient tolerance for each row, where pairs are learned from many: predictions hardly depend on more."""
RANKED_BY_ALL = 100
"""The number of attributes up to which many rows are all used to rank pairs; with more, a sample of them."""
RANK_WORK = 2e10
"""The number of additions that ranking pairs may take, at most; if all columns take more, the best ones are paired."""
PAIRED = 200
"""The number of columns that pairs are looked for among, where columns have been screened; at most half of the rows."""
WIDE_FOLDS = 5
"""The number of folds of a table whose columns are screened: it has so few rows that each counts."""
MANY_CLASSES = 1e7
"""Rows × classes above which neither pairs nor the sum of naive Bayes are tried: each trial would take a minute."""


@dataclass(frozen=True)
class Refined:
    """The effects of values and of pairs, and how they were learned."""

    fine: FineEncoder
    counts: Counts
    """The counts of the fine values."""
    effects: Effects
    errors: FloatArray
    """(cells, classes) the standard errors of the effects, less their mean over the classes."""
    shrinkage: float
    """How strongly the effects were shrunk."""
    line_shrinkage: float
    """How strongly straight lines were."""
    n_iter: int
    converged: bool
    pairs: PairEffects
    curvature: FloatArray
    """(cells, classes) the second derivatives of the log-loss by the effects."""
    too_wide: bool = False
    """Whether there were too many classes to look for pairs."""
    shape_costs: FloatArray | None = None
    """(attributes,) how much the shapes of each attribute raise the log-loss of a row out of fold; None if unknown."""
    shape_moves: FloatArray | None = None
    """(attributes,) how far shapes moved the effects of each attribute; None without shapes."""

    def among_all(self, whole: _Learner, columns: IntArray) -> Refined:
        """Return what was learned of some columns (columns,) as that of all, of which the others have no values."""
        counts, grids = whole.setting.counts, self.pairs.grids
        cells, (values, errors, curvature) = counts.cells_of(columns), np.zeros((3, *counts.values.shape))
        values[cells], errors[cells], curvature[cells] = self.effects.values, self.errors, self.curvature
        if len(grids.of):
            groups, n_groups = np.zeros(len(values), dtype=np.int64), np.zeros_like(counts.n_values)
            groups[cells], n_groups[columns] = grids.groups, grids.n_groups
            of, groups = columns[grids.of], groups.astype(np.int64)
            grids = replace(grids, of=of, groups=groups, n_groups=n_groups, starts=counts.offsets)
        effects, pairs = replace(self.effects, values=values), replace(self.pairs, grids=grids)
        costs, moves = (_among(columns, each, counts) for each in (self.shape_costs, self.shape_moves))
        found = replace(self, fine=whole.fine, counts=counts, effects=effects, errors=errors, pairs=pairs)
        return replace(found, curvature=curvature, shape_costs=costs, shape_moves=moves)


def refine_values(
    rows: TrainingRows, encoder: TableEncoder, n_classes: int, theta: FloatArray, options: FusionOptions
) -> Refined:
    """Cut the numbers finely, choose shrinkages and pairs by cross-validation, and learn the effects.

    ``encoder`` has ChiMerge's cuts; ``theta`` (indexes,) are the coefficients of the indexes in the weights of naive
    Bayes.
    """
    learner, coded = _Learner.of_rows(rows, encoder, n_classes, options)
    if rows.every is not None:
        return _refine_wide(learner, *_Learner.of_rows(rows.every, rows.every.encoder, n_classes, options))
    if coded.n_rows <= ENOUGH and not learner.has_many_classes:
        start = np.round(theta, 6)  # in parts, the last digits may differ
        naive = UnseenNaiveBayes(options, n_classes, start)
        return learner.from_few(CodedRows.joined(coded), rows.in_memory, naive)
    few = sample_rows(coded, learner.setting.counts, ENOUGH)
    sample = Sample(few.rows, RowKeys.of_sample(few, learner.setting.counts))
    return learner.learn(learner.choose(sample), sample, coded)


def _refine_wide(whole: _Learner, every: _Learner, coded: Pieces[CodedRows]) -> Refined:
    """Learn the effects of the columns that are left of a wide table; each fold screens the columns anew.

    ``whole`` has the columns that are left, and the others without values; ``every`` and ``coded`` have all of them.
    """
    few, columns = sample_rows(coded, every.setting.counts, ENOUGH), np.flatnonzero(whole.setting.counts.used)
    keys = RowKeys.of_sample(few, every.setting.counts)
    learner, sample = every.of(columns), Sample(few.rows, keys, every.screen, n_folds=WIDE_FOLDS)
    choice = learner.choose(sample)
    many = coded.map(methodcaller("of", columns)) if coded.n_rows > ENOUGH else None
    refined = learner.learn(choice, replace(sample, rows=few.rows.of(columns)), many, held_out=sample)
    return refined.among_all(whole, columns)


@dataclass(frozen=True)
class Sample:
    """The rows that a choice is made by: all of them, or a sample if they are many."""

    rows: CodedRows
    keys: RowKeys
    join: Callable[[Fold], Fold] | None = None
    """Adds the sum of naive Bayes to the rows of a fold, if it stands beside the effects; or screens its columns."""
    worth_threads: bool = False
    """Whether folds are joined side by side."""
    n_folds: int = FOLDS

    @cached_property
    def folds(self) -> list[Fold]:
        """The folds; none if there are too few rows to hold any out."""
        rows = self.rows
        folds = folds_of(rows, self.keys.deal(rows.y, rows.weight, self.n_folds))
        return folds if self.join is None else list(on_all_cores(self.join, folds, worth=self.worth_threads))


@dataclass(frozen=True)
class _Learner:
    """Learns effects with shrinkages and pairs that cross-validation chooses."""

    fine: FineEncoder
    setting: EffectSetting
    options: FusionOptions
    n_rows: int
    """The number of rows that pairs are looked for in."""
    every: _Learner | None = None
    """That of all columns, where some have been screened out."""

    @classmethod
    def of_rows(
        cls, rows: TrainingRows, encoder: TableEncoder, n_classes: int, options: FusionOptions
    ) -> tuple[Self, Pieces[CodedRows]]:
        """Return what learns from rows, and the rows with finely cut numbers."""
        fine = refine_encoder(encoder, rows.learned.distributions, options.max_cuts)
        coded = rows.encoded_by(fine.encoder).keep(len(fine.encoder.attributes) * fine.encoder.code_type.itemsize)
        counts = count_pieces(coded, fine.encoder.n_values, n_classes, {"fingerprint"})
        setting = effect_setting(fine, counts, log_prior(counts, options.alpha), options.shapes)
        return cls(fine, setting, options, min(coded.n_rows, ENOUGH)), coded

    # --- some of the columns --------------------------------------------------------------------------

    def of(self, columns: IntArray, rows: CodedRows | None = None) -> _Learner:
        """Return what learns from some columns (columns,): of all rows, or of some that have only these columns."""
        every, prior, options = self.setting.counts, self.setting.prior, self.options.of(columns)
        cells, n_values = every.cells_of(columns), every.n_values[columns]
        counts = Counts(n_values, every.classes, every.values[cells])
        if rows is not None:
            counts = count(rows.codes, rows.y, rows.weight, n_values, len(prior))
        fine, tolerance = self.fine.of(columns, cells), 1.0 / np.sqrt(len(columns))
        setting = replace(effect_setting(fine, counts, prior, options.shapes), tolerance=tolerance)
        return _Learner(fine, setting, options, self.n_rows, self)

    def screen(self, fold: Fold) -> Fold:
        """Return a fold with the columns that its training rows score highest, and those of pairs that are named."""
        counts, rows = self.setting.counts, fold.training
        seen = count(rows.codes, rows.y, rows.weight, counts.n_values, len(counts.classes))
        kept = best_columns(seen, most_columns(counts))
        kept[self.options.named] = True
        columns = np.flatnonzero(kept)
        return replace(fold, training=rows.of(columns), test=fold.test.of(columns), columns=columns)

    def of_fold(self, fold: Fold) -> _Learner:
        """Return what learns in a fold: where columns were screened, from those that its training rows have left."""
        if self.every is None or fold.columns is None:
            return self
        return self.every.of(fold.columns, fold.training)

    def from_few(self, coded: CodedRows, rows: LabelledRows, naive: UnseenNaiveBayes) -> Refined:
        """Choose and learn by rows in memory, with the sum of naive Bayes beside the effects if it helps."""
        _, copies = copies_of(rows.table, rows.y, rows.weight)  # as they were read: coded rows may be equal by chance
        alone = Sample(coded, RowKeys.of(coded, content_keys(coded.codes, self.setting.counts), copies))
        best = self.best_shrinkage(alone)
        if alone.folds and not self.options.shapes:  # the sum of naive Bayes would obey none
            join = partial(naive.join, rows, alone.keys)
            beside = replace(alone, join=join, worth_threads=worth_threads(self.setting, len(rows.y)))
            best_beside = self.best_shrinkage(beside)
            if best_beside.loss < best.loss:
                choice = self.choose(beside, best_beside)
                summed = replace(coded, term=naive.unseen_sums(rows, alone.keys))
                learned = self.learn(choice, replace(beside, rows=summed))
                if learned.effects.gamma >= 0:  # otherwise naive Bayes would count against itself
                    return learned
                best = replace(best, choice=best_beside.choice)
        return self.learn(self.choose(alone, best), alone)

    def best_shrinkage(self, sample: Sample) -> Trial:
        """Return the best shrinkage without pairs; the strongest where there are too few rows to hold any out.

        Where columns have been screened, it is the strongest too unless another is reliably better than guessing.
        """
        shrinkages, weight = self.options.shrinkages, sample.rows.weight
        if not sample.folds:
            return Trial(Choice(max(shrinkages), max(shrinkages)), np.zeros(len(weight)), 0.0)
        settings = [self.of_fold(fold).setting for fold in sample.folds]
        best = try_shrinkages(shrinkages, settings, sample.folds, weight)
        if self.every is None:
            return best
        losses, nothing = -self.setting.prior[sample.rows.y], tuple(map(Effects.none, settings))
        strongest = Choice(max(shrinkages), max(shrinkages))
        guessing = Trial(strongest, losses, float(weight @ losses), nothing)
        return (
            best if is_reliable(guessing.losses - best.losses, weight) else guessing
        )  # of hundreds of columns some fit by chance

    # --- choose ---------------------------------------------------------------------------------------

    def choose(self, sample: Sample, best: Trial | None = None) -> Choice:
        """Choose how many pairs are learned and how strongly all effects are shrunk.

        ``best`` is the best trial without pairs, if it is known.
        """
        best = best or self.best_shrinkage(sample)
        without_pairs, numbers = best.choice, self._numbers_of_pairs(sample)
        if not any(numbers):
            return without_pairs
        if not sample.folds:
            return replace(without_pairs, n_pairs=numbers[0], kappa=max(KAPPAS))
        learners, weight = self._pair_learners(sample, best, max(numbers)), sample.rows.weight
        trial = try_pairs(numbers, self.options.shrinkages, best, learners, weight)
        if isinstance(self.options.pairs, str) and not is_reliable(best.losses - trial.losses, weight):
            return without_pairs
        return replace(trial.choice, alone=without_pairs.shrinkage)

    def _numbers_of_pairs(self, sample: Sample) -> list[int]:
        """Return the numbers of pairs to try, from the fewest to the most; none if no pairs are to be looked for."""
        pairs = self.options.pairs
        if isinstance(pairs, np.ndarray):
            return [len(pairs)]
        if not isinstance(pairs, str):
            return [min(pairs, self.grouping.n_pairs)]
        looked_for = sample.folds and not self.has_many_classes
        return numbers_of_pairs(self.grouping, len(self.setting.prior)) if looked_for else []

    def _pair_learners(self, sample: Sample, best: Trial, most: int) -> list[FoldLearner]:
        """Return what learns in each fold, with the pairs that are named, or those that its training rows rank first.

        ``best`` is without pairs; from its effects learning starts.
        """
        learners = []
        for fold, effects in zip(sample.folds, best.effects, strict=True):
            learner = self.of_fold(fold)
            rows = fold.training.in_blocks(len(learner.setting.own))
            pairs = learner._pairs(best.choice.shrinkage, effects, rows, most)
            learners.append(FoldLearner(learner.setting, fold, effects, (learner.grouping, pairs)))
        return learners

    def _pairs(self, shrinkage: float, effects: Effects, rows: Pieces[CodedRows], most: int) -> IntArray:
        """Return the pairs that the user named, or the most promising ones under the effects of values: (pairs, 2)."""
        if isinstance(self.options.pairs, np.ndarray):
            return self.options.pairs
        return rank_pairs(effects, shrinkage, self.setting, rows, self.rough_grouping, most)

    @cached_property
    def grouping(self) -> Grouping:
        """The groups of values in the grids of pairs."""
        return self._of_best(group_values(self.fine, self.setting.counts))

    @cached_property
    def rough_grouping(self) -> Grouping:
        """The groups of values while pairs are ranked."""
        return self._of_best(group_values(self.fine, self.setting.counts, RANKED_GROUPS))

    def _of_best(self, grouping: Grouping) -> Grouping:
        """Return groups for the columns that pairs are looked for among: the best, where there are too many for all."""
        if bent := [shape.attribute for shape in self.options.shapes if shape.is_bent]:
            grouping = grouping.only(~np.isin(np.arange(len(grouping.n_groups)), bent))
        counts, work = self.setting.counts, max(self.n_rows, 1000) * len(self.setting.prior)
        most = int(0.5 + np.sqrt(0.25 + RANK_WORK / work))
        if self.every is not None:
            most = min(PAIRED, max(2, int(counts.classes.sum() / 2)))
        if isinstance(self.options.pairs, np.ndarray) or counts.used.sum() <= most:
            return grouping
        return grouping.only(best_columns(counts, most))

    @property
    def has_many_classes(self) -> bool:
        """Whether rows and classes are too many for trials beside those of shrinkages."""
        return self.n_rows * len(self.setting.prior) > MANY_CLASSES

    # --- learn ----------------------------------------------------------------------------------------

    def learn(
        self,
        choice: Choice,
        sample: Sample,
        all_rows: Pieces[CodedRows] | None = None,
        *,
        held_out: Sample | None = None,
    ) -> Refined:
        """Learn the effects of a choice, from a sample and then, if there are more rows, from all: a warm start.

        What shapes cost is measured in the folds of ``held_out``, or of the sample.
        """
        few = sample.rows.in_blocks(len(self.setting.own))
        rows = few if all_rows is None else all_rows
        base, options = self.setting.shrunk(choice.shrinkage, choice.slope), {"max_iter": self.options.max_iter}
        effects, pairs, tolerance, setting = Effects.none(base), None, PRECISE, base
        if choice.n_pairs:
            alone = self.setting.shrunk(choice.alone, choice.slope)
            effects = learn_effects(alone, few, effects, tolerance=ROUGH, **options).effects
            by = rows if setting.counts.used.sum() <= RANKED_BY_ALL else few
            pairs = self._pairs(choice.alone, effects, by, choice.n_pairs)
        for pieces in [few] if rows is few else [few, rows]:
            coded = pieces
            if pairs is not None:
                paired = PairRows.of(self.grouping, pairs, pieces, base)
                coded, setting = paired.rows, paired.setting(base, choice.kappa * choice.shrinkage)
                tolerance = max(PRECISE, PRECISE_PER_ROW * pieces.n_rows)
            start = resized(effects, setting)
            learned = learn_effects(setting, coded, start, tolerance=tolerance, **options)
            effects = learned.effects
        effects = obeying(effects, setting, coded)
        curved, moves = sum_over_rows(effects, setting, coded, curvature=True), None
        errors = effect_errors(curved, setting, len(self.setting.own))

        def parted(effects: Effects) -> tuple[Effects, PairEffects]:
            effects = centred_effects(effects, setting)
            if pairs is None:
                return effects, PairEffects.none(effects)
            return PairEffects.purified(effects, setting, paired.grids, choice.kappa)

        if setting.shapes is not None:
            free = learn_effects(replace(setting, shapes=None), coded, effects, tolerance=tolerance, **options).effects
            moves = spread(parted(effects)[0].values - parted(free)[0].values, self.setting.counts)
        effects, of_pairs = parted(effects)
        how = (choice.shrinkage, choice.slope * choice.shrinkage, learned.n_iter, learned.converged)
        too_wide = isinstance(self.options.pairs, str) and self.has_many_classes
        costs = self.shape_costs(choice, held_out or sample)
        found = (errors, *how, of_pairs, curved.values[: len(errors)])
        return Refined(self.fine, self.setting.counts, effects, *found, too_wide, costs, moves)

    def shape_costs(self, choice: Choice, sample: Sample) -> FloatArray | None:
        """Return how much the shapes of each attribute raise the log-loss of a row out of fold: (attributes,).

        Without them the others stay, and effects may be shrunk less strongly. None without shapes, or where there are
        too few rows to hold any out.
        """
        shapes, weight = [each.attribute for each in self.options.shapes], sample.rows.weight
        if not shapes or not sample.folds:
            return None
        learners = [FoldLearner(self.of_fold(fold).setting, fold) for fold in sample.folds]
        trial = run_trial(learners, weight, replace(choice, n_pairs=0))
        if choice.n_pairs:
            learners = self._pair_learners(sample, trial, choice.n_pairs)
            trial = run_trial(learners, weight, choice)
        costs = np.zeros(len(self.setting.counts.n_values))
        for attribute in set(shapes):
            its = [k for k, each in enumerate(shapes) if each == attribute]
            free, lowest = [learner.without(its) for learner in learners], np.inf
            for shrinkage in sorted({*self.options.shrinkages, choice.shrinkage}, reverse=True):
                if shrinkage <= choice.shrinkage:
                    with step(f"a shape less, shrinkage {shrinkage:g}"):
                        loss = run_trial(free, weight, replace(choice, shrinkage=shrinkage)).loss
                    if loss >= lowest:
                        break
                    lowest = loss
            costs[attribute] = (trial.loss - lowest) / weight.sum()
        return costs


def _among(columns: IntArray, part: FloatArray | None, counts: Counts) -> FloatArray | None:
    """Return what is known of some columns among zeros for all the others: (attributes,)."""
    if part is None:
        return None
    whole = np.zeros(len(counts.n_values))
    whole[columns] = part
    return whole


# --- Scores ------------------------------------------------------------------------------------------


def additive_scores(refined: Refined, weights: FloatArray, log_p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return γ·w_j log P(a|c) + u_j(a, c) for every fine value, and u with its part of the biases: (cells, classes).

    Parameters
    ----------
    refined : Refined
    weights : (attributes,) array
        w.
    log_p : (coarse cells, classes) array
        log P(a|c) of the values that ChiMerge made, in which the fine ones lie.
    """
    effects, counts = refined.effects, refined.counts
    term = effects.gamma * counts.per_cell(weights)[:, None] * log_p[refined.fine.coarse]
    values = effects.values + _divided(effects.bias, spread(effects.values, counts), refined.fine, counts)
    return term + values, values


def _divided(bias: FloatArray, spreads: FloatArray, fine: FineEncoder, counts: Counts) -> FloatArray:
    """Divide the biases among the attributes, by the square of how far the effects of each reach: (cells, classes).

    Every value that is present gets its attribute's part. "Missing" and "unknown" get none, so that an attribute that
    is not known adds nothing, and a row of which nothing is known has the class frequencies.
    """
    square = spreads**2 if spreads.any() else counts.used.astype(np.float64)
    present = counts.known & ~fine.encoder.missing
    return np.asarray(np.outer(present * counts.per_cell(square / square[counts.used].sum()), bias))
