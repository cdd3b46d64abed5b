"""The compiled sums, powers and log-losses are those of NumPy and SciPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.special import logsumexp, softmax

from atfnb._kernels import fusion
from atfnb.model import AdditiveModel

NUMBERS = st.floats(-50, 50, width=32)


def test_powers_of_e_are_those_of_numpy():
    numbers = np.append(-np.geomspace(1e-300, 700, 999), [0.0, -1e9])
    powers = np.empty(len(numbers))
    fusion.powers_of_e(len(numbers), numbers.copy(), powers, powers.view(np.int64))
    assert_allclose(powers, np.exp(np.maximum(numbers, -700)), rtol=5e-16)


@st.composite
def additive_rows(draw):
    """Codes of three values a column, a table and a start for them: few and many classes take different loops."""
    classes = draw(st.sampled_from([1, 2, 3, 4, 5, 16, 17, 26, 97]))
    rows, attributes = draw(st.integers(1, 70)), draw(st.integers(1, 4))
    codes = draw(arrays(np.uint8, (rows, attributes), elements=st.integers(0, 2)))
    table = draw(arrays(float, (3 * attributes, classes), elements=NUMBERS))
    return codes, table, draw(arrays(float, classes, elements=NUMBERS))


@given(additive_rows())
def test_joint_log_likelihoods_of_any_number_of_classes_are_sums(case):
    codes, table, start = case
    offsets = 3 * np.arange(codes.shape[1] + 1)
    joint = AdditiveModel(offsets, table, start).joint(codes)
    assert_allclose(joint, start + table[codes + offsets[:-1]].sum(axis=1), atol=1e-12)


@given(st.data(), st.sampled_from([1, 2, 3, 4, 5, 16, 17, 26, 97]), st.integers(1, 70))
def test_log_losses_and_their_derivatives_are_those_of_scipy(data, classes, rows):
    joint = data.draw(arrays(float, (rows, classes), elements=NUMBERS))
    y = data.draw(arrays(np.int32, rows, elements=st.integers(0, classes - 1)))
    weight = data.draw(arrays(float, rows, elements=st.floats(1, 2, width=32)))
    derivatives = joint.copy()
    losses = fusion.log_losses(derivatives, y, weight)
    assert_allclose(losses, weight * (logsumexp(joint, axis=1) - joint[np.arange(rows), y]), atol=1e-12)
    assert_allclose(derivatives, weight[:, None] * (softmax(joint, axis=1) - np.eye(classes)[y]), atol=1e-12)
