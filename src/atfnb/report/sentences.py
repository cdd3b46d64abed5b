"""What was learned, in three plain sentences; and what a weight means in each classifier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from atfnb._errors import and_more
from atfnb._typing import FloatArray
from atfnb.evaluation import difference_in_words, how_right, missed_in_words
from atfnb.report.meanings import Meaning, weight_word
from atfnb.report.text import Name, Sentence, listed, number
from atfnb.report.trial import NAIVE, Trial
from atfnb.report.values import AttributeFacts

ALIKE = 0.5
"""From here on two attributes tell much the same."""
FEW = 3
"""Names in a sentence."""
WEIGHTS = {
    1: ", so learning how much each attribute counts has paid",
    0: "",
    -1: ", so plain naive Bayes is the better choice here",
}
"""What a difference to plain naive Bayes means, by its verdict."""


def how_good(trial: Trial, *, is_naive: bool) -> Sentence:
    """Return what was measured on what, beside guessing and plain naive Bayes."""
    said = (f"{trial.subject} ", *how_right(trial.measured))
    if is_naive:
        said = (*said, ". It is plain naive Bayes, in which every attribute counts the same")
    elif trial.over_naive is not None:
        naive, verdict = trial.figures[trial.metric][NAIVE], trial.over_naive.verdict
        more = difference_in_words(trial.over_naive, ("that of plain naive Bayes",), float(naive or 0.0))
        meant = "" if trial.measured.uneven and verdict < 0 else WEIGHTS[verdict]
        said = (*said, f". Its {trial.metric} is ", *more, meant)
    missed = missed_in_words(trial.measured)
    return (*said, ". ", *missed) if missed else (*said, ".")


def what_matters(attributes: Sequence[AttributeFacts], meaning: Meaning) -> Sentence:
    """The attributes that count most."""
    weights = np.array([one.weight for one in attributes])
    if len(attributes) == 1:
        return ("There is one attribute only, ", Name(attributes[0].name), ", so everything rests on it.")
    if np.allclose(weights, weights[0], rtol=1e-9) and meaning != "spread":
        moved = np.array([one.spread for one in attributes])
        parts = _ranking(attributes, moved, "effect")
        return ("Every attribute has the same weight; measured by how far they move the scores, ", *parts, ".")
    size = np.abs(weights)
    tied = np.flatnonzero(np.isclose(size, size.max(), rtol=1e-9))
    if len(tied) > 1 and meaning != "spread":
        names = listed(attributes[j].name for j in tied[:FEW])
        return (*names, f"{and_more(len(tied), FEW)} matter most: they share the highest weight, {number(size.max())}.")
    top = _ranking(attributes, size, weight_word(meaning), weights)
    order = np.argsort(-size, kind="stable")
    share = size[order[:FEW]].sum() / max(size.sum(), 1e-300)
    carried = f"; together they carry {100 * share:.0f} % of all weight." if len(attributes) > FEW else "."
    return (*top, carried.replace("weight", "movement") if meaning == "spread" else carried)


def _ranking(
    attributes: Sequence[AttributeFacts], by: FloatArray, word: str, told: FloatArray | None = None
) -> Sentence:
    """The first matters most, then the second and the third."""
    told = by if told is None else told
    if by.max() == 0:
        return ("none of the attributes says anything",)
    first, *rest = (int(j) for j in np.argsort(-by, kind="stable")[:FEW] if by[j] > 0)
    parts: list[str] = [Name(attributes[first].name), f" matters most ({word} {number(told[first])})"]
    for place, j in enumerate(rest):
        parts += [", then " if place == 0 else " and ", Name(attributes[j].name), f" ({number(told[j])})"]
    return tuple(parts)


def what_was_redundant(attributes: Sequence[AttributeFacts]) -> Sentence:
    """The attributes most alike, those that count against, and those that say nothing."""
    constant = [one.name for one in attributes if one.constant]
    return (*_alike(attributes), *_against(attributes), *_silent(constant), ".")


def _alike(attributes: Sequence[AttributeFacts]) -> Sentence:
    if len(attributes) == 1:
        return ("With one attribute nothing can be redundant",)
    pairs = [(one.like[1], j, one.like[0]) for j, one in enumerate(attributes) if one.like is not None]
    if not pairs:
        most = max(attributes, key=lambda one: one.redundancy)
        if most.redundancy == 0:
            return ("No attribute repeats what the others say",)
        return ("Most of what ", Name(most.name), f" says, the others say too (redundancy {number(most.redundancy)})")
    alike, j, k = max(pairs, key=lambda pair: pair[0])
    names = listed([attributes[j].name, attributes[k].name])
    if alike >= ALIKE:
        return (*names, f" tell much the same (likeness {alike:.2f} of 1), so one of them is partly redundant")
    return ("No two attributes tell the same: the most alike, ", *names, f", are so by {alike:.2f} of 1 only")


def _against(attributes: Sequence[AttributeFacts]) -> Sentence:
    below = sorted((one for one in attributes if one.weight < 0), key=lambda one: one.weight)
    if not below:
        return ()
    if len(below) == 1:
        return ("; ", Name(below[0].name), " says more of the others than of the class, and its weight is below zero")
    return (
        f"; {len(below)} attributes say more of the others than of the class and have a weight below zero, ",
        Name(below[0].name),
        " the lowest",
    )


def _silent(constant: list[str]) -> Sentence:
    if not constant:
        return ()
    more = and_more(len(constant), FEW)
    hold = "holds" if len(constant) == 1 else "hold"
    return ("; ", *listed(constant[:FEW]), f"{more} {hold} one value only and say{'s' * (len(constant) == 1)} nothing")
