"""Copies of rows, and rows that are equal by chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from atfnb import FusionNB
from atfnb.copies import copies_of, first_copies
from atfnb.evaluation import cross_validate
from atfnb.tables import encode_labels, read_table
from atfnb_study import datasets
from helpers.strategies import mixed_table


def firsts(X, y):
    return first_copies(*copies_of(read_table(X), encode_labels(y)[1], np.ones(len(y))))


@given(mixed_table(), st.integers(2, 4))
def test_equal_rows_have_one_number_and_no_others(case, times):
    X, y, _ = case
    same, copies = copies_of(read_table(X), y, np.ones(len(y)))
    rows = [tuple(map(str, row)) for row in X]
    assert all((rows[i] == rows[j]) == (same[i] == same[j]) for i in range(len(y)) for j in range(i))
    assert all(y[i] == y[j] for i in np.flatnonzero(copies) for j in range(len(y)) if same[i] == same[j])


@given(mixed_table())
def test_a_row_of_weight_two_is_two_copies(case):
    X, y, weight = case
    of_weights = copies_of(read_table(X), y, weight.astype(float))[1]
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = copies_of(read_table([X[i] for i in rows]), y[rows], np.ones(len(rows)))[1]
    np.testing.assert_array_equal(repeated, of_weights[rows])


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_a_table_repeated_whole_is_copies_and_a_few_categories_are_not(columns):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(150, columns)), random.integers(0, 2, 150)
    np.testing.assert_array_equal(firsts(np.repeat(X, 4, axis=0), np.repeat(y, 4)), np.arange(600) // 4 * 4)
    few = random.integers(0, 3, (600, columns)).astype(float)
    np.testing.assert_array_equal(firsts(few, np.repeat(y, 4)), np.arange(600))


def test_gaps_are_equal_to_gaps_only():
    X = [[float(i), i / 3, i / 7, None if i % 2 else "a"] for i in range(200)]
    assert firsts([*X, X[1], [*X[0][:3], None]], np.zeros(202, dtype=int)).tolist()[-2:] == [1, 201]


def test_only_sets_with_repeated_measurements_have_copies():
    for name, copies in {"iris": 0, "titanic": 0, "balance-scale": 0}.items():
        X, y = datasets.load(name)
        assert (firsts(X, y) != np.arange(len(y))).sum() == copies


def test_what_copies_of_noise_know_by_heart_is_no_score_and_no_shrinkage():
    """Rows whose class is drawn, four times each: nothing can be predicted, whatever copies remember."""
    random = np.random.default_rng(0)
    X, y = np.repeat(random.normal(size=(150, 2)), 4, axis=0), np.repeat(random.integers(0, 2, 150), 4)
    found = cross_validate({"FusionNB": FusionNB()}, X, y)
    assert found.copies == 450
    assert found.mean("FusionNB", "accuracy") < 0.65
    fresh = random.normal(size=(1000, 2)), random.integers(0, 2, 1000)
    assert log_loss(fresh[1], FusionNB().fit(X, y).predict_proba(fresh[0])) < 0.8
