"""Ctrl-C and SIGTERM, at whatever moment: one sentence, an exit code, and no file that is not complete."""

import os
import signal
import subprocess
import sys

import pyarrow as pa
import pytest

from atfnb import NB, save

GOOD = "size,colour,kind\n" + "".join(f"{i % 7}.5,{'rg'[i % 2]},{'ab'[i % 3 > 0]}\n" for i in range(30))
COMMAND = "import sys; from atfnb.__main__ import main; sys.argv[0] = 'atfnb'; main()"

AT_IMPORTS = f"""
import atexit, os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command has its own, as without Python
seen, ends, first = 0, [], os.getpid()

def stop_a_copy(event, _):
    # A copy of the process is stopped here, and must end here; the process itself goes on.
    global seen
    seen += event == "import"
    if event != "import" or seen % 100:
        return
    copy = os.fork()
    if copy == 0:
        os.kill(os.getpid(), signal.SIGINT)
        return
    ends.append(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]))

sys.addaudithook(stop_a_copy)
atexit.register(lambda: os.getpid() == first and print(*ends))
{COMMAND}
"""

IN_WORK = """
import os, signal, sys
from atfnb import __main__
from atfnb.cli import predictor

if signal.{name} != signal.SIGKILL:
    signal.signal(signal.{name}, signal.SIG_DFL)  # whatever the tests were started by
add = predictor.Predictor.add

def stopped(self, batch):
    if self.rows:
        os.kill(os.getpid(), signal.{name})
    return add(self, batch)

predictor.Predictor.add = stopped
__main__.main()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.csv").write_text(GOOD)
    return tmp_path


@pytest.fixture
def model(tmp_path):
    X = pa.table({"size": [1.5, 2.5] * 9, "colour": ["r", "g"] * 9})
    save(NB().fit(X, ["a", "b"] * 9), tmp_path / "model.json")
    rows = "".join(f"{i % 7}.5,{'rg'[i % 2]}\n" for i in range(70_000))  # more than one batch
    (tmp_path / "new.csv").write_text(f"size,colour\n{rows}")
    return tmp_path


def run(folder, program, *words):
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies of a process are made by fork")
def test_an_interruption_of_the_imports_is_one_sentence(folder):
    done = run(folder, AT_IMPORTS, "train", "good.csv", "-t", "kind", "-c", "nb")
    ends = [*map(int, done.stdout.split())]
    assert done.returncode == 0
    assert len(ends) > 8
    first = next(place for place, end in enumerate(ends) if end != -signal.SIGINT)
    assert first <= 1, "much was imported before stops are handled"
    assert set(ends[first:]) == {128 + signal.SIGINT}
    assert "Traceback" not in done.stderr
    assert done.stderr.count("interrupted; nothing was written.") + done.stderr.count("interrupted.") == len(
        ends[first:]
    )


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [
        ("SIGINT", 130, "interrupted"),
        pytest.param("SIGTERM", 143, "terminated", marks=pytest.mark.slow),
        pytest.param("SIGHUP", 129, "terminated", marks=pytest.mark.slow),
    ],
)
def test_a_stop_leaves_no_file_that_is_not_complete(model, name, code, word):
    before = sorted(os.listdir(model))
    done = run(model, IN_WORK.format(name=name), "predict", "model.json", "new.csv", "-o", "out.csv")
    assert done.returncode == code
    assert done.stderr == f"\n{word}; nothing was written.\n"
    assert sorted(os.listdir(model)) == before


def test_what_a_killed_run_leaves_is_removed_by_the_next(model):
    before = sorted(os.listdir(model))
    done = run(model, IN_WORK.format(name="SIGKILL"), "predict", "model.json", "new.csv", "-o", "out.csv")
    assert done.returncode == -signal.SIGKILL
    assert len(os.listdir(model)) == len(before) + 1
    done = run(model, COMMAND, "predict", "model.json", "new.csv", "-o", "out.csv")
    assert done.returncode == 0
    assert sorted(os.listdir(model)) == sorted([*before, "out.csv"])


@pytest.mark.slow
def test_a_second_stop_ends_at_once_and_leaves_nothing_either(model):
    before = sorted(os.listdir(model))
    late = IN_WORK.format(name="SIGTERM").replace(
        "__main__.main()",
        "from atfnb.tables import TableWriter\n"
        "TableWriter._let_go = lambda self: os.kill(os.getpid(), signal.SIGTERM)\n"
        "__main__.main()",
    )
    done = run(model, late, "predict", "model.json", "new.csv", "-o", "out.csv")
    assert done.returncode == 143
    assert "Traceback" not in done.stderr
    assert sorted(os.listdir(model)) == before


def test_a_signal_that_is_ignored_stays_ignored(folder):
    program = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {COMMAND}"
    late = program.replace("main()", "import os; os.kill(os.getpid(), signal.SIGINT); main()")
    assert run(folder, late, "--version").returncode == 0
