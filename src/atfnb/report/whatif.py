"""What the page computes with: the model's table, a field for each column, rows, and the accuracy at any β."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import BoolArray, CodeArray, FloatArray, IntArray
from atfnb.classifiers import ATFNB, BaseNB
from atfnb.export import AttributePlan, ModelPlan
from atfnb.model import TIE
from atfnb.report.sentences import Payload, one_line, plain_number, short
from atfnb.switching import thinned
from atfnb.tables import Column, Table, holds_dates, moment_label

MOST_ROWS, FEWEST_ROWS = 200, 20
"""The largest and the smallest number of rows to explain, where the table has as many."""
MOST_ROW_CELLS = 20_000
"""The approximate limit on the cells of all rows to explain together."""
MOST_PAIRS = 6
"""The largest number of pairs of attributes that the explanation of a row names, where the page has no calculator."""
MOST_STEPS = 20_000
"""The largest number of steps of the curve of β in a page."""
MOST_INTERVALS = 500
"""The largest number of best intervals of β that are drawn: the widest ones."""
STOPS = np.arange(1001) / 1000
"""The values of β at which the page's slider can stand."""


def what_if_of(model: BaseNB, plan: ModelPlan, shares: FloatArray, table: Table | None = None) -> Payload:
    """Return a model as the page computes it.

    - ``plan`` as :mod:`atfnb.export` has it, without the scores; ``scores`` of all attributes and then of all pairs, as
      64-bit floats
    - ``codeRows`` (attributes,), the weight of the training rows with each code
    - ``pooled`` (attributes,), what rare values that count as one are called; None where there are none
    - ``fields`` of the form, in the order of the columns of the table

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    plan : ModelPlan
        Its plan.
    shares : (attributes,) array
        The share of the total effect that each attribute has.
    table : Table, optional
        Rows that ranges and typical values are taken from; otherwise they follow from the cuts and the counts.
    """
    code_rows = [model.counts_.of_attribute(j).sum(axis=1) for j in range(len(plan.attributes))]
    positions: dict[str, list[int]] = {}
    for j, attribute in enumerate(plan.attributes):
        positions.setdefault(attribute.column, []).append(j)
    columns = [None] * len(positions) if table is None else table.columns
    return {
        "plan": {
            "tie": TIE,
            "classes": [json_value(each) for each in plan.classes],
            "starts": plan.starts.tolist(),
            "attributes": [_attribute(each) for each in plan.attributes],
            "pairs": [vars(each) | {"scores": None} for each in plan.pairs],
        },
        "scores": np.concatenate([term.scores.ravel() for term in plan.terms]).astype("<f8").tobytes(),
        "codeRows": [short(rows, 15) for rows in code_rows],
        "pooled": [_pooled_label(each) for each in plan.attributes],
        "fields": [
            _field(model, plan, of, short(shares[of].sum(), 6)[0], column, code_rows)
            for of, column in zip(positions.values(), columns, strict=True)
        ],
    }


def plan_bytes(plan: ModelPlan) -> int:
    """Return the approximate size of a plan in a page."""
    scores = sum(term.scores.size for term in plan.terms)
    texts = sum(len(str(each)) for attribute in plan.attributes for each in attribute.categories or ())
    return int(scores * 8 * 4 / 3 + texts + 20 * sum(len(each.labels) for each in plan.attributes))


def _attribute(planned: AttributePlan) -> dict[str, Any]:
    """Return the plan of an attribute without its scores, and without labels that follow from the values."""
    categories = None if planned.categories is None else [json_value(each) for each in planned.categories]
    own_labels = planned.part is not None or planned.kind == "boolean"
    labels = planned.labels if own_labels else None
    return vars(planned) | {"categories": categories, "labels": labels, "scores": None, "zone": None}  # local times


def _pooled_label(planned: AttributePlan) -> str | None:
    """Return what the rare categories of an attribute that count as one are called; None if there are none."""
    has_pool = planned.categories is not None and planned.unseen == len(planned.categories) < len(planned.labels) - 1
    return one_line(planned.labels[planned.unseen]) if has_pool else None


def _field(
    model: BaseNB, plan: ModelPlan, of: list[int], share: float, column: Column | None, code_rows: Sequence[FloatArray]
) -> Payload:
    """Return the field of the column from which the attributes at these positions are made.

    - the ``name`` of the column, the positions of its ``attributes``, several for a date, and the ``share`` of the
      total effect that these have
    - its ``kind``: "number" for a slider, "menu" for categories, "date", "moment" (a date with a time), "time" of day
    - ``low`` and ``high``, the range of a number, or of dates in days; whether all numbers in training were ``whole``
    - ``typical``, the median or the most frequent value, as JSON holds it; None if it is missing. Without rows, it is
      the middle of the interval in which the median lies: the model cannot tell the two apart
    """
    first, planned = model.encoder_.attributes[of[0]], plan.attributes[of[0]]
    field: Payload = {"name": one_line(planned.column), "attributes": of, "share": share}
    rows = code_rows[of[0]]
    if planned.kind not in ("date", "time") and planned.cuts is None:
        if column is not None:  # rows as they are, not as they are weighted
            rows = np.bincount(first.encode(column)[~column.missing], minlength=first.n_values + 1) / 1.0
        known = rows[: len(planned.categories or ())]  # without the pooled ones, of which none is typical
        return field | {"kind": "menu", "typical": int(np.argmax(known)) if first.n_known and len(known) else None}
    numbers = None if column is None or column.missing.all() else _numbers(column)
    cuts, whole = _cuts(plan, of), first.whole is not None
    low, high = _range(cuts, first.whole, numbers)
    typical = _middle(cuts, rows, low, high) if numbers is None else float(f"{np.median(numbers):.15g}")
    typical = float(np.round(typical)) if whole or planned.kind == "date" else typical
    field |= {"low": low, "high": high, "whole": whole}
    if planned.kind == "number":
        return field | {"kind": "number", "typical": plain_number(typical)}
    kind = _date_kind(plan, of, whole)
    said = moment_label(typical, "time" if kind == "time" else "date").replace(" ", "T")
    return field | {"kind": kind, "typical": said if kind != "moment" or "T" in said else f"{said}T00:00"}


def _date_kind(plan: ModelPlan, of: list[int], whole: bool) -> str:
    """Return "time" for times of day, "moment" where the hour counts, and "date" otherwise."""
    parts = {plan.attributes[j].part for j in of}
    if "time" in parts:
        return "time"
    return "date" if "hour" not in parts and (whole or "date" not in parts) else "moment"


def _cuts(plan: ModelPlan, of: list[int]) -> FloatArray:
    """Return the cuts of the one attribute of a column that holds its numbers, or its dates; none if it has none."""
    whole = (plan.attributes[j].cuts for j in of if plan.attributes[j].part in (None, "date", "time"))
    return np.array(next((cuts for cuts in whole if cuts is not None), ()), dtype=np.float64)


def _numbers(column: Column) -> FloatArray:
    """Return the values of a column that are not missing, dates in days and times of day in hours."""
    values = column.values[~column.missing]
    unit = {"M": 86_400_000_000, "m": 3_600_000_000}.get(values.dtype.kind, 1)
    return values.astype(np.int64) / unit if holds_dates(column) else values.astype(np.float64)


def _range(cuts: FloatArray, whole: tuple[int, int] | None, numbers: FloatArray | None) -> tuple[float, float]:
    """Return the lowest and the highest number: of the rows, of training, or a little beyond the outermost cuts.

    Numbers that are never cut below 0 are taken to begin there: most of them are amounts.
    """
    if whole is not None:
        return float(whole[0]), float(whole[1])
    ends = (cuts if len(cuts) else np.zeros(1)) if numbers is None else numbers
    low, high = float(ends.min()), float(ends.max())
    beyond = (high / 2 - low / 2) / 5 or max(abs(low) / 10, 1.0) if numbers is None or low == high else 0.0
    return (0.0 if numbers is None and 0 <= low < beyond else low - beyond), high + beyond


def _middle(cuts: FloatArray, rows: FloatArray, low: float, high: float) -> float:
    """Return the middle of the interval in which the median of the training rows lies, with as few digits as do."""
    ends, known = np.concatenate([[low], cuts, [high]]), rows[: len(cuts) + 1]
    k = int(np.searchsorted(np.cumsum(known), known.sum() / 2))
    middle = float(ends[k] / 2 + ends[k + 1] / 2)
    digits = (float(f"{middle:.{digits}g}") for digits in range(4, 17))
    return next((short for short in digits if ends[k] <= short < ends[k + 1]), middle)


# --- rows to explain ------------------------------------------------------------------------------------------


def chosen_rows(wrong: BoolArray, n_attributes: int, random_state: int) -> IntArray:
    """Return the positions of a sample of the rows, half of it wrongly predicted ones, if there are enough."""
    most = min(len(wrong), int(np.clip(MOST_ROW_CELLS // n_attributes, FEWEST_ROWS, MOST_ROWS)))
    random = np.random.default_rng(random_state)
    missed, others = (random.permutation(np.flatnonzero(mark)) for mark in (wrong, ~wrong))
    n_missed = min(len(missed), max(most // 2, most - len(others)))
    return np.sort(np.concatenate([missed[:n_missed], others[: most - n_missed]]))


def cells_of(table: Table, plan: ModelPlan, rows: IntArray) -> list[list[Any]]:
    """Return some rows of a table as JSON holds them: (rows, columns).

    A missing value is None. A category is its position in the plan, or a list that holds it alone if it was not seen in
    training. Numbers are numbers, dates and times of day are text.
    """
    first = {attribute.column: attribute for attribute in reversed(plan.attributes)}
    columns = [_cells(column, first[name], rows) for column, name in zip(table.columns, plan.columns, strict=True)]
    return [list(line) for line in zip(*columns, strict=True)]


def _cells(column: Column, attribute: AttributePlan, rows: IntArray) -> list[Any]:
    missing, values = column.missing[rows], column.values[rows]
    if holds_dates(column):
        cells: list[Any] = _moments(values)
    elif attribute.cuts is not None:
        cells = [plain_number(float(value)) for value in values.tolist()]
    else:
        position = {category: code for code, category in enumerate(attribute.categories or ())}
        cells = [position.get(value, [json_value(value)]) for value in values.tolist()]
    return [None if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]


def _moments(values: NDArray[Any]) -> list[str]:
    """Return dates with their times, or times of day, as ISO text, as short as they can be."""
    is_time = values.dtype.kind == "m"
    texts = np.datetime_as_string(np.datetime64(0, "us") + values if is_time else values, unit="auto").tolist()
    return [text.partition("T")[2] or "00:00" if is_time else text for text in texts]


def json_value(value: Any) -> Any:
    """Return a category as JSON holds it; a whole number that JavaScript would round is ``{"whole": digits}``."""
    if isinstance(value, Decimal):
        return float(value)
    if type(value) is int and abs(value) > 2**53:
        return {"whole": str(value)}
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def known_parts(model: BaseNB, codes: CodeArray, shown: dict[int, IntArray]) -> Payload:
    """Return what the waterfalls of rows are drawn from without a calculator, given the codes in the page by attribute.

    - ``joint`` (rows, classes), the joint log-likelihoods of this model
    - ``values`` (rows, attributes), the positions of the values among those in the page; 0 where it has no room for
      them
    - ``pairs`` (rows, few, 2), the positions of the attributes of the pairs that add most to each row, and ``ofPairs``
      (rows, few + 1, classes), what these pairs add, and what all others add together
    - ``terms``, the number of attributes and pairs
    """
    centred = model.model_.contributions(codes)[:, len(model.weights_) :]
    centred = centred - centred.mean(axis=2, keepdims=True)  # what is the same for all classes is left out
    pairs = np.argsort(-np.abs(centred).max(axis=2, initial=0.0), axis=1, kind="stable")[:, :MOST_PAIRS]
    few = np.take_along_axis(centred, pairs[:, :, None], axis=1)
    of_pairs = np.concatenate([few, (centred.sum(axis=1) - few.sum(axis=1))[:, None]], axis=1)
    values: IntArray = np.zeros(codes.shape, dtype=np.int64)
    for j, some in shown.items():
        values[:, j] = np.searchsorted(some, codes[:, j])
    return {
        "joint": [short(joint, 12) for joint in model.model_.joint(codes)],
        "values": values.tolist(),
        "pairs": model.model_.pairs[pairs].tolist(),
        "ofPairs": [[short(one, 7) for one in line] for line in of_pairs],
        "terms": len(model.weights_) + len(model.model_.pairs),
    }


# --- other values of β -----------------------------------------------------------------------------


def curve_of(model: ATFNB) -> Payload:
    """Return the training accuracy of a classifier at every β, exact where it matters, and its weights at any β.

    - ``edges`` (steps + 1,), the values of β between the steps, from 0 to 1, and ``accuracy`` (steps,) between two
      edges, as 64-bit floats; ``allSteps``, the number of steps with those that were left out
    - ``beta`` and the ``best`` accuracy, which is there; the ends of the best ``interval``, in which ``beta`` lies, and
      all ``intervals`` with that accuracy, or the widest of many
    - ``relevance`` (attributes,), which is multiplied by β in a weight, and ``redundancy`` (attributes,), by −(1 − β)
    - ``weighted``, whether the accuracy counts the rows by their weights
    """
    edges, accuracy = model.accuracy_curve()
    intervals = np.asarray(model.beta_intervals_, dtype=np.float64)
    widest = np.argsort(intervals[:, 0] - intervals[:, 1], kind="stable")[:MOST_INTERVALS]
    low, high = model.beta_interval_
    anchors = np.concatenate([[model.beta_, low, high], intervals[widest].ravel(), STOPS])
    fewer, kept = thinned(edges, accuracy, MOST_STEPS, anchors)
    return {
        "edges": fewer.astype("<f8").tobytes(),
        "accuracy": kept.astype("<f8").tobytes(),
        "allSteps": len(accuracy),
        "beta": float(model.beta_),
        "best": float(model.beta_accuracy_),
        "interval": (float(low), float(high)),
        "intervals": intervals[np.sort(widest)].tolist(),
        "relevance": short(model.relevance_, 9),
        "redundancy": short(model.redundancy_, 9),
        "weighted": model.counts_.weighted,
    }
