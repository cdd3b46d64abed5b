"""Numbers with very many values: their quantiles, exact in memory and sketched in parts."""

import sys
from functools import reduce
from operator import add

import numpy as np
import pytest

from atfnb.encoding.quantiles import Sketch

pytest.importorskip("datasketches", reason="datasketches has no wheel for this Python")

N = 200_000
RNG = np.random.default_rng(0)
HARD = {
    "heavy tails": RNG.standard_cauchy(N),
    "in order": np.arange(float(N)),
    "from both ends": np.column_stack([np.arange(N // 2), N - np.arange(N // 2)]).ravel().astype(float),
    "mostly one value": np.where(RNG.random(N) < 0.9, 0.0, RNG.lognormal(size=N)),
    "many ties": RNG.zipf(1.2, N).clip(0, 10**12).astype(float),
    "two clusters": np.where(RNG.random(N) < 0.5, 1e-9 * RNG.random(N), 1e9 + RNG.random(N)),
    "one cluster after another": np.r_[1e-9 * RNG.random(N // 2), 1e9 + RNG.random(N // 2)],
    "times of one day": 1.7e9 + np.sort(RNG.random(N)) * 86400,
    "the largest numbers": np.r_[RNG.normal(size=N - 2), -1.7e308, 1.7e308],
}


def sketch_of(values, sizes):
    """A sketch of parts of these sizes; what is left makes the last one."""
    return reduce(add, (Sketch.of(some, np.ones(len(some))) for some in np.split(values, np.cumsum(sizes))))


def ranks_off(values, edges, shares):
    """By how much of the rows the edges are no quantiles, by a sort."""
    lowest, highest = (np.searchsorted(np.sort(values), edges, side) / len(values) for side in ("left", "right"))
    return np.maximum(lowest - shares, shares - highest).max(initial=0.0)


@pytest.mark.parametrize("sizes", [[], [30_000] * 6, [1, 0, 7, 100_000, 60_000]])
@pytest.mark.parametrize("values", HARD.values(), ids=HARD)
def test_a_sketch_keeps_the_error_that_is_stated(values, sizes):
    edges, shares = sketch_of(values, sizes).candidates()
    assert ranks_off(values, edges, shares) < 0.0007
    assert edges[0] > values.min()
    assert edges[-1] <= values.max()


def test_a_sketch_of_a_table_is_that_of_its_rows():
    values, times = np.arange(3000.0), np.random.default_rng(0).integers(1, 900, 3000)
    edges, shares = Sketch.of_table(values, times.astype(float)).candidates(500)
    assert ranks_off(np.repeat(values, times), edges, shares) < 0.0007


def test_a_sketch_without_the_extra_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketches", None)
    with pytest.raises(ImportError, match=r"needs datasketches, which is missing: pip install 'atfnb\[scale\]'$"):
        Sketch.of(np.arange(50.0), np.ones(50))
