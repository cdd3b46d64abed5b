"""Plots of a model on rows: why one row is predicted as its class, and how good the model is on many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import listed_names, percent
from atfnb._typing import CodeArray, FloatArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import Wording, wording_of
from atfnb.evaluation import score_on
from atfnb.model import most_probable, runner_up
from atfnb.report.performance import reliability_of, thresholds_of
from atfnb.report.plots import BLUE, GREY, RED, checked_top, plot_axes, plot_label
from atfnb.report.sentences import one_line
from atfnb.tables import Table, read_again, read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL, TITLE = 36, 48
"""The largest number of characters of a label, and of a title, in one line."""
LEFT_TO_RIGHT = "\u200e"
"""The invisible mark that text goes on from left to right."""


def plot_row(model: BaseNB, row: Any, *, ax: Axes | None = None, top: int = 12) -> Axes:
    r"""Draw how the values of one row lead from the prior to the predicted class, the strongest first.

    The bars show the logarithm of how many times more probable the predicted class is than the second most probable
    one: where it stands before any value is known (the prior), by how much each value moves it, and where it ends.
    Blue bars, to the right, speak for the predicted class, and red ones for the other. Further classes are less
    probable than these two, and are not drawn.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    row : data frame, array or list with one row, dict of column to value, or Series
        The values of the row. A dict or a Series may hold other columns too; a missing value is None.
    ax : matplotlib Axes, optional
        The axes to draw on; a new figure by default.
    top : int, default=12
        The number of bars for attributes and pairs at most: the others share one bar.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from atfnb import NB
    >>> model = NB().fit([["red", 1], ["red", 2], ["blue", 3], ["blue", 5]], ["apple", "apple", "plum", "plum"])
    >>> ax = plot_row(model, {"x0": "red", "x1": 2})
    >>> ax.get_title()
    'predicted: apple (90.0 %),\nrather than plum (10.0 %)'
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['prior', 'x0 = red', 'x1 ≤ 2', 'all together']
    """
    check_is_fitted(model)
    table = _one_row(model, row)
    codes = model.encoder_.encode_table(table)
    joint = model.model_.joint(codes)
    both = [int(most_probable(joint)[0]), int(runner_up(joint, most_probable(joint))[0])]
    labels, moves = _steps(model, table, codes, both, checked_top(top))
    slots = np.array([max(1.0, (label.count("\n") + 1) / 2) for label in labels])  # some labels have over two lines
    ax = plot_axes(ax, height=1.5 + 0.3 * slots.sum())
    _draw_steps(ax, labels, moves, slots)
    first, second = (_marked(_shown(model.class_labels[c])) for c in both)
    of_first, of_second = (_share(p) for p in softmax(joint[0])[both])
    sides = _in_lines(f"for {second} (left)", f"and for {first} (right)")
    ax.set_xlabel(f"{sides}\nlogarithm of the odds", fontsize="small")
    title = _in_lines(f"predicted: {first} ({of_first}),", f"rather than {second} ({of_second})")
    ax.set_title(title, fontsize="medium")
    return ax


# --- The row ----------------------------------------------------------------------------------------


def _one_row(model: BaseNB, row: Any) -> Table:
    """Return a row, in any of the forms that it may be given in, as a table with one column for each attribute."""
    by_name = hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1 and hasattr(model, "feature_names_in_")
    if isinstance(row, Mapping) or by_name:
        table = _from_mapping(model, row if isinstance(row, Mapping) else row.to_dict())
    else:
        flat = getattr(row, "ndim", None) == 1 or (
            isinstance(row, (list, tuple)) and not any(isinstance(cell, (list, tuple, np.ndarray)) for cell in row)
        )
        table = read_again(model, [list(row)] if flat else row)
    if table.n_rows != 1:
        raise ValueError(f"plot_row draws one row, and this table has {table.n_rows}: choose one, as X[:1].")
    return model.encoder_.aligned(table)


def _from_mapping(model: BaseNB, row: Mapping[Any, Any]) -> Table:
    """Return a dict of column to value as a table."""
    sources, cells = model.encoder_.sources, {str(name): cell for name, cell in row.items()}
    if absent := [name for name in sources if name not in cells]:
        raise ValueError(f"the row lacks {listed_names(absent)}: add what is missing, with None if it is not known.")
    values = np.empty((1, len(sources)), dtype=object)
    values[0, :] = [cells[name] for name in sources]
    read = read_table(values)
    return Table(tuple(replace(column, name=name) for column, name in zip(read.columns, sources, strict=True)))


# --- The steps --------------------------------------------------------------------------------------


def _steps(model: BaseNB, table: Table, codes: CodeArray, both: list[int], top: int) -> tuple[list[str], FloatArray]:
    """Return the bars from the prior to the lead of the first of two classes over the second, the strongest first.

    These are labels, the last one for the sum, and by how much each other moves the logarithm of the odds.
    """
    lead = -np.diff(model.model_.contributions(codes)[0][:, both])[:, 0]  # (attributes + pairs,)
    order = np.argsort(-np.abs(lead), kind="stable")
    shown = order if len(order) == top + 1 else order[:top]  # the only other one gets a bar of its own
    words, others = wording_of(model.encoder_.attributes, table, codes), order[len(shown) :]
    labels = [_label(words, model.model_.pairs, int(j)) for j in shown]
    moves = np.concatenate([-np.diff(model.class_log_prior_[both]), lead[shown]])
    if len(others):
        labels, moves = [*labels, f"{len(others):,} others"], np.append(moves, lead[others].sum())
    return ["prior", *labels, "all together"], moves


def _label(words: Wording, pairs: Any, j: int) -> str:
    """Return an attribute and its value, or those of a pair below each other, as matplotlib shows them."""
    if j < len(words.names):
        name, value = words.statement(0, j, _shown, "\n").split("\n")
        return _in_lines(name, value, LABEL)
    a, b = (_label(words, pairs, int(one)) for one in pairs[j - len(words.names)])
    return f"{a} ×\n{b}"


def _shown(name: str) -> str:
    """Return a name or a value as matplotlib shows it: in one line, and cut off if it is long."""
    return plot_label(one_line(name))


def _in_lines(first: str, second: str, widest: int = TITLE) -> str:
    """Return two texts in one line, or in two if that has more than ``widest`` characters."""
    return (" " if len(first) + len(second) < widest else "\n").join([first, second])


def _draw_steps(ax: Any, labels: list[str], steps: FloatArray, slots: FloatArray) -> None:
    """Draw a bar for each step, from where the one before ended, and one from 0 to where all end.

    ``slots`` is the height that each bar and its label take.
    """
    from matplotlib import rcParams

    ink, ends = rcParams["text.color"], np.cumsum(steps)
    moves, starts = np.append(steps, ends[-1]), np.concatenate([[0.0], ends[:-1], [0.0]])
    colours, heights = np.where(moves < 0, RED, BLUE), np.cumsum(slots) - slots / 2
    bars = ax.barh(heights, moves, left=starts, color=[GREY, *colours[1:]], height=0.62)
    bars[-1].set(edgecolor=ink, linewidth=1)
    ax.vlines(ends, heights[:-1] - 0.31, heights[1:] + 0.31, color=GREY, lw=0.8)
    ax.axvline(0, color=ink, lw=0.8)
    behind = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
    texts = [f"{round(move, 2) + 0.0:+.2f}".replace("-", "−") for move in moves]  # adding 0 makes −0 a 0
    ax.bar_label(bars, texts, padding=4, fontsize="small", bbox=behind)
    ax.use_sticky_edges = False
    ax.margins(x=0.18)  # room for these texts
    ax.set_ylim(slots.sum() + 0.1, -0.1)  # the first on top
    ax.set_yticks(heights, labels, fontsize="small")


def _marked(name: str) -> str:
    """Return a name with a mark after it if it is in Hebrew or Arabic, so that what follows stands to its right."""
    from_right = any(bidirectional(letter) in ("R", "AL") for letter in name)
    return f"{name}{LEFT_TO_RIGHT}" if from_right else name


def _share(probability: float) -> str:
    """Return a probability as a percentage that is neither 0 nor 100.

    >>> _share(0.25), _share(0.9999), _share(1e-9)
    ('25.0 %', 'over 99.9 %', 'under 0.1 %')
    """
    if probability > 0.9995:
        return "over 99.9 %"
    return "under 0.1 %" if probability < 0.0005 else percent(probability)


# --- Many rows ----------------------------------------------------------------------------------------


def plot_confusion(model: BaseNB, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows of each actual class are predicted as each class."""
    from sklearn.metrics import ConfusionMatrixDisplay

    found = score_on(model, X, y)
    labels = [plot_label(name) for name in found.measured.classes]
    ax = plot_axes(ax, height=2.4 + 0.3 * len(labels))
    drawn = ConfusionMatrixDisplay(found.measured.confusion, display_labels=labels)
    drawn.plot(ax=ax, cmap="Blues", colorbar=False, xticks_rotation="vertical" if len(labels) > 3 else "horizontal")
    ax.set(xlabel="predicted", ylabel="actual", title=f"{found.rows:,} rows")
    return ax


def plot_reliability(model: BaseNB, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the share of rows that are predicted correctly against the probability that the model gave.

    The rows are in at most ten bins of neighbouring probabilities, as on the page of a model.
    """
    answers = score_on(model, X, y).answers
    given = answers.probability.max(axis=1)
    _, mean, share, _, _ = np.transpose(reliability_of(given, answers.right)["bins"])
    ax, ends = plot_axes(ax), [float(given.min()), 1.0]
    ax.plot(ends, ends, color=GREY, lw=1, label="as often right as said")
    ax.plot(mean, share, "o-", color=BLUE, label="the model")
    ax.set(xlabel="probability of the predicted class", ylabel="share of rows that are right")
    ax.legend(frameon=False)
    return ax


def plot_roc(model: BaseNB, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve of a model with two classes: true positives against false positives of the second class."""
    if len(model.classes_) != 2:
        raise ValueError(f"plot_roc draws models of two classes, and this one has {len(model.classes_)}.")
    drawn = thresholds_of(score_on(model, X, y).answers)
    if drawn is None:
        raise ValueError("plot_roc needs rows of both classes.")
    found, wrong = (np.append(0, counts) / counts[-1] for counts in drawn["curve"])
    ax = plot_axes(ax)
    ax.plot(wrong, found, color=BLUE, label=f"the model (AUC = {drawn['area']:.2f})")
    ax.plot([0, 1], [0, 1], color=GREY, ls="--", lw=1, label="guessing (AUC = 0.50)")
    name = plot_label(model.class_labels[1])
    ax.set(xlabel=f"share of the other rows that are predicted as {name}", ylabel=f"share of {name} that is found")
    ax.set_aspect("equal")
    ax.legend(frameon=False)
    return ax
