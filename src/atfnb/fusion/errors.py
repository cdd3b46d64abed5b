"""How sure the effects of values are: their standard errors, from the curvature of the loss at its minimum."""

from __future__ import annotations

import numpy as np

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import FloatArray
from atfnb.counts import centred_variance
from atfnb.fusion.effects import FLOOR, Effects, EffectSetting, sum_over_rows


def effect_errors(
    effects: Effects, shrinkage: float, setting: EffectSetting, rows: Pieces[CodedRows], cells: int
) -> FloatArray:
    """Return the standard error of the effect of each value on each class, less the mean over classes and rows.

    Near its minimum, the penalised loss is a parabola, and the inverse of its Hessian is the covariance of the effects.
    As for the whitened coordinates, it is taken attribute by attribute and class by class: a tridiagonal matrix each,
    whose diagonal is Σ P(c|x)·(1 − P(c|x)) / (1 − P(c|a)), plus λ times that of the penalty. The divisor makes the
    difference between two classes exact wherever all rows with a value have the same probabilities, and always for two
    classes.

    Parameters
    ----------
    effects : Effects
        Those that have the lowest loss.
    shrinkage : float
        λ, what the penalty is multiplied by.
    setting : EffectSetting
    rows : Pieces[CodedRows]
        The training rows.
    cells : int
        How many cells to return: those of the attributes stand before those of the pairs.

    Returns
    -------
    (cells, classes) array
    """
    from atfnb._kernels import fusion as kernels

    curved = sum_over_rows(effects, setting, rows, curvature=True)
    counts, n_classes = setting.counts, len(setting.prior)
    others = 1.0 - (counts.values + 1.0) / (counts.values.sum(axis=1, keepdims=True) + n_classes)
    by_chance = curved.weight * np.exp(setting.prior) * (1 - np.exp(setting.prior))
    information = curved.values / others + FLOOR * by_chance * (setting.share + FLOOR)
    main, below = kernels.factor_chains(information + shrinkage * setting.held, shrinkage * setting.link[:, 0])
    share = np.broadcast_to(setting.share, main.shape)
    with_mean = kernels.solve_up(main, below, kernels.solve_down(main, below, share))  # covariance with the mean effect
    of_mean = counts.per_cell(counts.per_attribute(share * with_mean))
    variance = kernels.inverse_diagonal(main, below) - setting.present * (2.0 * with_mean - of_mean)
    variance[counts.offsets[1:] - 1] = 0.0  # what is unknown has no effect
    return np.sqrt(centred_variance(np.maximum(variance[:cells], 0.0)))
