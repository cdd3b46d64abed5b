"""What a classifier declares: its names, what it needs, its parameters, and the attributes that its fit sets.

The command, the model file, the report and the studies read the declaration; none of them asks which class a model is
of. So a new classifier is a file with its declaration, and a line in the roster. ``fit`` checks the parameters before
any work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from typing import Any, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atfnb._errors import AdvisedError, Setting
from atfnb._typing import FloatArray
from atfnb.counts import Need
from atfnb.encoding import (
    MaxBins,
    MinCategoryRows,
    Missing,
    check_max_bins,
    check_max_distinct,
    check_min_category_rows,
)
from atfnb.tables import Cuts, Dates, Orders, check_cuts, check_orders

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


INDEXES = tuple(FittedField(f"{index}_", index, ("attributes",)) for index in ("relevance", "redundancy"))
"""The fields of classifiers that weigh attributes by two indexes."""


# --- Parameters -------------------------------------------------------------------------------------

ParameterCheck = Callable[[str, Any], object]
"""Takes the name and the value of a parameter; raises a ValueError, one sentence, if the value cannot be used."""
ParameterChecks = dict[str, ParameterCheck]
"""The checks of the parameters of a classifier, by name."""
ClassPrior = Mapping[Any, float] | ArrayLike | None
"""The prior probabilities of the classes: by class, in their order, or None to learn them."""
ClassWeight = Mapping[Any, float] | Literal["balanced"] | None
"""A factor for the weights of the rows of each class, by class; or the one that gives all classes an equal weight."""


class CommonParameters(TypedDict, total=False):
    """The parameters that every classifier has with the same default."""

    categorical_features: Any
    cuts: Cuts
    orders: Orders
    max_bins: MaxBins
    max_distinct: int | None
    min_category_rows: MinCategoryRows
    merge_case: bool
    dates: Dates
    alpha: float
    fit_prior: bool
    class_prior: ClassPrior
    class_weight: ClassWeight
    n_jobs: int | None


class SharedParameters(CommonParameters, total=False):
    """The parameters that every classifier has; the default of the last differs."""

    missing: Missing


def signature_in_full(init: Callable[..., None], base: Callable[..., None]) -> Signature:
    """Return the signature of an ``__init__``, with the parameters of ``base`` that it takes as ``**shared`` by name.

    They stand behind its own ones. One that ``init`` names itself has the default that it gives there.
    """
    own, shared = signature(init).parameters, signature(base).parameters
    if all(each.kind is not Parameter.VAR_KEYWORD for each in own.values()):
        return signature(init)
    first = [each for name, each in own.items() if name not in shared and each.kind is not Parameter.VAR_KEYWORD]
    last = [own.get(name, each) for name, each in shared.items()]
    return Signature(sorted([*first, *last], key=lambda each: each.kind))  # self, the only positional one, comes first


def refuse(name: str, wanted: str, value: Any) -> None:
    """Raise an error that says what a parameter must be, and what it is.

    >>> refuse("alpha", "a number above 0", -1)
    Traceback (most recent call last):
    ...
    atfnb._errors.AdvisedError: alpha must be a number above 0, not -1.
    """
    raise AdvisedError(Setting(name), f" must be {wanted}, not {value!r}.")


def one_of(*choices: str | None) -> ParameterCheck:
    """Return a check that a parameter is one of these choices."""

    def check(name: str, value: Any) -> None:
        if not (value is None or isinstance(value, str)) or value not in choices:
            refuse(name, " or ".join(map(repr, choices)), value)

    return check


def true_or_false(name: str, value: Any) -> None:
    """Check that a parameter is a boolean."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(name, "True or False", value)


def above_0(name: str, value: Any) -> None:
    """Check that a parameter is a number above 0, and not so large that sums with it overflow."""
    is_number = isinstance(value, Real)
    if not (is_number and 0 < value < 1e100):
        refuse(name, "a number above 0", value)


def whole_from_1(name: str, value: Any) -> None:
    """Check that a parameter is a whole number of at least 1."""
    is_whole = isinstance(value, Integral)
    if not (is_whole and value >= 1):
        refuse(name, "a whole number from 1 on", value)


def none_or_not_0(name: str, value: Any) -> None:
    """Check that a parameter is None, or a whole number other than 0."""
    if not (value is None or (isinstance(value, Integral) and value != 0)):
        refuse(name, "None or a whole number other than 0", value)


def by_value(check: Callable[[Any], object]) -> ParameterCheck:
    """Return a check that passes the value alone to a function which raises for what it cannot use."""
    return lambda name, value: check(value)


SHARED_CHECKS: ParameterChecks = {
    "cuts": check_cuts,
    "orders": check_orders,
    "max_bins": by_value(check_max_bins),
    "max_distinct": by_value(check_max_distinct),
    "min_category_rows": by_value(check_min_category_rows),
    "merge_case": true_or_false,
    "missing": one_of(*get_args(Missing)),
    "dates": one_of(*get_args(Dates)),
    "alpha": above_0,
    "fit_prior": true_or_false,
    "n_jobs": none_or_not_0,
}
"""The checks of the parameters that every classifier has."""


def given_prior(class_prior: Mapping[Any, float] | ArrayLike, classes: NDArray[Any]) -> FloatArray:
    """Return the prior probabilities that a user gave, by class or in the order of the classes, with a sum of 1.

    >>> given_prior({"yes": 3, "no": 1}, np.array(["no", "yes"]))
    array([0.25, 0.75])
    """
    if isinstance(class_prior, Mapping):
        for name in classes.tolist():
            if name not in class_prior:
                raise ValueError(f"class_prior has no probability for the class {name!r}: give one for each class.")
        class_prior = [class_prior[name] for name in classes.tolist()]
    prior = np.asarray(class_prior)
    if prior.shape != (len(classes),) or prior.dtype.kind not in "fiu":
        raise ValueError(f"Number of priors must match number of classes: class_prior needs {len(classes)} numbers.")
    if not ((prior > 0) & (prior < 1e100)).all():
        raise ValueError("class_prior must be above 0, and finite, for every class.")
    return np.asarray(prior / prior.sum())
