"""Every classifier can be found by its name, and runs on any table."""

from dataclasses import replace
from importlib.metadata import PackageNotFoundError

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from atfnb.classifiers import NB, ROSTER, Declaration
from atfnb.cli import app
from atfnb_study import boosters, datasets, peers
from atfnb_study.peers import BEYOND, COMBINATIONS, KNOWN, OTHERS, PAPER, PEERS, find, others_in
from atfnb_study.protocol import draw_split, run_split
from atfnb_study.study import versions_of


@pytest.mark.slow
def test_every_known_classifier_runs_on_mixed_columns():
    X, y = datasets.load("fertility")
    outcome = run_split("fertility", X, y, 0, find(list(KNOWN)), seed=0, order="clean")
    assert list(outcome.right) == [*PAPER, *COMBINATIONS, *BEYOND, *OTHERS, *PEERS]
    assert all(0 < right <= outcome.test_rows for right in outcome.right.values())
    assert list(outcome.right) == list(outcome.log_loss) == list(outcome.brier) == list(outcome.reliability)
    assert list(outcome.right) == list(outcome.seconds)
    assert all(seconds > 0 for seconds in outcome.seconds.values())
    assert all(0 < loss < 5 for loss in outcome.log_loss.values())
    assert all(0 < score < 2 for score in outcome.brier.values())


def without(*packages):
    def installed_version(name):
        if name in packages:
            raise PackageNotFoundError(name)
        return "1.0"

    return installed_version


@pytest.mark.parametrize(
    ("name", "package"),
    [("LightGBM", "lightgbm"), ("XGBoost", "xgboost-cpu"), ("CatBoost", "catboost"), ("EBM", "interpret-core")],
)
def test_a_peer_whose_package_is_missing_says_what_to_install_before_anything_is_done(
    monkeypatch, tmp_path, name, package
):
    assert package in versions_of(["NB", name])
    monkeypatch.setattr(peers, "version", without(*PEERS[name].packages))
    sentence = f"{name} needs {package}, which is not installed: pip install 'atfnb[peers]'"
    for ask in (versions_of, peers.requested):
        with pytest.raises(ImportError) as error:
            ask([name])
        assert str(error.value) == sentence
    out = tmp_path / "out"
    for study in (["uci"], ["flavia", "--drawn"]):
        done = CliRunner().invoke(app, ["reproduce", *study, "--with", name, "--out", str(out)])
        assert done.exit_code == 1
        assert done.output == f"atfnb: {sentence}\n"
        assert not out.exists()


def test_xgboost_with_support_for_graphics_cards_will_do(monkeypatch):
    monkeypatch.setattr(peers, "version", without("xgboost-cpu"))
    assert peers.installed(PEERS["XGBoost"]) == {"xgboost": "1.0"}


ROWS = 60
ORDER = np.r_[draw_split(ROWS, 0).test, draw_split(ROWS, 0).train]
"""The rows of a table, those of the test part first."""


def hard_table():
    """Text, missing values, columns without a value in training, new categories in testing, a class of one row."""
    random = np.random.default_rng(0)
    number, text = random.normal(size=ROWS), random.choice(["a", "b, c", "{d}"], ROWS).astype(object)
    empty, empty_text = np.full(ROWS, np.nan), np.full(ROWS, None, dtype=object)
    y = np.where((number > 0) == (text == "a"), "yes", "no").astype(object)
    text[:6], empty[:12], empty_text[:12] = "new", 1.0, "new"
    text[20:25], number[22:30] = None, np.nan
    y[40] = "once"
    X = pd.DataFrame({"a [<1>]": number, "b": text, "c": empty, "d": empty_text, "e": number > 1, "f": "same"})
    place = np.argsort(ORDER)
    return X.iloc[place].reset_index(drop=True), y[place]


@pytest.mark.parametrize(
    "name",
    [
        "LightGBM",
        *(pytest.param(name, marks=pytest.mark.slow) for name in PEERS if name.startswith(("XGB", "CatBoost", "EBM"))),
        pytest.param("LightGBM tuned", marks=pytest.mark.slow),
    ],
)
def test_a_peer_takes_text_gaps_empty_columns_and_new_categories(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = hard_table()
    train = X.iloc[draw_split(ROWS, 0).train]
    assert train["c"].isna().all()
    assert train["d"].isna().all()
    assert "new" not in set(train["b"])
    if name == "EBM":  # with three classes it takes ten seconds
        y = np.where(y == "once", "no", y)
    times = 1 if name == "EBM" else 2
    first, *again = (run_split("hard", X, y, 0, find([name]), seed=0, order="clean") for _ in range(times))
    assert 0 < first.right[name] <= first.test_rows
    assert 0 < first.log_loss[name] < 5
    assert first.seconds[name] > 0
    assert [replace(one, seconds={}) for one in again] == [replace(first, seconds={})] * (times - 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("make", [boosters.light_gbm, boosters.xgboost, boosters.cat_boost])
def test_a_booster_answers_in_the_classes_that_it_was_given(make):
    X, y = hard_table()
    model = make(["b", "d", "e", "f"], ["a [<1>]", "c"]).fit(X, y)
    assert list(model.classes_) == ["no", "once", "yes"]
    probability = model.predict_proba(X)
    assert probability.shape == (ROWS, 3)
    np.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-6)
    assert list(model.predict(X)) == list(model.classes_[probability.argmax(axis=1)])
    assert (model.predict(X) == y).mean() > 0.6


def test_a_booster_sees_a_missing_category_as_its_library_expects():
    column = pd.Series(["a", None, "zz", 3], dtype=object)
    assert list(boosters.as_text(column, ["a"])) == ["a", boosters.MISSING, "zz", "3"]
    assert boosters.as_categories(column, ["3", "a"]).codes.tolist() == [1, -1, -1, 0]
    assert boosters.as_categories(pd.Series([True, False]).astype("category"), ["True"]).codes.tolist() == [0, -1]


def test_an_unknown_classifier_is_named():
    with pytest.raises(ValueError, match=r"classifier 'XGB' is not known\. Known: NB, WNB"):
        find(["XGB"])


def test_a_classifier_of_the_roster_can_join_by_its_declared_name():
    class Mine(NB):
        declaration = Declaration("Mine-β", command="mine")

    class Unnamed(NB):
        declaration = Declaration("Unnamed")

    joins = others_in((*ROSTER, Mine, Unnamed))
    assert list(joins) == [*OTHERS, "Mine-β"]
    X, y = datasets.load("fertility")
    outcome = run_split("fertility", X, y, 0, [*find(["NB"]), joins["Mine-β"]], seed=0, order="clean")
    assert outcome.log_loss["Mine-β"] == outcome.log_loss["NB"]


def test_the_papers_classifiers_are_those_that_declare_it():
    assert set(PAPER) == {one.declaration.name for one in ROSTER if one.declaration.of_paper}
