"""Indexes by name: how they are registered, found, called and normalised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.counts import Counts, Need

IndexFunction = Callable[[Counts], FloatArray]
Decorator = Callable[[IndexFunction], IndexFunction]


@dataclass(frozen=True)
class Index:
    """A relevance or a redundancy: a function of the counts, with its name and what must be counted for it."""

    name: str
    function: IndexFunction
    """Returns the index of each attribute, or of every two attributes, from the counts."""
    needs: frozenset[Need] = frozenset()
    """What must be counted beside the values of each class."""
    of_pairs: bool = False
    """Whether the index is a redundancy, one number for every two attributes."""

    def __call__(self, counts: Counts) -> FloatArray:
        """Return the index of each attribute, or of every two; 0 for those that are not used.

        The shape and the numbers that the function returns are checked.
        """
        n = len(counts.n_values)
        shape, wanted = ((n, n), f"a {n} × {n} matrix") if self.of_pairs else ((n,), f"{n} numbers, one per attribute")
        index, used = np.asarray(self.function(counts)), counts.used
        if index.shape == shape and index.dtype.kind in "fiub":
            index = np.where(np.outer(used, used) if self.of_pairs else used, index, 0.0).astype(np.float64)
            if np.isfinite(index).all():
                return index
        raise ValueError(f"the index {self.name!r} must give {wanted}, all of them finite.")


RELEVANCE: dict[str, Index] = {}
"""The registered relevances, by name."""
REDUNDANCY: dict[str, Index] = {}
"""The registered redundancies, by name."""
_OF_KIND = {"relevance": RELEVANCE, "redundancy": REDUNDANCY}


def relevance(name: str, *, needs: Need | None = None, replace: bool = False) -> Decorator:
    """Register a function of the counts as a relevance, which returns one number per attribute.

    Parameters
    ----------
    name : str
        The name to use in place of the function from then on.
    needs : {"pairs", "moments"}, optional
        What must be counted for it beside the values of each class: ``counts.pairs`` or ``counts.moments``. If the
        function has an attribute ``needs``, what that names is counted too.
    replace : bool, default=False
        Whether to replace a relevance of that name. Otherwise a name that is taken is an error, unless a notebook
        cell or a script registers its own function again.

    Examples
    --------
    >>> @relevance("values")
    ... def values(counts):
    ...     return counts.n_values
    >>> RELEVANCE.pop("values").name
    'values'
    """
    return _register("relevance", name, needs, replace=replace)


def redundancy(name: str, *, needs: Need | None = None, replace: bool = False) -> Decorator:
    """Register a function of the counts as a redundancy, which returns a symmetric (attributes × attributes) matrix.

    Parameters
    ----------
    name : str
        The name to use in place of the function from then on.
    needs : {"pairs", "moments"}, optional
        What must be counted for it, as in :func:`relevance`.
    replace : bool, default=False
        Whether to replace a redundancy of that name, as in :func:`relevance`.

    Examples
    --------
    >>> @redundancy("nothing")
    ... def nothing(counts):
    ...     return np.zeros((len(counts.n_values),) * 2)
    >>> REDUNDANCY.pop("nothing").of_pairs
    True
    """
    return _register("redundancy", name, needs, replace=replace)


def _register(kind: str, name: str, needs: Need | None, *, replace: bool) -> Decorator:
    def register(function: IndexFunction) -> IndexFunction:
        known = _OF_KIND[kind].get(name)
        if known and not replace and not _is_own_again(known.function, function):
            raise ValueError(
                f"there is a {kind} named {name!r} already: choose another name, or register with replace=True."
            )
        counted = frozenset([needs] if needs else []) | frozenset(getattr(function, "needs", ()))
        _OF_KIND[kind][name] = Index(name, function, counted, kind == "redundancy")
        return function

    return register


def _is_own_again(known: IndexFunction, function: IndexFunction) -> bool:
    """Return whether a notebook or a script registers its own function again, as when a cell is run twice."""
    module, name = (getattr(function, of, None) for of in ("__module__", "__qualname__"))
    same = (module, name) == (getattr(known, "__module__", None), getattr(known, "__qualname__", None))
    return known is function or (same and module == "__main__")


def find_relevance(index: Any) -> Index:
    """Return the relevance of this name, or one that calls this function; an unknown name raises a ValueError."""
    return _find("relevance", index, frozenset())


def find_redundancy(index: Any) -> Index:
    """Return the redundancy of this name, or one that calls this function; an unknown name raises a ValueError.

    For a function that is neither registered nor has an attribute ``needs``, both pairs and moments are counted.
    """
    return _find("redundancy", index, frozenset(("pairs", "moments")))


def _find(kind: str, index: Any, needs: frozenset[Need]) -> Index:
    registry = _OF_KIND[kind]
    if isinstance(index, str) and index in registry:
        return registry[index]
    if callable(index):
        registered = (known for known in registry.values() if index in (known, known.function))
        name = getattr(index, "__name__", type(index).__name__)
        return next(registered, Index(name, index, getattr(index, "needs", needs), kind == "redundancy"))
    known = ", ".join(sorted(registry))
    raise ValueError(f"{kind} {index!r} is not known. Known: {known}; a function of the counts will do too.")


# --- Normalising: the paper does not say which way it means ------------------------------------------


def _divided(index: FloatArray, size: Any) -> FloatArray:
    """Return an index divided by a size, unless that is 0."""
    return index / size if size > 0 else index


NORMALIZE: dict[str | None, Callable[[FloatArray], FloatArray]] = {
    "max": lambda index: _divided(index, index.max()),
    "mean": lambda index: _divided(index, index.mean()),
    "sum": lambda index: _divided(index, index.sum()),
    "minmax": lambda index: _divided(index - index.min(), np.ptp(index)),
    None: lambda index: index,
}
"""The ways to normalise an index, by name."""


def normalized(index: FloatArray, how: str | None, used: BoolArray | None = None) -> FloatArray:
    """Return an index divided by its maximum, mean or sum, scaled to the range 0 to 1 ("minmax"), or as it is (None).

    ``used`` (attributes,) says which attributes it is normalised over, as ``counts.used``; the others get 0.

    >>> normalized(np.array([1.0, 2.0, 4.0]), "max")
    array([0.25, 0.5 , 1.  ])
    """
    check_normalize(how)
    return NORMALIZE[how](index) if used is None else _where(used, NORMALIZE[how](index[used]))


def check_normalize(how: Any) -> None:
    """Raise a ValueError if this is not the name of a way to normalise indexes."""
    if not (how is None or isinstance(how, str)) or how not in NORMALIZE:
        raise ValueError(f"normalize must be one of {', '.join(map(repr, NORMALIZE))}, not {how!r}.")


def _where(used: BoolArray, index: FloatArray) -> FloatArray:
    """Return the index of the attributes that are used among all, 0 for the others: (attributes,)."""
    of_all = np.zeros(len(used))
    of_all[used] = index
    return of_all


def mean_redundancy(matrix: FloatArray, how: str | None, used: BoolArray | None = None) -> FloatArray:
    """Return the mean normalised redundancy of each attribute with the others (Eq. 25): (attributes,).

    It is 0 if there is only one attribute, and for those that are not ``used`` (attributes,).

    >>> mean_redundancy(np.array([[9.0, 1.0], [1.0, 9.0]]), "max")
    array([1., 1.])
    """
    if used is not None:
        return _where(used, mean_redundancy(matrix[np.ix_(used, used)], how))
    n = len(matrix)
    if n < 2:
        return np.zeros(n)
    others = ~np.eye(n, dtype=bool)
    scaled = np.zeros_like(matrix)
    scaled[others] = normalized(matrix[others], how)
    return np.asarray(scaled.sum(axis=1) / (n - 1))
