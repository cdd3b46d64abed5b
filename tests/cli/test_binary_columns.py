"""Columns of bytes: text if they are UTF-8, and one sentence otherwise; in memory, in parts and at prediction."""

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from atfnb import load
from atfnb.cli import app

KINDS = [pa.binary(), pa.large_binary(), pa.binary(1), pa.dictionary(pa.int32(), pa.binary())]


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stderr


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name, kind, colours=(b"r", b"g"), classes=(b"x", b"y")):
    colours, classes = pa.array(colours * 15, pa.binary()), pa.array(classes * 15, pa.binary())
    table = pa.table({"size": [1, 2] * 15, "colour": colours.cast(kind), "kind": classes.cast(kind)})
    if name.endswith(".arrow"):
        with pa.ipc.new_file(name, table.schema) as file:
            file.write_table(table)
    else:
        parquet.write_table(table, name, row_group_size=7)
    return name


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_bytes_that_are_text_are_read_as_text(folder, kind, ending):
    name = written(f"t.{ending}", kind)
    code, err = run("train", name, "-t", "kind", "-c", "nb", "-o", "m.json")
    assert code == 0, err
    model = load("m.json")
    assert model.classes_.tolist() == ["x", "y"]
    assert model.encoder_.attributes[1].categories == ("g", "r")
    code, err = run("predict", "m.json", name, "-o", f"out.{ending}")
    assert code == 0, err
    assert "did not occur in training" not in err
    if ending == "parquet":
        code, err = run("train", "t*.parquet", "-t", "kind", "-c", "nb", "-o", "parts.json", "--ignore", "size")
        assert code == 0, err
        assert load("parts.json").encoder_.attributes[0].categories == ("g", "r")
        assert load("parts.json").classes_.tolist() == ["x", "y"]


def test_other_bytes_are_refused_in_one_sentence_and_can_be_left_out(folder):
    name = written("t.parquet", pa.binary(), colours=(b"r", b"\xff"))
    written("u.parquet", pa.binary(), colours=(b"r", b"\xff"))
    for data, said in (
        (name, "t.parquet holds bytes that are not text in UTF-8 in 'colour': convert them"),
        ("*.parquet", "column 'colour' holds bytes that are not text in UTF-8: convert it, or leave it"),
    ):
        code, err = run("train", data, "-t", "kind", "-c", "nb", "-o", "m.json")
        assert code == 1
        assert said in err.splitlines()[-1]
        code, err = run("train", data, "-t", "kind", "-c", "nb", "-o", "m.json", "--ignore", "colour")
        assert code == 0, err
    run("train", written("good.parquet", pa.binary()), "-t", "kind", "-c", "nb", "-o", "m.json")
    code, err = run("predict", "m.json", name, "-o", "out.parquet")
    assert code == 1
    assert "column 'colour' holds bytes that are not text in UTF-8" in err


@pytest.mark.parametrize("data", ["t.parquet", "*.parquet"])
def test_classes_that_are_other_bytes_are_refused(folder, data):
    written("t.parquet", pa.binary(), classes=(b"x", b"\xff"))
    code, err = run("train", data, "-t", "kind", "-c", "nb", "-o", "m.json")
    assert code == 1
    assert "'kind' holds bytes that are not text in UTF-8" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}, {"a": 2}]], ids=["list", "struct"])
def test_what_cannot_be_a_class_is_refused(folder, values):
    parquet.write_table(pa.table({"size": [1, 2] * 15, "kind": values * 15}), "t.parquet")
    code, err = run("train", "t.parquet", "-t", "kind", "-c", "nb", "-o", "m.json")
    assert code == 1
    assert "the target 'kind' is of type" in err


def test_classes_that_are_decimals_are_numbers(folder):
    classes = pa.array([1, 2] * 15, pa.int64()).cast(pa.decimal128(20, 1))
    parquet.write_table(pa.table({"size": [1, 2] * 15, "kind": classes}), "t.parquet")
    code, err = run("train", "t.parquet", "-t", "kind", "-c", "nb", "-o", "m.json")
    assert code == 0, err
    assert load("m.json").classes_.tolist() == [1, 2]
