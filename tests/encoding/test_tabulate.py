"""Tables of values and classes, against NumPy's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from atfnb.encoding.tabulate import class_table, distinct_values, halfway, weighted_mean

numbers = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.0, 1.5]), max_size=40)


@given(numbers, st.integers(1, 9), st.randoms())
def test_a_table_counts_each_value_with_each_class_in_any_order(drawn, n_classes, random):
    values = np.array(drawn)
    y = np.array([random.randrange(n_classes) for _ in drawn], dtype=np.int32)
    expected, position = np.unique(values, return_inverse=True)
    eighths = np.array([random.randrange(1, 9) / 8 for _ in drawn])
    for weight in (np.broadcast_to(1.0, len(values)), np.full(len(values), 0.25), eighths):
        table = np.zeros((len(expected), n_classes))
        np.add.at(table, (position, y), weight)
        order = np.array(random.sample(range(len(values)), len(values)), dtype=np.intp)
        distinct, weights = distinct_values(values[order], weight[order])
        assert_array_equal(distinct, expected)
        assert_array_equal(weights, table.sum(axis=1))
        assert_array_equal(class_table(distinct, values[order], y[order], weight[order], n_classes), table)
        assert not np.signbit(distinct[distinct == 0]).any()


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 1000])
def test_every_value_is_found_in_tables_of_any_length(n):
    distinct = np.arange(float(n))
    y = np.zeros(n, dtype=np.int32)
    assert_array_equal(
        class_table(distinct, distinct[::-1].copy(), y, np.arange(n) + 1.0, 1)[:, 0], np.arange(n, 0, -1)
    )


def test_a_cut_lies_above_the_value_below_it():
    below = np.array([1.0, np.nextafter(1.0, 2.0), 1.7e308])
    above = np.array([np.nextafter(1.0, 2.0), 2.0, 1.75e308])
    cuts = halfway(below, above)
    assert (below < cuts).all()
    assert (cuts <= above).all()


@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.integers(1, 5)), min_size=1, max_size=20, unique_by=lambda pair: pair[0]
    )
)
def test_the_mean_is_that_of_the_rows(pairs):
    distinct, weight = np.array(sorted(pairs), dtype=float).T
    assert weighted_mean(distinct, weight) == pytest.approx(np.repeat(distinct, weight.astype(int)).mean(), abs=1e-12)


def test_the_mean_of_the_largest_numbers_is_found():
    assert weighted_mean(np.array([-1.79e308, 0, 1.79e308]), np.array([3.0, 0, 7])) == pytest.approx(0.4 * 1.79e308)
