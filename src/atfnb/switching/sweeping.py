"""QSF: the β that the rows' intervals cover most (Algorithm 1, Eq. 19 and 20), and the training accuracy as a curve.

The ends of the rows' intervals cut [0, 1] into steps. Inside a step the same rows are classified correctly at every β:
those whose intervals cover it. Their weight is the *coverage* of the step, and the training accuracy there is the
coverage divided by the weight of all rows. QSF returns the steps with the highest coverage.

The paper sorts the ends of all rows. Here :mod:`atfnb.switching.buckets` first finds, in one or more passes over the
rows, the few ends among which the highest coverage can lie; only these are sorted. The result is the same.

SLS tries β = 0, step, 2·step, …, 1 in its place (Section 4.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real

import numpy as np

from atfnb._pieces import Pieces
from atfnb._typing import BoolArray, ClassArray, FloatArray
from atfnb.model import TIE
from atfnb.switching.buckets import Coverage
from atfnb.switching.intervals import (
    LATTICE,
    BetaSearch,
    Block,
    Lines,
    Reach,
    crossings,
    given_lines,
    inside_crossings,
    narrowest,
    reach,
    rows_of_lines,
)


def qsf(slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None = None) -> BetaSearch:
    """Return the exact intervals of β in [0, 1] with the highest training accuracy (Algorithm 1).

    Parameters
    ----------
    slope, intercept : (rows, classes) arrays
        K_c and M_c of Eq. 16.
    y : (rows,) array
        The number of each row's class.
    sample_weight : (rows,) array, optional
        How much each row counts; 1 if not given.

    Returns
    -------
    BetaSearch
        The best β, all intervals of β that are as good, and the training accuracy there.

    Examples
    --------
    One row is classified correctly from β = 0.25 on, the other up to β = 0.75:

    >>> slope = np.array([[0.0, 4.0], [0.0, 4.0]])
    >>> intercept = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> low, high = qsf(slope, intercept, np.array([1, 0])).interval
    >>> print(f"{low:.6f} to {high:.6f}")
    0.250000 to 0.750000
    """
    rows, total = rows_of_lines(slope, intercept, y, sample_weight)
    return sweep(reach(rows, given_lines), total).found


def sweep(reached: Pieces[Reach], total: float) -> Swept:
    """Return where the rows' intervals cover β most (Eq. 19 and 20); ``total`` is the weight of all rows."""
    first = coverage = Coverage.of_all(reached)
    while coverage.has_too_many_ends:
        coverage = coverage.in_smaller_buckets(reached)
    position, covered = coverage.ends_that_matter(reached)
    return Swept(
        edge=np.concatenate([[0.0], position / LATTICE, [1.0]]),
        covered=np.concatenate([[first.at_0], covered, [0.0]]),
        best=coverage.best,
        first=first,
        total=total,
    )


@dataclass(frozen=True)
class Swept:
    """The coverage of β at the ends that matter for its maximum, and in the first buckets."""

    edge: FloatArray
    """(edges,) 0, the ends of intervals in the buckets that can hold the maximum, in order, and 1."""
    covered: FloatArray
    """(edges,) the coverage after each edge."""
    best: float
    """Steps with at least this coverage are known from end to end."""
    first: Coverage
    """The coverage of all rows at the edges of the first buckets."""
    total: float
    """The weight of all rows."""

    @property
    def found(self) -> BetaSearch:
        """The steps with the highest coverage (Eq. 19) of those that are wide enough, and the middle of the widest."""
        edges, covered = join_equal(self.edge, self.covered[:-1])
        wide = (covered >= self.best) & (np.diff(edges) >= self.first.narrow)
        best = covered[wide].max()
        highest = np.flatnonzero(wide & (covered == best))
        intervals = inside_crossings(np.column_stack([edges[highest], edges[highest + 1]]))
        low, high = intervals[np.argmax(intervals[:, 1] - intervals[:, 0])]
        return BetaSearch(float(low / 2 + high / 2), (float(low), float(high)), intervals, float(best / self.total))

    @property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """The edges and the training accuracy of steps in β: exact where it is highest and at the bucket edges.

        A bucket edge that an end follows closely is left out, as it may itself be a crossing.
        """
        clear = self.first.is_clear
        lines = self.first.buckets.firsts[clear] / LATTICE
        edges, position = np.unique(np.concatenate([self.edge, lines]), return_index=True)
        covered = np.concatenate([self.covered, self.first.left[clear]])[position]
        below_1 = edges < 1.0
        return accuracy_steps(np.append(edges[below_1], 1.0), covered[below_1], self.total, self.first.narrow)


# --- The training accuracy as a step function of β --------------------------------------------------


def step_function(ends: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the training accuracy for every β: ``accuracy[k]`` holds between ``edges[k]`` and ``edges[k + 1]``.

    Parameters
    ----------
    ends : (rows, 2) array
        The lowest and the highest β at which each row is classified correctly; 1 and 0 where there is none.
    weight : (rows,) array
        How much each row counts.

    Returns
    -------
    edges : (steps + 1,) array
        Where the accuracy changes, from 0 to 1.
    accuracy : (steps,) array
        The training accuracy between two edges.

    Examples
    --------
    >>> step_function(np.array([[0.25, 1.0], [0.0, 0.75]]), np.ones(2))
    (array([0.  , 0.25, 0.75, 1.  ]), array([0.5, 1. , 0.5]))
    """
    reaching = ends[:, 0] < ends[:, 1]
    low, high = ends[reaching, 0], ends[reaching, 1]
    edges, position = np.unique(np.concatenate([[0.0, 1.0], low, high]), return_inverse=True)
    change = np.concatenate([[0.0, 0.0], weight[reaching], -weight[reaching]])
    covered = np.cumsum(np.bincount(position, weights=change).astype(np.float64, copy=False))[:-1]
    return accuracy_steps(edges, covered, float(weight.sum()), narrowest(len(weight)))


def accuracy_at(beta: FloatArray, edges: FloatArray, accuracy: FloatArray) -> FloatArray:
    """Return the training accuracy at each β, from the step function that ``edges`` and ``accuracy`` describe.

    >>> accuracy_at(np.array([0.1, 0.9]), np.array([0.0, 0.5, 1.0]), np.array([0.7, 0.8]))
    array([0.7, 0.8])
    """
    return accuracy[np.clip(np.searchsorted(edges, beta, side="right") - 1, 0, len(accuracy) - 1)]


def thinned(edges: FloatArray, accuracy: FloatArray, steps: int, anchors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a step function with at most ``steps`` steps, exact around the anchors.

    The first step, the steps at the anchors and those beside them are kept, then the widest of the others. A step that
    is left out takes the accuracy of the one before it.

    Parameters
    ----------
    edges : (steps + 1,) array
    accuracy : (steps,) array
    steps : int
        The number of steps to keep, at least 1.
    anchors : array
        Values of β, the most important first.

    Examples
    --------
    >>> edges, accuracy = np.array([0.0, 0.1, 0.2, 0.3, 0.7, 1.0]), np.array([0.1, 0.2, 0.3, 0.9, 0.5])
    >>> thinned(edges, accuracy, 4, anchors=np.array([0.5]))
    (array([0. , 0.2, 0.3, 0.7, 1. ]), array([0.1, 0.3, 0.9, 0.5]))
    """
    n = len(accuracy)
    if n <= steps:
        return edges, accuracy
    at = np.clip(np.searchsorted(edges, anchors, side="right") - 1, 0, n - 1)
    around = np.clip(np.stack([at, at + 1, at - 1], axis=1), 0, n - 1).ravel()
    widest = np.argsort(-np.diff(edges), kind="stable")
    order, first = np.unique(np.concatenate([[0], around, widest]), return_index=True)
    kept = np.sort(order[np.argsort(first)][:steps])
    return np.append(edges[kept], edges[-1]), accuracy[kept]


def accuracy_steps(
    edges: FloatArray, covered: FloatArray, total: float, narrow: float
) -> tuple[FloatArray, FloatArray]:
    """Return the edges and the accuracy of the steps at least ``narrow`` wide; narrower ones join the step before."""
    edges, covered = join_equal(edges, covered)
    wide = np.diff(edges) >= narrow
    lefts, covered = join_equal(np.append(edges[:-1][wide], 1.0), covered[wide])
    lefts[0] = 0.0
    return crossings(lefts), covered / total


def join_equal(edges: FloatArray, covered: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the edges and the coverage of steps, with neighbours of equal coverage joined into one step."""
    differs = np.append(True, covered[1:] != covered[:-1])
    return np.append(edges[:-1][differs], edges[-1]), covered[differs]


# --- A grid of β -------------------------------------------------------------------------------------


def sls(
    slope: FloatArray, intercept: FloatArray, y: ClassArray, sample_weight: FloatArray | None = None, step: float = 0.01
) -> BetaSearch:
    """Try β = 0, step, 2·step, …, 1 and return those with the highest training accuracy (Section 4.3).

    Parameters
    ----------
    slope, intercept : (rows, classes) arrays
        K_c and M_c of Eq. 16.
    y : (rows,) array
        The number of each row's class.
    sample_weight : (rows,) array, optional
        How much each row counts; 1 if not given.
    step : float, default=0.01
        The distance between two values of β.

    Returns
    -------
    BetaSearch
        The best β, the intervals of the grid that are as good, and the training accuracy there.

    Examples
    --------
    One row is classified correctly from β = 0.25 on, the other up to β = 0.75:

    >>> slope = np.array([[0.0, 4.0], [0.0, 4.0]])
    >>> intercept = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> sls(slope, intercept, np.array([1, 0])).interval
    (0.26, 0.75)
    """
    rows, total = rows_of_lines(slope, intercept, y, sample_weight)
    return search_grid(rows, given_lines, total, step)


def search_grid(rows: Pieces[Block], lines: Lines[Block], total: float, step: float) -> BetaSearch:
    """Return the best β of a grid, for rows in pieces of the given total weight.

    Neighbouring points of the grid that are equally good form an interval; the middle point of the longest one is β.
    """
    grid = beta_grid(step)
    correct = weight_correct(rows, lines, grid)
    at, usual = correct[1], _is_usual(correct)
    best = usual & (at == at[usual].max())
    first = np.flatnonzero(best & ~np.concatenate([[False], best[:-1]]))
    last = np.flatnonzero(best & ~np.concatenate([best[1:], [False]]))
    longest = np.argmax(last - first)
    middle = float(grid[(first[longest] + last[longest]) // 2])
    intervals = np.column_stack([grid[first], grid[last]])
    low, high = intervals[longest]
    return BetaSearch(middle, (float(low), float(high)), intervals, float(at[best][0] / total))


def beta_grid(step: float) -> FloatArray:
    """Return 0, step, 2·step, …, 1.

    >>> beta_grid(0.3)
    array([0. , 0.3, 0.6, 0.9, 1. ])
    """
    if not (isinstance(step, Real) and 1e-6 <= step <= 1):
        raise ValueError(f"step must be a number from 0.000001 to 1, not {step!r}; search='qsf' is exact without any.")
    return np.minimum(np.arange(int(np.ceil(1 / step - 1e-9)) + 1) * float(step), 1.0)


def weight_correct(rows: Pieces[Block], lines: Lines[Block], betas: FloatArray) -> FloatArray:
    """Return the weight of the rows classified correctly just below each β, at it, and just above it: (3, betas)."""
    return rows.sum("the grid of β", partial(np.zeros, (3, len(betas))), partial(_add_block, lines, betas))


def _add_block(lines: Lines[Block], betas: FloatArray, into: FloatArray, rows: Block) -> FloatArray:
    from atfnb._kernels import switching as kernels

    into += kernels.weight_correct(lines(rows), rows.y, np.ascontiguousarray(rows.weight), betas, TIE)
    return into


def _is_usual(correct: FloatArray) -> BoolArray:
    """Return whether each β has the accuracy of the β just below or just above it: (betas,).

    At a β of the grid where lines cross, the first of the classes that tie is taken. So rows can be correct at this one
    β that are wrong on both sides of it. Such a β is no answer, unless all of the grid are of this kind.
    """
    below, at, above = correct
    usual = (at == below) | (at == above)
    usual[0], usual[-1] = at[0] == above[0], at[-1] == below[-1]  # no β lies below 0 or above 1
    return usual if usual.any() else np.ones_like(usual)
