"""Measure what each part of FusionNB contributes: ``python -m benchmarks.ablation --data folder``.

``--pairs`` compares other ways to choose pairs of attributes. ``--missing`` compares the ways to treat missing values,
on the sets that have some; with ``--delete 0.3``, on all sets, with three tenths of the cells deleted at random.
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
from atfnb.fusion import choosing, pairs
from atfnb_study import datasets
from atfnb_study.protocol import draw_split
from atfnb_study.text_table import TextTable

VARIANTS: dict[str, Callable[[], Any]] = {
    "naive Bayes": NB,
    "three indexes: uniform, information gain, less Pearson": partial(
        FusionNB, refine=None, relevance="information_gain"
    ),
    "six indexes": partial(FusionNB, refine=None),
    "six indexes, by accuracy in place of likelihood": partial(FusionNB, refine=None, criterion="accuracy"),
    "six indexes and a correction per attribute": partial(FusionNB, refine="attribute"),
    "effects of values": partial(FusionNB, pairs=0),
    "effects of values and of pairs: the default": FusionNB,
    "the default with 15 cuts in place of 31": partial(FusionNB, max_cuts=15),
    "the default with 63 cuts": partial(FusionNB, max_cuts=63),
    "the default with a shrinkage of 1": partial(FusionNB, shrinkage=1.0),
}

USUAL = {"STANDARD_ERRORS": choosing.STANDARD_ERRORS, "MULTIPLES": choosing.MULTIPLES}
"""The constants of the choice of pairs that ``--pairs`` changes."""
USUAL_GRIDS = {"MOST_GROUPS": pairs.MOST_GROUPS, "FLAT": pairs.FLAT}
"""The constants of the grids of pairs that ``--pairs`` changes."""


def with_constants(**changed: Any) -> FusionNB:
    """Return FusionNB with other constants of the choice of pairs, in this process and until the next call."""
    for name, usual in USUAL.items():
        setattr(choosing, name, changed.get(name, usual))
    for name, usual in USUAL_GRIDS.items():
        setattr(pairs, name, changed.get(name, usual))
    return FusionNB()


PAIRS: dict[str, Callable[[], Any]] = {
    "no pairs": partial(FusionNB, pairs=0),
    "pairs where they help by 2.5 standard errors: the default": with_constants,
    "by one standard error": partial(with_constants, STANDARD_ERRORS=1.0),
    "wherever they help at all": partial(with_constants, STANDARD_ERRORS=0.0),
    "always": partial(with_constants, STANDARD_ERRORS=-1e9),
    "at most as many pairs as attributes": partial(with_constants, MULTIPLES=(0.5, 1.0)),
    "8 groups in place of 12": partial(with_constants, MOST_GROUPS=8),
    "15 groups": partial(with_constants, MOST_GROUPS=15),
    "smooth grids held to zero as strongly as categories": partial(with_constants, FLAT=1.0),
    "smooth grids not held to zero": partial(with_constants, FLAT=0.01),
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
        of_sets = np.array(figures).reshape(len(sets), splits, 3).mean(axis=1)
        halves = (of_sets[::2, :2].mean(axis=0), of_sets[1::2, :2].mean(axis=0)) if len(sets) > 1 else ()
        rows.append((what, *(f"{figure:.4f}" for figure in (*of_sets.mean(axis=0), *np.ravel(halves)))))
    note = f"Means over {counted(len(sets), 'set')} × {counted(splits, 'split')}"
    header: tuple[str, ...] = ("", "accuracy", "log-loss", "Brier")
    if len(sets) > 1:
        header += tuple(f"{figure}, {half} half" for half in ("first", "second") for figure in header[1:3])
        note += "; the first half are the sets at odd positions of the list, the second half the others"
    return TextTable("ablation", "what each part contributes", header, tuple(rows), f"{note}.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with the CSV files of the sets that need one")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for ablation.md")
    parser.add_argument("--splits", type=int, default=3, help="random splits of each set")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    parser.add_argument("--pairs", action="store_true", help="compare other ways to choose pairs of attributes")
    parser.add_argument("--missing", action="store_true", help="compare the ways to treat missing values")
    parser.add_argument("--delete", type=float, default=0.0, help="delete this share of the cells at random")
    chosen = parser.parse_args(arguments)
    sets = [name for name in datasets.catalogue() if datasets.where(name, chosen.data) != "not available"]
    if chosen.missing and not chosen.delete:
        sets = [name for name in sets if datasets.catalogue()[name].missing_cells]
    variants = MISSING if chosen.missing else PAIRS if chosen.pairs else VARIANTS
    table = ablation(chosen.set or sets, chosen.splits, chosen.data, chosen.jobs, variants, chosen.delete)
    chosen.out.mkdir(parents=True, exist_ok=True)
    write_whole(chosen.out / "ablation.md", table.markdown())
    print(table.markdown())  # noqa: T201


if __name__ == "__main__":
    main()
