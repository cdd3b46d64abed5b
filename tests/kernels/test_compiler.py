"""Loops compile where nothing can be kept, say so once, and each room's file stands alone."""

import os
import subprocess
import sys

import pytest

from atfnb._kernels import compiler

ROOMS = ["encoding", "counts", "model", "switching", "fusion"]


def test_without_a_folder_to_write_to_the_loops_compile_all_the_same(tmp_path):
    code = """
import numpy as np
from numba.core.caching import CacheImpl
def nowhere(*_):
    raise RuntimeError("cannot cache function: no locator available")
CacheImpl.__init__ = nowhere
from atfnb._progress import when_compiling
when_compiling(print)
from atfnb.encoding import chimerge
print(chimerge(np.array([[5.0, 0.0], [4.0, 0.0], [0.0, 3.0]]), 2).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"HOME": str(tmp_path)},
    )
    assert done.stdout.splitlines() == [compiler.EACH_TIME, "[0, 2]"]
    assert done.stderr == ""


def test_compiling_is_announced_once_and_only_where_it_happens(tmp_path):
    code = """
import numpy as np
from atfnb._progress import when_compiling
when_compiling(print)
from atfnb.encoding import chimerge
chimerge(np.array([[5.0, 0.0], [4.0, 0.0], [0.0, 3.0]]), 2)
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        for _ in range(2)
    )
    assert first.stdout == f"{compiler.ONCE}\n"
    assert second.stdout == first.stderr == second.stderr == ""


LOOP = """
import resource, sys
if sys.argv[1:] == ["full"]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from atfnb._progress import when_compiling
when_compiling(lambda _: print("compiling"))
from atfnb._kernels.compiler import compiled

@compiled
def twice(x):
    return 2 * x

print(twice(21))
"""


@pytest.mark.slow
def test_loops_that_are_damaged_on_disk_or_cannot_be_kept_there_are_compiled_again(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def run(*words):
        command = [sys.executable, "loop.py", *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    assert run("full") == run() == ["compiling", "42"]
    assert run() == ["42"]
    for ending in ("nbi", "nbc"):
        (kept,) = tmp_path.rglob(f"*.{ending}")
        kept.write_bytes(kept.read_bytes()[: 20 if ending == "nbi" else 500])
        assert run("full") == run() == ["compiling", "42"]
        assert run() == ["42"]


@pytest.mark.parametrize("room", ROOMS)
def test_the_loops_of_a_room_load_no_others(room):
    code = f"import sys, atfnb._kernels.{room}; print(*(name for name in sys.modules if name.startswith('atfnb.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("atfnb._kernels.") for name in done.stdout.split() if "._kernels." in name}
    assert loaded == {room, "compiler"}
