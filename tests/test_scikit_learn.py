"""scikit-learn's own checks over every public estimator, found by discovery."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_class_weight_classifiers, parametrize_with_checks

import atfnb
from atfnb import ATFNB, DFW, NB, ChiMerge, FusionNB, WeightedNB
from atfnb.classifiers import ROSTER

ESTIMATORS = [e for _, e in inspect.getmembers(atfnb, inspect.isclass) if issubclass(e, BaseEstimator)]

FAILS = {"check_class_weight_classifiers": "its weights outweigh a prior of 99.99 %: see docs/ecosystem.md"}
HEAVY = [DFW(), FusionNB(refine=None), FusionNB(refine="attribute")]
"""The configurations for which docs/ecosystem.md says that ``check_class_weight_classifiers`` fails."""


def test_discovery_finds_them_all():
    of_0_1_0 = ("ATFNB", "CFW", "CFWBeta", "ChiMerge", "DFW", "FusionNB", "KLNB", "NB", "WNB", "WeightedNB")
    assert {e.__name__ for e in ESTIMATORS} >= {*of_0_1_0}


@pytest.mark.no_cover
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [*(e() for e in ESTIMATORS), ATFNB(search="sls"), ATFNB(missing="value"), NB(missing="skip")],
    expected_failed_checks=lambda estimator: FAILS if isinstance(estimator, DFW) else {},
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.no_cover
@pytest.mark.parametrize("estimator", HEAVY, ids=str)
def test_the_check_that_the_guide_names_fails(estimator):
    with pytest.raises(AssertionError):
        check_class_weight_classifiers(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constructors_take_keywords_only(estimator):
    parameters = inspect.signature(estimator).parameters.values()
    assert {p.kind for p in parameters} == {inspect.Parameter.KEYWORD_ONLY}


def test_grid_search_and_pipelines(iris):
    X, y = iris
    search = GridSearchCV(ATFNB(), {"relevance": ["gain_ratio", "pearson"], "max_bins": [3, 5]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    assert cross_val_score(make_pipeline(ChiMerge(), NB(categorical_features="all")), X, y, cv=3).mean() > 0.9


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_chimerge_set_output_keeps_names_codes_and_index(iris, library, frame):
    X, y = iris
    codes, named = ChiMerge().fit(X, y).transform(X), pd.DataFrame(X, columns=list("abcd"), index=np.arange(150) + 7)
    for rows, names in ((named, list("abcd")), (pl.from_pandas(named), list("abcd")), (X, ["x0", "x1", "x2", "x3"])):
        chimerge = ChiMerge().set_output(transform=library).fit(rows, y)
        out = chimerge.transform(rows)
        assert type(out) is frame
        assert list(out.columns) == chimerge.get_feature_names_out().tolist() == names
        np.testing.assert_array_equal(out.to_numpy(), codes)
    if library == "pandas":
        assert chimerge.fit(named, y).transform(named).index.equals(named.index)


@pytest.mark.parametrize("classifier", ROSTER)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_in_a_pipeline_gives_the_same_answers(iris, classifier, library):
    X, y = pd.DataFrame(iris[0], columns=list("abcd")), iris[1]
    plain = make_pipeline(ChiMerge(), classifier()).fit(X.to_numpy(), y)
    for rows in (X, pl.from_pandas(X)):
        framed = make_pipeline(ChiMerge(), classifier()).set_output(transform=library).fit(rows, y)
        assert framed[-1].feature_names_in_.tolist() == list("abcd")
        np.testing.assert_array_equal(framed.predict_proba(rows), plain.predict_proba(X.to_numpy()))


def test_chimerge_set_output_for_some_columns(iris):
    X, y = pd.DataFrame(iris[0], columns=list("abcd")), iris[1]
    some = make_column_transformer((ChiMerge(), ["b", "d"]), remainder="passthrough", verbose_feature_names_out=False)
    for library, rows in (("pandas", X), ("polars", pl.from_pandas(X))):
        out = some.set_output(transform=library).fit_transform(rows, y)
        assert list(out.columns) == ["b", "d", "a", "c"]
        assert out["d"].n_unique() == 3 if library == "polars" else out["d"].nunique() == 3


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
