"""Dates on the command line: read, said, learned, explained, refused; the same from CSV, Parquet and in parts."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def visits(tmp_path):
    random = np.random.default_rng(3)
    days = pd.Timestamp("2022-05-01") + pd.to_timedelta(random.integers(0, 400, 240), unit="D")
    table = pd.DataFrame({"day": days, "size": random.normal(size=240).round(2)})
    table["kind"] = np.where(days.day_of_week >= 5, "rest", "work")
    return table


def model_of(path):
    document = json.loads(path.read_text())
    for name in ("date", "source", "files", "forms"):
        document["training"].pop(name, None)
    return document


def test_dates_are_learned_and_explained(run, tmp_path, visits):
    visits.assign(day=visits["day"].dt.strftime("%d/%m/%Y")).to_csv(tmp_path / "visits.csv", index=False)
    code, _, err = run("train", "visits.csv", "-t", "kind", "-c", "nb")
    assert code == 0
    assert "'day' is read as dates written as day/month/year; --categorical day keeps it as text." in err
    assert "from 240 rows and 2 columns." in err
    assert json.loads((tmp_path / "model.json").read_text())["training"]["forms"] == {"day": "%d/%m/%Y"}
    code, out, err = run("predict", "model.json", "visits.csv", "--explain")
    assert code == 0
    assert "day: weekday = Sunday (" in out
    assert "day: date from " in out
    code, out, err = run("test", "model.json", "visits.csv", "-q")
    assert "100.0 %" in out
    code, _, err = run("report", "model.json", "visits.csv", "-q")
    assert code == 0
    assert "day: weekday" in (tmp_path / "report.html").read_text()


def test_evaluate_says_that_later_rows_are_another_question(run, tmp_path, visits):
    visits.to_csv(tmp_path / "visits.csv", index=False, date_format="%Y-%m-%d")
    code, _, err = run("evaluate", "visits.csv", "-t", "kind", "-c", "nb", "--repeats", "1")
    assert code == 0
    assert "'day' holds dates, and cross-validation mixes earlier and later rows: " in err
    _, _, err = run("evaluate", "visits.csv", "-t", "kind", "-c", "nb", "--repeats", "1", "--dates", "ignore")
    assert "mixes earlier and later" not in err


def test_the_same_table_gives_the_same_model_in_every_format(run, tmp_path, visits):
    visits.to_parquet(tmp_path / "visits.parquet", index=False)
    visits.to_csv(tmp_path / "iso.csv", index=False, date_format="%Y-%m-%d")
    visits.assign(day=visits["day"].dt.strftime("%b %d, %Y")).to_csv(tmp_path / "named.csv", index=False)
    (tmp_path / "parts").mkdir()
    visits[:100].to_csv(tmp_path / "parts" / "0.csv", index=False, date_format="%d.%m.%Y")
    visits[100:].to_csv(tmp_path / "parts" / "1.csv", index=False, date_format="%d.%m.%Y")
    models = []
    for source in ("visits.parquet", "iso.csv", "named.csv", "parts"):
        code, _, err = run("train", source, "-t", "kind", "-c", "wnb", "-o", "model.json")
        assert code == 0, err
        models.append(model_of(tmp_path / "model.json"))
    assert models[0] == models[1] == models[2] == models[3]


def test_what_is_learned_from_dates_is_chosen(run, tmp_path, visits):
    visits.to_csv(tmp_path / "visits.csv", index=False, date_format="%Y-%m-%d")
    for dates, names in (("number", ["day: date", "size"]), ("ignore", ["size"])):
        code, _, err = run("train", "visits.csv", "-t", "kind", "-c", "nb", "--dates", dates)
        assert code == 0, err
        columns = json.loads((tmp_path / "model.json").read_text())["columns"]
        assert [column["name"] for column in columns] == names
    assert "'day' left out, as dates are ignored." in err
    code, _, err = run("predict", "model.json", "visits.csv")
    assert code == 0
    code, _, err = run("train", "visits.csv", "-t", "kind", "-c", "nb", "--categorical", "day", "--keep", "day")
    assert json.loads((tmp_path / "model.json").read_text())["columns"][0]["kind"] == "categories"


def test_a_date_format_decides_and_a_bad_one_is_refused(run, tmp_path, visits):
    few = visits.assign(day=pd.to_datetime("2022-01-01") + pd.to_timedelta(31 * (np.arange(240) % 10), unit="D"))
    few["day"] = [f"{month}/{1 + month % 5}/2022" for month in 1 + np.arange(240) % 12]
    few.to_csv(tmp_path / "visits.csv", index=False)
    code, _, err = run("train", "visits.csv", "-t", "kind", "-c", "nb")
    assert code == 1
    assert "can be read as day/month/year or month/day/year: say which with --date-format %d/%m/%Y or" in err
    code, _, err = run("train", "visits.csv", "-t", "kind", "-c", "nb", "--date-format", "%m/%d/%Y")
    assert code == 0
    assert "written as month/day/year" in err
    code, _, err = run("train", "visits.csv", "-t", "kind", "-c", "nb", "--ignore", "day")
    assert code == 0
    code, _, err = run("train", "visits.csv", "-t", "kind", "--date-format", "%m/%d")
    assert code == 2
    assert "the date format '%m/%d' lacks the year" in err


def test_a_new_file_with_an_odd_date_is_refused_and_nothing_is_written(run, tmp_path, visits):
    visits.to_csv(tmp_path / "visits.csv", index=False, date_format="%d.%m.%Y")
    assert run("train", "visits.csv", "-t", "kind", "-c", "nb")[0] == 0
    (tmp_path / "new.csv").write_text("day,size\n31.12.2022,1\n31.11.2022,2\n")
    code, _, err = run("predict", "model.json", "new.csv", "-o", "out.csv")
    assert code == 1
    assert "'31.11.2022' in column 'day', row 2, is not a date, which the model learned there: correct it" in err
    assert not (tmp_path / "out.csv").exists()
    (tmp_path / "new.csv").write_text("day,size\n2022-12-31,1\n,2\n")
    code, _, err = run("predict", "model.json", "new.csv")
    assert code == 0
    assert "1 missing value, in 'day'." in err


def test_a_column_that_is_nearly_dates_is_named_with_a_cell_that_is_none(run, tmp_path, visits):
    days = visits["day"].dt.strftime("%Y-%m-%d")
    days[7] = "some day"
    visits.assign(day=days).to_csv(tmp_path / "odd.csv", index=False)
    words = ("train", "odd.csv", "-t", "kind", "-c", "nb")
    said = "'day' is taken for text because 'some day' in row 8 is no date, though most of its cells are: "
    assert said in " ".join(run(*words)[2].split())
    assert "taken for text" not in run(*words, "--categorical", "day")[2]
    assert "taken for text" not in run(*words, "--missing-mark", "some day")[2]
    assert json.loads((tmp_path / "model.json").read_text())["columns"][0]["name"] == "day: date"


def test_moments_with_offsets_are_read_by_their_clocks_and_the_zone_is_said(run, tmp_path):
    moments = pd.Series(pd.date_range("2024-01-01", periods=120, freq="5h", tz="-05:00"))
    table = pd.DataFrame({"when": moments.map(str), "kind": np.where(moments.dt.hour < 9, "early", "late")})
    table.to_csv(tmp_path / "local.csv", index=False)
    code, _, err = run("train", "local.csv", "-t", "kind", "-c", "nb", "-o", "whole.json")
    assert code == 0
    assert "'when' is in the time zone -05:00: dates, weekdays and hours are those of the clocks there." in err
    for k in range(2):
        table[60 * k : 60 * k + 60].to_csv(tmp_path / f"part{k}.csv", index=False)
    assert run("train", "part*.csv", "-t", "kind", "-c", "nb", "-o", "parts.json", "-q")[0] == 0
    assert model_of(tmp_path / "parts.json") == model_of(tmp_path / "whole.json")
    table.assign(when=moments.dt.tz_convert("Asia/Tokyo").map(str)).to_csv(tmp_path / "tokyo.csv", index=False)
    assert "100.0 %" in run("test", "whole.json", "tokyo.csv", "-q")[1]
    assert run("report", "whole.json", "tokyo.csv", "-q")[0] == 0
    assert "in the time zone -05:00" in (tmp_path / "report.html").read_text()
    table.assign(when=moments.dt.tz_localize(None)).to_csv(tmp_path / "naive.csv", index=False)
    code, _, err = run("predict", "whole.json", "naive.csv", "-o", "out.csv")
    assert code == 1
    assert "naive.csv: column 'when' was in the time zone -05:00 when the model was fitted, and has none now" in err
    code, _, err = run("train", "*.csv", "-t", "kind")
    assert code == 1
    assert "column 'when' holds dates in different formats, such as 'with a time zone' and 'without one'" in err
