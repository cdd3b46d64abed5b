"""Histograms and series: how rows and classes are drawn."""

import numpy as np

from atfnb.report.attributes import BARS, histogram, series_of


def test_whole_numbers_have_a_bar_each_and_far_values_share_the_last():
    few = histogram(np.array([1, 2, 2, 55]), np.zeros(4, dtype=int), 1)
    assert len(few["counts"]) <= BARS
    many = np.concatenate([np.tile(np.arange(5), 200), [1000]])
    found = histogram(many, np.zeros(1001, dtype=int), 1)
    assert (found["low"], found["high"]) == (-0.5, 4.5)
    assert (found["below"], found["above"]) == (False, True)
    assert found["counts"] == [200, 200, 200, 200, 201]


def test_the_frequent_classes_have_series_of_their_own():
    assert series_of(np.array([1.0, 5, 1, 5, 5, 5, 5, 5, 5, 5, 9])).tolist() == [8, 0, 8, 1, 2, 3, 4, 5, 6, 8, 7]
