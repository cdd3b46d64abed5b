import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from atfnb.counts import Counts, count, fingerprint_of
from helpers.strategies import coded_rows

NEEDS = frozenset(["pairs", "moments", "fingerprint"])


def counted(codes, y, weights):
    codes = np.asarray(codes, dtype=np.uint8)
    n_values = codes.max(axis=0).astype(np.int64)  # the largest code of each attribute is taken for "unknown"
    return (
        codes,
        n_values,
        count(codes, y.astype(np.int32), weights.astype(float), n_values, int(y.max()) + 1, NEEDS),
    )


@given(coded_rows(), st.randoms())
def test_2_shards_add_up_to_the_whole_in_any_order(case, random):
    codes, y, weights = case
    codes, n_values, whole = counted(codes, y, weights)
    n_classes = int(y.max()) + 1
    ends = sorted(random.randrange(len(y) + 1) for _ in range(4))
    shards = [
        count(codes[a:b], y[a:b].astype(np.int32), weights[a:b].astype(float), n_values, n_classes, NEEDS)
        for a, b in zip([0, *ends], [*ends, len(y)], strict=True)
    ]
    random.shuffle(shards)
    total = sum(shards, start=Counts.empty(n_values, n_classes, NEEDS))
    for name in ("classes", "values", "pairs", "moments", "fingerprint"):
        assert_array_equal(getattr(total, name), getattr(whole, name))


@given(coded_rows())
def test_counts_are_those_of_a_plain_loop(case):
    codes, y, weights = case
    codes, n_values, counts = counted(codes, y, weights)
    cell = codes + counts.offsets[:-1]
    for i in range(codes.shape[1]):
        for v in range(n_values[i]):
            for c in range(len(counts.classes)):
                assert counts.of_attribute(i)[v, c] == weights[(codes[:, i] == v) & (y == c)].sum()
        for j in range(i + 1, codes.shape[1]):
            for a in np.unique(cell[:, i]):
                for b in np.unique(cell[:, j]):
                    used = n_values[i] > 0 and n_values[j] > 0  # of an attribute that is not used, no pairs are counted
                    assert counts.pairs[a, b] == used * weights[(cell[:, i] == a) & (cell[:, j] == b)].sum()
        for j in range(codes.shape[1]):
            both = (codes[:, i] < n_values[i]) & (codes[:, j] < n_values[j])
            x_i, x_j, w = codes[both, i].astype(float), codes[both, j].astype(float), weights[both]
            expected = [w.sum(), (w * x_i).sum(), (w * x_i**2).sum(), (w * x_i * x_j).sum()]
            assert_allclose(counts.moments[:, i, j], expected)


def test_counts_of_different_shape_do_not_add_up():
    two, three = (Counts.empty(np.array([n]), 2) for n in (2, 3))
    with pytest.raises(ValueError, match="do not add up"):
        two + three


def test_what_is_not_needed_is_not_counted():
    counts = Counts.empty(np.array([2, 2]), 2)
    assert counts.pairs is None
    assert counts.moments is None
    assert counts.fingerprint is None


def test_a_fingerprint_tells_rows_and_their_classes_apart_whatever_the_type_of_the_codes():
    random = np.random.default_rng(0)
    codes, y = random.integers(0, 3, (200, 4)).astype(np.uint8), random.integers(0, 2, 200).astype(np.int32)
    order = random.permutation(200)
    assert fingerprint_of(codes, y) == fingerprint_of(codes[order].astype(np.uint32), y[order])
    others = [(codes[1:], y[1:]), (codes, 1 - y), (codes[:, ::-1], y), (codes[order], y), (codes + np.uint8(1), y)]
    found = {int(fingerprint_of(*rows)[0]) for rows in [(codes, y), *others]}
    assert len(found) == 1 + len(others)
    one_cell = codes.copy()
    one_cell[7, 2] += 1
    assert fingerprint_of(one_cell, y) != fingerprint_of(codes, y)
    twice = np.repeat(codes, 2, axis=0), np.repeat(y, 2)
    assert fingerprint_of(*twice) != fingerprint_of(codes, y)
