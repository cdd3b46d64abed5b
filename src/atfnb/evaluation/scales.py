"""Columns of text whose values suggest an order: sizes, low to high, Likert items, grades, numbered answers, bands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import Any

from atfnb._errors import Message, Setting
from atfnb.classifiers import BaseNB

FEWEST, MOST = 3, 30
"""With fewer values an order says nothing, and with more it is hard to type."""
Spans = list[tuple[float, float]]
"""Where each of some values lies, from a number to another."""

SCALES = (
    "xxxs 3xs, xxs 2xs, xs, s, m, l, xl, xxl 2xl, xxxl 3xl, 4xl",
    "very_low vlow, low, medium med moderate middle mid average normal, high, very_high vhigh",
    "tiny very_small extra_small, small, medium med middle mid, large big, very_large extra_large huge",
    "very_poor very_bad, poor bad, fair average ok acceptable, good, very_good vgood, excellent outstanding",
    "strongly_disagree, disagree, somewhat_disagree slightly_disagree, neutral undecided neither_agree_nor_disagree, "
    "somewhat_agree slightly_agree, agree, strongly_agree",
    "very_dissatisfied, dissatisfied unsatisfied, neutral, satisfied, very_satisfied",
    "never, rarely seldom hardly_ever, sometimes occasionally, often frequently usually, always",
    "none no, mild slight minor, moderate medium, severe major, very_severe critical",
    "primary elementary, secondary, tertiary",
    "f!, d, c, b, a",
    "i, ii!, iii, iv, v, vi, vii, viii, ix, x",
)
"""Scales from the lowest value to the highest, in lower case; one with a mark must occur, as its letters mean much."""


def _on_scale(scale: str, names: Sequence[str]) -> Spans:
    """Return the places of names on a scale; nothing for those that are not on it."""
    place = {name: k for k, same in enumerate(scale.replace("!", "").split(", ")) for name in same.split()}
    marked = re.findall(r"(\w+)!", scale)
    return [(place[name], place[name]) for name in names if name in place] if {*marked} <= {*names} else []


def _grades(names: Sequence[str]) -> Spans:
    """Return the places of grades such as A, A- and B+, of which one has a sign: the better, the higher."""
    found = [re.fullmatch(r"([a-f])([+-]?)", name) for name in names]
    rank = [ord("f") - ord(each[1]) + {"+": 0.3, "-": -0.3, "": 0}[each[2]] for each in found if each]
    return [(each, each) for each in rank] if any(each and each[2] for each in found) else []


def _numbered(names: Sequence[str]) -> Spans:
    """Return the numbers before answers such as "1 - poor"."""
    found = [re.match(r"(\d+)_*[-–.:)=]_*[^\W\d_]", name) for name in names]
    return [(float(each[1]), float(each[1])) for each in found if each]


_BANDS: dict[str, Callable[..., tuple[float, float]]] = {
    r"(\d+)_*(?:-|–|to)_*(\d+)": lambda low, high: (float(low), float(high)),
    r"(?:<=?|under|below|up_to)_*(\d+)": lambda high: (-inf, float(high)),
    r"(?:>=?|over|above)_*(\d+)": lambda low: (float(low), inf),
    r"(\d+)_*(?:\+|more|or_more|and_more|and_over)": lambda low: (float(low), inf),
    r"(\d+)": lambda number: (float(number), float(number)),
}
"""How a band is written, and where it lies."""


def _bands(names: Sequence[str]) -> Spans:
    """Return the ends of bands such as 18-25, <18 and 65+, among which single numbers may stand."""
    plain = [re.sub(r"[$€£,]|(?<=\d)_*(?:k|years?|yrs?)\b", "", name) for name in names]
    found = [
        place(*match.groups())
        for name in plain
        for written, place in _BANDS.items()
        if (match := re.fullmatch(written, name))
    ]
    return found if any(low < high for low, high in found) else []


def order_of(values: Iterable[Any]) -> list[str] | None:
    """Return texts in the order that they suggest, or None if they suggest none.

    >>> order_of(["vhigh", "med", "low", "high"]), order_of(["65+", "18-25", "26-64"])
    (['low', 'med', 'high', 'vhigh'], ['18-25', '26-64', '65+'])
    >>> order_of(["2. fair", "10. superb", "1. poor"]), order_of(["a", "b", "c"])
    (['1. poor', '2. fair', '10. superb'], None)
    """
    texts = [*values]
    if not FEWEST <= len(texts) <= MOST or not all(isinstance(text, str) for text in texts):
        return None
    names = [re.sub(r"\s+", "_", text.strip().casefold()) for text in texts]
    of_scales = (_on_scale(scale, names) for scale in SCALES)
    for spans in (*of_scales, _grades(names), _numbered(names), _bands(names)):
        if len(spans) == len(texts):
            order = sorted(zip(spans, texts, strict=True))
            if all(one[0] < other[0] and one[1] <= other[0] for (one, _), (other, _) in pairwise(order)):
                return [text for _, text in order]
    return None


def orders_in_words(model: BaseNB) -> Iterator[Message]:
    """Yield a sentence on the columns of a model without an order whose values suggest one, if there are any."""
    found = {}
    for each in model.encoder_.attributes:
        if not (each.is_numeric or each.ordered or each.part) and (order := order_of(each.categories)):
            found[each.name] = order
    if found:
        known = "values that suggest an order; if it is one, FusionNB smooths along it with "
        columns = "1 column has " if len(found) == 1 else f"{len(found)} columns have "
        yield Message(columns, known, Setting("orders", found), ".")
