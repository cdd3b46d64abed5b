"""Every target predicts as the model does: one table of hard cases, every classifier."""

from functools import cache

import pytest

from atfnb.classifiers import ROSTER
from atfnb.export import ExportError
from export_rows import DATED, NAMES, hard_rows, training
from export_targets import TARGETS, assert_same

CLASSIFIERS = {classifier.__name__: classifier for classifier in ROSTER}
SLOW = ("spark", "pmml")


@cache
def fitted(name, missing="value", dates=True):
    X, y = training()
    X = X if dates else X.drop(columns=[NAMES[each] for each in DATED])
    model = CLASSIFIERS[name](missing=missing).fit(X, y)
    return model, hard_rows(model, X)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("target", [each for each in TARGETS if each not in SLOW])
def test_every_target_predicts_as_every_classifier_does(name, target):
    assert_same(*fitted(name), target)


@pytest.mark.parametrize("missing", ["impute", "skip"])
@pytest.mark.parametrize("target", [each for each in TARGETS if each not in SLOW])
def test_missing_values_are_treated_alike(missing, target):
    assert_same(*fitted("NB", missing), target)


@pytest.mark.parametrize("name", ["NB", "FusionNB"])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "spark"])
@pytest.mark.parametrize("options", [{"explain": True}, {"with_tables": True}, {"explain": True, "with_tables": True}])
def test_queries_with_tables_and_reasons_predict_the_same(name, dialect, options):
    assert_same(*fitted(name), dialect, **options)


def test_spark_predicts_the_same():
    assert_same(*fitted("FusionNB"), "spark")


@pytest.mark.parametrize("name", ["NB", "FusionNB", "ATFNB"])
def test_an_evaluator_of_pmml_predicts_the_same(name):
    assert_same(*fitted(name, dates=False), "pmml")


def test_pmml_refuses_dates_and_names_targets_that_hold_them():
    from atfnb.export import plan_of, pmml

    with pytest.raises(ExportError, match="holds dates, which a PMML document cannot hold: use model.py, model.js"):
        pmml(plan_of(fitted("NB")[0]))
