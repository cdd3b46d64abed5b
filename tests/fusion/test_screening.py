"""Tables with many more columns than rows: which columns are learned from, and that no order matters to it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atfnb import FusionNB, load, save
from atfnb.counts import Counts, count
from atfnb.encoding import UnusedColumnWarning
from atfnb.fusion import screening
from atfnb.fusion.screening import screening_scores

pytestmark = pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(screening, "KEPT", 4)


def wide(rows=48, columns=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, np.where(X[:, 7] + X[:, 40] + 0.5 * rng.normal(size=rows) > 0, "yes", "no")


def test_the_score_of_a_column_is_that_of_newtons_step():
    rng = np.random.default_rng(0)
    codes, y, w = rng.integers(0, 4, (50, 2)).astype(np.uint8), rng.integers(0, 3, 50).astype(np.int32), rng.random(50)
    counts, p = (
        count(codes, y, w, np.array([4, 3]), 3),
        np.bincount(y, w) / w.sum(),
    )  # a code of 3 is unknown in the second
    for j, n in enumerate([4, 3]):
        gain = 0.0
        for value in range(n):
            for c in range(3):
                there = codes[:, j] == value
                first, second = (w * there * (p[c] - (y == c))).sum(), (w * there).sum() * p[c] * (1 - p[c])
                gain += 0.5 * (first**2 - second) / (second + 1)
        assert screening_scores(counts)[j] == pytest.approx(gain, rel=1e-6)


def test_columns_that_tie_with_the_last_are_kept():
    counts = Counts(
        np.array([2, 2, 2]), np.array([3.0, 3.0]), np.array([[2.0, 1], [1, 2], [0, 0]] * 2 + [[3, 0], [0, 3], [0, 0]])
    )
    assert_array_equal(screening.best_columns(counts, 1), [False, False, True])
    assert_array_equal(screening.best_columns(counts, 2), [True, True, True])


def test_a_wide_table_is_learned_from_its_best_columns_and_saved(few, tmp_path):
    X, y = wide()
    with pytest.warns(UnusedColumnWarning, match="28 of 60 columns are learned from"):
        model = FusionNB().fit(X, y)
    assert model.encoder_.n_used == 28  # half as many as there are rows, and some that tie
    assert model.weights_[[7, 40]].min() > 0
    assert (model.weights_ > 0).sum() <= 28
    assert model.gamma_ == 0
    assert "28 of 60 columns are learned from" in model.summary()
    save(model, tmp_path / "model.json")
    assert_array_equal(load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X))
    table = pd.DataFrame(X).add_prefix("c").assign(c3=np.where(X[:, 3] > 0, "a", "b"))
    assert FusionNB().fit(table, y).encode(table.assign(c3="new")).shape == (48, 60)


def test_a_table_that_is_not_wide_is_as_it_was(monkeypatch):
    X, y = wide()
    X = X[:, [7, 40, *range(22)]]
    before = FusionNB().fit(X, y)
    monkeypatch.setattr(screening, "KEPT", 4)
    assert_array_equal(FusionNB().fit(X, y).table_, before.table_)


def test_pairs_of_a_wide_table_are_among_its_columns(few):
    X, y = wide()
    y = np.where((X[:, 3] > 0) ^ (X[:, 50] > 0), "yes", "no")  # neither says anything alone
    model = FusionNB(pairs=[(3, 50)]).fit(X, y)
    assert model.pairs_ == [("x3", "x50")]
    assert model.score(X, y) > 0.8
    assert len(FusionNB(pairs=2).fit(X, y).pairs_) == 2


def test_where_nothing_is_to_be_learned_the_model_guesses(few):
    X, _ = wide()
    y = np.random.default_rng(2).permutation(np.arange(48) % 2)
    assert np.abs(FusionNB().fit(X, y).predict_proba(X)[:, 0] - 0.5).max() < 0.01


def test_order_of_rows_columns_and_classes_does_not_matter(few):
    X, y = wide()
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(48), rng.permutation(60)
    model, other = FusionNB().fit(X, y), FusionNB().fit(X[rows][:, columns], np.where(y[rows] == "yes", "a", "b"))
    assert_allclose(other.predict_proba(X[:, columns])[:, ::-1], model.predict_proba(X), atol=5e-3)
    assert_array_equal(other.encoder_.n_values, model.encoder_.n_values[columns])


def test_an_integer_weight_is_repetition_and_a_zero_weight_is_absence(few):
    X, y = wide()
    weight = np.arange(48) % 3
    weighted = FusionNB(shrinkage=1.0).fit(X, y, weight)
    repeated = FusionNB(shrinkage=1.0).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_array_equal(weighted.counts_.values, repeated.counts_.values)
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=5e-3)
