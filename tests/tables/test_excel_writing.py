"""A workbook that is written is whole or not there, and its cells are what the table holds."""

import datetime
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
import xlsxwriter

from atfnb.tables import TableWriter, sinks
from helpers.table_files import read

DAY, MOMENT = datetime.date(2024, 1, 31), datetime.datetime(2024, 2, 1, 10, 30, 15)
TABLE = pa.table(
    {
        "number": [0.1 + 0.2, 1e-7, float("nan"), None],
        "whole": pa.array([1, -2, None, 2**53], pa.int64()),
        "text": ["plain", "two\nlines", "in side", "007"],
        "truth": [True, False, None, True],
        "day": [DAY, None, DAY, DAY],
        "moment": pa.array([MOMENT, None, MOMENT, MOMENT], pa.timestamp("us")),
        "time": pa.array([datetime.time(8, 15), None, None, None], pa.time64("us")),
        "coded": pa.array(["a", "b", "a", None]).dictionary_encode(),
        "exact": pa.array([None, 1, 2, None], pa.decimal128(8, 6)),
    }
)


def write(path, tables):
    with TableWriter(str(path)) as writer:
        for table in tables:
            writer.write(table)


def sheet_of(path):
    return zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()


def test_every_type_comes_back(tmp_path):
    path = tmp_path / "out.xlsx"
    write(path, [TABLE.slice(0, 3), TABLE.slice(3)])
    back = read(str(path))
    assert back.column_names == TABLE.column_names
    for name in ("whole", "text", "truth", "day", "moment", "time", "exact"):
        assert back.column(name).to_pylist() == TABLE.column(name).to_pylist()
    assert back.column("number").to_pylist() == [0.1 + 0.2, 1e-7, None, None]
    assert back.column("coded").to_pylist() == ["a", "b", "a", None]
    assert back.schema.types[1:4] == [pa.int64(), pa.string(), pa.bool_()]
    assert back.schema.types[4:7] == [pa.date32(), pa.timestamp("us"), pa.time64("us")]


def test_text_stays_text(tmp_path):
    cells = ["=1+1", "=cmd|' /C calc'!A0", "@SUM(A1)", "+1", "-1", "12", "{=A1}", "https://example.org", "mailto:a@b.c"]
    path = tmp_path / "out.xlsx"
    write(path, [pa.table({"=A1": cells})])
    sheet = sheet_of(path)
    assert "<f>" not in sheet
    assert "<v>" not in sheet
    assert "hyperlink" not in sheet
    assert read(str(path)).to_pydict() == {"=A1": cells}


def test_what_a_sheet_cannot_hold_as_a_number_or_a_date_is_text(tmp_path):
    long_ago = datetime.date(1815, 12, 10)
    path = tmp_path / "out.xlsx"
    columns = {"id": [2**53 + 1, 2**62], "limit": [float("inf"), -float("inf")], "born": [long_ago, DAY]}
    write(path, [pa.table(columns | {"zoned": pa.array([MOMENT, MOMENT], pa.timestamp("us", "UTC"))})])
    back = read(str(path))
    assert back.column("id").to_pylist() == [2**53 + 1, 2**62]
    assert back.column("limit").to_pylist() == columns["limit"]
    assert back.column("born").to_pylist() == columns["born"]
    assert sheet_of(path).count("<v>") == 1  # the date that Excel has
    assert back.column("zoned")[0].as_py().replace(tzinfo=None) == MOMENT


def test_the_same_table_gives_the_same_bytes(tmp_path):
    write(tmp_path / "one.xlsx", [TABLE])
    write(tmp_path / "other.xlsx", [TABLE])
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "other.xlsx").read_bytes()
    about = zipfile.ZipFile(tmp_path / "one.xlsx").read("docProps/core.xml").decode()
    assert "1980-01-01" in about  # not the time of the test


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"a": list(range(11))},
            r"would have more than 10 rows, the most that a sheet holds: write \.parquet or \.csv\.$",
        ),
        ({f"{n}": [1] for n in range(5)}, "would have more than 4 columns, the most that a sheet holds"),
        ({"a": ["x" * 32_768]}, "would have a cell of 32,768 characters, more than a sheet holds"),
        ({"a": [[1, 2]]}, r"cannot be written \(.*\): try \.parquet\.$"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused_and_leaves_nothing(tmp_path, monkeypatch, columns, sentence):
    monkeypatch.setattr(sinks, "MOST_ROWS", 10)
    monkeypatch.setattr(sinks, "MOST_COLUMNS", 4)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ValueError, match=sentence):
        write(tmp_path / "out.xlsx", [pa.table(columns)])
    assert os.listdir(tmp_path) == []


def test_the_limits_are_those_of_excel():
    assert (sinks.MOST_ROWS, sinks.MOST_COLUMNS) == (1_048_575, 16_384)


def test_an_error_between_the_pieces_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    finished = []
    monkeypatch.setattr(xlsxwriter.Workbook, "close", lambda book: finished.append(book))  # it would take long
    path = tmp_path / "out.xlsx"
    path.write_bytes(b"old")

    def interrupted():
        yield TABLE
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(path, interrupted())
    assert finished == []
    assert os.listdir(tmp_path) == ["out.xlsx"]
    assert path.read_bytes() == b"old"


def test_a_full_disk_is_an_error_of_the_system(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    sink = sinks.ExcelSink(Full(), pa.schema([("a", pa.int64())]), "out.xlsx")
    sink.write_table(pa.table({"a": [1]}))
    with pytest.raises(OSError, match=r"out\.xlsx cannot be written \(.*No space left on device\)"):
        sink.close()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("out.ods", r"ends with \.ods, which atfnb does not write: write \.xlsx\.$"),
        ("out.XLSB", r"ends with \.XLSB, which atfnb does not write: write \.xlsx\.$"),
        ("out.xlsx.gz", r"would be compressed twice, as a workbook already is: write \.xlsx\.$"),
    ],
)
def test_other_workbooks_are_not_written(tmp_path, name, sentence):
    with pytest.raises(ValueError, match=sentence):
        TableWriter(str(tmp_path / name))


def test_without_the_extra_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)  # as where it is not installed
    with pytest.raises(ImportError, match=r"needs XlsxWriter to be written: pip install 'atfnb\[excel\]'$"):
        TableWriter(str(tmp_path / "out.xlsx"))


PEAK = """
import sys, pyarrow as pa
from pathlib import Path
from atfnb.tables import TableWriter
with TableWriter(sys.argv[1]) as writer:
    for _ in range(int(sys.argv[2])):
        writer.write(pa.table({"a": list(range(1000)), "b": [f"{n} words" for n in range(1000)]}))
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak memory is read from /proc")
def test_more_rows_take_no_more_memory(tmp_path):
    few, many = (
        int(
            subprocess.run(
                [sys.executable, "-c", PEAK, tmp_path / "out.xlsx", pieces], check=True, capture_output=True
            ).stdout
        )
        for pieces in ("1", "100")
    )
    assert many - few < 10_000  # kB; the rows as objects take some 50,000
