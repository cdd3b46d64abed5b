"""Generated files are the same every time, and the script that measures runs on them."""

import sys

import numpy as np
import pytest
from pyarrow import parquet

from benchmarks import generate, scale


def test_a_file_is_the_same_whatever_the_others_are(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "FILE_ROWS", 100)
    few = generate.generate(tmp_path / "few", 150, columns=10)
    many = generate.generate(tmp_path / "many", 350, columns=10)
    assert [path.name for path in many] == [f"rows-0000{i}.parquet" for i in range(4)]
    assert [parquet.read_metadata(path).num_rows for path in many] == [100, 100, 100, 50]
    assert parquet.read_table(few[0]).equals(parquet.read_table(many[0]))
    assert not parquet.read_table(many[1]).equals(parquet.read_table(many[0]))
    table = parquet.read_table(many[0]).to_pandas()
    assert table["number5"].nunique() > 90
    np.testing.assert_array_equal(table["number0"], table["number0"].round(2))
    assert set(table["y"]) == {"ash", "birch", "cedar"}


@pytest.mark.slow
def test_the_commands_write_and_measure(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["generate", str(tmp_path), "--rows", "2000", "--columns", "10"])
    generate.main()
    monkeypatch.setattr("sys.argv", ["scale", str(tmp_path), "--rows", "1000000"])
    scale.main()
    printed = capsys.readouterr().out
    assert "2,000 rows:" in printed
    assert "peak memory of each process" in printed
    monkeypatch.setattr(scale, "TIMES", 1)
    monkeypatch.setattr("sys.argv", [*sys.argv, "--against-memory", "--model", "CFW", "--ignore", "number5"])
    scale.main()
    printed = capsys.readouterr().out
    assert "CFW, 2,000 rows, best of 1" in printed
    assert "processor seconds" in printed
    assert "in parts" in printed
