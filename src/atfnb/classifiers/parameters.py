"""Checks of parameters, which each classifier declares once; ``fit`` makes them before any work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atfnb._errors import AdvisedError, Setting
from atfnb._typing import FloatArray
from atfnb.encoding import MaxBins, MinCategoryRows, Missing
from atfnb.tables import Dates

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
    max_bins: MaxBins
    max_distinct: int | None
    min_category_rows: MinCategoryRows
    merge_case: bool
    dates: Dates
    alpha: float
    fit_prior: bool
    class_prior: ClassPrior
    class_weight: ClassWeight


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


def by_value(check: Callable[[Any], object]) -> ParameterCheck:
    """Return a check that passes the value alone to a function which raises for what it cannot use."""
    return lambda name, value: check(value)


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
