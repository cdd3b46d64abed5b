"""Classifiers that take long, break or die, in a module that another process can import."""

import os
import time
import warnings
from pathlib import Path

import numpy as np


class Sleeps:
    """Takes a known time to make and to fit, and predicts the first class."""

    MAKE, FIT = 0.5, 0.1

    def __init__(self, fit=FIT, note=None):
        time.sleep(self.MAKE)
        self.seconds, self.note = fit, note

    @staticmethod
    def for_ten_minutes(note=None):
        return Sleeps(600.0, note)

    @staticmethod
    def noted(note):
        made = Sleeps()
        Path(note).touch()
        return made

    def fit(self, X, y):
        if self.note:
            Path(self.note).write_text(str(os.getpid()))
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.zeros(len(X), dtype=int)]

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[np.zeros(len(X), dtype=int)]


class Clocked(Sleeps):
    """Predicts the seconds that it took to make and to fit."""

    def __init__(self):
        started = time.perf_counter()
        super().__init__()
        self.making = time.perf_counter() - started

    def fit(self, X, y):
        started = time.perf_counter()
        super().fit(X, y)
        self.fitting = time.perf_counter() - started
        return self

    def predict(self, X):
        return self.making, self.fitting


class Talks(Sleeps):
    def fit(self, X, y):
        warnings.warn("a remark", UserWarning, stacklevel=2)
        return super().fit(X, y)


class Breaks(Sleeps):
    def fit(self, X, y):
        raise RuntimeError("no such table")


class Dies(Sleeps):
    def fit(self, X, y):
        os._exit(9)
