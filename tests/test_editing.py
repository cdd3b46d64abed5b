"""What each edit does to the scores: laws, and the same arithmetic by other libraries."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.isotonic import IsotonicRegression

from atfnb import NB, FusionNB
from atfnb.editing import _intervals, isotonic
from helpers.strategies import examples

REASON = {"reason": "as we know"}


def table():
    """Three classes, a number, a whole number with gaps, text, a date and truth values."""
    random, n = np.random.default_rng(3), 400
    frame = pd.DataFrame(
        {
            "size": random.normal(5, 2, n),
            "age": random.integers(18, 80, n).astype(float),
            "job": random.choice(["clerk", "cook", "smith", "missing"], n),
            "since": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, n), "D"),
            "own": random.random(n) < 0.4,
        }
    )
    frame.loc[random.random(n) < 0.1, "age"] = np.nan
    frame.loc[random.random(n) < 0.1, "job"] = None
    weight = frame["size"] / 3 + (frame["job"] == "cook") * 2 + frame["own"] * (frame["size"] > 5) * 2
    y = np.array(["bad", "fair", "good"])[np.clip(weight + random.normal(0, 1, n), 0, 2.9).astype(int)]
    return frame, y


X, Y = table()
FUSION = FusionNB(pairs=[("size", "own"), ("job", "own")]).fit(X, Y)
NAIVE = NB(missing="value").fit(X, Y)
SKIPS = NB(missing="skip").fit(X, Y)
MODELS = pytest.mark.parametrize("model", [FUSION, NAIVE, SKIPS], ids=["FusionNB", "NB", "NB that skips"])


def position(model, name):
    return [one.name for one in model.encoder_.attributes].index(name)


def scores(model, name):
    """What the known values of a column add, and the weight of their rows."""
    j = position(model, name)
    cells = slice(model.counts_.offsets[j], model.counts_.offsets[j] + model.encoder_.attributes[j].n_values)
    return model.table_[cells], model.counts_.values[cells].sum(axis=1)


def changed(before, after):
    """The positions of the attributes and pairs of which any score has changed."""
    moved = np.abs(before.model_.table - after.model_.table).max(axis=1) > 1e-9
    return np.flatnonzero(np.add.reduceat(moved, before.model_.offsets[:-1])).tolist()


def edited(model, do, column, **more):
    return model.edit([{"do": do, "column": column, **more, **REASON}])


# --- Laws -------------------------------------------------------------------------------------------


@MODELS
def test_a_removed_column_has_no_effect_alone_or_in_a_pair_and_leaves_the_mean(model):
    after = edited(model, "remove", "own")
    assert_array_equal(after.predict_proba(X), after.predict_proba(X.assign(own=~X["own"])))
    before = model.predict_joint_log_proba(X).mean(axis=0)
    assert_allclose(after.predict_joint_log_proba(X).mean(axis=0), before, atol=1e-9)
    assert after.weights_[position(model, "own")] == 0
    assert (after.feature_importances_ > 0).tolist() == [True, True, True, True, False]


@pytest.mark.parametrize("model", [NAIVE, SKIPS], ids=["value", "skip"])
def test_rows_in_which_a_removed_column_was_missing_count_in_the_mean(model):
    after = edited(model, "remove", "job")
    assert_allclose(
        after.predict_joint_log_proba(X).mean(axis=0), model.predict_joint_log_proba(X).mean(axis=0), atol=1e-9
    )


def test_a_removed_pair_leaves_its_columns_as_they_are_and_the_mean():
    after = FUSION.edit([{"do": "remove", "column": "own", "with": "size", **REASON}])
    pair = len(FUSION.encoder_.attributes) + FUSION.pairs_.index(("size", "own"))
    assert changed(FUSION, after) == [pair]
    assert not after.model_.table[after.model_.offsets[pair] : after.model_.offsets[pair + 1]].any()
    assert_allclose(after.model_.joint(after.encode(X)).mean(0), FUSION.model_.joint(FUSION.encode(X)).mean(0))


@MODELS
def test_flattened_values_share_their_weighted_mean(model):
    after = edited(model, "flatten", "job", values=["clerk", "smith"])
    (before, rows), (now, _) = scores(model, "job"), scores(after, "job")
    assert changed(model, after) == [position(model, "job")]
    assert_allclose(now[[0, 3]], np.tile(np.average(before[[0, 3]], axis=0, weights=rows[[0, 3]]), (2, 1)), atol=1e-12)
    assert_allclose(now[[1, 2]], before[[1, 2]], atol=1e-12)
    merged = edited(model, "merge", "job", values=["clerk", "smith"])
    assert_array_equal(merged.model_.table, after.model_.table)


@MODELS
def test_a_set_effect_is_that_over_the_mean_and_leaves_the_other_classes_among_each_other(model):
    after = edited(model, "set", "size", **{"class": "fair"}, effect=0.75)
    (before, _), (now, _) = scores(model, "size"), scores(after, "size")
    assert_allclose(now[:, 1] - now.mean(axis=1), 0.75)
    assert_array_equal(now[:, [0, 2]] - now[:, [0]], before[:, [0, 2]] - before[:, [0]])


@MODELS
@pytest.mark.parametrize(("do", "rises"), [("rising", True), ("falling", False)])
def test_log_odds_that_are_made_rising_are_the_isotonic_regression_of_those_learned(model, do, rises):
    after = edited(model, do, "age", **{"class": "good"})
    (before, rows), (now, _) = scores(model, "age"), scores(after, "age")
    n = model.encoder_.attributes[position(model, "age")].n_known
    odds = [each[:n, 2] - each[:n, :2].mean(axis=1) for each in (before, now)]
    oracle = IsotonicRegression(increasing=rises).fit(np.arange(n), odds[0], np.maximum(rows[:n], 1e-9))
    assert_allclose(odds[1], oracle.predict(np.arange(n)), atol=1e-9)
    assert_allclose(now[:, :2], before[:, :2], atol=1e-12)
    assert_allclose(now[n:], before[n:], atol=1e-12)


@MODELS
def test_smoothed_scores_are_a_weighted_running_mean(model):
    cuts = model.encoder_.attributes[0].cuts
    after = edited(model, "smooth", "size", **({"from": float(cuts[0])} if model is FUSION else {}))
    (before, rows), (now, _) = scores(model, "size"), scores(after, "size")
    first = int(model is FUSION)
    before, rows, now = before[first:], rows[first:], now[first:]
    for c in range(3):
        above, below = (np.convolve(each, [1, 2, 1], "same") for each in (rows * before[:, c], rows))
        assert_allclose(now[:, c], above / below, atol=1e-9)


@examples(200)
@given(st.integers(1, 12).flatmap(lambda n: st.tuples(arrays(float, n, elements=st.integers(-9, 9)), st.just(n))))
def test_the_isotonic_fit_is_that_of_scikit_learn(case):
    values, n = case
    weight = 1.0 + np.arange(n) % 3
    expected = IsotonicRegression().fit(np.arange(n), values, weight).predict(np.arange(n))
    assert_allclose(isotonic(values, weight), expected, atol=1e-12)


def test_cells_without_rows_share_a_plain_mean():
    model = NB(missing="value", min_category_rows=None).fit([["a"], ["b"], ["c"]], [0, 1, 1])
    model.partial_fit([["d"], ["e"]], [0, 1], sample_weight=[1, 1])
    counts = model.counts_
    counts.values[3:5] = 0
    now = scores(edited(model, "flatten", "x0", values=["d", "e"]), "x0")[0]
    assert_allclose(now[3], scores(model, "x0")[0][3:5].mean(axis=0))


# --- Which cells ------------------------------------------------------------------------------------


def touched(model, column, **where):
    """The labels of the values that an edit changes."""
    after = edited(model, "set", column, **where, **{"class": "bad"}, effect=7)
    j = position(model, column)
    now = scores(after, column)[0]
    hit = np.abs((now - now.mean(axis=1, keepdims=True))[:, 0] - 7) < 1e-9
    return [label for label, one in zip(model.encoder_.attributes[j].labels, hit, strict=True) if one]


def test_a_range_means_the_intervals_within_it():
    one = FUSION.encoder_.attributes[position(FUSION, "age")]
    low, high = float(one.cuts[2]), float(one.cuts[5])
    assert touched(FUSION, "age", **{"from": low, "to": high}) == one.labels[3:6]
    whole = {"from": int(np.ceil(low)), "to": int(np.floor(high))}
    assert touched(FUSION, "age", **whole) == one.labels[3:6]
    assert touched(FUSION, "age", **{"from": low}) == one.labels[3 : one.n_known]
    assert touched(FUSION, "age", to=high) == one.labels[:6]
    assert touched(FUSION, "age") == one.labels[: one.n_known]
    assert touched(FUSION, "age", values=[{"missing": True}]) == ["missing"]


def test_of_whole_numbers_a_range_means_those_in_an_interval_if_it_has_any():
    numbers = np.tile([17, 18, 19, 40, 65, 70], 9)
    model = NB().fit(numbers[:, None], np.where(numbers > 18, "bad", "good"))
    for cuts, where in (([18.0, 19.0, 65.0], {"from": 18, "to": 18}), ([17.2, 17.8, 19.0], {"from": 17.2, "to": 17.8})):
        attribute = replace(model.encoder_.attributes[0], cuts=np.array(cuts), n_values=4)
        (one,) = (
            k for k, (low, high) in enumerate(_intervals(attribute)) if where["from"] <= low and high <= where["to"]
        )
        assert one == 1


def test_without_a_choice_all_known_values_are_meant():
    assert touched(FUSION, "job") == ["clerk", "cook", "missing", "smith"]
    assert touched(FUSION, "age") == FUSION.encoder_.attributes[position(FUSION, "age")].labels[:-1]


@pytest.mark.filterwarnings("ignore::atfnb.encoding.EmptyColumnWarning")
def test_a_column_without_values_can_be_removed_and_not_be_flattened():
    model = NB().fit(X.assign(job=None), Y)
    assert_array_equal(edited(model, "remove", "job").model_.table, model.model_.table)
    with pytest.raises(ValueError, match="nothing was learned from the values of 'job'"):
        edited(model, "flatten", "job")


def test_dates_months_truth_values_and_a_category_named_missing_are_found():
    one = FUSION.encoder_.attributes[position(FUSION, "since: date")]
    day = str(np.datetime64(int(np.ceil(one.cuts[3])), "D"))
    assert touched(FUSION, "since: date", **{"from": day}) == one.labels[4:]
    assert touched(FUSION, "since: month", values=["March", 5]) == ["March", "May"]
    assert touched(FUSION, "own", values=[True]) == ["True"]
    assert touched(FUSION, "own", values=["False"]) == ["False"]
    job = FUSION.encoder_.attributes[position(FUSION, "job")]
    assert job.labels == ["clerk", "cook", "missing", "smith", "missing"]
    first = edited(FUSION, "flatten", "job", values=["missing", "clerk"])
    assert_allclose(scores(first, "job")[0][[1, 3, 4]], scores(FUSION, "job")[0][[1, 3, 4]], atol=1e-12)
    assert touched(FUSION, "job", values=[{"missing": True}]) == ["missing"]


def test_pooled_categories_are_one_cell():
    towns = np.array([f"town {k}" if k < 200 else "Ulm" for k in np.arange(600)], dtype=object)[:, None]
    model = FusionNB(min_category_rows=5).fit(towns, np.where(np.arange(600) % 3, "bad", "good"))
    assert touched(model, "x0", values=[{"pooled": True}]) == ["any of 200 rare values"]


REFUSED = {
    "there is no column 'ago', did you mean 'age'": {"do": "remove", "column": "ago"},
    "'age' and 'size' are no pair": {"do": "remove", "column": "age", "with": "size"},
    "'job' has no value 'king'": {"do": "flatten", "column": "job", "values": ["cook", "king"]},
    "'own' has no value missing": {"do": "flatten", "column": "own", "values": [{"missing": True}]},
    "'job' has no value the pooled values": {"do": "flatten", "column": "job", "values": [{"pooled": True}]},
    "the values of 'job' have no order": {"do": "smooth", "column": "job"},
    "there is no class 'ugly'": {"do": "rising", "column": "age", "class": "ugly"},
    "no interval of 'age' lies within the range; it is cut at {cuts}": {
        "do": "flatten",
        "column": "age",
        "from": 30,
        "to": 30.5,
    },
    "values stand beside a range, or where only a range can": {
        "do": "flatten",
        "column": "age",
        "from": 30,
        "values": [{"missing": True}],
    },
    "'old' is no number": {"do": "flatten", "column": "age", "from": "old"},
    "'May' is no date, such as 2026-01-31": {"do": "flatten", "column": "since: date", "from": "May"},
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_does_not_apply_is_refused_in_one_sentence_and_changes_nothing(why):
    table = FUSION.model_.table.copy()
    with pytest.raises(ValueError, match=r"^edit 1 \(.*\) does not apply: ") as refused:
        FUSION.edit([REFUSED[why] | REASON])
    cuts = FUSION.encoder_.attributes[position(FUSION, "age")].cuts
    few = ", ".join(f"{cut:g}" for cut in cuts[:8])
    assert str(refused.value).endswith(f": {why.format(cuts=f'{few} and {len(cuts) - 8} more')}.")
    assert_array_equal(FUSION.model_.table, table)


UNREADABLE = [
    {"do": "forget", "column": "age", **REASON},
    {"do": "remove", "column": "age"},
    {"do": "remove", "column": "age", "reason": ""},
    {"do": "remove", "column": "age", "values": ["a"], **REASON},
    {"do": "merge", "column": "job", "values": ["cook"], **REASON},
    {"do": "set", "column": "age", "class": "bad", "effect": float("inf"), **REASON},
    {"do": "set", "column": "age", "class": "bad", "effect": np.int64(1), **REASON},
    "remove",
]


@pytest.mark.parametrize("edit", UNREADABLE, ids=str)
def test_what_is_no_edit_is_refused(edit):
    with pytest.raises(ValueError, match=r"^the edits cannot be read: "):
        FUSION.edit([edit])
