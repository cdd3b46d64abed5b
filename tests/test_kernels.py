import os
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import logsumexp, softmax

from atfnb._kernels import compiler, fusion
from atfnb.counts import Counts
from atfnb.model import AdditiveModel


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


def test_powers_of_e_are_those_of_numpy():
    numbers = np.append(-np.geomspace(1e-300, 700, 999), [0.0, -1e9])
    powers = np.empty(len(numbers))
    fusion.powers_of_e(len(numbers), numbers.copy(), powers, powers.view(np.int64))
    assert_allclose(powers, np.exp(np.maximum(numbers, -700)), rtol=5e-16)


@given(
    st.sampled_from([1, 2, 3, 4, 5, 16, 17, 26, 97]),
    st.integers(1, 70),
    st.integers(1, 4),
    st.integers(0, 99),
)
def test_sums_and_log_losses_of_any_number_of_classes_are_those_of_numpy(classes, rows, attributes, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (rows, attributes)).astype(np.uint8)
    counts = Counts(np.full(attributes, 2), np.ones(classes), rng.normal(size=(3 * attributes, classes)))
    start, y = rng.normal(size=classes), rng.integers(0, classes, rows).astype(np.int32)
    scores = AdditiveModel(counts.offsets, counts.values, start).joint(codes)
    assert_allclose(scores, start + counts.values[codes + counts.offsets[:-1]].sum(axis=1), atol=1e-12)
    weight, derivatives = rng.uniform(1, 2, rows), scores.copy()
    losses = fusion.log_losses(derivatives, y, weight)
    assert_allclose(losses, weight * (logsumexp(scores, axis=1) - scores[np.arange(rows), y]), atol=1e-12)
    assert_allclose(derivatives, weight[:, None] * (softmax(scores, axis=1) - np.eye(classes)[y]), atol=1e-12)


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
