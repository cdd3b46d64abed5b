"""Labelled rows: the class of each row of a table and its weight, checked.

Weights that can be numbers of rows are used as they are: an integer weight is a repetition. Weights that add up to less
than two rows or to more than 2⁴⁰ cannot be: only their ratios count, and they are scaled to a mean of 1. All weights
are put on a grid on which sums are exact, so that any order of rows and any parts give the same result.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from atfnb._errors import AdvisedError, Setting
from atfnb._pieces import SPAN, row_blocks
from atfnb._typing import BoolArray, ClassArray, FloatArray, IntArray
from atfnb.tables.columns import Table, is_missing, join_columns
from atfnb.tables.groups import given_groups

# --- Classes ---------------------------------------------------------------------------------------

_RANGE = 1 << 16
"""Whole numbers within a range of this size are looked up in a table, not sorted."""
_WEIGHT = Setting("sample_weight")


@dataclass(frozen=True)
class LabelledRows:
    """Rows of a table with their classes and weights: all rows of a table in memory, or some of a table in parts."""

    table: Table
    """The columns."""
    classes: NDArray[Any]
    """The classes that occur in these rows, sorted."""
    y: ClassArray
    """(rows,) the position of each row's class among them."""
    weight: FloatArray
    """(rows,) the weight that each row is counted with."""
    part: str = "the table"
    """Where the rows are from, for messages."""
    unlabelled: int = 0
    """The number of rows without a class, which were left out."""
    groups: NDArray[np.uint64] | None = None
    """(rows,) a number for the group of each row, where rows have groups."""

    def take(self, rows: BoolArray, weight: FloatArray) -> LabelledRows:
        """Return the rows that are True in a mask, with other weights; both arrays are (rows,) of all rows."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, table=self.table.take(rows), y=self.y[rows], weight=weight[rows], groups=groups)

    def counting(self) -> LabelledRows:
        """Return the rows whose weight is above 0, and the classes that these have."""
        if self.weight.all():
            return self
        left = self.take(self.weight > 0, self.weight)
        present, again = np.unique(left.y, return_inverse=True)
        return replace(left, classes=self.classes[present], y=again.astype(np.int32))

    def among(self, classes: NDArray[Any]) -> LabelledRows:
        """Return the rows with all classes that may occur, which are sorted."""
        return replace(self, classes=classes, y=np.searchsorted(classes, self.classes).astype(np.int32)[self.y])


def label_rows(
    table: Table,
    y: Any,
    sample_weight: Any = None,
    class_weight: Any = None,
    classes: Any = None,
    groups: Any = None,
) -> LabelledRows:
    """Return the rows of a table in memory with their classes and weights; rows of weight 0 are left out.

    ``class_weight`` multiplies the weights of each class: None, "balanced" or a dict of class to weight. ``classes``
    lists all classes that may occur: those without rows are classes too, and others are refused. ``groups`` has the
    group of each row, for classifiers that hold out rows of their own.

    >>> from atfnb.tables import read_table
    >>> label_rows(read_table([[1.0], [2.0], [3.0]]), ["no", "yes", "maybe"], [1, 2, 0]).classes
    array(['no', 'yes'], dtype='<U5')
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None: give the class of each row.")
    found, codes = encode_labels(y)
    weight = _weights(sample_weight, table, codes)
    if sample_weight is not None or class_weight is not None:
        weight = weighting_of(totals_of(weight, found, codes), class_weight)(weight, found, codes)
    keys = None if groups is None else given_groups(groups, len(codes))
    rows = LabelledRows(table, found, codes, weight, groups=keys).counting()
    if classes is not None:
        rows = rows.among(check_classes(classes, rows.classes))
    if len(rows.classes) < 2:
        only = f" holds one class only, {rows.classes[0].item()!r}: a classifier needs at least two."
        raise AdvisedError(Setting("y"), only)
    return rows


def label_more_rows(
    table: Table, y: Any, sample_weight: Any, known: NDArray[Any], before: float, class_weight: Any = None
) -> LabelledRows:
    """Return rows that are added to others, with their classes and weights; rows of weight 0 are left out.

    Weights are numbers of rows, and are never scaled: they must mean the same in all rows.

    Parameters
    ----------
    table, y, sample_weight
        As in :func:`label_rows`.
    known : array
        The classes of the other rows, sorted. Those of the result are these and the new ones.
    before : float
        The weight of the other rows together.
    class_weight : dict or None
        The factor of each class; "balanced" depends on all rows, and is refused.

    Examples
    --------
    >>> from atfnb.tables import read_table
    >>> table, known = read_table([[1.0], [2.0]]), np.array(["no", "yes"])
    >>> more = label_more_rows(table, ["no", "maybe"], [2, 0.5], known, before=10.0)
    >>> more.classes, more.y, more.weight
    (array(['maybe', 'no', 'yes'], dtype='<U5'), array([1, 0], dtype=int32), array([2. , 0.5]))
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that few rows may well have as many classes
        found, codes = encode_labels(y)
    rows = LabelledRows(table, found, codes, _weights(sample_weight, table, codes)).among(_together(known, found))
    if sample_weight is not None or class_weight is not None:
        factors = _class_factors(dict.fromkeys(rows.classes.tolist()), class_weight)
        rows = replace(rows, weight=_on_grid(rows, factors, before)).counting()
    return rows.among(_together(known, rows.classes))


def join_rows(parts: Sequence[LabelledRows], classes: NDArray[Any]) -> LabelledRows:
    """Return the rows of parts with the same columns, one part after the other; ``classes`` are those of all parts."""
    if len(parts) == 1:
        return parts[0]
    again = [rows.among(classes) for rows in parts]
    columns = zip(*(rows.table.columns for rows in again), strict=True)
    y, weight = (np.concatenate([getattr(rows, name) for rows in again]) for name in ("y", "weight"))
    return LabelledRows(Table(tuple(map(join_columns, columns))), classes, y, weight)


def _weights(sample_weight: Any, table: Table, y: ClassArray) -> FloatArray:
    """Return the weights that the user gives to the rows of a table, checked; refuse another number of classes."""
    if len(y) != table.n_rows:
        raise ValueError(f"X has {table.n_rows} rows and y has {len(y)}: inconsistent numbers of samples.")
    return given_weights(sample_weight, table.n_rows)


def _on_grid(rows: LabelledRows, factors: Mapping[Any, Fraction], before: float) -> FloatArray:
    """Return the weights of rows that are added to others, times those of their classes, as multiples of one step."""
    added = totals_of(rows.weight, rows.classes, rows.y)
    total = Fraction(before) + sum((factors[c] * total.weight for c, total in added.items()), Fraction(0))
    if not total <= MOST_ROWS:
        much = f" adds up to more than {MOST_ROWS}, with the rows before: give smaller weights."
        raise AdvisedError(_WEIGHT, much)
    step = 2.0 ** (math.floor(math.log2(total)) + 1 - 52)
    scaled = {c: _with_power(factor) for c, factor in factors.items()}
    return Weighting(scaled, step)(rows.weight, rows.classes, rows.y)


def _together(known: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return the known and the new classes together, sorted; refuse text beside numbers."""
    if len({each.dtype.kind if each.dtype.kind in "bU" else "number" for each in (known, classes)}) > 1:
        raise ValueError(
            f"the classes of the model are like {known[0].item()!r}, and those of the rows like {classes[0].item()!r}: "
            "make them the same type."
        )
    if known.dtype.kind != "U" and np.array_equal(classes.astype(known.dtype), classes):
        classes = classes.astype(known.dtype)  # such as 1.0 where the classes are 1 and 2
    return np.union1d(known, classes)


def check_classes(also: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the classes that may occur with those that do, sorted; refuse one that occurs and is not among them.

    >>> check_classes(["no", "yes", "maybe"], np.array(["no", "yes"]))
    array(['maybe', 'no', 'yes'], dtype='<U5')
    """
    allowed = np.unique(column_or_1d(also))
    allowed = _as_one_type(allowed) if allowed.dtype == object else allowed
    both = _together(allowed, classes)
    if len(both) > len(allowed):
        odd = np.setdiff1d(both, allowed)[0].item()
        raise ValueError(f"y holds the class {odd!r}, which is not one of those given as classes: add it there.")
    return both


def encode_labels(y: Any) -> tuple[NDArray[Any], ClassArray]:
    """Return the sorted classes, and the position of each row's class among them.

    >>> encode_labels(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    series = y if isinstance(y, np.ndarray) else nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype in (nw.Int128, nw.UInt128):  # of which NumPy has no type
        y = np.array(series.to_list())
    labels = column_or_1d(y, warn=True)
    if labels.dtype == object and (words := _encode_words(labels)) is not None:
        return words
    classes, codes = distinct_numbers(labels if _within_range(labels) else _usable(labels))
    return classes, codes.astype(np.int32)


def _usable(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels that are no whole numbers in a small range as an array of one type; refuse what is no class."""
    missing = np.flatnonzero(is_missing(labels))
    if len(missing):
        where = f" is missing (NaN or None) in row {missing[0]}: leave out the rows without a class."
        raise AdvisedError(Setting("y"), where)
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        raise ValueError(
            f"Input y contains infinity, in row {np.flatnonzero(~np.isfinite(labels))[0]}: name the class."
        )
    if labels.dtype == object:
        labels = _as_one_type(labels)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y holds complex numbers, but a class is a name or a number.")
    check_classification_targets(labels)
    return labels


def distinct_numbers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    """Return the sorted different values of an array, and the position of each value among them.

    >>> distinct_numbers(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1], dtype=int32))
    """
    if not _within_range(values):
        return np.unique(values, return_inverse=True)
    steps = (values - values.min()).astype(f"u{values.itemsize}")  # int8 has no room for 120 − (−120)
    present = np.bincount(steps.astype(np.intp)) > 0
    position = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(present).astype(values.dtype) + values.min(), position[steps]


def _within_range(values: NDArray[Any]) -> bool:
    """Return whether an array holds whole numbers within a range that a table can have."""
    return values.dtype.kind in "iu" and len(values) > 0 and int(values.max()) - int(values.min()) < _RANGE


def _encode_words(labels: NDArray[Any]) -> tuple[NDArray[Any], ClassArray] | None:
    """Return the classes and codes of labels that are all text and mostly repeated, or None for others."""
    cells = labels.tolist()
    if set(map(type, cells)) != {str}:
        return None
    position = {word: n for n, word in enumerate(dict.fromkeys(cells))}
    if 2 * len(position) > len(cells):  # scikit-learn may warn of that many classes
        return None
    classes, code = np.unique(np.array(list(position), dtype=str), return_inverse=True)
    codes = np.fromiter(map(position.__getitem__, cells), dtype=np.int32, count=len(cells))
    return classes, code.astype(np.int32)[codes]


def _as_one_type(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels that are all text, all numbers or all booleans as an array of that type."""
    kinds: list[tuple[Any, Any]] = [(str, str), ((bool, np.bool_), bool), (Real, None)]
    for kind, dtype in kinds:
        if all(isinstance(label, kind) for label in labels):
            return np.array(labels.tolist(), dtype=dtype)
    odd = next(
        i for i, label in enumerate(labels) if not isinstance(label, (str, Real)) or type(label) is not type(labels[0])
    )
    raise ValueError(
        f"Unknown label type: y holds {labels[0]!r} and, in row {odd}, {labels[odd]!r}; "
        "make the classes all text or all numbers."
    )


# --- Weights ---------------------------------------------------------------------------------------

FEWEST_ROWS = 2
"""Two classes have at least two rows, so weights that add up to less are not numbers of rows."""
MOST_ROWS = 1 << 40
"""Weights that add up to more are not numbers of rows either, and their moments could not be added up exactly."""
WIDEST = 10**12
"""The largest weight may be at most this many times the smallest above 0."""


@dataclass(frozen=True)
class Total:
    """The number of rows of a class with a weight above 0, and the sum, minimum and maximum of their weights."""

    rows: int
    weight: Fraction
    smallest: float
    largest: float

    def __add__(self, other: Total) -> Total:
        ends = min(self.smallest, other.smallest), max(self.largest, other.largest)
        return Total(self.rows + other.rows, self.weight + other.weight, *ends)


class ClassTotals(dict[Any, Total]):
    """The :class:`Total` of each class; totals of parts add up exactly to those of the whole, in any order."""

    def __add__(self, other: ClassTotals) -> ClassTotals:
        return ClassTotals(self | {c: self[c] + total if c in self else total for c, total in other.items()})


@dataclass(frozen=True)
class Weighting:
    """A function from the weights that the user gives to rows to those that the rows are counted with."""

    factors: dict[Any, tuple[float, int]]
    """The factor for the weights of each class, as a number near 1 and a power of two."""
    step: float
    """Weights are multiples of this power of two, about 2⁻⁵² of the total, so that no sum of them ever rounds."""

    def __call__(self, weight: FloatArray, classes: NDArray[Any], y: ClassArray) -> FloatArray:
        """Return the weight that each row is counted with; ``y`` is the position of its class among ``classes``."""
        factor, power = zip(*(self.factors.get(c, (0.0, 0)) for c in classes.tolist()), strict=True)
        weight = np.ldexp(weight, np.array(power, dtype=np.int32)[y]) * np.array(factor)[y]
        return np.where(weight > 0, np.maximum(np.round(weight / self.step), 1.0) * self.step, 0.0)


def weighting_of(totals: ClassTotals, class_weight: Any = None) -> Weighting:
    """Return the weighting of the rows of a table, from the totals of its classes.

    >>> totals = totals_of(np.full(4, 0.1), np.array(["no", "yes"]), np.array([0, 0, 0, 1], dtype=np.int32))
    >>> weighting_of(totals, {"yes": 3.0})(np.full(2, 0.1), np.array(["no", "yes"]), np.array([0, 1])).round(2)
    array([0.67, 2.  ])
    """
    if not totals:
        raise AdvisedError(_WEIGHT, " is zero for every row, or there are no rows: at least one row must count.")
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
    scale = Fraction(1) if FEWEST_ROWS <= weight <= MOST_ROWS else rows / weight
    # totals that differ by rounding only, as those of balanced classes do, get the same step
    step = 2.0 ** (math.floor(math.log2(weight * scale) + 2.0**-20) + 1 - 52)
    return Weighting({c: _with_power(factor * scale) for c, factor in factors.items()}, step)


def _with_power(number: Fraction) -> tuple[float, int]:
    """Return a number of any size as a number near 1 and a power of two."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    return float(number / Fraction(2) ** power), power


def _class_factors(totals: Mapping[Any, Any], class_weight: Any) -> dict[Any, Fraction]:
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
            "check its spelling."
        )
    factors = {c: class_weight.get(c, 1.0) for c in totals}
    for name, factor in factors.items():
        if not (isinstance(factor, Real) and 0 <= float(factor) < math.inf):
            raise ValueError(f"class_weight of class {name!r} must be a number from 0 on, not {factor!r}.")
    return {c: Fraction(float(factor)) for c, factor in factors.items()}


def totals_of(weight: FloatArray, classes: NDArray[Any], y: ClassArray) -> ClassTotals:
    """Return the total of each class; ``y`` is the position of each row's class among ``classes``."""
    rows = np.bincount(y[weight > 0], minlength=len(classes))
    smallest, largest = np.full(len(classes), np.inf), np.zeros(len(classes))
    np.minimum.at(smallest, y, np.where(weight > 0, weight, np.inf))
    np.maximum.at(largest, y, weight)
    sums = _exact_sums(weight, y, len(classes))
    each = zip(classes.tolist(), rows.tolist(), sums, smallest.tolist(), largest.tolist(), strict=True)
    return ClassTotals({c: Total(*total) for c, *total in each if total[0]})


def add_totals(into: ClassTotals, rows: LabelledRows) -> ClassTotals:
    """Return the totals of the classes with those of some more rows."""
    return into + totals_of(rows.weight, rows.classes, rows.y)


def _exact_sums(weight: FloatArray, y: ClassArray, n_classes: int) -> list[Fraction]:
    """Return the exact sum of the weights of each class: mantissas of one power of two are added as two integers."""
    sums = [Fraction(0)] * n_classes
    for block in row_blocks(len(weight), SPAN):
        mantissa, power = np.frexp(weight[block])
        whole, powers = np.ldexp(mantissa, 53).astype(np.int64), np.unique(power)
        key: IntArray = np.searchsorted(powers, power) * n_classes + y[block]
        halves = [np.bincount(key, half, len(powers) * n_classes) for half in (whole >> 27, whole & (1 << 27) - 1)]
        for cell in np.flatnonzero(halves[0]).tolist():
            exact = (int(halves[0][cell]) << 27) + int(halves[1][cell])
            sums[cell % n_classes] += exact * Fraction(2) ** (int(powers[cell // n_classes]) - 53)
    return sums


def given_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return the weights that the user gives, checked, (rows,); 1 for every row if there are none."""
    if sample_weight is None:
        return np.broadcast_to(1.0, n_rows)  # takes no memory
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight needs one number for each row, but one of them is not a number: {error}"
        ) from None
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected ({n_rows},): Sample weights must be 1D array or scalar, "
            "one number for each row."
        )
    for fault, odd in (("NaN or infinite", ~np.isfinite(weight)), ("negative", weight < 0)):
        if odd.any():
            raise AdvisedError(_WEIGHT, f" is {fault} in row {np.argmax(odd)}: use 0 to leave a row out.")
    return weight


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """Return the weight that each row is counted with, (rows,), if classes have no weights of their own.

    >>> read_weights([1, 2, 0.5], 3)
    array([1. , 2. , 0.5])
    """
    weight = given_weights(sample_weight, n_rows)
    if sample_weight is None:
        return weight
    one_class = np.zeros(1), np.zeros(n_rows, dtype=np.int32)
    return weighting_of(totals_of(weight, *one_class))(weight, *one_class)
