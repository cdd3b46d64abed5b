"""The command on a file that need not fit into memory: how long it takes, and how much memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from atfnb.tables import TableWriter
from benchmarks.speed.rows import Row, seconds

COMMAND = """
import sys
from pathlib import Path
from atfnb.cli import app
app(sys.argv[1:], standalone_mode=False)
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line))
"""
"""Runs the command, and prints the peak of its memory in kB; getrusage tells that of who started it, if larger."""
PIECE = 100_000
COLOURS = np.array(["red", "green", "blue", "yellow", "black"])


def write_rows(path: Path, rows: int, seed: int = 0) -> None:
    """A CSV file of ten columns of numbers, ten of text and a class that both tell something of."""
    rng = np.random.default_rng(seed)
    with TableWriter(str(path)) as writer:
        for start in range(0, rows, PIECE):
            n = min(PIECE, rows - start)
            y = rng.integers(0, 3, n)
            numbers = {f"number {j}": (rng.normal(size=n) + y * (j % 3) / 2).round(4) for j in range(10)}
            follows = [(rng.random(n) < 0.3) * y for _ in range(10)]
            words = {f"word {j}": COLOURS[(rng.integers(0, 5, n) + more) % 5] for j, more in enumerate(follows)}
            writer.write(pa.table({**numbers, **words, "class": np.array(["a", "b", "c"])[y]}))


def streaming(shrink: int = 1) -> Iterator[Row]:
    """The classes of a million rows of a CSV file."""
    with tempfile.TemporaryDirectory() as folder:
        few, many, model, out = (str(Path(folder, name)) for name in ("few.csv", "many.csv", "model.json", "out.csv"))
        write_rows(Path(few), 20_000 // shrink + 100)
        write_rows(Path(many), 1_000_000 // shrink, seed=1)
        _run("train", few, "--target", "class", "-o", model, "-q")
        peaks: list[float] = []
        took = seconds(lambda: peaks.append(_run("predict", model, many, "-o", out, "-q")))
    what = "atfnb predict, CSV to CSV, 1M rows × 20 columns"
    yield Row(f"{what}, the start of Python included", "15 s", took, 15.0, 1.0)
    yield Row(f"peak memory of {what}", "1 GB", peaks[0], 1e9, 1.0, f"{peaks[0] / 1e6:.0f} MB")


def _run(*words: str) -> float:
    """Call the command in a process of its own; the peak of its memory, in bytes."""
    done = subprocess.run([sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=True)
    return 1024 * float(done.stdout)
