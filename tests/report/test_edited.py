"""The page of an edited model: its edits, what they changed, and no band where nothing was measured."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from atfnb import NB, FusionNB, plot_effects
from atfnb.evaluation import cross_validate
from atfnb.report import PageOptions, calculator_page, model_page
from atfnb.report.edited import MOST_ROWS
from atfnb.report.facts import facts_of

EDITS = [
    {"do": "flatten", "column": "size", "reason": "<script>alert('first')</script> & \u202e"},
    {"do": "rising", "column": "age", "class": "yes", "reason": "a longer delay never lowers the risk"},
]


def table(rows=400):
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"size": random.normal(size=rows), "age": random.normal(size=rows), "job": random.choice(["a", "b"], rows)}
    )
    score = frame["size"] + frame["age"] + (frame["job"] == "a") + random.normal(0, 1, rows)
    return frame, np.where(score > 0.5, "yes", "no")


X, Y = table()
LEARNED = FusionNB(shrinkage=[1.0]).fit(X, Y)
MODEL = LEARNED.edit(EDITS)
OPTIONS = PageOptions(folds=2)


def test_the_page_lists_the_edits_and_escapes_their_reasons():
    for page in (str(model_page(MODEL, X, Y, OPTIONS)), str(calculator_page(MODEL))):
        (section,) = re.findall(r'<section id="edited".*?</section>', page, re.S)
        assert "This model was edited: 2 edits." in section
        assert "&lt;script&gt;alert(&#39;first&#39;)&lt;/script&gt; &amp; \\u202e" in section
        assert page.count("alert(") == 1
    for page in (str(model_page(LEARNED, X, Y, OPTIONS)), str(calculator_page(LEARNED))):
        assert 'id="edited"' not in page


def test_the_figures_before_and_after_are_those_of_both_models_on_the_rows_of_the_page():
    found = facts_of(MODEL, X[100:], Y[100:], OPTIONS).edited
    before, after = (each.predict(X[100:]) for each in (LEARNED, MODEL))
    figures = {name: values for name, *values in found.figures}
    truth = Y[100:]
    assert figures["accuracy"] == [f"{100 * np.mean(each == truth):.1f} %" for each in (before, after)]
    assert figures["recall of yes"] == [
        f"{100 * np.mean(each[truth == 'yes'] == 'yes'):.1f} %" for each in (before, after)
    ]
    assert list(figures) == ["accuracy", "log-loss", "recall of no", "recall of yes"]
    moved = np.flatnonzero(before != after)
    assert 0 < len(moved) <= MOST_ROWS * 4
    assert found.rows == tuple((f"{k + 1:,}", truth[k], before[k], after[k]) for k in moved[:MOST_ROWS])
    assert f" {len(moved)} rows of 300 ({100 * len(moved) / 300:.1f} %) are predicted as another class" in found.note


def test_models_are_edited_in_each_fold():
    found = cross_validate({"edited": MODEL, "learned": LEARNED}, X, Y, folds=2)
    expected = []
    for answers in found.splits["edited"]:
        rest = np.setdiff1d(np.arange(len(Y)), answers.rows)
        model = FusionNB(shrinkage=[1.0]).fit(X.iloc[rest], Y[rest]).edit(EDITS)
        expected.append(model.predict_proba(X.iloc[answers.rows]))
    for answers, probability in zip(found.splits["edited"], expected, strict=True):
        assert_allclose(answers.probability, probability)
    assert "trained and edited like this one" in str(model_page(MODEL, X, Y, OPTIONS))


def test_an_edited_value_has_no_band():
    attributes = facts_of(MODEL, X, Y, OPTIONS).data["attributes"]
    bands = [np.frombuffer(one["detail"]["bands"]["numbers"], np.uint8) for one in attributes]
    assert not bands[0].any()
    assert bands[2].any()
    assert plot_effects(MODEL, "size").get_xlabel().startswith("size")


@pytest.mark.parametrize("kind", [NB, FusionNB])
def test_a_naive_model_that_was_edited_is_not_called_plain(kind):
    model = kind().fit(X, Y)
    said = [str(model_page(each, X, Y, OPTIONS)) for each in (model, model.edit(EDITS))]
    assert ["It is plain naive Bayes" in page for page in said] == [kind is NB, False]


def test_the_models_like_an_edited_one_are_edited_too():
    blind = [{"do": "remove", "column": name, "reason": "unknown to us"} for name in X.columns]
    model = NB(orders={"job": ["b", "a"]}).fit(X, Y)
    shown, edited = (facts_of(each, X, Y, OPTIONS).performances[-1] for each in (model, model.edit(blind)))
    assert shown.figures["the model"]["accuracy"] > 0.7
    assert edited.figures["the model"]["accuracy"] == edited.figures["guessing"]["accuracy"]
