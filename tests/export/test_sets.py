"""Every target predicts as every classifier does on real data sets.

Each classifier on each set goes to one target here, and some of the rows. With ``ATFNB_EVERY_ROW=1`` every row goes to
every target, which takes some minutes.
"""

import os
from functools import cache

import pandas as pd
import pytest

from atfnb.classifiers import ROSTER
from conftest import SHARED
from helpers.export_targets import assert_same

SETS = [
    *("acute", "balance-scale", "banknote", "blood", "breast-cancer", "breast-tissue", "bupa", "car"),
    *("congressional-voting", "dermatology", "diabetes", "ecoli", "fertility", "glass", "haberman-survival", "iris"),
    *("lymphography", "mammographic", "post-operative", "seeds", "soybean", "tic-tac-toe", "titanic", "wine"),
]
TARGETS = ("python", "node", "sqlite", "duckdb", "postgres", "onnx", "onnx32")
EVERY_ROW = bool(os.environ.get("ATFNB_EVERY_ROW"))


@cache
def table(name):
    frame = pd.read_csv(SHARED / "datasets" / f"{name}.csv")
    return frame.drop(columns="class"), frame["class"]


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("classifier", ROSTER, ids=lambda classifier: classifier.__name__)
def test_targets_predict_the_same_on_real_sets(name, classifier):
    X, y = table(name)
    model = classifier().fit(X, y)
    turn = SETS.index(name) + ROSTER.index(classifier)
    rows = X if EVERY_ROW else X.sample(min(len(X), 40), random_state=turn)
    for target in TARGETS if EVERY_ROW else [TARGETS[turn % len(TARGETS)]]:
        assert_same(model, rows, target)


@pytest.mark.shared
def test_every_set_and_every_classifier_has_a_turn_with_every_target():
    turns = {(SETS.index(name) + k) % len(TARGETS) for name in SETS for k in range(len(ROSTER))}
    assert turns == set(range(len(TARGETS)))
