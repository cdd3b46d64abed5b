"""The model as a value: a table of additive scores that gives joint log-likelihoods, classes and contributions.

Every classifier here ends in an :class:`AdditiveModel`. Weighted naive Bayes makes one from counts: probabilities by
Eq. 2 and 3, their logarithms multiplied by the weights of the attributes (Eq. 4).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import polygamma

from atfnb._pieces import for_each_block
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray
from atfnb.counts import Counts

TIE = 1e-10
"""Joint log-likelihoods closer than this are equal; the first of the classes is taken.

Classes that tie on paper, as ½·⅓ and ⅙·1 do, differ by what rounding left of the sums of their logarithms, and that
must not decide.
"""


# --- Probabilities from counts -----------------------------------------------------------------------


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
    smoothed = np.where(present, counts.values + alpha, 0.0)
    total = counts.per_cell(counts.per_attribute(smoothed))  # (cells, classes): n_c + α·V
    total[total == 0] = 1.0  # an attribute without any value
    own = np.where(present, less, 0.0)
    evidence = np.log(np.where(present, smoothed - own, total)) - np.log(total - own)
    return np.asarray(evidence if missing is None else evidence + _log_present(counts, alpha, missing, less))


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


def spread(scores: FloatArray, counts: Counts) -> FloatArray:
    """Return how far each attribute moves the joint log-likelihood of a class, up or down: (attributes,).

    It is the root mean square, over the training rows and the classes, of the attribute's contribution, less its mean
    over the classes and over the rows.
    """
    away = scores - scores.mean(axis=1, keepdims=True)
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
    smoothed = np.where(known, counts.values + alpha, 0.0)
    total = counts.per_cell(counts.per_attribute(smoothed))
    total[total == 0] = 1.0  # an attribute without any value
    return np.asarray(polygamma(1, np.where(known, smoothed, total)) - polygamma(1, total))


# --- Pairs of attributes ------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairGrids:
    """The grids of pairs of attributes: for each two values, the cell of the pair that they fall into.

    The values of an attribute are gathered into groups. The grid of a pair has a cell for each two groups, those of the
    first attribute one below the other, and one more cell, the last, for rows in which either value is unknown.

    Examples
    --------
    >>> grids = PairGrids(np.array([[0, 1]]), np.array([0, 1, 2, 0, 1, 2]), np.array([2, 2]), np.array([0, 3, 6]))
    >>> grids.codes(np.array([[0, 0], [1, 0], [1, 1], [2, 1]], dtype=np.uint8)).ravel()
    array([0, 2, 3, 4], dtype=uint8)
    """

    of: IntArray
    """(pairs, 2) the positions of the two attributes of each pair."""
    groups: IntArray
    """(cells,) the group of each value of each attribute; for "unknown", the number of groups."""
    n_groups: IntArray
    """(attributes,) the number of groups of each attribute."""
    starts: IntArray
    """(attributes + 1,) where the cells of each attribute begin."""
    rows: FloatArray | None = None
    """(cells of the grids,) the weight of the training rows in each cell, once they have been counted."""

    @property
    def shapes(self) -> IntArray:
        """(pairs, 2) the number of groups of the two attributes of each pair."""
        return self.n_groups[self.of]

    @cached_property
    def offsets(self) -> IntArray:
        """(pairs + 1,) where the cells of each pair begin, and where the last ones end."""
        return np.concatenate([[0], np.cumsum(self.n_cells + 1)])

    @property
    def n_cells(self) -> IntArray:
        """(pairs,) the number of cells of each pair, without the one for unknown values."""
        return np.asarray(self.shapes.prod(axis=1))

    def codes(self, codes: CodeArray) -> CodeArray:
        """Return the cell of each pair that each row falls into: (rows, pairs)."""
        from atfnb._kernels import model as kernels

        largest = int(self.n_cells.max(initial=0))
        cells = np.empty((len(codes), len(self.of)), dtype=np.uint8 if largest < 256 else np.uint16)
        kernels.pair_codes(np.ascontiguousarray(codes), self.of, self.groups, self.n_groups, self.starts, cells)
        return cells

    def beside(self, codes: CodeArray) -> CodeArray:
        """Return codes with a column more for each pair: (rows, attributes + pairs)."""
        return np.hstack([codes, self.codes(codes)])

    def table(self, pair: int, scores: FloatArray) -> FloatArray:
        """Return the scores of one pair as a grid, without those of unknown values: (groups, groups, classes)."""
        rows, columns = self.shapes[pair]
        first = self.offsets[pair]
        return scores[first : first + rows * columns].reshape(rows, columns, -1)

    def rows_of(self, pair: int) -> FloatArray:
        """Return the weight of the training rows in each cell of one pair: (groups, groups)."""
        rows = np.zeros(self.offsets[-1]) if self.rows is None else self.rows
        return self.table(pair, rows[:, None])[:, :, 0]

    def with_empty(self, before: list[int]) -> PairGrids:
        """Return the grids with more attributes, one before each of these positions, that have no value."""
        old = np.arange(len(self.n_groups))
        moved = old + np.searchsorted(np.sort(before), old, side="right")
        starts = np.concatenate([[0], np.cumsum(np.insert(np.diff(self.starts), before, 1))])
        groups = np.insert(self.groups, self.starts[before], 0)
        return PairGrids(moved[self.of], groups, np.insert(self.n_groups, before, 0), starts, self.rows)


# --- The model ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AdditiveModel:
    """A table of additive scores: the joint log-likelihood of class c is start[c] + Σ_j scores[x_j, c].

    The cells of all attributes stand one below the other, as in :class:`~atfnb.counts.Counts`: those of attribute j
    begin at ``offsets[j]``, one for each of its values and one, the last, for "unknown". Where attributes act together,
    each of their pairs adds the score of the cell of its grid as well.

    Examples
    --------
    >>> offsets, scores = np.array([0, 3]), np.log([[0.75, 0.5], [0.25, 0.5], [1.0, 1.0]])
    >>> model = AdditiveModel.on_grid(offsets, scores, start=np.log([0.5, 0.5]))
    >>> codes = np.array([[0], [1]], dtype=np.uint8)
    >>> np.exp(model.joint(codes)).round(3)
    array([[0.375, 0.25 ],
           [0.125, 0.25 ]])
    >>> model.classify(codes)
    array([0, 1], dtype=int32)
    """

    offsets: IntArray
    """(attributes + 1,) where the cells of each attribute begin, and where the last ones end."""
    scores: FloatArray
    """(cells, classes) what each value of each attribute adds to the joint log-likelihood of each class."""
    start: FloatArray
    """(classes,) what the joint log-likelihood of each class starts from: log P(c)."""
    grids: PairGrids | None = None
    """The grids of the pairs of attributes that act together; None if there are none."""
    pair_scores: FloatArray | None = None
    """(cells of the grids, classes) what each pair of values adds; None without pairs."""

    @classmethod
    def on_grid(
        cls,
        offsets: IntArray,
        scores: FloatArray,
        start: FloatArray,
        grids: PairGrids | None = None,
        pair_scores: FloatArray | None = None,
    ) -> Self:
        """Return a model whose numbers are rounded to a power of two so coarse that no sum of a row ever rounds.

        Joint log-likelihoods then do not depend on the order of the attributes, and contributions sum to them to the
        bit.
        """
        model = cls(offsets, scores, start, grids, pair_scores)
        largest = model.largest
        if not np.isfinite(largest):
            raise ValueError("the scores are too large for floating point: choose smaller weights or a smaller alpha.")
        if largest == 0:
            return model
        step = 2.0 ** (np.ceil(np.log2(largest)) - 52)
        rounded = None if pair_scores is None else np.round(pair_scores / step) * step
        return cls(offsets, np.round(scores / step) * step, np.round(start / step) * step, grids, rounded)

    @property
    def largest(self) -> float:
        """The largest joint log-likelihood that there can be, but for its sign."""
        highest = np.maximum.reduceat(np.abs(self._all_scores).max(axis=1), self._all_offsets[:-1])
        return float(highest.sum() + np.abs(self.start).max())

    @classmethod
    def weighted(cls, weights: FloatArray, evidence: FloatArray, prior: FloatArray, counts: Counts) -> Self:
        """Return weighted naive Bayes: log P(c) + Σ_j w_j log P(x_j|c) (Eq. 4).

        Parameters
        ----------
        weights : (attributes,) array
        evidence : (cells, classes) array
            log P(a|c).
        prior : (classes,) array
            log P(c).
        counts : Counts
        """
        with np.errstate(over="ignore"):
            scores = counts.per_cell(weights)[:, None] * evidence
        return cls.on_grid(counts.offsets, scores, prior)

    def with_empty(self, before: list[int]) -> AdditiveModel:
        """Return the model with more attributes, one before each of these positions, that have no value and add 0."""
        n_cells = np.insert(np.diff(self.offsets), before, 1)
        scores = np.insert(self.scores, self.offsets[before], 0.0, axis=0)
        grids = None if self.grids is None else self.grids.with_empty(before)
        return AdditiveModel(np.concatenate([[0], np.cumsum(n_cells)]), scores, self.start, grids, self.pair_scores)

    def joint(self, codes: CodeArray) -> FloatArray:
        """Return the joint log-likelihood of each row and class, log P(c, x): (rows, classes)."""
        joint = np.empty((len(codes), len(self.start)))

        def block(rows: slice) -> None:
            joint[rows] = self.joint_of_block(codes[rows])

        for_each_block(block, len(codes))
        return joint

    def joint_of_block(self, codes: CodeArray) -> FloatArray:
        """Return the joint log-likelihoods of a block of rows, in this thread: (rows, classes)."""
        from atfnb._kernels import model as kernels

        codes = codes if self.grids is None else self.grids.beside(codes)
        return kernels.add_up(np.ascontiguousarray(codes), self._all_offsets, self._padded, self.start)

    def classify(self, codes: CodeArray) -> ClassArray:
        """Return the position of each row's most probable class, the first of those that tie: (rows,)."""
        classes = np.empty(len(codes), dtype=np.int32)

        def block(rows: slice) -> None:
            classes[rows] = most_probable(self.joint_of_block(codes[rows]))

        for_each_block(block, len(codes))
        return classes

    def contributions(self, codes: CodeArray) -> FloatArray:
        """Return what each attribute, and then each pair, adds to each class: (rows, attributes + pairs, classes)."""
        return np.asarray(self._all_scores[self._cells(codes)])

    def contributions_to(self, codes: CodeArray, classes: ClassArray) -> FloatArray:
        """Return what each attribute, and then each pair, adds to one class of each row: (rows, attributes + pairs)."""
        return np.asarray(self._all_scores[self._cells(codes), classes[:, None]])

    def _cells(self, codes: CodeArray) -> IntArray:
        """Return where the score of each attribute, and then of each pair, stands: (rows, attributes + pairs)."""
        codes = codes if self.grids is None else self.grids.beside(codes)
        return np.asarray(codes + self._all_offsets[:-1])

    @property
    def pairs(self) -> IntArray:
        """(pairs, 2) the positions of the two attributes of each pair; without any rows if there are no pairs."""
        return np.zeros((0, 2), dtype=np.int64) if self.grids is None else self.grids.of

    @property
    def _all_offsets(self) -> IntArray:
        """(attributes + pairs + 1,) where the cells of each attribute, and then of each pair, begin."""
        if self.grids is None:
            return self.offsets
        return np.concatenate([self.offsets, self.offsets[-1] + self.grids.offsets[1:]])

    @property
    def _all_scores(self) -> FloatArray:
        """(all cells, classes) the scores of the values, and below them those of the pairs."""
        return self.scores if self.pair_scores is None else np.vstack([self.scores, self.pair_scores])

    @cached_property
    def _padded(self) -> FloatArray:
        """All scores with zeros up to a multiple of four columns, which the compiled loop adds four at a time."""
        scores, n_classes = self._all_scores, len(self.start)
        padded = np.zeros((len(scores), n_classes + -n_classes % 4))
        padded[:, :n_classes] = scores
        return padded

    def __getstate__(self) -> dict[str, Any]:
        """Leave the padded copy out of what is sent or saved."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def most_probable(joint: FloatArray) -> ClassArray:
    """Return the position of the highest joint log-likelihood of each row, the first of those that tie: (rows,).

    >>> most_probable(np.log([[0.2, 0.3], [0.25, 0.25]]))
    array([1, 0], dtype=int32)
    """
    from atfnb._kernels import model as kernels

    return kernels.first_highest(joint, TIE)


def runner_up(joint: FloatArray, chosen: ClassArray) -> ClassArray:
    """Return the position of the highest joint log-likelihood of each row among the classes that were not chosen.

    >>> runner_up(np.log([[0.5, 0.2, 0.3], [0.1, 0.45, 0.45]]), np.array([0, 1]))
    array([2, 2], dtype=int32)
    """
    others = joint.copy()
    others[np.arange(len(joint)), chosen] = -np.inf
    return np.asarray(others.argmax(axis=1), dtype=np.int32)
