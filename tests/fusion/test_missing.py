"""Missing values in FusionNB: a value of its own, which says nothing unless the rows show that it does."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine

from atfnb import NB, FusionNB
from atfnb.counts import Counts, log_likelihood
from atfnb.fusion.likelihood import log_probabilities

REFINE = [None, "attribute", "value"]
WAYS = ["impute", "skip", "value"]


def rows_with_missing(rows=300, *, every=None, informative=False, seed=0):
    """Return a number, a category and their class: missing in some rows of each class, more often in 1, or nowhere."""
    rng = np.random.default_rng(seed)
    y = (np.arange(rows) % 5 < 3).astype(int)
    frame = pd.DataFrame({"size": rng.normal(size=rows) + y, "colour": np.where(rng.random(rows) < 0.3, y, 1 - y)})
    frame["colour"] = frame["colour"].map({0: "red", 1: "blue"}).astype(object)
    for first, column in enumerate(frame):
        if informative:
            frame.loc[rng.random(rows) < np.where(y == 1, 0.5, 0.05), column] = None
        elif every:
            frame.loc[(np.arange(rows) // 5 + first) % every == 0, column] = None
    return frame, y


def one_row(frame, **values):
    """Return a row that is missing everywhere but in the columns given."""
    row = frame.iloc[:1].copy()
    for column in row:
        row[column] = values.get(column, np.nan if row[column].dtype.kind == "f" else None)
    return row


def frequencies(y):
    return np.bincount(y) / len(y)


def test_a_missing_value_is_a_value_by_default():
    assert FusionNB().missing == "value"
    assert NB().missing == "impute"


@pytest.mark.parametrize("refine", REFINE)
def test_without_missing_values_every_way_gives_the_same_model_to_the_bit(refine):
    X, y = load_iris(return_X_y=True)
    models = [FusionNB(missing=missing, refine=refine).fit(X, y) for missing in WAYS]
    for model in models[1:]:
        assert_array_equal(model.table_, models[0].table_)
        assert_array_equal(model.class_log_prior_, models[0].class_log_prior_)


@pytest.mark.parametrize("missing", ["skip", "value"])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_an_empty_row_has_the_class_frequencies_where_nothing_was_missing(load, missing):
    X, y = load(return_X_y=True)
    model = FusionNB(missing=missing).fit(X, y)
    proba = model.predict_proba(np.full((1, X.shape[1]), np.nan))
    assert_allclose(proba[0], frequencies(y), atol=0.01)


@pytest.mark.parametrize("refine", REFINE)
def test_an_empty_row_is_close_to_the_class_frequencies_where_missing_values_say_nothing(refine):
    frame, y = rows_with_missing(500, every=10)
    model = FusionNB(refine=refine).fit(frame, y)
    assert_allclose(model.predict_proba(one_row(frame))[0], frequencies(y), atol=0.05)


def test_rare_missing_values_are_as_good_as_skipped():
    frame, y = rows_with_missing(400)
    first = np.flatnonzero(y == 1)[:2]  # both in one class, which a value of two rows would speak for
    frame.loc[first[0], "size"], frame.loc[first[1], "colour"] = None, None
    value, skip = (FusionNB(missing=missing).fit(frame, y) for missing in ("value", "skip"))
    for row in (one_row(frame), one_row(frame, size=1.5), one_row(frame, colour="red")):
        assert_allclose(value.predict_proba(row), skip.predict_proba(row), atol=0.15)


@pytest.mark.parametrize("refine", REFINE)
def test_informative_missing_values_are_learned(refine):
    frame, y = rows_with_missing(informative=True)
    new, truth = rows_with_missing(informative=True, seed=1)
    value, skip = (model.fit(frame, y) for model in (FusionNB(refine=refine), FusionNB(refine=refine, missing="skip")))
    assert value.score(new, truth) > skip.score(new, truth) + 0.03
    contributions = value.contributions(one_row(frame))[0]
    assert (contributions[:, 1] > contributions[:, 0]).all()


def test_a_missing_number_is_held_back_as_a_missing_category_is():
    """The intervals of a number are held to each other, not to zero: "missing" must not move them instead."""
    y = np.arange(400) % 2
    few = np.arange(400) < 3
    number = np.where(few, np.nan, np.arange(400.0))
    category = np.where(few, None, np.array(["a", "b", "c", "d"], dtype=object)[np.arange(400) // 100])
    frame = pd.DataFrame({"number": number, "category": category})
    model = FusionNB(shrinkage=1.0).fit(frame, np.where(few, 1, y))
    effects = model.value_effects_[model.encoder_.missing]
    assert np.abs(effects).max() < 0.2
    assert_allclose(effects[0], effects[1], atol=0.05)


def test_a_rare_missing_value_speaks_for_no_class():
    counts = Counts(np.array([2]), np.array([500.0, 50.0]), np.array([[499.0, 50.0], [1.0, 0.0], [0.0, 0.0]]))
    missing = np.array([False, True, False])
    as_value, held = log_likelihood(counts, 1.0), log_likelihood(counts, 1.0, missing)
    assert np.ptp(as_value[1]) > 1.0
    assert np.ptp(held[1]) < 0.2
    assert_array_equal(held[2], 0)
    assert_allclose(np.exp(held[:2]).sum(axis=0), 1)


def test_a_missing_value_is_left_out_with_its_row():
    values = np.array([[3.0, 1.0], [2.0, 4.0], [4.0, 1.0], [0.0, 0.0]])
    counts = Counts(np.array([3]), values.sum(axis=0), values)
    missing = np.array([False, False, True, False])
    own = log_probabilities(counts, 1.0, missing).own
    q, n, absent, present = 5 / 15, 8, 3, 5  # class 0, without one of the rows where the value is missing
    assert_allclose(np.exp(own[2, 0]), q * (absent + 1) / (q * n + 1))
    q_present = (q * (present - 1) + (1 - q)) / (q * n + 1)  # without one of the rows where it is present
    assert_allclose(np.exp(own[0, 0]), q_present * (3 - 1 + 1) / (present - 1 + 2))
