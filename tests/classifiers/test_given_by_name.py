"""Weights by column and priors by class, as dicts."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from atfnb import WeightedNB
from atfnb.model_file import from_document, to_document
from atfnb.scale import fit_dask
from helpers.model_files import CASES, small_table
from helpers.scale_tables import in_parts


def again(model):
    return from_document(json.loads(json.dumps(to_document(model))))


def test_weights_by_column_name_and_the_others_count_one():
    frame, y = small_table()
    model = WeightedNB(weights={"colour": 2, "age": 0.5}).fit(frame, y)
    assert_array_equal(model.weights_, [0.5, 2, 1])
    assert_array_equal(WeightedNB(weights={}).fit(frame, y).weights_, [1, 1, 1])
    assert_array_equal(WeightedNB(weights={"x1": -1}).fit(frame.to_numpy(), y).weights_, [1, -1, 1])
    parts = fit_dask(WeightedNB(weights={"colour": 2, "age": 0.5}), in_parts(frame.assign(kind=y), [5]), "kind")
    assert_array_equal(parts.table_, model.table_)
    loaded = again(model)
    assert loaded.weights == {"colour": 2, "age": 0.5}
    assert_array_equal(clone(loaded).fit(frame, y).table_, model.table_)


def test_a_weight_of_a_column_of_dates_is_that_of_its_parts():
    frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=20, freq="7h"), "side": ["left", "right"] * 10})
    assert_array_equal(WeightedNB(weights={"when": 2}).fit(frame, ["a", "b"] * 10).weights_, [2, 2, 2, 1])
    assert_array_equal(WeightedNB(weights={"when: hour": 2}).fit(frame, ["a", "b"] * 10).weights_, [1, 1, 2, 1])


def test_a_weight_of_a_column_without_values_counts_nothing():
    frame, y = small_table()
    with pytest.warns(UserWarning, match="column 'owner' has no value"):
        model = WeightedNB(weights={"colour": 2, "owner": 3}).fit(frame.assign(owner=None), y)
    assert_array_equal(model.weights_, [1, 2, 0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"color": 2}, "weights names 'color', which is not a column. Columns: age, colour, owner."),
        ({"colour": "2"}, "weights gives column 'colour' '2': give a finite number."),
        ({"colour": None}, "weights gives column 'colour' None: give a finite number."),
        ({"colour": float("nan")}, "weights gives column 'colour' nan: give a finite number."),
    ],
)
def test_bad_weights_by_name(weights, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        WeightedNB(weights=weights).fit(*small_table())
    assert str(error.value) == message


@pytest.mark.parametrize("case", CASES)
def test_priors_by_class(case):
    frame, y = small_table()
    model = CASES[case](class_prior={"yes": 0.75, "no": 0.25}).fit(frame, y)
    assert_array_equal(model.table_, CASES[case](class_prior=[0.25, 0.75]).fit(frame, y).table_)
    loaded = again(model)
    assert loaded.class_prior == {"yes": 0.75, "no": 0.25}
    assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))


def test_priors_of_classes_that_are_numbers():
    model = WeightedNB(class_prior={np.int64(1): 1, 0: 3, 2: 5}).fit([[1.0], [2.0]], [0, 1])  # 2 is not in y
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.75, 0.25])
    assert again(model).class_prior == {1: 1, 0: 3, 2: 5}


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"yes": 0.5}, "class_prior has no probability for the class 'no': give one for each class."),
        ({"yes": 0.5, "no": "x"}, "class_prior needs 2 numbers"),
        ({"yes": 0.5, "no": 0}, "class_prior must be above 0, and finite, for every class."),
    ],
)
def test_bad_priors_by_class(prior, message):
    with pytest.raises(ValueError, match=message):
        WeightedNB(class_prior=prior).fit(*small_table())
