import warnings
from dataclasses import astuple
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, recall_score
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from atfnb import NB
from atfnb.evaluation import METRICS, Answers, Evaluation, cross_validate, measured
from atfnb.evaluation.metrics import OF_SPLITS, corrected_standard_error, tallies


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [50, 30, 10])
    return random.normal(size=(90, 3)) + np.searchsorted(["a", "b", "c"], y)[:, None], y


def test_the_accuracies_are_those_of_scikit_learns_own_loop(rows):
    X, y = rows
    found = cross_validate({"NB": NB()}, X, y, folds=5, repeats=2, random_state=3)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=3)
    np.testing.assert_allclose(found.scores("NB", "accuracy"), cross_val_score(NB(), X, y, cv=folds))
    np.testing.assert_allclose(
        found.scores("NB", "log-loss"), -cross_val_score(NB(), X, y, cv=folds, scoring="neg_log_loss")
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_of_classes_are_those_of_all_rows_of_a_round(rows, weighted):
    X, y = rows
    y = y.copy()
    y[:3] = "d"  # fewer rows than folds
    weight = np.tile([1.0, 2.0, 3.0], 30) if weighted else None
    models = {"NB": NB(), "guess": DummyClassifier(strategy="prior")}
    found = cross_validate(models, X, y, folds=5, sample_weight=weight)
    once = found.once("NB")
    told = {"sample_weight": weight}
    assert found.mean("NB", "balanced accuracy") == pytest.approx(
        balanced_accuracy_score(once.truth, once.predicted, **told)
    )
    assert found.mean("NB", "macro F1") == pytest.approx(f1_score(once.truth, once.predicted, average="macro", **told))
    np.testing.assert_allclose(
        found.recall("NB"), recall_score(once.truth, once.predicted, average=None, zero_division=0, **told)
    )
    assert found.mean("guess", "balanced accuracy") == pytest.approx(1 / 4)
    assert found.standard_error("guess", "balanced accuracy") == pytest.approx(0, abs=1e-12)
    result = measured(found, "NB", "guess")
    assert (
        result.balanced == pytest.approx(result.recall.mean()) == pytest.approx(found.mean("NB", "balanced accuracy"))
    )


def test_the_score_of_a_split_is_its_own_balanced_accuracy_if_splits_are_alike():
    truth, right = np.tile([0, 1], 50), np.arange(100) % 7 > 1
    answers = Answers(np.arange(100), truth, np.where(right, truth, 1 - truth), np.full((100, 2), 0.5))
    splits = tuple(Answers(*(part[k : k + 20] for part in astuple(answers)[:4])) for k in range(0, 100, 20))
    scores = Evaluation(np.arange(2), {"it": splits}, folds=5, rows=100).scores("it", "balanced accuracy")
    np.testing.assert_allclose(scores, [balanced_accuracy_score(one.truth, one.predicted) for one in splits])


def test_one_round_holds_out_each_row_once_in_the_order_of_the_table(rows):
    X, y = rows
    found = cross_validate({"NB": NB(), "guess": DummyClassifier()}, X, y, repeats=2)
    once = found.once("NB")
    np.testing.assert_array_equal(once.rows, np.arange(90))
    np.testing.assert_array_equal(found.classes[once.truth], y)
    np.testing.assert_allclose(once.probability.sum(axis=1), 1)
    first = found.splits["NB"][0]
    np.testing.assert_array_equal(once.predicted[first.rows], first.predicted)
    assert (found.once("guess").predicted == 0).all()
    assert accuracy_score(once.truth, once.predicted) == pytest.approx(found.scores("NB", "accuracy")[:5].mean())
    assert f1_score(once.truth, once.predicted, average="macro") > 0.5


def test_any_table_gives_the_same_answer(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("uvw"))
    tables = [X, X.tolist(), frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)]
    means = {cross_validate({"NB": NB()}, table, y).mean("NB", "log-loss") for table in tables}
    assert len(means) == 1


def test_progress_counts_every_fit(rows):
    seen = []
    cross_validate({"NB": NB(), "guess": DummyClassifier()}, *rows, folds=3, progress=lambda *told: seen.append(told))
    assert seen == [(k + 1, 6, ("NB", "guess")[k % 2]) for k in range(6)]


def test_a_class_too_rare_for_every_fold_is_asked_about_without_a_remark(rows):
    X, y = rows
    y = y.copy()
    y[:2] = "only two"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cross_validate({"NB": NB()}, X, y, folds=5)
    once = found.once("NB")
    assert once.probability.shape == (90, 4)
    assert (once.probability[:2, 3] > 1e-12).all()  # the other row of the class was trained on
    assert (found.not_judged, found.judged) == ((), 4)
    assert all(np.isfinite(found.scores("NB", metric)).all() for metric in METRICS)


class Recorder(NB):
    """Naive Bayes that keeps the classes that it was trained on."""

    seen: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        Recorder.seen.append(np.unique(y).tolist())
        return super().fit(X, y, sample_weight)


def test_the_row_of_a_class_that_has_no_other_is_always_trained_on_and_never_scored(rows):
    X, y = rows
    y = y.astype("<U9")
    y[[0, 60]] = ["only one", "alone"]
    Recorder.seen.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cross_validate({"NB": Recorder()}, X, y, folds=5, repeats=2, sample_weight=np.ones(90))
    assert found.not_judged == ("alone", "only one")
    assert (found.rows, found.judged) == (90, 3)
    assert Recorder.seen == [["a", "alone", "b", "c", "only one"]] * 10
    np.testing.assert_array_equal(found.once("NB").rows, np.setdiff1d(np.arange(90), [0, 60]))
    judged = np.setdiff1d(np.arange(90), [0, 60])
    folds = list(RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(judged, y[judged]))
    for answers, (_, test) in zip(found.splits["NB"], folds, strict=True):
        np.testing.assert_array_equal(answers.rows, judged[test])


def test_one_class_that_can_be_judged_is_enough(rows):
    X, y = rows[0][:52], np.array(["a"] * 50 + ["b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cross_validate({"NB": NB(), "guess": DummyClassifier(strategy="prior")}, X, y)
        assert all(np.isfinite(found.scores("NB", metric)).all() for metric in METRICS)
        result = measured(found, "NB", "guess")
    assert (found.not_judged, found.judged) == (("b", "c"), 1)
    assert (result.guess, result.guess_accuracy) == ("a", 1.0)
    assert result.over_guessing.verdict <= 0


def test_a_column_with_hardly_any_value_is_left_out_where_it_has_none(rows):
    X, y = rows
    gaps = np.full((90, 1), np.nan)
    gaps[4] = 1.0
    frame = pd.DataFrame(np.hstack([X, gaps]), columns=list("uvwx"))
    tables = [frame, frame.to_numpy(), frame.to_numpy().tolist(), pa.Table.from_pandas(frame)]
    means = {cross_validate({"NB": NB()}, table, y).mean("NB", "log-loss") for table in tables}
    assert len(means) == 1
    assert np.isfinite(means.pop())


def test_what_cannot_be_folded_is_refused_in_a_sentence(rows):
    X, y = rows
    with pytest.raises(ValueError, match="one class only, 'a': there is nothing to predict"):
        cross_validate({"NB": NB()}, X[:10], y[:10])
    with pytest.raises(ValueError, match="no class has 5 rows, the largest has 3: use 3 folds or fewer"):
        cross_validate({"NB": NB()}, X[48:53], y[48:53])
    with pytest.raises(ValueError, match="every class has one row only: cross-validation needs a class of two rows"):
        cross_validate({"NB": NB()}, X[:3], ["a", "b", "c"], folds=2)


def test_the_standard_error_is_wider_than_the_plain_one():
    scores = np.array([0.8, 0.9, 0.85, 0.95])
    plain = scores.std(ddof=1) / 2
    assert corrected_standard_error(scores, test_share=0.0) == pytest.approx(plain)
    assert corrected_standard_error(scores, test_share=0.25) == pytest.approx(plain * np.sqrt(2))


def test_a_whole_weight_is_a_repetition_in_the_scores(rows):
    X, y = rows
    weight = np.tile([1.0, 2.0, 3.0], 30)
    found = cross_validate({"NB": NB()}, X, y, sample_weight=weight)
    for answers in found.splits["NB"]:
        times = weight[answers.rows].astype(int)
        repeated = Answers(*(np.repeat(part, times, axis=0) for part in (*astuple(answers)[:4], np.ones(len(times)))))
        np.testing.assert_allclose(tallies(answers), tallies(repeated))
        for name, metric in OF_SPLITS.items():
            assert metric(answers) == pytest.approx(metric(repeated)), name
    model, (first, *_) = NB(), found.splits["NB"]
    seen = np.setdiff1d(np.arange(90), first.rows)
    model.fit(np.repeat(X[seen], weight[seen].astype(int), axis=0), np.repeat(y[seen], weight[seen].astype(int)))
    np.testing.assert_allclose(first.probability, model.predict_proba(X[first.rows]))


class Picky(NB):
    """Refuses a table that has a certain row."""

    def fit(self, X, y, sample_weight=None):
        if (X[:, 0] == 7.0).any():
            raise ValueError("no sevens.")
        return super().fit(X, y, sample_weight)


def test_a_model_that_refuses_in_a_fold_is_left_out_if_asked_for(rows):
    X, y = rows
    X = X.copy()
    X[3, 0] = 7.0
    models = {"NB": NB(), "picky": Picky()}
    found = cross_validate(models, X, y, leave_out_refusals=True)
    assert found.names == ["NB"]
    assert str(found.refused["picky"]) == "no sevens."
    assert found.mean("NB", "accuracy") == cross_validate({"NB": NB()}, X, y).mean("NB", "accuracy")
    with pytest.raises(ValueError, match="no sevens"):
        cross_validate(models, X, y)
