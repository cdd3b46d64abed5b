"""Loops that count values and pairs of values, and sum the moments of codes."""

from __future__ import annotations

import numpy as np

from atfnb._kernels.compiler import compiled, reordered
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray

CHUNK = 1024
"""The number of rows whose codes, as floating-point numbers, stay in the fastest cache."""


@compiled
def count_values(codes: CodeArray, y: ClassArray, weight: FloatArray, offsets: IntArray, table: FloatArray) -> None:
    """Add each row's weight to n(a, c), the count of each of its values with its class: ``table`` (cells, classes)."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            table[offsets[j] + codes[i, j], y[i]] += weight[i]


@compiled
def count_pairs(codes: CodeArray, weight: FloatArray, offsets: IntArray, table: FloatArray) -> None:
    """Add each row's weight to n(a, b), the count of each two of its values: ``table`` (cells, cells), upper half."""
    columns = np.ascontiguousarray(codes.T)  # (attributes, rows): one small table at a time stays in the cache
    for i in range(columns.shape[0]):
        for j in range(i + 1, columns.shape[0]):
            for r in range(columns.shape[1]):
                table[offsets[i] + columns[i, r], offsets[j] + columns[j, r]] += weight[r]


@reordered
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return Σ a·b, summed in vector registers. With whole weights the sum is exact in any order."""
    total = 0.0
    for r in range(a.shape[0]):
        total += a[r] * b[r]
    return total


@compiled
def cross_moments(codes: CodeArray, n_values: IntArray, weight: FloatArray, moments: FloatArray) -> None:
    """Add Σw, Σw·x_i, Σw·x_i², Σw·x_i·x_j of rows with both codes known to ``moments``: (4, attributes, attributes)."""
    attributes = codes.shape[1]
    known = np.empty((attributes, CHUNK))  # 1, or 0 where the value is unknown
    code = np.empty((attributes, CHUNK))  # the code, or 0 where the value is unknown
    complete = np.empty(attributes, np.bool_)
    for first in range(0, codes.shape[0], CHUNK):
        rows = min(CHUNK, codes.shape[0] - first)
        w = weight[first : first + rows]
        for j in range(attributes):
            unknown = 0
            for r in range(rows):
                is_known = codes[first + r, j] < n_values[j]
                unknown += not is_known
                known[j, r] = is_known
                code[j, r] = codes[first + r, j] if is_known else 0.0
            complete[j] = unknown == 0
        for i in range(attributes):
            x = w * code[i, :rows]
            n, sum_x, sum_xx = dot(w, known[i, :rows]), dot(w, code[i, :rows]), dot(x, code[i, :rows])
            for j in range(attributes):
                if complete[j]:
                    moments[0, i, j] += n
                    moments[1, i, j] += sum_x
                    moments[2, i, j] += sum_xx
                else:
                    moments[0, i, j] += dot(w * known[i, :rows], known[j, :rows])
                    moments[1, i, j] += dot(x, known[j, :rows])
                    moments[2, i, j] += dot(x * code[i, :rows], known[j, :rows])
            for j in range(i + 1):
                cross = dot(x, code[j, :rows])
                moments[3, i, j] += cross
                if j < i:
                    moments[3, j, i] += cross
