"""Effects of pairs of attributes: which attributes act together, and what two of their values add together.

The values of each attribute are gathered into a few groups, so that a pair of attributes has a small grid of cells. A
pair is learned like one more attribute, whose values are the cells of its grid: its effects are held to zero, and where
an attribute is a number, to those of the neighbouring cells.

Which pairs to learn is decided by what the effects of single values leave over: :func:`rank_pairs`. What a pair says of
one of its attributes alone is given to that attribute at the end: :func:`purify`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.special import softmax

from atfnb._pieces import CodedRows, Pieces
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.counts import Counts, count_pieces
from atfnb.encoding import FineEncoder
from atfnb.fusion.effects import RANGE, AcrossLinks, Effects, EffectSetting, joint_of
from atfnb.fusion.shapes import Chains, Constraints, nearest
from atfnb.model import NO_PAIRS, PairGrids

MOST_GROUPS = 12
"""The number of groups of an attribute in the grid of a pair, at most; categories have one more for the rare ones."""
LEAST_GROUPS = 4
"""The number of groups of a number, at most, where rows are few; in between, it is the cube root of their number."""
RANKED_GROUPS = 8
"""The number of groups of a number while pairs are ranked."""
FLAT = 0.25
"""How strongly the effects of a smooth grid are held to zero, in units of those of a grid of two categories."""
RANK_FACTOR = 3.0
"""How many times as strongly as values pairs count as shrunk while they are ranked: between the κ that are tried."""
RANK_LEAST = 1.0
"""What is added to it, so that a cell with hardly any rows gains little even where values are hardly shrunk."""
TABLE_BYTES = 1 << 26
"""The memory that the tables of a pass may take while pairs are ranked."""


# --- Groups of values -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grouping:
    """The values of each attribute in groups."""

    groups: IntArray
    """(cells,) the group of each value; for "unknown", the number of groups."""
    n_groups: IntArray
    """(attributes,)"""
    n_ordered: IntArray
    """(attributes,) how many of them, the first ones, are intervals of a number, in order."""
    starts: IntArray
    """(attributes + 1,) where the cells of each attribute begin."""
    keys: FloatArray
    """(attributes,) a number for each attribute that does not depend on the order of the columns."""

    @property
    def n_pairs(self) -> int:
        """How many pairs can act together: an attribute with one group only acts with no other."""
        n = int((self.n_groups > 1).sum())
        return n * (n - 1) // 2

    def only(self, kept: BoolArray) -> Grouping:
        """Return the groups of some attributes (attributes,); the others have none."""
        groups = np.where(np.repeat(kept, np.diff(self.starts)), self.groups, 0)
        return replace(self, groups=groups, n_groups=np.where(kept, self.n_groups, 0))

    def grids(self, pairs: IntArray) -> PairGrids:
        """Return the grids of pairs of attributes (pairs, 2), laid out in the order of the attributes' keys.

        Learning stops close to the minimum of the loss, and where exactly depends on which attribute runs along the
        rows of a grid: that must not be the order of the columns. An attribute in no pair has no groups there.
        """
        pairs = pairs.reshape(-1, 2)
        turned = self.keys[pairs[:, 0]] > self.keys[pairs[:, 1]]
        own = self.only(np.isin(np.arange(len(self.n_groups)), pairs))
        of = np.where(turned[:, None], pairs[:, ::-1], pairs)
        return PairGrids(of, own.groups, own.n_groups, self.starts)


def group_values(fine: FineEncoder, counts: Counts, most_of_number: int | None = None) -> Grouping:
    """Return the groups of values: intervals of a number with about as many rows each, and the commonest categories.

    A missing value, where it is a value, is a group of its own. A number has as many groups, at most, as are given, or
    as the rows allow: MOST_GROUPS from some 1,700 on.
    """
    most = most_of_number or int(np.clip(np.rint(np.cbrt(counts.classes.sum())), LEAST_GROUPS, MOST_GROUPS))
    found = [_groups_of(fine, counts, j, most) for j in range(len(counts.n_values))]
    groups, n_groups, n_ordered = zip(*found, strict=True)
    keys = _attribute_keys(counts)
    return Grouping(np.concatenate(groups), np.array(n_groups), np.array(n_ordered), counts.offsets, keys)


def _groups_of(fine: FineEncoder, counts: Counts, j: int, most: int) -> tuple[IntArray, int, int]:
    """Return the group of each value of an attribute, how many there are, and how many of them are ordered."""
    cells = slice(counts.offsets[j], counts.offsets[j + 1] - 1)
    weight, missing = counts.values[cells].sum(axis=1), fine.encoder.missing[cells]
    n_ordered = int(fine.ordered[cells].sum())
    of_values = np.zeros(len(weight), dtype=np.int64)
    if n_ordered:
        rows = weight[:n_ordered]
        middle = (np.cumsum(rows) - rows / 2) / max(rows.sum(), 1e-300)
        _, of_values[:n_ordered] = np.unique((middle * most).astype(np.int64), return_inverse=True)
        n_ordered = n_groups = int(of_values[:n_ordered].max()) + 1
    else:
        present = np.flatnonzero(~missing)
        rank = np.empty(len(present), dtype=np.int64)
        rank[np.argsort(-weight[present], kind="stable")] = np.arange(len(present))
        of_values[present] = np.minimum(rank, MOST_GROUPS)
        n_groups = min(len(present), MOST_GROUPS + 1)
    of_values[missing] = n_groups
    n_groups += bool(missing.any())
    return np.append(of_values, n_groups), n_groups, n_ordered


# --- Which pairs ------------------------------------------------------------------------------------


def rank_pairs(
    effects: Effects, shrinkage: float, setting: EffectSetting, rows: Pieces[CodedRows], grouping: Grouping, most: int
) -> IntArray:
    """Return the pairs of attributes whose grids would lower the log-loss most: (pairs, 2), ``most`` at the most.

    With r and h the first and second derivatives of the log-loss of a row by the joint log-likelihood of a class, a
    step of Newton's method in a cell with sums R and H gains ½ R²/(H + λ'), of which chance alone would give
    ½ H/(H + λ'). The gain of a pair is the difference, summed over its cells and the classes.

    Parameters
    ----------
    effects : Effects
        The effects of values that have been learned.
    shrinkage : float
        λ, that of the effects of values; λ' = RANK_FACTOR·λ + RANK_LEAST.
    setting : EffectSetting
    rows : Pieces[CodedRows]
    grouping : Grouping
    most : int
        The number of pairs, at most; there are fewer only if the attributes have fewer.
    """
    looked = np.flatnonzero(grouping.n_groups > 1)
    keys, n_groups = grouping.keys[looked], grouping.n_groups[looked]
    if len(looked) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    table = (int(n_groups.max()), int(n_groups.sum()), 2 * len(setting.prior))  # of each attribute with all others
    together = max(1, TABLE_BYTES // (8 * int(np.prod(table))))
    pairs, gains = np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.float32)
    for first in range(0, len(keys) - 1, together):
        last = min(first + together, len(keys) - 1)
        empty, fill = (
            partial(np.zeros, (last - first, *table)),
            partial(_add_block, effects, setting, grouping, looked, first),
        )
        of_block = _gains(rows.sum("pairs of attributes", empty, fill), RANK_FACTOR * shrinkage + RANK_LEAST, n_groups)
        a, b = np.nonzero(np.arange(first, last)[:, None] < np.arange(len(keys)))
        pairs = np.vstack([pairs, np.stack([first + a, b], axis=1)])
        gains = np.append(gains, of_block[a, b].astype(np.float32))  # rounded: what is equal on paper ties
        order = np.lexsort((keys[pairs].sum(axis=1), -gains))[:most]
        pairs, gains = pairs[order], gains[order]  # only the best so far: of all pairs, there are too many to keep
    return np.asarray(looked[pairs])


def _attribute_keys(counts: Counts) -> FloatArray:
    """Return a number for each attribute that follows from its counts, in whatever order columns and classes are."""
    position = np.concatenate([np.arange(1.0, n + 2) for n in counts.n_values])
    keys = counts.per_attribute(np.sqrt(position) * np.sqrt(counts.values).sum(axis=1))
    return keys.astype(np.float32).astype(np.float64)  # rounded: what is equal on paper ties


def _add_block(
    effects: Effects,
    setting: EffectSetting,
    grouping: Grouping,
    looked: IntArray,
    first: int,
    into: FloatArray,
    rows: CodedRows,
) -> FloatArray:
    """Add r and h of a block of rows to the sums: (attributes, groups, groups of all attributes, 2 × classes).

    ``looked`` are the attributes that pairs are looked for among, and ``first`` is the first of them that is summed; a
    pair is summed with the one of its two that stands to the left.
    """
    from atfnb._kernels import fusion as kernels

    chance = softmax(joint_of(effects, setting, rows), axis=1)
    left = chance.copy()
    left[np.arange(len(rows.y)), rows.y] -= 1.0
    unit, weight = setting.counts.unit, rows.weight[:, None]
    amounts = np.hstack([weight * left, weight * chance * (1.0 - chance)])
    amounts = np.rint(amounts / unit) * unit
    groups = grouping.groups[rows.codes[:, looked] + grouping.starts[looked]].astype(np.uint8)
    n_groups = grouping.n_groups[looked]
    kernels.add_pair_sums(groups, _first_groups(n_groups), n_groups, first, amounts, into)
    return into


def _first_groups(n_groups: IntArray) -> IntArray:
    """Return where the groups of each attribute begin, among those of all: (attributes,)."""
    return np.cumsum(n_groups) - n_groups


def _gains(sums: FloatArray, shrinkage: float, n_groups: IntArray) -> FloatArray:
    """Return ½ Σ (R² − H)/(H + λ') of each pair: (attributes of the block, attributes)."""
    first, second = np.split(sums, 2, axis=3)
    gain = ((first**2 - second) / (second + shrinkage)).sum(axis=(1, 3))
    used = n_groups > 0
    gains = np.zeros((len(gain), len(used)))
    gains[:, used] = 0.5 * np.add.reduceat(gain, _first_groups(n_groups)[used], axis=1)
    return gains


# --- Pairs as further attributes --------------------------------------------------------------------


@dataclass(frozen=True)
class PairRows:
    """Rows coded with a further column for each pair, and their counts."""

    grouping: Grouping
    grids: PairGrids
    rows: Pieces[CodedRows]
    counts: Counts
    """Those of the values, and as further attributes of the cells of the grids."""
    shapes: Constraints | None
    """The shapes of the effects of values, and of pairs along the same attributes."""

    @classmethod
    def of(cls, grouping: Grouping, pairs: IntArray, rows: Pieces[CodedRows], base: EffectSetting) -> Self:
        """Code the cells of pairs (pairs, 2) beside the values of each row, and count them."""
        grids = grouping.grids(pairs)
        pieces = rows.map(partial(beside, grids)).keep(_row_bytes(grids, base.counts))
        n_values = np.concatenate([base.counts.n_values, grids.n_cells])
        counts, shapes = count_pieces(pieces, n_values, len(base.prior)), base.shapes
        if shapes is not None:
            shapes = Constraints.of([*shapes.chains, *_chains_of_pairs(shapes, grids)], counts)
        return cls(grouping, grids, pieces, counts, shapes)

    def setting(self, base: EffectSetting, shrinkage: float) -> EffectSetting:
        """Return the setting of values with pairs as further attributes, which are shrunk by κλ, ``shrinkage``."""
        grids, counts, before = self.grids, self.counts, len(base.own)
        known = counts.known[before:, None].astype(np.float64)
        rows = counts.values[before:].sum(axis=1, keepdims=True) * known
        cells = grids.n_cells + 1
        total = np.add.reduceat(rows, grids.offsets[:-1])
        share = rows / np.maximum(np.repeat(total, cells, axis=0), 1e-300)
        precisions = [_precisions(grids, p, self.grouping.n_ordered) for p in range(len(grids.of))]
        own, link, across = (np.concatenate(parts)[:, None] for parts in zip(*precisions, strict=True))
        linked = np.flatnonzero(across[:, 0] > 0)
        width, lines = np.repeat(grids.shapes[:, 1], cells), base.across
        return EffectSetting(
            counts,
            base.prior,
            np.vstack([base.share, share]),
            np.vstack([base.present, known]),
            np.vstack([base.own, shrinkage * own]),
            np.vstack([base.link, shrinkage * link]),
            AcrossLinks(
                np.append(lines.cells, before + linked),
                np.append(lines.before, before + linked - width[linked]),
                np.vstack([lines.precision, shrinkage * across[linked]]),
            ),
            base.tolerance,
            self.shapes,
        )


def _chains_of_pairs(shapes: Constraints, grids: PairGrids) -> Iterator[Chains]:
    """Generate the cells along which effects of pairs have the shapes that those of values have."""
    for pair, of in enumerate(grids.of.tolist()):
        first = grids.starts[-1] + grids.offsets[pair]
        block = slice(first, first + grids.n_cells[pair] + 1)
        cells = first + np.arange(grids.n_cells[pair]).reshape(grids.shapes[pair])
        for chain in shapes.chains:
            if chain.shape.attribute in of:
                groups = groups_in_order(chain, grids)
                lines = cells[groups].T if of[0] == chain.shape.attribute else cells[:, groups]
                yield Chains(chain.shape, lines, np.arange(float(len(groups))), block)


def groups_in_order(chain: Chains, grids: PairGrids) -> IntArray:
    """Return the groups of the values along which the effects of values have a shape, in their order."""
    groups = grids.groups[chain.cells[0]]
    return np.asarray(groups[np.append(True, np.diff(groups) != 0)])


def beside(grids: PairGrids, rows: CodedRows) -> CodedRows:
    """Return rows with the cells of pairs beside their values."""
    return replace(rows, codes=grids.beside(rows.codes))


def _row_bytes(grids: PairGrids, counts: Counts) -> int:
    """Return how many bytes the codes of a row take beside those of its pairs: the widest code sets the type of all."""
    widest = np.min_scalar_type(max(int(counts.n_values.max()), int(grids.n_cells.max(initial=0))))
    return (len(counts.n_values) + len(grids.of)) * widest.itemsize


def _precisions(grids: PairGrids, pair: int, n_ordered: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what holds each cell of a grid to zero, to the cell before it, and to the one in the row before."""
    rows, columns = grids.shapes[pair]
    down, along = n_ordered[grids.of[pair]]
    own = np.full((rows, columns), FLAT if max(down, along) > 1 else 1.0)
    link, across = np.zeros((rows, columns)), np.zeros((rows, columns))
    link[:, 1:along] = (along - 1) / RANGE
    across[1:down] = (down - 1) / RANGE
    return np.append(own, 1.0), np.append(link, 0.0), np.append(across, 0.0)


def resized(effects: Effects, setting: EffectSetting) -> Effects:
    """Return effects to start from in a setting with more pairs, or with fewer: those that are new are 0."""
    values = np.zeros((len(setting.own), len(setting.prior)))
    shared = min(len(values), len(effects.values))
    values[:shared] = effects.values[:shared]
    return replace(effects, values=values)


# --- What is of the pair alone ----------------------------------------------------------------------


@dataclass(frozen=True)
class PairEffects:
    """The effects of pairs, of which each holds what its two attributes do not say alone."""

    grids: PairGrids
    values: FloatArray
    """(cells of the grids, classes)"""
    kappa: float | None
    """How many times as strongly they were shrunk as the effects of values; None if there are no pairs."""

    @classmethod
    def none(cls, effects: Effects) -> Self:
        """Return the effects of no pairs, beside those of values."""
        return cls(NO_PAIRS, effects.values[:0], None)

    @classmethod
    def purified(cls, effects: Effects, setting: EffectSetting, grids: PairGrids, kappa: float) -> tuple[Effects, Self]:
        """Return the effects of values and of pairs, where pairs keep only what their two attributes do not say alone.

        What a grid says of one of its attributes, averaged over the training rows, is added to the effects of that
        attribute's values; along an attribute that has a shape, as far as the average has it too: where the other
        attribute is unknown, the effects of values obey alone. The sum of all effects stays the same. The attributes of
        a pair are in the order of the columns.
        """
        base = grids.starts[-1]
        values, pairs, bias = effects.values[:base].copy(), effects.values[base:].copy(), effects.bias.copy()
        grids = replace(grids, rows=setting.counts.values[base:].sum(axis=1))
        for p, (a, b) in enumerate(grids.of):
            pure, of_a, of_b, mean = purify(grids.table(p, pairs), grids.rows_of(p))
            if setting.shapes is not None:
                with_a, with_b = (_with_shape(*each, setting.shapes, grids) for each in ((a, of_a), (b, of_b)))
                pure, of_a, of_b = pure + (of_a - with_a)[:, None] + (of_b - with_b)[None], with_a, with_b
            pairs[grids.offsets[p] : grids.offsets[p + 1] - 1] = pure.reshape(-1, pairs.shape[1])
            for j, margin in ((a, of_a), (b, of_b)):
                cells = slice(grids.starts[j], grids.starts[j + 1] - 1)
                values[cells] += margin[grids.groups[cells]]
            bias += mean
        return Effects(values, bias, effects.gamma), cls(*_in_column_order(grids, pairs), kappa)


def _with_shape(attribute: int, margin: FloatArray, shapes: Constraints, grids: PairGrids) -> FloatArray:
    """Return the margin of a grid (groups, classes) nearest to one that has the shapes of its attribute."""
    chains = [
        each for each in shapes.chains if each.shape.attribute == attribute and each.block.stop <= grids.starts[-1]
    ]
    if not chains:
        return margin
    groups, margin = groups_in_order(chains[0], grids), margin.copy()
    places = np.arange(float(len(groups)))
    along: list[Any] = [np.kron(each.shape.differences(places), each.shape.contrasts) for each in chains]
    margin[groups] = nearest(margin[groups].ravel(), np.vstack(along)).reshape(-1, margin.shape[1])
    return margin


def _in_column_order(grids: PairGrids, values: FloatArray) -> tuple[PairGrids, FloatArray]:
    """Return grids and their effects with the attributes of each pair in the order of the columns."""
    rows, ordered = grids.rows.copy(), values.copy()
    for p in np.flatnonzero(grids.of[:, 0] > grids.of[:, 1]).tolist():
        cells = slice(grids.offsets[p], grids.offsets[p + 1] - 1)
        ordered[cells] = grids.table(p, values).swapaxes(0, 1).reshape(-1, values.shape[1])
        rows[cells] = grids.rows_of(p).T.ravel()
    return replace(grids, of=np.sort(grids.of, axis=1), rows=rows), ordered


def purify(table: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return a grid without its margins, its margins, and its mean: f(a, b) = pure(a, b) + f(a) + f(b) + mean.

    The margins are those that leave Σ_b weight·pure = 0 for every a and Σ_a weight·pure = 0 for every b (functional
    ANOVA), each with mean zero.

    Parameters
    ----------
    table : (groups, groups, classes) array
    weight : (groups, groups) array
        The weight of the rows in each cell.

    Examples
    --------
    >>> pure, of_a, of_b, mean = purify(np.array([[[1.0], [2.0]], [[3.0], [4.0]]]), np.ones((2, 2)))
    >>> pure.ravel().round(12) + 0.0, of_a.ravel(), of_b.ravel(), mean
    (array([0., 0., 0., 0.]), array([-1.,  1.]), array([-0.5,  0.5]), array([2.5]))
    """
    normal = np.block([[np.diag(weight.sum(axis=1)), weight], [weight.T, np.diag(weight.sum(axis=0))]])
    sums = np.concatenate([(weight[:, :, None] * table).sum(axis=axis) for axis in (1, 0)])
    of_a, of_b = np.split(np.linalg.lstsq(normal, sums)[0], [len(weight)])
    pure = table - of_a[:, None] - of_b[None]
    total = max(float(weight.sum()), 1e-300)
    mean_a, mean_b = weight.sum(axis=1) @ of_a / total, weight.sum(axis=0) @ of_b / total
    return pure, of_a - mean_a, of_b - mean_b, mean_a + mean_b
