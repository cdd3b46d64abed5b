"""Compare models that must rise or fall along some columns: ``python -m benchmarks.shapes --data folder``.

The sets have columns whose direction a physician or a clerk would know. For each model: accuracy and log-loss, five
folds, and the share of steps up a column, on random rows, that move the log-odds the wrong way.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from atfnb import FusionNB

KNOWN = {
    "pima": ("tested_positive", {"plas": 1, "mass": 1, "age": 1, "preg": 1}),
    "haberman-survival": ("2", {"nodes": 1, "age": 1}),
    "blood": ("1", {"recency": -1, "frequency": 1}),
}
"""The file of a set, its class, and the columns along which the odds of that class rise (1) or fall (−1)."""
Signs = dict[str, int]
Table = tuple[pd.DataFrame, Any, Signs]


def drawn(rows: int, seed: int) -> Table:
    """Return few rows of a truth that rises along four of six columns, one of them with a step."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(rows, 6)), columns=list("abcdef"))
    odds = X["a"] + np.tanh(2 * X["b"]) + (X["c"] > 0.5) + 0.5 * np.maximum(X["a"], 0) * (X["d"] > 0)
    return X, (odds - 0.5 + rng.logistic(size=rows) > 0).astype(int), dict.fromkeys("abcd", 1)


def tables(data: Path) -> dict[str, Table]:
    """Return the tables by name."""
    found = {}
    for name, (positive, signs) in KNOWN.items():
        table = pd.read_csv(data / f"{name}.csv")
        found[name] = table.drop(columns="class"), (table["class"].astype(str) == positive).astype(int), signs
    return found | {f"drawn {k}": drawn(200, k) for k in range(3)}


def models(columns: list[str], signs: Signs) -> dict[str, Callable[[], Any]]:
    """Return what makes each model."""
    from interpret.glassbox import ExplainableBoostingClassifier
    from lightgbm import LGBMClassifier

    each = [signs.get(name, 0) for name in columns]
    shapes = {name: "rising" if sign > 0 else "falling" for name, sign in signs.items()}
    return {
        "FusionNB": FusionNB,
        "FusionNB with shapes": lambda: FusionNB(shapes=shapes),
        "HistGradientBoosting": HistGradientBoostingClassifier,
        "HistGradientBoosting with monotonic_cst": lambda: HistGradientBoostingClassifier(monotonic_cst=each),
        "LightGBM with monotone_constraints": lambda: LGBMClassifier(monotone_constraints=each, verbose=-1, n_jobs=1),
        "EBM with monotone_constraints": lambda: ExplainableBoostingClassifier(
            monotone_constraints=each, outer_bags=4, n_jobs=1
        ),
    }


def violations(model: Any, X: pd.DataFrame, signs: Signs, rng: np.random.Generator) -> float:
    """Return the share of steps up a column, on random rows, that move the log-odds the wrong way."""
    wrong = []
    for name, sign in signs.items():
        values = np.unique(np.quantile(X[name], np.linspace(0, 1, 40), method="nearest"))
        rows = X.iloc[rng.integers(0, len(X), 50)].reset_index(drop=True)
        many = rows.loc[rows.index.repeat(len(values))].reset_index(drop=True)
        many[name] = np.tile(values, len(rows)).astype(X[name].dtype)
        chance = np.clip(model.predict_proba(many)[:, 1], 1e-15, 1 - 1e-15).reshape(len(rows), -1)
        wrong.append((sign * np.diff(np.log(chance / (1 - chance)), axis=1) < -1e-6).mean())
    return float(np.mean(wrong))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the files of the sets")
    found: dict[str, list[tuple[str, float, float, float]]] = {}
    for table, (X, y, signs) in tables(parser.parse_args().data).items():
        for name, make in models(list(X), signs).items():
            rng, scores = np.random.default_rng(0), []
            for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = make().fit(X.iloc[train], np.asarray(y)[train])
                    chance, wrong = model.predict_proba(X.iloc[test])[:, 1], violations(model, X, signs, rng)
                truth = np.asarray(y)[test]
                scores.append((accuracy_score(truth, chance > 0.5), log_loss(truth, chance), wrong))
            kind = "drawn" if table.startswith("drawn") else table
            found.setdefault(name, []).append((kind, *np.mean(scores, axis=0)))
    print("| model | table | accuracy | log-loss | steps the wrong way |\n|---|---|---|---|---|")  # noqa: T201
    for name, lines in found.items():
        for kind, of in pd.DataFrame(lines).groupby(0, sort=False):
            accuracy, loss, wrong = of[[1, 2, 3]].mean()
            print(f"| {name} | {kind} | {accuracy:.3f} | {loss:.3f} | {100 * wrong:.1f} % |")  # noqa: T201


if __name__ == "__main__":
    main()
