"""Whatever a workbook does to its reader, it does in another process: here it is one sentence, or the table."""

import datetime
import io
import os
import signal
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from atfnb.tables import excel_workbook, open_table
from atfnb.tables.excel_workbook import Workbook, open_workbook
from helpers.table_files import written
from helpers.workbooks import ods, xlsb, xlsx, zipped

ROWS = [["a", "b", "c"], [1, "x", 2], [3, "y", 4]]
SHEET = "xl/worksheets/sheet1.xml"


def changed(data, member, *changes):
    """A workbook with one of its files changed, under a right checksum."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for old, new in changes:
        assert old in files[member]
        files[member] = files[member].replace(old, new)
    return zipped(files)


def said_of(folder, data):
    """The one sentence on a workbook that cannot be read, or None if it can."""
    try:
        open_table(written(folder, data, "book.xlsx")).close()
    except (ValueError, OSError) as error:
        said = str(error).replace(f"{folder}/", "")
        assert "book.xlsx " in said
        assert said.endswith(".")
        assert "\n" not in said
        return said


TOO_LARGE = "book.xlsx cannot be read, as it needs more than 1 GB of memory: delete cells far from the table, or save "
TOO_LARGE += "the table as CSV."
SPACES = b'<text:p><text:s text:c="2000000000"/>x'
HUGE = {
    "cells that are far apart": xlsx([["a"], *([] for _ in range(9999)), [*([None] * 9999), 1]]),
    "a cell far away in its row": changed(xlsx(ROWS), SHEET, (b'r="C3"', b'r="XFD1048576"')),
    "written in an odd way": changed(xlsx(ROWS), SHEET, (b'r="C3"', b'r = "xfd1048576"')),
    "with many digits": changed(xlsx(ROWS), SHEET, (b'r="C3"', b'r="C4294967295"')),
    "a cell far away in .xlsb": changed(
        xlsb(ROWS), "xl/worksheets/sheet1.bin", (struct.pack("<II", 2, 0), struct.pack("<II", 1 << 31, 0))
    ),
    "a number of texts": changed(xlsx(ROWS), "xl/sharedStrings.xml", (b'"5"', b'"4294967295"')),
    "spaces in .ods": changed(ods(ROWS), "content.xml", (b"<text:p>x", SPACES)),
}


@pytest.mark.parametrize("case", HUGE)
def test_a_workbook_that_needs_too_much_memory_is_refused(tmp_path, monkeypatch, case):
    monkeypatch.setattr(excel_workbook, "MEMORY", (1 << 30, 0))
    assert said_of(tmp_path, HUGE[case]) == TOO_LARGE


def endless():
    """A workbook whose reader never ends."""
    data = ods(ROWS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        content = archive.read("content.xml")
    return changed(data, "content.xml", (content[content.index(b"</table:table-row>") + 18 :], b""))


def test_a_workbook_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(excel_workbook, "SECONDS", (1, 0))
    sentence = "book.xlsx cannot be read, as it takes more than 1 second: save it again, or save the table as CSV."
    assert said_of(tmp_path, endless()) == sentence


def test_a_panic_of_the_reader_is_a_sentence(tmp_path, capfd):
    data = xlsx([["day", "b"], [datetime.date(2024, 1, 31), 1]])
    said = said_of(tmp_path, changed(data, SHEET, (b"<v>45322</v>", b"<v>-1e300</v>")))
    assert said.startswith("book.xlsx is a damaged Excel workbook (")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (signal.SIGABRT, "it needs more than 2 GB of memory: delete cells far from the table"),
        (signal.SIGXCPU, "it takes more than 30 seconds: save it again"),
        (signal.SIGSEGV, "its reader ended with SIGSEGV: save it again"),
    ],
)
def test_however_the_process_ends_a_sentence_says_why(number, why):
    workbook = Workbook("book.xlsx", "Excel", 0)
    os.kill(workbook._process.pid, number)
    with pytest.raises(ValueError, match=f"^book.xlsx cannot be read, as {why}, or save the table as CSV.$"):
        workbook.open(xlsx(ROWS))
    workbook.close()


@pytest.mark.parametrize("python", ["", "/no/such/python"])
def test_a_process_that_cannot_be_started_is_a_sentence(tmp_path, monkeypatch, python):
    monkeypatch.setattr(sys, "executable", python)
    assert "no process can be started for it" in said_of(tmp_path, xlsx(ROWS))


def test_a_frozen_program_does_not_start_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "no process can be started for it" in said_of(tmp_path, xlsx(ROWS))


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("data", "member"),
    [(xlsx(ROWS), SHEET), (xlsb(ROWS), "xl/worksheets/sheet1.bin"), (ods(ROWS), "content.xml")],
)
def test_damage_under_a_right_checksum_is_a_sentence_or_a_table(tmp_path, monkeypatch, data, member):
    monkeypatch.setattr(excel_workbook, "SECONDS", (1, 0))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        whole = archive.read(member)
    for position in range(7, len(whole), len(whole) // 6):
        for damaged in (whole[:position], whole[:position] + b"9" + whole[position + 1 :]):
            said_of(tmp_path, changed(data, member, (whole, damaged)))


def test_several_sheets_are_read_by_one_process():
    with open_workbook(xlsx(ROWS, [["d"], [5]], ROWS), "book.xlsx", "Excel") as workbook:
        process = workbook._process
        first = next(workbook.read("Sheet1").rows)
        assert (first, list(workbook.read("Sheet2").rows)) == ((1, ["a", "b", "c"]), [(1, ["d"]), (2, [5.0])])
        assert len(list(workbook.read("Sheet3").rows)) == 3
    assert process.returncode is not None  # no process is left


def children_of(process):
    return list(map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()))


def waited(condition):
    """What a condition returns as soon as that is true; it is soon, however busy the machine is."""
    for _ in range(10_000):
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("nothing happened")


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the processes are listed in /proc")
@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_stop_ends_both_processes(tmp_path, number, code, word):
    path = written(tmp_path, endless(), "book.ods")
    words = [sys.executable, "-m", "atfnb", "train", path, "-t", "a", "-o", f"{tmp_path}/m.json"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        child = waited(lambda: children_of(process))[-1]
        process.send_signal(number)
        said = process.communicate()[1].strip()
    assert (process.returncode, said) == (code, f"{word}; nothing was written.")
    assert waited(lambda: is_gone(child))
