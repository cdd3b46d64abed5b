"""The accuracy curve of a page: exact where it matters, however many steps there are."""

from types import SimpleNamespace

import numpy as np
import pytest

from atfnb.report.curve import MOST_STEPS, STOPS, curve_of, rounded
from atfnb.switching import accuracy_at


class Stepping:
    """A model with as many steps as one likes."""

    def __init__(self, edges, accuracy, beta, interval):
        self.curve = edges, accuracy
        self.beta_, self.beta_interval_, self.beta_accuracy_ = beta, interval, accuracy.max()
        self.beta_intervals_ = np.array([interval])
        self.relevance_ = self.redundancy_ = np.ones(1)
        self.counts_ = SimpleNamespace(weighted=False)

    def accuracy_curve(self):
        return self.curve


@pytest.mark.parametrize("n", [50, 60_000])
def test_the_best_step_stays_exact_however_many_and_narrow_the_steps_are(n):
    random = np.random.default_rng(n)
    edges = np.concatenate([[0.0], np.sort(random.random(n - 1)), [1.0]])
    edges[20:25] = edges[20] + np.arange(5) * 1e-11  # narrower than what rounding keeps
    edges = np.sort(edges)
    accuracy = random.random(n)
    accuracy[21] = 2.0
    low, high = edges[21], edges[22]
    curve = curve_of(Stepping(edges, accuracy, (low + high) / 2, (low, high)))
    assert len(curve.accuracy) == min(n, MOST_STEPS)
    assert curve.all_steps == n
    at = np.array([low, (low + high) / 2, np.nextafter(high, 0), np.nextafter(low, 0), high])
    assert accuracy_at(at, curve.edges, curve.accuracy).tolist() == accuracy_at(at, edges, accuracy).tolist()
    np.testing.assert_array_equal(accuracy_at(STOPS, curve.edges, curve.accuracy), accuracy_at(STOPS, edges, accuracy))
    assert (np.diff(curve.edges) >= 0).all()


def test_edges_are_short_but_for_those_beside_an_anchor(facts_for):
    edges = np.array([0.0, 0.1234567891234, 0.5000000001, 0.5000000004, 1.0])
    assert rounded(edges, np.array([0.5000000004])).tolist() == [0.0, 0.123456789, 0.5, 0.5000000004, 1.0]
