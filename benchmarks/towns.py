"""Measure what a column with thousands of categories does: ``python -m benchmarks.towns --rows 2000 20000 100000``.

A table of eight columns is drawn, one of them a town out of 5,000 with frequencies by Zipf's law. The town says nothing
about the class, or says it by the region that it lies in. Each classifier is trained without the town, with it, and
with it but with all of its values kept apart, on halves of the rows, and predicts the other halves. Seconds are those
of the processor, on all cores. ``--csv FILE --target CLASS --column NAME`` does the same with a column of your own.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold

from atfnb import ATFNB, CFW, NB, WNB, FusionNB
from atfnb._typing import FloatArray
from atfnb.encoding import UnusedColumnWarning
from atfnb_study.text_table import TextTable

MODELS: tuple[Any, ...] = (NB, WNB, ATFNB, CFW, FusionNB)
TOWNS, REGIONS = 5000, 20


def town_table(rows: int, *, relevant: bool, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Return a table with a column of towns, and the class of each row.

    >>> X, y = town_table(1000, relevant=False)
    >>> X.shape, X["town"].nunique() > 300, sorted(set(y.tolist()))
    ((1000, 8), True, ['no', 'yes'])
    """
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, TOWNS + 1)
    town = rng.choice(TOWNS, size=rows, p=share / share.sum())
    region = rng.integers(0, REGIONS, TOWNS)
    numbers, letters = rng.normal(size=(rows, 4)), rng.integers(0, 4, size=(rows, 3))
    log_odds = numbers[:, 0] + 0.5 * numbers[:, 1] + 0.4 * letters[:, 0] - 1.6
    if relevant:
        log_odds += rng.normal(size=REGIONS)[region[town]]
    y = np.where(rng.random(rows) < 1 / (1 + np.exp(-log_odds)), "yes", "no")
    table = pd.DataFrame(numbers, columns=[f"number{j}" for j in range(4)])
    for j in range(3):
        table[f"letter{j}"] = np.array(list("abcd"))[letters[:, j]]
    return table.assign(town=[f"town {n}" for n in town]), y


def measure(model: Any, X: pd.DataFrame, y: Any, repeats: int) -> FloatArray:
    """Return the accuracy on each half that is held out, and the processor's seconds of each fit: (2, halves)."""
    figures = []
    for train, test in RepeatedStratifiedKFold(n_splits=2, n_repeats=repeats, random_state=0).split(X, y):
        begin = time.process_time()
        with warnings.catch_warnings(action="ignore", category=UnusedColumnWarning):  # which is what is measured
            model.fit(X.iloc[train], y[train])
        seconds = time.process_time() - begin
        figures.append([np.mean(model.predict(X.iloc[test]) == y[test]), seconds])
    return np.array(figures).T


def lines(
    what: str, column: str, tables: Sequence[tuple[pd.DataFrame, Any]], repeats: int
) -> Iterator[tuple[str, ...]]:
    """Generate a line for each classifier: its accuracy and its time without the column, with it, and unpooled."""
    for make in MODELS:
        found = []
        for drop, settings in ((True, {}), (False, {}), (False, {"min_category_rows": None})):
            of_tables = (
                measure(make(**settings), X.drop(columns=column) if drop else X, y, repeats) for X, y in tables
            )
            found.append(np.concatenate(list(of_tables), axis=1))
        lead = found[1][0] - found[0][0]
        accuracy = (f"{each[0].mean():.4f}" for each in found)
        seconds = (f"{np.median(each[1]):.3f}" for each in found)
        error = lead.std(ddof=1) / np.sqrt(len(lead))
        yield what, make.__name__, *accuracy, f"{lead.mean():+.4f} ± {error:.4f}", *seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[2000, 20_000], help="sizes of the drawn tables")
    parser.add_argument("--tables", type=int, default=5, help="tables drawn of each size")
    parser.add_argument("--csv", help="a table of your own, in place of drawn ones")
    parser.add_argument("--target", help="its column with the class")
    parser.add_argument("--column", help="its column with many categories")
    asked = parser.parse_args(arguments)
    found: list[tuple[str, ...]] = []
    if asked.csv:
        own = pd.read_csv(asked.csv).dropna(subset=[asked.target])
        table = own.drop(columns=asked.target), own[asked.target].astype(str).to_numpy()
        found += lines(f"{asked.csv}: {asked.column}", asked.column, [table], asked.tables)
    for rows in [] if asked.csv else asked.rows:
        for relevant in (False, True):
            drawn = [town_table(rows, relevant=relevant, seed=seed) for seed in range(asked.tables)]
            found += lines(f"{rows:,} rows, {'region' if relevant else 'nothing'}", "town", drawn, 1)
    accuracy, seconds = ("without", "with", "unpooled"), ("s without", "s with", "s unpooled")
    header = ("table, what the column says", "classifier", *accuracy, "with − without", *seconds)
    print(TextTable("towns", "a column with many categories", header, tuple(found)).markdown())  # noqa: T201


if __name__ == "__main__":
    main()
