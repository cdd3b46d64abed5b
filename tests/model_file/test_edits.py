"""The file of an edited model: what was learned, the edits, and what results; and files of edits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from atfnb import NB, WeightedNB, load, save
from atfnb.classifiers import BaseNB
from atfnb.model_file import from_document, read_edits, to_document
from helpers.model_files import CASES, EDITS, assert_same, edited_model, small_model, small_table, unsealed
from helpers.strategies import edits_of, examples, mixed_table


def again(model):
    return from_document(json.loads(json.dumps(to_document(model))))


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@examples(100)
@given(mixed_table(), st.sampled_from(sorted(CASES)), st.sampled_from(["impute", "skip", "value"]), st.data())
def test_edits_commute_with_saving(case, classifier, missing, data):
    table, y, weights = case
    model = CASES[classifier](missing=missing).fit(table, y, weights * 0.7)
    edits = data.draw(edits_of(model))
    edited = model.edit(edits)
    loaded = again(edited)
    assert_same(loaded.learned_, model)
    assert loaded.edits_ == edited.edits_
    for found in (loaded, again(model).replayed(edited.edits_)):
        assert_array_equal(found.model_.table, edited.model_.table)
        assert_array_equal(found.class_log_prior_, edited.class_log_prior_)
        assert_array_equal(found.weights_, edited.weights_)
    assert to_document(loaded)["checksum"] == to_document(edited)["checksum"]


@pytest.mark.parametrize("case", CASES)
def test_the_file_holds_what_was_learned_as_the_file_without_edits_does(case):
    learned, edited = to_document(small_model(case)), to_document(edited_model(case))
    added = edited.pop("edited")
    of_file = {"checksum", "training"}
    assert {k: v for k, v in edited.items() if k not in of_file} == {
        k: v for k, v in learned.items() if k not in of_file
    }
    assert [edit["do"] for edit in added["edits"]] == ["flatten", "set", "remove"]
    assert added["adds"][2] == [[0, 0]] * 2


class Doubled(BaseNB):
    """A classifier of one's own."""

    def _weigh(self, counts, rows):
        return 2.0 + 0 * counts.n_values


def test_an_edited_classifier_of_ones_own_loads_as_weights():
    edited = Doubled().fit(*small_table()).edit(EDITS)
    loaded = again(edited)
    assert type(loaded) is WeightedNB
    assert_array_equal(loaded.model_.table, edited.model_.table)


def test_the_record_of_the_training_has_no_figures_of_the_model_before_its_edits(tmp_path):
    model = small_model("NB")
    save(model, tmp_path / "model.json", target="sold", fit={"accuracy": 1, "log_loss": 0.1, "calibration_error": 0})
    save(load(tmp_path / "model.json").edit(EDITS), tmp_path / "model.json")
    edited = load(tmp_path / "model.json")
    assert "fit" not in edited.training_
    assert edited.training_["target"] == "sold"
    assert edited.learned_.training_["fit"]["accuracy"] == 1


TAMPERED = {
    "a score": (("adds", 0, 0, 0), 0.25),
    "a start": (("starts", 1), 0.25),
    "a pair": (("pairs", 0, 0, 0, 0), 0.25),
    "an effect": (("edits", 1, "effect"), 0.25),
    "a range": (("edits", 0, "from"), 40),
    "a length": (("adds", 0), []),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_other_scores_than_the_edits_give_are_refused(what):
    document = unsealed(edited_model())
    (*path, last), value = TAMPERED[what]
    place = document["edited"]
    for key in path:
        place = place[key]
    place[last] = value
    with pytest.raises(ValueError, match=r'^model is inconsistent: its "edits" give other scores than those that it'):
        from_document(document, "model")


def test_a_changed_reason_is_noticed_by_the_checksum():
    document = to_document(edited_model())
    document["edited"]["edits"][0]["reason"] = "none"
    with pytest.raises(ValueError, match="was changed after it was saved"):
        from_document(document)


INCONSISTENT = {
    r"edit 1 \(flatten 'aeg' from 30\) does not apply: there is no column 'aeg', did you mean 'age'\.": {
        "column": "aeg"
    },
    r'"do" of "edits" of "edited" must be remove, flatten, .*, falling, not \'forget\'\.': {"do": "forget"},
    r'"edits" of "edited" has an entry \'why\', which is not known here\.': {"why": "x"},
    r'"when" of "edits" of "edited" must be a date like 2026-01-31T12:00:00Z, not \'May\'\.': {"when": "May"},
}


@pytest.mark.parametrize("sentence", INCONSISTENT)
def test_edits_that_are_none_or_do_not_apply_are_refused(sentence):
    document = unsealed(edited_model())
    document["edited"]["edits"][0] |= INCONSISTENT[sentence]
    with pytest.raises(ValueError, match=f"is inconsistent: .*{sentence}$"):
        from_document(document)


# --- Files of edits ---------------------------------------------------------------------------------


def test_edits_are_read_from_a_file_of_edits_and_from_an_edited_model(tmp_path):
    model, path = small_model("NB"), tmp_path / "file.json"
    path.write_text(json.dumps({"format": "atfnb-edits", "version": 1, "model": model.fingerprint_, "edits": EDITS}))
    given = read_edits(path)
    assert given.model == model.fingerprint_
    edited = model.edit(given.edits)
    assert_array_equal(edited.model_.table, model.edit(EDITS).model_.table)
    save(edited, path)
    assert (read_edits(path).model, tuple(read_edits(path).edits)) == (model.fingerprint_, edited.edits_)
    save(NB().fit(*small_table()), path)
    assert read_edits(path).edits == []


FILES = {
    "": "is empty",
    "{": "was cut off",
    "x": "is not an atfnb-edits file: it is not JSON",
    "[]": 'holds no edits: its "format" must be "atfnb-edits", not a list',
    '{"format": "edits"}': 'holds no edits: its "format" must be "atfnb-edits", not \'edits\'',
    '{"format": "atfnb-edits", "version": 2, "edits": []}': '"version" must be',
    '{"format": "atfnb-edits", "version": 1}': 'the file has no "edits"',
    '{"format": "atfnb-edits", "version": 1, "edits": [{"do": "smooth", "column": "a"}]}': 'has no "reason"',
    '{"format": "atfnb model", "version": 2}': 'has no "classifier"',
}


@pytest.mark.parametrize("content", FILES)
def test_a_file_without_edits_is_refused_in_one_sentence(content, tmp_path):
    (tmp_path / "edits.json").write_text(content)
    with pytest.raises(ValueError, match=r"^edits\.json .*\.$") as refused:
        read_edits(tmp_path / "edits.json")
    assert FILES[content] in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OSError, match=r"^edits\.json cannot be read"):
        read_edits(tmp_path / "edits.json")
