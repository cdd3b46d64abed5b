"""Rare categories count as one, and so do all of a column with many that do not help to predict the class."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.base import clone

from atfnb import ATFNB, NB, FusionNB, load, save
from atfnb.encoding import CategoricalAttribute, UnusedColumnWarning
from atfnb.encoding.learning import FEWEST, FEWEST_SHRUNK, MANY, PRIOR_ROWS, log_bayes_factor
from atfnb.model_file import from_document, to_document
from atfnb.scale import fit_dask
from helpers.scale_tables import in_parts

pytestmark = pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")


def column(times):
    """A column of text with these numbers of rows of "a0", "a1", …, and two classes that do not depend on it."""
    cells = np.repeat([f"a{n:03}" for n in range(len(times))], times)
    return pd.DataFrame({"town": cells}), np.arange(len(cells)) % 2


def town(model, times):
    return model.fit(*column(times)).encoder_.attributes[0]


def telling_town(model, times):
    """The same column, in which every other town has the class 1."""
    X, _ = column(times)
    return model.fit(X, np.repeat(np.arange(len(times)) % 2, times)).encoder_.attributes[0]


def test_categories_with_fewer_rows_have_one_code_after_the_others():
    found = town(NB(min_category_rows=3), [5, 2, 3, 1, 2])
    assert found == CategoricalAttribute("town", 3, 0, categories=("a000", "a002"), pooled=3)
    cells = pd.DataFrame({"town": ["a002", "a001", "a004", "never seen"]})
    assert_array_equal(NB(min_category_rows=3).fit(*column([5, 2, 3, 1, 2])).encoder_.encode(cells)[:, 0], [1, 2, 2, 2])


@pytest.mark.parametrize(
    ("model", "fewest"), [(NB(), FEWEST), (FusionNB(), FEWEST_SHRUNK), (FusionNB(refine=None), FEWEST)]
)
def test_by_default_only_columns_with_many_categories_are_pooled(model, fewest):
    many = [fewest - 1, fewest, fewest - 1] + [fewest] * (MANY - 2)
    assert len(many) == MANY + 1
    assert telling_town(model, many).pooled == 2
    assert telling_town(model, many[:-1]).pooled == 0


@pytest.mark.parametrize("model", [NB(), FusionNB()])
def test_many_categories_that_do_not_help_to_predict_the_class_count_as_one(model):
    assert town(model, [100] * (MANY + 1)).labels == ["any of 51 values"]  # the only column, so that one is left
    assert len(town(model, [100] * MANY).categories) == MANY
    assert town(clone(model).set_params(min_category_rows=3), [100] * (MANY + 1)).pooled == 0
    assert town(clone(model).set_params(min_category_rows=None), [100] * (MANY + 1)).pooled == 0


def predicted_in_turn(table):
    """The log-probability of the classes, row by row, by the earlier rows of a category and ten rows of all classes."""
    frequency, total = table.sum(axis=0) / table.sum(), 0.0
    for counts in table:
        before = PRIOR_ROWS * frequency
        for c in np.repeat(np.arange(len(counts)), counts.astype(int)):
            total += np.log(before[c] / before.sum()) - np.log(frequency[c])
            before[c] += 1
    return total


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(2, 4)), elements=st.integers(0, 12).map(float)))
def test_the_evidence_is_what_predicting_row_after_row_gains(table):
    if table.any():
        assert log_bayes_factor(table) == pytest.approx(predicted_in_turn(table), abs=1e-9)


@pytest.mark.parametrize("model", [NB(), ATFNB(), FusionNB()])
def test_a_town_that_says_nothing_counts_for_nothing_and_one_that_does_helps(model):
    rng = np.random.default_rng(0)
    town, number, noise = rng.zipf(1.3, 4000) % 700, rng.normal(size=4000), rng.normal(size=4000)
    X = pd.DataFrame({"number": number, "town": [f"town {n}" for n in town]})
    train, test = np.arange(4000) < 2000, np.arange(4000) >= 2000
    nothing = clone(model).fit(X[train], number[train] + noise[train] > 0)
    assert nothing.encoder_.attributes[1].is_unused
    assert not nothing.contributions(X[test])[:, 1].any()
    alone = model.fit(X.loc[train, ["number"]], number[train] + noise[train] > 0)
    assert_array_equal(nothing.predict_proba(X[test]), alone.predict_proba(X.loc[test, ["number"]]))
    assert_array_equal(nothing.weights_, [*alone.weights_, 0])
    y = number + 2 * (town % 2) + noise > 0
    with_town = model.fit(X[train], y[train]).score(X[test], y[test])
    assert with_town > 0.03 + model.fit(X.loc[train, ["number"]], y[train]).score(X.loc[test, ["number"]], y[test])


def test_one_rare_category_stays_and_none_pools_nothing():
    assert town(NB(min_category_rows=3), [5, 2, 3]).pooled == 0
    assert town(NB(min_category_rows=None), [1] * 200).pooled == 0
    assert town(NB(min_category_rows=1), [1] * 200).pooled == 0


def test_weights_decide_not_rows():
    X, y = column([2, 2, 2, 2])
    weights = np.array([1.5, 1.5, 1.0, 1.0, 1.5, 1.5, 0.5, 2.0])
    found = NB(min_category_rows=3).fit(X, y, weights).encoder_.attributes[0]
    assert (found.categories, found.pooled) == (("a000", "a002"), 2)


def test_days_and_months_are_not_pooled():
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=400, freq="D")})
    parts = NB(min_category_rows=60).fit(X, np.arange(400) % 2).encoder_.attributes
    assert [each.pooled for each in parts] == [0, 0, 0]


@pytest.mark.parametrize(("missing", "code"), [("impute", 0), ("value", 3), ("skip", 3)])
def test_a_missing_value_is_imputed_by_a_category_although_the_pooled_have_more_rows(missing, code):
    X, y = column([4, 3, *[2] * 10])
    X.loc[len(X)] = None
    model = NB(missing=missing, min_category_rows=3).fit(X, [*y, 0])
    found = model.encoder_.attributes[0]
    assert (found.categories, found.pooled, found.missing_code) == (("a000", "a001"), 10, code)
    assert_array_equal(model.encoder_.encode(pd.DataFrame({"town": [None, "a005"]}))[:, 0], [code, 2])
    again = from_document(to_document(model))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("missing", ["impute", "value", "skip"])
@pytest.mark.parametrize("only_column", [True, False])
def test_a_column_of_rare_categories_only_is_not_used(missing, only_column, tmp_path):
    X, y = column([2, 1, 1, 2])
    X["size"] = None if only_column else np.arange(6.0)
    X.loc[6] = [None, None if only_column else 3.0]
    with warnings.catch_warnings(action="ignore", category=UnusedColumnWarning):
        model = NB(missing=missing, min_category_rows=3).fit(X, [*y, 1])
    found = model.encoder_.attributes[0]
    assert (found.categories, found.pooled) == ((), 4)
    assert found.n_values == (missing == "value") + (only_column or missing == "value")
    assert found.is_unused == (found.n_values == 0)
    save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").encoder_.attributes[0] == found
    for cells in (["a000", "new", None], pd.array([7, 8, None], dtype="Int64")):
        new = pd.DataFrame({"town": cells, "size": None if only_column else 1.0})
        assert_array_equal(model.encoder_.encode(new)[:, 0], [0, 0, found.missing_code])
        assert_array_equal(load(tmp_path / "model.json").predict_proba(new), model.predict_proba(new))


@pytest.mark.parametrize("value", [0, -3, 2.5, True, "all", [3]])
def test_a_bad_number_of_rows_is_refused(value):
    with pytest.raises(ValueError, match="min_category_rows must be 'auto', a whole number from 1 on, or None"):
        NB(min_category_rows=value).fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        ("{} kg", "Its values are numbers written as text: remove units and other signs, if any, and convert them, as"),
        ("$1,{}.5", "Its values are numbers written as text"),
        ("2024-02-01 10:00:00.{}", "Its values are dates written as text: convert them, as with pandas.to_datetime."),
        ("row {}", "Leave it out, or use it all the same with min_category_rows=None."),
    ],
)
@pytest.mark.parametrize("also", [{}, {"side": ["left", "right", "left"] * 40}])
def test_a_warning_names_a_column_of_text_that_is_not_used_and_says_what_to_do(written, advice, also):
    X = pd.DataFrame({"price": [written.format(number) for number in range(100, 220)], **also})
    y = ["cheap"] * 60 + ["dear"] * 60
    with pytest.warns(UnusedColumnWarning) as caught:
        NB().fit(X, y)
    assert len(caught) == 1
    said = str(caught[0].message)
    assert said.startswith(
        "'price' has 120 values, with too few rows each to help predict the class: it has no effect."
    )
    assert advice in said
    assert caught[0].filename == __file__
    with pytest.warns(UnusedColumnWarning, match="'price' has 120 values"):
        fit_dask(NB(), in_parts(X.assign(kind=y), [50]), "kind")
