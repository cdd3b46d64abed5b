"""How training grows with the rows: ``python -m atfnb.bench.scale folder --rows 1000000 10000000 100000000``.

Each run is a process of its own, in which ATFNB is fitted to the first files of a folder that
:mod:`atfnb.scale.generate` wrote; the memory of the process and of those it starts is looked at ten times a second.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console

from atfnb.scale.generate import FILE_ROWS

FIT = """
import json, sys, time
from atfnb import ATFNB
from atfnb.scale import fit_dask, fit_files
pattern, memory = sys.argv[1], sys.argv[2] or None
if __name__ == "__main__":
    start = time.perf_counter()
    model, summary = fit_files(ATFNB(), pattern, "y", memory=memory)
    seconds = time.perf_counter() - start
    print(json.dumps({"rows": summary.rows, "seconds": seconds, "text": summary.text, "beta": model.beta_interval_}))
"""


@dataclass(frozen=True)
class Run:
    """One training run: its rows and seconds, the peak memory of each process, and its own summary."""

    rows: int
    seconds: float
    core_seconds: float
    """Of all processes, starting included: what does not depend on what else the machine does."""
    peaks: tuple[int, ...]
    text: str


def measure(pattern: str, memory: str = "") -> Run:
    """Train in a process of its own, and watch its memory and that of its children."""
    process = subprocess.Popen([sys.executable, "-c", FIT, pattern, memory], stdout=subprocess.PIPE, text=True)
    peaks: dict[int, int] = {}
    spent: dict[int, float] = {}
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            for each in (watched, *watched.children(recursive=True)):
                peaks[each.pid] = max(peaks.get(each.pid, 0), each.memory_info().rss)
                spent[each.pid] = sum(each.cpu_times()[:2])
        except psutil.NoSuchProcess:
            continue  # it ended meanwhile
        time.sleep(0.1)
    out, _ = process.communicate()
    told = json.loads(out.strip().splitlines()[-1])
    by_size = tuple(sorted(peaks.values(), reverse=True))
    return Run(told["rows"], told["seconds"], sum(spent.values()), by_size, told["text"])


def pattern_of(folder: Path, rows: int) -> str:
    """A glob of the first files of a folder that hold so many rows, which must be 1, 10, 100 or 1000 files."""
    digits = len(str(rows // FILE_ROWS)) - 1
    return str(folder / f"rows-{'0' * (5 - digits)}{'[0-9]' * digits}.parquet")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--memory", default="", help="of each worker process; without, threads of one process")
    asked = parser.parse_args()
    console, runs = Console(), []
    for rows in asked.rows:
        run = measure(pattern_of(asked.folder, rows), asked.memory)
        runs.append(run)
        peaks = ", ".join(f"{peak / 1e6:.0f}" for peak in run.peaks[:6])
        console.print(f"{run.rows:,} rows: {run.seconds:.1f} s, {run.core_seconds:.1f} s of cores")
        console.print(f"peak memory of each process, MB: {peaks}\n{run.text}\n")
    if len(runs) > 1:
        rows = np.log([run.rows for run in runs])
        slopes = [
            np.polyfit(rows, np.log(y), 1)[0] for y in zip(*((r.seconds, r.core_seconds) for r in runs), strict=True)
        ]
        console.print("slope in log-log: {:.3f}; of the cores' time: {:.3f}".format(*slopes))


if __name__ == "__main__":
    main()
