"""What a column looks like, by documented rules."""

import datetime
import math
import subprocess
import sys
from contextlib import nullcontext

import pyarrow as pa
import pytest
from pyarrow import parquet

from atfnb.tables import read_training_table
from atfnb.tables.screening import classes_of, constant, identifiers

N = 100


def test_identifiers_are_named():
    table = pa.table(
        {
            "row": range(N),
            "customer_id": [i * 7919 % 104_729 for i in range(N)],
            "customerId": [i * i for i in range(N)],
            "Unnamed: 0": [i * i for i in range(N)],
            "column 1": [3 * i * i for i in range(N)],
            "price index": [i * i for i in range(N)],
            "votes_no": [i * i for i in range(N)],
            "shuffled": [i * 37 % 150 for i in range(N)],
            "whole but written with a point": [float(i) for i in range(N)],
            "acid": [i * i for i in range(N)],
            "income": [1000 + 37 * i for i in range(N)],
            "name": [f"n{i}" for i in range(N)],
            "category": pa.array([f"n{i}" for i in range(N)]).dictionary_encode(),
            "city": ["Ulm", "Bonn"] * (N // 2),
            "gaps": [None, *(f"n{i}" for i in range(N - 1))],
            "size": [i / 7 for i in range(N)],
            "day": [datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in range(N)],
        }
    )
    assert identifiers(table) == [
        *("row", "customer_id", "customerId", "Unnamed: 0", "column 1", "shuffled", "name", "category")
    ]
    assert identifiers(table.slice(0, 19)) == ["row", "customer_id", "customerId", "Unnamed: 0", "column 1"]
    assert identifiers(table.slice(0, 4)) == []
    assert constant(table) == []


def test_constant_columns_are_named():
    table = pa.table({"a": [1, 1], "b": [None, "x"], "c": [None, None], "d": [1.0, float("nan")], "e": [[1], [2]]})
    assert constant(table) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("values", "continuous"),
    [
        ([i / 7 for i in range(N)], True),
        ([0.5, 1.0, 1.5, 2.0] * 25, False),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], True),
        ([float(i % 5) for i in range(N)], False),
        (list(range(N)), True),
        ([i % 26 for i in range(300)], False),
        ([i % 100 for i in range(1600)], False),
        ([i % 663 for i in range(1460)], True),
        (["a", "b"] * 50, False),
        ([True, False] * 50, False),
        ([None, *(i / 3 for i in range(50))], True),
    ],
)
def test_a_target_looks_continuous(values, continuous):
    table = pa.table({"y": values}).drop_null()
    with pytest.raises(ValueError, match="a measurement") if continuous else nullcontext():
        assert len(classes_of(table, "y")) == len(table)


def test_decimals_look_continuous_too():
    with pytest.raises(ValueError, match="a measurement, not like a class: it has 50 different values"):
        classes_of(pa.table({"y": pa.array(range(50), pa.int64()).cast(pa.decimal128(22, 1))}), "y")


def test_a_target_of_names_looks_unique():
    with pytest.raises(ValueError, match="a name for each row"):
        classes_of(pa.table({"y": [f"n{i}" for i in range(N)]}), "y")


def test_the_command_leaves_table_files_alone_until_it_needs_them():
    program = "import sys, atfnb.cli; sys.exit('atfnb.tables' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_nan_is_no_class(tmp_path):
    table = pa.table({"size": [0.5 * (i % 7) for i in range(40)], "kind": [1.0, 2.0, math.nan, 2.0] * 10})
    parquet.write_table(table, tmp_path / "kinds.parquet")
    read = read_training_table(tmp_path / "kinds.parquet", "kind")
    assert sorted(set(read.y)) == [1, 2]
    assert read.record.notes == ("10 rows without a class left out.",)
