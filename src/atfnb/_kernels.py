"""The few compiled loops.

Each is a plain loop over plain arrays, compiled by Numba on first use and kept on disk. Importing this
module imports Numba, so the library does it inside the functions that need a loop. All of them let go
of Python's lock, and none of them reorders a floating-point sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
import numpy as np

from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop, and keep the machine code on disk where there is a folder to write to."""
    try:
        loop: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # Numba found no writable folder: compile in each process
        loop = numba.njit(nogil=True)(function)
    return loop


# --- ChiMerge ------------------------------------------------------------------------------------


@compiled
def chi_square(table: FloatArray, totals: FloatArray, a: int, b: int) -> float:
    """χ² of two intervals: Σ_c (a_c·B − b_c·A)² / ((a_c + b_c)·A·B), with A = Σ a_c and B = Σ b_c.

    This is Kerber's Σ (observed − expected)² / expected. A class absent from both adds nothing. The
    result is rounded to 32 significant bits (Veltkamp's splitting), so that equal statistics compare
    equal in whatever order the classes were added up.
    """
    total = 0.0
    for c in range(table.shape[1]):
        both = table[a, c] + table[b, c]
        if both > 0.0:
            difference = table[a, c] * totals[b] - table[b, c] * totals[a]
            total += difference * difference / both
    statistic = total / (totals[a] * totals[b])
    shifted = statistic * 2097153.0  # 2²¹ + 1
    rounded: float = shifted - (shifted - statistic)
    return rounded


@compiled
def merge_intervals(table: FloatArray, max_bins: int, threshold: float) -> IntArray:
    """Merge the adjacent pair with the lowest χ², the leftmost of equals, until none is left to merge.

    Pairs merge while there are more than ``max_bins`` intervals or while the lowest χ² is at most
    ``threshold``. A tournament tree holds the χ² of each interval with the next one; its root is the
    lowest, and a merge replays three leaves: O(d log d) for d values. ``table`` (values × classes) is
    used up. The result is the first value of each interval.
    """
    n = table.shape[0]
    totals = np.zeros(n)
    for v in range(n):
        for c in range(table.shape[1]):
            totals[v] += table[v, c]
    after = np.arange(1, n + 1)
    before = np.arange(-1, n - 1)
    leaves = 1
    while leaves < n:
        leaves *= 2
    tree = np.full(2 * leaves, np.inf)
    for v in range(n - 1):
        tree[leaves + v] = chi_square(table, totals, v, v + 1)
    for node in range(leaves - 1, 0, -1):
        tree[node] = min(tree[2 * node], tree[2 * node + 1])
    bins = n
    while bins > 1 and (bins > max_bins or tree[1] <= threshold):
        node = 1
        while node < leaves:
            node *= 2
            if tree[node + 1] < tree[node]:
                node += 1
        left = node - leaves
        right = after[left]
        for c in range(table.shape[1]):
            table[left, c] += table[right, c]
        totals[left] += totals[right]
        totals[right] = 0.0
        after[left] = after[right]
        if after[left] < n:
            before[after[left]] = left
        bins -= 1
        for interval in (before[left], left, right):
            if interval < 0:
                continue
            node = leaves + interval
            if interval == right or after[interval] == n:
                tree[node] = np.inf
            else:
                tree[node] = chi_square(table, totals, interval, after[interval])
            while node > 1:
                node //= 2
                lower = min(tree[2 * node], tree[2 * node + 1])
                if tree[node] == lower:
                    break
                tree[node] = lower
    starts = np.empty(bins, np.int64)
    value = 0
    for b in range(bins):
        starts[b] = value
        value = after[value]
    return starts


# --- Counts --------------------------------------------------------------------------------------


@compiled
def count_values(codes: CodeArray, y: ClassArray, weight: FloatArray, offsets: IntArray, table: FloatArray) -> None:
    """n(a, c) += weight for the value a of every attribute: ``table`` is (cells, classes)."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            table[offsets[j] + codes[i, j], y[i]] += weight[i]


@compiled
def count_pairs(codes: CodeArray, weight: FloatArray, offsets: IntArray, table: FloatArray) -> None:
    """n(a, b) += weight for the values of every two attributes: ``table`` is (cells, cells), above the diagonal."""
    columns = np.ascontiguousarray(codes.T)  # (attributes, rows): one small table at a time stays in the cache
    for i in range(columns.shape[0]):
        for j in range(i + 1, columns.shape[0]):
            for r in range(columns.shape[1]):
                table[offsets[i] + columns[i, r], offsets[j] + columns[j, r]] += weight[r]


@compiled
def cross_moments(codes: CodeArray, n_values: IntArray, weight: FloatArray, moments: FloatArray) -> None:
    """Σw, Σw·x_i, Σw·x_i², Σw·x_i·x_j over the rows that know both codes: (4, attributes, attributes)."""
    rows, attributes = codes.shape
    known = np.zeros((attributes, rows))  # the row's weight, or 0 where the value is unknown
    code = np.zeros((attributes, rows))  # the code, or 0 where it is unknown
    complete = np.ones(attributes, np.bool_)
    for j in range(attributes):
        for r in range(rows):
            if codes[r, j] < n_values[j]:
                known[j, r] = 1.0
                code[j, r] = codes[r, j]
            else:
                complete[j] = False
    weighted = np.empty(rows)
    for i in range(attributes):
        total, first, second = 0.0, 0.0, 0.0
        for r in range(rows):
            weighted[r] = weight[r] * code[i, r]
            total += weight[r] * known[i, r]
            first += weighted[r]
            second += weighted[r] * code[i, r]
        for j in range(attributes):
            if complete[j]:
                moments[0, i, j] += total
                moments[1, i, j] += first
                moments[2, i, j] += second
            else:
                for r in range(rows):
                    moments[0, i, j] += weight[r] * known[i, r] * known[j, r]
                    moments[1, i, j] += weighted[r] * known[j, r]
                    moments[2, i, j] += weighted[r] * code[i, r] * known[j, r]
            cross = 0.0
            for r in range(rows):
                cross += weighted[r] * code[j, r]
            moments[3, i, j] += cross


# --- Scores and the switching factor ---------------------------------------------------------------


@compiled
def add_up(codes: CodeArray, offsets: IntArray, table: FloatArray, start: FloatArray) -> FloatArray:
    """start_c + Σ_j table[x_j, c] for every row: (rows, classes)."""
    rows, attributes = codes.shape
    classes = start.shape[0]
    out = np.empty((rows, classes))
    for i in range(rows):
        for c in range(classes):
            out[i, c] = start[c]
        for j in range(attributes):
            cell = offsets[j] + codes[i, j]
            for c in range(classes):
                out[i, c] += table[cell, c]
    return out


@compiled
def wins(slope: FloatArray, intercept: FloatArray, y: int, beta: float) -> bool:
    """Whether argmax_c (β·K_c + M_c), the first of equals, is y."""
    own = beta * slope[y] + intercept[y]
    for c in range(slope.shape[0]):
        other = beta * slope[c] + intercept[c]
        if other > own or (other == own and c < y):
            return False
    return True


@compiled
def reach(slope: FloatArray, intercept: FloatArray, y: ClassArray) -> FloatArray:
    """The lowest and the highest β in [0, 1] at which each row is right: (rows, 2); 1 and 0 where none is.

    Row i is right where β·K_y + M_y beats every other line (Eq. 18). Two lines cross at one β, so that is
    an interval. Whether an end belongs to it is decided by the argmax there.
    """
    rows, classes = slope.shape
    out = np.empty((rows, 2))
    for i in range(rows):
        low, high = 0.0, 1.0
        for c in range(classes):
            rise = slope[i, y[i]] - slope[i, c]
            lead = intercept[i, y[i]] - intercept[i, c]
            if rise > 0.0:
                low = max(low, -lead / rise)
            elif rise < 0.0:
                high = min(high, -lead / rise)
            elif lead < 0.0 or (lead == 0.0 and c < y[i]):
                high = -1.0
        if low <= high and not wins(slope[i], intercept[i], y[i], low):
            low = np.nextafter(low, 2.0)
        if low <= high and not wins(slope[i], intercept[i], y[i], high):
            high = np.nextafter(high, -1.0)
        if low > high:
            low, high = 1.0, 0.0
        out[i, 0], out[i, 1] = low, high
    return out


@compiled
def right_at(
    slope: FloatArray, intercept: FloatArray, y: ClassArray, weight: FloatArray, betas: FloatArray
) -> FloatArray:
    """The weight of the rows that are right at each β."""
    right = np.zeros(betas.shape[0])
    for b in range(betas.shape[0]):
        for i in range(slope.shape[0]):
            if wins(slope[i], intercept[i], y[i], betas[b]):
                right[b] += weight[i]
    return right
