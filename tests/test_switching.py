"""QSF against brute force over all breakpoints, in exact fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atfnb._pieces import KeptPieces
from atfnb.likelihood import TIE
from atfnb.switching import Reach, accuracy_at, qsf, reach, search, sls, step_function, sweep
from atfnb.switching.intervals import LATTICE, NOTHING
from strategies import tied_lines


def first_argmax(slope, intercept, beta, tie):
    scores = [beta * Fraction(k) + Fraction(m) for k, m in zip(slope, intercept, strict=True)]
    return next(c for c, score in enumerate(scores) if score >= max(scores) - Fraction(tie))


def weight_right(slope, intercept, y, weight, beta, tie=0):
    rows = zip(slope, intercept, y, weight, strict=True)
    return sum(w for k, m, c, w in rows if first_argmax(k, m, beta, tie) == c)


def breakpoints(slope, intercept):
    points = {Fraction(0), Fraction(1)}
    for k, m in zip(slope, intercept, strict=True):
        for a in range(len(k)):
            for b in range(a):
                if k[a] != k[b]:
                    points.add(Fraction(m[a] - m[b]) / Fraction(k[b] - k[a]))
    return sorted(p for p in points if 0 <= p <= 1)


def brute_force(slope, intercept, y, weight):
    """The highest weight, where it is reached: every breakpoint, and the middle of every gap."""
    points = breakpoints(slope, intercept)
    gaps = [(a, b) for a, b in itertools.pairwise(points)]
    at_points = {p: weight_right(slope, intercept, y, weight, p) for p in points}
    in_gaps = {gap: weight_right(slope, intercept, y, weight, sum(gap) / 2) for gap in gaps}
    return at_points, in_gaps


@settings(max_examples=400)
@given(tied_lines())
def test_qsf_is_the_best_of_all_gaps_and_tied_points(case):
    slope, intercept, y, weight = case
    found = qsf(slope, intercept, y, weight)
    at_points, in_gaps = brute_force(slope, intercept, y, weight)
    total = weight.sum()
    best = max(*in_gaps.values(), *at_points.values())
    assert found.accuracy * total >= best - 1e-9
    if found.interval[1] - found.interval[0] > 1e-6:  # narrower ones may owe their height to a tie next to another
        assert found.accuracy * total == pytest.approx(best)
    # what it promises is what argmax gives
    assert weight_right(slope, intercept, y, weight, Fraction(found.beta), TIE) == pytest.approx(found.accuracy * total)


@settings(max_examples=200)
@given(tied_lines())
def test_qsf_keeps_all_the_best_intervals(case):
    slope, intercept, y, weight = case
    found = qsf(slope, intercept, y, weight)
    _, in_gaps = brute_force(slope, intercept, y, weight)
    best = found.accuracy * weight.sum()
    for (low, high), right in in_gaps.items():
        middle = float(low + high) / 2
        kept = any(a <= middle <= b for a, b in found.intervals)
        assert kept == (right == pytest.approx(best))
    widths = found.intervals[:, 1] - found.intervals[:, 0]
    assert found.interval == tuple(found.intervals[np.argmax(widths)])
    assert (found.intervals[1:, 0] > found.intervals[:-1, 1]).all()


@given(tied_lines())
def test_qsf_is_never_worse_than_a_grid(case):
    exact = qsf(*case)
    for step in (0.01, 0.1, 0.25, 1.0):
        assert exact.accuracy >= sls(*case, step=step).accuracy - 1e-12


@given(tied_lines())
def test_step_function_holds_in_every_gap(case):
    slope, intercept, y, weight = case
    rows, _ = search._from_arrays(slope, intercept, y, weight)
    (block,) = reach(rows, search._lines)
    edges, accuracy = step_function(block.ends, weight)
    _, in_gaps = brute_force(slope, intercept, y, weight)
    for (low, high), right in in_gaps.items():
        step = np.searchsorted(edges, float(low + high) / 2) - 1
        assert accuracy[step] * weight.sum() == pytest.approx(right)


def in_pieces(ends, weight, sizes=(5000,)):
    """The intervals of rows, cut after so many rows each."""
    cuts = np.cumsum(sizes)[:-1]
    pieces = [Reach(e, w) for e, w in zip(np.split(ends, cuts), np.split(weight, cuts), strict=True)]
    return KeptPieces(pieces, len(ends))


def random_intervals(rows, seed=1):
    """Some begin at 0, some end at 1, some rows have none."""
    rng = np.random.default_rng(seed)
    ends = np.sort(np.round(rng.random((rows, 2)) * LATTICE) / LATTICE, axis=1)
    ends[rng.random(rows) < 0.2, 0], ends[rng.random(rows) < 0.2, 1] = 0.0, 1.0
    ends[::7] = (1.0, 0.0)
    return ends, rng.integers(1, 4, rows).astype(float)


def assert_same(one, other):
    assert one.beta == other.beta
    assert one.accuracy == other.accuracy
    np.testing.assert_array_equal(one.intervals, other.intervals)


def test_coarse_and_full_sweep_agree(monkeypatch):
    ends, weight = random_intervals(5000)
    coarse = sweep(in_pieces(ends, weight), weight.sum()).found
    monkeypatch.setattr("atfnb.switching.sweeping.ROWS_PER_CELL", 10**9)
    assert_same(sweep(in_pieces(ends, weight), weight.sum()).found, coarse)


def highest_gaps(ends, weight):
    """Brute force: the coverage of every gap between two ends, counted; the highest, joined where they touch."""
    points = np.unique(ends[ends[:, 0] < ends[:, 1]])
    covers = (ends[:, :1] <= points[:-1]) & (ends[:, 1:] >= points[1:])
    covered = weight @ covers
    best = np.flatnonzero(covered == covered.max())
    intervals = [[points[best[0]], points[best[0] + 1]]]
    for gap in best[1:]:
        if points[gap] <= intervals[-1][1] + NOTHING:
            intervals[-1][1] = points[gap + 1]
        else:
            intervals.append([points[gap], points[gap + 1]])
    return np.array(intervals), covered.max() / weight.sum()


@pytest.mark.parametrize("bits", [1, 3, 16])
@pytest.mark.parametrize("crowd", [1.0, 2.0**-12, 2.0**-30, 2.0**-38])
def test_where_too_many_ends_share_the_open_cells_these_are_cut_again(monkeypatch, bits, crowd):
    """Ends that crowd around one β, down to a few multiples of 2⁻⁴⁰, many of them equal."""
    monkeypatch.setattr("atfnb.switching.sweeping.MAX_ENDS", 20)
    monkeypatch.setattr("atfnb.switching.sweeping.MAX_BITS", bits)
    ends, weight = random_intervals(3000)
    crowded = np.where(ends[:, :1] < ends[:, 1:], 0.3 + crowd * (ends - 0.3), ends)
    crowded = np.where(ends[:, :1] < ends[:, 1:], np.round(crowded * LATTICE) / LATTICE, ends)
    found = sweep(in_pieces(crowded, weight), weight.sum()).found
    intervals, accuracy = highest_gaps(crowded, weight)
    assert found.accuracy == accuracy
    np.testing.assert_array_equal(found.intervals, intervals)
    monkeypatch.setattr("atfnb.switching.sweeping.MAX_ENDS", 10**9)
    assert_same(sweep(in_pieces(crowded, weight), weight.sum()).found, found)


def test_ends_at_0_and_at_1_are_never_too_many(monkeypatch):
    """Where the best reaches the edge, as many ends as rows are there: they are counted, not looked at."""
    monkeypatch.setattr("atfnb.switching.sweeping.MAX_ENDS", 20)
    ends = np.column_stack([np.zeros(1000), np.ones(1000)])
    ends[:9, 0] = 0.5
    found = sweep(in_pieces(ends, np.ones(1000), (1000,)), 1000.0)
    assert found.found.interval == (0.5, 1.0)
    assert len(found.first.cells.shifts) == 1
    assert sweep(in_pieces(ends[9:], np.ones(991), (991,)), 991.0).found.interval == (0.0, 1.0)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=8), st.integers(0, 99))
def test_any_partitioning_of_the_rows_has_the_same_best(sizes, seed):
    rows = max(sum(sizes), 1)
    ends, weight = random_intervals(rows, seed)
    whole = sweep(in_pieces(ends, weight, (rows,)), weight.sum())
    parts = sweep(in_pieces(ends, weight, sizes if sum(sizes) else (1,)), weight.sum())
    assert_same(whole.found, parts.found)


def test_the_coarse_curve_is_exact_at_the_lines_and_where_it_is_highest():
    ends, weight = random_intervals(20_000)
    swept = sweep(in_pieces(ends, weight), weight.sum())
    edges, accuracy = step_function(ends, weight)
    coarse_edges, coarse = swept.curve
    assert coarse.max() == accuracy.max() == swept.found.accuracy
    lines = swept.first.cells.firsts[1:] / LATTICE
    np.testing.assert_array_equal(accuracy_at(lines, coarse_edges, coarse), accuracy_at(lines - 1e-13, edges, accuracy))
    assert len(coarse) < len(accuracy) / 10


def test_the_coarse_sweep_opens_few_cells():
    ends, weight = random_intervals(200_000)
    swept = sweep(in_pieces(ends, weight, (200_000,)), weight.sum())
    assert swept.first.is_open.mean() < 0.2
    assert len(swept.edge) < len(ends) / 4


def test_a_row_that_is_never_right():
    found = qsf(np.zeros((1, 2)), np.array([[1.0, 0.0]]), np.array([1]))
    assert found.accuracy == 0
    assert found.interval == (0.0, 1.0)


def test_ties_go_to_the_first_class():
    same = np.zeros((2, 3))
    assert qsf(same, same, np.array([0, 0])).accuracy == 1
    assert qsf(same, same, np.array([1, 2])).accuracy == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((2, 2)), np.zeros((3, 2)), [0, 1]), r"slope and intercept must be \(rows, classes\)"),
        ((np.zeros((2, 2)), np.zeros((2, 2)), [0, 2]), "a whole number from 0 to 1"),
        ((np.zeros((2, 2)), np.zeros((2, 2)), [0, 1], [1, -1]), "negative in row 1"),
        ((np.zeros((2, 2)), np.zeros((2, 2)), [np.nan, 0]), "a whole number from 0 to 1"),
        ((np.array([[0, np.nan], [0, 0]]), np.zeros((2, 2)), [0, 1]), "NaN or infinite in row 0"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        qsf(*arguments)


def test_bad_step():
    with pytest.raises(ValueError, match="step must be a number"):
        sls(np.zeros((1, 2)), np.zeros((1, 2)), [0], step=0)
