"""The effects with the lowest penalised loss, and how sure they are.

For a single attribute, the second derivatives of the loss are a tridiagonal matrix for each class. Its Cholesky factor
L whitens the attribute: in the coordinates z = Lᵀu the loss is round except for what attributes share, and L-BFGS needs
several times fewer passes. At the minimum, its inverse gives the standard errors of the effects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Self

import numpy as np

from atfnb._pieces import CodedRows, Pieces
from atfnb._progress import step
from atfnb._typing import FloatArray, IntArray
from atfnb.counts import centred_variance
from atfnb.fusion.descent import descend
from atfnb.fusion.effects import Effects, EffectSetting, LossSums, penalised_loss, sum_over_rows
from atfnb.fusion.shapes import nearest

ROUND = 40
"""The number of steps of L-BFGS before new whitened coordinates are computed."""
SETTLED = 0.15
"""The violation of a shape, in log-odds from value to value, that counts as none, as a multiple of the tolerance."""
FLOOR = 1e-3
"""The least curvature, as a share of what chance would give: keeps the whitening sound where rows are all certain."""


# --- The minimum ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LearnedEffects:
    """The effects that were learned, and how."""

    effects: Effects
    n_iter: int
    converged: bool


def learn_effects(
    setting: EffectSetting,
    rows: Pieces[CodedRows],
    start: Effects,
    *,
    tolerance: float,
    max_iter: int,
) -> LearnedEffects:
    """Return the effects with the lowest penalised loss, by L-BFGS in whitened coordinates.

    Coordinates that are round at the start are no longer so further on, so new ones are computed every ROUND steps.

    Parameters
    ----------
    setting : EffectSetting
        Its penalty is already multiplied by λ and ρ.
    rows : Pieces[CodedRows]
        The training rows.
    start : Effects
        Where to begin.
    tolerance : float
        The gradient tolerance, in whitened coordinates.
    max_iter : int
        The number of steps, at most.
    """
    tolerance *= setting.tolerance
    effects, n_iter, converged = start, 0, False
    if setting.shapes is not None:
        setting = replace(setting, shapes=setting.shapes.begun(start.force))
    passes = count(1)
    whitened_at = -ROUND
    while n_iter < max_iter and not converged:
        if n_iter >= whitened_at + ROUND:
            whitening, whitened_at = _Whitening.at(effects, setting, rows), n_iter

        def objective(
            white: FloatArray, whitening: _Whitening = whitening, setting: EffectSetting = setting
        ) -> tuple[float, FloatArray]:
            with step(f"pass {next(passes)}"):
                value, gradient = penalised_loss(whitening.effects(white), setting, rows)
            return value, whitening.gradient(gradient)

        most = min(whitened_at + ROUND, max_iter) - n_iter
        white, steps, converged = descend(objective, whitening.white(effects), tolerance, most)
        effects, n_iter = replace(whitening.effects(white), force=effects.force), n_iter + steps
        if setting.shapes is not None:
            shapes = setting.shapes.pressed(effects.values)
            if shapes.change(setting.shapes) > SETTLED * tolerance:
                n_iter, converged = n_iter + 1, False
            setting, effects = replace(setting, shapes=shapes), replace(effects, force=shapes.force)
    return LearnedEffects(effects, n_iter, converged)


def obeying(effects: Effects, setting: EffectSetting, rows: Pieces[CodedRows]) -> Effects:
    """Return the nearest effects that have their shapes exactly, in the metric of the curvature of the loss."""
    if setting.shapes is None:
        return effects
    values, n_classes = effects.values.copy(), len(setting.prior)
    curved = sum_over_rows(effects, setting, rows, curvature=True)
    least = _least_curvature(curved.weight, setting) * (setting.share + FLOOR)
    of_values = (1.0 - setting.share) * curved.values + least
    for block in setting.shapes.blocks:
        cells, differences = block[0], setting.shapes.on(block, n_classes)
        penalty = np.kron(setting.precision(cells), np.eye(n_classes))
        hessian = np.asarray(penalty + np.diag(of_values[cells].ravel()), np.float64)
        values[cells] = nearest(values[cells].ravel(), differences, hessian).reshape(-1, n_classes)
    return replace(effects, values=values)


@dataclass(frozen=True)
class _Whitening:
    """Coordinates z = Lᵀu in which the loss is round for each attribute, the biases and γ by themselves."""

    main: FloatArray
    """(cells, classes) the diagonal of L."""
    below: FloatArray
    """(cells, classes) the entries of L below its diagonal."""
    bias: FloatArray
    """(classes,) the scale of the biases."""
    gamma: float
    """The scale of γ."""
    cells: IntArray | slice
    """The cells of attributes that are used; the others have no coordinates."""

    @classmethod
    def at(cls, effects: Effects, setting: EffectSetting, rows: Pieces[CodedRows]) -> Self:
        """Return the coordinates that follow from the curvature of the loss at some effects."""
        curved = sum_over_rows(effects, setting, rows, curvature=True)
        least = _least_curvature(curved.weight, setting)
        main, below = _factored((1.0 - setting.share) * curved.values, least, setting)
        bias, gamma = np.sqrt(curved.bias + least), float(np.sqrt(curved.gamma + FLOOR))
        return cls(main, below, bias, gamma, setting.cells)

    def white(self, effects: Effects) -> FloatArray:
        """Return the whitened coordinates of effects: z = Lᵀu for the values, scaled biases, scaled γ."""
        values = self.main * effects.values
        values[:-1] += self.below[1:] * effects.values[1:]
        return np.concatenate([values[self.cells].ravel(), effects.bias * self.bias, [effects.gamma * self.gamma]])

    def effects(self, white: FloatArray) -> Effects:
        """Return the effects that have these whitened coordinates."""
        from atfnb._kernels import fusion as kernels

        values, size = np.zeros_like(self.main), len(white) - len(self.bias) - 1
        values[self.cells] = white[:size].reshape(-1, values.shape[1])
        values = kernels.solve_up(self.main, self.below, values)
        return Effects(values, white[size:-1] / self.bias, float(white[-1] / self.gamma))

    def gradient(self, by_effects: Effects) -> FloatArray:
        """Return the gradient by whitened coordinates of a loss whose gradient by the effects is given."""
        from atfnb._kernels import fusion as kernels

        values = kernels.solve_down(self.main, self.below, by_effects.values)
        of_cells = values[self.cells].ravel()
        return np.concatenate([of_cells, by_effects.bias / self.bias, [by_effects.gamma / self.gamma]])


def _least_curvature(weight: float, setting: EffectSetting) -> FloatArray:
    """Return the least curvature of the loss of rows of a given total weight, by the bias of each class: (classes,)."""
    chance = np.exp(setting.prior)
    return np.asarray(FLOOR * (weight * chance * (1 - chance)))


def _factored(curvature: FloatArray, least: FloatArray, setting: EffectSetting) -> tuple[FloatArray, FloatArray]:
    """Return the Cholesky factor of each attribute's Hessian: its diagonal and what is below it, (cells, classes)."""
    from atfnb._kernels import fusion as kernels

    diagonal = curvature + least * (setting.share + FLOOR) + setting.held
    return kernels.factor_chains(diagonal, setting.link[:, 0])


# --- Standard errors --------------------------------------------------------------------------------


def effect_errors(curved: LossSums, setting: EffectSetting, cells: int) -> FloatArray:
    """Return the standard error of the effect of each value on each class, less the mean over classes and rows.

    Near its minimum, the penalised loss is a parabola, and the inverse of its Hessian is the covariance of the effects.
    As for the whitened coordinates, it is taken attribute by attribute and class by class: a tridiagonal matrix each
    (but for what straight lines take back, by the formula of Sherman and Morrison), whose diagonal is
    Σ P(c|x)·(1 − P(c|x)) / (1 − P(c|a)), plus that of the penalty. The divisor makes the difference between two classes
    exact wherever all rows with a value have the same probabilities, and always for two classes.

    Parameters
    ----------
    curved : LossSums
        The second derivatives of the log-loss where it is lowest.
    setting : EffectSetting
        The setting in which the effects were learned.
    cells : int
        How many cells to return: those of the attributes stand before those of the pairs.

    Returns
    -------
    (cells, classes) array
    """
    from atfnb._kernels import fusion as kernels

    counts, n_classes = setting.counts, len(setting.prior)
    others = 1.0 - (counts.values + 1.0) / (counts.values.sum(axis=1, keepdims=True) + n_classes)
    least = _least_curvature(curved.weight, setting)
    main, below = _factored(curved.values / others, least, setting)
    ends, taken, lines = np.zeros_like(main), np.zeros_like(main), setting.across.precision[:, 0] < 0
    ends[setting.across.cells[lines]], ends[setting.across.before[lines]] = 1.0, -1.0
    taken[setting.across.cells[lines]] = -setting.across.precision[lines]
    rise = kernels.solve_up(main, below, kernels.solve_down(main, below, ends))  # covariance with the rise of a line
    taken = counts.per_attribute(taken) / (1.0 - counts.per_attribute(taken) * counts.per_attribute(ends * rise))
    share = np.broadcast_to(setting.share, main.shape)
    with_mean = kernels.solve_up(main, below, kernels.solve_down(main, below, share))  # covariance with the mean effect
    with_mean += rise * counts.per_cell(taken * counts.per_attribute(rise * share))
    of_mean = counts.per_cell(counts.per_attribute(share * with_mean))
    variance = kernels.inverse_diagonal(main, below) + rise**2 * counts.per_cell(taken)
    variance -= setting.present * (2.0 * with_mean - of_mean)
    variance[counts.offsets[1:] - 1] = 0.0  # what is unknown has no effect
    return np.asarray(np.sqrt(centred_variance(np.maximum(variance[:cells], 0.0))))
