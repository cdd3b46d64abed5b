"""Choose by cross-validation how strongly effects are shrunk, and how many pairs of attributes are learned.

Shrinkages are tried first, without pairs. Pairs are ranked anew in each fold, by its training rows alone. Few of them
are tried first, then twice as many, as long as that lowers the log-loss; then the shrinkages beside those that were
best. Pairs are used only where they lower the log-loss reliably.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from operator import methodcaller

import numpy as np

from atfnb._pieces import CodedRows, Pieces, on_all_cores
from atfnb._progress import step
from atfnb._typing import FloatArray, IntArray
from atfnb.fusion.effects import Effects, EffectSetting, joint_of
from atfnb.fusion.folds import Fold
from atfnb.fusion.learning import learn_effects
from atfnb.fusion.pairs import Grouping, PairRows, beside, resized

ROUGH = 0.1
"""The gradient tolerance of learning that is enough to compare shrinkages."""
MAX_ITER = 300
"""The number of steps of learning to compare shrinkages, at most."""
THREADS_FROM = 1 << 19
"""Rows × attributes × classes above which a pass takes longer than what Python does around it."""
MULTIPLES = (0.5, 1.0, 2.0, 4.0)
"""The numbers of pairs to try, in units of the number of attributes."""
KAPPAS = (1.0, 4.0)
"""How many times as strongly as the effects of values those of pairs may be shrunk; a step beside them is tried too."""
STRONG = 30.0
"""Effects of values shrunk more strongly than this say nothing about pairs, which are then tried as if it were this."""
CLEARLY = 1.01
"""A log-loss this many times the lowest one is clearly higher: weaker shrinkages do not bring it down again."""
STEP = 3.0
"""The ratio of neighbouring shrinkages."""
SLOPES = (0.03, 0.1, 0.3, 1.0)
"""The shares ρ of λ by which straight lines may be shrunk."""
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1))
"""The neighbours on the grid of λ and ρ, in the order in which they are tried; the last two leave ρ·λ as it is."""
STANDARD_ERRORS = 2.5
"""The number of standard errors of the difference by which pairs must lower the log-loss, at least."""
MAX_CELLS = 2_000_000
"""The number of cells × classes that the pairs may have together."""


@dataclass(frozen=True)
class Choice:
    """Shrinkages and a number of pairs: what cross-validation chooses for the effects of FusionNB."""

    shrinkage: float
    """λ, how strongly the effects of values are shrunk, where pairs are learned beside them or not."""
    alone: float
    """The best λ without pairs, under which they are ranked."""
    n_pairs: int = 0
    slope: float = 1.0
    """ρ, the share of λ by which straight lines are shrunk."""
    kappa: float = 1.0
    """κ, how many times as strongly as the effects of values those of pairs are shrunk."""


@dataclass(frozen=True)
class Trial:
    """What may be chosen, and the out-of-fold log-loss of each row under it."""

    choice: Choice
    losses: FloatArray
    """(rows,)"""
    loss: float
    """The weighted sum of the losses."""
    effects: tuple[Effects, ...] = ()
    """What was learned in each fold, where there are no pairs."""


class FoldLearner:
    """Learns effects from the training rows of a fold, one trial after the other: each starts from the one before."""

    def __init__(
        self,
        setting: EffectSetting,
        fold: Fold,
        effects: Effects | None = None,
        pairs: tuple[Grouping, IntArray] | None = None,
    ) -> None:
        self.setting, self.fold, self._pairs = setting, fold, pairs
        self.effects = Effects.none(setting) if effects is None else effects
        self._training: Pieces[CodedRows] = fold.training.in_blocks(len(setting.own))
        self._paired: dict[int, PairRows] = {}

    def without(self, shapes: Collection[int]) -> FoldLearner:
        """Return what learns without some of the shapes, from the effects that have been learned with all of them."""
        known = self.setting.shapes
        free = None if known is None else known.without(shapes, self.setting.counts)
        effects = replace(self.effects, force=np.zeros(0))
        return FoldLearner(replace(self.setting, shapes=free), self.fold, effects, self._pairs)

    def try_out(self, choice: Choice) -> FloatArray:
        """Return the log-loss of each test row after learning with the first pairs: (test rows,)."""
        rows, test, number = self._training, self.fold.test, choice.n_pairs
        setting = self.setting.shrunk(choice.shrinkage, choice.slope)
        if number and self._pairs is not None:
            grouping, pairs = self._pairs
            if number not in self._paired:  # only the rows of the last number are kept
                self._paired = {number: PairRows.of(grouping, pairs[:number], rows, setting)}
            paired = self._paired[number]
            setting = paired.setting(setting, choice.kappa * choice.shrinkage)
            rows, test = paired.rows, beside(paired.grids, test)
        with step(self.fold.name):
            start = resized(self.effects, setting)
            learned = learn_effects(setting, rows, start, tolerance=ROUGH, max_iter=MAX_ITER)
        self.effects = learned.effects
        return losses_of(self.effects, setting, test)


def run_trial(learners: Sequence[FoldLearner], weight: FloatArray, choice: Choice) -> Trial:
    """Let each fold learn, and return the out-of-fold log-loss of each row, whose weights (rows,) are given."""
    losses, worth = np.zeros(len(weight)), worth_threads(learners[0].setting, len(weight))
    tried = on_all_cores(methodcaller("try_out", choice), learners, worth=worth)
    for learner, loss in zip(learners, tried, strict=True):
        losses[learner.fold.held_out] += learner.fold.part * loss
    effects = () if choice.n_pairs else tuple(learner.effects for learner in learners)
    return Trial(choice, losses, float(weight @ losses), effects)


def try_shrinkages(
    shrinkages: Sequence[float], settings: Sequence[EffectSetting], folds: Sequence[Fold], weight: FloatArray
) -> Trial:
    """Return the λ and the ρ with the lowest out-of-fold log-loss that steps to neighbours on their grid lead to.

    The steps begin at the best λ with ρ = 1. The strongest is tried first, as weaker ones take longer: once the
    log-loss is clearly higher than the lowest so far, the remaining ones are not tried. ``settings`` are those of the
    folds.
    """
    learners = list(map(FoldLearner, settings, folds))
    grid, slopes = sorted(shrinkages), SLOPES if len(settings[0].across.cells) else SLOPES[-1:]
    trials: dict[tuple[int, int], Trial] = {}

    def loss_at(point: tuple[int, int]) -> float:
        if not (0 <= point[0] < len(grid) and 0 <= point[1] < len(slopes)):
            return np.inf
        if point not in trials:
            shrinkage, slope = grid[point[0]], slopes[point[1]]
            with step(f"shrinkage {shrinkage:g}" + (f", of lines {slope * shrinkage:g}" if slope < 1 else "")):
                trials[point] = run_trial(learners, weight, Choice(shrinkage, shrinkage, slope=slope))
        return trials[point].loss

    here = (len(grid) - 1, len(slopes) - 1)
    for i in range(len(grid) - 2, -1, -1):
        point = (i, len(slopes) - 1)
        here = min(here, point, key=loss_at)
        if loss_at(point) > CLEARLY * loss_at(here):
            break
    while better := [near for i, j in STEPS if loss_at(near := (here[0] + i, here[1] + j)) < loss_at(here)][:1]:
        here = better[0]
    return trials[here]


def try_pairs(
    numbers: Sequence[int],
    shrinkages: Sequence[float],
    base: Trial,
    learners: Sequence[FoldLearner],
    weight: FloatArray,
) -> Trial:
    """Return the number of pairs and the shrinkages with the lowest out-of-fold log-loss.

    Parameters
    ----------
    numbers : sequence of int
        The numbers of pairs to try, which rise.
    shrinkages : sequence of float
        The shrinkages of the effects of values that may be chosen.
    base : Trial
        The best one without pairs.
    learners : sequence of FoldLearner
        They know the pairs of their folds, the most promising first.
    weight : (rows,) array
    """
    trials: dict[Choice, Trial] = {}

    def loss_with(shrinkage: float, number: int, kappa: float) -> float:
        choice = replace(base.choice, shrinkage=shrinkage, n_pairs=number, kappa=kappa)
        if choice not in trials:
            with step(f"{number} pairs"):
                trials[choice] = run_trial(learners, weight, choice)
        return trials[choice].loss

    def best_so_far() -> Trial:
        return min(trials.values(), key=lambda trial: (trial.loss, trial.choice.n_pairs, trial.choice.kappa))

    lowest, moderate = np.inf, min(1.0, STRONG / base.choice.shrinkage)
    kappas = [moderate * kappa for kappa in KAPPAS]
    for number in numbers:
        here = min(loss_with(base.choice.shrinkage, number, kappa) for kappa in kappas)
        if here > lowest:
            break
        lowest, kappas = here, [best_so_far().choice.kappa]
    if lowest < base.loss:
        best, ordered = best_so_far().choice, sorted(set(shrinkages))
        at = ordered.index(best.shrinkage)
        for shrinkage in (*ordered[max(at - 1, 0) : at], *ordered[at + 1 : at + 2]):
            loss_with(shrinkage, best.n_pairs, best.kappa)
        best = best_so_far().choice
        for kappa in (best.kappa / STEP, best.kappa * STEP):
            loss_with(best.shrinkage, best.n_pairs, kappa)
    return best_so_far()


def is_reliable(lower: FloatArray, weight: FloatArray) -> bool:
    """Return whether differences in log-loss, ``lower`` (rows,), are above 0 on average by more than chance gives."""
    total = float(weight.sum())
    mean = float(weight @ lower) / total
    error = np.sqrt(float(weight @ (lower - mean) ** 2)) / total
    return bool(mean > STANDARD_ERRORS * error)


def losses_of(effects: Effects, setting: EffectSetting, rows: CodedRows) -> FloatArray:
    """Return the log-loss of each row under some effects: (rows,)."""
    from atfnb._kernels import fusion as kernels

    return kernels.log_losses(joint_of(effects, setting, rows), rows.y, np.ones(len(rows.y)))


def worth_threads(setting: EffectSetting, rows: int) -> bool:
    """Return whether a pass over the rows takes long enough for folds to run side by side."""
    return rows * setting.counts.n_values.size * len(setting.prior) >= THREADS_FROM


def numbers_of_pairs(grouping: Grouping, n_classes: int) -> list[int]:
    """Return the numbers of pairs to try for attributes with these groups, from the fewest to the most."""
    n, cells = int((grouping.n_groups > 0).sum()), int(grouping.n_groups.max()) ** 2
    most = min(grouping.n_pairs, max(1, MAX_CELLS // (cells * n_classes)))
    return sorted({min(int(np.ceil(multiple * n)), most) for multiple in MULTIPLES}) if most else []
