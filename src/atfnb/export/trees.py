"""The terms of a model as decision trees over one or two numbers of a row, as ONNX's TreeEnsembleRegressor takes them.

The numbers are the attributes' own, and the codes of text. What is missing is NaN. An infinite number adds infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.export.plan import AttributePlan, ExportError, ModelPlan, PairPlan

INFINITE = -1
"""The code of an infinite number."""


@dataclass(frozen=True)
class Steps:
    """The codes of an attribute as a step function of a number: code[k] from cuts[k − 1] on, below cuts[k]."""

    cuts: tuple[float, ...]
    codes: tuple[int, ...]
    missing: int
    """The code where there is no number."""

    def refusing_infinity(self, largest: float) -> Steps:
        """Return the steps with codes of their own, ``INFINITE``, for what lies beyond the largest number."""
        ends = (-largest, *self.cuts, math.inf)
        return Steps(ends, (INFINITE, *self.codes, INFINITE), self.missing)


def steps_of(attribute: AttributePlan, *, single: bool) -> Steps:
    """Return the codes of an attribute as a function of its number.

    Parameters
    ----------
    attribute : AttributePlan
    single : bool
        Whether numbers come as 32-bit floats; the cuts are rounded as they are.
    """
    kind = np.float32 if single and attribute.part is None else np.float64
    if attribute.kind in ("text", "nothing"):  # the code itself, which is never missing
        last = len(attribute.labels) - 1
        return Steps(tuple(code + 0.5 for code in range(last)), tuple(range(last + 1)), last)
    if attribute.cuts is not None:
        with np.errstate(over="ignore"):
            cuts = np.array(attribute.cuts).astype(kind).astype(np.float64)
        if (
            not np.isfinite(cuts).all()
            or (np.diff(cuts) <= 0).any()
            or ((cuts == 0) != (np.array(attribute.cuts) == 0)).any()
        ):
            raise ExportError(
                f"column {attribute.column!r} is cut at numbers that 32-bit floats cannot tell apart: use double "
                "precision (--double, double=True)."
            )
        return Steps(tuple(cuts.tolist()), tuple(range(len(cuts) + 1)), attribute.missing)
    known = [float(kind(category)) for category in attribute.categories or ()]
    if len(set(known)) < len(known) or not all(a == b for a, b in zip(known, attribute.categories or (), strict=True)):
        size = "32-bit" if single else "64-bit"
        other = "double precision (--double, double=True)" if single else "model.py, model.js or model.sql"
        raise ExportError(f"column {attribute.column!r} has categories that are no {size} floats: use {other}.")
    ends: list[float] = []
    codes = [attribute.unseen]
    for code, value in enumerate(known):
        if ends and ends[-1] == value:  # the number after the category before
            codes[-1] = code
        else:
            ends.append(value)
            codes.append(code)
        ends.append(float(np.nextafter(kind(value), kind(math.inf))))
        codes.append(attribute.unseen)
    return Steps(tuple(ends), tuple(codes), attribute.missing)


@dataclass
class Forest:
    """The nodes of all trees, in the form of the attributes of TreeEnsembleRegressor."""

    feature: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    mode: list[str] = field(default_factory=list)
    yes: list[int] = field(default_factory=list)
    no: list[int] = field(default_factory=list)
    missing_yes: list[int] = field(default_factory=list)
    tree: list[int] = field(default_factory=list)
    node: list[int] = field(default_factory=list)
    leaf_tree: list[int] = field(default_factory=list)
    leaf_node: list[int] = field(default_factory=list)
    leaf_target: list[int] = field(default_factory=list)
    leaf_weight: list[float] = field(default_factory=list)

    def add(self, tree: int, feature: int, value: float, *, missing_yes: bool, leaf: bool = False) -> int:
        """Add a node, and return its number within the tree; where it leads to is set later."""
        number = self.node[-1] + 1 if self.tree and self.tree[-1] == tree else 0
        self.tree.append(tree)
        self.node.append(number)
        self.feature.append(feature)
        self.value.append(value)
        self.mode.append("LEAF" if leaf else "BRANCH_LT")
        self.missing_yes.append(int(missing_yes))
        self.yes.append(0)
        self.no.append(0)
        return number

    def grow(self, tree: int, feature: int, steps: Steps, below: Callable[[int], int]) -> int:
        """Add a tree over one number, whose leaf for each code is what ``below`` adds; return its first node."""
        own = steps.missing not in steps.codes
        if not own:
            return self._halve(tree, feature, steps.cuts, steps.codes, steps.missing, below)
        root = self.add(tree, feature, -math.inf, missing_yes=True)  # no number is below −∞
        at = len(self.tree) - 1
        self.yes[at] = below(steps.missing)
        self.no[at] = self._halve(tree, feature, steps.cuts, steps.codes, None, below)
        return root

    def _halve(
        self,
        tree: int,
        feature: int,
        cuts: Sequence[float],
        codes: Sequence[int],
        missing: int | None,
        below: Callable[[int], int],
    ) -> int:
        if not cuts:
            return below(codes[0])
        middle = len(codes) // 2
        root = self.add(tree, feature, cuts[middle - 1], missing_yes=missing in codes[:middle])
        at = len(self.tree) - 1
        self.yes[at] = self._halve(tree, feature, cuts[: middle - 1], codes[:middle], missing, below)
        self.no[at] = self._halve(tree, feature, cuts[middle:], codes[middle:], missing, below)
        return root

    def leaf(self, tree: int, weights: Sequence[float]) -> int:
        """Add a leaf with a weight for each target, and return its number."""
        number = self.add(tree, 0, 0.0, missing_yes=False, leaf=True)
        for target, weight in enumerate(weights):
            if weight or target == 0:  # a leaf needs one, and each takes time
                self.leaf_tree.append(tree)
                self.leaf_node.append(number)
                self.leaf_target.append(target)
                self.leaf_weight.append(weight)
        return number

    def attributes(self, n_targets: int, tensor: Callable[[str, FloatArray], Any]) -> dict[str, Any]:
        """Return the attributes of the operator; ``tensor`` makes one of floats."""
        return {
            "n_targets": n_targets,
            "aggregate_function": "SUM",
            "post_transform": "NONE",
            "nodes_featureids": self.feature,
            "nodes_values_as_tensor": tensor("nodes_values", np.array(self.value)),
            "nodes_hitrates_as_tensor": tensor("nodes_hitrates", np.ones(len(self.value))),
            "nodes_modes": self.mode,
            "nodes_truenodeids": self.yes,
            "nodes_falsenodeids": self.no,
            "nodes_missing_value_tracks_true": self.missing_yes,
            "nodes_treeids": self.tree,
            "nodes_nodeids": self.node,
            "target_treeids": self.leaf_tree,
            "target_nodeids": self.leaf_node,
            "target_ids": self.leaf_target,
            "target_weights_as_tensor": tensor("target_weights", np.array(self.leaf_weight)),
        }


def forest_of(plan: ModelPlan, *, single: bool) -> Forest:
    """Return a tree for each attribute and each pair; its leaves add to each class, less what the first class gets.

    The operator returns 32-bit floats. So each score is two: its high bits, whose sums are exact, for one target, and
    the rest for another; together they have the precision of 64 bits. Targets are the high bits of each class, and
    then the rests.
    """
    steps = [steps_of(attribute, single=single) for attribute in plan.attributes]
    scores = [term.scores - term.scores[:, :1] for term in plan.terms]
    largest = sum(float(np.abs(each).max(initial=0.0)) for each in scores)
    unit = 2.0 ** (math.ceil(math.log2(largest)) - 23) if largest else 1.0
    forest, largest_number = Forest(), float(np.finfo(np.float32 if single else np.float64).max)
    for t, term in enumerate(plan.terms):
        high = np.round(scores[t] / unit) * unit
        weights = np.hstack([high, scores[t] - high]).tolist()

        def leaf(cell: int, t: int = t, weights: list[list[float]] = weights) -> int:
            return forest.leaf(t, [math.inf] * len(weights[0]) if cell == INFINITE else weights[cell])

        if isinstance(term, AttributePlan):
            whole = term.part is not None or term.kind in ("text", "nothing")
            forest.grow(t, t, steps[t] if whole else steps[t].refusing_infinity(largest_number), leaf)
        else:
            _grow_pair(forest, t, term, steps, leaf)
    return forest


def _grow_pair(forest: Forest, t: int, pair: PairPlan, steps: Sequence[Steps], leaf: Callable[[int], int]) -> None:
    (a, b), (rows, columns) = pair.of, pair.shape
    first, second = (_grouped(steps[j], groups) for j, groups in zip(pair.of, pair.groups, strict=True))

    def cell(row: int, column: int) -> int:
        return leaf(row * columns + column if row < rows and column < columns else rows * columns)

    forest.grow(t, a, first, lambda row: forest.grow(t, b, second, lambda column: cell(row, column)))


def _grouped(steps: Steps, groups: Sequence[int]) -> Steps:
    """Return steps to the groups of codes; neighbours in one group are one step."""
    found = [groups[code] for code in steps.codes]
    kept = [k for k in range(1, len(found)) if found[k] != found[k - 1]]
    return Steps(tuple(steps.cuts[k - 1] for k in kept), (found[0], *(found[k] for k in kept)), groups[steps.missing])
