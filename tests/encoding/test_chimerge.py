import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, chi2_contingency

from atfnb import ChiMerge
from atfnb._kernels.encoding import chi_square
from atfnb.encoding import chimerge
from helpers.strategies import examples


def exact_chi_square(a, b):
    """Σ (observed − expected)² / expected, in fractions; a class absent from both adds nothing."""
    rows = [Fraction(int(sum(a))), Fraction(int(sum(b)))]
    total = Fraction(0)
    for c in range(len(a)):
        both = Fraction(int(a[c] + b[c]))
        if both:
            for row, observed in zip(rows, (a[c], b[c]), strict=True):
                expected = row * both / sum(rows)
                total += (int(observed) - expected) ** 2 / expected
    return total


def plain_chimerge(table, max_bins, threshold=-1.0):
    """The algorithm as Kerber tells it: look at all pairs, merge the lowest, the leftmost of equals."""
    intervals = [(v, list(row)) for v, row in enumerate(table)]
    while len(intervals) > 1:
        chis = [exact_chi_square(a, b) for (_, a), (_, b) in itertools.pairwise(intervals)]
        lowest = min(range(len(chis)), key=chis.__getitem__)
        if len(intervals) <= max_bins and chis[lowest] > threshold:
            break
        (start, a), (_, b) = intervals[lowest], intervals.pop(lowest + 1)
        intervals[lowest] = (start, [x + y for x, y in zip(a, b, strict=True)])
    return [start for start, _ in intervals]


tables = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any), min_size=1, max_size=14)
)


@examples(300)
@given(tables, st.integers(2, 6))
def test_the_lowest_pair_merges_first_the_leftmost_of_equals(table, max_bins):
    assert chimerge(np.array(table, dtype=float), max_bins).tolist() == plain_chimerge(table, max_bins)


@given(tables, st.sampled_from([0.5, 0.1, 0.01]))
def test_significance_merges_while_neighbours_do_not_differ(table, significance):
    threshold = chi2.isf(significance, len(table[0]) - 1)
    ours = chimerge(np.array(table, dtype=float), None, significance)
    assert ours.tolist() == plain_chimerge(table, len(table), threshold)


def test_a_table_worked_by_hand():
    # Kerber's statistic for (4, 0) and (1, 3): rows 4 and 4, columns 5 and 3, expected 2.5 and 1.5 each.
    # (4-2.5)²/2.5 + (0-1.5)²/1.5 + (1-2.5)²/2.5 + (3-1.5)²/1.5 = 0.9 + 1.5 + 0.9 + 1.5 = 4.8
    table = np.array([[4.0, 0.0], [1.0, 3.0]])
    assert chi_square(table, table.sum(axis=1), 0, 1) == pytest.approx(4.8, rel=1e-9)
    # (4,0)|(3,0) merge at 0; (7,0)|(1,3) is 6.59 and (1,3)|(0,5) is 1.41, so those merge next
    assert chimerge(np.array([[4.0, 0], [3, 0], [1, 3], [0, 5]]), 2).tolist() == [0, 2]


@given(st.lists(st.integers(0, 50), min_size=6, max_size=6))
def test_chi_square_is_that_of_scipy(cells):
    table = np.array(cells, dtype=float).reshape(2, 3)
    if table.sum(axis=1).all() and table.sum(axis=0).all():
        expected = chi2_contingency(table, correction=False).statistic
        assert_allclose(chi_square(table, table.sum(axis=1), 0, 1), expected, rtol=1e-8, atol=1e-12)


def test_few_values_are_kept():
    fitted = ChiMerge(max_bins=3).fit([[1.0], [1.0], [2.0], [4.0]], [0, 1, 0, 1])
    assert_array_equal(fitted.cuts_[0], [1.5, 3.0])
    assert_array_equal(fitted.transform([[0.0], [1.5], [2.9], [99.0]])[:, 0], [0, 1, 1, 2])


def test_neighbouring_floats_are_told_apart():
    x = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert_array_equal(ChiMerge().fit(x[:, None], [0, 1]).transform(x[:, None])[:, 0], [0, 1])
    huge = np.array([[1.7e308], [1.75e308]])
    assert_array_equal(ChiMerge().fit(huge, [0, 1]).transform(huge)[:, 0], [0, 1])


def test_weights_are_repetition():
    rng = np.random.default_rng(0)
    X, y, w = rng.random((60, 2)).round(1), rng.integers(0, 3, 60), rng.integers(0, 4, 60)
    weighted = ChiMerge(max_bins=4).fit(X, y, sample_weight=w)
    repeated = ChiMerge(max_bins=4).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    for a, b in zip(weighted.cuts_, repeated.cuts_, strict=True):
        assert_array_equal(a, b)


def test_more_intervals_than_a_machine_can_count_are_no_limit():
    assert chimerge(np.eye(3), 2**64).tolist() == [0, 1, 2]


@pytest.mark.parametrize("max_bins", [1, 0, -3, 2.5, "many", True])
def test_bad_max_bins(max_bins):
    with pytest.raises(ValueError, match="max_bins must be 'n_classes' or a whole number of at least 2"):
        ChiMerge(max_bins=max_bins).fit([[1.0], [2.0]], [0, 1])


def test_bad_significance():
    with pytest.raises(ValueError, match="significance must be a number between 0 and 1"):
        ChiMerge(significance=2.0).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="max_bins must be"):
        ChiMerge(max_bins=None).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], r"column 'x0' is missing \(NaN\) in row 1"),
        ([[1.0], [np.inf]], [0, 1], r"column 'x0' is infinite \(inf\) in row 1"),
        ([["a"], ["b"]], [0, 1], "column 'x0' holds text"),
        ([[1.0], [2.0]], [0, 0], "one class only, 0"),
        ([[1.0], [2.0]], [0, None], "y is missing"),
    ],
)
def test_bad_tables_are_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        ChiMerge().fit(X, y)


def test_a_class_of_weight_zero_is_absent():
    X, y = np.arange(12.0)[:, None], [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 2]
    weighted = ChiMerge().fit(X, y, sample_weight=[1] * 11 + [0])
    assert_array_equal(weighted.cuts_[0], ChiMerge().fit(X[:11], y[:11]).cuts_[0])


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e150])
def test_weights_of_any_scale_give_the_same_cuts(scale):
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 1)), rng.integers(0, 2, 60)
    plain, scaled = ChiMerge().fit(X, y), ChiMerge().fit(X, y, sample_weight=np.full(60, scale))
    assert_array_equal(plain.cuts_[0], scaled.cuts_[0])


def test_an_empty_value_merges_first():
    assert chimerge(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]), 2).tolist() == [0, 2]
