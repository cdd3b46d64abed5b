"""Choose by cross-validation how many pairs of attributes are learned, and how strongly they are shrunk.

The pairs are ranked anew in each fold, by its training rows alone. Few pairs are tried first, then twice as many, as
long as that lowers the log-loss; then the strengths beside those that were best. Pairs are used only where they lower
the log-loss reliably.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import methodcaller

import numpy as np

from atfnb._pieces import on_all_cores
from atfnb._processes import step
from atfnb._typing import FloatArray, IntArray
from atfnb.fusion.effects import Effects, EffectSetting, learn_effects
from atfnb.fusion.pairs import Grouping, PairRows, rank_pairs, resized, with_pairs
from atfnb.fusion.strengths import MAX_ITER, ROUGH, Fold, StrengthTrial, losses_of, worth_threads

MULTIPLES = (0.5, 1.0, 2.0, 4.0)
"""The numbers of pairs to try, in units of the number of attributes."""
KAPPAS = (1.0, 4.0)
"""How many times as strongly as the effects of values those of pairs may be shrunk; a step beside them is tried too."""
STEP = 3.0
"""The ratio of neighbouring strengths."""
STANDARD_ERRORS = 2.5
"""The number of standard errors of the difference by which pairs must lower the log-loss, at least."""
MAX_CELLS = 2_000_000
"""The number of cells × classes that the pairs may have together."""


@dataclass(frozen=True)
class PairTrial:
    """A number of pairs and its strengths, and the out-of-fold log-loss of each row under them."""

    number: int
    kappa: float
    """κ, how many times as strongly as the effects of values those of pairs are shrunk."""
    strength: float
    """λ, how strongly the effects of values are shrunk."""
    losses: FloatArray
    """(rows,)"""


@dataclass
class PairSearch:
    """A search for the number of pairs and their strengths with the lowest out-of-fold log-loss."""

    setting: EffectSetting
    folds: Sequence[Fold]
    weight: FloatArray
    """(rows,)"""
    base: StrengthTrial
    """The best strength without pairs."""
    grouping: Grouping
    strengths: tuple[float, ...]
    """The strengths of the effects of values that may be chosen."""
    trials: dict[tuple[int, float, float], PairTrial] = field(default_factory=dict)

    def best_of(self, numbers: Sequence[int], ranked: Sequence[IntArray]) -> PairTrial:
        """Return the best trial with one of these numbers of pairs, which rise.

        ``ranked`` are the pairs of each fold (pairs, 2), the most promising first.
        """
        learners = [
            _PairLearner(f"fold {k} of {len(ranked)}", self, fold, pairs, effects)
            for k, (fold, pairs, effects) in enumerate(zip(self.folds, ranked, self.base.effects, strict=True), start=1)
        ]
        lowest = np.inf
        for number in numbers:
            here = min(self._try(learners, number, kappa, self.base.strength) for kappa in KAPPAS)
            if here > lowest:
                break
            lowest = here
        best = self._best()
        if self._loss(best) < self._loss(self.base):
            for strength in self._beside(best.strength):
                self._try(learners, best.number, best.kappa, strength)
            best = self._best()
            for kappa in (best.kappa / STEP, best.kappa * STEP):
                self._try(learners, best.number, kappa, best.strength)
        return self._best()

    def is_reliable(self, trial: PairTrial) -> bool:
        """Return whether pairs lower the out-of-fold log-loss by more than chance would."""
        lower, total = self.base.losses - trial.losses, float(self.weight.sum())
        mean = float(self.weight @ lower) / total
        error = np.sqrt(float(self.weight @ (lower - mean) ** 2)) / total
        return bool(mean > STANDARD_ERRORS * error)

    def _try(self, learners: list[_PairLearner], number: int, kappa: float, strength: float) -> float:
        """Return the log-loss with a number of pairs and its strengths."""
        key = number, kappa, strength
        if key not in self.trials:
            losses, worth = np.zeros(len(self.weight)), worth_threads(self.setting, len(self.weight))
            with step(f"{number} pairs"):
                tried = on_all_cores(methodcaller("try_out", *key), learners, worth=worth)
                for fold, loss in zip(self.folds, tried, strict=True):
                    losses[fold.held_out] += fold.part * loss
            self.trials[key] = PairTrial(*key, losses)
        return self._loss(self.trials[key])

    def _loss(self, trial: PairTrial | StrengthTrial) -> float:
        return float(self.weight @ trial.losses)

    def _best(self) -> PairTrial:
        return min(self.trials.values(), key=lambda trial: (self._loss(trial), trial.number, trial.kappa))

    def _beside(self, strength: float) -> Iterator[float]:
        """Yield the next lower and the next higher strength that may be chosen."""
        yield from sorted((each for each in self.strengths if each < strength), reverse=True)[:1]
        yield from sorted(each for each in self.strengths if each > strength)[:1]


class _PairLearner:
    """Learns effects of values and pairs from the training rows of a fold, one trial after the other."""

    def __init__(self, name: str, search: PairSearch, fold: Fold, pairs: IntArray, effects: Effects) -> None:
        self._name, self._setting, self._grouping = name, search.setting, search.grouping
        self._fold, self._pairs, self._effects = fold, pairs, effects
        self._paired: dict[int, PairRows] = {}

    def try_out(self, number: int, kappa: float, strength: float) -> FloatArray:
        """Return the log-loss of each test row after learning with the first pairs: (test rows,)."""
        if number not in self._paired:  # only the rows of the last number are kept
            grids = self._grouping.grids(self._pairs[:number])
            self._paired = {number: PairRows.of(grids, self._fold.training, self._setting)}
        paired = self._paired[number]
        setting = with_pairs(self._setting, paired, self._grouping.n_ordered, kappa)
        with step(self._name):
            start = resized(self._effects, setting)
            learned = learn_effects(strength, setting, paired.rows, start, precision=ROUGH, max_iter=MAX_ITER)
        self._effects = learned.effects
        test = replace(self._fold.test, codes=paired.grids.beside(self._fold.test.codes))
        return losses_of(learned.effects, setting, test)


def numbers_of_pairs(grouping: Grouping, n_classes: int) -> list[int]:
    """Return the numbers of pairs to try for attributes with these groups, from the fewest to the most."""
    n, cells = len(grouping.n_groups), int(grouping.n_groups.max()) ** 2
    most = min(grouping.n_pairs, max(1, MAX_CELLS // (cells * n_classes)))
    return sorted({min(int(np.ceil(multiple * n)), most) for multiple in MULTIPLES}) if most else []


def rank_in_folds(search: PairSearch, rough: Grouping, most: int) -> list[IntArray]:
    """Return the most promising pairs of each fold, by its training rows alone."""
    setting, base = search.setting, search.base
    return [
        rank_pairs(effects, base.strength, setting, fold.training.in_blocks(len(setting.own)), rough, most)
        for fold, effects in zip(search.folds, base.effects, strict=True)
    ]
