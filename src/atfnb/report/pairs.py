"""Pairs of attributes that act together: their heat maps, and what the page shows of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._typing import FloatArray
from atfnb.classifiers import BaseNB
from atfnb.evaluation import Name, Sentence
from atfnb.report.plots import BLUE, RED, SOME_CLASSES, checked_top, largest_classes, plot_label, position_of
from atfnb.report.sentences import Payload, number, one_line, packed, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NO_ROWS = "#b4b9c2"
"""The colour of a cell without training rows."""
MOST_PAIRS = 30
"""The largest number of pairs whose grids are in a page: those with the largest share."""
FEWEST_ROWS = 5
"""A cell that a sentence names has at least this number of training rows."""


def group_labels(model: BaseNB, j: int, label: Callable[[str], str] = plot_label) -> list[str]:
    """Return what the groups of an attribute's values are called: intervals, categories, others, missing.

    ``label`` fits the label of a value to its place.
    """
    grids = model.model_.grids
    attribute, groups = model.encoder_.attributes[j], grids.groups[grids.starts[j] : grids.starts[j + 1] - 1]
    if attribute.is_numeric:
        of_intervals = groups[: len(attribute.cuts) + 1]
        cuts = attribute.cuts[np.diff(of_intervals) > 0]
        wider = replace(attribute, cuts=cuts, n_values=len(cuts) + 1 + len(groups) - len(of_intervals))
        return [label(each) for each in wider.labels]
    members = [np.flatnonzero(groups == g) for g in range(int(groups.max()) + 1)]
    words = [label(each) for each in attribute.labels]
    several = "{0} to {1}" if attribute.ordered else "{2} others"
    ends = ((words[some[0]], words[some[-1]], len(some)) for some in members)
    return [first if n == 1 else several.format(first, last, n) for first, last, n in ends]


# --- the heat map ----------------------------------------------------------------------------------


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
    checked_top(top)
    a, b = (position_of(model, attribute) for attribute in (first, second))
    table = _table(model, a, b)
    labels = [group_labels(model, j) for j in (a, b)]
    shown = [1] if table.shape[2] == 2 else largest_classes(table, top)
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


def _table(model: BaseNB, a: int, b: int) -> FloatArray:
    """Return the effects of a pair, (groups of a, groups of b, classes), NaN where there are no training rows."""
    names = [attribute.name for attribute in model.encoder_.attributes]
    for p, pair in enumerate(model.model_.pairs.tolist()):
        if pair in ([a, b], [b, a]):
            rows = model.model_.grids.rows_of(p)
            table = np.where(rows[:, :, None] > 0, model.pair_effects_[p], np.nan)
            return table if pair == [a, b] else table.swapaxes(0, 1)
    known = ", ".join(f"{x} × {y}" for x, y in model.pairs_[:10]) or "none"
    raise ValueError(f"{names[a]!r} and {names[b]!r} do not act together in this model. Its pairs: {known}.")


# --- what the page shows ---------------------------------------------------------------------------


def pairs_of(model: BaseNB, shares: FloatArray) -> list[Payload]:
    """Return the pairs of a model with their shares of the total effect, the largest first.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    shares : (pairs,) array
    """
    order = np.argsort(-shares, kind="stable")[:MOST_PAIRS]
    return [_pair(model, int(p), float(shares[p])) for p in order]


def _pair(model: BaseNB, p: int, share: float) -> Payload:
    """Return what the page shows of the pair at position p.

    - the positions ``of`` its two attributes, and its ``share`` of the total effect
    - ``labels``, two lists: what the groups of values of the two attributes are called
    - ``rows`` (groups · groups,), the weight of the training rows in each cell, and ``effects`` (groups · groups,
      classes), what each cell adds to each class, less the mean over the classes
    - ``focus``, the class that the sentence is about: the second of two, or of more the one with the strongest cell
    - ``words``, the parts of a sentence on the pair, each with whether it is a name from the data
    """
    grids = model.model_.grids
    a, b = model.model_.pairs[p].tolist()
    rows, effects = grids.rows_of(p), model.pair_effects_[p]
    effects = effects - effects.mean(axis=2, keepdims=True)
    first, second = (group_labels(model, j, one_line) for j in (a, b))
    heads = [_heads(model, a, first), _heads(model, b, second)]
    strength = _strength(rows, effects)
    focus = 1 if effects.shape[2] == 2 else int(np.abs(strength).max(axis=(0, 1)).argmax())
    sentence = in_words(heads, rows, effects, [one_line(name) for name in model.class_labels], focus)
    return {
        "of": (a, b),
        "share": short(share, 6)[0],
        "labels": (first, second),
        "rows": short(rows),
        "effects": packed(effects, np.int16),
        "focus": focus,
        "words": [(str(part), isinstance(part, Name)) for part in sentence],
    }


def _heads(model: BaseNB, j: int, labels: list[str]) -> list[Sentence]:
    """Return each group of an attribute as the part of a sentence: its name and which values."""
    attribute = model.encoder_.attributes[j]
    name, is_number = Name(one_line(attribute.name)), attribute.is_numeric
    return [(name, f" {label}") if is_number or label == "missing" else (name, " = ", label) for label in labels]


def _strength(rows: FloatArray, effects: FloatArray) -> FloatArray:
    """Return how strong each cell is for each class: the stronger, the larger its effect and the more rows it has."""
    enough = np.where(rows >= min(FEWEST_ROWS, rows.max()), rows, 0.0)
    return np.asarray(effects * np.sqrt(enough)[:, :, None])


def in_words(
    heads: list[list[Sentence]], rows: FloatArray, effects: FloatArray, classes: list[str], c: int
) -> Sentence:
    """Return which two values count for more together than alone, and which for less, for the class with the code c.

    Parameters
    ----------
    heads : two lists of Sentence
        The groups of the two attributes in words.
    rows : (groups, groups) array
    effects : (groups, groups, classes) array
    classes : list of str
    c : int
    """
    strength = _strength(rows, effects)[:, :, c]
    if not strength.any():
        return ("No two of their values add anything together.",)
    # of two classes, the effect is the difference between them
    factor, odds = (2, "odds") if len(classes) == 2 else (1, "likelihood")
    parts: list[str] = []
    for best, words in ((strength.argmax(), "for more"), (strength.argmin(), "for less")):
        g, h = np.unravel_index(best, rows.shape)
        if strength[g, h] == 0:  # all others speak the other way, or have no rows
            continue
        times = float(np.exp(np.clip(factor * effects[g, h, c], -30, 30)))
        n_rows = "1 row" if rows[g, h] == 1 else f"{number(float(rows[g, h]))} rows"
        pair = ("; " if parts else "", *heads[0][g], " with ", *heads[1][h])
        parts += [*pair, f" counts {words} than the two alone (the {odds} of ", Name(classes[c])]
        parts.append(f" × {number(times)}, {n_rows})")
    return (*parts, ".")
