"""Few intervals of a number, those that cost least."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from atfnb import FusionNB, load, save
from atfnb.fusion.coarse import best_groups
from atfnb.scale import fit_dask
from helpers.scale_tables import assert_same_model, in_memory, in_parts
from helpers.strategies import examples

STEPS = [18, 30, 65]


def people(rows=1500, seed=0):
    """Ages of which a class depends in three steps, incomes with gaps of which it depends in a line, and towns."""
    rng = np.random.default_rng(seed)
    age, income = rng.integers(0, 100, rows), rng.normal(50, 20, rows).round(1)
    odds = np.array([-2.0, 0.0, 2.5, -1.0])[np.searchsorted(STEPS, age, side="right")] + (income - 50) / 20
    frame = pd.DataFrame({"age": age, "income": income, "town": rng.choice(["Bonn", "Ulm"], rows)})
    frame.loc[rng.random(rows) < 0.1, "income"] = np.nan
    return frame, np.where(rng.random(rows) < 1 / (1 + np.exp(-odds)), "yes", "no")


def cost_of(starts, values, curvature):
    """The sum of h (u − ū)² over groups of neighbours, one group after the other."""
    total = 0.0
    for group in np.split(np.arange(len(values)), starts[1:]):
        u, h = values[group], curvature[group]
        total += (h * (u - (h * u).sum(axis=0) / h.sum(axis=0)) ** 2).sum()
    return total


# --- Which intervals --------------------------------------------------------------------------------


@given(st.integers(0, 999), st.integers(1, 9), st.integers(1, 3), st.data())
@examples(40)
def test_no_other_groups_of_neighbours_cost_less(seed, n, coordinates, data):
    rng, most = np.random.default_rng(seed), data.draw(st.integers(1, n))
    values, curvature = rng.normal(size=(n, coordinates)), rng.gamma(1.0, size=(n, coordinates))
    all_costs = [cost_of([0, *cuts], values, curvature) for cuts in combinations(range(1, n), most - 1)]
    starts = best_groups(values, curvature, most)
    assert len(starts) == most
    assert_allclose(cost_of(starts, values, curvature), min(all_costs), rtol=1e-5, atol=1e-6)


def test_the_cost_of_merging_two_is_that_of_the_formula():
    (u, v), (h, k) = (0.3, 1.7), (2.0, 5.0)
    values, curvature = np.array([[u], [v]]), np.array([[h], [k]])
    assert_allclose(0.5 * cost_of([0], values, curvature), 0.5 * (u - v) ** 2 * h * k / (h + k))


def test_intervals_without_any_curvature_cost_nothing():
    values, curvature = np.array([[0.0], [9.0], [1.0], [1.1]]), np.array([[1.0], [0.0], [1.0], [1.0]])
    assert best_groups(values, curvature, 2).tolist() in ([0, 1], [0, 2])


# --- The model --------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["value", "impute", "skip"])
def test_a_coarse_model_has_at_most_as_many_intervals_and_finds_true_steps(missing):
    X, y = people()
    model = FusionNB(max_bins=4, missing=missing).fit(X, y)
    age, income, town = model.encoder_.attributes
    assert np.abs(age.cuts - STEPS).max() <= 2
    assert (len(income.cuts), town.categories) == (3, ("Bonn", "Ulm"))
    assert model.table_.shape == model.value_effects_.shape == model.value_errors_.shape
    assert max(attribute.n_known for attribute in FusionNB(max_bins=2).fit(X, y).encoder_.attributes) == 2


def test_the_default_and_columns_with_few_values_are_as_they_were():
    X, y = people(300)
    fine = FusionNB().fit(X, y)
    assert fine.encoder_.attributes[0].n_known > 20
    assert_array_equal(FusionNB(max_bins=100).fit(X[["town"]], y).table_, FusionNB().fit(X[["town"]], y).table_)


def test_own_cuts_and_orders_stay():
    X, y = people(400)
    X["size"] = np.random.default_rng(0).choice([*"abcde"], 400)
    model = FusionNB(max_bins=2, cuts={"age": STEPS}, orders={"size": [*"abcde"]}).fit(X, y)
    assert model.encoder_.attributes[0].cuts.tolist() == STEPS
    assert [each.n_known for each in model.encoder_.attributes] == [4, 2, 2, 5]


def test_steps_that_only_a_pair_shows_are_found():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.random(3000), "b": rng.random(3000)})
    y = ((X["a"] > 0.2) ^ (X["b"] > 0.7)) ^ (rng.random(3000) < 0.1)
    model = FusionNB(max_bins=2, pairs=[("a", "b")]).fit(X, y)
    a, b = (attribute.cuts for attribute in model.encoder_.attributes)
    assert_allclose([*a, *b], [0.2, 0.7], atol=0.06)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_an_integer_weight_is_repetition_and_zero_is_absence(seed):
    X, y = people(200, seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    weighted = FusionNB(max_bins=3).fit(X, y, sample_weight=weights)
    repeated = FusionNB(max_bins=3).fit(X.loc[np.repeat(X.index, weights)], np.repeat(y, weights))
    assert weighted.encoder_ == repeated.encoder_
    assert_array_equal(weighted.counts_.values, repeated.counts_.values)


def test_the_same_in_parts():
    X, y = people(600)
    frame = X.assign(kind=y)
    model = FusionNB(max_bins=3, pairs=1)
    assert_same_model(fit_dask(model, in_parts(frame, [100, 350]), "kind"), in_memory(model, frame))


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
def test_columns_that_are_screened_are_coarse_too(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    wide = pd.DataFrame(rng.normal(size=(60, 700))).rename(columns="v{}".format)
    wide["v3"] += 2 * y
    model = FusionNB(max_bins=3).fit(wide, y)
    assert {attribute.n_known for attribute in model.encoder_.attributes} == {0, 3}
    save(model, tmp_path / "model.json")
    assert_array_equal(load(tmp_path / "model.json").predict_proba(wide), model.predict_proba(wide))
