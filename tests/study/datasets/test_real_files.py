"""What is built without a folder, beside the real files; and all 50 files."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from atfnb_study.datasets import catalogue, load, where

pytestmark = pytest.mark.shared

SAME_ORDER = [
    "balance-scale",
    "titanic",
    "car",
    "nursery",
    "wine",
    "abalone",
    "ecoli",
    "fertility",
    "glass",
    "libras",
    "pima",
    "diabetes",
    "spect",
]
OTHER_ORDER = ["tic-tac-toe", "bupa", "haberman-survival", "lymphography", "splice"]
CHARTS = ("synthetic-control", "chart_Input")


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("ATFNB_DATA", raising=False)


@pytest.fixture
def folder(shared):
    return shared / "datasets"


def rows(name, data=None):
    frame, target = load(name, data)
    return Counter(frame.assign(**{"class": target}).itertuples(index=False, name=None))


@pytest.mark.parametrize("name", catalogue())
def test_every_file_is_what_its_record_says(name, folder):
    assert where(name, folder) == "folder"
    frame, target = load(name, folder)
    record = catalogue()[name]
    assert (len(target), frame.shape[1]) == (record.shape.rows, record.shape.attributes)


@pytest.mark.parametrize("name", SAME_ORDER)
def test_built_row_by_row_like_the_file(name, folder):
    for built, real in zip(load(name), load(name, folder), strict=True):
        same = assert_frame_equal if isinstance(built, pd.DataFrame) else assert_series_equal
        same(built, real)


@pytest.mark.parametrize("name", OTHER_ORDER)
def test_built_with_the_rows_of_the_file_in_another_order(name, folder):
    assert list(load(name)[0]) == list(load(name, folder)[0])
    assert rows(name) == rows(name, folder)


def test_iris_differs_from_the_file_in_three_cells(folder):
    (built, y), (real, y_real) = load("iris"), load("iris", folder)
    assert_series_equal(y, y_real)
    assert list(built) == list(real)
    assert (built != real).to_numpy().sum() == 3


@pytest.mark.parametrize("name", ["twonorm", "waveform", *CHARTS])
def test_simulated_classes_have_the_means_and_spreads_of_the_file(name, folder):
    (built, y), (real, y_real) = load(name), load(name, folder)
    assert list(built) == list(real)
    assert set(y) == set(y_real)
    for kind in sorted(set(y)):
        one, other = built[y == kind], real[y_real == kind]
        error = np.sqrt(one.var() / len(one) + other.var() / len(other))
        assert (np.abs(one.mean() - other.mean()) < 5 * error).all()
        assert abs(np.log(one.var() / other.var()).mean()) < 0.1


def test_builders_and_comparisons_leave_no_set_out():
    free = {name for name, record in catalogue().items() if record.without_folder}
    assert free == {*SAME_ORDER, *OTHER_ORDER, "iris", "twonorm", "waveform", *CHARTS}
