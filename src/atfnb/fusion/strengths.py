"""Choose by cross-validation how strongly the effects of values are shrunk.

Folds and samples depend on the content of a row, not on its position: rows, columns and classes in another order have
the same folds, and a row of weight two is two equal rows, one for each of two folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from atfnb._pieces import CodedRows, Pieces, on_all_cores
from atfnb._processes import step
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray
from atfnb.counts import Counts
from atfnb.fusion.effects import Effects, EffectSetting, joint_of, learn_effects

Keys = NDArray[np.uint64]
"""A number for the content of each row."""

ROUGH = 0.1
"""The precision of learning that is enough to compare strengths."""
MAX_ITER = 300
"""The number of steps of learning to compare strengths, at most."""
THREADS_FROM = 1 << 19
"""Rows × attributes × classes above which a pass takes longer than what Python does around it."""
MAX_DEALT = 64
"""The number of equal rows that are dealt one by one; of more, the others go into the folds evenly."""
CLEARLY = 1.01
"""A log-loss this many times the lowest one is clearly higher: weaker strengths do not bring it down again."""


# --- Folds by the content of rows -------------------------------------------------------------------


def content_keys(codes: CodeArray, counts: Counts) -> Keys:
    """Return a number for the content of each row: (rows,).

    Equal rows have equal numbers, whatever the order of the columns and the names of the classes.
    """
    of_classes = _mix(counts.values.view(np.uint64)).sum(axis=1, dtype=np.uint64)
    position = np.arange(len(of_classes)) - np.repeat(counts.offsets[:-1], counts.n_values + 1)
    of_cells = _mix(of_classes + _mix(position.astype(np.uint64)))
    keys = np.zeros(len(codes), dtype=np.uint64)
    for j, first in enumerate(counts.offsets[:-1]):
        keys += of_cells[first : first + counts.n_values[j] + 1][codes[:, j]]
    return _mix(keys)


def _mix(bits: Keys) -> Keys:
    """Spread the bits of whole numbers (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def deal_weights(keys: Keys, y: ClassArray, weight: FloatArray, folds: int) -> FloatArray:
    """Return how much of each row's weight goes into each fold, stratified by class: (rows, folds).

    >>> keys, y = np.array([5, 7, 9], dtype=np.uint64), np.zeros(3, dtype=np.int32)
    >>> deal_weights(keys, y, np.array([1.0, 1.0, 2.0]), folds=2)
    array([[0., 1.],
           [1., 0.],
           [1., 1.]])
    """
    group, total, key, of_class = _equal_rows(keys, y, weight)
    first = np.searchsorted(of_class, of_class)
    turn = np.arange(len(total)) - first + (key[first] % np.uint64(folds)).astype(np.int64)  # a class begins anywhere
    rounds = np.floor(total / folds)
    rest = total - folds * rounds
    seat = (np.arange(folds) - turn[:, None]) % folds
    dealt = rounds[:, None] + np.clip(rest[:, None] - seat, 0.0, 1.0)
    return np.asarray((weight / total[group])[:, None] * dealt[group])


def deal_apart(keys: Keys, y: ClassArray, weight: FloatArray, folds: int) -> FloatArray:
    """Return how much of each row's weight goes into each fold, stratified by class, equal rows apart: (rows, folds).

    The rows of a class are dealt in turn, in an order that equal rows do not share. Dealt one after the other, every
    fold has the same share of each class among equal rows, and does not show that the cells of a pair are learned by
    heart. A weight of two is two equal rows.

    >>> keys, y = np.array([5, 7, 9], dtype=np.uint64), np.zeros(3, dtype=np.int32)
    >>> deal_apart(keys, y, np.array([1.0, 1.0, 2.0]), folds=2)
    array([[0., 1.],
           [1., 0.],
           [1., 1.]])
    """
    group, total, key, of_class = _equal_rows(keys, y, weight)
    evenly = np.floor(np.maximum(total - MAX_DEALT, 0.0) / folds)
    one, share = _single_rows(key, of_class, total - folds * evenly)
    turn = np.arange(len(one.keys)) - one.first + (one.keys[one.first] % np.uint64(folds)).astype(np.int64)
    dealt = np.repeat(evenly[:, None], folds, axis=1)  # (groups, folds)
    np.add.at(dealt, (one.group, turn % folds), share)
    return np.asarray((weight / total[group])[:, None] * dealt[group])


def _equal_rows(keys: Keys, y: ClassArray, weight: FloatArray) -> tuple[IntArray, FloatArray, Keys, ClassArray]:
    """Return the group of equal rows that each row is in, and the weight, the key and the class of each group."""
    order = np.lexsort((keys, y))
    begins = np.append(True, (np.diff(keys[order]) != 0) | (np.diff(y[order]) != 0))
    group = np.empty(len(keys), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    total: FloatArray = np.bincount(group, weights=weight).astype(np.float64)
    return group, total, keys[order][begins], y[order][begins]


class _SingleRows(NamedTuple):
    """Groups of equal rows, one row after the other, sorted by class and by a key that equal rows do not share."""

    group: IntArray
    keys: Keys
    first: IntArray
    """The position of the first row of the same class."""


def _single_rows(keys: Keys, y: ClassArray, weight: FloatArray) -> tuple[_SingleRows, FloatArray]:
    """Return single rows of groups of equal rows, sorted by class, and the weight of each, at most 1.

    The keys follow from what is in the row, from its class and from its number among equal rows.
    """
    starts, of_class = np.unique(np.searchsorted(y, y), return_inverse=True)
    seed = keys + np.add.reduceat(_mix(keys + weight.view(np.uint64)), starts)[of_class]
    copies = np.ceil(weight).astype(np.int64)
    group = np.repeat(np.arange(len(keys)), copies)
    number = np.arange(len(group)) - np.repeat(np.cumsum(copies) - copies, copies)
    single = np.where(number == 0, keys[group], _mix(seed[group] + _mix(number.astype(np.uint64))))
    order = np.lexsort((single, y[group]))
    group, number = group[order], number[order]
    rows = _SingleRows(group, single[order], np.searchsorted(y[group], y[group]))
    return rows, np.minimum(weight[group] - number, 1.0)


def split_weights(shares: FloatArray, weight: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield, for each fold, the training weight and the test weight of each row: (rows,) and (rows,).

    ``shares`` (rows, folds) is what :func:`deal_weights` returns. A fold without training rows or without test rows is
    left out.
    """
    for share in shares.T:
        rest = np.where(weight - share > 1e-9 * weight, weight - share, 0.0)
        if share.any() and rest.any():
            yield rest, share


@dataclass(frozen=True)
class Fold:
    """The training rows and the test rows of a fold; a row of weight above 1 can be among both, in parts."""

    training: CodedRows
    test: CodedRows
    seen: BoolArray
    """(rows,) which of all rows are training rows."""
    held_out: BoolArray
    """(rows,) which of all rows are test rows."""
    rest: FloatArray
    """(rows,) the training weight of all rows."""
    part: FloatArray
    """(test rows,) the share of each test row's weight that is held out."""


def folds_of(rows: CodedRows, shares: FloatArray) -> Iterator[Fold]:
    """Yield the folds of rows, of whose weights each fold has a share (rows, folds); none if they have too few rows."""
    for rest, share in split_weights(shares, rows.weight):
        seen, held_out = rest > 0, share > 0
        part = (share / rows.weight)[held_out]
        yield Fold(rows.take(seen, rest), rows.take(held_out, share), seen, held_out, rest, part)


# --- A sample of many rows --------------------------------------------------------------------------


@dataclass(frozen=True)
class RowSample:
    """The rows with the lowest keys: at most ``most`` keys, equal rows as one row with their total weight.

    Samples add up: the sample of all rows is the same, whatever pieces they came in.
    """

    most: int
    keys: Keys
    """(rows,) sorted."""
    rows: CodedRows

    @classmethod
    def empty(cls, counts: Counts, most: int) -> RowSample:
        """Return the sample of no rows."""
        codes, y = np.zeros((0, len(counts.n_values)), dtype=np.uint8), np.zeros(0, dtype=np.int32)
        return cls(most, np.zeros(0, dtype=np.uint64), CodedRows(codes, y, np.zeros(0)))

    def fill(self, counts: Counts, rows: CodedRows) -> RowSample:
        """Return the sample with a block of rows added; rows with higher keys than a full sample are left out."""
        keys = content_keys(rows.codes, counts)
        full = len(self.keys) >= self.most
        low = keys <= self.keys[-1] if full else np.ones(len(keys), dtype=bool)
        return self + RowSample(self.most, keys[low], rows.take(low))

    def __add__(self, other: RowSample) -> RowSample:
        keys, y = np.append(self.keys, other.keys), np.append(self.rows.y, other.rows.y)
        order = np.lexsort((y, keys))
        keys, y = keys[order], y[order]
        new_key = np.append(True, np.diff(keys) != 0)[: len(keys)]
        begins = np.flatnonzero(new_key | np.append(True, np.diff(y) != 0)[: len(keys)])
        kept = begins[np.cumsum(new_key)[begins] <= self.most]
        weight = np.append(self.rows.weight, other.rows.weight)[order]
        weight = np.add.reduceat(weight, begins) if len(begins) else weight
        codes = np.concatenate([self.rows.codes, other.rows.codes])[order[kept]]
        return RowSample(self.most, keys[kept], CodedRows(codes, y[kept], weight[: len(kept)]))


def sample_rows(rows: Pieces[CodedRows], counts: Counts, most: int) -> RowSample:
    """Return a sample of the rows, the same in whatever order and pieces they come."""
    total: RowSample = rows.sum("rows to choose by", partial(RowSample.empty, counts, most), partial(_fill, counts))
    return total


def _fill(counts: Counts, into: RowSample, rows: CodedRows) -> RowSample:
    return into.fill(counts, rows)


# --- Strengths --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StrengthTrial:
    """A strength, and the out-of-fold log-loss of each row under it."""

    strength: float
    losses: FloatArray
    """(rows,)"""
    effects: tuple[Effects, ...] = ()
    """What was learned in each fold."""


def try_strengths(
    strengths: Sequence[float], setting: EffectSetting, folds: Sequence[Fold], weight: FloatArray
) -> list[StrengthTrial]:
    """Return the out-of-fold log-loss of each row under each strength, from the strongest down.

    Each strength starts from the effects of the one before. Weaker strengths take longer: once the log-loss is clearly
    higher than the lowest so far, the remaining ones are not tried.
    """
    learners = [_FoldLearner(f"fold {k} of {len(folds)}", setting, fold) for k, fold in enumerate(folds, start=1)]
    trials: list[StrengthTrial] = []
    for number, strength in enumerate(sorted(strengths, reverse=True), start=1):
        losses = np.zeros(len(weight))
        with step(f"strength {number} of {len(strengths)}"):
            tried = on_all_cores(methodcaller("try_out", strength), learners, worth=worth_threads(setting, len(weight)))
            for fold, loss in zip(folds, tried, strict=True):
                losses[fold.held_out] += fold.part * loss
        trials.append(StrengthTrial(strength, losses, tuple(learner.effects for learner in learners)))
        if weight @ losses > CLEARLY * float(weight @ best_trial(trials, weight).losses):
            break
    return trials


class _FoldLearner:
    """Learns effects from the training rows of a fold, with one strength after the other."""

    def __init__(self, name: str, setting: EffectSetting, fold: Fold) -> None:
        self._name = name
        self._setting, self._test, self.effects = setting, fold.test, Effects.none(setting)
        self._training = fold.training.in_blocks(len(self.effects.values))

    def try_out(self, strength: float) -> FloatArray:
        """Return the log-loss of each test row after learning with a strength: (test rows,)."""
        setting, test = self._setting, self._test
        with step(self._name):
            learned = learn_effects(strength, setting, self._training, self.effects, precision=ROUGH, max_iter=MAX_ITER)
        self.effects = learned.effects
        return losses_of(self.effects, setting, test)


def losses_of(effects: Effects, setting: EffectSetting, rows: CodedRows) -> FloatArray:
    """Return the log-loss of each row under some effects: (rows,)."""
    joint = joint_of(effects, setting, rows)
    return np.asarray(logsumexp(joint, axis=1) - joint[np.arange(len(joint)), rows.y])


def worth_threads(setting: EffectSetting, rows: int) -> bool:
    """Return whether a pass over the rows takes long enough for folds to run side by side."""
    return rows * setting.counts.n_values.size * len(setting.prior) >= THREADS_FROM


def best_trial(trials: list[StrengthTrial], weight: FloatArray) -> StrengthTrial:
    """Return the trial with the lowest total log-loss, of several the one with the weakest strength."""
    return min(trials, key=lambda trial: (float(weight @ trial.losses), trial.strength))
