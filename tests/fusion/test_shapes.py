"""Shapes of effects: the optimum under constraints has an oracle, and effects that obey need no change."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import check_grad, minimize

from atfnb.fusion.effects import Effects, constraints_of, penalised_loss
from atfnb.fusion.learning import learn_effects, obeying
from atfnb.fusion.shapes import Shape, nearest
from helpers.fusion_rows import fine_rows
from helpers.strategies import examples, mixed_table

KINDS = ("rising", "falling", "convex", "concave")


@st.composite
def shapes_of(draw, n_classes):
    """Shapes of the two numbers of a mixed table."""
    found = []
    for attribute in draw(st.lists(st.integers(0, 1), min_size=1, max_size=3)):
        first, second = draw(st.permutations(range(n_classes)))[:2]
        others = draw(st.sampled_from([[second], [c for c in range(n_classes) if c != first]]))
        each = np.eye(n_classes)
        found.append(Shape(attribute, draw(st.sampled_from(KINDS)), each[first] - each[others]))
    return sorted(found, key=lambda shape: shape.attribute)


def shaped(data, case):
    fine, setting, rows = fine_rows(*case, max_cuts=5)
    shapes = data.draw(shapes_of(len(setting.prior)))
    return replace(setting, shapes=constraints_of(shapes, fine, setting.counts)), rows, fine, shapes


def of_flat(x, setting):
    shape = setting.counts.values.shape
    return Effects(x[: shape[0] * shape[1]].reshape(shape), x[shape[0] * shape[1] :], 0.0)


def flat(one):
    return np.concatenate([one.values.ravel(), one.bias])


@examples(25)
@given(mixed_table(), st.data(), st.sampled_from([0.1, 3.0]))
def test_the_effects_are_those_that_a_general_solver_finds(case, data, shrinkage):
    setting, rows, _, _ = shaped(data, case)
    setting, blocks = setting.shrunk(shrinkage), rows.in_blocks()
    free = replace(setting, shapes=None)
    learned = learn_effects(setting, blocks, Effects.none(setting), tolerance=1e-3, max_iter=5000)
    effects = obeying(learned.effects, setting, blocks)
    matrix = np.pad(setting.shapes.matrix.toarray(), ((0, 0), (0, len(setting.prior))))
    assert (matrix @ flat(effects)).min(initial=0.0) > -1e-9

    def target(x):
        loss, gradient = penalised_loss(of_flat(x, free), free, blocks)
        return loss + 5e-7 * x @ x, flat(gradient) + 1e-6 * x  # so that what changes nothing has one answer

    start = np.zeros(matrix.shape[1])
    law = [{"type": "ineq", "fun": lambda x: matrix @ x, "jac": lambda x: matrix}] if len(matrix) else []
    oracle = minimize(target, start, jac=True, method="SLSQP", constraints=law, options={"maxiter": 500, "ftol": 1e-9})
    reached = penalised_loss(effects, free, blocks)[0]
    assert reached < oracle.fun + 1e-2 + 1e-3 * abs(oracle.fun)
    if oracle.success:
        assert reached > oracle.fun - 1e-2


@examples(25)
@given(mixed_table(), st.data(), st.integers(0, 99))
def test_what_presses_against_a_violation_has_its_gradient(case, data, seed):
    setting, rows, _, _ = shaped(data, case)
    rng, blocks = np.random.default_rng(seed), rows.in_blocks()
    values = rng.normal(size=setting.counts.values.shape)
    pressed = setting.shapes.pressed(rng.normal(size=values.shape))
    setting = replace(setting, shapes=pressed)
    x = flat(Effects(values, np.zeros(len(setting.prior)), 0.0))
    error = check_grad(
        lambda x: penalised_loss(of_flat(x, setting), setting, blocks)[0],
        lambda x: flat(penalised_loss(of_flat(x, setting), setting, blocks)[1]),
        x,
    )
    assert error < 1e-4 * (10 + penalised_loss(of_flat(x, setting), setting, blocks)[0])


@examples(25)
@given(mixed_table(), st.data())
def test_shapes_are_those_of_the_numbers_themselves(case, data):
    setting, _, fine, shapes = shaped(data, case)
    table, counts = np.array([row[:2] for row in case[0]]), setting.counts
    row = 0
    for shape in shapes:
        cells = counts.offsets[shape.attribute] + fine.in_order(shape.attribute)
        column = table[:, shape.attribute]
        known, weight = column[~np.isnan(column)], case[2][~np.isnan(column)]
        codes = np.searchsorted(fine.encoder.attributes[shape.attribute].cuts, known, side="right")
        mean = np.bincount(codes, weight * known, len(cells)) / np.maximum(np.bincount(codes, weight, len(cells)), 1e-9)
        if (np.bincount(codes, minlength=len(cells)) == 0).any():
            return
        slope = {"rising": 1, "falling": -1, "convex": 2, "concave": -2}[shape.kind]
        of_numbers = np.sign(slope) * mean ** abs(slope)  # obeys
        for contrast in shape.contrasts:
            values = np.zeros_like(counts.values)
            values[cells] = np.outer(of_numbers - of_numbers.min(), contrast)
            n_rows = max(len(cells) - (2 if abs(slope) == 2 else 1), 0) * len(shape.contrasts)
            differences = (setting.shapes.matrix @ values.ravel())[row : row + n_rows]
            assert differences.min(initial=0.0) >= -1e-9
            assert not n_rows or differences.max() > 0
        row += n_rows


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=8))
def test_the_nearest_effects_that_rise_are_those_of_isotonic_regression(effects):
    from sklearn.isotonic import isotonic_regression

    effects, differences = np.array(effects), Shape(0, "rising", np.ones((1, 1))).differences(np.arange(len(effects)))
    found = nearest(effects, differences)
    assert_allclose(found, isotonic_regression(effects), atol=1e-9)
    assert_array_equal(nearest(np.sort(effects), differences), np.sort(effects))


@pytest.mark.parametrize(("kind", "obeys"), [("rising", [0, 1, 1.5]), ("convex", [1, 0, 1]), ("concave", [0, 1, 1])])
def test_each_shape_is_what_its_name_says(kind, obeys):
    differences = Shape(0, kind, np.ones((1, 1))).differences(np.array([0.0, 1.0, 2.0]))
    assert (differences @ obeys).min() >= 0 > (differences @ -np.array(obeys)).min()
