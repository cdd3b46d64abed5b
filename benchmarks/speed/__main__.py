"""``python -m benchmarks.speed``: where we stand, side by side with others, in one run."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sklearn.datasets import load_iris

from atfnb.classifiers import ATFNB, CFWBeta
from benchmarks.speed.files import streaming
from benchmarks.speed.page import cells, machine, markdown
from benchmarks.speed.rows import GROUPS, Row, coded


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, and write the JSON and the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.speed")
    parser.add_argument("--out", type=Path, default=Path("results/speed"), help="folder for speed.json and speed.md")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="take N times fewer rows, to try it out")
    options = parser.parse_args(arguments)
    console = Console()
    rows: list[Row] = []
    ATFNB().fit(*load_iris(return_X_y=True))  # compile before the clock runs
    CFWBeta(categorical_features="all").fit(*coded(20_000, 3, 3, 3)).predict(coded(100, 3, 3, 3)[0])
    for group in (*GROUPS, streaming):
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
    told = [asdict(row) | {"ratio": row.ratio} for row in rows]
    (options.out / "speed.json").write_text(json.dumps({"machine": where, "rows": told}, indent=2) + "\n")
    (options.out / "speed.md").write_text(markdown(rows, where))
    console.print(f"written: {options.out / 'speed.json'}, {options.out / 'speed.md'}", soft_wrap=True)


if __name__ == "__main__":
    main()
