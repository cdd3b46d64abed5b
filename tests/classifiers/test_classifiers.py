import pickle
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from atfnb import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.classifiers import ROSTER
from atfnb.classifiers.dfw import select, with_locally_predictive
from atfnb.counts import count
from atfnb.indexes import REDUNDANCY, RELEVANCE, mean_redundancy, normalized
from helpers.strategies import coded_rows, examples

IRIS = load_iris(return_X_y=True)


def counted_again(model):
    """The counts with the pairs of values, which a fitted model does not keep."""
    encoder = model.encoder_
    return count(
        encoder.encode(IRIS[0]), IRIS[1].astype(np.int32), np.ones(150), encoder.n_values, 3, {"pairs", "moments"}
    )


@given(coded_rows())
def test_wnb_and_klnb_agree(case):
    codes, y, weights = case
    wnb, klnb = (c(categorical_features="all").fit(codes, y, weights) for c in (WNB, KLNB))
    assert_allclose(wnb.weights_, klnb.weights_, rtol=1e-12)
    if wnb.weights_.any():
        assert wnb.weights_.mean() == pytest.approx(1)  # Eq. 5


def test_weighted_nb_takes_a_name_an_array_or_a_function():
    wnb = WNB().fit(*IRIS)
    assert_array_equal(WeightedNB(weights="gain_ratio").fit(*IRIS).table_, wnb.table_)
    assert_array_equal(WeightedNB(weights=wnb.weights_).fit(*IRIS).table_, wnb.table_)
    function = lambda counts: normalized(RELEVANCE["gain_ratio"](counts), "mean")  # noqa: E731
    assert_array_equal(WeightedNB(weights=function).fit(*IRIS).table_, wnb.table_)
    assert_array_equal(WeightedNB().fit(*IRIS).table_, NB().fit(*IRIS).table_)


def test_eq_4_by_hand():
    X, y = [["s", "u"], ["s", "v"], ["t", "v"]], ["no", "no", "yes"]
    model = WeightedNB(weights=[2.0, 0.5]).fit(X, y)
    # P(no) = 3/5, P(s|no) = 3/4, P(u|no) = 2/4; P(yes) = 2/5, P(s|yes) = 1/3, P(u|yes) = 1/3
    no = np.log(3 / 5) + 2 * np.log(3 / 4) + 0.5 * np.log(2 / 4)
    yes = np.log(2 / 5) + 2 * np.log(1 / 3) + 0.5 * np.log(1 / 3)
    assert_allclose(model.predict_joint_log_proba([["s", "u"]])[0], [no, yes], rtol=1e-9)


def test_cfw_by_its_formula():
    model = CFW().fit(*IRIS)
    counts = counted_again(model)
    relevance = RELEVANCE["mutual_information"](counts)
    matrix = REDUNDANCY["mutual_information"](counts)
    pairs = list(combinations(range(4), 2))
    scale = np.mean([matrix[i, j] for i, j in pairs])
    redundancy = np.array([np.mean([matrix[i, j] for i in range(4) if i != j]) for j in range(4)]) / scale
    assert_allclose(model.weights_, 1 / (1 + np.exp(-(relevance / relevance.mean() - redundancy))))


def test_cfw_beta_is_atfnb_with_mutual_information_twice():
    a = CFWBeta().fit(*IRIS)
    b = ATFNB(relevance="mutual_information", redundancy="mutual_information").fit(*IRIS)
    assert_array_equal(a.table_, b.table_)
    assert a.beta_interval_ == b.beta_interval_


def test_eq_15():
    model = ATFNB().fit(*IRIS)
    low, high = model.beta_interval_
    assert model.beta_ == pytest.approx((low + high) / 2)
    assert_allclose(model.weights_, model.beta_ * model.relevance_ - (1 - model.beta_) * model.redundancy_)
    assert_allclose(model.redundancy_, mean_redundancy(REDUNDANCY["pearson"](model.counts_), "max"))


@pytest.mark.parametrize("relevance", ["information_gain", "mutual_information", "pearson", "gain_ratio"])
@pytest.mark.parametrize("redundancy", ["pearson", "mutual_information"])
def test_every_combination_of_the_paper(relevance, redundancy):
    model = ATFNB(relevance=relevance, redundancy=redundancy).fit(*IRIS)
    assert model.score(*IRIS) == pytest.approx(model.beta_accuracy_)
    assert model.beta_accuracy_ >= 0.95


def test_one_attribute_has_no_redundancy():
    model = ATFNB().fit(IRIS[0][:, 2:3], IRIS[1])
    assert_array_equal(model.redundancy_, [0.0])


# --- DFW -----------------------------------------------------------------------------------------


def merit(subset, to_class, to_others):
    k = len(subset)
    between = sum(to_others[i, j] for i, j in combinations(subset, 2))
    return sum(to_class[i] for i in subset) / np.sqrt(k + 2 * between)


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_selection_finds_a_subset_no_single_addition_improves(n, seed):
    rng = np.random.default_rng(seed)
    to_class = rng.random(n)
    to_others = np.triu(rng.random((n, n)), 1)
    to_others += to_others.T + np.eye(n)
    chosen = np.flatnonzero(select(to_class, to_others)).tolist()
    best = merit(chosen, to_class, to_others)
    for j in set(range(n)) - set(chosen):
        assert merit([*chosen, j], to_class, to_others) <= best + 1e-9
    if n <= 3:  # five expansions see every subset of three
        every = [s for k in range(1, n + 1) for s in combinations(range(n), k)]
        assert best == pytest.approx(max(merit(s, to_class, to_others) for s in every))


def test_selection_leaves_the_redundant_copy_out():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    good, copy = (y ^ (rng.random(300) < 0.1)), None
    copy = good ^ (rng.random(300) < 0.02)
    noise = rng.integers(0, 2, 300)
    model = DFW(categorical_features="all", locally_predictive=False).fit(np.column_stack([good, copy, noise]), y)
    assert sorted(set(model.weights_)) == [1.0, 2.0]
    assert model.weights_[2] == 1.0


def uncertainty(a, b):
    """2·(H(a) + H(b) − H(a, b)) / (H(a) + H(b)), from frequencies."""

    def entropy(values):
        shares = np.array(list(Counter(values).values())) / len(values)
        return -(shares * np.log2(shares)).sum()

    total = entropy(a) + entropy(b)
    return 2 * (total - entropy(list(zip(a, b, strict=True)))) / total if total else 0.0


def locally_predictive(selected, columns, y):
    """Add, as WEKA describes it, the best of the rest again and again, unless one selected is closer to it."""
    selected, tried = set(selected), set(selected)
    to_class = [round(uncertainty(column, y), 9) for column in columns]
    while rest := set(range(len(columns))) - tried:
        best = min(rest, key=lambda j: (-to_class[j], j))
        tried.add(best)
        closest = max((round(uncertainty(columns[best], columns[i]), 9) for i in selected), default=0.0)
        if to_class[best] > 0 and closest <= to_class[best]:
            selected.add(best)
    return selected


@examples(60)
@given(coded_rows(max_rows=60, max_attributes=6))
def test_locally_predictive_attributes_are_added_after_the_search(case):
    codes, y, _ = case
    without = DFW(categorical_features="all", locally_predictive=False).fit(codes, y).weights_
    added = DFW(categorical_features="all").fit(codes, y).weights_
    columns = [column.tolist() for column in codes.T]
    expected = locally_predictive(np.flatnonzero(without == 2).tolist(), columns, y.tolist())
    assert set(np.flatnonzero(added == 2).tolist()) == expected


def test_an_attribute_of_its_own_is_locally_predictive_and_a_copy_is_not():
    to_class = np.array([0.6, 0.1, 0.5])
    to_others = np.array([[1.0, 0.05, 0.7], [0.05, 1.0, 0.05], [0.7, 0.05, 1.0]])
    chosen = np.array([True, False, False])
    assert_array_equal(with_locally_predictive(chosen, to_class, to_others), [True, True, False])
    assert_array_equal(chosen, [True, False, False])


def test_locally_predictive_must_be_a_boolean():
    with pytest.raises(ValueError, match="locally_predictive must be True or False, not 'no'"):
        DFW(locally_predictive="no").fit(*IRIS)


# --- Prior and smoothing ---------------------------------------------------------------------------


def test_priors():
    X, y = [[0], [1], [1], [1]], [0, 1, 1, 1]
    assert_allclose(NB().fit(X, y).class_log_prior_, np.log([2 / 6, 4 / 6]), rtol=1e-9)  # Eq. 2
    assert_allclose(NB(fit_prior=False).fit(X, y).class_log_prior_, np.log([0.5, 0.5]), rtol=1e-9)
    assert_allclose(NB(class_prior=[0.9, 0.1]).fit(X, y).class_log_prior_, np.log([0.9, 0.1]), rtol=1e-9)
    assert_allclose(NB(alpha=0.5).fit(X, y).class_log_prior_, np.log([1.5 / 5, 3.5 / 5]), rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (NB(alpha=0), "alpha must be a number above 0, not 0"),
        (NB(alpha=float("nan")), "alpha must be"),
        (NB(class_prior=[0.5, 0.5]), "class_prior needs 3 numbers"),
        (NB(class_prior=[0.5, 0.5, 0]), "above 0, and finite, for every class"),
        (NB(class_prior=["a", "b", "c"]), "class_prior needs 3 numbers"),
        (NB(class_prior=[np.inf, 1, 1]), "above 0, and finite"),
        (NB(fit_prior="no"), "fit_prior must be True or False, not 'no'"),
        (WeightedNB(weights=[1e308] * 4), "too large for floating point"),
        (WeightedNB(weights=["a"] * 4), "one number for each of the 4 attributes"),
        (ATFNB(normalize=["max"]), "normalize must be one of"),
        (ATFNB(search="sls", step=None), "step must be a number"),
        (NB(missing="drop"), "missing must be 'impute' or 'skip' or 'value', not 'drop'"),
        (NB(max_bins=1), "max_bins must be"),
        (WeightedNB(weights=[1, 2]), r"one number for each of the 4 attributes, not an array of shape \(2,\)"),
        (WeightedNB(weights=[1, 2, np.nan, 1]), "weight of column 'x2' is NaN"),
        (ATFNB(search="grid"), "search must be 'qsf' or 'sls', not 'grid'"),
        (ATFNB(search="sls", step=0), "step must be a number"),
    ],
)
def test_bad_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(*IRIS)


@pytest.mark.parametrize("classifier", ROSTER)
def test_a_summary_names_each_attribute_with_its_weight(classifier):
    model = classifier().fit(pd.DataFrame({"size": [1, 2, 3, 4], "side": ["left", "left", "right", "left"]}), [*"aabb"])
    first, *_, one, other = model.summary().splitlines()
    assert first == "2 attributes predict 2 classes."
    assert {one.split()[-1], other.split()[-1]} == {"size", "side"}
    assert float(one.split()[0]) == pytest.approx(max(model.weights_, key=abs), abs=5e-4)


def test_nothing_answers_before_it_is_fitted():
    for ask in (NB().predict, NB().contributions, ATFNB().predict_proba):
        with pytest.raises(NotFittedError):
            ask(IRIS[0])
    with pytest.raises(NotFittedError):
        ATFNB().accuracy_curve()


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    fresh, fitted = ATFNB(max_bins=1), ATFNB().fit(*IRIS)
    before = fitted.predict(IRIS[0])
    for model in (fresh, fitted.set_params(max_bins=1)):
        with pytest.raises(ValueError, match="max_bins"):
            model.fit(IRIS[0], np.array(["u", "v", "w"])[IRIS[1]])
    with pytest.raises(NotFittedError):
        fresh.predict(IRIS[0])
    assert_array_equal(fitted.predict(IRIS[0]), before)


def test_a_pickle_holds_the_curve_but_nothing_for_each_row():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (20_000, 3))
    model = CFWBeta(categorical_features="all").fit(X, (X.sum(axis=1) + rng.integers(0, 2, 20_000)) % 3)
    pickled = pickle.dumps(model)
    assert len(pickled) < 20_000
    again = pickle.loads(pickled)  # noqa: S301
    assert_array_equal(again.predict(X), model.predict(X))
    assert_array_equal(again.accuracy_curve()[0], model.accuracy_curve()[0])


def test_small_weights_still_tell_the_classes_apart():
    X, y = IRIS[0][:100], IRIS[1][:100]
    assert WeightedNB(weights=[1e-7] * 4, fit_prior=False).fit(X, y).score(X, y) == 1


@pytest.mark.no_cover
def test_ties_are_decided_alike_by_the_search_and_by_predict():
    """Small tables full of ties: what QSF reports is what predict gives, even where lines cross in one point."""
    rng = np.random.default_rng(0)
    for _ in range(500):
        classes, values, attributes = rng.integers(2, 5), rng.integers(2, 5), rng.integers(1, 5)
        y = np.concatenate([np.arange(classes), rng.integers(0, classes, rng.integers(0, 26))])
        codes = rng.integers(0, values, (len(y), attributes))
        options = {"categorical_features": "all", "relevance": rng.choice(["uniform", "information_gain"])}
        exact = ATFNB(redundancy=rng.choice(["zero", "pearson"]), **options).fit(codes, y)
        assert exact.score(codes, y) == exact.beta_accuracy_
        for step in (0.05, 0.1):
            grid = ATFNB(redundancy=exact.redundancy, search="sls", step=step, **options).fit(codes, y)
            assert grid.score(codes, y) == grid.beta_accuracy_
            assert exact.beta_accuracy_ >= grid.beta_accuracy_


@pytest.mark.shared
@pytest.mark.parametrize("name", ["bank", "soybean", "mammographic", "abalone", "balance-scale"])
def test_real_tables_as_they_come(shared, name):
    X = pd.read_csv(shared / "datasets" / f"{name}.csv")
    y = X.pop("class")
    for classifier in (NB(), ATFNB(), CFW(missing="value"), DFW(missing="skip")):
        model = classifier.fit(X, y)
        assert model.score(X, y) > y.value_counts(normalize=True).max() - 0.03
        if isinstance(classifier, ATFNB):
            assert model.score(X, y) == pytest.approx(model.beta_accuracy_, abs=1e-12)


@pytest.mark.parametrize("classifier", [FusionNB, ATFNB])
def test_correlations_that_do_not_fit_into_memory_are_refused_at_once(monkeypatch, classifier):
    monkeypatch.setattr("atfnb.classifiers.base.MAX_MOMENT_BYTES", 32 * 9)
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"the correlations of 4 columns would need tables of 0.0 GB: leave columns"):
        classifier().fit(X, y)
    classifier().fit(X[:, :3], y)
