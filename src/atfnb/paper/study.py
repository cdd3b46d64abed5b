"""A whole study: every set, every split, every classifier, on every core; interrupted and resumed at will."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from atfnb._files import write_whole
from atfnb._processes import Progress, in_processes
from atfnb.paper.journal import Journal
from atfnb.paper.peers import find
from atfnb.paper.protocol import DECIMALS, Outcome, run_split
from atfnb.paper.results import Options, Results
from atfnb.paper.sets import Sets, Uci


def run_study(
    options: Options, folder: Path, *, sets: Sets | None = None, jobs: int = 2, progress: Progress = lambda *_: None
) -> Results:
    """Run what the folder does not hold yet, and write ``results.csv``.

    Parameters
    ----------
    options : Options
    folder : Path
        Where the journal and the results are kept. A second start goes on from there.
    sets : Sets, optional
        Where the sets of the options come from; by default those of the paper's first experiment that need no folder.
    jobs : int, default=2
        How many processes to use.
    progress : callable, optional
        Told after every split.
    """
    find(list(options.classifiers))
    sets = sets or Uci()
    journal = Journal(folder, _plain(options))
    todo = [
        (n, s)
        for n in _largest_first(options.sets, sets)
        for s in range(options.n_splits)
        if (n, s) not in journal.outcomes
    ]
    total = len(options.sets) * options.n_splits
    for outcome in in_processes(partial(_task, options=options, sets=sets), todo, jobs):
        journal.add(outcome)
        progress(len(journal.outcomes), total, outcome.name)
    outcomes = list(journal.in_order(list(options.sets), options.n_splits))
    write_whole(folder / "results.csv", _as_csv(outcomes, options))
    return _results(outcomes, options, sets)


def _results(outcomes: list[Outcome], options: Options, sets: Sets) -> Results:
    names, shape = options.classifiers, (len(options.sets), options.n_splits, -1)
    return Results(
        options,
        np.array([[o.right[c] / o.test_rows for c in names] for o in outcomes]).reshape(shape),
        np.array([[o.log_loss[c] for c in names] for o in outcomes]).reshape(shape),
        np.array([[o.brier[c] for c in names] for o in outcomes]).reshape(shape),
        np.array([np.sum([o.reliability[c] for o in outcomes], axis=0) for c in names]),
        sets,
    )


def _plain(options: Options) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(options).items()}


def _largest_first(names: tuple[str, ...], sets: Sets) -> list[str]:
    """The order that keeps every core busy to the end."""
    return sorted(names, key=lambda name: -sets.cells(name))


@lru_cache(maxsize=4)
def _load(name: str, sets: Sets) -> tuple[Any, Any]:
    return sets.load(name)


def _task(named: tuple[str, int], options: Options, sets: Sets) -> Outcome:
    name, split = named
    X, y = _load(name, sets)
    entries = find(list(options.classifiers))
    return run_split(name, X, y, split, entries, seed=options.seed, order=options.order)


def _as_csv(outcomes: list[Outcome], options: Options) -> str:
    """One line per set, split and classifier: whole numbers and six decimals, so that they compare to the byte."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["set", "split", "classifier", "right", "test_rows", "log_loss", "brier"])
    writer.writerows(
        [o.name, o.split, c, o.right[c], o.test_rows, *(f"{x:.{DECIMALS}f}" for x in (o.log_loss[c], o.brier[c]))]
        for o in outcomes
        for c in options.classifiers
    )
    return text.getvalue()
