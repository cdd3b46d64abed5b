"""class_weight: multiplying the weights of the rows of a class, before anything is counted."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.class_weight import compute_class_weight

from atfnb import ATFNB, NB, FusionNB, load, save
from atfnb.classifiers import ROSTER
from atfnb.model_file import from_document, to_document
from atfnb.scale import fit_dask
from helpers.model_files import small_table, unsealed
from helpers.scale_tables import assert_same_model, frame_of, in_memory, in_parts
from helpers.strategies import examples, mixed_table

EVERY = [classifier for classifier in ROSTER if classifier is not FusionNB]
FUSION = FusionNB(shrinkage=[1.0])
factors = st.lists(st.sampled_from([0.25, 0.3, 1, 2, 7.5]), min_size=4, max_size=4)


@given(mixed_table(), st.sampled_from(EVERY), factors)
def test_a_class_weight_is_a_sample_weight_of_its_rows(case, classifier, factors):
    table, y, weights = case
    by_class = classifier(class_weight=dict(enumerate(factors))).fit(table, y, weights)
    by_row = classifier().fit(table, y, weights * np.array(factors)[y])
    assert_array_equal(by_class.counts_.values, by_row.counts_.values)
    assert_array_equal(by_class.table_, by_row.table_)


@given(mixed_table(), st.sampled_from(EVERY))
def test_balanced_is_the_weights_that_scikit_learn_computes(case, classifier):
    table, y, weights = case
    given = compute_class_weight("balanced", classes=np.unique(y), y=y, sample_weight=weights)
    balanced = classifier(class_weight="balanced").fit(table, y, weights)
    explicit = classifier().fit(table, y, weights * given[y])
    assert_allclose(balanced.counts_.classes, weights.sum() / len(given))
    assert_array_equal(balanced.table_, explicit.table_)


@examples(10)
@given(mixed_table(), st.sampled_from(["balanced", {0: 0.5, 1: 3}]))
def test_the_effects_of_fusion_follow_the_class_weights(case, class_weight):
    table, y, weights = case
    by_class = clone(FUSION).set_params(class_weight=class_weight).fit(table, y, weights)
    given = compute_class_weight(class_weight, classes=np.unique(y), y=y, sample_weight=weights)
    assert_array_equal(by_class.table_, clone(FUSION).fit(table, y, weights * given[y]).table_)


@given(
    mixed_table(),
    st.lists(st.sampled_from([0, 1, 2, 17]), max_size=4),
    st.sampled_from(EVERY),
    st.sampled_from(["balanced", {"no": 0.3, "yes": 5}]),
    st.sampled_from(["w", "fractions", None]),
)
def test_class_weights_hold_in_parts(case, sizes, classifier, class_weight, weight):
    rows, y, weights = case
    frame = frame_of(rows, y, weights).assign(fractions=np.random.default_rng(len(y)).random(len(y)) + 0.1)
    others = [name for name in ("w", "fractions") if name != weight]
    frame, model = frame.drop(columns=others), classifier(class_weight=class_weight)
    whole = in_memory(clone(model), frame, weight=weight)
    assert_same_model(fit_dask(clone(model), in_parts(frame, sizes), "kind", weight=weight), whole)


def test_the_effects_of_fusion_follow_the_class_weights_in_parts():
    X, y = load_iris(return_X_y=True, as_frame=True)
    frame, model = X.assign(kind=y), FusionNB(shrinkage=[1.0], class_weight={0: 1, 1: 4, 2: 0.5})
    whole, parts = in_memory(clone(model), frame), fit_dask(clone(model), in_parts(frame, [70, 0, 33]), "kind")
    assert_same_model(parts, whole, tolerance=1e-9)


def test_a_class_of_weight_zero_is_absent():
    X, y = load_iris(return_X_y=True)
    without = NB().fit(X[y != 1], y[y != 1])
    assert_array_equal(NB(class_weight={1: 0}).fit(X, y).table_, without.table_)
    frame = load_iris(as_frame=True).frame
    assert_same_model(
        fit_dask(NB(class_weight={1: 0}), in_parts(frame, [60]), "target"),
        in_memory(NB(), frame[frame.target != 1], "target"),
    )


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("even", "class_weight must be None, 'balanced' or a dict of class to weight, not 'even'"),
        ([1, 2], "class_weight must be None, 'balanced' or a dict"),
        ({"no": -1}, "class_weight of class 'no' must be a number from 0 on, not -1"),
        ({"no": float("nan")}, "class_weight of class 'no' must be a number from 0 on"),
        ({"no": "2"}, "class_weight of class 'no' must be a number from 0 on, not '2'"),
        ({"No": 2}, r"The classes, \['no', 'yes'\], are not in class_weight, and 'No' is"),
        ({"no": 0, "yes": 0}, "class_weight is zero for every class"),
        ({"no": 0}, "one class only"),
    ],
)
def test_bad_class_weights(class_weight, message):
    with pytest.raises(ValueError, match=message):
        NB(class_weight=class_weight).fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"])


def test_names_of_numbers_are_text_and_absent_classes_may_be_listed():
    X, y = [[1.0], [2.0], [3.0]], np.array(["1", "2", "2"])
    model = NB(class_weight={"1": 4, "2": 1, "3": 9}).fit(X, y)
    assert_array_equal(model.counts_.classes, [4, 2])
    assert_array_equal(NB(class_weight={}).fit(X, y).counts_.classes, [1, 2])


@pytest.mark.parametrize("class_weight", ["balanced", {"no": 2, "yes": 0.5}, {}, None])
def test_class_weights_are_saved_and_loaded(class_weight, tmp_path):
    frame, y = small_table()
    model = ATFNB(class_weight=class_weight).fit(frame, y)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.get_params()["class_weight"] == class_weight
    assert_array_equal(clone(loaded).fit(frame, y).table_, model.table_)


@pytest.mark.parametrize("classes", [[1, 2], [True, False], [0.0, 1.0]])
def test_class_weights_of_other_classes_are_saved_and_loaded(classes):
    weights = dict(zip(np.array(classes), [2.0, 3.0], strict=True))
    model = NB(class_weight=weights).fit([[1.0], [2.0]], classes)
    loaded = from_document(json.loads(json.dumps(to_document(model))))
    assert loaded.class_weight == weights
    assert {type(key) for key in loaded.class_weight} == {type(classes[0])}


def test_a_file_of_version_0_1_0_has_no_class_weight():
    document = unsealed(ATFNB().fit(*small_table()))
    del document["training"]["options"]["class_weight"]
    assert from_document(document).class_weight is None


@pytest.mark.parametrize("pairs", [[["no"]], [[["no"], 1]], [["no", {"x": 1}]], [1]])
def test_a_mapping_that_is_none_is_refused(pairs):
    document = to_document(ATFNB().fit(*small_table()))
    document["training"]["options"]["class_weight"] = {"mapping": pairs}
    with pytest.raises(ValueError, match='the option "class_weight"'):
        from_document(document)
