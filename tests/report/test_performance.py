"""How good the model is, in the words of the page."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from atfnb import ATFNB, NB
from atfnb.evaluation import Answers, Difference, Measured, joined
from atfnb.report.facts import PageOptions, facts_of
from atfnb.report.performance import GUESSING, MODEL, NAIVE, Performance, how_good


def performance(over_naive, over_guessing, found=(45, 45), rows=(50, 50)):
    accuracy = sum(found) / sum(rows)
    balanced = (found[0] / rows[0] + found[1] / rows[1]) / 2
    confusion = np.array([[found[0], rows[0] - found[0]], [rows[1] - found[1], found[1]]])
    recall, guessing = np.array(found) / rows, ("b", 0.6, 0.5, 0.7, over_guessing, over_guessing)
    measured = Measured(("a", "b"), confusion, np.ones((10, 3)), accuracy, recall, 0.3, *guessing)
    shares = {MODEL: (accuracy, balanced), NAIVE: (0.85, 0.7), GUESSING: (0.6, 0.5)}
    figures = {name: {"accuracy": of[0], "balanced accuracy": of[1]} for name, of in shares.items()}
    words = ("A model trained like this one", "note", "cross-validated")
    answers = Answers(np.arange(1), np.zeros(1, dtype=int), np.zeros(1, dtype=int), np.ones((1, 2)))
    return Performance(*words, measured, figures, answers, {MODEL: (0.4, 0.6)}, over_naive)


SURE, DOUBTFUL, WORSE = (
    Difference(0.3, 0.2, 0.4, 0.001),
    Difference(0.105, -0.021, 0.231, 0.09),
    Difference(-0.05, -0.07, -0.03, 0.01),
)


def test_how_good_is_said_as_it_is():
    assert joined(how_good(performance(SURE, SURE), is_naive=False)) == (
        "A model trained like this one is right for 90.0 % of the rows, 30.0 points (95 % interval 20.0 to 40.0) "
        "higher than always guessing b (60.0 %). Its accuracy is 30.0 points (95 % interval 20.0 to 40.0) higher than "
        "that of plain naive Bayes (85.0 %), so the learned weights improve the predictions."
    )
    assert "plain naive Bayes is the better choice" in joined(how_good(performance(WORSE, SURE), is_naive=False))
    assert "(60.0 %). It is plain naive Bayes" in joined(how_good(performance(SURE, SURE), is_naive=True))


def test_a_difference_that_is_not_shown_is_not_called_equal():
    said = joined(how_good(performance(DOUBTFUL, DOUBTFUL), is_naive=False))
    assert "equally good" not in said
    assert said.count("which may be chance (95 % interval −2.1 to 23.1)") == 2
    assert "paid" not in said


def test_where_classes_are_uneven_the_rows_found_of_each_come_first():
    said = joined(how_good(performance(DOUBTFUL, SURE, found=(0, 95), rows=(5, 95)), is_naive=False))
    assert said.startswith(
        "A model trained like this one has a balanced accuracy of 50.0 %, 30.0 points (95 % interval 20.0 to 40.0) "
    )
    assert "Its balanced accuracy is 10.5 points higher than that of plain naive Bayes (70.0 %), which may" in said
    assert said.endswith(
        "It finds 0.0 % of a (5 rows) and 100.0 % of b (95 rows). Try --balance (class_weight='balanced' in Python), "
        "which finds more rows of rare classes, if the columns allow it, and fewer of the others."
    )
    (head, shares), (counted, recalls) = performance(DOUBTFUL, SURE, found=(0, 95), rows=(5, 95)).marks
    assert (head, counted) == ("balanced accuracy, cross-validated", "recall of each class")
    assert [mark.label for mark in shares] == ["50.0 %", "70.0 %", "50.0 %"]
    assert [mark.interval for mark in shares] == [(0.4, 0.6), None, None]
    assert [(mark.name, mark.label) for mark in recalls] == [("a", "0 of 5"), ("b", "95 of 95")]
    assert recalls[0].interval == pytest.approx((0.0, 0.434), abs=1e-3)


def test_every_share_has_an_interval_around_it_on_training_and_on_test_rows():
    X, y = load_iris(return_X_y=True)
    train, test = slice(0, None, 2), slice(1, None, 2)
    model = NB(max_bins=4).fit(X[train], y[train])
    facts = facts_of(model, X[train], y[train], PageOptions(folds=3, test=(X[test], y[test])))
    on_test, performance = facts.performances
    assert set(performance.intervals) == {MODEL, NAIVE, GUESSING}
    assert set(on_test.intervals) == {MODEL, NAIVE}
    for one in facts.performances:
        for name, (low, high) in one.intervals.items():
            assert 0 <= low <= one.figures[name][one.metric] <= high <= 1
    naive = NB(max_bins=4).fit(X[train], y[train]).score(X[test], y[test])
    assert on_test.figures[NAIVE]["accuracy"] == naive


def test_a_table_without_any_sense_is_no_better_than_guessing(facts_for):
    random = np.random.default_rng(3)
    facts = facts_for(ATFNB(), random.normal(size=(200, 3)), random.integers(0, 2, 200), folds=5)
    assert facts.performances[0].measured.over_guessing.verdict <= 0
    assert any(
        words in joined(facts.sentences[0]).split(". Its")[0] for words in ("which may be chance", "points lower than")
    )


def test_on_other_rows_the_model_itself_is_scored_and_on_its_own_models_like_it():
    X, y = load_iris(return_X_y=True)
    train, test = slice(0, None, 2), slice(1, None, 2)
    model, wrong = NB().fit(X[train], y[train]), (y[test] + 1) % 3
    other = facts_of(model, X[test], wrong, PageOptions(folds=3))
    accuracy = other.performances[0].measured.accuracy
    assert accuracy == model.score(X[test], wrong) < 0.1
    said = joined(other.sentences[0])
    assert said.startswith("On these 75 rows, not the table that it was trained on, this model is right for 1.3 % of")
    own = facts_of(model, X[train], y[train], PageOptions(folds=3))
    assert joined(own.sentences[0]).startswith(
        "A model trained like this one, cross-validated on the 75 rows that this one was trained on, is right"
    )
    assert len(own.performances) == 1
    options = PageOptions(folds=3, test=(X[test], wrong), test_name="new.csv")
    both = facts_of(model, X[train], y[train], options)
    assert both.performances[0].measured.accuracy == accuracy
    assert joined(both.sentences[0]).startswith(
        "On new.csv (75 rows), not the table that it was trained on, this model"
    )
    assert both.sentences[1:] == own.sentences
    seen = facts_of(model, X[train], y[train], PageOptions(folds=3, test=(X[train], y[train])))
    assert joined(seen.sentences[0]).startswith("On the test rows (75 rows), the rows that it was trained on, this")


def test_a_model_of_0_1_0_cannot_know_its_rows_and_the_page_says_so():
    X, y = load_iris(return_X_y=True)
    model = NB().fit(X, y)
    model.counts_ = replace(model.counts_, fingerprint=None)
    facts = facts_of(model, X, y, PageOptions(folds=3, test=(X, y)))
    assert joined(facts.sentences[1]).startswith("A model trained like this one, cross-validated on these 150 rows,")
    assert "The model's file does not say which rows it was trained on" in facts.performances[-1].note
    assert "which it may have been trained on, this model" in joined(facts.sentences[0])


def test_a_column_without_values_warns_once_only():
    X = np.column_stack([load_iris().data, np.full(150, np.nan)])
    with pytest.warns(UserWarning, match="no value in any row"):
        model = NB().fit(X, load_iris().target)
    facts = facts_of(model, X, load_iris().target, PageOptions(folds=2, test=(X, load_iris().target)))
    figures = facts.performances[0].figures
    assert figures[NAIVE]["accuracy"] == figures[MODEL]["accuracy"]
