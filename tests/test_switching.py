"""QSF against brute force over all breakpoints, in exact fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from atfnb.likelihood import TIE
from atfnb.switching import qsf, sls, step_function, sweep
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
    from atfnb.switching import _from_arrays, reach

    slope, intercept, y, weight = case
    lines, codes, _ = _from_arrays(slope, intercept, y, weight)
    edges, accuracy = step_function(reach(lines, codes), weight)
    _, in_gaps = brute_force(slope, intercept, y, weight)
    for (low, high), right in in_gaps.items():
        step = np.searchsorted(edges, float(low + high) / 2) - 1
        assert accuracy[step] * weight.sum() == pytest.approx(right)


def test_coarse_and_full_sweep_agree(monkeypatch):
    rng = np.random.default_rng(1)
    ends = np.sort(rng.random((5000, 2)), axis=1)
    ends[::7] = (1.0, 0.0)
    weight = rng.integers(1, 4, 5000).astype(float)
    coarse = sweep(ends, weight)
    monkeypatch.setattr("atfnb.switching.ROWS_PER_CELL", 10**9)
    full = sweep(ends, weight)
    assert coarse.beta == full.beta
    assert coarse.accuracy == full.accuracy
    np.testing.assert_array_equal(coarse.intervals, full.intervals)


def test_the_coarse_sweep_opens_few_cells():
    from atfnb.switching import _open_cells

    rng = np.random.default_rng(1)
    ends = np.sort(rng.random((200_000, 2)), axis=1)
    is_open, _ = _open_cells(ends, np.ones(200_000), 3000)
    assert is_open.mean() < 0.2


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
