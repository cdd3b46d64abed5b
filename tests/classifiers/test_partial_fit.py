"""New rows: counts add up, so that an update is what a fit on all rows gives with the cuts of the first."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from atfnb import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.classifiers.counted import MAX_PAIR_VALUES
from atfnb.counts import count
from atfnb.encoding import EmptyColumnWarning, TableEncoder
from atfnb.evaluation import are_training_rows
from atfnb.model import AdditiveModel
from atfnb.model_file import from_document, to_document
from helpers.model_files import assert_same, bits, fitted, small_table, unsealed
from helpers.strategies import mixed_table

COUNTED = {
    **{classifier.__name__: classifier for classifier in (NB, WNB, KLNB, CFW, DFW)},
    "WeightedNB": lambda **shared: WeightedNB(weights="pearson", **shared),
}
MISSING = st.sampled_from(["impute", "skip", "value"])


def again(model):
    return from_document(json.loads(json.dumps(to_document(model))))


def updated(case, missing, table, y, cuts, weights=None):
    """A model that has learned from some rows after others; the rows of the first part have two classes at least."""
    model, weights = COUNTED[case](missing=missing), np.ones(len(y)) if weights is None else weights
    for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True):
        if stop > start:
            model.partial_fit(table[start:stop], y[start:stop], sample_weight=weights[start:stop])
    return model


@st.composite
def rows_in_parts(draw):
    table, y, weights = draw(mixed_table())
    first = draw(st.integers(2, len(y)))
    return table, y, weights, (first, draw(st.integers(first, len(y))))


@given(rows_in_parts(), st.sampled_from(sorted(COUNTED)), MISSING)
def test_an_update_is_what_counting_all_rows_gives_to_the_bit(case, classifier, missing):
    table, y, weights, cuts = case
    model = updated(classifier, missing, table, y, cuts, weights)
    first = updated(classifier, missing, table[: cuts[0]], y[: cuts[0]], (), weights[: cuts[0]])
    assert_array_equal(model.classes_, np.unique(y))
    for attribute, before in zip(model.encoder_.attributes[:2], first.encoder_.attributes[:2], strict=True):
        assert_array_equal(attribute.cuts, before.cuts)
    assert model.encoder_.attributes[2].categories == tuple(sorted({row[2] for row in table}))
    codes, of_class = model.encoder_.encode(table), np.searchsorted(model.classes_, y).astype(np.int32)
    needs = model._needs() | {"fingerprint"}
    counts = count(codes, of_class, weights.astype(float), model.encoder_.n_values, len(model.classes_), needs)
    for name in ("n_values", "classes", "values", "pairs", "rows"):
        assert bits(getattr(model.counts_, name)) == bits(getattr(counts, name)), name
    assert model.counts_.fingerprint in (None, counts.fingerprint)
    assert model.n_rows_ == len(y)
    weights_of_all = COUNTED[classifier]()._weights_of(counts)
    assert bits(model.weights_) == bits(weights_of_all)
    whole = AdditiveModel.weighted(
        weights_of_all, model._evidence(counts, model.encoder_), model._log_prior(counts), counts.offsets
    )
    assert bits(model.predict_joint_log_proba(table)) == bits(whole.joint(codes))


@given(rows_in_parts(), st.sampled_from(sorted(COUNTED)))
def test_an_update_is_a_fit_on_the_codes_of_all_rows(case, classifier):
    table, y, weights, cuts = case
    table = [[a, 0.0 if np.isnan(b) else b, c] for a, b, c in table]
    model = updated(classifier, "impute", table, y, cuts, weights)
    codes = model.encoder_.encode(table)
    whole = COUNTED[classifier](categorical_features="all").fit(codes, y, weights)
    assert bits(model.counts_.values) == bits(whole.counts_.values)
    assert bits(model.weights_) == bits(whole.weights_)
    assert bits(model.predict_joint_log_proba(table)) == bits(whole.predict_joint_log_proba(codes))


@given(rows_in_parts(), st.sampled_from(sorted(COUNTED)), MISSING)
def test_a_model_saved_between_updates_is_the_same_to_the_bit(case, classifier, missing):
    table, y, _, (first, _) = case
    model = COUNTED[classifier](missing=missing).fit(table[:first], y[:first])
    loaded = again(model)
    if first < len(y):
        for each in (model, loaded):
            each.partial_fit(table[first:], y[first:])
    assert_same(loaded, model)
    assert_same(again(loaded), model)
    assert bits(again(loaded).counts_.pairs) == bits(model.counts_.pairs)


@given(rows_in_parts(), st.sampled_from(sorted(COUNTED)), MISSING)
def test_an_integer_weight_is_repetition_and_a_zero_weight_absence(case, classifier, missing):
    table, y, weights, (first, _) = case
    weighted, repeated = (COUNTED[classifier](missing=missing).fit(table[:first], y[:first]) for _ in range(2))
    rest = table[first:]
    if not rest:
        return
    absent = [[1e6, np.nan, "violet"]]
    weighted.partial_fit(rest + absent, [*y[first:], 99], sample_weight=[*weights[first:], 0])
    repeated.partial_fit(
        [row for row, w in zip(rest, weights[first:], strict=True) for _ in range(w)],
        np.repeat(y[first:], weights[first:]),
    )
    assert_array_equal(weighted.classes_, repeated.classes_)
    assert_array_equal(weighted.counts_.values, repeated.counts_.values)
    assert bits(weighted.table_) == bits(repeated.table_)


def test_fractional_weights_are_exact_up_to_rounding_and_never_scaled():
    frame, y = small_table()
    weights = np.random.default_rng(0).random(len(y)) + 0.1
    model = NB(missing="skip").fit(frame[:12], y[:12], weights[:12])
    for row in range(12, len(y)):
        model.partial_fit(frame[row : row + 1], y[row : row + 1], sample_weight=weights[row : row + 1])
    whole = model.encoder_.encode(frame)
    counts = count(whole, (y == "yes").astype(np.int32), weights, model.encoder_.n_values, 2)
    assert_allclose(model.counts_.values, counts.values, rtol=1e-14)
    with pytest.raises(ValueError, match="adds up to more than 1099511627776"):
        model.partial_fit(frame[:1], y[:1], sample_weight=[2.0**41])


# --- what is new ------------------------------------------------------------------------------------


def mixed():
    """A table of every kind of column."""
    return pd.DataFrame(
        {
            "size": [1.0, 2.0, 3.0, 4.0],
            "code": [3, 1, 3, 1],
            "open": [True, True, True, True],
            "town": ["Ulm", "Bonn", "Ulm", "Bonn"],
            "day": pd.to_datetime(["2024-01-01", "2024-02-02", "2024-01-07", "2024-02-09"]),
        }
    ), np.array(["no", "yes", "no", "yes"])


def test_new_categories_of_every_kind_are_put_in_their_place():
    frame, y = mixed()
    model = NB(categorical_features=["code", "open", "town"]).fit(frame, y)
    more = frame.assign(
        code=[2, 9, 3, 1],
        open=[False] * 4,
        town=["Aalen", "Zug", "Ulm", "Ulm"],
        day=frame["day"] + pd.Timedelta(days=62),
    )
    model.partial_fit(more, ["no", "maybe", "no", "yes"])
    found = {each.name: each for each in model.encoder_.attributes}
    assert found["code"].categories == (1, 2, 3, 9)
    assert found["open"].categories == (False, True)
    assert found["town"].categories == ("Aalen", "Bonn", "Ulm", "Zug")
    assert found["day: month"].labels == ["January", "February", "March", "April"]
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert_array_equal(model.counts_.rows, [1, 4, 3])
    assert_array_equal(model.counts_.of_attribute(1), [[0, 0, 3], [0, 1, 0], [0, 3, 0], [1, 0, 0]])
    assert_same(again(model), model)


def test_labels_of_whole_numbers_widen_and_give_way_to_fractions():
    frame, y = mixed()
    model = NB().fit(frame[["size"]], y)
    assert model.encoder_.attributes[0].whole == (1, 4)
    model.partial_fit(pd.DataFrame({"size": [-3.0, 9.0]}), ["no", "yes"])
    assert model.encoder_.attributes[0].whole == (-3, 9)
    model.partial_fit(pd.DataFrame({"size": [0.5]}), ["no"])
    assert model.encoder_.attributes[0].whole is None


def test_whole_numbers_with_gaps_stay_whole_and_fractions_make_all_of_them_floats():
    model = NB(categorical_features="all").fit(np.array([[1], [2]]), ["a", "b"])
    model.partial_fit(np.array([[3.0], [np.nan]]), ["a", "b"])
    assert list(map(repr, model.encoder_.attributes[0].categories)) == ["1", "2", "3"]
    model.partial_fit(np.array([[2.5]]), ["a"])
    assert list(map(repr, model.encoder_.attributes[0].categories)) == ["1.0", "2.0", "2.5", "3.0"]


def test_a_category_that_was_not_kept_counts_as_pooled():
    frame, y = mixed()
    model = NB().fit(frame[["town"]], y)
    (attribute,) = model.encoder_.attributes
    pooled = copy.deepcopy(attribute)
    for name, value in {"pooled": 2, "n_values": 3}.items():
        object.__setattr__(pooled, name, value)
    model.encoder_ = TableEncoder((pooled,))
    model.counts_ = model.counts_.relaid(np.array([3]), np.array([0, 1, 3]), 2, np.array([0, 1]))
    model.partial_fit(pd.DataFrame({"town": ["Zug", "Ulm", "Aalen"]}), ["no", "no", "yes"])
    (after,) = model.encoder_.attributes
    assert (after.categories, after.pooled, after.n_values) == (("Bonn", "Ulm"), 2, 3)
    assert_array_equal(model.counts_.of_attribute(0), [[0, 2], [3, 0], [1, 1]])


def test_missing_values_are_replaced_as_in_the_first_rows():
    model = NB().fit([["x"], ["x"], ["y"]], ["a", "b", "b"])
    model.partial_fit([["y"], ["y"], ["y"], [None]], ["a", "a", "b", "a"])
    assert_array_equal(model.counts_.of_attribute(0), [[2, 1], [2, 2]])
    assert again(model).encoder_.attributes[0].missing_code == 0
    model.partial_fit([["a"]], ["a"])
    assert model.encoder_.attributes[0].missing_code == 1


def test_the_first_missing_value_becomes_a_value_of_its_own_or_is_skipped():
    for missing, expected in {"value": [[1, 0], [0, 1], [1, 0]], "skip": [[1, 0], [0, 1]]}.items():
        model = NB(missing=missing).fit([[1.0], [2.0]], ["a", "b"])
        assert model.encoder_.n_values.tolist() == [2]
        model.partial_fit([[np.nan]], ["a"])
        assert_array_equal(model.counts_.of_attribute(0), expected)
        assert_same(again(model), model)


def test_a_column_without_any_value_at_first_stays_without_effect_and_is_named():
    frame, y = small_table()
    with pytest.warns(EmptyColumnWarning):
        model = CFW().fit(frame[:12].assign(late=np.nan, never=None), y[:12])
    with pytest.warns(EmptyColumnWarning, match="column 'late' has values now, and had none when the model was first"):
        model.partial_fit(frame[12:].assign(late=1.0, never=None), y[12:])
    without = CFW().fit(frame[:12], y[:12]).partial_fit(frame[12:], y[12:])
    assert_array_equal(model.weights_[:3], without.weights_)
    assert_array_equal(model.weights_[3:], 0)
    assert model.fingerprint_ == without.fingerprint_
    rows = frame.assign(late=1.0, never="x")
    assert bits(model.predict_proba(rows)) == bits(without.predict_proba(frame))
    assert_same(again(model), model)


def test_the_fingerprint_adds_up_while_no_code_changes():
    frame, y = small_table()
    model = NB().fit(frame[:12], y[:12]).partial_fit(frame[12:], y[12:])
    assert are_training_rows(model, frame, y) is True
    assert are_training_rows(model, frame[:12], y[:12]) is False
    model.partial_fit(frame[:1].assign(colour="aqua"), y[:1])
    assert model.fingerprint_ is None
    assert are_training_rows(model, frame, y) is None


# --- what is asked, and what is refused ---------------------------------------------------------------


def test_the_first_call_is_a_fit():
    frame, y = small_table()
    assert_same(NB().partial_fit(frame, y), NB().fit(frame, y))


def test_classes_without_rows_are_classes_too_and_others_are_refused():
    frame, y = small_table()
    model = NB().partial_fit(frame[:2], ["no", "no"], classes=["yes", "no", "maybe"])
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert model.predict_proba(frame).shape == (24, 3)
    model.partial_fit(frame, y)
    assert_array_equal(model.counts_.rows, [0, 2 + (y == "no").sum(), (y == "yes").sum()])
    with pytest.raises(ValueError, match="y holds the class 'perhaps', which is not one of those given as classes"):
        model.partial_fit(frame[:1], ["perhaps"], classes=["yes", "no", "maybe"])
    with pytest.raises(ValueError, match='"counts" of "classes" must be a number above 0, not 0'):
        to_document(model)
    assert_same(again(model.partial_fit(frame[:1], ["maybe"])), model)


def test_factors_of_classes_hold_for_new_rows_and_balanced_is_refused():
    frame, y = small_table()
    model = NB(class_weight={"yes": 2.0}).fit(frame[:12], y[:12]).partial_fit(frame[12:], y[12:])
    assert_array_equal(model.counts_.classes, [(y == "no").sum(), 2 * (y == "yes").sum()])
    only_no = NB(class_weight={"yes": 2.0}).fit(frame, y).partial_fit(frame[:2], ["no", "no"])
    assert only_no.counts_.classes[0] == 2 + (y == "no").sum()
    with pytest.raises(
        ValueError, match="class_weight='balanced', unlike fixed weights of classes, depends on all rows"
    ):
        NB(class_weight="balanced").fit(frame, y).partial_fit(frame, y)


def test_numbers_for_classes_keep_their_type_and_other_types_are_refused():
    model = NB().fit([[1.0], [2.0]], np.array([1, 2], dtype=np.int64))
    model.partial_fit([[1.0]], np.array([3.0]))
    assert model.classes_.dtype == np.int64
    for y in (["1"], [True]):
        with pytest.raises(ValueError, match="the classes of the model are like 1, and those of the rows like"):
            model.partial_fit([[1.0]], y)


REFUSED = {
    "a column less": (lambda X: X[["size"]], "The feature names should match those that were passed"),
    "text for numbers": (lambda X: X.assign(size="x"), "column 'size' held numbers when the model was fitted"),
    "numbers for text": (
        lambda X: X.assign(town=1),
        "column 'town' held text when the model was fitted and holds numb",
    ),
    "numbers for booleans": (lambda X: X.assign(open=2), "column 'open' held booleans .* holds numbers now"),
    "numbers for dates": (lambda X: X.assign(day=1), "column 'day' held dates when the model was fitted"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", REFUSED)
def test_an_update_that_fails_leaves_the_model_as_it_was(case):
    change, sentence = REFUSED[case]
    frame, y = mixed()
    model = CFW(categorical_features=["code", "open", "town"]).fit(frame, y)
    before = fitted(model), bits(model.counts_.pairs), set(vars(model))
    with pytest.raises(ValueError, match=sentence):
        model.partial_fit(change(frame.assign(town="Zug")), ["new"] * 4)
    assert (fitted(model), bits(model.counts_.pairs), set(vars(model))) == before


def test_an_update_that_fails_late_leaves_the_model_as_it_was():
    frame, y = small_table()
    model = CFW(class_prior=[0.3, 0.7]).fit(frame, y)
    before = fitted(model), set(vars(model))
    with pytest.raises(ValueError, match="class_prior"):
        model.partial_fit(frame.assign(colour="aqua"), ["new"] * 24)
    assert (fitted(model), set(vars(model))) == before
    assert model.n_rows_ == 24


def test_pairs_of_many_values_are_not_kept_and_the_update_says_so():
    rows = np.arange(MAX_PAIR_VALUES + 1)[:, None]
    model = CFW(categorical_features="all", min_category_rows=None).fit(rows, rows[:, 0] % 2)
    assert model.counts_.pairs is None
    with pytest.raises(ValueError, match="a CFW needs pairs of values to take in new rows, and this one does not keep"):
        model.partial_fit(rows, rows[:, 0] % 2)
    of_0_1_0 = unsealed(CFW().fit(*small_table()))
    del of_0_1_0["value_pairs"]
    with pytest.raises(ValueError, match="this one does not keep them: train again on old and new rows together"):
        from_document(of_0_1_0).partial_fit(*small_table())


def test_weights_that_depend_on_codes_refuse_categories_that_move_them():
    def weights(counts):
        return counts.moments[3].sum(axis=0)

    weights.needs = ["moments"]
    frame, y = small_table()
    model = WeightedNB(weights=weights).fit(frame[:12], y[:12])
    model.partial_fit(frame[12:].assign(colour="zinc"), y[12:])
    assert bits(model.weights_) == bits(weights(model.counts_))
    with pytest.raises(ValueError, match="categories that change the codes of others"):
        model.partial_fit(frame.assign(colour="aqua"), y)


def test_weights_of_a_function_that_a_file_does_not_hold_are_refused():
    frame, y = small_table()
    loaded = again(WeightedNB(weights=lambda counts: np.ones(3)).fit(frame, y))
    with pytest.raises(
        ValueError, match=r"the weights of this model were computed by .*lambda.*, which its file does no"
    ):
        loaded.partial_fit(frame, y)
    assert_array_equal(loaded.set_params(weights=[1, 2, 3]).partial_fit(frame, y).weights_, [1, 2, 3])


@pytest.mark.parametrize("classifier", [ATFNB, CFWBeta, FusionNB])
def test_classifiers_that_need_the_rows_have_no_such_method(classifier):
    assert not hasattr(classifier(), "partial_fit")


def test_the_record_counts_the_updates_and_spells_new_classes():
    frame, y = small_table()
    model = again(NB().fit(frame, y))
    assert "updates" not in model.training_
    model.training_["class_spelling"] = ["NO", "YES"]
    model.training_["fit"] = {"accuracy": 1.0, "log_loss": 0.1, "calibration_error": 0.0}
    model.partial_fit(frame[:1], ["perhaps"])
    found = to_document(model)["training"]
    assert (found["updates"], found["rows"], found["weight"]) == (1, 25, 25)
    assert found["class_spelling"] == ["NO", "perhaps", "YES"]
    assert "fit" not in found
    assert to_document(again(model).partial_fit(frame, y))["training"]["updates"] == 2


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@pytest.mark.parametrize("case", COUNTED)
def test_a_column_that_is_not_used_takes_in_new_values_and_stays_so(case):
    table = pd.DataFrame({"name": [f"n{i}" for i in range(60)] * 2, "size": np.arange(120) % 7})
    y = np.arange(120) % 2
    model = COUNTED[case]().fit(table, y)
    assert model.encoder_.attributes[0].is_unused
    new = table.assign(name=[f"m{i}" for i in range(120)])
    updated = again(model).partial_fit(new, y)
    assert updated.encoder_.attributes[0] == model.encoder_.attributes[0]
    assert updated.counts_.classes.sum() == 240
    only = table[["size"]]
    assert_array_equal(
        updated.predict_proba(new), COUNTED[case]().fit(only, y).partial_fit(only, y).predict_proba(only)
    )
