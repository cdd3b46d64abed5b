"""The answers of a classifier on some rows, how good they are, and whether others are better or chance made it so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import logsumexp, stdtr

from atfnb._errors import AdvisedError, Setting, counted
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.model import most_probable

LEVEL = 0.05
"""The level of significance: a difference is significant if its p-value is at most this."""
FLOOR = 1e-15
"""Probabilities below this are raised to it, so that the log-loss is finite."""
BINS = 10
"""The number of parts of a reliability diagram, from 0 to 1."""
DOMINANT, RARE = 3 / 4, 1 / 5
"""Classes are uneven if one has more than the first share of the rows, or less than the second of an equal share."""


@dataclass(frozen=True)
class Answers:
    """The classes and probabilities that a model predicted for some rows, with their actual classes."""

    rows: IntArray
    """(rows,) the position of each row in its table, from 0."""
    truth: IntArray
    """(rows,) the code of each row's actual class."""
    predicted: IntArray
    """(rows,) the code of the predicted class."""
    probability: FloatArray
    """(rows, classes) the predicted probabilities."""
    weight: FloatArray | None = None
    """(rows,) how much each row counts in the scores; None if all count the same."""

    @classmethod
    def of_joint(cls, joint: FloatArray, truth: IntArray, rows: IntArray | None = None) -> Answers:
        """Return the answers of a model that knows all classes, by its joint log-likelihoods: (rows, classes)."""
        classes, rows = np.arange(joint.shape[1]), np.arange(len(joint)) if rows is None else rows
        probability = over_classes(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), classes, classes)
        return cls(rows, truth, most_probable(joint).astype(np.int64), probability)

    @property
    def right(self) -> BoolArray:
        """(rows,) whether the predicted class is the actual one."""
        return np.asarray(self.predicted == self.truth)


# --- probabilities ---------------------------------------------------------------------------------


def over_classes(probability: FloatArray, known: Any, classes: Any) -> FloatArray:
    """Return the probabilities of the classes a model knows as those of all classes, at least 1e-15, summing to one.

    Parameters
    ----------
    probability : (rows, known) array
    known : array
        The model's ``classes_``.
    classes : array
        All classes, sorted; those not seen in training too.

    Returns
    -------
    (rows, classes) array

    Examples
    --------
    >>> over_classes(np.array([[0.25, 0.75]]), ["a", "c"], ["a", "b", "c"]).round(2)
    array([[0.25, 0.  , 0.75]])
    """
    p = np.full((len(probability), len(classes)), FLOOR)
    p[:, np.searchsorted(classes, known)] = np.clip(probability, FLOOR, 1.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def losses_of(p: FloatArray, y: IntArray) -> FloatArray:
    """Return the log-loss of each row, −log P(y|x): (rows,)."""
    return np.asarray(-np.log(p[np.arange(len(y)), y]))


def log_loss(p: FloatArray, y: IntArray, weight: FloatArray | None = None) -> float:
    """Return the log-loss −Σ w log P(y|x) / Σ w; without weights, every row counts the same.

    >>> round(log_loss(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 0])), 4)
    1.0397
    """
    return float(np.average(losses_of(p, y), weights=weight))


def brier(p: FloatArray, y: IntArray) -> float:
    """Return the Brier score Σ_x Σ_c (P(c|x) − [c = y])² / rows.

    >>> brier(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 0]))
    0.8125
    """
    away = p.copy()
    away[np.arange(len(y)), y] -= 1
    return float((away**2).sum(axis=1).mean())


def reliability(highest: FloatArray, right: BoolArray) -> FloatArray:
    """Return three sums for each of ten equal bins of the highest probability: (bins, 3).

    They are the number of rows, the sum of their highest probabilities, and how many were predicted correctly. A
    probability on an edge belongs to the bin above it.

    >>> reliability(np.array([0.95, 1.0, 0.5]), np.array([True, False, True]))[[5, 9]]
    array([[1.  , 0.5 , 1.  ],
           [2.  , 1.95, 1.  ]])
    """
    bin_of_row = np.minimum(np.floor(np.round(BINS * highest, 9)), BINS - 1).astype(np.intp)
    each = (np.ones(len(highest)), highest, right.astype(np.float64))
    return np.column_stack([np.bincount(bin_of_row, weights=weight, minlength=BINS) for weight in each])


def calibration_error(reliable: FloatArray) -> float:
    """Return the expected calibration error, Σ_b |right − sum of probabilities| / rows, of :func:`reliability`."""
    rows, sure, right = reliable.T
    return float(np.abs(right - sure).sum()) / float(rows.sum())


# --- metrics by name -------------------------------------------------------------------------------


def tallies(answers: Answers) -> FloatArray:
    """Return the weight of the rows of each class that are found, that there are, and that are predicted: (3, classes).

    >>> tallies(Answers(np.arange(3), np.array([0, 0, 1]), np.array([0, 1, 1]), np.full((3, 2), 0.5)))
    array([[1., 1.],
           [2., 1.],
           [1., 2.]])
    """
    n_classes, weight = answers.probability.shape[1], answers.weight
    right = answers.right.astype(np.float64) if weight is None else answers.right * weight
    sums = (
        np.bincount(answers.truth, right, n_classes),
        np.bincount(answers.truth, weight, n_classes),
        np.bincount(answers.predicted, weight, n_classes),
    )
    return np.array(sums, dtype=np.float64)


def recalls(sums: FloatArray) -> FloatArray:
    """Return the recall of each class from :func:`tallies`, (classes,); NaN for a class without rows."""
    return _share(sums[0], sums[1])


OF_SPLITS: dict[str, Callable[[Answers], float]] = {
    "accuracy": lambda answers: float(np.average(answers.right, weights=answers.weight)),
    "log-loss": lambda answers: log_loss(answers.probability, answers.truth, answers.weight),
}
"""The metrics that are means over rows, and so can be averaged over splits."""
POOLED: dict[str, Callable[[FloatArray], float]] = {
    "balanced accuracy": lambda sums: float(np.nanmean(recalls(sums))),
    "macro F1": lambda sums: float(np.nanmean(_share(2 * sums[0], sums[1] + sums[2]))),
}
"""The metrics that are means over classes, from :func:`tallies`: a class may have no row in a split."""
METRICS = ("accuracy", "balanced accuracy", "log-loss", "macro F1")
"""The metrics of a cross-validation."""


def pooled_scores(of_splits: FloatArray, metric: str) -> FloatArray:
    """Return a score for each split of one round whose mean is the metric of all rows of the round together: (splits,).

    They are the pseudo-values of the jackknife, n·θ − (n − 1)·θ_(−f) with θ_(−f) of all rows but those of split f,
    moved so that their mean is θ. Their variance is that of the metric from split to split.

    Parameters
    ----------
    of_splits : (splits, 3, classes) array
        What :func:`tallies` returns for each split.
    metric : {"balanced accuracy", "macro F1"}
    """
    whole, of = of_splits.sum(axis=0), POOLED[metric]
    without = np.array([of(whole - split) for split in of_splits])
    return np.asarray(of(whole) + (len(of_splits) - 1) * (without.mean() - without))


LOWER_IS_BETTER = {"log-loss"}
"""The metrics of which a lower figure is better."""


# --- whether one classifier is better than another, or chance may have made the difference -----------


@dataclass(frozen=True)
class Difference:
    """How much better one classifier is than another, both measured on the same rows; above zero is better."""

    mean: float
    """The mean difference."""
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the 95 % interval."""
    p_value: float
    """The two-sided p-value of the difference."""

    @property
    def verdict(self) -> int:
        """1 for better, −1 for worse, 0 where chance alone may have made the difference."""
        return 0 if self.p_value > LEVEL else int(np.sign(self.mean))


def corrected_standard_error(scores: FloatArray, test_share: ArrayLike, least: float = 0.0) -> FloatArray:
    """Return the corrected standard error of a mean over splits, √((1/n + n_test/n_train)·s²).

    The splits share rows, so s²/n alone would be too small (Nadeau and Bengio 2003).

    Parameters
    ----------
    scores : (..., splits) array
        One score for each split.
    test_share : float or (...) array
        n_test/n_train: rows held out for each row trained on, 1/4 in five folds.
    least : float, default=0
        A lower bound of the standard deviation between splits, which may be too small by chance.

    Returns
    -------
    (...) array

    Examples
    --------
    >>> print(f"{corrected_standard_error(np.array([0.9, 1.0, 0.8, 0.9]), test_share=1 / 3):.4f}")
    0.0624
    """
    factor = 1 / scores.shape[-1] + np.asarray(test_share, dtype=np.float64)
    error = np.sqrt(factor * scores.var(axis=-1, ddof=1))
    return np.asarray(np.maximum(error, np.sqrt(factor) * least))


def corrected_p_value(leads: FloatArray, test_share: ArrayLike, least: float = 0.0) -> FloatArray:
    """Return the two-sided p-value of the corrected t-test: t = mean / corrected standard error.

    The statistic has n − 1 degrees of freedom. If all leads are equal and ``least`` is 0, p is 1 where the leads are 0,
    and 0 elsewhere.

    Parameters
    ----------
    leads : (..., splits) array
        On each split, how much higher the score of one classifier is than that of another.
    test_share, least
        See :func:`corrected_standard_error`.

    Returns
    -------
    (...) array

    Examples
    --------
    >>> print(f"{corrected_p_value(np.array([0.01, 0.02, 0.03, 0.02]), test_share=1 / 4):.4f}")
    0.0405
    """
    mean, error = leads.mean(axis=-1), corrected_standard_error(leads, test_share, least)
    certain = (leads == leads[..., :1]).all(axis=-1) & (least == 0)
    t = np.divide(mean, error, out=np.where(leads[..., 0] == 0, 0.0, np.inf), where=~certain)
    return np.asarray(2 * stdtr(leads.shape[-1] - 1, -np.abs(t)))


def corrected_difference(leads: FloatArray, test_share: float, least: float = 0.0) -> Difference:
    """Compare two classifiers by the differences of their scores on the same splits: the corrected t-test.

    Parameters
    ----------
    leads : (splits,) array
        On each split, how much higher the score of one classifier is than that of the other.
    test_share, least
        See :func:`corrected_standard_error`.

    Examples
    --------
    >>> found = corrected_difference(np.array([0.04, 0.01, 0.03, -0.01]), test_share=1 / 3)
    >>> found.verdict, round(found.low, 3), round(found.high, 3)
    (0, -0.036, 0.071)
    """
    mean, p_value = float(leads.mean()), float(corrected_p_value(leads, test_share, least))
    error = float(corrected_standard_error(leads, test_share, least))
    margin = float(stats.t.ppf(1 - LEVEL / 2, len(leads) - 1)) * error
    return Difference(mean, mean - margin, mean + margin, p_value)


def paired_difference(right: BoolArray, other: BoolArray) -> Difference:
    """Compare two classifiers by which of the same rows each gets right: McNemar's exact test.

    The interval is that of Agresti and Min (2005): half a row is added to each cell of the table of agreement, so that
    few rows on which the two differ are not taken to be certain.

    Examples
    --------
    >>> found = paired_difference(np.array([True] * 9 + [False]), np.array([False] * 9 + [True]))
    >>> found.mean, found.verdict, round(found.p_value, 4)
    (0.8, 1, 0.0215)
    """
    won, lost, rows = int((right & ~other).sum()), int((~right & other).sum()), len(right)
    if won + lost == 0:
        return Difference(0.0, 0.0, 0.0, 1.0)
    middle = (won - lost) / (rows + 2)
    error = np.sqrt((won + lost + 1) / (rows + 2) - middle**2) / np.sqrt(rows + 2)
    low, high = _normal_interval(middle, error, -1.0, 1.0)
    return Difference((won - lost) / rows, low, high, float(stats.binomtest(won, won + lost).pvalue))


def balanced_difference(found: IntArray, rows: IntArray, guess: float) -> Difference:
    """Compare the balanced accuracy on some rows with that of guessing, which is a constant.

    Each class is a sample of its own: the variance is Σ_c r_c(1 − r_c)/n_c / k², with one row more that is found and
    one that is missed in every class, so that a recall of 0 or 1 on a few rows is not taken to be certain.

    Parameters
    ----------
    found, rows : (classes,) arrays
        The number of rows of each class that were predicted as that class, and the number of all its rows, above 0.
    guess : float
        The balanced accuracy of guessing.

    Examples
    --------
    >>> balanced_difference(np.array([0, 95]), np.array([5, 95]), guess=0.5).verdict
    0
    """
    mean = float((found / rows).mean()) - guess
    recall = (found + 1) / (rows + 2)
    error = float(np.sqrt((recall * (1 - recall) / (rows + 2)).sum())) / len(rows)
    low, high = _normal_interval(mean, error, -guess, 1.0 - guess)
    return Difference(mean, low, high, float(2 * stats.norm.sf(abs(mean) / error)))


def _normal_interval(mean: float, error: float, least: float, most: float) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a normal distribution, cut off at what is possible."""
    margin = float(stats.norm.ppf(1 - LEVEL / 2)) * float(error)
    return max(mean - margin, least), min(mean + margin, most)


# --- one classifier compared with guessing ---------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """How good a classifier is on some rows, compared with always guessing the most frequent class."""

    classes: tuple[str, ...]
    confusion: IntArray
    """(classes, classes) the number of rows by their actual and by their predicted class."""
    reliability: FloatArray
    """(bins, 3) rows, sum of their highest probabilities, rows predicted correctly: see :func:`reliability`."""
    accuracy: float
    recall: FloatArray
    """(classes,) the share of each class's rows that were predicted as it; NaN for a class without rows."""
    log_loss: float
    guess: str
    """The most frequent class of training, which is always guessed."""
    guess_accuracy: float
    guess_balanced: float
    guess_log_loss: float
    """The log-loss of the frequencies of the classes in training."""
    over_guessing: Difference
    """How much higher the accuracy is than that of guessing."""
    balanced_over_guessing: Difference
    """How much higher the balanced accuracy is than that of guessing."""
    rank: IntArray | None = None
    """(classes,) the place of each class in their order, if they have one."""

    @property
    def along_order(self) -> dict[str, float]:
        """How far predictions are off along the order of the classes: see :func:`along_order`."""
        return along_order(self.confusion, self.rank)

    @property
    def guess_along_order(self) -> dict[str, float]:
        """How far guessing is off along the order of the classes."""
        guessed = np.arange(len(self.classes)) == self.classes.index(self.guess)
        return along_order(self.rows[:, None] * guessed, self.rank)

    @property
    def rows(self) -> IntArray:
        """(classes,) the number of rows of each class."""
        return np.asarray(self.confusion.sum(axis=1))

    @property
    def found(self) -> IntArray:
        """(classes,) the number of rows of each class that were predicted as that class."""
        return np.diag(self.confusion)

    @property
    def balanced(self) -> float:
        """The balanced accuracy: the mean of the classes' recalls."""
        return float(np.nanmean(self.recall))

    @property
    def precision(self) -> FloatArray:
        """(classes,) the share of the rows predicted as a class that belong to it; NaN if there are none."""
        return _share(self.found, self.confusion.sum(axis=0))

    @property
    def uneven(self) -> bool:
        """Whether accuracy alone would mislead: see :func:`is_uneven`."""
        return is_uneven(self.rows)

    @property
    def calibration_error(self) -> float:
        """The expected calibration error: see :func:`calibration_error`."""
        return calibration_error(self.reliability)

    def mistakes(self, most: int) -> list[tuple[int, int, int]]:
        """Return the most frequent mistakes, at most ``most``: actual class, predicted class, rows."""
        wrong = self.confusion * (1 - np.eye(len(self.confusion), dtype=np.int64))
        largest = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = (divmod(int(cell), len(wrong)) for cell in largest)
        return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j]]


def _share(part: FloatArray | IntArray, whole: FloatArray | IntArray) -> FloatArray:
    """Return part / whole; NaN where the whole is 0."""
    return np.asarray(np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0))


def confusion_of(answers: Answers, n_classes: int) -> IntArray:
    """Return the number of rows by their actual and by their predicted class: (classes, classes).

    >>> answers = Answers(np.arange(3), np.array([0, 0, 1]), np.array([0, 1, 1]), np.full((3, 2), 0.5))
    >>> confusion_of(answers, 2)
    array([[1, 1],
           [0, 1]])
    """
    cell = answers.truth * n_classes + answers.predicted
    return np.bincount(cell, minlength=n_classes**2).reshape(n_classes, n_classes)


def reliability_of(answers: Answers) -> FloatArray:
    """Return the reliability of the highest probability in answers: see :func:`reliability`."""
    return reliability(answers.probability.max(axis=1), answers.right)


OFF, KAPPA = "mean distance in ranks", "quadratic weighted kappa"
MOST_RANKS = 4
"""Predictions that are wrong by more than this number of ranks are not counted apart."""


def along_order(confusion: IntArray, rank: IntArray | None) -> dict[str, float]:
    """Return how far predictions are off along the order of the classes, by name; nothing if they have no order.

    With n_ij rows of class i predicted as j, and ranks r: the mean distance Σ n_ij |r_i − r_j| / n; the quadratic
    weighted kappa 1 − Σ n_ij (r_i − r_j)² / Σ e_ij (r_i − r_j)² with e_ij = n_i· n_·j / n, NaN where that is 0 by
    chance too; and the share of the rows that are wrong by more than 0, 1, 2 … ranks.

    >>> for name, figure in along_order(np.array([[3, 1, 0], [0, 2, 0], [1, 0, 3]]), np.arange(3)).items():
    ...     print(f"{name}: {figure:.2f}")
    mean distance in ranks: 0.30
    quadratic weighted kappa: 0.67
    wrong by more than 0 ranks: 0.20
    wrong by more than 1 rank: 0.10
    """
    if rank is None:
        return {}
    rows, off = int(confusion.sum()), np.abs(rank[:, None] - rank)
    by_chance = float((np.outer(confusion.sum(axis=1), confusion.sum(axis=0)) * off**2).sum())
    kappa = 1 - rows * float((confusion * off**2).sum()) / by_chance if by_chance else float("nan")
    beyond = {
        f"wrong by more than {counted(k, 'rank')}": float(confusion[off > k].sum()) / rows
        for k in range(min(int(off.max()), MOST_RANKS + 1))
    }
    return {OFF: float((confusion * off).sum()) / rows, KAPPA: kappa, **beyond}


def ranks_of(class_order: Any, classes: Any) -> IntArray | None:
    """Return the place of each class in an order that may hold others too: (classes,); None without an order.

    Classes may be named by their values or as text; "sorted" is the order that ``classes`` have.

    >>> ranks_of(["low", "medium", "high"], np.array(["high", "low"])), ranks_of(["1", "2", "10"], np.array([1, 10]))
    (array([2, 0]), array([0, 2]))
    """
    if class_order is None or (isinstance(class_order, str) and class_order == "sorted"):
        return None if class_order is None else np.arange(len(classes))
    place = {str(name): k for k, name in enumerate(class_order)}
    if isinstance(class_order, str) or len(place) < len(class_order):
        raise AdvisedError(Setting("class_order"), f" must be a list of different classes, not {class_order!r}.")
    if lost := [name for name in np.asarray(classes).tolist() if str(name) not in place]:
        raise AdvisedError(Setting("class_order"), f" lacks the class {lost[0]!r}: give it a place there.")
    return np.array([place[str(name)] for name in np.asarray(classes).tolist()])


def is_uneven(rows: IntArray) -> bool:
    """Return whether classes with these numbers of rows are so uneven that accuracy alone would mislead.

    Classes are uneven if the most frequent one has more than three quarters of the rows, or the rarest less than a
    fifth of an equal share. Classes without rows do not count.

    >>> is_uneven(np.array([70, 30])), is_uneven(np.array([95, 5])), is_uneven(np.array([49, 49, 2]))
    (False, True, True)
    """
    there = rows[rows > 0]
    return bool(there.max() > DOMINANT * there.sum() or there.min() < RARE * there.sum() / len(there))


def main_metric(found: Measured) -> str:
    """Return the metric that sentences compare classifiers by: "balanced accuracy" if the classes are uneven."""
    return "balanced accuracy" if found.uneven else "accuracy"
