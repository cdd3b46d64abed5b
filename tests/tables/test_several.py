"""Several files are one table: the same as one file with all their rows."""

import os

import pandas as pd
import pyarrow as pa
import pytest

from atfnb.tables import as_kinds, open_table
from helpers.cli_tables import pets
from helpers.workbooks import xlsx

TABLE = pets(60).assign(code=[f"{i % 12:02}" for i in range(60)], paid=[f"${i}.50" for i in range(60)])


def as_excel(frame, path):
    frame = frame.astype(object)
    rows = [list(frame.columns), *frame.where(frame.notna(), None).to_numpy().tolist()]
    path.write_bytes(xlsx(rows))


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "arrow": lambda frame, path: frame.to_feather(path),
    "xlsx": as_excel,
}


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_rows_of_all_files_follow_each_other_with_the_types_of_one(tmp_path, suffix):
    WRITERS[suffix](TABLE, tmp_path / f"whole.{suffix}")
    (tmp_path / "parts").mkdir()
    for k, columns in enumerate((TABLE.columns, TABLE.columns[::-1], TABLE.columns)):
        part = TABLE[columns][20 * k : 20 * k + 20].reset_index(drop=True)
        WRITERS[suffix](part, tmp_path / "parts" / f"{k}.{suffix}")
    with open_table(tmp_path / f"whole.{suffix}") as one, open_table(tmp_path / "parts") as several:
        whole, joined = one.read(as_written=["kind"]), several.read(as_written=["kind"])
    assert joined.to_pydict() == whole.to_pydict()
    assert (several.forms, several.words) == (one.forms, one.words)
    assert several.name == f"0.{suffix} and 2 more"
    kinds = {"weight": "number", "height": "number", "code": "text"}
    with open_table(tmp_path / "parts") as several:
        read = pa.concat_tables([as_kinds(batch, kinds) for batch in several.batches()])
    assert read.to_pydict() == whole.select(list(kinds)).to_pydict()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_folders_are_columns(tmp_path, suffix):
    for year in (2024, 2025):
        os.mkdir(tmp_path / f"year={year}")
        WRITERS[suffix](TABLE[:3], tmp_path / f"year={year}" / f"rows.{suffix}")
    with open_table(tmp_path) as several:
        assert several.columns == [*TABLE.columns, "year"]
        assert several.read().column("year").to_pylist() == [2024] * 3 + [2025] * 3
    with open_table(tmp_path / "year=2025", needed=["year"]) as one:
        (batch,) = one.batches()
    assert as_kinds(batch, {"year": "whole"}).to_pydict() == {"year": [2025] * 3}


def test_a_column_that_is_text_in_one_file_is_text_in_all(tmp_path):
    (tmp_path / "0.csv").write_text("code,size\n12,1\n13,2\n")
    (tmp_path / "1.csv").write_text("code;size\nA7;1,5\n07;2,5\n")
    with open_table([tmp_path / "0.csv", tmp_path / "1.csv"]) as several:
        assert several.read().to_pydict() == {"code": ["12", "13", "A7", "07"], "size": [1, 2, 1.5, 2.5]}
    assert several.notes[0] == "0.csv: CSV, UTF-8, separated by commas"
    assert (
        f"column 'code' holds numbers in {tmp_path}/0.csv and text in {tmp_path}/1.csv: it is read" in several.notes[2]
    )


def test_what_cannot_be_one_table_is_refused_with_the_names_of_files(tmp_path):
    pd.DataFrame({"a": [1]}).to_csv(tmp_path / "0.csv", index=False)
    pd.DataFrame({"b": [1]}).to_csv(tmp_path / "1.csv", index=False)
    with pytest.raises(ValueError, match=r"1.csv has no column 'a', which .*0.csv has"):
        open_table(tmp_path)
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"not of one kind \(.*0.csv is CSV, .*2.parquet is Parquet\)"):
        open_table([tmp_path / "0.csv", tmp_path / "2.parquet"])
    pd.DataFrame({"a": ["x"]}).to_parquet(tmp_path / "3.parquet")
    with (
        open_table([tmp_path / "2.parquet", tmp_path / "3.parquet"]) as several,
        pytest.raises(ValueError, match="are not of the same types"),
    ):
        several.read()


def test_files_without_rows_are_refused_as_one_is(tmp_path):
    for number in range(2):
        TABLE[:0].to_parquet(tmp_path / f"{number}.parquet")
    with open_table(tmp_path) as several, pytest.raises(ValueError, match=r"1 more has a header and no rows"):
        several.read()
