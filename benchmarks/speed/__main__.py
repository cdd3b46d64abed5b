"""Measure our speed side by side with other libraries: ``python -m benchmarks.speed``."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sklearn.datasets import load_iris

from atfnb.classifiers import ATFNB, CFWBeta
from benchmarks.speed import comparisons, exports, processes
from benchmarks.speed.measuring import Comparison, coded

HEADER = ["what", "against", "ours", "theirs", "ratio", "to reach", ""]


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the table, and write it as JSON and as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.speed")
    parser.add_argument("--out", type=Path, default=Path("results/speed"), help="folder for speed.json and speed.md")
    parser.add_argument(
        "--shrink", type=int, default=1, metavar="N", help="divide the number of rows by N, for a trial"
    )
    options = parser.parse_args(arguments)
    console = Console()
    rows: list[Comparison] = []
    ATFNB().fit(*load_iris(return_X_y=True))  # compile before the clock runs
    CFWBeta(categorical_features="all").fit(*coded(20_000, 3, 3, 3)).predict(coded(100, 3, 3, 3)[0])
    for group in (*comparisons.GROUPS, *exports.GROUPS, *processes.GROUPS):
        with console.status(f"{group.__doc__}"):
            rows.extend(group(options.shrink))
    if options.shrink > 1:
        rows = [replace(row, aim=None) for row in rows]  # the aims are for the full size
    table = Table("what", "ratio", "to reach", "", title="speed, ours against others", show_lines=True)
    for row in rows:
        what, against, ours, theirs, *rest = (escape(cell.replace("**", "")) for cell in cells(row))
        table.add_row(f"{what}\n[dim]{ours}; {against} {theirs}[/]", *rest)
    console.print(table)
    where = machine()
    options.out.mkdir(parents=True, exist_ok=True)
    figures = [asdict(row) | {"ratio": row.ratio} for row in rows]
    (options.out / "speed.json").write_text(json.dumps({"machine": where, "rows": figures}, indent=2) + "\n")
    (options.out / "speed.md").write_text(markdown(rows, where))
    console.print(f"written: {options.out / 'speed.json'}, {options.out / 'speed.md'}", soft_wrap=True)


def cells(row: Comparison) -> list[str]:
    """Return the cells of a comparison as text, in the order of ``HEADER``."""
    if row.ratio is None:
        ratio, verdict = row.note or "peer not installed", ""
    else:
        ratio = f"{row.ratio:.3g}" if row.ratio >= 0.01 else f"1/{1 / row.ratio:.0f}"
        verdict = "" if row.aim is None else ("reached" if row.ratio <= row.aim else "**not reached**")
    aim = (
        "" if row.aim is None else (f"{row.aim:g}" if row.aim >= 0.01 and row.aim != 0.025 else f"1/{1 / row.aim:.0f}")
    )
    ours = "" if np.isnan(row.ours) else row.note or f"{row.ours:.4g} s"
    theirs = "" if row.theirs is None or row.note else f"{row.theirs:.4g} s"
    return [row.what, row.against, ours, theirs, ratio, aim, verdict]


def markdown(rows: list[Comparison], where: dict[str, str]) -> str:
    """Return the table as Markdown, with the machine and the date."""
    lines = [" | ".join(HEADER), " | ".join("---" for _ in HEADER), *(" | ".join(cells(row)) for row in rows)]
    measured = ", ".join(f"{name} {value}" for name, value in where.items())
    return f"Measured by `make bench`: {measured}.\n\n" + "\n".join(f"| {line} |" for line in lines) + "\n"


def machine() -> dict[str, str]:
    """Return the date, the processor, and the versions of Python and the libraries."""
    names = ("numpy", "scipy", "scikit-learn", "numba", "toad")
    lines = (line for line in _cpuinfo() if line.startswith("model name"))
    cpu = next((line.split(":")[1].strip() for line in lines), platform.processor())
    return {
        "date": datetime.date.today().isoformat(),
        "processor": f"{cpu}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **{name: _version(name) for name in names},
    }


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
