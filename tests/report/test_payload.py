"""What the page's script reads, and how exact it is."""

import numpy as np
import pytest

from atfnb import NB
from atfnb.report.payload import packed, payload, scale_of


@pytest.mark.parametrize("kind", [np.int8, np.int16])
def test_packed_effects_are_off_by_half_a_step_at_most(kind):
    effects = np.random.default_rng(0).normal(size=(40, 7))
    step = scale_of(effects, kind)
    assert np.abs(packed(effects, kind) * step - effects).max() <= step / 2 * (1 + 1e-9)
    assert not packed(np.zeros((2, 2)), kind).any()


def test_many_classes_share_a_line_of_the_confusion_matrix(facts_for):
    y = np.repeat(np.arange(80), 4)
    X = y[:, None] + np.random.default_rng(0).normal(size=(320, 3))
    plain = payload(facts_for(NB(), X, y))["performances"][0]
    assert len(plain["shown"]) == 60
    assert len(plain["confusion"]) == 61**2
    assert sum(plain["confusion"]) == 320
