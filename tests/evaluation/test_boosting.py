"""When three or more columns act together, and when they do not."""

import numpy as np
import pandas as pd
import pytest

from atfnb import NB, FusionNB
from atfnb.evaluation import beyond_pairs, evaluate_rows
from atfnb.evaluation import boosting as room
from atfnb.report import model_page
from atfnb_study import datasets

SAID = "three or more columns act together, which no additive model holds"


def acting(together, rows=1500, seed=0):
    """Six columns of numbers and categories, of which the sum of the first few is odd in one class."""
    random = np.random.default_rng(seed)
    cells = random.integers(0, 2, (rows, 6))
    y = np.where(random.random(rows) < 0.05, 0, cells[:, :together].sum(axis=1) % 2)
    frame = pd.DataFrame(cells + random.random((rows, 6)) / 2, columns=list("abcdef"))
    frame["b"] = np.array(["low", "high"])[cells[:, 1]]
    frame.loc[::9, "c"], frame.loc[::11, "b"] = np.nan, None
    return frame, y


def said_of(X, y, **options):
    notes = evaluate_rows({"FusionNB": FusionNB()}, X, y, repeats=1, **options)[2]
    return [note for note in notes if SAID in note]


@pytest.mark.parametrize("weighted", [False, True])
def test_three_columns_that_act_together_are_said(weighted):
    X, y = acting(together=3, rows=4500)
    (said,) = said_of(X, y, sample_weight=np.tile([1.0, 2.0, 0.0], 1500) if weighted else None)
    assert said.startswith("HistGradientBoosting, a quick fit of boosted trees, has log-loss 0.")
    assert "where FusionNB has" in said


def test_the_page_says_it_too():
    X, y = acting(together=3)
    assert SAID in str(model_page(FusionNB().fit(X, y), X, y))


def test_two_columns_that_act_together_are_no_three():
    assert said_of(*acting(together=2)) == []


def test_trees_that_are_ahead_for_another_reason_say_nothing():
    X, y = acting(together=2)
    found, plain, _ = evaluate_rows({"no pairs": FusionNB(pairs=0)}, X[["a", "b"]], y, repeats=1)
    assert list(beyond_pairs(found, "no pairs", FusionNB(pairs=0), plain.encoder_, X[["a", "b"]])) == []
    assert list(beyond_pairs(found, "no pairs", FusionNB(), plain.encoder_, X[["a", "b"]])) == []


@pytest.mark.parametrize("name", ["iris", "titanic"])
def test_usual_tables_hold_nothing_of_the_kind(name):
    assert said_of(*datasets.load(name)) == []


@pytest.mark.filterwarnings("ignore::atfnb.encoding.EmptyColumnWarning")
def test_rows_of_one_class_many_categories_and_empty_columns_are_no_obstacle(monkeypatch):
    X, y = acting(together=3, rows=2000)
    X = X.assign(many=[f"value {i % 300}" for i in range(2000)], nothing=np.nan)
    found, plain, _ = evaluate_rows({"FusionNB": NB()}, X, y, repeats=1)
    assert list(beyond_pairs(found, "FusionNB", FusionNB(), plain.encoder_, X))
    monkeypatch.setattr(room, "MOST_ROWS", 1)
    assert list(beyond_pairs(found, "FusionNB", FusionNB(), plain.encoder_, X)) == []
