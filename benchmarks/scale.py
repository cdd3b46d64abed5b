"""Measure how training grows with the rows: ``python -m benchmarks.scale folder --rows 1000000 10000000 100000000``.

Each run is a process of its own that fits a classifier to the first files of a folder that :mod:`benchmarks.generate`
wrote; the memory of the process and its children is sampled ten times a second. With ``--against-memory`` a fit on the
same files in memory is measured too, in turn, three times each.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from atfnb.classifiers import ROSTER
from benchmarks.generate import FILE_ROWS

MODELS = [classifier.__name__ for classifier in ROSTER if classifier.declaration.command]
TIMES = 3
"""The number of runs of each side of a comparison; the fastest counts."""

ASKED = """
import json, sys, time
from atfnb import *
from glob import glob
pattern, made, memory, *ignore = sys.argv[1:]
"""
IN_PARTS = f"""{ASKED}
from atfnb.scale import fit_files
if __name__ == "__main__":
    start = time.perf_counter()
    _, summary = fit_files(eval(made), pattern, "y", memory=memory or None, ignore=ignore)
    seconds = time.perf_counter() - start
    print(json.dumps({{"rows": summary.rows, "seconds": seconds, "text": summary.text}}))
"""
IN_MEMORY = f"""{ASKED}
from pyarrow import parquet
start = time.perf_counter()
table = parquet.read_table(sorted(glob(pattern)))
model = eval(made).fit(table.drop_columns(["y", *ignore]), table["y"].to_numpy())
seconds = time.perf_counter() - start
print(json.dumps({{"rows": model.n_rows_, "seconds": seconds, "text": ""}}))
"""


@dataclass(frozen=True)
class TrainingRun:
    """One training run: rows, seconds, the peak memory of each process, and the summary of the training."""

    rows: int
    seconds: float
    core_seconds: float
    """The processor time of all processes, from their start on: it depends less on what else the machine does."""
    peaks: tuple[int, ...]
    """The peak memory of each process in bytes, largest first."""
    text: str

    @property
    def peak(self) -> int:
        """The sum of the peaks of all processes."""
        return sum(self.peaks)


def measure(
    script: str, pattern: str, model: str = "ATFNB", memory: str = "", ignore: Sequence[str] = ()
) -> TrainingRun:
    """Train in a process of its own, and sample its memory and that of its children."""
    command = [sys.executable, "-c", script, pattern, f"{model}()", memory, *ignore]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peaks: dict[int, int] = {}
    spent: dict[int, float] = {}
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            for each in (watched, *watched.children(recursive=True)):
                peaks[each.pid] = max(peaks.get(each.pid, 0), each.memory_info().rss)
                spent[each.pid] = sum(each.cpu_times()[:2])
        except psutil.NoSuchProcess:
            continue  # a process ended meanwhile
        time.sleep(0.1)
    out, _ = process.communicate()
    printed = json.loads(out.strip().splitlines()[-1])
    by_size = tuple(sorted(peaks.values(), reverse=True))
    return TrainingRun(printed["rows"], printed["seconds"], sum(spent.values()), by_size, printed["text"])


def pattern_of(folder: Path, rows: int) -> str:
    """Return a glob of the first files of a folder that hold this number of rows: 1 to 9 files, or 10 to 90, and so on.

    >>> pattern_of(Path("data"), 4_000_000), pattern_of(Path("data"), 100_000_000)
    ('data/rows-0000[0-3].parquet', 'data/rows-000[0-9][0-9].parquet')
    """
    files = str(max(rows // FILE_ROWS, 1))
    digits = ["0"] * (5 - len(files)) + [f"[0-{int(files[0]) - 1}]"] + ["[0-9]"] * (len(files) - 1)
    return str(folder / f"rows-{''.join(digits).replace('[0-0]', '0')}.parquet")


def against_memory(pattern: str, model: str, memory: str, ignore: Sequence[str]) -> tuple[TrainingRun, TrainingRun]:
    """Return the fastest of a few runs in parts, and of as many in memory; they take turns."""
    runs = [
        (measure(IN_PARTS, pattern, model, memory, ignore), measure(IN_MEMORY, pattern, model, "", ignore))
        for _ in range(TIMES)
    ]
    in_parts, in_memory = (min(side, key=lambda run: run.seconds) for side in zip(*runs, strict=True))
    return in_parts, in_memory


def side_by_side(in_parts: TrainingRun, in_memory: TrainingRun, model: str) -> Table:
    """Return a table of two runs on the same rows, with the ratio of their figures."""
    table = Table(title=f"{model}, {in_parts.rows:,} rows, best of {TIMES}")
    for heading in ("", "in parts", "in memory", "ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    for what, scale, digits in (("seconds", 1, 1), ("core_seconds", 1, 1), ("peak", 1e6, 0)):
        one, other = getattr(in_parts, what) / scale, getattr(in_memory, what) / scale
        name = {"core_seconds": "processor seconds", "peak": "peak memory, MB"}.get(what, what)
        table.add_row(name, f"{one:,.{digits}f}", f"{other:,.{digits}f}", f"{one / other:.2f}")
    return table


def slopes(runs: Sequence[TrainingRun]) -> str:
    """Return a sentence on how the time grows with the rows."""
    rows, times = np.log([run.rows for run in runs]), np.log([(run.seconds, run.core_seconds) for run in runs])
    return "slope in log-log: {:.3f}; of the processor time: {:.3f}".format(*np.polyfit(rows, times, 1)[0])


def main() -> None:
    """Parse the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="folder that benchmarks.generate wrote")
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000], help="rows to train on, a run each")
    parser.add_argument("--memory", default="", help="memory of each worker process; by default threads of one process")
    parser.add_argument("--model", choices=MODELS, default="ATFNB", help="the classifier")
    parser.add_argument("--ignore", nargs="*", default=[], help="columns to leave out")
    parser.add_argument("--against-memory", action="store_true", help="also fit in memory, each the best of three")
    asked = parser.parse_args()
    console, runs = Console(), []
    for rows in asked.rows:
        pattern = pattern_of(asked.folder, rows)
        if asked.against_memory:
            in_parts, in_memory = against_memory(pattern, asked.model, asked.memory, asked.ignore)
            console.print(side_by_side(in_parts, in_memory, asked.model))
            continue
        run = measure(IN_PARTS, pattern, asked.model, asked.memory, asked.ignore)
        runs.append(run)
        peaks = ", ".join(f"{peak / 1e6:.0f}" for peak in run.peaks[:6])
        console.print(f"{run.rows:,} rows: {run.seconds:.1f} s, {run.core_seconds:.1f} s of processor time")
        console.print(f"peak memory of each process, MB: {peaks}\n{run.text}\n")
    if len(runs) > 1:
        console.print(slopes(runs))


if __name__ == "__main__":
    main()
