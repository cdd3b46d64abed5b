"""The protocol: a random 80/20 split of a set, encoded once, on which every classifier is trained and tested.

The outcome of each split is written to a journal at once, so that an interrupted study continues where it stopped.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from atfnb._typing import CodeArray, IntArray
from atfnb.encoding import learn_encoder
from atfnb.evaluation import brier, log_loss, over_classes, reliability
from atfnb.tables import label_rows, read_table
from atfnb_study.fits import FitTask, Fitted, run
from atfnb_study.peers import Participant

Order = Literal["clean", "leaky"]
"""When to discretise: "clean", inside the training part; "leaky", before splitting, with the test labels in view."""

TEST_SHARE = 0.2
"""The share of the rows of a set that is held out for testing."""
SPLITS_PER_SEED = 10**6
"""The number of splits that a seed can draw before it would repeat those of the next seed."""
DECIMALS = 6
"""The number of decimals to which the figures of a split are kept."""


@dataclass(frozen=True)
class Split:
    """The positions of the rows of the training and of the test part."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True)
class Outcome:
    """The figures of each classifier on one split of one set, by the name of the classifier."""

    name: str
    split: int
    test_rows: int
    right: dict[str, int]
    """The number of rows predicted correctly."""
    log_loss: dict[str, float]
    brier: dict[str, float]
    reliability: dict[str, list[list[float]]]
    """For each of ten bins: the number of rows, the sum of their highest probabilities, and how many were right."""
    seconds: dict[str, float]
    """The seconds of processor time of the fit, on one core, without imports and compilation."""


RECORDED = tuple(one.name for one in fields(Outcome))[3:]
"""The names of the figures that are kept for each classifier."""


def draw_split(n_rows: int, split: int, seed: int = 0) -> Split:
    """Return the rows of a split: the first fifth of a random permutation is the test part. No two seeds share a split.

    >>> len(draw_split(150, split=0).test), len(draw_split(150, split=0).train)
    (30, 120)
    """
    rows = np.random.default_rng(SPLITS_PER_SEED * seed + split).permutation(n_rows)
    n_test = round(TEST_SHARE * n_rows)
    return Split(train=rows[n_test:], test=rows[:n_test])


def run_split(
    name: str,
    X: Any,
    y: Any,
    split: int,
    participants: list[Participant],
    *,
    seed: int,
    order: Order,
) -> Outcome:
    """Train every classifier on the training part of a split, and return its figures on the test part.

    Parameters
    ----------
    name : str
        The name of the set, for the outcome.
    X, y
        The attributes, a pandas frame, and the class of each row.
    split : int
        The number of the split.
    participants : list of Participant
        The classifiers to train.
    seed : int
        Another seed draws other splits.
    order : "clean" or "leaky"
        Whether the shared codes are learned from the training part or from all rows.
    """
    rows = draw_split(len(y), split, seed)
    labels = np.asarray(y)
    table = read_table(X)
    inside = np.isin(np.arange(len(y)), rows.train) | (order == "leaky")
    encoder = learn_encoder(label_rows(table.take(inside), labels[inside])).encoder
    codes: CodeArray = encoder.encode_table(table)
    columns = {
        "categorical": [column.name for column in table.columns if column.categorical],
        "numeric": [column.name for column in table.columns if not column.categorical],
        "n_values": encoder.n_values,
    }
    classes, class_codes = np.unique(labels, return_inverse=True)
    outcome = Outcome(name, split, len(rows.test), {}, {}, {}, {}, {})
    for one in participants:
        view: Any = codes if one.view == "codes" else X.iloc
        train, test, make = view[rows.train], view[rows.test], partial(one.make, **columns)
        fitted = _run(one, FitTask(make, train, labels[rows.train], test, quiet=one.is_peer))
        outcome.seconds[one.name] = round(fitted.seconds, DECIMALS)
        right = fitted.predicted == labels[rows.test]
        p = over_classes(fitted.probability, fitted.classes, classes)  # (rows, classes)
        outcome.right[one.name] = int(right.sum())
        outcome.log_loss[one.name] = round(log_loss(p, class_codes[rows.test]), DECIMALS)
        outcome.brier[one.name] = round(brier(p, class_codes[rows.test]), DECIMALS)
        outcome.reliability[one.name] = reliability(fitted.probability.max(axis=1), right).round(DECIMALS).tolist()
    return outcome


_COMPILED: set[str] = set()
"""The classifiers of ours whose loops were compiled in this process."""


def _run(one: Participant, fit: FitTask) -> Fitted:
    """Return what a fit gave, timed without compilation."""
    if not one.is_peer and one.name not in _COMPILED:
        compile_loops(fit)
        _COMPILED.add(one.name)
    return run(fit)


def compile_loops(fit: FitTask) -> None:
    """Fit on a few rows with all classes, so that the time of the next fit does not contain that of compilation."""
    few = np.union1d(np.unique(fit.labels, return_index=True)[1], np.arange(min(50, len(fit.labels))))
    train = fit.train[few] if isinstance(fit.train, np.ndarray) else fit.train.iloc[few]
    run(replace(fit, train=train, labels=fit.labels[few], quiet=True))
