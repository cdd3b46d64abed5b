"""Heat maps of pairs of attributes that act together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import Attribute, NumericAttribute
from atfnb.report.plots import BLUE, RED, SOME_CLASSES, plot_label, position_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_ROWS = "#b4b9c2"


def plot_pair(model: BaseNB, first: str | int, second: str | int, *, top: int = 6) -> list[Axes]:
    """Draw what the values of two attributes add together to the joint log-likelihood of each class.

    A heat map shows what the two attributes say beyond what each says alone: blue cells speak for the class, red ones
    against it, and grey ones had no training rows. Of two classes, only the second is drawn: the first is its opposite.

    Parameters
    ----------
    model : classifier of this library
        A fitted one with pairs, such as FusionNB: ``model.pairs_`` lists them.
    first, second : str or int
        The attributes of a pair, by name or by position, in any order: the first stands on the vertical axis.
    top : int, default=6
        The number of classes to show at most: those with the largest effects. The title says if there are more.

    Returns
    -------
    list of matplotlib Axes
        One for each class that is drawn.

    Examples
    --------
    >>> from atfnb import FusionNB
    >>> X = [[a, b] for a in "xy" for b in "uv"] * 20
    >>> model = FusionNB().fit(X, [(row == ["x", "u"]) or (row == ["y", "v"]) for row in X])
    >>> [axes.get_title() for axes in plot_pair(model, "x0", "x1")]
    ['for and against True']
    """
    import matplotlib.pyplot as plt
    from matplotlib.colors import LinearSegmentedColormap

    check_is_fitted(model)
    if not (isinstance(top, Integral) and top >= 1):
        raise ValueError(f"top must be a whole number from 1 on, not {top!r}.")
    a, b = (position_of(model, attribute) for attribute in (first, second))
    table = _table(model, a, b)
    labels = [_group_labels(model, j) for j in (a, b)]
    shown = _shown_classes(table, top)
    width, height = 1.6 + 0.36 * len(labels[1]), 1.9 + 0.26 * len(labels[0])
    columns = 2 if len(shown) == 4 else min(len(shown), 3)
    lines = -(-len(shown) // columns)
    size = (min(max(width, 3.4) * columns + 1.2, 18.0), min(max(height * lines, 3.4), 14.0))
    figure, axes = plt.subplots(
        lines, columns, figsize=size, layout="constrained", squeeze=False, sharex=True, sharey=True
    )
    largest = float(np.nan_to_num(np.abs(table)).max()) or 1.0
    colours = LinearSegmentedColormap.from_list("against and for", [RED, "white", BLUE])
    for one, c in zip(axes.flat, shown, strict=False):
        image = one.imshow(table[:, :, c], cmap=colours, vmin=-largest, vmax=largest)
        one.set_facecolor(NO_ROWS)
        one.set_aspect("auto")
        one.set_title(f"for and against {plot_label(model.class_labels[c])}", fontsize="medium")
        one.set_xticks(np.arange(len(labels[1])), labels[1], rotation=60, ha="right", fontsize="small")
        one.set_yticks(np.arange(len(labels[0])), labels[0], fontsize="small")
    for one in axes.flat[len(shown) :]:
        one.set_visible(False)
    names = [plot_label(model.encoder_.attributes[j].name) for j in (a, b)]
    figure.supylabel(names[0], fontsize="medium")
    figure.supxlabel(names[1], fontsize="medium")
    figure.colorbar(image, ax=axes).set_label("together, beyond each alone", fontsize="small")
    if table.shape[2] > max(len(shown), 2):
        figure.suptitle(SOME_CLASSES.format(len(shown), table.shape[2]), fontsize="medium")
    return list(axes.flat[: len(shown)])


def _shown_classes(table: FloatArray, top: int) -> IntArray:
    """Return the positions of the classes to draw: the second of two, or those with the largest effects."""
    if table.shape[2] == 2:
        return np.array([1])
    return np.sort(np.argsort(-np.nan_to_num(np.abs(table)).max(axis=(0, 1)), kind="stable")[:top])


def _table(model: BaseNB, a: int, b: int) -> FloatArray:
    """Return the effects of a pair, (groups of a, groups of b, classes), NaN where there are no training rows."""
    names = [attribute.name for attribute in model.encoder_.attributes]
    grids = model.model_.grids
    for p, pair in enumerate(model.model_.pairs.tolist()):
        if grids is not None and pair in ([a, b], [b, a]):
            rows = grids.rows_of(p)
            table = np.where(rows[:, :, None] > 0, model.pair_effects_[p], np.nan)
            return table if pair == [a, b] else table.swapaxes(0, 1)
    known = ", ".join(f"{x} × {y}" for x, y in model.pairs_[:10]) or "none"
    raise ValueError(f"{names[a]!r} and {names[b]!r} do not act together in this model. Its pairs: {known}.")


def _group_labels(model: BaseNB, j: int) -> list[str]:
    """Return what the groups of an attribute's values are called: intervals, categories, others, missing."""
    return group_labels(model.encoder_.attributes[j], groups_of(model, j))


def groups_of(model: BaseNB, j: int) -> IntArray:
    """Return the group of each value of an attribute, without that of unknown values: (values,)."""
    grids: Any = model.model_.grids
    return np.asarray(grids.groups[grids.starts[j] : grids.starts[j + 1] - 1])


def group_labels(attribute: Attribute, groups: IntArray, label: Callable[[str], str] = plot_label) -> list[str]:
    """Return a label for each group of the values of an attribute; ``label`` fits a value's own label to its place.

    >>> size = NumericAttribute("size", np.array([2.0, 3.0, 5.0]), 4, 0)
    >>> group_labels(size, np.array([0, 0, 1, 1]))
    ['< 3', '≥ 3']
    """
    if isinstance(attribute, NumericAttribute):
        of_intervals = groups[: len(attribute.cuts) + 1]
        cuts = attribute.cuts[np.diff(of_intervals) > 0]
        wider = replace(attribute, cuts=cuts, n_values=len(cuts) + 1 + len(groups) - len(of_intervals))
        return [label(each) for each in wider.labels]
    members = [np.flatnonzero(groups == g) for g in range(int(groups.max()) + 1)]
    words = attribute.labels
    return [label(words[some[0]]) if len(some) == 1 else f"{len(some)} others" for some in members]
