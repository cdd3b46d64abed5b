"""What FusionNB has beside its table: the indexes and their coefficients, and the effects of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from atfnb.classifiers import BaseNB, FusionNB
from atfnb.model_file.nodes import fields, listed, number, numbers, shown, text, whole
from atfnb.model_file.values import plain_number, plain_numbers


def of_values(model: BaseNB) -> bool:
    """Whether the model's table holds the effects of single values."""
    return isinstance(model, FusionNB) and model.value_effects_ is not None


def part(model: FusionNB) -> dict[str, Any]:
    """What the file says of the fusion as a whole."""
    return {
        "indexes": list(model.indexes_),
        "theta": plain_numbers(model.theta_),
        "gamma": plain_number(model.gamma_),
        "shrinkage": None if model.shrinkage_ is None else plain_number(model.shrinkage_),
        "steps": int(model.n_iter_),
    }


def restore(model: FusionNB, node: Any) -> None:
    """Give a model what the file says of the fusion as a whole."""
    told = fields(node, "fusion", ("indexes", "theta", "gamma", "shrinkage", "steps"))
    model.indexes_ = [text(name, "the name of an index") for name in listed(told["indexes"], "the indexes")]
    model.theta_ = numbers(told["theta"], "theta", len(model.indexes_))
    model.gamma_ = number(told["gamma"], "gamma", 0)
    model.shrinkage_ = None if told["shrinkage"] is None else number(told["shrinkage"], "shrinkage", 0)
    model.n_iter_ = whole(told["steps"], "the steps of the fit")


def check(model: FusionNB) -> None:
    """What is there is what ``refine`` asks for, and the effects are centred over the classes."""
    if model.refine not in ("value", "attribute", None):
        raise ValueError(f"the option refine is {shown(model.refine)}, and must be 'value', 'attribute' or None.")
    effects = model.value_effects_
    if (effects is not None) != (model.refine == "value"):
        raise ValueError(f"effects of values go with refine='value', and refine is {model.refine!r}.")
    if (model.shrinkage_ is None) != (model.refine is None):
        raise ValueError(f"shrinkage does not go with refine={model.refine!r}.")
    if effects is None and model.gamma_ != 1:
        raise ValueError("gamma must be 1 where there are no effects of values.")
    if not (model.index_matrix_[model.counts_.n_values > 0, 0] == 1).all():
        raise ValueError("the first index must be 1 for every column.")
    if effects is not None and (np.abs(effects.sum(axis=1)) > 1e-9 * np.abs(effects).max()).any():
        raise ValueError("the effects of a value must add up to 0 over the classes.")
