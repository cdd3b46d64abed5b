"""The table as text: for the terminal, for the page, and where and when it was measured."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from pathlib import Path

import numpy as np

from benchmarks.speed.rows import Row


def machine() -> dict[str, str]:
    """Where and when this was measured."""
    names = ("numpy", "scipy", "scikit-learn", "numba", "toad")
    versions = {name: _version(name) for name in names}
    cpu = next(
        (line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), platform.processor()
    )
    return {
        "date": datetime.date.today().isoformat(),
        "processor": f"{cpu}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **versions,
    }


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def cells(row: Row) -> list[str]:
    """A row in words."""
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


HEADER = ["what", "against", "ours", "theirs", "ratio", "to reach", ""]


def markdown(rows: list[Row], where: dict[str, str]) -> str:
    """The page's table."""
    lines = [" | ".join(HEADER), " | ".join("---" for _ in HEADER), *(" | ".join(cells(row)) for row in rows)]
    told = ", ".join(f"{name} {value}" for name, value in where.items())
    return f"Measured by `make bench`: {told}.\n\n" + "\n".join(f"| {line} |" for line in lines) + "\n"
