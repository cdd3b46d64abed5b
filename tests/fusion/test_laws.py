"""The laws of FusionNB: naive Bayes is in it, and it does not depend on any order, nor on threads."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from atfnb import NB, FusionNB
from atfnb.counts import count
from atfnb.encoding import learn_encoder, refine_encoder
from atfnb.fusion import PairEffects, Refined
from atfnb.fusion.effects import Effects
from atfnb.tables import LabelledRows, read_table
from helpers.strategies import examples, mixed_table

IRIS = load_iris(return_X_y=True)
REFINE = [None, "attribute", "value"]


@given(mixed_table(), st.sampled_from(["impute", "skip"]))
def test_naive_bayes_is_in_it_to_the_bit(case, missing):
    table, y, weights = case
    model = FusionNB(refine=None, missing=missing).fit(table, y, weights)
    naive = np.zeros(len(model.indexes_))
    naive[0] = 1.0
    model._set_weights(model.index_matrix_ @ naive)
    plain_nb = NB(missing=missing).fit(table, y, weights)
    assert_array_equal(model.table_, plain_nb.table_)
    assert_array_equal(model.predict_joint_log_proba(table), plain_nb.predict_joint_log_proba(table))


@given(mixed_table())
def test_effects_of_nothing_are_naive_bayes_too(case):
    table, y, _ = case
    model = FusionNB(refine=None, missing="impute").fit(table, y)
    model._set_weights(np.ones(3))
    read = read_table(table)
    labelled = LabelledRows(read, model.classes_, y.astype(np.int32), np.ones(len(y)))
    fine = refine_encoder(model.encoder_, learn_encoder(labelled).distributions, 31)
    codes = fine.encoder.encode_table(read)
    counts = count(codes, y.astype(np.int32), np.ones(len(y)), fine.encoder.n_values, len(model.classes_))
    nothing = Effects(np.zeros_like(counts.values), np.zeros(len(model.classes_)), 1.0)
    learned = {"shrinkage": 1.0, "line_shrinkage": 1.0, "n_iter": 0, "converged": True, "curvature": nothing.values}
    model._set_effects(Refined(fine, counts, nothing, nothing.values, **learned, pairs=PairEffects.none(nothing)))
    assert_allclose(model.predict_joint_log_proba(table), NB().fit(table, y).predict_joint_log_proba(table), atol=1e-12)


@examples(25)
@given(mixed_table(), st.sampled_from(REFINE), st.sampled_from(["impute", "skip", "value"]), st.randoms())
def test_order_of_rows_columns_and_classes_does_not_matter(case, refine, missing, random):
    table, y, _ = case
    # whichever shrinkage is chosen between two that are nearly as good may hang on rounding: one is given
    made = {"refine": refine, "missing": missing, "shrinkage": 1.0, "relevance": ["information_gain", "gain_ratio"]}
    model = FusionNB(**made).fit(table, y)
    rows, columns = random.sample(range(len(y)), len(y)), random.sample(range(3), 3)
    shuffled = [[table[i][j] for j in columns] for i in rows]
    names = np.array(["delta", "alpha", "charlie", "bravo"])[: len(model.classes_)]
    other = FusionNB(**made).fit(shuffled, names[y[rows]])
    place = np.argsort(np.argsort(names))
    assert_allclose(other.predict_proba(shuffled)[:, place], model.predict_proba(table)[rows], atol=5e-3)
    assert_allclose(other.weights_, model.weights_[columns], atol=2e-2)


@examples(25)
@given(mixed_table(), st.sampled_from(REFINE), st.sampled_from(["impute", "skip", "value"]))
def test_an_integer_weight_is_repetition(case, refine, missing):
    table, y, weights = case
    weighted = FusionNB(refine=refine, missing=missing, shrinkage=1.0).fit(table, y, weights)
    repeated = FusionNB(refine=refine, missing=missing, shrinkage=1.0).fit(
        [row for row, w in zip(table, weights, strict=True) for _ in range(w)], np.repeat(y, weights)
    )
    assert_array_equal(weighted.counts_.values, repeated.counts_.values)
    assert_allclose(weighted.predict_proba(table), repeated.predict_proba(table), atol=5e-3)


@pytest.mark.parametrize("refine", REFINE)
def test_contributions_sum_to_the_joint_to_the_bit(refine):
    X, y = IRIS
    model = FusionNB(refine=refine).fit(X, y)
    joint = model.class_log_prior_ + model.contributions(X).sum(axis=1)
    assert_array_equal(joint, model.predict_joint_log_proba(X))


def test_the_answer_does_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 3))
    y = (X.sum(axis=1) + rng.normal(size=40_000) > 0).astype(int)
    models = []
    for cores in (1, 2, 7):
        monkeypatch.setattr("atfnb._pieces.n_threads", lambda *_, cores=cores: cores)
        models.append([FusionNB(refine=refine).fit(X, y) for refine in REFINE])
    for one in models[1:]:
        for model, first in zip(one, models[0], strict=True):
            assert_array_equal(model.table_, first.table_)


def test_what_has_not_come_to_rest_is_said():
    with pytest.warns(UserWarning, match="had not come to rest after 2 steps"):
        FusionNB(max_iter=2).fit(*IRIS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FusionNB().fit(*IRIS)
