"""Loops that add up the joint log-likelihoods of rows, and choose the most probable class."""

from __future__ import annotations

import numpy as np

from atfnb._kernels.compiler import compiled
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray

MANY = 16
"""The number of classes above which the inner loop runs over the classes, not over the attributes."""


@compiled
def add_up(codes: CodeArray, offsets: IntArray, table: FloatArray, log_prior: FloatArray) -> FloatArray:
    """Return log_prior_c + Σ_j table[x_j, c] for each row and class: (rows, classes).

    ``table`` is padded to a multiple of four columns. Classes are added up four at a time, in registers; where there
    are many, all of them at once for one value after the other.
    """
    rows, attributes = codes.shape
    classes = log_prior.shape[0]
    out = np.empty((rows, classes))
    if classes > MANY:
        sums = np.empty(table.shape[1])
        for i in range(rows):
            for c in range(table.shape[1]):
                sums[c] = 0.0
            for j in range(attributes):
                cell = offsets[j] + codes[i, j]
                for c in range(table.shape[1]):
                    sums[c] += table[cell, c]
            for c in range(classes):
                out[i, c] = log_prior[c] + sums[c]
        return out
    for c in range(0, classes, 4):
        for i in range(rows):
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for j in range(attributes):
                cell = offsets[j] + codes[i, j]
                s0 += table[cell, c]
                s1 += table[cell, c + 1]
                s2 += table[cell, c + 2]
                s3 += table[cell, c + 3]
            out[i, c] = log_prior[c] + s0
            if c + 1 < classes:
                out[i, c + 1] = log_prior[c + 1] + s1
            if c + 2 < classes:
                out[i, c + 2] = log_prior[c + 2] + s2
            if c + 3 < classes:
                out[i, c + 3] = log_prior[c + 3] + s3
    return out


@compiled
def first_highest(joint: FloatArray, tie: float) -> ClassArray:
    """Return each row's class with the highest joint log-likelihood, the first of those within ``tie``: (rows,)."""
    out = np.empty(joint.shape[0], np.int32)
    for i in range(joint.shape[0]):
        highest = joint[i, 0]
        for c in range(1, joint.shape[1]):
            highest = max(highest, joint[i, c])
        c = 0
        while joint[i, c] < highest - tie:
            c += 1
        out[i] = c
    return out


@compiled
def pair_codes(
    codes: CodeArray, of: IntArray, groups: IntArray, n_groups: IntArray, starts: IntArray, cells: CodeArray
) -> None:
    """Put the cell of each pair's grid that each row falls into into ``cells`` (rows, pairs).

    It is the last cell of the grid, the number of the others, if either value is unknown.
    """
    for p in range(of.shape[0]):
        a, b = of[p, 0], of[p, 1]
        rows, columns = n_groups[a], n_groups[b]
        for i in range(codes.shape[0]):
            row, column = groups[starts[a] + codes[i, a]], groups[starts[b] + codes[i, b]]
            known = row < rows and column < columns
            cells[i, p] = row * columns + column if known else rows * columns
