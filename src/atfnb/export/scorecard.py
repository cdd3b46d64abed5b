"""A model of two classes as a scorecard: whole points for each value of each attribute, as credit scoring uses it.

The points of a row are the base points and those of each of its values. They are the logarithm of the odds, scaled:
``points = score + (ln odds − ln odds₀) · double / ln 2``, rounded to whole numbers value by value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

import numpy as np

from atfnb._errors import AdvisedError, Setting
from atfnb._files import csv_text
from atfnb.export.plan import AttributePlan, ExportError, ModelPlan, PairPlan, filled_in

LARGEST = 9.99e307
"""The largest number of a spreadsheet."""
MISSING, OTHER = "missing value", "any other value"


@dataclass(frozen=True)
class Entry:
    """One line of a scorecard: the points of a value of an attribute, or of two groups of values of a pair."""

    attribute: str
    value: str
    points: int
    ends: tuple[float, float] | None = None
    """From which number on, and below which number, if the value is an interval of numbers."""


@dataclass(frozen=True)
class Reason:
    """Why a row has few points: the attribute that lost it most, compared with its best value."""

    code: str
    attribute: str
    best: int
    worst: int


@dataclass(frozen=True)
class Scorecard:
    """A scorecard: base points, entries, reason codes, and what the points mean.

    The reason codes of a row are those of the attributes that lost most: their best points less the points of the row.
    """

    positive: str
    """The class that more points stand for."""
    negative: str
    base: int
    """The points that every row begins with."""
    score: float
    odds: float
    double: float
    """The points that double the odds; a row of ``score`` points has the odds ``odds``."""
    error: float
    """By how many points the sum of a row can differ from its odds at most, because points are whole numbers."""
    entries: tuple[Entry, ...]
    reasons: tuple[Reason, ...]
    points: tuple[tuple[int, ...], ...]
    """The points of each code, for each attribute and then each pair."""
    edits: tuple[str, ...] = ()
    """How the model was edited, a line each."""

    @property
    def meaning(self) -> str:
        """What the points stand for, in a sentence."""
        worst = 2.0 ** (self.error / self.double)
        return (
            f"{self.score:g} points are odds of {self.odds:g} to 1 for {self.positive!r} against {self.negative!r}; "
            f"{self.double:g} more points double the odds. Points are whole numbers, so the odds of a row are right up "
            f"to a factor of {worst:.3g}."
        )

    def csv(self) -> str:
        """Return the card as CSV: attribute, value, from, below and points, the base points first.

        The value of a number is the line whose ``from`` does not exceed it and whose ``below`` does. An apostrophe
        stands before text that a spreadsheet would take for a formula.
        """
        lines = [(each.attribute, each.value, *(each.ends or ("", "")), each.points) for each in self.entries]
        heads = ("attribute", "value", "from", "below", "points"), ("base points", "", "", "", self.base)
        return csv_text([*heads, *lines])

    def markdown(self) -> str:
        """Return the card, its meaning and the reason codes as Markdown."""
        return filled_in("scorecard.md", finalize=_marked, card=self)

    def html(self) -> str:
        """Return the card, its meaning and the reason codes as a page of HTML without scripts."""
        return filled_in("scorecard.html", card=self)


def scorecard(
    plan: ModelPlan, *, positive: Any = None, score: float = 600.0, odds: float = 50.0, double: float = 20.0
) -> Scorecard:
    """Return a model of two classes as a scorecard.

    Parameters
    ----------
    plan : ModelPlan
    positive : a class, optional
        The class that more points stand for, as in ``classes_`` or in words. Default: the second one.
    score, odds : float, default=600 and 50
        A row with this number of points has these odds for the positive class.
    double : float, default=20
        The points that double the odds. With more, rounding to whole points loses less.

    Examples
    --------
    >>> from atfnb import NB
    >>> from atfnb.export import plan_of
    >>> card = scorecard(plan_of(NB().fit([["red"], ["red"], ["blue"]], ["good", "good", "bad"])))
    >>> [(entry.value, entry.points) for entry in card.entries]
    [('blue', 0), ('red', 52), ('any other value', 28), ('missing value', 52)]
    """
    if len(plan.classes) != 2:
        raise ExportError(
            f"a scorecard has two classes, and this model has {len(plan.classes)}: use any other target, such as "
            "model.py or model.sql."
        )
    for name, number in (("double", double), ("odds", odds)):
        if not (math.isfinite(number) and number > 0):
            raise AdvisedError(Setting(name), f" must be a number above 0, not {number!r}.")
    known = {name: k % 2 for k, name in enumerate([*map(str, plan.classes), *plan.class_labels, *plan.classes])}
    if positive is not None and positive not in known:
        known_names = " and ".join(map(repr, plan.class_labels))
        raise AdvisedError(Setting("positive"), f" must be one of the classes {known_names}.")
    good = 1 if positive is None else known[positive]
    factor = double / math.log(2)
    exact = [factor * (term.scores[:, good] - term.scores[:, 1 - good]) for term in plan.terms]
    lowest = [float(each.min()) for each in exact]
    points = [np.round(each - low).astype(np.int64) for each, low in zip(exact, lowest, strict=True)]
    start = score + factor * (float(plan.starts[good] - plan.starts[1 - good]) - math.log(odds)) + sum(lowest)
    errors = [float(np.abs(each - low - of).max()) for each, low, of in zip(exact, lowest, points, strict=True)]
    return Scorecard(
        plan.class_labels[good],
        plan.class_labels[1 - good],
        round(start),
        score,
        odds,
        double,
        sum(errors) + abs(start - round(start)),
        tuple(entry for t in range(len(plan.terms)) for entry in _entries(plan, t, points[t].tolist())),
        tuple(_reasons(plan, [each.tolist() for each in points])),
        tuple(tuple(each.tolist()) for each in points),
        plan.edits,
    )


def scorecard_text(
    plan: ModelPlan,
    *,
    form: Literal["csv", "markdown", "html"],
    positive: Any = None,
    score: float = 600.0,
    odds: float = 50.0,
    double_odds: float = 20.0,
) -> str:
    """Return a scorecard as the text of a file; the parameters are those of :func:`scorecard`."""
    card = scorecard(plan, positive=positive, score=score, odds=odds, double=double_odds)
    return {"csv": card.csv, "markdown": card.markdown, "html": card.html}[form]()


def _entries(plan: ModelPlan, t: int, points: list[int]) -> Iterator[Entry]:
    term = plan.terms[t]
    if isinstance(term, PairPlan):
        yield from _pair_entries(plan, term, points)
        return
    unknown = len(term.labels) - 1
    for code, label in enumerate(term.labels[:-1]):
        if label != "missing" or code != term.missing:
            yield Entry(term.name, label, points[code], _ends(term, code))
    if term.categories is not None and term.unseen == unknown:
        yield Entry(term.name, OTHER, points[unknown])
    if term.kind != "nothing" or term.missing != unknown:
        yield Entry(term.name, MISSING, points[term.missing])


def _ends(attribute: AttributePlan, code: int) -> tuple[float, float] | None:
    """Return the ends of an interval of numbers; the outer ones are the largest numbers of a spreadsheet."""
    if attribute.cuts is None or attribute.part is not None or code > len(attribute.cuts):
        return None
    cuts = (-LARGEST, *attribute.cuts, LARGEST)
    return cuts[code], cuts[code + 1]


def _pair_entries(plan: ModelPlan, pair: PairPlan, points: list[int]) -> Iterator[Entry]:
    first, second = (_group_labels(plan.attributes[j], of) for j, of in zip(pair.of, pair.groups, strict=True))
    rows, columns = pair.shape
    for a in range(rows):
        for b in range(columns):
            yield Entry(pair.name, f"{first[a]} × {second[b]}", points[a * columns + b])
    yield Entry(pair.name, OTHER, points[rows * columns])


def _group_labels(attribute: AttributePlan, groups: tuple[int, ...]) -> list[str]:
    found: dict[int, list[str]] = {}
    for label, group in zip(attribute.labels[:-1], groups[:-1], strict=True):
        found.setdefault(group, []).append(label)
    return [" or ".join(found.get(group, [OTHER])) for group in range(max(found, default=0) + 1)]


def _reasons(plan: ModelPlan, points: list[list[int]]) -> Iterator[Reason]:
    ranked = sorted(range(len(points)), key=lambda t: min(points[t]) - max(points[t]))
    for number, t in enumerate(ranked, start=1):
        if max(points[t]) > min(points[t]):
            yield Reason(f"R{number:02d}", plan.terms[t].name, max(points[t]), min(points[t]))


def _marked(value: Any) -> str:
    """Return a value for a cell of a Markdown table, in which nothing is markup."""
    text = escape(str(value), quote=False)
    escaped = "".join(f"\\{each}" if each in "\\`*_{}[]()#|~" else each for each in text)
    return " ".join(escaped.split())
