"""Loops of the search for the switching factor β: the rows' intervals, their ends in buckets, and the grid."""

from __future__ import annotations

import numpy as np

from atfnb._kernels.compiler import compiled
from atfnb._typing import ClassArray, FloatArray, IntArray


@compiled
def crossing(lead: float, rise: float, lattice: float) -> float:
    """Return lattice · β at the β = −lead / rise where two lines cross, rounded to a multiple of 4."""
    rounded: float = np.floor(-lead / rise * (lattice / 4.0) + 0.5) * 4.0
    return rounded


@compiled
def reach(lines: FloatArray, y: ClassArray, tie: float, lattice: float) -> FloatArray:
    """Return the lowest and the highest β in [0, 1] at which each row is correct: (rows, 2); 1 and 0 where it never is.

    ``lines`` holds K and M of each class: (rows, 2, classes). Row i is correct where β·K_y + M_y is above every other
    line (Eq. 18). Two lines cross at one β, so that is an interval. Lines that differ by at most ``tie`` from β = 0 to
    β = 1 are one line, and the first of their classes is taken.

    A crossing is rounded to a multiple of 4 / lattice, so that crossings that are equal on paper are equal here. At the
    crossing itself the first class is taken as well: the interval of the earlier class ends 1 / lattice beyond the
    crossing, and that of the later class begins there.
    """
    rows, _, classes = lines.shape
    out = np.empty((rows, 2))
    for i in range(rows):
        low, high = 0.0, lattice
        own = y[i]
        for c in range(classes):
            rise = lines[i, 0, own] - lines[i, 0, c]
            lead = lines[i, 1, own] - lines[i, 1, c]
            beyond = 1.0 if c < own else -1.0  # which side of the crossing belongs to the row's own class
            if abs(lead) <= tie and abs(lead + rise) <= tie:
                if c < own:
                    high = -1.0
            elif rise > 0.0:
                low = max(low, crossing(lead, rise, lattice) + beyond)
            elif rise < 0.0:
                high = min(high, crossing(lead, rise, lattice) - beyond)
            elif lead < 0.0:
                high = -1.0
        if low <= 1.0:  # an interval that holds only β = 0, or only β = 1, is not counted
            low = 0.0
        if high >= lattice - 1.0:
            high = lattice
        if low >= high or high <= 1.0 or low >= lattice - 1.0:
            low, high = lattice, 0.0
        out[i, 0], out[i, 1] = low / lattice, high / lattice
    return out


@compiled
def first_buckets(ends: FloatArray, lattice: float, shift: int, buckets: int) -> IntArray:
    """Return the equal buckets in which each interval begins and ends: (rows, 2); −1 where a row has no interval.

    A bucket is a run of 2^shift multiples of 1 / lattice. 0 itself is ``buckets``, and 1 is ``buckets`` + 1.
    """
    out = np.full((ends.shape[0], 2), -1)
    for i in range(ends.shape[0]):
        if ends[i, 0] < ends[i, 1]:
            out[i, 0] = int(ends[i, 0] * lattice) >> shift if ends[i, 0] > 0.0 else buckets
            out[i, 1] = int(ends[i, 1] * lattice) >> shift if ends[i, 1] < 1.0 else buckets + 1
    return out


@compiled
def tally(
    ends: FloatArray, buckets: IntArray, lattice: float, shift: int, narrow: int, weight: FloatArray, into: FloatArray
) -> None:
    """Add the weight of the intervals that begin and that end in each bucket, and the numbers of ends: (4, buckets).

    The last row counts the ends within ``narrow`` multiples of 1 / lattice of the left edge of their bucket.
    ``buckets`` (rows, 2) holds the buckets in which each interval begins and ends; −1 for none.
    """
    for i in range(buckets.shape[0]):
        for end in range(2):
            bucket = buckets[i, end]
            if bucket >= 0:
                into[end, bucket] += weight[i]
                into[2, bucket] += 1.0
                if int(ends[i, end] * lattice) & ((1 << shift) - 1) < narrow:
                    into[3, bucket] += 1.0


@compiled
def weight_correct(lines: FloatArray, y: ClassArray, weight: FloatArray, betas: FloatArray, tie: float) -> FloatArray:
    """Return the weight of the rows that are correct just below each β, at β itself, and just above it: (3, betas).

    At β itself the first of the classes that tie is taken; beside it, the one whose line is then higher.
    """
    correct = np.zeros((3, betas.shape[0]))
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
                    tied = abs(rise) <= tie  # the two lines coincide
                    at = at and c > y[i]
                    below = below and (c > y[i] if tied else rise < 0.0)
                    above = above and (c > y[i] if tied else rise > 0.0)
            correct[0, b] += weight[i] if below else 0.0
            correct[1, b] += weight[i] if at else 0.0
            correct[2, b] += weight[i] if above else 0.0
    return correct
