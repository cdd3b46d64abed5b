"""An output file is whole or not there, and keeps what the input held."""

import io
import os
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from atfnb.tables import Dialect, TableWriter, open_table
from atfnb.tables.sinks import CsvSink
from atfnb.tables.sources import Format
from helpers.table_files import PACKERS, read, text_of, written

TABLE = pa.table(
    {
        "number": [0.1, 1e-7, 1 / 3, None],
        "whole": pa.array([1, 2, None, 2**62], pa.int64()),
        "text": ["plain", 'with "quotes", commas', "two\nlines", "in side"],
        "truth": [True, False, None, True],
    }
)
ENDINGS = [
    kind + packed
    for kind in (".csv", ".tsv", ".parquet", ".arrow")
    for packed in ("", ".gz", ".zst", ".bz2", ".xz", ".lz4")
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_kind_comes_back(tmp_path, ending):
    path = str(tmp_path / f"out{ending}")
    with TableWriter(path) as writer:
        writer.write(TABLE.slice(0, 3))
        writer.write(TABLE.slice(3))
    assert read(path).to_pydict() == TABLE.to_pydict()
    assert [file.name for file in tmp_path.iterdir()] == [f"out{ending}"]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("kind", ["CSV", "Parquet", "Arrow", "stream"])
def test_every_kind_is_told_by_its_content(tmp_path, kind, packing):
    plain = tmp_path / {"CSV": "t.csv", "Parquet": "t.parquet"}.get(kind, "t.arrow")
    if kind == "stream":
        with pa.OSFile(str(plain), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as stream:
            stream.write_table(TABLE)
    else:
        with TableWriter(str(plain)) as writer:
            writer.write(TABLE)
    path = written(tmp_path, PACKERS[packing](plain.read_bytes()), "no ending")
    with open_table(path) as file:
        assert file.read().to_pydict() == TABLE.to_pydict()
        assert file.format.compression == packing
        assert file.format.kind == kind.replace("stream", "Arrow")
    assert text_of(path).num_rows == 4


def test_text_cells_come_out_as_they_went_in(tmp_path):
    data = 'a;b;"c;d"\n007;1,50; x \n;"say ""no""";?\n"1\n2";NA;"3;4"\n'
    path, out = written(tmp_path, data), str(tmp_path / "out.csv")
    with open_table(path) as file, TableWriter(out, file) as writer:
        for batch in file.batches():
            writer.write(batch.table)
    assert Path(out).read_text() == data


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_and_the_delimiter_of_the_input_are_kept(tmp_path, encoding):
    data = "Stadt|n\nKöln|1\nMünchen|2\nDüsseldorf|3\nWürzburg|4\n".encode(encoding)
    path, out = written(tmp_path, data), str(tmp_path / "out.csv")
    with open_table(path) as file, TableWriter(out, file, holds=["größer"]) as writer:
        for batch in file.batches():
            writer.write(batch.table.slice(0, 2))
            writer.write(batch.table.slice(2))
    assert Path(out).read_bytes() == data


def test_an_encoding_that_cannot_hold_the_classes_becomes_utf8(tmp_path):
    path = written(tmp_path, "Stadt,n\nKöln,1\n".encode("cp1252"))
    out = str(tmp_path / "out.csv")
    with open_table(path) as file, TableWriter(out, file, holds=["Łódź"]) as writer:
        writer.write(pa.table({"class": ["Łódź"]}))
    assert Path(out).read_bytes().decode("utf-8") == "class\nŁódź\n"
    with (
        open_table(path) as file,
        pytest.raises(ValueError, match="cannot be written in CP1252, which has no 'Ł'"),
        TableWriter(out, file) as writer,
    ):
        writer.write(pa.table({"class": ["Łódź"]}))


@pytest.mark.parametrize(
    ("encoding", "as_written"),
    [("cp1252", ">= 1 × <= 2 - …"), ("latin-1", ">= 1 × <= 2 - ..."), ("ascii", ">= 1 x <= 2 - ...")],
)
def test_a_sign_that_the_encoding_lacks_is_written_in_ascii(encoding, as_written):
    stream = io.BytesIO()
    CsvSink(stream, ["because"], Format("out.csv", "CSV", encoding=encoding)).write_table(
        pa.table({"because": ["≥ 1 × ≤ 2 − …"]})
    )
    assert stream.getvalue().decode(encoding) == f"because\n{as_written}\n"


def test_a_lone_empty_cell_stays_a_row(tmp_path):
    out = str(tmp_path / "out.csv")
    with TableWriter(out) as writer:
        writer.write(pa.table({"a": ["x", None, "y"]}))
    assert read(out)["a"].to_pylist() == ["x", None, "y"]


def test_parquet_to_parquet_keeps_the_types(tmp_path):
    import datetime

    table = pa.table(
        {
            "day": [datetime.date(2024, 1, 1)],
            "small": pa.array([1], pa.int8()),
            "category": pa.array(["x"]).dictionary_encode(),
            "list": [[1, 2]],
        }
    )
    path, out = str(tmp_path / "in.parquet"), str(tmp_path / "out.parquet")
    with TableWriter(path) as writer:
        writer.write(table)
    with open_table(path) as file, TableWriter(out, file) as writer:
        for batch in file.batches():
            writer.write(batch.table)
    assert read(out).schema.equals(table.schema)
    with (
        pytest.raises(ValueError, match=r"out.csv cannot be written .*: try .parquet"),
        TableWriter(str(tmp_path / "out.csv")) as writer,
    ):
        writer.write(table)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_interruption_leaves_the_old_file_and_nothing_else(tmp_path, error, ending):
    path = written(tmp_path, "old", f"out{ending}")

    def interrupted():
        with TableWriter(path) as writer:
            writer.write(TABLE)
            assert Path(path).read_text() == "old"
            raise error

    with pytest.raises(error):
        interrupted()
    assert Path(path).read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_writer_that_wrote_nothing_leaves_nothing(tmp_path):
    with TableWriter(str(tmp_path / "out.csv")):
        pass
    assert not list(tmp_path.iterdir())


def test_a_link_and_the_mode_of_the_old_file_are_kept(tmp_path):
    real = Path(written(tmp_path, "old", "real.csv"))
    real.chmod(0o640)
    (tmp_path / "link.csv").symlink_to(real)
    with TableWriter(str(tmp_path / "link.csv")) as writer:
        writer.write(TABLE)
    assert (tmp_path / "link.csv").is_symlink()
    assert real.read_text() != "old"
    assert real.stat().st_mode & 0o777 == 0o640


def test_the_output_does_not_replace_the_input(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    (tmp_path / "link.csv").symlink_to(path)
    for out in (path, str(tmp_path / "link.csv"), f"{tmp_path}/./table.csv"):
        with open_table(path) as file, pytest.raises(ValueError, match="the output would replace the input"):
            TableWriter(out, file)


def test_places_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*no: create it, or choose"):
        TableWriter(str(tmp_path / "no" / "out.csv"))
    with pytest.raises(IsADirectoryError, match="is a folder: give the name of a file"):
        TableWriter(str(tmp_path))
    with pytest.raises(ValueError, match=r"ends with .docx, which is not the ending of a table file: use one of .csv"):
        TableWriter(str(tmp_path / "out.docx"))


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with TableWriter(str(pipe)) as writer:
        writer.write(TABLE.select(["whole"]))
    assert os.read(end, 100).startswith(b"whole\n1\n2\n")
    os.close(end)
    assert pipe.is_fifo()


def test_cells_are_shown_on_a_terminal_and_not_obeyed(tmp_path, monkeypatch):
    path = tmp_path / "in.csv"
    path.write_bytes("a;b\r\nné\x1b[31m;1\r\n".encode("cp1252"))
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", shown)
    with open_table(str(path)) as file, TableWriter("-", file) as writer:
        for batch in file.batches():
            writer.write(batch.table)
    assert shown.getvalue() == "a;b\nné\\x1b[31m;1\n"


class _Pipe:
    """Standard input or output with bytes below."""

    def __init__(self, data=b""):
        self.buffer = io.BytesIO(data)
        self.isatty = self.buffer.isatty


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "arrow"])
def test_standard_input_and_output(tmp_path, monkeypatch, kind, whole):
    path = str(tmp_path / f"t.{kind}")
    with TableWriter(path) as writer:
        writer.write(TABLE)
    monkeypatch.setattr(sys, "stdin", _Pipe(Path(path).read_bytes()))
    monkeypatch.setattr(sys, "stdout", _Pipe())
    with open_table("-") as file, TableWriter("-", file) as writer:
        if whole:
            writer.write(file.read())
        else:
            for batch in file.batches():
                writer.write(batch.table)
        assert str(file.format).startswith("standard input: ")
    out = written(tmp_path, sys.stdout.buffer.getvalue())
    assert read(out).to_pydict() == TABLE.to_pydict()


def test_standard_input_is_read_from_a_pipe(tmp_path):
    import subprocess

    program = "from atfnb.tables import open_table; print(open_table('-').read().to_pydict())"
    late = b"a,b\n" + b"1,2\n" * 100_000 + "Köln,3\n".encode("cp1252")
    ran = subprocess.run([sys.executable, "-c", program], input=late, capture_output=True, check=True)
    assert b"'K\xc3\xb6ln'" in ran.stdout


def test_a_late_encoding_is_found_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", _Pipe(b"a,b\n" + b"1,2\n" * 100_000 + "Köln,3\n".encode("cp1252")))
    with open_table("-", Dialect()) as file:
        assert file.read()["a"][-1].as_py() == "Köln"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_device_is_named():
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"), TableWriter("/dev/full") as writer:
        writer.write(TABLE)
