"""Effects of values and of pairs: what FusionNB learns beside the weights.

1. ``refine_values``: the numbers are cut finely, and every value gets an effect u on each class. How strongly the
   effects are shrunk is chosen by cross-validation; where rows are few, so is whether the weighted sum of naive
   Bayes stands beside the effects, and how much of it (γ). Then pairs of attributes join where they help.
2. ``additive_scores``: γ·w_j log P(a|c) + u_j(a, c) for every value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from atfnb._pieces import CodedRows, Pieces, on_all_cores
from atfnb._typing import FloatArray, IntArray
from atfnb.counts import Counts, RowsInMemory, TrainingRows, count_pieces
from atfnb.encoding import FineEncoder, refine_encoder
from atfnb.fusion.effects import (
    Effects,
    EffectSetting,
    LearnedEffects,
    centred_effects,
    effect_setting,
    learn_effects,
)
from atfnb.fusion.errors import effect_errors
from atfnb.fusion.fitting import RIDGE, Coarse, FusionOptions, UnseenNaiveBayes
from atfnb.fusion.likelihood import fuse_by_likelihood
from atfnb.fusion.pair_choice import KAPPAS, PairSearch, PairTrial, numbers_of_pairs, rank_in_folds
from atfnb.fusion.pairs import (
    RANKED_GROUPS,
    Grouping,
    PairEffects,
    PairRows,
    group_values,
    rank_pairs,
    resized,
    with_pairs,
)
from atfnb.fusion.strengths import (
    ROUGH,
    Fold,
    Keys,
    StrengthTrial,
    best_trial,
    content_keys,
    deal_apart,
    deal_weights,
    folds_of,
    sample_rows,
    try_strengths,
    worth_threads,
)
from atfnb.model import PairGrids, log_prior, spread

FOLDS = 3
"""The number of folds that choose strengths and pairs."""
ENOUGH = 20_000
"""The number of rows that are enough to choose strengths and pairs, and to do without the sum of naive Bayes."""
PRECISE = 1e-2
"""The steepest slope, in white coordinates, that counts as none: the loss is then within some 10⁻⁴ of its minimum."""
PRECISE_PER_ROW = 1e-7
"""The same for each row, where pairs are learned from many: further steps would not change predictions noticeably."""
RANKED_BY_ALL = 100
"""The number of attributes up to which many rows are all used to rank pairs; with more, a sample of them."""
RANK_WORK = 2e10
"""The number of additions that ranking pairs may take, at most; tables with too many columns for it have no pairs."""


@dataclass(frozen=True)
class Refined:
    """The effects of values and of pairs, and how they were learned."""

    fine: FineEncoder
    counts: Counts
    """The counts of the fine values."""
    effects: Effects
    errors: FloatArray
    """(cells, classes) the standard errors of the effects, less their mean over the classes."""
    strength: float
    """How strongly the effects were shrunk."""
    n_iter: int
    converged: bool
    pairs: PairEffects | None = None
    """None if no pairs were learned."""
    too_wide: bool = False
    """Whether there were too many attributes to look for pairs."""


def refine_values(rows: TrainingRows, coarse: Coarse, options: FusionOptions) -> Refined:
    """Cut the numbers finely, choose strengths and pairs by cross-validation, and learn the effects."""
    fine = refine_encoder(coarse.encoder, rows.distributions(), options.max_cuts)
    coded = rows.encoded_by(fine.encoder).keep(len(fine.encoder.attributes) * fine.encoder.code_type.itemsize)
    counts = count_pieces(coded, fine.encoder.n_values, len(coarse.counts.classes), {"fingerprint"})
    setting = effect_setting(fine, counts, log_prior(counts, options.alpha))
    learner, few = _Learner(fine, setting, options, min(coded.n_rows, ENOUGH)), coded.n_rows <= ENOUGH
    learned = learner.from_few(rows.in_memory(), coarse) if few else learner.from_many(coded)
    effects, pairs = centred_effects(learned.effects.effects, learned.setting), None
    if learned.grids is not None:
        effects, pairs = PairEffects.purified(effects, learned.setting, learned.grids, learned.kappa)
    errors = effect_errors(learned.effects.effects, learned.strength, learned.setting, learned.rows, len(counts.values))
    steps, converged = learned.effects.n_iter, learned.effects.converged
    return Refined(fine, counts, effects, errors, learned.strength, steps, converged, pairs, learner.is_too_wide)


@dataclass(frozen=True)
class _Learned:
    """Effects that were learned, and in which setting."""

    strength: float
    effects: LearnedEffects
    setting: EffectSetting
    rows: Pieces[CodedRows]
    """The rows that they were learned from."""
    grids: PairGrids | None = None
    """The grids of the pairs, which stand in the setting as further attributes; None without pairs."""
    kappa: float = 1.0


@dataclass(frozen=True)
class _Learner:
    """Learns effects with strengths and pairs that cross-validation chooses."""

    fine: FineEncoder
    setting: EffectSetting
    options: FusionOptions
    n_rows: int
    """The number of rows that pairs are looked for in."""

    def from_few(self, rows: RowsInMemory, coarse: Coarse) -> _Learned:
        """Learn from rows in memory, with the sum of naive Bayes beside the effects if it helps."""
        data, setting, options = self._coded(rows), self.setting, self.options
        keys = content_keys(data.codes, setting.counts)
        alone = list(folds_of(data, deal_weights(keys, data.y, data.weight, FOLDS)))
        best = self._best_strength(alone, data)
        if alone:
            fused = fuse_by_likelihood(
                coarse.indexes, coarse.leave_one_out(rows.pieces, options.alpha), ridge=RIDGE, max_iter=options.max_iter
            )
            naive = UnseenNaiveBayes(options, len(setting.prior), fused.theta)
            helped = list(on_all_cores(partial(naive.join, rows, keys), alone, worth=worth_threads(setting, len(keys))))
            best_helped = self._best_strength(helped, data)
            if data.weight @ best_helped.losses < data.weight @ best.losses:
                summed = replace(data, naive_sum=naive.unseen_sums(rows, keys))
                learned = self._learn_chosen(helped, best_helped, summed, keys, join=partial(naive.join, rows, keys))
                if learned.effects.effects.gamma >= 0:  # otherwise naive Bayes would count against itself
                    return learned
                best = replace(best, strength=best_helped.strength)
        return self._learn_chosen(alone, best, data, keys)

    def from_many(self, rows: Pieces[CodedRows]) -> _Learned:
        """Choose by a sample of the rows, and learn from all of them, starting from the effects of the sample."""
        few = sample_rows(rows, self.setting.counts, ENOUGH)
        data, keys = few.rows, few.keys
        folds = list(folds_of(data, deal_weights(keys, data.y, data.weight, FOLDS)))
        return self._learn_chosen(folds, self._best_strength(folds, data), data, keys, all_rows=rows)

    @property
    def is_too_wide(self) -> bool:
        """Whether pairs are to be looked for, and there are too many attributes for it."""
        n = len(self.setting.counts.n_values)
        work = max(self.n_rows, 1000) * n * (n - 1) * len(self.setting.prior)
        return isinstance(self.options.pairs, str) and work > RANK_WORK

    def _coded(self, rows: RowsInMemory) -> CodedRows:
        return CodedRows(self.fine.encoder.encode_table(rows.table), rows.y, rows.weight)

    def _best_strength(self, folds: Sequence[Fold], data: CodedRows) -> StrengthTrial:
        """Return the best strength without pairs; the strongest where there are too few rows to leave any out."""
        strengths = self.options.strengths
        if not folds:
            return StrengthTrial(max(strengths), np.zeros(len(data.weight)))
        return best_trial(try_strengths(strengths, self.setting, folds, data.weight), data.weight)

    def _learn_chosen(
        self,
        folds: Sequence[Fold],
        best: StrengthTrial,
        data: CodedRows,
        keys: Keys,
        *,
        join: Callable[[Fold], Fold] | None = None,
        all_rows: Pieces[CodedRows] | None = None,
    ) -> _Learned:
        """Choose pairs, and learn from all rows.

        Parameters
        ----------
        folds : sequence of Fold
            Those that ``best`` was chosen by.
        best : StrengthTrial
            The best strength without pairs.
        data : CodedRows
            The rows that the choice is made by: all rows, or a sample of ``all_rows``.
        keys : array of shape (rows,)
            What tells equal rows of ``data``.
        join : callable, optional
            Adds the sum of naive Bayes to the rows of a fold.
        all_rows : Pieces[CodedRows], optional
            The rows to learn from, if these are not ``data``.
        """
        rough, grouping = group_values(self.fine, self.setting.counts, RANKED_GROUPS), self._grouping
        trial = None
        if self._wants_pairs(folds, grouping):
            trial = self._choose_pairs(*self._apart(folds, best, data, keys, join), data, rough, grouping)
        if trial is None:
            effects = self._learn(best.strength, self.setting, data)
            if all_rows is not None:
                effects = self._learn(best.strength, self.setting, all_rows, effects.effects)
            learned_from = _in_pieces(data, self.setting) if all_rows is None else all_rows
            return _Learned(best.strength, effects, self.setting, learned_from)
        main = self._learn(best.strength, self.setting, data, precision=ROUGH).effects
        pairs = self._given_pairs
        if pairs is None:
            rows: Pieces[CodedRows] = data.in_blocks(len(self.setting.own))
            if all_rows is not None and len(grouping.n_groups) <= RANKED_BY_ALL:
                rows = all_rows
            pairs = rank_pairs(main, best.strength, self.setting, rows, rough, trial.number)
        paired = PairRows.of(grouping.grids(pairs), data, self.setting)
        setting = with_pairs(self.setting, paired, grouping.n_ordered, trial.kappa)
        effects = self._learn(trial.strength, setting, paired.rows, resized(main, setting))
        if all_rows is not None:
            paired = PairRows.of(paired.grids, all_rows, self.setting)
            setting = with_pairs(self.setting, paired, grouping.n_ordered, trial.kappa)
            precision = max(PRECISE, PRECISE_PER_ROW * all_rows.n_rows)
            effects = self._learn(trial.strength, setting, paired.rows, effects.effects, precision)
        return _Learned(trial.strength, effects, setting, _in_pieces(paired.rows, setting), paired.grids, trial.kappa)

    def _apart(
        self,
        folds: Sequence[Fold],
        best: StrengthTrial,
        data: CodedRows,
        keys: Keys,
        join: Callable[[Fold], Fold] | None,
    ) -> tuple[Sequence[Fold], StrengthTrial]:
        """Return folds that deal equal rows apart, and the best strength without pairs in them."""
        apart = list(folds_of(data, deal_apart(keys, data.y, data.weight, FOLDS)))
        if [fold.rest.tolist() for fold in apart] == [fold.rest.tolist() for fold in folds] or not apart:
            return folds, best
        apart = apart if join is None else list(map(join, apart))
        return apart, self._best_strength(apart, data)

    @property
    def _grouping(self) -> Grouping:
        return group_values(self.fine, self.setting.counts)

    @property
    def _given_pairs(self) -> IntArray | None:
        """The pairs that the user named, if any: (pairs, 2)."""
        pairs = self.options.pairs
        return pairs if isinstance(pairs, np.ndarray) else None

    def _wants_pairs(self, folds: Sequence[Fold], grouping: Grouping) -> bool:
        """Return whether to look for pairs at all."""
        if self.is_too_wide or (isinstance(self.options.pairs, str) and not folds):
            return False
        return any(self._numbers(grouping))

    def _numbers(self, grouping: Grouping) -> list[int]:
        """Return the numbers of pairs to try, from the fewest to the most."""
        if isinstance(self.options.pairs, str):
            return numbers_of_pairs(grouping, len(self.setting.prior))
        given = self._given_pairs
        return [len(given) if given is not None else min(int(self.options.pairs), grouping.n_pairs)]

    def _choose_pairs(
        self, folds: Sequence[Fold], best: StrengthTrial, data: CodedRows, rough: Grouping, grouping: Grouping
    ) -> PairTrial | None:
        """Return the number of pairs and their strengths; None for no pairs."""
        given, numbers, is_auto = self._given_pairs, self._numbers(grouping), isinstance(self.options.pairs, str)
        if not folds:
            return PairTrial(numbers[0], max(KAPPAS), best.strength, best.losses)
        search = PairSearch(self.setting, folds, data.weight, best, grouping, self.options.strengths)
        ranked = rank_in_folds(search, rough, max(numbers)) if given is None else [given] * len(folds)
        trial = search.best_of(numbers, ranked)
        return trial if not is_auto or search.is_reliable(trial) else None

    def _learn(
        self,
        strength: float,
        setting: EffectSetting,
        rows: CodedRows | Pieces[CodedRows],
        start: Effects | None = None,
        precision: float = PRECISE,
    ) -> LearnedEffects:
        """Learn effects from rows in memory or in pieces."""
        pieces = _in_pieces(rows, setting)
        start = Effects.none(setting) if start is None else start
        return learn_effects(strength, setting, pieces, start, precision=precision, max_iter=self.options.max_iter)


def _in_pieces(rows: CodedRows | Pieces[CodedRows], setting: EffectSetting) -> Pieces[CodedRows]:
    """Return rows in pieces, whether they are in memory or not."""
    return rows.in_blocks(len(setting.share)) if isinstance(rows, CodedRows) else rows


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
