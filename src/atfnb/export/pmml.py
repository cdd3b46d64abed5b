"""A model as PMML 4.4: an additive RegressionModel over derived fields, which are the codes of the attributes."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from atfnb.export.plan import AttributePlan, ExportError, Kind, ModelPlan, PairPlan

NAMESPACE = "http://www.dmg.org/PMML-4_4"
LARGEST = "1.7976931348623157E308"
_OTHERS = "use model.py, model.js or model.onnx"
_NO_PMML: dict[Kind, str] = {"mixed": "text beside numbers", "date": "dates", "time": "times of day"}
"""PMML has functions of dates, but of whole seconds only, and evaluators differ in them."""
_CONTROLS = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF]))
_TYPES: dict[Kind, tuple[str, str]] = {
    "number": ("continuous", "double"),
    "whole": ("continuous", "double"),
    "boolean": ("categorical", "boolean"),
    "text": ("categorical", "string"),
    "nothing": ("categorical", "string"),
}


def pmml(plan: ModelPlan) -> str:
    """Return the model as a PMML 4.4 document.

    Classes that tie to the last bits are the one difference from ``predict``: the evaluator chooses among them.

    Parameters
    ----------
    plan : ModelPlan
    """
    _refuse(plan)
    root = ET.Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    header = ET.SubElement(root, "Header", {"description": f"{plan.classifier}, written by atfnb"})
    ET.SubElement(header, "Application", {"name": "atfnb"})
    target = _free(plan.target or "class", list(plan.columns))
    _dictionary(root, plan, target)
    model = ET.SubElement(
        root,
        "RegressionModel",
        {"modelName": plan.classifier, "functionName": "classification", "normalizationMethod": "softmax"},
    )
    _schema(model, plan, target)
    _output(model, plan)
    local = ET.SubElement(model, "LocalTransformations")
    for j, attribute in enumerate(plan.attributes):
        _add_code(local, j, attribute)
    for p, pair in enumerate(plan.pairs):
        _add_cell(local, p, pair)
    for c in range(len(plan.classes)):
        _add_class(model, plan, c)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _refuse(plan: ModelPlan) -> None:
    target = "a PMML document"
    plan.refuse_kinds(target, _NO_PMML, _OTHERS)
    plan.refuse_text(target, _CONTROLS, "a control character", _OTHERS)
    plan.refuse_surrogates(target, _OTHERS)
    for words, text in plan.texts:
        if "\r" in text or text != text.strip() or "\n" in text or "\t" in text:
            raise ExportError(
                f"{words} has line breaks or spaces at its ends, which {target} does not keep: {_OTHERS}."
            )


def _free(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _text(value: Any) -> str:
    """Return a value as PMML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _dictionary(root: ET.Element, plan: ModelPlan, target: str) -> None:
    fields = ET.SubElement(root, "DataDictionary", {"numberOfFields": str(len(plan.columns) + 1)})
    for column, kind in plan.columns.items():
        optype, data_type = _TYPES[kind]
        field = ET.SubElement(fields, "DataField", {"name": column, "optype": optype, "dataType": data_type})
        if data_type == "double":  # an infinite number is invalid
            ends = {"closure": "closedClosed", "leftMargin": f"-{LARGEST}", "rightMargin": LARGEST}
            ET.SubElement(field, "Interval", ends)
    kinds = {str: "string", bool: "boolean", int: "integer", float: "double"}
    data_type = kinds[type(plan.classes[0])]
    field = ET.SubElement(fields, "DataField", {"name": target, "optype": "categorical", "dataType": data_type})
    for each in plan.classes:
        ET.SubElement(field, "Value", {"value": _text(each)})


def _schema(model: ET.Element, plan: ModelPlan, target: str) -> None:
    schema = ET.SubElement(model, "MiningSchema")
    for column in plan.columns:
        given = {"name": column, "usageType": "active", "invalidValueTreatment": "returnInvalid"}
        ET.SubElement(schema, "MiningField", given)
    ET.SubElement(schema, "MiningField", {"name": target, "usageType": "target"})


def _output(model: ET.Element, plan: ModelPlan) -> None:
    output, taken = ET.SubElement(model, "Output"), list(plan.columns)
    kinds = {str: "string", bool: "boolean", int: "integer", float: "double"}
    given = {"name": _free("predicted", taken), "optype": "categorical", "dataType": kinds[type(plan.classes[0])]}
    ET.SubElement(output, "OutputField", {**given, "feature": "predictedValue"})
    for each in plan.classes:
        name = _free(f"P({_text(each)})", taken)
        given = {"name": name, "optype": "continuous", "dataType": "double", "feature": "probability"}
        ET.SubElement(output, "OutputField", {**given, "value": _text(each)})


# --- Derived fields -----------------------------------------------------------------------------------


def _derived(parent: ET.Element, name: str, data_type: str = "integer", optype: str = "categorical") -> ET.Element:
    return ET.SubElement(parent, "DerivedField", {"name": name, "optype": optype, "dataType": data_type})


def _apply(parent: ET.Element, function: str) -> ET.Element:
    return ET.SubElement(parent, "Apply", {"function": function})


def _constant(parent: ET.Element, value: float, data_type: str = "double") -> None:
    ET.SubElement(parent, "Constant", {"dataType": data_type}).text = repr(value)


def _ref(parent: ET.Element, name: str) -> None:
    ET.SubElement(parent, "FieldRef", {"field": name})


def _add_code(local: ET.Element, j: int, attribute: AttributePlan) -> None:
    """Add the derived field ``atfnb_code_j``."""
    source = attribute.column
    if attribute.kind == "nothing":
        field = _derived(local, f"atfnb_code_{j}")
        _constant(field, attribute.missing, "integer")
        _values(field, len(attribute.labels))
        return
    if attribute.kind == "boolean":
        source = f"atfnb_text_{j}"
        _ref(_derived(local, source, "string"), attribute.column)
    field = _derived(local, f"atfnb_code_{j}")
    if attribute.cuts is not None:
        _discretize(field, source, list(attribute.cuts), list(range(len(attribute.cuts) + 1)), attribute)
    elif attribute.kind in ("text", "boolean"):
        _map(field, source, [_text(each) for each in attribute.categories or ()], attribute)
    else:
        known = [float(each) for each in attribute.categories or ()]
        _points(field, source, known, attribute)
    _values(field, len(attribute.labels))


def _values(field: ET.Element, number: int) -> None:
    """Declare the values of a derived field, whole numbers from 0 on."""
    for value in range(number):
        ET.SubElement(field, "Value", {"value": str(value)})


def _bins(field: ET.Element, source: str, attribute: AttributePlan) -> ET.Element:
    """Add the code of a number: that of a missing value, or that of the interval it lies in."""
    chosen = _apply(field, "if")  # not by mapMissingTo, in which evaluators differ
    _ref(_apply(chosen, "isMissing"), source)
    _constant(chosen, attribute.missing, "integer")
    return ET.SubElement(chosen, "Discretize", {"field": source, "defaultValue": str(attribute.unseen)})


def _discretize(field: ET.Element, source: str, cuts: list[float], codes: list[int], attribute: AttributePlan) -> None:
    bins = _bins(field, source, attribute)
    if not cuts:  # any number
        cuts, codes = [0.0], [codes[0], codes[0]]
    for k, code in enumerate(codes):
        each = ET.SubElement(bins, "DiscretizeBin", {"binValue": str(code)})
        ends = {"closure": "closedOpen" if k else "openOpen"}
        ends |= {"leftMargin": repr(cuts[k - 1])} if k else {}
        ends |= {"rightMargin": repr(cuts[k])} if k < len(cuts) else {}
        ET.SubElement(each, "Interval", ends)


def _points(field: ET.Element, source: str, known: list[float], attribute: AttributePlan) -> None:
    bins = _bins(field, source, attribute)
    for code, value in enumerate(known):
        each = ET.SubElement(bins, "DiscretizeBin", {"binValue": str(code)})
        ends = {"closure": "closedClosed", "leftMargin": repr(value), "rightMargin": repr(value)}
        ET.SubElement(each, "Interval", ends)


def _map(field: ET.Element, source: str, known: list[str], attribute: AttributePlan) -> None:
    given = {"outputColumn": "code", "mapMissingTo": str(attribute.missing), "defaultValue": str(attribute.unseen)}
    mapped = ET.SubElement(field, "MapValues", {**given, "dataType": "integer"})
    ET.SubElement(mapped, "FieldColumnPair", {"field": source, "column": "value"})
    _inline(mapped, [(text, code) for code, text in enumerate(known)])


def _inline(parent: ET.Element, rows: list[tuple[str, int]]) -> None:
    table = ET.SubElement(parent, "InlineTable")
    for value, code in rows:
        row = ET.SubElement(table, "row")
        ET.SubElement(row, "value").text = value
        ET.SubElement(row, "code").text = str(code)


def _add_cell(local: ET.Element, p: int, pair: PairPlan) -> None:
    """Add the derived field ``atfnb_pair_p``: the position of the two groups in the grid of the pair."""
    rows, columns = pair.shape
    for side, (j, groups) in enumerate(zip(pair.of, pair.groups, strict=True)):
        field = _derived(local, f"atfnb_group_{p}_{side}", optype="continuous")
        mapped = ET.SubElement(field, "MapValues", {"outputColumn": "code", "dataType": "integer"})
        ET.SubElement(mapped, "FieldColumnPair", {"field": f"atfnb_code_{j}", "column": "value"})
        _inline(mapped, [(str(code), group) for code, group in enumerate(groups)])
    cell = _derived(local, f"atfnb_pair_{p}")
    chosen = _apply(cell, "if")
    known = _apply(chosen, "and")
    for side, size in enumerate((rows, columns)):
        below = _apply(known, "lessThan")
        _ref(below, f"atfnb_group_{p}_{side}")
        _constant(below, size, "integer")
    total = _apply(chosen, "+")
    product = _apply(total, "*")
    _ref(product, f"atfnb_group_{p}_0")
    _constant(product, columns, "integer")
    _ref(total, f"atfnb_group_{p}_1")
    _constant(chosen, rows * columns, "integer")
    _values(cell, rows * columns + 1)


def _add_class(model: ET.Element, plan: ModelPlan, c: int) -> None:
    """Add the table of what each code adds to one class."""
    given = {"intercept": repr(float(plan.starts[c])), "targetCategory": _text(plan.classes[c])}
    table = ET.SubElement(model, "RegressionTable", given)
    for t, term in enumerate(plan.terms):
        attribute = isinstance(term, AttributePlan)
        name = f"atfnb_code_{t}" if attribute else f"atfnb_pair_{t - len(plan.attributes)}"
        for code, added in enumerate(term.scores[:, c].tolist()):
            if added:
                given = {"name": name, "value": str(code), "coefficient": repr(added)}
                ET.SubElement(table, "CategoricalPredictor", given)
