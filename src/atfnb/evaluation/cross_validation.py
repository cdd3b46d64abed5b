"""How good classifiers are on rows they were not trained on: cross-validation by random folds, groups or time."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from atfnb._errors import AdvisedError, Setting
from atfnb._progress import Progress, step
from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.editing import EditSkippedWarning
from atfnb.encoding import SpellingWarning, UnusedColumnWarning
from atfnb.evaluation.metrics import (
    LOWER_IS_BETTER,
    METRICS,
    OF_SPLITS,
    Answers,
    Difference,
    Measured,
    confusion_of,
    corrected_difference,
    corrected_standard_error,
    over_classes,
    pooled_scores,
    ranks_of,
    recalls,
    reliability_of,
    tallies,
)
from atfnb.evaluation.splitting import Folding, splits_of
from atfnb.tables import encode_labels, is_frame, order_of_type


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The answers of several models on the same splits of a table, their scores, and tests of the differences."""

    classes: Any
    """The classes of the table, sorted."""
    splits: dict[str, tuple[Answers, ...]]
    """The answers of each model, split by split; every ``folds`` splits hold out each row once."""
    folds: int
    rows: int
    """The number of rows of the table."""
    refused: dict[str, ValueError] = field(default_factory=dict)
    """Models that could not learn from one of the training parts, and why."""
    not_judged: tuple[Any, ...] = ()
    """The classes of which no row is held out, as they have one row only, or copies of one, or one group."""
    spelling: Mapping[Any, str] = field(default_factory=dict)
    """The classes in words, where a file spells them otherwise than Python does."""
    rank: IntArray | None = None
    """(classes,) the place of each class in their order, if they have one."""
    copies: int = 0
    """The number of rows that are copies of an earlier one; all copies of a row are in one fold."""
    folding: Folding = "rows"
    """What the folds are made of: any rows, whole groups, or rows that follow each other in time."""

    def in_words(self, classes: Iterable[Any]) -> list[str]:
        """Return classes as the file spells them."""
        return [self.spelling.get(name, str(name)) for name in classes]

    @property
    def judged(self) -> int:
        """The number of classes that are judged."""
        return len(self.classes) - len(self.not_judged)

    @property
    def names(self) -> list[str]:
        """The names of the models, in the order they were given."""
        return list(self.splits)

    def scores(self, name: str, metric: str) -> FloatArray:
        """Return a model's score on each split: (splits,).

        Balanced accuracy and macro F1 are means over classes, of which a split may lack some. They are measured on all
        rows of a round together, and the score of a split is what it adds to that: their mean is the metric.

        Parameters
        ----------
        name : str
            One of ``names``.
        metric : {"accuracy", "balanced accuracy", "log-loss", "macro F1"}
        """
        if metric in OF_SPLITS:
            return np.array([OF_SPLITS[metric](answers) for answers in self.splits[name]])
        return np.concatenate([pooled_scores(splits, metric) for splits in self._tallies(name)])

    def _tallies(self, name: str) -> FloatArray:
        """Return what was found, there and predicted of each class: (rounds, folds, 3, classes)."""
        of_splits = np.array([tallies(answers) for answers in self.splits[name]])
        return of_splits.reshape(-1, self.folds, *of_splits.shape[1:])

    def recall(self, name: str) -> FloatArray:
        """Return the share of each class's rows that a model finds, the mean over rounds; NaN if it is not judged."""
        return np.asarray(np.mean([recalls(sums) for sums in self._tallies(name).sum(axis=1)], axis=0))

    def mean(self, name: str, metric: str) -> float:
        """Return a model's mean score over the splits."""
        return float(self.scores(name, metric).mean())

    def standard_error(self, name: str, metric: str) -> float:
        """Return the corrected standard error of a mean score, as the splits share rows (Nadeau and Bengio 2003)."""
        return float(corrected_standard_error(self.scores(name, metric), self.test_share))

    def interval(self, name: str, metric: str) -> tuple[float, float]:
        """Return the 95 % interval of a mean share of rows, by its corrected standard error."""
        found = corrected_difference(self.scores(name, metric), self.test_share)
        return max(found.low, 0.0), min(found.high, 1.0)

    def compare(self, one: str, other: str, metric: str) -> Difference:
        """Return how much better one model is than another by a metric: the corrected t-test.

        Parameters
        ----------
        one, other : str
            Two of ``names``.
        metric : str
            See :meth:`scores`; a lower log-loss is better, and its difference is above zero then.

        Returns
        -------
        Difference
            With its 95 % interval, p-value and verdict.
        """
        leads = self.scores(one, metric) - self.scores(other, metric)
        if metric in LOWER_IS_BETTER:
            return corrected_difference(-leads, self.test_share)
        held_out = sum(len(answers.rows) for answers in self.splits[one][: self.folds])
        return corrected_difference(leads, self.test_share, least=self.folds / held_out)  # one row of a split

    @property
    def test_share(self) -> float:
        """The number of rows held out for each row trained on; in time, the mean over the splits."""
        if self.folding == "time":
            return float(np.mean(1 / np.arange(1, self.folds + 1)))
        return 1 / (self.folds - 1)

    def once(self, name: str) -> Answers:
        """Return a model's answers in the first round: each row that is held out, once, in the order of the table."""
        first = self.splits[name][: self.folds]
        order = np.argsort(np.concatenate([answers.rows for answers in first]))
        parts = ["rows", "truth", "predicted", "probability", *(["weight"] if first[0].weight is not None else [])]
        return Answers(*(np.concatenate([getattr(answers, part) for answers in first])[order] for part in parts))

    def __repr__(self) -> str:
        width = max(map(len, self.names), default=0)

        def line(name: str, cells: Sequence[str]) -> str:
            aligned = (f"{cell:>{max(len(metric), 15)}}" for metric, cell in zip(METRICS, cells, strict=True))
            return "  ".join([f"{name:{width}}", *aligned])

        return "\n".join([self._title, line("", METRICS), *(line(name, self._cells(name)) for name in self.names)])

    @property
    def _title(self) -> str:
        rounds = len(next(iter(self.splits.values()), ())) // self.folds
        times = f" × {rounds}" if rounds > 1 else ""
        kept = {"rows": "", "groups": " of whole groups", "time": " in time"}[self.folding]
        return f"{self.rows:,} rows, {len(self.classes)} classes; {self.folds} folds{kept}{times}"

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
    groups: Any = None,
    time: Any = None,
    sample_weight: FloatArray | None = None,
    leave_out_refusals: bool = False,
    class_order: Any = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Compare classifiers on a table by repeated stratified cross-validation, or on groups or times that are new.

    Clones of the models are trained on all folds but one and predict the rows of that one, for each fold in turn. All
    copies of a row are in one fold: rows with the same values and the same class, where they are more than chance
    explains. A class with one row only cannot be judged: its row is always trained on, and never scored.

    Parameters
    ----------
    models : mapping of str to classifier
        The classifiers by name, fitted or not; they stay as they are. Edits of a fitted one are replayed in each fold.
    X : data frame or two-dimensional array-like of shape (rows, columns)
        The table, as for ``fit``.
    y : array-like of shape (rows,)
        The class of each row.
    folds : int, default=5
        The number of parts that the rows are split into; each has about the same share of every class.
    repeats : int, default=1
        How many times the cross-validation is repeated, each with new folds.
    random_state : int, default=0
        The seed of the folds.
    groups : array-like of shape (rows,), optional
        The group of each row, such as a patient or a customer: all rows of a group are in one fold, so that the scores
        are those on groups that are new. A classifier with ``groups`` in its ``fit``, such as FusionNB, is given them.
    time : array-like of shape (rows,), optional
        A number or a date for each row: each of ``folds`` parts, the later ones of ``folds + 1``, is predicted by
        models that are trained on all rows before it, once.
    sample_weight : array of shape (rows,), optional
        How much each row counts, above 0, in training and in the scores.
    leave_out_refusals : bool, default=False
        Leave out a model whose ``fit`` raises a ValueError, and keep the error in ``refused``, instead of raising it.
    class_order : list of classes or "sorted", optional
        The order of the classes, such as ``["low", "medium", "high"]``, for :func:`measured` to say how far
        predictions are off along it; "sorted" is that of numbers. An ordered categorical ``y`` brings its own.
    progress : callable, optional
        Called after each fit with the number of fits done, the number of all fits, and the name of the model.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> found = cross_validate({"NB": NB()}, *load_iris(return_X_y=True))
    >>> found
    150 rows, 3 classes; 5 folds
               accuracy  balanced accuracy         log-loss         macro F1
    NB    0.940 ± 0.029      0.940 ± 0.029    0.202 ± 0.099    0.940 ± 0.029
    """
    classes, codes = encode_labels(y)
    truth = codes.astype(np.int64)
    if len(classes) < 2:
        only = f" holds one class only, {classes[0].item()!r}: there is nothing to predict."
        raise AdvisedError(Setting("y"), only)
    rank = ranks_of(order_of_type(y) if class_order is None else class_order, classes)
    labels = np.asarray(y)
    found = splits_of(X, truth, folds, repeats=repeats, random_state=random_state, groups=groups, time=time)
    of_rows = {"sample_weight": sample_weight, "groups": None if groups is None else np.asarray(groups)}
    given = {name: values for name, values in of_rows.items() if values is not None}
    answers: dict[str, list[Answers]] = {name: [] for name in models}
    refused: dict[str, ValueError] = {}
    for k, (train, test) in enumerate(found.parts):
        seen, held_out = take(X, train), take(X, test)
        for i, (name, model) in enumerate(models.items()):
            if name not in refused:
                fitted = _fitted(name, model, seen, labels[train], {each: of[train] for each, of in given.items()})
                if not isinstance(fitted, ValueError):
                    answers[name].append(_answers(fitted, held_out, classes, test, truth, sample_weight))
                elif leave_out_refusals:
                    refused[name] = fitted
                else:
                    raise fitted
            if progress is not None:
                progress(k * len(models) + i + 1, len(found.parts) * len(models), name)
    complete = {name: tuple(of_splits) for name, of_splits in answers.items() if name not in refused}
    not_judged = tuple(np.delete(classes, found.judged).tolist())
    how: Any = {"rank": rank, "copies": found.copies, "folding": found.folding}
    return Evaluation(classes, complete, folds, len(truth), refused, not_judged, **how)


def measured(found: Evaluation, name: str, guess: str) -> Measured:
    """Summarise a cross-validated classifier, compared with guessing, which took part under the name ``guess``.

    Means and differences are over all splits; the confusion matrix and the reliability are those of the first round,
    in which each row is predicted once.
    """
    answers, labels = found.once(name), found.in_words(found.classes.tolist())
    most_frequent = int(np.argmax(np.bincount(answers.truth, answers.weight)))
    return Measured(
        classes=tuple(labels),
        confusion=confusion_of(answers, len(labels)),
        reliability=reliability_of(answers),
        accuracy=found.mean(name, "accuracy"),
        recall=found.recall(name),
        log_loss=found.mean(name, "log-loss"),
        guess=labels[most_frequent],
        guess_accuracy=found.mean(guess, "accuracy"),
        guess_balanced=found.mean(guess, "balanced accuracy"),
        guess_log_loss=found.mean(guess, "log-loss"),
        over_guessing=found.compare(name, guess, "accuracy"),
        balanced_over_guessing=found.compare(name, guess, "balanced accuracy"),
        rank=found.rank,
    )


def _fitted(name: str, model: Any, X: Any, y: Any, given: Mapping[str, Any]) -> Any:
    """Return a clone of a model, fitted to the rows of some folds, or the error with which it refuses them.

    ``given`` has what is known of the rows beside their values; groups are of use to some models only. Edits of the
    model are replayed on it. A column that is empty in these rows alone is not worth a warning, nor is an edit that
    does not apply to them, nor what a classifier of another library says in a fold.
    """
    taken = {each: of for each, of in given.items() if each != "groups" or has_fit_parameter(model, each)}
    ignored = (UnusedColumnWarning, EditSkippedWarning) if isinstance(model, BaseNB) else (Warning,)
    with step(name), warnings.catch_warnings():
        for each in ignored:
            warnings.simplefilter("ignore", each)
        try:
            fitted = clone(model).fit(X, y, **taken)
            return fitted.edit(model.edits_, skip=True) if getattr(model, "edits_", ()) else fitted
        except ValueError as refusal:
            return refusal


def _answers(
    fitted: Any, held_out: Any, classes: Any, rows: IntArray, truth: IntArray, weight: FloatArray | None
) -> Answers:
    """Return what a fitted model predicts for the rows that were held out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpellingWarning)  # the spellings of the whole table have been named
        probability = over_classes(fitted.predict_proba(held_out), fitted.classes_, classes)
        predicted = np.searchsorted(classes, fitted.predict(held_out))
    return Answers(rows, truth[rows], predicted, probability, None if weight is None else weight[rows])


def take(X: Any, rows: IntArray) -> Any:
    """Return some rows of a data frame, an array, a sparse matrix or a list."""
    if is_frame(X):
        return nw.to_native(nw.from_native(X, eager_only=True)[rows])
    if sparse.issparse(X):
        return X.tocsr()[rows]
    return X[rows] if isinstance(X, np.ndarray) else [X[row] for row in rows]
