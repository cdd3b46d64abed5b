"""What the page of a model will show: laws of the numbers, and the sentences."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris, load_wine

from atfnb import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.evaluation import Difference, Measured, joined
from atfnb.report.attributes import BARS, histogram, series_of
from atfnb.report.curve import Curve, _kept, curve_of, rounded
from atfnb.report.facts import chosen_rows, facts_of
from atfnb.report.payload import packed, payload, scale_of
from atfnb.report.performance import GUESSING, MODEL, NAIVE, Performance, how_good
from atfnb.report.sentences import one_line, what_matters, what_was_redundant
from atfnb.switching import accuracy_at

MODELS = [NB(), WNB(), KLNB(), DFW(), CFW(), CFWBeta(), ATFNB(), ATFNB(search="sls"), WeightedNB(weights=[1, 2, 0, -1])]
MODELS += [FusionNB(refine=None), FusionNB(refine="attribute"), FusionNB()]


def facts_for(model, X, y, **options):
    return facts_of(model.fit(X, y), X, y, **{"folds": 3} | options)


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


def parts_add_up(facts):
    """The prior and one effect for each attribute are the score of each class, less what all classes share."""
    sums = np.tile(facts.prior - facts.prior.mean(), (len(facts.rows.numbers), 1))
    for j, one in enumerate(facts.attributes):
        detail = one.detail
        place = np.searchsorted(detail.codes, facts.rows.codes[:, j])
        assert (detail.codes[place] == facts.rows.codes[:, j]).all()
        sums += detail.effects[place]
    joint = facts.rows.joint - facts.rows.joint.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(sums, joint, atol=1e-9)


def laws(facts, n):
    classes = len(facts.classes)
    assert facts.performance.measured.confusion.sum() == n
    np.testing.assert_array_equal(facts.performance.measured.confusion.sum(axis=1), facts.class_rows)
    assert facts.performance.measured.reliability[:, 0].sum() == n
    assert 0 <= facts.performance.measured.calibration_error <= 1
    curve = facts.curve
    assert accuracy_at(np.array([curve.beta]), curve.edges, curve.accuracy)[0] == pytest.approx(curve.best, abs=1e-12)
    assert (np.diff(curve.edges) >= 0).all()
    for one in facts.attributes:
        assert one.detail.effects.shape == (len(one.detail.codes), classes)
        assert len(one.detail.bins.counts.T) <= 9
        if one.is_number:
            assert one.detail.histogram.counts.sum() == n - one.detail.missing
            assert len(one.detail.histogram.counts) <= BARS
    parts_add_up(facts)
    assert len(facts.sentences) == 3
    for sentence in map(joined, facts.sentences):
        assert re.fullmatch(r"\S.*[^.\s]\.", sentence), sentence
        assert not re.search(r"\s\s|\s[.,;:)]|[(]\s|[.,;:][.,;:]|\bnan\b|\bNone\b(?! of)|\binf\b", sentence), sentence
    json.dumps(payload(facts), allow_nan=False)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model).replace("\n", ""))
def test_every_classifier_keeps_the_laws(model):
    X, y = load_iris(return_X_y=True)
    laws(facts_for(model, X, y), len(y))


@pytest.mark.parametrize("missing", ["impute", "skip", "value"])
@pytest.mark.parametrize("kind", [ATFNB, FusionNB])
def test_missing_values_and_mixed_columns_keep_the_laws(missing, kind):
    X, y = mixed()
    facts = facts_for(kind(missing=missing), X, y)
    laws(facts, len(y))
    assert facts.attributes[0].detail.missing == 18
    assert facts.attributes[0].detail.missing_is_value == (missing == "value")
    gap = [i for i, row in enumerate(facts.rows.numbers) if row % 7 == 0]
    assert all(facts.rows.texts[i][0] is None for i in gap)


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
def test_tables_of_all_kinds_keep_the_laws(X, y):
    facts = facts_for(ATFNB(), X, y)
    laws(facts, 40)
    assert all(one.name for one in facts.attributes)


def test_fifty_classes_keep_the_laws_and_nine_series():
    X, y = mixed(n=500, classes=50)
    facts = facts_for(ATFNB(), X, y)
    laws(facts, len(y))
    assert facts.series.max() == 8
    assert sorted(facts.series)[:9] == [0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_many_classes_share_a_line_of_the_confusion_matrix():
    y = np.repeat(np.arange(80), 4)
    X = y[:, None] + np.random.default_rng(0).normal(size=(320, 3))
    plain = payload(facts_for(NB(), X, y))["performances"][0]
    assert len(plain["shown"]) == 60
    assert len(plain["confusion"]) == 61**2
    assert sum(plain["confusion"]) == 320


def test_a_category_of_too_many_values_shows_the_frequent_ones_and_those_of_the_rows():
    names = [f"id {k}" for k in range(900)] + ["often"] * 100
    facts = facts_for(ATFNB(), pd.DataFrame({"id": names, "size": np.arange(1000.0)}), np.arange(1000) % 2)
    detail = facts.attributes[0].detail
    assert len(detail.labels) + detail.left_out == 901
    assert len(detail.labels) <= 400
    assert "often" in detail.labels
    parts_add_up(facts)


def test_what_has_no_room_is_left_out_the_least_important_first(monkeypatch):
    monkeypatch.setattr("atfnb.report.attributes.MOST_BYTES", 15_000)
    X, y = load_wine(return_X_y=True)
    facts = facts_for(ATFNB(), X, y)
    there = [one.detail is not None for one in facts.attributes]
    spread = np.array([one.spread for one in facts.attributes])
    assert 0 < sum(there) < 13
    assert spread[there].min() >= spread[~np.array(there)].max()
    assert len(payload(facts)["rows"]["codes"][0]) == sum(there)


def test_a_model_without_a_switching_factor_shows_that_of_another():
    X, y = load_iris(return_X_y=True)
    facts, own = facts_for(FusionNB(), X, y), facts_for(ATFNB(), X, y)
    assert (facts.curve.own, facts.curve.model, facts.indexes_of, facts.bins_of) == (False, "ATFNB", "ATFNB", "ATFNB")
    assert (own.curve.own, own.indexes_of, own.bins_of) == (True, "ATFNB", "ATFNB")
    assert facts_for(CFW(), X, y).indexes_of == "CFW"
    fine, coarse = facts.attributes[0].detail, own.attributes[0].detail
    np.testing.assert_array_equal(fine.bins.cuts, coarse.cuts)
    assert len(fine.cuts) > len(coarse.cuts)


def test_progress_is_reported_and_a_strange_class_named():
    X, y = load_iris(return_X_y=True)
    seen = []
    facts_for(NB(), X, y, progress=lambda done, of, name: seen.append((done, of, name)))
    assert seen[-1] == (9, 9, GUESSING)
    with pytest.raises(ValueError, match="the class 7, which the model does not know"):
        facts_of(NB().fit(X, y), X, np.where(y == 2, 7, y), folds=2)


# --- the curve -------------------------------------------------------------------------------------


class Stepping:
    """A model with as many steps as one likes."""

    def __init__(self, edges, accuracy, beta, interval):
        self.curve = edges, accuracy
        self.beta_, self.beta_interval_, self.beta_accuracy_ = beta, interval, accuracy.max()
        self.beta_intervals_ = np.array([interval])
        self.relevance_ = self.redundancy_ = np.ones(1)
        self.counts_ = SimpleNamespace(weighted=False)

    def accuracy_curve(self):
        return self.curve


@pytest.mark.parametrize("n", [50, 60_000])
def test_the_best_step_stays_exact_however_many_and_narrow_the_steps_are(n):
    random = np.random.default_rng(n)
    edges = np.concatenate([[0.0], np.sort(random.random(n - 1)), [1.0]])
    edges[20:25] = edges[20] + np.arange(5) * 1e-11  # narrower than what rounding keeps
    edges = np.sort(edges)
    accuracy = random.random(n)
    accuracy[21] = 2.0
    low, high = edges[21], edges[22]
    curve = curve_of(Stepping(edges, accuracy, (low + high) / 2, (low, high)), own=True)
    assert len(curve.accuracy) == min(n, 20_000)
    assert curve.all_steps == n
    at = np.array([low, (low + high) / 2, np.nextafter(high, 0), np.nextafter(low, 0), high])
    assert accuracy_at(at, curve.edges, curve.accuracy).tolist() == accuracy_at(at, edges, accuracy).tolist()
    slider = np.arange(1001) / 1000
    same = accuracy_at(slider, curve.edges, curve.accuracy) == accuracy_at(slider, edges, accuracy)
    assert same.all()
    assert (np.diff(curve.edges) >= 0).all()


def test_edges_are_short_but_for_those_beside_an_anchor():
    edges = np.array([0.0, 0.1234567891234, 0.5000000001, 0.5000000004, 1.0])
    assert rounded(edges, np.array([0.5000000004])).tolist() == [0.0, 0.123456789, 0.5, 0.5000000004, 1.0]
    assert _kept(edges, 0.3, np.array([0.3])).all()
    assert isinstance(facts_for(ATFNB(), *load_iris(return_X_y=True)).curve, Curve)


# --- histograms, rows, text, packing ---------------------------------------------------------------


def test_whole_numbers_have_a_bar_each_and_far_values_share_the_last():
    few = histogram(np.array([1, 2, 2, 55]), np.zeros(4, dtype=int), 1)
    assert len(few.counts) <= BARS
    many = np.concatenate([np.tile(np.arange(5), 200), [1000]])
    found = histogram(many, np.zeros(1001, dtype=int), 1)
    assert found.edges.tolist() == [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5]
    assert (found.below, found.above) == (False, True)
    assert found.counts[:, 0].tolist() == [200, 200, 200, 200, 201]


def test_the_frequent_classes_have_series_of_their_own():
    assert series_of(np.array([1.0, 5, 1, 5, 5, 5, 5, 5, 5, 5, 9])).tolist() == [8, 0, 8, 1, 2, 3, 4, 5, 6, 8, 7]


def test_half_of_the_rows_are_wrong_ones_if_there_are_so_many():
    wrong = np.arange(1000) % 3 == 0
    some = chosen_rows(wrong, 5, 0)
    assert (len(some), wrong[some].sum()) == (200, 100)
    assert (np.diff(some) > 0).all()
    assert (chosen_rows(np.arange(1000) < 7, 5, 0) < 7).sum() == 7
    assert len(chosen_rows(np.ones(1000, dtype=bool), 5, 0)) == 200
    assert len(chosen_rows(wrong, 500, 0)) == 40
    assert len(chosen_rows(wrong, 9000, 0)) == 20
    assert len(chosen_rows(wrong[:12], 5, 0)) == 12


def test_text_of_strangers_is_one_line_and_can_be_written():
    assert one_line("a\u2028b\x00\ud800c") == "a b c"
    assert len(one_line("x" * 10_000)) == 200
    assert one_line("x" * 200) == "x" * 200
    assert one_line("y" * 201).endswith("y…")
    one_line("\ud800" * 50).encode()


@pytest.mark.parametrize("kind", [np.int8, np.int16])
def test_packed_effects_are_off_by_half_a_step_at_most(kind):
    effects = np.random.default_rng(0).normal(size=(40, 7))
    step = scale_of(effects, kind)
    assert np.abs(packed(effects, kind) * step - effects).max() <= step / 2 * (1 + 1e-9)
    assert not packed(np.zeros((2, 2)), kind).any()


# --- sentences -------------------------------------------------------------------------------------


def performance(over_naive, over_guessing, found=(45, 45), rows=(50, 50)):
    accuracy = sum(found) / sum(rows)
    balanced = (found[0] / rows[0] + found[1] / rows[1]) / 2
    confusion = np.array([[found[0], rows[0] - found[0]], [rows[1] - found[1], found[1]]])
    guessing = ("b", 0.6, 0.5, over_guessing, over_guessing)
    measured = Measured(("a", "b"), confusion, np.ones((10, 3)), accuracy, balanced, *guessing)
    figures = {
        "accuracy": {MODEL: accuracy, NAIVE: 0.85, GUESSING: 0.6},
        "balanced accuracy": {MODEL: balanced, NAIVE: 0.7, GUESSING: 0.5},
    }
    words = ("A model trained like this one", "heading", "note", "cross-validated")
    return Performance(*words, measured, figures, over_naive)


SURE, DOUBTFUL, WORSE = (
    Difference(0.3, 0.2, 0.4, 0.001),
    Difference(0.105, -0.021, 0.231, 0.09),
    Difference(-0.05, -0.07, -0.03, 0.01),
)


def test_how_good_is_said_as_it_is():
    assert joined(how_good(performance(SURE, SURE), is_naive=False)) == (
        "A model trained like this one is right for 90.0 % of the rows, 30.0 points higher than always guessing b "
        "(60.0 %; 95 % interval 20.0 to 40.0). Its accuracy is 30.0 points higher than that of plain naive Bayes "
        "(85.0 %; 95 % interval 20.0 to 40.0), so learning how much each attribute counts has paid."
    )
    assert "plain naive Bayes is the better choice" in joined(how_good(performance(WORSE, SURE), is_naive=False))
    assert "40.0). It is plain naive Bayes" in joined(how_good(performance(SURE, SURE), is_naive=True))


def test_a_difference_that_is_not_shown_is_not_called_equal():
    said = joined(how_good(performance(DOUBTFUL, DOUBTFUL), is_naive=False))
    assert "equally good" not in said
    assert said.count("which may be chance (95 % interval −2.1 to 23.1)") == 2
    assert "paid" not in said


def test_where_classes_are_uneven_the_rows_found_of_each_come_first():
    said = joined(how_good(performance(DOUBTFUL, SURE, found=(0, 95), rows=(5, 95)), is_naive=False))
    assert said.startswith(
        "A model trained like this one finds 0 of 5 rows of a and 95 of 95 of b: a balanced accuracy of 50.0 %, "
    )
    assert "Its balanced accuracy is 10.5 points higher than that of plain naive Bayes (70.0 %), which may" in said
    assert said.endswith(
        "It misses most rows of a. Try --balance (class_weight='balanced' in Python): rare classes then count as much "
        "as the others, so that more of their rows are found, if the columns allow it, and more of the others are "
        "wrong."
    )
    (head, shares), (counted, recalls) = performance(DOUBTFUL, SURE, found=(0, 95), rows=(5, 95)).bars
    assert (head, counted) == ("balanced accuracy, cross-validated", "rows found of each class")
    assert [bar.label for bar in shares] == ["50.0 %", "70.0 %", "50.0 %"]
    assert [(bar.name, bar.label) for bar in recalls] == [("a", "0 of 5"), ("b", "95 of 95")]


def test_a_table_without_any_sense_is_no_better_than_guessing():
    random = np.random.default_rng(3)
    facts = facts_for(ATFNB(), random.normal(size=(200, 3)), random.integers(0, 2, 200), folds=5)
    assert facts.performance.measured.over_guessing.verdict <= 0
    assert any(
        words in joined(facts.sentences[0]).split(". Its")[0] for words in ("which may be chance", "points lower than")
    )


def test_on_other_rows_the_model_itself_is_scored_and_on_its_own_models_like_it():
    X, y = load_iris(return_X_y=True)
    train, test = slice(0, None, 2), slice(1, None, 2)
    model, wrong = NB().fit(X[train], y[train]), (y[test] + 1) % 3
    options = {"folds": 3}
    other = facts_of(model, X[test], wrong, **options)
    assert other.performance.measured.accuracy == model.score(X[test], wrong) < 0.1
    said = joined(other.sentences[0])
    assert said.startswith("On these 75 rows, not the table that it was trained on, this model is right for 1.3 % of")
    own = facts_of(model, X[train], y[train], **options)
    assert joined(own.sentences[0]).startswith(
        "A model trained like this one, cross-validated on the 75 rows that this one was trained on, is right"
    )
    assert own.test is None
    both = facts_of(model, X[train], y[train], test=(X[test], wrong), test_name="new.csv", **options)
    assert both.test.measured.accuracy == other.performance.measured.accuracy
    assert joined(both.sentences[0]).startswith(
        "On new.csv (75 rows), not the table that it was trained on, this model"
    )
    assert both.sentences[1:] == own.sentences
    seen = facts_of(model, X[train], y[train], test=(X[train], y[train]), **options)
    assert joined(seen.sentences[0]).startswith("On the test rows (75 rows), the rows that it was trained on, this")


def test_a_model_of_0_1_0_cannot_know_its_rows_and_the_page_says_so():
    X, y = load_iris(return_X_y=True)
    model = NB().fit(X, y)
    model.counts_ = replace(model.counts_, fingerprint=None)
    facts = facts_of(model, X, y, folds=3, test=(X, y))
    assert joined(facts.sentences[1]).startswith("A model trained like this one, cross-validated on these 150 rows,")
    assert "The model's file does not say which rows it was trained on" in facts.performance.note
    assert "which it may have been trained on, this model" in joined(facts.sentences[0])


def test_what_matters_is_said_for_each_kind_of_weights():
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target

    def second(model):
        return joined(facts_for(model, X, y).sentences[1])

    assert second(ATFNB()).startswith("petal width (cm) matters most (weight 0.317), then petal length (cm) (0.299)")
    assert second(NB()).startswith(
        "Every attribute has the same weight; by how far it moves the joint log-likelihood, pet"
    )
    assert second(DFW()) == ("petal length (cm) and petal width (cm) matter most: they share the highest weight, 2.")
    assert "(effect 1." in second(FusionNB())
    assert joined(facts_for(ATFNB(), X[["petal width (cm)"]], y).sentences[1]).startswith(
        "There is one attribute only, petal"
    )


def test_what_was_redundant_names_pairs_those_below_zero_and_the_silent():
    X, y = load_iris(return_X_y=True)
    facts = facts_for(ATFNB(), np.column_stack([X, np.ones(150)]), y)
    said = joined(facts.sentences[2])
    assert said.startswith("x2 and x3 are similar (similarity 0.96 of 1), so one of them is partly redundant")
    assert "; x4 has one value only and predicts nothing." in said
    lone = [replace(one, similar=None, weight=1.0, redundancy=0.0) for one in facts.attributes[:2]]
    assert joined(what_was_redundant(lone)) == "No attribute repeats what the others say."
    assert "x1 mostly repeats what the others say (redundancy 0.4)" in joined(
        what_was_redundant([lone[0], replace(lone[1], redundancy=0.4)])
    )
    apart = [replace(lone[0], similar=(1, 0.1)), replace(lone[1], similar=(0, 0.1))]
    assert "No two attributes are similar: the most similar, x0 and x1, have a similarity of 0.10" in joined(
        what_was_redundant(apart)
    )
    below = [replace(one, weight=-0.1) for one in apart]
    assert "2 attributes have a weight below zero, so their evidence is reversed, the lowest x0" in joined(
        what_was_redundant(below)
    )
    assert "x0 has a weight below zero" in joined(what_was_redundant([below[0], apart[1]]))
    assert joined(what_was_redundant(lone[:1])) == "With one attribute nothing can be redundant."
    silent = [replace(one, weight=0.0, spread=0.0) for one in lone]
    assert joined(what_matters(silent, "given")) == "None of the attributes predicts anything."
