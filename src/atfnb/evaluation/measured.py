"""The few figures that say how good a classifier is, beside always guessing the most frequent class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._typing import IntArray
from atfnb.evaluation.comparison import Difference
from atfnb.evaluation.cross_validation import Answers, Evaluation

MOST, LEAST = 3 / 4, 1 / 5


@dataclass(frozen=True)
class Measured:
    """How good a classifier is on some rows."""

    classes: tuple[str, ...]
    found: IntArray
    """(classes,) how many rows of each class were given that class,"""
    rows: IntArray
    """(classes,) of how many."""
    accuracy: float
    balanced: float
    """The mean of the classes' recalls."""
    guess: str
    """The most frequent class of training, which is always guessed."""
    guess_accuracy: float
    guess_balanced: float
    over_guessing: Difference
    """How much higher the accuracy is than that of guessing,"""
    balanced_over_guessing: Difference
    """and how much higher the balanced accuracy."""

    @property
    def uneven(self) -> bool:
        """Whether accuracy alone would mislead: see :func:`is_uneven`."""
        return is_uneven(self.rows)


def is_uneven(rows: IntArray) -> bool:
    """Return whether classes with these numbers of rows are so uneven that accuracy alone would mislead.

    They are if the most frequent class has more than three quarters of the rows, or the rarest less than a fifth of
    what it would have if all had the same. Classes without rows do not count.

    >>> is_uneven(np.array([70, 30])), is_uneven(np.array([95, 5])), is_uneven(np.array([49, 49, 2]))
    (False, True, True)
    """
    there = rows[rows > 0]
    return bool(there.max() > MOST * there.sum() or there.min() < LEAST * there.sum() / len(there))


def main_metric(found: Measured) -> str:
    """Return the metric by which classifiers are compared in words: where classes are uneven, not the accuracy."""
    return "balanced accuracy" if found.uneven else "accuracy"


def measured(found: Evaluation, name: str, guess: str) -> Measured:
    """Return what cross-validation found for one classifier, beside guessing, which took part under the name ``guess``.

    Means and differences are over all splits; the rows of each class are those of the first round, each row once.
    """
    answers = found.once(name)
    rows = np.bincount(answers.truth, minlength=len(found.classes))
    return Measured(
        classes=tuple(map(str, found.classes.tolist())),
        found=right_of_each(answers, len(found.classes)),
        rows=rows,
        accuracy=found.mean(name, "accuracy"),
        balanced=found.mean(name, "balanced accuracy"),
        guess=str(found.classes[int(np.argmax(np.bincount(answers.truth, answers.weight)))]),
        guess_accuracy=found.mean(guess, "accuracy"),
        guess_balanced=found.mean(guess, "balanced accuracy"),
        over_guessing=found.compare(name, guess, "accuracy"),
        balanced_over_guessing=found.compare(name, guess, "balanced accuracy"),
    )


def right_of_each(answers: Answers, n_classes: int) -> IntArray:
    """Return how many rows of each class were given that class: (classes,)."""
    return np.bincount(answers.truth[answers.truth == answers.predicted], minlength=n_classes)
