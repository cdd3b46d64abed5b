"""How an evaluation looks on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from atfnb.evaluation import METRICS, Evaluation
from atfnb.tasks.evaluate import GUESS, LOWER_IS_BETTER, best, lines

HEADS = {"balanced accuracy": "balanced\naccuracy"}
"""So that the table fits a terminal of 80 columns."""


def show_evaluation(found: Evaluation) -> None:
    """A table of the classifiers: mean ± corrected standard error, the best in bold."""
    rounds = len(found.splits[GUESS]) // found.folds
    title = f"{found.rows:,} rows, {len(found.classes)} classes; {found.folds} folds" + f" × {rounds}" * (rounds > 1)
    table = Table(title=title, caption="mean ± corrected standard error; ↑ higher is better, ↓ lower is")
    table.add_column("classifier", no_wrap=True)
    for metric in METRICS:
        arrow = "↓" if metric in LOWER_IS_BETTER else "↑"
        table.add_column(f"{HEADS.get(metric, metric)} {arrow}", justify="right", no_wrap=True)
    leaders = {metric: best(found, metric) for metric in METRICS}
    for line in lines(found):
        cells = [
            Text(f"{line.mean[metric]:.3f} ± {line.error[metric]:.3f}", "bold" if leaders[metric] == line.name else "")
            for metric in METRICS
        ]
        table.add_row(Text(line.name, "dim" if line.name == GUESS else ""), *cells)
    Console().print(table)
