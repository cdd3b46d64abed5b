"""How well classifiers do on rows they have not seen: repeated stratified cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import RepeatedStratifiedKFold

from atfnb._processes import Progress, step
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding import EmptyColumnWarning
from atfnb.evaluation.comparison import Difference, corrected_difference, corrected_standard_error
from atfnb.evaluation.probabilities import log_loss, over_classes
from atfnb.tables import encode_labels, is_frame


@dataclass(frozen=True)
class Answers:
    """What a model said of the rows that one split held out."""

    rows: IntArray
    truth: IntArray
    """(rows,) the code of each row's class."""
    predicted: IntArray
    probability: FloatArray
    """(rows, classes)"""
    weight: FloatArray | None = None
    """(rows,) how much each row counts in the scores; None: all the same."""


METRICS: dict[str, Callable[[Answers], float]] = {
    "accuracy": lambda a: float(accuracy_score(a.truth, a.predicted, sample_weight=a.weight)),
    "balanced accuracy": lambda a: _without_remarks(
        balanced_accuracy_score, a.truth, a.predicted, sample_weight=a.weight
    ),
    "log-loss": lambda a: log_loss(a.probability, a.truth, a.weight),
    "macro F1": lambda a: float(
        f1_score(a.truth, a.predicted, average="macro", sample_weight=a.weight, zero_division=0.0)
    ),
}


LOWER_IS_BETTER = {"log-loss"}
"""The metrics of which a lower figure is better."""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The answers of several models on the same splits, and what they are worth."""

    classes: Any
    splits: dict[str, tuple[Answers, ...]]
    """Of each model, one after the other; every ``folds`` of them hold out each row once."""
    folds: int
    rows: int
    refused: dict[str, ValueError] = field(default_factory=dict)
    """Models that could not learn from one of the training parts, and why."""

    @property
    def names(self) -> list[str]:
        """The models, in the order they were given."""
        return list(self.splits)

    def scores(self, name: str, metric: str) -> FloatArray:
        """One number for each split."""
        if (name, metric) not in self._scored:
            self._scored[name, metric] = np.array([METRICS[metric](answers) for answers in self.splits[name]])
        return self._scored[name, metric]

    @cached_property
    def _scored(self) -> dict[tuple[str, str], FloatArray]:
        """What was asked for: means, errors, tests and verdicts all read the same scores."""
        return {}

    def mean(self, name: str, metric: str) -> float:
        """The mean over the splits."""
        return float(self.scores(name, metric).mean())

    def standard_error(self, name: str, metric: str) -> float:
        """How far off the mean may be: see :func:`corrected_standard_error`."""
        return corrected_standard_error(self.scores(name, metric), self.test_share)

    def compare(self, one: str, other: str, metric: str) -> Difference:
        """Return how much better one model is than another by a metric: see :func:`corrected_difference`."""
        leads = self.scores(one, metric) - self.scores(other, metric)
        if metric in LOWER_IS_BETTER:
            return corrected_difference(-leads, self.test_share)
        return corrected_difference(leads, self.test_share, least=self.folds / self.rows)  # one row of a split

    @property
    def test_share(self) -> float:
        """Rows held out for each row trained on."""
        return 1 / (self.folds - 1)

    def once(self, name: str) -> Answers:
        """The answers of the first round: each row once, in the order of the table."""
        first = self.splits[name][: self.folds]
        order = np.argsort(np.concatenate([answers.rows for answers in first]))
        parts = ["rows", "truth", "predicted", "probability", *(["weight"] if first[0].weight is not None else [])]
        return Answers(*(np.concatenate([getattr(answers, part) for answers in first])[order] for part in parts))

    def __repr__(self) -> str:
        width = max(map(len, self.names), default=0)
        heads = "  ".join(f"{metric:>{max(len(metric), 15)}}" for metric in METRICS)
        return "\n".join([self._title, f"{'':{width}}  {heads}", *(self._line(name, width) for name in self.names)])

    @property
    def _title(self) -> str:
        rounds = len(next(iter(self.splits.values()), ())) // self.folds
        times = f" × {rounds}" if rounds > 1 else ""
        return f"{self.rows:,} rows, {len(self.classes)} classes; {self.folds} folds{times}"

    def _line(self, name: str, width: int) -> str:
        cells = (f"{cell:>{max(len(metric), 15)}}" for metric, cell in zip(METRICS, self._cells(name), strict=True))
        return f"{name:{width}}  {'  '.join(cells)}"

    def _cells(self, name: str) -> list[str]:
        return [f"{self.mean(name, metric):.3f} ± {self.standard_error(name, metric):.3f}" for metric in METRICS]

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{escape(metric)}</th>" for metric in METRICS)
        rows = (
            f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in self._cells(name))}</tr>"
            for name in self.names
        )
        caption = f"<caption>{escape(self._title)}: mean ± corrected standard error</caption>"
        return f"<table>{caption}<thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def cross_validate(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    repeats: int = 1,
    random_state: int = 0,
    sample_weight: FloatArray | None = None,
    leave_out_refusals: bool = False,
    progress: Progress | None = None,
) -> Evaluation:
    """Train clones of the models on all folds but one, ask them about that one, and so on.

    Parameters
    ----------
    models : mapping of names to classifiers
        They may be fitted or not.
    X, y
        A table and the class of each row, as for ``fit``.
    folds, repeats : int
        How many parts the rows are dealt into, each class evenly, and how often.
    random_state : int, default=0
        Another number, other folds.
    sample_weight : (rows,) array, optional
        How much each row counts, above 0, in training and in the scores.
    leave_out_refusals : bool, default=False
        Leave out a model whose ``fit`` raises a ValueError, and keep the error in ``refused``, instead of raising it.
    progress : callable, optional
        Told how many fits are done, of how many, and of which model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> found = cross_validate({"NB": NB()}, *load_iris(return_X_y=True))
    >>> found
    150 rows, 3 classes; 5 folds
               accuracy  balanced accuracy         log-loss         macro F1
    NB    0.940 ± 0.029      0.940 ± 0.029    0.202 ± 0.099    0.939 ± 0.031
    """
    classes, codes = encode_labels(y)
    truth = codes.astype(np.int64)
    _check_classes(classes, truth, folds)
    labels, splits = np.asarray(y), _splits(truth, folds, repeats, random_state)
    answers: dict[str, list[Answers]] = {name: [] for name in models}
    refused: dict[str, ValueError] = {}
    for k, (train, test) in enumerate(splits):
        seen, held_out = _take(X, train), _take(X, test)
        for i, (name, model) in enumerate(models.items()):
            if name not in refused:
                weight = None if sample_weight is None else sample_weight[train]
                try:
                    with step(name):
                        fitted = _fitted(model, seen, labels[train], weight)
                except ValueError as refusal:
                    if not leave_out_refusals:
                        raise
                    refused[name] = refusal
                else:
                    answers[name].append(_answers(fitted, held_out, classes, test, truth, sample_weight))
            if progress is not None:
                progress(k * len(models) + i + 1, len(splits) * len(models), name)
    complete = {name: tuple(all_of) for name, all_of in answers.items() if name not in refused}
    return Evaluation(classes, complete, folds, len(truth), refused)


def _fitted(model: Any, X: Any, y: Any, weight: FloatArray | None) -> Any:
    """Return a clone of a model, fitted to the rows of some folds, in which a sparse column may be empty."""
    weighted = () if weight is None else (weight,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyColumnWarning)
        return clone(model).fit(X, y, *weighted)


def _answers(
    fitted: Any, held_out: Any, classes: Any, rows: IntArray, truth: IntArray, weight: FloatArray | None
) -> Answers:
    """Ask a fitted model about the rows that were held out."""
    probability = over_classes(fitted.predict_proba(held_out), fitted.classes_, classes)
    predicted = np.searchsorted(classes, fitted.predict(held_out))
    return Answers(rows, truth[rows], predicted, probability, None if weight is None else weight[rows])


def _check_classes(classes: Any, truth: IntArray, folds: int) -> None:
    """Two classes must be there in every training part."""
    if len(classes) < 2:
        raise ValueError(f"y holds one class only, {classes[0].item()!r}: there is nothing to tell apart.")
    if folds > (most := int(np.bincount(truth).max())):
        raise ValueError(f"no class has {folds} rows, the largest has {most}: take {most} folds or fewer.")
    often = np.bincount(truth) >= 2
    if often.sum() < 2:
        rare = classes[~often][0].item()
        raise ValueError(f"class {rare!r} has one row only: cross-validation needs two classes of two rows or more.")


def _splits(truth: IntArray, folds: int, repeats: int, random_state: int) -> list[tuple[IntArray, IntArray]]:
    """Training and test rows; a class that has fewer rows than there are folds is in some of them only."""
    dealt = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    splits: list[tuple[IntArray, IntArray]] = _without_remarks(lambda: list(dealt.split(truth, truth)))
    return splits


def _take(X: Any, rows: IntArray) -> Any:
    """Return some rows of a table of any kind."""
    if is_frame(X):
        return nw.to_native(nw.from_native(X, eager_only=True)[rows])
    return X[rows] if isinstance(X, np.ndarray) else [X[row] for row in rows]


def _without_remarks(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call it without the remarks that scikit-learn makes of rare classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **named)
