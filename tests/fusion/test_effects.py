"""Effects of values: the penalised loss has its gradient, and centring changes no probability."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import check_grad
from scipy.special import logsumexp

from atfnb._pieces import CodedRows
from atfnb.fusion.effects import Effects, centred_effects, joint_of, penalised_loss
from atfnb.fusion.learning import learn_effects
from helpers.fusion_rows import fine_setting
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
    error = check_grad(
        lambda x: penalised_loss(effects(x), 2.0, setting, blocks)[0],
        lambda x: flat(penalised_loss(effects(x), 2.0, setting, blocks)[1]),
        at,
    )
    assert error < 1e-4 * (10 + penalised_loss(effects(at), 2.0, setting, blocks)[0])  # differences lose bits of it
    learned = learn_effects(0.3, setting, blocks, effects(at), tolerance=1e-4, max_iter=2000)
    assert learned.converged
    end, start = (penalised_loss(one, 0.3, setting, blocks)[0] for one in (learned.effects, effects(at)))
    assert end <= start
    assert np.abs(flat(penalised_loss(learned.effects, 0.3, setting, blocks)[1])).max() < 1e-2


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
