"""Measure ways to add rows to ATFNB and FusionNB without the old rows: ``python -m benchmarks.updates --data folder``.

A third of the rows trains the model, another third (or ``--share`` of it) is added, and the last third is the test.
Each way is compared with not updating, and with training again on old and new rows together. docs/new-rows.md has the
figures: none is worth having, so these classifiers have no ``partial_fit``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from atfnb._errors import counted
from atfnb._files import write_whole
from atfnb._pieces import CodedRows
from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import ATFNB, FusionNB, fuse, joint_lines
from atfnb.counts import count, log_likelihood, log_prior
from atfnb.evaluation import log_loss, over_classes
from atfnb.indexes import find_redundancy, find_relevance, mean_redundancy, normalized
from atfnb.model import AdditiveModel
from atfnb.switching import reach, sweep
from atfnb_study import datasets
from atfnb_study.text_table import TextTable

SETS = (
    *("bank", "car", "nursery", "mammographic", "titanic", "page-blocks", "wilt", "abalone", "tic-tac-toe", "splice"),
    *("wall-following", "waveform", "pima", "banknote"),
)
MOST_ROWS = 6000


@dataclass(frozen=True)
class Thirds:
    """A table, and the rows that a model is trained on, that are added, and that it is tested on."""

    X: Any
    y: Any
    old: IntArray
    new: IntArray
    test: IntArray

    @classmethod
    def of(cls, name: str, split: int, data: str | None, share: float) -> Thirds:
        """Draw the rows of one split of one set, of at most ``MOST_ROWS`` rows."""
        X, y = datasets.load(name, data)
        order = np.random.default_rng(split).permutation(len(y))[:MOST_ROWS]
        old, new, test = np.array_split(order, 3)
        return cls(X, np.asarray(y).astype(str), old, new[: max(int(share * len(new)), 10)], test)

    @property
    def both(self) -> IntArray:
        """The old and the new rows."""
        return np.concatenate([self.old, self.new])

    def fit(self, model: Any, rows: IntArray) -> Any:
        """Fit a model to some rows."""
        return model.fit(self.X.iloc[rows], self.y[rows])

    def score(self, classes: Any, joint: FloatArray) -> tuple[float, float]:
        """Return accuracy and log-loss on the test rows, from joint log-likelihoods of the classes of a model."""
        every = np.unique(self.y)
        truth = np.searchsorted(every, self.y[self.test])
        p = over_classes(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), classes, every)
        return float((p.argmax(axis=1) == truth).mean()), log_loss(p, truth)

    def score_of(self, model: Any) -> tuple[float, float]:
        """Return accuracy and log-loss of a fitted model on the test rows."""
        return self.score(model.classes_, model.predict_joint_log_proba(self.X.iloc[self.test]))

    def coded(self, model: Any, rows: IntArray) -> CodedRows:
        """Return the rows of known classes as a model codes them."""
        rows = rows[np.isin(self.y[rows], model.classes_)]
        y = np.searchsorted(model.classes_, self.y[rows]).astype(np.int32)
        return CodedRows(model.encoder_.encode(self.X.iloc[rows]), y, np.ones(len(rows)))


def compared(rows: Thirds, make: Callable[[], Any], ways: Callable[[Thirds, Any], Iterator[Any]]) -> dict[str, Any]:
    """Return the figures of not updating, of training again, and of each way to update."""
    old = rows.fit(make(), rows.old)
    found = {"not updated": rows.score_of(old), "trained again": rows.score_of(rows.fit(make(), rows.both))}
    test = old.encoder_.encode(rows.X.iloc[rows.test])
    return found | {name: rows.score(old.classes_, model.joint(test)) for name, model in ways(rows, old)}


def of_atfnb(rows: Thirds, old: Any) -> Iterator[tuple[str, AdditiveModel]]:
    """Yield ATFNB with exact counts, relevance and redundancy of all rows, and β by several ways."""
    both, new = rows.coded(old, rows.both), rows.coded(old, rows.new)
    n_values, n_classes = old.encoder_.n_values, len(old.classes_)
    counts = count(both.codes, both.y, both.weight, n_values, n_classes, {"moments"})
    relevance = normalized(find_relevance("information_gain")(counts), "max")
    redundancy = mean_redundancy(find_redundancy("pearson")(counts), "max")
    evidence, prior = log_likelihood(counts, 1.0), log_prior(counts, 1.0)
    lines = joint_lines(relevance, redundancy, evidence, prior, counts)
    found, best = (sweep(reach(part.in_blocks(), lines), float(len(part.y))).found.beta for part in (new, both))
    betas = {"β kept": old.beta_, "β of the new rows": found, "mean of both": (old.beta_ + found) / 2, "β of all": best}
    for name, beta in betas.items():
        yield name, AdditiveModel.weighted(fuse(beta, relevance, redundancy), evidence, prior, counts.offsets)


def of_fusion(rows: Thirds, old: Any) -> Iterator[tuple[str, AdditiveModel]]:
    """Yield FusionNB with its effects kept, and with a Laplace update of them."""
    before, new, model = rows.coded(old, rows.old), rows.coded(old, rows.new), old.model_
    added = count(new.codes, new.y, new.weight, old.encoder_.n_values, len(old.classes_), {"fingerprint"})
    counts = old.counts_ + added
    weights = counts.per_cell(old.gamma_ * (old.index_matrix_ @ old.theta_))[:, None]
    moved = weights * (old._evidence(counts, old.encoder_) - old._evidence(old.counts_, old.encoder_))
    prior = old._log_prior(counts)
    yield "effects kept", AdditiveModel(model.offsets, model.table + moved, prior)
    curvature = cell_sums(model, before, spread_of(probabilities(model.joint(before.codes))))
    for times in (1.0, float(before.codes.shape[1])):
        name = "Laplace" if times == 1 else "Laplace, curvature × columns"
        yield name, laplace(model, new, times * curvature + 1.0, prior, len(before.y))


def probabilities(joint: FloatArray) -> FloatArray:
    """Return the probability of each class: (rows, classes)."""
    return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))


def spread_of(p: FloatArray) -> FloatArray:
    """Return p·(1 − p), the curvature of the log-loss."""
    return p * (1 - p)


def cell_sums(model: AdditiveModel, rows: CodedRows, each: FloatArray) -> FloatArray:
    """Return the sum over the rows with each value of what is given for each row and class: (cells, classes)."""
    sums = np.zeros_like(model.table)
    for j in range(rows.codes.shape[1]):
        np.add.at(sums, rows.codes[:, j] + model.offsets[j], each)
    return sums


def laplace(model: AdditiveModel, new: CodedRows, precision: FloatArray, prior: FloatArray, n_old: int) -> Any:
    """Return the model that fits new rows best, held to the old scores by the diagonal curvature of the old rows."""
    size, picked = model.table.size, (np.arange(len(new.y)), new.y)

    def made(flat: FloatArray) -> AdditiveModel:
        return AdditiveModel(model.offsets, flat[:size].reshape(model.table.shape), flat[size:])

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        at = made(flat)
        joint = at.joint(new.codes)
        away, of_start, p = at.table - model.table, at.log_prior - prior, probabilities(joint)
        value = (logsumexp(joint, axis=1) - joint[picked]).sum() + (precision * away**2).sum() / 2
        p[picked] -= 1
        slope = cell_sums(model, new, p) + precision * away
        held = n_old / 4
        return value + held * (of_start**2).sum() / 2, np.concatenate([slope.ravel(), p.sum(axis=0) + held * of_start])

    start = np.concatenate([model.table.ravel(), prior])
    return made(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x)


def measure(name: str, split: int, data: str | None, share: float) -> list[dict[str, Any]]:
    """Return the figures of ATFNB, and of FusionNB without pairs, on one split of one set."""
    rows = Thirds.of(name, split, data, share)
    return [compared(rows, ATFNB, of_atfnb), compared(rows, lambda: FusionNB(pairs=0), of_fusion)]


def updates(sets: Sequence[str], splits: int, data: str | None, jobs: int, share: float) -> TextTable:
    """Return a table of the mean accuracy and log-loss of every way over the sets."""
    tasks = [(name, split, data, share) for name in sets for split in range(splits)]
    found = joblib.Parallel(jobs)(joblib.delayed(measure)(*task) for task in tasks)
    lines = []
    for position, classifier in enumerate(("ATFNB", "FusionNB")):
        for way in found[0][position]:
            accuracy, loss = np.mean([each[position][way] for each in found], axis=0)
            lines.append((classifier, way, f"{100 * accuracy:.2f}", f"{loss:.4f}"))
    note = f"Means over {counted(len(sets), 'set')} × {counted(splits, 'split')}."
    return TextTable("updates", "rows added to a model", ("", "way", "accuracy, %", "log-loss"), tuple(lines), note)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with the CSV files of the sets that need one")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for updates.md")
    parser.add_argument("--splits", type=int, default=10, help="random splits of each set")
    parser.add_argument("--share", type=float, default=1.0, help="share of a third of the rows that is added")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    chosen = parser.parse_args(arguments)
    table = updates(chosen.set or SETS, chosen.splits, chosen.data, chosen.jobs, chosen.share)
    chosen.out.mkdir(parents=True, exist_ok=True)
    write_whole(chosen.out / "updates.md", table.markdown())
    print(table.markdown())  # noqa: T201


if __name__ == "__main__":
    main()
