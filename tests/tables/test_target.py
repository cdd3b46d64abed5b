"""The classes and the weights of rows: what is accepted, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from atfnb import NB
from atfnb.tables import encode_labels, read_weights

X = [[1.0], [2.0], [3.0], [4.0]]


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "no", "yes"],
        np.array(["no", "yes", "no", "yes"], dtype=object),
        pd.Series(["no", "yes", "no", "yes"], dtype="category"),
        pl.Series(["no", "yes", "no", "yes"]),
        [3, 7, 3, 7],
        [False, True, False, True],
    ],
)
def test_classes_of_any_kind(y):
    classes, codes = encode_labels(y)
    assert_array_equal(codes, [0, 1, 0, 1])
    assert_array_equal(classes[codes], y)


@pytest.mark.parametrize("dtype", [pl.Int128, pl.Int8])
def test_whole_numbers_of_polars_are_classes_whatever_their_size(dtype):
    classes, codes = encode_labels(pl.Series([3, 5, 3], dtype=dtype))
    assert_array_equal(classes[codes], [3, 5, 3])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 0.0, 1.0], r"y is missing \(NaN or None\) in row 1"),
        (["a", "b", None, "a"], r"y is missing \(NaN or None\) in row 2"),
        (pd.Series([1, 2, None, 1], dtype="Int64"), r"y is missing \(NaN or None\) in row 2"),
        ([0, 1, np.inf, 1], "infinity, in row 2"),
        (["a"] * 4, "y holds one class only, 'a'"),
        ([0.1, 0.2, 0.31, 0.4], "Unknown label type: continuous"),
        ([0, 1], "X has 4 rows and y has 2"),
        (
            np.array([1, "a", 2, "a"], dtype=object),
            "y holds 1 and, in row 1, 'a'; make the classes all text or all numbers",
        ),
        (pd.Series([(1, 2), (3, 4), (1, 2), (3, 4)]), r"y holds \(1, 2\)"),
        (np.array([1j, 2, 1, 2]), "Complex data not supported"),
        (None, "requires y to be passed"),
    ],
)
def test_bad_classes(y, message):
    with pytest.raises(ValueError, match=message):
        NB().fit(X, y)


@pytest.mark.parametrize("words", [["b", "a", "b", "", "ü"], ["one", "only", "one"], ["a", "b\0", "b", "a"]])
def test_text_is_text_whatever_holds_it(words):
    plain = np.array(words)
    for kind in (plain, np.array(words, dtype=object), np.array([*map(np.str_, words)], dtype=object)):
        for y in (kind, np.tile(kind, 50)):
            classes, codes = encode_labels(y)
            assert_array_equal(classes, np.unique(plain))
            assert (classes.dtype, codes.dtype) == (plain.dtype, np.int32)
            assert_array_equal(classes[codes], y.astype(str))


@pytest.mark.parametrize(
    "y",
    [
        [0, 10**9, 0, 10**9],
        [-3, 5, -3, 5],
        np.array([200, 3, 200, 3], dtype=np.uint8),
        np.array([-100, 100, -100, 100], dtype=np.int8),
        np.array([2**63 + 5, 2**63 + 7] * 2, dtype=np.uint64),
    ],
)
def test_whole_numbers_far_apart(y):
    classes, codes = encode_labels(y)
    assert_array_equal(classes[codes], y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -1, 1], "negative in row 2"),
        ([0, 0, 0, 0], "zero for every row"),
        ([1, np.nan, 1, 1], "NaN or infinite in row 1"),
        ([1, 1], r"expected \(4,\)"),
        ([[1], [1], [1], [1]], "1D array or scalar"),
        ([0, 1, 0, 1], "one class only"),
        (["a"] * 4, "one of them is not a number"),
        ([1e-7, 1, 1, 1e6], "span too far: the largest is more than 10¹² times the smallest"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        NB().fit(X, [0, 1, 0, 1], weight)


def test_sums_of_weights_are_exact_in_any_order():
    rng = np.random.default_rng(0)
    weight = read_weights(rng.random(1000) * 10.0 ** rng.integers(-4, 4, 1000), 1000)
    sums = {float(np.sum(weight[rng.permutation(1000)])) for _ in range(20)}
    assert len(sums) == 1
    assert_array_equal(read_weights(np.arange(1, 50), 49), np.arange(1, 50))
    assert_array_equal(read_weights(3, 2), [3.0, 3.0])
    assert (read_weights([1e-4, 1e8] + [1e8] * 10_000, 10_002) > 0).all()  # small is not absent
