"""What a column knows of its values."""

import warnings

import numpy as np
import pytest

from atfnb import NB
from atfnb.encoding import UnusedColumnWarning


def test_whole_numbers_that_floats_cannot_keep_apart_are_named():
    X = 2**53 + np.arange(40)[:, None]
    y = X[:, 0] % 2
    with pytest.warns(
        UnusedColumnWarning, match=r"'x0' holds whole numbers beyond 2\^53, of which neighbours count as"
    ):
        NB().fit(X, y)
    with warnings.catch_warnings(action="error"):
        NB().fit(X - 100, y)
        assert NB(categorical_features="all", min_category_rows=1).fit(X, y).score(X, y) == 1.0
