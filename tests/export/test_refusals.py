"""What a target cannot hold, and values that no model takes, are refused with a sentence."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from atfnb import NB
from atfnb.export import ExportError, Options, javascript, onnx, plan_of, pmml, python, scorecard, sql, write
from helpers.export_targets import TARGETS, run_node

Y = ["a", "a", "b", "b"]


def fitted(y=Y, **columns):
    return NB().fit(pd.DataFrame(columns), y)


def words(cells):
    return pd.Series(cells, dtype=object)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("target", ["python", "sqlite", "duckdb", "postgres", "onnx", "onnx32"])
@pytest.mark.parametrize("cells", [[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0]])
def test_infinities_are_refused_alike(value, target, cells):
    model = fitted(size=cells)
    X = pd.DataFrame({"size": [1.0, value]})
    with pytest.raises(ValueError, match="infinite"):
        model.predict(X)
    with pytest.raises(Exception, match=r"infinite|Infinity|out of data bounds"):
        TARGETS[target](model, X)


@pytest.mark.parametrize("value", ["Infinity", "-Infinity"])
def test_javascript_refuses_infinities(value, tmp_path):
    write(fitted(size=[1.0, 2.0, 3.0, 4.0]), tmp_path / "model.mjs")
    script = f"const m = await import('{tmp_path}/model.mjs'); console.log(m.predict({{ size: {value} }}));"
    with pytest.raises(ValueError, match='column "size" is infinite: give a number or null'):
        run_node(script)


NUL = [
    ({"a\0b": [1.0, 2.0, 3.0, 4.0]}, Y),
    ({"a": words(["x\0", "y", "x\0", "y"])}, Y),
    ({"a": [1.0, 2.0, 3.0, 4.0]}, ["n\0o", "n\0o", "m", "m"]),
]


@pytest.mark.parametrize(("columns", "y"), NUL)
@pytest.mark.parametrize("make", [sql, onnx, pmml])
def test_nul_is_refused_where_it_cannot_be_held(columns, y, make):
    plan = plan_of(fitted(y, **columns))
    with pytest.raises(ExportError, match=r"has a (NUL|control) character, which a.* cannot hold: use model\.py"):
        make(plan)


@pytest.mark.parametrize(("columns", "y"), NUL)
@pytest.mark.parametrize("target", ["python", "node"])
def test_nul_is_held_by_the_languages(columns, y, target):
    model = fitted(y, **columns)
    classes, _ = TARGETS[target](model, pd.DataFrame(columns))
    assert classes == model.predict(pd.DataFrame(columns)).tolist()


def test_text_beside_numbers_is_held_by_the_languages_only():
    X = pd.DataFrame({"a": words(["x", 1, 1.5, "x"])})
    model = NB().fit(X, Y)
    for make in (sql, onnx, pmml):
        with pytest.raises(
            ExportError, match=r"column 'a' holds text beside numbers, .* use model\.py or model\.js|use"
        ):
            make(plan_of(model))
    for target in ("python", "node"):
        classes, _ = TARGETS[target](model, X)
        assert classes == model.predict(X).tolist()


def test_names_that_differ_in_case_only_are_refused_where_they_are_one():
    model = fitted(size=[1.0, 2.0, 3.0, 4.0], Size=[4.0, 3.0, 2.0, 1.0])
    for dialect in ("sqlite", "duckdb", "spark"):
        with pytest.raises(ExportError, match=r"'size' and 'Size' differ in the case .* or the dialect postgres"):
            sql(plan_of(model), dialect=dialect)
    X = pd.DataFrame({"size": [1.0, 4.0], "Size": [4.0, 1.0]})
    classes, _ = TARGETS["postgres"](model, X)
    assert classes == model.predict(X).tolist()


def test_spark_refuses_a_name_that_it_would_take_for_a_variable():
    with pytest.raises(ExportError, match="which spark takes for a variable"):
        sql(plan_of(fitted(**{"${x}": [1.0, 2.0, 3.0, 4.0]})), dialect="spark")


def test_an_empty_text_is_refused_by_onnx():
    with pytest.raises(ExportError, match="has the category '', which is a missing value"):
        onnx(plan_of(fitted(a=words(["", "x", "", "x"]))))


def test_large_whole_numbers_are_exact_or_refused():
    large = [2**53, 2**53 + 1, 2**53, 2**53 + 1]
    X = pd.DataFrame({"a": pd.Categorical(large)})
    model = NB().fit(X, ["a", "b", "a", "b"])
    for target in ("python", "sqlite", "duckdb", "postgres"):
        classes, _ = TARGETS[target](model, X)
        assert classes == ["a", "b", "a", "b"], target
    with pytest.raises(ExportError, match="no 64-bit floats: use model"):
        onnx(plan_of(model), double=True)
    with pytest.raises(ExportError, match="leave out with_tables=True"):
        sql(plan_of(model), with_tables=True)


def test_javascript_takes_large_whole_numbers_as_bigint(tmp_path):
    model = NB().fit(pd.DataFrame({"a": pd.Categorical([2**53, 2**53 + 1] * 2)}), ["a", "b"] * 2)
    (tmp_path / "model.mjs").write_text(javascript(plan_of(model)))
    classes = f"[{2**53}n, {2**53 + 1}n].map((a) => m.predict({{ a }}))"
    script = f"const m = await import('{tmp_path}/model.mjs'); console.log(JSON.stringify({classes}));"
    assert run_node(script) == ["a", "b"]


def test_a_scorecard_has_two_classes():
    model = NB().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    with pytest.raises(ExportError, match=r"a scorecard has two classes, and this model has 3: use any other target"):
        scorecard(plan_of(model))


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({}, "the row has no column 'a'"),
        ({"a": "1", "b": "x"}, "column 'a' is text: give a number"),
        ({"a": 1, "b": 1}, "column 'b' is a number: give text"),
        ({"a": [], "b": "x"}, "column 'a' is neither text nor a number"),
    ],
)
def test_python_refuses_a_row_that_does_not_fit(row, match):
    text = python(plan_of(fitted(a=[1.0, 2.0, 3.0, 4.0], b=words(["x", "y", "x", "y"]))))
    script = f"{text}\nimport sys\npredict(json.loads(sys.argv[1]))"
    command = [sys.executable, "-I", "-S", "-c", script, json.dumps(row)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert match in done.stderr


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    out = tmp_path / "card.csv"
    out.write_text("before")
    with pytest.raises(ExportError):
        write(NB().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"]), out)
    assert out.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["card.csv"]


def test_options_of_another_target_are_refused(tmp_path):
    model = fitted(a=[1.0, 2.0, 3.0, 4.0])
    with pytest.raises(
        ValueError, match=r"Options\(dialect=…\) is an option for \.sql only, and model\.js is none of them"
    ):
        write(model, tmp_path / "model.js", Options(dialect="sqlite"))
    with pytest.raises(ValueError, match=r"model\.exe does not say what to write"):
        write(model, tmp_path / "model.exe")
    with pytest.raises(ValueError, match="dialect must be one of duckdb, postgres, spark, sqlite, not 'oracle'"):
        sql(plan_of(model), dialect="oracle")
