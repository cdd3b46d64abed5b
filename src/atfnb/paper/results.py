"""What a study is made of, and what came out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import numpy as np

from atfnb._typing import FloatArray
from atfnb.paper.peers import find, installed
from atfnb.paper.protocol import RECORDED, Order
from atfnb.paper.sets import Sets, Uci

LIBRARIES = ("atfnb", "numpy", "scipy", "scikit-learn", "numba", "pandas")


def versions_of(classifiers: Sequence[str] = ()) -> dict[str, str]:
    """The versions of the libraries, and of the packages that these classifiers need; a missing one is named.

    >>> list(versions_of(["NB"]))
    ['atfnb', 'numpy', 'scipy', 'scikit-learn', 'numba', 'pandas']
    """
    needed = {entry.package: installed(entry.package) for entry in find(list(classifiers)) if entry.package}
    return {name: version(name) for name in LIBRARIES} | needed


@dataclass(frozen=True)
class Options:
    """What a study is made of; the same options give the same results, to the byte."""

    sets: tuple[str, ...]
    classifiers: tuple[str, ...]
    n_splits: int = 30
    seed: int = 0
    order: Order = "clean"
    sources: dict[str, str] = field(default_factory=dict)
    """Where each set came from, and a mark of its content."""
    versions: dict[str, str] = field(default_factory=versions_of)
    recorded: tuple[str, ...] = RECORDED
    """What is written down of each classifier on each split."""


@dataclass(frozen=True)
class Results:
    """How good each classifier is on each split of each set."""

    options: Options
    accuracy: FloatArray
    """(sets, splits, classifiers), as the next two"""
    log_loss: FloatArray
    brier: FloatArray
    reliability: FloatArray
    """(classifiers, bins, 3): rows, sum of the highest probability and right ones, over all sets and splits"""
    sets: Sets = field(default_factory=Uci)

    @property
    def mean(self) -> FloatArray:
        """The mean accuracy over the splits: (sets, classifiers)."""
        return np.asarray(self.accuracy.mean(axis=1))

    @property
    def mean_log_loss(self) -> FloatArray:
        """The mean log-loss over the splits: (sets, classifiers)."""
        return np.asarray(self.log_loss.mean(axis=1))

    @property
    def mean_brier(self) -> FloatArray:
        """The mean Brier score over the splits: (sets, classifiers)."""
        return np.asarray(self.brier.mean(axis=1))


def columns(results: Results, names: Sequence[str]) -> list[int]:
    """Where these classifiers stand in the results."""
    return [results.options.classifiers.index(name) for name in names]


def taking_part(results: Results, names: Sequence[str]) -> list[str]:
    """Those of the classifiers that are in the study."""
    return [name for name in names if name in results.options.classifiers]


def groups(results: Results) -> dict[str, int]:
    """Classifiers that agree on every split, in accuracy and log-loss, under one name; and where the first stands.

    Several names of the paper's stand for the same model; counted apart, they would share ranks with themselves and
    raise the price of every comparison.
    """
    alike: dict[bytes, list[int]] = {}
    for c in range(results.accuracy.shape[2]):
        key = results.accuracy[:, :, c].tobytes() + results.log_loss[:, :, c].tobytes()
        alike.setdefault(key, []).append(c)
    return {" = ".join(results.options.classifiers[c] for c in group): group[0] for group in alike.values()}


def distinct(results: Results) -> tuple[list[str], FloatArray]:
    """Names and mean accuracies of the classifiers, those that agree on every split taken as one."""
    found = groups(results)
    return list(found), results.mean[:, list(found.values())]


def among(names: list[str], name: str) -> int:
    """Which of the joined names holds this one.

    >>> among(["NB", "WNB = KLNB"], "KLNB")
    1
    """
    return next(i for i, joined in enumerate(names) if name in joined.split(" = "))
