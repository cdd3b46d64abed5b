"""atfnb edit: what a person knows changes a model file, and stays when the model is trained again."""

import json

import numpy as np
import pytest

from atfnb import load
from helpers.cli_tables import pets

EDITS = [
    {"do": "flatten", "column": "height", "to": 40, "reason": "small ones were guessed"},
    {"do": "remove", "column": "colour", "reason": "breeders change it"},
]


@pytest.fixture
def trained(run, folder, trained_on):
    return trained_on({"pets.csv": pets()}, "pets.csv -t kind -c nb -o nb.json", "pets.csv -t kind -o fusion.json")


def write(edits=EDITS, **more):
    with open("edits.json", "w", encoding="utf-8") as file:
        json.dump({"format": "atfnb-edits", "version": 1, "edits": edits, **more}, file)


@pytest.mark.parametrize("name", ["nb.json", "fusion.json"])
def test_a_model_is_edited_and_every_edit_is_said_and_listed(run, trained, name):
    write(model=load(name).fingerprint_)
    code, out, err = run("edit", name, "edits.json", "-o", "edited.json")
    assert (code, out) == (0, "")
    assert err.splitlines()[0] == "This model was edited: 2 edits."
    assert err.splitlines()[1].startswith("1. flatten 'height' to 40: small ones were guessed (20")
    assert err.splitlines()[-1] == "Model saved to edited.json."
    assert np.array_equal(load("edited.json").model_.table, load(name).edit(EDITS).model_.table)
    code, out, _ = run("edit", "edited.json")
    assert out.splitlines() == err.splitlines()[:-1]
    assert run("edit", name)[1] == "This model was not edited.\n"


def test_an_edit_is_taken_back_and_others_are_added(run, trained):
    write()
    assert run("edit", "nb.json", "edits.json", "-o", "nb.json", "-q") == (0, "", "")
    assert run("edit", "nb.json", "--undo", "1", "-o", "nb.json", "-q")[0] == 0
    assert [edit.column for edit in load("nb.json").edits_] == ["colour"]
    write(EDITS[:1])
    assert run("edit", "nb.json", "edits.json", "-o", "nb.json", "-q")[0] == 0
    assert [edit.column for edit in load("nb.json").edits_] == ["colour", "height"]
    assert run("edit", "nb.json", "--undo", "1", "-o", "nb.json")[0] == 0
    assert "it is as it was learned" in run("edit", "nb.json", "--undo", "1", "-o", "nb.json")[2]
    assert load("nb.json").learned_ is None
    assert "fit" in load("nb.json").training_


def test_edits_for_a_model_of_other_rows_are_applied_and_it_is_said(run, trained):
    write(model="0" * 16)
    assert (
        "edits.json was made for a model of other training rows."
        in run("edit", "nb.json", "edits.json", "-o", "e.json")[2]
    )


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["nb.json", "edits.json"], 2, "the edited model needs a file: name it with -o."),
        (["nb.json", "-o", "x.json"], 2, "-o needs something to do: give a file of edits, or --undo."),
        (["nb.json", "--undo", 1, "-o", "x.json"], 1, "there is no edit 1: the model has 0 edits."),
        (["nb.json", "edits.json", "-o", "edits.json"], 1, "the output would replace the input edits.json"),
        (["nb.json", "pets.csv", "-o", "x.json"], 1, "pets.csv is not an atfnb-edits file"),
        (["nb.json", "wrong.json", "-o", "x.json"], 1, "edit 1 (remove 'color') does not apply: there is no column"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(run, trained, words, code, sentence):
    write([{**EDITS[1], "column": "color"}])
    (trained / "edits.json").rename("wrong.json")
    write()
    before = sorted(trained.iterdir())
    found, _, err = run("edit", *words)
    assert (found, sentence in err) == (code, True), err
    assert sorted(trained.iterdir()) == before


def test_edits_are_replayed_on_a_model_that_is_trained_again(run, trained):
    write([*EDITS, {**EDITS[1], "column": "breed"}, {"do": "flatten", "column": "height", "from": 1e6, "reason": "x"}])
    code, _, err = run("train", "pets.csv", "-t", "kind", "-c", "nb", "--edits", "edits.json", "-o", "again.json")
    assert code == 0
    assert "This model was edited: 2 edits." in err
    assert "edit 3 (remove 'breed') does not apply: there is no column 'breed'." in err
    assert "edit 4 (flatten 'height' from 1000000) does not apply: no interval of 'height' lies within the " in err
    assert np.array_equal(load("again.json").model_.table, load("nb.json").edit(EDITS).model_.table)
    run("train", "pets.csv", "-t", "kind", "-c", "nb", "--edits", "again.json", "-o", "third.json")
    assert load("third.json").edits_ == load("again.json").edits_


def test_an_update_replays_the_edits(run, trained):
    write()
    run("edit", "nb.json", "edits.json", "-o", "nb.json")
    pets(30, seed=1).to_csv("march.csv", index=False)
    assert run("update", "nb.json", "march.csv", "-o", "new.json")[0] == 0
    assert len(load("new.json").edits_) == 2
    assert load("new.json").n_rows_ == 110


@pytest.mark.parametrize(
    "words",
    [
        ["predict", "edited.json", "new.csv", "-o", "out.csv"],
        ["test", "edited.json", "pets.csv"],
        ["report", "edited.json", "pets.csv", "-o", "out.html"],
        ["page", "edited.json", "-o", "out.html"],
        ["export", "edited.json", "-o", "out.sql"],
        ["drift", "edited.json", "pets.csv"],
        ["update", "edited.json", "march.csv", "-o", "out.json"],
    ],
    ids=lambda words: words[0],
)
def test_every_verb_says_once_that_the_model_was_edited(run, trained, words):
    write()
    run("edit", "nb.json", "edits.json", "-o", "edited.json")
    pets(30, seed=1).to_csv("march.csv", index=False)
    code, out, err = run(*words)
    assert code == 0, err
    assert (out + err).count("This model was edited: 2 edits.") == 1
