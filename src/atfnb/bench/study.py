"""A whole study: every set, every split, every classifier, on every core; interrupted and resumed at will."""

from __future__ import annotations

import csv
import hashlib
import io
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from atfnb import datasets
from atfnb.bench.journal import Journal
from atfnb.bench.peers import find
from atfnb.bench.protocol import DECIMALS, Outcome, run_split
from atfnb.bench.results import Options, Results

Progress = Callable[[int, int, str], None]
"""Called with what is done, of how much, and what was done last."""


def run_study(
    options: Options, folder: Path, *, data: str | None = None, jobs: int = 2, progress: Progress = lambda *_: None
) -> Results:
    """Run what the folder does not hold yet, and write ``results.csv``.

    Parameters
    ----------
    options : Options
    folder : Path
        Where the journal and the results are kept. A second start goes on from there.
    data : str, optional
        The folder with the CSV files of the sets that need one.
    jobs : int, default=2
        How many processes to use.
    progress : callable, optional
        Told after every split.
    """
    find(list(options.classifiers))
    journal = Journal(folder, _plain(options))
    todo = [
        (n, s) for n in _largest_first(options.sets) for s in range(options.n_splits) if (n, s) not in journal.outcomes
    ]
    total = len(options.sets) * options.n_splits
    for outcome in _run(todo, options, data, jobs):
        journal.add(outcome)
        progress(len(journal.outcomes), total, outcome.name)
    outcomes = list(journal.in_order(list(options.sets), options.n_splits))
    write_whole(folder / "results.csv", _as_csv(outcomes, options))
    return _results(outcomes, options)


def _results(outcomes: list[Outcome], options: Options) -> Results:
    names, shape = options.classifiers, (len(options.sets), options.n_splits, -1)
    return Results(
        options,
        np.array([[o.right[c] / o.test_rows for c in names] for o in outcomes]).reshape(shape),
        np.array([[o.log_loss[c] for c in names] for o in outcomes]).reshape(shape),
        np.array([[o.brier[c] for c in names] for o in outcomes]).reshape(shape),
        np.array([np.sum([o.reliability[c] for o in outcomes], axis=0) for c in names]),
    )


def _plain(options: Options) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(options).items()}


def _largest_first(names: tuple[str, ...]) -> list[str]:
    """The order that keeps every core busy to the end."""
    catalogue = datasets.catalogue()
    return sorted(names, key=lambda n: -catalogue[n].instances * catalogue[n].attributes)


@lru_cache(maxsize=4)
def _load(name: str, data: str | None) -> tuple[Any, Any]:
    return datasets.load(name, data)


def source(name: str, data: str | None = None) -> str:
    """Where a set comes from now, and a mark of its content, which is read for it.

    >>> source("iris").split()[0]
    'scikit-learn'
    """
    X, y = datasets.load(name, data)
    content = X.assign(**{"class": y}).to_csv(index=False).encode()
    return f"{datasets.where(name, data)} {hashlib.sha256(content).hexdigest()[:12]}"


def _task(name: str, split: int, options: Options, data: str | None) -> Outcome:
    X, y = _load(name, data)
    entries = find(list(options.classifiers))
    return run_split(name, X, y, split, entries, seed=options.seed, order=options.order)


def _run(todo: list[tuple[str, int]], options: Options, data: str | None, jobs: int) -> Iterator[Outcome]:
    """The outcomes as they come; no more tasks wait than the processes need."""
    if jobs < 2:
        yield from (_task(name, split, options, data) for name, split in todo)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: set[Future[Outcome]] = set()
        remaining = iter(todo)
        try:
            while True:
                for name, split in remaining:
                    waiting.add(pool.submit(_task, name, split, options, data))
                    if len(waiting) >= 4 * jobs:
                        break
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


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


def write_whole(path: Path, text: str | bytes) -> None:
    """Replace a file whole."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    temporary.replace(path)
