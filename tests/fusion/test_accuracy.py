"""Weights by accuracy: the paper's line is searched as QSF does, and a climb never goes down."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

from atfnb import ATFNB, FusionNB
from atfnb._pieces import CodedRows
from atfnb.fusion.fitting import fuse_by_accuracy, search_segment
from atfnb.fusion.likelihood import CountedRows, log_probabilities
from helpers.fusion_rows import counted
from helpers.strategies import coded_rows, examples


@given(coded_rows())
def test_the_papers_segment_is_qsf(case):
    codes, y, weights = case
    model = ATFNB(categorical_features="all").fit(codes, y, weights)
    coded, y, weights = model.encoder_.encode(codes), y.astype(np.int32), weights.astype(float)
    evidence = log_probabilities(model.counts_, 1.0)
    evidence = evidence._replace(own=evidence.table, own_prior=evidence.prior)  # without leaving a row out
    data = CountedRows(CodedRows(coded, y, weights).in_blocks(), model.counts_, evidence)
    found = search_segment(-model.redundancy_, model.relevance_, data)
    assert found.interval == model.beta_interval_
    assert found.accuracy == model.beta_accuracy_
    assert_array_equal(found.intervals, model.beta_intervals_)


def test_equal_rows_that_folds_share_out_are_fused_by_accuracy():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (200, 2)).astype(str), random.integers(0, 2, 200)
    assert FusionNB(criterion="accuracy", pairs=0).fit(X, y).score(X, y) >= 0.5


@examples(20)
@given(coded_rows())
def test_a_climb_never_ends_below_its_starts(case):
    codes, y, weights, counts = counted(case)
    indexes = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(CodedRows(codes, y, weights).in_blocks(), counts, log_probabilities(counts, 1.0))
    starts = [np.array([1.0, 0.0]), np.array([0.3, -0.5])]
    climb = fuse_by_accuracy(starts, indexes, data, random=np.random.default_rng(0), max_iter=5)

    def accuracy(theta):
        w = indexes @ theta
        return search_segment(w, w, data).accuracy

    assert climb.accuracy == pytest.approx(accuracy(climb.theta), abs=1e-12)
    assert all(climb.accuracy >= accuracy(start) - 1e-12 for start in starts)
