"""Edits: what a person changes in the scores of a model, each with a reason in words.

Edits are replayed, one after the other, on the scores that were learned; only after the last one are all numbers
rounded to the model's grid. The mean of a few scores is weighted by the training rows of each cell, or by
``FEWEST_ROWS`` where there are none. Sums are exactly rounded, so that a replay is the same to the bit on any machine.

What an edit changes is the effect of a column alone: only ``remove`` also takes out the pairs that the column is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
from msgspec import Meta

from atfnb._errors import NAMED, and_more, did_you_mean, listed_names
from atfnb._typing import FloatArray, IntArray
from atfnb.counts import Counts
from atfnb.encoding import Attribute
from atfnb.model import AdditiveModel

FEWEST_ROWS = 1e-9
"""What a cell without training rows counts in a mean: hardly anything, unless no cell has any."""
MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"


class EditError(ValueError):
    """An edit does not apply to a model; the message says why."""


class EditSkippedWarning(UserWarning):
    """An edit no longer applies to a model that was trained again, and is left out."""


# --- The edits --------------------------------------------------------------------------------------


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A cell of a column that has no category's name: that of missing values, or that of the pooled rare categories."""

    missing: bool = False
    pooled: bool = False

    def __repr__(self) -> str:
        return "missing" if self.missing else "the pooled values"


Name = bool | int | float | str
End = float | str | None
"""An end of a range: a number, a date as text, or None for an open end."""


class Edit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="do"):
    """What every edit has: a column, by the name of its attribute, and the reason; when it was made, and by what.

    Its method ``apply`` changes the scores of a draft, or raises an EditError before anything is changed.
    """

    column: str
    reason: Annotated[str, Meta(min_length=1)]
    when: Annotated[str, Meta(pattern=MOMENT)] | None = None
    by: str | None = None
    verb: ClassVar[str]

    @property
    def what(self) -> str:
        """What the edit does, in words."""
        return f"{self.verb} {self.column!r}"


class Remove(Edit, frozen=True, kw_only=True, tag="remove"):
    """Remove a column, with every pair that it is in; or a pair of columns."""

    verb = "remove"
    with_: str | None = msgspec.field(name="with", default=None)

    @property
    def what(self) -> str:
        """What the edit does, in words."""
        return f"{super().what}{'' if self.with_ is None else f' × {self.with_!r}'}"

    def apply(self, to: Draft) -> None:
        """s(cell) := 0, and its mean over the training rows is added to the prior, so that their mean score stays.

        Rows in which the value is unknown count in the mean, with a score of 0.
        """
        for term in to.terms(self.column, self.with_):
            cells = np.arange(to.model.offsets[term], to.model.offsets[term + 1])
            to.prior[:] += to.mean(cells)
            to.table[cells] = 0.0


class OfRange(Edit, frozen=True, kw_only=True):
    """An edit of the intervals of a number that lie within a range, by default of all."""

    from_: End = msgspec.field(name="from", default=None)
    to: End = None
    values: tuple[Name | Cell, ...] | None = None

    @property
    def what(self) -> str:
        """What the edit does, in words."""
        ends = ((word, end) for word, end in (("from", self.from_), ("to", self.to)) if end is not None)
        said = "".join(f" {word} {end if isinstance(end, str) else f'{end:.15g}'}" for word, end in ends)
        return f"{super().what}{said}{f' ({listed_names(self.values)})' if self.values else ''}"


class Flatten(OfRange, frozen=True, kw_only=True, tag="flatten"):
    """Give neighbouring intervals, or categories, the same effect."""

    verb = "flatten"

    def apply(self, to: Draft) -> None:
        """s(cell) := Σ w·s / Σ w over the chosen cells, for each class."""
        cells = to.cells(self)
        to.table[cells] = to.mean(cells)


class Merge(Flatten, frozen=True, kw_only=True, tag="merge"):
    """Let categories share one effect, their mean."""

    verb = "merge values of"
    values: Annotated[tuple[Name | Cell, ...], Meta(min_length=2)]


class Set(OfRange, frozen=True, kw_only=True, tag="set"):
    """Set what values add to a class, less the mean over the classes."""

    verb = "set the effect of"
    class_: Name = msgspec.field(name="class")
    effect: Annotated[float, Meta(ge=-1000, le=1000)]

    @property
    def what(self) -> str:
        """What the edit does, in words."""
        return f"{super().what} on class {self.class_!r} to {self.effect:g}"

    def apply(self, to: Draft) -> None:
        """s_c += (effect − (s_c − s̄)) · K / (K − 1), so that s_c less s̄, the mean over the K classes, is the effect."""
        cells, c, n = to.cells(self), to.class_position(self.class_), len(to.prior)
        for cell in cells:
            mean = fsum(to.table[cell]) / n
            to.table[cell, c] += (self.effect - (to.table[cell, c] - mean)) * n / (n - 1)


class Smooth(OfRange, frozen=True, kw_only=True, tag="smooth"):
    """Take a running mean along the intervals of a number."""

    verb = "smooth"

    def apply(self, to: Draft) -> None:
        """s(i) := Σ_k g_k·w·s(i+k) / Σ_k g_k·w over k = −1, 0, 1, with g = 1, 2, 1, within the chosen intervals."""
        cells = to.cells(self, in_order=True)
        near = [cells[max(i - 1, 0) : i + 2] for i in range(len(cells))]
        to.table[cells] = [to.mean(few, 1.0 + (few == cell)) for cell, few in zip(cells, near, strict=True)]


class Rising(OfRange, frozen=True, kw_only=True, tag="rising"):
    """Let the log-odds of a class against all others never fall along the intervals of a number."""

    verb = "make rising"
    sign: ClassVar[float] = 1.0
    class_: Name = msgspec.field(name="class")

    @property
    def what(self) -> str:
        """What the edit does, in words."""
        return f"{super().what} for class {self.class_!r}"

    def apply(self, to: Draft) -> None:
        """s_c += e′ − e, where e is s_c less the mean of the other classes, and e′ the isotonic fit of e."""
        cells, c = to.cells(self, in_order=True), to.class_position(self.class_)
        others = np.delete(to.table[cells], c, axis=1)
        e = self.sign * (to.table[cells, c] - [fsum(row) / len(row) for row in others])
        to.table[cells, c] += self.sign * (isotonic(e, to.weight[cells]) - e)


class Falling(Rising, frozen=True, kw_only=True, tag="falling"):
    """Let the log-odds of a class against all others never rise along the intervals of a number."""

    verb = "make falling"
    sign = -1.0


AnyEdit = Remove | Flatten | Merge | Set | Smooth | Rising | Falling


def isotonic(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the numbers that never fall and have the least weighted square distance to others.

    It pools neighbours that fall into their mean.

    >>> isotonic(np.array([1.0, 4.0, 2.0, 5.0]), np.array([1.0, 1.0, 3.0, 1.0]))
    array([1. , 2.5, 2.5, 5. ])
    """
    pools = list[tuple[float, float, int]]()  # mean, weight, length
    for mean, heavy in zip(values.tolist(), weight.tolist(), strict=True):
        length = 1
        while pools and pools[-1][0] > mean:
            before, of_before, more = pools.pop()
            mean = (before * of_before + mean * heavy) / (of_before + heavy)
            heavy, length = heavy + of_before, length + more
        pools.append((mean, heavy, length))
    return np.repeat([mean for mean, _, _ in pools], [length for _, _, length in pools])


# --- Replaying them ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draft:
    """The scores of a model while edits change them, and what the edits' names stand for."""

    model: AdditiveModel
    """The model before the edits."""
    attributes: Sequence[Attribute]
    classes: Sequence[Any]
    class_labels: Sequence[str]
    """The classes in words."""
    table: FloatArray
    """(cells, classes) which edits change."""
    prior: FloatArray
    """(classes,) which edits change."""
    weight: FloatArray
    """(cells,) the weight of the training rows in each cell."""

    @classmethod
    def of(
        cls,
        model: AdditiveModel,
        counts: Counts,
        attributes: Sequence[Attribute],
        classes: Sequence[Any],
        class_labels: Sequence[str],
    ) -> Self:
        """Return the draft that edits begin with."""
        weight = np.maximum(np.append(counts.values.sum(axis=1), model.grids.rows), FEWEST_ROWS)
        scores = model.table.copy(), model.log_prior.copy()
        return cls(model, attributes, classes, class_labels, *scores, weight)

    def replayed(self, edits: Iterable[AnyEdit]) -> tuple[AdditiveModel, list[AnyEdit], list[str]]:
        """Return the model that results, the edits that were applied, and a sentence on each that does not apply."""
        applied, refused = list[AnyEdit](), list[str]()
        for number, edit in enumerate(edits, start=1):
            try:
                edit.apply(self)
            except EditError as problem:
                refused.append(f"edit {number} ({edit.what}) does not apply: {problem}.")
            else:
                applied.append(edit)
        model = AdditiveModel.on_grid(self.model.offsets, self.table, self.prior, self.model.grids)
        return model, applied, refused

    def mean(self, cells: IntArray, times: FloatArray | float = 1.0) -> FloatArray:
        """Return the mean score of some cells by the weight of their rows, times factors if given: (classes,)."""
        weight = self.weight[cells] * times
        return np.array([fsum(each) for each in (weight[:, None] * self.table[cells]).T]) / fsum(weight)

    def position(self, column: str) -> int:
        """Return the position of the attribute that an edit names."""
        names = [attribute.name for attribute in self.attributes]
        if column not in names:
            hint = did_you_mean(column, names).rstrip("?")
            raise EditError(f"there is no column {column!r}{f', {hint}' if hint else ''}")
        return names.index(column)

    def terms(self, column: str, other: str | None) -> list[int]:
        """Return the positions of an attribute and the pairs that it is in, or of its pair with another attribute."""
        n, pairs = len(self.attributes), self.model.pairs.tolist()
        j = self.position(column)
        if other is None:
            return [j, *(n + p for p, pair in enumerate(pairs) if j in pair)]
        pair = sorted([j, self.position(other)])
        if pair not in pairs:
            raise EditError(f"{column!r} and {other!r} are no pair")
        return [n + pairs.index(pair)]

    def class_position(self, name: Name) -> int:
        """Return the position of the class that an edit names, as it is or in words."""
        for known in (self.classes, self.class_labels):
            if name in known:
                return known.index(name)
        raise EditError(f"there is no class {name!r}")

    def cells(self, edit: OfRange, *, in_order: bool = False) -> IntArray:
        """Return the cells that an edit is about: those of its values, or the intervals within its range."""
        j = self.position(edit.column)
        attribute, has_ends = self.attributes[j], (edit.from_, edit.to) != (None, None)
        if not attribute.n_known:
            raise EditError(f"nothing was learned from the values of {edit.column!r}")
        if not attribute.is_numeric and (in_order or has_ends):
            raise EditError(f"the values of {edit.column!r} have no order")
        if edit.values is not None and (in_order or has_ends):
            raise EditError("values stand beside a range, or where only a range can")
        if edit.values is not None:
            codes = sorted({_code_of(attribute, value) for value in edit.values})
        elif attribute.is_numeric:
            low, high = _number(attribute, edit.from_, -np.inf), _number(attribute, edit.to, np.inf)
            codes = [k for k, (start, end) in enumerate(_intervals(attribute)) if low <= start and end <= high]
        else:
            codes = list(range(attribute.n_known))
        if not codes:
            cuts = ", ".join(f"{cut:.9g}" for cut in attribute.cuts[:NAMED]) + and_more(len(attribute.cuts))
            raise EditError(f"no interval of {edit.column!r} lies within the range; it is cut at {cuts or 'no number'}")
        return np.asarray(self.model.offsets[j] + np.array(codes))


def _intervals(attribute: Attribute) -> list[tuple[float, float]]:
    """Return the ends of each interval of a number: its cuts or, where all were whole, the whole numbers in it."""
    cuts = np.array([-np.inf, *attribute.cuts, np.inf])
    low, high = cuts[:-1], cuts[1:]
    if attribute.whole is not None:
        lowest, highest = np.ceil(low), np.ceil(high) - 1.0
        low, high = np.where(lowest <= highest, [lowest, highest], [low, high])
    return list(zip(low.tolist(), high.tolist(), strict=True))[: attribute.n_known]


def _number(attribute: Attribute, end: End, if_open: float) -> float:
    """Return an end of a range as a number: of a date, the days since 1970-01-01."""
    if not isinstance(end, str):
        return if_open if end is None else end
    if attribute.part != "date":
        raise EditError(f"{end!r} is no number")
    try:
        return float(np.datetime64(end, "D").astype(np.int64))
    except ValueError:
        raise EditError(f"{end!r} is no date, such as 2026-01-31") from None


def _code_of(attribute: Attribute, value: Name | Cell) -> int:
    """Return the code of a category, of missing values, or of the pooled categories."""
    known = len(attribute.categories)
    if isinstance(value, Cell):
        code = attribute.n_known if value.missing else known
        if (attribute.n_values > code) if value.missing else (value.pooled and attribute.pooled and attribute.n_values):
            return code
    for names in (attribute.categories, tuple[Any, ...](attribute.labels[:known])):
        if value in names:
            return names.index(value)
    raise EditError(f"{attribute.name!r} has no value {value!r}")
