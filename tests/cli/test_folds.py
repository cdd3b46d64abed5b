"""Groups, times and other classifiers in the verbs evaluate, train and report."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def visits(tmp_path):
    """Rows of 60 patients, whose rows are nearly copies, and whose class is drawn."""
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 5)
    table = pd.DataFrame(random.normal(size=(60, 2))[patient] + 0.01 * random.normal(size=(300, 2)), columns=["a", "b"])
    table["patient"] = [f"p{number:02d}" for number in patient]
    table["day"] = pd.date_range("2024-01-01", periods=300).astype(str)
    table["ill"] = np.where(random.integers(0, 2, 60)[patient], "yes", "no")
    table.to_csv(tmp_path / "visits.csv", index=False)
    return table


def accuracy(tmp_path, name="FusionNB"):
    figures = json.loads((tmp_path / "scores.json").read_text())
    return figures, {each["classifier"]: each["accuracy"] for each in figures["classifiers"]}[name]


EVALUATE = ("evaluate", "visits.csv", "-t", "ill", "--repeats", "1", "-o", "scores.json")


def test_groups_are_found_and_held_out(run, tmp_path, visits):
    code, _, err = run(*EVALUATE, "-c", "nb")
    assert code == 0
    assert "'patient' looks like a group, as the rows of each value have mostly one class: without it, plain" in err
    assert "To score new groups: --groups patient." in err
    assert "To score later rows: --time day." in err
    assert run(*EVALUATE, "-c", "fusion", "--ignore", "patient", "--ignore", "day")[0] == 0
    assert accuracy(tmp_path)[1] > 0.9
    code, _, err = run(*EVALUATE, "-c", "fusion", "--groups", "patient", "--ignore", "day")
    figures, right = accuracy(tmp_path)
    assert (code, figures["folds of"], right < 0.75) == (0, "groups", True)
    assert "--groups patient" in err.split("To train it:")[-1] or "To train it" not in err


def test_time_is_no_attribute_unless_it_is_kept(run, tmp_path, visits):
    code, out, err = run(*EVALUATE, "-c", "nb", "--time", "day", "--folds", "3", "--ignore", "patient")
    assert (code, "trained on earlier rows, 3 times" in out) == (0, True)
    assert "--ignore patient --ignore day" in err or "To train it" not in err
    _, without = accuracy(tmp_path, "NB")
    run(*EVALUATE, "-c", "nb", "--time", "day", "--folds", "3", "--ignore", "patient", "--keep", "day")
    assert accuracy(tmp_path, "NB")[1] != without


def test_a_model_is_chosen_for_new_groups_and_its_page_holds_them_out(run, tmp_path, visits):
    asked = ("train", "visits.csv", "-t", "ill", "--ignore", "day")
    assert run(*asked, "--ignore", "patient", "-o", "rows.json")[0] == 0
    assert run(*asked, "--groups", "patient", "-o", "model.json")[0] == 0
    rows, groups = (
        json.loads((tmp_path / name).read_text())["fusion"]["shrinkage"] for name in ("rows.json", "model.json")
    )
    assert rows < groups
    for words, said in {
        ("--groups", "patient"): "without any row of its group",
        ("--time", "day"): "from earlier rows",
    }.items():
        code, _, err = run("report", "model.json", "visits.csv", *words)
        assert (code, err.count("Report saved")) == (0, 1)
        assert said in (tmp_path / "report.html").read_text()
    assert "need a file, not standard input" in run("report", "model.json", "-", "--groups", "patient")[2]
    visits.to_csv(tmp_path / "more.csv", index=False)
    assert (
        "a table that is read whole" in run(*asked[:1], "visits.csv", "more.csv", *asked[2:], "--groups", "patient")[2]
    )


def test_other_classifiers_stand_in_the_same_table(run, tmp_path, visits):
    with_all = [
        word for name in ("LogisticRegression", "RandomForest", "HistGradientBoosting") for word in ("--with", name)
    ]
    code, out, _ = run(*EVALUATE, "-c", "nb", *with_all, "--ignore", "patient", "--folds", "2")
    assert code == 0
    for name in ("LogisticRegression", "RandomForest", "HistGradientBoosting"):
        assert name in out
        assert f"The accuracy of {name} is " in out or "No classifier" in out
    figures, _ = accuracy(tmp_path, "RandomForest")
    assert figures["recommended"] in ("NB", None)
    assert "--with 'Forest' is not known" in run(*EVALUATE, "--with", "Forest")[2]
