"""The laws of FusionNB: it holds naive Bayes, leaves rows out honestly, climbs, and does not mind any order."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad
from scipy.special import logsumexp
from sklearn.datasets import load_iris

from atfnb import ATFNB, NB, FusionNB
from atfnb._pieces import CodedRows, KeptPieces, in_blocks
from atfnb.classifiers.fusion import STRENGTHS
from atfnb.counts import count
from atfnb.encoding import learn_coding, refine_encoder
from atfnb.fusion import (
    CountedRows,
    Effects,
    Refined,
    centred_effects,
    content_keys,
    deal_weights,
    effect_setting,
    evidence_of,
    fuse_by_accuracy,
    fuse_by_likelihood,
    learn_effects,
    penalised_loss,
    sample_rows,
    search_segment,
)
from atfnb.fusion.choice import StrengthTrial
from atfnb.fusion.effects import scores_of
from atfnb.fusion.leave_one_out import log_loss
from atfnb.model import log_prior
from atfnb.tables import LabelledRows, read_table, read_target
from strategies import coded_rows, mixed_table

IRIS = load_iris(return_X_y=True)
REFINE = [None, "attribute", "value"]


def counted(case):
    codes, y, weights = case
    codes = codes.astype(np.uint8)
    n_values = codes.max(axis=0).astype(np.int64) + 1
    y, weights = y.astype(np.int32), weights.astype(float)
    return codes, y, weights, count(codes, y, weights, n_values, int(y.max()) + 1, {"moments"})


def fine_setting(table, y, weights, max_cuts=31):
    read, goal = read_table(table), read_target(y, weights, len(y))
    coarse = learn_coding(LabelledRows(read, goal.classes, goal.y, goal.weight), missing="value")
    fine = refine_encoder(coarse.encoder, coarse.distributions, max_cuts)
    codes = fine.encoder.encode_table(read)
    counts = count(codes, goal.y, goal.weight, fine.encoder.n_values, len(goal.classes))
    return effect_setting(fine, counts, log_prior(counts, 1.0)), CodedRows(codes, goal.y, goal.weight)


# --- naive Bayes is in it ------------------------------------------------------------------------------


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
    fine = refine_encoder(model.encoder_, learn_coding(labelled).distributions, 31)
    codes = fine.encoder.encode_table(read)
    counts = count(codes, y.astype(np.int32), np.ones(len(y)), fine.encoder.n_values, len(model.classes_))
    nothing = Effects(np.zeros_like(counts.values), np.zeros(len(model.classes_)), 1.0)
    model._set_effects(Refined(fine, counts, nothing, strength=1.0, n_iter=0, converged=True))
    assert_allclose(model.predict_joint_log_proba(table), NB().fit(table, y).predict_joint_log_proba(table), atol=1e-12)


# --- leaving one out -------------------------------------------------------------------------------------


@given(coded_rows(max_rows=14))
def test_leaving_out_is_fitting_without_the_row(case):
    codes, y, _ = case
    codes, y, weights, counts = counted((codes, y, np.ones(len(y))))
    evidence = evidence_of(counts, alpha=1.0)
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        without = count(codes[others], y[others], weights[others], counts.n_values, len(counts.classes))
        honest = evidence_of(without, 1.0, leave_one_out=False)
        cells = counts.offsets[:-1] + codes[i]
        # the row's own class lacks the row; the other classes never had it
        assert_allclose(evidence.own[cells, y[i]], honest.table[cells, y[i]], rtol=1e-12)
        rest = np.arange(len(counts.classes)) != y[i]
        assert_allclose(evidence.table[cells][:, rest], honest.table[cells][:, rest], rtol=1e-12)
        scale = np.log(len(y) + len(counts.classes)) - np.log(len(y) - 1 + len(counts.classes))
        assert_allclose(evidence.own_prior[y[i]], honest.prior[y[i]], rtol=1e-12)
        assert_allclose(evidence.prior[rest] + scale, honest.prior[rest], rtol=1e-12, atol=1e-15)


# --- the targets -----------------------------------------------------------------------------------------


@given(coded_rows(), st.sampled_from([None, 3.0]))
def test_the_fused_target_never_ends_above_its_start_and_has_its_gradient(case, shrinkage):
    codes, y, weights, counts = counted(case)
    indexes = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(in_blocks(codes, y, weights), counts, evidence_of(counts, 1.0))
    found = fuse_by_likelihood(indexes, data, ridge=1.0, shrinkage=shrinkage)
    assert found.converged
    assert found.end <= found.start
    for basis in (None, indexes):
        at = np.linspace(0.5, 1.5, codes.shape[1] if basis is None else 2)

        def weigh(x, basis=basis):
            return x if basis is None else basis @ x

        def loss(x, basis=basis):
            return log_loss(weigh(x), basis, data).value

        def gradient(x, basis=basis):
            return log_loss(weigh(x), basis, data).gradient

        assert check_grad(loss, gradient, at) < 1e-4
        hessian = log_loss(weigh(at), basis, data).hessian
        nearby = np.column_stack([(gradient(at + 1e-6 * e) - gradient(at - 1e-6 * e)) / 2e-6 for e in np.eye(len(at))])
        assert_allclose(hessian, nearby, atol=1e-3)


@given(coded_rows())
def test_derivatives_by_coefficients_are_those_by_weights_carried_over(case):
    codes, y, weights, counts = counted(case)
    basis = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(in_blocks(codes, y, weights), counts, evidence_of(counts, 1.0))
    by_weights, by = (log_loss(basis @ [0.7, 0.4], b, data) for b in (None, basis))
    assert_allclose(by.value, by_weights.value, rtol=1e-12)
    assert_allclose(by.gradient, basis.T @ by_weights.gradient, rtol=1e-9, atol=1e-9)
    assert_allclose(by.hessian, basis.T @ by_weights.hessian @ basis, rtol=1e-9, atol=1e-9)


@given(coded_rows())
def test_a_search_for_coefficients_ends_at_the_same_place_wherever_it_begins(case):
    codes, y, weights, counts = counted(case)
    indexes = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(in_blocks(codes, y, weights), counts, evidence_of(counts, 1.0))
    found, again = (
        fuse_by_likelihood(indexes, data, ridge=1.0, start=start) for start in (None, np.array([0.3, -0.4]))
    )
    assert_allclose(again.theta, found.theta, atol=1e-3)
    assert_allclose(again.end, found.end, rtol=1e-7)


def test_strengths_that_clearly_got_worse_end_the_search_at_the_same_choice(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = 3.0 * rng.normal(size=(200, 4)) + y[:, None]
    tried = []
    monkeypatch.setattr("atfnb.fusion.choice.StrengthTrial", lambda *one: tried.append(one) or StrengthTrial(*one))
    strength = FusionNB().fit(X, y).shrinkage_
    n_tried = len(tried)
    monkeypatch.setattr("atfnb.fusion.choice.CLEARLY", np.inf)
    assert FusionNB().fit(X, y).shrinkage_ == strength
    assert n_tried < len(tried) - n_tried == 2 * len(STRENGTHS)


@settings(max_examples=40)
@given(mixed_table(), st.booleans(), st.integers(0, 99))
def test_the_target_of_effects_has_its_gradient_and_falls(case, with_term, seed):
    table, y, weights = case
    setting, rows = fine_setting(table, y, weights)
    rng = np.random.default_rng(seed)
    if with_term:
        rows = CodedRows(rows.codes, rows.y, rows.weight, rng.normal(size=(len(y), len(setting.prior))))
    shape = setting.counts.values.shape
    blocks = rows.in_blocks(shape[0])

    def effects(x):
        return Effects(x[: shape[0] * shape[1]].reshape(shape), x[shape[0] * shape[1] : -1], float(x[-1]))

    def flat(one):
        return np.concatenate([one.values.ravel(), one.bias, [one.gamma]])

    at = rng.normal(size=shape[0] * shape[1] + shape[1] + 1)
    error = check_grad(
        lambda x: penalised_loss(effects(x), 2.0, setting, blocks)[0],
        lambda x: flat(penalised_loss(effects(x), 2.0, setting, blocks)[1]),
        at,
    )
    assert error < 1e-3
    learned = learn_effects(0.3, setting, blocks, effects(at), precision=1e-4, max_iter=2000)
    assert learned.converged
    assert learned.end <= learned.start
    assert np.abs(flat(penalised_loss(learned.effects, 0.3, setting, blocks)[1])).max() < 1e-2


@settings(max_examples=40)
@given(mixed_table())
def test_plain_effects_score_the_same(case):
    table, y, weights = case
    setting, rows = fine_setting(table, y, weights)
    rng = np.random.default_rng(0)
    values = rng.normal(size=setting.counts.values.shape)
    effects = Effects(values, rng.normal(size=len(setting.prior)), 0.0)
    before, after = (scores_of(one, setting, rows) for one in (effects, centred_effects(effects, setting)))
    for scores in (before, after):
        scores -= logsumexp(scores, axis=1, keepdims=True)
    assert_allclose(after, before, atol=1e-10)
    assert_allclose(
        setting.counts.per_attribute(setting.share * centred_effects(effects, setting).values), 0, atol=1e-12
    )


# --- accuracy --------------------------------------------------------------------------------------------


@given(coded_rows())
def test_the_papers_segment_is_qsf(case):
    codes, y, weights = case
    model = ATFNB(categorical_features="all").fit(codes, y, weights)
    coded, y, weights = model.encoder_.encode(codes), y.astype(np.int32), weights.astype(float)
    evidence = evidence_of(model.counts_, 1.0, leave_one_out=False)
    data = CountedRows(in_blocks(coded, y, weights), model.counts_, evidence)
    found = search_segment(-model.redundancy_, model.relevance_, data)
    assert found.interval == model.beta_interval_
    assert found.accuracy == model.beta_accuracy_
    assert_array_equal(found.intervals, model.beta_intervals_)


@settings(max_examples=20)
@given(coded_rows())
def test_a_climb_never_ends_below_its_starts(case):
    codes, y, weights, counts = counted(case)
    indexes = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(in_blocks(codes, y, weights), counts, evidence_of(counts, 1.0))
    starts = [np.array([1.0, 0.0]), np.array([0.3, -0.5])]
    climb = fuse_by_accuracy(starts, indexes, data, random=np.random.default_rng(0), max_iter=5)

    def accuracy(theta):
        w = indexes @ theta
        return search_segment(w, w, data).accuracy

    assert climb.accuracy == pytest.approx(accuracy(climb.theta), abs=1e-12)
    assert all(climb.accuracy >= accuracy(start) - 1e-12 for start in starts)


# --- order and repetition --------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(mixed_table(), st.sampled_from(REFINE), st.sampled_from(["impute", "skip", "value"]), st.randoms())
def test_order_of_rows_columns_and_classes_does_not_matter(case, refine, missing, random):
    table, y, _ = case
    # whichever strength is chosen between two that are nearly as good may hang on rounding: one is given
    made = {"refine": refine, "missing": missing, "shrinkage": 1.0, "relevance": ["information_gain", "gain_ratio"]}
    model = FusionNB(**made).fit(table, y)
    rows, columns = random.sample(range(len(y)), len(y)), random.sample(range(3), 3)
    shuffled = [[table[i][j] for j in columns] for i in rows]
    names = np.array(["delta", "alpha", "charlie", "bravo"])[: len(model.classes_)]
    other = FusionNB(**made).fit(shuffled, names[y[rows]])
    place = np.argsort(np.argsort(names))
    assert_allclose(other.predict_proba(shuffled)[:, place], model.predict_proba(table)[rows], atol=5e-3)
    assert_allclose(other.weights_, model.weights_[columns], atol=2e-2)


@settings(max_examples=25, deadline=None)
@given(mixed_table(), st.sampled_from(REFINE), st.sampled_from(["impute", "skip", "value"]))
def test_an_integer_weight_is_repetition(case, refine, missing):
    table, y, weights = case
    weighted = FusionNB(refine=refine, missing=missing, shrinkage=1.0).fit(table, y, weights)
    repeated = FusionNB(refine=refine, missing=missing, shrinkage=1.0).fit(
        [row for row, w in zip(table, weights, strict=True) for _ in range(w)], np.repeat(y, weights)
    )
    assert_array_equal(weighted.counts_.values, repeated.counts_.values)
    assert_allclose(weighted.predict_proba(table), repeated.predict_proba(table), atol=5e-3)


@given(coded_rows(), st.integers(2, 5))
def test_folds_are_dealt_by_what_is_in_a_row(case, folds):
    codes, y, weights, counts = counted(case)
    keys = content_keys(codes, counts)
    shares = deal_weights(keys, y, weights, folds)
    assert_allclose(shares.sum(axis=1), weights)
    assert shares.min() >= 0
    _, same = np.unique(np.column_stack([keys, y.astype(np.uint64)]), axis=0, return_inverse=True)
    total = np.array([shares[same == g].sum(axis=0) for g in range(same.max() + 1)])
    assert_allclose(total, np.round(total), atol=1e-9)  # copies go to folds whole
    assert (total.max(axis=1) - total.min(axis=1) <= 1 + 1e-9).all()
    rows = np.random.default_rng(0).permutation(len(y))
    assert_allclose(deal_weights(keys[rows], y[rows], weights[rows], folds), shares[rows])


@given(coded_rows(), st.integers(1, 12), st.randoms())
def test_a_sample_is_the_same_in_any_order_and_parts(case, most, random):
    codes, y, weights, counts = counted(case)
    rows = random.sample(range(len(y)), len(y))
    cut = random.randrange(len(y) + 1)
    blocks = [CodedRows(codes[some], y[some], weights[some]) for some in (rows[:cut], rows[cut:])]
    one = sample_rows(in_blocks(codes, y, weights), counts, most)
    other = sample_rows(KeptPieces(blocks, len(y), together=1), counts, most)
    for name in ("keys", "codes", "y", "weight"):
        assert_array_equal(getattr(other, name), getattr(one, name))
    keys = content_keys(codes, counts)
    lowest = np.isin(keys, np.unique(keys)[:most])
    assert len(np.unique(one.keys)) == min(most, len(np.unique(keys)))
    assert one.weight.sum() == weights[lowest].sum()


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
        monkeypatch.setattr("joblib.cpu_count", lambda cores=cores: cores)
        models.append([FusionNB(refine=refine).fit(X, y) for refine in REFINE])
    for one in models[1:]:
        for model, first in zip(one, models[0], strict=True):
            assert_array_equal(model.table_, first.table_)


def test_folds_side_by_side_give_the_same_bits(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, 600)
    X = rng.normal(size=(600, 3)) + y[:, None]
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    alone = FusionNB().fit(X, y)
    monkeypatch.setattr("atfnb.fusion.choice.THREADS_FROM", 0)
    assert_array_equal(FusionNB().fit(X, y).table_, alone.table_)


def test_what_has_not_come_to_rest_is_said():
    with pytest.warns(UserWarning, match="had not come to rest after 2 steps"):
        FusionNB(max_iter=2).fit(*IRIS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FusionNB().fit(*IRIS)
