"""Pictures of a fitted model, drawn with matplotlib on the caller's Axes or on new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb.classifiers import ATFNB, BaseNB
from atfnb.switching import accuracy_at, beta_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED, GREY = "#2b6cb0", "#c53030", "#8a8f98"


def plot_beta(model: ATFNB, *, ax: Axes | None = None, step: float | None = None) -> Axes:
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
    >>> from sklearn.datasets import load_iris
    >>> plot_beta(ATFNB().fit(*load_iris(return_X_y=True))).get_xlabel()
    'switching factor β'
    """
    if not isinstance(model, ATFNB):
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


def plot_weights(model: BaseNB, *, ax: Axes | None = None, top: int = 30) -> Axes:
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
