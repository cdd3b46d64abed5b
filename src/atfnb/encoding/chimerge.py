"""ChiMerge: cut a numeric attribute where the classes change (Kerber 1992)."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from atfnb._pieces import BLOCK, SPAN, on_all_cores, row_blocks
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray
from atfnb.tables import numbers_of, read_again, read_table, read_target

FEW_CUTS = 4
FEW_CLASSES = 8
FEW_VALUES = SPAN // 16
"""Up to so many distinct values it is faster to add up tables than to sort all rows."""

MaxBins = Literal["n_classes"] | int | None


def chimerge(table: FloatArray, max_bins: int | None, significance: float | None = None) -> IntArray:
    """Merge the rows of a (value × class) table into intervals; give the first value of each.

    Parameters
    ----------
    table : (values, classes) array
        How often each value, in sorted order, occurs with each class; weights will do.
    max_bins : int or None
        Merge until at most so many intervals are left.
    significance : float or None
        Merge also while the classes of some neighbours do not differ at this level.

    Examples
    --------
    >>> chimerge(np.array([[5.0, 0.0], [4.0, 0.0], [0.0, 3.0]]), max_bins=2)
    array([0, 2])
    """
    from atfnb._kernels.encoding import merge_intervals

    table = np.asarray(table, dtype=np.float64)
    scale = 2.0 ** np.floor(np.log2(table.sum()))  # keeps the products of weights within reach, and changes no digit
    threshold = -1.0 if significance is None else float(chi2.isf(significance, df=table.shape[1] - 1)) / scale
    return merge_intervals(table / scale, len(table) if max_bins is None else max_bins, threshold)


def value_class_table(
    values: FloatArray, y: ClassArray, weight: FloatArray, n_classes: int
) -> tuple[FloatArray, FloatArray]:
    """Sorted distinct values, and how often each occurs with each class: (values, classes).

    Many rows are sorted a span at a time, which stays in the cache, as long as their distinct values are few.
    """
    found = _sorted_out(values[:SPAN], y[:SPAN], weight[:SPAN], n_classes)
    for rows in row_blocks(len(values), SPAN, first=SPAN):
        if len(found[0]) > FEW_VALUES:
            return _sorted_out(values, y, weight, n_classes)
        found = add_tables(found, _sorted_out(values[rows], y[rows], weight[rows], n_classes))
    return found


def _sorted_out(values: FloatArray, y: ClassArray, weight: FloatArray, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """The same, at once.

    Where all rows weigh the same and the classes are few, the numbers of each class are sorted by themselves: that is
    faster than to sort which row comes first, and then to look for its class and weight.
    """
    from atfnb._kernels import encoding as kernels

    distinct, table = np.empty(len(values)), np.zeros((len(values), n_classes))
    if n_classes <= FEW_CLASSES and len(values) and (weight == weight[0]).all():
        in_order = np.concatenate([np.sort(values[y == c]) for c in range(n_classes)])
        ends = np.cumsum([0, *np.bincount(y, minlength=n_classes)])
        n = kernels.merge_classes(in_order, ends, float(weight[0]), distinct, table)
    else:
        n = kernels.tabulate(np.argsort(values), values, y, np.ascontiguousarray(weight), distinct, table)
    return distinct[:n], table[:n]


def add_tables(
    one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """The distinct values of two tables, and what both count.

    >>> add_tables((np.array([1.0, 3.0]), np.array([[5.0], [6.0]])), (np.array([2.0, 3.0]), np.array([[1.0], [1.0]])))
    (array([1., 2., 3.]), array([[5.],
           [1.],
           [7.]]))
    """
    distinct = np.union1d(one[0], other[0])
    table = np.zeros((len(distinct), one[1].shape[1]))
    for values, counts in (one, other):
        table[np.searchsorted(distinct, values)] += counts
    return distinct, table


def cut_points(distinct: FloatArray, starts: IntArray) -> FloatArray:
    """The cuts between intervals that begin at ``distinct[starts]``: halfway to the value before."""
    below, above = distinct[starts[1:] - 1], distinct[starts[1:]]
    halfway = below / 2 + above / 2
    return np.where(halfway > below, halfway, above)  # two neighbouring floats have nothing between them


def place_among(cuts: FloatArray, values: NDArray[Any]) -> IntArray:
    """The number of cuts that do not exceed each value; a few cuts are compared one by one."""
    if len(cuts) > FEW_CUTS:
        return np.searchsorted(cuts, values.astype(np.float64), side="right")
    places = np.zeros(len(values), dtype=np.int64)
    for cut in cuts:
        places += values >= cut
    return places


def resolve_max_bins(max_bins: MaxBins, n_classes: int) -> int:
    """Return ``max_bins`` as a number; "n_classes" is as many bins as classes, as in the paper."""
    number = check_max_bins(max_bins)
    return max(n_classes, 2) if number is None else number


def check_max_bins(max_bins: Any) -> int | None:
    """Return a number of intervals, or None for "n_classes"; raise a ValueError for anything else."""
    if isinstance(max_bins, str) and max_bins == "n_classes":
        return None
    if isinstance(max_bins, bool) or not isinstance(max_bins, (int, np.integer)) or max_bins < 2:
        raise ValueError(f"max_bins must be 'n_classes' or a whole number of at least 2, not {max_bins!r}.")
    return int(max_bins)


class ChiMerge(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numeric attributes into intervals that the classes tell apart.

    Each distinct value starts as an interval of its own. The two neighbours whose classes differ least, by
    χ², become one, the leftmost of equals first, until at most ``max_bins`` are left. An attribute with no
    more distinct values than that keeps them.

    Parameters
    ----------
    max_bins : "n_classes", int or None, default="n_classes"
        How many intervals may be left: as many as there are classes, a number, or any (with ``significance``).
    significance : float or None, default=None
        Go on merging while the classes of some neighbours do not differ at this level.

    Attributes
    ----------
    cuts_ : list of arrays
        Sorted cut points of each attribute; the code of a value is the number of cuts that do not exceed it.

    References
    ----------
    Kerber, R. (1992). ChiMerge: discretization of numeric attributes. AAAI, 123-128.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ChiMerge().fit(X, y).cuts_[2]
    array([2.45, 4.75])
    """

    def __init__(self, *, max_bins: MaxBins = "n_classes", significance: float | None = None) -> None:
        self.max_bins = max_bins
        self.significance = significance

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ChiMerge:
        """Find the cuts of each attribute."""
        if self.significance is not None and not (isinstance(self.significance, Real) and 0 < self.significance < 1):
            raise ValueError(f"significance must be a number between 0 and 1, not {self.significance!r}.")
        numbers = numbers_of(read_table(X))
        target = read_target(y, sample_weight, len(numbers))
        if target.counting is not None:
            numbers = numbers[target.counting]
        n_classes = len(target.classes)
        free = self.max_bins is None and self.significance is not None
        max_bins = None if free else resolve_max_bins(self.max_bins, n_classes)

        def cuts(values: FloatArray) -> FloatArray:
            distinct, table = value_class_table(np.ascontiguousarray(values), target.y, target.weight, n_classes)
            return cut_points(distinct, chimerge(table, max_bins, self.significance))

        self.cuts_ = list(on_all_cores(cuts, list(numbers.T), worth=len(numbers) > BLOCK, small=True))
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any) -> CodeArray:
        """Replace each value by the code of its interval, counted from 0."""
        check_is_fitted(self)
        numbers = numbers_of(read_again(self, X))
        dtype = np.min_scalar_type(max(len(cuts) for cuts in self.cuts_))
        codes = [place_among(cuts, column) for cuts, column in zip(self.cuts_, numbers.T, strict=True)]
        return np.column_stack(codes).astype(dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags
