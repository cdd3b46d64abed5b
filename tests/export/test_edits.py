"""Every target predicts as the edited model does, and says that it was edited, whatever the reasons hold."""

from functools import cache

import numpy as np
import pytest

from atfnb import NB, FusionNB
from atfnb.export import Options, plan_of, write
from atfnb.export.onnx import onnx
from helpers.export_rows import BEYOND, DATED, NAMES, hard_rows, training
from helpers.export_targets import TARGETS, assert_same
from helpers.model_files import small_model

SLOW = ("spark", "pmml")
HOSTILE = 'x\n\'; DROP TABLE data; --\r\u2028*/ \u0085""" + 1\n-- <script>alert(1)</script> {{ 1 }} \x00\ud800 é'
LESS = {"pmml": DATED, "onnx32": BEYOND, "spark": ("huge",)}
"""What a target cannot hold."""


@cache
def edited(kind, without=()):
    """A model that was edited in every way, and rows."""
    X, y = training()
    X = X.drop(columns=[NAMES[each] for each in without])
    model = kind(missing="value").fit(X, y)
    text, column = NAMES["text"], {"column": NAMES["number"], "reason": HOSTILE}
    categories = next(each.categories[:2] for each in model.encoder_.attributes if each.name == text)
    edits = [
        {"do": "smooth", **column},
        {"do": "rising", "class": "yes", **column},
        {"do": "set", "class": "no", "effect": 1.5, "values": [{"missing": True}], **column},
        {"do": "merge", "column": text, "values": [*categories], "reason": HOSTILE},
        {"do": "remove", "column": NAMES["whole"], "reason": HOSTILE},
    ]
    return model.edit(edits), hard_rows(model, X, single=without == BEYOND)


@pytest.mark.parametrize("kind", [NB, FusionNB])
@pytest.mark.parametrize("target", [each for each in TARGETS if each not in SLOW])
def test_every_target_predicts_as_the_edited_model_does(kind, target):
    model, rows = edited(kind, LESS.get(target, ()))
    assert not np.allclose(model.predict_proba(rows), model.learned_.predict_proba(rows))
    assert_same(model, rows, target)


def test_spark_and_pmml_predict_as_the_edited_model_does():
    for target in SLOW:
        assert_same(*edited(NB, LESS[target]), target)


@pytest.mark.parametrize("end", ["sql", "py", "mjs", "pmml", "md", "html"])
def test_every_text_says_once_that_the_model_was_edited_and_why(end, tmp_path):
    model = small_model("FusionNB").edit([{"do": "remove", "column": "age", "reason": HOSTILE}])
    write(model, tmp_path / f"model.{end}", Options())
    text = (tmp_path / f"model.{end}").read_text(encoding="utf-8")
    assert text.count("This model was edited: 1 edit.") == 1
    assert text.count("alert") == 1
    if end in ("html", "pmml"):
        assert "<script" not in text
        return
    (line,) = (line for line in text.split("\n") if "alert" in line)
    assert line.startswith({"sql": "-- 1. remove", "py": "# 1. remove", "mjs": "// 1. remove", "md": "1"}[end])
    write(small_model("FusionNB"), tmp_path / f"model.{end}", Options())
    assert "edited" not in (tmp_path / f"model.{end}").read_text(encoding="utf-8")


def test_a_graph_says_how_the_model_was_edited():
    library = pytest.importorskip("onnx")
    model = small_model("NB").edit([{"do": "remove", "column": "age", "reason": HOSTILE}])
    assert library.load_from_string(onnx(plan_of(model))).doc_string.startswith("This model was edited: 1 edit.\n1. ")
