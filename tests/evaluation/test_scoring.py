"""One model on a table whose classes are known."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

from atfnb import NB, FusionNB
from atfnb.evaluation import are_training_rows, score_on
from atfnb.model_file import from_document, to_document


@pytest.fixture(scope="module", params=[load_breast_cancer, load_wine], ids=["two classes", "three"])
def halves(request):
    X, y = request.param(return_X_y=True, as_frame=True)
    return X[::2], y[::2], X[1::2], y[1::2]


def test_the_scores_are_those_of_scikit_learn(halves):
    X, y, X_new, y_new = halves
    model = NB().fit(X, y)
    found, said, p = score_on(model, X_new, y_new), model.predict(X_new), model.predict_proba(X_new)
    assert found.measured.accuracy == pytest.approx(accuracy_score(y_new, said))
    assert found.measured.balanced == pytest.approx(balanced_accuracy_score(y_new, said))
    assert found.measured.log_loss == pytest.approx(log_loss(y_new, p), rel=1e-9)
    area = roc_auc_score(y_new, p[:, 1]) if p.shape[1] == 2 else roc_auc_score(y_new, p, multi_class="ovr")
    assert found.roc_auc == pytest.approx(area)
    np.testing.assert_allclose(found.measured.recall, recall_score(y_new, said, average=None))
    np.testing.assert_allclose(found.measured.precision, precision_score(y_new, said, average=None))
    assert found.measured.confusion.sum() == found.rows == len(y_new)
    most = np.argmax(np.bincount(y))
    assert found.measured.guess == str(most)
    assert found.measured.guess_accuracy == pytest.approx((y_new == most).mean())
    assert found.training_rows is False


def test_the_training_rows_are_known_again_in_any_order_and_kind_of_table(halves):
    X, y, X_new, y_new = halves
    model = FusionNB().fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    assert are_training_rows(model, X, y) is True
    assert are_training_rows(model, X.iloc[order], y.iloc[order]) is True
    assert are_training_rows(model, X.iloc[order], y) is False
    assert are_training_rows(model, X_new, y_new) is False
    assert are_training_rows(model, X.iloc[1:], y.iloc[1:]) is False
    assert score_on(model, X, y).training_rows is True


def test_rows_of_weight_zero_were_not_trained_on():
    X, y = load_wine(return_X_y=True)
    weight = np.arange(len(y)) % 3
    model = NB().fit(X, y, weight)
    assert are_training_rows(model, X, y) is False
    assert are_training_rows(model, X[weight > 0], y[weight > 0]) is True


def test_rows_of_a_class_that_the_model_does_not_know_change_no_score():
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6] * 5}), np.array(["a", "a", "a", "c", "c", "c"] * 5)
    model = NB().fit(X, y)
    strange = np.where(np.arange(30) < 6, "b", y)
    found, without = score_on(model, X, strange), score_on(model, X[6:], y[6:])
    assert found.unknown == {"b": 6}
    assert found.classes.tolist() == ["a", "c"]
    assert found.answers.rows.tolist() == [*range(6, 30)]
    for score in ("log_loss", "guess_log_loss", "over_guessing"):
        assert getattr(found.measured, score) == getattr(without.measured, score)
    assert (found.roc_auc, found.rows) == (without.roc_auc, without.rows)
    assert found.measured.confusion.tolist() == without.measured.confusion.tolist()
    assert found.training_rows is False
    with pytest.raises(ValueError, match="knows none of the classes of these rows, 'b': its own are 'a', 'c'"):
        score_on(model, X, ["b"] * 30)


def test_rows_of_one_class_have_no_area_and_no_recall_of_the_other():
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6] * 5}), np.array([0, 0, 0, 1, 1, 1] * 5)
    found = score_on(NB().fit(X, y), X[y == 1], y[y == 1])
    assert found.roc_auc is None
    assert np.isnan(found.measured.recall[0])
    assert found.measured.balanced == 1.0
    with pytest.raises(ValueError, match="make them the same type"):
        score_on(NB().fit(X, y), X, np.where(y, "yes", "no"))


@pytest.mark.parametrize("weighting", ["class_weight", "sample_weight"])
def test_what_is_guessed_is_the_most_frequent_class_whatever_the_weights(weighting):
    X, y = pd.DataFrame({"size": np.arange(100.0)}), np.array(["bad"] * 5 + ["good"] * 95)
    if weighting == "class_weight":
        model = NB(class_weight="balanced").fit(X, y)
    else:
        model = NB().fit(X, y, np.where(y == "bad", 50.0, 1.0))
    found = score_on(from_document(to_document(model)), X, y)
    assert (found.measured.guess, found.measured.guess_accuracy) == ("good", 0.95)
    assert found.measured.guess_log_loss == pytest.approx(-(0.05 * np.log(0.05) + 0.95 * np.log(0.95)))


def test_training_rows_with_an_empty_column_are_recognised():
    X, y = pd.DataFrame({"size": np.arange(20.0), "nothing": np.nan}), np.arange(20) % 2
    with pytest.warns(UserWarning, match="nothing"):
        model = NB().fit(X, y)
    assert are_training_rows(model, X[::-1], y[::-1]) is True
    assert are_training_rows(model, X[1:], y[1:]) is False
