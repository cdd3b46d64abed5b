"""Loops of the encoding: codes of whole numbers, and ChiMerge."""

from __future__ import annotations

import numpy as np

from atfnb._kernels.compiler import compiled
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray


@compiled
def bounds(values: IntArray) -> IntArray:
    """Return the lowest and the highest whole number of each column: (2, columns)."""
    out = np.empty((2, values.shape[1]), np.int64)
    out[0], out[1] = values[0], values[0]
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if values[i, j] < out[0, j]:
                out[0, j] = values[i, j]
            elif values[i, j] > out[1, j]:
                out[1, j] = values[i, j]
    return out


@compiled
def count_integers(values: IntArray, lowest: IntArray, y: ClassArray, weight: FloatArray, counts: FloatArray) -> None:
    """Add each row's weight to counts[j, v − lowest_j, y], for its class y and the whole number v in its column j."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            counts[j, values[i, j] - lowest[j], y[i]] += weight[i]


@compiled
def look_up(values: IntArray, lowest: IntArray, code: CodeArray, unseen: CodeArray, codes: CodeArray) -> None:
    """Write code[j, v − lowest_j] into ``codes`` for the whole number v in column j; ``unseen`` beyond the table."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            v = values[i, j] - lowest[j]
            codes[i, j] = code[j, v] if 0 <= v < code.shape[1] else unseen[j]


@compiled
def search_tree(edges: FloatArray) -> FloatArray:
    """Return sorted edges in the order in which a binary search meets them, filled up with infinity.

    From position k a search goes on to 2k or to 2k + 1 (Eytzinger's layout): without a branch to guess, and with the
    edges that every search meets next to each other. Position 0 is not used.
    """
    size = 1
    while size <= edges.shape[0]:
        size *= 2
    tree = np.full(size, np.inf)
    level, step = 1, size
    while level < size:
        for i in range(level):
            position = i * step + step // 2 - 1
            if position < edges.shape[0]:
                tree[level + i] = edges[position]
        level, step = 2 * level, step // 2
    return tree


@compiled
def count_between(tree: FloatArray, values: FloatArray, y: ClassArray, weight: FloatArray, table: FloatArray) -> None:
    """Add each row's weight to table[p, c], for its class c and the number p of edges that do not exceed its value."""
    size = tree.shape[0]
    for i in range(values.shape[0]):
        node = 1
        while node < size:
            node = 2 * node + (tree[node] <= values[i])
        table[node - size, y[i]] += weight[i]


@compiled
def count_groups(
    tree: FloatArray,
    values: FloatArray,
    y: ClassArray,
    weight: FloatArray,
    half_low: float,
    scale: float,
    table: FloatArray,
) -> None:
    """Count as :func:`count_between` does, and add weight · ⌊(v − low) / 2 · scale⌉ to the last column of the table.

    These products are whole numbers if the weights are, so that their sum does not depend on the order of the rows.
    """
    size, last = tree.shape[0], table.shape[1] - 1
    for i in range(values.shape[0]):
        node = 1
        while node < size:
            node = 2 * node + (tree[node] <= values[i])
        table[node - size, y[i]] += weight[i]
        table[node - size, last] += weight[i] * np.floor((values[i] * 0.5 - half_low) * scale + 0.5)


@compiled
def chi_square(table: FloatArray, totals: FloatArray, a: int, b: int) -> float:
    """Return χ² of two intervals, Σ_c (a_c·B − b_c·A)² / ((a_c + b_c)·A·B) with A = Σ a_c, B = Σ b_c.

    This is Kerber's Σ (observed − expected)² / expected. A class absent from both adds nothing. The result is rounded
    to 32 significant bits (Veltkamp's splitting), so that equal statistics are equal in any order of the classes.
    """
    total = 0.0
    for c in range(table.shape[1]):
        both = table[a, c] + table[b, c]
        if both > 0.0:
            difference = table[a, c] * totals[b] - table[b, c] * totals[a]
            total += difference * difference / both
    if total == 0.0:
        return 0.0
    statistic = total / (totals[a] * totals[b])
    shifted = statistic * 2097153.0  # 2²¹ + 1
    rounded: float = shifted - (shifted - statistic)
    return rounded


@compiled
def merge_alike(table: FloatArray, totals: FloatArray, max_bins: int, threshold: float) -> IntArray:
    """Merge neighbours with χ² = 0, the lowest there is, in one pass; return the first value of each interval."""
    values, classes = table.shape
    first = np.empty(values, np.int64)
    n = 0
    for v in range(values):
        alike = n > 0 and (n + values - v > max_bins or threshold >= 0.0)
        for c in range(classes):
            alike = alike and table[n - 1, c] * totals[v] == table[v, c] * totals[n - 1]
        if alike:
            for c in range(classes):
                table[n - 1, c] += table[v, c]
            totals[n - 1] += totals[v]
        else:
            for c in range(classes):
                table[n, c] = table[v, c]
            totals[n], first[n] = totals[v], v
            n += 1
    return first[:n]


@compiled
def merge_intervals(table: FloatArray, max_bins: int, threshold: float) -> IntArray:
    """Merge the adjacent pair with the lowest χ², the leftmost of equals, until none is left; return the intervals.

    Pairs merge while there are more than ``max_bins`` intervals or while the lowest χ² is at most ``threshold``. A
    tournament tree holds the χ² of each interval with the next one; its root is the lowest, and a merge replays
    three leaves: O(d log d) for d values. ``table`` (values, classes) is overwritten. The result is the position of the
    first value of each interval: (intervals,).
    """
    totals = np.zeros(table.shape[0])  # NumPy's sum would take a second to compile
    for v in range(table.shape[0]):
        for c in range(table.shape[1]):
            totals[v] += table[v, c]
    first = merge_alike(table, totals, max_bins, threshold)
    n = first.shape[0]
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
        starts[b] = first[value]
        value = after[value]
    return starts
