"""Choose by cross-validation how strongly effects are shrunk, and how many pairs of attributes are learned.

Shrinkages are tried first, without pairs. Pairs are ranked anew in each fold, by its training rows alone. Few of them
are tried first, then twice as many, as long as that lowers the log-loss; then the shrinkages beside those that were
best. Pairs are used only where they lower the log-loss reliably.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import methodcaller

import numpy as np
from scipy.special import logsumexp

from atfnb._pieces import CodedRows, Pieces, on_all_cores
from atfnb._processes import step
from atfnb._typing import FloatArray, IntArray
from atfnb.fusion.effects import Effects, EffectSetting, joint_of, learn_effects
from atfnb.fusion.folds import Fold
from atfnb.fusion.pairs import Grouping, PairRows, rank_pairs, resized

ROUGH = 0.1
"""The gradient tolerance of learning that is enough to compare shrinkages."""
MAX_ITER = 300
"""The number of steps of learning to compare shrinkages, at most."""
THREADS_FROM = 1 << 19
"""Rows × attributes × classes above which a pass takes longer than what Python does around it."""
CLEARLY = 1.01
"""A log-loss this many times the lowest one is clearly higher: weaker shrinkages do not bring it down again."""
MULTIPLES = (0.5, 1.0, 2.0, 4.0)
"""The numbers of pairs to try, in units of the number of attributes."""
KAPPAS = (1.0, 4.0)
"""How many times as strongly as the effects of values those of pairs may be shrunk; a step beside them is tried too."""
STEP = 3.0
"""The ratio of neighbouring shrinkages."""
STANDARD_ERRORS = 2.5
"""The number of standard errors of the difference by which pairs must lower the log-loss, at least."""
MAX_CELLS = 2_000_000
"""The number of cells × classes that the pairs may have together."""


@dataclass(frozen=True)
class Trial:
    """A shrinkage and a number of pairs, and the out-of-fold log-loss of each row under them."""

    shrinkage: float
    """λ, how strongly the effects of values are shrunk."""
    losses: FloatArray
    """(rows,)"""
    loss: float
    """The weighted sum of the losses."""
    number: int = 0
    """The number of pairs."""
    kappa: float = 1.0
    """κ, how many times as strongly as the effects of values those of pairs are shrunk."""
    effects: tuple[Effects, ...] = ()
    """What was learned in each fold, where there are no pairs."""


class FoldLearner:
    """Learns effects from the training rows of a fold, one trial after the other: each starts from the one before."""

    def __init__(
        self,
        name: str,
        setting: EffectSetting,
        fold: Fold,
        effects: Effects | None = None,
        pairs: tuple[Grouping, IntArray] | None = None,
    ) -> None:
        self._name, self.setting, self.fold, self._pairs = name, setting, fold, pairs
        self.effects = Effects.none(setting) if effects is None else effects
        self._training: Pieces[CodedRows] = fold.training.in_blocks(len(setting.own))
        self._paired: dict[int, PairRows] = {}

    def try_out(self, shrinkage: float, number: int, kappa: float) -> FloatArray:
        """Return the log-loss of each test row after learning with the first pairs: (test rows,)."""
        rows, setting, test = self._training, self.setting, self.fold.test
        if number and self._pairs is not None:
            grouping, pairs = self._pairs
            if number not in self._paired:  # only the rows of the last number are kept
                self._paired = {number: PairRows.of(grouping, pairs[:number], self.fold.training, setting)}
            paired = self._paired[number]
            rows, setting, test = paired.rows, paired.setting(kappa), paired.beside(test)
        with step(self._name):
            start = resized(self.effects, setting)
            learned = learn_effects(shrinkage, setting, rows, start, tolerance=ROUGH, max_iter=MAX_ITER)
        self.effects = learned.effects
        return losses_of(self.effects, setting, test)


def run_trial(
    learners: Sequence[FoldLearner], weight: FloatArray, shrinkage: float, number: int = 0, kappa: float = 1.0
) -> Trial:
    """Let each fold learn, and return the out-of-fold log-loss of each row, whose weights (rows,) are given."""
    losses, worth = np.zeros(len(weight)), worth_threads(learners[0].setting, len(weight))
    tried = on_all_cores(methodcaller("try_out", shrinkage, number, kappa), learners, worth=worth)
    for learner, loss in zip(learners, tried, strict=True):
        losses[learner.fold.held_out] += learner.fold.part * loss
    effects = () if number else tuple(learner.effects for learner in learners)
    return Trial(shrinkage, losses, float(weight @ losses), number, kappa, effects)


def try_shrinkages(
    shrinkages: Sequence[float], setting: EffectSetting, folds: Sequence[Fold], weight: FloatArray
) -> Trial:
    """Return the shrinkage with the lowest out-of-fold log-loss, of several the weakest one.

    The strongest is tried first, as weaker ones take longer: once the log-loss is clearly higher than the lowest so
    far, the remaining ones are not tried.
    """
    learners = [FoldLearner(f"fold {k} of {len(folds)}", setting, fold) for k, fold in enumerate(folds, start=1)]
    trials: list[Trial] = []
    for number, shrinkage in enumerate(sorted(shrinkages, reverse=True), start=1):
        with step(f"shrinkage {number} of {len(shrinkages)}"):
            trials.append(run_trial(learners, weight, shrinkage))
        best = min(trials, key=lambda trial: (trial.loss, trial.shrinkage))
        if trials[-1].loss > CLEARLY * best.loss:
            break
    return best


@dataclass
class PairSearch:
    """A search for the number of pairs and the shrinkages with the lowest out-of-fold log-loss."""

    setting: EffectSetting
    folds: Sequence[Fold]
    weight: FloatArray
    """(rows,)"""
    base: Trial
    """The best shrinkage without pairs."""
    grouping: Grouping
    shrinkages: tuple[float, ...]
    """The shrinkages of the effects of values that may be chosen."""
    trials: dict[tuple[float, int, float], Trial] = field(default_factory=dict)

    def best_of(self, numbers: Sequence[int], ranked: Sequence[IntArray]) -> Trial:
        """Return the best trial with one of these numbers of pairs, which rise.

        ``ranked`` are the pairs of each fold (pairs, 2), the most promising first.
        """
        of_folds = enumerate(zip(self.folds, ranked, self.base.effects, strict=True), start=1)
        learners = [
            FoldLearner(f"fold {k} of {len(ranked)}", self.setting, fold, effects, (self.grouping, pairs))
            for k, (fold, pairs, effects) in of_folds
        ]
        lowest = np.inf
        for number in numbers:
            here = min(self._try(learners, self.base.shrinkage, number, kappa) for kappa in KAPPAS)
            if here > lowest:
                break
            lowest = here
        best = self._best()
        if best.loss < self.base.loss:
            for shrinkage in self._beside(best.shrinkage):
                self._try(learners, shrinkage, best.number, best.kappa)
            best = self._best()
            for kappa in (best.kappa / STEP, best.kappa * STEP):
                self._try(learners, best.shrinkage, best.number, kappa)
        return self._best()

    def is_reliable(self, trial: Trial) -> bool:
        """Return whether pairs lower the out-of-fold log-loss by more than chance would."""
        lower, total = self.base.losses - trial.losses, float(self.weight.sum())
        mean = float(self.weight @ lower) / total
        error = np.sqrt(float(self.weight @ (lower - mean) ** 2)) / total
        return bool(mean > STANDARD_ERRORS * error)

    def rank_in_folds(self, rough: Grouping, most: int) -> list[IntArray]:
        """Return the most promising pairs of each fold, by its training rows alone."""
        base, setting = self.base, self.setting
        return [
            rank_pairs(effects, base.shrinkage, setting, fold.training.in_blocks(len(setting.own)), rough, most)
            for fold, effects in zip(self.folds, base.effects, strict=True)
        ]

    def _try(self, learners: list[FoldLearner], shrinkage: float, number: int, kappa: float) -> float:
        """Return the log-loss with a shrinkage, a number of pairs and their κ."""
        key = shrinkage, number, kappa
        if key not in self.trials:
            with step(f"{number} pairs"):
                self.trials[key] = run_trial(learners, self.weight, *key)
        return self.trials[key].loss

    def _best(self) -> Trial:
        return min(self.trials.values(), key=lambda trial: (trial.loss, trial.number, trial.kappa))

    def _beside(self, shrinkage: float) -> Iterator[float]:
        """Yield the next lower and the next higher shrinkage that may be chosen."""
        yield from sorted((each for each in self.shrinkages if each < shrinkage), reverse=True)[:1]
        yield from sorted(each for each in self.shrinkages if each > shrinkage)[:1]


def losses_of(effects: Effects, setting: EffectSetting, rows: CodedRows) -> FloatArray:
    """Return the log-loss of each row under some effects: (rows,)."""
    joint = joint_of(effects, setting, rows)
    return np.asarray(logsumexp(joint, axis=1) - joint[np.arange(len(joint)), rows.y])


def worth_threads(setting: EffectSetting, rows: int) -> bool:
    """Return whether a pass over the rows takes long enough for folds to run side by side."""
    return rows * setting.counts.n_values.size * len(setting.prior) >= THREADS_FROM


def numbers_of_pairs(grouping: Grouping, n_classes: int) -> list[int]:
    """Return the numbers of pairs to try for attributes with these groups, from the fewest to the most."""
    n, cells = int((grouping.n_groups > 0).sum()), int(grouping.n_groups.max()) ** 2
    most = min(grouping.n_pairs, max(1, MAX_CELLS // (cells * n_classes)))
    return sorted({min(int(np.ceil(multiple * n)), most) for multiple in MULTIPLES}) if most else []
