import os
import subprocess
import sys


def test_without_a_folder_to_write_to_the_loops_compile_all_the_same(tmp_path):
    code = """
import numba, numpy as np
real = numba.njit
def njit(*args, cache=False, **kwargs):
    if cache:
        raise RuntimeError("cannot cache function: no locator available")
    return real(*args, **kwargs)
numba.njit = njit
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
    assert done.stdout.strip() == "[0, 2]"
    assert done.stderr == ""
