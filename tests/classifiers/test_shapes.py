"""Shapes as a user meets them: the whole model obeys on every row, and what cannot be had is one sentence."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone

from atfnb import FusionNB, load, save
from atfnb.encoding import EmptyColumnWarning, UnusedColumnWarning
from atfnb.scale import fit_files
from helpers.strategies import examples, mixed_table


def along(table, column):
    """Each row with every value that the column has, in order: (rows, values) tables as one, and their shape."""
    values = sorted({row[column] for row in table if row[column] == row[column]})
    others = [*table, [*table[0][:2], "never seen"], [np.nan, np.nan, None]]
    rows = [[*row[:column], value, *row[column + 1 :]] for row in others for value in values]
    return rows, (len(others), len(values))


def steps_of(model, table, column, first, second):
    rows, shape = along(table, column)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joint = model.predict_joint_log_proba(rows)
    return np.diff((joint[:, first] - joint[:, second]).reshape(shape), axis=1)


@examples(30)
@given(mixed_table(), st.data(), st.sampled_from([0, 3]), st.sampled_from([0.03, 3.0]))
def test_the_whole_model_obeys_on_every_row(case, data, pairs, shrinkage):
    table, y, weights = case
    n_classes, signs = len(np.unique(y)), {"rising": 1, "falling": -1}
    kinds = data.draw(st.dictionaries(st.integers(0, 1), st.sampled_from([*signs]), min_size=1))
    first, second = data.draw(st.permutations(range(n_classes)))[:2]
    named = data.draw(st.sampled_from([(first,), (first, second)]))
    model = FusionNB(shapes={j: (kind, *named) for j, kind in kinds.items()}, pairs=pairs, shrinkage=shrinkage)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedColumnWarning)  # of a column with one value
        model.fit(table, y, weights)
    for j, kind in kinds.items():
        for other in named[1:] or set(range(n_classes)) - {first}:
            steps = signs[kind] * steps_of(model, table, j, first, other)
            assert steps.min(initial=0.0) > -1e-9


def bent(rows=300, seed=0):
    """Whole numbers from 0 to 6 and a number: the first is convex, the second rises against the truth."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 7, rows), rng.normal(size=rows)])
    return X, ((X[:, 0] - 3) ** 2 / 4 - 2 - X[:, 1] + rng.logistic(size=rows) > 0).astype(int)


@pytest.mark.parametrize(("kind", "sign"), [("convex", 1), ("concave", -1)])
def test_slopes_between_whole_numbers_bend_one_way(kind, sign):
    X, y = bent()
    model = FusionNB(shapes={0: kind}).fit(X, y)
    grid = np.column_stack([np.arange(7), np.zeros(7)])
    joint = model.predict_joint_log_proba(grid)
    assert (sign * np.diff(joint[:, 1] - joint[:, 0], 2)).min() > -1e-9
    assert all("x0" not in pair for pair in model.pairs_)
    assert (model.shape_costs_[0] > 0.01) == (kind == "concave")


def test_a_shape_that_the_data_contradict_has_its_cost_and_moves_other_columns():
    X, y = bent()
    X = np.column_stack([X, X[:, 1] + np.random.default_rng(1).normal(size=len(X))])
    free, held = FusionNB(pairs=0).fit(X, y), FusionNB(pairs=0, shapes={"x1": "rising", "x0": "convex"})
    with pytest.raises(ValueError, match="shapes names column 'x1'"):
        FusionNB(shapes={"x1": "rising"}).fit(pd.DataFrame(X, columns=list("abc")), y)
    held.fit(X, y)
    assert held.shape_costs_[1] > 0.02 > 0.005 > held.shape_costs_[0]
    assert held.shape_costs_[2] == 0
    assert held.shape_moves_[2] > 0.1
    assert held.weights_[1] < 0.1 < free.weights_[1]
    said = held.summary()
    assert f"'x1' is rising, as asked, which costs {held.shape_costs_[1]:.4f} of log-loss out of fold." in said
    assert "'x0' is convex, as asked, which costs nothing." in said
    assert f"Shapes moved the effects of other columns too: 'x2' by {held.shape_moves_[2]:.2f}." in said


def test_a_shape_that_holds_anyway_changes_hardly_anything():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = (2 * X[:, 0] + rng.logistic(size=2000) > 0).astype(int)
    free, held = (FusionNB(shapes=shapes).fit(X, y).predict_proba(X) for shapes in (None, {0: "rising"}))
    assert np.abs(free - held).max() < 0.05


def test_a_boolean_and_a_date_have_an_order_too():
    rng = np.random.default_rng(0)
    n = 300
    X = pd.DataFrame({"flag": rng.random(n) < 0.3, "when": pd.date_range("2024-01-01", periods=n)})
    y = np.where(X["flag"] ^ (rng.random(n) < 0.2), "no", "yes")
    model = FusionNB(shapes={"flag": "rising", "when": ["falling"]}, pairs=2).fit(X, y)
    assert model.shapes_in_words == {0: "rising", 1: "falling"}
    joint = model.predict_joint_log_proba(X.iloc[[0, 0]].assign(flag=[False, True]))
    assert (joint[1] - joint[0]) @ [-1, 1] > -1e-9
    assert model.shape_costs_[0] > 0.05


def test_a_category_that_was_given_an_order_may_rise_too():
    rng = np.random.default_rng(0)
    size = rng.choice(["S", "M", "L", "XL"], 300)
    y = (np.isin(size, ["M", "XL"]) ^ (rng.random(300) < 0.2)).astype(int)
    X = pd.DataFrame({"size": size, "age": rng.normal(size=300)})
    model = FusionNB(shapes={"size": "rising"}, orders={"size": ["S", "M", "L", "XL"]}, pairs=1).fit(X, y)
    joint = model.predict_joint_log_proba(pd.DataFrame({"size": ["S", "M", "L", "XL"], "age": 0.5}))
    assert np.diff(joint @ [-1, 1]).min() > -1e-9
    assert model.shape_costs_[0] > 0.02


def test_files_in_parts_give_the_model_of_memory_to_the_bit(tmp_path):
    X, y = bent(400)
    table = pd.DataFrame(X, columns=["dose", "age"]).assign(y=y)
    for k in range(4):
        table.iloc[100 * k : 100 * (k + 1)].to_csv(tmp_path / f"{k}.csv", index=False)
    made = {"shapes": {"dose": "falling", "age": "rising"}, "pairs": 1}
    in_parts, _ = fit_files(FusionNB(**made), [tmp_path / f"{k}.csv" for k in range(4)], target="y")
    whole = FusionNB(**made).fit(table[["dose", "age"]], y)
    assert_array_equal(whole.model_.table, in_parts.model_.table)
    assert_array_equal(whole.shape_costs_, in_parts.shape_costs_)


def test_a_file_keeps_shapes_costs_and_words(tmp_path):
    X, y = bent()
    model = FusionNB(shapes={0: [("convex", 1), "rising"], "x1": ("falling", 1, 0)}).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.summary() == model.summary()
    assert_array_equal(again.shape_costs_, model.shape_costs_)
    assert_array_equal(clone(again).fit(X, y).model_.table, model.model_.table)


def test_without_shapes_nothing_is_said_or_kept():
    model = FusionNB().fit(*bent())
    assert model.shape_costs_ is model.shape_moves_ is None
    assert model.shapes_in_words == {}


@pytest.mark.parametrize(
    ("shapes", "problem"),
    [
        ("rising", "shapes must be None or a dict of column to 'rising'"),
        ({"dose": []}, "shapes must be a dict of column to 'rising'"),
        ({"dose": 3}, "shapes must be a dict of column to 'rising'"),
        ({"dose": ("rising", "a", "b", "c")}, "shapes must be a dict of column to 'rising'"),
        ({"dose": "raising"}, "shapes asks for 'raising', which is no shape: did you mean 'rising'?"),
        ({"dose": "up"}, "shapes asks for 'up', which is no shape: there are 'rising', 'falling', 'convex' and 'conc"),
        ({"doze": "rising"}, "shapes names column 'doze', which is not in the table: did you mean 'dose'?"),
        ({7: "rising"}, "shapes names column 7, which is not in the table: a number is a position, from 0 to 2"),
        ({"town": ("rising", "toxic")}, "shapes asks for 'town' to be rising, and its values have no order"),
        ({"when: month": ("rising", "toxic")}, "shapes asks for 'when: month' to be rising, and its values have no"),
        (
            {"dose": "rising"},
            "shapes must say for which of the 3 classes 'dose' is rising, such as ('rising', 'toxic')",
        ),
        ({"dose": ("rising", "toxik")}, "shapes names the class 'toxik', which no row has: did you mean 'toxic'?"),
        ({"dose": ("rising", 5)}, "shapes names the class 5, which no row has: there are 'harmless', 'mild', 'toxic'."),
        ({"dose": ("rising", "mild", "mild")}, "shapes sets the class 'mild' against itself."),
    ],
)
def test_what_cannot_be_asked_for_is_one_sentence(shapes, problem):
    when = pd.date_range("2024-01-01", periods=30, freq="9D")
    X = pd.DataFrame({"dose": range(30), "town": ["Ulm", "Bonn"] * 15, "when": when})
    with pytest.raises(ValueError, match=re.escape(problem)):
        FusionNB(shapes=shapes).fit(X, ["harmless", "mild", "toxic"] * 10)


def test_shapes_need_effects_of_values_and_a_bent_column_is_in_no_pair():
    with pytest.raises(ValueError, match="shapes are those of the effects of values: set refine='value'"):
        FusionNB(shapes={0: "rising"}, refine=None).fit(*bent())
    with pytest.raises(ValueError, match="pairs names column 0, which cannot be in a pair and be convex or concave"):
        FusionNB(shapes={0: "convex"}, pairs=[(0, 1)]).fit(*bent())


def test_a_column_of_which_nothing_is_learned_may_have_a_shape():
    X, y = bent()
    X = pd.DataFrame(X, columns=["a", "b"]).assign(empty=np.nan, one=1.0)
    with (
        pytest.warns(EmptyColumnWarning),
        pytest.warns(UnusedColumnWarning, match="'empty', 'one': nothing is learned from them, so no shape changes"),
    ):
        model = FusionNB(shapes={"empty": "rising", "one": "rising"}).fit(X, y)
    assert "'one' may rise or fall: nothing is learned from it." in model.summary()


def test_a_wide_table_keeps_the_columns_with_shapes(monkeypatch):
    monkeypatch.setattr("atfnb.fusion.screening.KEPT", 3)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 60))
    X[:, :3] += y[:, None]
    X[:, 50] -= 0.2 * y
    with pytest.warns(UnusedColumnWarning, match="columns are learned from"):
        model = FusionNB(shapes={50: "rising"}, shrinkage=[1.0, 10.0]).fit(X, y)
    cells = slice(model.counts_.offsets[50], model.counts_.offsets[51] - 1)
    assert np.diff(model.table_[cells] @ [-1, 1]).min() > -1e-9
    assert model.counts_.used[50]
