"""Every target predicts as the model does: one table of hard cases, every classifier."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from atfnb import NB
from atfnb.classifiers import ROSTER
from atfnb.export import ExportError
from helpers.export_rows import BEYOND, DATED, NAMES, hard_rows, training
from helpers.export_targets import TARGETS, assert_same

CLASSIFIERS = {classifier.__name__: classifier for classifier in ROSTER}
SLOW = ("spark", "pmml")


LESS = {"pmml": DATED, "onnx32": BEYOND, "spark": ("huge",)}
"""What a target cannot hold."""


def fitted(name, target, missing="value"):
    return _fitted(name, missing, LESS.get(target, ()))


@cache
def _fitted(name, missing, without):
    X, y = training()
    X = X.drop(columns=[NAMES[each] for each in without])
    model = CLASSIFIERS[name](missing=missing).fit(X, y)
    return model, hard_rows(model, X, single=without == BEYOND)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("target", [each for each in TARGETS if each not in SLOW])
def test_every_target_predicts_as_every_classifier_does(name, target):
    assert_same(*fitted(name, target), target)


@pytest.mark.parametrize("missing", ["impute", "skip"])
@pytest.mark.parametrize("target", [each for each in TARGETS if each not in SLOW])
def test_missing_values_are_treated_alike(missing, target):
    assert_same(*fitted("NB", target, missing), target)


@pytest.mark.parametrize("name", ["NB", "FusionNB"])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "spark"])
@pytest.mark.parametrize("options", [{"explain": True}, {"with_tables": True}, {"explain": True, "with_tables": True}])
def test_queries_with_tables_and_reasons_predict_the_same(name, dialect, options):
    assert_same(*fitted(name, dialect), dialect, **options)


@cache
def _zoned(zone):
    """A model of times in a zone, and rows around its changes of clocks, in the same zone and in another."""
    when = (
        pd.Series(pd.date_range("2023-03-26", periods=500, freq="37h", tz="UTC")).dt.as_unit("us").dt.tz_convert(zone)
    )
    y = np.where(when.dt.hour < 9, "early", np.where(when.dt.day_of_week > 4, "idle", "busy"))
    model = NB().fit(pd.DataFrame({"when": when.where(when.dt.day != 13)}), y)
    changes = pd.to_datetime(
        ["2024-03-31 00:59:59.999999", "2024-11-03 05:30", "1969-12-31 23:59", None], utc=True, format="mixed"
    )
    rows = pd.concat([when[:60], pd.Series(changes).dt.as_unit("us").dt.tz_convert(zone)], ignore_index=True)
    return model, pd.DataFrame({"when": rows})


@pytest.mark.parametrize("zone", ["America/New_York", "-05:30", "UTC"])
@pytest.mark.parametrize("target", [each for each in TARGETS if each not in ("pmml", "onnx32")])
def test_times_in_a_zone_are_read_by_its_clocks(target, zone):
    model, rows = _zoned(zone)
    if target == "sqlite" and zone == "America/New_York":
        with pytest.raises(ExportError, match="'when' was learned in the time zone America/New_York, and sqlite knows"):
            assert_same(model, rows, target)
        return
    assert_same(model, rows, target)
    assert_same(model, rows.assign(when=rows["when"].dt.tz_convert("Asia/Tokyo")), target)


def test_spark_predicts_the_same():
    assert_same(*fitted("FusionNB", "spark"), "spark")


@pytest.mark.parametrize("name", ["NB", "FusionNB", "ATFNB"])
def test_an_evaluator_of_pmml_predicts_the_same(name):
    assert_same(*fitted(name, "pmml"), "pmml")


def test_32_bit_floats_refuse_cuts_that_they_cannot_tell_apart():
    from atfnb.export import onnx, plan_of

    with pytest.raises(ExportError, match=r"column '</script><!--' is cut at numbers .* use double precision"):
        onnx(plan_of(fitted("NB", "python")[0]))


def test_pmml_refuses_dates_and_names_targets_that_hold_them():
    from atfnb.export import plan_of, pmml

    with pytest.raises(ExportError, match=r"holds dates, which a PMML document cannot hold: use model.py, model.js"):
        pmml(plan_of(fitted("NB", "python")[0]))
