"""Plots of how good a model is: confusion, reliability, ROC."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import confusion_matrix, roc_auc_score

from atfnb import NB


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_the_confusion_is_that_of_the_rows():
    X, y = load_iris(return_X_y=True)
    model = NB().fit(X[::2], y[::2])
    ax = model.plot_confusion(X[1::2], y[1::2])
    drawn = [int(text.get_text()) for text in ax.texts]
    assert drawn == confusion_matrix(y[1::2], model.predict(X[1::2])).ravel().tolist()
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("predicted", "actual", "75 rows")


def test_reliability_is_the_share_of_right_rows_at_each_probability():
    X, y = load_breast_cancer(return_X_y=True)
    model = NB().fit(X[::2], y[::2])
    ax = model.plot_reliability(X[1::2], y[1::2])
    mean, share = ax.lines[1].get_data()
    assert np.all(np.diff(mean) > -1e-12)
    assert share.max() <= 1
    right = model.predict(X[1::2]) == y[1::2]
    assert share.min() <= right.mean() <= share.max()


def test_the_roc_curve_has_the_area_of_the_probabilities():
    X, y = load_breast_cancer(return_X_y=True)
    model, given = NB().fit(X[::2], y[::2]), plt.subplots()[1]
    assert model.plot_roc(X[1::2], y[1::2], ax=given) is given
    area = roc_auc_score(y[1::2], model.predict_proba(X[1::2])[:, 1])
    assert f"AUC = {area:0.2f}" in given.get_legend().get_texts()[0].get_text()
    named = NB().fit(X, np.array(["ill", "well"])[y]).plot_roc(X, np.array(["ill", "well"])[y])
    assert named.get_xlabel() == "share of the other rows that are predicted as well"
    assert named.get_ylabel() == "share of well that is found"
    with pytest.raises(ValueError, match="plot_roc draws models of two classes, and this one has 3"):
        NB().fit(*load_iris(return_X_y=True)).plot_roc(*load_iris(return_X_y=True))
