"""Naive Bayes with weights of the user's own, or with one index."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts, Need
from atfnb.encoding import MaxBins, Missing
from atfnb.indexes import find_relevance, normalized


class WeightedNB(BaseNB):
    """Naive Bayes with given attribute weights (Eq. 4).

    Parameters
    ----------
    weights : str, array-like or callable, default="uniform"
        The name of a relevance, which is then normalised; one number per attribute; or a function of the
        :class:`~atfnb.counts.Counts` that gives them. Arrays and functions are taken as they are. A function
        may say what must be counted for it, in an attribute ``needs`` ("pairs", "moments").
    normalize : {"max", "mean", "sum", "minmax", None}, default="mean"
        How a relevance given by name is scaled. The mean keeps the attributes' joint influence as in naive Bayes.
    categorical_features, max_bins, missing, alpha, fit_prior, class_prior, class_weight
        As in :class:`~atfnb.NB`, where the fitted attributes are told too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> WeightedNB(weights=[0, 0, 1, 1]).fit(X, y).score(X, y)
    0.96
    """

    def __init__(
        self,
        *,
        weights: Any = "uniform",
        normalize: str | None = "mean",
        categorical_features: Any = "from_dtype",
        max_bins: MaxBins = "n_classes",
        missing: Missing = "impute",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.weights = weights
        self.normalize = normalize
        super().__init__(
            categorical_features=categorical_features,
            max_bins=max_bins,
            missing=missing,
            alpha=alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            class_weight=class_weight,
        )

    def _needs(self) -> AbstractSet[Need]:
        return frozenset(getattr(self.weights, "needs", ()))

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        if isinstance(self.weights, str):
            return normalized(find_relevance(self.weights)(counts), self.normalize)
        names = [attribute.name for attribute in self.encoder_.attributes]
        if callable(self.weights):
            return _checked(np.asarray(self.weights(counts)), names)
        for position in sorted(self._empty):
            names.insert(position, self._empty[position])
        by_name = isinstance(self.weights, Mapping)
        weights = _by_name(self.weights, names) if by_name else _checked(np.asarray(self.weights), names)
        return np.delete(weights, list(self._empty))


def _by_name(weights: Mapping[Any, Any], names: list[str]) -> FloatArray:
    """Return the weight of each column; 1 for a column that is not named."""
    for name, weight in weights.items():
        if name not in names:
            shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
            raise ValueError(f"weights names {name!r}, which is not a column. Columns: {shown}.")
        if not (isinstance(weight, Real) and math.isfinite(weight)):
            raise ValueError(f"weights gives column {name!r} {weight!r}: give a finite number.")
    return np.array([float(weights.get(name, 1.0)) for name in names])


def _checked(weights: NDArray[Any], names: list[str]) -> FloatArray:
    """Return the weights as floats; refuse what is not one finite number for each column."""
    if weights.shape != (len(names),) or weights.dtype.kind not in "fiub":
        raise ValueError(
            f"weights needs one number for each of the {len(names)} attributes, "
            f"not an array of shape {weights.shape} and type {weights.dtype}."
        )
    if not np.isfinite(weights).all():
        name = names[int(np.flatnonzero(~np.isfinite(weights))[0])]
        raise ValueError(f"the weight of column {name!r} is NaN or infinite: give a number.")
    return weights.astype(np.float64)
