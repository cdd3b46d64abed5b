"""Plots of how good a fitted classifier is on rows whose classes are known, by the displays of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atfnb.classifiers import BaseNB
from atfnb.evaluation import score_on
from atfnb.report.plots import BLUE, GREY, plot_axes, plot_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 10
"""The number of groups of rows, of equal size, in a plot of reliability."""


def plot_confusion(model: BaseNB, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows of each actual class are predicted as each class."""
    from sklearn.metrics import ConfusionMatrixDisplay

    found = score_on(model, X, y)
    labels = [plot_label(name) for name in found.measured.classes]
    ax = plot_axes(ax, height=2.4 + 0.3 * len(labels))
    drawn = ConfusionMatrixDisplay(found.confusion, display_labels=labels)
    drawn.plot(ax=ax, cmap="Blues", colorbar=False, xticks_rotation="vertical" if len(labels) > 3 else "horizontal")
    ax.set(xlabel="predicted", ylabel="actual", title=f"{found.rows:,} rows")
    return ax


def plot_reliability(model: BaseNB, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the share of rows that are predicted correctly against the probability that the model gave."""
    from sklearn.calibration import calibration_curve

    answers = score_on(model, X, y).answers
    right, given = answers.predicted == answers.truth, answers.probability.max(axis=1)
    ax, ends = plot_axes(ax), [float(given.min()), 1.0]
    ax.plot(ends, ends, color=GREY, lw=1, label="as often right as said")
    share, mean = calibration_curve(right, np.clip(given, 0.0, 1.0), n_bins=BINS, strategy="quantile")
    ax.plot(mean, share, "o-", color=BLUE, label="the model")
    ax.set(xlabel="probability of the predicted class", ylabel="share of rows that are right")
    ax.legend(frameon=False)
    return ax


def plot_roc(model: BaseNB, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve of a model with two classes: true positives against false positives of the second class."""
    from sklearn.metrics import roc_auc_score, roc_curve

    if len(model.classes_) != 2:
        raise ValueError(f"plot_roc draws models of two classes, and this one has {len(model.classes_)}.")
    own, probability = np.asarray(y) == model.classes_[1], model.predict_proba(X)[:, 1]
    ax, (wrong, found, _) = plot_axes(ax), roc_curve(own, probability)
    ax.plot(wrong, found, color=BLUE, label=f"the model (AUC = {roc_auc_score(own, probability):.2f})")
    ax.plot([0, 1], [0, 1], color=GREY, ls="--", lw=1, label="guessing (AUC = 0.50)")
    name = plot_label(model.class_labels[1])
    ax.set(xlabel=f"share of the other rows that are predicted as {name}", ylabel=f"share of {name} that is found")
    ax.set_aspect("equal")
    ax.legend(frameon=False)
    return ax
