"""Loops of FusionNB: the evidence of a row without itself, the log-loss and its derivatives, effects of values."""

from __future__ import annotations

from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from atfnb._kernels.compiler import compiled, reordered
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray

if TYPE_CHECKING:
    from atfnb.fusion.likelihood import LogProbabilities

LANES = 96
"""The number of lanes, classes of one row or of several, that are worked on together."""
SERIES = tuple(1.0 / factorial(n) for n in range(13, 1, -1))
"""The coefficients of eˣ from x¹³ down to x²."""


@compiled
def leave_one_out(codes: CodeArray, y: ClassArray, log_p: LogProbabilities) -> FloatArray:
    """Return log P(x_j|c) of each row, from ``log_p.own`` for the row's own class: (rows, classes, attributes)."""
    rows, attributes = codes.shape
    classes = log_p.table.shape[1]
    out = np.empty((rows, classes, attributes))
    for i in range(rows):
        for j in range(attributes):
            cell = log_p.offsets[j] + codes[i, j]
            for c in range(classes):
                out[i, c, j] = log_p.table[cell, c]
            out[i, y[i], j] = log_p.own[cell, y[i]]
    return out


@compiled
def powers_of_e(n: int, numbers: FloatArray, powers: FloatArray, exponents: IntArray) -> None:
    """Put exp(x) of the first n numbers x ≤ 0 into ``powers``, to the last bit or two; below −700 as at −700.

    eˣ = 2ᵏ·eʳ with a whole k and |r| ≤ ½ log 2, and eʳ by its series. Adding 1.5·2⁵² leaves k in the last bits of the
    sum; ``exponents`` are the bits of ``powers``, and moving k to where floating point keeps its exponent gives 2ᵏ.
    There are only multiplications and additions: the compiler does several at once, and the result is the same on any
    machine. ``numbers`` is overwritten.
    """
    for i in range(n):
        x = max(numbers[i], -700.0)
        shifted = x * 1.4426950408889634 + 6755399441055744.0
        k = shifted - 6755399441055744.0
        r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
        series = SERIES[0]
        for coefficient in SERIES[1:]:
            series = series * r + coefficient
        powers[i] = shifted
        numbers[i] = (series * r + 1.0) * r + 1.0
    for i in range(n):
        exponents[i] = (exponents[i] + 1023) << 52
    for i in range(n):
        powers[i] *= numbers[i]


@compiled
def log_losses(joint: FloatArray, y: ClassArray, weight: FloatArray) -> FloatArray:
    """Return the log-loss of each row from its joint log-likelihoods, times its weight: (rows,).

    ``joint`` is overwritten with the derivatives of the log-loss, weight · (P(c|x) − [c = y]).
    """
    rows, classes = joint.shape
    together = max(1, LANES // classes)
    losses, below, powers = np.empty(rows), np.empty(together * classes), np.empty(together * classes)
    exponents = powers.view(np.int64)
    for first in range(0, rows, together):
        some = min(together, rows - first)
        for r in range(some):
            i, at = first + r, r * classes
            highest = joint[i, 0]
            for c in range(1, classes):
                highest = max(highest, joint[i, c])
            losses[i] = highest - joint[i, y[i]]
            for c in range(classes):
                below[at + c] = joint[i, c] - highest
        powers_of_e(some * classes, below, powers, exponents)
        for r in range(some):
            i, at = first + r, r * classes
            total = 0.0
            for c in range(classes):
                total += powers[at + c]
            losses[i] = weight[i] * (losses[i] + np.log(total))
            share = weight[i] / total
            for c in range(classes):
                joint[i, c] = powers[at + c] * share
            joint[i, y[i]] -= weight[i]
    return losses


@compiled
def weigh_evidence(
    codes: CodeArray, y: ClassArray, log_p: LogProbabilities, basis: FloatArray, said: FloatArray, sums: FloatArray
) -> None:
    """Put Σ_j basis[j, p] · log P(x_j|c) into sums[p, lane], for each column p of ``basis`` and each lane.

    A lane is a class of a row: the classes of several rows stand side by side, so that the inner loops are long. For a
    row's own class ``log_p.own`` counts instead of ``log_p.table``. ``said`` is room to work in.
    """
    rows, attributes = codes.shape
    columns, classes = sums.shape[0], log_p.table.shape[1]
    lanes = rows * classes
    sums[:, :lanes] = 0.0
    for j in range(attributes):
        for r in range(rows):
            cell, at, mine = log_p.offsets[j] + codes[r, j], r * classes, y[r]
            for c in range(classes):
                said[at + c] = log_p.table[cell, c]
            said[at + mine] = log_p.own[cell, mine]
        for p in range(columns):
            slope = basis[j, p]
            for k in range(lanes):
                sums[p, k] += slope * said[k]


@compiled
def lower_by_highest(
    weighted: FloatArray, log_p: LogProbabilities, y: ClassArray, weight: FloatArray, below: FloatArray, loss: float
) -> float:
    """Put each row's joint log-likelihoods, less the highest of them, into ``below``.

    Return the loss so far plus weight · (highest − that of the row's own class) of each row.
    """
    classes = log_p.prior.shape[0]
    for r in range(y.shape[0]):
        at, mine = r * classes, y[r]
        for c in range(classes):
            below[at + c] = log_p.prior[c] + weighted[at + c]
        below[at + mine] = log_p.own_prior[mine] + weighted[at + mine]
        highest = below[at]
        for c in range(1, classes):
            highest = max(highest, below[at + c])
        loss += weight[r] * (highest - below[at + mine])
        for c in range(classes):
            below[at + c] -= highest
    return loss


@compiled
def divide_by_sum(powers: FloatArray, classes: int, weight: FloatArray, loss: float) -> float:
    """Divide the powers of each row by their sum, which gives P(c|x).

    Return the loss so far plus weight · log(sum) of each row.
    """
    for r in range(weight.shape[0]):
        at = r * classes
        total = 0.0
        for c in range(classes):
            total += powers[at + c]
        loss += weight[r] * np.log(total)
        part = 1.0 / total
        for c in range(classes):
            powers[at + c] *= part
    return loss


@compiled
def centre_slopes(
    chance: FloatArray, classes: int, y: ClassArray, weight: FloatArray, slopes: FloatArray, gradient: FloatArray
) -> None:
    """Subtract from each row's slopes their mean under P(c|x), which gives the slopes of log P(c|x).

    Those of the rows' own classes are taken from ``gradient``, and ``chance`` becomes weight · P(c|x).
    """
    for r in range(y.shape[0]):
        at, w = r * classes, weight[r]
        for p in range(gradient.shape[0]):
            mean = 0.0
            for c in range(classes):
                mean += chance[at + c] * slopes[p, at + c]
            for c in range(classes):
                slopes[p, at + c] -= mean
            gradient[p] -= w * slopes[p, at + y[r]]
        for c in range(classes):
            chance[at + c] *= w


@compiled
def add_products(lanes: int, chance: FloatArray, slopes: FloatArray, part: FloatArray, products: FloatArray) -> None:
    """Add chance · slopes[p] · slopes[q] of each lane to ``products`` (coefficients², lanes), for all q ≤ p."""
    coefficients = slopes.shape[0] - 1
    for p in range(coefficients):
        for k in range(lanes):
            part[k] = chance[k] * slopes[p, k]
        for q in range(p + 1):
            for k in range(lanes):
                products[p * coefficients + q, k] += part[k] * slopes[q, k]


@compiled
def add_log_loss(
    codes: CodeArray,
    y: ClassArray,
    weight: FloatArray,
    log_p: LogProbabilities,
    basis: FloatArray,
    gradient: FloatArray,
    hessian: FloatArray,
) -> float:
    """Return the log-loss of weighted naive Bayes, and add its derivatives by some coefficients of the weights.

    The columns of ``basis`` (attributes, coefficients + 1) are the derivatives of the weights by each coefficient, and
    the weights themselves. For a row's own class ``log_p.own`` counts. Only the lower half of ``hessian`` is
    filled.
    """
    classes, coefficients = log_p.table.shape[1], basis.shape[1] - 1
    together = max(1, LANES // classes)
    lanes = together * classes
    slopes = np.empty((coefficients + 1, lanes))  # of the joint log-likelihoods; the last row is these themselves
    work, chance = np.empty(lanes), np.empty(lanes)
    bits = chance.view(np.int64)
    products = np.zeros((coefficients * coefficients, lanes))
    loss = 0.0
    for first in range(0, codes.shape[0], together):
        rows = slice(first, min(first + together, codes.shape[0]))
        own_class, w = y[rows], weight[rows]
        filled = len(w) * classes
        weigh_evidence(codes[rows], own_class, log_p, basis, work, slopes)
        loss = lower_by_highest(slopes[coefficients], log_p, own_class, w, work, loss)
        powers_of_e(filled, work, chance, bits)
        loss = divide_by_sum(chance, classes, w, loss)
        centre_slopes(chance, classes, own_class, w, slopes, gradient)
        add_products(filled, chance, slopes, work, products)
    for p in range(coefficients):
        for q in range(p + 1):
            for k in range(lanes):
                hessian[p, q] += products[p * coefficients + q, k]
    return loss


@compiled
def scatter(
    codes: CodeArray, offsets: IntArray, amounts: FloatArray, unit: float, table: FloatArray, total: FloatArray
) -> None:
    """Add each row's amounts to the cells of its values, table[x_j, c], and to the total of the class, total[c].

    The amounts (rows, classes) are rounded to multiples of ``unit`` first, a power of two, so that the sums are exact.
    """
    classes = amounts.shape[1]
    for i in range(codes.shape[0]):
        for c in range(classes):
            amounts[i, c] = np.rint(amounts[i, c] / unit) * unit
            total[c] += amounts[i, c]
        for j in range(codes.shape[1]):
            cell = offsets[j] + codes[i, j]
            for c in range(classes):
                table[cell, c] += amounts[i, c]


@reordered
def dot(one: FloatArray, other: FloatArray) -> float:
    """Return the dot product of two vectors, Σ one·other, summed in any order."""
    total = 0.0
    for i in range(one.shape[0]):
        total += one[i] * other[i]
    return total


@compiled
def descent(gradient: FloatArray, moves: FloatArray, changes: FloatArray, curvature: FloatArray, n: int) -> FloatArray:
    """Return −H⁻¹·gradient, where H is what L-BFGS knows of the Hessian from n moves and the changes of the gradient.

    Move k is in row k mod (rows) of ``moves``, the change that it brought in that of ``changes``, and their product in
    ``curvature``: the last ones are kept.
    """
    direction, kept = -gradient, moves.shape[0]
    shares = np.empty(kept)
    for k in range(n - 1, max(n - kept, 0) - 1, -1):
        at = k % kept
        shares[at] = dot(moves[at], direction) / curvature[at]
        direction -= shares[at] * changes[at]
    if n > 0:
        last = (n - 1) % kept
        direction *= curvature[last] / dot(changes[last], changes[last])
    for k in range(max(n - kept, 0), n):
        at = k % kept
        direction += (shares[at] - dot(changes[at], direction) / curvature[at]) * moves[at]
    return direction


@compiled
def less_mean(values: FloatArray, share: FloatArray, of: FloatArray, offsets: IntArray) -> FloatArray:
    """Return values (cells, classes) less ``of`` times the sum of ``share`` · values over the cells of an attribute."""
    out, mean = np.empty(values.shape), np.empty(values.shape[1])
    for j in range(len(offsets) - 1):
        mean[:] = 0.0
        for k in range(offsets[j], offsets[j + 1]):
            for c in range(len(mean)):
                mean[c] += share[k, 0] * values[k, c]
        for k in range(offsets[j], offsets[j + 1]):
            for c in range(len(mean)):
                out[k, c] = values[k, c] - of[k, 0] * mean[c]
    return out


@compiled
def add_pull(values: FloatArray, k: int, before: int, precision: float, gradient: FloatArray) -> float:
    """Return precision·(u_k − u_before)², summed over the classes, and add the gradient of half of it."""
    total = 0.0
    for c in range(values.shape[1]):
        difference = values[k, c] - values[before, c]
        gradient[k, c] += precision * difference
        gradient[before, c] -= precision * difference
        total += precision * difference * difference
    return total


@compiled
def add_penalty(
    values: FloatArray,
    own: FloatArray,
    link: FloatArray,
    cells: IntArray,
    before: IntArray,
    precision: FloatArray,
    gradient: FloatArray,
) -> float:
    """Return ½(Σ own·u_k² + Σ link·(u_k − u_{k−1})² + Σ precision·(u_cell − u_before)²), and add its gradient.

    u are the values less their mean over the classes; ``cells``, ``before`` and ``precision`` are (links,).
    """
    classes, total = values.shape[1], 0.0
    centred = np.empty(values.shape)
    for k in range(values.shape[0]):
        mean = 0.0
        for c in range(classes):
            mean += values[k, c]
        mean /= classes
        for c in range(classes):
            centred[k, c] = values[k, c] - mean
            pull = own[k, 0] * centred[k, c]
            gradient[k, c] += pull
            total += pull * centred[k, c]
        if link[k, 0] > 0:
            total += add_pull(centred, k, k - 1, link[k, 0], gradient)
    for i in range(len(cells)):
        total += add_pull(centred, cells[i], before[i], precision[i, 0], gradient)
    return 0.5 * total


@compiled
def factor_chains(diagonal: FloatArray, link: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the Cholesky factor L of a tridiagonal matrix for each class: its diagonal and the entries below it.

    ``diagonal`` is (cells, classes), as are both results. The entry between cells k − 1 and k is −``link[k]``, which is
    0 where an attribute begins.
    """
    cells, classes = diagonal.shape
    main, below = np.empty((cells, classes)), np.zeros((cells, classes))
    for k in range(cells):
        for c in range(classes):
            rest = diagonal[k, c]
            if link[k] > 0:
                below[k, c] = -link[k] / main[k - 1, c]
                rest -= below[k, c] * below[k, c]
            main[k, c] = np.sqrt(rest)
    return main, below


@compiled
def solve_down(main: FloatArray, below: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solution x of L·x = right for each class: (cells, classes)."""
    cells, classes = right.shape
    out = np.empty((cells, classes))
    for c in range(classes):
        out[0, c] = right[0, c] / main[0, c]
    for k in range(1, cells):
        for c in range(classes):
            out[k, c] = (right[k, c] - below[k, c] * out[k - 1, c]) / main[k, c]
    return out


@compiled
def solve_up(main: FloatArray, below: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solution x of Lᵀ·x = right for each class: (cells, classes)."""
    cells, classes = right.shape
    out = np.empty((cells, classes))
    for c in range(classes):
        out[cells - 1, c] = right[cells - 1, c] / main[cells - 1, c]
    for k in range(cells - 2, -1, -1):
        for c in range(classes):
            out[k, c] = (right[k, c] - below[k + 1, c] * out[k + 1, c]) / main[k, c]
    return out


@compiled
def inverse_diagonal(main: FloatArray, below: FloatArray) -> FloatArray:
    """Return the diagonal of the inverse of L·Lᵀ for each class: (cells, classes).

    From the last cell to the first, d_k = (1 + below_{k+1}²·d_{k+1}) / main_k².
    """
    cells, classes = main.shape
    out = np.empty((cells, classes))
    for c in range(classes):
        out[cells - 1, c] = 1.0 / main[cells - 1, c] ** 2
    for k in range(cells - 2, -1, -1):
        for c in range(classes):
            out[k, c] = (1.0 + below[k + 1, c] ** 2 * out[k + 1, c]) / main[k, c] ** 2
    return out


@compiled
def add_pair_sums(
    groups: CodeArray, starts: IntArray, n_groups: IntArray, first: int, amounts: FloatArray, sums: FloatArray
) -> None:
    """Add each row's amounts to the cells of the pairs of some attributes with all attributes to their right.

    ``sums`` is (attributes, most groups, groups of all attributes, amounts): sums[k, g, s, :] is for group g of
    attribute first + k and the group of another attribute that stands at s. A row in which either is unknown adds
    nothing.
    """
    for k in range(sums.shape[0]):
        a = first + k
        for i in range(groups.shape[0]):
            g = groups[i, a]
            if g < n_groups[a]:
                for b in range(a + 1, groups.shape[1]):
                    if groups[i, b] < n_groups[b]:
                        s = starts[b] + groups[i, b]
                        for m in range(amounts.shape[1]):
                            sums[k, g, s, m] += amounts[i, m]
