"""The model as a value: a table of additive scores that gives joint log-likelihoods, classes and contributions.

Every classifier here ends in an :class:`AdditiveModel`. That of weighted naive Bayes holds log-probabilities, times the
weights of the attributes (Eq. 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from atfnb._pieces import for_each_block
from atfnb._typing import ClassArray, CodeArray, FloatArray, IntArray

TIE = 1e-10
"""Joint log-likelihoods closer than this are equal; the first of the classes is taken.

Classes that tie on paper, as ½·⅓ and ⅙·1 do, differ by what rounding left of the sums of their logarithms, and that
must not decide.
"""


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
    rows: FloatArray = field(default_factory=partial(np.zeros, 0))
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
        return np.hstack([codes, self.codes(codes)]) if len(self.of) else codes

    def offsets_after(self, offsets: IntArray) -> IntArray:
        """Return where the cells of each attribute and then of each pair begin, given those of the attributes."""
        return np.concatenate([offsets, offsets[-1] + self.offsets[1:]])

    def table(self, pair: int, scores: FloatArray) -> FloatArray:
        """Return the scores of one pair as a grid, without those of unknown values: (groups, groups, classes)."""
        rows, columns = self.shapes[pair]
        first = self.offsets[pair]
        return scores[first : first + rows * columns].reshape(rows, columns, -1)

    def rows_of(self, pair: int) -> FloatArray:
        """Return the weight of the training rows in each cell of one pair: (groups, groups)."""
        return self.table(pair, self.rows[:, None])[:, :, 0]


NO_PAIRS = PairGrids(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(1, np.int64))
"""The grids of a model without pairs."""


# --- The model ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AdditiveModel:
    """A table of additive scores: the joint log-likelihood of class c is log_prior[c] + Σ_j table[x_j, c].

    The cells of all attributes stand one below the other, as in :class:`~atfnb.counts.Counts`: those of attribute j
    begin at ``offsets[j]``, one for each of its values and one, the last, for "unknown". Where attributes act together,
    each of their pairs adds the score of the cell of its grid as well; these cells stand below those of the values.

    Examples
    --------
    >>> offsets, table = np.array([0, 3]), np.log([[0.75, 0.5], [0.25, 0.5], [1.0, 1.0]])
    >>> model = AdditiveModel.on_grid(offsets, table, log_prior=np.log([0.5, 0.5]))
    >>> codes = np.array([[0], [1]], dtype=np.uint8)
    >>> np.exp(model.joint(codes)).round(3)
    array([[0.375, 0.25 ],
           [0.125, 0.25 ]])
    >>> model.classify(codes)
    array([0, 1], dtype=int32)
    """

    offsets: IntArray
    """(attributes + pairs + 1,) where the cells of each attribute, then of each pair, begin, and the last ones end."""
    table: FloatArray
    """(cells, classes) what each value of each attribute, or of each pair, adds to the joint log-likelihood."""
    log_prior: FloatArray
    """(classes,) what the joint log-likelihood of each class starts from: log P(c)."""
    grids: PairGrids = NO_PAIRS
    """The grids of the pairs of attributes that act together."""

    @classmethod
    def on_grid(cls, offsets: IntArray, table: FloatArray, log_prior: FloatArray, grids: PairGrids = NO_PAIRS) -> Self:
        """Return a model whose numbers are rounded to a power of two so coarse that no sum of a row ever rounds.

        Joint log-likelihoods then do not depend on the order of the attributes, and contributions sum to them to the
        bit.
        """
        model = cls(offsets, table, log_prior, grids)
        largest = model.largest
        if not np.isfinite(largest):
            raise ValueError("the scores are too large for floating point: choose smaller weights or a smaller alpha.")
        if largest == 0:
            return model
        step = 2.0 ** (np.ceil(np.log2(largest)) - 52)
        return cls(offsets, np.round(table / step) * step, np.round(log_prior / step) * step, grids)

    @property
    def largest(self) -> float:
        """The largest joint log-likelihood that there can be, but for its sign."""
        highest = np.maximum.reduceat(np.abs(self.table).max(axis=1), self.offsets[:-1])
        return float(highest.sum() + np.abs(self.log_prior).max())

    @classmethod
    def weighted(
        cls, weights: FloatArray, log_likelihood: FloatArray, log_prior: FloatArray, offsets: IntArray
    ) -> Self:
        """Return weighted naive Bayes: log P(c) + Σ_j w_j log P(x_j|c) (Eq. 4).

        Parameters
        ----------
        weights : (attributes,) array
        log_likelihood : (cells, classes) array
            log P(a|c).
        log_prior : (classes,) array
            log P(c).
        offsets : (attributes + 1,) array
            Where the cells of each attribute begin, and where the last ones end.
        """
        with np.errstate(over="ignore"):
            table = np.repeat(weights, np.diff(offsets))[:, None] * log_likelihood
        return cls.on_grid(offsets, table, log_prior)

    def joint(self, codes: CodeArray) -> FloatArray:
        """Return the joint log-likelihood of each row and class, log P(c, x): (rows, classes)."""
        joint = np.empty((len(codes), len(self.log_prior)))

        def block(rows: slice) -> None:
            joint[rows] = self.joint_of_block(codes[rows])

        for_each_block(block, len(codes))
        return joint

    def joint_of_block(self, codes: CodeArray) -> FloatArray:
        """Return the joint log-likelihoods of a block of rows, in this thread: (rows, classes)."""
        from atfnb._kernels import model as kernels

        codes = np.ascontiguousarray(self.grids.beside(codes))
        return kernels.add_up(codes, self.offsets, self._padded, self.log_prior)

    def classify(self, codes: CodeArray) -> ClassArray:
        """Return the position of each row's most probable class, the first of those that tie: (rows,)."""
        classes = np.empty(len(codes), dtype=np.int32)

        def block(rows: slice) -> None:
            classes[rows] = most_probable(self.joint_of_block(codes[rows]))

        for_each_block(block, len(codes))
        return classes

    def contributions(self, codes: CodeArray) -> FloatArray:
        """Return what each attribute, and then each pair, adds to each class: (rows, attributes + pairs, classes)."""
        return np.asarray(self.table[self.grids.beside(codes) + self.offsets[:-1]])

    def contributions_to(self, codes: CodeArray, classes: ClassArray) -> FloatArray:
        """Return what each attribute, and then each pair, adds to one class of each row: (rows, attributes + pairs)."""
        return np.asarray(self.table[self.grids.beside(codes) + self.offsets[:-1], classes[:, None]])

    @property
    def pairs(self) -> IntArray:
        """(pairs, 2) the positions of the two attributes of each pair; without any rows if there are no pairs."""
        return self.grids.of

    @property
    def pair_table(self) -> FloatArray:
        """(cells of the grids, classes) what each pair of values adds: the lower end of the table."""
        return self.table[len(self.table) - self.grids.offsets[-1] :]

    @cached_property
    def _padded(self) -> FloatArray:
        """The table with zeros up to a multiple of four columns, which the compiled loop adds four at a time."""
        n_classes = len(self.log_prior)
        padded = np.zeros((len(self.table), n_classes + -n_classes % 4))  # a fit does this often; np.pad takes its time
        padded[:, :n_classes] = self.table
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
