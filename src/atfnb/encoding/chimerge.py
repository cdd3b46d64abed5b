"""ChiMerge: cut a number where the classes change (Kerber 1992)."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.stats import chi2
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.encoding.quantiles import MAX_DISTINCT, add_tables, check_max_distinct, halfway, interval_codes
from atfnb.encoding.survey import ColumnSurvey, survey_column
from atfnb.tables import Column, Cuts, Knowledge, Table, check_cuts, holds_dates, label_rows, read_again, read_table

MaxBins = Literal["n_classes"] | int | None


def chimerge(table: FloatArray, max_bins: int | None, significance: float | None = None) -> IntArray:
    """Merge the values of a (value × class) table into intervals; return the position of the first value of each.

    Parameters
    ----------
    table : (values, classes) array
        The number of rows, or their weight, with each value and each class; the values are in increasing order.
    max_bins : int or None
        Merge until at most this many intervals are left.
    significance : float or None
        Merge further while the classes of some neighbours do not differ at this level of significance.

    Returns
    -------
    starts : (intervals,) array of int

    Examples
    --------
    >>> chimerge(np.array([[5.0, 0.0], [4.0, 0.0], [0.0, 3.0]]), max_bins=2)
    array([0, 2])
    """
    from atfnb._kernels.encoding import merge_intervals

    table = np.asarray(table, dtype=np.float64)
    scale = 2.0 ** np.floor(np.log2(table.sum()))  # products of weights must not overflow; a power of 2 rounds nothing
    threshold = -1.0 if significance is None else float(chi2.isf(significance, df=table.shape[1] - 1)) / scale
    return merge_intervals(table / scale, len(table) if max_bins is None else min(max_bins, len(table)), threshold)


def cuts_of(
    column: ColumnSurvey, max_bins: int | None, significance: float | None = None, *, impute: bool = False
) -> FloatArray:
    """Return the cuts of a number where its classes change: (cuts,).

    Parameters
    ----------
    column : ColumnSurvey
        The classes of its distinct values, or of groups of neighbouring values.
    max_bins, significance
        As for :func:`chimerge`.
    impute : bool, default=False
        Whether rows without a value count at the mean.
    """
    over = column.distribution
    between, table = over.between, column.table
    mean = np.array([over.mean])
    if impute and column.groups is not None:
        table = table.copy()
        table[interval_codes(between, mean)] += column.missing
    elif impute and column.missing.any():  # the mean becomes one more value, if it is none yet
        distinct, table = add_tables((column.values, table), (mean, column.missing[None]))
        between = halfway(distinct[:-1], distinct[1:])
    filled = np.flatnonzero(table.sum(axis=1))  # edges of a sketch may have no rows between them
    starts = filled[chimerge(table[filled], max_bins, significance)]
    return between[starts[1:] - 1]


def resolve_max_bins(max_bins: MaxBins, n_classes: int) -> int:
    """Return ``max_bins`` as a number: for "n_classes" the number of classes, as in the paper, from 2 to 32.

    With thousands of classes, as many intervals would make tables of gigabytes, with a row or two for each interval.

    >>> resolve_max_bins("n_classes", 3), resolve_max_bins("n_classes", 4000), resolve_max_bins(1000, 4000)
    (3, 32, 1000)
    """
    number = check_max_bins(max_bins)
    return min(max(n_classes, 2), 32) if number is None else number


def check_max_bins(max_bins: Any) -> int | None:
    """Return a number of intervals, or None for "n_classes"; raise a ValueError for anything else."""
    if isinstance(max_bins, str) and max_bins == "n_classes":
        return None
    if isinstance(max_bins, bool) or not isinstance(max_bins, (int, np.integer)) or max_bins < 2:
        raise ValueError(f"max_bins must be 'n_classes' or a whole number of at least 2, not {max_bins!r}.")
    return int(max_bins)


class ChiMerge(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numbers into intervals that differ in their classes.

    Each distinct value starts as an interval of its own. The two neighbours whose classes differ least, by χ², become
    one, the leftmost of equals first, until at most ``max_bins`` are left. An attribute with no more distinct values
    than that keeps them.

    Parameters
    ----------
    max_bins : "n_classes", int or None, default="n_classes"
        The largest number of intervals: the number of classes (up to 32), a given number, or without a limit (None,
        with ``significance``).
    significance : float or None, default=None
        Merge further while the classes of some neighbours do not differ at this level of significance.
    max_distinct : int or None, default=20000
        An attribute with more distinct values than this starts from some 2,000 groups of neighbouring values, with
        about the same number of rows in each, which takes a fraction of the time. None always starts from the distinct
        values.
    cuts : dict or None, default=None
        The cuts of some columns, by name or by position: these and no others. A value equal to a cut lies above it.

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

    def __init__(
        self,
        *,
        max_bins: MaxBins = "n_classes",
        significance: float | None = None,
        max_distinct: int | None = MAX_DISTINCT,
        cuts: Cuts = None,
    ) -> None:
        self.max_bins = max_bins
        self.significance = significance
        self.max_distinct = max_distinct
        self.cuts = cuts

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ChiMerge:
        """Find the cuts of each attribute, and return self.

        Parameters
        ----------
        X : data frame or array-like of shape (rows, columns)
            Numbers, without missing values.
        y : array-like of shape (rows,)
            The class of each row.
        sample_weight : array-like of shape (rows,), optional
            How much each row counts.

        Returns
        -------
        self
        """
        if self.significance is not None and not (isinstance(self.significance, Real) and 0 < self.significance < 1):
            raise ValueError(f"significance must be a number between 0 and 1, not {self.significance!r}.")
        check_max_distinct(self.max_distinct)
        check_cuts("cuts", self.cuts)
        read = read_table(X)
        read = Knowledge.of([column.name for column in read.columns], self.cuts).told(read)
        rows = label_rows(read, y, sample_weight)
        columns = _numbers_of(rows.table)
        free = self.max_bins is None and self.significance is not None
        max_bins = None if free else resolve_max_bins(self.max_bins, len(rows.classes))

        def cuts(column: Column) -> FloatArray:
            if column.cuts is not None:
                return column.cuts
            return cuts_of(survey_column(column, rows, self.max_distinct, all_rows=True), max_bins, self.significance)

        self.cuts_ = list(on_all_cores(cuts, columns, worth=len(rows.y) > BLOCK, small=True))
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X: Any) -> CodeArray:
        """Return the code of the interval of each value, counted from 0: (rows, columns)."""
        check_is_fitted(self)
        columns = _numbers_of(read_again(self, X))
        dtype = np.min_scalar_type(max(len(cuts) for cuts in self.cuts_))
        codes = [interval_codes(cuts, column.values) for cuts, column in zip(self.cuts_, columns, strict=True)]
        return np.column_stack(codes).astype(dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _numbers_of(table: Table) -> list[Column]:
    """Return the columns of a table as floats, none of them categories; refuse text and missing values."""
    for column in table.columns:
        if not column.is_complete:
            row = np.flatnonzero(column.missing)[0]
            raise ValueError(f"column {column.name!r} is missing (NaN) in row {row}: ChiMerge takes complete columns.")
        if not column.is_number:
            held = "dates" if holds_dates(column) else "text"
            raise ValueError(f"column {column.name!r} holds {held}: ChiMerge takes numbers.")
    return [replace(each, values=each.values.astype(np.float64), categorical=False) for each in table.columns]
