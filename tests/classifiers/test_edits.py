"""Edits of every classifier: they are replayed on what was learned, which stays."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone

from atfnb import NB, FusionNB
from atfnb.classifiers import edits_in_words
from atfnb.editing import EditSkippedWarning
from helpers.model_files import CASES, EDITS, ask_everything, assert_same, bits, small_model, small_table
from helpers.strategies import edits_of, examples, mixed_table


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@examples(100)
@given(
    mixed_table(),
    st.sampled_from(sorted(CASES)),
    st.sampled_from(["impute", "skip", "value"]),
    st.integers(0, 5),
    st.data(),
)
def test_a_replay_is_idempotent_and_undone_to_the_bit(case, classifier, missing, cut, data):
    table, y, weights = case
    model = CASES[classifier](missing=missing).fit(table, y, weights * 0.7)
    before = ask_everything(model, table)
    edits = data.draw(edits_of(model))
    edited = model.edit(edits)
    assert_same(edited.replayed(edited.edits_), edited)
    assert_array_equal(model.edit(edits[:cut]).edit(edits[cut:]).model_.table, edited.model_.table)
    assert_array_equal(edited.undo(3).model_.table, model.edit(edits[:2] + edits[3:]).model_.table)
    for _ in edits:
        edited = edited.undo(len(edited.edits_))
    assert edited.learned_ is None
    assert_same(edited, model)
    for found, expected in zip(ask_everything(model, table), before, strict=True):
        assert bits(found) == bits(expected)


@pytest.mark.parametrize("case", CASES)
def test_an_edited_model_answers_by_the_edited_scores(case):
    model, (frame, _) = small_model(case), small_table()
    edited = model.edit(EDITS)
    joint = edited.contributions(frame).sum(axis=1) + edited.class_log_prior_
    assert bits(joint) == bits(edited.predict_joint_log_proba(frame))
    assert_array_equal(edited.predict(frame.assign(owner=True)), edited.predict(frame.assign(owner=False)))
    assert edited.weights_[2] == 0
    assert edited.pair_weights_.tolist() == [
        0 if "owner" in pair else pytest.approx(w) for pair, w in zip(model.pairs_, model.pair_weights_, strict=True)
    ]
    errors, known = edited.effect_errors_, model.counts_.known
    assert errors is None or (np.isnan(errors[known][:-2]).any() and not np.isnan(errors[~known]).any())
    assert edited.summary().splitlines()[1] == "This model was edited: 3 edits."
    assert_same(pickle.loads(pickle.dumps(edited)), edited)  # noqa: S301


def test_a_fit_begins_anew_and_a_clone_has_no_edits():
    frame, y = small_table()
    edited = small_model("NB").edit(EDITS)
    assert clone(edited).edits_ == ()
    assert_same(clone(edited).fit(frame, y), small_model("NB"))
    assert_same(edited.fit(frame, y), small_model("NB"))
    assert (edited.edits_, edited.learned_) == ((), None)


@pytest.mark.parametrize("case", ["NB", "CFW"])
def test_edits_are_replayed_on_what_an_update_learns(case):
    frame, y = small_table()
    first, more = slice(16), slice(16, None)
    model = CASES[case]().fit(frame[first], y[first])
    edited = model.edit(EDITS)
    assert edited.partial_fit(frame[more], y[more]) is edited
    assert_array_equal(
        edited.model_.table, model.partial_fit(frame[more], y[more]).replayed(edited.edits_).model_.table
    )
    assert len(edited.edits_) == 3
    assert edited.n_rows_ == 24


def test_edits_that_no_longer_apply_are_left_out_with_a_warning():
    frame, y = small_table()
    model = NB().fit(frame.drop(columns="colour"), y)
    with pytest.warns(
        EditSkippedWarning, match=r"^edit 2 \(set the effect of 'colour' \('red'\) .* no column 'colour'"
    ):
        edited = model.edit(EDITS, skip=True)
    assert [edit.column for edit in edited.edits_] == ["age", "owner"]
    with pytest.warns(EditSkippedWarning):
        assert model.edit(EDITS[1:2], skip=True).learned_ is None


def test_edits_are_numbered_stamped_and_described():
    edited = NB().fit(*small_table()).edit(EDITS)
    again = edited.edit([{**EDITS[0], "when": "2026-01-31T12:00:00Z", "by": "0.1.0"}])
    assert again.edits_[:3] == edited.edits_
    assert_array_equal(again.undo(4).model_.table, edited.model_.table)
    assert edits_in_words(again)[0] == "This model was edited: 4 edits."
    assert (
        edits_in_words(again)[4]
        == "4. flatten 'age' from 30: an artefact of how ages were noted (2026-01-31T12:00:00Z, atfnb 0.1.0)"
    )
    assert all(edit.when.endswith("Z") and edit.by for edit in again.edits_)
    for number in (0, 5):
        with pytest.raises(ValueError, match=rf"^there is no edit {number}: the model has 4 edits\.$"):
            again.undo(number)


def test_a_reason_is_one_line_that_nothing_obeys():
    hostile = [{**EDITS[0], "reason": "first\r\n\u2028second \x1b[31m\x00 \ud800 \u202e"}]
    (_, line) = edits_in_words(NB().fit(*small_table()).edit(hostile))
    assert "first second \\x1b[31m\\x00 \\ud800 \\u202e" in line
    assert line.isprintable()


def test_what_was_learned_stays_where_it_was_learned():
    model = FusionNB(shrinkage=1.0).fit(*small_table())
    edited = model.edit(EDITS)
    assert edited.learned_ is model
    assert edited.value_effects_ is model.value_effects_
    assert edited.counts_ is model.counts_
