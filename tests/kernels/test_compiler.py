"""Loops compile where nothing can be kept, say so once, and each room's file stands alone."""

import os
import subprocess
import sys

import pytest

from atfnb._kernels import compiler

ROOMS = ["encoding", "counts", "model", "switching", "fusion", "tables"]


def test_without_a_folder_to_write_to_the_loops_compile_all_the_same(tmp_path):
    code = """
import numba, numpy as np
real = numba.njit
def njit(*args, cache=False, **kwargs):
    if cache:
        raise RuntimeError("cannot cache function: no locator available")
    return real(*args, **kwargs)
numba.njit = njit
from atfnb._processes import when_compiling
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
from atfnb._processes import when_compiling
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


@pytest.mark.parametrize("room", ROOMS)
def test_the_loops_of_a_room_load_no_others(room):
    code = f"import sys, atfnb._kernels.{room}; print(*(name for name in sys.modules if name.startswith('atfnb.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.removeprefix("atfnb._kernels.") for name in done.stdout.split() if "._kernels." in name}
    assert loaded == {room, "compiler"}
