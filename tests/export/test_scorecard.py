"""A scorecard's points give the same order of rows and the odds that it states."""

import csv
import io
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from atfnb import NB, FusionNB
from atfnb.export import plan_of, scorecard


def pairs_of_columns():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 4, 1500), "b": rng.integers(0, 4, 1500), "c": rng.normal(size=1500)})
    y = ((X["a"] > 1) ^ (X["b"] > 1)) ^ (rng.random(1500) < 0.1)
    return X, np.where(y, "good", "bad")


def sums(model, card, X):
    """The points of each row, from the codes of its values."""
    codes = model.model_.grids.beside(model.encoder_.encode(X))
    return card.base + sum(np.array(points)[codes[:, t]] for t, points in enumerate(card.points))


@pytest.mark.parametrize("double", [20.0, 500.0])
def test_points_give_the_stated_odds_and_the_order_of_the_rows(double):
    for model, (X, y) in ((FusionNB(), pairs_of_columns()), (NB(), load_breast_cancer(return_X_y=True))):
        model.fit(X, y)
        card = scorecard(plan_of(model), double=double)
        joint = model.predict_joint_log_proba(X)
        log_odds = joint[:, 1] - joint[:, 0]
        points = sums(model, card, X)
        exact = card.score + (log_odds - math.log(card.odds)) * double / math.log(2)
        assert np.abs(points - exact).max() <= card.error + 1e-6
        stated = math.log(card.odds) + (float(points[0]) - card.score) * math.log(2) / card.double
        assert abs(stated - log_odds[0]) <= card.error / double * math.log(2) + 1e-9
        order = np.argsort(points, kind="stable")
        behind = np.maximum.accumulate(log_odds[order]) - log_odds[order]
        assert behind.max() <= 2 * card.error / double * math.log(2) + 1e-9
    assert len(model.classes_) == 2


def test_pairs_have_entries_and_every_term_has_a_reason():
    X, y = pairs_of_columns()
    model = FusionNB().fit(X, y)
    assert model.pairs_, "the test needs a pair"
    card = scorecard(plan_of(model), positive="good")
    assert {entry.attribute for entry in card.entries} == set(model.contribution_names_)
    assert [reason.code for reason in card.reasons] == [f"R{k:02d}" for k in range(1, len(card.reasons) + 1)]
    lost = [reason.best - reason.worst for reason in card.reasons]
    assert lost == sorted(lost, reverse=True)
    assert min(entry.points for entry in card.entries) >= 0


def test_the_forms_of_a_card_hold_the_same_points_and_escape_names():
    X = pd.DataFrame({"</script>|*": pd.Series(["=1+1", "<b>", "=1+1", "<b>"], dtype=object)})
    card = scorecard(plan_of(NB().fit(X, ["a", "a", "b", "a"])))
    table = list(csv.DictReader(io.StringIO(card.csv())))
    assert [int(row["points"]) for row in table] == [card.base, *(entry.points for entry in card.entries)]
    assert {row["value"] for row in table} >= {"'=1+1", "<b>"}
    assert "<b>" not in card.html()
    assert "</script>" not in card.html()
    assert "&lt;/script&gt;" in card.html()
    assert "&lt;/script&gt;\\|\\*" in card.markdown()
    for entry in card.entries:
        assert f"<td class=n>{entry.points}</td>" in card.html()
        assert f"| {entry.points} |" in card.markdown()


@pytest.mark.parametrize(
    ("options", "match"),
    [({"double": 0}, "double must"), ({"odds": -1}, "odds must"), ({"positive": "c"}, "positive must")],
)
def test_parameters_of_a_card_are_checked(options, match):
    with pytest.raises(ValueError, match=match):
        scorecard(plan_of(NB().fit([[1.0], [2.0]], ["a", "b"])), **options)
