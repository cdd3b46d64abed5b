"""The weights of FusionNB, and the sum of naive Bayes by models that have not seen a row.

1. ``index_matrix``: the normalised indexes of the attributes are the columns of F.
2. ``fuse_weights``: θ, and with it the weights w = Fθ (+ δ), by the likelihood or the accuracy of each row under
   tables without that row.
3. ``fuse_by_accuracy``: exact line searches, as in minimum error rate training (Och 2003). Along a line of weights,
   start + β·(end − start), the joint log-likelihoods of a row are lines in β, so QSF finds the most accurate point of
   the line exactly. A climb searches one line after the other, each through the best point so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import FloatArray, IntArray
from atfnb.counts import Counts, Need, count, log_likelihood
from atfnb.encoding import EncoderOptions, TableEncoder, learn_encoder
from atfnb.fusion.folds import Fold, RowKeys, split_weights
from atfnb.fusion.likelihood import CountedRows, FusedWeights, fuse_by_likelihood, log_probabilities, weights_of
from atfnb.fusion.shapes import Shape
from atfnb.indexes import Index, mean_redundancy, normalized
from atfnb.model import AdditiveModel
from atfnb.switching import BetaSearch, JointLines, joint_lines, reach, sweep
from atfnb.tables import LabelledRows, Table

Criterion = Literal["likelihood", "accuracy"]
PairOption = Literal["auto"] | int | IntArray

STARTS = 4
"""The number of points that the search by accuracy starts from: naive Bayes, the likelihood's θ, and random ones."""
HALF = 2.0
"""How far a line is searched to both sides of the point that it goes through."""
RANDOM = 8
"""The number of random directions in each round, besides the coordinates."""
WIDE_CUTS = 7
"""The number of quantiles at which the numbers of a table are cut whose columns are screened, at most."""
TERM_FOLDS = 5
"""The number of folds for the sum of naive Bayes of rows that it has not seen."""


@dataclass(frozen=True)
class FusionOptions:
    """The parameters of FusionNB that its learning depends on."""

    indexes: Sequence[Index]
    normalize: str | None
    criterion: Criterion
    shrinkage: float | None
    """How strongly the correction δ of each attribute's weight is shrunk; None for no correction."""
    shrinkages: tuple[float, ...]
    """How strongly the effects of values may be shrunk: cross-validation chooses one."""
    max_cuts: int
    max_iter: int
    random_state: Any
    encoding: EncoderOptions
    """How other rows of the same table are coded."""
    alpha: float
    pairs: PairOption = "auto"
    """Which pairs of attributes are learned: "auto", the number of them, or their positions (pairs, 2)."""
    shapes: tuple[Shape, ...] = ()
    """The shapes of the effects of some attributes."""

    @property
    def named(self) -> IntArray:
        """The positions of the attributes of pairs that are named, and of those that have a shape."""
        of_pairs = self.pairs.ravel().tolist() if isinstance(self.pairs, np.ndarray) else []
        return np.unique(np.array([*of_pairs, *(shape.attribute for shape in self.shapes)], dtype=np.int64))

    def of(self, columns: IntArray) -> FusionOptions:
        """Return the options for some of the attributes (columns,), among which are those that are named."""
        pairs = np.searchsorted(columns, self.pairs) if isinstance(self.pairs, np.ndarray) else self.pairs
        moved = (replace(each, attribute=int(np.searchsorted(columns, each.attribute))) for each in self.shapes)
        return replace(self, pairs=pairs, shapes=tuple(moved))

    @property
    def of_wide(self) -> FusionOptions:
        """The options for a table whose columns are screened: few cuts, and no sum of naive Bayes."""
        return replace(self, indexes=[], max_cuts=min(self.max_cuts, WIDE_CUTS))

    @property
    def needs(self) -> frozenset[Need]:
        """What must be counted for the indexes."""
        return frozenset[Need]().union(*(index.needs for index in self.indexes))


# --- Weights -----------------------------------------------------------------------------------------


def index_matrix(counts: Counts, options: FusionOptions) -> FloatArray:
    """Return F: ones, then each index, normalised, redundancies with a minus: (attributes, indexes).

    An attribute that is not used has zeros only.
    """
    columns = [
        -mean_redundancy(index(counts), options.normalize, counts.used)
        if index.of_pairs
        else normalized(index(counts), options.normalize, counts.used)
        for index in options.indexes
    ]
    return np.where(counts.used[:, None], np.column_stack([np.ones(len(counts.n_values)), *columns]), 0.0)


def fuse_weights(
    encoder: TableEncoder,
    counts: Counts,
    rows: Pieces[CodedRows],
    options: FusionOptions,
    start: FloatArray | None = None,
) -> FusedWeights:
    """Return the weights w = Fθ (+ δ), by likelihood or by accuracy; the correction δ is always by likelihood.

    ``start`` is the θ of similar rows, to start from in place of naive Bayes.
    """
    indexes = index_matrix(counts, options)
    data = CountedRows(rows, counts, log_probabilities(counts, options.alpha, encoder.missing))
    fused = fuse_by_likelihood(indexes, data, options.shrinkage, max_iter=options.max_iter, start=start)
    if options.criterion == "likelihood":
        return fused
    random = np.random.default_rng(check_random_state(options.random_state).randint(2**31 - 1))
    naive = np.eye(indexes.shape[1])[0]
    drawn = [naive + random.standard_normal(len(naive)) for _ in range(STARTS - 2)]
    climb = fuse_by_accuracy([naive, fused.theta, *drawn], indexes, data, random=random)
    return replace(
        fused, theta=climb.theta, weights=weights_of(indexes, climb.theta) + fused.delta, n_iter=climb.n_lines
    )


# --- By accuracy -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Climb:
    """The end of a climb."""

    theta: FloatArray
    """(indexes,) the coefficients where it ended."""
    accuracy: float
    """The training accuracy there."""
    n_lines: int
    """The number of lines that were searched."""


def fuse_by_accuracy(
    starts: list[FloatArray],
    indexes: FloatArray,
    data: CountedRows,
    *,
    random: np.random.Generator,
    max_iter: int = 100,
) -> Climb:
    """Return the most accurate θ that climbs from several starts reach.

    Each climb searches along the coordinates and along random directions, in rounds, until a round brings no gain.

    Parameters
    ----------
    starts : list of (indexes,) arrays
        The θ to climb from.
    indexes : (attributes, indexes) array
        F; the weights are w = Fθ.
    data : CountedRows
    random : numpy.random.Generator
        What random directions are drawn with.
    max_iter : int, default=100
        The number of rounds of each climb, at most.
    """
    data = replace(data, rows=data.rows.map(partial(_with_exact_sums, data.counts.unit)))
    climbs = [_climb(start, indexes, data, random, max_iter) for start in starts]
    best = max(climbs, key=lambda climb: climb.accuracy)
    return Climb(best.theta, best.accuracy, sum(climb.n_lines for climb in climbs))


def _with_exact_sums(unit: float, rows: CodedRows) -> CodedRows:
    """Return rows with weights of which no sum rounds: those of folds are fractions, and QSF compares sums of them."""
    return replace(rows, weight=np.rint(rows.weight / unit) * unit)


def _climb(
    theta: FloatArray, indexes: FloatArray, data: CountedRows, random: np.random.Generator, max_iter: int
) -> Climb:
    """Search line after line from one start, until a round of directions brings no gain."""
    n_lines, accuracy = 0, -1.0
    for _ in range(max_iter):
        before = accuracy
        drawn = random.standard_normal((RANDOM, len(theta)))
        for direction in (*np.eye(len(theta)), *(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))):
            low, high = theta - HALF * direction, theta + HALF * direction
            found = search_segment(weights_of(indexes, low), weights_of(indexes, high), data)
            n_lines += 1
            if found.accuracy > accuracy:
                theta, accuracy = low + found.beta * (high - low), found.accuracy
        if accuracy <= before:
            break
    return Climb(theta, accuracy, n_lines)


def search_segment(start: FloatArray, end: FloatArray, data: CountedRows) -> BetaSearch:
    """Return the β for which the weights start + β·(end − start) have the highest training accuracy, by QSF."""
    return sweep(reach(data.rows, lines_between(start, end, data)), float(data.counts.classes.sum())).found


def lines_between(start: FloatArray, end: FloatArray, data: CountedRows) -> Callable[[CodedRows], FloatArray]:
    """Return the function that gives each row's lines in β for the weights start + β·(end − start).

    For weights from −AA to CA they are the paper's lines (Eq. 16).
    """
    log_p = data.log_p
    evidence, prior = np.hstack([log_p.table, log_p.own]), np.concatenate([log_p.prior, log_p.own_prior])
    return partial(_lines, joint_lines(end, -start, evidence, prior, data.counts))


def _lines(of_both: JointLines, rows: CodedRows) -> FloatArray:
    """Return K and M of each row and class (Eq. 16), for its own class without the row: (rows, 2, classes).

    ``of_both`` gives those by all rows, and beside them those without the row itself.
    """
    others, own = np.split(of_both(rows), 2, axis=2)
    return np.where((rows.y[:, None] == np.arange(others.shape[2]))[:, None], own, others)


# --- Naive Bayes of rows that it has not seen --------------------------------------------------------


@dataclass(frozen=True)
class UnseenNaiveBayes:
    """The sum of naive Bayes of each row, Σ_j w_j log P(x_j|c), by a model that has not seen the row."""

    options: FusionOptions
    n_classes: int
    start: FloatArray
    """(indexes,) the θ of all rows, to start from: that of most of the rows is close to it."""

    def join(self, rows: LabelledRows, keys: RowKeys, fold: Fold) -> Fold:
        """Return a fold whose rows have that sum, training and test rows alike."""
        seen = rows.take(fold.seen, fold.rest)
        inside = self.unseen_sums(seen, keys.take(fold.seen))
        outside = self.sums(seen, rows.table.take(fold.held_out))
        return replace(fold, training=replace(fold.training, term=inside), test=replace(fold.test, term=outside))

    def unseen_sums(self, rows: LabelledRows, keys: RowKeys) -> FloatArray:
        """Return the sum of each row by a model that was made without it: (rows, classes).

        ChiMerge has seen the classes of the rows that it cut, so it cuts again for each fold.
        """
        term = np.zeros((len(rows.y), self.n_classes))
        shares = keys.deal(rows.y, rows.weight, TERM_FOLDS)
        for rest, share in split_weights(shares, rows.weight):
            held_out = share > 0
            sums = self.sums(rows.take(rest > 0, rest), rows.table.take(held_out))
            term[held_out] += (share / rows.weight)[held_out, None] * sums
        return term

    def sums(self, rows: LabelledRows, table: Table) -> FloatArray:
        """Return the sum of each row of a table, by a model made of other rows: (rows, classes)."""
        known, nothing, options = rows.table.with_values(), np.zeros(self.n_classes), self.options
        if not known.columns:
            return np.zeros((table.n_rows, self.n_classes))
        encoder = learn_encoder(replace(rows, table=known, classes=np.arange(self.n_classes)), options.encoding).encoder
        training = CodedRows(encoder.encode_table(known), rows.y, rows.weight)
        counts = count(training.codes, rows.y, rows.weight, encoder.n_values, self.n_classes, options.needs)
        blocks = training.in_blocks(int(encoder.n_values.sum()))
        weights = fuse_weights(encoder, counts, blocks, options, self.start).weights
        log_p = log_likelihood(counts, options.alpha, encoder.missing)
        model = AdditiveModel.weighted(weights, log_p, nothing, counts.offsets)
        return model.joint(encoder.encode_table(table.like(known)))
