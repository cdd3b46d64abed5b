"""Loops of FusionNB: evidence without the row itself, log-loss and its derivatives, effects of values."""

from __future__ import annotations

import numpy as np

from atfnb._kernels.compiler import compiled
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray

LANES = 96
"""Scores, of one row or of several, that are worked on together."""


@compiled
def leave_one_out(
    codes: CodeArray, y: ClassArray, offsets: IntArray, evidence: FloatArray, own: FloatArray
) -> FloatArray:
    """What each attribute says of each class, of a row's own from ``own``: (rows, classes, attributes)."""
    rows, attributes = codes.shape
    classes = evidence.shape[1]
    out = np.empty((rows, classes, attributes))
    for i in range(rows):
        for j in range(attributes):
            cell = offsets[j] + codes[i, j]
            for c in range(classes):
                out[i, c, j] = evidence[cell, c]
            out[i, y[i], j] = own[cell, y[i]]
    return out


@compiled
def powers_of_e(n: int, numbers: FloatArray, powers: FloatArray, exponents: IntArray) -> None:
    """Put exp(x) for the first n numbers x ≤ 0, to the last bit or two; below −700 as at −700. It uses them up.

    eˣ = 2ᵏ·eʳ with a whole k and |r| ≤ ½ log 2, and eʳ by its series. Adding 1.5·2⁵² leaves k in the last bits of the
    sum; ``exponents`` are the bits of ``powers``, and moving k to where floating point keeps its exponent gives 2ᵏ.
    Only multiplications and additions: the compiler does several at once, and the result is the same on any machine.
    """
    for i in range(n):
        x = max(numbers[i], -700.0)
        shifted = x * 1.4426950408889634 + 6755399441055744.0
        k = shifted - 6755399441055744.0
        r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
        series = 1.6059043836821613e-10
        series = series * r + 2.08767569878681e-09
        series = series * r + 2.505210838544172e-08
        series = series * r + 2.755731922398589e-07
        series = series * r + 2.7557319223985893e-06
        series = series * r + 2.48015873015873e-05
        series = series * r + 1.984126984126984e-04
        series = series * r + 1.388888888888889e-03
        series = series * r + 8.333333333333333e-03
        series = series * r + 4.1666666666666664e-02
        series = series * r + 1.6666666666666666e-01
        series = series * r + 0.5
        powers[i] = shifted
        numbers[i] = (series * r + 1.0) * r + 1.0
    for i in range(n):
        exponents[i] = (exponents[i] + 1023) << 52
    for i in range(n):
        powers[i] *= numbers[i]


@compiled
def surprise(scores: FloatArray, y: ClassArray, weight: FloatArray) -> FloatArray:
    """The log-loss of each row; ``scores`` become its derivatives, weight · (P(c|x) − [c = y])."""
    rows, classes = scores.shape
    together = max(1, LANES // classes)
    losses, below, powers = np.empty(rows), np.empty(together * classes), np.empty(together * classes)
    exponents = powers.view(np.int64)
    for first in range(0, rows, together):
        some = min(together, rows - first)
        for r in range(some):
            i, at = first + r, r * classes
            highest = scores[i, 0]
            for c in range(1, classes):
                highest = max(highest, scores[i, c])
            losses[i] = highest - scores[i, y[i]]
            for c in range(classes):
                below[at + c] = scores[i, c] - highest
        powers_of_e(some * classes, below, powers, exponents)
        for r in range(some):
            i, at = first + r, r * classes
            total = 0.0
            for c in range(classes):
                total += powers[at + c]
            losses[i] = weight[i] * (losses[i] + np.log(total))
            share = weight[i] / total
            for c in range(classes):
                scores[i, c] = powers[at + c] * share
            scores[i, y[i]] -= weight[i]
    return losses


@compiled
def add_log_loss(
    codes: CodeArray,
    y: ClassArray,
    weight: FloatArray,
    offsets: IntArray,
    evidence: FloatArray,
    own: FloatArray,
    prior: FloatArray,
    own_prior: FloatArray,
    basis: FloatArray,
    gradient: FloatArray,
    hessian: FloatArray,
) -> float:
    """Return the log-loss of weighted naive Bayes, and add its first and second derivatives by some coefficients.

    The columns of ``basis`` (attributes, coefficients + 1) are the derivatives of the weights by each coefficient, and
    the weights themselves. Of a row's own class the ``own`` evidence counts. Only the lower half of ``hessian`` is
    filled. The scores of several rows are worked on together, so that the innermost loops are long.
    """
    rows, attributes = codes.shape
    classes, coefficients = evidence.shape[1], basis.shape[1] - 1
    together = max(1, LANES // classes)
    lanes = together * classes
    by = np.empty((coefficients + 1, lanes))  # what each column of the basis adds to the scores
    said, chance = np.empty(lanes), np.empty(lanes)
    bits = chance.view(np.int64)
    products = np.zeros((coefficients * coefficients, lanes))
    loss = 0.0
    for first in range(0, rows, together):
        some = min(together, rows - first)
        for p in range(coefficients + 1):
            for k in range(some * classes):
                by[p, k] = 0.0
        for j in range(attributes):
            for r in range(some):
                cell, at, mine = offsets[j] + codes[first + r, j], r * classes, y[first + r]
                for c in range(classes):
                    said[at + c] = evidence[cell, c]
                said[at + mine] = own[cell, mine]
            for p in range(coefficients + 1):
                slope = basis[j, p]
                for k in range(some * classes):
                    by[p, k] += slope * said[k]
        for r in range(some):
            at, mine = r * classes, y[first + r]
            for c in range(classes):
                said[at + c] = prior[c] + by[coefficients, at + c]
            said[at + mine] = own_prior[mine] + by[coefficients, at + mine]
            highest = said[at]
            for c in range(1, classes):
                highest = max(highest, said[at + c])
            loss += weight[first + r] * (highest - said[at + mine])
            for c in range(classes):
                said[at + c] -= highest
        powers_of_e(some * classes, said, chance, bits)
        for r in range(some):
            at, w = r * classes, weight[first + r]
            total = 0.0
            for c in range(classes):
                total += chance[at + c]
            loss += w * np.log(total)
            part = 1.0 / total
            for c in range(classes):
                chance[at + c] *= part
            for p in range(coefficients):
                mean = 0.0
                for c in range(classes):
                    mean += chance[at + c] * by[p, at + c]
                for c in range(classes):
                    by[p, at + c] -= mean
                gradient[p] -= w * by[p, at + y[first + r]]
            for c in range(classes):
                chance[at + c] *= w
        for p in range(coefficients):
            for k in range(some * classes):
                said[k] = chance[k] * by[p, k]
            for q in range(p + 1):
                for k in range(some * classes):
                    products[p * coefficients + q, k] += said[k] * by[q, k]
    for p in range(coefficients):
        for q in range(p + 1):
            for k in range(lanes):
                hessian[p, q] += products[p * coefficients + q, k]
    return loss


@compiled
def scatter(
    codes: CodeArray, offsets: IntArray, amounts: FloatArray, unit: float, table: FloatArray, total: FloatArray
) -> None:
    """table[x_j, c] += amounts[row, c] for the value of every attribute, and total[c] += amounts[row, c].

    The amounts are rounded to multiples of ``unit`` first, a power of two.
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


@compiled
def factor_chains(diagonal: FloatArray, link: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The Cholesky factor of tridiagonal matrices, one for each class: its diagonal, and what stands below it.

    ``link[k]`` is what ties cell k to the one before it; 0 where a chain begins.
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
    """Solve L·x = right."""
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
    """Solve Lᵀ·x = right."""
    cells, classes = right.shape
    out = np.empty((cells, classes))
    for c in range(classes):
        out[cells - 1, c] = right[cells - 1, c] / main[cells - 1, c]
    for k in range(cells - 2, -1, -1):
        for c in range(classes):
            out[k, c] = (right[k, c] - below[k + 1, c] * out[k + 1, c]) / main[k, c]
    return out
