"""Effects of values: the penalised loss has its gradient, and centring changes no probability."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import check_grad
from scipy.special import logsumexp

from atfnb import FusionNB
from atfnb._pieces import CodedRows
from atfnb.fusion.effects import MISSING, RANGE, Effects, centred_effects, joint_of, penalised_loss
from atfnb.fusion.learning import learn_effects
from helpers.fusion_rows import fine_rows, fine_setting
from helpers.strategies import examples, mixed_table


@examples(40)
@given(mixed_table(), st.booleans(), st.integers(0, 99))
def test_the_target_of_effects_has_its_gradient_and_falls(case, with_naive_sum, seed):
    table, y, weights = case
    setting, rows = fine_setting(table, y, weights)
    rng = np.random.default_rng(seed)
    if with_naive_sum:
        rows = CodedRows(rows.codes, rows.y, rows.weight, rng.normal(size=(len(y), len(setting.prior))))
    shape = setting.counts.values.shape
    blocks = rows.in_blocks(shape[0])

    def effects(x):
        return Effects(x[: shape[0] * shape[1]].reshape(shape), x[shape[0] * shape[1] : -1], float(x[-1]))

    def flat(one):
        return np.concatenate([one.values.ravel(), one.bias, [one.gamma]])

    at = rng.normal(size=shape[0] * shape[1] + shape[1] + 1)
    setting = setting.shrunk(0.3, 0.1)
    error = check_grad(
        lambda x: penalised_loss(effects(x), setting, blocks)[0],
        lambda x: flat(penalised_loss(effects(x), setting, blocks)[1]),
        at,
    )
    assert error < 1e-4 * (10 + penalised_loss(effects(at), setting, blocks)[0])  # differences lose bits of it
    learned = learn_effects(setting, blocks, effects(at), tolerance=1e-4, max_iter=2000)
    assert learned.converged
    end, start = (penalised_loss(one, setting, blocks)[0] for one in (learned.effects, effects(at)))
    assert end <= start
    assert np.abs(flat(penalised_loss(learned.effects, setting, blocks)[1])).max() < 1e-2


@examples(40)
@given(mixed_table(), st.integers(0, 99), st.sampled_from([0.5, 2.0]), st.sampled_from([0.03, 1.0]))
def test_the_penalty_is_its_formula_and_of_straight_lines_the_share_that_is_asked_for(case, seed, shrinkage, slope):
    fine, setting, _ = fine_rows(*case)
    values = np.random.default_rng(seed).normal(size=setting.counts.values.shape)
    u, expected = values - values.mean(axis=1, keepdims=True), 0.0
    for j, n in enumerate(fine.encoder.n_values):
        first = setting.counts.offsets[j]
        cells = range(first, first + n)
        numbers = [k for k in cells if fine.ordered[k]]
        for k in set(cells) - set(numbers):
            expected += (MISSING * max(shrinkage, 1.0) if fine.encoder.missing[k] else shrinkage) * u[k] @ u[k] / 2
        if len(numbers) > 1:
            steps, rise = np.diff(u[numbers], axis=0), u[numbers[-1]] - u[numbers[0]]
            distance = fine.distance[numbers[1:]]
            assert_allclose(distance.sum(), 1.0)
            bent = (steps**2 / distance[:, None]).sum() - rise @ rise
            expected += shrinkage * (bent + slope * rise @ rise) / (2 * RANGE)
    values[setting.counts.offsets[1:] - 1] = 0.0  # what is unknown has no effect
    assert_allclose(setting.shrunk(shrinkage, slope).penalty(values)[0], expected, rtol=1e-9)


def test_a_missing_value_of_two_rows_says_hardly_anything_under_a_weak_shrinkage():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 2))
    y = (rng.random(250) < 0.05).astype(int)
    X[[int(np.flatnonzero(y == c)[0]) for c in (0, 1)], 1] = np.nan
    model = FusionNB(shrinkage=0.01, pairs=0).fit(X, y)
    effect = model.value_effects_[model.counts_.offsets[2] - 2]
    assert 0 < abs(effect[1] - effect[0]) < 0.2


@examples(40)
@given(mixed_table())
def test_centred_effects_give_the_same_probabilities(case):
    table, y, weights = case
    setting, rows = fine_setting(table, y, weights)
    rng = np.random.default_rng(0)
    values = rng.normal(size=setting.counts.values.shape)
    effects = Effects(values, rng.normal(size=len(setting.prior)), 0.0)
    before, after = (joint_of(one, setting, rows) for one in (effects, centred_effects(effects, setting)))
    for scores in (before, after):
        scores -= logsumexp(scores, axis=1, keepdims=True)
    assert_allclose(after, before, atol=1e-10)
    assert_allclose(
        setting.counts.per_attribute(setting.share * centred_effects(effects, setting).values), 0, atol=1e-12
    )
