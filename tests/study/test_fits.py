"""A fit is timed on its processor, without what comes before it."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

from atfnb_study.fits import FitTask, run
from atfnb_study.protocol import compile_loops


class First:
    """Predicts the first class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), dtype=int)]

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[np.zeros(len(X), dtype=int)]


class Works(First):
    """Works while it is made and trained, sleeps in between, and predicts how long it worked to be trained."""

    def __init__(self):
        work(0.5)

    def fit(self, X, y):
        time.sleep(0.5)
        self.seconds = work(0.1)
        return super().fit(X, y)

    def predict(self, X):
        work(0.5)
        return self.seconds


class Talks(First):
    def fit(self, X, y):
        warnings.warn("a remark", UserWarning, stacklevel=2)
        return super().fit(X, y)


FIT = FitTask(First, np.zeros((4, 1)), np.array(["a", "b", "a", "b"]), np.zeros((3, 1)))


def work(seconds):
    started = time.process_time()
    while time.process_time() < started + seconds:
        pass
    return time.process_time() - started


def test_a_fit_gives_its_classes_and_predictions():
    fitted = run(FIT)
    assert list(fitted.classes) == ["a", "b"]
    assert list(fitted.predicted) == ["a"] * 3
    np.testing.assert_array_equal(fitted.probability, [[1.0, 0.0]] * 3)


def test_the_seconds_are_those_of_the_processor_in_the_fit_alone():
    fitted = run(replace(FIT, make=Works))
    assert fitted.predicted <= fitted.seconds < fitted.predicted + 0.4


def test_warnings_of_a_quiet_fit_are_dropped():
    run(replace(FIT, make=Talks, quiet=True))
    with pytest.warns(UserWarning, match="a remark"):
        run(replace(FIT, make=Talks))


def test_loops_are_compiled_on_a_few_rows_with_every_class():
    seen = []

    class Sees(First):
        def fit(self, X, y):
            seen.append((len(X), set(y)))
            return super().fit(X, y)

    labels = np.array(["a"] * 300 + ["b"])
    compile_loops(replace(FIT, make=Sees, train=np.zeros((301, 1)), labels=labels))
    assert seen == [(51, {"a", "b"})]
