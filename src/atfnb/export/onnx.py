"""A model as an ONNX graph: numbers and text in, label and probabilities out, as skl2onnx's classifiers name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb.classifiers import ROSTER
from atfnb.export.plan import DAY, HOUR, AttributePlan, ExportError, ModelPlan, plan_of
from atfnb.export.trees import forest_of
from atfnb.model import TIE

OPSET, ML_OPSET = 17, 3
"""The versions of ONNX's operators; runtimes since 2022 have them."""
FLOAT, INT32, INT64, STRING, BOOL, DOUBLE = 1, 6, 7, 8, 9, 11
"""ONNX's numbers of the types of tensors."""
NOT_A_MOMENT = -(2**63)
"""The number of a missing date or time, as NumPy has it."""
_OTHERS = "use model.py or model.js"


def onnx(plan: ModelPlan, *, double: bool = False) -> bytes:
    """Return the model as the bytes of an ONNX file.

    Parameters
    ----------
    plan : ModelPlan
    double : bool, default=False
        Whether numbers come and probabilities go as 64-bit floats; they are 32-bit floats otherwise.

    Returns
    -------
    bytes
        The graph has an input of shape (rows, 1) for each column, named like it: floats for numbers and booleans, with
        NaN for a missing value; text, with "" for a missing value; for dates, microseconds since 1970-01-01 as 64-bit
        integers, by the clocks of the time zone of training if they had one, and since midnight for times of day,
        with −2⁶³ for a missing value. The outputs are ``label`` (rows,) and ``probabilities`` (rows, classes). Infinite
        numbers are an error.
    """
    _refuse(plan)
    library, graph = _library(), Graph(plan, double=double)
    make, kinds = library.helper.make_tensor_value_info, {"text": STRING, "date": INT64, "time": INT64}
    inputs = [make(column, kinds.get(kind, graph.number), [None, 1]) for column, kind in plan.columns.items()]
    label, probabilities = graph.name("label"), graph.name("probabilities")
    _add_score(graph, _add_features(graph, {column: column for column in plan.columns}), label, probabilities)
    of_classes = {str: STRING, bool: BOOL, int: INT64, float: DOUBLE}[type(plan.classes[0])]
    outputs = [make(label, of_classes, [None]), make(probabilities, graph.number, [None, len(plan.classes)])]
    body = library.helper.make_graph(graph.nodes, "atfnb", inputs, outputs, graph.constants)
    versions = [library.helper.make_opsetid("", OPSET), library.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    made = library.helper.make_model(body, opset_imports=versions, producer_name="atfnb")
    made.ir_version = 8
    library.checker.check_model(made)
    return bytes(made.SerializeToString())


def _library() -> Any:
    """Return the package onnx, or raise an ImportError that says how to install it."""
    try:
        import onnx
    except ImportError:
        raise ImportError("model.onnx needs the package onnx: pip install 'atfnb[export]'") from None
    return onnx


def _refuse(plan: ModelPlan) -> None:
    """Raise an error for what a graph cannot hold."""
    target = "an ONNX graph"
    plan.refuse(target, _OTHERS)
    if "" in plan.columns:
        raise ExportError(f"a column without a name cannot be an input of {target}: {_OTHERS}, or rename it.")
    for attribute in plan.attributes:
        if "" in (attribute.categories or ()):
            raise ExportError(
                f"column {attribute.column!r} has the category '', which is a missing value to {target}: "
                f"{_OTHERS} or model.sql."
            )


class Graph:
    """The nodes and constants of a graph of a plan, with names that no input has.

    Parameters
    ----------
    plan : ModelPlan
    double : bool
        Whether numbers come, and probabilities go, as 64-bit floats.
    opset : int
        The version of the operators.
    """

    def __init__(self, plan: ModelPlan, *, double: bool, opset: int = OPSET) -> None:
        self.plan, self.double, self.opset = plan, double, opset
        self.helper, self.numpy_helper = _library().helper, _library().numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._taken = set(plan.columns)

    @property
    def number(self) -> int:
        """The type of numbers that come and of probabilities."""
        return DOUBLE if self.double else FLOAT

    @property
    def feature(self) -> int:
        """The type of the numbers that trees take; parts of dates need the digits of a 64-bit float."""
        return DOUBLE if any(attribute.part for attribute in self.plan.attributes) else self.number

    def name(self, wanted: str) -> str:
        """Return a name that is free, with underscores appended where needed."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Add a constant, and return its name; text is a list of str."""
        name = self.name(f"atfnb_constant_{len(self.constants)}")
        array: NDArray[Any] = np.array(value, dtype=dtype)
        if array.dtype.kind in "UO":
            strings = [text.encode("utf-8") for text in array.ravel().tolist()]
            self.constants.append(self.helper.make_tensor(name, STRING, array.shape, strings))
        else:
            self.constants.append(self.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str | int, output: str | None = None, domain: str = "", **given: Any) -> str:
        """Add a node with one output, and return the name of the output; whole numbers become constants."""
        names = [each if isinstance(each, str) else self.constant([[each]], np.int64) for each in inputs]
        output = self.name(f"atfnb_{len(self.nodes)}") if output is None else output
        self.nodes.append(self.helper.make_node(kind, names, [output], domain=domain, **given))
        return output

    def cast(self, of: str, kind: int, output: str | None = None) -> str:
        """Add a cast to one of ONNX's types, and return the name of the output."""
        return self.node("Cast", of, output=output, to=kind)

    def highest(self, of: str, axis: int | None = None) -> str:
        """Add the maximum, over one axis or all of them; the axis became an input in version 18 of the operators."""
        if axis is None:
            return self.node("ReduceMax", of, keepdims=0)
        if self.opset < 18:
            return self.node("ReduceMax", of, axes=[axis], keepdims=1)
        return self.node("ReduceMax", of, self.constant([axis], np.int64), keepdims=1)


# --- Columns → the numbers that the trees take ------------------------------------------------------


def _add_features(graph: Graph, inputs: Mapping[str, str]) -> str:
    """Add what makes one number of each attribute from the inputs of its column: (rows, attributes) floats."""
    numbers = [_add_feature(graph, attribute, inputs[attribute.column]) for attribute in graph.plan.attributes]
    return numbers[0] if len(numbers) == 1 else graph.node("Concat", *numbers, axis=1)


def _add_feature(graph: Graph, attribute: AttributePlan, column: str) -> str:
    number = column if attribute.part is None else _add_part(graph, attribute, column)
    if attribute.kind == "text":
        categories = attribute.categories or ()
        number = graph.node(
            "LabelEncoder",
            column,
            domain="ai.onnx.ml",
            keys_strings=[*categories, ""],
            values_floats=[*map(float, range(len(categories))), float(attribute.missing)],
            default_float=float(attribute.unseen),
        )
    return graph.cast(number, graph.feature)


def _add_part(graph: Graph, attribute: AttributePlan, column: str) -> str:
    """Add what makes the part of a date, or of a time of day, from its microseconds."""

    def floor(of: str, by: int) -> str:
        return graph.node("Div", graph.node("Sub", of, graph.node("Mod", of, by)), by)

    missing = graph.node("Equal", column, NOT_A_MOMENT)
    moment = graph.node("Where", missing, 0, column)
    if attribute.part in ("date", "time"):
        unit = graph.constant([[float(DAY if attribute.part == "date" else HOUR)]], np.float64)
        number = graph.node("Div", graph.cast(moment, DOUBLE), unit)
    else:
        if attribute.part == "hour":
            whole = graph.node("Mod", floor(moment, HOUR), 24)
        elif attribute.part == "weekday":
            whole = graph.node("Add", graph.node("Mod", graph.node("Add", floor(moment, DAY), 3), 7), 1)
        else:
            whole = _add_month(graph, floor(moment, DAY))
        number = graph.cast(whole, DOUBLE)
    return graph.node("Where", missing, graph.constant([[np.nan]], np.float64), number)


def _add_month(graph: Graph, day: str) -> str:
    """Add what makes the month from days since 1970-01-01, by the days of an era of 400 years that begins in March."""

    def divided(of: str, by: int) -> str:
        return graph.node("Div", of, by)

    def plus(a: str, b: str | int) -> str:
        return graph.node("Add", a, b)

    def minus(a: str, b: str) -> str:
        return graph.node("Sub", a, b)

    of_era = graph.node("Mod", plus(day, 719_468), 146_097)
    leaps = minus(plus(minus(of_era, divided(of_era, 1_460)), divided(of_era, 36_524)), divided(of_era, 146_096))
    year = divided(leaps, 365)
    days_before = minus(plus(graph.node("Mul", year, 365), divided(year, 4)), divided(year, 100))
    from_march = divided(plus(graph.node("Mul", minus(of_era, days_before), 5), 2), 153)
    return plus(graph.node("Mod", plus(from_march, 2), 12), 1)


# --- Numbers → label and probabilities --------------------------------------------------------------


def _add_score(graph: Graph, features: str, label: str, probabilities: str) -> None:
    """Add what makes the label and the probabilities from the number of each attribute."""
    joint = _add_joint(graph, features)
    highest = graph.highest(joint, axis=1)
    tied = graph.node("GreaterOrEqual", joint, graph.node("Sub", highest, graph.constant(TIE, np.float64)))
    first = graph.node("ArgMax", graph.cast(tied, INT32), axis=1, keepdims=0, select_last_index=0)
    graph.node("Gather", graph.constant(list(graph.plan.classes)), first, output=label, axis=0)
    graph.cast(graph.node("Softmax", joint, axis=1), graph.number, output=probabilities)


def _add_joint(graph: Graph, features: str) -> str:
    """Add the trees, and return the joint log-likelihoods, less that of the first class: (rows, classes)."""
    starts, n_classes = graph.plan.starts, len(graph.plan.classes)

    def tensor(name: str, values: NDArray[Any]) -> Any:
        return graph.helper.make_tensor(name, graph.feature, values.shape, values.tolist())

    def targets(first: int) -> str:
        return graph.node("Gather", sums, graph.constant(list(range(first, first + n_classes)), np.int64), axis=1)

    attributes = forest_of(graph.plan, double=graph.double).attributes(2 * n_classes, tensor)
    sums = graph.cast(graph.node("TreeEnsembleRegressor", features, domain="ai.onnx.ml", **attributes), DOUBLE)
    high, rest = targets(0), targets(n_classes)
    start = graph.constant([(starts - starts[0]).tolist()], np.float64)
    start = graph.node("Add", start, _refusing_infinity(graph, high))
    return graph.node("Add", graph.node("Add", high, rest), start)


def _refusing_infinity(graph: Graph, sums: str) -> str:
    """Add a zero that is looked up, which fails, as its position is outside of the list, if a sum is infinite."""
    position = graph.highest(graph.cast(graph.node("IsInf", sums), INT32))
    return graph.node("Gather", graph.constant([0.0], np.float64), position, axis=0)


# --- skl2onnx: a Pipeline that ends in one of the classifiers ----------------------------------------


def register_with_skl2onnx() -> None:
    """Register every classifier with skl2onnx, so that ``skl2onnx.to_onnx`` converts it, alone or in a Pipeline.

    A classifier takes one tensor of numbers, as the steps of a Pipeline make it, or a tensor of one column for each
    column that it was fitted with.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError:
        raise ImportError("to register the classifiers, install skl2onnx: pip install 'atfnb[export]'") from None
    options = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True], "nocl": [True, False]}
    for classifier in ROSTER:
        update_registered_converter(classifier, f"Atfnb{classifier.__name__}", _set_types, _convert, options=options)


def _set_types(operator: Any) -> None:
    """Set the types of the label and of the probabilities."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType

    classes = operator.raw_operator.classes_
    rows = operator.inputs[0].get_first_dimension()
    text = np.asarray(classes).dtype.kind in "UO"
    operator.outputs[0].set_type(StringTensorType([rows]) if text else Int64TensorType([rows]))
    number = DoubleTensorType if _is_double(operator) else FloatTensorType
    operator.outputs[1].set_type(number([rows, len(classes)]))


def _is_double(operator: Any) -> bool:
    return any(type(each.type).__name__ == "DoubleTensorType" for each in operator.inputs)


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add a classifier to the graph of a Pipeline."""
    plan = plan_of(operator.raw_operator)
    _refuse(plan)
    graph = Graph(plan, double=_is_double(operator), opset=container.target_opset_any_domain(""))
    graph.name = scope.get_unique_variable_name  # type: ignore[method-assign]
    features = _pipeline_features(graph, [each.full_name for each in operator.inputs])
    label, probabilities = (each.full_name for each in operator.outputs)
    text = isinstance(plan.classes[0], str)
    found = label if text else graph.name("atfnb_label")
    _add_score(graph, features, found, probabilities)
    if not text:
        graph.cast(found, INT64, output=label)
    for constant in graph.constants:
        container.initializers.append(constant)
    for node in graph.nodes:
        given = {each.name: graph.helper.get_attribute_value(each) for each in node.attribute}
        given |= {"op_domain": node.domain, "name": node.output[0]}
        given["op_version"] = {"LabelEncoder": 2, "TreeEnsembleRegressor": 3}.get(node.op_type)
        container.add_node(node.op_type, list(node.input), list(node.output), **given)


def _pipeline_features(graph: Graph, inputs: list[str]) -> str:
    columns = graph.plan.columns
    if len(inputs) == len(columns):
        return _add_features(graph, dict(zip(columns, inputs, strict=True)))
    if len(inputs) > 1 or not {"text", "date", "time"}.isdisjoint(columns.values()):
        raise ExportError(
            f"the classifier has {len(columns)} columns and gets {len(inputs)} tensors: give one tensor for each "
            "column, or a single one of numbers."
        )
    return graph.cast(inputs[0], graph.number)
