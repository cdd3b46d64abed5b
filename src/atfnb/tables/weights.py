"""The weights of rows: checked, multiplied by the weights of their classes, and put on a grid where sums are exact.

Weights that can be numbers of rows are taken as they are: an integer weight is a repetition. Weights that cannot, as
they add up to less than two rows or to more than 2⁴⁰, mean ratios only, and are scaled to a mean of one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._pieces import SPAN, row_blocks
from atfnb._typing import ClassArray, FloatArray, IntArray

FEWEST = 2
"""Two classes have at least two rows, so weights that add up to less are no numbers of rows."""
MOST = 1 << 40
"""Weights that add up to more are no numbers of rows either, and their moments could not be added up exactly."""
WIDEST = 10**12
"""The largest weight is at most so many times the smallest."""


@dataclass(frozen=True)
class Total:
    """The rows of one class whose weight is not zero: their number, and the sum and the ends of their weights."""

    rows: int
    weight: Fraction
    smallest: float
    largest: float

    def __add__(self, other: Total) -> Total:
        ends = min(self.smallest, other.smallest), max(self.largest, other.largest)
        return Total(self.rows + other.rows, self.weight + other.weight, *ends)


class ClassTotals(dict[Any, Total]):
    """The total of each class. Totals of parts add up to those of the whole, exactly and in any order."""

    def __add__(self, other: ClassTotals) -> ClassTotals:
        return ClassTotals(self | {c: self[c] + total if c in self else total for c, total in other.items()})


@dataclass(frozen=True)
class Weighting:
    """Turns the weights that rows were given into those that they are counted with."""

    factors: dict[Any, tuple[float, int]]
    """What the weights of each class are multiplied by, as a number and a power of two."""
    step: float
    """The result is a multiple of this power of two, 2⁻⁵² of the total or a little more: no sum of them ever rounds."""

    def __call__(self, weight: FloatArray, classes: NDArray[Any], y: ClassArray) -> FloatArray:
        """Return the weight that each row is counted with; ``y`` is the position of its class among ``classes``."""
        factor, power = zip(*(self.factors.get(c, (0.0, 0)) for c in classes.tolist()), strict=True)
        weight = np.ldexp(weight, np.array(power, dtype=np.int32)[y]) * np.array(factor)[y]
        return np.where(weight > 0, np.maximum(np.round(weight / self.step), 1.0) * self.step, 0.0)


def weighting_of(totals: ClassTotals, class_weight: Any = None) -> Weighting:
    """Return how rows with these totals are weighted.

    >>> totals = totals_of(np.full(4, 0.1), np.array(["no", "yes"]), np.array([0, 0, 0, 1], dtype=np.int32))
    >>> weighting_of(totals, {"yes": 3.0})(np.full(2, 0.1), np.array(["no", "yes"]), np.array([0, 1])).round(2)
    array([0.67, 2.  ])
    """
    if not totals:
        raise ValueError("sample_weight is zero for every row, or there are none: at least one row must count.")
    factors = _class_factors(totals, class_weight)
    counting = [(factor, totals[c]) for c, factor in factors.items() if factor > 0]
    if not counting:
        raise ValueError("class_weight is zero for every class: at least one class must count.")
    smallest = min(factor * Fraction(total.smallest) for factor, total in counting)
    if max(factor * Fraction(total.largest) for factor, total in counting) > WIDEST * smallest:
        raise ValueError(
            "the weights of the rows span too far: the largest is more than 10¹² times the smallest above 0; raise the "
            "smallest ones, or set them to 0 to leave their rows out."
        )
    weight = sum((factor * total.weight for factor, total in counting), Fraction(0))
    rows = sum(total.rows for _, total in counting)
    scale = Fraction(1) if FEWEST <= weight <= MOST else rows / weight
    # totals that differ by rounding only, as those of balanced classes do, get the same grid
    step = 2.0 ** (math.floor(math.log2(weight * scale) + 2.0**-20) + 1 - 52)
    return Weighting({c: _with_power(factor * scale) for c, factor in factors.items()}, step)


def _with_power(number: Fraction) -> tuple[float, int]:
    """Split a number of any size into one near 1 and a power of two."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    return float(number / Fraction(2) ** power), power


def _class_factors(totals: ClassTotals, class_weight: Any) -> dict[Any, Fraction]:
    """Return the weight of each class, as scikit-learn's ``compute_class_weight`` does, but exactly."""
    if class_weight is None:
        return dict.fromkeys(totals, Fraction(1))
    if isinstance(class_weight, str) and class_weight == "balanced":
        weight = sum((total.weight for total in totals.values()), Fraction(0))
        return {c: weight / (len(totals) * total.weight) for c, total in totals.items()}
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict of class to weight, not {class_weight!r}.")
    unknown = [c for c in class_weight if c not in totals]
    unlisted = [c for c in totals if c not in class_weight]
    if unknown and unlisted:
        raise ValueError(
            f"The classes, {unlisted}, are not in class_weight, and {unknown[0]!r} is, which is none of them: "
            "check how it is spelled."
        )
    return {c: _factor(c, class_weight.get(c, 1.0)) for c in totals}


def _factor(name: Any, factor: Any) -> Fraction:
    if not (isinstance(factor, Real) and 0 <= float(factor) < math.inf):
        raise ValueError(f"class_weight of class {name!r} must be a number from 0 on, not {factor!r}.")
    return Fraction(float(factor))


def totals_of(weight: FloatArray, classes: NDArray[Any], y: ClassArray) -> ClassTotals:
    """Add up the weights of each class; ``y`` is the position of each row's class among ``classes``."""
    rows = np.bincount(y[weight > 0], minlength=len(classes))
    smallest, largest = np.full(len(classes), np.inf), np.zeros(len(classes))
    np.minimum.at(smallest, y, np.where(weight > 0, weight, np.inf))
    np.maximum.at(largest, y, weight)
    sums = _exact_sums(weight, y, len(classes))
    each = zip(classes.tolist(), rows.tolist(), sums, smallest.tolist(), largest.tolist(), strict=True)
    return ClassTotals({c: Total(*total) for c, *total in each if total[0]})


def _exact_sums(weight: FloatArray, y: ClassArray, n_classes: int) -> list[Fraction]:
    """Add up the weights of each class without rounding: numbers of the same power of two as integers of two halves."""
    sums = [Fraction(0)] * n_classes
    for block in row_blocks(len(weight), SPAN):
        mantissa, power = np.frexp(weight[block])
        whole, powers = np.ldexp(mantissa, 53).astype(np.int64), np.unique(power)
        key: IntArray = np.searchsorted(powers, power) * n_classes + y[block]
        halves = [np.bincount(key, half, len(powers) * n_classes) for half in (whole >> 27, whole & (1 << 27) - 1)]
        for place in np.flatnonzero(halves[0]).tolist():
            exact = (int(halves[0][place]) << 27) + int(halves[1][place])
            sums[place % n_classes] += exact * Fraction(2) ** (int(powers[place // n_classes]) - 53)
    return sums


def given_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return the weight that each row was given, checked; one each, if there are none."""
    if sample_weight is None:
        return np.broadcast_to(1.0, n_rows)  # takes no memory
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight needs one number for each row, but one of them is no number: {error}"
        ) from None
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar: one number for each row.")
    if len(weight) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected ({n_rows},): it needs one number for each row."
        )
    check_weights(weight)
    return weight


def check_weights(weight: FloatArray) -> None:
    """Refuse weights that are no weights."""
    if not np.isfinite(weight).all():
        row = np.flatnonzero(~np.isfinite(weight))[0]
        raise ValueError(f"sample_weight is NaN or infinite in row {row}: use 0 to leave a row out.")
    if (weight < 0).any():
        raise ValueError(f"sample_weight is negative in row {np.flatnonzero(weight < 0)[0]}: use 0 to leave a row out.")


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return the weight that each row is counted with, whatever its class.

    >>> read_weights([1, 2, 0.5], 3)
    array([1. , 2. , 0.5])
    """
    weight = given_weights(sample_weight, n_rows)
    return weight if sample_weight is None else weigh_classes(weight, np.zeros(1), np.zeros(n_rows, dtype=np.int32))


def weigh_classes(weight: FloatArray, classes: NDArray[Any], y: ClassArray, class_weight: Any = None) -> FloatArray:
    """Return the weight that each row is counted with, when these are all of the rows."""
    return weighting_of(totals_of(weight, classes, y), class_weight)(weight, classes, y)
