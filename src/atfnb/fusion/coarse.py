"""Fewer intervals of a number: neighbours share one score where that raises the log-loss least.

Around the scores u of a model the log-loss is a parabola, whose second derivatives by the score of each interval are
its curvature h. If neighbouring intervals share their mean score ū, weighted by h, the loss rises by ½ Σ h (u − ū)²:
for two of them by ½ (u₁ − u₂)² h₁h₂ / (h₁ + h₂). The groups of neighbours with the lowest sum are found exactly, by
dynamic programming (Fisher 1958). What pairs add counts too: an interval has a score for each group of values of the
other attribute, with the share of the curvature that the group has of the rows.

Scores hold chance too, and cuts that only followed them would take it for steps. So a line that rises by RISE from the
lowest row to the highest counts like one more score, and draws the intervals to be of similar size.

References
----------
Fisher, W. D. (1958). On grouping for maximum homogeneity. Journal of the American Statistical Association 53, 789-798.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from atfnb._typing import FloatArray, IntArray
from atfnb.encoding import Attribute
from atfnb.model import AdditiveModel

RISE = 2.0
"""What the line rises by that draws intervals to be of similar size: with it, a coarse model mostly predicts better."""


def fewer_cuts(
    attributes: Sequence[Attribute], model: AdditiveModel, curvature: FloatArray, most: int
) -> dict[str, FloatArray]:
    """Return the cuts that remain of each number with more than ``most`` intervals, by its name.

    Parameters
    ----------
    attributes : sequence of Attribute
    model : AdditiveModel
        What each interval adds to the joint log-likelihood of each class, alone and in pairs.
    curvature : (cells, classes) array
        The second derivatives of the log-loss by what each value adds.
    most : int
        The largest number of intervals.
    """
    cuts = dict[str, FloatArray]()
    for j, attribute in enumerate(attributes):
        if attribute.is_numeric and len(attribute.cuts) >= most:
            first = np.arange(attribute.n_known) + model.offsets[j]
            starts = best_groups(*_profiles(model, curvature, j, first), most)
            cuts[attribute.name] = attribute.cuts[starts[1:] - 1]
    return cuts


def _profiles(model: AdditiveModel, curvature: FloatArray, j: int, cells: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return what each interval of an attribute adds, alone and with each group of its pairs, and the curvature.

    Both have the shape (intervals, classes · (2 + groups)): the line stands beside what the intervals add.
    """
    table, total = model.table - model.table.mean(axis=1, keepdims=True), curvature[cells].sum(axis=1, keepdims=True)
    middle = (np.cumsum(total, axis=0) - total / 2) / max(total.sum(), 1e-300)
    line = np.broadcast_to(RISE * middle, (len(cells), table.shape[1]))
    values, curved, grids = [table[cells], line], [curvature[cells]] * 2, model.grids
    for p in np.flatnonzero((grids.of == j).any(axis=1)).tolist():
        grid, rows = grids.table(p, table[len(table) - grids.offsets[-1] :]), grids.rows_of(p)
        if grids.of[p, 1] == j:
            grid, rows = grid.swapaxes(0, 1), rows.T
        share = rows.sum(axis=0) / rows.sum()
        values.append(grid[grids.groups[cells]].reshape(len(cells), -1))
        curved.append((share[:, None] * curvature[cells, None]).reshape(len(cells), -1))
    return np.hstack(values), np.hstack(curved)


def best_groups(values: FloatArray, curvature: FloatArray, most: int) -> IntArray:
    """Return the first interval of each of ``most`` groups of neighbours, with the lowest Σ h (u − ū)²: (groups,).

    Parameters
    ----------
    values, curvature : (intervals, coordinates) arrays
        u and h.
    most : int
        The number of groups, at most that of the intervals.

    Examples
    --------
    >>> best_groups(np.array([[0.0], [0.1], [2.0], [2.2], [5.0]]), np.ones((5, 1)), most=3)
    array([0, 2, 4])
    """
    n, sums = len(values), np.cumsum(curvature * [np.ones_like(values), values, values**2], axis=1)
    h, hu, huu = np.pad(sums, ((0, 0), (1, 0), (0, 0)))
    cost = np.full((n + 1, n + 1), np.inf)  # of a group that begins with one interval and ends before another
    for a in range(n):
        mean = (hu[a + 1 :] - hu[a]) ** 2 / np.maximum(h[a + 1 :] - h[a], 1e-300)
        cost[a, a + 1 :] = np.maximum(huu[a + 1 :] - huu[a] - mean, 0.0).sum(axis=1)
    cost = cost.astype(np.float32).astype(np.float64)  # rounded: what is equal on paper ties
    lowest, last = cost[0], list[IntArray]()
    for _ in range(most - 1):
        by_start = lowest[:, None] + cost
        last.append(by_start.argmin(axis=0))
        lowest = by_start.min(axis=0)
    starts = [n]
    for start in reversed(last):
        starts.append(int(start[starts[-1]]))
    return np.array([0, *starts[:0:-1]])
