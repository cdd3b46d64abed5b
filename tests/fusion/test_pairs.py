"""Pairs of attributes: the laws of their effects, which of them are taken, and what users can ask for."""

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad
from scipy.special import softmax

from atfnb import FusionNB, load, save
from atfnb.classifiers import PairsSkippedWarning
from atfnb.fusion.effects import Effects, centred_effects, joint_of, penalised_loss
from atfnb.fusion.learning import learn_effects
from atfnb.fusion.pairs import PairEffects, PairRows, _row_bytes, group_values, purify, rank_pairs
from helpers.fusion_rows import fine_rows
from helpers.strategies import examples, mixed_table

PAIRS = [(0, 1), (0, 2), (1, 2)]


def exclusive_or(rows=1000, columns=4, seed=0):
    """Return columns of "a" and "b" of which the first two are alike in one class and differ in the other."""
    X = np.array(["a", "b"])[np.random.default_rng(seed).integers(0, 2, (rows, columns))]
    return X, np.where(X[:, 0] == X[:, 1], "alike", "different")


def paired_setting(case, pairs=PAIRS, kappa=2.0):
    """Return the setting, the coded rows and the grids of a drawn table with pairs as further attributes."""
    fine, setting, rows = fine_rows(*case)
    grouping = group_values(fine, setting.counts)
    paired = PairRows.of(grouping, np.array(pairs), rows.in_blocks(), setting)
    return paired.setting(setting.shrunk(2.0, 0.3), 2.0 * kappa), paired


# --- what is learned --------------------------------------------------------------------------------


@examples(25)
@given(mixed_table(), st.integers(0, 99))
def test_the_target_of_pairs_has_its_gradient(case, seed):
    setting, paired = paired_setting(case)
    shape = setting.counts.values.shape

    def effects(x):
        return Effects(x[: -shape[1]].reshape(shape), x[-shape[1] :], 0.0)

    at = np.random.default_rng(seed).normal(size=shape[0] * shape[1] + shape[1])
    error = check_grad(
        lambda x: penalised_loss(effects(x), setting, paired.rows)[0],
        lambda x: np.append(
            penalised_loss(effects(x), setting, paired.rows)[1].values.ravel(),
            penalised_loss(effects(x), setting, paired.rows)[1].bias,
        ),
        at,
    )
    assert error < 1e-4 * (10 + penalised_loss(effects(at), setting, paired.rows)[0])


@examples(40)
@given(mixed_table(), st.integers(0, 99))
def test_purified_effects_have_zero_margins_and_the_same_sums(case, seed):
    setting, paired = paired_setting(case)
    values = np.random.default_rng(seed).normal(size=setting.counts.values.shape)
    effects = centred_effects(Effects(values, np.zeros(len(setting.prior)), 0.0), setting)
    pure, pairs = PairEffects.purified(effects, setting, paired.grids, 1.0)
    for p in range(len(paired.grids.of)):
        weighted = pairs.grids.rows_of(p)[:, :, None] * pairs.grids.table(p, pairs.values)
        assert_allclose(weighted.sum(axis=0), 0, atol=1e-9)
        assert_allclose(weighted.sum(axis=1), 0, atol=1e-9)
    together = replace(pure, values=np.vstack([pure.values, pairs.values]))
    plain = replace(setting, share=np.zeros_like(setting.share))  # nothing is centred again
    assert_array_equal(pairs.grids.of, PAIRS)
    for rows in paired.rows:
        again = replace(rows, codes=pairs.grids.beside(rows.codes[:, :3]))
        assert_allclose(joint_of(together, plain, again), joint_of(effects, setting, rows), atol=1e-9)


def test_a_grid_without_rows_in_some_cells_is_purified():
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, (6, 5)).astype(float)
    weight[2] = 0.0
    table = rng.normal(size=(6, 5, 2))
    pure, of_a, of_b, mean = purify(table, weight)
    assert_allclose(pure + of_a[:, None] + of_b[None] + mean, table, atol=1e-12)
    assert_allclose((weight[:, :, None] * pure).sum(axis=0), 0, atol=1e-12)
    assert_allclose((weight[:, :, None] * pure).sum(axis=1), 0, atol=1e-12)


@examples(30)
@given(mixed_table(), st.integers(0, 99))
def test_pairs_are_ranked_by_the_gain_of_their_cells(case, seed):
    """The oracle fills the table of each pair from indicator matrices."""
    fine, setting, rows = fine_rows(*case)
    grouping = group_values(fine, setting.counts, 8)
    values = np.random.default_rng(seed).normal(size=setting.counts.values.shape)
    effects = Effects(values, np.zeros(len(setting.prior)), 0.0)
    chance = softmax(joint_of(effects, setting, rows), axis=1)
    left = rows.weight[:, None] * (chance - (rows.y[:, None] == np.arange(chance.shape[1])))
    curved = rows.weight[:, None] * chance * (1 - chance)
    groups = grouping.groups[rows.codes + grouping.starts[:-1]]
    gains = {}
    for a, b in PAIRS:
        one, other = (groups[:, [j]] == np.arange(grouping.n_groups[j]) for j in (a, b))
        cells = (one[:, :, None] & other[:, None, :]).reshape(len(groups), -1).astype(float)
        first, second = cells.T @ left, cells.T @ curved
        gain = float(0.5 * ((first**2 - second) / (second + 4.0)).sum())
        if grouping.n_groups[[a, b]].min() > 1:  # with one group, nothing acts together
            gains[a, b] = gain
    ranked = rank_pairs(effects, 1.0, setting, rows.in_blocks(len(setting.own)), grouping, 3)
    found = [gains[tuple(pair)] for pair in ranked.tolist()]
    assert_allclose(found, sorted(gains.values(), reverse=True), atol=1e-5)


# --- which pairs are taken --------------------------------------------------------------------------


def test_exclusive_or_of_two_columns_is_learned():
    X, y = exclusive_or(2000)
    model = FusionNB().fit(X[:1000], y[:1000])
    assert ("x0", "x1") in model.pairs_
    assert model.score(X[1000:], y[1000:]) >= 0.99
    assert FusionNB(pairs=0).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) < 0.6
    assert np.argmax(model.pair_weights_) == model.pairs_.index(("x0", "x1"))


@pytest.mark.parametrize("kind", ["numbers", pytest.param("categories", marks=pytest.mark.slow)])
def test_a_pair_of_columns_of_noise_is_not_taken(kind):
    taken = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 2)) if kind == "numbers" else rng.integers(0, 5, (200, 2)).astype(str)
        taken += bool(FusionNB().fit(X, rng.integers(0, 2, 200)).pairs_)
    assert taken <= 2


def test_without_pairs_the_model_is_the_same_to_the_bit():
    X = np.random.default_rng(0).normal(size=(150, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    auto, none = FusionNB().fit(X, y), FusionNB(pairs=0).fit(X, y)
    assert auto.pairs_ == none.pairs_ == []
    assert_array_equal(auto.table_, none.table_)
    assert_array_equal(auto.predict_joint_log_proba(X), none.predict_joint_log_proba(X))
    assert len(none.pair_weights_) == len(none.pair_effects_) == 0


@examples(20)
@given(mixed_table(), st.sampled_from(["impute", "skip", "value"]), st.randoms())
def test_order_of_rows_columns_and_classes_does_not_matter(case, missing, random):
    table, y, _ = case
    made = {"missing": missing, "shrinkage": 1.0, "relevance": "gain_ratio"}
    model = FusionNB(pairs=3, **made).fit(table, y)
    rows, columns = random.sample(range(len(y)), len(y)), random.sample(range(3), 3)
    shuffled = [[table[i][j] for j in columns] for i in rows]
    names = np.array(["delta", "alpha", "charlie", "bravo"])[: len(model.classes_)]
    other = FusionNB(pairs=3, **made).fit(shuffled, names[y[rows]])
    place = np.argsort(np.argsort(names))
    if other.pair_shrinkage_ == model.pair_shrinkage_:  # of two that are equally good, rounding may choose either
        assert_allclose(other.predict_proba(shuffled)[:, place], model.predict_proba(table)[rows], atol=1e-2)


def test_order_of_columns_does_not_matter_to_pairs_of_numbers():
    """Learning stops near the minimum: where, must not depend on which attribute of a pair comes first."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + 0.5 * rng.normal(size=300) > 0).astype(int)
    model = FusionNB().fit(X, y)
    assert model.pairs_
    for seed in range(3):
        columns = np.random.default_rng(seed).permutation(4)
        other = FusionNB().fit(X[:, columns], y)
        assert other.pair_shrinkage_ == model.pair_shrinkage_
        assert_allclose(other.predict_proba(X[:, columns]), model.predict_proba(X), atol=1e-6)


@examples(20)
@given(mixed_table())
def test_an_integer_weight_is_repetition(case):
    table, y, weights = case
    repeated = [row for row, w in zip(table, weights, strict=True) for _ in range(w)], np.repeat(y, weights)
    learned = []
    for one in (case, (*repeated, np.ones(len(repeated[1])))):
        setting, paired = paired_setting(one)
        effects = learn_effects(setting, paired.rows, Effects.none(setting), tolerance=1e-5, max_iter=2000).effects
        fine, plain, rows = fine_rows(*one)
        none = Effects.none(plain)
        ranked = rank_pairs(none, 1.0, plain, rows.in_blocks(len(plain.own)), group_values(fine, plain.counts), 3)
        learned.append((effects, setting, ranked))
    (one, setting, ranked), (other, _, ranked_again) = learned
    assert_array_equal(ranked_again, ranked)
    assert_allclose(centred_effects(other, setting).values, centred_effects(one, setting).values, atol=1e-4)


def test_contributions_sum_to_the_joint_to_the_bit_and_have_names():
    X, y = exclusive_or()
    model = FusionNB().fit(X, y)
    parts = model.contributions(X)
    assert_array_equal(parts.sum(axis=1) + model.class_log_prior_, model.predict_joint_log_proba(X))
    assert parts.shape[1] == len(model.contribution_names_)
    assert "x0 × x1" in model.contribution_names_
    assert "2 pairs of attributes act together, shrunk " in model.summary()
    assert "x0 × x1" in model.summary()


def test_the_summary_of_one_pair_is_in_the_singular_and_rounded():
    model = FusionNB(pairs=1).fit(*exclusive_or())
    model.pair_shrinkage_ = 1 / 3
    said = "1 pair of attributes acts together, shrunk 0.333 times as strongly as the values."
    assert said in model.summary()


@pytest.mark.parametrize("value", [None, "never seen"])
def test_a_pair_with_an_unknown_value_says_nothing(value):
    X, y = exclusive_or()
    frame = pd.DataFrame(X)
    model = FusionNB(missing="skip").fit(frame, y)
    first = frame.iloc[:1].astype(object)
    first.iloc[0, 0] = value
    at = model.contribution_names_.index("0 × 1")
    assert_array_equal(model.contributions(first)[0, at], 0)
    assert model.contributions(frame.iloc[:1])[0, at].any()


# --- what users can ask for -------------------------------------------------------------------------


def test_pairs_by_number_by_name_and_by_position():
    X, y = exclusive_or()
    frame = pd.DataFrame(X, columns=["north", "east", "south", "west"])
    assert FusionNB(pairs=1).fit(frame, y).pairs_ == [("north", "east")]
    named = FusionNB(pairs=[("east", "north"), ("south", "west")]).fit(frame, y)
    assert named.pairs_ == [("north", "east"), ("south", "west")]
    assert FusionNB(pairs=[(0, 1)]).fit(frame, y).pairs_ == [("north", "east")]
    assert len(FusionNB(pairs=1000).fit(frame, y).pairs_) == 6
    empty = frame.assign(before=None)[["before", *frame.columns]]
    with pytest.warns(UserWarning, match="'before' has no value"):
        assert FusionNB(pairs=[(1, 2)]).fit(empty, y).pairs_ == [("north", "east")]


@pytest.mark.parametrize("pair", [("when", "side"), (0, 1), ("side", 0)])
def test_a_column_of_dates_is_paired_by_all_its_parts(pair):
    when = pd.date_range("2024-01-01", periods=60, freq="7h")
    X = pd.DataFrame({"when": when, "side": ["left", "right", "left"] * 20})
    model = FusionNB(pairs=[pair]).fit(X, ["a", "b"] * 30)
    assert model.pairs_ == [(f"when: {part}", "side") for part in ("date", "weekday", "hour")]


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ("all", "pairs must be 'auto', a number from 0 on, or a list of pairs of columns, not 'all'"),
        (-1, "pairs must be 'auto'"),
        (True, "pairs must be 'auto'"),
        ([("x0",)], "pairs must be 'auto'"),
        ([("x0", "x9")], "pairs names column 'x9', which is not in the table"),
        ([("x0", "x0")], "pairs names column 'x0' beside itself"),
        ([(0, 17)], "pairs names column 17, which is not in the table: a number is a position, from 0 to 3"),
        ([(0, True)], "pairs names column True, which is not in the table."),
        (np.array(3), "pairs must be 'auto'"),
        (np.array([0, 1]), "pairs must be 'auto'"),
    ],
)
def test_pairs_that_cannot_be_are_refused(pairs, problem):
    with pytest.raises(ValueError, match=problem):
        FusionNB(pairs=pairs).fit(*exclusive_or(100))


@pytest.mark.parametrize("pairs", [3, [(0, 1)], [(0, 0)], np.array([[0, 1]])])
def test_pairs_need_effects_of_values(pairs):
    with pytest.raises(ValueError, match="pairs need the effects of values"):
        FusionNB(pairs=pairs, refine="attribute").fit(*exclusive_or(100))


def test_where_columns_are_too_many_to_rank_all_pairs_the_best_are_paired(monkeypatch):
    X, y = exclusive_or(100)
    number, slope = np.unique(y, return_inverse=True)[1], np.linspace(0, 3, 100)
    X = np.column_stack([slope, np.cos(9 * slope), number + slope, number - slope])
    monkeypatch.setattr("atfnb.fusion.refining.RANK_WORK", 4000.0)  # enough for one pair
    assert FusionNB(pairs=9).fit(X, y).pairs_ == [("x2", "x3")]


def test_a_table_of_too_many_classes_has_no_pairs_and_says_so(monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.MANY_CLASSES", 10.0)
    X, y = exclusive_or(100)
    with pytest.warns(PairsSkippedWarning, match="2 classes are too many to look for pairs"):
        model = FusionNB().fit(X, y)
    assert model.pairs_ == []
    assert model.gamma_ == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FusionNB(pairs=0).fit(X, y)
        assert FusionNB(pairs=[(0, 1)]).fit(X, y).pairs_ == [("x0", "x1")]


def test_a_warning_that_pairs_are_skipped_is_true_where_many_rows_are_equal(monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.MANY_CLASSES", 1e3)
    with pytest.warns(PairsSkippedWarning, match="2 classes are too many to look for pairs"):
        assert FusionNB().fit(*exclusive_or(30_000)).pairs_ == []


@pytest.mark.slow
def test_a_ranking_never_holds_the_gains_of_all_pairs(monkeypatch):
    monkeypatch.setattr("atfnb.fusion.pairs.TABLE_BYTES", 1)
    X, y = exclusive_or(20, columns=1000)
    fine, setting, rows = fine_rows(X, y, np.ones(20))
    grouping, none = group_values(fine, setting.counts, 8), Effects.none(setting)
    tracemalloc.start()
    ranked = rank_pairs(none, 1.0, setting, rows.in_blocks(len(setting.own)), grouping, 5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ranked.shape == (5, 2)
    assert peak < 8 * 1000**2 / 2


def test_the_bytes_of_a_row_with_pairs_are_those_of_its_codes():
    X, y = exclusive_or(600)
    X[:, 3] = np.arange(600)  # codes of two bytes
    fine, setting, rows = fine_rows(X, y, np.ones(600))
    grids = group_values(fine, setting.counts).grids(np.array([(0, 1), (0, 3)]))
    assert _row_bytes(grids, setting.counts) == grids.beside(rows.codes)[0].nbytes


def test_the_tables_of_a_ranking_may_be_made_in_blocks(monkeypatch):
    X, y = exclusive_or(300, columns=7)
    whole = FusionNB(pairs=5).fit(X, y)
    monkeypatch.setattr("atfnb.fusion.pairs.TABLE_BYTES", 1)
    assert FusionNB(pairs=5).fit(X, y).pairs_ == whole.pairs_


def test_a_model_with_pairs_is_saved_and_loaded_to_the_bit(tmp_path):
    X, y = exclusive_or()
    frame = pd.DataFrame(X).assign(size=np.random.default_rng(0).normal(size=len(X)), nothing=None)
    frame.columns = [*"abcd", "size", "nothing"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FusionNB(pairs=[("a", "b"), ("c", "size")]).fit(frame, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.pairs_ == model.pairs_ == [("a", "b"), ("c", "size")]
    assert again.pair_shrinkage_ == model.pair_shrinkage_
    assert_array_equal(again.predict_joint_log_proba(frame), model.predict_joint_log_proba(frame))
    assert_array_equal(again.contributions(frame), model.contributions(frame))
    assert_allclose(again.pair_weights_, model.pair_weights_)
    for one, other in zip(again.pair_effects_, model.pair_effects_, strict=True):
        assert_array_equal(one, other)


def test_a_column_with_one_value_acts_together_with_no_other():
    X, y = exclusive_or(columns=3)
    frame = pd.DataFrame(X, columns=[*"abc"]).assign(year=2013, country="FR")
    assert len(FusionNB(pairs=1000).fit(frame, y).pairs_) == 3
    taken = FusionNB().fit(frame, y).pairs_
    assert ("a", "b") in taken
    assert not {"year", "country"} & {name for pair in taken for name in pair}


def test_a_pair_that_adds_nothing_beyond_its_columns_is_saved(tmp_path):
    X, y = exclusive_or()
    frame = pd.DataFrame(X, columns=[*"abcd"]).assign(size=np.random.default_rng(0).normal(size=len(X)), year=2013)
    model = FusionNB(pairs=[("size", "year"), ("a", "b")]).fit(frame.assign(copy=frame["a"]), y)
    save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").pairs_ == model.pairs_


def test_a_long_tail_has_cuts_of_its_own_and_other_columns_keep_theirs(monkeypatch):
    rng = np.random.default_rng(0)
    tail = np.where(rng.random(1000) < 0.1, 10 ** rng.uniform(0, 3, 1000), 0.0)
    table = np.column_stack([tail, rng.normal(size=1000).round(2), rng.integers(0, 9, 1000)])
    y, times = rng.integers(0, 2, 1000), rng.integers(1, 4, 1000)
    fine, _, _ = fine_rows(table, y, times)
    order = rng.permutation(np.repeat(np.arange(1000), times))
    repeated, _, _ = fine_rows(table[order], y[order], np.ones(len(order)))
    assert_array_equal(repeated.distance, fine.distance)
    assert (fine.encoder.attributes[0].cuts > 0).sum() >= 15
    monkeypatch.setattr("atfnb.encoding.encoder.without_majority", lambda weight, n: weight)
    plain, _, _ = fine_rows(table, y, times)
    assert (plain.encoder.attributes[0].cuts > 0).sum() < 10
    for before, after in zip(plain.encoder.attributes[1:], fine.encoder.attributes[1:], strict=True):
        assert_array_equal(after.cuts, before.cuts)
    others = int(fine.encoder.n_values[1:].sum()) + 2
    assert_array_equal(fine.distance[-others:], plain.distance[-others:])


@pytest.mark.parametrize(("rows", "expected"), [(30, 4), (512, 8), (5000, 12)])
def test_a_number_has_as_many_groups_in_a_grid_as_the_rows_allow(rows, expected):
    table = np.random.default_rng(0).normal(size=(rows, 2))
    fine, setting, _ = fine_rows(table, np.arange(rows) % 2, np.ones(rows))
    assert list(group_values(fine, setting.counts).n_groups) == [expected, expected]
