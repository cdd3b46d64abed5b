"""Every verb takes several files, folders and patterns as one table."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from atfnb import load
from helpers.cli_tables import pets

TABLE = pets(120).assign(year=[2024 + i // 60 for i in range(120)])


@pytest.fixture
def tables(run, tmp_path):
    """One file, and the same rows in two files in folders that name the year; and a model of them."""
    TABLE.to_csv("whole.csv", index=False)
    for year, rows in TABLE.groupby("year"):
        (tmp_path / "sales" / f"year={year}").mkdir(parents=True)
        rows.drop(columns="year").to_csv(tmp_path / "sales" / f"year={year}" / "rows.csv", index=False)
    assert run("train", "sales", "-t", "kind", "-c", "nb", "-o", "model.json", "-q")[0] == 0
    return tmp_path


SEVERAL = {
    "folder": ["sales"],
    "pattern": ["sales/*/*.csv"],
    "files": ["sales/year=2024/rows.csv", "sales/year=2025/rows.csv"],
}


@pytest.mark.parametrize("several", SEVERAL.values(), ids=SEVERAL)
def test_several_files_give_the_figures_of_one(run, tables, several):
    def figures(name):
        return (tables / name).read_text()

    for verb, *words in (("test", "-o", "scores.json"), ("drift", "-o", "drift.json")):
        said = [run(verb, "model.json", *data, "-q", *words[:1], f"{k}{words[1]}") for k, data in both(several)]
        assert [code for code, _, _ in said] == [0, 0], said
        assert figures(f"0{words[1]}") == figures(f"1{words[1]}")
    for k, data in both(several):
        assert run("evaluate", *data, "-t", "kind", "-c", "nb", "--repeats", "1", "-o", f"{k}.csv", "-q")[0] == 0
        assert run("train", *data, "-t", "kind", "-c", "nb", "-o", f"{k}.json", "-q")[0] == 0
    assert figures("0.csv") == figures("1.csv")
    one, other = (json.loads(figures(f"{k}.json")) for k in (0, 1))
    assert other["training"]["files"] == SEVERAL["files"]
    assert other["training"]["source"] == ", ".join(several)
    assert one["columns"] == other["columns"]


def both(several):
    return enumerate((["whole.csv"], several))


def test_a_report_takes_several_files_and_several_to_test_on(run, tables):
    code, _, said = run("report", "model.json", "sales", "--test", "sales/*/*.csv", "-o", "r.html", "--folds", "2")
    assert code == 0
    assert "rows.csv and 1 more: CSV, UTF-8, separated by commas" in said
    assert "rows.csv and 1 more: what was learned" in (tables / "r.html").read_text()


@pytest.mark.parametrize("several", SEVERAL.values(), ids=SEVERAL)
def test_the_rows_of_several_files_are_predicted_into_one(run, tables, several):
    assert run("predict", "model.json", *several, "-o", "all.csv", "-q")[0] == 0
    told = pd.read_csv("all.csv")
    pd.testing.assert_frame_equal(told[TABLE.columns], TABLE)
    np.testing.assert_array_equal(told["predicted"], load("model.json").predict(TABLE.drop(columns="kind")))


def test_each_file_is_predicted_into_a_folder(run, tables):
    (tables / "out").mkdir()
    code, _, said = run("predict", "model.json", "sales", "-o", "out")
    assert code == 0
    assert "Predicted 60 rows, written to out/year=2025/rows.csv." in said
    told = pd.concat(pd.read_csv(tables / "out" / f"year={year}" / "rows.csv") for year in (2024, 2025))
    assert run("predict", "model.json", "whole.csv", "-o", "all.csv", "-q")[0] == 0
    np.testing.assert_array_equal(told["predicted"], pd.read_csv("all.csv")["predicted"])


def test_files_with_other_decimal_signs_are_not_predicted_into_one(run, tables):
    TABLE.to_csv("german.csv", index=False, sep=";", decimal=",")
    code, _, said = run("predict", "model.json", "whole.csv", "german.csv", "-o", "all.csv")
    assert code == 1
    assert "one file cannot hold the rows of all: give a folder with -o" in said
    assert not (tables / "all.csv").exists()


def test_the_output_replaces_no_input(run, tables):
    for verb in ("predict", "test"):
        code, _, said = run(verb, "model.json", "sales", "-o", "sales/year=2024/rows.csv")
        assert code == 1
        assert "the output would replace the input sales/year=2024/rows.csv" in said


@pytest.mark.parametrize("data", [["sales"], ["sales/year=2025/rows.csv", "new.csv"], ["sales/*/*.csv"]])
def test_rows_that_were_counted_before_are_not_counted_again(run, tables, data):
    pets(30, seed=7).assign(year=2026).to_csv("new.csv", index=False)
    train = ("train", "sales/year=2025/rows.csv" if "new.csv" in data else "sales", "-t", "kind", "-c", "nb")
    assert run(*train, "-o", "model.json", "-q")[0] == 0
    before = (tables / "model.json").read_text()
    code, _, said = run("update", "model.json", *data, "-o", "model.json", "-q")
    assert code == 1
    assert "the rows of 'rows.csv' were counted before, in the training or in an update" in said
    assert (tables / "model.json").read_text() == before


def test_one_of_several_files_of_the_training_is_named_when_it_is_added_again(run, tables):
    assert run("train", "sales", "-t", "kind", "-c", "nb", "-o", "model.json", "-q")[0] == 0
    code, _, said = run("update", "model.json", "sales/year=2025/rows.csv", "-o", "model.json")
    assert code == 0
    assert "sales/year=2025/rows.csv is one of the files that the model was trained on" in said


def test_an_output_with_a_slash_at_its_end_is_a_folder(run, tables):
    code, _, said = run("predict", "model.json", "sales", "-o", f"none{os.sep}")
    assert (code, (tables / "none").exists()) == (1, False)
    assert "there is no folder none" in said


def test_an_update_takes_several_files_and_knows_each_of_them(run, tables):
    for k in (1, 2):
        pets(30, seed=k).assign(year=2024).to_csv(f"{k}.csv", index=False)
    assert run("update", "model.json", "1.csv", "2.csv", "-o", "new.json", "-q") == (0, "", "")
    record = json.loads((tables / "new.json").read_text())["training"]
    assert (record["rows"], record["updates"], len(record["counted"])) == (180, 2, 3)
    code, _, said = run("update", "new.json", "2.csv", "-o", "new.json", "-q")
    assert code == 1
    assert "the rows of '2.csv' were counted before" in said
    (tables / "one.csv").write_text("weight,height,colour,kind,year\n4,25,black,cat,2024\n")
    for _ in range(2):  # a few rows may be the same by chance
        assert run("update", "new.json", "one.csv", "-o", "new.json", "-q") == (0, "", "")
