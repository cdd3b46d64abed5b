"""New rows compared with those of training, and how well a model does on the latter."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from atfnb import NB, FusionNB
from atfnb.evaluation import Fit, drift_of, measure_fit, score_on, stability_index
from atfnb.model_file import from_document, to_document
from atfnb.training import TableInMemory, training_rows
from helpers.model_files import CASES, small_table, unsealed

NUMBERS = st.lists(st.integers(0, 50), min_size=1, max_size=6)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=6))
def test_the_index_is_the_sum_over_smoothed_shares_and_symmetric(pairs):
    before, now = np.array(pairs, dtype=float).T
    there = [(p, q) for p, q in pairs if p + q]
    expected = 0.0
    if len(there) > 1 and before.sum() and now.sum():
        n, m, half = before.sum() + len(there) / 2, now.sum() + len(there) / 2, 0.5
        expected = sum(((q + half) / m - (p + half) / n) * np.log((q + half) / m / ((p + half) / n)) for p, q in there)
    assert stability_index(before, now)[0] == pytest.approx(expected, abs=1e-12)
    assert stability_index(before, now) == pytest.approx(stability_index(now, before), abs=1e-12)
    assert stability_index(before, now)[0] >= 0


@given(NUMBERS)
def test_the_index_of_the_same_rows_is_0(rows):
    assert stability_index(np.array(rows, dtype=float), np.array(rows, dtype=float))[0] == pytest.approx(0, abs=1e-15)


def test_19_of_20_tables_from_the_same_source_are_below_what_chance_explains():
    random = np.random.default_rng(0)
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    below = [
        psi <= by_chance
        for psi, by_chance in (
            stability_index(*(random.multinomial(n, shares).astype(float) for n in (900, 300))) for _ in range(2000)
        )
    ]
    assert np.mean(below) == pytest.approx(0.95, abs=0.015)


def test_what_changed_is_first_and_unseen_and_missing_values_are_counted():
    frame, y = small_table(240)
    model = NB(missing="value").fit(frame, y)
    now = frame.assign(colour=np.where(np.arange(240) < 60, "mauve", frame["colour"]), age=np.nan)
    found = drift_of(model, now)
    assert [shift.name for shift in found.attributes] == ["age", "colour", "owner"]
    age, colour, owner = found.attributes
    assert (age.missing, age.missing_before) == (1.0, pytest.approx(frame["age"].isna().mean()))
    assert (colour.unseen, colour.missing, colour.missing_before) == (0.25, 0.0, 0.0)
    assert (age.change, colour.change, owner.change) == ("large", "large", "none")
    assert owner.psi == pytest.approx(0, abs=1e-12)
    assert (found.rows_before, found.rows, found.now) == (240, 240, None)


@pytest.mark.parametrize(("missing", "known"), [("impute", False), ("skip", True), ("value", True)])
def test_missing_values_of_training_are_known_unless_they_were_replaced(missing, known):
    frame, y = small_table()
    of = {shift.name: shift for shift in drift_of(NB(missing=missing).fit(frame, y), frame).attributes}
    assert of["age"].unseen == 0
    assert of["age"].missing_before == (pytest.approx(frame["age"].isna().mean()) if known else None)


def test_dates_are_compared_by_their_parts():
    days = pd.date_range("2024-01-01", periods=200, freq="D")
    y = np.arange(200) % 2
    model = NB().fit(pd.DataFrame({"day": days}), y)
    found = drift_of(model, pd.DataFrame({"day": days + pd.Timedelta(days=182)}))
    of = {shift.name: shift for shift in found.attributes}
    assert of["day: month"].change == "large"
    assert of["day: month"].unseen > 0.5
    assert of["day: weekday"].psi == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("missing", ["impute", "skip", "value"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"no": 9.0, "yes": 1.0}], ids=str)
def test_training_rows_have_not_changed_whatever_their_weights(class_weight, weighted, missing):
    frame, y = small_table(240)
    weight = np.arange(240) % 4 * 0.7 if weighted else None  # some are 0
    model = NB(class_weight=class_weight, missing=missing).fit(frame, y, weight)
    counting = slice(None) if weight is None else weight > 0
    for fitted in (model, from_document(to_document(model))):
        found = [drift_of(fitted, frame[counting], y[counting])]
        if weighted and class_weight is None:
            found.append(drift_of(fitted, frame, y, weight))
        for each in found:
            assert each.rows == each.rows_before == len(y[counting])
            assert [shift.psi for shift in (*each.attributes, each.classes)] == pytest.approx([0] * 4, abs=1e-12)
            assert each.training_rows


def test_weights_are_compared_with_weights_and_say_less_than_as_many_rows():
    X = np.array([["a"], ["b"]] * 50, dtype=object)
    y, weight = np.arange(100) % 4 // 2, np.where(X[:, 0] == "a", 3.0, 1.0)
    model = NB().fit(X, y, weight)
    three_to_one = np.array([["a"]] * 75 + [["b"]] * 25, dtype=object)
    rows, weighed = drift_of(model, three_to_one), drift_of(model, three_to_one, sample_weight=np.full(100, 7.0))
    assert (rows.attributes[0].change, weighed.attributes[0].change) == ("large", "none")
    assert rows.attributes[0].by_chance == pytest.approx(weighed.attributes[0].by_chance)
    uneven = drift_of(model, three_to_one, sample_weight=np.where(np.arange(100) % 10, 1.0, 50.0))
    assert uneven.attributes[0].by_chance > 5 * rows.attributes[0].by_chance
    with pytest.raises(ValueError, match="weights of classes, so it does not know what its rows weighed"):
        drift_of(NB(class_weight="balanced").fit(X, y), X, sample_weight=weight)


def test_a_file_of_0_2_0_of_balanced_classes_knows_its_rows():
    frame, y = small_table(240)
    document = unsealed(NB(class_weight="balanced", missing="skip").fit(frame, y))
    for column in document["columns"]:
        del column["rows"]
    found = drift_of(from_document(document), frame, y)
    assert [shift.psi for shift in found.attributes] == pytest.approx([0] * 3, abs=1e-12)


def test_a_column_without_effect_is_said_to_be_unused():
    frame, y = small_table(240)
    model = NB().fit(frame.assign(country="de"), y)
    of = {shift.name: shift.used for shift in drift_of(model, frame.assign(country="fr")).attributes}
    assert of == {"age": True, "colour": True, "owner": True, "country": False}


def test_rows_with_a_class_are_scored_as_by_score_on():
    frame, y = small_table(240)
    model = FusionNB(shrinkage=[1.0]).fit(frame[:120], y[:120])
    new, of = frame[120:], y[120:].astype(object)
    of[:3] = "maybe"
    scores = score_on(model, new, of)
    given = [*of[:100], *[None] * 10, *[float("nan")] * 10]
    found, whole = drift_of(model, new, given), drift_of(model, new, of)
    assert found.labelled == 100
    assert found.unknown == scores.unknown == {"maybe": 3}
    assert whole.now == Fit(
        *(
            pytest.approx(each, abs=1e-8)
            for each in (scores.measured.accuracy, scores.measured.log_loss, scores.measured.calibration_error)
        )
    )
    assert whole.classes.unseen == 3 / 120
    assert found.before is None
    assert drift_of(model, new, [None] * 120).classes is None
    assert drift_of(model, new, ["maybe"] * 120).now is None
    with pytest.raises(ValueError, match="the classes of the model are like 'no', and those of the rows like 1"):
        drift_of(model, new, np.ones(120, dtype=int))


def learned(model, frame, y):
    """The model of some rows, and how well it does on them."""
    rows = training_rows(TableInMemory(frame, y), model.row_options)
    return model.learn(rows), asdict(measure_fit(model, rows))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("case", CASES)
def test_the_fit_is_what_score_on_finds_on_the_training_rows(case):
    frame, y = small_table()
    model, fit = learned(CASES[case](), frame, y)
    scores = score_on(model, frame, y)
    assert fit["accuracy"] == pytest.approx(scores.measured.accuracy, abs=1e-8)
    assert fit["log_loss"] == pytest.approx(scores.measured.log_loss, abs=1e-8)
    assert fit["calibration_error"] == pytest.approx(scores.measured.calibration_error, abs=1e-8)
    loaded = from_document(to_document(model, fit=fit))
    found = drift_of(loaded, frame, y)
    assert found.training_rows
    assert found.before == found.now == Fit(**fit)
    assert_array_equal([shift.psi for shift in found.attributes], np.zeros(3).round(12))


@pytest.mark.filterwarnings("ignore::atfnb.encoding.EmptyColumnWarning")
def test_a_column_without_any_value_takes_no_part():
    frame, y = small_table()
    model, fit = learned(NB(), frame.assign(late=None), y)
    assert fit["accuracy"] == pytest.approx(model.score(frame.assign(late=None), y))
    of = {shift.name: shift for shift in drift_of(model, frame.assign(late="x")).attributes}
    assert (of["late"].psi, of["late"].unseen, of["late"].missing_before) == (0.0, 1.0, 1.0)


def test_a_fit_of_other_figures_is_not_saved():
    with pytest.raises(ValueError, match='"fit" of "training" has an entry \'f1\', which is not known here'):
        to_document(NB().fit(*small_table()), fit={"f1": 1.0})
