"""The classifiers in skl2onnx: a Pipeline that ends in one of them is converted like any other."""

from __future__ import annotations

from typing import Any

import numpy as np

from atfnb.classifiers import ROSTER
from atfnb.export.onnx import Graph, features_of, refuse, score
from atfnb.export.plan import ExportError, ModelPlan, plan_of


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
        update_registered_converter(classifier, f"Atfnb{classifier.__name__}", _shapes, _convert, options=options)


def _shapes(operator: Any) -> None:
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


class _InPipeline(Graph):
    """A graph that adds its nodes and constants to that of a Pipeline."""

    def __init__(self, scope: Any, container: Any) -> None:
        super().__init__(opset=container.target_opset_any_domain(""))
        self.name = scope.get_unique_variable_name  # type: ignore[method-assign]
        self.container = container

    def hand_over(self) -> None:
        for each in self.constants:
            self.container.initializers.append(each)
        for each in self.nodes:
            attributes = {one.name: self.helper.get_attribute_value(one) for one in each.attribute}
            version = {"LabelEncoder": 2, "TreeEnsembleRegressor": 3}.get(each.op_type)
            inputs, outputs = list(each.input), list(each.output)
            self.container.add_node(
                each.op_type, inputs, outputs, op_domain=each.domain, op_version=version, name=outputs[0], **attributes
            )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add a classifier to the graph of a Pipeline."""
    plan = plan_of(operator.raw_operator)
    refuse(plan)
    graph, double = _InPipeline(scope, container), _is_double(operator)
    features = _features(graph, plan, [each.full_name for each in operator.inputs], double=double)
    label, probabilities = (each.full_name for each in operator.outputs)
    text = isinstance(plan.classes[0], str)
    found = label if text else graph.name("atfnb_label")
    score(graph, plan, features, found, probabilities, double=double)
    if not text:
        graph.cast(found, 7, to=label)
    graph.hand_over()


def _features(graph: Graph, plan: ModelPlan, inputs: list[str], *, double: bool) -> str:
    if len(inputs) == len(plan.columns):
        return features_of(graph, plan, dict(zip(plan.columns, inputs, strict=True)), single=not double)
    odd = [column for column, kind in plan.columns.items() if kind in ("text", "date", "time")]
    if len(inputs) > 1 or odd:
        raise ExportError(
            f"the classifier has {len(plan.columns)} columns and gets {len(inputs)} tensors: give one tensor for each "
            "column, or a single one of numbers."
        )
    return graph.cast(inputs[0], 11 if double else 1)
