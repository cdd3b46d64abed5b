"""Effects of single values: u_j(x_j, c), smooth along a number, small for a category.

The target is the log-loss of log P(c) + b_c + γ·term_c + Σ_j u_j(x_j, c) and a ridge: on the difference between
neighbouring values of a number, so that the steps are small where the rows are few; on the effect itself for a
category. The indicator matrix is never built: a pass over the codes scores the rows and gathers one number per value
and class.

Seen by one attribute alone, the second derivatives of the target are a tridiagonal matrix for each class. Its Cholesky
factor whitens the attribute: in the coordinates z = Lᵀu the target is round but for what attributes share, and L-BFGS
needs several times fewer passes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Self

import numpy as np
from scipy.optimize import minimize

from atfnb._pieces import CodedRows, Pieces
from atfnb._processes import step
from atfnb._typing import FloatArray
from atfnb.counts import Counts
from atfnb.encoding import FineEncoder
from atfnb.model import AdditiveModel

RANGE = 8.0
"""From its lowest to its highest value a number may move as far as so many categories do, in variance."""
MISSING = 10.0
"""How many times as strongly the effect of a missing value is held to zero as that of a category."""
ROUND = 40
"""Steps of L-BFGS before the coordinates are made anew."""
FLOOR = 1e-3
"""The least curvature, as a share of what chance would give: keeps the whitening sound where all is decided."""


@dataclass(frozen=True)
class EffectSetting:
    """What the effects of values are learned in: the counts, the prior, and the ridge before λ multiplies it."""

    counts: Counts
    prior: FloatArray
    """(classes,) log P(c)"""
    share: FloatArray
    """(cells, 1) the share that each value has of the rows where its attribute is present; 0 for other cells."""
    present: FloatArray
    """(cells, 1) 1 for an interval or a category; 0 for "missing" and "unknown"."""
    own: FloatArray
    """(cells, 1) what holds each effect to zero."""
    link: FloatArray
    """(cells, 1) what holds each effect to the one before it."""

    def centred(self, values: FloatArray) -> FloatArray:
        """Return the effects less each attribute's mean over the training rows where it is present; 0 for "unknown".

        What is left no longer competes with the biases: the target is rounder, the optimum the same. The effect of
        "missing" stays as it is: the ridge holds it to 0, which is what the attribute adds on average.
        """
        mean = self.counts.per_attribute(self.share * values)
        centred = values - self.present * self.counts.per_cell(mean)
        centred[self.counts.offsets[1:] - 1] = 0.0
        return centred

    def ridge(self, effects: FloatArray) -> tuple[float, FloatArray]:
        """½(Σ own·u² + Σ link·(difference)²), and its gradient. What the classes have in common does not matter."""
        values = effects - effects.mean(axis=1, keepdims=True)
        pull = self.own * values
        difference = values[1:] - values[:-1]
        step = self.link[1:] * difference
        held = 0.5 * float(np.vdot(pull, values) + np.vdot(step, difference))
        pull[1:] += step
        pull[:-1] -= step
        return held, pull


def effect_setting(fine: FineEncoder, counts: Counts, prior: FloatArray) -> EffectSetting:
    """Precision 1 for a category, MISSING for "missing"; for a number 1 / (RANGE · distance) between neighbours."""
    linked = fine.distance > 0
    link = np.divide(1.0, RANGE * fine.distance, where=linked, out=np.zeros_like(fine.distance))
    missing = fine.encoder.missing
    present = (counts.known & ~missing).astype(np.float64)
    rows = counts.values.sum(axis=1) * present
    share = rows / counts.per_cell(np.maximum(counts.per_attribute(rows), 1e-300))
    own = np.where(missing, MISSING, 1.0 - fine.ordered)
    return EffectSetting(counts, prior, share[:, None], present[:, None], own[:, None], link[:, None])


@dataclass(frozen=True)
class Effects:
    """What is learned: u, b and γ; or a gradient by them."""

    values: FloatArray
    """(cells, classes)"""
    bias: FloatArray
    """(classes,)"""
    gamma: float

    @classmethod
    def none(cls, setting: EffectSetting) -> Effects:
        """Nothing learned yet: the prior alone."""
        return cls(np.zeros_like(setting.counts.values), np.zeros_like(setting.prior), 0.0)


def scores_of(effects: Effects, setting: EffectSetting, rows: CodedRows) -> FloatArray:
    """Log P(c) + b_c + γ·term_c + Σ_j u_j(x_j, c): (rows, classes)."""
    scores = _model(effects, setting).joint_of_block(rows.codes)
    return scores if rows.naive_sum is None else scores + effects.gamma * rows.naive_sum


def _model(effects: Effects, setting: EffectSetting) -> AdditiveModel:
    return AdditiveModel(setting.counts.offsets, setting.centred(effects.values), setting.prior + effects.bias)


# --- The target ----------------------------------------------------------------------------------


def penalised_loss(
    effects: Effects, strength: float, setting: EffectSetting, rows: Pieces[CodedRows]
) -> tuple[float, Effects]:
    """The log-loss and λ times the ridge, with the gradient."""
    sums = _sum_up(effects, setting, rows, curvature=False)
    held, pull = setting.ridge(effects.values)
    mean = setting.counts.per_attribute(setting.present * sums.values)
    values = sums.values - setting.share * setting.counts.per_cell(mean)
    return sums.loss + strength * held, Effects(values + strength * pull, sums.bias, sums.gamma)


@dataclass(frozen=True)
class _Sums:
    """What is added up of the rows: the log-loss, with its gradient, or the diagonal of its second derivatives."""

    loss: float
    weight: float
    values: FloatArray
    bias: FloatArray
    gamma: float

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.loss + other.loss,
            self.weight + other.weight,
            self.values + other.values,
            self.bias + other.bias,
            self.gamma + other.gamma,
        )


@dataclass(frozen=True)
class _Pass:
    """A pass over the rows, under some effects; it can be sent to where the rows are."""

    model: AdditiveModel
    gamma: float
    unit: float
    curvature: bool

    def empty(self) -> _Sums:
        """No rows."""
        classes = len(self.model.start)
        return _Sums(0.0, 0.0, np.zeros_like(self.model.scores), np.zeros(classes), 0.0)

    def fill(self, into: _Sums, rows: CodedRows) -> _Sums:
        """Add a block of rows."""
        from atfnb._kernels import fusion as kernels

        codes, weight = np.ascontiguousarray(rows.codes), np.ascontiguousarray(rows.weight)
        amounts, gamma = self.model.joint_of_block(codes), 0.0
        if rows.naive_sum is not None:
            amounts += self.gamma * rows.naive_sum
        losses = _round(kernels.log_losses(amounts, rows.y, weight), 16 * self.unit)
        if self.curvature:
            gamma = self._curve(amounts, weight, rows)
        elif rows.naive_sum is not None:
            gamma = float(np.vdot(amounts, rows.naive_sum))
        kernels.scatter(codes, self.model.offsets, amounts, self.unit, into.values, into.bias)
        return replace(into, loss=into.loss + losses.sum(), weight=into.weight + weight.sum(), gamma=into.gamma + gamma)

    def _curve(self, amounts: FloatArray, weight: FloatArray, rows: CodedRows) -> float:
        """From weight · (P(c|x) − [c = y]) to weight · P(c|x) · (1 − P(c|x)); and the same by γ."""
        gamma = 0.0
        amounts[np.arange(len(rows.y)), rows.y] += weight
        if rows.naive_sum is not None:
            mean = np.sum(amounts * rows.naive_sum, axis=1) / weight
            gamma = float(np.sum(amounts * (rows.naive_sum - mean[:, None]) ** 2))
        amounts *= 1.0 - amounts / weight[:, None]
        return gamma


def _round(amounts: FloatArray, unit: float) -> FloatArray:
    """Round to multiples of a power of two, in place."""
    amounts /= unit
    np.rint(amounts, out=amounts)
    amounts *= unit
    return amounts


def _sum_up(effects: Effects, setting: EffectSetting, rows: Pieces[CodedRows], *, curvature: bool) -> _Sums:
    counts = setting.counts
    over = _Pass(_model(effects, setting), effects.gamma, counts.unit, curvature)
    sums: _Sums = rows.sum("effects of values", over.empty, over.fill)
    sums.values[counts.offsets[1:] - 1] = 0.0  # what is unknown has no effect
    return sums


# --- Making it small -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Whitening:
    """Coordinates in which every attribute, the biases and γ are round by themselves."""

    main: FloatArray
    below: FloatArray
    """(cells, classes) L: its diagonal, and what stands below it."""
    bias: FloatArray
    gamma: float

    @classmethod
    def at(
        cls, effects: Effects, strength: float, setting: EffectSetting, rows: Pieces[CodedRows]
    ) -> tuple[Self, float]:
        """By the curvature of the target where the effects stand; and the target there."""
        from atfnb._kernels import fusion as kernels

        curved = _sum_up(effects, setting, rows, curvature=True)
        by_chance = curved.weight * np.exp(setting.prior) * (1 - np.exp(setting.prior))
        least = FLOOR * by_chance * (setting.share + FLOOR)
        held = setting.own + setting.link
        held[:-1] += setting.link[1:]
        diagonal = (1.0 - setting.share) * curved.values + least + strength * held
        main, below = kernels.factor_chains(diagonal, strength * setting.link[:, 0])
        whitening = cls(main, below, np.sqrt(curved.bias + FLOOR * by_chance), float(np.sqrt(curved.gamma + FLOOR)))
        return whitening, curved.loss + strength * setting.ridge(effects.values)[0]

    def whiten(self, effects: Effects) -> FloatArray:
        """Z = Lᵀu."""
        values = self.main * effects.values
        values[:-1] += self.below[1:] * effects.values[1:]
        return np.concatenate([values.ravel(), effects.bias * self.bias, [effects.gamma * self.gamma]])

    def effects(self, white: FloatArray) -> Effects:
        """U of z."""
        from atfnb._kernels import fusion as kernels

        size = self.main.size
        values = kernels.solve_up(self.main, self.below, white[:size].reshape(self.main.shape))
        return Effects(values, white[size:-1] / self.bias, float(white[-1] / self.gamma))

    def gradient(self, by_effects: Effects) -> FloatArray:
        """The gradient by z of what has this gradient by u."""
        from atfnb._kernels import fusion as kernels

        values = kernels.solve_down(self.main, self.below, by_effects.values)
        return np.concatenate([values.ravel(), by_effects.bias / self.bias, [by_effects.gamma / self.gamma]])


@dataclass(frozen=True)
class LearnedEffects:
    """The effects that were learned, and how."""

    effects: Effects
    n_iter: int
    converged: bool
    start: float
    end: float
    """The target before and after."""


def learn_effects(
    strength: float, setting: EffectSetting, rows: Pieces[CodedRows], start: Effects, *, precision: float, max_iter: int
) -> LearnedEffects:
    """Make the target small, from ``start``, until no white coordinate's slope exceeds ``precision``.

    What is round at the start is no longer so further on: the coordinates are made anew every so many steps.
    """
    options = {"gtol": precision, "ftol": 1e-6 * precision, "maxcor": 10, "maxls": 40}
    effects, n_iter, converged = start, 0, False
    values, passes = [], count(1)
    while n_iter < max_iter and not converged:
        whitening, value = _Whitening.at(effects, strength, setting, rows)

        def objective(white: FloatArray, whitening: _Whitening = whitening) -> tuple[float, FloatArray]:
            with step(f"pass {next(passes)}"):
                value, by = penalised_loss(whitening.effects(white), strength, setting, rows)
            return value, whitening.gradient(by)

        steps = options | {"maxiter": min(ROUND, max_iter - n_iter)}
        found = minimize(objective, whitening.whiten(effects), jac=True, method="L-BFGS-B", options=steps)
        effects, n_iter, converged = whitening.effects(found.x), n_iter + int(found.nit), bool(found.success)
        values += [value, float(found.fun)]
    return LearnedEffects(effects, n_iter, converged, values[0], values[-1])


def centred_effects(effects: Effects, setting: EffectSetting) -> Effects:
    """The same effects without each attribute's mean over the training rows, nor what the classes have in common."""
    values, bias = setting.centred(effects.values), effects.bias
    return Effects(values - values.mean(axis=1, keepdims=True), bias - bias.mean(), effects.gamma)
