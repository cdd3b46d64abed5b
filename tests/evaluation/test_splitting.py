"""Folds of rows, groups and times, beside scikit-learn's own splitters."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline

from atfnb import NB, FusionNB
from atfnb.evaluation import cross_validate, held_out_rows, hidden_order
from atfnb.evaluation.splitting import splits_of
from atfnb.tables import given_groups, given_times


def numbers(rows, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, 2))


def parts_of(parts):
    return [[*map(list, part)] for part in parts]


def test_folds_of_rows_without_copies_are_those_of_scikit_learn():
    X, y = numbers(90), np.repeat([0, 1, 2], [50, 30, 10])
    folds = StratifiedKFold(5, shuffle=True, random_state=np.random.RandomState(3))
    assert parts_of(splits_of(X, y, 5, random_state=3).parts) == parts_of(folds.split(X, y))


def test_folds_of_groups_are_those_of_scikit_learn():
    X, y, groups = numbers(90), np.arange(90) % 2, np.arange(90) // 6
    folds = StratifiedGroupKFold(3, shuffle=True, random_state=np.random.RandomState(0))
    # the numbers of groups are in another order there, so that folds are the same groups by another name: sizes agree
    sizes = [len(test) for _, test in folds.split(X, y, groups)]
    assert [len(test) for _, test in splits_of(X, y, 3, groups=groups).parts] == sizes


def test_folds_in_time_are_those_of_scikit_learn():
    X, y, time = numbers(60), np.arange(60) % 2, np.random.default_rng(1).permutation(60)
    order = np.argsort(time)
    expected = [(sorted(order[train]), sorted(order[test])) for train, test in TimeSeriesSplit(4).split(X)]
    assert parts_of(splits_of(X, y, 4, time=time).parts) == parts_of(expected)


@given(st.integers(3, 12), st.integers(2, 3), st.randoms())
def test_a_group_is_never_on_both_sides_and_every_row_is_held_out_once(n_groups, folds, random):
    groups = np.repeat(np.arange(n_groups), [random.randint(2, 6) for _ in range(n_groups)])
    y = np.arange(len(groups)) % 2
    parts = splits_of(numbers(len(y)), y, folds, groups=groups, repeats=2).parts
    assert len(parts) == 2 * folds == 2 * len(list(GroupKFold(folds).split(y, y, groups)))
    for train, test in parts:
        assert not set(groups[train]) & set(groups[test])
        assert sorted([*train, *test]) == list(range(len(y)))
    for once in (parts[:folds], parts[folds:]):
        assert sorted(np.concatenate([test for _, test in once])) == list(range(len(y)))


@given(st.integers(2, 4), st.integers(12, 40), st.randoms())
def test_times_are_never_later_in_training_than_in_test(folds, rows, random):
    time = np.array([random.randint(0, 200) for _ in range(rows)]) * 100 + np.arange(rows) % 2
    time[:6] = [-6, -5, -4, -3, -2, -1]
    y = np.argsort(np.argsort(time, kind="stable")) % 2
    for train, test in splits_of(numbers(rows), y, folds, time=time).parts:
        assert time[train].max() < time[test].min()


def test_all_copies_of_a_row_are_in_one_fold():
    X, y = np.repeat(numbers(60), 3, axis=0), np.repeat(np.arange(60) % 2, 3)
    found = splits_of(X, y, 5, repeats=2)
    assert found.copies == 120
    for train, test in found.parts:
        assert len(test) == 36
        assert not set(train // 3) & set(test // 3)
        assert y[test].mean() == 0.5
    for train, test in splits_of(X, y, 5, time=np.arange(180)[::-1] % 60).parts:
        assert not set(train // 3) & set(test // 3)


def test_a_class_of_one_group_is_trained_on_and_not_judged():
    y, groups = np.array(["a", "b"] * 10 + ["c"] * 4), np.repeat(np.arange(6), 4)
    found = cross_validate({"NB": NB()}, numbers(24), y, folds=5, groups=groups)
    assert found.not_judged == ("c",)
    assert "5 folds of whole groups" in repr(found)


def test_groups_and_times_are_refused_in_words():
    X, y = numbers(12), np.arange(12) % 2
    with pytest.raises(ValueError, match="give groups or time, not both"):
        splits_of(X, y, 3, groups=y, time=y)
    with pytest.raises(ValueError, match="groups has 2 values for 12 rows"):
        splits_of(X, y, 3, groups=[1, 2])
    with pytest.raises(ValueError, match="time is missing in row 1"):
        splits_of(X, y, 3, time=[1.0, None, *range(10)])
    with pytest.raises(ValueError, match="time must be dates or numbers"):
        splits_of(X, y, 3, time=["soon"] * 12)
    with pytest.raises(ValueError, match="no class has 5 groups, the largest has 3: use 3 folds or fewer"):
        splits_of(X, y, 5, groups=np.arange(12) // 4)
    with pytest.raises(ValueError, match="every class has one group only"):
        splits_of(X, y, 2, groups=np.zeros(12))
    with pytest.raises(ValueError, match="one class only to train on"):
        splits_of(X, np.sort(y), 3, time=np.arange(12))


def test_names_of_groups_are_the_same_as_numbers_text_and_dates():
    assert (
        given_groups([1, 2], 2).tolist() == given_groups([1.0, 2.0], 2).tolist() == given_groups(["1", "2"], 2).tolist()
    )
    days = pd.to_datetime(pd.Series(["2024-02-01", "2024-01-01", "2024-02-01"]))
    assert given_times(days, 3).tolist() == given_times(days.to_numpy(), 3).tolist() == [1, 0, 1]
    assert given_times(days.dt.date, 3).tolist() == [1, 0, 1]


def test_fusion_chooses_for_new_groups():
    """Rows of a group are nearly copies: a model that sees some of a group knows the others by heart."""
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(100), 5)
    X, y = numbers(100)[groups] + 0.01 * random.normal(size=(500, 2)), random.integers(0, 2, 100)[groups]
    assert FusionNB(pairs=0).fit(X, y).shrinkage_ < 1 < 30 <= FusionNB(pairs=0).fit(X, y, groups=groups).shrinkage_
    found = cross_validate({"FusionNB": FusionNB()}, X, y, groups=groups)
    assert found.mean("FusionNB", "log-loss") < 0.75
    shuffled = random.permutation(500)
    again = FusionNB(pairs=0).fit(X[shuffled], y[shuffled], groups=groups[shuffled])
    np.testing.assert_array_equal(again.table_, FusionNB(pairs=0).fit(X, y, groups=groups).table_)


def test_a_sample_of_many_rows_keeps_their_groups(monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.ENOUGH", 300)
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(100), 5)
    X, y = numbers(100)[groups] + 0.01 * random.normal(size=(500, 2)), random.integers(0, 2, 100)[groups]
    assert FusionNB(pairs=0).fit(X, y, groups=groups).shrinkage_ > 10


def test_scikit_learn_passes_groups_on():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(100), 5)
    X, y = numbers(100)[groups] + 0.01 * random.normal(size=(500, 2)), random.integers(0, 2, 100)[groups]
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(FusionNB(pairs=0).set_fit_request(groups=True)).fit(X, y, groups=groups)
    assert pipeline[-1].shrinkage_ == FusionNB(pairs=0).fit(X, y, groups=groups).shrinkage_ >= 30


def test_hints_name_what_would_not_work_and_leave_arrays_alone():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"a": random.normal(size=80), "day": pd.date_range("2024-01-01", periods=80)})
    (said,) = hidden_order(table, np.repeat(["no", "yes"], 40))
    assert "naive Bayes cannot be scored on later rows, as a fold would have no row to score, or one class only" in said
    assert hidden_order(table[["day"]], np.arange(80) % 2)
    assert list(hidden_order(random.normal(size=(80, 2)), np.arange(80) % 2)) == []
    (said,) = hidden_order(table[["day"]], np.arange(80) % 2)
    assert (
        said == "'day' holds dates, and cross-validation mixes earlier and later rows. To score later rows: time='day'."
    )


def test_the_rest_of_a_split_is_its_share():
    assert held_out_rows(numbers(100), ["a", "b"] * 50, 0.35).sum() == 35
    assert held_out_rows(numbers(100), ["a", "b"] * 50, 0.35, time=np.arange(100)).nonzero()[0].tolist() == [
        *range(65, 100)
    ]
