"""A new file takes its place whole, and what killed processes left of it is removed, but nothing else."""

import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from atfnb import _files
from atfnb._files import NewFile, changing, check_writable, write_whole


def left(path, days=0.001):
    """What a process left of a file, some days ago."""
    leftover = path.with_name(f".{_files._stem(path.name)}.{uuid4().hex}.new")
    leftover.write_text("half")
    os.utime(leftover, times=(time.time() - days * 86400,) * 2)
    return leftover


@pytest.mark.parametrize("name", ["a.csv", "a" * 250, "ä" * 127, "a.[b]*.csv"])
def test_leftovers_of_killed_processes_are_removed(tmp_path, name):
    left(tmp_path / name)
    write_whole(tmp_path / name, "whole")
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "whole"


@pytest.mark.skipif(os.name == "nt", reason="there are no locks")
def test_what_may_still_be_written_or_is_not_ours_stays(tmp_path):
    path = tmp_path / "a.csv"
    kept = {left(path, days=0), left(tmp_path / "b.csv"), left(tmp_path / "a.csv.csv")}
    (tmp_path / f".a.csv.{uuid4().hex}").write_text("of another program")
    with NewFile(path) as other:
        other.file.write(b"later")
        other.file.flush()
        os.utime(other.file.name, times=(time.time() - 60,) * 2)
        write_whole(path, "whole")
        other.keep()
    assert path.read_text() == "later"
    assert len(os.listdir(tmp_path)) == len(kept) + 2


def test_a_file_that_a_killed_process_was_writing_is_removed_and_that_of_a_living_one_stays(tmp_path):
    program = "import sys; from pathlib import Path; from atfnb._files import NewFile\n"
    program += "new = NewFile(Path('a.csv')); print('open', flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        process.stdout.readline()
        (temporary,) = tmp_path.iterdir()
        os.utime(temporary, times=(time.time() - 60,) * 2)
        check_writable(tmp_path / "a.csv")
        assert temporary.exists()
        process.kill()
    check_writable(tmp_path / "a.csv")
    assert os.listdir(tmp_path) == []


def test_where_there_are_no_locks_a_temporary_file_is_given_up_after_a_week(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "_locked", lambda *_, wait: False)
    path = tmp_path / "a.csv"
    left(path, days=8)
    young = left(path, days=6)
    write_whole(path, "whole")
    assert sorted(os.listdir(tmp_path)) == sorted(["a.csv", young.name])


def test_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    write_whole(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640


def _somewhere(folder, what):
    """A path that no file can be written to."""
    path = folder / what
    if what == "loop":
        path.symlink_to(path)
    elif what == "dangling":
        path.symlink_to(folder / "gone" / "a.txt")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "file":
        path.write_text("")
        return path / "a.txt"
    return path / "a.txt" if what == "nowhere" else path


PLACES = {
    "nowhere": "there is no folder {0}/nowhere: create it",
    "file": "there is no folder {0}/file: create it",
    "dangling": "there is no folder {0}/gone: create it",
    "folder": "{0}/folder is a folder",
    "pipe": "{0}/pipe is a device or a pipe",
    "loop": "{0}/loop is a link that leads back to itself",
}


@pytest.mark.parametrize("what", PLACES)
def test_a_place_that_cannot_be_written_is_named_before_and_while_writing(tmp_path, what):
    path = _somewhere(tmp_path, what)
    for write in (check_writable, lambda path: write_whole(path, "text")):
        with pytest.raises(OSError, match=PLACES[what].format(tmp_path)):
            write(path)


def test_what_can_be_written_is_left_as_it_was(tmp_path):
    path = tmp_path / "a.txt"
    check_writable(path)
    assert os.listdir(tmp_path) == []
    path.write_text("old")
    check_writable(path)
    assert path.read_text() == "old"


def test_a_folder_that_cannot_be_written_to_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "_stem", lambda _: "x" * 300)  # permissions do not stop root
    with pytest.raises(OSError, match="File name too long") as caught:
        check_writable(tmp_path / "a.txt")
    assert caught.value.filename == str(tmp_path / "a.txt")


@pytest.fixture
def small_files():
    """A disk on which no file can grow beyond a kilobyte."""
    ignored, limits = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("size", [2_000, 2_000_000])
def test_a_disk_that_is_full_is_an_error_that_names_the_file(tmp_path, small_files, size):
    path = tmp_path / "a.txt"
    with pytest.raises(OSError, match="File too large") as caught:
        write_whole(path, "x" * size)
    assert caught.value.filename == str(path)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be replaced there")
def test_a_file_is_changed_by_one_at_a_time(tmp_path):
    path = tmp_path / "number.txt"
    path.write_text("0")

    def add_one(_):
        with changing(path):
            number = int(path.read_text())
            time.sleep(0.002)
            write_whole(path, str(number + 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add_one, range(40)))
    assert path.read_text() == "40"
    assert os.listdir(tmp_path) == ["number.txt"]


def test_what_is_no_file_is_not_waited_for(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with changing(path):
            pass
