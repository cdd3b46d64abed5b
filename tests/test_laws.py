"""The laws of the design that hold for whole models, on small random data."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB

from atfnb import ATFNB, DFW, CFWBeta, FusionNB, WeightedNB
from atfnb.classifiers import ROSTER
from atfnb.indexes import find_relevance
from helpers.strategies import coded_rows, examples, mixed_table

EVERY = [classifier for classifier in ROSTER if classifier not in (FusionNB, WeightedNB)]
SEARCHING = [ATFNB, CFWBeta]
RARE = st.sampled_from(["auto", 3, 9])
"""How many rows a category needs: with so few rows, "auto" keeps all apart."""


def on_codes(classifier, **parameters):
    return classifier(categorical_features="all", **parameters)


@given(coded_rows())
def test_1_weights_of_one_are_categorical_nb(case):
    codes, y, weights = case
    # CategoricalNB takes every code up to the largest for a value, so close the gaps first
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in codes.T])
    ours = on_codes(WeightedNB, weights=np.ones(codes.shape[1])).fit(codes, y, weights)
    theirs = CategoricalNB(class_prior=np.exp(ours.class_log_prior_)).fit(codes, y, weights)
    assert_allclose(ours.predict_log_proba(codes), theirs.predict_log_proba(codes), rtol=1e-8, atol=1e-9)


@given(coded_rows(), st.sampled_from(SEARCHING), st.sampled_from([0.01, 0.05, 0.3]))
def test_3_qsf_is_never_worse_than_a_grid_and_predict_agrees(case, classifier, step):
    codes, y, weights = case
    exact = on_codes(classifier).fit(codes, y, weights)
    grid = on_codes(classifier, search="sls", step=step).fit(codes, y, weights)
    assert exact.beta_accuracy_ >= grid.beta_accuracy_
    for model in (exact, grid):
        assert model.score(codes, y, weights) == pytest.approx(model.beta_accuracy_, abs=1e-14)


@given(coded_rows(), st.sampled_from(SEARCHING))
def test_3_every_beta_inside_is_as_good_and_one_just_outside_is_worse(case, classifier):
    codes, y, weights = case
    model = on_codes(classifier).fit(codes, y, weights)
    both = model.relevance_, model.redundancy_

    def accuracy(beta):
        w = beta * both[0] - (1 - beta) * both[1]
        return on_codes(WeightedNB, weights=w).fit(codes, y, weights).score(codes, y, weights)

    best = pytest.approx(model.beta_accuracy_, abs=1e-14)
    for low, high in model.beta_intervals_:
        if high - low > 1e-6:
            for share in (0.01, 0.3, 0.5, 0.99):
                assert accuracy(low + share * (high - low)) == best
            for outside in (low - 1e-7, high + 1e-7):
                inside_another = any(a - 1e-6 <= outside <= b + 1e-6 for a, b in model.beta_intervals_ if a != low)
                if 0 <= outside <= 1 and not inside_another:
                    assert accuracy(outside) < model.beta_accuracy_


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@given(mixed_table(), st.sampled_from(EVERY), st.sampled_from(["impute", "skip", "value"]), RARE, st.randoms())
def test_4_order_of_rows_columns_and_classes_does_not_matter(case, classifier, missing, fewest, random):
    table, y, _ = case
    model = classifier(missing=missing, min_category_rows=fewest).fit(table, y)
    if classifier is DFW:  # of attributes that are equally good, it chooses the first
        relevance = find_relevance("symmetric_uncertainty")(model.counts_)
        assume(len(np.unique(relevance.round(9))) == 3)
    rows, columns = random.sample(range(len(y)), len(y)), random.sample(range(3), 3)
    shuffled = [[table[i][j] for j in columns] for i in rows]
    names = np.array(["delta", "alpha", "charlie", "bravo"])[: len(model.classes_)]  # another order of the classes
    other = classifier(missing=missing, min_category_rows=fewest).fit(shuffled, names[y[rows]])
    # the first of tied classes is taken, which moves the ends of intervals by a hair when the classes are renamed
    assert_allclose(other.weights_, model.weights_[columns], rtol=1e-7, atol=1e-8)
    place = np.argsort(np.argsort(names))
    assert_allclose(other.predict_proba(shuffled)[:, place], model.predict_proba(table)[rows], rtol=1e-7, atol=1e-9)


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@given(mixed_table(), st.sampled_from(EVERY), st.sampled_from(["impute", "skip", "value"]), RARE)
def test_5_an_integer_weight_is_repetition(case, classifier, missing, fewest):
    table, y, weights = case
    weighted = classifier(missing=missing, min_category_rows=fewest).fit(table, y, weights)
    repeated = classifier(missing=missing, min_category_rows=fewest).fit(
        [row for row, w in zip(table, weights, strict=True) for _ in range(w)], np.repeat(y, weights)
    )
    assert_array_equal(weighted.counts_.values, repeated.counts_.values)
    assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-12)
    assert_allclose(weighted.table_, repeated.table_, rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@given(mixed_table(), st.sampled_from(EVERY), st.sampled_from(["impute", "skip", "value"]), RARE)
def test_5_a_zero_weight_is_absence(case, classifier, missing, fewest):
    table, y, _ = case
    absent = [[1e6, -1e6, "violet"], [None, None, "pink"]]
    model = classifier(missing=missing, min_category_rows=fewest)
    weighted = clone(model).fit(table + absent, [*y, 99, 0], [1] * len(y) + [0, 0])
    without = clone(model).fit(table, y)
    assert_array_equal(weighted.classes_, without.classes_)
    assert_array_equal(weighted.table_, without.table_)


@given(mixed_table(), st.sampled_from(EVERY))
def test_6_contributions_sum_to_the_joint_and_probabilities_to_one(case, classifier):
    table, y, _ = case
    model = classifier().fit(table, y)
    joint = model.class_log_prior_ + model.contributions(table).sum(axis=1)
    assert_array_equal(joint, model.predict_joint_log_proba(table))
    assert_allclose(model.predict_proba(table).sum(axis=1), 1)
    tied = joint >= joint.max(axis=1, keepdims=True) - 1e-10
    assert_array_equal(model.predict(table), model.classes_[tied.argmax(axis=1)])


@examples(20)
@given(coded_rows(max_rows=12))
def test_the_curve_is_the_accuracy_of_the_model_at_every_beta(case):
    codes, y, weights = case
    model = on_codes(ATFNB).fit(codes, y, weights)
    edges, accuracy = model.accuracy_curve()
    assert edges[0] == 0
    assert edges[-1] == 1
    assert len(edges) == len(accuracy) + 1
    for left, right, expected in zip(edges[:-1], edges[1:], accuracy, strict=True):
        if right - left > 1e-9:
            beta = (left + right) / 2
            w = beta * model.relevance_ - (1 - beta) * model.redundancy_
            there = on_codes(WeightedNB, weights=w).fit(codes, y, weights).score(codes, y, weights)
            assert there == pytest.approx(expected, abs=1e-12)


def test_the_answer_does_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (40_000, 6))
    y = (X.sum(axis=1) + rng.integers(0, 6, 40_000)) // 10
    weight = rng.random(40_000)
    models = []
    for cores in (1, 2, 7):
        monkeypatch.setattr("atfnb._pieces.n_threads", lambda *_, cores=cores: cores)
        models.append(on_codes(ATFNB).fit(X, y, weight))
    for model in models[1:]:
        assert_array_equal(model.counts_.moments, models[0].counts_.moments)
        assert_array_equal(model.table_, models[0].table_)
        assert model.beta_interval_ == models[0].beta_interval_
