"""What a user names as a table is a list of files; a file that changes while it is read is named."""

import os

import pytest

from atfnb.tables.paths import table_paths


@pytest.fixture
def months(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (
        "months/feb.csv",
        "months/jan.csv",
        "months/notes.txt",
        "months/.jan.csv",
        "months/_jan.csv",
        "months/old/dec.csv",
        "s/year=2024/region=a%20b/1.csv",
        "s/year=2025/region=__HIVE_DEFAULT_PARTITION__/1.csv",
        "odd[1].csv",
    ):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        (tmp_path / name).write_text("a,b\n1,2\n")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "paths"),
    [
        ("months", ["months/feb.csv", "months/jan.csv"]),
        ("months/*.csv", ["months/_jan.csv", "months/feb.csv", "months/jan.csv"]),
        ("m*", ["months/feb.csv", "months/jan.csv"]),
        ("months/**/d*.csv", ["months/old/dec.csv"]),
        (["months/jan.csv", "months", "odd[1].csv"], ["months/jan.csv", "months/feb.csv", "odd[1].csv"]),
        ("odd[1].csv", ["odd[1].csv"]),
        ("-", ["-"]),
        ("none.csv", ["none.csv"]),
        ("s/year=2025", ["s/year=2025/region=__HIVE_DEFAULT_PARTITION__/1.csv"]),
    ],
)
def test_folders_and_patterns_stand_for_their_table_files(months, source, paths):
    assert [file.path for file in table_paths(source)] == paths


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("months/*.parquet", "names no file: check the path"),
        ("months/none", None),
        (["-", "months"], "standard input cannot be read together with files"),
        ([3], "must be a Dask data frame, a path or a pattern, not a list"),
    ],
)
def test_what_names_no_file_is_refused(months, source, sentence):
    if sentence is None:
        assert [file.stamp for file in table_paths(source)] == [None]
        return
    with pytest.raises((OSError, ValueError, TypeError), match=sentence):
        table_paths(source)
    (months / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="the folder empty holds no table file"):
        table_paths("empty")


def test_folders_give_columns_with_types_if_they_differ_or_are_needed(months):
    def given(*source):
        return [{name: value[0].as_py() for name, value in file.folders} for file in table_paths(*source)]

    assert given("s") == [{"year": 2024, "region": "a b"}, {"year": 2025, "region": None}]
    assert given("s/year=2024/*/*.csv") == [{}]
    assert given("s/year=2024", ["year", "size"]) == [{"year": 2024}]
    assert given(["s", "months/jan.csv"])[-1] == {"year": None, "region": None}


def test_a_file_that_changes_is_named_even_where_reading_it_fails(months):
    (file,) = table_paths("months/jan.csv")
    with file.unchanged():
        pass

    def fail():
        (months / "months" / "jan.csv").write_text("a\n")
        raise KeyError("b")

    with pytest.raises(ValueError, match=r"^months/jan.csv was changed while it was read"), file.unchanged():
        fail()
    with pytest.raises(ValueError, match="was changed while it was read"), file.unchanged():
        pytest.fail("the block is not reached")
