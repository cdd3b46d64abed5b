"""One column of a file: how it is coded, how much it counts, what was counted and what its values add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.classifiers import ATFNB, CFW, FusionNB
from atfnb.encoding import LARGEST_WHOLE, Attribute, CategoricalAttribute, NumericAttribute
from atfnb.model_file.nodes import fields, inconsistent, listed, number, numbers, shown, table, text
from atfnb.model_file.values import category_tuple

CODINGS = {"number": "cuts", "categories": "categories"}
"""Where each kind of column says what its values are."""


@dataclass(frozen=True)
class Column:
    """One column of the file."""

    attribute: Attribute
    counts: FloatArray
    """(values + 1, classes): the last row for what was skipped."""
    adds: FloatArray
    """(values, classes)"""
    effects: FloatArray | None
    """(values, classes)"""
    weight: float
    two: tuple[float, float] | None
    """Relevance and redundancy."""
    indexes: FloatArray | None
    """(indexes,)"""


def read_column(node: Any, j: int, model: Any) -> Column:
    """One column of the file; what it must hold depends on the classifier."""
    kind = node.get("kind") if isinstance(node, dict) else None
    if not (isinstance(kind, str) and kind in CODINGS):
        raise inconsistent(f'column {j} must be an object with a "kind", which is "number" or "categories".')
    required = ["name", "kind", CODINGS[kind], "missing", "weight", "counts", "adds"]
    required += ["relevance", "redundancy"] if isinstance(model, (ATFNB, CFW)) else []
    required += ["indexes"] if isinstance(model, FusionNB) else []
    required += ["effects"] if isinstance(model, FusionNB) and model.refine == "value" else []
    name = text(node.get("name"), f"the name of column {j}")
    where = f"column {shown(name)}"
    told = fields(node, where, required, ["skipped", "whole"] if kind == "number" else ["skipped"])
    attribute = _attribute(name, told, where)
    n_classes = len(model.classes_)

    def per_value(entry: str) -> FloatArray:
        rows = table(told[entry], f"the {entry} of {where}", n_classes)
        if len(rows) != attribute.n_values:
            values = f"{len(told[CODINGS[kind]])} {CODINGS[kind]}, so {attribute.n_values} values"
            raise inconsistent(f"{where} has {values}, and {len(rows)} rows of {entry}.")
        return rows

    skipped = numbers(told.get("skipped", [0] * n_classes), f"what was skipped of {where}", n_classes)
    return Column(
        attribute,
        counts=np.vstack([per_value("counts"), skipped]),
        adds=per_value("adds"),
        effects=per_value("effects") if "effects" in told else None,
        weight=number(told["weight"], f"the weight of {where}"),
        two=_two(told, where) if "relevance" in told else None,
        indexes=numbers(told["indexes"], f"the indexes of {where}", len(model.theta_)) if "indexes" in told else None,
    )


def _two(told: dict[str, Any], where: str) -> tuple[float, float]:
    return (
        number(told["relevance"], f"the relevance of {where}"),
        number(told["redundancy"], f"the redundancy of {where}"),
    )


def _attribute(name: str, told: dict[str, Any], where: str) -> Attribute:
    """How a column is coded."""
    if told["kind"] == "number":
        cuts = numbers(told["cuts"], f"the cuts of {where}")
        if not (cuts[1:] > cuts[:-1]).all():
            raise inconsistent(f"the cuts of {where} must rise.")
        whole = _whole(told["whole"], cuts, where) if "whole" in told else None
        return NumericAttribute(name, cuts, *_missing(told["missing"], len(cuts) + 1, where), whole)
    categories = category_tuple(told["categories"], f"the categories of {where}")
    return CategoricalAttribute(name, categories, *_missing(told["missing"], len(categories), where))


def _whole(node: Any, cuts: FloatArray, where: str) -> tuple[int, int]:
    """Return the lowest and the highest whole number of a column; its cuts are between them."""
    ends = listed(node, f'"whole" of {where}')
    if len(ends) != 2 or any(type(end) is not int or abs(end) > LARGEST_WHOLE for end in ends) or ends[0] > ends[1]:
        raise inconsistent(f'"whole" of {where} must be two whole numbers, the lower one first.')
    if len(cuts) and not ends[0] < cuts[0] <= cuts[-1] <= ends[1]:
        raise inconsistent(f'the cuts of {where} must be between the two numbers of "whole".')
    return ends[0], ends[1]


def _missing(node: Any, n_known: int, where: str) -> tuple[int, int]:
    """How many values a column has, and the code of a missing cell."""
    if n_known == 0 and node != "skip":
        raise inconsistent(f'"missing" of {where} must be "skip", as the column has no values, not {shown(node)}.')
    if isinstance(node, str) and node in ("skip", "value"):
        return n_known + (node == "value"), n_known
    if type(node) is not int or not 0 <= node < n_known:
        raise inconsistent(
            f'"missing" of {where} must be "skip", "value" or the number of a value, 0 to {n_known - 1}, '
            f"not {shown(node)}."
        )
    return n_known, node
