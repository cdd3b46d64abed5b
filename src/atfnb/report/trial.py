"""How good the model is: cross-validated on its training rows, or scored on others; and what was measured on what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from atfnb._processes import Progress
from atfnb._typing import FloatArray, IntArray
from atfnb.evaluation import (
    METRICS,
    Answers,
    Difference,
    Measured,
    Scores,
    are_training_rows,
    cross_validate,
    main_metric,
    measured,
    percent,
    score_on,
)
from atfnb.evaluation.probabilities import reliability
from atfnb.report.text import shown

MODEL, NAIVE, GUESSING = "the model", "plain naive Bayes", "guessing"
CONFUSED = 5
"""Confusions that are told in words."""
MOST_BARS = 6
"""Classes whose recall is drawn beside the sentences: those that are found least."""


@dataclass(frozen=True)
class Bar:
    """A share of rows, as a bar with a name before it and a figure behind it."""

    name: str
    share: float
    label: str
    own: bool
    """Whether it belongs to the model; the bars of others are grey."""


@dataclass(frozen=True)
class Trial:
    """What was measured."""

    subject: str
    """What was measured on what: the beginning of a sentence that goes on with how good it is."""
    heading: str
    note: str
    """What was measured on what, in a sentence or two of its own."""
    place: str
    """The rows, in a few words."""
    measured: Measured
    figures: dict[str, dict[str, float | None]]
    """Each metric, of the model and of what it is compared with."""
    over_naive: Difference | None
    """How much higher the metric is than that of plain naive Bayes, where that took part."""
    confusion: IntArray
    """(classes, classes) rows by their class and by the class that was predicted."""
    reliability: FloatArray
    """(bins, 3) rows, sum of the highest probability, right ones."""

    @property
    def calibration_error(self) -> float:
        """Σ_b |right − sum of probabilities| / rows: how far the probability is off, on average over the bins."""
        rows, sure, right = self.reliability.T
        return float(np.abs(right - sure).sum() / rows.sum())

    @property
    def confusions(self) -> list[tuple[int, int, int]]:
        """The most frequent mistakes: class, predicted class, rows."""
        wrong = self.confusion * (1 - np.eye(len(self.confusion), dtype=np.int64))
        most = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSED]
        pairs = (divmod(int(place), len(wrong)) for place in most)
        return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j]]

    @property
    def metric(self) -> str:
        """The metric that comes first: where the classes are uneven, not the accuracy."""
        return main_metric(self.measured)

    @property
    def bars(self) -> list[tuple[str, list[Bar]]]:
        """What is drawn beside the sentences: a heading and bars, once or twice."""
        shares = [
            Bar(name, share, percent(share), name == MODEL)
            for name, share in self.figures[self.metric].items()
            if share is not None
        ]
        drawn = [(f"{self.metric}, {self.place}", shares)]
        return [*drawn, ("rows found of each class", self._recalls)] if self.measured.uneven else drawn

    @property
    def _recalls(self) -> list[Bar]:
        found, rows = self.measured.found, self.measured.rows
        there = np.flatnonzero(rows)
        least = there[np.lexsort((rows[there], found[there] / rows[there]))][:MOST_BARS]
        return [Bar(self.measured.classes[c], found[c] / rows[c], f"{found[c]:,} of {rows[c]:,}", True) for c in least]

    @property
    def of_classes(self) -> list[tuple[str, int, float | None, float | None]]:
        """Each class with its rows, its recall and its precision; None where there is none."""
        right, rows, predicted = np.diag(self.confusion), self.confusion.sum(axis=1), self.confusion.sum(axis=0)
        return [
            (name, int(n), r / n if n else None, r / p if p else None)
            for name, r, n, p in zip(self.measured.classes, right, rows, predicted, strict=True)
        ]


def trial_of(
    model: Any, naive: Any, X: Any, y: Any, *, folds: int, random_state: int, progress: Progress | None
) -> Trial:
    """Score the model on other rows than those it was trained on; on those, cross-validate models trained like it."""
    own = are_training_rows(model, X, y)
    if own is False:
        return scored(model, X, y)
    return _cross_validated(model, naive, X, y, own, folds=folds, random_state=random_state, progress=progress)


WHICH = {
    True: ("the rows that it was trained on", "They are the rows that it was trained on: it does worse on new rows."),
    False: ("not the table that it was trained on", "They are not the table that it was trained on."),
    None: (
        "which it may have been trained on",
        "It may have been trained on them, and then it does worse on new rows: its file does not say.",
    ),
}
"""What is known of the rows that a model is scored on: inside a sentence, and as one."""


def scored(model: Any, X: Any, y: Any, name: str | None = None) -> Trial:
    """Score the model itself on rows; ``name`` is what they are called, if not "these rows"."""
    found = score_on(model, X, y)
    aside, which = WHICH[found.training_rows]
    rows = f"these {found.rows:,} rows" if name is None else f"{name} ({found.rows:,} rows)"
    unknown = (
        f" Rows of a class that the model does not know, and so gets wrong: {found.unknown_rows:,}."
        if found.unknown_rows
        else ""
    )
    return Trial(
        subject=f"On {rows}, {aside}, this model",
        heading=f"On {name or 'these rows'}: where it is wrong, and how sure it is",
        note=f"This is the model itself on {rows}. {which}{unknown}",
        place=f"on {name or 'these rows'}",
        measured=_shown(found.measured),
        figures=figures_of(found),
        over_naive=None,
        confusion=found.confusion,
        reliability=_reliability(found.answers),
    )


def figures_of(found: Scores) -> dict[str, dict[str, float | None]]:
    """Return each metric of the model and of guessing; the area under the curve of guessing is one half."""
    result = found.measured
    both: dict[str, tuple[float | None, float | None]] = {
        "accuracy": (result.accuracy, result.guess_accuracy),
        "balanced accuracy": (result.balanced, result.guess_balanced),
        "log-loss": (found.log_loss, found.guess_log_loss),
        "ROC AUC": (found.roc_auc, None if found.roc_auc is None else 0.5),
    }
    return {metric: dict(zip((MODEL, GUESSING), pair, strict=True)) for metric, pair in both.items()}


def _cross_validated(
    model: Any,
    naive: Any,
    X: Any,
    y: Any,
    own: bool | None,
    *,
    folds: int,
    random_state: int,
    progress: Progress | None,
) -> Trial:
    models = {MODEL: model, NAIVE: naive, GUESSING: DummyClassifier(strategy="prior")}
    found = cross_validate(models, X, y, folds=folds, random_state=random_state, progress=progress)
    answers, n, result = found.once(MODEL), len(found.classes), measured(found, MODEL, GUESSING)
    rows = f"the {found.rows:,} rows that this one was trained on" if own else f"these {found.rows:,} rows"
    doubt = (
        ""
        if own
        else " The model's file does not say which rows it was trained on, so these may be they, or others: this says "
        "how good such models are on rows like these, not how good this one is."
    )
    return Trial(
        subject=f"A model trained like this one, cross-validated on {rows},",
        heading="Where it is wrong, and how sure it is",
        note=f"All of this is from {folds}-fold cross-validation on {rows}: every row is answered by a model that was "
        f"trained like this one, without that row.{doubt}",
        place="cross-validated",
        measured=_shown(result),
        figures={metric: {name: found.mean(name, metric) for name in found.names} for metric in METRICS},
        over_naive=found.compare(MODEL, NAIVE, main_metric(result)),
        confusion=np.bincount(answers.truth * n + answers.predicted, minlength=n * n).reshape(n, n),
        reliability=_reliability(answers),
    )


def _shown(found: Measured) -> Measured:
    """Return the same with names of classes that any page can hold."""
    return replace(found, classes=tuple(map(shown, found.classes)), guess=shown(found.guess))


def _reliability(answers: Answers) -> FloatArray:
    return reliability(answers.probability.max(axis=1), answers.predicted == answers.truth)
