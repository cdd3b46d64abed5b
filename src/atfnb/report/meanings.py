"""What the weights of a model mean: each classifier makes them in its own way."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

Meaning = Literal["switching", "spread", "fused", "equal", "given"]

WORDS: dict[Meaning, str] = {
    "switching": (
        "A bar is an attribute's weight: β times its relevance to the class, less (1 − β) times its redundancy with "
        "the other attributes. 0 is silence; below 0 what it says is turned round."
    ),
    "spread": (
        "Here every value of an attribute has its own effect on each class. A bar is how far the attribute moves the "
        "score of a class, up or down, on an average row, in natural logarithms: 0.7 doubles or halves the odds."
    ),
    "fused": (
        "A bar is an attribute's weight, fused from several measures of relevance and redundancy: 1 counts as much as "
        "in plain naive Bayes, 0 is silence, below 0 what it says is turned round."
    ),
    "equal": "This model gives every attribute the same weight, so all bars are equally long.",
    "given": (
        "A bar is an attribute's weight: 1 counts as much as in plain naive Bayes, 2 twice as much, 0 is silence, and "
        "below 0 what it says is turned round."
    ),
}
"""A sentence for each, for a person without statistics."""


def meaning_of(model: Any) -> Meaning:
    """What the weights of a fitted model are, told by what its fit has left behind.

    >>> from atfnb import NB, FusionNB
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> meaning_of(FusionNB(refine=None).fit(X, y)), meaning_of(NB().fit(X, y))
    ('fused', 'equal')
    """
    if hasattr(model, "accuracy_curve"):
        return "switching"
    if getattr(model, "value_effects_", None) is not None:
        return "spread"
    if hasattr(model, "theta_"):
        return "fused"
    return "equal" if np.ptp(model.weights_) == 0 else "given"


def weight_word(meaning: Meaning) -> str:
    """What a bar is called.

    >>> weight_word("spread")
    'effect'
    """
    return "effect" if meaning == "spread" else "weight"
