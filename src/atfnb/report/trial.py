"""How good the model is on rows it has not seen, beside plain naive Bayes and guessing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from atfnb._processes import Progress
from atfnb._typing import FloatArray, IntArray
from atfnb.evaluation import Answers, Evaluation, corrected_standard_error, cross_validate
from atfnb.probabilities import reliability

MODEL, NAIVE, GUESSING = "the model", "plain naive Bayes", "guessing"
CONFUSED = 5
"""Confusions that are told in words."""


@dataclass(frozen=True)
class Difference:
    """How much more accurate the model is than another, on the same folds, and how far off that may be."""

    mean: float
    error: float

    @property
    def verdict(self) -> int:
        """1 for better, −1 for worse, 0 where chance alone may have made it."""
        return 0 if abs(self.mean) <= 2 * self.error else 1 if self.mean > 0 else -1


@dataclass(frozen=True)
class Trial:
    """What cross-validation found."""

    folds: int
    accuracy: dict[str, float]
    error: dict[str, float]
    """The standard error of each accuracy."""
    over_naive: Difference
    over_guessing: Difference
    confusion: IntArray
    """(classes, classes) rows by their class and by the class the model named."""
    reliability: FloatArray
    """(bins, 3) rows, sum of the highest probability, right ones."""

    @property
    def calibration_error(self) -> float:
        """Σ_b |right − sum of probabilities| / rows: how far the probability is off, on average over the bins."""
        rows, sure, right = self.reliability.T
        return float(np.abs(right - sure).sum() / rows.sum())

    @property
    def confusions(self) -> list[tuple[int, int, int]]:
        """The most frequent mistakes: class, class named, rows."""
        wrong = self.confusion * (1 - np.eye(len(self.confusion), dtype=np.int64))
        most = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSED]
        pairs = (divmod(int(place), len(wrong)) for place in most)
        return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j]]


def trial_of(
    model: Any, naive: Any, X: Any, y: Any, *, folds: int, random_state: int, progress: Progress | None
) -> Trial:
    """Cross-validate clones of the model and what it must beat."""
    models = {MODEL: model, NAIVE: naive, GUESSING: DummyClassifier(strategy="prior")}
    found = cross_validate(models, X, y, folds=folds, random_state=random_state, progress=progress)
    answers = found.once(MODEL)
    return Trial(
        folds=folds,
        accuracy={name: found.mean(name, "accuracy") for name in found.names},
        error={name: found.standard_error(name, "accuracy") for name in found.names},
        over_naive=_difference(found, NAIVE),
        over_guessing=_difference(found, GUESSING),
        confusion=_confusion(answers, len(found.classes)),
        reliability=reliability(answers.probability.max(axis=1), answers.predicted == answers.truth),
    )


def _difference(found: Evaluation, other: str) -> Difference:
    by_fold = found.scores(MODEL, "accuracy") - found.scores(other, "accuracy")
    return Difference(float(by_fold.mean()), corrected_standard_error(by_fold, found.test_share))


def _confusion(answers: Answers, n: int) -> IntArray:
    return np.bincount(answers.truth * n + answers.predicted, minlength=n * n).reshape(n, n)
