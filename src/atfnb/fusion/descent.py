"""The lowest point of a smooth, strictly convex function of many numbers, by L-BFGS (Nocedal 1980)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from atfnb._typing import FloatArray

MEMORY = 10
"""The number of steps, the last ones, that a direction is computed from."""
LEAST_GAIN = 1e-4
"""The least that a step must lower the function by, as a share of what the slope promises."""
NO_GAIN = 1e-6
"""The gain of a step that is none, in units of the gradient tolerance, as a share of the function's value."""


def descend(
    function: Callable[[FloatArray], tuple[float, FloatArray]], at: FloatArray, tolerance: float, max_iter: int
) -> tuple[FloatArray, int, bool]:
    """Minimise a smooth, strictly convex function.

    Parameters
    ----------
    function : callable
        Returns its value and its gradient (n,) at a point.
    at : (n,) array
        Where to begin.
    tolerance : float
        The gradient tolerance: the highest entry of the gradient that counts as none.
    max_iter : int
        The number of steps, at most.

    Returns
    -------
    at : (n,) array
        Where the function is lowest.
    n_iter : int
        The number of steps.
    converged : bool
        Whether further steps would not lower it noticeably.

    Examples
    --------
    >>> descend(lambda x: (float((x - 3) @ (x - 3)), 2 * (x - 3)), np.zeros(1), 1e-6, 10)
    (array([3.]), 2, True)
    """
    from atfnb._kernels import fusion as kernels

    value, gradient = function(at)
    moves, changes, curvature = np.empty((MEMORY, len(at))), np.empty((MEMORY, len(at))), np.empty(MEMORY)
    for n_iter in range(max_iter):
        if np.abs(gradient).max() <= tolerance:
            return at, n_iter, True
        direction = kernels.descent(gradient, moves, changes, curvature, n_iter)
        slope = float(gradient @ direction)
        length = 1.0 if n_iter else min(1.0, 1.0 / float(np.sqrt(-slope)))
        while (there := function(at + length * direction))[0] > value + LEAST_GAIN * length * slope:
            excess = there[0] - value - length * slope
            length *= max(0.1, -0.5 * length * slope / excess)  # to the lowest point of a parabola
            if length < 1e-10:  # nothing but rounding is left to gain
                return at, n_iter, True
        k, gain = n_iter % MEMORY, value - there[0]
        np.multiply(length, direction, out=moves[k])
        np.subtract(there[1], gradient, out=changes[k])
        curvature[k] = moves[k] @ changes[k]
        at, (value, gradient) = at + moves[k], there
        if curvature[k] <= 0 or gain <= NO_GAIN * tolerance * max(abs(value), 1.0):
            return at, n_iter + 1, True
    return at, max_iter, bool(np.abs(gradient).max() <= tolerance)
