"""What the data choose: how strongly effects are held back, and whether naive Bayes' own sum helps them.

Folds are dealt by what is in a row, not by where it stands: rows, columns and classes in another order have the same
folds, and a row of weight two is two equal rows, one for each of two folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from atfnb._pieces import CodedRows, Pieces, on_all_cores
from atfnb._processes import step
from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray
from atfnb.counts import Counts
from atfnb.fusion.effects import Effects, EffectSetting, learn_effects, scores_of

Keys = NDArray[np.uint64]

ROUGH = 0.1
"""The precision that is enough to tell strengths apart."""
MAX_ITER = 300
THREADS_FROM = 1 << 19
"""Rows × attributes × classes from which on a pass takes longer than what Python does around it."""
CLEARLY = 1.01
"""A log-loss so many times the lowest one is clearly higher: weaker strengths do not bring it down again."""


def content_keys(codes: CodeArray, counts: Counts) -> Keys:
    """A number for what is in each row: the same for equal rows, whatever the order of columns or classes."""
    of_classes = _mix(counts.values.view(np.uint64)).sum(axis=1, dtype=np.uint64)
    place = np.arange(len(of_classes)) - np.repeat(counts.offsets[:-1], counts.n_values + 1)
    of_cells = _mix(of_classes + _mix(place.astype(np.uint64)))
    keys = np.zeros(len(codes), dtype=np.uint64)
    for j, first in enumerate(counts.offsets[:-1]):
        keys += of_cells[first : first + counts.n_values[j] + 1][codes[:, j]]
    return _mix(keys)


def _mix(bits: Keys) -> Keys:
    """Spread the bits of whole numbers (the finaliser of SplitMix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def split_weights(keys: Keys, y: ClassArray, weight: FloatArray, folds: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Of each fold, the weight of the rows that are left and of those that are held out."""
    for share in deal_weights(keys, y, weight, folds).T:
        rest = np.where(weight - share > 1e-9 * weight, weight - share, 0.0)
        if share.any() and rest.any():
            yield rest, share


def deal_weights(keys: Keys, y: ClassArray, weight: FloatArray, folds: int) -> FloatArray:
    """How much of each row's weight goes into each fold, class by class: (rows, folds).

    >>> keys, y = np.array([5, 7, 9], dtype=np.uint64), np.zeros(3, dtype=np.int32)
    >>> deal_weights(keys, y, np.array([1.0, 1.0, 2.0]), folds=2)
    array([[0., 1.],
           [1., 0.],
           [1., 1.]])
    """
    order = np.lexsort((keys, y))
    begins = np.append(True, (np.diff(keys[order]) != 0) | (np.diff(y[order]) != 0))
    group = np.empty(len(keys), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    total = np.bincount(group, weights=weight)
    of_class, key = y[order][begins], keys[order][begins]
    first = np.searchsorted(of_class, of_class)
    turn = np.arange(len(total)) - first + (key[first] % np.uint64(folds)).astype(np.int64)  # a class begins anywhere
    rounds = np.floor(total / folds)
    rest = total - folds * rounds
    seat = (np.arange(folds) - turn[:, None]) % folds
    dealt = rounds[:, None] + np.clip(rest[:, None] - seat, 0.0, 1.0)
    return np.asarray((weight / total[group])[:, None] * dealt[group])


@dataclass(frozen=True)
class RowSample:
    """The rows with the lowest keys: no more keys than ``most``, and equal rows as one, of the weight of them all.

    Samples add up: that of all rows is the same, whatever parts they came in.
    """

    most: int
    keys: Keys
    """(rows,) sorted."""
    codes: CodeArray
    y: ClassArray
    weight: FloatArray

    def __add__(self, other: RowSample) -> RowSample:
        keys, y = np.append(self.keys, other.keys), np.append(self.y, other.y)
        order = np.lexsort((y, keys))
        keys, y = keys[order], y[order]
        new_key = np.append(True, np.diff(keys) != 0)[: len(keys)]
        begins = np.flatnonzero(new_key | np.append(True, np.diff(y) != 0)[: len(keys)])
        kept = begins[np.cumsum(new_key)[begins] <= self.most]
        weight = np.append(self.weight, other.weight)[order]
        weight = np.add.reduceat(weight, begins) if len(begins) else weight
        codes = np.concatenate([self.codes, other.codes])[order[kept]]
        return RowSample(self.most, keys[kept], codes, y[kept], weight[: len(kept)])


def sample_rows(rows: Pieces[CodedRows], counts: Counts, most: int) -> RowSample:
    """Rows to choose by, the same ones in whatever order and parts they come."""
    total: RowSample = rows.sum("rows to choose by", partial(_no_rows, counts, most), partial(_add_rows, counts))
    return total


def _no_rows(counts: Counts, most: int) -> RowSample:
    codes, y = np.zeros((0, len(counts.n_values)), dtype=np.uint8), np.zeros(0, dtype=np.int32)
    return RowSample(most, np.zeros(0, dtype=np.uint64), codes, y, np.zeros(0))


def _add_rows(counts: Counts, into: RowSample, rows: CodedRows) -> RowSample:
    """Add a block of rows; those with higher keys than a full sample need not be looked at."""
    keys = content_keys(rows.codes, counts)
    full = len(into.keys) >= into.most
    low = keys <= into.keys[-1] if full else np.ones(len(keys), dtype=bool)
    return into + RowSample(into.most, keys[low], rows.codes[low], rows.y[low], rows.weight[low])


@dataclass(frozen=True)
class Fold:
    """Rows to learn from, and the rest of the rows to try it on; each has been left out by one fold, or in parts."""

    training: CodedRows
    test: CodedRows
    seen: BoolArray
    """(rows,) which of all rows are learned from,"""
    held_out: BoolArray
    """and which are tried."""
    rest: FloatArray
    """(rows,) the weight that each is learned from with."""
    part: FloatArray
    """How much of each row that is tried is held out."""


def folds_of(rows: CodedRows, keys: Keys, folds: int) -> Iterator[Fold]:
    """Deal rows into folds, and leave each of them out; none, where nothing would be left."""
    for rest, share in split_weights(keys, rows.y, rows.weight, folds):
        seen, held_out = rest > 0, share > 0
        part = (share / rows.weight)[held_out]
        yield Fold(rows.take(seen, rest), rows.take(held_out, share), seen, held_out, rest, part)


@dataclass(frozen=True)
class StrengthTrial:
    """One strength, tried out of fold: the log-loss of each row."""

    strength: float
    losses: FloatArray


def try_strengths(
    strengths: Sequence[float], setting: EffectSetting, folds: Sequence[Fold], weight: FloatArray
) -> list[StrengthTrial]:
    """Return the out-of-fold log-loss of each row under each strength, from the strongest down.

    Each strength starts from the effects of the one before. The weaker they are the longer they take: once the
    log-loss is clearly higher than the lowest so far, those that are left are not tried.
    """
    learners = [_Learner(f"fold {k} of {len(folds)}", setting, fold) for k, fold in enumerate(folds, start=1)]
    trials: list[StrengthTrial] = []
    for place, strength in enumerate(sorted(strengths, reverse=True), start=1):
        losses = np.zeros(len(weight))
        with step(f"strength {place} of {len(strengths)}"):
            tried = on_all_cores(methodcaller("try_out", strength), learners, worth=worth_threads(setting, len(weight)))
            for fold, loss in zip(folds, tried, strict=True):
                losses[fold.held_out] += fold.part * loss
        trials.append(StrengthTrial(strength, losses))
        if weight @ losses > CLEARLY * lowest_loss(trials, weight)[0]:
            break
    return trials


class _Learner:
    """Learns effects from the training rows of a fold, with one strength after the other."""

    def __init__(self, name: str, setting: EffectSetting, fold: Fold) -> None:
        self._name = name
        self._setting, self._test, self._effects = setting, fold.test, Effects.none(setting)
        self._training = fold.training.in_blocks(len(self._effects.values))

    def try_out(self, strength: float) -> FloatArray:
        """Return the log-loss of each test row after learning with a strength."""
        with step(self._name):
            learned = learn_effects(
                strength, self._setting, self._training, self._effects, precision=ROUGH, max_iter=MAX_ITER
            )
        self._effects = learned.effects
        scores = scores_of(self._effects, self._setting, self._test)
        return np.asarray(logsumexp(scores, axis=1) - scores[np.arange(len(scores)), self._test.y])


def worth_threads(setting: EffectSetting, rows: int) -> bool:
    """Return whether a pass over the rows takes so long that folds should run side by side."""
    return rows * setting.counts.n_values.size * len(setting.prior) >= THREADS_FROM


def lowest_loss(trials: list[StrengthTrial], weight: FloatArray) -> tuple[float, float]:
    """The lowest log-loss, and the strength that has it."""
    return min((float(weight @ trial.losses), trial.strength) for trial in trials)
