"""atfnb update: new rows are added to a model in a file, or nothing is changed."""

import json

import numpy as np
import pytest

import atfnb.model_file
from atfnb import NB, load
from helpers.cli_tables import pets


@pytest.fixture
def trained(run, folder, trained_on):
    words = (f"pets.csv -t kind -c {name} -o {name}.json" for name in ("nb", "cfw", "fusion"))
    return trained_on({"pets.csv": pets(), "march.csv": pets(30, seed=1)}, *words)


def test_a_model_is_updated_in_place_and_what_changed_is_said(run, trained):
    table = pets(30, seed=1)
    table.loc[0, "colour"] = "amber"
    table.loc[1:3, "kind"] = "fish"
    table.loc[4, "kind"] = None
    table.to_csv("march.csv", index=False)
    before = load("cfw.json")
    code, out, err = run("update", "cfw.json", "march.csv", "-o", "cfw.json")
    assert (code, out) == (0, "")
    after = load("cfw.json")
    rows = table[table["kind"].notna()]
    right = (before.predict(rows[["weight", "height", "colour"]]) == rows["kind"]).mean()
    moved = np.argmax(np.abs(after.weights_ - before.weights_))
    weight = f"{['weight', 'height', 'colour'][moved]!r} ({before.weights_[moved]:.3f} → {after.weights_[moved]:.3f})"
    for sentence in (
        "1 row without a class left out.",
        f"Before it learned from them, the model was right for {100 * right:.1f} % of the new rows.",
        "29 rows added to the 80 that the CFW had learned from: 109 now.",
        "New class: 'fish'.",
        "New values: 'amber' in 'colour'.",
        f"Largest changes of weights: {weight}, ",
        "Model saved to cfw.json.",
    ):
        assert sentence in err
    assert after.classes_.tolist() == ["cat", "dog", "fish"]
    record = json.loads((trained / "cfw.json").read_text(encoding="utf-8"))["training"]
    assert (record["rows"], record["target"], record["updates"], record["source"]) == (109, "kind", 1, "pets.csv")
    assert "fit" not in record
    pets(30, seed=2).to_csv("april.csv", index=False)
    assert run("update", "cfw.json", "april.csv", "-o", "other.json", "-q") == (0, "", "")
    assert load("other.json").training_["updates"] == 2
    assert load("cfw.json").n_rows_ == 109


def test_no_other_update_reads_a_model_before_this_one_has_replaced_it(run, trained, monkeypatch):
    fcntl, seen = pytest.importorskip("fcntl"), []

    def watched(function):
        def call(*given, **named):
            with open("nb.json", "rb") as other, pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            seen.append(function.__name__)
            return function(*given, **named)

        return call

    for name in ("load", "save"):
        monkeypatch.setattr(f"atfnb.model_file.{name}", watched(getattr(atfnb.model_file, name)))
    assert run("update", "nb.json", "march.csv", "-o", "nb.json")[0] == 0
    assert seen == ["load", "save"]


def test_an_update_is_what_partial_fit_gives(run, trained):
    assert run("update", "nb.json", "march.csv", "-o", "new.json", "-q")[0] == 0
    first, more = pets(), pets(30, seed=1)
    expected = NB().fit(first.drop(columns="kind"), first["kind"]).partial_fit(more.drop(columns="kind"), more["kind"])
    assert np.array_equal(load("new.json").model_.table, expected.model_.table)


def test_the_rows_may_have_weights(run, trained):
    pets().assign(n=2).to_csv("weighted.csv", index=False)
    pets(30, seed=1).assign(n=3).to_csv("more.csv", index=False)
    assert run("train", "weighted.csv", "-t", "kind", "-c", "nb", "--weight", "n", "-o", "m.json", "-q")[0] == 0
    _, _, err = run("update", "m.json", "more.csv", "-o", "one.json")
    assert "trained on weighted rows; here every row counts the same: to count by weight, name the column" in err
    assert load("one.json").counts_.classes.sum() == 2 * 80 + 30
    _, _, err = run("update", "m.json", "more.csv", "-o", "three.json", "--weight", "n")
    assert "weighted rows" not in err
    assert load("three.json").counts_.classes.sum() == 2 * 80 + 3 * 30
    assert run("update", "m.json", "more.csv", "-o", "three.json", "--weight", "zzz")[0] == 1


def test_values_that_are_missing_for_the_first_time_are_said(run, trained):
    table = pets().drop(columns="height")
    table.to_csv("whole.csv", index=False)
    assert run("train", "whole.csv", "-t", "kind", "-c", "nb", "--missing", "value", "-o", "m.json", "-q")[0] == 0
    table.assign(colour=None).to_csv("gaps.csv", index=False)
    _, _, err = run("update", "m.json", "gaps.csv", "-o", "m.json")
    assert "Missing for the first time, and a value of its own from now on: 'colour'." in err
    assert "All columns keep their weights." in err


REFUSED = {
    "no such column": (lambda table: table.drop(columns="height"), "lacks the column 'height', which the model was tr"),
    "no target": (lambda table: table.drop(columns="kind"), "has no column 'kind': it has 'weight', 'height', 'col"),
    "no classes": (lambda table: table.assign(kind=None), "is missing in every row"),
    "text for numbers": (lambda table: table.assign(weight="heavy"), "'heavy' in column 'weight', row 1, is not a n"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_update_that_fails_is_one_sentence_and_leaves_the_file(run, trained, case):
    change, sentence = REFUSED[case]
    change(pets(30, seed=1)).to_csv("bad.csv", index=False)
    before = (trained / "nb.json").read_bytes()
    code, out, err = run("update", "nb.json", "bad.csv", "-o", "nb.json")
    assert (code, out) == (1, "")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert (trained / "nb.json").read_bytes() == before


def test_classifiers_that_need_all_rows_say_what_to_do(run, trained):
    before = (trained / "fusion.json").read_bytes()
    code, _, err = run("update", "fusion.json", "march.csv", "-o", "fusion.json")
    assert code == 1
    assert "FusionNB learns from all rows at once" in err
    assert "atfnb train 'months/*.csv' --target kind --classifier fusion." in err
    assert (trained / "fusion.json").read_bytes() == before
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "--balance", "-o", "b.json", "-q")[0] == 0
    code, _, err = run("update", "b.json", "march.csv", "-o", "b.json")
    assert code == 1
    assert "--balance, unlike fixed weights of classes, depends on all rows" in err
    assert "train again on old and new rows together" in err


def test_the_output_is_asked_for_and_is_not_the_data(run, trained):
    assert run("update", "nb.json", "march.csv")[0] == 2
    code, _, err = run("update", "nb.json", "march.csv", "-o", "march.csv")
    assert code == 1
    assert "the output would replace the input march.csv" in err
