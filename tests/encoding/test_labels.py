import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from atfnb import NB
from atfnb.encoding import encode_labels, read_weights

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


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 0.0, 1.0], r"y is missing \(NaN or None\) in row 1"),
        (["a", "b", None, "a"], r"y is missing \(NaN or None\) in row 2"),
        (pd.Series([1, 2, None, 1], dtype="Int64"), r"y is missing \(NaN or None\) in row 2"),
        ([0, 1, np.inf, 1], "infinity, in row 2"),
        (["a"] * 4, "y holds one class only, np.str_..a.."),
        ([0.1, 0.2, 0.31, 0.4], "Unknown label type: continuous"),
        ([0, 1], "X has 4 rows and y has 2"),
        (None, "requires y to be passed"),
    ],
)
def test_bad_classes(y, message):
    with pytest.raises(ValueError, match=message):
        NB().fit(X, y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -1, 1], "negative in row 2"),
        ([0, 0, 0, 0], "zero for every row"),
        ([1, np.nan, 1, 1], "NaN or infinite in row 1"),
        ([1, 1], r"expected \(4,\)"),
        ([[1], [1], [1], [1]], "1D array or scalar"),
        ([0, 1, 0, 1], "one class only"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        NB().fit(X, [0, 1, 0, 1], weight)


def test_sums_of_weights_are_exact_in_any_order():
    rng = np.random.default_rng(0)
    weight = read_weights(rng.random(1000) * 10.0 ** rng.integers(-6, 6, 1000), 1000)
    sums = {float(np.sum(weight[rng.permutation(1000)])) for _ in range(20)}
    assert len(sums) == 1
    assert_array_equal(read_weights(np.arange(1, 50), 49), np.arange(1, 50))
    assert_array_equal(read_weights(3, 2), [3.0, 3.0])
