"""A study: every classifier on every split of every set, in several processes, and its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial, reduce
from importlib.metadata import version
from itertools import product
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np

from atfnb._files import write_whole
from atfnb._progress import Progress
from atfnb._typing import FloatArray
from atfnb_study.journal import Journal, in_processes
from atfnb_study.peers import find, installed
from atfnb_study.protocol import DECIMALS, RECORDED, Order, Outcome, run_split
from atfnb_study.sets import Sets, StudyProfile, Uci
from atfnb_study.text_table import Cell, csv_text

LIBRARIES = ("atfnb", "numpy", "scipy", "scikit-learn", "numba", "pandas")


def versions_of(classifiers: Sequence[str] = ()) -> dict[str, str]:
    """Return the versions of the libraries of a study, and of the packages that these classifiers need.

    Raises ImportError, with the command that installs it, if such a package is missing.

    >>> list(versions_of(["NB"]))
    ['atfnb', 'numpy', 'scipy', 'scikit-learn', 'numba', 'pandas']
    """
    needed = [installed(one) for one in find(list(classifiers))]
    return reduce(or_, needed, {name: version(name) for name in LIBRARIES})


@dataclass(frozen=True)
class StudyOptions:
    """Everything that the results of a study depend on: equal options give the same results, to the byte."""

    sets: tuple[str, ...]
    classifiers: tuple[str, ...]
    n_splits: int = 30
    seed: int = 0
    order: Order = "clean"
    sources: dict[str, str] = field(default_factory=dict)
    """Where each set comes from, with a hash of its content."""
    versions: dict[str, str] = field(default_factory=versions_of)
    recorded: tuple[str, ...] = RECORDED
    """The figures that are kept for each classifier on each split."""


@dataclass(frozen=True)
class StudyResults:
    """The figures of each classifier on each split of each set."""

    options: StudyOptions
    accuracy: FloatArray
    """(sets, splits, classifiers)"""
    log_loss: FloatArray
    """(sets, splits, classifiers)"""
    brier: FloatArray
    """(sets, splits, classifiers)"""
    reliability: FloatArray
    """(classifiers, bins, 3), over all sets and splits: the number of rows, the sum of their highest probabilities,
    and how many were right."""
    seconds: FloatArray
    """(sets, splits, classifiers), of the fit alone"""
    sets: Sets = field(default_factory=Uci)

    @property
    def profile(self) -> StudyProfile:
        """How the study is presented."""
        return self.sets.profile

    @property
    def shared(self) -> str:
        """A sentence on data that the sets share, which tests over the sets ignore; empty if none."""
        return self.sets.dependence(self.options.sets)

    @property
    def mean(self) -> FloatArray:
        """The mean accuracy over the splits: (sets, classifiers)."""
        return np.asarray(self.accuracy.mean(axis=1))

    @property
    def mean_log_loss(self) -> FloatArray:
        """The mean log-loss over the splits: (sets, classifiers)."""
        return np.asarray(self.log_loss.mean(axis=1))

    def positions(self, names: Sequence[str]) -> list[int]:
        """Return the positions of these classifiers in the arrays of the self."""
        return [self.options.classifiers.index(name) for name in names]

    def taking_part(self, names: Sequence[str]) -> list[str]:
        """Return those of the classifiers that took part in the study."""
        return [name for name in names if name in self.options.classifiers]

    def groups(self) -> dict[str, int]:
        """Return the distinct classifiers: joined names, as "WNB = KLNB", with the position of the first.

        Classifiers that agree on every split, in accuracy and log-loss, are one model under several names. Counted
        apart, they would share ranks with themselves and make the correction for many comparisons needlessly strict.
        """
        alike: dict[bytes, list[int]] = {}
        for c in range(self.accuracy.shape[2]):
            key = self.accuracy[:, :, c].tobytes() + self.log_loss[:, :, c].tobytes()
            alike.setdefault(key, []).append(c)
        return {" = ".join(self.options.classifiers[c] for c in group): group[0] for group in alike.values()}

    def distinct(self) -> tuple[list[str], FloatArray]:
        """Return the joined names of the distinct classifiers and their mean accuracies: (sets, classifiers)."""
        found = self.groups()
        return list(found), self.mean[:, list(found.values())]


# --- running it -------------------------------------------------------------------------------------


def run_study(
    options: StudyOptions,
    folder: Path,
    *,
    sets: Sets | None = None,
    jobs: int = 2,
    progress: Progress = lambda *_: None,
) -> StudyResults:
    """Run the splits that the folder does not hold yet, write the results into it, and return them.

    They are in ``results.csv``; the seconds of the fits differ from run to run, and so are in ``times.csv``.

    Parameters
    ----------
    options : StudyOptions
        The sets, the classifiers, and the number of splits.
    folder : Path
        The folder for the journal and the results. A second run continues from there.
    sets : Sets, optional
        Where the sets come from; by default those of the paper's first experiment that need no file.
    jobs : int, default=2
        The number of processes.
    progress : callable, optional
        Called after every split with the number done, the total and the name of the set.
    """
    find(list(options.classifiers))
    sets = sets or Uci()
    journal = Journal(folder / "journal.jsonl", Outcome, _plain(options), work="a study", again="its split runs again")
    known = {(outcome.name, outcome.split): outcome for outcome in journal.records}
    tasks = list(product(options.sets, range(options.n_splits)))
    largest_first = sorted(options.sets, key=lambda name: -sets.cells(name))  # keeps every core busy to the end
    todo = [task for task in product(largest_first, range(options.n_splits)) if task not in known]
    for outcome in in_processes(partial(_run_task, options=options, sets=sets), todo, jobs):
        journal.add(outcome)
        known[outcome.name, outcome.split] = outcome
        progress(len(known), len(tasks), outcome.name)
    outcomes = [known[task] for task in tasks]
    write_whole(folder / "results.csv", _as_csv(["right", "test_rows", "log_loss", "brier"], _figures, outcomes))
    write_whole(folder / "times.csv", _as_csv(["fit_seconds"], lambda o, c: [o.seconds[c]], outcomes))
    return _results(outcomes, options, sets)


def _plain(options: StudyOptions) -> dict[str, Any]:
    """Return the options as JSON can hold them: with lists for tuples."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(options).items()}


@lru_cache(maxsize=4)
def _load(name: str, sets: Sets) -> tuple[Any, Any]:
    return sets.load(name)


def _run_task(named: tuple[str, int], options: StudyOptions, sets: Sets) -> Outcome:
    """Run one split of one set; called in any process."""
    name, split = named
    X, y = _load(name, sets)
    participants = find(list(options.classifiers))
    return run_split(name, X, y, split, participants, seed=options.seed, order=options.order)


def _as_csv(header: list[str], cells: Callable[[Outcome, str], list[Cell]], outcomes: list[Outcome]) -> str:
    """Return one line per set, split and classifier as CSV."""
    lines = ([o.name, o.split, name, *cells(o, name)] for o in outcomes for name in o.seconds)
    return csv_text(["set", "split", "classifier", *header], lines)


def _figures(o: Outcome, name: str) -> list[Cell]:
    """Return the figures of a classifier as integers and six decimals, so that files compare to the byte."""
    return [o.right[name], o.test_rows, f"{o.log_loss[name]:.{DECIMALS}f}", f"{o.brier[name]:.{DECIMALS}f}"]


def _results(outcomes: list[Outcome], options: StudyOptions, sets: Sets) -> StudyResults:
    names, shape = options.classifiers, (len(options.sets), options.n_splits, -1)

    def figures(of: Callable[[Outcome], Mapping[str, float]]) -> FloatArray:
        return np.array([[of(o)[c] for c in names] for o in outcomes]).reshape(shape)

    return StudyResults(
        options,
        figures(lambda o: {c: right / o.test_rows for c, right in o.right.items()}),
        figures(lambda o: o.log_loss),
        figures(lambda o: o.brier),
        np.array([np.sum([o.reliability[c] for o in outcomes], axis=0) for c in names]),
        figures(lambda o: o.seconds),
        sets,
    )


# --- reading the results ----------------------------------------------------------------------------


def among(names: list[str], name: str) -> int:
    """Return the position of the joined name that contains this one.

    >>> among(["NB", "WNB = KLNB"], "KLNB")
    1
    """
    return next(i for i, joined in enumerate(names) if name in joined.split(" = "))
