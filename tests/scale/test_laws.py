"""In memory and in parts: the same model, for any partitioning."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from atfnb import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.scale import fit_dask, predict_dask
from atfnb.switching import accuracy_at
from atfnb.tables import Policy
from helpers.scale_tables import assert_same_model, big_frame, fine_frame, frame_of, in_memory, in_parts, saved
from helpers.strategies import examples, mixed_table

EVERY = [
    NB(),
    WNB(),
    KLNB(),
    DFW(),
    DFW(locally_predictive=False),
    CFW(),
    CFWBeta(),
    ATFNB(),
    ATFNB(search="sls", step=0.05),
    ATFNB(categorical_features=["gappy", "colour"], max_bins=5),
    WeightedNB(weights="symmetric_uncertainty"),
]
FUSED = [FusionNB(refine=None), FusionNB(refine="attribute")]
sizes = st.lists(st.sampled_from([0, 0, 1, 2, 5, 17]), max_size=6)


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@given(
    mixed_table(),
    sizes,
    st.sampled_from(EVERY),
    st.sampled_from(["impute", "skip", "value"]),
    st.sampled_from(["auto", 3, 9]),
)
def test_8_any_partitioning_gives_the_model_of_memory(case, sizes, model, missing, fewest):
    rows, y, weights = case
    frame, asked = frame_of(rows, y, weights), {"missing": missing, "min_category_rows": fewest}
    whole = in_memory(clone(model).set_params(**asked), frame, weight="w")
    parts = fit_dask(clone(model).set_params(**asked), in_parts(frame, sizes), "kind", weight="w")
    assert_same_model(parts, whole)


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@pytest.mark.parametrize("model", [NB(), ATFNB(missing="value"), CFW(), FusionNB(shrinkage=1.0)])
def test_8_rare_categories_are_pooled_as_in_memory(model):
    rng = np.random.default_rng(0)
    frame, place = big_frame(3000), rng.zipf(1.4, 3000) % 1000
    tells = (frame["kind"] == frame["kind"].iloc[0]) & (rng.random(3000) < 0.7)
    frame = frame.assign(town=[f"t{n}" for n in 2 * place + tells], street=[f"s{n}" for n in rng.zipf(1.4, 3000)])
    frame.loc[::11, "town"] = None
    whole = in_memory(clone(model), frame)
    attributes = {each.name: each for each in whole.encoder_.attributes}
    assert attributes["town"].pooled > 200
    assert len(attributes["town"].categories) > 5
    assert attributes["street"].is_unused
    assert_same_model(fit_dask(clone(model), in_parts(frame, [700, 0, 900]), "kind"), whole)


@pytest.mark.parametrize("most", [3, 20_000], ids=["sketched", "distinct"])
@pytest.mark.parametrize("model", [NB(), FusionNB(refine="value", shrinkage=1.0)])
def test_8_whole_numbers_are_known_in_any_parts(most, model):
    frame = big_frame(600)
    frame["count"] = np.arange(600) // 7 - 20
    frame["late"] = np.where(np.arange(600) == 599, 0.5, np.arange(600) % 50)  # a fraction in the last part only
    frame["floats"] = (np.arange(600) % 40).astype(float)
    frame.loc[::7, "floats"] = np.nan
    parts = fit_dask(clone(model), in_parts(frame, [100, 0, 300]), "kind", max_distinct=most)
    found = {attribute.name: getattr(attribute, "whole", None) for attribute in parts.encoder_.attributes}
    assert (found["count"], found["late"], found["floats"]) == ((-20, 65), None, (0, 39))
    whole = in_memory(clone(model), frame).encoder_.attributes
    assert {attribute.name: getattr(attribute, "whole", None) for attribute in whole} == found


@examples(15)
@given(mixed_table(), sizes, st.sampled_from(FUSED))
def test_8_fused_weights_do_not_depend_on_the_parts(case, sizes, model):
    rows, y, _ = case
    frame = frame_of(rows, y)
    whole, parts = in_memory(clone(model), frame), fit_dask(clone(model), in_parts(frame, sizes), "kind")
    assert_same_model(parts, whole)


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@examples(25)
@given(
    mixed_table(), sizes, st.sampled_from(["impute", "skip", "value"]), st.sampled_from([3, 20_000]), st.integers(1, 9)
)
def test_8_effects_of_values_do_not_depend_on_the_parts(case, sizes, missing, enough, fewest):
    rows, y, weights = case
    frame, model = frame_of(rows, y, weights), FusionNB(missing=missing, shrinkage=[1.0, 3.0], min_category_rows=fewest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("atfnb.fusion.refining.ENOUGH", enough)  # learned from few rows, and from many
        whole = in_memory(clone(model), frame, weight="w")
        parts = fit_dask(clone(model), in_parts(frame, sizes), "kind", weight="w")
    assert (parts.gamma_, parts.shrinkage_, parts.n_iter_) == (whole.gamma_, whole.shrinkage_, whole.n_iter_)
    assert_array_equal(parts.value_effects_, whole.value_effects_)
    assert_same_model(parts, whole)


@pytest.mark.parametrize("enough", [500, 20_000])
def test_8_effects_of_pairs_do_not_depend_on_the_parts(enough, monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.ENOUGH", enough)  # learned from many rows, and from few
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=3000).round(1), "side": rng.choice(["left", "right"], 3000)})
    frame["noise"] = rng.choice(["a", "b", "c"], 3000)
    frame["kind"] = np.where((frame["size"] > 0) == (frame["side"] == "left"), "with", "against")
    whole, parts = in_memory(FusionNB(), frame), fit_dask(FusionNB(), in_parts(frame, [700, 0, 900]), "kind")
    assert ("size", "side") in whole.pairs_
    assert parts.pairs_ == whole.pairs_
    assert_array_equal(parts.model_.pair_table, whole.model_.pair_table)
    assert_array_equal(parts.model_.grids.rows, whole.model_.grids.rows)
    assert_same_model(parts, whole)


@pytest.mark.parametrize("room", [0, 1 << 29])
def test_coded_rows_are_kept_only_where_there_is_room(room, monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.ENOUGH", 500)
    monkeypatch.setattr("atfnb.scale.running.KEPT_BYTES", room)
    frame, told = big_frame(2000), []
    parts = fit_dask(
        FusionNB(), in_parts(frame, [300, 0]), "kind", max_distinct=20, progress=lambda *now: told.append(now[2])
    )
    assert ("coded rows" in told) == (room > 0)
    X = frame.drop(columns="kind")
    assert abs(parts.score(X, frame["kind"]) - in_memory(FusionNB(), frame).score(X, frame["kind"])) < 0.01


def test_8_weights_fused_by_accuracy_do_not_depend_on_the_parts():
    frame, model = big_frame(400), FusionNB(refine=None, criterion="accuracy", relevance=["gain_ratio"])
    whole, parts = in_memory(clone(model), frame), fit_dask(clone(model), in_parts(frame, [70, 0]), "kind")
    assert_same_model(parts, whole, tolerance=1e-9)


@given(mixed_table(), sizes)
def test_5_a_zero_weight_is_absence_in_every_part(case, sizes):
    rows, y, _ = case
    absent = [[1e6, -1e6, "violet"], [np.nan, np.nan, None]]
    weighted = frame_of(absent + rows + absent, np.array([3, 3, *y, 3, 3]), [0, 0, *[1] * len(y), 0, 0])
    parts = fit_dask(ATFNB(), in_parts(weighted, sizes), "kind", weight="w")
    assert_same_model(parts, in_memory(ATFNB(), frame_of(rows, y)))


def test_weights_that_are_no_whole_numbers():
    frame = big_frame().assign(w=np.random.default_rng(1).random(6000))
    whole = in_memory(ATFNB(), frame, weight="w")
    parts = fit_dask(ATFNB(), in_parts(frame, [1000, 0, 77, 3000]), "kind", weight="w")
    assert_array_equal(parts.counts_.values, whole.counts_.values)
    assert_allclose(parts.weights_, whole.weights_, rtol=1e-12, atol=1e-12)
    assert_allclose(parts.beta_intervals_, whole.beta_intervals_, rtol=0, atol=1e-11)


def test_columns_that_are_left_out_are_not_read():
    frame = big_frame().assign(when=pd.Timestamp("2020-01-01"))
    parts = fit_dask(NB(), in_parts(frame, [2000]), "kind", ignore=["when", "flag"])
    assert list(parts.feature_names_in_) == ["size", "count", "colour"]


@pytest.mark.parametrize("how", ["pool", "drop"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_8_rare_classes_are_pooled_or_dropped_in_any_parts(how, weight):
    frame = big_frame(900).assign(w=np.arange(900) % 3)
    frame["kind"] = frame["kind"].where(np.arange(900) % 100 > 1, np.where(np.arange(900) % 200 > 99, "elm", "fir"))
    policy = Policy(min_class_rows=150, rare_classes=how)
    ignore = ["w"] if weight is None else []
    parts = fit_dask(ATFNB(), in_parts(frame, [100, 0, 300]), "kind", weight=weight, ignore=ignore, policy=policy)
    counted = frame if weight is None else frame[frame["w"] > 0]
    rare = counted["kind"].value_counts().loc[lambda rows: rows < 150].index
    assert {"elm", "fir"} <= set(rare)
    is_rare = frame["kind"].isin(rare)
    known = frame.assign(kind=frame["kind"].mask(is_rare, "other")) if how == "pool" else frame[~is_rare]
    whole = in_memory(ATFNB(), known.drop(columns=ignore), weight=weight)
    assert_same_model(parts, whole)
    assert parts.training_["rare_classes"] == {"names": sorted(rare), "into": "other" if how == "pool" else None}


def test_predictions_come_back_in_parts():
    frame = big_frame()
    model = fit_dask(ATFNB(), in_parts(frame, [1000, 0, 3000]), "kind")
    predicted = predict_dask(model, in_parts(frame, [500, 0, 10])).compute()
    assert_array_equal(predicted.to_numpy(), model.predict(frame.drop(columns="kind")))
    with pytest.raises(ValueError, match="no column 'size'"):
        predict_dask(model, in_parts(frame.drop(columns="size"), []))


def test_the_curve_is_as_high_as_it_says_and_right_at_the_middle():
    frame = big_frame()
    model = fit_dask(ATFNB(), in_parts(frame, [1000, 2000]), "kind")
    edges, accuracy = model.accuracy_curve()
    assert accuracy.max() == model.beta_accuracy_
    assert accuracy_at(np.array([model.beta_]), edges, accuracy)[0] == model.beta_accuracy_
    assert_array_equal(pickle.loads(pickle.dumps(model)).accuracy_curve()[0], edges)  # noqa: S301
    exact = in_memory(ATFNB(), frame).accuracy_curve()
    lines = np.arange(1, 64) / 64
    away = np.abs(accuracy_at(lines, edges, accuracy) - accuracy_at(lines - 1e-12, *exact))
    assert away.max() <= 1e-15


# --- too many distinct values ----------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "w"])
def test_two_runs_give_the_same_model_to_the_bit(weight):
    frame = in_parts(fine_frame(), [20_000, 7, 0, 1])
    ignore = ["w"] if weight is None else []
    one, other = (fit_dask(ATFNB(), frame, "kind", weight=weight, ignore=ignore, max_distinct=200) for _ in range(2))
    assert saved(one) == saved(other)


def test_a_number_that_is_nearly_always_the_same_is_left_whole():
    frame = pd.DataFrame({"x": np.r_[np.zeros(30_000), np.arange(1.0, 6.0)], "kind": np.tile([0, 1, 1, 0, 1], 6001)})
    model = fit_dask(NB(), in_parts(frame, [10_000]), "kind", max_distinct=3)
    assert len(model.encoder_.attributes[0].cuts) == 0


def test_many_distinct_values_are_cut_at_quantiles_and_few_ones_exactly():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    frame = pd.DataFrame({"fine": rng.normal(size=20_000) + y, "coarse": rng.integers(0, 9, 20_000) + y, "kind": y})
    frame.loc[::50, "fine"] = np.nan
    whole = in_memory(ATFNB(max_bins=6), frame)
    parts = fit_dask(ATFNB(max_bins=6), in_parts(frame, [100, 9000]), "kind", max_distinct=200)
    fine, coarse = parts.encoder_.attributes
    assert_array_equal(coarse.cuts, whole.encoder_.attributes[1].cuts)
    assert len(fine.cuts) == 5
    assert parts.counts_.values.sum() == whole.counts_.values.sum()
    X = frame.drop(columns="kind")
    assert abs(parts.score(X, y) - whole.score(X, y)) < 0.01


def test_a_table_that_grows_too_long_becomes_a_sketch_of_all_its_rows():
    frame = pd.DataFrame({"x": np.repeat(np.arange(300.0), 10), "kind": np.tile([0, 1], 1500)})
    model = fit_dask(NB(), in_parts(frame, [1000, 0, 1000]), "kind", max_distinct=150)
    assert model.counts_.values.sum() == 3000


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
def test_8_a_wide_table_is_screened_in_parts_as_in_memory(monkeypatch):
    monkeypatch.setattr("atfnb.fusion.screening.KEPT", 3)
    X = np.random.default_rng(0).normal(size=(40, 30))
    frame = pd.DataFrame(X).add_prefix("c").assign(kind=np.where(X[:, 4] > 0, "a", "b"))
    whole = in_memory(FusionNB(shrinkage=1.0), frame)
    assert whole.encoder_.n_used < 30
    assert_same_model(fit_dask(FusionNB(shrinkage=1.0), in_parts(frame, [9, 0, 14]), "kind"), whole)
