"""Whatever a file holds, and wherever its reading stops: no thread of pyarrow's holds it afterwards."""

import subprocess
import sys
import weakref
from contextlib import suppress

import pyarrow.csv
import pytest

from atfnb.tables import Dialect, open_table
from atfnb.tables.parts import whole_part
from atfnb.tables.paths import TablePath
from helpers.table_files import written

FILES = {
    "header only": "a,b\n",
    "ragged": "a,b\n1,2\n1,2,3\n" + "1,2\n" * 1_000_000,
    "not text": b"a,b\n" + b"1,2\n" * 1_000_000 + b"\xff,\0\n",
    "good": "a,b\n" + "1,2\n" * 1_000_000,
}


@pytest.fixture
def lent(monkeypatch):
    """References to all that pyarrow's reader of CSV files was given and calls."""
    given = []

    def open_csv(*arguments):
        given.extend([weakref.ref(arguments[0]), weakref.ref(arguments[2].invalid_row_handler)])
        passed, arguments = [*arguments], ()
        try:
            return opened(*passed)
        finally:
            passed.clear()  # the frame of an error must not hold them

    opened = pyarrow.csv.open_csv
    monkeypatch.setattr(pyarrow.csv, "open_csv", open_csv)
    return given


def whole(path):
    with open_table(path) as file:
        file.read()


def first_batch(path):
    with open_table(path) as file:
        batches = file.batches()  # it stays, as in the frame of an error
        next(batches)


def all_batches(path):
    with open_table(path) as file:
        list(file.batches())


def part(path):
    with open_table(path) as file:
        list(whole_part(TablePath(path), file, Dialect()).batches(1000))


def first_of_part(path):
    with open_table(path) as file:
        batches = whole_part(TablePath(path), file, Dialect()).batches(1000)
    next(batches)
    batches.close()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("job", [whole, first_batch, all_batches, part, first_of_part])
def test_readers_are_closed_when_a_file_is(tmp_path, lent, job, name):
    path = written(tmp_path, FILES[name])
    with suppress(ValueError, StopIteration):
        job(path)
    assert len(lent) == 2
    assert [reference() for reference in lent] == [None, None]


SLOW = """
import sys, time
from atfnb.tables import open_table
from atfnb.tables.csv_rows import Utf8Stream

read = Utf8Stream.read

def slowly(self, size):
    found = read(self, size)
    time.sleep(0.3)  # the program would end while a thread is here
    return found

Utf8Stream.read = slowly
try:
    open_table(sys.argv[1]).read()
except ValueError as error:
    print(error)
"""


def test_a_program_that_ends_after_a_refusal_is_not_aborted(tmp_path):
    path = written(tmp_path, FILES["ragged"])
    done = subprocess.run([sys.executable, "-c", SLOW, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "row 2 below the header" in done.stdout
