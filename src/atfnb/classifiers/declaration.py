"""What a classifier declares of itself: its names, what it needs, and the attributes that its fit sets.

The command, the model file, the report and the studies read the declaration; none of them asks which class a model is
of. So a new classifier is a file with its declaration, and a line in the roster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from atfnb.counts import Need

Dimension = Literal["attributes", "cells", "classes", "indexes", "intervals"]
"""A length that depends on the data; a shape may hold plain numbers beside them."""
FieldKind = Literal["number", "whole", "text", "curve"]
"""What a fitted attribute holds: floats, integers, text, or an :class:`~atfnb.classifiers.AccuracyCurve`."""
Meaning = Literal["switching", "spread", "fused", "equal", "given"]
"""What the weights of a fitted model are.

- "switching": β times the relevance less (1 − β) times the redundancy;
- "spread": how far each attribute moves the joint log-likelihood of a class, up or down;
- "fused": a sum of several indexes;
- "equal": the same for every attribute;
- "given": what the user, or one index, gave.
"""


def _always(model: Any) -> bool:
    return True


@dataclass(frozen=True)
class FittedField:
    """An attribute that the fit of a classifier sets, beside those that every classifier has.

    A field whose shape begins with "attributes" or "cells" gets zeros for columns without any value.
    """

    name: str
    """The name of the attribute, with its underscore."""
    saved_as: str
    """The entry of a model file: of each column if the shape begins with "attributes" or "cells", otherwise
    "section.entry" of the file."""
    shape: tuple[Dimension | int, ...] = ()
    """() for a single value."""
    kind: FieldKind = "number"
    low: float = float("-inf")
    high: float = float("inf")
    """The lowest and the highest number that it can hold."""
    present: Callable[[Any], bool] = _always
    """Whether a classifier with these parameters has the field; otherwise it is None."""

    optional: bool = False
    """Whether a file may lack it, as those of earlier versions do; it is None then."""

    @property
    def of_columns(self) -> bool:
        """Whether the field has a part for each column."""
        return self.shape[:1] in (("attributes",), ("cells",))

    @property
    def always(self) -> bool:
        """Whether the field is present with all parameters."""
        return self.present is _always


@dataclass(frozen=True)
class Declaration:
    """What the rest of the library needs to know of a classifier."""

    name: str = ""
    """Its name in tables, such as "CFW-β"; that of the class where it is empty."""
    command: str | None = None
    """Its name in the command, such as "cfw-beta"; None if it cannot be trained from there."""
    alias_of: str | None = None
    """The name of the classifier that always gives the same answers: a comparison needs only one of the two."""
    needs: frozenset[Need] = frozenset()
    """What must be counted for it beside the values of each class, whatever its parameters."""
    fields: tuple[FittedField, ...] = ()
    """The attributes that its fit sets, beside those that every classifier has."""
    of_paper: bool = False
    """Whether the paper compares or describes it."""
    cuts_again: bool = False
    """Whether it cuts numbers more finely than ChiMerge, so that a study must give it columns, not codes."""
    earlier: Mapping[str, Any] = field(default_factory=dict)
    """What a parameter was before it could be set, if not its default: for model files that do not have it."""

    def has(self, field: str) -> bool:
        """Return whether the fit sets an attribute of this name."""
        return any(each.name == field for each in self.fields)


RELEVANCE = FittedField("relevance_", "relevance", ("attributes",))
REDUNDANCY = FittedField("redundancy_", "redundancy", ("attributes",))
