"""Measure what each part of FusionNB contributes: ``python -m benchmarks.ablation --data folder``.

``--missing`` compares the ways to treat missing values, on the sets that have some; with ``--delete 0.3``, on all sets,
with three tenths of the cells deleted at random.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from atfnb._errors import counted
from atfnb._files import write_whole
from atfnb._typing import FloatArray
from atfnb.classifiers import NB, FusionNB
from atfnb.evaluation import brier, log_loss, over_classes
from atfnb.paper import TextTable, datasets, draw_split

VARIANTS: dict[str, Callable[[], Any]] = {
    "naive Bayes": NB,
    "three indexes: uniform, information gain, less Pearson": partial(
        FusionNB, refine=None, relevance="information_gain"
    ),
    "six indexes": partial(FusionNB, refine=None),
    "six indexes, by accuracy in place of likelihood": partial(FusionNB, refine=None, criterion="accuracy"),
    "six indexes and a correction per attribute": partial(FusionNB, refine="attribute"),
    "effects of values: the default": FusionNB,
    "the default with 15 cuts in place of 31": partial(FusionNB, max_cuts=15),
    "the default with 63 cuts": partial(FusionNB, max_cuts=63),
    "the default with the ridge fixed at 1": partial(FusionNB, shrinkage=1.0),
}

MISSING: dict[str, Callable[[], Any]] = {
    'missing="value": the default': FusionNB,
    'missing="skip"': partial(FusionNB, missing="skip"),
    'missing="impute"': partial(FusionNB, missing="impute"),
}


def measure(make: Callable[[], Any], name: str, split: int, data: str | None, delete: float = 0.0) -> FloatArray:
    """Return accuracy, log-loss and Brier score on one split of one set, with a share of its cells deleted: (3,)."""
    X, y = datasets.load(name, data)
    if delete:
        X = X.mask(np.random.default_rng(len(y)).random(X.shape) < delete)
    labels, rows = np.asarray(y), draw_split(len(y), split)
    classes, class_codes = np.unique(labels, return_inverse=True)
    model = make().fit(X.iloc[rows.train], labels[rows.train])
    test = X.iloc[rows.test]
    p = over_classes(model.predict_proba(test), model.classes_, classes)
    right = np.mean(model.predict(test) == labels[rows.test])
    return np.array([right, log_loss(p, class_codes[rows.test]), brier(p, class_codes[rows.test])])


def ablation(
    sets: Sequence[str],
    splits: int,
    data: str | None,
    jobs: int,
    variants: dict[str, Callable[[], Any]] = VARIANTS,
    delete: float = 0.0,
) -> TextTable:
    """Return a table of the mean accuracy, log-loss and Brier score of every variant over the sets."""
    tasks = [(name, split) for name in sets for split in range(splits)]
    rows = []
    for what, make in variants.items():
        figures = joblib.Parallel(jobs)(joblib.delayed(measure)(make, *task, data, delete) for task in tasks)
        rows.append((what, *(f"{figure:.4f}" for figure in np.mean(figures, axis=0))))
    note = f"Means over {counted(len(sets), 'set')} × {counted(splits, 'split')}."
    return TextTable("ablation", "what each part contributes", ("", "accuracy", "log-loss", "Brier"), tuple(rows), note)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with the CSV files of the sets that need one")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for ablation.md")
    parser.add_argument("--splits", type=int, default=3, help="random splits of each set")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    parser.add_argument("--missing", action="store_true", help="compare the ways to treat missing values")
    parser.add_argument("--delete", type=float, default=0.0, help="delete this share of the cells at random")
    chosen = parser.parse_args(arguments)
    sets = [name for name in datasets.catalogue() if datasets.where(name, chosen.data) != "not available"]
    if chosen.missing and not chosen.delete:
        sets = [name for name in sets if datasets.catalogue()[name].missing_cells]
    variants = MISSING if chosen.missing else VARIANTS
    table = ablation(chosen.set or sets, chosen.splits, chosen.data, chosen.jobs, variants, chosen.delete)
    chosen.out.mkdir(parents=True, exist_ok=True)
    write_whole(chosen.out / "ablation.md", table.markdown())
    print(table.markdown())  # noqa: T201


if __name__ == "__main__":
    main()
