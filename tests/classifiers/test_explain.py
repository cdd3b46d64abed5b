"""explain: rows in a long table; feature_importances_: the share of each column."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel

from atfnb import NB, WNB, FusionNB, load, save
from atfnb.classifiers import ROSTER, explaining
from helpers.model_files import small_table

COLUMNS = ["row", "attribute", "source", "value", "class", "contribution"]


def dated(rows=300):
    """Dates, a number and a category that act together, whole numbers, and a column without values."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=rows),
            "size": rng.normal(size=rows),
            "side": rng.choice(["left", "right", None], rows),
            "year": rng.integers(2001, 2012, rows),
        }
    )
    late = frame["day"].dt.month > 6
    return frame, np.where((frame["size"] > 0) == (frame["side"] == "left"), "same", np.where(late, "late", "other"))


@pytest.fixture(scope="module")
def paired():
    X, y = dated()
    return FusionNB(pairs=[("size", "side"), ("day: month", "side")]).fit(X, y), X


@pytest.mark.parametrize("classifier", ROSTER)
def test_contributions_of_a_row_and_class_sum_to_the_joint_log_likelihood_to_the_bit(classifier):
    X, y = small_table()
    model = classifier().fit(X, y)
    lines = model.explain(X)
    assert list(lines.columns) == COLUMNS
    assert lines.groupby(["row", "class"]).size().eq(len(model.contribution_names_)).all()
    joint = lines.groupby(["row", "class"])["contribution"].sum().unstack() + model.class_log_prior_
    np.testing.assert_array_equal(joint.to_numpy(), model.predict_joint_log_proba(X))


def test_each_line_holds_the_contribution_of_its_attribute_or_pair(paired):
    model, X = paired
    lines = model.explain(X[:7])
    added = model.contributions(X[:7])
    assert len(lines) == added.size
    for line in lines.sample(60, random_state=0).itertuples():
        place = model.contribution_names_.index(line.attribute), list(model.classes_).index(line[5])
        assert line.contribution == added[line.row, *place]
    month = lines[lines["attribute"] == "day: month × side"].iloc[0]
    assert (month["source"], month["value"]) == ("day × side", f"January × {X['side'][0]}")
    assert set(lines["source"]) == {"day", "size", "side", "year", "size × side", "day × side"}


def test_values_are_named_as_the_command_names_them(paired):
    model, X = paired
    new = X[:4].copy()
    new.loc[1, "side"] = None
    new.loc[2, "side"] = "upwards"
    new["year"] = [2001, 2003.5, 2050, np.nan]
    new["day"] = pd.to_datetime(["2024-01-02", "2031-03-02", "2019-07-07", None])
    new.index = [7, 7, 8, 9]
    lines = model.explain(new)
    assert sorted(set(lines["row"])) == [0, 1, 2, 3]
    value = lines.drop_duplicates(["row", "attribute"]).pivot(index="row", columns="attribute", values="value")
    assert value["side"].tolist() == [X["side"][0], "missing", "not seen in training", X["side"][3]]
    assert value["day: month"].tolist() == ["January", "March", "July", "missing"]
    assert value["day: date"][1].startswith("from 2024-")
    assert value["day: date"][1].endswith(" on")
    assert ":" not in value["day: date"][1], "a later day is described by days"
    assert value["year"].tolist() == ["= 2001", "2003.5 to 2004.5", "≥ 2010.5", "missing"]


def test_the_lines_come_in_the_library_of_the_rows(paired, monkeypatch):
    model, X = paired
    pandas = model.explain(X[:5])
    polars = model.explain(pl.from_pandas(X[:5]))
    arrow = model.explain(pa.Table.from_pandas(X[:5], preserve_index=False))
    assert (type(pandas), type(polars), type(arrow)) == (pd.DataFrame, pl.DataFrame, pa.Table)
    expected = nw.from_native(pandas).to_dict(as_series=False)
    assert expected == nw.from_native(polars).to_dict(as_series=False) == arrow.to_pydict()
    assert polars.schema["value"] == pl.String
    assert polars.schema["contribution"] == pl.Float64
    plain = NB().fit([[1, "a"], [2, "b"]] * 4, [0, 1] * 4)
    for rows in ([[1, "a"]], np.array([[1, "a"]], dtype=object)):
        assert isinstance(plain.explain(rows), pd.DataFrame)
    monkeypatch.setattr(explaining, "find_spec", lambda name: None)
    lines = plain.explain([[1, "a"]])
    assert isinstance(lines, pa.Table)
    assert lines["class"].to_pylist() == [0, 1, 0, 1]


@pytest.mark.parametrize("classes", [[0, 1], [False, True], ["a", "b"], [1.0, 2.0]])
def test_classes_keep_their_type(classes):
    lines = NB().fit([[1], [2]] * 4, classes * 4).explain([[1]])
    assert lines["class"].tolist() == classes
    assert type(lines["class"].tolist()[0]) is type(classes[0])


def test_top_shows_the_strongest_of_each_row_first(paired):
    model, X = paired
    added = np.ptp(model.contributions(X), axis=2)
    lines = model.explain(X, top=2)
    assert len(lines) == len(X) * 2 * 3
    size = lines.groupby(["row", "attribute"], sort=False)["contribution"].agg(np.ptp).to_numpy().reshape(-1, 2)
    np.testing.assert_array_equal(size, -np.sort(-added, axis=1)[:, :2])
    assert len(model.explain(X, top=100)) == len(model.explain(X))
    for top in (0, -1, 1.5, True, "all"):
        with pytest.raises(ValueError, match="top must be None or a whole number from 1 on"):
            model.explain(X, top=top)


def test_rows_cannot_be_explained_before_the_fit():
    with pytest.raises(NotFittedError):
        NB().explain([[1]])
    assert not hasattr(NB(), "feature_importances_")


@pytest.mark.parametrize("classifier", ROSTER)
def test_importances_sum_to_one_and_follow_the_columns(classifier):
    X, y = small_table()
    model, turned = classifier().fit(X, y), classifier().fit(X[X.columns[::-1]], y)
    assert model.feature_importances_.shape == (3,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    np.testing.assert_allclose(turned.feature_importances_[::-1], model.feature_importances_, rtol=1e-9)


def test_parts_of_a_date_and_halves_of_a_pair_count_for_their_column(paired):
    model, _ = paired
    names = [attribute.name for attribute in model.encoder_.attributes]
    moved = dict(zip(names, model.weights_, strict=True)) | dict(zip(model.pairs_, model.pair_weights_, strict=True))
    sizes_and_sides, months_and_sides = moved["size", "side"] / 2, moved["day: month", "side"] / 2
    expected = [
        sum(size for name, size in moved.items() if name[:4] == "day:") + months_and_sides,
        moved["size"] + sizes_and_sides,
        moved["side"] + sizes_and_sides + months_and_sides,
        moved["year"],
    ]
    np.testing.assert_allclose(model.feature_importances_, np.array(expected) / sum(expected))
    assert len(names) > model.n_features_in_ == 4


@pytest.mark.filterwarnings("ignore::atfnb.encoding.EmptyColumnWarning")
def test_a_column_without_values_has_no_importance():
    X, y = dated()
    X.insert(1, "gone", np.nan)
    for model in (WNB().fit(X, y), FusionNB(pairs=1).fit(X, y)):
        assert model.feature_importances_[1] == 0
        assert model.feature_importances_.sum() == pytest.approx(1)
    nothing = NB().fit([[1], [1], [1], [1]], [0, 1, 0, 1])
    assert nothing.feature_importances_.tolist() == [0]


def test_features_are_selected_by_their_importance():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = pd.DataFrame(rng.normal(size=(200, 5)), columns=list("abcde"))
    X["d"] += 3 * y
    chosen = SelectFromModel(NB()).fit(X, y)
    assert chosen.get_feature_names_out().tolist() == ["d"]


def test_a_loaded_model_explains_the_same(paired, tmp_path):
    model, X = paired
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    pd.testing.assert_frame_equal(again.explain(X), model.explain(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
