"""Effects of single values: u_j(x_j, c), smooth along a number, small for a category.

The joint log-likelihood of class c is log P(c) + b_c + γ·S_c + Σ_j u_j(x_j, c), where S_c is a sum of naive Bayes that
may be given for each row. Learning minimises its log-loss plus λ times a penalty: on the difference between
neighbouring values of a number, so that the steps are small where the rows are few; on the effect itself for a
category. Of an effect that rises or falls evenly only the share ρ of its penalty counts: where numbers act in straight
lines, a small ρ lets them, under a large λ.

The indicator matrix is never built: a pass over the codes computes the joint log-likelihoods of the rows and gathers
one number per value and class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import add
from typing import NamedTuple

import numpy as np

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import FloatArray, IntArray
from atfnb.counts import Counts
from atfnb.encoding import FineEncoder
from atfnb.fusion.shapes import Chains, Constraints, Shape
from atfnb.model import AdditiveModel

RANGE = 8.0
"""The variance that a number may have from its lowest to its highest value, in units of that of a category."""
MISSING = 10.0
"""How many times as strongly the effect of a missing value is held to zero as that of a category under the same λ, or
under λ = 1 if it is smaller: an attribute that is missing in two rows says hardly anything there."""


# --- What the effects are learned in ----------------------------------------------------------------


@dataclass(frozen=True)
class AcrossLinks:
    """Precisions that hold the effects of cells to those of other cells, each cell to at most one.

    A negative one takes back a part of what other precisions hold.
    """

    cells: IntArray
    """(links,)"""
    before: IntArray
    """(links,) the cell that each of them is held to; they all differ."""
    precision: FloatArray
    """(links, 1)"""


@dataclass(frozen=True)
class EffectSetting:
    """What the effects of values are learned in: the counts, the prior, and the penalty, which ``shrunk`` scales."""

    counts: Counts
    prior: FloatArray
    """(classes,) log P(c)"""
    share: FloatArray
    """(cells, 1) the share that each value has of the rows where its attribute is present; 0 for other cells."""
    present: FloatArray
    """(cells, 1) 1 for an interval or a category; 0 for "missing" and "unknown"."""
    own: FloatArray
    """(cells, 1) the precision that holds each effect to zero."""
    link: FloatArray
    """(cells, 1) the precision that holds each effect to the one before it."""
    across: AcrossLinks
    """What takes back the penalty of a straight line, between the highest and the lowest value of each number; and what
    holds the effects in the grid of a pair to those in the row of cells before them."""
    tolerance: float = 1.0
    """What gradient tolerances are multiplied by: below 1 for hundreds of columns that say little each."""
    shapes: Constraints | None = None
    """The shapes that the effects must have."""

    def shrunk(self, shrinkage: float, slope: float = 1.0) -> EffectSetting:
        """Return the setting with the penalty λ times as strong, of straight lines ρ·λ times."""
        own = np.where(self.present > 0, shrinkage, max(shrinkage, 1.0)) * self.own
        lines = replace(self.across, precision=(1.0 - slope) * shrinkage * self.across.precision)
        return replace(self, own=own, link=shrinkage * self.link, across=lines)

    @cached_property
    def cells(self) -> IntArray | slice:
        """The cells of attributes that are used: sums over them are the same to the bit as if there were no others."""
        used = np.repeat(self.counts.used, self.counts.n_values + 1)
        return slice(None) if used.all() else np.flatnonzero(used)

    def centred(self, values: FloatArray) -> FloatArray:
        """Return effects less each attribute's mean over the training rows where it is present: (cells, classes).

        Centred effects do not compete with the biases: the loss is rounder, and its minimum the same. The effect of
        "missing" stays as it is, because the penalty holds it to 0, which is what the attribute adds on average; the
        effect of "unknown" is 0.
        """
        from atfnb._kernels import fusion as kernels

        centred = kernels.less_mean(values, self.share, self.present, self.counts.offsets)
        centred[self.counts.offsets[1:] - 1] = 0.0
        return centred

    def penalty(self, values: FloatArray) -> tuple[float, FloatArray]:
        """Return ½(Σ own·u_k² + Σ link·(u_k − u_{k−1})²) and its gradient (cells, classes).

        What the effects of a value have in common for all classes changes no probability, and is left out. Where
        effects have shapes, what presses against a violation is added.
        """
        from atfnb._kernels import fusion as kernels

        gradient, across = np.zeros_like(values), self.across
        links = across.cells, across.before, across.precision
        penalty = kernels.add_penalty(values, self.own, self.link, *links, gradient)
        return penalty if self.shapes is None else penalty + self.shapes.add_to(gradient, values), gradient

    def precision(self, cells: slice) -> FloatArray:
        """Return the Hessian of the penalty by the effects of some cells on a class: (cells, cells)."""
        at, first = np.arange(cells.start + 1, cells.stop), np.arange(cells.start, cells.stop - 1)
        near = (self.across.cells >= cells.start) & (self.across.cells < cells.stop)
        links = [(at, first, self.link[at, 0])]
        links += [(self.across.cells[near], self.across.before[near], self.across.precision[near, 0])]
        matrix = np.diag(self.own[cells, 0])
        for one, other, precision in links:
            for i, j, sign in ((one, one, 1.0), (other, other, 1.0), (one, other, -1.0), (other, one, -1.0)):
                matrix[i - cells.start, j - cells.start] += sign * precision
        return matrix

    @property
    def held(self) -> FloatArray:
        """(cells, 1) the diagonal of the Hessian of the penalty, without what is taken back."""
        held, across = self.own + self.link, np.maximum(self.across.precision, 0.0)
        held[:-1] += self.link[1:]
        held[self.across.cells] += across
        held[self.across.before] += across
        return held


def effect_setting(fine: FineEncoder, counts: Counts, prior: FloatArray, shapes: Sequence[Shape] = ()) -> EffectSetting:
    """Return the setting of a finely cut encoder, with the penalty that suits each value, and the shapes of effects.

    The precision is 1 for a category and MISSING for "missing"; between neighbouring values of a number it is
    1 / (RANGE · distance). The distances of a number add up to 1, so a straight line from its lowest value to its
    highest has the penalty ½ (u_high − u_low)² / RANGE.
    """
    linked = fine.distance > 0
    link = np.divide(1.0, RANGE * fine.distance, where=linked, out=np.zeros_like(fine.distance))
    missing = fine.encoder.missing
    present = (counts.known & ~missing).astype(np.float64)
    rows = counts.values.sum(axis=1) * present
    share = rows / counts.per_cell(np.maximum(counts.per_attribute(rows), 1e-300))
    own = np.where(missing, MISSING, 1.0 - fine.ordered)
    n_ordered = counts.per_attribute(fine.ordered).astype(np.int64)
    lowest = counts.offsets[:-1][n_ordered > 1]
    highest = lowest + n_ordered[n_ordered > 1] - 1
    lines = AcrossLinks(highest, lowest, np.full((len(lowest), 1), -1.0 / RANGE))
    constraints, of_cells = constraints_of(shapes, fine, counts), (slice(None), None)
    columns = (share[of_cells], present[of_cells], own[of_cells], link[of_cells])
    return EffectSetting(counts, prior, *columns, lines, shapes=constraints)


def constraints_of(shapes: Sequence[Shape], fine: FineEncoder, counts: Counts) -> Constraints | None:
    """Return the constraints that give effects of values their shapes; None if there are no shapes."""
    chains = list[Chains]()
    for shape in shapes:
        codes, first = fine.in_order(shape.attribute), counts.offsets[shape.attribute]
        block = slice(first, counts.offsets[shape.attribute + 1])
        chains.append(Chains(shape, first + codes[None], np.cumsum(fine.along[first + codes]), block))
    return Constraints.of(chains, counts) if chains else None


@dataclass(frozen=True)
class Effects:
    """What is learned, u, b and γ; or the gradient of a loss by them."""

    values: FloatArray
    """(cells, classes) u"""
    bias: FloatArray
    """(classes,) b"""
    gamma: float
    """γ, how much the given sum of naive Bayes counts."""
    force: FloatArray = field(default_factory=partial(np.zeros, 0))
    """(differences,) what presses effects into their shapes, to start from."""

    @classmethod
    def none(cls, setting: EffectSetting) -> Effects:
        """Return no effects: the prior alone."""
        return cls(np.zeros_like(setting.counts.values), np.zeros_like(setting.prior), 0.0)


def centred_effects(effects: Effects, setting: EffectSetting) -> Effects:
    """Return equivalent effects that have mean 0 over each attribute's training rows, and over the classes.

    The posterior probabilities of the classes stay the same.
    """
    values, bias = setting.centred(effects.values), effects.bias
    return Effects(values - values.mean(axis=1, keepdims=True), bias - bias.mean(), effects.gamma)


def joint_of(effects: Effects, setting: EffectSetting, rows: CodedRows) -> FloatArray:
    """Return log P(c) + b_c + γ·S_c + Σ_j u_j(x_j, c) of each row and class: (rows, classes)."""
    joint = _model(effects, setting).joint_of_block(rows.codes)
    return joint if rows.term is None else joint + effects.gamma * rows.term


def _model(effects: Effects, setting: EffectSetting) -> AdditiveModel:
    return AdditiveModel(setting.counts.offsets, setting.centred(effects.values), setting.prior + effects.bias)


# --- The loss ---------------------------------------------------------------------------------------


def penalised_loss(effects: Effects, setting: EffectSetting, rows: Pieces[CodedRows]) -> tuple[float, Effects]:
    """Return the log-loss plus the penalty, and its gradient."""
    from atfnb._kernels import fusion as kernels

    sums = sum_over_rows(effects, setting, rows, curvature=False)
    penalty, pull = setting.penalty(effects.values)
    values = kernels.less_mean(sums.values, setting.present, setting.share, setting.counts.offsets)
    return sums.loss + penalty, Effects(values + pull, sums.bias, sums.gamma)


def sum_over_rows(effects: Effects, setting: EffectSetting, rows: Pieces[CodedRows], *, curvature: bool) -> LossSums:
    """Return the log-loss of rows with its gradient, or with the diagonal of its second derivatives."""
    counts, model = setting.counts, _model(effects, setting)
    empty = partial(LossSums.none, *model.table.shape)
    sums: LossSums = rows.sum(
        "effects of values", empty, partial(_add_block, model, effects.gamma, counts.unit, curvature)
    )
    sums.values[counts.offsets[1:] - 1] = 0.0  # what is unknown has no effect
    return sums


class LossSums(NamedTuple):
    """The log-loss of rows, with its gradient by u, b and γ, or with the diagonal of its second derivatives."""

    loss: float
    weight: float
    values: FloatArray
    bias: FloatArray
    gamma: float

    @classmethod
    def none(cls, cells: int, classes: int) -> LossSums:
        """Return the sums over no rows."""
        return cls(0.0, 0.0, np.zeros((cells, classes)), np.zeros(classes), 0.0)

    def __add__(self, other: LossSums) -> LossSums:  # type: ignore[override]
        return LossSums(*map(add, self, other))


def _add_block(
    model: AdditiveModel, gamma: float, unit: float, curvature: bool, into: LossSums, rows: CodedRows
) -> LossSums:
    """Add a block of rows to the sums; amounts are rounded to multiples of ``unit``, a power of two, and sums exact."""
    from atfnb._kernels import fusion as kernels

    codes, weight = np.ascontiguousarray(rows.codes), np.ascontiguousarray(rows.weight)
    amounts, of_gamma = model.joint_of_block(codes), 0.0
    if rows.term is not None:
        amounts += gamma * rows.term
    losses = kernels.log_losses(amounts, rows.y, weight)  # amounts are now the gradient
    loss = into.loss + (np.rint(losses / (16 * unit)) * (16 * unit)).sum()
    if curvature:
        of_gamma = _to_curvature(amounts, weight, rows)
    elif rows.term is not None:
        of_gamma = float(np.vdot(amounts, rows.term))
    kernels.scatter(codes, model.offsets, amounts, unit, into.values, into.bias)
    return into._replace(loss=loss, weight=into.weight + weight.sum(), gamma=into.gamma + of_gamma)


def _to_curvature(amounts: FloatArray, weight: FloatArray, rows: CodedRows) -> float:
    """Turn weight · (P(c|x) − [c = y]) into weight · P(c|x) · (1 − P(c|x)), in place.

    Return the second derivative by γ.
    """
    of_gamma = 0.0
    amounts[np.arange(len(rows.y)), rows.y] += weight
    if rows.term is not None:
        mean = np.sum(amounts * rows.term, axis=1) / weight
        of_gamma = float(np.sum(amounts * (rows.term - mean[:, None]) ** 2))
    amounts *= 1.0 - amounts / weight[:, None]
    return of_gamma
