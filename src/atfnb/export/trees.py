"""The terms of a model as decision trees over one or two numbers of a row, as ONNX's TreeEnsembleRegressor takes them.

The numbers are the attributes' own, and the codes of text. What is missing is NaN. An infinite number adds infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from atfnb._errors import Setting
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


def steps_of(attribute: AttributePlan, *, double: bool) -> Steps:
    """Return the codes of an attribute as a function of its number.

    Parameters
    ----------
    attribute : AttributePlan
    double : bool
        Whether numbers come as 64-bit floats; otherwise they are rounded to 32 bits, and the cuts as they are.
    """
    kind = np.float64 if double or attribute.part is not None else np.float32
    if attribute.kind in ("text", "nothing"):  # the code itself, which is never missing
        last = len(attribute.labels) - 1
        return Steps(tuple(code + 0.5 for code in range(last)), tuple(range(last + 1)), last)
    exact = np.array(attribute.cuts if attribute.cuts is not None else attribute.categories, dtype=object)
    with np.errstate(over="ignore"):
        rounded = exact.astype(kind).astype(np.float64)
    if attribute.cuts is not None:
        if not np.isfinite(rounded).all() or (np.diff(rounded) <= 0).any() or ((rounded == 0) != (exact == 0)).any():
            fault = f"column {attribute.column!r} is cut at numbers that 32-bit floats cannot tell apart: "
            raise ExportError(fault, "use double precision, ", Setting("double", True), ".")
        return Steps(tuple(rounded.tolist()), tuple(range(len(rounded) + 1)), attribute.missing)
    known = rounded.tolist()
    if known != exact.tolist():
        fault = f"column {attribute.column!r} has categories that are no {'64' if double else '32'}-bit floats: use "
        other = ("model.py, model.js or model.sql",) if double else ("double precision, ", Setting("double", True))
        raise ExportError(fault, *other, ".")
    code_of = {value: code for code, value in enumerate(known)}
    after = (float(np.nextafter(kind(value), kind(math.inf))) for value in known)
    ends = sorted({*known, *after})
    codes = (attribute.unseen, *(code_of.get(end, attribute.unseen) for end in ends))
    return Steps(tuple(ends), codes, attribute.missing)


@dataclass
class Node:
    """A node of a tree: a number below the value leads to the node ``yes``, any other one to the node ``no``."""

    tree: int
    number: int
    feature: int = 0
    value: float = 0.0
    mode: str = "LEAF"
    missing_yes: bool = False
    yes: int = 0
    no: int = 0


@dataclass
class Forest:
    """The nodes of all trees, and what each leaf adds to each target: tree, node, target, weight."""

    nodes: list[Node] = field(default_factory=list)
    weights: list[tuple[int, int, int, float]] = field(default_factory=list)

    def _add(self, tree: int, **given: Any) -> Node:
        """Add a node to the last tree, or the first node of a new one; where it leads to is set later."""
        number = self.nodes[-1].number + 1 if self.nodes and self.nodes[-1].tree == tree else 0
        self.nodes.append(Node(tree, number, **given))
        return self.nodes[-1]

    def _branch(self, tree: int, feature: int, value: float, *, missing_yes: bool) -> Node:
        return self._add(tree, feature=feature, value=value, mode="BRANCH_LT", missing_yes=missing_yes)

    def grow(self, tree: int, feature: int, steps: Steps, below: Callable[[int], int]) -> int:
        """Add a tree over one number, whose leaf for each code is what ``below`` adds; return its first node."""

        def halve(cuts: Sequence[float], codes: Sequence[int]) -> int:
            if not cuts:
                return below(codes[0])
            middle = len(codes) // 2
            root = self._branch(tree, feature, cuts[middle - 1], missing_yes=steps.missing in codes[:middle])
            root.yes = halve(cuts[: middle - 1], codes[:middle])
            root.no = halve(cuts[middle:], codes[middle:])
            return root.number

        if steps.missing in steps.codes:
            return halve(steps.cuts, steps.codes)
        root = self._branch(tree, feature, -math.inf, missing_yes=True)  # no number is below −∞
        root.yes = below(steps.missing)
        root.no = halve(steps.cuts, steps.codes)
        return root.number

    def leaf(self, tree: int, weights: Sequence[float]) -> int:
        """Add a leaf with a weight for each target, and return its number."""
        number = self._add(tree).number
        for target, weight in enumerate(weights):
            if weight or target == 0:  # a leaf needs one, and each takes time
                self.weights.append((tree, number, target, weight))
        return number

    def attributes(self, n_targets: int, tensor: Callable[[str, FloatArray], Any]) -> dict[str, Any]:
        """Return the attributes of the operator; ``tensor`` makes one of floats."""
        nodes, (trees, leaves, targets, weights) = self.nodes, zip(*self.weights, strict=True)
        return {
            "n_targets": n_targets,
            "aggregate_function": "SUM",
            "post_transform": "NONE",
            "nodes_featureids": [node.feature for node in nodes],
            "nodes_values_as_tensor": tensor("nodes_values", np.array([node.value for node in nodes])),
            "nodes_hitrates_as_tensor": tensor("nodes_hitrates", np.ones(len(nodes))),
            "nodes_modes": [node.mode for node in nodes],
            "nodes_truenodeids": [node.yes for node in nodes],
            "nodes_falsenodeids": [node.no for node in nodes],
            "nodes_missing_value_tracks_true": [int(node.missing_yes) for node in nodes],
            "nodes_treeids": [node.tree for node in nodes],
            "nodes_nodeids": [node.number for node in nodes],
            "target_treeids": trees,
            "target_nodeids": leaves,
            "target_ids": targets,
            "target_weights_as_tensor": tensor("target_weights", np.array(weights)),
        }


def forest_of(plan: ModelPlan, *, double: bool) -> Forest:
    """Return a tree for each attribute and each pair; its leaves add to each class, less what the first class gets.

    The operator returns 32-bit floats. So each score is two: its high bits, whose sums are exact, for one target, and
    the rest for another; together they have the precision of 64 bits. Targets are the high bits of each class, and
    then the rests.
    """
    steps = [steps_of(attribute, double=double) for attribute in plan.attributes]
    scores = [term.scores - term.scores[:, :1] for term in plan.terms]
    largest = sum(float(np.abs(each).max(initial=0.0)) for each in scores)
    unit = 2.0 ** (math.ceil(math.log2(largest)) - 23) if largest else 1.0
    forest, largest_number = Forest(), float(np.finfo(np.float64 if double else np.float32).max)
    for t, term in enumerate(plan.terms):
        high = np.round(scores[t] / unit) * unit
        weights = np.hstack([high, scores[t] - high]).tolist()

        def leaf(cell: int, t: int = t, weights: list[list[float]] = weights) -> int:
            return forest.leaf(t, [math.inf] * len(weights[0]) if cell == INFINITE else weights[cell])

        if isinstance(term, PairPlan):
            _grow_pair(forest, t, term, steps, leaf)
        else:
            is_finite = term.part is not None or term.kind in ("text", "nothing")
            forest.grow(t, t, steps[t] if is_finite else steps[t].refusing_infinity(largest_number), leaf)
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
