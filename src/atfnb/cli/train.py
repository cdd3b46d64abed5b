"""A file → a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from atfnb.classifiers import ATFNB, CFW, DFW, KLNB, NB, WNB, BaseNB, CFWBeta, FusionNB
from atfnb.cli.words import UsageError, many
from atfnb.indexes import REDUNDANCY, RELEVANCE

MOST = 5
"""How many columns are named as those that count most."""

CLASSIFIERS: dict[str, type[BaseNB]] = {
    "fusion": FusionNB,
    "atfnb": ATFNB,
    "cfw-beta": CFWBeta,
    "cfw": CFW,
    "dfw": DFW,
    "wnb": WNB,
    "klnb": KLNB,
    "nb": NB,
}
"""Every classifier by its name on the command line, the most accurate first."""


def make(classifier: str, **options: Any) -> BaseNB:
    """A classifier by name, with the options that were given.

    >>> make("atfnb", relevance="gain_ratio", max_bins=None)
    ATFNB(relevance='gain_ratio')
    """
    made = CLASSIFIERS[classifier]()
    known = made.get_params()
    for name, value in options.items():
        if value is None:
            continue
        if name not in known:
            raise UsageError(f"--{name.replace('_', '-')} does not go with --classifier {classifier}.")
        _check_index(name, value)
        made.set_params(**{name: _one_or_more(value, known[name])})
    return made


def _one_or_more(value: Any, default: Any) -> Any:
    """A list stays a list where the classifier takes several; where it takes one, only one may be given."""
    if not isinstance(value, list) or isinstance(default, tuple):
        return value
    if len(value) > 1:
        raise UsageError(f"only --classifier fusion takes several indexes, and {' and '.join(value)} were given.")
    return value[0]


def _check_index(option: str, names: Any) -> None:
    """An index must be known by its name."""
    known = {"relevance": RELEVANCE, "redundancy": REDUNDANCY}.get(option)
    if known is None:
        return
    unknown = [name for name in ([names] if isinstance(names, str) else names) if name not in known]
    if unknown:
        raise UsageError(f"--{option} {unknown[0]!r} is not known. Known: {', '.join(known)}.")


def learned(model: BaseNB, target: str) -> Iterator[str]:
    """What a fresh model is, in a few sentences."""
    names = [attribute.name for attribute in model.encoder_.attributes]
    yield (
        f"{type(model).__name__} learned {target!r} ({many(len(model.classes_), 'class')}) from "
        f"{many(model.n_rows_, 'row')} and {many(len(names), 'column')}."
    )
    if isinstance(model, ATFNB):
        low, high = model.beta_interval_
        accuracy = "weighted training accuracy" if model.counts_.weighted else "training accuracy"
        yield (
            f"Switching factor β = {model.beta_:.4f}: the {accuracy} is highest, {model.beta_accuracy_:.4f}, "
            f"from {low:.4f} to {high:.4f}."
        )
    if np.ptp(model.weights_) == 0 and len(names) > 1:
        yield "Every column counts the same."
        return
    order = np.argsort(-np.abs(model.weights_), kind="stable")[:MOST]
    counts_most = ", ".join(f"{names[j]!r} ({model.weights_[j]:.2f})" for j in order)
    yield f"What counts most: {counts_most}."
