"""The protocol: one random 80/20 split of one set, encoded once, for every classifier."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from atfnb._typing import CodeArray, IntArray
from atfnb.encoding import fit_encoder
from atfnb.evaluation import brier, log_loss, over_classes, reliability
from atfnb.paper.peers import PEERS, Entry
from atfnb.tables import read_table, read_target

Order = Literal["clean", "leaky"]
"""Discretise inside the training part; or first, with the test part's labels in sight."""

TEST_SHARE = 0.2
SPLITS_PER_SEED = 10**6
DECIMALS = 6
"""To how many decimals the numbers of a split are kept."""


@dataclass(frozen=True)
class Outcome:
    """What each classifier made of the test rows of one split of one set."""

    name: str
    split: int
    test_rows: int
    right: dict[str, int]
    log_loss: dict[str, float]
    brier: dict[str, float]
    reliability: dict[str, list[list[float]]]
    """Rows, sum of the highest probability, right ones: of each of ten bins."""


RECORDED = tuple(one.name for one in fields(Outcome))[3:]
"""What is told of each classifier."""


@dataclass(frozen=True)
class Split:
    """The rows of the training and of the test part."""

    train: IntArray
    test: IntArray


def draw(n_rows: int, split: int, seed: int = 0) -> Split:
    """The split's rows: the first fifth of a permutation is the test part. No two seeds share a split.

    >>> len(draw(150, split=0).test), len(draw(150, split=0).train)
    (30, 120)
    """
    rows = np.random.default_rng(SPLITS_PER_SEED * seed + split).permutation(n_rows)
    n_test = round(TEST_SHARE * n_rows)
    return Split(train=rows[n_test:], test=rows[:n_test])


def run_split(name: str, X: Any, y: Any, split: int, entries: list[Entry], *, seed: int, order: Order) -> Outcome:
    """Train every classifier on the training part; see on the test part what it gets right, and how sure it was."""
    rows = draw(len(y), split, seed)
    labels = np.asarray(y)
    table = read_table(X)
    seen = np.arange(len(y)) if order == "leaky" else rows.train
    inside = np.zeros(len(y), dtype=bool)
    inside[seen] = True
    target = read_target(labels[inside], None, len(seen))
    encoder = fit_encoder(table.take(inside), target)
    codes: CodeArray = encoder.encode_table(table)
    categorical = [column.name for column in table.columns if column.categorical]
    numeric = [column.name for column in table.columns if not column.categorical]
    classes, truth = np.unique(labels, return_inverse=True)
    outcome = Outcome(name, split, len(rows.test), {}, {}, {}, {})
    for entry in entries:
        view: Any = codes if entry.view == "codes" else X.iloc
        train, test = view[rows.train], view[rows.test]
        model = entry.make(categorical=categorical, numeric=numeric, n_values=encoder.n_values)
        with warnings.catch_warnings():
            if entry.name in PEERS:
                warnings.simplefilter("ignore")  # a peer's remarks on a small set are not ours to print
            model.fit(train, labels[rows.train])
            right, probability = model.predict(test) == labels[rows.test], model.predict_proba(test)
        p = over_classes(probability, model.classes_, classes)  # (rows, classes)
        outcome.right[entry.name] = int(right.sum())
        outcome.log_loss[entry.name] = round(log_loss(p, truth[rows.test]), DECIMALS)
        outcome.brier[entry.name] = round(brier(p, truth[rows.test]), DECIMALS)
        outcome.reliability[entry.name] = reliability(probability.max(axis=1), right).round(DECIMALS).tolist()
    return outcome
