"""A model as an ONNX graph: numbers and text in, label and probabilities out, as skl2onnx's classifiers name them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import Setting
from atfnb._typing import FloatArray
from atfnb.classifiers import ROSTER
from atfnb.export.plan import DAY, HOUR, AttributePlan, ExportError, ModelPlan, PairPlan, plan_of
from atfnb.model import TIE
from atfnb.tables import DatePart

OPSET, ML_OPSET = 17, 3
"""The versions of ONNX's operators; runtimes since 2022 have them."""
FLOAT, INT32, INT64, STRING, BOOL, DOUBLE = 1, 6, 7, 8, 9, 11
"""ONNX's numbers of the types of tensors."""
NOT_A_MOMENT = -(2**63)
"""The number of a missing date or time, as NumPy has it."""
CYCLES: Mapping[str, Any] = {
    "hour": np.arange(24),
    "weekday": np.array([4, 5, 6, 7, 1, 2, 3]),
    "month": (np.arange(146_097).astype("M8[D]").astype("M8[M]").astype(np.int64) % 12 + 1).astype(np.int8),
}
"""Parts of dates, of each hour or day from 1970-01-01 on until they repeat; months do so after 400 years."""
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
    _add_score(graph, {column: column for column in plan.columns}, list(plan.classes), label, probabilities)
    of_classes = {str: STRING, bool: BOOL, int: INT64, float: DOUBLE}[type(plan.classes[0])]
    outputs = [make(label, of_classes, [None]), make(probabilities, graph.number, [None, len(plan.classes)])]
    body = library.helper.make_graph(graph.nodes, "atfnb", inputs, outputs, graph.constants)
    versions = [library.helper.make_opsetid("", OPSET), library.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    made = library.helper.make_model(body, opset_imports=versions, producer_name="atfnb")
    made.ir_version, made.doc_string = 8, "\n".join(plan.edits)
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
        """The type of the numbers that are searched for; parts of dates need the digits of a 64-bit float."""
        return DOUBLE if any(attribute.part for attribute in self.plan.attributes) else self.number

    def name(self, wanted: str) -> str:
        """Return a name that is free, with underscores appended where needed."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def constant(self, value: Any) -> str:
        """Add a constant, and return its name; text is a list of str."""
        name = self.name(f"atfnb_constant_{len(self.constants)}")
        array: NDArray[Any] = np.array(value)
        if array.dtype.kind in "UO":
            strings = [text.encode("utf-8") for text in array.ravel().tolist()]
            self.constants.append(self.helper.make_tensor(name, STRING, array.shape, strings))
        else:
            self.constants.append(self.numpy_helper.from_array(array, name))
        return name

    def node(self, kind: str, *inputs: str | int, output: str | None = None, domain: str = "", **given: Any) -> str:
        """Add a node with one output, and return the name of the output; whole numbers become constants."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        output = self.name(f"atfnb_{len(self.nodes)}") if output is None else output
        self.nodes.append(self.helper.make_node(kind, names, [output], domain=domain, **given))
        return output

    def cast(self, of: str, kind: int, output: str | None = None) -> str:
        """Add a cast to one of ONNX's types, and return the name of the output."""
        return self.node("Cast", of, output=output, to=kind)

    def item(self, of: str, position: int) -> str:
        """Add the item at a position of each row, and return its name: (rows,)."""
        return self.node("Gather", of, self.constant(position), axis=1)

    def highest(self, of: str) -> str:
        """Add the maximum of each row, and return its name; the axis became an input in version 18 of the operators."""
        if self.opset < 18:
            return self.node("ReduceMax", of, axes=[1], keepdims=1)
        return self.node("ReduceMax", of, self.constant([1]), keepdims=1)


# --- Columns → codes ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps:
    """The codes of an attribute by position: that of a number is how many of the cuts do not exceed it."""

    cuts: NDArray[Any]
    codes: tuple[int, ...]
    """(positions,) The last is the code of a missing number."""


def steps_of(attribute: AttributePlan, *, double: bool) -> Steps:
    """Return the codes of an attribute by position; that of text is the code itself.

    Parameters
    ----------
    attribute : AttributePlan
    double : bool
        Whether numbers come as 64-bit floats; otherwise they are rounded to 32 bits, and the cuts as they are.
    """
    kind = np.float64 if double or attribute.part is not None else np.float32
    if attribute.kind == "text":
        return Steps(np.zeros(0), tuple(range(len(attribute.labels))))
    exact = np.array(attribute.cuts if attribute.cuts is not None else attribute.categories, dtype=object)
    with np.errstate(over="ignore"):
        rounded = exact.astype(kind)
    if attribute.cuts is not None:
        if not np.isfinite(rounded).all() or (np.diff(rounded) <= 0).any() or ((rounded == 0) != (exact == 0)).any():
            fault = f"column {attribute.column!r} is cut at numbers that 32-bit floats cannot tell apart: "
            raise ExportError(fault, "use double precision, ", Setting("double", True), ".")
        return Steps(rounded, (*range(len(rounded) + 1), attribute.missing))
    if rounded.tolist() != exact.tolist():
        fault = f"column {attribute.column!r} has categories that are no {'64' if double else '32'}-bit floats: use "
        other = ("model.py, model.js or model.sql",) if double else ("double precision, ", Setting("double", True))
        raise ExportError(fault, *other, ".")
    code_of = {value: code for code, value in enumerate(rounded.tolist())}
    ends = np.unique([rounded, np.nextafter(rounded, kind(math.inf))])
    codes = [attribute.unseen, *(code_of.get(end, attribute.unseen) for end in ends.tolist()), attribute.missing]
    return Steps(ends, tuple(codes))


def _add_positions(graph: Graph, inputs: Mapping[str, str], steps: Sequence[Steps]) -> list[str]:
    """Add what makes the position of the code of each attribute from the inputs of the columns: (rows,) integers."""
    numbers, found = dict[int, str](), dict[int, str]()
    for j, attribute in enumerate(graph.plan.attributes):
        column, known = inputs[attribute.column], attribute.categories or ()
        if attribute.kind == "text":
            codes: dict[str, Any] = {
                "keys_strings": [*known, ""],
                "values_int64s": [*range(len(known)), attribute.missing],
                "default_int64": attribute.unseen,
            }
            found[j] = graph.node("LabelEncoder", graph.item(column, 0), domain="ai.onnx.ml", **codes)
        else:
            number = column if attribute.part is None else _add_part(graph, attribute.part, column)
            numbers[j] = graph.cast(number, graph.feature)
    if numbers:
        searched = _add_search(graph, graph.node("Concat", *numbers.values(), axis=1), [steps[j] for j in numbers])
        found |= {j: graph.item(searched, k) for k, j in enumerate(numbers)}
    return [found[j] for j in range(len(found))]


def _add_search(graph: Graph, numbers: str, steps: Sequence[Steps]) -> str:
    """Add a search by halving for all numbers at once, (rows, attributes) numbers to positions; infinities fail.

    The cuts of all attributes stand in one list, in which each attribute has the same number of places.
    """
    size = 2 ** max(len(each.cuts) for each in steps).bit_length()
    cuts = np.full((len(steps), size), math.inf, np.float64 if graph.feature == DOUBLE else np.float32)
    for row, each in zip(cuts, steps, strict=True):
        row[1 : len(each.cuts) + 1] = each.cuts
    places, starts = graph.constant(cuts.ravel()), graph.constant(np.arange(len(steps))[None] * size)
    found, half = starts, size // 2
    while half:
        cut = graph.node("Gather", places, graph.node("Add", found, half))
        above = graph.cast(graph.node("GreaterOrEqual", numbers, cut), INT64)
        found, half = graph.node("Add", found, graph.node("Mul", above, half)), half // 2
    missing = graph.constant([[len(each.codes) - 1 for each in steps]])
    position = graph.node("Where", graph.node("IsNaN", numbers), missing, graph.node("Sub", found, starts))
    faults = graph.highest(graph.cast(graph.node("IsInf", numbers), INT32))
    return graph.node("Add", position, graph.node("Gather", graph.constant([0]), faults))  # position 1 is outside


def _add_part(graph: Graph, part: DatePart, column: str) -> str:
    """Add what makes the part of a date, or of a time of day, from its microseconds."""
    missing = graph.node("Equal", column, NOT_A_MOMENT)
    moment = graph.node("Where", missing, 0, column)
    unit = HOUR if part in ("hour", "time") else DAY
    if part in ("date", "time"):
        number = graph.node("Div", graph.cast(moment, DOUBLE), graph.constant(float(unit)))
    else:
        whole = graph.node("Div", graph.node("Sub", moment, graph.node("Mod", moment, unit)), unit)
        cycle = CYCLES[part]
        number = graph.cast(graph.node("Gather", graph.constant(cycle), graph.node("Mod", whole, len(cycle))), DOUBLE)
    return graph.node("Where", missing, graph.constant(np.nan), number)


# --- Codes → label and probabilities ----------------------------------------------------------------


def _add_score(graph: Graph, inputs: Mapping[str, str], classes: Any, label: str, probabilities: str) -> None:
    """Add what makes the label, one of some classes, and the probabilities from the inputs of the columns."""
    joint = _add_joint(graph, inputs)
    highest = graph.highest(joint)
    tied = graph.node("GreaterOrEqual", joint, graph.node("Sub", highest, graph.constant(TIE)))
    first = graph.node("ArgMax", graph.cast(tied, INT32), axis=1, keepdims=0, select_last_index=0)
    graph.node("Gather", graph.constant(classes), first, output=label, axis=0)
    graph.cast(graph.node("Softmax", joint, axis=1), graph.number, output=probabilities)


def _add_joint(graph: Graph, inputs: Mapping[str, str]) -> str:
    """Add what looks up the scores of attributes and pairs, and sums them: (rows, classes) joint log-likelihoods."""
    plan = graph.plan
    steps = [steps_of(attribute, double=graph.double) for attribute in plan.attributes]
    positions = _add_positions(graph, inputs, steps)
    joint = graph.constant(plan.starts[None])
    for t, term in enumerate(plan.terms):
        if isinstance(term, PairPlan):
            position, scores = _add_grid(graph, term, positions, steps)
        else:
            position, scores = positions[t], term.scores[list(steps[t].codes)]
        joint = graph.node("Add", joint, graph.node("Gather", graph.constant(scores), position))
    return joint


def _add_grid(graph: Graph, pair: PairPlan, positions: Sequence[str], steps: Sequence[Steps]) -> tuple[str, FloatArray]:
    """Add what makes the position of a pair in its scores, and return it and them; unknown is a group like others."""
    rows, columns = pair.shape
    scores = np.tile(pair.scores[-1], (rows + 1, columns + 1, 1))
    scores[:rows, :columns] = pair.scores[:-1].reshape(rows, columns, -1)
    found = []
    for j, groups, width in zip(pair.of, pair.groups, (columns + 1, 1), strict=True):
        of_position = np.array(groups)[list(steps[j].codes)] * width
        found.append(graph.node("Gather", graph.constant(of_position), positions[j]))
    return graph.node("Add", *found), scores.reshape(-1, len(graph.plan.classes))


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
    inputs = _pipeline_inputs(graph, [each.full_name for each in operator.inputs])
    label, probabilities = (each.full_name for each in operator.outputs)
    classes = np.array(plan.classes)
    _add_score(graph, inputs, classes if classes.dtype.kind == "U" else classes.astype(np.int64), label, probabilities)
    container.initializers.extend(graph.constants)
    for node in graph.nodes:
        given = {each.name: graph.helper.get_attribute_value(each) for each in node.attribute}
        given |= {"op_domain": node.domain, "name": node.output[0]}
        given["op_version"] = 2 if node.op_type == "LabelEncoder" else None
        container.add_node(node.op_type, list(node.input), list(node.output), **given)


def _pipeline_inputs(graph: Graph, inputs: list[str]) -> dict[str, str]:
    """Return the input of each column; those of a single tensor of numbers are its columns."""
    columns = graph.plan.columns
    if 1 == len(inputs) < len(columns) and {"text", "date", "time"}.isdisjoint(columns.values()):
        inputs = [graph.node("Gather", inputs[0], graph.constant([k]), axis=1) for k in range(len(columns))]
    if len(inputs) != len(columns):
        raise ExportError(
            f"the classifier has {len(columns)} columns and gets {len(inputs)} tensors: give one tensor for each "
            "column, or a single one of numbers."
        )
    return dict(zip(columns, inputs, strict=True))
