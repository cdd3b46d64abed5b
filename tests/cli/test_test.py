"""atfnb test: scores of a model on rows whose classes are known, and on those it was trained on."""

import json

import numpy as np
import pandas as pd
import pytest

from atfnb import load


def pets(rows=80, seed=0, rare=0.5):
    random = np.random.default_rng(seed)
    cat = random.random(rows) < rare
    return pd.DataFrame(
        {
            "weight": np.where(cat, 4.0, 12.0) + 2 * random.normal(size=rows).round(2),
            "colour": random.choice(["black", "white"], rows),
            "kind": np.where(cat, "cat", "dog"),
        }
    )


@pytest.fixture
def trained(run, trained_on):
    test, other = pets(40, seed=1), {"cat": "dog", "dog": "cat"}
    turned = test.assign(kind=test["kind"].map(other))
    tables = {"train.csv": pets(), "test.csv": test, "turned.csv": turned}
    return trained_on(tables, "train.csv -t kind -c nb -o model.json")


def test_test_scores_the_model_beside_guessing(run, trained, snapshot):
    code, out, err = run("test", "model.json", "test.csv")
    assert code == 0, err
    table = pets(40, seed=1)
    right = (load("model.json").predict(table[["weight", "colour"]]) == table["kind"]).mean()
    assert f"On test.csv, 40 rows, the model is right for {100 * right:.1f} % of the rows, " in out
    snapshot(out)


def test_turned_labels_are_scored_as_what_they_are_by_test_and_report(run, trained, snapshot):
    _, out, _ = run("test", "model.json", "turned.csv")
    assert " lower than" in out
    snapshot(out)
    assert run("report", "model.json", "turned.csv", "-o", "page.html")[0] == 0
    page = (trained / "page.html").read_text(encoding="utf-8")
    assert "On these 40 rows, not the table that it was trained on, this model is right for" in page
    assert " lower than" in page[: page.index("<nav")]
    assert "cross-validated" not in page[: page.index("<script")]


def test_the_training_rows_are_said_to_be_such(run, trained, snapshot):
    pets().sample(frac=1, random_state=0).to_csv("shuffled.csv", index=False)
    _, out, _ = run("test", "model.json", "shuffled.csv")
    snapshot(out)
    assert run("report", "model.json", "train.csv", "--test", "test.csv", "-o", "page.html")[0] == 0
    page = (trained / "page.html").read_text(encoding="utf-8")
    assert "On test.csv (40 rows), not the table that it was trained on, this model is right for" in page
    assert "A model trained like this one, cross-validated on the 80 rows that this one was trained on," in page


def test_a_file_of_0_1_0_says_that_it_cannot_know(run, trained):
    document = json.loads((trained / "model.json").read_text(encoding="utf-8"))
    del document["training"]["fingerprint"]
    (trained / "model.json").write_text(json.dumps(document), encoding="utf-8")
    _, out, _ = run("test", "model.json", "train.csv")
    assert "The model file does not say which rows the model was trained on" in out
    assert run("report", "model.json", "train.csv", "-o", "page.html")[0] == 0
    page = (trained / "page.html").read_text(encoding="utf-8")
    assert "A model trained like this one, cross-validated on these 80 rows," in page


def test_classes_that_are_new_missing_or_absent_are_said(run, trained):
    table = pets(40, seed=1)
    table.loc[0, "kind"] = None
    table.loc[1:3, "kind"] = "fish"
    table.to_csv("odd.csv", index=False)
    code, out, err = run("test", "model.json", "odd.csv")
    assert code == 0
    assert "1 row without a class left out." in err
    assert "3 rows of classes that the model does not know, which are not in the scores: 3 of 'fish'." in out
    assert "On odd.csv, 36 rows, the model is right for" in out
    table[table["kind"] == "cat"].to_csv("cats.csv", index=False)
    code, out, _ = run("test", "model.json", "cats.csv")
    assert code == 0
    assert "No row has the class 'dog'" in out
    assert "the model is right for" in " ".join(out.split())  # of one class, the balanced accuracy says nothing more
    assert "balanced accuracy of" not in out
    assert "–" in out


def test_the_numbers_are_written_as_json_or_csv_and_quiet_is_quiet(run, trained):
    assert run("test", "model.json", "test.csv", "-o", "scores.json", "-q") == (0, "", "")
    told = json.loads((trained / "scores.json").read_text(encoding="utf-8"))
    assert told["rows"] == 40
    assert told["training_rows"] is False
    assert [one["class"] for one in told["classes"]] == ["cat", "dog"]
    assert sum(sum(one["predicted_as"].values()) for one in told["classes"]) == 40
    assert run("test", "model.json", "test.csv", "-o", "scores.csv", "-q") == (0, "", "")
    lines = pd.read_csv("scores.csv")
    assert float(lines.set_index("figure").loc["accuracy", "value"]) == told["accuracy"]
    assert lines[lines["figure"] == "confusion"]["value"].astype(int).sum() == 40
    code, out, err = run("test", "model.json", "test.csv", "-o", "scores.txt")
    assert (code, out) == (2, "")
    assert "name a file that ends in .json or .csv" in err
    code, out, err = run("test", "model.json", "test.csv", "-q")
    assert (code, err) == (0, "")
    assert out.startswith("On test.csv, 40 rows, the model is right for")
    assert run("test", "model.json", "test.csv", "-o", "test.csv")[0] == 1
    words = ("evaluate", "train.csv", "-t", "kind", "-c", "nb", "--repeats", "1", "-q")
    assert run(*words, "-o", "numbers.csv") == (0, "", "")
    assert (trained / "numbers.csv").exists()
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith("Recommended: NB. ")
    assert "┃" not in out


def test_no_errors_are_said_rather_than_drawn_as_an_empty_table(run, trained, monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    table = pets(40, seed=1)
    table["kind"] = load("model.json").predict(table[["weight", "colour"]])
    table.to_csv("right.csv", index=False)
    _, out, _ = run("test", "model.json", "right.csv")
    assert "No row is predicted wrongly." in " ".join(out.split())
    assert "errors" not in out
    _, out, _ = run("test", "model.json", "turned.csv")
    assert "most frequent errors" in " ".join(out.split())


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_number_is_cut_off_at_any_width(run, trained, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for words in (
        ("evaluate", "train.csv", "-t", "kind", "-c", "fusion", "-c", "nb", "--repeats", "1"),
        ("test", "model.json", "test.csv"),
    ):
        code, out, _ = run(*words)
        assert code == 0
        drawn = [line for line in out.splitlines() if set(line) & set("│┃┏┗└")]
        assert max(map(len, drawn)) <= width
        assert not any("…" in line for line in drawn)


@pytest.mark.parametrize("verb", ["test", "report"])
def test_a_target_that_is_an_attribute_of_the_model_is_refused(run, trained, verb):
    code, _, err = run(verb, "model.json", "test.csv", "-t", "colour")
    assert code == 1
    assert "column 'colour' is an attribute of the model, so it cannot hold the class" in err
    assert len(err.strip().splitlines()) == 1
