"""Weights by likelihood: rows are left out honestly, and the loss has its derivatives and its minimum."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import check_grad

from atfnb._pieces import CodedRows
from atfnb.counts import count
from atfnb.fusion.likelihood import CountedRows, fuse_by_likelihood, log_loss, log_probabilities
from helpers.fusion_rows import counted
from helpers.strategies import coded_rows


@given(coded_rows(max_rows=14))
def test_leaving_out_is_fitting_without_the_row(case):
    codes, y, _ = case
    codes, y, weights, counts = counted((codes, y, np.ones(len(y))))
    evidence = log_probabilities(counts, alpha=1.0)
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        without = count(codes[others], y[others], weights[others], counts.n_values, len(counts.classes))
        honest = log_probabilities(without, 1.0)
        cells = counts.offsets[:-1] + codes[i]
        # the row's own class lacks the row; the other classes never had it
        assert_allclose(evidence.own[cells, y[i]], honest.table[cells, y[i]], rtol=1e-12)
        rest = np.arange(len(counts.classes)) != y[i]
        assert_allclose(evidence.table[cells][:, rest], honest.table[cells][:, rest], rtol=1e-12)
        scale = np.log(len(y) + len(counts.classes)) - np.log(len(y) - 1 + len(counts.classes))
        assert_allclose(evidence.own_prior[y[i]], honest.prior[y[i]], rtol=1e-12)
        assert_allclose(evidence.prior[rest] + scale, honest.prior[rest], rtol=1e-12, atol=1e-15)


def penalised(weights, theta, delta, data, shrinkage=None):
    naive = np.array([1.0, 0.0])
    return (
        log_loss(weights, None, data).value + 0.5 * ((theta - naive) ** 2).sum() + (shrinkage or 0) / 2 * delta @ delta
    )


@given(coded_rows(), st.sampled_from([None, 3.0]))
def test_the_fused_target_never_ends_above_its_start_and_has_its_gradient(case, shrinkage):
    codes, y, weights, counts = counted(case)
    indexes = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(CodedRows(codes, y, weights).in_blocks(), counts, log_probabilities(counts, 1.0))
    found = fuse_by_likelihood(indexes, data, shrinkage=shrinkage)
    assert found.converged
    end = penalised(found.weights, found.theta, found.delta, data, shrinkage)
    assert end <= log_loss(np.ones(codes.shape[1]), None, data).value * (1 + 1e-12)
    for basis in (None, indexes):
        at = np.linspace(0.5, 1.5, codes.shape[1] if basis is None else 2)

        def weigh(x, basis=basis):
            return x if basis is None else basis @ x

        def loss(x, basis=basis):
            return log_loss(weigh(x), basis, data).value

        def gradient(x, basis=basis):
            return log_loss(weigh(x), basis, data).gradient

        assert check_grad(loss, gradient, at) < 1e-4
        hessian = log_loss(weigh(at), basis, data).hessian
        nearby = np.column_stack([(gradient(at + 1e-6 * e) - gradient(at - 1e-6 * e)) / 2e-6 for e in np.eye(len(at))])
        assert_allclose(hessian, nearby, atol=1e-3)


@given(coded_rows())
def test_derivatives_by_coefficients_are_those_by_weights_carried_over(case):
    codes, y, weights, counts = counted(case)
    basis = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(CodedRows(codes, y, weights).in_blocks(), counts, log_probabilities(counts, 1.0))
    by_weights, by = (log_loss(basis @ [0.7, 0.4], b, data) for b in (None, basis))
    assert_allclose(by.value, by_weights.value, rtol=1e-12)
    assert_allclose(by.gradient, basis.T @ by_weights.gradient, rtol=1e-9, atol=1e-9)
    assert_allclose(by.hessian, basis.T @ by_weights.hessian @ basis, rtol=1e-9, atol=1e-9)


@given(coded_rows())
def test_a_search_for_coefficients_ends_at_the_same_place_wherever_it_begins(case):
    codes, y, weights, counts = counted(case)
    indexes = np.column_stack([np.ones(codes.shape[1]), np.linspace(0, 1, codes.shape[1])])
    data = CountedRows(CodedRows(codes, y, weights).in_blocks(), counts, log_probabilities(counts, 1.0))
    found, again = (fuse_by_likelihood(indexes, data, start=start) for start in (None, np.array([0.3, -0.4])))
    assert_allclose(again.theta, found.theta, atol=1e-3)
    one, other = (penalised(each.weights, each.theta, each.delta, data) for each in (found, again))
    assert_allclose(other, one, rtol=1e-7)
