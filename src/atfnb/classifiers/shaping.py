"""What FusionNB is asked for in ``shapes``, column by column, as shapes of effects and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, get_args

import numpy as np

from atfnb._errors import AdvisedError, Setting, did_you_mean
from atfnb.classifiers.declaration import refuse
from atfnb.encoding import TableEncoder
from atfnb.fusion import Shape, ShapeKind

KINDS = get_args(ShapeKind)
Shapes = Mapping[Any, Any] | None
"""The shape, or the list of shapes, of some columns: "rising", ("rising", "toxic") or ("rising", "toxic", "mild")."""
SHAPES = "a dict of column to 'rising', 'falling', 'convex' or 'concave', alone or with one class or two"


def entries_of(asked: Any) -> list[tuple[Any, ...]]:
    """Return the shapes of one column, each as its kind and the classes that are named.

    >>> entries_of("rising"), entries_of(("rising", "toxic")), entries_of(["rising", ("convex", "a", "b")])
    ([('rising',)], [('rising', 'toxic')], [('rising',), ('convex', 'a', 'b')])
    """
    if isinstance(asked, str):
        return [(asked,)]
    several = all(isinstance(each, (list, tuple)) or (isinstance(each, str) and each in KINDS) for each in asked)
    return [(each,) if isinstance(each, str) else tuple(each) for each in (asked if several else [asked])]


def check_shapes(name: str, value: Any) -> None:
    """Check that a parameter is None, or a dict of columns to shapes.

    >>> check_shapes("shapes", {"income": "rising", "dose": [("rising", "toxic"), ("falling", "mild", "toxic")]})
    """
    if value is None:
        return
    if not isinstance(value, Mapping):
        refuse(name, f"None or {SHAPES}", value)
    for asked in value.values():
        entries = entries_of(asked) if isinstance(asked, (str, list, tuple)) else []
        if not entries or not all(1 <= len(each) <= 3 and isinstance(each[0], str) for each in entries):
            refuse(name, SHAPES, value)
        for kind in (each[0] for each in entries if each[0] not in KINDS):
            hint = did_you_mean(kind, KINDS) or "there are 'rising', 'falling', 'convex' and 'concave'."
            raise AdvisedError(Setting(name), f" asks for {kind!r}, which is no shape: {hint}")


@dataclass(frozen=True)
class AskedShape:
    """A shape that was asked for: of which attribute, and between which classes."""

    attribute: int
    kind: ShapeKind
    first: int
    """The position of the class whose log-odds have the shape."""
    others: tuple[int, ...]
    """Those of the classes that it is set against."""

    @property
    def is_bent(self) -> bool:
        """Whether it is convex or concave."""
        return self.kind in ("convex", "concave")

    def contrasts(self, n_classes: int) -> Shape:
        """Return the shape of effects on a given number of classes."""
        each = np.eye(n_classes)
        return Shape(self.attribute, self.kind, each[self.first] - each[list(self.others)])

    def in_words(self, labels: Sequence[str]) -> str:
        """Return the shape in words, such as "rising" for two classes, or "rising for 'a' against 'b'"."""
        if len(labels) == 2:
            return self.kind if self.first == 1 else f"{self.kind} for {labels[self.first]!r}"
        against = f" against {labels[self.others[0]]!r}" if len(self.others) == 1 else ""
        return f"{self.kind} for {labels[self.first]!r}{against}"


def asked_shapes(
    shapes: Shapes, encoder: TableEncoder, classes: Sequence[Any], labels: Sequence[str]
) -> Iterator[AskedShape]:
    """Generate the shapes that were asked for; raise a ValueError, one sentence, for one that cannot be had."""
    for column, asked in (shapes or {}).items():
        attribute = _attribute(column, encoder)
        for kind, *named in entries_of(asked):
            if encoder.n_values[attribute] and not encoder.attributes[attribute].has_order:
                why = f" asks for {column!r} to be {kind}, and its values have no order: numbers and dates do, "
                raise AdvisedError(Setting("shapes"), why, "and others with ", Setting("orders"), ".")
            if not named and len(classes) > 2:
                why = f"for which of the {len(classes)} classes {column!r} is {kind}, such as {(kind, labels[-1])!r}."
                raise AdvisedError(Setting("shapes"), f" must say {why}")
            first, *against = (_class(each, classes, labels) for each in named or [classes[1]])
            others = against or [c for c in range(len(classes)) if c != first]
            if first in others:
                raise AdvisedError(Setting("shapes"), f" sets the class {labels[first]!r} against itself.")
            yield AskedShape(attribute, kind, first, tuple(others))


def positions_of(parameter: str, column: Any, encoder: TableEncoder) -> list[int]:
    """Return the positions of the attributes that are made from a column which a parameter names."""
    by_column = encoder.by_column
    if not isinstance(column, bool) and column in by_column:
        return by_column[column]
    last = max(each for each in by_column if isinstance(each, int))
    is_position = isinstance(column, Integral) and not isinstance(column, bool)
    hint = f"a number is a position, from 0 to {last}" if is_position else ""
    if isinstance(column, str):
        hint = did_you_mean(column, (each for each in by_column if isinstance(each, str)))
    end = f": {hint}" if hint else "."
    raise AdvisedError(Setting(parameter), f" names column {column!r}, which is not in the table{end}")


def _attribute(column: Any, encoder: TableEncoder) -> int:
    """Return the attribute of a column: of the parts of a date, the date as a number."""
    positions = positions_of("shapes", column, encoder)
    dates = [j for j in positions if encoder.attributes[j].part == "date"]
    return (dates or positions)[0]


def _class(name: Any, classes: Sequence[Any], labels: Sequence[str]) -> int:
    """Return the position of a class, given as it is or in words."""
    for known in (classes, labels, [*map(str, classes)]):
        if name in known:
            return list(known).index(name)
    hint = did_you_mean(str(name), labels) or f"there are {', '.join(map(repr, labels[:8]))}."
    raise AdvisedError(Setting("shapes"), f" names the class {name!r}, which no row has: {hint}")
