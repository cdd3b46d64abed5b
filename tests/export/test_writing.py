"""Files, the command, explanations, skl2onnx and the schema of PMML."""

import contextlib
import json
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from lxml import etree
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from atfnb import NB, FusionNB, save
from atfnb.classifiers import ROSTER
from atfnb.cli import app
from atfnb.export import (
    TARGETS,
    javascript,
    onnx,
    plan_of,
    pmml,
    python,
    register_with_skl2onnx,
    sql,
    sql_statements,
    write,
)
from atfnb.export.dialects import DIALECTS
from helpers.export_rows import NAMES, training
from helpers.export_targets import in_sqlite, postgres, records, run_node

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).with_name("pmml_subset.xsd")))


def plain_rows(dates=False):
    X, y = training()
    return (X if dates else X.drop(columns=[NAMES["date"], NAMES["time"]])), y


def expected_reasons(model, X):
    """The three largest leads of each row, from the contributions of the model itself."""
    joint, added = model.predict_joint_log_proba(X), model.contributions(X)
    chosen = np.array([list(model.classes_).index(each) for each in model.predict(X)])
    rows = np.arange(len(joint))
    joint[rows, chosen] = -np.inf
    lead = added[rows, :, chosen] - added[rows, :, joint.argmax(axis=1)]
    order = np.argsort(-lead, axis=1, kind="stable")[:, :3]
    names = model.contribution_names_
    return [[(names[t], lead[i, t]) for t in few if lead[i, t] > 0] for i, few in enumerate(order)]


def fused():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 4, 1500), "b": rng.integers(0, 4, 1500), "c": rng.normal(size=1500)})
    y = ((X["a"] > 1) ^ (X["b"] > 1)) ^ (rng.random(1500) < 0.1)
    model = FusionNB().fit(X, np.where(y, "good", "bad"))
    assert model.pairs_, "the test needs a pair"
    return model, X[:40]


def three(names_and_leads):
    return [(name, pytest.approx(lead, abs=1e-9)) for name, lead in names_and_leads]


def test_python_and_javascript_explain_alike(tmp_path):
    model, X = fused()
    expected = expected_reasons(model, X)
    namespace = {}
    exec(python(plan_of(model), explain=True), namespace)  # noqa: S102
    (tmp_path / "model.mjs").write_text(javascript(plan_of(model), explain=True), encoding="utf-8")
    script = (
        f"const m = await import('{tmp_path}/model.mjs');"
        f"console.log(JSON.stringify({X.to_json(orient='records', double_precision=15)}.map(m.explain)));"
    )
    exact = X.round(10)
    expected = expected_reasons(model, exact)
    for found in (
        [namespace["explain"](row) for row in records(exact)],
        run_node(script),
    ):
        for row, reasons in zip(found, expected, strict=True):
            assert [(each["name"], each["lead"]) for each in row] == three(reasons)
    assert any("×" in each["label"] for row in found for each in row if "×" in each["name"])


@pytest.mark.parametrize("with_tables", [False, True])
def test_queries_explain_alike(with_tables):
    import duckdb

    model, X = fused()
    expected = expected_reasons(model, X)
    with duckdb.connect() as database:
        database.register("given", X)
        *before, query = sql_statements(plan_of(model), "given", explain=True, with_tables=with_tables)
        for each in before:
            database.execute(each)
        found = database.execute(query).fetchall()
    for row, reasons in zip(found, expected, strict=True):
        pairs = list(zip(row[-6::2], row[-5::2], strict=True))
        kept = [(words.split(": ")[0], lead) for words, lead in pairs if words is not None]
        assert kept == three(reasons)


def test_pairs_are_scored_by_every_target():
    from helpers.export_targets import TARGETS, assert_same

    model, X = fused()
    for target in [each for each in TARGETS if each != "spark"]:
        assert_same(model, X, target)


def test_a_query_has_no_helper_columns_and_keeps_those_asked_for():
    model, _ = fused()
    with postgres() as database, database.cursor() as cursor:
        cursor.execute('CREATE TEMP TABLE kept (a bigint, b bigint, c double precision, "predicted" text)')
        cursor.execute("INSERT INTO kept VALUES (1, 2, 0.5, 'mine')")
        cursor.execute(sql(plan_of(model), "kept", dialect="postgres", keep=["predicted", "a"]))
        names = [each.name for each in cursor.description]
        row = cursor.fetchone()
    probabilities = ["P(bad)", "P(good)", "joint_log_likelihood(bad)", "joint_log_likelihood(good)"]
    assert names == ["predicted", "a", "predicted_", *probabilities]
    assert row[:2] == ("mine", 1)
    joint = model.predict_joint_log_proba(pd.DataFrame({"a": [1], "b": [2], "c": [0.5]}))[0]
    assert row[-2:] == pytest.approx(joint.tolist())


def test_text_in_a_column_of_numbers_fails_in_sqlite():
    model = NB().fit(pd.DataFrame({"a": [1.0, 2.0]}), ["x", "y"])
    with pytest.raises(Exception, match="a column of numbers holds text: one"):
        in_sqlite(model, pd.DataFrame({"a": pd.Series(["one"], dtype=object)}))


@pytest.mark.parametrize(("column", "bad"), [("date", "2024-02-30x"), ("time", "25:99")])
def test_what_is_no_date_fails_in_sqlite(column, bad):
    X, y = plain_rows(dates=True)
    X = X[[NAMES[column]]]
    model = NB().fit(X, y)
    with pytest.raises(Exception, match=r"this is no (date|time of day) as"):
        in_sqlite(model, pd.DataFrame({NAMES[column]: pd.Series([bad], dtype=object)}))


@pytest.mark.parametrize(
    "text", ["2024-02-29", "2024-02-29T18:30:00.5", "2024-02-29 18:30:00.123456+02:00", "2024-02-29T18:30Z"]
)
def test_dates_as_text_are_the_same_moments_everywhere(text, tmp_path):
    X, y = plain_rows(dates=True)
    moment = pd.Timestamp(text)
    X[NAMES["date"]] = X[NAMES["date"]].dt.tz_localize(None if moment.tzinfo is None else "UTC")
    model = NB().fit(X[[NAMES["date"]]], y)
    expected = model.predict_proba(pd.DataFrame({NAMES["date"]: [moment]}))[0]
    row = {NAMES["date"]: text}
    namespace = {}
    exec(python(plan_of(model)), namespace)  # noqa: S102
    assert namespace["predict_proba"](row) == pytest.approx(expected.tolist(), abs=1e-12)
    (tmp_path / "model.mjs").write_text(javascript(plan_of(model)), encoding="utf-8")
    call = f"m.predictProba({json.dumps(row)})"
    script = f"const m = await import('{tmp_path}/model.mjs'); console.log(JSON.stringify({call}));"
    assert run_node(script) == pytest.approx(expected.tolist(), abs=1e-12)
    _, probabilities = in_sqlite(model, pd.DataFrame(row, index=[0]))
    assert list(probabilities[0]) == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("bad", ["2024-02-30", "yesterday", "2024-13-01T00:00", 5])
def test_python_and_javascript_refuse_what_is_no_date(bad, tmp_path):
    X, y = plain_rows(dates=True)
    model = NB().fit(X[[NAMES["date"]]], y)
    namespace = {}
    exec(python(plan_of(model)), namespace)  # noqa: S102
    with pytest.raises(ValueError, match=r"column \"when's it\?\" is"):
        namespace["predict"]({NAMES["date"]: bad})
    (tmp_path / "model.mjs").write_text(javascript(plan_of(model)), encoding="utf-8")
    script = f"const m = await import('{tmp_path}/model.mjs'); m.predict({json.dumps({NAMES['date']: bad})});"
    with pytest.raises(ValueError, match=r"column \"when's it\?\" is"):
        run_node(script)


# --- ONNX in a Pipeline, PMML ------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [[0, 1, 2], ["a", "b", "c"]])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("classifier", ROSTER, ids=lambda classifier: classifier.__name__)
def test_a_pipeline_is_converted_by_skl2onnx(labels, dtype, classifier):
    from skl2onnx import to_onnx

    register_with_skl2onnx()
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32).astype(dtype)
    pipeline = make_pipeline(StandardScaler(), classifier()).fit(X, np.array(labels)[y])
    made = to_onnx(pipeline, X[:1], options={"zipmap": False})
    session = onnxruntime.InferenceSession(made.SerializeToString())
    assert [each.name for each in session.get_outputs()] == ["label", "probabilities"]
    label, probabilities = session.run(None, {session.get_inputs()[0].name: X})
    assert label.tolist() == pipeline.predict(X).tolist()
    np.testing.assert_allclose(
        probabilities, pipeline.predict_proba(X), rtol=0, atol=1e-6 if dtype == np.float32 else 1e-9
    )


def test_outputs_of_onnx_give_way_to_columns():
    X = pd.DataFrame({"label": [1.0, 2.0, 3.0], "probabilities": [1.0, 2.0, 3.0]})
    session = onnxruntime.InferenceSession(onnx(plan_of(NB().fit(X, ["a", "a", "b"]))))
    assert [each.name for each in session.get_outputs()] == ["label_", "probabilities_"]


def test_without_onnx_the_extra_is_named(monkeypatch):
    plan = plan_of(NB().fit([[1.0], [2.0]], ["a", "b"]))
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'atfnb\[export\]'"):
        onnx(plan)
    with pytest.raises(ImportError, match=r"pip install 'atfnb\[export\]'"):
        register_with_skl2onnx()


@pytest.mark.parametrize("classifier", ROSTER, ids=lambda classifier: classifier.__name__)
def test_pmml_is_valid(classifier):
    X, y = plain_rows()
    X[NAMES["text"]] = X[NAMES["text"]].replace(" ", "_")
    for model in (classifier().fit(X, y), fused()[0]):
        document = etree.fromstring(pmml(plan_of(model)).encode())
        SCHEMA.assertValid(document)


def test_the_schema_refuses_what_is_not_pmml():
    text = pmml(plan_of(fused()[0])).replace("RegressionTable", "RegressionTables")
    assert not SCHEMA.validate(etree.fromstring(text.encode()))


# --- The command -------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    model, X = fused()
    save(model, tmp_path / "model.json")
    return model, X, tmp_path


@pytest.mark.parametrize(
    "name", ["model.sql", "model.onnx", "model.py", "model.js", "card.csv", "card.md", "card.html", "model.pmml"]
)
def test_the_command_writes_every_target(saved, name):
    model, _, folder = saved
    done = CliRunner().invoke(app, ["export", str(folder / "model.json"), "-o", str(folder / name)])
    assert done.exit_code == 0, done.output
    assert f"Model written to {folder / name}." in done.output.replace("\n", "")
    by_function = folder / f"again.{name.rpartition('.')[2]}"
    write(model, by_function)
    assert by_function.read_bytes() == (folder / name).read_bytes()


def test_the_command_passes_its_options_on(saved):
    model, _, folder = saved
    options = [
        "--dialect",
        "postgres",
        "--table",
        "t",
        "--schema",
        "s",
        "--keep",
        "id",
        "--with-tables",
        "--explain",
        "-q",
    ]
    done = CliRunner().invoke(app, ["export", str(folder / "model.json"), "-o", str(folder / "model.sql"), *options])
    assert (done.exit_code, done.output) == (0, "")
    expected = sql(plan_of(model), ["s", "t"], dialect="postgres", keep=["id"], with_tables=True, explain=True)
    assert (folder / "model.sql").read_text() == expected
    card = ["-o", str(folder / "card.csv"), "--positive", "bad", "--score", "100", "--odds", "2", "--double-odds", "50"]
    assert CliRunner().invoke(app, ["export", str(folder / "model.json"), *card]).exit_code == 0


def test_every_target_is_named_in_the_help_and_in_the_guide():
    help_text = " ".join(CliRunner().invoke(app, ["export", "--help"], env={"COLUMNS": "200"}).output.split())
    guide = (Path(__file__).resolve().parents[2] / "docs" / "deploy.md").read_text(encoding="utf-8")
    for end in TARGETS.keys() - {".mjs"}:  # the same as .js
        assert re.search(rf" \{end}\b", help_text), end
        assert re.search(rf"`\w+\{end}`", guide), end


def test_the_command_says_in_a_sentence_what_is_wrong(saved):
    _, _, folder = saved
    for options, words in (
        (["-o", str(folder / "model.exe")], "does not say what to write"),
        (["-o", str(folder / "model.js"), "--double"], "--double is an option for .onnx only"),
        (["-o", str(folder / "card.md"), "--double-odds", "0"], "--double-odds must be a number above 0, not 0.0"),
        (["-o", str(folder / "card.md"), "--positive", "ugly"], "--positive must be one of the classes"),
        (["-o", str(folder / "model.json")], "would replace the input"),
    ):
        done = CliRunner().invoke(app, ["export", str(folder / "model.json"), *options])
        assert done.exit_code == 2 or done.exit_code == 1
        assert words in " ".join(done.output.split())


def test_a_written_python_file_runs_as_a_program(saved):
    _, _, folder = saved
    CliRunner().invoke(app, ["export", str(folder / "model.json"), "-o", str(folder / "model.py"), "-q"])
    row = {"a": 0, "b": 3, "c": 0.0}
    script = f"import runpy; print(runpy.run_path({str(folder / 'model.py')!r})['predict']({row}))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "good"


# --- What no hard case shows -------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["python", "node", "sqlite", "duckdb", "postgres", "onnx", "onnx32"])
def test_the_first_of_classes_that_tie_is_predicted(target):
    from helpers.export_targets import assert_same

    X = pd.DataFrame({"a": pd.Series(["x", "y", "x", "y"], dtype=object)})
    model = NB().fit(X, ["c", "b", "b", "c"])
    assert_same(model, X, target)
    assert model.predict(X).tolist() == ["b"] * 4


def test_cuts_are_the_same_numbers_to_the_bit_in_sqlite():
    numbers = np.random.default_rng(0).integers(0, 2**63, 4000).view(np.float64)
    numbers = [*numbers[np.isfinite(numbers)].tolist(), 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 1e-5]
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        for number in numbers:
            assert database.execute(f"SELECT {DIALECTS['sqlite'].exact(number)}").fetchone()[0] == number


def test_no_text_of_a_model_ends_the_script_that_it_stands_in():
    X = pd.DataFrame({"</script><!--": pd.Series(["</script>", "y"], dtype=object)})
    assert "<" not in plan_of(NB().fit(X, ["</script>", "b"])).json()


@pytest.mark.parametrize("target", ["python", "node", "sqlite", "duckdb", "postgres", "pmml"])
@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
def test_a_column_of_rare_categories_only_tells_whether_it_is_missing(target):
    from helpers.export_targets import assert_same

    gone = np.arange(300) % 3 == 0
    names = [None if missing else f"v{k}" for k, missing in enumerate(gone)]
    X = pd.DataFrame({"a": pd.Series(names, dtype=object), "b": np.arange(300) % 7})
    model = NB(missing="value").fit(X, np.where(gone & (np.arange(300) > 30), "x", "y"))
    assert (model.encoder_.attributes[0].categories, model.encoder_.attributes[0].n_values) == ((), 2)
    assert_same(model, X, target)


@pytest.mark.parametrize("target", ["python", "node", "sqlite", "duckdb", "postgres", "onnx", "pmml"])
def test_rare_categories_that_were_pooled_share_a_code_with_unseen_ones(target):
    from helpers.export_targets import assert_same

    X = pd.DataFrame({"a": pd.Series(list("aabbcccz"), dtype=object)})
    model = NB().fit(X, list("xxyyxyyy"))
    (attribute,) = model.encoder_.attributes
    pooled = replace(attribute, categories=("a", "b", "c"), pooled=1)  # "z" was the rare one
    model.encoder_ = replace(model.encoder_, attributes=(pooled,))
    new = pd.DataFrame({"a": pd.Series(["a", "z", "never seen", None, "c"], dtype=object)})
    assert len({tuple(row) for row in model.predict_proba(new)[1:3].tolist()}) == 1
    assert_same(model, new, target)
    if target in ("sqlite", "duckdb", "postgres"):
        assert_same(model, new, target, with_tables=True)


# --- Columns as a database has them ------------------------------------------------------------------


def of_moments(zone):
    """A model of one column of times, in a zone or without one."""
    when = pd.Series(pd.date_range("2024-01-01", periods=200, freq="5h")).dt.tz_localize(zone)
    return NB().fit(pd.DataFrame({"when": when}), np.where(when.dt.hour < 9, "early", "late"))


def in_database(dialect, kind, cells, query):
    """What a query gives for a table "data" that has one column, of a type of the database."""
    create, insert = f'CREATE TABLE data ("when" {kind})', "INSERT INTO data VALUES ({})"
    with contextlib.ExitStack() as stack:
        if dialect == "postgres":
            connection = stack.enter_context(postgres())
            connection.execute("DROP TABLE IF EXISTS data")
        else:
            duckdb = pytest.importorskip("duckdb")
            connection = stack.enter_context(
                contextlib.closing({"duckdb": duckdb, "sqlite": sqlite3}[dialect].connect(":memory:"))
            )
        connection.execute(create)
        for cell in cells:
            connection.execute(insert.format("%s" if dialect == "postgres" else "?"), [cell])
        return connection.execute(query).fetchall()


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
@pytest.mark.parametrize("kind", ["text", "date"])
@pytest.mark.parametrize("zone", [None, "-05:00"])
def test_queries_read_dates_that_are_text_and_refuse_a_zone_only_then_or_only_now(dialect, kind, zone):
    model, query = of_moments(zone), sql(plan_of(of_moments(zone)), dialect=dialect)
    cells, zoned = ["2024-02-01 07:30:00", "2024-02-01 23:30:00"], ["2024-02-01 07:30:00-05:00", "2024-02-01T04:30:00Z"]
    good, bad = (cells, zoned) if zone is None else (zoned, cells)
    expected = model.predict(pd.DataFrame({"when": pd.to_datetime(good, utc=zone is not None, format="mixed")}))
    types = {"text": ("text", "text"), "date": ("timestamp", "timestamptz")}[kind]
    types = ("text", "text") if dialect == "sqlite" else types if zone is None else types[::-1]
    assert [row[0] for row in in_database(dialect, types[0], good, query)] == expected.tolist()
    learned = "without a time zone" if zone is None else "with a time zone"
    with pytest.raises(Exception, match=f"the model learned dates {learned}"):
        in_database(dialect, types[1], bad, query)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
def test_text_that_is_no_date_is_named(dialect):
    with pytest.raises(Exception, match=r"(?i)date|timestamp") as error:
        in_database(dialect, "text", ["soon"], sql(plan_of(of_moments(None)), dialect=dialect))
    assert "soon" in str(error.value)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_query_begins_with_the_columns_and_types_that_it_needs(dialect):
    X, y = plain_rows(dates=True)
    X = X.drop(columns=NAMES["huge"])
    text = sql(plan_of(NB().fit(X.rename(columns={NAMES["whole"]: "two\nlines"}), y)), dialect=dialect)
    lines = text[: text.index("\nWITH ")].split("\n")
    assert lines[0].startswith("-- The table needs these columns. NULL is a missing value; text is compared as it is")
    assert len(lines) == 1 + X.shape[1]
    assert all(line.startswith("--   ") and ": " in line for line in lines[1:])
    mark = DIALECTS[dialect].mark
    assert f"--   {mark}two lines{mark}: " in text
    assert "(read in -05:00)" in sql(plan_of(of_moments("-05:00")), dialect=dialect)
