"""A tuned booster has the settings, of those drawn, that predict held-out rows best."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import uniform

from atfnb_study.boosters import as_categories
from atfnb_study.tuning import CAT_BOOST, LIGHT_GBM, XGBOOST, Integers, Tuned


class Guess:
    """Predicts the share of each class, mixed with an equal share by a setting: the defaults predict nothing."""

    seen = []  # noqa: RUF012

    def __init__(self, trust=0.0):
        self.trust = trust

    def fit(self, table, codes):
        share = np.bincount(codes) / len(codes)
        self.p = self.trust * share + (1 - self.trust) / len(share)
        self.seen.append((self.trust, len(codes), len(share)))
        return self

    def predict_proba(self, table):
        return np.tile(self.p, (len(table), 1))


def test_the_settings_with_the_lowest_log_loss_are_kept_though_a_class_has_one_row():
    X, y = pd.DataFrame({"a": np.arange(91.0)}), np.array(["no"] * 80 + ["yes"] * 10 + ["once"])
    Guess.seen.clear()
    tuned = Tuned(lambda _, **settings: Guess(**settings), as_categories, [], ["a"], space={"trust": uniform(0, 1)})
    with pytest.warns(UserWarning, match="least populated class"):
        tuned.fit(X, y)
    *folds, whole = Guess.seen
    assert len(folds) == 60
    assert [trust for trust, *_ in folds[:3]] == [0.0] * 3  # the defaults come first
    assert {classes for *_, classes in folds} == {2, 3}
    assert whole == (max(trust for trust, *_ in folds), 91, 3)
    assert list(tuned.classes_) == ["no", "once", "yes"]
    assert list(tuned.predict(X.iloc[:2])) == ["no", "no"]


def test_integers_are_drawn_to_both_ends():
    drawn = [Integers(1, 4).rvs(random_state=seed) for seed in range(200)]
    assert set(drawn) == {1, 2, 3, 4}
    assert drawn.count(1) > drawn.count(4)


@pytest.mark.parametrize("space", [LIGHT_GBM, XGBOOST, CAT_BOOST])
def test_every_space_draws_the_number_of_trees(space):
    drawn = [space["n_estimators"].rvs(random_state=seed) for seed in range(50)]
    assert min(drawn) >= 50
    assert max(drawn) <= 500
