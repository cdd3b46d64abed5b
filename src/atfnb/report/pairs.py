"""What the page shows of each pair of attributes that acts together: its grid, and a sentence on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import NumericAttribute
from atfnb.evaluation import Name, Sentence
from atfnb.report.pair_plots import group_labels, groups_of
from atfnb.report.sentences import number, one_line

MOST_PAIRS = 30
"""The largest number of pairs whose grids are in a page: those with the largest share."""
FEWEST_ROWS = 5
"""A cell that a sentence names has at least this number of training rows."""


@dataclass(frozen=True)
class PairFacts:
    """One pair of attributes that acts together."""

    of: tuple[int, int]
    """The positions of the two attributes."""
    share: float
    """The share of the total effect."""
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    """What the groups of values of the two attributes are called."""
    rows: FloatArray
    """(groups, groups) the weight of the training rows in each cell."""
    effects: FloatArray
    """(groups, groups, classes) what each cell adds to each class, less the mean over the classes."""
    focus: int
    """The class that the sentence is about: the second of two, or of more the one with the strongest cell."""
    sentence: Sentence


def pairs_of(model: BaseNB, shares: FloatArray) -> tuple[PairFacts, ...]:
    """Return the pairs of a model with their shares of the total effect, the largest first.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    shares : (pairs,) array
    """
    grids: Any = model.model_.grids
    order = np.argsort(-shares, kind="stable")[:MOST_PAIRS]
    return tuple(_pair(model, int(p), grids.rows_of(int(p)), float(shares[p])) for p in order)


def _pair(model: BaseNB, p: int, rows: FloatArray, share: float) -> PairFacts:
    a, b = (int(j) for j in model.model_.pairs[p])
    effects = model.pair_effects_[p]
    effects = effects - effects.mean(axis=2, keepdims=True)
    first, second = (tuple(group_labels(model.encoder_.attributes[j], groups_of(model, j), one_line)) for j in (a, b))
    classes = [one_line(name) for name in model.class_labels]
    heads = [_head(model, a, first), _head(model, b, second)]
    focus = strongest_class(rows, effects)
    sentence = in_words(heads, rows, effects, classes, focus)
    return PairFacts((a, b), share, (first, second), rows, effects, focus, sentence)


def _head(model: BaseNB, j: int, labels: tuple[str, ...]) -> list[Sentence]:
    """Return each group of an attribute as the part of a sentence: its name and which values."""
    attribute = model.encoder_.attributes[j]
    plain = isinstance(attribute, NumericAttribute)
    name = Name(one_line(attribute.name))
    return [
        (
            name,
            f" {label}" if plain or label == "missing" else " = ",
            *(() if plain or label == "missing" else (label,)),
        )
        for label in labels
    ]


def strongest_class(rows: FloatArray, effects: FloatArray) -> int:
    """Return the second of two classes, or of more the one with the strongest cell: see :func:`in_words`."""
    return 1 if effects.shape[2] == 2 else int(np.abs(_strength(rows, effects)).max(axis=(0, 1)).argmax())


def _strength(rows: FloatArray, effects: FloatArray) -> FloatArray:
    enough = np.where(rows >= min(FEWEST_ROWS, rows.max()), rows, 0.0)
    return np.asarray(effects * np.sqrt(enough)[:, :, None])


def in_words(
    heads: list[list[Sentence]], rows: FloatArray, effects: FloatArray, classes: list[str], c: int
) -> Sentence:
    """Return which two values count for more together than alone, and which for less, for the class with the code c.

    A cell is the stronger, the larger its effect and the more rows it has.

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
    factor, odds = (
        (2, "odds") if len(classes) == 2 else (1, "likelihood")
    )  # of two classes, the difference between them
    parts: list[str] = []
    for best, words in ((strength.argmax(), "for more"), (strength.argmin(), "for less")):
        g, h = np.unravel_index(best, rows.shape)
        if strength[g, h] == 0:  # all others speak the other way, or have no rows
            continue
        times = float(np.exp(np.clip(factor * effects[g, h, c], -30, 30)))
        how_much = f" × {number(times)}, {_counted(rows[g, h])})"
        pair = (*heads[0][g], " with ", *heads[1][h])
        start = "; " if parts else ""
        parts += [start, *pair, f" counts {words} than the two alone (the {odds} of ", Name(classes[c]), how_much]
    return (*parts, ".")


def _counted(rows: float) -> str:
    return "1 row" if rows == 1 else f"{number(float(rows))} rows"
