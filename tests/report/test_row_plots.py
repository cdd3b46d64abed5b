"""Plots on rows: how the values of one row lead to its class; confusion, reliability and ROC of many."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import confusion_matrix, roc_auc_score

import atfnb
from atfnb import NB, FusionNB, plot_row


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def paired():
    """A number and a category that act together, dates, and a name of 80 characters."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=300), "size": rng.normal(size=300)})
    X["side"], X["q" * 80] = rng.choice(["left", "right", None], 300), rng.choice(["v" * 40, "w" * 40], 300)
    y = np.where((X["size"] > 0) == (X["side"] == "left"), "same", np.where(X["size"] > 1, "far", "other"))
    return FusionNB(pairs=[("size", "side")]).fit(X, y), X


def ticks(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def ends(ax):
    """Where the bars begin and end, from the top down."""
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]


def test_the_bars_lead_from_the_prior_to_the_difference_of_the_two_classes(paired):
    model, X = paired
    for i in range(0, 60, 7):
        row = X[i : i + 1]
        joint = model.predict_joint_log_proba(row)[0]
        first, second = np.argsort(-joint)[:2]
        ax = plot_row(model, row, top=100)
        bars = ends(ax)
        assert bars[0] == pytest.approx((0, model.class_log_prior_[first] - model.class_log_prior_[second]))
        for before, after in pairwise(bars[:-1]):
            assert after[0] == pytest.approx(before[1])
        assert bars[-1] == pytest.approx((0, joint[first] - joint[second]))
        assert bars[-2][1] == pytest.approx(bars[-1][1])
        sizes = [abs(end - start) for start, end in bars[1:-1]]
        assert sizes == sorted(sizes, reverse=True)
        assert f"predicted: {model.classes_[first]} (" in ax.get_title()
        assert f"rather than {model.classes_[second]} (" in ax.get_title()
        assert f"for {model.classes_[first]} (right)" in ax.get_xlabel()


def test_labels_are_the_values_in_words_and_pairs_stand_below_each_other(paired):
    model, X = paired
    row = X.iloc[0].to_dict()
    names = ticks(plot_row(model, row | {"side": None}, top=100))
    assert (names[0], names[-1]) == ("prior", "all together")
    assert {"day: month = January", "day: weekday = Monday", "side missing"} <= {*names}
    assert "q" * 27 + "…\n= " + str(row["q" * 80])[:27] + "…" in names
    (pair,) = (name for name in names if "×" in name)
    assert pair.startswith("size ")
    assert pair.endswith(" ×\nside missing")
    assert "side not seen in training" in ticks(plot_row(model, row | {"side": "upwards"}, top=100))


def test_a_row_may_come_in_many_forms(paired):
    model, X = paired
    shown = ends(plot_row(model, X[5:6]))
    cells = X.iloc[5].to_dict()
    forms = [X.iloc[5], cells, dict(reversed(cells.items())) | {"class": "same"}, pl.from_pandas(X[5:6])]
    for row in forms:
        assert ends(model.plot_row(row)) == shown
    numbers, y = load_iris(return_X_y=True)
    plain = NB().fit(numbers, y)
    shown = ends(plot_row(plain, numbers[70:71]))
    forms = [numbers[70], numbers[70].tolist(), [numbers[70].tolist()], tuple(numbers[70]), pd.Series(numbers[70])]
    for row in [*forms, {f"x{j}": cell for j, cell in enumerate(numbers[70])}]:
        assert ends(plot_row(plain, row)) == shown


def test_the_others_share_a_bar_unless_there_is_one_only():
    X, y = load_breast_cancer(return_X_y=True)
    model = NB().fit(X, y)
    few, all_ = plot_row(model, X[0], top=3), plot_row(model, X[0], top=30, ax=plt.subplots()[1])
    assert ticks(few)[-2:] == ["27 others", "all together"]
    assert len(ends(few)) == 6
    assert ends(few)[-1] == pytest.approx(ends(all_)[-1])
    assert len(ends(all_)) == 32
    assert ticks(plot_row(model, X[0], top=29)) == ticks(all_)
    assert "(over 99.9 %)" in few.get_title()
    assert "(under 0.1 %)" in few.get_title()


def test_the_numbers_beside_the_bars_stay_inside_the_axes():
    X, y = load_breast_cancer(return_X_y=True)
    model = NB().fit(X, y)
    for i in range(4):
        ax = plot_row(model, X[i])
        ax.figure.canvas.draw()
        for text in ax.texts:
            box, inside = text.get_window_extent(), ax.get_window_extent()
            assert inside.x0 <= box.x0 < box.x1 <= inside.x1, text


def test_labels_do_not_overlap_and_nothing_is_outside_the_figure():
    rng, names = np.random.default_rng(0), [f"question {j}: {'long ' * 15}" for j in range(4)]
    X = pd.DataFrame(
        {name: rng.choice(["I would rather not say it here", "certainly, if you insist"], 300) for name in names}
    )
    y = np.where(X[names[0]] == X[names[1]], "the first of two classes with long names", "the second of them, long too")
    ax = FusionNB(pairs=[names[:2], names[2:]]).fit(X, y).plot_row(X[:1])
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert max(len(name.splitlines()) for name in ticks(ax)) == 4
    for upper, lower in pairwise(boxes):
        assert lower.y1 <= upper.y0 + 2
    for box in (*boxes, ax.title.get_window_extent(), ax.xaxis.label.get_window_extent()):
        assert box.x0 >= 0
        assert box.x1 <= ax.figure.bbox.x1
        assert box.y0 >= 0


def test_text_is_shown_as_text_and_from_right_to_left():
    X = pd.DataFrame({"cost $": ["$5", "$_x$"] * 20, "two\nlines": [0, 1] * 20})
    ax = plot_row(NB().fit(X, ["כן", "לא"] * 20), X[:1])
    assert ticks(ax)[1:3] == [r"cost \$ = \$5", "two lines = 0"]
    said = [line.split(" (")[0] for line in ax.get_title().split(", ")]
    assert said == ["predicted: כן\u200e", "rather than לא\u200e"]
    ax.figure.canvas.draw()


def test_rows_that_cannot_be_drawn_are_refused_in_a_sentence(paired):
    model, X = paired
    with pytest.raises(ValueError, match="draws one row, and this table has 2: choose one"):
        plot_row(model, X[:2])
    with pytest.raises(ValueError, match="the row lacks 'day', 'side'"):
        plot_row(model, {"size": 1.0, "q" * 80: "v"})
    for top in (0, True, 1.5):
        with pytest.raises(ValueError, match="top must be a whole number from 1 on"):
            plot_row(model, X[:1], top=top)
    assert "plot_row" in atfnb.__all__


# --- how good a model is on many rows ---------------------------------------------------------------


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
    with pytest.raises(ValueError, match="rows of both classes"):
        model.plot_roc(X[y == 1], y[y == 1])
