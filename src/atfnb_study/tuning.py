"""LightGBM, XGBoost and CatBoost, each tuned by a random search of 20 trials on three folds of its training rows.

The settings are drawn from the spaces of TabArena (Erickson et al. 2025, arXiv:2506.16791; ``tabarena/models``), except
for the number of trees: it is drawn too, where TabArena trains up to 10,000 and stops early on held-out rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.stats import loguniform, uniform
from sklearn.model_selection import ParameterSampler, StratifiedKFold

from atfnb._typing import IntArray
from atfnb.evaluation import log_loss, over_classes
from atfnb_study.boosters import Booster, cat_boost, light_gbm, xgboost

TRIALS = 20
"""The number of settings that a search tries; the first are the defaults."""
FOLDS = 3
"""The number of folds of the training rows that judge each of them."""


class Integers:
    """Integers with logarithms drawn uniformly, both ends included."""

    def __init__(self, low: int, high: int) -> None:
        self._drawn = loguniform(low, high + 1)

    def rvs(self, random_state: Any) -> int:
        """Return an integer, as ``ParameterSampler`` asks for it."""
        return int(self._drawn.rvs(random_state=random_state))


def _between(low: float, high: float) -> Any:
    return uniform(low, high - low)


TREES = {"learning_rate": loguniform(5e-3, 0.1), "n_estimators": Integers(50, 500)}
LIGHT_GBM = TREES | {
    "colsample_bytree": _between(0.4, 1),
    "subsample": _between(0.7, 1),
    "subsample_freq": [1],
    "num_leaves": Integers(2, 200),
    "min_child_samples": Integers(1, 64),
    "extra_trees": [False, True],
    "min_data_per_group": Integers(2, 100),
    "cat_l2": loguniform(5e-3, 2),
    "cat_smooth": loguniform(1e-3, 100),
    "max_cat_to_onehot": Integers(8, 100),
    "reg_alpha": _between(1e-4, 1),
    "reg_lambda": _between(1e-4, 2),
}
XGBOOST = TREES | {
    "max_depth": Integers(4, 10),
    "min_child_weight": loguniform(1e-3, 5),
    "subsample": _between(0.6, 1),
    "colsample_bylevel": _between(0.6, 1),
    "colsample_bynode": _between(0.6, 1),
    "reg_alpha": _between(1e-4, 5),
    "reg_lambda": _between(1e-4, 5),
    "grow_policy": ["depthwise", "lossguide"],
    "max_cat_to_onehot": Integers(8, 100),
    "max_leaves": Integers(8, 1024),
}
CAT_BOOST = TREES | {
    "bootstrap_type": ["Bernoulli"],
    "subsample": _between(0.7, 1),
    "grow_policy": ["SymmetricTree", "Depthwise"],
    "depth": [4, 5, 6, 7, 8],
    "colsample_bylevel": _between(0.85, 1),
    "l2_leaf_reg": loguniform(1e-4, 5),
    "leaf_estimation_iterations": Integers(1, 20),
    "one_hot_max_size": Integers(8, 100),
    "model_size_reg": loguniform(0.1, 1.5),
    "max_ctr_complexity": [2, 3, 4, 5],
    "boosting_type": ["Plain"],
    "max_bin": [254],
}


@dataclass
class Tuned(Booster):
    """A booster with the settings, of 20, whose log-loss on three folds of the training rows is lowest.

    scikit-learn's RandomizedSearchCV scores no fold without one of the classes, and a class may have a single row.
    """

    space: dict[str, Any] = field(default_factory=dict)
    """The settings to draw from, as ``ParameterSampler`` takes them."""

    def fit(self, X: Any, y: Any) -> Self:
        """Search, then train on all rows: a pandas frame and the class of each row."""
        folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
        trials = [{}, *ParameterSampler(self.space, TRIALS - 1, random_state=0)]
        losses = [sum(self._loss(settings, X, y, *fold) for fold in folds) for settings in trials]
        self.settings = trials[int(np.argmin(losses))]
        return super().fit(X, y)

    def _loss(self, settings: dict[str, Any], X: Any, y: Any, train: IntArray, test: IntArray) -> float:
        """Return the log-loss of the rows of a fold under a model of the others."""
        plain = Booster(self.make, self.prepare, self.categorical, self.numeric, settings)
        model = plain.fit(X.iloc[train], y[train])
        classes, codes = np.unique(y, return_inverse=True)
        return log_loss(over_classes(model.predict_proba(X.iloc[test]), model.classes_, classes), codes[test])


def _tuned(make: Callable[..., Booster], space: dict[str, Any], **columns: Any) -> Tuned:
    return Tuned(**vars(make(**columns)), space=space)


tuned_light_gbm = partial(_tuned, light_gbm, LIGHT_GBM)
tuned_xgboost = partial(_tuned, xgboost, XGBOOST)
tuned_cat_boost = partial(_tuned, cat_boost, CAT_BOOST)
