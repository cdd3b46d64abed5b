"""The sweep in passes, with buckets, against brute force over all ends; in any pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb._pieces import KeptPieces
from atfnb.switching import Reach, accuracy_at, step_function, sweep, thinned
from atfnb.switching.intervals import LATTICE, NARROW
from helpers.strategies import row_intervals


def in_pieces(ends, weight, sizes=(5000,)):
    """The intervals of rows, cut after so many rows each."""
    cuts = np.cumsum(sizes)[:-1]
    pieces = [Reach(e, w) for e, w in zip(np.split(ends, cuts), np.split(weight, cuts), strict=True)]
    return KeptPieces(pieces, len(ends))


def random_intervals(rows, seed=1):
    """Some begin at 0, some end at 1, some rows have none."""
    rng = np.random.default_rng(seed)
    ends = np.sort(np.round(rng.random((rows, 2)) * LATTICE) / LATTICE, axis=1)
    ends[rng.random(rows) < 0.2, 0], ends[rng.random(rows) < 0.2, 1] = 0.0, 1.0
    ends[::7] = (1.0, 0.0)
    return ends, rng.integers(1, 4, rows).astype(float)


def assert_same(one, other):
    assert one.beta == other.beta
    assert one.accuracy == other.accuracy
    np.testing.assert_array_equal(one.intervals, other.intervals)


def test_coarse_and_full_sweep_agree(monkeypatch):
    ends, weight = random_intervals(5000)
    coarse = sweep(in_pieces(ends, weight), weight.sum()).found
    monkeypatch.setattr("atfnb.switching.buckets.ROWS_PER_BUCKET", 10**9)
    assert_same(sweep(in_pieces(ends, weight), weight.sum()).found, coarse)


def highest_gaps(ends, weight):
    """Brute force: the coverage of every gap between two ends, joined where it is the same; the highest wide ones."""
    points = np.unique(np.append(ends[ends[:, 0] < ends[:, 1]], [0.0, 1.0]))
    covers = (ends[:, :1] <= points[:-1]) & (ends[:, 1:] >= points[1:])
    gaps = []
    for low, high, covered in zip(points[:-1], points[1:], weight @ covers, strict=True):
        if gaps and gaps[-1][2] == covered:
            gaps[-1][1] = high
        else:
            gaps.append([low, high, covered])
    wide = [gap for gap in gaps if gap[1] - gap[0] >= NARROW]
    best = max(covered for _, _, covered in wide)
    return np.array([gap[:2] for gap in wide if gap[2] == best]), best / weight.sum()


@pytest.mark.parametrize("bits", [1, 3, 16])
@pytest.mark.parametrize("crowd", [1.0, 2.0**-12, 2.0**-30, 2.0**-38])
def test_where_too_many_ends_share_the_open_buckets_these_are_cut_again(monkeypatch, bits, crowd):
    """Ends that crowd around one β, down to a few multiples of 2⁻⁴⁰, many of them equal."""
    monkeypatch.setattr("atfnb.switching.buckets.MAX_ENDS", 20)
    monkeypatch.setattr("atfnb.switching.buckets.MAX_BITS", bits)
    ends, weight = random_intervals(3000)
    crowded = np.where(ends[:, :1] < ends[:, 1:], 0.3 + crowd * (ends - 0.3), ends)
    crowded = np.where(ends[:, :1] < ends[:, 1:], np.round(crowded * LATTICE) / LATTICE, ends)
    found = sweep(in_pieces(crowded, weight), weight.sum()).found
    intervals, accuracy = highest_gaps(crowded, weight)
    assert found.accuracy == accuracy
    np.testing.assert_allclose(found.intervals, intervals, rtol=0, atol=5 / LATTICE)
    monkeypatch.setattr("atfnb.switching.buckets.MAX_ENDS", 10**9)
    assert_same(sweep(in_pieces(crowded, weight), weight.sum()).found, found)


def test_ends_at_0_and_at_1_are_never_too_many(monkeypatch):
    """Where the best reaches the edge, as many ends as rows are there: they are counted, not looked at."""
    monkeypatch.setattr("atfnb.switching.buckets.MAX_ENDS", 20)
    ends = np.column_stack([np.zeros(1000), np.ones(1000)])
    ends[:9, 0] = 0.5
    found = sweep(in_pieces(ends, np.ones(1000), (1000,)), 1000.0)
    assert found.found.interval == pytest.approx((0.5, 1.0), abs=5 / LATTICE)
    assert len(found.first.buckets.shifts) == 1
    assert sweep(in_pieces(ends[9:], np.ones(991), (991,)), 991.0).found.interval == (0.0, 1.0)


@given(row_intervals(), st.data())
def test_any_partitioning_of_the_rows_has_the_best_of_brute_force(case, data):
    ends, weight = case
    rows = len(ends)
    cuts = sorted(data.draw(st.lists(st.integers(0, rows), max_size=6)))
    sizes = np.diff([0, *cuts, rows])
    whole = sweep(in_pieces(ends, weight, (rows,)), weight.sum())
    parts = sweep(in_pieces(ends, weight, sizes), weight.sum())
    assert_same(whole.found, parts.found)
    intervals, accuracy = highest_gaps(ends, weight)
    assert whole.found.accuracy == accuracy
    np.testing.assert_allclose(whole.found.intervals, intervals, rtol=0, atol=5 / LATTICE)


def test_the_coarse_curve_is_exact_at_the_lines_and_where_it_is_highest():
    ends, weight = random_intervals(20_000)
    swept = sweep(in_pieces(ends, weight), weight.sum())
    edges, accuracy = step_function(ends, weight)
    coarse_edges, coarse = swept.curve
    assert coarse.max() == accuracy.max() == swept.found.accuracy
    lines = swept.first.buckets.firsts[1:] / LATTICE
    np.testing.assert_array_equal(accuracy_at(lines, coarse_edges, coarse), accuracy_at(lines - 1e-13, edges, accuracy))
    assert len(coarse) < len(accuracy) / 10


def test_the_coarse_sweep_opens_few_buckets():
    ends, weight = random_intervals(200_000)
    swept = sweep(in_pieces(ends, weight, (200_000,)), weight.sum())
    assert swept.first.is_open.mean() < 0.2
    assert len(swept.edge) < len(ends) / 4


@given(
    inner=st.lists(st.integers(1, 999), unique=True, max_size=60),
    anchors=st.lists(st.integers(0, 1000), max_size=5),
    steps=st.integers(1, 70),
)
def test_a_thinned_curve_is_exact_around_its_anchors(inner, anchors, steps):
    edges = np.array([0, *sorted(inner), 1000]) / 1000
    accuracy, wanted = np.arange(len(edges) - 1.0), np.array(anchors, dtype=np.float64) / 1000
    fewer, kept = thinned(edges, accuracy, steps, wanted)
    assert len(kept) == min(steps, len(accuracy)) == len(fewer) - 1
    assert np.isin(fewer, edges).all()
    assert (fewer[0], fewer[-1]) == (0, 1)
    np.testing.assert_array_equal(kept, accuracy_at(fewer[:-1], edges, accuracy))
    if steps > 3 * len(anchors):
        around = np.concatenate([wanted, np.nextafter(wanted, -1), np.nextafter(wanted, 2)])
        np.testing.assert_array_equal(accuracy_at(around, fewer, kept), accuracy_at(around, edges, accuracy))
