"""Folds, samples and shrinkages depend on what is in the rows, not on their order or on threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

from atfnb import FusionNB
from atfnb._pieces import CodedRows, KeptPieces
from atfnb.fusion.choosing import run_trial
from atfnb.fusion.folds import RowKeys, content_keys, deal_weights, deal_whole, sample_rows
from helpers.fusion_rows import counted
from helpers.strategies import coded_rows


@given(coded_rows(), st.integers(2, 5))
def test_folds_are_dealt_by_what_is_in_a_row(case, folds):
    codes, y, weights, counts = counted(case)
    keys = content_keys(codes, counts)
    shares = deal_weights(keys, y, weights, folds)
    assert_allclose(shares.sum(axis=1), weights)
    assert shares.min() >= 0
    _, same = np.unique(np.column_stack([keys, y.astype(np.uint64)]), axis=0, return_inverse=True)
    of_equal = np.array([shares[same == g].sum(axis=0) for g in range(same.max() + 1)])
    assert_allclose(of_equal, np.round(of_equal), atol=1e-9)  # copies go to folds whole
    of_class = np.array([shares[y == c].sum(axis=0) for c in np.unique(y)])
    assert (of_class.max(axis=1) - of_class.min(axis=1) <= 1 + 1e-9).all()
    rows = np.random.default_rng(0).permutation(len(y))
    assert_allclose(deal_weights(keys[rows], y[rows], weights[rows], folds), shares[rows])


@given(coded_rows(), st.integers(2, 5))
def test_rows_dealt_whole_are_in_one_fold_in_any_order_and_folds_are_balanced(case, folds):
    codes, y, weights, counts = counted(case)
    keys = content_keys(codes, counts)
    shares = RowKeys(keys, np.ones(len(y), dtype=bool)).deal(y, weights, folds)
    assert_allclose(shares.sum(axis=1), weights)
    for key in np.unique(keys):
        assert (shares[keys == key].sum(axis=0) > 0).sum() == 1
    one_class = deal_whole(keys, np.zeros_like(y), weights, folds).sum(axis=0)
    heaviest = max(weights[keys == key].sum() for key in np.unique(keys))
    assert one_class.max() - one_class.min() <= heaviest
    rows = np.random.default_rng(0).permutation(len(y))
    shuffled = RowKeys(keys[rows], np.ones(len(y), dtype=bool)).deal(y[rows], weights[rows], folds)
    assert_allclose(shuffled, shares[rows])


def test_equal_rows_dealt_apart_show_that_a_grid_was_learned_by_heart():
    """Out of fold, the share of a class among equal rows must not predict itself: their classes are drawn here."""
    assert abs(_alike(deal_weights)) < 0.01
    assert _alike(_one_after_the_other) > 0.02


def _one_after_the_other(keys, y, weight, folds):
    """Deal the rows of each class in turn, equal rows next to each other."""
    shares, order = np.zeros((len(keys), folds)), np.lexsort((keys, y))
    shares[order, np.arange(len(keys)) % folds] = weight[order]
    return shares


def _alike(deal):
    """How alike the share of a class among equal rows is inside a fold and outside, on average; 0 by chance."""
    rng = np.random.default_rng(0)
    products = []
    for _ in range(200):
        keys, y = rng.integers(0, 2**63, 10).astype(np.uint64)[rng.integers(0, 10, 80)], rng.integers(0, 2, 80)
        held_out = deal(keys, y.astype(np.int32), np.ones(80), 2)[:, 0]
        for key in np.unique(keys):
            inside, outside = held_out * (keys == key), (1 - held_out) * (keys == key)
            if inside.sum() and outside.sum():
                products.append((y @ inside / inside.sum() - 0.5) * (y @ outside / outside.sum() - 0.5))
    return np.mean(products)


@given(coded_rows(), st.integers(1, 12), st.randoms())
def test_a_sample_is_the_same_in_any_order_and_parts(case, most, random):
    codes, y, weights, counts = counted(case)
    rows = random.sample(range(len(y)), len(y))
    cut = random.randrange(len(y) + 1)
    blocks = [CodedRows(codes[some], y[some], weights[some]) for some in (rows[:cut], rows[cut:])]
    one = sample_rows(CodedRows(codes, y, weights).in_blocks(), counts, most)
    other = sample_rows(KeptPieces(blocks, len(y), together=1), counts, most)
    assert_array_equal(other.keys, one.keys)
    for name in ("codes", "y", "weight"):
        assert_array_equal(getattr(other.rows, name), getattr(one.rows, name))
    keys = content_keys(codes, counts)
    lowest = np.isin(keys, np.unique(keys)[:most])
    assert len(np.unique(one.keys)) == min(most, len(np.unique(keys)))
    assert one.rows.weight.sum() == weights[lowest].sum()


def test_shrinkages_that_clearly_got_worse_end_the_search_at_the_same_choice(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = 3.0 * rng.normal(size=(200, 4)) + y[:, None]
    tried = []
    monkeypatch.setattr("atfnb.fusion.choosing.run_trial", lambda *one: tried.append(one) or run_trial(*one))
    grid = np.geomspace(0.003, 1e6, 15)
    chosen = FusionNB(pairs=0, shrinkage=grid).fit(X, y).shrinkage_
    n_tried = len(tried)
    monkeypatch.setattr("atfnb.fusion.choosing.CLEARLY", np.inf)
    assert FusionNB(pairs=0, shrinkage=grid).fit(X, y).shrinkage_ == chosen
    assert n_tried < len(tried) - n_tried >= 2 * len(grid)


def test_folds_side_by_side_give_the_same_bits(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, 600)
    X = rng.normal(size=(600, 3)) + y[:, None]
    monkeypatch.setattr("atfnb._pieces.n_threads", lambda *_: 2)
    alone = FusionNB().fit(X, y)
    monkeypatch.setattr("atfnb.fusion.choosing.THREADS_FROM", 0)
    assert_array_equal(FusionNB().fit(X, y).table_, alone.table_)


def test_what_is_straight_is_learned_with_straight_lines_and_what_has_no_noise_with_a_weak_shrinkage():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1500, 6))
    y = rng.random(1000 + 500) < 1 / (1 + np.exp(-6 * X @ [1, -1, 0.5, -0.5, 0, 0]))
    straight = FusionNB(pairs=0).fit(X[:500], y[:500])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("atfnb.fusion.choosing.SLOPES", (1.0,))
        stepped = FusionNB(pairs=0).fit(X[:500], y[:500])
    losses = [log_loss(y[500:], model.predict_proba(X[500:])) for model in (straight, stepped)]
    assert losses[0] < 0.95 * losses[1]
    assert FusionNB(pairs=0).fit(X[:500], np.where(X[:500, 0] > 0, "a", "b")).shrinkage_ < 0.1
