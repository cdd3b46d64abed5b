"""A model as PMML 4.4: an additive RegressionModel over derived fields, which are the codes of the attributes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from atfnb.export.plan import MIXED, AttributePlan, ExportError, ModelPlan, filled_in

_LARGEST = "1.7976931348623157E308"
_OTHERS = "use model.py, model.js or model.onnx"
_CONTROLS = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF]))
_TYPES = {"number": "double", "whole": "double", "boolean": "boolean", "text": "string", "nothing": "string"}
_CLASS_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}


def pmml(plan: ModelPlan) -> str:
    """Return the model as a PMML 4.4 document.

    Classes that tie to the last bits are the one difference from ``predict``: the evaluator chooses among them.

    Parameters
    ----------
    plan : ModelPlan
    """
    _refuse(plan)

    def free(name: str) -> str:
        while name in plan.columns:
            name += "_"
        return name

    return filled_in(
        "pmml.xml",
        finalize=_text,
        plan=plan,
        n_attributes=len(plan.attributes),
        target=free(plan.target or "class"),
        type=_CLASS_TYPES[type(plan.classes[0])],
        types=_TYPES,
        largest=_LARGEST,
        free=free,
        text=_text,
        zip=zip,
        intervals=_intervals,
    )


def _refuse(plan: ModelPlan) -> None:
    """Raise an error for what a document cannot hold; PMML's functions of dates know whole seconds only, and differ."""
    target, kinds = "a PMML document", {**MIXED, "date": "dates", "time": "times of day"}
    plan.refuse(target, _OTHERS, kinds, (_CONTROLS, "a control character"))
    for words, text in plan.texts:
        if text != text.strip() or not set(text).isdisjoint("\r\n\t"):
            raise ExportError(
                f"{words} has line breaks or spaces at its ends, which {target} does not keep: {_OTHERS}."
            )


def _text(value: Any) -> Any:
    """Return a value as PMML writes it."""
    return str(value).lower() if isinstance(value, bool) else value


def _intervals(attribute: AttributePlan) -> Iterator[tuple[int, str, dict[str, float]]]:
    """Return the code of each interval of numbers, or of each category that is one; which ends it has, and the ends."""
    if attribute.cuts is None:
        for code, value in enumerate(map(float, attribute.categories or ())):
            yield code, "closedClosed", {"leftMargin": value, "rightMargin": value}
        return
    cuts = attribute.cuts or (0.0,)  # without cuts, all numbers have one code, on both sides of any cut
    yield 0, "openOpen", {"rightMargin": cuts[0]}
    for code, (low, high) in enumerate(pairwise(cuts), start=1):
        yield code, "closedOpen", {"leftMargin": low, "rightMargin": high}
    yield len(attribute.cuts), "closedOpen", {"leftMargin": cuts[-1]}
