"""Where a model is wrong: the confusion matrix, and what a threshold finds."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from atfnb import NB
from atfnb.evaluation import Answers
from atfnb.report.performance import thresholds_of


def test_many_classes_share_a_line_of_the_confusion_matrix(facts_for):
    y = np.repeat(np.arange(80), 4)
    X = y[:, None] + np.random.default_rng(0).normal(size=(320, 3))
    found = facts_for(NB(), X, y).data.performances[0]
    assert len(found.names) == 61
    assert found.names[-1] == "all others"
    assert np.shape(found.confusion) == (61, 61)
    assert np.sum(found.confusion) == 320
    assert np.sum(found.confusion[-1]) == 80


def test_what_a_threshold_finds_is_exact_at_every_stop_of_the_slider_however_many_probabilities_there_are():
    random = np.random.default_rng(0)
    p, truth = np.append(random.beta(0.3, 2.0, 5000), [0.5] * 9), random.integers(0, 2, 5009)
    found = thresholds_of(Answers(np.arange(5009), truth, (p > 0.5).astype(int), np.column_stack([1 - p, p])))
    for c, counts in ((1, found["atStops"][0]), (0, found["atStops"][1])):
        assert counts == [int((p[truth == c] > stop / 1000).sum()) for stop in range(1001)]
    assert np.shape(found["curve"]) == (2, 300)
    assert found["area"] == pytest.approx(roc_auc_score(truth, p), abs=1e-5)
