"""atfnb evaluate: the table, the recommendation, and when there is none."""

import re

import numpy as np
import pandas as pd
import pytest

from atfnb import CFW, NB
from helpers.cli_tables import pets


def test_evaluate_compares_says_which_to_take_and_writes_the_numbers(run, folder):
    code, out, err = run("evaluate", "pets.csv", "--target", "kind", "--repeats", "1", "--out", "numbers.csv")
    assert code == 0, err
    assert "pets.csv: CSV, UTF-8, separated by commas" in err
    for name in ("FusionNB", "ATFNB", "CFW-β", "CFW", "DFW", "WNB", "NB", "guessing"):
        assert f"│ {name} " in out
    assert "80 rows, 2 classes; 5-fold cross-validation" in out
    assert "Recommended: " in out
    numbers = pd.read_csv(folder / "numbers.csv")
    assert list(numbers.columns[:3]) == ["classifier", "accuracy", "accuracy error"]
    assert numbers["accuracy"].is_monotonic_decreasing
    assert numbers.set_index("classifier").loc["NB", "accuracy"] > 0.95


def test_evaluate_says_when_nothing_is_better_than_guessing(run, folder):
    table = pets(200)
    table["kind"] = np.random.default_rng(5).permutation(table["kind"])
    table.to_csv(folder / "noise.csv", index=False)
    code, out, err = run("evaluate", "noise.csv", "-t", "kind", "-c", "fusion", "-c", "nb", "--repeats", "1")
    assert code == 0
    assert "No classifier is reliably more accurate than always guessing" in out
    assert "nothing shows that these columns predict the class, and no classifier is recommended." in out
    assert "Recommended" not in out
    assert "To train it:" not in err


def test_a_classifier_that_cannot_learn_from_the_table_is_left_out_and_said(run, folder, monkeypatch):
    monkeypatch.setattr("atfnb.classifiers.base.MAX_PAIR_BYTES", 500)
    words = ("evaluate", "pets.csv", "-t", "kind", "--repeats", "1", "-c", "dfw")
    code, out, err = run(*words, "-c", "nb")
    assert code == 0
    assert "DFW is left out: the tables of value pairs would need" in err
    assert "leave it out (--ignore colour), or use ATFNB (--classifier atfnb) with --redundancy pearson" in err
    assert "│ DFW" not in out
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert "atfnb: the tables of value pairs would need" in err
    assert "redundancy='pearson'" not in err
    monkeypatch.setattr("atfnb.classifiers.base.MAX_PAIR_BYTES", 100)
    assert "GB, as the 3 columns have 7 values together: leave columns out (--ignore), or use ATFNB" in run(*words)[2]


def test_evaluate_fits_every_classifier_as_often_as_there_are_splits(run, folder, monkeypatch):
    fitted = []
    fit = NB.fit
    monkeypatch.setattr(CFW, "fit", lambda self, *of: fitted.append(1) or fit(self, *of))
    assert run("evaluate", "pets.csv", "-t", "kind", "-c", "cfw", "--repeats", "2", "--folds", "3")[0] == 0
    assert len(fitted) == 6


def test_probabilities_may_tell_something_where_classes_do_not(run, folder):
    random = np.random.default_rng(3)
    risk = random.random(2000) < 0.5
    rare = random.random(2000) < np.where(risk, 0.3, 0.02)
    pd.DataFrame({"risk": risk.astype(int), "fails": np.where(rare, "yes", "no")}).to_csv("rare.csv", index=False)
    code, out, _ = run("evaluate", "rare.csv", "-t", "fails", "-c", "nb", "--repeats", "2")
    assert code == 0
    assert "No classifier is reliably more accurate than always guessing 'no'" in out
    assert "Still, the columns say something about the class: the probabilities of NB are better" in out


def test_rare_classes_and_constant_columns_are_said(run, folder):
    table = pets().assign(planet="earth")
    table.loc[:1, "kind"] = "fish"
    table.to_csv("rare.csv", index=False)
    code, _, err = run("evaluate", "rare.csv", "-t", "kind", "-c", "nb", "--repeats", "1")
    assert code == 0
    assert "Class 'fish': fewer rows than there are folds, so balanced accuracy, log-loss and macro F1 are rough" in err
    assert "'planet' holds one value only" in err
    assert "To train it: atfnb train rare.csv --target kind --classifier nb -o model.json" in err


def test_classes_with_one_row_are_named_and_not_scored(run, folder):
    table = pets()
    table.loc[[3, 7], "kind"] = ["fish", "newt"]
    table.to_csv("rare.csv", index=False)
    code, out, err = run("evaluate", "rare.csv", "-t", "kind", "-c", "nb", "-c", "fusion", "--repeats", "1")
    assert code == 0
    assert "Classes 'fish', 'newt': one row only, so trained on, but not judged and not in the scores." in err
    assert "fewer rows than there are folds" not in err
    assert "fish" not in out
    _, _, err = run("train", "rare.csv", "-t", "kind", "-c", "nb")
    assert "Classes 'fish', 'newt': one row only; check the spelling, or leave such rows out with" in err
    assert "one row only" not in run("train", "pets.csv", "-t", "kind", "-c", "nb")[2]


def test_one_class_that_can_be_judged_recommends_nothing(run, folder):
    table = pets()
    table["kind"] = ["lynx", "newt", *["cat"] * 78]
    table.to_csv("rare.csv", index=False)
    code, out, err = run("evaluate", "rare.csv", "-t", "kind", "-c", "nb", "-c", "atfnb", "--repeats", "2")
    assert code == 0
    assert "Classes 'lynx', 'newt': one row only, so trained on, but not judged" in err
    assert out.strip().endswith(
        "Only class 'cat' has two rows or more, so nothing shows how well the classes can be told apart: no classifier "
        "is recommended."
    )
    assert "To train it" not in err


def test_balancing_is_not_advised_where_it_was_asked_for(run, tmp_path):
    sides = ["left"] * 400 + ["right"] * 200 + ["left", "right"] * 10
    lamps = pd.DataFrame({"side": sides, "lamp": ["red"] * 400 + ["green"] * 200 + ["dark"] * 20})
    lamps.to_csv("lamps.csv", index=False)
    for given in ([], ["--balance"]):
        _, out, _ = run("evaluate", "lamps.csv", "-t", "lamp", "-c", "nb", "--repeats", "1", *given)
        assert "finds 0.0 % of 'dark' (20 rows)" in out
        assert ("Try --balance" in out) == (not given)


def test_a_class_that_is_missed_is_not_praised(run, tmp_path):
    random = np.random.default_rng(0)
    risk = random.normal(size=4000)
    bad = random.random(4000) < 0.1 / (1 + np.exp(-2 * risk))
    loans = pd.DataFrame({"risk": risk.round(1), "loan": np.where(bad, "bad", "good")})
    loans.to_csv("loans.csv", index=False)
    _, out, _ = run("evaluate", "loans.csv", "-t", "loan", "-c", "nb", "--repeats", "1")
    assert f"NB finds 0.0 % of 'bad' ({bad.sum()} rows) and 100.0 % of 'good' (" in out
    assert "Try --balance" in out
    assert "Recommended: NB" not in out
    assert run("train", "loans.csv", "-t", "loan", "-c", "nb", "-o", "loans.json", "-q")[0] == 0
    _, out, _ = run("test", "loans.json", "loans.csv")
    assert f"It finds 0.0 % of 'bad' ({bad.sum()} rows) and" in out
    assert "a balanced accuracy of 50.0 %, the same as always guessing 'good'" in out


def test_the_verdict_on_an_uneven_table_is_three_short_lines(run, tmp_path):
    random = np.random.default_rng(1)
    kind = random.choice(["a", "b", "c", "d"], 400, p=[0.6, 0.3, 0.08, 0.02])
    size = (2 * np.searchsorted(["a", "b", "c", "d"], kind) + random.normal(size=400)).round(1)
    pd.DataFrame({"size": size, "kind": kind}).to_csv("kinds.csv", index=False)
    _, out, _ = run("evaluate", "kinds.csv", "-t", "kind", "-c", "wnb", "-c", "nb", "--repeats", "2", "-q")
    lines = out.splitlines()
    assert len(lines) <= 3
    assert max(len(line.split()) for line in lines) <= 50
    shares = [float(share) for share in re.findall(r"([0-9.]+) % of '[a-d]' \(", lines[1])]
    assert len(shares) == 4
    told = float(re.search(r"has a balanced accuracy of ([0-9.]+) %", lines[0])[1])
    assert told == pytest.approx(np.mean(shares), abs=0.11)  # both are rounded
    assert "always guessing 'a' (25.0 %" in lines[0]


def test_probabilities_worse_than_guessing_are_said_with_the_accuracy(run, tmp_path):
    random = np.random.default_rng(0)
    kind = random.choice(["x", "y"], 300)
    size = np.where(random.random(300) < 0.75, kind == "x", kind == "y").astype(int)
    pd.DataFrame({f"copy {k}": size for k in range(30)}).assign(kind=kind).to_csv("copies.csv", index=False)
    _, out, _ = run("evaluate", "copies.csv", "-t", "kind", "-c", "nb", "--repeats", "1", "-q")
    assert out.startswith("Recommended: NB. Cross-validated, it is right for 7")
    assert "But its probabilities are no better than the frequencies of the classes (log-loss " in out
    assert run("train", "copies.csv", "-t", "kind", "-c", "nb", "-q")[0] == 0
    assert "But its probabilities are no better" in run("test", "model.json", "copies.csv", "-q")[1]


def test_evaluate_recommends_only_what_is_better_than_guessing(run, tmp_path):
    from atfnb.cli.verdict import GUESSING, recommended, verdict
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
    models = {GUESSING: guess, "FusionNB": of(wild, 0.6), "NB": of((0.7, 0.71, 0.72, 0.7, 0.71), 0.999)}
    found = Evaluation(np.array(["a", "b"]), models, folds=5, rows=500)
    assert found.mean("FusionNB", "log-loss") < found.mean("NB", "log-loss")
    assert recommended(found) == "NB"
    assert found.compare("FusionNB", GUESSING, "accuracy").verdict == 0
    alone = Evaluation(np.array(["a", "b"]), {GUESSING: guess, "FusionNB": of(wild, 0.6)}, folds=5, rows=500)
    assert recommended(alone) is None
    said = " ".join(verdict(alone))
    assert "which may be chance" in said
    assert said.endswith("no classifier is recommended.")


def test_rare_values_that_count_as_one_are_said(run, tmp_path):
    place = np.arange(900)
    town = np.where(place % 3 == 0, "Bonn", [f"village {i * 7 % 40}" for i in place])
    table = pd.DataFrame({"size": place % 10, "town": town, "kind": np.where(place % 10 < 6, "small", "large")})
    table["name"] = [f"n{i % 60}" for i in place]
    table.to_csv(tmp_path / "towns.csv", index=False)
    _, _, told = run("evaluate", "towns.csv", "-t", "kind", "-c", "nb", "-c", "fusion", "--repeats", "1")
    told = " ".join(told.split())
    assert "'name' has 60 values, with too few rows each to help predict the class: it has no effect in NB." in told
    table.assign(name=[f"n{i % 300}" for i in place]).to_csv(tmp_path / "rarer.csv", index=False)
    _, _, rarer = run("evaluate", "rarer.csv", "-t", "kind", "-c", "nb", "-c", "fusion", "--repeats", "1")
    rarer = " ".join(rarer.split())
    said = "'name' has 300 values, with too few rows each to help predict the class: it has no effect."
    assert rarer.count(said) == 1  # once for all
    table.assign(name=[f"n{i % 300}" if i % 7 else None for i in place]).to_csv(tmp_path / "gaps.csv", index=False)
    _, _, gaps = run("evaluate", "gaps.csv", "-t", "kind", "-c", "nb", "-c", "fusion", "--repeats", "1")
    gaps = " ".join(gaps.split())
    assert "too few rows each to help predict the class: only whether it is missing has an effect in FusionNB." in gaps
    assert "too few rows each to help predict the class: it has no effect in NB." in gaps
    assert "'town'" not in told  # 41 values are not many
    words = ("evaluate", "towns.csv", "-t", "kind", "-c", "nb", "-c", "fusion", "--repeats", "1")
    _, _, told = run(*words, "--min-category-rows", "30")
    told = " ".join(told.split())
    assert "'name' has 60 values, all with fewer than 30 rows: it has no effect." in told
    assert "'town' has 41 values; 40 with fewer than 30 rows count as one." in told


def test_rare_classes_are_pooled_or_left_out_of_the_evaluation(run, tmp_path):
    table = pets()
    table.loc[[3, 7, 9], "kind"] = ["fish", "newt", "newt"]
    table.to_csv(tmp_path / "rare.csv", index=False)
    words = ("evaluate", "rare.csv", "-t", "kind", "-c", "nb", "--repeats", "1", "--min-class-rows", "5")
    for more, title in (((), "80 rows, 3 classes"), (("--rare-classes", "drop"), "77 rows, 2 classes")):
        code, out, err = run(*words, *more)
        assert code == 0
        assert title in out
        assert "2 classes with fewer than 5 rows" in err
        assert f"--classifier nb --min-class-rows 5{' ' * bool(more)}{' '.join(more)} -o" in " ".join(err.split())
