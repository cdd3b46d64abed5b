"""Any table goes in as it is; what cannot be read is named."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone

from atfnb import ATFNB, NB
from atfnb.tables import read_table

ROWS = {
    "size": [1.5, None, 2.5, 9.0, 8.0, 7.5],
    "count": [1, 2, None, 7, 8, 9],
    "colour": ["red", "blue", None, "red", "green", "green"],
    "flag": [True, False, None, True, True, False],
}
Y = ["a", "a", "a", "b", "b", "b"]


def frames():
    yield "pandas", pd.DataFrame(ROWS)
    yield (
        "pandas nullable",
        pd.DataFrame(ROWS).astype({"size": "Float64", "count": "Int64", "colour": "category", "flag": "boolean"}),
    )
    yield "pandas arrow", pa.table(ROWS).to_pandas(types_mapper=pd.ArrowDtype)
    yield "polars", pl.DataFrame(ROWS, strict=False)
    wide = pl.DataFrame(ROWS, strict=False).with_columns(pl.col("count").cast(pl.Int128))
    yield "polars with 128 bits", wide
    runs = {name: pc.run_end_encode(pa.array(cells)) for name, cells in ROWS.items()}
    yield "pyarrow with run ends", pa.table(runs)
    yield "pandas with run ends", pa.table(runs).to_pandas(types_mapper=pd.ArrowDtype)
    yield (
        "polars categorical",
        pl.DataFrame(ROWS, strict=False).with_columns(pl.col("colour").cast(pl.Categorical)),
    )
    yield (
        "polars enum",
        pl.DataFrame(ROWS, strict=False).with_columns(
            pl.col("colour").cast(pl.Enum(["red", "never", "green", "blue"]))
        ),
    )
    table = pa.table(ROWS)
    yield "pyarrow", table
    yield "pyarrow in chunks", pa.concat_tables([table[:2], table[2:3], table[3:]])
    yield "pyarrow dictionary", table.set_column(2, "colour", table["colour"].dictionary_encode())
    yield "objects", np.array(list(zip(*ROWS.values(), strict=True)), dtype=object)
    yield "rows", [list(row) for row in zip(*ROWS.values(), strict=True)]


@pytest.mark.parametrize("missing", ["impute", "skip", "value"])
def test_every_kind_of_frame_gives_the_same_model(missing):
    plain = NB(missing=missing, orders={2: None})  # without the order of an Enum
    models = {kind: clone(plain).fit(X, Y) for kind, X in frames()}
    for (kind, model), (_, X) in zip(models.items(), frames(), strict=True):
        assert_array_equal(model.table_, models["pandas"].table_, err_msg=kind)
        assert_array_equal(model.predict(X), models["pandas"].predict(pd.DataFrame(ROWS)), err_msg=kind)
        if kind not in ("objects", "rows"):
            assert list(model.feature_names_in_) == list(ROWS)


def test_words_are_counted_where_they_are_and_only_in_rows_that_count():
    table = pa.table({"colour": ["red", "blue", "red", None, "green"]})
    weighted = NB().fit(table, ["a", "b", "a", "b", "b"], [1, 2, 1, 1, 0])
    without = NB().fit(pd.DataFrame({"colour": ["red", "blue", "blue", "red", None]}), ["a", "b", "b", "a", "b"])
    assert weighted.encoder_.attributes[0].categories == ("blue", "red")
    assert_array_equal(weighted.table_, without.table_)


def test_what_missing_cells_become():
    X, y = pd.DataFrame(ROWS), Y
    size, _, colour, flag = NB(missing="impute").fit(X, y).encoder_.attributes
    assert size.missing_code == size.encode(read_table(pd.DataFrame({"size": [5.7]})).columns[0])[0]  # the mean
    assert colour.categories[colour.missing_code] == "green"  # the most frequent; of equals, the first in order
    assert flag.categories == (False, True)
    for attribute in NB(missing="skip").fit(X, y).encoder_.attributes:
        assert attribute.missing_code == attribute.unknown
    for attribute in NB(missing="value").fit(X, y).encoder_.attributes:
        assert attribute.missing_code == attribute.n_values - 1
        assert attribute.labels[-1] == "missing"


@pytest.mark.parametrize("missing", ["impute", "skip", "value"])
def test_unseen_categories_say_nothing(missing):
    model = NB(missing=missing).fit([["red"], ["red"], ["blue"]], ["x", "y", "y"])
    joint = model.predict_joint_log_proba([["violet"]])
    assert_array_equal(joint[0], model.class_log_prior_)


def test_a_missing_value_first_met_at_prediction_says_nothing_unless_imputed():
    X, y = [["red"], ["red"], ["blue"]], ["x", "y", "y"]
    for missing in ("skip", "value"):
        model = NB(missing=missing).fit(X, y)
        assert_array_equal(model.predict_joint_log_proba([[None]])[0], model.class_log_prior_)
    imputed = NB().fit(X, y)
    assert_array_equal(imputed.predict_joint_log_proba([[None]]), imputed.predict_joint_log_proba([["red"]]))


def test_skipped_cells_leave_the_other_attributes_alone():
    X = np.array([[0.0, 1.0], [1.0, np.nan], [1.0, np.nan], [0.0, 0.0]])
    model = NB(missing="skip").fit(X, [0, 1, 1, 0])
    assert model.counts_.of_attribute(1).sum() == 2
    assert model.counts_.of_attribute(0).sum() == 4


@pytest.mark.parametrize("kind", ["names", "indices", "mask", "all"])
def test_categorical_features_may_be_named_in_many_ways(kind):
    X = pd.DataFrame({"digit": [1, 2, 3, 1, 2, 3], "size": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
    say = {"names": ["digit"], "indices": [0], "mask": [True, False], "all": "all"}[kind]
    model = NB(categorical_features=say, max_bins=2).fit(X, [0, 1, 0, 1, 0, 1])
    assert model.encoder_.attributes[0].categories == (1, 2, 3)
    assert model.encoder_.attributes[1].is_numeric == (kind != "all")


def test_decimals_booleans_and_unused_levels_work():
    X = pd.DataFrame(
        {
            "price": [Decimal("1.5"), Decimal("2.5"), Decimal("9"), None],
            "grade": pd.Categorical(["b", "a", "a", "b"], categories=["a", "b", "never"]),
        }
    )
    model = ATFNB().fit(X, [0, 0, 1, 1])
    assert model.encoder_.attributes[1].categories == ("a", "b")
    assert NB().fit(np.array([[True], [False]]), [0, 1]).encoder_.attributes[0].categories == (False, True)
    arrow = pa.table({"p": pa.array([Decimal("1.5"), Decimal("2.5")])})
    assert NB().fit(arrow, [0, 1]).score(arrow, [0, 1]) == 1


def test_mixed_numbers_and_text_are_categories():
    model = NB().fit([[1], ["x"], [2.5], ["x"]], [0, 1, 0, 1])
    assert model.encoder_.attributes[0].categories == (1, 2.5, "x")


def test_a_constant_column_and_a_column_of_names_work():
    X = pd.DataFrame({"constant": ["k"] * 6, "name": list("uvwxyz"), "flat": [3.0] * 6})
    for classifier in (NB(), ATFNB(), ATFNB(redundancy="mutual_information", relevance="gain_ratio")):
        model = classifier.fit(X, Y)
        assert np.isfinite(model.weights_).all()
        assert model.encoder_.attributes[2].labels == ["any"]
        assert len(model.predict(X)) == 6


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
def test_a_column_with_too_many_values_for_pairs_says_so():
    X = pd.DataFrame({"name": [f"n{i}" for i in range(20_000)], "size": np.arange(20_000) % 7})
    y = np.arange(20_000) % 2
    assert ATFNB().fit(X, y).beta_accuracy_ > 0.5
    assert ATFNB(redundancy="mutual_information").fit(X, y).encoder_.attributes[0].is_unused
    with pytest.raises(
        ValueError, match=r"tables of value pairs would need 3\.2 GB, as column 'name' alone has 20000 values"
    ):
        ATFNB(redundancy="mutual_information", min_category_rows=None).fit(X, y)


def test_a_class_with_a_single_row_works():
    model = ATFNB().fit([[1.0], [2.0], [3.0], [9.0]], ["a", "a", "b", "rare"])
    assert list(model.classes_) == ["a", "b", "rare"]


def bad_tables():
    numbers = np.arange(12.0).reshape(6, 2)
    yield (
        "infinite",
        np.where(numbers == 3, np.inf, numbers),
        ValueError,
        r"column 'x1' is infinite \(inf\) in row 1",
    )
    yield "no rows", np.empty((0, 2)), ValueError, "0 sample"
    yield "no columns", np.empty((6, 0)), ValueError, "0 feature"
    yield "empty frame", pd.DataFrame(index=range(6)), ValueError, "0 feature"
    yield "one-dimensional", np.arange(6.0), ValueError, "Reshape your data"
    yield "complex", numbers * 1j, ValueError, "Complex data not supported"
    yield "complex objects", [[1j]] * 6, ValueError, "column 'x0' holds complex"
    yield "sparse and large", sparse.csr_matrix((10**6, 1000)), ValueError, r"1,000,000 × 1,000 takes 8\.0 GB.*toarray"
    yield "all missing", pd.DataFrame({"gone": [None] * 6}), ValueError, "no column has any value"
    mixed = [[datetime.date(2020, 1, 1)], ["never"]] * 3
    yield "dates and text", mixed, ValueError, "column 'x0' holds dates or times beside other values"
    twice = pd.DataFrame(numbers, columns=["a", "a"])
    yield "duplicate names", twice, ValueError, "(?s)several columns of the table have the same name.*'a'"
    yield "dictionaries", [[{"a": 1}]] * 6, TypeError, "column 'x0' holds a dict"
    yield "lists", pl.DataFrame({"l": [[1]] * 6}), TypeError, "column 'l' is of type List"
    yield "ragged", [[1, 2], [3]] * 3, ValueError, "differ in length"


@pytest.mark.parametrize(("X", "error", "message"), [pytest.param(*case[1:], id=case[0]) for case in bad_tables()])
def test_a_bad_table_is_named(X, error, message):
    with pytest.raises(error, match=message):
        NB().fit(X, Y)


@pytest.mark.parametrize(
    ("say", "message"),
    [
        ("text", "categorical_features must be 'from_dtype'"),
        (["colour", "weight"], "'weight', which is not one of the 4 columns: 'size', 'count', 'colour', 'flag'"),
        ([9], "names 9, which is not one of the 4 columns"),
        ([True], "1 booleans for 4 columns"),
        (None, "column 'colour' holds text"),
        ([], "column 'colour' holds text"),
        ([0], "column 'colour' holds text"),
    ],
)
def test_bad_categorical_features(say, message):
    with pytest.raises(ValueError, match=message):
        NB(categorical_features=say).fit(pd.DataFrame(ROWS), Y)


def test_columns_at_prediction_must_be_those_of_training():
    model = NB().fit(pd.DataFrame(ROWS), Y)
    with pytest.raises(ValueError, match=r"Feature names unseen at fit time:\s+- colours"):
        model.predict(pd.DataFrame(ROWS).rename(columns={"colour": "colours"}))
    with pytest.raises(ValueError, match="3 features, but NB is expecting 4"):
        NB().fit(pd.DataFrame(ROWS).to_numpy(), Y).predict(pd.DataFrame(ROWS).to_numpy()[:, :3])
    with pytest.raises(ValueError, match="column 'size' held numbers when the model was fitted and holds text now"):
        model.predict(pd.DataFrame(ROWS).assign(size=["?"] * 6))
    with pytest.raises(ValueError, match="column 'colour' held text when the model was fitted and holds numbers now"):
        model.predict(pd.DataFrame(ROWS).assign(colour=range(6)))
    digits = NB(categorical_features=[0]).fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match="column 'x0' held numbers when the model was fitted and holds text now"):
        digits.predict([["1"]])


def test_one_row_with_a_gap_can_be_predicted():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": ["u", "v", "u", "v"]})
    model = ATFNB().fit(frame, [0, 0, 1, 1])
    for row in ({"a": None, "b": "u"}, {"a": 1.0, "b": None}):
        assert model.predict(pd.DataFrame([row]))[0] in (0, 1)
        assert model.predict(pl.DataFrame([row]))[0] in (0, 1)


def test_the_imputed_mean_is_a_value_where_it_is_one():
    model = NB().fit([[0.1], [0.1], [0.1], [np.nan], [np.nan]], [0, 0, 0, 1, 1])
    assert len(model.encoder_.attributes[0].cuts) == 0
    huge = NB().fit([[1e308], [1.7e308], [None], [5.0]], [0, 1, 0, 1])
    assert np.isfinite(huge.encoder_.attributes[0].cuts).all()


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, lambda d: np.array(d["id"])[:, None], lambda d: [[v] for v in d["id"]]]
)
def test_large_whole_numbers_stay_apart(make):
    X = make({"id": [2**60, 2**60 + 1] * 4})
    assert NB(categorical_features="all").fit(X, [0, 1] * 4).encoder_.attributes[0].categories == (2**60, 2**60 + 1)


def test_columns_with_awkward_names_and_levels():
    frame = pd.DataFrame({"column_names": ["a", "b"] * 3, "columns": range(6)})
    assert list(NB().fit(frame, Y).feature_names_in_) == ["column_names", "columns"]
    cut = pd.DataFrame({"band": pd.cut([1, 2, 3, 4, 5, 6], [0, 3, 6])})
    assert NB().fit(cut, Y).encoder_.attributes[0].categories == ("(0, 3]", "(3, 6]")
    levels = pd.DataFrame({"grade": pd.Categorical([1, 2, 1, 2, 1, 2])})
    assert NB().fit(levels, Y).predict(levels.astype(int)).shape == (6,)
    unnamed = pd.DataFrame(np.arange(12.0).reshape(6, 2))
    assert not hasattr(NB().fit(unnamed, Y), "feature_names_in_")


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (None, ValueError, "got a NoneType instead: pass a data frame"),
        ([], ValueError, "0 sample"),
        ([np.ones(2), np.ones(3)], ValueError, "differ in length, from 2 to 3"),
        (pl.LazyFrame({"a": [1]}), TypeError, r"has not been computed yet: pass X\.collect"),
        ([[10**400], [1]] * 3, ValueError, "column 'x0' holds a number too large"),
        ([[b"a"], [b"b"]] * 3, TypeError, "column 'x0' holds a bytes.*decode"),
    ],
)
def test_what_is_no_table_is_named(X, error, message):
    with pytest.raises(error, match=message):
        NB().fit(X, Y)


@pytest.mark.parametrize("say", [0, {"a": 1}, [[0]]])
def test_categorical_features_that_are_no_list(say):
    with pytest.raises(ValueError, match="categorical_features"):
        NB(categorical_features=say).fit(np.ones((6, 1)), Y)


def test_decimal_gaps_are_gaps():
    X = np.array([[Decimal("NaN")], [Decimal("1")], ["x"], ["x"]], dtype=object)
    assert NB().fit(X, [0, 1, 0, 1]).encoder_.attributes[0].categories == (Decimal("1"), "x")
