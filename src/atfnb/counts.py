"""What is counted of training rows: additive contingency tables.

The counts of parts of the rows add up to those of the whole, in any order. Smoothing never enters the counts;
probabilities and indexes are derived from the sums.
"""

from __future__ import annotations

import warnings
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import polygamma

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray

Need = Literal["pairs", "moments", "fingerprint"]
"""What can be counted beside the values of each class.

- "pairs": value × value tables;
- "moments": cross-moments of the codes;
- "fingerprint": a hash of all rows, and the number of rows of each class and of each value.
"""
Fingerprint = NDArray[np.uint64]
"""(1,) a hash of rows and their classes."""


@dataclass(frozen=True)
class Counts:
    """The weight of the training rows with each class, and with each value and class.

    The cells of all attributes stand one below the other: those of attribute j begin at ``offsets[j]``, one for each of
    its values and one, the last, for "unknown".

    Examples
    --------
    >>> codes = np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8)
    >>> y = np.array([0, 1, 1], dtype=np.int32)
    >>> counts = count(codes, y, np.ones(3), n_values=np.array([2, 2]), n_classes=2)
    >>> counts.of_attribute(0)
    array([[1., 0.],
           [0., 2.]])
    >>> (counts + counts).classes
    array([2., 4.])
    """

    n_values: IntArray
    """(attributes,) the number of values of each, without "unknown"."""
    classes: FloatArray
    """(classes,) the weight of the rows of each class."""
    values: FloatArray
    """(cells, classes) the weight of the rows with each value and each class."""
    pairs: FloatArray | None = None
    """(cells, cells) the weight of the rows with each two values of different attributes, if asked for."""
    moments: FloatArray | None = None
    """(4, attributes, attributes) Σw, Σw·x_i, Σw·x_i², Σw·x_i·x_j of the codes where both are known, if asked for."""
    fingerprint: Fingerprint | None = None
    """(1,) a hash by which equal rows and classes are recognised, in any order: see :func:`fingerprint_of`."""
    rows: IntArray | None = None
    """(classes,) the number of rows of each class, without weights; counted together with the fingerprint."""
    value_rows: FloatArray | None = None
    """(cells,) the number of rows with each value, without weights; counted together with the fingerprint."""

    @classmethod
    def empty(cls, n_values: IntArray, n_classes: int, needs: AbstractSet[Need] = frozenset()) -> Counts:
        """Return the counts of no rows, from which every sum starts."""
        cells, attributes = int(n_values.sum()) + len(n_values), len(n_values)
        return cls(
            n_values=n_values,
            classes=np.zeros(n_classes),
            values=np.zeros((cells, n_classes)),
            pairs=np.zeros((cells, cells)) if "pairs" in needs else None,
            moments=np.zeros((4, attributes, attributes)) if "moments" in needs else None,
            fingerprint=np.zeros(1, dtype=np.uint64) if "fingerprint" in needs else None,
            rows=np.zeros(n_classes, dtype=np.int64) if "fingerprint" in needs else None,
            value_rows=np.zeros(cells) if "fingerprint" in needs else None,
        )

    def __add__(self, other: Counts) -> Counts:
        if not np.array_equal(self.n_values, other.n_values) or self.classes.shape != other.classes.shape:
            raise ValueError("counts of different attributes or classes do not add up.")
        summed = {each.name: _sum(getattr(self, each.name), getattr(other, each.name)) for each in fields(self)[1:]}
        return Counts(self.n_values, **summed)

    def relaid(self, n_values: IntArray, cells: IntArray, n_classes: int, classes: IntArray) -> Counts:
        """Return the counts with further values and classes, of which no row has been counted.

        The fingerprint hashes the codes of the rows, and the moments are sums of codes: where a code is another one
        now, they cannot be known, and are None.

        Parameters
        ----------
        n_values : (attributes,) array of int
            The number of values of each attribute.
        cells : (cells,) array of int
            Where each cell is in the new counts.
        n_classes : int
        classes : (classes,) array of int
            Where each class is in the new counts.
        """
        offsets = np.concatenate([[0], np.cumsum(n_values + 1)])
        values, of = (int(offsets[-1]), cells), (n_classes, classes)
        further = np.repeat(offsets[:-1] - self.offsets[:-1], self.n_values + 1)  # (cells,)
        steady = cells - further == np.arange(len(cells))  # whether the code is the same
        steady |= ~self.values.any(axis=1)  # a cell without rows
        as_before = bool(steady.all()) and np.array_equal(classes, np.arange(len(classes)))
        return Counts(
            n_values,
            _placed(self.classes, of),
            _placed(self.values, values, of),
            _placed(self.pairs, values, values),
            self.moments if steady[self.known].all() else None,
            self.fingerprint if as_before else None,
            _placed(self.rows, of),
            _placed(self.value_rows, values),
        )

    @property
    def weighted(self) -> bool:
        """Whether the rows are known to have weights other than 1."""
        return self.rows is not None and not (
            np.array_equal(self.rows, self.classes) and np.array_equal(self.rows_of_values, self.values.sum(axis=1))
        )

    @cached_property
    def rows_of_values(self) -> FloatArray:
        """(cells,) the number of rows with each value, without weights.

        A file of version 0.2.0 or older keeps weights only: it is exact then if all rows of a class have one weight.
        """
        if self.value_rows is not None:
            return self.value_rows
        rows = self.classes if self.rows is None else self.rows
        share = np.divide(rows, self.classes, out=np.zeros(len(rows)), where=self.classes > 0)
        return np.asarray(self.values @ share)

    @cached_property
    def unit(self) -> float:
        """A power of two whose multiples add up over the rows without rounding, if each is at most its row's weight.

        Such sums are the same to the bit in any order of the rows, and in any parts.
        """
        return float(2.0 ** (np.ceil(np.log2(max(self.classes.sum(), 1e-300))) - 52))

    @cached_property
    def offsets(self) -> IntArray:
        """(attributes + 1,) where the cells of each attribute begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.n_values + 1)])

    @cached_property
    def used(self) -> BoolArray:
        """(attributes,) whether an attribute has values; the others are unknown in every row, and have no effect."""
        return np.asarray(self.n_values > 0)

    @cached_property
    def known(self) -> BoolArray:
        """(cells,) whether a cell stands for a value, not for "unknown"."""
        known = np.ones(len(self.values), dtype=bool)
        known[self.offsets[1:] - 1] = False
        return known

    def of_attribute(self, attribute: int) -> FloatArray:
        """Return the counts of one attribute, without "unknown": (values, classes)."""
        start = self.offsets[attribute]
        return self.values[start : start + self.n_values[attribute]]

    def cells_of(self, attributes: IntArray) -> IntArray:
        """Return the cells of some attributes, those of one after those of the other."""
        return np.flatnonzero(np.isin(np.repeat(np.arange(len(self.n_values)), self.n_values + 1), attributes))

    def of(self, attribute: int) -> FloatArray:
        """Return the counts of one attribute; deprecated for :meth:`of_attribute`."""
        warnings.warn("Counts.of is Counts.of_attribute now.", DeprecationWarning, stacklevel=2)
        return self.of_attribute(attribute)

    def per_cell(self, per_attribute: FloatArray) -> FloatArray:
        """Return what is given for each attribute, repeated for each of its cells: (cells, …)."""
        return np.repeat(per_attribute, self.n_values + 1, axis=0)

    def per_attribute(self, per_cell: FloatArray, axis: int = 0) -> FloatArray:
        """Return the sum over the cells of each attribute of what is given for each cell: (attributes, …)."""
        return np.add.reduceat(per_cell, self.offsets[:-1], axis=axis)


def _sum(one: NDArray[Any] | None, other: NDArray[Any] | None) -> Any:
    """Return the sum of two tables, or None if either was not counted."""
    return None if one is None or other is None else one + other


def _placed(table: NDArray[Any] | None, *axes: tuple[int, IntArray]) -> Any:
    """Return a longer table with zeros between the entries: for each axis, its length, and the entries' positions."""
    if table is None:
        return None
    longer = np.zeros([length for length, _ in axes], dtype=table.dtype)
    longer[np.ix_(*(positions for _, positions in axes))] = table
    return longer


def count(
    codes: CodeArray,
    y: ClassArray,
    weight: FloatArray,
    n_values: IntArray,
    n_classes: int,
    needs: AbstractSet[Need] = frozenset(),
) -> Counts:
    """Return the counts of coded rows in memory; ``needs`` says what to count beside the values of each class."""
    cells = int(n_values.sum()) + len(n_values)
    return count_pieces(CodedRows(codes, y, weight).in_blocks(cells), n_values, n_classes, needs)


def count_pieces(
    rows: Pieces[CodedRows], n_values: IntArray, n_classes: int, needs: AbstractSet[Need] = frozenset()
) -> Counts:
    """Return the counts of coded rows in pieces, in memory or in parts."""
    return rows.sum("counts", partial(Counts.empty, n_values, n_classes, frozenset(needs)), _fill)


def _fill(into: Counts, rows: CodedRows) -> Counts:
    """Return the counts with a piece of rows added to their tables, which are changed."""
    from atfnb._kernels import counts as kernels

    codes, w = np.ascontiguousarray(rows.codes), np.ascontiguousarray(rows.weight)
    used = codes if into.used.all() else np.ascontiguousarray(codes[:, into.used])
    into.classes[:] += np.bincount(rows.y, weights=w, minlength=len(into.classes))
    kernels.count_values(codes, rows.y, w, into.offsets, into.values)
    if into.pairs is not None:
        kernels.count_pairs(used, w, into.offsets[:-1][into.used], into.pairs)
    if into.moments is not None:
        kernels.cross_moments(codes, into.n_values, w, into.moments)
    if into.fingerprint is not None:
        into.fingerprint[:] += fingerprint_of(used, rows.y)
    if into.rows is not None:
        into.rows[:] += np.bincount(rows.y, minlength=len(into.rows))
    if into.value_rows is not None:
        kernels.count_values(codes, np.zeros_like(rows.y), np.ones_like(w), into.offsets, into.value_rows[:, None])
    return into


def fingerprint_of(codes: CodeArray, y: ClassArray) -> Fingerprint:
    """Return the sum, modulo 2⁶⁴, of a hash of each row's codes and class: (1,).

    The fingerprints of parts add up to that of the whole, in any order of the rows. Weights do not enter.

    >>> codes, y = np.array([[0, 1], [1, 1], [1, 0]], dtype=np.uint8), np.array([0, 1, 1], dtype=np.int32)
    >>> bool(fingerprint_of(codes, y) == fingerprint_of(codes[::-1], y[::-1]))
    True
    >>> bool(fingerprint_of(codes, y) == fingerprint_of(codes, y[::-1]))
    False
    """
    keys = y.astype(np.uint64) + np.uint64(1)
    for j in range(codes.shape[1]):
        keys *= np.uint64(0x9E3779B97F4A7C15)
        keys ^= codes[:, j]
    keys ^= keys >> np.uint64(30)
    keys *= np.uint64(0xBF58476D1CE4E5B9)  # the finaliser of SplitMix64: every bit depends on every other
    keys ^= keys >> np.uint64(27)
    keys *= np.uint64(0x94D049BB133111EB)
    keys ^= keys >> np.uint64(31)
    return np.atleast_1d(keys.sum(dtype=np.uint64))


def as_hex(fingerprint: Fingerprint) -> str:
    """Return a fingerprint as 16 hexadecimal digits."""
    return f"{int(fingerprint[0]):016x}"


def pair_bytes(n_values: IntArray) -> int:
    """Return the number of bytes of the table of pairs of values."""
    return 8 * int((n_values + 1).sum()) ** 2


# --- Probabilities from counts ------------------------------------------------------------------------


def log_prior(counts: Counts, alpha: float) -> FloatArray:
    """Return log P(c) = log (n_c + α) / (n + α·K), with K classes (Eq. 2): (classes,)."""
    smoothed = counts.classes + alpha
    return np.asarray(np.log(smoothed) - np.log(smoothed.sum()))


def log_likelihood(
    counts: Counts, alpha: float, missing: BoolArray | None = None, less: FloatArray | float = 0.0
) -> FloatArray:
    """Return log P(a|c) = log (n_ac + α) / (n_c + α·V), with V values of the attribute (Eq. 3): (cells, classes).

    n_c counts the rows in which the attribute is known. The cell of an unknown value is 0: it says nothing.

    Parameters
    ----------
    counts : Counts
    alpha : float
    missing : (cells,) array of bool, optional
        The cells that stand for a missing value. P(a|c) is then P(present|c) · P(a|present, c), and P(missing|c) is
        smoothed towards the share of all rows in which the attribute is missing, so that a missing value that is rare
        says nothing. Without this argument such a cell is a value like the others.
    less : (cells, classes) array, optional
        What to subtract from the count of each cell, and from the sums that it is part of.
    """
    present = (counts.known if missing is None else counts.known & ~missing)[:, None]
    smoothed, total = _smoothed(counts, alpha, present)
    own = np.where(present, less, 0.0)
    log_share = np.log(np.where(present, smoothed - own, total)) - np.log(total - own)
    return np.asarray(log_share if missing is None else log_share + _log_present(counts, alpha, missing, less))


def _smoothed(counts: Counts, alpha: float, present: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return n_ac + α where a value is present, 0 elsewhere; and n_c + α·V: (cells, classes) each."""
    smoothed = np.where(present, counts.values + alpha, 0.0)
    total = counts.per_cell(counts.per_attribute(smoothed))
    total[total == 0] = 1.0  # an attribute without any value
    return smoothed, total


def _log_present(counts: Counts, alpha: float, missing: BoolArray, less: FloatArray | float) -> FloatArray:
    """Return log P(missing|c) for the cells of missing values, log P(present|c) for the others: (cells, classes).

    P(missing|c) = q · (n_mc + α) / (q·n_c + α), where q is the share of all rows in which the attribute is missing, so
    that q·n_c of them are expected in a class; P(present|c) = 1 − P(missing|c). The cell of an unknown value is 0, as
    are all cells of an attribute that is never missing.
    """
    known, gone = counts.known[:, None], missing[:, None]
    rows, less = np.where(known, counts.values, 0.0), np.where(known, less, 0.0)
    total = counts.per_cell(counts.per_attribute(rows))
    absent = counts.per_cell(counts.per_attribute(np.where(gone, rows, 0.0)))
    q = absent.sum(axis=1, keepdims=True) / np.maximum(total.sum(axis=1, keepdims=True), 1e-300)
    alike, share = np.where(gone, absent, total - absent), np.where(gone, q, 1.0 - q)
    counted = known & (q > 0)
    smoothed = np.where(counted, q * (alike - less) + alpha * share, 1.0)
    return np.asarray(np.log(smoothed) - np.log(np.where(counted, q * (total - less) + alpha, 1.0)))


def spread(table: FloatArray, counts: Counts) -> FloatArray:
    """Return how far each attribute moves the joint log-likelihood of a class, up or down: (attributes,).

    It is the root mean square, over the training rows and the classes, of the attribute's contribution, less its mean
    over the classes and over the rows.
    """
    away = table - table.mean(axis=1, keepdims=True)
    share = counts.values.sum(axis=1) / counts.classes.sum()
    mean = counts.per_attribute(share[:, None] * away)
    square = counts.per_attribute(share[:, None] * (away - counts.per_cell(mean)) ** 2)
    return np.asarray(np.sqrt(square.mean(axis=1)))


def centred_variance(variance: FloatArray) -> FloatArray:
    """Return the variances of numbers less their mean over the classes, given their own: (cells, classes).

    Var(s_c − s̄) = (1 − 2/K)·v_c + Σ v_k / K², for numbers that are independent of each other.

    >>> centred_variance(np.array([[1.0, 3.0]]))
    array([[1., 1.]])
    """
    n_classes = variance.shape[1]
    return np.asarray((1 - 2 / n_classes) * variance + variance.sum(axis=1, keepdims=True) / n_classes**2)


def log_likelihood_variance(counts: Counts, alpha: float) -> FloatArray:
    """Return the variance of log P(a|c), given the counts: ψ′(n_ac + α) − ψ′(n_c + α·V): (cells, classes).

    It is that of the logarithm of a share that has a Dirichlet distribution, which the smoothing of Eq. 3 amounts to,
    and close to 1/n_ac − 1/n_c where there are many rows. The cell of an unknown value is 0: it says nothing.
    """
    known = counts.known[:, None]
    smoothed, total = _smoothed(counts, alpha, known)
    return np.asarray(polygamma(1, np.where(known, smoothed, total)) - polygamma(1, total))
