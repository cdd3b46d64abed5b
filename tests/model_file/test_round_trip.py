"""Law 9: a model saved and loaded predicts the same, to the bit."""

import json
import pickle
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from atfnb import ATFNB, NB, FusionNB, WeightedNB, load, save
from atfnb.classifiers import AccuracyCurve, BaseNB
from atfnb.evaluation import are_training_rows
from atfnb.indexes import REDUNDANCY
from atfnb.model_file import from_document, to_document
from atfnb.model_file.columns import MAX_STEPS
from atfnb.switching import accuracy_at
from helpers.model_files import CASES, ask_everything, assert_same, bits, small_model, small_table, unsealed
from helpers.strategies import examples, mixed_table


def again(model):
    """The model after a round trip through text."""
    return from_document(json.loads(json.dumps(to_document(model))))


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@examples(150)
@given(
    mixed_table(),
    st.sampled_from(sorted(CASES)),
    st.sampled_from(["impute", "skip", "value"]),
    st.sampled_from([1.0, 0.3]),
    st.sampled_from(["auto", 3, 9]),
)
def test_9_a_model_saved_and_loaded_is_the_same_to_the_bit(case, classifier, missing, alpha, fewest):
    table, y, weights = case
    model = CASES[classifier](missing=missing, alpha=alpha, min_category_rows=fewest).fit(table, y, weights * 0.7)
    loaded = again(model)
    assert_same(loaded, model)
    unseen = [*table, [None, None, None], [-1e9, 1e9, "violet"]]
    for found, expected in zip(ask_everything(loaded, unseen), ask_everything(model, unseen), strict=True):
        assert bits(found) == bits(expected)
    document = to_document(model)
    assert to_document(loaded) == document | {"training": document["training"] | {"date": loaded.training_["date"]}}


def test_columns_in_no_pair_come_back_as_they_were():
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (200, 4)).astype(object)
    model = FusionNB(pairs=1, categorical_features="all").fit(X, (X[:, 0] == 1) ^ (X[:, 1] == 2))
    assert model.model_.grids.n_groups.tolist() == [3, 3, 0, 0]
    assert_same(again(model), model)


@pytest.mark.parametrize("case", CASES)
def test_a_file_gives_the_model_back_and_the_same_file_again(case, tmp_path):
    model, (frame, y) = small_model(case), small_table()
    save(model, tmp_path / "model.json", target="sold", source="cars.csv")
    loaded = load(str(tmp_path / "model.json"))
    assert_same(loaded, model)
    assert type(loaded) is type(model)
    assert loaded.feature_names_in_.tolist() == ["age", "colour", "owner"]
    assert_array_equal(loaded.predict(frame), model.predict(frame))
    save(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    assert_same(clone(loaded).fit(frame, y), model)
    assert_same(pickle.loads(pickle.dumps(loaded)), model)  # noqa: S301


def test_the_record_of_the_training_stays_until_the_model_is_fitted_again(tmp_path):
    frame, y = small_table()
    model = NB(missing="skip").fit(frame, y, np.where(np.arange(len(y)) < 2, 0.0, 1.5))
    save(model, tmp_path / "model.json", target="sold", source="cars.csv")
    loaded = load(tmp_path / "model.json")
    record = loaded.training_
    assert (record["rows"], record["weight"], record["target"], record["source"]) == (22, 33, "sold", "cars.csv")
    assert record["options"]["missing"] == "skip"
    assert to_document(loaded, source="other.csv")["training"] == record | {"source": "other.csv"}
    assert not hasattr(loaded.fit(frame, y), "training_")
    assert to_document(loaded)["training"]["rows"] == 24


class Sharpened(BaseNB):
    """A classifier of one's own, with a parameter of its own."""

    def __init__(self, *, power=2.0, missing="impute", alpha=1.0, class_prior=None):
        self.power = power
        super().__init__(missing=missing, alpha=alpha, class_prior=class_prior)

    def _needs(self):
        return frozenset(["moments"])

    def _weigh(self, counts, rows):
        return REDUNDANCY["pearson"](counts).mean(axis=0) ** self.power


class Halved(ATFNB):
    """A classifier derived from one that has a switching factor."""

    def _weigh(self, counts, rows):
        return super()._weigh(counts, rows) / 2


@pytest.mark.parametrize(
    "model", [Sharpened(), Sharpened(power=0.5, missing="skip", alpha=0.3, class_prior=[0.2, 0.8]), Halved()], ids=repr
)
def test_a_classifier_of_ones_own_loads_as_weights_and_answers_the_same_to_the_bit(model, tmp_path):
    frame, y = small_table()
    model.fit(frame, y)
    save(model, tmp_path / "model.json", target="sold")
    loaded = load(tmp_path / "model.json")
    assert type(loaded) is WeightedNB
    assert loaded.weights == f"{__name__}.{type(model).__name__}"
    assert loaded.training_["target"] == "sold"
    assert bits(loaded.weights_) == bits(model.weights_)
    for X in (frame, frame.iloc[:3].assign(age=np.nan, colour="mauve")):
        assert bits(loaded.predict_joint_log_proba(X)) == bits(model.predict_joint_log_proba(X))
        assert_array_equal(loaded.predict(X), model.predict(X))
    assert_same(again(loaded), loaded)
    with pytest.raises(ValueError, match=f"relevance '{loaded.weights}' is not known"):
        loaded.fit(frame, y)


def test_a_dfw_of_version_0_1_0_added_no_locally_predictive_attributes():
    model = small_model("DFW without locally predictive")
    document = unsealed(model)
    del document["training"]["options"]["locally_predictive"]
    loaded = from_document(document)
    assert loaded.locally_predictive is False
    assert_same(loaded, model)


def test_a_model_fitted_again_has_the_curve_of_the_new_rows():
    frame, y = small_table()
    loaded = again(ATFNB().fit(frame, y))
    loaded.curve_ = loaded.curve_._replace(is_whole=False)
    loaded.fit(frame[:16], y[:16])
    assert_array_equal(loaded.accuracy_curve()[0], ATFNB().fit(frame[:16], y[:16]).accuracy_curve()[0])
    assert to_document(loaded)["beta"]["curve"]["whole"]


CLASSES = [
    ["no", "yes", "måybe"],
    [3, 1, 2],
    np.array([3, 1, 2], dtype=np.uint8),
    np.array([-3, 1, 2], dtype=np.int16),
    np.array([2**63 + 1, 1, 2], dtype=np.uint64),
    [0.0, 1.0, 2.0],
    np.array([0, 1, 2], dtype=np.float32),
    [True, False, True],
    pd.Series(["a", "b", "c"], dtype="category"),
    np.array(["no", "yes", "yes"], dtype=object),
]


@pytest.mark.parametrize("classes", CLASSES, ids=repr)
def test_classes_keep_their_type(classes):
    model = NB().fit([[1.0], [2.0], [3.0]], classes)
    loaded = again(model)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert_array_equal(loaded.predict([[1.0], [2.0], [3.0]]), model.predict([[1.0], [2.0], [3.0]]))


COLUMNS = [
    ["a", "b", "a", 'ü\n\u2028"\\'],
    [1, 2, 1, 3],
    [1.5, 2.0, 1.5, -0.0],
    [True, False, True, True],
    [1, 2.5, "a", True],
    [10**30, -(10**30), "a", 2**70],
    [Decimal("0.1"), 1, "a", Decimal("Infinity")],
    [float("inf"), float("-inf"), "a", 0.1],
    [np.int64(3), np.float64(0.1), np.str_("a"), np.bool_(False)],
]


@pytest.mark.parametrize("cells", COLUMNS, ids=repr)
@pytest.mark.parametrize("missing", ["impute", "value"])
def test_categories_keep_their_kind(cells, missing):
    table = [[cell] for cell in [*cells, None]]
    model = NB(categorical_features="all", missing=missing).fit(table, [0, 1, 0, 1, 1])
    loaded = again(model)
    for found, expected in zip(
        loaded.encoder_.attributes[0].categories, model.encoder_.attributes[0].categories, strict=True
    ):
        assert found == expected
        assert isinstance(found, bool) == isinstance(expected, (bool, np.bool_))
        assert isinstance(found, float) == isinstance(expected, float)
    assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize(("dtype", "large"), [(np.int64, 2**63 - 1), (np.uint64, 2**64 - 1)])
def test_large_whole_numbers_stay_whole(dtype, large):
    X = np.array([[large], [large - 1], [large - 9]], dtype=dtype)
    model = NB(categorical_features="all").fit(X, [0, 1, 1])
    assert_array_equal(again(model).predict_proba(X), model.predict_proba(X))
    assert again(model).encoder_.attributes[0].categories == (large - 9, large - 1, large)


def test_a_file_that_does_not_know_of_whole_numbers_is_read_and_predicts_the_same():
    model = small_model("FusionNB")
    document = unsealed(model)
    assert document["columns"][0].pop("whole") == [20, 50]
    old = from_document(document)
    assert model.encoder_.attributes[0].labels[0] == "= 20"
    assert old.encoder_.attributes[0].labels[0] == "< 21"
    X, _ = small_table()
    assert_array_equal(old.predict_proba(X), model.predict_proba(X))


def test_names_are_kept_where_there_are_any():
    frame = pl.DataFrame({"ä": [1, 2], "b": ["x", "y"]})
    assert again(NB().fit(frame, [0, 1])).feature_names_in_.tolist() == ["ä", "b"]
    loaded = again(NB().fit(pd.DataFrame({0: [1, 2], 1: [3, 4]}), [0, 1]))
    assert not hasattr(loaded, "feature_names_in_")
    assert [attribute.name for attribute in loaded.encoder_.attributes] == ["0", "1"]


def halves(counts):
    return np.full(len(counts.n_values), 0.5)


def test_a_function_becomes_its_name_and_cannot_be_fitted_again():
    frame, y = small_table()
    model = WeightedNB(weights=halves).fit(frame, y)
    loaded = again(model)
    assert loaded.weights.endswith("halves")
    assert set(loaded.training_["options"]["weights"]) == {"function"}
    assert to_document(loaded) == to_document(again(loaded))
    assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    with pytest.raises(ValueError, match="is not known"):
        clone(loaded).fit(frame, y)


def test_options_come_back_as_plain_values():
    frame, y = small_table()
    options = {
        "categorical_features": {"owner", "colour"},
        "class_prior": np.array([0.25, 0.75]),
        "max_bins": np.int64(4),
        "alpha": np.float64(0.5),
        "random_state": np.random.RandomState(3),
        "relevance": ("pearson",),
        "refine": None,
    }
    loaded = again(FusionNB(**options).fit(frame, y))
    assert loaded.categorical_features == ["colour", "owner"]
    assert loaded.class_prior == [0.25, 0.75]
    assert type(loaded.max_bins) is int
    assert loaded.random_state.endswith("RandomState")
    assert loaded.relevance == ["pearson"]
    assert loaded.redundancy == ("pearson",)  # the default itself
    assert_array_equal(clone(loaded).fit(frame, y).weights_, loaded.weights_)
    nan = again(ATFNB(step=float("nan")).fit(frame, y))
    assert np.isnan(nan.step)


def curve_in_file(edges, accuracy):
    """The curve of a model's file, and whether the file loads to write the same one again."""
    model = small_model("ATFNB")
    model.beta_accuracy_, model.curve_ = float(accuracy.max()), AccuracyCurve(edges, accuracy)
    document = to_document(model)
    assert to_document(from_document(document))["beta"] == document["beta"]
    curve = document["beta"]["curve"]
    assert not curve["whole"]
    return np.array(curve["edges"]), np.array(curve["accuracy"])


def test_a_long_curve_is_thinned_and_says_so():
    rng = np.random.default_rng(1)
    edges = np.concatenate([[0.0], np.sort(rng.random(30_000)), [1.0]])
    accuracy = np.round(rng.random(30_001) * 0.5, 3)
    accuracy[[5, 700, 20_000]] = 0.9
    fewer, kept = curve_in_file(edges, accuracy)
    assert len(kept) == MAX_STEPS
    assert (fewer[0], fewer[-1]) == (0, 1)
    for best in (5, 700, 20_000):
        at = np.searchsorted(fewer, edges[best])
        assert fewer[at : at + 2].tolist() == edges[best : best + 2].tolist()
        assert kept[at] == 0.9
    assert_array_equal(kept, accuracy_at(fewer[:-1], edges, accuracy))


def test_many_best_steps_are_thinned_too():
    fewer, kept = curve_in_file(np.linspace(0, 1, 40_001), np.tile([0.5, 0.6], 20_000))
    assert len(kept) == MAX_STEPS
    assert kept.max() == 0.6
    assert np.all(np.diff(fewer) > 0)


def test_the_file_is_brief(tmp_path):
    save(small_model("NB"), tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    assert '"categories": ["blüe", "green", "red"]' in text
    assert "\n        [13, 4],\n" in text
    assert len(text) < 3000


OLD = {
    "value": [[0.937501, 0.037032, 0.025467], [0.565145, 0.015149, 0.419706], [0.958434, 0.033291, 0.008275]],
    "none": [[0.921861, 0.043105, 0.035034], [0.539566, 0.016528, 0.443906], [0.925195, 0.055757, 0.019048]],
}
"""What version 0.1.0 said of three rows, by a model of missing values that it smoothed otherwise."""


@pytest.mark.parametrize("refine", OLD)
def test_a_model_of_missing_values_by_version_0_1_0_predicts_the_same(refine):
    model = load(Path(__file__).with_name(f"fusion_{refine}_0_1_0.json"))
    rows = pd.DataFrame({"colour": pd.Series([None, "red", None], dtype=object), "size": [np.nan, np.nan, 1.5]})
    assert_allclose(model.predict_proba(rows), OLD[refine], atol=1e-6)
    assert_same(again(model), model)


def test_a_loaded_model_still_knows_its_training_rows_and_one_of_0_1_0_says_that_it_does_not():
    (X, y), model = small_table(), small_model("FusionNB")
    loaded = again(model)
    assert loaded.fingerprint_ == model.fingerprint_
    assert are_training_rows(loaded, X[::-1], y[::-1]) is True
    assert are_training_rows(loaded, X[1:], y[1:]) is False
    document = to_document(model)
    del document["training"]["fingerprint"]
    old = from_document(document)
    assert old.fingerprint_ is None
    assert are_training_rows(old, X, y) is None
    assert "fingerprint" not in to_document(old)["training"]
    assert old.fit(X, y).fingerprint_ == model.fingerprint_
