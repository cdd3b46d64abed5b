"""The page's words: what a weight means, which attributes matter, and which are redundant."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from atfnb._typing import FloatArray
from atfnb.evaluation import Name, Sentence, first_few, listed

if TYPE_CHECKING:
    from atfnb.report.attributes import AttributeFacts

LONGEST = 200
"""The largest number of characters of a name in a page."""
SIMILAR = 0.5
"""Of two attributes with at least this similarity, one is called partly redundant."""
NAMED_ATTRIBUTES = 3
"""The largest number of attributes that a sentence names."""

MEANINGS = {
    "switching": (
        "A bar is an attribute's weight: β times its relevance to the class, less (1 − β) times its redundancy with "
        "the other attributes. At 0 the attribute is ignored; below 0 its evidence is reversed."
    ),
    "spread": (
        "Here every value of an attribute has its own effect on each class. A bar is how far the attribute moves the "
        "joint log-likelihood of a class, up or down, on an average row: 0.7 doubles or halves the odds."
    ),
    "fused": (
        "A bar is an attribute's weight, fused from several measures of relevance and redundancy: 1 counts as much as "
        "in plain naive Bayes, at 0 the attribute is ignored, and below 0 its evidence is reversed."
    ),
    "equal": "This model gives every attribute the same weight, so all bars are equally long.",
    "given": (
        "A bar is an attribute's weight: 1 counts as much as in plain naive Bayes, 2 twice as much, at 0 the attribute "
        "is ignored, and below 0 its evidence is reversed."
    ),
}
"""What a bar is, by the meaning of the weights, for a reader without statistics."""


def weight_word(meaning: str) -> str:
    """Return what a bar is called.

    >>> weight_word("spread")
    'effect'
    """
    return "effect" if meaning == "spread" else "weight"


# --- text that comes from the data -----------------------------------------------------------------


def one_line(text: object, longest: int = LONGEST) -> str:
    r"""Return text from the data, such as a name or a value, as one line that any page and any file can hold.

    >>> one_line(" a\n\tb "), one_line(""), one_line("abcdef", longest=4)
    ('a b', '(blank)', 'abc…')
    """
    head = str(text)[: 4 * longest]  # what is cut off anyway need not be cleaned
    plain = "".join(" " if unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") else mark for mark in head)
    line = " ".join(plain.split()) or "(blank)"
    if len(line) <= longest and len(head) == len(str(text)):
        return line
    return line[: longest - 1] + "…"


def number(value: float) -> str:
    """Return a number with three significant digits and a true minus.

    >>> number(0.31415), number(-12345), number(0.0)
    ('0.314', '−12,345', '0')
    """
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


# --- which attributes matter -----------------------------------------------------------------------


def what_matters(attributes: Sequence[AttributeFacts], meaning: str, of_pairs: float = 0.0) -> Sentence:
    """Return which attributes count most.

    ``of_pairs`` is the effect of all pairs of attributes, which is part of the total effect.
    """
    if len(attributes) == 1:
        return ("There is one attribute only, ", Name(attributes[0].name), ", so everything rests on it.")
    weights, moved = (np.array([getattr(one, part) for one in attributes]) for part in ("weight", "spread"))
    if not moved.any():
        return (f"None of the attributes predicts anything{' alone' if of_pairs else ''}.",)
    if meaning == "spread":
        return (*_ranking(attributes, weights, weight_word(meaning)), *_together(weights, "the total effect", of_pairs))
    if np.allclose(weights, weights[0], rtol=1e-9):
        return (
            "Every attribute has the same weight; by how far it moves the joint log-likelihood, ",
            *_ranking(attributes, moved, "effect"),
            ".",
        )
    size = np.abs(weights)
    tied = np.flatnonzero(np.isclose(size, size.max(), rtol=1e-9))
    if len(tied) > 1:
        names = first_few([attributes[int(j)].name for j in tied], NAMED_ATTRIBUTES)
        return (*names, f" matter most: they share the highest weight, {number(size.max())}.")
    return (*_ranking(attributes, weights, weight_word(meaning)), *_together(size, "all weight"))


def _ranking(attributes: Sequence[AttributeFacts], sizes: FloatArray, word: str) -> Sentence:
    """Return the attribute that matters most, then the second and the third, with their weights or effects."""
    size = np.abs(sizes)
    first, *rest = (int(j) for j in np.argsort(-size, kind="stable")[:NAMED_ATTRIBUTES] if size[j] > 0)
    parts: list[str] = [Name(attributes[first].name), f" matters most ({word} {number(sizes[first])})"]
    for k, j in enumerate(rest):
        parts += [", then " if k == 0 else " and ", Name(attributes[j].name), f" ({number(sizes[j])})"]
    return tuple(parts)


def _together(size: FloatArray, total: str, others: float = 0.0) -> Sentence:
    """Return the share that the attributes that :func:`_ranking` names have of all sizes, and of that of others."""
    if len(size) <= NAMED_ATTRIBUTES and not others:
        return (".",)
    share = np.sort(size)[::-1][:NAMED_ATTRIBUTES].sum() / max(size.sum() + others, 1e-300)
    return (f"; together they have {100 * share:.0f} % of {total}.",)


def what_acts_together(pairs: Sequence[tuple[str, str]], weights: FloatArray) -> Sentence:
    """Return which attributes act together, the strongest pairs first."""
    order = np.argsort(-weights, kind="stable")[:NAMED_ATTRIBUTES]
    named: list[str] = []
    for k, p in enumerate(order.tolist()):
        a, b = (one_line(name) for name in pairs[p])
        named += [", " if k else "", Name(a), " with ", Name(b), f" ({number(weights[p])})"]
    number_of = "One pair of attributes acts" if len(pairs) == 1 else f"{len(pairs)} pairs of attributes act"
    return (
        f"{number_of} together, beyond what each says alone: {'' if len(pairs) <= len(order) else 'above all '}",
        *named,
        ".",
    )


# --- which are redundant ---------------------------------------------------------------------------


def what_was_redundant(attributes: Sequence[AttributeFacts]) -> Sentence:
    """Return the two most similar attributes, those with a weight below zero, and those with one value only."""
    return (*_similar(attributes), *_below_zero(attributes), *_constant(attributes), ".")


def _similar(attributes: Sequence[AttributeFacts]) -> Sentence:
    """Return the two most similar attributes, or the most redundant one where similarities are not known."""
    if len(attributes) == 1:
        return ("With one attribute nothing can be redundant",)
    pairs = [(one.similar[1], j, one.similar[0]) for j, one in enumerate(attributes) if one.similar is not None]
    if not pairs:
        most = max(attributes, key=lambda one: one.redundancy)
        if most.redundancy == 0:
            return ("No attribute repeats what the others say",)
        return (Name(most.name), f" mostly repeats what the others say (redundancy {number(most.redundancy)})")
    similarity, j, k = max(pairs, key=lambda pair: pair[0])
    names = listed([attributes[j].name, attributes[k].name])
    if similarity >= SIMILAR:
        return (*names, f" are similar (similarity {similarity:.2f} of 1), so one of them is partly redundant")
    return (
        "No two attributes are similar: the most similar, ",
        *names,
        f", have a similarity of {similarity:.2f} of 1",
    )


def _below_zero(attributes: Sequence[AttributeFacts]) -> Sentence:
    """Return the attributes whose weight is below zero, if there are any."""
    below = sorted((one for one in attributes if one.weight < 0), key=lambda one: one.weight)
    if not below:
        return ()
    if len(below) == 1:
        return ("; ", Name(below[0].name), " has a weight below zero, so its evidence is reversed")
    reversed_ = f"; {len(below)} attributes have a weight below zero, so their evidence is reversed, the lowest "
    return (reversed_, Name(below[0].name))


def _constant(attributes: Sequence[AttributeFacts]) -> Sentence:
    """Return the attributes with one value only, if there are any."""
    names = [one.name for one in attributes if one.constant]
    if not names:
        return ()
    verbs = "has one value only and predicts" if len(names) == 1 else "have one value only and predict"
    return ("; ", *first_few(names, NAMED_ATTRIBUTES), f" {verbs} nothing")
