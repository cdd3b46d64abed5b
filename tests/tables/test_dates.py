"""Columns of dates become parts that are learned from: date, month, weekday, hour; in memory, in parts, in files."""

import datetime
import re
import warnings
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from atfnb import ATFNB, NB, FusionNB, WeightedNB, load, save
from atfnb.scale import fit_dask
from atfnb.tables import aligned, expand_dates, read_table, without_needless_parts
from helpers.scale_tables import assert_same_model, in_memory, in_parts
from helpers.strategies import examples

rng = np.random.default_rng(0)


def visits(rows=300, seed=0):
    """A table in which weekends and early hours tell the class."""
    random = np.random.default_rng(seed)
    moments = pd.Timestamp("2021-03-01") + pd.to_timedelta(random.integers(0, 24 * 500, rows), unit="h")
    kind = np.where((moments.day_of_week >= 5) | (moments.hour < 6), "rest", "work")
    return pd.DataFrame({"when": moments, "size": random.normal(size=rows).round(2), "kind": kind})


def test_a_column_of_dates_becomes_its_parts():
    table = visits()
    model = NB().fit(table[["when", "size"]], table["kind"])
    names = [attribute.name for attribute in model.encoder_.attributes]
    assert names == ["when: date", "when: month", "when: weekday", "when: hour", "size"]
    assert [attribute.source for attribute in model.encoder_.attributes] == ["when"] * 4 + ["size"]
    assert list(model.feature_names_in_) == model.encoder_.sources == ["when", "size"]
    assert model.n_features_in_ == 2
    _, month, weekday, hour, _ = model.encoder_.attributes
    assert month.labels[:3] == ["January", "February", "March"]
    assert weekday.labels == ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    assert hour.labels == ["≤ 5", "≥ 6"]
    assert model.score(table[["when", "size"]], table["kind"]) == 1.0


@given(st.lists(st.datetimes(datetime.datetime(1600, 1, 1), datetime.datetime(2400, 1, 1)), min_size=1, max_size=20))
def test_parts_are_those_of_the_calendar(moments):
    table = expand_dates(read_table(pl.DataFrame({"d": moments})), "expand")
    values = {column.part: column.values.tolist() for column in table.columns}
    assert values["month"] == [moment.month for moment in moments]
    assert values["weekday"] == [moment.isoweekday() for moment in moments]
    assert values["hour"] == [moment.hour for moment in moments]
    days = [(moment - datetime.datetime(1970, 1, 1)) / datetime.timedelta(1) for moment in moments]
    assert values["date"] == pytest.approx(days, abs=1e-6)


EAST = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
WAYS = {
    "pandas": lambda days: pd.DataFrame({"d": pd.to_datetime(days)}),
    "pandas seconds": lambda days: pd.DataFrame({"d": pd.to_datetime(days).astype("datetime64[s]")}),
    "pandas arrow": lambda days: pd.DataFrame({"d": pd.to_datetime(days)}).convert_dtypes(dtype_backend="pyarrow"),
    "pandas objects": lambda days: pd.DataFrame({"d": pd.Series(days, dtype=object)}),
    "polars": lambda days: pl.DataFrame({"d": days}),
    "pyarrow": lambda days: pa.table({"d": pa.array(days, pa.timestamp("ns"))}),
    "pyarrow in a zone": lambda days: pa.table({"d": pa.array(days, pa.timestamp("us", "UTC"))}),
    "pandas in a zone": lambda days: pd.DataFrame({"d": pd.to_datetime(days).tz_localize("Asia/Tokyo")}),
    "polars in a zone": lambda days: pl.DataFrame({"d": days}).with_columns(
        pl.col("d").dt.replace_time_zone("America/New_York")
    ),
    "objects in a zone": lambda days: [[day and day.replace(tzinfo=ZoneInfo("Europe/Berlin"))] for day in days],
    "objects with offsets": lambda days: [[day and day.replace(tzinfo=EAST)] for day in days],
    "rows of objects": lambda days: [[day] for day in days],
    "array": lambda days: np.array(days, dtype="M8[s]").reshape(-1, 1),
}


def in_zone(moments, zone):
    return pd.DataFrame({"when": pd.to_datetime(moments).tz_localize("UTC").tz_convert(zone)})


def test_new_rows_are_read_in_the_zone_of_training_and_refused_without_one(tmp_path):
    moments = pd.date_range("2024-03-01", periods=300, freq="5h")
    local = in_zone(moments, "America/New_York")
    y = np.where(local["when"].dt.hour < 9, "early", "late")
    model = NB().fit(local, y)
    assert model.score(local, y) == 1
    assert "'when' is in the time zone America/New_York" in model.summary()
    save(model, tmp_path / "model.json")
    for each in (model, load(tmp_path / "model.json")):
        np.testing.assert_array_equal(each.predict(in_zone(moments, "Asia/Tokyo")), y)
        assert {attribute.zone for attribute in each.encoder_.attributes} == {"America/New_York"}
    with pytest.raises(
        ValueError, match="column 'when' was in the time zone America/New_York when the model was fitted"
    ):
        model.predict(pd.DataFrame({"when": moments}))
    with pytest.raises(
        ValueError, match="column 'when' had no time zone when the model was fitted, and is in Asia/Tokyo"
    ):
        NB().fit(pd.DataFrame({"when": moments}), y).predict(in_zone(moments, "Asia/Tokyo"))
    assert model.predict(pd.DataFrame({"when": [pd.NaT] * 2})).shape == (2,)


def test_dates_with_a_zone_beside_others_are_refused():
    mixed = [[datetime.datetime(2024, 1, 1, tzinfo=EAST)], [datetime.datetime(2024, 1, 1)]]
    with pytest.raises(ValueError, match="column 'x0' holds dates with a time zone beside dates without"):
        read_table(mixed)
    both = [[datetime.datetime(2024, 1, 1, 8, tzinfo=zone)] for zone in (EAST, datetime.UTC)]
    assert read_table(both).columns[0].zone == "UTC"


@pytest.mark.parametrize("way", WAYS)
def test_dates_of_every_library_are_the_same(way):
    days = [datetime.datetime(2024, 2, 29, 13, 30), None, datetime.datetime(1969, 12, 31, 23, 0)]
    table = expand_dates(read_table(WAYS[way](days)), "expand")
    assert [column.part for column in table.columns] == ["date", "month", "weekday", "hour"]
    assert all(column.missing.tolist() == [False, True, False] for column in table.columns)
    present = [column.values[~column.missing].tolist() for column in table.columns]
    assert present == [[19782.5625, -1 / 24], [2, 12], [4, 3], [13, 23]]


def test_times_of_day_and_durations_are_numbers():
    times = [datetime.time(7, 30), datetime.time(18), None, datetime.time(7, 45)]
    lengths = [datetime.timedelta(hours=12), datetime.timedelta(3), None, datetime.timedelta(0)]
    for table in (
        pl.DataFrame({"opens": times, "took": lengths}),
        pa.table({"opens": times, "took": lengths}),
        pd.DataFrame({"opens": times, "took": lengths}),
        [list(row) for row in zip(times, lengths, strict=True)],
    ):
        opens, took = expand_dates(read_table(table), "expand").columns
        assert opens.part == "time"
        assert opens.values[[0, 1, 3]].tolist() == [7.5, 18.0, 7.75]
        assert took.values[[0, 1, 3]].tolist() == [0.5, 3.0, 0.0]
        assert took.missing.tolist() == opens.missing.tolist() == [False, False, True, False]
    model = NB().fit(pl.DataFrame({"opens": times}), ["a", "b", "b", "a"])
    assert model.encoder_.attributes[0].labels == ["before 09:25", "from 09:25 on"]


def test_constant_parts_are_left_out_but_never_all_of_them():
    days = pd.date_range("2024-01-01", periods=20)
    X = pd.DataFrame({"day": days, "same": pd.Timestamp("2024-01-01"), "gone": pd.Series([pd.NaT] * 20)})
    y = ["a", "b"] * 10
    with pytest.warns(UserWarning, match="column 'gone' has no value in any row"):
        model = NB().fit(X, y)
    names = [attribute.name for attribute in model.encoder_.attributes]
    assert names == ["day: date", "day: weekday", "same: date", "gone"]  # one month, and no hours
    later = pd.DataFrame({"day": days + pd.Timedelta("400D"), "same": days, "gone": days})
    assert model.predict(later).shape == (20,)


@pytest.mark.parametrize("Model", [NB, ATFNB, FusionNB])
@pytest.mark.parametrize("dates", ["expand", "number", "ignore"])
def test_a_model_with_dates_is_saved_and_loaded(Model, dates, tmp_path):
    table = visits()
    table.loc[::7, "when"] = pd.NaT
    X = table[["when", "size"]]
    model = Model(dates=dates).fit(X, table["kind"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(model, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
    assert again.encoder_.sources == ["when", "size"]
    assert list(again.feature_names_in_) == ["when", "size"]
    assert [a.labels for a in again.encoder_.attributes] == [a.labels for a in model.encoder_.attributes]
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    parts = {"expand": ["date", "month", "weekday", "hour", None], "number": ["date", None], "ignore": [None, None]}
    assert [attribute.part for attribute in again.encoder_.attributes] == parts[dates]
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_the_file_counts_days_from_the_first_of_training(tmp_path):
    import json

    days = pd.date_range("2024-01-10", periods=8)
    save(NB().fit(pd.DataFrame({"day": days}), ["a"] * 4 + ["b"] * 4), tmp_path / "model.json")
    column = json.loads((tmp_path / "model.json").read_text())["columns"][0]
    assert (column["name"], column["since"], column["cuts"], column["whole"]) == (
        "day: date",
        "2024-01-10",
        [3.5],
        [0, 7],
    )
    assert load(tmp_path / "model.json").encoder_.attributes[0].labels == ["before 2024-01-14", "from 2024-01-14 on"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"since": "2024-01-10"', '"since": "2024-13-10"', "must be a day, like 2026-01-31"),
        ('"since": "2024-01-10",', "", 'must have "since"'),
        ('"part": "date",', "", "must have .since. if"),
        ('"name": "day: date"', '"name": "day"', "its name must end with ': date'"),
        ('"Monday"', '"Mondays"', "must be names of weekdays, not .Mondays."),
        ('["Monday", "Tuesday"', '["Tuesday", "Monday"', "must be sorted"),
        ('"name": "day: weekday"', '"name": "day: date"', "its name must end with"),
    ],
)
def test_a_file_with_odd_dates_is_refused(old, new, said, tmp_path):
    days = pd.date_range("2024-01-10", periods=8)
    path = tmp_path / "model.json"
    save(NB().fit(pd.DataFrame({"day": days}), ["a"] * 4 + ["b"] * 4), path)
    text = re.sub('"checksum": "[0-9a-f]{16}",', "", path.read_text(), count=1)  # as of a file of 0.2.0
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=said):
        load(path)


def test_dates_learned_need_dates_later():
    table = visits()
    model = NB().fit(table[["when", "size"]], table["kind"])
    as_text = table[["when", "size"]].astype({"when": str})
    with pytest.raises(ValueError, match="column 'when' held dates when the model was fitted and holds something else"):
        model.predict(as_text)
    nothing = table[["when", "size"]].assign(when=None)
    assert model.predict(nothing).shape == (300,)
    other = NB(min_category_rows=None).fit(as_text, table["kind"])
    with pytest.raises(ValueError, match="column 'when'"):
        other.predict(table[["when", "size"]])


def test_the_parameter_is_checked_and_what_is_not_a_category_is_refused():
    table = visits(20)
    with pytest.raises(ValueError, match="dates must be 'expand' or 'number' or 'ignore', not 'all'"):
        NB(dates="all").fit(table[["when"]], table["kind"])
    with pytest.raises(ValueError, match="column 'when' holds dates, not categories"):
        NB(categorical_features=["when"]).fit(table[["when"]], table["kind"])
    model = WeightedNB(weights={"when: hour": 3.0}).fit(table[["when", "size"]], table["kind"])
    assert model.weights_.tolist() == [1, 1, 1, 3, 1]


@examples(30)
@given(st.lists(st.integers(0, 120), max_size=3), st.sampled_from(["expand", "number", "ignore"]), st.booleans())
def test_dates_in_parts_give_the_model_of_memory(sizes, dates, with_times):
    frame = visits(120, seed=1)
    frame.loc[::11, "when"] = pd.NaT
    if not with_times:
        frame["when"] = frame["when"].dt.normalize()
    model = fit_dask(NB(dates=dates), in_parts(frame, sizes), "kind")
    whole = frame.drop(columns="when") if dates == "ignore" else frame
    assert_same_model(model, in_memory(NB(dates=dates), whole))


def test_an_aligned_table_stays_as_it_is():
    table = without_needless_parts(expand_dates(read_table(visits()[["when", "size"]]), "expand"))
    attributes = [(column.name, column.part, None) for column in table.columns]
    assert aligned(table, attributes) is table
    again = aligned(read_table(visits()[["when", "size"]]), attributes)
    assert [column.name for column in again.columns] == [column.name for column in table.columns]
