"""Shapes that people know: log-odds of two classes that rise, fall, bend up or bend down along a column.

A shape is linear in the effects: each row of a sparse matrix is a difference of effects that must not be negative. The
effects of values and of pairs obey it each by themselves, so that their sum does, whatever else a row holds.

Learning presses against a violation: an augmented Lagrangian, ½ Σ (max(0, f − μ·g)² − f²) / μ over the differences g,
whose forces f are the Lagrange multipliers once they have settled. What little violation is left in the end,
:func:`nearest` takes away exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from atfnb._typing import FloatArray, IntArray
from atfnb.counts import Counts

Kind = Literal["rising", "falling", "convex", "concave"]

STIFFNESS = 2.0
"""μ, as a multiple of the curvature of the log-loss by the log-odds of all rows together: a stiffer wall takes L-BFGS
many more steps, a softer one leaves more to be pressed again."""


@dataclass(frozen=True)
class Shape:
    """A shape of the effects of one attribute."""

    attribute: int
    kind: Kind
    contrasts: FloatArray
    """(contrasts, classes) which log-odds have the shape: 1 for a class, −1 for the one that it is set against."""

    @property
    def is_bent(self) -> bool:
        """Whether it is about slopes: effects of pairs, which are steps, cannot have it."""
        return self.kind in ("convex", "concave")

    def differences(self, places: FloatArray) -> FloatArray:
        """Return which sums of the effects of neighbouring values must not be negative: (sums, values).

        >>> Shape(0, "falling", np.array([[-1.0, 1.0]])).differences(np.array([0.0, 0.5, 1.0]))
        array([[ 1., -1., -0.],
               [-0.,  1., -1.]])
        """
        each = np.eye(len(places))
        rows = each[1:] - each[:-1]
        if self.is_bent:
            steps = np.maximum(np.diff(places), 1e-9)[:, None]
            rows = (steps[:-1] * rows[1:] - steps[1:] * rows[:-1])[: max(len(each) - 2, 0)] / (steps[:-1] + steps[1:])
        return rows if self.kind in ("rising", "convex") else -rows


@dataclass(frozen=True)
class Chains:
    """Cells along which effects have a shape: a line of cells, or several that are parallel."""

    shape: Shape
    cells: IntArray
    """(lines, values) in the order of the values."""
    places: FloatArray
    """(values,) where the values lie."""
    block: slice
    """All cells of the attribute or the pair."""

    def entries(self, n_classes: int) -> tuple[FloatArray, IntArray, IntArray, int]:
        """Return the entries of the matrix, the rows and the columns that they stand in, and the number of rows."""
        along, contrasts = self.shape.differences(self.places), self.shape.contrasts
        (k, value), (e, of_class) = np.nonzero(along), np.nonzero(contrasts)
        line = np.arange(len(self.cells))[:, None, None]
        row = (line * len(along) + k[:, None]) * len(contrasts) + e
        column = self.cells[:, value][:, :, None] * n_classes + of_class
        amount = np.broadcast_to(along[k, value][:, None] * contrasts[e, of_class], row.shape)
        return amount.ravel(), row.ravel(), column.ravel(), len(self.cells) * len(along) * len(contrasts)


@dataclass(frozen=True)
class Constraints:
    """The differences of effects that must not be negative, and what presses against those that are."""

    chains: tuple[Chains, ...]
    matrix: sparse.csr_array
    """(differences, cells · classes)"""
    stiffness: FloatArray
    """(differences,) μ"""
    force: FloatArray
    """(differences,) the Lagrange multipliers so far."""
    blocks: tuple[tuple[slice, slice], ...]
    """The cells of each attribute and pair that has a shape, and where its differences stand."""

    @classmethod
    def of(cls, chains: Sequence[Chains], counts: Counts) -> Self:
        """Return the constraints on effects; ``chains`` of one attribute or pair stand one after the other."""
        n_cells, n_classes = counts.values.shape
        rows = counts.classes + 1.0  # a fold may lack a class
        share = rows / rows.sum()
        found, stiffness, blocks, first = [], list[FloatArray](), list[tuple[slice, slice]](), 0
        for chain in chains:
            amount, row, column, n_rows = chain.entries(n_classes)
            found.append((amount, first + row, column))
            curvature = np.abs(chain.shape.contrasts) @ (rows * (1.0 - share)) / 2.0
            per_line = STIFFNESS * curvature / max(len(chain.cells), 1)
            stiffness.append(np.resize(per_line, n_rows))
            begin = blocks.pop()[1].start if blocks and blocks[-1][0] == chain.block else first
            first += n_rows
            blocks.append((chain.block, slice(begin, first)))
        amounts, rows, columns = (np.concatenate(parts) for parts in zip(*found, strict=True))
        matrix = sparse.csr_array((amounts, (rows, columns)), shape=(first, n_cells * n_classes))
        return cls(tuple(chains), matrix, np.concatenate(stiffness), np.zeros(first), tuple(blocks))

    def without(self, shapes: Collection[int], counts: Counts) -> Self | None:
        """Return the constraints on effects of values without those of some shapes; None if no others are left."""
        chains = [chain for k, chain in enumerate(self.chains) if k not in shapes]
        return self.of(chains, counts) if chains else None

    def begun(self, force: FloatArray) -> Self:
        """Return the constraints with the forces of an earlier fit, in which there may be more or fewer pairs."""
        start = np.zeros(len(self.force))
        start[: len(force)] = force[: len(start)]
        return replace(self, force=start)

    def pressed(self, values: FloatArray) -> Self:
        """Return the constraints with the forces that effects (cells, classes) call for."""
        return replace(self, force=np.maximum(self.force - self.stiffness * (self.matrix @ values.ravel()), 0.0))

    def change(self, before: Self) -> float:
        """Return how far the forces are from those before, as a violation that would press so: in log-odds."""
        return float((np.abs(self.force - before.force) / self.stiffness).max(initial=0.0))

    def add_to(self, gradient: FloatArray, values: FloatArray) -> float:
        """Add the gradient of the augmented Lagrangian to ``gradient``, and return it."""
        force = self.pressed(values).force
        gradient -= (self.transposed @ force).reshape(gradient.shape)
        return 0.5 * float(np.sum((force**2 - self.force**2) / self.stiffness))

    @cached_property
    def transposed(self) -> sparse.csr_array:
        """The transposed matrix: (cells · classes, differences)."""
        return self.matrix.T.tocsr()

    def on(self, block: tuple[slice, slice], n_classes: int) -> FloatArray:
        """Return the differences of one attribute or pair: (differences, its cells · classes)."""
        cells, rows = block
        return np.asarray(self.matrix[rows, cells.start * n_classes : cells.stop * n_classes].toarray())


def nearest(effects: FloatArray, differences: FloatArray, metric: FloatArray | None = None) -> FloatArray:
    """Return the effects (cells · classes,) nearest to some of which no difference is negative.

    How near they are is measured by a positive definite matrix, or by the sum of squares. Effects that need no change
    are returned as they are.

    >>> nearest(np.array([0.0, 3.0, 1.0]), np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]]))
    array([0., 2., 2.])
    """
    if not len(differences) or (differences @ effects).min() >= 0.0:
        return effects
    factor = np.linalg.cholesky(np.eye(len(effects)) if metric is None else metric)
    against = solve_triangular(factor, differences.T, lower=True)
    force, _ = nnls(against, -factor.T @ effects, maxiter=30 * len(differences))
    return np.asarray(effects + solve_triangular(factor, against @ force, lower=True, trans="T"))
