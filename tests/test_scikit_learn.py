"""scikit-learn's own checks over every public estimator, found by discovery."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import atfnb
from atfnb import ATFNB, NB, ChiMerge, WeightedNB

ESTIMATORS = [e for _, e in inspect.getmembers(atfnb, inspect.isclass) if issubclass(e, BaseEstimator)]

FAILS = {
    "DFW": {
        "check_class_weight_classifiers": "a selected attribute counts twice, and so does a value that was never seen "
        "with the heavy class: on noise that outweighs the prior of 99.99 % in more rows than the check allows"
    }
}


def test_discovery_finds_them_all():
    of_0_1_0 = ("ATFNB", "CFW", "CFWBeta", "ChiMerge", "DFW", "FusionNB", "KLNB", "NB", "WNB", "WeightedNB")
    assert {e.__name__ for e in ESTIMATORS} >= {*of_0_1_0}


@pytest.mark.no_cover
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [*(e() for e in ESTIMATORS), ATFNB(search="sls"), ATFNB(missing="value"), NB(missing="skip")],
    expected_failed_checks=lambda estimator: FAILS.get(type(estimator).__name__, {}),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constructors_take_keywords_only(estimator):
    parameters = inspect.signature(estimator).parameters.values()
    assert {p.kind for p in parameters} == {inspect.Parameter.KEYWORD_ONLY}


def test_grid_search_and_pipelines(iris):
    X, y = iris
    search = GridSearchCV(ATFNB(), {"relevance": ["gain_ratio", "pearson"], "max_bins": [3, 5]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert cross_val_score(make_pipeline(ChiMerge(), NB(categorical_features="all")), X, y, cv=3).mean() > 0.9


def test_chimerge_set_output_keeps_the_names(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    out = ChiMerge().set_output(transform="pandas").fit(frame, y).transform(frame)
    assert list(out.columns) == list("abcd")
    assert out.to_numpy().max() == 2


def test_metadata_routing_of_sample_weight(iris):
    X, y = iris
    request = WeightedNB().set_fit_request(sample_weight=True) if _routing() else None
    assert request is None or request.get_metadata_routing().fit.requests == {"sample_weight": True}
    assert np.isfinite(NB().fit(X, y, sample_weight=np.ones(150)).table_).all()


def _routing():
    import sklearn

    sklearn.set_config(enable_metadata_routing=True)
    return True


@pytest.fixture(autouse=True)
def _reset_config():
    import sklearn

    yield
    sklearn.set_config(enable_metadata_routing=False)


@pytest.fixture
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)
