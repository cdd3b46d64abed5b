"""Whether a difference is real: one rule."""

import numpy as np
import pytest
from scipy import stats

from atfnb.evaluation.metrics import Difference, balanced_difference, corrected_difference, paired_difference


def test_the_corrected_t_test_agrees_with_its_interval():
    random = np.random.default_rng(0)
    for shift in np.linspace(-0.06, 0.06, 41):
        leads = random.normal(shift, 0.02, 5)
        found = corrected_difference(leads, test_share=1 / 4)
        assert found.low <= found.mean <= found.high
        assert (found.verdict != 0) == (found.low > 0 or found.high < 0)
        plain = corrected_difference(leads, test_share=0.0)
        assert plain.p_value == pytest.approx(stats.ttest_1samp(leads, 0).pvalue)
        assert found.p_value > plain.p_value


def test_two_standard_errors_of_five_folds_are_not_enough():
    leads = 0.02 + 0.02 * np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    found = corrected_difference(leads, test_share=1 / 4)
    error = leads.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert 1.8 * error < found.mean < 2.776 * error
    assert found.verdict == 0
    assert corrected_difference(np.full(5, 0.01), 1 / 4).verdict == 1
    assert corrected_difference(np.full(5, 0.01), 1 / 4, least=0.01).verdict == 0
    assert corrected_difference(np.full(5, 0.66), 1 / 4, least=0.02).verdict == 1
    assert corrected_difference(np.zeros(5), 1 / 4).verdict == 0


def test_mcnemar_is_the_sign_test_of_the_rows_that_only_one_gets_right():
    one, other = np.repeat([True, True, False], [50, 12, 3]), np.repeat([True, False, True], [50, 12, 3])
    found = paired_difference(one, other)
    assert found.mean == pytest.approx(9 / 65)
    assert found.p_value == pytest.approx(2 * stats.binom.sf(11, 15, 0.5))
    assert (found.verdict, found.low > 0) == (1, True)
    assert paired_difference(other, one).verdict == -1
    few = paired_difference(one[48:53], other[48:53])
    assert few.mean > 0.5
    assert (few.verdict, few.low < 0) == (0, True)
    assert paired_difference(one, one) == Difference(0.0, 0.0, 0.0, 1.0)


def test_a_balanced_accuracy_is_not_certain_because_a_class_is_never_found():
    assert balanced_difference(np.array([0, 95]), np.array([5, 95]), 0.5).verdict == 0
    assert balanced_difference(np.array([1, 93]), np.array([5, 95]), 0.5).verdict == 0
    assert balanced_difference(np.array([60, 900]), np.array([100, 950]), 0.5).verdict == 1
    assert balanced_difference(np.array([5, 900]), np.array([100, 1900]), 0.5).verdict == -1


@pytest.mark.parametrize(
    ("rows", "guess", "model"), [(90, 0.35, 0.95), (90, 0.35, 0.99), (500, 0.6, 0.9), (40, 0.5, 0.5)]
)
def test_intervals_on_test_rows_hold_the_true_difference(rows, guess, model):
    random = np.random.default_rng(0)
    held = [
        found.low <= model - guess <= found.high
        for found in (paired_difference(random.random(rows) < model, random.random(rows) < guess) for _ in range(400))
    ]
    assert np.mean(held) > 0.9


def test_intervals_stay_within_what_is_possible():
    found = balanced_difference(np.array([60]), np.array([60]), guess=0.0)
    assert found.high <= 1.0
    found = paired_difference(np.array([True] * 3), np.array([False] * 3))
    assert found.high <= 1.0
