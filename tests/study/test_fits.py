"""A fit is timed without what comes before it; in a process of its own it ends at its limit, or with its parent."""

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection

import numpy as np
import pytest

from atfnb_study.fits import FitTask, run, run_within
from atfnb_study.protocol import compile_loops
from helpers.peers import Breaks, Clocked, Dies, Sleeps, Talks

FIT = FitTask("Sleeps", Sleeps, np.zeros((4, 1)), np.array(["a", "b", "a", "b"]), np.zeros((3, 1)))
LONG = 300.0
"""Seconds that nothing here takes on a machine of any load, and less than the ten minutes of a fit that is stopped."""


def test_a_fit_gives_its_classes_and_predictions():
    for fitted in (run(FIT), run_within(LONG, FIT)):
        assert list(fitted.classes) == ["a", "b"]
        assert list(fitted.predicted) == ["a"] * 3
        np.testing.assert_array_equal(fitted.probability, [[1.0, 0.0]] * 3)


def test_the_seconds_are_those_of_the_fit_alone():
    for fitted in (run(replace(FIT, make=Clocked)), run_within(LONG, replace(FIT, make=Clocked))):
        making, fitting = fitted.predicted  # as the classifier measured them itself, on a machine of any load
        assert fitting <= fitted.seconds < fitting + making


def test_a_fit_that_takes_longer_than_the_limit_is_stopped_and_its_process_ended():
    started = time.perf_counter()
    assert run_within(0.2, replace(FIT, make=Sleeps.for_ten_minutes)) is None
    assert time.perf_counter() - started < LONG
    assert multiprocessing.active_children() == []


def test_the_limit_does_not_count_what_comes_before_the_fit(tmp_path, monkeypatch):
    note, limits = tmp_path / "made", []

    def poll(self, timeout):
        limits.append(timeout)
        assert note.exists(), "the limit began before the classifier was made"
        return wait(self, LONG)

    wait = Connection.poll
    monkeypatch.setattr(Connection, "poll", poll)
    assert run_within(0.2, replace(FIT, make=partial(Sleeps.noted, note))) is not None
    assert limits == [0.2]


def test_an_error_of_a_limited_fit_names_the_classifier():
    with pytest.raises(ValueError, match="Sleeps: no such table"):
        run_within(LONG, replace(FIT, make=Breaks))


def test_a_process_that_is_killed_is_reported_as_a_broken_pool_is():
    with pytest.raises(BrokenExecutor, match="the process that trained Sleeps was killed"):
        run_within(LONG, replace(FIT, make=Dies))


@pytest.mark.skipif(os.name == "nt", reason="processes are looked up as POSIX does")
def test_a_limited_fit_ends_when_its_parent_is_killed(tmp_path):
    note = tmp_path / "process"
    script = (
        "import sys; from functools import partial; from dataclasses import replace; sys.path[:0] = sys.argv[2:]\n"
        "if __name__ == '__main__':\n"
        "    from helpers.peers import Sleeps; from atfnb_study.fits import FitTask, run_within\n"
        "    run_within(300, FitTask('Sleeps', partial(Sleeps.for_ten_minutes, sys.argv[1]), [], [], []))\n"
    )
    (tmp_path / "parent.py").write_text(script)
    parent = subprocess.Popen([sys.executable, tmp_path / "parent.py", note, *sys.path[:2], os.path.dirname(__file__)])
    _wait(lambda: note.exists() and note.read_text())
    parent.kill()
    parent.wait()
    _wait(lambda: not _lives(int(note.read_text())))


def test_warnings_of_a_quiet_fit_are_dropped():
    run(replace(FIT, make=Talks, quiet=True))
    with pytest.warns(UserWarning, match="a remark"):
        run(replace(FIT, make=Talks))


def test_loops_arecompile_loopsd_on_a_few_rows_with_every_class():
    seen = []

    class Sees(Sleeps):
        def fit(self, X, y):
            seen.append((len(X), set(y)))
            return super().fit(X, y)

    labels = np.array(["a"] * 300 + ["b"])
    compile_loops(replace(FIT, make=Sees, train=np.zeros((301, 1)), labels=labels))
    assert seen == [(51, {"a", "b"})]


def _wait(happened, seconds=300.0):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def _lives(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{process}/stat") as state:
            return state.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
