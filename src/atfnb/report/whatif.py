"""What the page's calculator needs: the model's own table, and a field for each column that counts."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import NumericAttribute
from atfnb.export import AttributePlan, ModelPlan, plan_of
from atfnb.report.sentences import one_line
from atfnb.tables import Column, Table, holds_dates, moment_label

MOST_PLAN_BYTES = 3_000_000
"""The largest size of a model's table in a page that shows data too; a larger one would leave no room for the rest."""
TOO_LARGE = (
    "The table of this model is too large for this page, which stays below 5 MB: "
    "atfnb page writes a page of its own in which values can be tried."
)


@dataclass(frozen=True)
class Field:
    """One column of the form."""

    name: str
    kind: str
    """"number" for a slider, "menu" for categories, "date", "moment" (a date with a time), or "time" of day."""
    attributes: tuple[int, ...]
    """The positions of the attributes that follow from the column: several for a date."""
    share: float
    """The share of the total effect that these attributes have."""
    low: float
    high: float
    """The range of a number, or of dates in days."""
    whole: bool
    """Whether all numbers in training were whole."""
    typical: Any
    """The value of a typical row: the median or the most frequent one, as JSON holds it; None if it is missing.

    Without rows, the middle of the interval in which the median lies: the model cannot tell the two apart.
    """


@dataclass(frozen=True)
class WhatIf:
    """A model as the page computes it."""

    plan: ModelPlan
    fields: tuple[Field, ...]
    """In the order of the columns of the table."""
    code_rows: tuple[FloatArray, ...]
    """(attributes,) the weight of the training rows with each code."""

    @property
    def n_bytes(self) -> int:
        """The approximate size in a page."""
        scores = sum(term.scores.size for term in self.plan.terms)
        texts = sum(len(each) for attribute in self.plan.attributes for each in map(str, attribute.categories or ()))
        return int(scores * 8 * 4 / 3 + texts + 20 * sum(len(each.labels) for each in self.plan.attributes))


def what_if_of(model: BaseNB, shares: FloatArray, table: Table | None = None) -> WhatIf:
    """Return what the calculator of a model needs.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    shares : (attributes,) array
        The share of the total effect that each attribute has.
    table : Table, optional
        Rows that ranges and typical values are taken from; otherwise they follow from the cuts and the counts.

    Raises
    ------
    ExportError
        If the model cannot be written down as a plan.
    """
    plan, attributes = plan_of(model), model.encoder_.attributes
    code_rows = tuple(model.counts_.of(j).sum(axis=1) for j in range(len(attributes)))
    positions: dict[str, list[int]] = {}
    for j, attribute in enumerate(plan.attributes):
        positions.setdefault(attribute.column, []).append(j)
    fields = tuple(
        _field(model, plan, of, float(shares[of].sum()), None if table is None else table.columns[k], code_rows)
        for k, of in enumerate(positions.values())
    )
    return WhatIf(plan, fields, code_rows)


def _field(
    model: BaseNB, plan: ModelPlan, of: list[int], share: float, column: Column | None, code_rows: Sequence[FloatArray]
) -> Field:
    """Return the field of the column from which the attributes at these positions are made."""
    first, planned = model.encoder_.attributes[of[0]], plan.attributes[of[0]]
    name, rows = one_line(planned.column), code_rows[of[0]]
    if planned.kind in ("date", "time") or planned.cuts is not None:
        numbers = None if column is None or column.missing.all() else _numbers(column)
        cuts = _cuts(plan, of)
        low, high = _range(cuts, first.whole if isinstance(first, NumericAttribute) else None, numbers)
        whole = isinstance(first, NumericAttribute) and first.whole is not None
        typical = _middle(cuts, rows, low, high) if numbers is None else float(f"{np.median(numbers):.15g}")
        typical = float(np.round(typical)) if whole or planned.kind == "date" else typical
        if planned.kind == "number":
            return Field(name, "number", tuple(of), share, low, high, whole, _plain(typical))
        kind = _date_kind(plan, of, whole)
        said = moment_label(typical, "time" if kind == "time" else "date").replace(" ", "T")
        text = said if kind != "moment" or "T" in said else f"{said}T00:00"
        return Field(name, kind, tuple(of), share, low, high, whole, text)
    if column is not None:  # rows as they are, not as they are weighted
        rows = np.bincount(first.encode(column)[~column.missing], minlength=first.n_values + 1) / 1.0
    known = rows[: len(planned.categories or ())]  # without the pooled ones, of which none is typical
    most = int(np.argmax(known)) if first.n_known and len(known) else None
    return Field(name, "menu", tuple(of), share, 0.0, 0.0, False, most)


def _date_kind(plan: ModelPlan, of: list[int], whole: bool) -> str:
    """Return "time" for times of day, "moment" where the hour counts, and "date" otherwise."""
    parts = {plan.attributes[j].part for j in of}
    if "time" in parts:
        return "time"
    return "date" if "hour" not in parts and (whole or "date" not in parts) else "moment"


def _cuts(plan: ModelPlan, of: list[int]) -> FloatArray:
    """Return the cuts of the one attribute of a column that holds its numbers, or its dates."""
    for j in of:
        if plan.attributes[j].part in (None, "date", "time") and plan.attributes[j].cuts is not None:
            return np.array(plan.attributes[j].cuts)
    return np.empty(0)


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


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


# --- rows ------------------------------------------------------------------------------------------


def cells_of(table: Table, plan: ModelPlan, rows: IntArray) -> list[list[Any]]:
    """Return some rows of a table as JSON holds them: (rows, columns).

    A missing value is None. A category is its position in the plan, or a list that holds it alone if it was not seen in
    training. Numbers are numbers, dates and times of day are text.
    """
    first = {attribute.column: attribute for attribute in reversed(plan.attributes)}
    columns = [
        _cells(column, attribute, rows)
        for column, attribute in zip(table.columns, [first[name] for name in plan.columns], strict=True)
    ]
    return [list(line) for line in zip(*columns, strict=True)]


def _cells(column: Column, attribute: AttributePlan, rows: IntArray) -> list[Any]:
    missing, values = column.missing[rows], column.values[rows]
    if holds_dates(column):
        cells: list[Any] = [_moment(value) for value in values]
    elif attribute.cuts is not None:
        cells = [_plain(float(value)) for value in values.tolist()]
    else:
        position = {category: code for code, category in enumerate(attribute.categories or ())}
        cells = [position.get(value, [json_value(value)]) for value in values.tolist()]
    return [None if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]


def _moment(value: Any) -> str | None:
    """Return a date with its time, or a time of day, as ISO text."""
    if np.isnat(value):
        return None
    text = str(np.datetime_as_string(np.datetime64(0, "us") + value if value.dtype.kind == "m" else value, unit="us"))
    clock = text[11:16] if text[16:] == ":00.000000" else text[11:19] if text[19:] == ".000000" else text[11:]
    if value.dtype.kind == "m":
        return clock
    return text[:10] if clock == "00:00" else f"{text[:10]}T{clock}"


def json_value(value: Any) -> Any:
    """Return a category as JSON holds it; a whole number that JavaScript would round is ``{"whole": digits}``."""
    if isinstance(value, Decimal):
        return float(value)
    if type(value) is int and abs(value) > 2**53:
        return {"whole": str(value)}
    return value if isinstance(value, (bool, int, float, str)) else str(value)


# --- as data for the page --------------------------------------------------------------------------


def what_if_payload(what_if: WhatIf) -> dict[str, Any]:
    """Return the plan for the page's script: its scores packed as bytes of 64-bit floats, all else as it is."""
    plan = json.loads(what_if.plan.json())
    scores = [term.scores.ravel() for term in what_if.plan.terms]
    for term in (*plan["attributes"], *plan["pairs"]):
        del term["scores"]
        term["zone"] = None  # people enter local times
        if term.get("part") is None and term.get("kind") != "boolean":
            term.pop("labels", None)  # they follow from the values
    return {
        "plan": plan,
        "scores": base64.b64encode(np.concatenate(scores).astype("<f8").tobytes()).decode("ascii"),
        "codeRows": [[float(f"{rows:.4g}") for rows in of] for of in what_if.code_rows],
        "pooled": [one_line(_pooled_label(each)) if _has_pool(each) else None for each in what_if.plan.attributes],
        "fields": [_field_payload(each) for each in what_if.fields],
    }


def _has_pool(attribute: AttributePlan) -> bool:
    return (
        attribute.categories is not None and attribute.unseen == len(attribute.categories) < len(attribute.labels) - 1
    )


def _pooled_label(attribute: AttributePlan) -> str:
    return attribute.labels[attribute.unseen]


def _field_payload(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "kind": field.kind,
        "attributes": list(field.attributes),
        "share": float(f"{field.share:.6g}"),
        "low": field.low,
        "high": field.high,
        "whole": field.whole,
        "typical": field.typical,
    }
