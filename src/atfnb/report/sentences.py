"""The page's words and numbers: those from the data, and sentences on what counts, is redundant, or is missing."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from atfnb._errors import and_more, percent
from atfnb._typing import FloatArray
from atfnb.evaluation import Name, Sentence, in_a_row, listed
from atfnb.indexes import find_redundancy

LONGEST = 200
"""The largest number of characters of a name in a page."""
SIMILAR = 0.5
"""Of two attributes with at least this similarity, one is called partly redundant."""
NAMED_ATTRIBUTES = 3
"""The largest number of attributes that a sentence names."""
NAMED_GAPS = 5
"""The largest number of attributes with missing values that a sentence names."""

# --- text and numbers that come from the data ------------------------------------------------------


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


def short(values: ArrayLike, digits: int = 5) -> list[Any]:
    """Return numbers with the given number of significant digits, whole ones as integers; None for NaN and infinity.

    >>> short(np.array([0.123456789, 3.0]))
    [0.12346, 3]
    """
    numbers = np.asarray(values, dtype=np.float64).ravel().tolist()
    return [plain_number(float(f"{value:.{digits}g}")) for value in numbers]


def plain_number(value: float) -> int | float | None:
    """Return a number as JSON holds it in the fewest characters: whole ones as integers, and no NaN nor infinity."""
    if not isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


Payload = dict[str, Any]
"""What the page's script reads: it becomes JSON, and bytes become base64."""


def packed(values: FloatArray, kind: type[np.integer[Any]]) -> Payload:
    r"""Return numbers as small integers of a ``kind``, little-endian, in steps of ``scale`` that the largest just fits.

    >>> packed(np.array([1.0, -0.5]), np.int8)
    {'kind': 'int8', 'scale': 0.0078740165, 'numbers': b'\x7f\xc1'}
    """
    most = np.iinfo(kind).max
    scale = float(f"{float(np.abs(values).max()) / most * (1 + 1e-7):.8g}") or 1.0
    numbers = np.clip(np.rint(values / scale), -most, most).astype(np.dtype(kind).newbyteorder("<"))
    return {"kind": np.dtype(kind).name, "scale": scale, "numbers": numbers.tobytes()}


# --- which attributes count ------------------------------------------------------------------------


def what_counts(names: Sequence[str], shares: FloatArray) -> Sentence:
    """Return which attributes count most, by the shares of the total effect: of the attributes, and then of pairs."""
    if len(names) == 1:
        return ("There is one attribute only, ", Name(names[0]), ", so everything rests on it.")
    share, of_pairs = shares[: len(names)], shares[len(names) :]
    if not share.any():
        return (f"None of the attributes predicts anything{' alone' if of_pairs.any() else ''}.",)
    first, *rest = (int(j) for j in np.argsort(-share, kind="stable")[:NAMED_ATTRIBUTES] if share[j] > 0)
    parts: list[str] = [Name(names[first]), f" counts most: {percent(share[first])} of the total effect"]
    if rest:
        parts += [", then ", *in_a_row([(Name(names[j]), f" ({percent(share[j])})") for j in rest], " and ")]
    if len(share) > len(rest) + 1 or of_pairs.any():
        parts.append(f"; together they have {percent(share[[first, *rest]].sum())}")
    return (*parts, ".")


def what_is_missing(attributes: Sequence[Payload], rows: int) -> Sentence:
    """Return which attributes have missing values, the most first, and which have one value only.

    ``attributes`` is what :func:`~atfnb.report.attributes.attributes_of` returns.
    """
    gaps = sorted((one for one in attributes if one["missing"]), key=lambda one: -one["missing"])
    named = in_a_row([(Name(one["name"]), f" ({percent(one['missing'] / rows)})") for one in gaps[:NAMED_GAPS]])
    some, more = f"{len(gaps)} of {len(attributes)} attributes have missing values: ", and_more(len(gaps), NAMED_GAPS)
    said: Sentence = (some, *named, more, ".") if gaps else ("No value is missing.",)
    names = [one["name"] for one in attributes if one["constant"]]
    if not names:
        return said
    verbs = "has one value only and predicts" if len(names) == 1 else "have one value only and predict"
    return (*said, " ", *listed(names, NAMED_ATTRIBUTES), f" {verbs} nothing.")


# --- which are redundant ---------------------------------------------------------------------------


def what_was_redundant(model: Any, names: Sequence[str]) -> Sentence:
    """Return the two most similar attributes of a model with a switching factor, and those with a weight below zero."""
    return (*_similar(model, names), *_below_zero(names, model.weights_), ".")


def _similar(model: Any, names: Sequence[str]) -> Sentence:
    """Return the two most similar attributes by Pearson's correlation of their codes.

    Without moments, which the correlation needs, it is the most redundant attribute.
    """
    if len(names) == 1:
        return ("With one attribute nothing can be redundant",)
    if model.counts_.moments is None:
        redundancy = model.redundancy_
        if not redundancy.any():
            return ("No attribute repeats what the others say",)
        most = Name(names[int(np.argmax(redundancy))])
        return (most, f" mostly repeats what the others say (redundancy {number(redundancy.max())})")
    similarities = np.array(find_redundancy("pearson")(model.counts_))
    np.fill_diagonal(similarities, -1.0)
    j, k = divmod(int(similarities.argmax()), len(names))
    similarity, both = similarities[j, k], listed([names[j], names[k]])
    if similarity >= SIMILAR:
        return (*both, f" are similar (similarity {similarity:.2f} of 1), so one of them is partly redundant")
    start = "No two attributes are similar: the most similar, "
    return (start, *both, f", have a similarity of {similarity:.2f} of 1")


def _below_zero(names: Sequence[str], weights: FloatArray) -> Sentence:
    """Return the attributes whose weight is below zero, if there are any."""
    below, lowest = int((weights < 0).sum()), Name(names[int(np.argmin(weights))])
    if below == 0:
        return ()
    if below == 1:
        return ("; ", lowest, " has a weight below zero, so its evidence is reversed")
    return (f"; {below} attributes have a weight below zero, so their evidence is reversed, the lowest ", lowest)
