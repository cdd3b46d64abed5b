"""A split is drawn by its seed, encoded from its training part, and scored as scikit-learn scores it."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss

from atfnb_study.peers import BEYOND, PAPER, Participant, find
from atfnb_study.protocol import draw_split, run_split


def test_no_two_seeds_share_a_split():
    seen = {draw_split(50, split, seed).test.tobytes() for seed in range(3) for split in range(30)}
    assert len(seen) == 90


def test_a_split_is_that_of_the_seed():
    split = draw_split(106, split=3)
    assert len(split.test) == 21
    assert sorted([*split.train, *split.test]) == list(range(106))
    np.testing.assert_array_equal(split.test, np.random.default_rng(3).permutation(106)[:21])


def test_the_encoding_sees_the_training_part_only():
    X, y = load_iris(as_frame=True, return_X_y=True)
    clean = [run_split("iris", X, y, s, find(["NB"]), seed=0, order="clean").right["NB"] for s in range(10)]
    leaky = [run_split("iris", X, y, s, find(["NB"]), seed=0, order="leaky").right["NB"] for s in range(10)]
    assert clean != leaky
    # the shared encoding gives what the classifier gives on the columns themselves
    split = draw_split(150, 0)
    model = (
        PAPER["NB"].make().set_params(categorical_features="from_dtype").fit(X.iloc[split.train], y.iloc[split.train])
    )
    assert clean[0] == (model.predict(X.iloc[split.test]) == y.iloc[split.test]).sum()


def test_probabilities_are_those_of_the_fitted_model_with_a_class_not_seen_in_training():
    X, y = load_iris(as_frame=True, return_X_y=True)
    split = draw_split(150, 0)
    y = y.to_numpy().copy()
    y[split.test[:2]] = 7
    outcome = run_split("iris", X, y, 0, find(["NB", "FusionNB"]), seed=0, order="clean")
    model = BEYOND["FusionNB"].make().fit(X.iloc[split.train], y[split.train])
    p = np.full((30, 4), 1e-15)
    p[:, :3] = np.clip(model.predict_proba(X.iloc[split.test]), 1e-15, 1)
    p /= p.sum(axis=1, keepdims=True)
    truth = np.searchsorted([0, 1, 2, 7], y[split.test])
    assert outcome.log_loss["FusionNB"] == round(log_loss(truth, p, labels=range(4)), 6)
    assert outcome.brier["FusionNB"] == round(((p - np.eye(4)[truth]) ** 2).sum(axis=1).mean(), 6)
    assert outcome.log_loss["FusionNB"] > 2 * -np.log(1e-15) / 30 - 1e-6


def test_our_own_remarks_are_heard_and_a_peers_are_not():
    class Talks:
        def __init__(self, **_):
            self.model = PAPER["NB"].make()

        def fit(self, X, y):
            warnings.warn("a remark", UserWarning, stacklevel=2)
            self.classes_ = self.model.fit(X, y).classes_
            return self

        def __getattr__(self, name):
            return getattr(self.model, name)

    X, y = load_iris(as_frame=True, return_X_y=True)
    run_split("iris", X, y, 0, [Participant("EBM", Talks, "columns", is_peer=True)], seed=0, order="clean")
    with pytest.warns(UserWarning, match="a remark"):
        run_split("iris", X, y, 0, [Participant("FusionNB", Talks, "columns")], seed=0, order="clean")
