"""How the scores of a model look on a terminal."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from atfnb.cli.evaluated import fits
from atfnb.cli.words import many
from atfnb.evaluation import Scores, percent

MOST = 30
"""Classes that are shown at most; -o writes all."""


def show_scores(found: Scores) -> None:
    """Print the figures, the classes and, where the terminal has room for it, the confusion matrix."""
    console = Console()
    console.print(_figures(found))
    console.print(_classes(found))
    confusion = _confusion(found)
    console.print(confusion if fits(console, confusion) else _mistakes(found))


def _figures(found: Scores) -> Table:
    result = found.measured
    table = Table(title=f"{many(found.rows, 'row')}, {many(int((result.rows > 0).sum()), 'class')}")
    table.add_column("")
    table.add_column("model", justify="right", no_wrap=True)
    table.add_column("guessing", justify="right", no_wrap=True)
    table.add_row("accuracy ↑", percent(result.accuracy), percent(result.guess_accuracy))
    table.add_row("balanced accuracy ↑", percent(result.balanced), percent(result.guess_balanced))
    table.add_row("log-loss ↓", f"{found.log_loss:.3f}", f"{found.guess_log_loss:.3f}")
    area = ("–", "–") if found.roc_auc is None else (f"{found.roc_auc:.3f}", "0.500")
    table.add_row("ROC AUC ↑", *area)
    return table


def _classes(found: Scores) -> Table:
    """Return recall and precision of each class, the most frequent first."""
    order = np.argsort(-found.measured.rows, kind="stable")
    left = f"; {len(order) - MOST} rarer classes are left out, -o writes them" if len(order) > MOST else ""
    table = Table(caption=f"recall: of its rows; precision: of the rows predicted as it{left}")
    table.add_column("class", overflow="fold")
    for head in ("rows", "recall", "precision"):
        table.add_column(head, justify="right", no_wrap=True)
    for c in order[:MOST]:
        shares = ("–" if np.isnan(share) else percent(share) for share in (found.recall[c], found.precision[c]))
        table.add_row(Text(found.measured.classes[c]), f"{found.measured.rows[c]:,}", *shares)
    return table


def _confusion(found: Scores) -> Table:
    """Return how many rows of each class are predicted as each."""
    table = Table(caption="rows of each class, and what they are predicted as")
    table.add_column("actual ↓ predicted →")
    for name in found.measured.classes:
        table.add_column(Text(name), justify="right", no_wrap=True)
    for name, rows in zip(found.measured.classes, found.confusion.tolist(), strict=True):
        table.add_row(Text(name), *(f"{count:,}" if count else "·" for count in rows))
    return table


def _mistakes(found: Scores) -> Table:
    """Return the most frequent mistakes: what is shown of a confusion matrix that is too wide."""
    wrong = found.confusion * (1 - np.eye(len(found.confusion), dtype=np.int64))
    table = Table(caption="the most frequent mistakes; -o writes the whole confusion matrix")
    table.add_column("actual", overflow="fold")
    table.add_column("predicted", overflow="fold")
    table.add_column("rows", justify="right", no_wrap=True)
    for place in np.argsort(-wrong, axis=None, kind="stable")[:10]:
        i, j = divmod(int(place), len(wrong))
        if wrong[i, j]:
            table.add_row(Text(found.measured.classes[i]), Text(found.measured.classes[j]), f"{wrong[i, j]:,}")
    return table
