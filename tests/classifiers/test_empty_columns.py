"""A column without any value: it has no effect, in every classifier, wherever it was fitted."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from atfnb import ATFNB, NB, FusionNB, WeightedNB
from atfnb.evaluation import cross_validate
from atfnb.model_file import from_document, to_document
from atfnb.scale import fit_dask, predict_dask
from helpers.model_files import CASES, ask_everything, assert_same, small_table
from helpers.scale_tables import in_memory, in_parts

NO_VALUES = "has no value in any row"


def with_empty(frame):
    """A table with an empty column before, between and after the others."""
    frame = frame.copy()
    frame.insert(0, "first", np.nan)
    frame.insert(2, "second", [None] * len(frame))
    frame.insert(3, "third", pd.array([pd.NA] * len(frame), dtype="Int64"))
    return frame.assign(last=pd.array([None] * len(frame), dtype="string"))


EMPTY = np.array([0, 2, 3, 6])


def fitted_with_empty(model, frame, y):
    with pytest.warns(UserWarning, match="columns 'first', 'second', 'third', 'last' have no value") as said:
        model.fit(with_empty(frame), y)
    assert len([one for one in said if not issubclass(one.category, ConvergenceWarning)]) == 1
    return model


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("missing", ["impute", "skip", "value"])
@pytest.mark.parametrize("case", [case for case in CASES if case != "weights given"])
def test_an_empty_column_changes_nothing_and_counts_nothing(case, missing):
    frame, y = small_table()
    solved = case == "FusionNB per attribute"  # by a system of equations, which has one for each column
    assert_equal = partial(assert_allclose, rtol=1e-12) if solved else assert_array_equal
    model = fitted_with_empty(CASES[case](missing=missing), frame, y)
    without = CASES[case](missing=missing).fit(frame, y)
    assert model.n_features_in_ == 7
    assert_equal(np.delete(model.weights_, EMPTY), without.weights_)
    assert_array_equal(model.weights_[EMPTY], 0)
    rows = with_empty(frame).assign(first=1.0, second="anything", last=[True, False] * 12)
    assert_equal(model.predict_proba(rows), without.predict_proba(frame))
    adds = model.contributions(rows)
    assert_array_equal(adds[:, EMPTY], 0)
    assert_equal(np.delete(adds, EMPTY, axis=1), without.contributions(frame))
    loaded = from_document(to_document(model))
    assert_same(loaded, model)
    for found, expected in zip(ask_everything(loaded, rows), ask_everything(model, rows), strict=True):
        assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", [NB(), ATFNB(), FusionNB(shrinkage=[1.0])])
def test_an_empty_column_in_parts(model):
    frame, y = small_table()
    whole = fitted_with_empty(clone(model), frame, y)
    table = with_empty(frame).assign(kind=y)
    with pytest.warns(UserWarning, match="have no value in any row"):
        parts = fit_dask(clone(model), in_parts(table, [5, 0, 9]), "kind")
    assert list(parts.feature_names_in_) == list(whole.feature_names_in_)
    assert_allclose(parts.table_, whole.table_, rtol=1e-9, atol=1e-9)
    assert_array_equal(parts.weights_[EMPTY], 0)
    predicted = predict_dask(parts, in_parts(table, [7]).drop(columns="kind")).compute()
    assert_array_equal(predicted, whole.predict(with_empty(frame)))


def test_a_column_that_only_rows_without_weight_have_is_empty():
    with pytest.warns(UserWarning, match=f"column 'x1' {NO_VALUES}"):
        model = NB().fit([[1.0, 5.0], [1.5, None], [2.0, None], [3.0, None]], [0, 0, 1, 1], [0, 1, 1, 1])
    assert_array_equal(model.weights_, [1, 0])


@pytest.mark.filterwarnings("ignore::atfnb.encoding.EmptyColumnWarning")
def test_weights_are_given_for_every_column():
    with pytest.warns(UserWarning, match=NO_VALUES):
        model = WeightedNB(weights=[5.0, 2.0]).fit([[None, 1.0], [None, 2.0]], [0, 1])
    assert_array_equal(model.weights_, [0, 2])
    with pytest.raises(ValueError, match="one number for each of the 2 attributes"):
        WeightedNB(weights=[2.0]).fit([[None, 1.0], [None, 2.0]], [0, 1])


def test_a_table_without_any_value_is_refused():
    with pytest.raises(ValueError, match="no column has any value"):
        NB().fit([[None], [np.nan]], [0, 1])
    frame = pd.DataFrame({"x": [np.nan] * 2, "kind": [0, 1]})
    with pytest.raises(ValueError, match="no column has any value"):
        fit_dask(NB(), in_parts(frame, [1]), "kind")


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asarray, lambda frame: frame.to_numpy().tolist()])
def test_cross_validation_takes_a_column_that_is_empty_in_some_folds(kind):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    frame = pd.DataFrame({"x": rng.normal(size=40) + y, "sparse": np.nan, "never": np.nan})
    frame.loc[3, "sparse"] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cross_validate({"NB": NB()}, kind(frame), y)
        alone = cross_validate({"NB": NB()}, kind(frame[["x"]]), y)
    assert found.mean("NB", "accuracy") == alone.mean("NB", "accuracy")


def test_the_report_shows_an_empty_column(tmp_path):
    frame, y = small_table()
    model = fitted_with_empty(ATFNB(), frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = str(model.report(with_empty(frame), y, folds=2))
        assert "second" in page
        plain = FusionNB(shrinkage=[10.0])
    fitted_with_empty(plain, frame, y)
    assert "second" in str(plain.report(with_empty(frame), y, folds=2))


def test_an_empty_column_is_plotted():
    frame, y = small_table()
    model = fitted_with_empty(NB(), frame, y)
    assert model.plot_effects("second").get_title() == "second"
    assert len(model.plot_weights().get_yticks()) == 7


def test_one_empty_column_is_named():
    with pytest.warns(UserWarning, match="column 'b' has no value in any row: it has no effect"):
        in_memory(NB(), pd.DataFrame({"a": [1.0, 2.0], "b": [None, None], "kind": [0, 1]}))
