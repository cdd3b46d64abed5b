"""What people know of columns beside the data."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from atfnb import NB, ChiMerge, FusionNB, load, save
from atfnb.classifiers import ROSTER
from atfnb.scale import fit_dask
from helpers.scale_tables import assert_same_model, frame_of, in_memory, in_parts
from helpers.strategies import examples, mixed_table


def people(rows=400, seed=1):
    """Ages from 15 to 79, incomes, days, towns, and classes that go with the age."""
    rng = np.random.default_rng(seed)
    age, days = rng.integers(15, 80, rows), pd.to_timedelta(rng.integers(0, 800, rows), "D")
    columns = {"age": age, "income": rng.normal(50, 20, rows).round(2), "since": pd.Timestamp("2020-01-01") + days}
    frame = pd.DataFrame(columns | {"town": rng.choice(["Bonn", "Ulm"], rows)})
    return frame, np.where(rng.random(rows) < age / 100, "yes", "no")


# --- Own cuts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", ROSTER)
def test_own_cuts_are_the_cuts_of_every_classifier_and_no_others(classifier):
    model = classifier(cuts={"age": [10, 18, 65, 99], 1: [50.5]}).fit(*people())
    age, income = model.encoder_.attributes[:2]
    assert age.cuts.tolist() == [10, 18, 65, 99]
    assert income.cuts.tolist() == [50.5]
    assert age.labels == ["< 10", "10 to 17", "18 to 64", "65 to 98", "≥ 99"]
    assert np.isfinite(model.predict_proba(people()[0])).all()


def test_a_value_equal_to_a_cut_lies_above_it():
    model = NB(cuts={"age": [18]}).fit(*people())
    rows = people()[0].iloc[:3].assign(age=[17, 18, 19])
    assert model.encoder_.encode(rows)[:, 0].tolist() == [0, 1, 1]
    assert model.encoder_.attributes[0].labels == ["≤ 17", "≥ 18"]


@pytest.mark.parametrize("day", ["2021-03-01", datetime.date(2021, 3, 1), np.datetime64("2021-03-01")])
def test_a_column_of_dates_is_cut_at_dates(day):
    model = FusionNB(cuts={"since": [day]}).fit(*people())
    since = next(each for each in model.encoder_.attributes if each.name == "since: date")
    assert since.labels == ["before 2021-03-01", "from 2021-03-01 on"]


def test_cuts_beyond_the_data_and_none_at_all_leave_finite_models():
    alike = pd.DataFrame({"one": [5.0] * 20, "many": np.arange(20.0), "uncut": np.arange(20.0)})
    cuts = {"one": [5], "many": [-3, -2, 50, 60], "uncut": []}
    model = FusionNB(cuts=cuts).fit(alike, [0, 1] * 10)
    assert [each.n_known for each in model.encoder_.attributes] == [2, 5, 1]
    assert np.isfinite(model.table_).all()


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
def test_columns_that_are_screened_keep_their_own_cuts():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    wide = pd.DataFrame(rng.normal(size=(60, 700))).rename(columns="v{}".format)
    wide["v3"] += 2 * y
    model = FusionNB(cuts={"v3": np.arange(9)}).fit(wide, y)
    assert model.encoder_.attributes[3].cuts.tolist() == [*range(9)]


@given(mixed_table(), st.sets(st.integers(-2, 6), max_size=4), st.sampled_from(["impute", "skip", "value"]))
@examples(20)
def test_own_cuts_are_the_same_in_parts(case, cuts, missing):
    rows, y, _ = case
    frame, cuts = frame_of(rows, y), {"gappy": sorted(cuts)}
    model = in_memory(NB(cuts=cuts, missing=missing), frame)
    assert_same_model(fit_dask(NB(cuts=cuts, missing=missing), in_parts(frame, [2, 3]), "kind"), model)


def test_own_cuts_of_very_many_values_are_the_same_in_parts():
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=2000)})
    frame["kind"] = np.where(frame["x"] > 0.1, "a", "b")
    model = FusionNB(cuts={"x": [-1, 0, 18]}, max_distinct=50)
    assert_array_equal(fit_dask(model, in_parts(frame, [900]), "kind").table_, in_memory(model, frame).table_)


def test_own_cuts_are_saved_and_chimerge_takes_them(tmp_path):
    cuts = {"age": [18, 65], "since": [datetime.date(2021, 3, 1)]}
    save(NB(cuts=cuts).fit(*people()), tmp_path / "model.json")
    assert load(tmp_path / "model.json").cuts == {"age": [18, 65], "since": ["2021-03-01"]}
    found = ChiMerge(cuts={"age": [18, 65]}).fit(people()[0][["age", "income"]], people()[1]).cuts_
    assert found[0].tolist() == [18, 65]
    assert len(found[1]) == 1


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ({"agee": [1]}, "cuts names column 'agee', which is not in the table: did you mean 'age'?"),
        ({"towns of birth": [1]}, "'towns of birth', which is not in the table: name one of its columns."),
        ({4: [1]}, "cuts names column 4, which is not in the table: a number is a position, from 0 to 3."),
        ({"town": [1]}, "cuts of column 'town' are numbers, and the column holds categories."),
        ({"since": [18]}, "cuts of column 'since' are numbers, and the column holds dates."),
        ({"age": ["2021-03-01"]}, "cuts of column 'age' are dates, and the column holds numbers."),
        *(
            ({"age": wrong}, "cuts of column 'age' must be numbers, or dates, that rise, not")
            for wrong in ([30, 18], [18, 18], [float("nan")], [float("inf")], [True, 2], ["Ulm"], 18)
        ),
        ([18], r"cuts must be a dict of columns and their numbers, not \[18\]."),
    ],
)
def test_cuts_that_cannot_be_are_refused_in_one_sentence(cuts, message):
    with pytest.raises(ValueError, match=message.replace("?", "[?]")):
        NB(cuts=cuts).fit(*people())


# --- Orders -----------------------------------------------------------------------------------------

SIZES = ["XS", "S", "M", "L", "XL"]


def shirts(rows=300, seed=0, gaps=True):
    """Sizes, of which none is M and a few are missing, ages, and classes that go with the size."""
    rng = np.random.default_rng(seed)
    rank = rng.choice([0, 1, 3, 4], rows)
    frame = pd.DataFrame({"size": np.array(SIZES, dtype=object)[rank], "age": rng.integers(15, 80, rows)})
    if gaps:
        frame.loc[:9, "size"] = None
    return frame, np.where(rng.random(rows) < 1 / (1 + np.exp(2 - rank)), "yes", "no")


def ordered(frame):
    return frame.assign(size=pd.Categorical(frame["size"], SIZES, ordered=True))


TYPED = {
    "pandas": ordered,
    "polars": lambda frame: pl.from_pandas(frame).with_columns(pl.col("size").cast(pl.Enum(SIZES))),
    "arrow": lambda frame: pa.Table.from_pandas(ordered(frame)),
}


@pytest.mark.parametrize("typed", TYPED)
@pytest.mark.parametrize("classifier", [NB, FusionNB])
def test_an_order_that_is_given_is_the_order_of_the_type_to_the_bit(classifier, typed):
    frame, y = shirts()
    given, brought = classifier(orders={"size": SIZES}).fit(frame, y), classifier().fit(TYPED[typed](frame), y)
    assert brought.encoder_ == given.encoder_
    assert_array_equal(brought.model_.table, given.model_.table)
    assert given.encoder_.attributes[0].labels[:5] == SIZES
    assert_array_equal(brought.predict_proba(frame), given.predict_proba(TYPED[typed](frame)))


@pytest.mark.parametrize("classifier", [NB, FusionNB])
def test_an_order_is_the_same_in_parts(classifier):
    frame, y = shirts()
    frame = frame.assign(kind=y)
    model = in_memory(classifier(orders={"size": SIZES}), frame)
    for parts in (in_parts(frame, [3, 200]), in_parts(ordered(frame), [3, 200])):  # the first has no size at all
        assert_same_model(fit_dask(classifier(orders={"size": SIZES}), parts, "kind"), model)
    assert_same_model(fit_dask(classifier(), in_parts(ordered(frame), [3, 200]), "kind"), model)


def test_parts_in_different_orders_are_refused():
    frame, y = shirts()
    parts = in_parts(ordered(frame).assign(kind=y), [100])
    mixed = parts.map_partitions(
        lambda part: part.assign(size=part["size"].cat.as_unordered()) if part.index[0] else part, meta=parts._meta
    )
    with pytest.raises(ValueError, match="column 'size' has another order in partition 1 than in partition 0"):
        fit_dask(NB(), mixed, "kind")


def test_a_reversed_order_predicts_the_same():
    frame, y = shirts(gaps=False)
    plain, mirrored = (
        FusionNB(orders={"size": order}, shrinkage=1.0, pairs=0).fit(frame, y) for order in (SIZES, SIZES[::-1])
    )
    assert_allclose(mirrored.predict_proba(frame), plain.predict_proba(frame), atol=1e-4)
    assert mirrored.encoder_.attributes[0].labels == SIZES[::-1]


def test_a_category_without_rows_lies_between_its_neighbours_in_an_order():
    model = FusionNB(orders={"size": SIZES}, pairs=0).fit(*shirts())
    effects = model.table_[:5, 1] - model.table_[:5, 0]
    assert (np.diff(effects) > 0).all()
    no_rows = FusionNB(pairs=0).fit(*shirts()).predict_proba(pd.DataFrame({"size": ["M"], "age": [40]}))
    assert abs(no_rows[0, 1] - 0.5) < 0.2


def test_none_takes_the_order_of_a_type_away_and_few_rows_are_not_pooled_along_an_order():
    frame, y = shirts()
    model = FusionNB(orders={0: None}).fit(ordered(frame), y)
    assert_array_equal(model.table_, FusionNB().fit(frame, y).table_)
    assert NB(orders={"size": SIZES}, min_category_rows=1000).fit(frame, y).encoder_.attributes[0].pooled == 0


def test_numbers_that_are_categories_have_any_order():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (200, 2))
    model = NB(categorical_features="all", orders={0: [4, 2, 0, 1, 3]}).fit(codes, codes[:, 0] > 2)
    assert model.encoder_.encode(codes)[:, 0].tolist() == [[4, 2, 0, 1, 3].index(code) for code in codes[:, 0]]


def test_case_is_merged_into_the_order():
    frame, y = shirts()
    shouted = frame.assign(size=frame["size"].str.lower())
    model = NB(orders={"size": SIZES}, merge_case=True).fit(shouted, y)
    assert_array_equal(model.table_, NB(orders={"size": SIZES}).fit(frame, y).table_)


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ({"sizes": SIZES}, "orders names column 'sizes', which is not in the table: did you mean 'size'?"),
        ({"size": SIZES[:3]}, "column 'size' has the value 'L', which is not in its order, 'XS', 'S', 'M': give it a"),
        ({"age": [1, 2]}, "orders names column 'age', whose numbers have an order already."),
        *(
            ({"size": wrong}, "orders of column 'size' must be a list of different values, not")
            for wrong in (["S", "S"], ["S"], "SML", 3)
        ),
        (SIZES, "orders must be a dict of columns and their values in order, not"),
    ],
)
def test_orders_that_cannot_be_are_refused_in_one_sentence(orders, message):
    frame, y = shirts()
    with pytest.raises(ValueError, match=message.replace("?", "[?]")):
        NB(orders=orders).fit(frame.iloc[::-1], y[::-1])


def test_an_order_takes_in_no_new_value_and_chunks_of_arrow_must_agree():
    frame, y = shirts()
    with pytest.raises(ValueError, match="column 'size' has the value 'XXL', which is not in its order"):
        NB(orders={"size": SIZES}).fit(frame, y).partial_fit(frame.assign(size="XXL"), y)
    chunks = [pa.DictionaryArray.from_arrays([0, 1], names, ordered=True) for names in (["S", "L"], ["L", "S"])]
    table = pa.table({"size": pa.chunked_array(chunks)})
    with pytest.raises(ValueError, match="the categories of column 'size' are in more than one order"):
        NB().fit(table, [0, 1, 0, 1])
