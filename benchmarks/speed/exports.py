"""Exported models against our own ``predict``, on the same data frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from atfnb.classifiers import NB
from atfnb.export import onnx, plan_of, sql
from benchmarks.speed.measuring import Comparison, floats, race

LARGEST_QUERY = 1_000_000
"""How many bytes the text of a query may have."""


def exported(shrink: int = 1) -> Iterator[Comparison]:
    """Compare scoring in DuckDB and ONNX Runtime with our own predict on a million rows."""
    X, y = floats(1_000_000 // shrink, 20, 3)
    frame = pd.DataFrame(X, columns=[f"number {j}" for j in range(20)])
    model = NB(max_bins=31).fit(frame, y)
    size = "1M rows × 20 columns × 30 cuts × 3 classes"
    for what, score, aim in (("DuckDB", _in_duckdb(model, frame), 3.0), ("ONNX Runtime", _in_onnx(model, frame), 2.0)):
        named, against = f"exported model in {what}, {size}", "our own predict, same data frame"
        if score is None:
            yield Comparison(named, against, float("nan"), None, aim, f"{what} is not installed")
            continue
        yield Comparison(named, against, *race(score, lambda: model.predict(frame), 5), aim)
    bytes_ = max(len(sql(plan_of(model), dialect=each).encode()) for each in ("sqlite", "duckdb", "postgres", "spark"))
    note = f"{bytes_ / 1e3:.0f} kB in the longest dialect"
    yield Comparison("model.sql, 20 columns × 30 cuts × 3 classes", "1 MB", bytes_, LARGEST_QUERY, 1.0, note)


def _in_duckdb(model: NB, frame: Any) -> Any:
    """Return a task that scores a table of DuckDB into another one, or None without DuckDB."""
    try:
        import duckdb
    except ImportError:
        return None
    database = duckdb.connect()
    database.register("frame", frame)
    database.execute("CREATE TABLE data AS SELECT * FROM frame")
    query = sql(plan_of(model), "data", dialect="duckdb")
    return lambda: database.execute(f"CREATE OR REPLACE TEMP TABLE scored AS {query}")


def _in_onnx(model: NB, frame: Any) -> Any:
    """Return a task that scores the columns of a data frame by ONNX Runtime, or None without it."""
    try:
        import onnxruntime
    except ImportError:
        return None
    session = onnxruntime.InferenceSession(onnx(plan_of(model)))

    def score() -> Any:
        return session.run(None, {name: frame[name].to_numpy(np.float32)[:, None] for name in frame.columns})

    return score


GROUPS = [exported]
