"""What is measured with files or in a process of its own: peak memory, the first fit, a workbook, a large file."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from atfnb.tables import TableWriter, open_table
from benchmarks.speed.measuring import Comparison, race, seconds

PEAK_OF_FIT = """
import sys
import numpy as np
from atfnb import ATFNB

rows, attributes = int(sys.argv[1]), 20
rng = np.random.default_rng(0)
small = rng.integers(0, 5, (1000, attributes), dtype=np.uint8)
ATFNB(categorical_features="all").fit(small, np.arange(1000) % 3).predict(small)  # compile first


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024


before = peak()
X, y = np.empty((rows, attributes), np.uint8), np.empty(rows, np.uint8)
for start in range(0, rows, 100_000):
    part = slice(start, min(start + 100_000, rows))
    y[part] = rng.integers(0, 3, part.stop - start)
    X[part] = rng.integers(0, 5, (part.stop - start, attributes))
    X[part, :8] = (X[part, :8] // 2 + y[part, None]) % 5
ATFNB(categorical_features="all").fit(X, y)
print(peak() - before, X.nbytes)
"""
"""A script that fits ATFNB on a given number of rows of codes and prints its peak memory and the bytes of the codes."""

FIRST_FIT = """
import sys, time, atfnb, sklearn.datasets as d; X, y = d.load_iris(return_X_y=True)
s = time.perf_counter(); getattr(atfnb, sys.argv[1])().fit(X, y); print(time.perf_counter() - s)
"""
"""A script that prints the seconds of the first fit of a classifier in a process."""

COMMAND = """
import sys
from pathlib import Path
from atfnb.cli import app
app(sys.argv[1:], standalone_mode=False)
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line))
"""
"""A script that runs the command and prints its peak memory in kB; getrusage could give that of the parent."""

PIECE = 100_000
DATE_FORMATS = ["%Y-%m-%d", "%d/%m/%Y", "%Y-%m-%d %H:%M:%S"]
DATE_FORMATS += ["%d/%m/%Y %H:%M", "%m/%d/%Y %I:%M %p", "%d %b %Y %H:%M:%S"]
COLOURS = np.array(["red", "green", "blue", "yellow", "black"])


def memory(shrink: int = 1) -> Iterator[Comparison]:
    """Measure the peak memory of a fit on ten million rows."""
    peak, codes = map(float, _run(PEAK_OF_FIT, str(10_000_000 // shrink)).split())
    note = f"{peak / 1e6:.0f} MB, the codes included, for {codes / 1e6:.0f} MB of codes"
    yield Comparison("peak memory of ATFNB fit, 10M × 20 codes", "the codes themselves", peak, codes, 2.5, note)


def compilation(shrink: int = 1) -> Iterator[Comparison]:
    """Measure the first fit of a process, with the compiled loops on disk and without."""
    for classifier in ("ATFNB", "FusionNB"):
        with tempfile.TemporaryDirectory() as folder:
            for what, limit in (("on a new machine: what it needs is compiled", 10.0), ("of the next process", 1.0)):
                took = float(_run(FIRST_FIT, classifier, environment={"NUMBA_CACHE_DIR": folder}))
                yield Comparison(f"first fit of {classifier} {what}", f"{limit:g} s", took, limit, 1.0)


def streaming(shrink: int = 1) -> Iterator[Comparison]:
    """Measure the time and the peak memory of predicting a million rows of a CSV file."""
    with tempfile.TemporaryDirectory() as folder:
        few, many, model, out = (str(Path(folder, name)) for name in ("few.csv", "many.csv", "model.json", "out.csv"))
        write_rows(Path(few), 20_000 // shrink + 100)
        write_rows(Path(many), 1_000_000 // shrink, seed=1)
        _run(COMMAND, "train", few, "--target", "class", "-o", model, "-q")
        peaks: list[float] = []
        took = seconds(lambda: peaks.append(1024 * float(_run(COMMAND, "predict", model, many, "-o", out, "-q"))))
    what = "atfnb predict, CSV to CSV, 1M rows × 20 columns"
    yield Comparison(f"{what}, the start of Python included", "15 s", took, 15.0, 1.0)
    yield Comparison(f"peak memory of {what}", "1 GB", peaks[0], 1e9, 1.0, f"{peaks[0] / 1e6:.0f} MB")


def workbooks(shrink: int = 1) -> Iterator[Comparison]:
    """Compare reading a workbook with pandas on the same file, and with reading the same table as CSV."""
    with tempfile.TemporaryDirectory() as folder:
        book, text = Path(folder, "table.xlsx"), Path(folder, "table.csv")
        rows = 100_000 // shrink
        for path in (book, text):
            write_rows(path, rows)
        what = f"a workbook read, {rows:,} rows × 21 columns, half of them text"
        times = race(lambda: _read(book), lambda: pd.read_excel(book, engine="calamine"), 3)
        yield Comparison(what, "pandas.read_excel, engine calamine", *times, 1.5)
        yield Comparison(what, "10 s", times[0], 10.0, 1.0)
        yield Comparison(
            what, "the same table as CSV, read by us", *race(lambda: _read(book), lambda: _read(text), 3), None
        )


def dates(shrink: int = 1) -> Iterator[Comparison]:
    """Compare reading a column of dates from a CSV file with reading it as text."""
    rows = 1_000_000 // shrink
    days = np.datetime64("2015-01-01") + np.random.default_rng(0).integers(0, 3000 * 86400, rows).astype("m8[s]")
    with tempfile.TemporaryDirectory() as folder:
        for form in DATE_FORMATS:
            path = Path(folder, "dates.csv")
            pd.DataFrame({"when": pd.Series(days).dt.strftime(form), "class": np.arange(rows) % 2}).to_csv(
                path, index=False
            )
            times = race(partial(_read, path), partial(_read, path, ["when"]))
            yield Comparison(f"a column of dates read, {form}, {rows:,} rows", "the same column as text", *times, 2.0)


def _read(path: Path, as_text: Sequence[str] = ()) -> None:
    with open_table(str(path)) as file:
        file.read(as_text)


def write_rows(path: Path, rows: int, seed: int = 0) -> None:
    """Write a file of ten columns of numbers, ten of text, and a class that depends on both."""
    rng = np.random.default_rng(seed)
    with TableWriter(str(path)) as writer:
        for start in range(0, rows, PIECE):
            n = min(PIECE, rows - start)
            y = rng.integers(0, 3, n)
            numbers = {f"number {j}": (rng.normal(size=n) + y * (j % 3) / 2).round(4) for j in range(10)}
            follows = [(rng.random(n) < 0.3) * y for _ in range(10)]
            words = {f"word {j}": COLOURS[(rng.integers(0, 5, n) + more) % 5] for j, more in enumerate(follows)}
            writer.write(pa.table({**numbers, **words, "class": np.array(["a", "b", "c"])[y]}))


def _run(script: str, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Run a script in a process of its own, and return what it prints."""
    command = [sys.executable, "-c", script, *arguments]
    variables = os.environ | dict(environment or {})
    return subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout


GROUPS = [memory, compilation, workbooks, dates, streaming]
