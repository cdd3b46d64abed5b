"""Plots of a fitted model with matplotlib, on the caller's Axes or on new ones."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import listed_names, shortened
from atfnb._typing import FloatArray
from atfnb.classifiers import ATFNB, BaseNB
from atfnb.encoding import Attribute
from atfnb.switching import accuracy_at, beta_grid
from atfnb.tables import moment_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, RED, GREY = "#2b6cb0", "#c53030", "#8a8f98"
"""What speaks for a class is blue and what speaks against it red, in all plots and on the page (``model.css``)."""
NINETY = 1.6448536269514722
"""How many standard errors a 90 % band extends to either side."""
MOST_CLASSES = 10
"""The largest number of classes in a plot of effects, unless they are chosen: as many as have a colour of their own."""
SOME_CLASSES = "{} of {} classes, by the size of their effects"
LONGEST = 28
"""The largest number of characters of a name in a plot."""


def plot_beta(model: ATFNB, *, ax: Axes | None = None, step: float | None = None) -> Axes:
    """Draw the training accuracy against β, with the best interval shaded and the grid search's points.

    This is the figure of the paper's Section 4.3.

    Parameters
    ----------
    model : ATFNB
        A fitted model.
    ax : matplotlib Axes, optional
        The axes to draw on; a new figure by default.
    step : float, optional
        The distance between the points of the grid; the model's own ``step`` by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from atfnb import ATFNB
    >>> from sklearn.datasets import load_iris
    >>> plot_beta(ATFNB().fit(*load_iris(return_X_y=True))).get_xlabel()
    'switching factor β'
    """
    if not model.declaration.has("curve_"):
        raise TypeError(f"plot_beta needs a model with a switching factor, such as ATFNB, not {type(model).__name__}.")
    edges, accuracy = model.accuracy_curve()
    ax = plot_axes(ax)
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
    """Draw the weight of each attribute, with its relevance and redundancy where the model has them.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    ax : matplotlib Axes, optional
        The axes to draw on; a new figure by default.
    top : int, default=30
        The number of attributes to show at most: those with the largest absolute weight.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from atfnb import ATFNB
    >>> from sklearn.datasets import load_iris
    >>> plot_weights(ATFNB().fit(*load_iris(return_X_y=True))).get_xlabel()
    'weight'
    """
    from matplotlib import rcParams

    check_is_fitted(model)
    ink = rcParams["text.color"]
    names = np.array([attribute.name for attribute in model.encoder_.attributes])
    largest = np.argsort(-np.abs(model.weights_), kind="stable")[:top]
    order = largest[np.argsort(model.weights_[largest], kind="stable")]
    ax = plot_axes(ax, height=1.2 + 0.28 * len(order))
    heights, weights = np.arange(len(order)), model.weights_[order]
    ax.barh(heights, weights, color=np.where(weights < 0, RED, BLUE), height=0.66, label="weight")
    for index, marker, label in (("relevance_", ">", "relevance"), ("redundancy_", "x", "redundancy")):
        if model.declaration.has(index):
            ax.plot(getattr(model, index)[order], heights, marker, color=ink, ms=4.5, mfc="none", label=label)
    ax.axvline(0, color=ink, lw=0.8)
    ax.set_yticks(heights, [plot_label(name) for name in names[order]])
    ax.set_xlabel("weight")
    if len(names) > top:
        ax.set_xlabel(f"weight: the {top} attributes of {len(names)} that count most")
    if model.declaration.has("relevance_"):
        _legend_above(ax)
    return ax


def plot_effects(
    model: BaseNB, attribute: str | int, *, classes: Any = None, ax: Axes | None = None, top: int = 30
) -> Axes:
    """Draw what each value of an attribute adds to the joint log-likelihood of each class, less the mean over classes.

    Pale bands, or lines through the points of categories, are 90 % bands, where the model has standard errors: see
    ``effect_errors_``. They hold given the cuts, the weights or shrinkage, and the effects of the other columns; where
    columns are correlated, the effects can vary more.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    attribute : str or int
        The name of the attribute, or its position.
    classes : a class or a sequence of classes, optional
        Those to draw, of ``classes_``. By default all, or the ten with the largest effects; the plot then says so.
    ax : matplotlib Axes, optional
        The axes to draw on; a new figure by default.
    top : int, default=30
        The number of categories to show at most: rare ones that count as one, and those with the largest effects.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from atfnb import ATFNB
    >>> from sklearn.datasets import load_iris
    >>> plot_effects(ATFNB().fit(*load_iris(return_X_y=True)), "x2").get_xlabel()
    'x2'
    """
    check_is_fitted(model)
    j = position_of(model, attribute)
    first, one = model.model_.offsets[j], model.encoder_.attributes[j]
    effects = model.model_.table[first : first + one.n_values]
    effects = effects - effects.mean(axis=1, keepdims=True)
    errors = model.effect_errors_
    half = np.zeros_like(effects) if errors is None else NINETY * np.nan_to_num(errors[first : first + one.n_values])
    drawn = _drawn_classes(model, classes, effects)
    colours = {c: f"C{k if len(model.classes_) > MOST_CLASSES else c}" for k, c in enumerate(drawn)}
    names = {c: plot_label(model.class_labels[c]) for c in drawn}
    if one.is_numeric:
        ax = plot_axes(ax)
        _steps(ax, one, effects, half, names, colours)
    else:
        ax = _points(ax, one, effects, half, names, colours, top)
    if classes is None and len(drawn) < len(model.classes_):
        ax.set_xlabel(f"{ax.get_xlabel()}\n({SOME_CLASSES.format(len(drawn), len(model.classes_))})")
    if partners := [b if a == one.name else a for a, b in model.pairs_ if one.name in (a, b)]:
        with_others = f"acts together with {listed_names(partners, most=3)} too"
        ax.set_xlabel(f"{ax.get_xlabel()}\n({plot_label(with_others, longest=70)})")
    _legend_above(ax)
    return ax


def position_of(model: BaseNB, attribute: str | int) -> int:
    """Return the position of an attribute, given by its name or by its position."""
    names = [one.name for one in model.encoder_.attributes]
    if attribute in names:
        return names.index(attribute)
    if isinstance(attribute, int) and 0 <= attribute < len(names):
        return attribute
    raise ValueError(f"attribute {attribute!r} is not in the model. It has {', '.join(map(str, names[:20]))}.")


def largest_classes(effects: FloatArray, most: int) -> list[int]:
    """Return the positions of the classes with the largest effects, ``most`` at most, in order."""
    sizes = np.nan_to_num(np.abs(effects)).reshape(-1, effects.shape[-1]).max(axis=0, initial=0.0)
    return sorted(np.argsort(-sizes, kind="stable")[:most].tolist())


def _drawn_classes(model: BaseNB, classes: Any, effects: FloatArray) -> list[int]:
    """Return the positions of the classes to draw: those chosen, or those with the largest effects."""
    if classes is None:
        return largest_classes(effects, MOST_CLASSES)
    known = {name: c for c, name in enumerate([*model.class_labels, *model.classes_.tolist()])}
    chosen = np.atleast_1d(classes).tolist()
    if odd := [name for name in chosen if name not in known]:
        raise ValueError(f"class {odd[0]!r} is not in the model. It has {listed_names(model.class_labels, most=20)}.")
    return [known[name] % len(model.classes_) for name in chosen]


Words = dict[int, str]
"""The name, or the colour, of each class that is drawn, by its position."""


def _steps(ax: Any, attribute: Attribute, effects: FloatArray, half: FloatArray, names: Words, colours: Words) -> None:
    """Draw a step and its band for each interval of a number; the outer ones are a tenth as wide as all inner ones."""
    from matplotlib import rcParams

    cuts = attribute.cuts if len(attribute.cuts) else np.zeros(1)
    wide = max(0.1 * float(np.ptp(cuts)), 1e-3 * max(float(np.abs(cuts).max()), 1.0))
    if attribute.whole is not None:
        wide = max(wide, 1.0)
        ax.locator_params(axis="x", integer=True)
    if attribute.part in ("date", "time"):
        part = attribute.part
        ax.xaxis.set_major_formatter(lambda value, _: moment_label(float(value), part))
        ax.locator_params(axis="x", nbins=5)  # dates are long
    edges = np.concatenate([[cuts[0] - wide], attribute.cuts, [cuts[-1] + wide]])
    intervals = effects[: len(attribute.cuts) + 1]
    for c, colour in colours.items():
        low, high = ((intervals + sign * half[: len(intervals)])[:, c] for sign in (-1, 1))
        ax.stairs(high, edges, baseline=low, fill=True, lw=0, alpha=0.15, color=colour)
        ax.stairs(intervals[:, c], edges, baseline=None, lw=1.6, color=colour, label=names[c])
        if len(effects) > len(intervals):  # "missing" is a value
            ax.plot(edges[-1], effects[-1, c], "D", color=colour, ms=4.5, clip_on=False)
    if len(effects) > len(intervals):
        ax.annotate("missing", (edges[-1], effects[-1, list(colours)].max()), fontsize="small", ha="right", va="bottom")
    ax.axhline(0, color=rcParams["text.color"], lw=0.8)
    ax.set_xlabel(plot_label(attribute.name))
    ax.set_ylabel("for (up) and against a class")


def _points(
    ax: Any, attribute: Any, effects: FloatArray, half: FloatArray, names: Words, colours: Words, top: int
) -> Any:
    """Draw a line of points, one for each class, for each category with the largest effects, and for pooled ones."""
    from matplotlib import rcParams

    size = np.abs(effects[:, list(colours)]).max(axis=1)
    if attribute.pooled:
        size[attribute.unseen] = np.inf
    shown = np.sort(np.argsort(-size, kind="stable")[:top])[::-1]
    ax = plot_axes(ax, height=1.4 + 0.28 * len(shown) + 0.1 * len(names))
    for c, colour in colours.items():
        at = np.arange(len(shown))
        ax.hlines(at, (effects - half)[shown, c], (effects + half)[shown, c], color=colour, alpha=0.35, lw=4)
        ax.plot(effects[shown, c], at, "o", ms=5, color=colour, label=names[c])
    ax.set_yticks(np.arange(len(shown)), [plot_label(attribute.labels[k]) for k in shown])
    ax.axvline(0, color=rcParams["text.color"], lw=0.8)
    ax.set_xlabel("for (right) and against (left) a class")
    ax.set_title(plot_label(attribute.name), fontsize="medium")
    return ax


def _legend_above(ax: Any) -> None:
    """Put the legend above the axes, and their title above it, where they cover nothing."""
    entries = len(ax.get_legend_handles_labels()[0])
    columns = 2 if entries > 3 else 3
    if ax.get_title():
        ax.set_title(ax.get_title(), fontsize="medium", pad=14 + 14 * -(-entries // columns))
    ax.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)


def checked_top(top: Any) -> int:
    """Return how many parts a plot shows at most, after a check that it is a whole number from 1 on."""
    if isinstance(top, bool) or not isinstance(top, Integral) or top < 1:
        raise ValueError(f"top must be a whole number from 1 on, not {top!r}.")
    return int(top)


def plot_label(name: str, longest: int = LONGEST) -> str:
    """Return a name as matplotlib shows it: as text, not as a formula."""
    return shortened(name.replace("$", r"\$"), longest)


def plot_axes(ax: Any, height: float = 3.6) -> Any:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(6.4, min(height, 12.0)), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
