"""``python -m atfnb.bench``: the classifiers on the sets that scikit-learn ships, in one table."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import ShuffleSplit, cross_val_score

from atfnb import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta

SETS = {"iris": load_iris, "wine": load_wine, "breast-cancer": load_breast_cancer, "digits": load_digits}
CLASSIFIERS = {"NB": NB, "WNB": WNB, "KLNB": KLNB, "DFW": DFW, "CFW": CFW, "ATFNB": ATFNB, "CFW-β": CFWBeta}


def compare(n_splits: int = 10, seed: int = 0) -> dict[str, dict[str, float]]:
    """The mean test accuracy of each classifier on each set, over the same random 80/20 splits."""
    splits = ShuffleSplit(n_splits, test_size=0.2, random_state=seed)
    means: dict[str, dict[str, float]] = {}
    for name, load in track(SETS.items(), description="comparing", transient=True):
        X, y = load(return_X_y=True)
        means[name] = {c: float(np.mean(cross_val_score(make(), X, y, cv=splits))) for c, make in CLASSIFIERS.items()}
    return means


def main() -> None:
    """Compare and print."""
    n_splits = 10
    means = compare(n_splits)
    table = Table(title=f"test accuracy, mean of {n_splits} random splits 80/20")
    table.add_column("data set")
    for classifier in CLASSIFIERS:
        table.add_column(classifier, justify="right")
    for name, row in means.items():
        best = max(row.values())
        table.add_row(name, *(f"[bold]{v:.4f}[/]" if v == best else f"{v:.4f}" for v in row.values()))
    table.add_section()
    averages = [float(np.mean([row[c] for row in means.values()])) for c in CLASSIFIERS]
    table.add_row("mean", *(f"{v:.4f}" for v in averages))
    Console().print(table)


if __name__ == "__main__":
    main()
