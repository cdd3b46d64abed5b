"""What few intervals cost FusionNB: ``python -m benchmarks.coarse --data FOLDER``.

Each set is divided several times into three quarters training rows and the others. FusionNB learns with as many
intervals as it likes, with few of them (``max_bins``), and with as many that ChiMerge or quantiles cut (``cuts``).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from atfnb import ChiMerge, FusionNB
from atfnb_study import datasets

DIVISIONS = 5
BINS = (3, 4, 6)
SETS = ("bank", "banknote", "blood", "haberman-survival", "mammographic", "page-blocks", "pima", "wilt")


def models(X: pd.DataFrame, y: Any, bins: int) -> dict[str, FusionNB]:
    """Return models with few intervals of each number, by how these are found."""
    numbers = X.select_dtypes("number").columns
    parts = np.linspace(0, 1, bins + 1)[1:-1]
    quantiles = {name: np.unique(X[name].quantile(parts)).tolist() for name in numbers}
    chimerge = ChiMerge(max_bins=bins).fit(X[numbers].fillna(X[numbers].mean()), y).cuts_
    return {
        "max_bins": FusionNB(max_bins=bins),
        "ChiMerge": FusionNB(cuts={name: cuts.tolist() for name, cuts in zip(numbers, chimerge, strict=True)}),
        "quantiles": FusionNB(cuts=quantiles),
    }


def scores(X: pd.DataFrame, y: Any) -> pd.DataFrame:
    """Return accuracy and log-loss of each model in each division."""
    found = []
    for seed in range(DIVISIONS):
        rows, rest = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=seed)
        few = {(bins, how): model for bins in BINS for how, model in models(X.iloc[rows], y[rows], bins).items()}
        for (bins, how), model in {(0, "fine"): FusionNB(), **few}.items():
            p = model.fit(X.iloc[rows], y[rows]).predict_proba(X.iloc[rest])
            right = accuracy_score(y[rest], model.classes_[p.argmax(axis=1)])
            found.append((bins, how, right, log_loss(y[rest], p, labels=model.classes_)))
    return pd.DataFrame(found, columns=["bins", "how", "accuracy", "log-loss"])


def main() -> None:
    """Print a line of a Markdown table for each set and number of intervals, and for their means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with the data sets that are not packaged")
    parser.add_argument("--set", nargs="+", default=SETS, help="the names of the sets")
    given = parser.parse_args()
    hows = ["max_bins", "ChiMerge", "quantiles"]
    sys.stdout.write(f"| set | intervals | fine | {' | '.join(hows)} |\n|---|---|---|---|---|---|\n")
    means = []
    for name in given.set:
        X, y = datasets.load(name, given.data)
        found = scores(X, y.to_numpy()).groupby(["bins", "how"]).mean()
        means.append(found)
        _write(name, found, hows)
    _write("mean", sum(means[1:], start=means[0]) / len(means), hows)


def _write(name: str, found: pd.DataFrame, hows: list[str]) -> None:
    for bins in BINS:
        figures = [found.loc[at] for at in [(0, "fine"), *((bins, how) for how in hows)]]
        cells = " | ".join(f"{accuracy:.3f} / {loss:.3f}" for accuracy, loss in map(tuple, figures))
        sys.stdout.write(f"| {name} | {bins} | {cells} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
