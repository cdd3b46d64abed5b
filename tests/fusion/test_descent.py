"""L-BFGS finds the lowest point of a convex function, and never walks up."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit

from atfnb.fusion.descent import descend


@pytest.mark.parametrize("seed", range(5))
def test_the_lowest_point_is_that_of_scipy(seed):
    random = np.random.default_rng(seed)
    design, y = random.standard_normal((80, 12)) * 10.0 ** random.uniform(-1, 1, 12), random.integers(0, 2, 80)

    def loss(at):
        joint = design @ at
        value = float(np.logaddexp(0, joint).sum() - y @ joint + at @ at)
        return value, design.T @ (expit(joint) - y) + 2 * at

    at, _, converged = descend(loss, np.full(12, 3.0), 1e-6, 500)
    assert converged
    assert_allclose(at, minimize(loss, np.zeros(12), jac=True, options={"gtol": 1e-7}).x, atol=1e-4)


def test_no_step_raises_the_function_and_the_limit_of_steps_holds():
    values = []

    def steep(at):
        values.append(float((at**4).sum() + at.sum()))
        return values[-1], 4 * at**3 + 1

    at, n_iter, converged = descend(steep, np.full(3, 20.0), 1e-9, 7)
    assert (n_iter, converged) == (7, False)
    assert steep(at)[0] == min(values)


def test_a_function_that_is_at_its_lowest_is_left_there():
    assert descend(lambda at: (1.0, np.zeros(2)), np.ones(2), 1e-6, 10)[1:] == (0, True)
