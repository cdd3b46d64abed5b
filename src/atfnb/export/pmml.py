"""A model as PMML 4.4: an additive RegressionModel over derived fields, which are the codes of the attributes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

from atfnb.export.plan import MIXED, AttributePlan, ExportError, ModelPlan, PairPlan

NAMESPACE = "http://www.dmg.org/PMML-4_4"
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
    root = ET.Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    _add(_add(root, "Header", description=f"{plan.classifier}, written by atfnb"), "Application", name="atfnb")
    target, of_classes = _free(plan.target or "class", plan), _CLASS_TYPES[type(plan.classes[0])]
    _dictionary(root, plan, target, of_classes)
    kind = {"functionName": "classification", "normalizationMethod": "softmax"}
    model = _add(root, "RegressionModel", modelName=plan.classifier, **kind)
    schema = _add(model, "MiningSchema")
    for column in plan.columns:
        _add(schema, "MiningField", name=column, usageType="active", invalidValueTreatment="returnInvalid")
    _add(schema, "MiningField", name=target, usageType="target")
    _output(model, plan, of_classes)
    local = _add(model, "LocalTransformations")
    for j, attribute in enumerate(plan.attributes):
        _add_code(local, j, attribute)
    for p, pair in enumerate(plan.pairs):
        _add_cell(local, p, pair)
    for c in range(len(plan.classes)):
        _add_class(model, plan, c)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _refuse(plan: ModelPlan) -> None:
    """Raise an error for what a document cannot hold; PMML's functions of dates know whole seconds only, and differ."""
    target, kinds = "a PMML document", {**MIXED, "date": "dates", "time": "times of day"}
    plan.refuse(target, _OTHERS, kinds, (_CONTROLS, "a control character"))
    for words, text in plan.texts:
        if text != text.strip() or not set(text).isdisjoint("\r\n\t"):
            raise ExportError(
                f"{words} has line breaks or spaces at its ends, which {target} does not keep: {_OTHERS}."
            )


def _add(parent: ET.Element, tag: str, **given: Any) -> ET.Element:
    """Add an element with some attributes, and return it."""
    return ET.SubElement(parent, tag, {name: _text(value) for name, value in given.items()})


def _text(value: Any) -> str:
    """Return a value as PMML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _free(name: str, plan: ModelPlan) -> str:
    """Return a name that no column has, with underscores appended where needed."""
    while name in plan.columns:
        name += "_"
    return name


def _dictionary(root: ET.Element, plan: ModelPlan, target: str, of_classes: str) -> None:
    fields = _add(root, "DataDictionary", numberOfFields=len(plan.columns) + 1)
    for column, kind in plan.columns.items():
        is_number = _TYPES[kind] == "double"
        optype = "continuous" if is_number else "categorical"
        field = _add(fields, "DataField", name=column, optype=optype, dataType=_TYPES[kind])
        if is_number:  # an infinite one is invalid
            _add(field, "Interval", closure="closedClosed", leftMargin=f"-{_LARGEST}", rightMargin=_LARGEST)
    field = _add(fields, "DataField", name=target, optype="categorical", dataType=of_classes)
    for each in plan.classes:
        _add(field, "Value", value=each)


def _output(model: ET.Element, plan: ModelPlan, of_classes: str) -> None:
    output, name = _add(model, "Output"), _free("predicted", plan)
    _add(output, "OutputField", name=name, optype="categorical", dataType=of_classes, feature="predictedValue")
    number = {"optype": "continuous", "dataType": "double", "feature": "probability"}
    for each in plan.classes:
        _add(output, "OutputField", name=_free(f"P({_text(each)})", plan), **number, value=each)


# --- Derived fields -----------------------------------------------------------------------------------


def _derived(parent: ET.Element, name: str, data_type: str = "integer", optype: str = "categorical") -> ET.Element:
    return _add(parent, "DerivedField", name=name, optype=optype, dataType=data_type)


def _express(parent: ET.Element, part: Any) -> ET.Element:
    """Add an expression, and return it: a list is a function and its arguments, a text a field, a number a constant.

    >>> ET.tostring(_express(ET.Element("X"), ["+", "a", 1])).decode()
    '<Apply function="+"><FieldRef field="a" /><Constant dataType="integer">1</Constant></Apply>'
    """
    if isinstance(part, str):
        return _add(parent, "FieldRef", field=part)
    if not isinstance(part, list):
        constant = _add(parent, "Constant", dataType="integer")
        constant.text = str(part)
        return constant
    function, *arguments = part
    applied = _add(parent, "Apply", function=function)
    for each in arguments:
        _express(applied, each)
    return applied


def _values(field: ET.Element, number: int) -> None:
    """Declare the values of a derived field, whole numbers from 0 on."""
    for value in range(number):
        _add(field, "Value", value=value)


def _map(field: ET.Element, source: str, rows: Iterable[tuple[Any, int]], **given: Any) -> None:
    """Add a table from the values of a field to codes."""
    mapped = _add(field, "MapValues", outputColumn="code", **given, dataType="integer")
    _add(mapped, "FieldColumnPair", field=source, column="value")
    table = _add(mapped, "InlineTable")
    for value, code in rows:
        row = _add(table, "row")
        _add(row, "value").text = _text(value)
        _add(row, "code").text = str(code)


def _add_code(local: ET.Element, j: int, attribute: AttributePlan) -> None:
    """Add the derived field ``atfnb_code_j``."""
    source, known = attribute.column, attribute.categories or ()
    if attribute.kind == "boolean":
        source = f"atfnb_text_{j}"
        _express(_derived(local, source, "string"), attribute.column)
    field = _derived(local, f"atfnb_code_{j}")
    if attribute.kind == "nothing":
        _express(field, attribute.missing)
    elif attribute.kind in ("text", "boolean"):
        given = {"mapMissingTo": attribute.missing, "defaultValue": attribute.unseen}
        _map(field, source, zip(known, range(len(known)), strict=True), **given)
    else:
        _add_interval(field, attribute)
    _values(field, len(attribute.labels))


def _add_interval(field: ET.Element, attribute: AttributePlan) -> None:
    """Add the code of a number: that of a missing value, or that of the interval, or the category, it lies in."""
    chosen = ["if", ["isMissing", attribute.column], attribute.missing]  # not by mapMissingTo: evaluators differ in it
    bins = _add(_express(field, chosen), "Discretize", field=attribute.column, defaultValue=attribute.unseen)

    def add(code: int, closure: str, **ends: float) -> None:
        _add(_add(bins, "DiscretizeBin", binValue=code), "Interval", closure=closure, **ends)

    if attribute.cuts is None:
        for code, value in enumerate(map(float, attribute.categories or ())):
            add(code, "closedClosed", leftMargin=value, rightMargin=value)
        return
    cuts = attribute.cuts or (0.0,)  # without cuts, all numbers have one code, on both sides of any cut
    add(0, "openOpen", rightMargin=cuts[0])
    for code, (low, high) in enumerate(pairwise(cuts), start=1):
        add(code, "closedOpen", leftMargin=low, rightMargin=high)
    add(len(attribute.cuts), "closedOpen", leftMargin=cuts[-1])


def _add_cell(local: ET.Element, p: int, pair: PairPlan) -> None:
    """Add the derived field ``atfnb_pair_p``: the position of the two groups in the grid of the pair."""
    rows, columns = pair.shape
    first, second = names = [f"atfnb_group_{p}_{side}" for side in (0, 1)]
    for name, j, groups in zip(names, pair.of, pair.groups, strict=True):
        _map(_derived(local, name, optype="continuous"), f"atfnb_code_{j}", enumerate(groups))
    cell = _derived(local, f"atfnb_pair_{p}")
    known = ["and", ["lessThan", first, rows], ["lessThan", second, columns]]
    _express(cell, ["if", known, ["+", ["*", first, columns], second], rows * columns])
    _values(cell, rows * columns + 1)


def _add_class(model: ET.Element, plan: ModelPlan, c: int) -> None:
    """Add the table of what each code adds to one class."""
    table = _add(model, "RegressionTable", intercept=float(plan.starts[c]), targetCategory=plan.classes[c])
    names = [f"atfnb_code_{j}" for j in range(len(plan.attributes))]
    names += [f"atfnb_pair_{p}" for p in range(len(plan.pairs))]
    for name, term in zip(names, plan.terms, strict=True):
        for code, added in enumerate(term.scores[:, c].tolist()):
            if added:
                _add(table, "CategoricalPredictor", name=name, value=code, coefficient=added)
