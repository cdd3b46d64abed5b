"""Compare FusionNB with other libraries on the paper's sets: ``python -m benchmarks.peers --data folder``.

A fit whose figures are in the CSV file is not run again: the command goes on where it stopped. ``--only FusionNB
--again`` measures FusionNB anew; ``--table`` runs nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from atfnb._files import write_whole
from atfnb_study import datasets
from atfnb_study.beyond import duel
from atfnb_study.peers import find, installed
from atfnb_study.protocol import run_split
from atfnb_study.text_table import Cell, TextTable

SPLITS = 3
COST = {"LogisticRegression": 0.5, "XGBoost": 1, "LightGBM": 1, "HistGradientBoosting": 3, "RandomForest": 4}
COST |= {"FusionNB": 8, "LightGBM tuned": 60, "CatBoost": 70, "XGBoost tuned": 150, "EBM": 1000, "CatBoost tuned": 1200}
"""The classifiers, and about how long their fits take beside each other: short ones come first."""
SECONDS = 10
"""Up to this cost, a classifier takes minutes for all sets, and comes before the others."""
SEARCH_LIMIT = 600.0
"""The seconds that a search of CatBoost may take, 60 times those of a fit at the defaults: longer ones are left out."""
KEY = ["set", "classifier", "split"]
HEADER = [*KEY, "accuracy", "log_loss", "brier", "fit_seconds", "version"]


def read(path: Path) -> pd.DataFrame:
    """Return the figures of a file, one line per fit; none if there is no file."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=HEADER)


def measure(name: str, classifier: str, split: int, data: str | None) -> tuple[Any, ...]:
    """Return the line of one fit."""
    (one,) = find([classifier])
    X, y = datasets.load(name, data)
    found = run_split(name, X, y, split, [one], seed=0, order="clean")
    package = installed(one) or {each: version(each) for each in ["scikit-learn" if one.is_peer else "atfnb"]}
    accuracy = round(found.right[classifier] / found.test_rows, 15)  # so that equal means are ties
    figures = (each[classifier] for each in (found.log_loss, found.brier, found.seconds))
    return name, classifier, split, accuracy, *figures, " ".join(*package.items())


def run(figures: pd.DataFrame, classifiers: Sequence[str], sets: Sequence[str], data: str | None) -> Iterator[Any]:
    """Yield the figures after each fit that they did not hold, those of the fit included."""
    # measured: the time of most grows about as the root of the size
    size = {name: (one.instances * one.attributes * one.classes) ** 0.5 for name, one in datasets.catalogue().items()}
    tasks = product(sets, classifiers, range(SPLITS))
    for task in sorted(tasks, key=lambda task: (COST[task[1]] > SECONDS, COST[task[1]] * size[task[0]], task)):
        done = figures.set_index(KEY).fit_seconds
        if task in done.index:
            continue
        if task[1] == "CatBoost tuned" and not 60 * done.get((task[0], "CatBoost", task[2]), np.inf) < SEARCH_LIMIT:
            continue
        line = pd.DataFrame([measure(*task, data)], columns=HEADER)
        figures = pd.concat([figures, line] if len(figures) else [line])
        yield figures.sort_values(KEY)


def compare(figures: pd.DataFrame) -> TextTable:
    """Return a table of every classifier beside FusionNB, on the sets of which both have all splits.

    A set that the paper has under two names counts twice in the means, as it does there.
    """
    records = datasets.catalogue()
    twins = {one.same_as: name for name, one in records.items() if one.same_as}
    figures = pd.concat([figures, figures[figures.set.isin(twins)].replace({"set": twins})])
    groups = figures.groupby(["classifier", "set"])
    means = groups[["accuracy", "log_loss", "brier", "fit_seconds"]].mean()[groups.size() == SPLITS]
    rows: list[tuple[Cell, ...]] = []
    for name in means.index.unique("classifier"):
        one, ours = means.loc[name].align(means.loc["FusionNB"], join="inner", axis=0)
        by_size = sorted(one.index, key=lambda each: records[each].instances)
        cells = [_duel(ours.accuracy[part], one.accuracy[part]) for part in (one.index, *np.array_split(by_size, 3))]
        cells.append(_duel(-ours.log_loss, -one.log_loss))
        both = zip(one.mean()[:3], ours.mean()[:3], strict=True)
        seconds = f"{one.fit_seconds.sum():.1f} ({ours.fit_seconds.sum():.1f})"
        rows.append((name, len(one), *(f"{theirs:.4f} ({own:.4f})" for theirs, own in both), *cells, seconds))
    rows.sort(key=lambda row: str(row[2]), reverse=True)
    against = ("accuracy", "smallest third", "middle third", "largest third", "log-loss")
    header = ("classifier", "sets", "accuracy", "log-loss", "Brier", *(f"vs {each}" for each in against), "fit, s")
    note = (
        "In brackets, FusionNB on the same sets. Vs: the sets on which FusionNB is better, equal and worse, and p by "
        "Wilcoxon's test over the sets; thirds of the sets by rows, in accuracy. Fit: processor time, every set once."
    )
    return TextTable("peers", "FusionNB beside classifiers of other libraries", header, tuple(rows), note)


def _duel(ours: Any, theirs: Any) -> str:
    if not len(ours):
        return ""
    found = duel(np.asarray(ours), np.asarray(theirs))
    return f"{found.won}/{found.tied}/{found.lost}, p = {found.p_value:.2g}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing, keep the figures, and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with the CSV files of the sets that need one")
    parser.add_argument("--out", type=Path, default=Path("docs/performance/peers.csv"), help="the CSV file of figures")
    parser.add_argument("--only", action="append", choices=COST, help="only this classifier; may be repeated")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    parser.add_argument(
        "--again", action="store_true", help="drop the figures that --only and --set name, and run anew"
    )
    parser.add_argument("--table", action="store_true", help="run nothing: only print the comparison")
    chosen = parser.parse_args(arguments)
    classifiers, figures = chosen.only or list(COST), read(chosen.out)
    sets = chosen.set or [
        name
        for name, one in datasets.catalogue().items()
        if not one.same_as and datasets.where(name, chosen.data) != "not available"
    ]
    if chosen.again:
        figures = figures[~(figures.classifier.isin(classifiers) & figures.set.isin(sets))]
    for latest in () if chosen.table else run(figures, classifiers, sets, chosen.data):
        figures = latest
        write_whole(chosen.out, figures.to_csv(index=False))
    print(compare(figures).markdown())  # noqa: T201


if __name__ == "__main__":
    main()
