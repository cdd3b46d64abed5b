"""Weights of any size: numbers of rows where they can be, ratios where they cannot."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris

from atfnb import ATFNB, CFW, DFW, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.scale import fit_dask
from atfnb.tables import read_weights
from helpers.scale_tables import assert_same_model, frame_of, in_memory, in_parts
from helpers.strategies import mixed_table

EVERY = [NB(), WNB(), DFW(), CFW(), CFWBeta(), ATFNB(), WeightedNB(weights="pearson")]
FUSED = [FusionNB(shrinkage=[3.0]), FusionNB(refine="attribute"), FusionNB(refine=None, criterion="accuracy")]
TOO_SMALL, TOO_LARGE = st.integers(-1070, -10), st.integers(45, 1010)


@given(mixed_table(), st.sampled_from(EVERY), TOO_SMALL | TOO_LARGE)
def test_multiplying_weights_that_are_no_numbers_of_rows_changes_nothing(case, model, power):
    table, y, weights = case
    scaled = clone(model).fit(table, y, np.ldexp(weights.astype(float), power))
    assert_array_equal(scaled.table_, clone(model).fit(table, y, weights * 2.0**-60).table_)
    assert scaled.counts_.classes.sum() == pytest.approx(len(y))


@pytest.mark.parametrize("power", [-320, -300, -200, -100, -14, -5, 12, 14, 100, 200, 300])
@pytest.mark.parametrize("model", [*EVERY, *FUSED], ids=repr)
def test_every_size_of_weights_gives_the_same_model(model, power):
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 4, 150) * (1.0 if power > -310 else 1e4)
    scaled = clone(model).fit(X, y, weights * 10.0**power)
    expected = clone(model).fit(X, y, weights / weights.mean())
    assert_allclose(scaled.predict_proba(X), expected.predict_proba(X), rtol=1e-6, atol=1e-9)
    assert getattr(scaled, "n_iter_", 0) < 1000


@pytest.mark.parametrize("model", [*EVERY, *FUSED], ids=repr)
@pytest.mark.parametrize("size", [1e-300, 1e-6, 1, 1e3, 1e300])
def test_weights_that_span_far_are_taken(model, size):
    X, y = load_iris(return_X_y=True)
    fitted = clone(model).fit(X, y, size * 10.0 ** np.random.default_rng(0).uniform(-5.9, 5.9, 150))
    assert np.isfinite(fitted.predict_proba(X)).all()
    assert getattr(fitted, "n_iter_", 0) < 1000


@pytest.mark.parametrize("size", [1e-290, 1e-9, 1.0, 1e9, 1e290])
def test_weights_that_span_too_far_are_refused(size):
    with pytest.raises(ValueError, match=r"span too far: the largest is more than 10¹² times the smallest above 0"):
        NB().fit([[1.0], [2.0], [3.0]], [0, 1, 1], [size * 1e-7, size, size * 1e6])
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "kind": [0, 1, 1], "w": [size * 1e-7, size, size * 1e6]})
    with pytest.raises(ValueError, match="span too far"):
        fit_dask(NB(), in_parts(frame, [1, 1]), "kind", weight="w")


@given(mixed_table(), st.lists(st.sampled_from([0, 1, 2, 17]), max_size=4), st.sampled_from([-300, -14, 0, 14, 300]))
def test_weights_of_any_size_in_parts(case, sizes, power):
    rows, y, weights = case
    frame = frame_of(rows, y, weights * 10.0**power * 0.3)
    whole = in_memory(CFWBeta(), frame, weight="w")
    assert_same_model(fit_dask(CFWBeta(), in_parts(frame, sizes), "kind", weight="w"), whole)


def test_shares_that_sum_to_one_count_as_rows():
    X, y = load_iris(return_X_y=True)
    assert_allclose(NB().fit(X, y, np.full(150, 1 / 150)).table_, NB().fit(X, y).table_)
    assert_array_equal(NB(class_weight={0: 1e-300, 1: 1e-300, 2: 1e-300}).fit(X, y).table_, NB().fit(X, y).table_)


@pytest.mark.parametrize("weights", [[1, 1], [0.5, 1.5], [2**39, 2**39], [1e6, 3.0, 0.25]])
def test_numbers_of_rows_are_taken_as_they_are(weights):
    assert_array_equal(read_weights(weights, len(weights)), weights)


@pytest.mark.parametrize("weights", [[0.5, 0.5], [1.9, 0.05], [2.0**40, 1.0 * 2**20]])
def test_weights_beyond_are_scaled_to_a_mean_of_one(weights):
    scaled = read_weights(weights, 2)
    assert scaled.mean() == pytest.approx(1)
    assert scaled[0] / scaled[1] == pytest.approx(weights[0] / weights[1])
