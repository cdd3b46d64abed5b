"""The sets by size: laws first, then the paper's T13 to T15."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from atfnb_study.divisions import beta_marks, by_beta, by_size, divisions
from atfnb_study.published import number_columns, table
from atfnb_study.statistics import good_win_loss
from helpers.strategies import accuracy_tables

FOUR = ["ATFNB", "WNB", "CFW", "NB"]


@given(accuracy_tables(), st.data())
def test_divisions_share_the_sets(accuracy, data):
    n = len(accuracy)
    instances = data.draw(arrays(np.int64, n, elements=st.integers(498, 502)))
    attributes = data.draw(arrays(np.int64, n, elements=st.integers(13, 17)))
    shares = by_size(accuracy, instances, attributes, reference=0)
    assert [s.division for s in shares] == list(divisions(instances, attributes))
    for part in (shares[:2], shares[2:4], shares[4:]):
        assert sorted(k for s in part for sets in s.sets.values() for k in sets) == list(range(n))
        assert sum(s.counts["reference"] for s in part) == good_win_loss(accuracy, reference=0).good[0]
    for s in shares:
        assert math.isnan(s.percent["others"]) if s.number == 0 else sum(s.percent.values()) == pytest.approx(100)


def test_an_interval_that_touches_one_half_contains_it():
    assert beta_marks([[0.5, 0.6], [0.4, 0.5], [0.0, 1.0]]).tolist() == ["contains"] * 3


def test_the_best_by_size_are_the_papers_but_for_one_row():
    """56.25 and 43.75 % cannot come from 27 sets; they are 15 and 12, 55.56 and 44.44 %."""
    expected = [[row["division"], row["number"], row["ATFNB"], row["competitors"]] for row in table("T13")]
    assert expected[1] == ["instances ≥ 500", 27, 56.25, 43.75]
    expected[1][2:] = 55.56, 44.44
    shares = by_size(number_columns("T5", FOUR), *number_columns("T2", ["instances", "attributes"]).T, reference=0)
    assert [[s.division, s.number, *(round(p, 2) for p in s.percent.values())] for s in shares] == expected


def test_marks_are_the_papers_but_for_aggregation():
    """The paper marks aggregation, 0.5529 to 0.8832, as containing 0.5."""
    marks = beta_marks(number_columns("T14", ["low", "high"]))
    other = [
        (row["set"], mark, row["mark"]) for row, mark in zip(table("T14"), marks, strict=True) if row["mark"] != mark
    ]
    assert other == [("aggregation", "above", "contains")]


def test_beta_by_size_is_the_papers_but_for_two_last_digits():
    """The paper prints 6.66 for 1 of 15 and 45.46 for 5 of 11, so that its lines add up to 100."""
    marks = [row["mark"] for row in table("T14")]
    assert [marks.count(mark) for mark in ("above", "below", "contains")] == [11, 23, 16]  # Section 5.2
    expected = [list(row.values()) for row in table("T15")]
    assert (expected[4][2], expected[7][4]) == (6.66, 45.46)
    expected[4][2], expected[7][4] = 6.67, 45.45
    shares = by_beta(marks, *number_columns("T2", ["instances", "attributes"]).T)
    assert [[s.division, s.number, *(round(p, 2) for p in s.percent.values())] for s in shares] == expected
