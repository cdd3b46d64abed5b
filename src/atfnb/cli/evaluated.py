"""How an evaluation looks on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from atfnb.cli.evaluate import GUESS, Line, best, lines
from atfnb.evaluation import LOWER_IS_BETTER, METRICS, Evaluation

HEADS = {"balanced accuracy": "balanced\naccuracy"}
"""So that the table fits a terminal of 80 columns."""
LAYOUTS: tuple[tuple[Sequence[str], str], ...] = (
    (tuple(METRICS), " "),
    (tuple(METRICS), "\n"),
    (("accuracy", "balanced accuracy", "log-loss"), "\n"),
    (("accuracy", "log-loss"), "\n"),
    (("accuracy",), "\n"),
)
"""The columns, and what stands between a mean and its error, from the widest table to the narrowest."""


def show_evaluation(found: Evaluation) -> None:
    """Print a table of the classifiers, the widest that the terminal has room for; no number is ever cut off."""
    console = Console()
    tables = [_table(found, metrics, between) for metrics, between in LAYOUTS]
    console.print(next((table for table in tables if fits(console, table)), tables[-1]), crop=False)


def fits(console: Console, table: Table) -> bool:
    """Return whether the terminal has room for a table without cutting anything off."""
    unlimited = console.options.update(max_width=10_000)
    return console.measure(table, options=unlimited).maximum <= console.width


def _table(found: Evaluation, metrics: Sequence[str], between: str) -> Table:
    """Return a table of mean ± corrected standard error, the best in bold."""
    rounds = len(found.splits[GUESS]) // found.folds
    title = f"{found.rows:,} rows, {len(found.classes)} classes; {found.folds} folds" + f" × {rounds}" * (rounds > 1)
    left_out = [metric for metric in METRICS if metric not in metrics]
    more = f"; -o also writes {' and '.join(left_out)}" if left_out else ""
    table = Table(title=title, caption=f"mean ± corrected standard error; ↑ higher is better, ↓ lower is{more}")
    table.show_lines = between == "\n"
    table.add_column("classifier", no_wrap=True)
    for metric in metrics:
        arrow = "↓" if metric in LOWER_IS_BETTER else "↑"
        table.add_column(f"{HEADS.get(metric, metric)} {arrow}", justify="right", no_wrap=True)
    leaders = {metric: best(found, metric) for metric in metrics}
    for line in lines(found):
        cells = [_cell(line, metric, between, bold=leaders[metric] == line.name) for metric in metrics]
        table.add_row(Text(line.name, "dim" if line.name == GUESS else ""), *cells)
    return table


def _cell(line: Line, metric: str, between: str, *, bold: bool) -> Text:
    return Text(f"{line.mean[metric]:.3f}{between}± {line.error[metric]:.3f}", "bold" if bold else "")
