"""A model as an ONNX graph: numbers and text in, label and probabilities out, as skl2onnx's classifiers name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb.export.plan import AttributePlan, ExportError, Kind, ModelPlan
from atfnb.export.trees import forest_of
from atfnb.model import TIE

OPSET, ML_OPSET = 17, 3
"""The versions of ONNX's operators; runtimes since 2022 have them."""
NOT_A_MOMENT = -(2**63)
"""The number of a missing date or time, as NumPy has it."""
DAY, HOUR = 86_400_000_000, 3_600_000_000
_OTHERS = "use model.py or model.js"
_NO_ONNX: dict[Kind, str] = {"mixed": "text beside numbers"}


def onnx_library() -> Any:
    """Return the package onnx, or raise an ImportError that says how to install it."""
    try:
        import onnx
    except ImportError:
        raise ImportError("model.onnx needs the package onnx: pip install 'atfnb[export]'") from None
    return onnx


class Graph:
    """The nodes and constants of a graph, with names that no input has."""

    def __init__(self, taken: Sequence[str] = (), opset: int = OPSET) -> None:
        self.opset = opset
        self.helper, self.numpy_helper = onnx_library().helper, onnx_library().numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._taken = set(taken)

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
            self.constants.append(self.helper.make_tensor(name, 8, array.shape, strings))
        else:
            self.constants.append(self.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str, to: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output, and return the name of the output."""
        output = self.name(f"atfnb_{len(self.nodes)}") if to is None else to
        self.nodes.append(self.helper.make_node(kind, list(inputs), [output], domain=domain, **attributes))
        return output

    def cast(self, of: str, kind: int, to: str | None = None) -> str:
        """Add a cast to one of ONNX's types, and return the name of the output."""
        output = self.name(f"atfnb_{len(self.nodes)}") if to is None else to
        self.nodes.append(self.helper.make_node("Cast", [of], [output], to=kind))
        return output

    def highest(self, of: str, axis: int | None = None) -> str:
        """Add the maximum, over one axis or all of them; the axis became an input in version 18 of the operators."""
        if axis is None:
            return self.node("ReduceMax", of, keepdims=0)
        if self.opset < 18:
            return self.node("ReduceMax", of, axes=[axis], keepdims=1)
        return self.node("ReduceMax", of, self.constant([axis], np.int64), keepdims=1)


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
    refuse(plan)
    library = onnx_library()
    graph = Graph([*plan.columns])
    kinds = {"text": 8, "date": 7, "time": 7}
    number = 11 if double else 1
    make = library.helper.make_tensor_value_info
    inputs = [make(column, kinds.get(kind, number), [None, 1]) for column, kind in plan.columns.items()]
    label, probabilities = graph.name("label"), graph.name("probabilities")
    features = features_of(graph, plan, {column: column for column in plan.columns}, single=not double)
    score(graph, plan, features, label, probabilities, double=double)
    outputs = [
        make(label, _class_type(plan), [None]),
        make(probabilities, number, [None, len(plan.classes)]),
    ]
    body = library.helper.make_graph(graph.nodes, "atfnb", inputs, outputs, graph.constants)
    versions = [library.helper.make_opsetid("", OPSET), library.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    made = library.helper.make_model(body, opset_imports=versions, producer_name="atfnb")
    made.ir_version = 8
    library.checker.check_model(made)
    return bytes(made.SerializeToString())


def refuse(plan: ModelPlan) -> None:
    """Raise an error for what a graph cannot hold."""
    target = "an ONNX graph"
    plan.refuse_kinds(target, _NO_ONNX, _OTHERS)
    plan.refuse_text(target, "\0", "a NUL character", _OTHERS)
    plan.refuse_surrogates(target, _OTHERS)
    if "" in plan.columns:
        raise ExportError(f"a column without a name cannot be an input of {target}: {_OTHERS}, or rename it.")
    for attribute in plan.attributes:
        if "" in (attribute.categories or ()):
            raise ExportError(
                f"column {attribute.column!r} has the category '', which is a missing value to {target}: "
                f"{_OTHERS} or model.sql."
            )


def _class_type(plan: ModelPlan) -> int:
    kinds = {type(each) for each in plan.classes}
    return {str: 8, bool: 9, int: 7, float: 11}[next(iter(kinds))]


# --- Columns → the numbers that the trees take ------------------------------------------------------


def features_of(graph: Graph, plan: ModelPlan, inputs: dict[str, str], *, single: bool) -> str:
    """Add what makes one number of each attribute from the inputs of its column: (rows, attributes) floats.

    They are 32-bit floats if numbers come as such and no attribute is part of a date, which needs more digits.
    """
    kind = _float_type(plan, single=single)
    numbers = [_feature(graph, attribute, inputs[attribute.column], kind) for attribute in plan.attributes]
    return numbers[0] if len(numbers) == 1 else graph.node("Concat", *numbers, axis=1)


def _float_type(plan: ModelPlan, *, single: bool) -> int:
    return 1 if single and not any(attribute.part for attribute in plan.attributes) else 11


def _feature(graph: Graph, attribute: AttributePlan, column: str, kind: int) -> str:
    if attribute.kind == "text":
        categories = [*(attribute.categories or ()), ""]
        codes = [*(float(code) for code in range(len(categories) - 1)), float(attribute.missing)]
        encoded = graph.node(
            "LabelEncoder",
            column,
            domain="ai.onnx.ml",
            keys_strings=categories,
            values_floats=codes,
            default_float=float(attribute.unseen),
        )
        return graph.cast(encoded, kind)
    number = column if attribute.part is None else _part(graph, attribute, column)
    return graph.cast(number, kind)


def _double(graph: Graph, whole: str) -> str:
    return graph.cast(whole, 11)


def _part(graph: Graph, attribute: AttributePlan, column: str) -> str:
    """Add what makes the part of a date, or of a time of day, from its microseconds."""

    def whole(value: int) -> str:
        return graph.constant([[value]], np.int64)

    def modulo(of: str, by: int) -> str:
        return graph.node("Mod", of, whole(by))

    def floor(of: str, by: int) -> str:
        return graph.node("Div", graph.node("Sub", of, modulo(of, by)), whole(by))

    missing = graph.node("Equal", column, whole(NOT_A_MOMENT))
    moment = graph.node("Where", missing, whole(0), column)
    if attribute.part in ("date", "time"):
        unit = graph.constant([[float(DAY if attribute.part == "date" else HOUR)]], np.float64)
        number = graph.node("Div", _double(graph, moment), unit)
    elif attribute.part == "hour":
        number = _double(graph, modulo(floor(moment, HOUR), 24))
    elif attribute.part == "weekday":
        number = _double(graph, graph.node("Add", modulo(graph.node("Add", floor(moment, DAY), whole(3)), 7), whole(1)))
    else:
        number = _double(graph, _month(graph, floor(moment, DAY)))
    return graph.node("Where", missing, graph.constant([[np.nan]], np.float64), number)


def _month(graph: Graph, day: str) -> str:
    """Add what makes the month from days since 1970-01-01, by the days of an era of 400 years that begins in March."""

    def whole(value: int) -> str:
        return graph.constant([[value]], np.int64)

    def divided(of: str, by: int) -> str:
        return graph.node("Div", of, whole(by))

    def times(of: str, by: int) -> str:
        return graph.node("Mul", of, whole(by))

    def plus(a: str, b: str) -> str:
        return graph.node("Add", a, b)

    def minus(a: str, b: str) -> str:
        return graph.node("Sub", a, b)

    of_era = graph.node("Mod", plus(day, whole(719_468)), whole(146_097))
    leaps = minus(plus(minus(of_era, divided(of_era, 1_460)), divided(of_era, 36_524)), divided(of_era, 146_096))
    year = divided(leaps, 365)
    days_before = minus(plus(times(year, 365), divided(year, 4)), divided(year, 100))
    from_march = divided(plus(times(minus(of_era, days_before), 5), whole(2)), 153)
    return plus(graph.node("Mod", plus(from_march, whole(2)), whole(12)), whole(1))


# --- Numbers → label and probabilities --------------------------------------------------------------


def score(graph: Graph, plan: ModelPlan, features: str, label: str, probabilities: str, *, double: bool) -> None:
    """Add what makes the label and the probabilities from the number of each attribute."""
    joint = _joint(graph, plan, features, single=not double)
    highest = graph.highest(joint, axis=1)
    tied = graph.node("GreaterOrEqual", joint, graph.node("Sub", highest, graph.constant(TIE, np.float64)))
    first = graph.node("ArgMax", graph.cast(tied, 6), axis=1, keepdims=0, select_last_index=0)
    graph.node("Gather", graph.constant(list(plan.classes)), first, to=label, axis=0)
    shares = graph.node("Softmax", joint, axis=1)
    graph.cast(shares, 11 if double else 1, to=probabilities)


def _joint(graph: Graph, plan: ModelPlan, features: str, *, single: bool) -> str:
    """Add the trees, and return the joint log-likelihoods, less that of the first class: (rows, classes)."""
    n_classes = len(plan.classes)
    kind = _float_type(plan, single=single)

    def tensor(name: str, values: NDArray[Any]) -> Any:
        return graph.helper.make_tensor(name, kind, values.shape, values.tolist())

    attributes = forest_of(plan, single=single).attributes(2 * n_classes, tensor)
    sums = graph.cast(graph.node("TreeEnsembleRegressor", features, domain="ai.onnx.ml", **attributes), 11)
    high = graph.node("Gather", sums, graph.constant(list(range(n_classes)), np.int64), axis=1)
    rest = graph.node("Gather", sums, graph.constant(list(range(n_classes, 2 * n_classes)), np.int64), axis=1)
    start = graph.node(
        "Add", graph.constant([(plan.starts - plan.starts[0]).tolist()], np.float64), _refusing_infinity(graph, high)
    )
    return graph.node("Add", graph.node("Add", high, rest), start)


def _refusing_infinity(graph: Graph, sums: str) -> str:
    """Add a zero that is looked up, which fails, as its position is outside of the list, if a sum is infinite."""
    infinite = graph.cast(graph.node("IsInf", sums), 6)
    position = graph.highest(infinite)
    return graph.node("Gather", graph.constant([0.0], np.float64), position, axis=0)
