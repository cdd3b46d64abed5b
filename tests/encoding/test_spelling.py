"""Text that is spelled differently: spaces around it never count; upper and lower case do, unless the user says no."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from atfnb import CFW, NB, WNB, load, save
from atfnb.encoding import SpellingWarning
from atfnb.scale import fit_dask
from atfnb.tables import Policy

SEXES = ["Male", "male", "male ", "F", "f", "\u00a0F", "F", None]
X = pd.DataFrame({"sex": SEXES, "size": [1.0, 2, 3, 4, 5, 6, 7, 8]})
Y = np.array(["a", "a", "a", "b", "b", "b", "b", "a"])
FRAMES = {
    "object": lambda frame: frame.astype({"sex": object}),
    "str": lambda frame: frame.astype({"sex": "string"}),
    "category": lambda frame: frame.astype({"sex": "category"}),
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "polars": pl.DataFrame,
    "array": lambda frame: frame.to_numpy(dtype=object),
}


def categories(model):
    return model.encoder_.attributes[0].categories


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_spaces_around_text_never_count_in_fit_and_predict(frame):
    model = NB().fit(frame(X), Y)
    assert categories(model) == ("F", "Male", "f", "male")
    assert model.counts_.of_attribute(0)[0].tolist() == [1.0, 3.0]  # one is imputed
    spaced = X.assign(sex=[None if sex is None else f"\u202f{sex} " for sex in SEXES])
    assert np.array_equal(model.predict_proba(frame(spaced)), model.predict_proba(frame(X)))


def test_classes_are_the_labels_given():
    assert NB().fit(X, [f" {y}" for y in Y]).classes_.tolist() == [" a", " b"]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_merged_a_category_has_its_most_frequent_spelling(frame):
    model = NB(merge_case=True).fit(frame(X), Y)
    assert categories(model) == ("F", "male")
    plain = NB().fit(frame(X.assign(sex=[sex and ("male" if "m" in sex.lower() else "F") for sex in SEXES])), Y)
    assert np.array_equal(model.table_, plain.table_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            model.predict(frame(X.assign(sex="MALE"))).tolist() == model.predict(frame(X.assign(sex="male"))).tolist()
        )


def test_merging_obeys_the_laws_of_order_and_repetition():
    rows = [7, 3, 1, 0, 2, 6, 5, 4]
    model = NB(merge_case=True).fit(X, Y)
    assert np.array_equal(NB(merge_case=True).fit(X.iloc[rows], Y[rows]).table_, model.table_)
    weight = np.array([5, 1, 1, 1, 2, 0, 1, 1])
    weighted, repeated = NB(merge_case=True), NB(merge_case=True)
    weighted.fit(X, Y, weight)
    repeated.fit(X.loc[X.index.repeat(weight)], np.repeat(Y, weight))
    assert categories(weighted) == categories(repeated) == ("F", "Male")
    assert np.array_equal(weighted.table_, repeated.table_)


@pytest.mark.parametrize("merge_case", [False, True])
def test_whole_and_in_parts_the_same_is_learned_and_saved(tmp_path, merge_case):
    table = pd.concat([X.assign(kind=Y)] * 3)
    for part in range(4):
        table[6 * part : 6 * part + 6].to_csv(tmp_path / f"{part}.csv", index=False)
    whole = NB(merge_case=merge_case).fit(table[["sex", "size"]], table["kind"])
    parts = fit_dask(NB(merge_case=merge_case), f"{tmp_path}/*.csv", "kind", policy=Policy(leave_out=True))
    assert categories(parts) == categories(whole)
    assert np.array_equal(parts.table_, whole.table_)
    save(parts, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.merge_case is merge_case
    assert np.array_equal(again.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("method", ["predict", "predict_proba", "contributions", "explain"])
def test_an_unknown_value_is_taken_for_the_only_one_that_differs_by_case_and_a_warning_says_so_once(frame, method):
    model = NB().fit(frame(X.assign(sex=["Male", "Male", "Male", "F", "f", "F", "F", None])), Y)
    new, known = X.assign(sex="MALE"), X.assign(sex="Male")
    with pytest.warns(
        SpellingWarning, match=r"'(sex|x0)': 'MALE' is taken for 'Male', as they differ by case only\."
    ) as said:
        found = getattr(model, method)(frame(new))
    assert len(said) == 1
    assert np.array_equal(np.asarray(found), np.asarray(getattr(model, method)(frame(known))))


def test_a_value_that_two_categories_equal_but_for_case_is_not_known():
    model = NB().fit(X, Y)
    assert model.encoder_.encode(X.assign(sex="MALE"))[:, 0].tolist() == [model.encoder_.attributes[0].unknown] * 8


def test_a_rare_value_that_differs_from_one_category_by_case_has_its_code_in_training_too():
    towns = np.array(["Bonn"] * 30 + ["bonn"] + ["Ulm"] * 30 + [f"town {i}" for i in range(60)])
    y = np.array(["a"] * 31 + ["b"] * 30 + ["a", "b"] * 30)
    model = NB(min_category_rows=5).fit(towns[:, None], y)
    assert model.encoder_.attributes[0].categories == ("Bonn", "Ulm")
    assert model.encoder_.attributes[0].pooled == 60
    assert model.counts_.of_attribute(0)[0].tolist() == [31.0, 0.0]


@pytest.mark.parametrize("classifier", [NB, WNB, CFW])
def test_partial_fit_learns_new_spellings_unless_case_does_not_count(classifier):
    more, y = X.assign(sex=["MALE", "MALE", "x", "X", "X", "F", "f", "F"]), np.roll(Y, 1)
    apart = classifier().fit(X, Y).partial_fit(more, y)
    assert categories(apart) == ("F", "MALE", "Male", "X", "f", "male", "x")
    merged = classifier(merge_case=True).fit(X, Y).partial_fit(more, y)
    assert categories(merged) == ("F", "X", "male")
