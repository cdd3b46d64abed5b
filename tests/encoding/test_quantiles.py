"""Tables of values and classes, against NumPy's own; the quantiles of very many values, exact and sketched."""

import sys
from functools import reduce
from importlib.util import find_spec
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from atfnb import ATFNB
from atfnb.encoding.quantiles import Sketch, class_table, distinct_values, halfway, weighted_mean

numbers = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.0, 1.5]), max_size=40)


@given(numbers, st.integers(1, 9), st.randoms())
def test_a_table_counts_each_value_with_each_class_in_any_order(drawn, n_classes, random):
    values = np.array(drawn)
    y = np.array([random.randrange(n_classes) for _ in drawn], dtype=np.int32)
    expected, position = np.unique(values, return_inverse=True)
    eighths = np.array([random.randrange(1, 9) / 8 for _ in drawn])
    for weight in (np.broadcast_to(1.0, len(values)), np.full(len(values), 0.25), eighths):
        table = np.zeros((len(expected), n_classes))
        np.add.at(table, (position, y), weight)
        order = np.array(random.sample(range(len(values)), len(values)), dtype=np.intp)
        distinct, weights = distinct_values(values[order], weight[order])
        assert_array_equal(distinct, expected)
        assert_array_equal(weights, table.sum(axis=1))
        assert_array_equal(class_table(distinct, values[order], y[order], weight[order], n_classes), table)
        assert not np.signbit(distinct[distinct == 0]).any()


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 1000])
def test_every_value_is_found_in_tables_of_any_length(n):
    distinct = np.arange(float(n))
    y = np.zeros(n, dtype=np.int32)
    assert_array_equal(
        class_table(distinct, distinct[::-1].copy(), y, np.arange(n) + 1.0, 1)[:, 0], np.arange(n, 0, -1)
    )


def test_a_cut_lies_above_the_value_below_it():
    below = np.array([1.0, np.nextafter(1.0, 2.0), 1.7e308])
    above = np.array([np.nextafter(1.0, 2.0), 2.0, 1.75e308])
    cuts = halfway(below, above)
    assert (below < cuts).all()
    assert (cuts <= above).all()


@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.integers(1, 5)), min_size=1, max_size=20, unique_by=lambda pair: pair[0]
    )
)
def test_the_mean_is_that_of_the_rows(pairs):
    distinct, weight = np.array(sorted(pairs), dtype=float).T
    assert weighted_mean(distinct, weight) == pytest.approx(np.repeat(distinct, weight.astype(int)).mean(), abs=1e-12)


def test_the_mean_of_the_largest_numbers_is_found():
    assert weighted_mean(np.array([-1.79e308, 0, 1.79e308]), np.array([3.0, 0, 7])) == pytest.approx(0.4 * 1.79e308)


# --- Sketches ---------------------------------------------------------------------------------------

sketches = pytest.mark.skipif(find_spec("datasketches") is None, reason="datasketches has no wheel for this Python")
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


@sketches
@pytest.mark.parametrize("sizes", [[], [30_000] * 6, [1, 0, 7, 100_000, 60_000]])
@pytest.mark.parametrize("values", HARD.values(), ids=HARD)
def test_a_sketch_keeps_the_error_that_is_stated(values, sizes):
    edges, shares = sketch_of(values, sizes).candidates()
    assert ranks_off(values, edges, shares) < 0.0007
    assert edges[0] > values.min()
    assert edges[-1] <= values.max()


@sketches
def test_a_sketch_of_a_table_is_that_of_its_rows():
    values, times = np.arange(3000.0), np.random.default_rng(0).integers(1, 900, 3000)
    edges, shares = Sketch.of_table(values, times.astype(float)).candidates(500)
    assert ranks_off(np.repeat(values, times), edges, shares) < 0.0007


def test_a_sketch_without_the_extra_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketches", None)
    with pytest.raises(ImportError, match=r"needs datasketches, which is missing: pip install 'atfnb\[scale\]'$"):
        Sketch.of(np.arange(50.0), np.ones(50))


@sketches
def test_the_summary_tells_how_far_candidate_cuts_are_off(tmp_path):
    pytest.importorskip("dask")
    from atfnb.scale import fit_files
    from helpers.scale_tables import fine_frame

    frame = fine_frame()
    frame.to_parquet(tmp_path / "0.parquet", index=False, row_group_size=10_000)
    _, summary = fit_files(ATFNB(), tmp_path, "kind", ignore=["w"])
    assert [name for name, _ in summary.rank_errors] == ["fine", "skewed"]
    for name, error in summary.rank_errors:
        edges, shares = Sketch.of(frame[name].to_numpy(), np.ones(len(frame))).candidates()
        below = np.array([(frame[name] < edge).mean() for edge in edges[::100]])
        assert np.abs(below - shares[::100]).max() <= error < 0.0007
    assert "candidate cuts of 2 columns are off by at most 0.0" in summary.text
