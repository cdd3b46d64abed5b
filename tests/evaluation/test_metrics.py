"""Log-loss, Brier score, reliability and confusions, against scikit-learn's and against counting by hand."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import label_binarize

from atfnb.evaluation import Difference, Measured
from atfnb.evaluation.metrics import BINS, FLOOR, brier, is_uneven, log_loss, over_classes, reliability

CLASSES = np.array(["a", "b", "c"])
GIVEN = np.array([[0.9, 0.1], [0.4, 0.6], [1.0, 0.0], [0.25, 0.75]])  # by a model that never saw "b"
TRUTH = np.array(["a", "b", "c", "c"])
Y = np.searchsorted(CLASSES, TRUTH)


def test_a_class_missing_in_training_gets_the_smallest_probability():
    p = over_classes(GIVEN, np.array(["a", "c"]), CLASSES)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-15)
    assert p[1, 1] == pytest.approx(FLOOR)
    assert p[2, 2] == pytest.approx(FLOOR)
    np.testing.assert_allclose(p[:, [0, 2]], GIVEN, atol=1e-14)


def test_log_loss_and_brier_are_those_by_hand_and_of_scikit_learn():
    p = over_classes(GIVEN, np.array(["a", "c"]), CLASSES)
    by_hand = -(np.log(0.9) + 2 * np.log(1e-15) + np.log(0.75)) / 4
    assert log_loss(p, Y) == pytest.approx(by_hand, rel=1e-12)
    assert log_loss(p, Y) == pytest.approx(sklearn.metrics.log_loss(TRUTH, p, labels=CLASSES), rel=1e-12)
    by_hand = ((0.1**2 + 0.1**2) + (0.4**2 + 1 + 0.6**2) + (1 + 1) + (0.25**2 + 0.25**2)) / 4
    assert brier(p, Y) == pytest.approx(by_hand, rel=1e-12)
    squared = sklearn.metrics.mean_squared_error(label_binarize(TRUTH, classes=CLASSES), p)
    assert brier(p, Y) == pytest.approx(len(CLASSES) * squared, rel=1e-12)


def test_the_arrays_that_come_in_stay_as_they_are():
    p = over_classes(GIVEN, np.array(["a", "c"]), CLASSES)
    before = p.copy()
    brier(p, Y)
    np.testing.assert_array_equal(p, before)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
def test_the_bins_hold_every_row_once(rows):
    highest, right = np.array([h for h, _ in rows]), np.array([r for _, r in rows])
    bins = reliability(highest, right)
    assert bins.shape == (BINS, 3)
    np.testing.assert_allclose(bins.sum(axis=0), [len(rows), highest.sum(), right.sum()], rtol=1e-12, atol=1e-12)
    full = bins[:, 0] > 0
    mean = bins[full, 1] / bins[full, 0]
    edges = np.arange(BINS)[full] / BINS
    assert (mean >= edges - 1e-9).all()
    assert (mean <= edges + 1 / BINS + 1e-9).all()


def test_an_edge_belongs_to_the_bin_above_whatever_the_last_bit():
    highest = np.array([0.7, np.nextafter(0.7, 0), 1.0])
    bins = reliability(highest, np.array([True, True, False]))
    np.testing.assert_array_equal(bins[[6, 7, 9], 0], [0, 2, 1])


@pytest.mark.parametrize(
    ("rows", "uneven"),
    [([50, 50], False), ([75, 25], False), ([76, 24], True), ([40, 40, 20, 0], False), ([33, 33, 33, 4], True)],
)
def test_classes_are_uneven_by_one_rule(rows, uneven):
    assert is_uneven(np.array(rows)) is uneven


def test_the_most_frequent_mistakes_come_first_and_there_are_no_others():
    confusion = np.array([[9, 2, 0], [5, 7, 0], [0, 3, 8]])
    over = Difference(0.0, 0.0, 0.0, 1.0)
    found = Measured(
        ("a", "b", "c"), confusion, np.ones((BINS, 3)), 0.7, np.ones(3), 0.1, "a", 0.3, 0.3, 0.5, over, over
    )
    assert found.mistakes(10) == [(1, 0, 5), (2, 1, 3), (0, 1, 2)]
    assert found.mistakes(1) == [(1, 0, 5)]


def test_the_calibration_error_is_how_far_the_bins_are_off_on_average():
    bins = np.zeros((BINS, 3))
    bins[5], bins[9] = (10, 5.5, 4), (30, 28.5, 30)
    over = Difference(0.0, 0.0, 0.0, 1.0)
    found = Measured(("a",), np.array([[40]]), bins, 1.0, np.ones(1), 0.1, "a", 1.0, 1.0, 0.0, over, over)
    assert found.calibration_error == pytest.approx((10 * abs(0.4 - 0.55) + 30 * abs(1.0 - 0.95)) / 40)
