"""atfnb test, and what report and evaluate say about how good a model is."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from atfnb import load
from atfnb.cli import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call the command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        done = CliRunner().invoke(app, [str(word) for word in words])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.stdout, done.stderr

    return call


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
def trained(run, tmp_path):
    pets().to_csv(tmp_path / "train.csv", index=False)
    pets(40, seed=1).to_csv(tmp_path / "test.csv", index=False)
    other = {"cat": "dog", "dog": "cat"}
    pets(40, seed=1).assign(kind=lambda t: t["kind"].map(other)).to_csv(tmp_path / "turned.csv", index=False)
    assert run("train", "train.csv", "-t", "kind", "-c", "nb", "-o", "model.json", "-q")[0] == 0
    return tmp_path


def test_test_scores_the_model_beside_guessing(run, trained):
    code, out, err = run("test", "model.json", "test.csv")
    assert code == 0, err
    table = pets(40, seed=1)
    right = (load("model.json").predict(table[["weight", "colour"]]) == table["kind"]).mean()
    for words in ("accuracy ↑", "balanced accuracy ↑", "log-loss ↓", "ROC AUC ↑", "recall", "precision", "guessing"):
        assert words in out
    assert f"On test.csv, 40 rows, the model is right for {100 * right:.1f} % of the rows, " in out
    assert "points higher than always guessing" in out
    assert "trained on" not in out


def test_turned_labels_are_scored_as_what_they_are_by_test_and_report(run, trained):
    _, out, _ = run("test", "model.json", "turned.csv")
    assert "points lower than" in out
    assert run("report", "model.json", "turned.csv", "-o", "page.html")[0] == 0
    page = (trained / "page.html").read_text(encoding="utf-8")
    assert "On these 40 rows, not the table that it was trained on, this model is right for" in page
    assert "points lower than" in page[: page.index("<nav")]
    assert "cross-validated" not in page[: page.index("<script")]


def test_the_training_rows_are_said_to_be_such(run, trained):
    pets().sample(frac=1, random_state=0).to_csv("shuffled.csv", index=False)
    _, out, _ = run("test", "model.json", "shuffled.csv")
    assert "These are the rows the model was trained on: on new rows it will do worse." in out
    assert run("report", "model.json", "train.csv", "--test", "test.csv", "-o", "page.html")[0] == 0
    page = (trained / "page.html").read_text(encoding="utf-8")
    assert "On test.csv (40 rows), not the table that it was trained on, this model is right for" in page
    assert "A model trained like this one, cross-validated on the 80 rows that this one was trained on," in page


def test_a_file_of_0_1_0_says_that_it_cannot_know(run, trained):
    document = json.loads((trained / "model.json").read_text(encoding="utf-8"))
    del document["training"]["fingerprint"]
    (trained / "model.json").write_text(json.dumps(document), encoding="utf-8")
    _, out, _ = run("test", "model.json", "train.csv")
    assert "The model's file does not say which rows it was trained on" in out
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
    assert "3 rows of a class that the model does not know, 'fish': it is wrong about them." in out
    table[table["kind"] == "cat"].to_csv("cats.csv", index=False)
    code, out, _ = run("test", "model.json", "cats.csv")
    assert code == 0
    assert "No row has the class 'dog'" in out
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
    assert out.startswith("Take NB: ")
    assert "┃" not in out


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


def test_a_class_that_is_missed_is_not_praised(run, tmp_path):
    random = np.random.default_rng(0)
    risk = random.normal(size=4000)
    bad = random.random(4000) < 0.1 / (1 + np.exp(-2 * risk))
    loans = pd.DataFrame({"risk": risk.round(1), "loan": np.where(bad, "bad", "good")})
    loans.to_csv("loans.csv", index=False)
    _, out, _ = run("evaluate", "loans.csv", "-t", "loan", "-c", "nb", "--repeats", "1")
    assert f"Cross-validated, NB finds 0 of {bad.sum()} rows of 'bad' and" in out
    assert "It misses most rows of 'bad'. Try --balance" in out
    assert "Take NB: cross-validated" not in out
    assert run("train", "loans.csv", "-t", "loan", "-c", "nb", "-o", "loans.json", "-q")[0] == 0
    _, out, _ = run("test", "loans.json", "loans.csv")
    assert f"the model finds 0 of {bad.sum()} rows of 'bad' and" in out
    assert "a balanced accuracy of 50.0 %, the same as always guessing 'good'" in out


def test_evaluate_recommends_only_what_is_better_than_guessing(run, tmp_path):
    from atfnb.cli.evaluate import GUESS, recommended, to_train, verdict
    from atfnb.evaluation import Answers, Evaluation

    truth = np.tile([0, 0, 0, 1, 1], 20)

    def of(right, confidence):
        """Five folds of a classifier that is right as often in each, and as sure of all that it says."""
        splits = []
        for k in range(5):
            good = np.arange(100) < 100 * right[k]
            said = np.where(good, truth, 1 - truth)
            p = np.where(said[:, None] == np.arange(2), confidence, 1 - confidence)
            splits.append(Answers(np.arange(100 * k, 100 * k + 100), truth, said, p))
        return tuple(splits)

    guess = tuple(
        Answers(np.arange(100 * k, 100 * k + 100), truth, np.zeros(100, dtype=int), np.tile([0.6, 0.4], (100, 1)))
        for k in range(5)
    )
    wild = (0.40, 0.85, 0.60, 0.45, 0.95)
    models = {GUESS: guess, "FusionNB": of(wild, 0.6), "NB": of((0.7, 0.71, 0.72, 0.7, 0.71), 0.999)}
    found = Evaluation(np.array(["a", "b"]), models, folds=5, rows=500)
    assert found.mean("FusionNB", "log-loss") < found.mean("NB", "log-loss")
    assert recommended(found) == "NB"
    assert found.compare("FusionNB", GUESS, "accuracy").verdict == 0
    alone = Evaluation(np.array(["a", "b"]), {GUESS: guess, "FusionNB": of(wild, 0.6)}, folds=5, rows=500)
    assert recommended(alone) is None
    assert to_train(alone) is None
    said = " ".join(verdict(alone))
    assert "which may be chance" in said
    assert said.endswith("nothing is recommended.")
