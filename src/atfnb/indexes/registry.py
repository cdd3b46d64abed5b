"""Indexes by name: how much an attribute tells of the class, and how much of another attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.counts import Counts, Need

IndexFunction = Callable[[Counts], FloatArray]


@dataclass(frozen=True)
class Index:
    """A function of the counts, with what must be counted for it."""

    name: str
    function: IndexFunction
    needs: frozenset[Need] = frozenset()
    of_pairs: bool = False

    def __call__(self, counts: Counts) -> FloatArray:
        """The index of every attribute, or of every two, checked."""
        n = len(counts.n_values)
        shape, wanted = ((n, n), f"a {n} × {n} matrix") if self.of_pairs else ((n,), f"{n} numbers, one per attribute")
        index = np.asarray(self.function(counts))
        if index.shape != shape or index.dtype.kind not in "fiub" or not np.isfinite(index).all():
            raise ValueError(f"the index {self.name!r} must give {wanted}, all of them finite.")
        return index.astype(np.float64)


RELEVANCE: dict[str, Index] = {}
REDUNDANCY: dict[str, Index] = {}


def relevance(name: str) -> Callable[[IndexFunction], IndexFunction]:
    """Register a function of the counts as a relevance: one number per attribute.

    Examples
    --------
    >>> @relevance("values")
    ... def values(counts):
    ...     return counts.n_values
    >>> RELEVANCE.pop("values").name
    'values'
    """
    return _register(RELEVANCE, name, frozenset(), of_pairs=False)


def redundancy(name: str, *, needs: Need | None = None) -> Callable[[IndexFunction], IndexFunction]:
    """Register a function of the counts as a redundancy: a symmetric (attributes × attributes) matrix."""
    return _register(REDUNDANCY, name, frozenset([needs] if needs else []), of_pairs=True)


def _register(
    registry: dict[str, Index], name: str, needs: frozenset[Need], *, of_pairs: bool
) -> Callable[[IndexFunction], IndexFunction]:
    def register(function: IndexFunction) -> IndexFunction:
        registry[name] = Index(name, function, needs, of_pairs)
        return function

    return register


def find_relevance(index: Any) -> Index:
    """The relevance of that name, or the function itself."""
    return _find(RELEVANCE, index, "relevance", frozenset())


def find_redundancy(index: Any) -> Index:
    """The redundancy of that name, or the function itself; for one that is not registered, everything is counted."""
    return _find(REDUNDANCY, index, "redundancy", frozenset(("pairs", "moments")))


def _find(registry: Mapping[str, Index], index: Any, kind: str, needs: frozenset[Need]) -> Index:
    if isinstance(index, str) and index in registry:
        return registry[index]
    if callable(index):
        registered = (known for known in registry.values() if index in (known, known.function))
        name = getattr(index, "__name__", type(index).__name__)
        return next(registered, Index(name, index, getattr(index, "needs", needs), kind == "redundancy"))
    known = ", ".join(sorted(registry))
    raise ValueError(f"{kind} {index!r} is not known. Known: {known}; a function of the counts will do too.")
