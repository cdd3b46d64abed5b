"""Whether the order of categories helps FusionNB where rows are few: ``python -m benchmarks.orders``.

Each set is divided ten times into a few training rows and the others, and FusionNB learns with the orders of its
attributes and without them. The drawn table has five attributes of seven ordered values; the log-odds rise evenly along
them, or, as a control, each value has an effect drawn at random.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from atfnb import FusionNB
from atfnb_study import datasets

DIVISIONS, DRAWN_ROWS = 10, 5000
FEW = (50, 100, 200)
VALUES = [f"grade {k}" for k in range(1, 8)]
_COST = ["vhigh", "high", "med", "low"]
ORDERS: dict[str, dict[str, list[str]]] = {
    "car": {
        "buying": _COST,
        "maint": _COST,
        "doors": ["2", "3", "4", "5more"],
        "persons": ["2", "4", "more"],
        "lug_boot": ["small", "med", "big"],
        "safety": ["low", "med", "high"],
    },
    "nursery": {
        "parents": ["usual", "pretentious", "great_pret"],
        "has_nurs": ["proper", "less_proper", "improper", "critical", "very_crit"],
        "form": ["complete", "completed", "incomplete", "foster"],
        "children": ["1", "2", "3", "more"],
        "housing": ["convenient", "less_conv", "critical"],
        "social": ["nonprob", "slightly_prob", "problematic"],
        "health": ["recommended", "priority", "not_recom"],
    },
    "balance-scale": {f"{side}_{what}": [*"12345"] for side in ("left", "right") for what in ("weight", "distance")},
}
"""The orders of the attributes, as the descriptions of the sets give them."""


def drawn(*, rising: bool, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Return five ordered attributes and two classes, whose log-odds rise along them or jump at random."""
    rng = np.random.default_rng(seed)
    ranks = rng.integers(0, len(VALUES), (DRAWN_ROWS, 5))
    effects = np.tile(np.linspace(-1, 1, len(VALUES)), (5, 1)) if rising else rng.normal(0, 0.67, (5, len(VALUES)))
    odds = np.take_along_axis(effects.T, ranks, axis=0).sum(axis=1)
    table = pd.DataFrame(np.array(VALUES, dtype=object)[ranks], columns=[*"abcde"])
    return table, np.where(rng.random(DRAWN_ROWS) < 1 / (1 + np.exp(-odds)), "yes", "no")


def tables(data: str | None) -> Iterator[tuple[str, pd.DataFrame, Any, dict[str, list[str]]]]:
    """Yield the name, the attributes, the classes and the orders of each set."""
    for name, rising in (("drawn, rising", True), ("drawn, at random", False)):
        yield name, *drawn(rising=rising), dict.fromkeys("abcde", VALUES)
    for name, orders in ORDERS.items():
        X, y = datasets.load(name, data)
        yield name, X.astype(str).replace(r"\.0$", "", regex=True), y.to_numpy(), orders


def scores(X: pd.DataFrame, y: Any, orders: dict[str, list[str]], rows: int) -> Any:
    """Return accuracy and log-loss without and with orders, for each division: (divisions, 2, 2)."""
    found = []
    for seed in range(DIVISIONS):
        few, rest = train_test_split(np.arange(len(y)), train_size=rows, stratify=y, random_state=seed)
        models = (FusionNB(orders=given).fit(X.iloc[few], y[few]) for given in (None, orders))
        found.append([_scores(model, X.iloc[rest], y[rest]) for model in models])
    return np.array(found)


def _scores(model: FusionNB, X: pd.DataFrame, y: Any) -> tuple[float, float]:
    known = np.isin(y, model.classes_)
    p = model.predict_proba(X)
    return accuracy_score(y, model.predict(X)), log_loss(y[known], p[known], labels=model.classes_)


def main() -> None:
    """Print a line of a Markdown table for each set and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with the data sets that are not packaged")
    write = sys.stdout.write
    write("| set | training rows | accuracy | with orders | log-loss | with orders | lower in |\n")
    write("|---|---|---|---|---|---|---|\n")
    for name, X, y, orders in tables(parser.parse_args().data):
        for rows in FEW:
            found = scores(X, y, orders, rows)
            (plain, loss), (ordered, ordered_loss) = found.mean(axis=0)
            lower = int((found[:, 1, 1] < found[:, 0, 1]).sum())
            write(f"| {name} | {rows} | {plain:.3f} | {ordered:.3f} | {loss:.3f} | {ordered_loss:.3f} | ")
            write(f"{lower} of {DIVISIONS} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
