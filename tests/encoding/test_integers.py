"""The short cut for whole numbers gives what the long way gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from atfnb import NB
from atfnb.encoding import encoder


@given(
    st.sampled_from([np.uint8, np.int8, np.int64, np.uint16]).flatmap(
        lambda dtype: arrays(dtype, (12, 3), elements=st.integers(0, 6) | st.integers(100, 120))
    ),
    st.booleans(),
    st.sampled_from([None, 4, 7]),
)
def test_short_cut_and_long_way_agree(X, fortran, fewest):
    y, weight = np.arange(12) % 3, np.arange(12) % 4 + 1.0
    X = np.asfortranarray(X) if fortran else X
    short, long = (NB(categorical_features="all", min_category_rows=fewest) for _ in range(2))
    short.fit(X, y, weight)
    long.fit(X.astype(object), y, weight)
    assert short.encoder_.attributes == long.encoder_.attributes
    assert_array_equal(short.table_, long.table_)
    strange = X + np.array([1, 0, 7], dtype=X.dtype)
    assert_array_equal(short.predict_proba(strange), long.predict_proba(strange.astype(object)))


def test_codes_are_taken_as_they_are():
    X = np.array([[0, 1], [1, 0], [2, 1]], dtype=np.uint8)
    encoder = NB(categorical_features="all").fit(X, [0, 1, 0]).encoder_
    assert encoder.encode(X) is X
    assert_array_equal(
        encoder.encode(np.array([[3, 9]], dtype=np.uint8)), [[3, 2]]
    )  # never seen: just above the others
    assert_array_equal(encoder.encode(np.array([[-5, 1]])), [[3, 1]])


@pytest.mark.parametrize("spread", [10**7, 2**62])
def test_numbers_too_far_apart_for_a_table_are_sorted(spread):
    X = np.array([[0], [spread], [1], [spread]])
    model = NB(categorical_features="all").fit(X, [0, 1, 0, 1])
    assert model.encoder_.attributes[0].categories == (0, 1, spread)
    assert_array_equal(model.predict(X), [0, 1, 0, 1])
    assert encoder.encode_integers(model.encoder_.attributes, np.zeros((1, 1), np.int64)) is None


@pytest.mark.parametrize("large", [[5, 2**64 - 2, 2**64 - 1], [2**63, 2**63 + 1, 7]])
def test_numbers_beyond_63_bits_stay_apart(large):
    X, y = np.array(large * 10, dtype=np.uint64)[:, None], np.tile([0, 1, 2], 10)
    model = NB(categorical_features="all").fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.predict(np.array([[large[0] if large[0] < 2**63 else 7]])).tolist() == [large.index(min(large))]
