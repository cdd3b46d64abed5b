"""What the page of a model will show: laws of the numbers and of the sentences."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris, load_wine

from atfnb import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.encoding import TableEncoder
from atfnb.evaluation import joined
from atfnb.report.attributes import BARS
from atfnb.report.facts import PageOptions, facts_of
from atfnb.report.performance import GUESSING
from atfnb.report.whatif import chosen_rows
from atfnb.switching import accuracy_at

MODELS = [NB(), WNB(), KLNB(), DFW(), CFW(), CFWBeta(), ATFNB(), ATFNB(search="sls"), WeightedNB(weights=[1, 2, 0, -1])]
MODELS += [FusionNB(refine=None), FusionNB(refine="attribute"), FusionNB()]


def mixed(n=120, classes=3, seed=0):
    """Numbers and categories, with missing values, that predict the classes."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % classes
    frame = pd.DataFrame(
        {
            "size": y + random.normal(size=n),
            "count": random.integers(0, 4, n) + y,
            "colour": np.array(["red", "green", "blue", "grey"])[(y + random.integers(0, 2, n)) % 4],
            "sold": random.random(n) < (y + 1) / (classes + 1),
            "noise": random.normal(size=n),
        }
    )
    frame.loc[::7, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    return frame, np.array([f"class {c}" for c in y])


def unpacked(packed, width):
    """Return packed numbers as a (values, width) array."""
    return np.frombuffer(packed.numbers, packed.kind).reshape(-1, width) * packed.scale


def parts_add_up(data):
    """Without a calculator, the prior and the effects of a row sum to its joint log-likelihoods, less their mean."""
    known, n_classes = data.rows.known, len(data.classes)
    sums = np.array(data.prior, dtype=float) + np.sum(known.ofPairs, axis=1)
    for one, values in zip(data.attributes, np.transpose(known.values), strict=True):
        sums += unpacked(one.detail.effects, n_classes)[values]
    joint = known.joint - np.mean(known.joint, axis=1, keepdims=True)
    steps = sum(one.detail.effects.scale for one in data.attributes)
    np.testing.assert_allclose(sums, joint, atol=1e-5 + steps / 2)


def laws(facts, n):
    data, performance = facts.data, facts.performances[-1]
    classes = len(data.classes)
    assert performance.measured.confusion.sum() == n
    np.testing.assert_array_equal(performance.measured.confusion.sum(axis=1), data.classRows)
    assert performance.measured.reliability[:, 0].sum() == n
    assert 0 <= performance.measured.calibration_error <= 1
    if (curve := data.curve) is not None:
        edges, accuracy = np.frombuffer(curve.edges), np.frombuffer(curve.accuracy)
        assert accuracy_at(np.array([curve.beta]), edges, accuracy)[0] == pytest.approx(curve.best, abs=1e-12)
        assert (np.diff(edges) >= 0).all()
    for one in data.attributes:
        assert unpacked(one.detail.effects, classes).shape == (one.detail.values, classes)
        assert (unpacked(one.detail.bands, classes) >= 0).all()
        if one.isNumber:
            assert sum(one.detail.histogram.counts) == n - one.missing
            assert len(one.detail.histogram.counts) <= BARS * min(classes, 9)
        else:
            assert len(one.detail.counts) == len(one.detail.labels) * min(classes, 9)
    total = sum(one.share for one in (*data.attributes, *data.pairs))
    assert total == pytest.approx(1 if any(one.share for one in data.attributes) else 0, abs=1e-4)
    assert len(data.rows.cells) == len(data.rows.numbers)
    assert len(facts.sentences) == 2
    for sentence in map(joined, (*facts.sentences, facts.data_sentence)):
        assert re.fullmatch(r"\S.*[^.\s]\.", sentence), sentence
        assert not re.search(r"\s\s|\s[.,;:)]|[(]\s|[.,;:][.,;:]|\bnan\b|\bNone\b(?! of)|\binf\b", sentence), sentence


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model).replace("\n", ""))
def test_every_classifier_keeps_the_laws(model, facts_for):
    X, y = load_iris(return_X_y=True)
    laws(facts_for(model, X, y), len(y))


@pytest.mark.parametrize("model", [NB(), FusionNB(pairs=3, shrinkage=1.0)], ids=["NB", "pairs"])
def test_a_model_that_is_too_large_has_no_calculator_and_the_parts_of_its_rows_add_up(model, monkeypatch, facts_for):
    monkeypatch.setattr("atfnb.report.facts.MOST_PLAN_BYTES", 100)
    facts = facts_for(model, *mixed())
    assert facts.data.whatIf is None
    assert "too large for this page" in facts.no_what_if
    assert facts.data.rows.cells is None
    parts_add_up(facts.data)


@pytest.mark.parametrize("missing", ["impute", "skip", "value"])
@pytest.mark.parametrize("kind", [ATFNB, FusionNB])
def test_missing_values_and_mixed_columns_keep_the_laws(missing, kind, facts_for):
    X, y = mixed()
    facts = facts_for(kind(missing=missing), X, y)
    laws(facts, len(y))
    attributes, rows = facts.data.attributes, facts.data.rows
    assert attributes[0].missing == 18
    assert joined(facts.data_sentence) == "2 of 5 attributes have missing values: size (15.0 %), colour (9.2 %)."
    assert attributes[0].detail.missingIsValue == (missing == "value")
    for row, cells in zip(rows.numbers, rows.cells, strict=True):
        assert (cells[0] is None) == ((row - 1) % 7 == 0)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.arange(40.0)[:, None], np.arange(40) // 20),
        (np.arange(40)[:, None] % 4 * 1.0, np.repeat([True, False], 20)),
        ([[c, "x"] for c in "abcd" * 10], np.repeat([1.0, 2.0], 20)),
        (pl.DataFrame({"a": np.arange(40) % 5, "b": ["u", "v"] * 20}), ["yes", "no"] * 20),
        (pa.table({"a": np.arange(40) % 5, "b": ["u", "v"] * 20}), np.arange(40) % 2),
        (np.full((40, 2), 7.0), np.arange(40) % 2),
        (np.array([[1e308, -1e308]] * 20 + [[-1e308, 1e-308]] * 20), np.repeat([0, 1], 20)),
        ([["", "\ud800"], [" ", "a"], ["\n", "b"], ["x", "c"]] * 10, np.arange(40) % 2),
    ],
    ids=["one number", "booleans", "categories", "polars", "pyarrow", "constant", "huge", "blank values"],
)
@pytest.mark.filterwarnings("ignore:Number of classes in training fold")
def test_tables_of_all_kinds_keep_the_laws(X, y, facts_for):
    facts = facts_for(ATFNB(), X, y)
    laws(facts, 40)
    assert all(one.name for one in facts.data.attributes)


def test_fifty_classes_keep_the_laws_and_nine_series(facts_for):
    X, y = mixed(n=500, classes=50)
    facts = facts_for(ATFNB(), X, y)
    laws(facts, len(y))
    assert sorted(facts.data.series)[:9] == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert max(facts.data.series) == 8


def test_a_category_of_too_many_values_shows_the_frequent_ones_and_those_of_the_rows(monkeypatch, facts_for):
    monkeypatch.setattr("atfnb.report.facts.MOST_PLAN_BYTES", 100)
    names = [f"id {k}" for k in range(900)] + ["often"] * 100
    facts = facts_for(
        ATFNB(min_category_rows=None), pd.DataFrame({"id": names, "size": np.arange(1000.0)}), np.arange(1000) % 2
    )
    detail = facts.data.attributes[0].detail
    assert len(detail.labels) + detail.leftOut == 901
    assert len(detail.labels) <= 400
    assert "often" in detail.labels
    parts_add_up(facts.data)


def test_what_has_no_room_is_left_out_the_least_important_first(monkeypatch, facts_for):
    monkeypatch.setattr("atfnb.report.attributes.MOST_BYTES", 25_000)
    X, y = load_wine(return_X_y=True)
    facts = facts_for(ATFNB(), X, y)
    there = [one.detail is not None for one in facts.data.attributes]
    spread = np.array([one.share for one in facts.data.attributes])
    assert 0 < sum(there) < 13
    assert spread[there].min() >= spread[~np.array(there)].max()


def test_only_a_model_with_a_switching_factor_has_a_curve_relevance_and_redundancy(facts_for):
    X, y = load_iris(return_X_y=True)
    for model in (ATFNB(), CFWBeta()):
        facts = facts_for(model, X, y)
        assert facts.data.curve.beta == model.beta_
        assert facts.data.curve.redundancy == pytest.approx(model.redundancy_)
        assert joined(facts.how_sentence).startswith("x2 ")
    for model in (FusionNB(), CFW(), NB()):
        facts = facts_for(model, X, y)
        assert facts.data.curve is None
        assert facts.how_sentence == ()


def test_the_rows_are_those_that_were_wrong_out_of_fold(facts_for):
    X, y = mixed(n=300)
    facts = facts_for(NB(), X, y)
    answers, rows = facts.performances[-1].answers, facts.data.rows
    at = np.array(rows.numbers) - 1
    np.testing.assert_array_equal(rows.predicted, answers.predicted[at])
    wrong = np.array(rows.predicted) != np.array(rows.truth)
    assert 0 < wrong.sum() == min((~answers.right).sum(), 100)
    np.testing.assert_allclose(rows.probability, answers.probability[at, rows.predicted], rtol=1e-3)


def test_progress_is_reported_and_a_strange_class_named(facts_for):
    X, y = load_iris(return_X_y=True)
    seen = []
    facts_for(NB(), X, y, progress=lambda done, of, name: seen.append((done, of, name)))
    assert seen[-1] == (9, 9, GUESSING)
    with pytest.raises(ValueError, match="the class 7, which the model does not know"):
        facts_of(NB().fit(X, y), X, np.where(y == 2, 7, y), PageOptions(folds=2))


def test_rows_after_that_of_a_class_that_is_not_judged_are_still_themselves(facts_for):
    X, y = load_iris(return_X_y=True)
    y = np.where(np.arange(150) == 3, 7, y)
    facts = facts_for(NB(), X, y)
    once, rows = facts.performances[-1].answers, facts.data.rows
    at = np.searchsorted(once.rows, np.array(rows.numbers) - 1)
    assert 4 not in rows.numbers
    np.testing.assert_array_equal(once.rows[at] + 1, rows.numbers)
    np.testing.assert_array_equal(once.truth[at], rows.truth)
    np.testing.assert_array_equal(once.predicted[at], rows.predicted)


def test_half_of_the_rows_are_wrong_ones_if_there_are_enough():
    wrong = np.arange(1000) % 3 == 0
    some = chosen_rows(wrong, 5, 0)
    assert (len(some), wrong[some].sum()) == (200, 100)
    assert (np.diff(some) > 0).all()
    assert (chosen_rows(np.arange(1000) < 7, 5, 0) < 7).sum() == 7
    assert len(chosen_rows(np.ones(1000, dtype=bool), 5, 0)) == 200
    assert len(chosen_rows(wrong, 500, 0)) == 40
    assert len(chosen_rows(wrong, 9000, 0)) == 20
    assert len(chosen_rows(wrong[:12], 5, 0)) == 12


def test_rows_are_encoded_once_and_so_are_test_rows(monkeypatch):
    X, y = load_iris(return_X_y=True)
    train, other, test = slice(0, None, 3), slice(1, None, 3), slice(2, None, 3)
    model, tables = NB().fit(X[train], y[train]), []
    encode = TableEncoder.encode_table

    def counted(encoder, table):
        tables.append(table.n_rows)
        return encode(encoder, table)

    monkeypatch.setattr(TableEncoder, "encode_table", counted)
    facts_of(model, X[other], y[other], PageOptions())
    assert tables == [50]
    facts_of(model, X[other], y[other], PageOptions(test=(X[test], y[test])))
    assert tables == [50] * 3


def test_a_report_that_cannot_be_written_is_refused_before_any_model_is_trained(tmp_path):
    X, y = load_iris(return_X_y=True)
    fits = []
    with pytest.raises(OSError, match="missing"):
        NB().fit(X, y).report(X, y, tmp_path / "missing" / "page.html", progress=lambda *done: fits.append(done))
    assert fits == []
