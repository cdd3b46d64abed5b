"""Beyond the paper: how good the probabilities are, and FusionNB beside naive Bayes and the peers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._typing import BoolArray, FloatArray
from atfnb.paper import datasets, ranking, statistics
from atfnb.paper.peers import BEYOND, PEERS
from atfnb.paper.results import Results, among, columns, groups, taking_part
from atfnb.paper.sets import Uci
from atfnb.paper.text_table import Cell, TextTable, counted

SHOWN = ("NB", "ATFNB", *BEYOND, *PEERS)
"""Whom the tables set side by side, if they took part."""
FEW_ROWS, MANY_ROWS = 500, 2000


def fusion_tables(results: Results) -> list[TextTable]:
    """F1 to F4; those about FusionNB only if it took part, those that need the catalogue only for its sets."""
    tables = [probability_table(results)]
    if taking_part(results, tuple(BEYOND)):
        tables.append(beside_table(results))
        if isinstance(results.sets, Uci):
            tables += [rows_table(results), halves_table(results)]
    return tables


@dataclass(frozen=True)
class Duel:
    """One classifier against another over the sets."""

    won: int
    tied: int
    lost: int
    p_value: float
    """Wilcoxon's, two-tailed."""


def duel(one: FloatArray, other: FloatArray) -> Duel:
    """Compare two columns of figures of which higher is better: (sets,) each.

    >>> duel(np.array([0.9, 0.8, 0.7]), np.array([0.8, 0.8, 0.8]))
    Duel(won=1, tied=1, lost=1, p_value=1.0)
    """
    both = np.column_stack([one, other])
    wins = statistics.wins(both)
    won, lost = int(wins[1, 0]), int(wins[0, 1])
    return Duel(won, len(both) - won - lost, lost, float(ranking.compare_pairs(both).p_values[0, 1]))


def probability_table(results: Results) -> TextTable:
    """F1: accuracy, log-loss and Brier score of every classifier, and how it stands to NB."""
    found = groups(results)
    names, at = list(found), list(found.values())
    accuracy, log_loss, brier = (m[:, at] for m in (results.mean, results.mean_log_loss, results.mean_brier))
    nb = among(names, "NB")
    rows: list[tuple[Cell, ...]] = []
    for c in np.argsort(-accuracy.mean(axis=0), kind="stable"):
        duels = [duel(good[:, c], good[:, nb]) for good in (accuracy, -log_loss)]
        told = [("", "") if c == nb else (f"{d.won}/{d.tied}/{d.lost}", f"{d.p_value:.2g}") for d in duels]
        means = (float(m[:, c].mean()) for m in (accuracy, log_loss, brier))
        rows.append((names[c], *means, *told[0], *told[1]))
    against = ("accuracy vs NB", "p, accuracy", "log-loss vs NB", "p, log-loss")
    header = ("classifier", "accuracy", "log-loss", "Brier score", *against)
    unit = results.sets.printed.unit
    note = (
        f"Means over the {unit}, best accuracy first. Log-loss and Brier score: lower is better. Vs NB: {unit} on "
        f"which it is better, the same and worse; p by Wilcoxon over the {unit}. A probability counts as at least "
        "1e-15."
    )
    shared = results.sets.dependence(results.options.sets)
    note = f"{note} {shared}" if shared else note
    title = "accuracy and probabilities of every classifier"
    return TextTable("F1", title, header, tuple(rows), note, results.sets.printed.remark)


def beside_table(results: Results) -> TextTable:
    """F2: FusionNB on each set, beside NB, ATFNB and the peers."""
    names = taking_part(results, SHOWN)
    at = columns(results, names)
    rows: list[tuple[Cell, ...]] = [
        (name, *map(float, results.mean[i, at]), *map(float, results.mean_log_loss[i, at]))
        for i, name in enumerate(results.options.sets)
    ]
    header = (results.sets.printed.unit.removesuffix("s"), *names, *(f"{name}, log-loss" for name in names))
    note = f"Means of {results.options.n_splits} splits: first the accuracy, then the log-loss."
    return TextTable("F2", "FusionNB beside naive Bayes and the peers", header, tuple(rows), note)


def rows_table(results: Results) -> TextTable:
    """F3: the mean accuracy by the number of rows."""
    records = datasets.catalogue()
    size = np.array([records[name].instances for name in results.options.sets])
    sizes = {
        f"under {FEW_ROWS} rows": size < FEW_ROWS,
        f"{FEW_ROWS} to {MANY_ROWS}": (size >= FEW_ROWS) & (size <= MANY_ROWS),
        f"above {MANY_ROWS}": size > MANY_ROWS,
    }
    found = groups(results)
    order = sorted(found, key=lambda name: -float(results.mean[:, found[name]].mean()))
    rows: list[tuple[Cell, ...]] = [
        (name, *(_mean(results.mean[:, found[name]], part) for part in sizes.values())) for name in order
    ]
    header = ("classifier", *(f"{name} (sets: {part.sum()})" for name, part in sizes.items()))
    return TextTable(
        "F3", "mean accuracy by the size of the set", header, tuple(rows), "Best mean over all sets first."
    )


def halves_table(results: Results) -> TextTable:
    """F4: the half of the sets on which FusionNB's settings were chosen, and the other half."""
    sets, order = results.options.sets, list(datasets.catalogue())
    chosen_on = np.array([order.index(name) % 2 == 0 for name in sets])
    halves = {"chosen on": chosen_on, "others": ~chosen_on}
    names = taking_part(results, SHOWN)
    rows: list[tuple[Cell, ...]] = [
        (name, *(_mean(m[:, c], half) for m in (results.mean, results.mean_log_loss) for half in halves.values()))
        for name, c in zip(names, columns(results, names), strict=True)
    ]
    header = ("classifier", *(f"{what}, {half}" for what in ("accuracy", "log-loss") for half in halves))
    note = (
        "FusionNB's settings are those that the sets at even places of the catalogue, counted from 0, would choose: "
        f"here {counted(int(chosen_on.sum()), 'sets')}. The comparison on the others, here "
        f"{counted(int((~chosen_on).sum()), 'sets')}, is the fair one."
    )
    copies = _copies([name for name, even in zip(sets, chosen_on, strict=True) if not even])
    if copies:
        other = "another name" if len(copies) == 1 else "other names"
        note += f" Of the others, the data of {', '.join(copies)} are in the first half too, under {other}."
    return TextTable("F4", "FusionNB where it was tuned, and where it was not", header, tuple(rows), note)


# --- pieces ----------------------------------------------------------------------------------------


def _copies(odd: list[str]) -> list[str]:
    """Those of the sets at odd places that a set at an even place repeats."""
    records, order = datasets.catalogue(), list(datasets.catalogue())
    same = [(name, record.same_as) for name, record in records.items() if record.same_as]
    twin = dict(same) | {other: name for name, other in same}
    return [name for name in odd if name in twin and order.index(twin[name]) % 2 == 0]


def _mean(values: FloatArray, part: BoolArray) -> Cell:
    return float(values[part].mean()) if part.any() else None
