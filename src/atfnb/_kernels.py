"""The few compiled loops.

Each is a plain loop over plain arrays, compiled by Numba on first use and kept on disk. Importing this
module imports Numba, so the library does it inside the functions that need a loop. All of them let go
of Python's lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
import numpy as np
from numba.core import event

from atfnb._processes import compiling
from atfnb._typing import ByteArray, ClassArray, CodeArray, FloatArray, IntArray

P = ParamSpec("P")
R = TypeVar("R")

ONCE = "compiling the numeric loops, once after installing: some ten seconds"
EACH_TIME = (
    "compiling the numeric loops, some ten seconds in each run, because there is no folder to keep them in: "
    "set NUMBA_CACHE_DIR to one that can be written to"
)


class _WhenCompiling(event.Listener):
    """Says so when a loop is compiled; loops that are found on disk are not."""

    sentence = ONCE

    def on_start(self, event: event.Event) -> None:
        compiling(self.sentence)

    def on_end(self, event: event.Event) -> None:
        pass


_LISTENER = _WhenCompiling()
event.register("numba:compile", _LISTENER)  # type: ignore[no-untyped-call]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop, and keep the machine code on disk where there is a folder to write to."""
    try:
        loop: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # Numba found no writable folder: compile in each process
        _LISTENER.sentence = EACH_TIME
        loop = numba.njit(nogil=True)(function)
    return loop


def reordered(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a sum that may be taken in another order; it is put into the loop that calls it."""
    loop: Callable[P, R] = numba.njit(nogil=True, fastmath={"reassoc"})(function)
    return loop


CHUNK = 1024
"""Rows whose codes, as numbers, stay in the fastest cache."""
LANES = 96
"""Scores, of one row or of several, that are worked on together."""
MANY = 16
"""More classes than these are added up together."""


# --- Codes ---------------------------------------------------------------------------------------


@compiled
def bounds(values: IntArray) -> IntArray:
    """The lowest and the highest whole number of every column: (2, columns)."""
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
def count_integers(values: IntArray, lowest: IntArray, weight: FloatArray, counts: FloatArray) -> None:
    """counts[j, v − lowest_j] += weight for the whole number v in every column j."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            counts[j, values[i, j] - lowest[j]] += weight[i]


@compiled
def look_up(values: IntArray, lowest: IntArray, place: CodeArray, unknown: CodeArray, codes: CodeArray) -> None:
    """Put place[j, v − lowest_j] for the whole number v in every column j; unknown where there is none."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            v = values[i, j] - lowest[j]
            codes[i, j] = place[j, v] if 0 <= v < place.shape[1] else unknown[j]


# --- ChiMerge ------------------------------------------------------------------------------------


@compiled
def tabulate(
    order: IntArray, values: FloatArray, y: ClassArray, weight: FloatArray, distinct: FloatArray, table: FloatArray
) -> int:
    """Put the distinct values, in order, and the weight of each with every class; how many there are."""
    n = -1
    for i in order:
        if n < 0 or values[i] != distinct[n]:
            n += 1
            distinct[n] = values[i]
        table[n, y[i]] += weight[i]
    return n + 1


@compiled
def merge_classes(values: FloatArray, ends: IntArray, weight: float, distinct: FloatArray, table: FloatArray) -> int:
    """Put the same for rows of one weight; the numbers of class c stand in order from ends[c] to ends[c + 1]."""
    classes = ends.shape[0] - 1
    at = ends[:-1].copy()  # how far each class has come
    n, done = 0, 0
    while done < values.shape[0]:
        lowest = np.inf
        for c in range(classes):
            if at[c] < ends[c + 1] and values[at[c]] < lowest:
                lowest = values[at[c]]
        distinct[n] = lowest
        for c in range(classes):
            first = at[c]
            while at[c] < ends[c + 1] and values[at[c]] == lowest:
                at[c] += 1
            table[n, c] = (at[c] - first) * weight
            done += at[c] - first
        n += 1
    return n


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
    if total == 0.0:
        return 0.0
    statistic = total / (totals[a] * totals[b])
    shifted = statistic * 2097153.0  # 2²¹ + 1
    rounded: float = shifted - (shifted - statistic)
    return rounded


@compiled
def merge_alike(table: FloatArray, totals: FloatArray, max_bins: int, threshold: float) -> IntArray:
    """Merge neighbours with χ² = 0, which come first, in one pass from the left; the first value of each interval."""
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
    """Merge the adjacent pair with the lowest χ², the leftmost of equals, until none is left to merge.

    Pairs merge while there are more than ``max_bins`` intervals or while the lowest χ² is at most ``threshold``. A
    tournament tree holds the χ² of each interval with the next one; its root is the lowest, and a merge replays
    three leaves: O(d log d) for d values. ``table`` (values × classes) is used up. The result is the first value of
    each interval.
    """
    totals = np.zeros(table.shape[0])
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


@reordered
def dot(a: FloatArray, b: FloatArray) -> float:
    """Σ a·b, in vector registers. With whole weights the sum is exact in any order."""
    total = 0.0
    for r in range(a.shape[0]):
        total += a[r] * b[r]
    return total


@compiled
def cross_moments(codes: CodeArray, n_values: IntArray, weight: FloatArray, moments: FloatArray) -> None:
    """Σw, Σw·x_i, Σw·x_i², Σw·x_i·x_j over the rows that know both codes: (4, attributes, attributes)."""
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


# --- Scores and the switching factor ---------------------------------------------------------------


@compiled
def add_up(codes: CodeArray, offsets: IntArray, table: FloatArray, start: FloatArray) -> FloatArray:
    """start_c + Σ_j table[x_j, c] for every row: (rows, classes).

    ``table`` is padded to a multiple of four columns. They are added up four at a time, in registers; where there are
    many, all of them for one value after the other, several at once.
    """
    rows, attributes = codes.shape
    classes = start.shape[0]
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
                out[i, c] = start[c] + sums[c]
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
            out[i, c] = start[c] + s0
            if c + 1 < classes:
                out[i, c + 1] = start[c + 1] + s1
            if c + 2 < classes:
                out[i, c + 2] = start[c + 2] + s2
            if c + 3 < classes:
                out[i, c + 3] = start[c + 3] + s3
    return out


@compiled
def first_highest(scores: FloatArray, tie: float) -> ClassArray:
    """The class with the highest score of each row; the first of those less than ``tie`` below it."""
    out = np.empty(scores.shape[0], np.int32)
    for i in range(scores.shape[0]):
        highest = scores[i, 0]
        for c in range(1, scores.shape[1]):
            highest = max(highest, scores[i, c])
        c = 0
        while scores[i, c] < highest - tie:
            c += 1
        out[i] = c
    return out


@compiled
def reach(lines: FloatArray, y: ClassArray, tie: float, lattice: float) -> FloatArray:
    """Return the lowest and the highest β in [0, 1] at which each row is right: (rows, 2); 1 and 0 where none is.

    ``lines`` holds K and M of each class: (rows, 2, classes). Row i is right where β·K_y + M_y beats every other
    line (Eq. 18); two lines cross at one β, so that is an interval. Lines that differ by at most ``tie`` from β = 0 to
    β = 1 are one line, and the first of their classes is taken.

    A crossing is rounded to a multiple of 4 / lattice, so that crossings that are equal on paper are equal here. There
    the first class is taken as well: the interval of the earlier class ends 1 / lattice beyond the crossing, and that
    of the later class begins there.
    """
    rows, _, classes = lines.shape
    out = np.empty((rows, 2))
    quarter = lattice / 4.0
    for i in range(rows):
        low, high = 0.0, lattice
        own = y[i]
        own_slope, own_intercept = lines[i, 0, own], lines[i, 1, own]
        for c in range(classes):
            rise = own_slope - lines[i, 0, c]
            lead = own_intercept - lines[i, 1, c]
            if abs(lead) <= tie and abs(lead + rise) <= tie:
                if c < own:
                    high = -1.0
            elif rise > 0.0:
                low = max(low, np.floor(-lead / rise * quarter + 0.5) * 4.0 + (1.0 if c < own else -1.0))
            elif rise < 0.0:
                high = min(high, np.floor(-lead / rise * quarter + 0.5) * 4.0 - (1.0 if c < own else -1.0))
            elif lead < 0.0:
                high = -1.0
        if low <= 1.0:  # what happens in 0 and in 1 alone is not counted
            low = 0.0
        if high >= lattice - 1.0:
            high = lattice
        if low >= high or high <= 1.0 or low >= lattice - 1.0:
            low, high = lattice, 0.0
        out[i, 0], out[i, 1] = low / lattice, high / lattice
    return out


@compiled
def cell_of(end: float, lattice: float, shift: int, cells: int) -> int:
    """In which of equal cells of (0, 1) an end of an interval lies; 0 itself is ``cells``, and 1 is ``cells`` + 1.

    A cell is a run of 2^shift multiples of 1 / lattice.
    """
    if end == 0.0:
        return cells
    if end == 1.0:
        return cells + 1
    return int(end * lattice) >> shift


@compiled
def first_cells(ends: FloatArray, lattice: float, shift: int, cells: int) -> IntArray:
    """In which of equal cells each interval begins and ends: (rows, 2); −1 where there is none."""
    out = np.full((ends.shape[0], 2), -1)
    for i in range(ends.shape[0]):
        if ends[i, 0] < ends[i, 1]:
            for end in range(2):
                out[i, end] = cell_of(ends[i, end], lattice, shift, cells)
    return out


@compiled
def tally_first(
    ends: FloatArray, lattice: float, shift: int, narrow: int, weight: FloatArray, into: FloatArray
) -> None:
    """Add what :func:`tally` adds, for the cells of :func:`first_cells`."""
    for i in range(ends.shape[0]):
        if ends[i, 0] < ends[i, 1]:
            for end in range(2):
                cell = cell_of(ends[i, end], lattice, shift, into.shape[1] - 2)
                into[end, cell] += weight[i]
                into[2, cell] += 1.0
                if int(ends[i, end] * lattice) & ((1 << shift) - 1) < narrow:
                    into[3, cell] += 1.0


@compiled
def tally(
    ends: FloatArray, cells: IntArray, lattice: float, shift: int, narrow: int, weight: FloatArray, into: FloatArray
) -> None:
    """Add the weight of the intervals that begin, and that end, in each cell, and how many ends that is: (4, cells).

    The last row counts the ends within ``narrow`` multiples of 1 / lattice of the left edge of their cell, which is a
    run of 2^shift multiples. ``cells`` (rows, 2) holds the cells in which each interval begins and ends; −1 is none.
    """
    for i in range(cells.shape[0]):
        for end in range(2):
            cell = cells[i, end]
            if cell >= 0:
                into[end, cell] += weight[i]
                into[2, cell] += 1.0
                if int(ends[i, end] * lattice) & ((1 << shift) - 1) < narrow:
                    into[3, cell] += 1.0


@compiled
def right_at(lines: FloatArray, y: ClassArray, weight: FloatArray, betas: FloatArray, tie: float) -> FloatArray:
    """Return the weight of the rows that are right just below each β, at β itself, and just above it: (3, betas).

    At β itself the first of the classes that tie is taken; beside it, the one whose line is then higher.
    """
    right = np.zeros((3, betas.shape[0]))
    for b in range(betas.shape[0]):
        beta = betas[b]
        for i in range(lines.shape[0]):
            own_slope = lines[i, 0, y[i]]
            own = beta * own_slope + lines[i, 1, y[i]]
            below, at, above = True, True, True
            for c in range(lines.shape[2]):
                lead = own - (beta * lines[i, 0, c] + lines[i, 1, c])
                if lead < -tie:
                    below, at, above = False, False, False
                    break
                if lead <= tie and c != y[i]:
                    rise = own_slope - lines[i, 0, c]
                    tied = abs(rise) <= tie  # one line
                    at = at and c > y[i]
                    below = below and (c > y[i] if tied else rise < 0.0)
                    above = above and (c > y[i] if tied else rise > 0.0)
            if below:
                right[0, b] += weight[i]
            if at:
                right[1, b] += weight[i]
            if above:
                right[2, b] += weight[i]
    return right


# --- Fusion --------------------------------------------------------------------------------------


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


# --- Text ----------------------------------------------------------------------------------------


@compiled
def row_end(text: ByteArray, delimiter: int, state: int) -> tuple[int, int]:
    """Where the first row ends (−1: nowhere), and the state after the text, which began in a state.

    States: 0 a cell begins; 1 inside one; 2 inside a quoted one; 3 after a quotation mark there, which closes the cell
    unless another follows. A mark opens a cell only where it begins, and only outside of quotes does a line end.
    """
    first = -1
    for i in range(len(text)):
        byte = text[i]
        if state == 2:
            if byte == 34:
                state = 3
        elif byte == 34 and state != 1:
            state = 2
        elif byte == 10 or byte == 13:
            state = 0
            if first < 0:
                first = i + 1
        else:
            state = 0 if byte == delimiter else 1
    return first, state
