"""QSF and SLS against brute force over all breakpoints, in exact fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb.switching import accuracy_at, qsf, reach, sls, step_function, sweep
from atfnb.switching.intervals import NARROW, given_lines, rows_of_lines
from helpers.strategies import examples, tied_lines


def first_argmax(slope, intercept, beta):
    scores = [beta * Fraction(k) + Fraction(m) for k, m in zip(slope, intercept, strict=True)]
    return scores.index(max(scores))


def weight_correct(slope, intercept, y, weight, beta):
    rows = zip(slope, intercept, y, weight, strict=True)
    return sum(w for k, m, c, w in rows if first_argmax(k, m, beta) == c)


def breakpoints(slope, intercept):
    points = {Fraction(0), Fraction(1)}
    for k, m in zip(slope, intercept, strict=True):
        for a in range(len(k)):
            for b in range(a):
                if k[a] != k[b]:
                    points.add((Fraction(m[a]) - Fraction(m[b])) / (Fraction(k[b]) - Fraction(k[a])))
    return sorted(p for p in points if 0 <= p <= 1)


def brute_force(slope, intercept, y, weight):
    """The weight that is right between any two neighbouring crossings, by plain argmax in the middle."""
    gaps = itertools.pairwise(breakpoints(slope, intercept))
    return {gap: weight_correct(slope, intercept, y, weight, sum(gap) / 2) for gap in gaps}


@examples(400)
@given(tied_lines(), st.sampled_from([1.0, 2.0**-10, 2.0**10]))
def test_qsf_is_the_best_of_all_gaps_between_crossings(case, scale):
    slope, intercept, y, weight = case
    found = qsf(slope * scale, intercept * scale, y, weight)
    assert found.accuracy * weight.sum() == pytest.approx(max(brute_force(*case).values()))


@examples(400)
@given(tied_lines())
def test_every_beta_in_an_interval_of_qsf_has_its_accuracy_by_plain_argmax(case):
    found = qsf(*case)
    expected = pytest.approx(found.accuracy * case[-1].sum())
    assert weight_correct(*case, Fraction(found.beta)) == expected
    for low, high in (map(Fraction, interval) for interval in found.intervals):
        assert high - low >= NARROW
        crossings = [point for point in breakpoints(*case[:2]) if low < point < high]
        inside = [low, *crossings, high]
        middles = [(a + b) / 2 for a, b in itertools.pairwise(inside)]
        # at 0 and at 1 lines may tie
        for beta in (*crossings, *middles, *({low, high} - {0, 1})):
            assert weight_correct(*case, beta) == expected


def test_two_rows_that_are_right_together_at_one_beta_only_are_no_answer():
    """Row 0 is right up to β = ½, row 1 from there on; at ½ itself both tie, and the first class is taken."""
    slope, intercept = np.array([[-2.0, 0.0], [2.0, 0.0]]), np.array([[1.0, 0.0], [-1.0, 0.0]])
    found = qsf(slope, intercept, np.array([0, 0]))
    assert found.accuracy == 0.5
    assert len(found.intervals) == 2
    assert sls(slope, intercept, np.array([0, 0]), step=0.5).accuracy == 0.5


def test_two_rows_of_the_same_lines_take_turns_in_one_interval():
    """One row is right up to β = ½ and at it, the other beyond: one of two at every β."""
    slope, intercept = np.array([[-2.0, 0.0]] * 2), np.array([[1.0, 0.0]] * 2)
    found = qsf(slope, intercept, np.array([0, 1]))
    assert (found.beta, found.interval, found.accuracy) == (0.5, (0.0, 1.0), 0.5)


def test_lines_that_differ_only_by_rounding_are_one_line():
    slope, intercept = np.array([[0.3, 0.1 + 0.2]]), np.array([[0.1 + 0.2, 0.3]])
    assert qsf(slope, intercept, np.array([0])).accuracy == 1
    assert qsf(slope, intercept, np.array([1])).accuracy == 0


def test_where_every_point_of_the_grid_is_a_tie_sls_takes_the_best_of_them():
    """Both lines cross at 0 and at 1: there, and nowhere else, both rows are right."""
    slope, intercept = np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 0.0], [-1.0, 0.0]])
    assert qsf(slope, intercept, np.array([0, 0])).accuracy == 0
    assert sls(slope, intercept, np.array([0, 0]), step=1).accuracy == 0.5


@examples(200)
@given(tied_lines())
def test_qsf_keeps_all_the_best_intervals(case):
    slope, intercept, y, weight = case
    found = qsf(slope, intercept, y, weight)
    in_gaps = brute_force(slope, intercept, y, weight)
    best = found.accuracy * weight.sum()
    for (low, high), right in in_gaps.items():
        middle = float(low + high) / 2
        kept = any(a <= middle <= b for a, b in found.intervals)
        assert kept == (right == pytest.approx(best))
    widths = found.intervals[:, 1] - found.intervals[:, 0]
    assert found.interval == tuple(found.intervals[np.argmax(widths)])
    assert (found.intervals[1:, 0] > found.intervals[:-1, 1]).all()


@given(tied_lines())
def test_qsf_is_never_worse_than_a_grid_away_from_crossings(case):
    exact = qsf(*case)
    crossings = breakpoints(*case[:2])
    for step in (0.01, 0.1, 0.25, 1.0):
        found = sls(*case, step=step)
        if Fraction(found.beta) not in crossings:
            assert exact.accuracy >= found.accuracy - 1e-12
        assert weight_correct(*case, Fraction(found.beta)) == pytest.approx(found.accuracy * case[-1].sum())


@given(tied_lines())
def test_the_curve_is_as_high_as_qsf_where_qsf_has_it(case):
    found = qsf(*case)
    rows, total = rows_of_lines(*case)
    reached = reach(rows, given_lines)
    (block,) = reached
    for edges, accuracy in (step_function(block.ends, case[-1]), sweep(reached, total).curve):
        assert accuracy.max() == found.accuracy == accuracy_at(np.array([found.beta]), edges, accuracy)[0]
        assert (np.diff(edges) >= NARROW).all()


@given(tied_lines())
def test_step_function_holds_in_every_gap(case):
    slope, intercept, y, weight = case
    rows, _ = rows_of_lines(slope, intercept, y, weight)
    (block,) = reach(rows, given_lines)
    edges, accuracy = step_function(block.ends, weight)
    in_gaps = brute_force(slope, intercept, y, weight)
    for (low, high), right in in_gaps.items():
        step = np.searchsorted(edges, float(low + high) / 2) - 1
        assert accuracy[step] * weight.sum() == pytest.approx(right)


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
