"""Every bad file is refused with one sentence that says what to do, and stays as it was."""

import gzip
import io
import os
import pickle
import sqlite3
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from atfnb.tables import Dialect, open_table
from helpers.table_files import format_of, read, text_of, written, zipped


def _npz():
    stream = io.BytesIO()
    np.savez(stream, a=np.zeros(3))
    return stream.getvalue()


def _parquet(table):
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


BAD = {
    "empty": (b"", "is empty"),
    "blank lines": (b"\n\r\n\n", "is empty"),
    "byte order mark only": (b"\xef\xbb\xbf", "is empty"),
    "header only": (b"a,b,c\n", "has a header and no rows"),
    "header without line end": (b"a,b,c", "has a header and no rows"),
    "short row": (b"a,b,c\n1,2,3\n\n1,2\n", "row 2 below the header .* has 2 cells and the header 3"),
    "long row": (b"a,b\n1,2\n3,4,5\n", "row 2 below the header .* has 3 cells and the header 2"),
    "one cell": (b"a,b\n1,2\n3\n", "has 1 cell and the header 2"),
    "NUL": (b"a,b\n1,2\n3,\x00\n", "holds a NUL byte in line 3"),
    "duplicated names": (b"a,b, a ,b\n1,2,3,4\n", "more than one column named 'a', 'b': give each its own name"),
    "numbers only": (b"1,2.5\n3,4\n", "the first line of .* holds numbers only: add a line with the names"),
    "open quote in the header": (b'a,"b\n1,2\n', "opens a quotation mark in its header and never closes it"),
    "open quote in a row": (b'a,b\n1,"2\n3,4\n', "opens a quotation mark and never closes it"),
    "gigantic open quote": (b'a,b\n1,"2\n' + b"3,4\n" * 1_000_000, "perhaps a quotation mark is never closed"),
    "endless header": (b'"' + b"a" * 300_000, "opens a quotation mark in its header|has a header and no rows"),
    "JSON": (b'{"a": [1, 2]}', "is JSON: save the table as CSV"),
    "JSON of records": (b'[{"a": 1}]', "is JSON"),
    "web page": (b"<!DOCTYPE html><html></html>", "is a web page"),
    "XML": (b"<?xml version='1.0'?>", "is an XML document"),
    "pickle": (pickle.dumps([1]), "is a Python pickle, which could run anything"),
    "NumPy": (b"\x93NUMPY\x01\x00", "is a NumPy array"),
    "npz": (_npz(), "holds NumPy arrays"),
    "Excel": (zipped(b"", "[Content_Types].xml", "xl/workbook.xml"), "is a damaged Excel workbook"),
    "Excel without sheets": (zipped(b"", "[Content_Types].xml", "xl/styles.xml"), "without its list of sheets: save"),
    "cut Excel": (zipped(b"", "[Content_Types].xml", "xl/workbook.xml")[:-30], "is a damaged office document"),
    "cut Excel, its properties first": (zipped(b"", "docProps/app.xml", "xl/a")[:40], "is a damaged office document"),
    "Word": (zipped(b"", "[Content_Types].xml", "word/document.xml"), "is a Word document: save the table in it as"),
    "PowerPoint": (zipped(b"", "[Content_Types].xml", "ppt/presentation.xml"), "is a PowerPoint document"),
    "LibreOffice": (zipped(b"", "mimetype", "content.xml"), "is an office document without sheets: save the table"),
    "old Excel": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, r"old versions of Office, as \.xls: save the table as \.xlsx"),
    "password": (
        b"\xd0\xcf\x11\xe0" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600,
        "is protected by a password: save it without one",
    ),
    "archive": (zipped(b"a\n1\n", "a.csv", "b.csv"), "is an archive of 2 files: unpack it"),
    "empty archive": (b"PK\x05\x06" + b"\0" * 18, "is an archive of 0 files"),
    "damaged archive": (zipped(b"a,b\n1,2\n")[:40], "is a damaged zip file"),
    "damaged gzip": (gzip.compress(b"a,b\n1,2\n" * 10_000)[:60], "is a damaged gzip file .*: copy it again"),
    "compressed twice": (gzip.compress(gzip.compress(b"a,b\n1,2\n")), "is compressed twice"),
    "gzip of nothing": (gzip.compress(b""), "is empty"),
    "cut Parquet": (_parquet(pa.table({"a": [1, 2]}))[:-20], "is a damaged Parquet file"),
    "Parquet without rows": (_parquet(pa.table({"a": pa.array([], pa.int64())})), "has a header and no rows"),
    "Arrow in name only": (b"ARROW1\0\0" + b"x" * 100, "is a damaged Arrow file"),
    "Arrow stream in name only": (b"\xff\xff\xff\xff" + b"x" * 100, "is a damaged Arrow file"),
    "tar": (b"a.csv" + b"\0" * 252 + b"ustar\x0000" + b"\0" * 300, "is a tar archive"),
    "page of a table": ("\ufeff<table><tr><td>a".encode(), "is a web page: download the table itself"),
    "JPEG": (b"\xff\xd8\xff\xe0\0\x10JFIF", "is a picture: give the table, as CSV, Parquet or a workbook"),
    "program": (b"MZ\x90\0\x03\0", "is a program: give the table"),
    "unknown": (bytes(range(256)), "is not text, and of no known format: give the table"),
    "types that differ": (b'{"a": 1}\n{"a": "x"}\n', "cannot be read as JSON lines .*changed from number to string"),
    "one object": (b'{"rows": [1, 2]}\n', "is JSON: save the table as CSV, Parquet or JSON lines"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a picture: give the table"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("whole", [True, False])
def test_a_bad_file_is_refused_with_one_sentence(tmp_path, case, whole):
    data, sentence = BAD[case]
    path = written(tmp_path, data)
    with pytest.raises((ValueError, OSError), match=sentence) as caught:
        (read if whole else text_of)(path)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert path in said
    assert Path(path).read_bytes() == data


def test_a_database_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / "some.db")
    connection.execute("create table t (a)")
    connection.commit()
    connection.close()
    with pytest.raises(ValueError, match="is a SQLite database: export the table as CSV"):
        open_table(str(tmp_path / "some.db"))


def test_a_folder_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"the folder .* holds no table file: name its files"):
        open_table(str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*no.csv': give a table file"):
        open_table(str(tmp_path / "no.csv"))
    with pytest.raises(ValueError, match="cannot be the name of a file"):
        open_table("a\0b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    os.chmod(path, 0)
    with pytest.raises(PermissionError, match="cannot be opened"):
        open_table(path)


def test_a_late_byte_of_another_encoding_is_named_when_streaming(tmp_path):
    path = written(tmp_path, b"a,b\n" + b"1,2\n" * 200_000 + "Köln,3\n".encode("cp1252"))
    with pytest.raises(ValueError, match=r"holds the byte 0xF6 in line 200002, which is not UTF-8: give its encoding"):
        text_of(path)
    assert text_of(path, encoding="cp1252")["a"][-1].as_py() == "Köln"


def test_an_encoding_that_the_user_insists_on_is_kept_to(tmp_path):
    path = written(tmp_path, "a,b\nKöln,3\n".encode("cp1252"))
    for job in (read, text_of):
        with pytest.raises(ValueError, match="0xF6 in line 2, which is not UTF-8"):
            job(path, encoding="utf-8")
        with pytest.raises(ValueError, match="0xF6 in line 2, which is not ASCII"):
            job(path, encoding="ascii")


def test_an_odd_half_of_utf16_is_refused(tmp_path):
    with pytest.raises(ValueError, match="which is not UTF-16"):
        read(written(tmp_path, "a,b\n1,2\n".encode("utf-16") + b"x"))


@pytest.mark.parametrize("encoding", ["utf-9", "", "a\0b"])
def test_an_encoding_that_is_none_is_refused(encoding):
    with pytest.raises(ValueError, match=r"there is no encoding .*: try utf-8, cp1252 or utf-16\.$"):
        Dialect(encoding=encoding)


NO_TEXT = ["rot13", "base64", "hex", "zlib", "punycode", "idna", "undefined", "charmap", "quopri", "uu", "bz2"]
NO_TEXT += ["unicode_escape", "Unicode-Escape", "raw_unicode_escape"]


@pytest.mark.parametrize("encoding", NO_TEXT)
def test_a_codec_that_is_no_encoding_of_files_is_refused(encoding):
    with pytest.raises(ValueError, match=rf"^'{encoding}' is not an encoding of text files: try utf-8, .*\.$"):
        Dialect(encoding=encoding)


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "ä"])
def test_a_delimiter_that_is_none_is_refused(delimiter):
    with pytest.raises(ValueError, match="give one character, such as ; or tab"):
        Dialect(delimiter=delimiter)


def test_duplicated_columns_of_arrow_are_refused(tmp_path):
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    path = str(tmp_path / "t.arrow")
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(ValueError, match="more than one column named 'a'"):
        open_table(path)


@pytest.mark.slow
def test_ten_thousand_columns_are_read(tmp_path):
    names = ",".join(f"attribute {i}" for i in range(10_000))
    path = written(tmp_path, names + "\n" + (",".join(["1.5"] * 10_000) + "\n") * 30)
    table = read(path)
    assert table.shape == (30, 10_000)
    assert table.schema.types[-1] == pa.float64()
    assert text_of(path).shape == (30, 10_000)


def test_json_lines_are_a_table(tmp_path):
    path = written(tmp_path, '\ufeff{"a": 1, "b": "x"}\n{"b": "y", "a": 2.5}\n\n{"a": null, "b": "z"}\n', "t.data")
    assert read(path).to_pydict() == {"a": [1.0, 2.5, None], "b": ["x", "y", "z"]}
    assert text_of(path).num_rows == 3
    assert str(format_of(path)) == "t.data: JSON lines"


def test_what_operating_systems_add_to_an_archive_is_no_table(tmp_path):
    data = zipped(b"a,b\n1,2\n", "in/t.csv", "__MACOSX/in/._t.csv", "in/.DS_Store", "in/")
    assert read(written(tmp_path, data, "t.zip")).to_pydict() == {"a": [1], "b": [2]}


@pytest.mark.parametrize("name", ["MZ", "ID3", "ORC", "BM", "RIFF"])
def test_a_name_that_begins_as_another_format_does_is_a_name(tmp_path, name):
    assert read(written(tmp_path, f"{name},b\n1,2\n")).column_names == [name, "b"]
