"""The page's words: which attributes count, which act together, which are redundant, and what is missing."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from atfnb._errors import and_more, counted
from atfnb._typing import FloatArray
from atfnb.evaluation import Name, Sentence, first_few, listed, percent

if TYPE_CHECKING:
    from atfnb.report.attributes import AttributeFacts

LONGEST = 200
"""The largest number of characters of a name in a page."""
SIMILAR = 0.5
"""Of two attributes with at least this similarity, one is called partly redundant."""
PRINTED = 0.0005
"""A share from here on is printed as 0.1 % or more."""
NAMED_ATTRIBUTES = 3
"""The largest number of attributes that a sentence names."""
NAMED_GAPS = 5
"""The largest number of attributes with missing values that a sentence names."""

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


# --- which attributes count ------------------------------------------------------------------------


def what_counts(attributes: Sequence[AttributeFacts], of_pairs: float = 0.0) -> Sentence:
    """Return which attributes count most, by their share of the total effect, of which pairs have ``of_pairs``."""
    if len(attributes) == 1:
        return ("There is one attribute only, ", Name(attributes[0].name), ", so everything rests on it.")
    share = np.array([one.share for one in attributes])
    if not share.any():
        return (f"None of the attributes predicts anything{' alone' if of_pairs else ''}.",)
    first, *rest = (int(j) for j in np.argsort(-share, kind="stable")[:NAMED_ATTRIBUTES] if share[j] > 0)
    parts: list[str] = [Name(attributes[first].name), f" counts most: {percent(share[first])} of the total effect"]
    for k, j in enumerate(rest):
        parts += [", then " if k == 0 else " and ", Name(attributes[j].name), f" ({percent(share[j])})"]
    if len(share) > len(rest) + 1 or of_pairs:
        parts.append(f"; together they have {percent(share[[first, *rest]].sum())}")
    return (*parts, ".")


def what_acts_together(pairs: Sequence[tuple[str, str]], shares: FloatArray) -> Sentence:
    """Return which attributes act together, the strongest pairs first, by their share of the total effect."""
    acting = int((shares >= PRINTED).sum())
    if not acting:
        return (f"{counted(len(pairs), 'pair')} of attributes learned, each with less than 0.1 % of the total effect.",)
    order = np.argsort(-shares, kind="stable")[: min(NAMED_ATTRIBUTES, acting)]
    named: list[str] = []
    for k, p in enumerate(order.tolist()):
        a, b = (one_line(name) for name in pairs[p])
        named += [", " if k else "", Name(a), " with ", Name(b), f" ({percent(shares[p])})"]
    number_of = "One pair of attributes acts" if acting == 1 else f"{acting} pairs of attributes act"
    small = len(pairs) - acting
    return (
        f"{number_of} together, beyond what each says alone: {'' if acting <= len(order) else 'above all '}",
        *named,
        f"; {small} more {'has' if small == 1 else 'have'} less than 0.1 % of the total effect." if small else ".",
    )


def what_is_missing(attributes: Sequence[AttributeFacts], rows: int) -> Sentence:
    """Return which attributes have missing values, the most first, and which have one value only."""
    gaps = sorted((one for one in attributes if one.missing), key=lambda one: -one.missing)
    parts: list[str] = []
    for k, one in enumerate(gaps[:NAMED_GAPS]):
        parts += [", " if k else "", Name(one.name), f" ({percent(one.missing / rows)})"]
    if len(gaps) > NAMED_GAPS:
        parts.append(and_more(len(gaps), NAMED_GAPS))
    some = f"{len(gaps)} of {len(attributes)} attributes have missing values: "
    said: Sentence = (some, *parts, ".") if gaps else ("No value is missing.",)
    names = [one.name for one in attributes if one.constant]
    if not names:
        return said
    verbs = "has one value only and predicts" if len(names) == 1 else "have one value only and predict"
    return (*said, " ", *first_few(names, NAMED_ATTRIBUTES), f" {verbs} nothing.")


# --- which are redundant ---------------------------------------------------------------------------


def what_was_redundant(attributes: Sequence[AttributeFacts]) -> Sentence:
    """Return the two most similar attributes, and those with a weight below zero."""
    return (*_similar(attributes), *_below_zero(attributes), ".")


def _similar(attributes: Sequence[AttributeFacts]) -> Sentence:
    """Return the two most similar attributes, or the most redundant one where similarities are not known."""
    if len(attributes) == 1:
        return ("With one attribute nothing can be redundant",)
    pairs = [(one.similar[1], j, one.similar[0]) for j, one in enumerate(attributes) if one.similar is not None]
    if not pairs:
        redundant = [one.redundancy or 0.0 for one in attributes]
        if not any(redundant):
            return ("No attribute repeats what the others say",)
        most = attributes[int(np.argmax(redundant))]
        return (Name(most.name), f" mostly repeats what the others say (redundancy {number(max(redundant))})")
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
