"""Ways to normalise an index, by name: the paper does not say which one it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atfnb._typing import FloatArray


def _divided_by(size: Callable[[FloatArray], np.floating]) -> Callable[[FloatArray], FloatArray]:
    """Return a function that divides an index by its size, unless that is 0."""

    def normalize(index: FloatArray) -> FloatArray:
        scale = float(size(index))
        return index / scale if scale > 0 else index

    return normalize


def _minmax(index: FloatArray) -> FloatArray:
    """Return an index stretched to 0 … 1; 0 if all of it is equal."""
    spread = float(np.ptp(index))
    return (index - index.min()) / spread if spread > 0 else np.zeros_like(index)


NORMALIZE: dict[str | None, Callable[[FloatArray], FloatArray]] = {
    "max": _divided_by(np.max),
    "mean": _divided_by(np.mean),
    "sum": _divided_by(np.sum),
    "minmax": _minmax,
    None: lambda index: index,
}


def normalized(index: FloatArray, how: str | None) -> FloatArray:
    """Return an index divided by its maximum, mean or sum, stretched to 0 … 1 ("minmax"), or as it is (None).

    >>> normalized(np.array([1.0, 2.0, 4.0]), "max")
    array([0.25, 0.5 , 1.  ])
    """
    check_normalize(how)
    return NORMALIZE[how](index)


def check_normalize(how: Any) -> None:
    """Raise a ValueError if this is not the name of a way to scale indexes."""
    if not (how is None or isinstance(how, str)) or how not in NORMALIZE:
        raise ValueError(f"normalize must be one of {', '.join(map(repr, NORMALIZE))}, not {how!r}.")


def mean_redundancy(matrix: FloatArray, how: str | None) -> FloatArray:
    """Return the normalised redundancy of each attribute, averaged over the others (Eq. 25): (attributes,).

    An attribute without others has 0.

    >>> mean_redundancy(np.array([[9.0, 1.0], [1.0, 9.0]]), "max")
    array([1., 1.])
    """
    n = len(matrix)
    if n < 2:
        return np.zeros(n)
    others = ~np.eye(n, dtype=bool)
    scaled = np.zeros_like(matrix)
    scaled[others] = normalized(matrix[others], how)
    return np.asarray(scaled.sum(axis=1) / (n - 1))
