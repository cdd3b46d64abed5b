"""Pictures of a fitted model, drawn with matplotlib on the caller's Axes or on new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._typing import FloatArray
from atfnb.encoding import NumericAttribute
from atfnb.switching import accuracy_at, beta_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED, GREY = "#2b6cb0", "#c53030", "#8a8f98"


def plot_beta(model: Any, *, ax: Axes | None = None, step: float | None = None) -> Axes:
    """Draw the training accuracy against β, with the best interval shaded and the grid search's points.

    This is the figure of the paper's Section 4.3.

    Parameters
    ----------
    model : ATFNB
        A fitted model.
    ax : matplotlib Axes, optional
        Where to draw; otherwise a new figure is made.
    step : float, optional
        The distance of the grid's points; the model's own ``step`` by default.

    Examples
    --------
    >>> from atfnb import ATFNB
    >>> from sklearn.datasets import load_iris
    >>> plot_beta(ATFNB().fit(*load_iris(return_X_y=True))).get_xlabel()
    'switching factor β'
    """
    if not hasattr(model, "accuracy_curve"):
        raise TypeError(f"plot_beta needs a model with a switching factor, such as ATFNB, not {type(model).__name__}.")
    edges, accuracy = model.accuracy_curve()
    ax = _axes(ax)
    low, high = model.beta_interval_
    ax.axvspan(low, high, color=RED, alpha=0.12, lw=0, label=f"best interval, {low:.4f} to {high:.4f}")
    ax.stairs(accuracy, edges, color=BLUE, lw=1.4, baseline=None, label="training accuracy")
    step = model.step if step is None else step
    grid = beta_grid(step)
    ax.plot(grid, accuracy_at(grid, edges, accuracy), ".", color=GREY, ms=3.5, label=f"grid, step {step:g}")
    ax.axvline(model.beta_, color=RED, lw=1, ls="--", label=f"β = {model.beta_:.4f}")
    ax.set(xlabel="switching factor β", ylabel="training accuracy", xlim=(-0.01, 1.01))
    _legend_above(ax)
    return ax


def plot_weights(model: Any, *, ax: Axes | None = None, top: int = 30) -> Axes:
    """Draw how much each attribute counts, with its relevance and redundancy where the model has them.

    Parameters
    ----------
    model : a fitted classifier
    ax : matplotlib Axes, optional
        Where to draw; otherwise a new figure is made.
    top : int, default=30
        How many attributes to show at most: those with the largest absolute weight.

    Examples
    --------
    >>> from atfnb import ATFNB
    >>> from sklearn.datasets import load_iris
    >>> plot_weights(ATFNB().fit(*load_iris(return_X_y=True))).get_xlabel()
    'weight'
    """
    check_is_fitted(model)
    names = np.array([attribute.name for attribute in model.encoder_.attributes])
    largest = np.argsort(-np.abs(model.weights_), kind="stable")[:top]
    order = largest[np.argsort(model.weights_[largest], kind="stable")]
    ax = _axes(ax, height=1.2 + 0.28 * len(order))
    place = np.arange(len(order))
    weights = model.weights_[order]
    ax.barh(place, weights, color=np.where(weights < 0, RED, BLUE), height=0.66, label="weight")
    for index, marker, label in (("relevance_", ">", "relevance"), ("redundancy_", "x", "redundancy")):
        if hasattr(model, index):
            ax.plot(getattr(model, index)[order], place, marker, color="#1a202c", ms=4.5, mfc="none", label=label)
    ax.axvline(0, color="#1a202c", lw=0.8)
    ax.set_yticks(place, [_shortened(name) for name in names[order]])
    ax.set_xlabel("weight")
    if len(names) > top:
        ax.set_xlabel(f"weight: the {top} attributes of {len(names)} that count most")
    if hasattr(model, "relevance_"):
        _legend_above(ax)
    return ax


def plot_effects(model: Any, attribute: str | int, *, ax: Axes | None = None, top: int = 30) -> Axes:
    """Draw what each value of an attribute adds to the score of each class, less what it adds to all of them.

    Parameters
    ----------
    model : a fitted classifier
    attribute : str or int
        The name of the attribute, or its place.
    ax : matplotlib Axes, optional
        Where to draw; otherwise a new figure is made.
    top : int, default=30
        How many categories to show at most: those with the largest effects.

    Examples
    --------
    >>> from atfnb import ATFNB
    >>> from sklearn.datasets import load_iris
    >>> plot_effects(ATFNB().fit(*load_iris(return_X_y=True)), "x2").get_xlabel()
    'x2'
    """
    check_is_fitted(model)
    names = [one.name for one in model.encoder_.attributes]
    if attribute not in names and not (isinstance(attribute, int) and 0 <= attribute < len(names)):
        raise ValueError(f"attribute {attribute!r} is not in the model. It has {', '.join(map(str, names[:20]))}.")
    j = names.index(attribute) if attribute in names else int(attribute)
    first, one = model.counts_.offsets[j], model.encoder_.attributes[j]
    effects = model.table_[first : first + one.n_values]
    effects = effects - effects.mean(axis=1, keepdims=True)
    if isinstance(one, NumericAttribute):
        ax = _axes(ax)
        _steps(ax, one, effects, model.classes_)
    else:
        shown = np.sort(np.argsort(-np.abs(effects).max(axis=1), kind="stable")[:top])[::-1]
        ax = _axes(ax, height=1.4 + 0.28 * len(shown))
        for c, name in enumerate(model.classes_):
            ax.plot(effects[shown, c], np.arange(len(shown)), "o", ms=5, label=_shortened(str(name)))
        ax.set_yticks(np.arange(len(shown)), [_shortened(one.labels[k]) for k in shown])
        ax.axvline(0, color="#1a202c", lw=0.8)
        ax.set_xlabel("for (right) and against (left) a class")
        ax.set_title(_shortened(one.name), fontsize="medium", pad=28)
    _legend_above(ax)
    return ax


def _steps(ax: Any, attribute: NumericAttribute, effects: FloatArray, classes: Any) -> None:
    """A step for each interval; the first and the last are as wide as a tenth of what is between them."""
    cuts = attribute.cuts if len(attribute.cuts) else np.zeros(1)
    wide = max(0.1 * float(np.ptp(cuts)), 1e-3 * max(float(np.abs(cuts).max()), 1.0))
    if attribute.whole is not None:
        from matplotlib.ticker import MaxNLocator

        wide = max(wide, 1.0)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    edges = np.concatenate([[cuts[0] - wide], attribute.cuts, [cuts[-1] + wide]])
    intervals = effects[: len(attribute.cuts) + 1]
    for c, name in enumerate(classes):
        ax.stairs(intervals[:, c], edges, baseline=None, lw=1.6, color=f"C{c % 10}", label=_shortened(str(name)))
        if len(effects) > len(intervals):  # "missing" is a value
            ax.plot(edges[-1], effects[-1, c], "D", color=f"C{c % 10}", ms=4.5, clip_on=False)
    if len(effects) > len(intervals):
        ax.annotate("missing", (edges[-1], effects[-1].max()), fontsize="small", ha="right", va="bottom")
    ax.axhline(0, color="#1a202c", lw=0.8)
    ax.set_xlabel(_shortened(attribute.name))
    ax.set_ylabel("for (up) and against a class")


def _legend_above(ax: Any) -> None:
    """Above the axes, where it covers nothing."""
    columns = 2 if len(ax.get_legend_handles_labels()[0]) > 3 else 3
    ax.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)


def _shortened(name: str, length: int = 28) -> str:
    name = name.replace("$", r"\$")  # a column's name is text, not a formula
    return name if len(name) <= length else name[: length - 1] + "…"


def _axes(ax: Any, height: float = 3.6) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(6.4, min(height, 12.0)), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
