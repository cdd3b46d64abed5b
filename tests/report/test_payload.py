"""What the page's script reads, and how exact it is."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from atfnb import NB
from atfnb.evaluation import Answers
from atfnb.report.mistakes import thresholds_of
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


def test_what_a_threshold_finds_is_exact_at_every_stop_of_the_slider_however_many_probabilities_there_are():
    random = np.random.default_rng(0)
    p, truth = np.append(random.beta(0.3, 2.0, 5000), [0.5] * 9), random.integers(0, 2, 5009)
    found = thresholds_of(Answers(np.arange(5009), truth, (p > 0.5).astype(int), np.column_stack([1 - p, p])))
    for c, counts in ((1, found.at_stops[0]), (0, found.at_stops[1])):
        assert counts.tolist() == [int((p[truth == c] > stop / 1000).sum()) for stop in range(1001)]
    assert found.curve.shape == (2, 300)
    assert found.area == pytest.approx(roc_auc_score(truth, p))
