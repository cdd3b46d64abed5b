"""Every target of ``atfnb.export`` run for real: from a model and a data frame to classes and probabilities."""

import contextlib
import datetime
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from atfnb import export

TABLE = "rows'; DROP TABLE x; --"
KEY = "key of the row"
EPOCH = datetime.datetime(1970, 1, 1)


def is_missing(value):
    return value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and value != value)


def records(X):
    """The rows of a data frame as dicts of plain values, None where one is missing."""
    columns = {name: [None if is_missing(v) else v for v in X[name].astype(object)] for name in X.columns}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def moment(value, zone=None):
    """Microseconds since 1970, by the clocks of a zone, or since midnight."""
    if zone is not None:
        value = pd.Timestamp(value).tz_convert(zone).tz_localize(None)
    if isinstance(value, datetime.time):
        value = datetime.datetime.combine(EPOCH.date(), value)
    return (pd.Timestamp(value).to_pydatetime() - EPOCH) // datetime.timedelta(microseconds=1)


def as_json(X):
    def cell(value):
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        return value.item() if isinstance(value, np.generic) else value

    return json.dumps([{name: cell(value) for name, value in row.items()} for row in records(X)])


# --- Languages ---------------------------------------------------------------------------------------

RUN_PYTHON = """
import json, runpy, sys
model = runpy.run_path(sys.argv[1])
rows = json.load(sys.stdin)
print(json.dumps([[model["predict"](row) for row in rows], [model["predict_proba"](row) for row in rows]]))
"""
RUN_NODE = """
import { readFileSync } from "node:fs";
const model = await import(process.argv[1]);
const rows = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify([rows.map(model.predict), rows.map(model.predictProba)]));
"""


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, encoding="utf-8")
    if done.returncode:
        raise ValueError(done.stderr)
    return json.loads(done.stdout)


def in_python(model, X):
    with tempfile.TemporaryDirectory() as folder:
        export.write(model, Path(folder, "model.py"))
        return run([sys.executable, "-I", "-S", "-c", RUN_PYTHON, str(Path(folder, "model.py"))], as_json(X))


def run_node(script, *words, text=""):
    """What a script of JavaScript prints, as JSON; where there is no Node.js, the test is skipped."""
    node = shutil.which("node") or pytest.skip("Node.js is not installed here")
    return run([node, "--input-type=module", "-e", script, *words], text)


def in_node(model, X):
    with tempfile.TemporaryDirectory() as folder:
        export.write(model, Path(folder, "model.mjs"))
        return run_node(RUN_NODE, str(Path(folder, "model.mjs")), text=as_json(X))


# --- Databases ---------------------------------------------------------------------------------------

TYPES = {
    "sqlite": {"number": "REAL", "whole": "INTEGER", "boolean": "INTEGER", "text": "TEXT", "date": "TEXT"},
    "postgres": {
        "number": "double precision",
        "whole": "bigint",
        "boolean": "boolean",
        "text": "text",
        "date": "timestamp",
        "time": "time",
    },
}
ARROW = {
    "number": pa.float64(),
    "whole": pa.int64(),
    "boolean": pa.bool_(),
    "text": pa.string(),
    "date": pa.timestamp("us"),
    "time": pa.time64("us"),
    "nothing": pa.string(),
}


def statements(model, dialect, **options):
    return export.sql_statements(export.plan_of(model), TABLE, dialect=dialect, keep=[KEY], **options)


def answers(model, found):
    """Classes and probabilities from the rows of a result, in the order of the key."""
    width = 2 + len(model.classes_)
    in_order = sorted((row[:width] for row in found), key=lambda row: row[0])
    return [row[1] for row in in_order], [row[2:width] for row in in_order]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def create(kinds, types):
    columns = [f"{quoted(name)} {types.get(kind, types['text'])}" for name, kind in kinds.items()]
    return f"CREATE TABLE {quoted(TABLE)} ({quoted(KEY)} INTEGER, {', '.join(columns)})"


def in_sqlite(model, X, **options):
    kinds = export.plan_of(model).columns
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.execute(create(kinds, TYPES["sqlite"]))

        def cell(value):
            if isinstance(value, (datetime.datetime, datetime.time)):
                return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
            return value.item() if isinstance(value, np.generic) else value

        rows = [[key, *map(cell, (row[name] for name in kinds))] for key, row in enumerate(records(X))]
        marks = ", ".join("?" * (len(kinds) + 1))
        database.executemany(f"INSERT INTO {quoted(TABLE)} VALUES ({marks})", rows)
        *before, query = statements(model, "sqlite", **options)
        for each in before:
            database.execute(each)
        return answers(model, database.execute(query).fetchall())


def arrow_table(model, X):
    kinds, zones = export.plan_of(model).columns, export.plan_of(model).zones
    rows = records(X)
    columns = {KEY: pa.array(range(len(rows)))}
    for name, kind in kinds.items():
        values = [row[name] for row in rows]
        if kind == "boolean":
            values = [None if value is None else bool(value) for value in values]
        if kind == "whole" and any(value != int(value) for value in values if value is not None):
            kind = "number"
        columns[name] = pa.array(
            values, type=pa.timestamp("us", "UTC") if name in zones else ARROW[kind], from_pandas=True
        )
    return pa.table(columns)


def in_duckdb(model, X, **options):
    import duckdb

    with duckdb.connect() as database:
        database.register("given", arrow_table(model, X))
        database.execute(f"CREATE TABLE {quoted(TABLE)} AS SELECT * FROM given")
        *before, query = statements(model, "duckdb", **options)
        for each in before:
            database.execute(each)
        return answers(model, database.execute(query).fetchall())


def in_postgres(model, X, **options):
    kinds = export.plan_of(model).columns
    with postgres() as database, database.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {quoted(TABLE)}")
        date = {"date": "timestamptz"} if export.plan_of(model).zones else {}
        cursor.execute(create(kinds, TYPES["postgres"] | date))

        def cell(value):
            return value.item() if isinstance(value, np.generic) else value

        with cursor.copy(f"COPY {quoted(TABLE)} FROM STDIN") as copy:
            for key, row in enumerate(records(X)):
                copy.write_row([key, *map(cell, (row[name] for name in kinds))])
        *before, query = statements(model, "postgres", **options)
        for each in before:
            cursor.execute(each)
        return answers(model, cursor.execute(query).fetchall())


def in_spark(model, X, **options):
    session, kinds = spark(), export.plan_of(model).columns
    types = {"number": "double", "whole": "bigint", "boolean": "boolean", "date": "timestamp"}

    def cell(value):
        if isinstance(value, datetime.datetime):
            value = pd.Timestamp(value).to_pydatetime()
            return value if value.tzinfo else value.replace(tzinfo=datetime.UTC)
        value = value.isoformat() if isinstance(value, datetime.time) else value
        return value.item() if isinstance(value, np.generic) else value

    def number(value, kind):
        return float(value) if kind == "number" and value is not None else cell(value)

    rows = [(key, *(number(row[n], kind) for n, kind in kinds.items())) for key, row in enumerate(records(X))]
    named = {KEY: "bigint", **{name: types.get(kind, "string") for name, kind in kinds.items()}}
    declared = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in named.items())
    session.createDataFrame(rows, declared).createOrReplaceTempView("given")
    *before, query = export.sql_statements(export.plan_of(model), "given", dialect="spark", keep=[KEY], **options)
    for each in before:
        session.sql(each)
    return answers(model, [tuple(row) for row in session.sql(query).collect()])


_servers = []


@contextlib.contextmanager
def postgres():
    """A connection to a server that this process started: once, in a temporary folder, by an unprivileged user."""
    psycopg = pytest.importorskip("psycopg")
    if not _servers:
        _servers.append(start_postgres())
    with psycopg.connect(**_servers[0][0], autocommit=True) as database:
        yield database


def start_postgres():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        pytest.skip("PostgreSQL is not installed here")
    folder = Path(tempfile.mkdtemp(prefix="atfnb-postgres-"))
    as_other = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        import pwd

        names = {each.pw_name for each in pwd.getpwall()}
        as_other = {"user": "postgres" if "postgres" in names else "nobody"}
        shutil.chown(folder, as_other["user"])
    command = [found[-1] / "initdb", "-D", folder / "data", "-U", "atfnb", "-A", "trust", "-E", "UTF8"]
    subprocess.run([*command, "--locale=C"], check=True, capture_output=True, cwd=folder, **as_other)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    settings = ["-D", folder / "data", "-k", folder, "-p", str(port), "-c", "listen_addresses=", "-c", "fsync=off"]
    log = (folder / "log").open("wb")
    server = subprocess.Popen([found[-1] / "postgres", *settings], stdout=log, stderr=log, cwd=folder, **as_other)
    log.close()
    ready = folder / f".s.PGSQL.{port}"
    until = time.monotonic() + 60
    while not ready.exists():
        assert server.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < until
        time.sleep(0.05)
    where = {"host": str(folder), "port": port, "user": "atfnb", "dbname": "postgres"}
    _await(where, until)
    return where, server, folder


def _await(where, until):
    import psycopg

    while True:
        try:
            psycopg.connect(**where).close()
        except psycopg.OperationalError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return


def stop_servers():
    """Stop what this process started."""
    while _servers:
        _, server, folder = _servers.pop()
        server.terminate()
        server.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)
    while _sparks:
        _sparks.pop().stop()


_sparks = []


def spark():
    """A session of Spark on this machine, started once."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed here")
    if shutil.which("java") is None:
        pytest.skip("there is no Java here")
    if not _sparks:
        builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "1")
        _sparks.append(builder.getOrCreate())
    return _sparks[0]


# --- ONNX and PMML -----------------------------------------------------------------------------------


def onnx_inputs(model, X, dtype):
    """What a session of onnxruntime is fed with."""
    rows, inputs = records(X), {}
    zones = export.plan_of(model).zones
    for name, kind in export.plan_of(model).columns.items():
        values, zone = [row[name] for row in rows], zones.get(name)
        if kind == "text":
            cells = np.array(["" if value is None else value for value in values], dtype=object)
        elif kind in ("date", "time"):
            cells = np.array([-(2**63) if value is None else moment(value, zone) for value in values], dtype=np.int64)
        else:
            cells = np.array([np.nan if value is None else float(value) for value in values]).astype(dtype)
        inputs[name] = cells[:, None]
    return inputs


def in_onnx(model, X, *, double=True):
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(export.onnx(export.plan_of(model), double=double))
    label, probabilities = session.run(None, onnx_inputs(model, X, np.float64 if double else np.float32))
    return label.tolist(), probabilities.tolist()


def in_onnx_single(model, X):
    return in_onnx(model, X, double=False)


def in_pmml(model, X):
    pypmml = pytest.importorskip("pypmml")
    if shutil.which("java") is None:
        pytest.skip("there is no Java here, so no evaluator of PMML")
    evaluator = pypmml.Model.fromString(export.pmml(export.plan_of(model)))
    names = [f"P({str(each).lower() if isinstance(each, bool) else each})" for each in model.classes_.tolist()]
    found = [evaluator.predict(row) for row in json.loads(as_json(X))]
    return [row["predicted"] for row in found], [[row[name] for name in names] for row in found]


TARGETS = {
    "python": in_python,
    "node": in_node,
    "sqlite": in_sqlite,
    "duckdb": in_duckdb,
    "postgres": in_postgres,
    "spark": in_spark,
    "onnx": in_onnx,
    "onnx32": in_onnx_single,
    "pmml": in_pmml,
}


def assert_same(model, X, target, **options):
    """The target gives the classes and the probabilities of the model itself for every row."""
    classes, probabilities = TARGETS[target](model, X, **options)
    tolerance = 1e-6 if target == "onnx32" else 1e-9
    np.testing.assert_allclose(np.array(probabilities, float), model.predict_proba(X), rtol=0, atol=tolerance)
    if target == "sqlite" and isinstance(model.classes_[0], np.bool_):
        classes = [bool(each) for each in classes]
    assert classes == model.predict(X).tolist()
