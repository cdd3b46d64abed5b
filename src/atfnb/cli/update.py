"""The verb ``update``: a model learns from new rows, in addition to those that it was trained on."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atfnb._errors import counted, listed_names
from atfnb.cli.options import (
    DataFile,
    ModelFile,
    ModelTarget,
    NewFileOptions,
    Quiet,
    RowWeight,
    check_output,
    with_options,
)
from atfnb.cli.terminal import one_sentence, say, standard_error, warnings_noted

if TYPE_CHECKING:
    from atfnb.classifiers import BaseNB
    from atfnb.cli.rows import LabelledTable

MOST_WEIGHTS = 5
"""How many columns are named as those whose weights changed most."""
MOST_COLUMNS = 5
"""How many columns are named that have new values."""
EACH_COUNTS_ONE = (
    "The model was trained on weighted rows, and each new row counts as 1: name the column with their weights with "
    "--weight."
)


@with_options
def update(
    *,
    model: ModelFile,
    data: DataFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Model file to write; it may be MODEL itself.")
    ],
    target: ModelTarget = None,
    weight: RowWeight = None,
    file: NewFileOptions,
    quiet: Quiet = False,
) -> None:
    """Add new rows to a trained model, without the rows that it was trained on.

    Use it when new rows with known classes arrive, for example every month. The result is what training on all rows
    with the cuts of the first training would give; new values and new classes are taken in. It works for the
    classifiers whose weights follow from counts: nb, wnb, klnb, cfw and dfw. The others are trained again on old and
    new rows together.

    Example: [bold]atfnb update model.json march.csv -o model.json[/]
    """
    with one_sentence():
        from atfnb._files import changing
        from atfnb.cli.rows import rows_for
        from atfnb.model_file import load, save

        check_output(out, data)
        console, notes = standard_error(quiet), list[str]()
        with changing(model), warnings_noted(notes):
            loaded: Any = load(model)
            check_updatable(loaded, target)
            rows = rows_for(loaded, data, target, file.dialect(), weight=weight, on_weights=EACH_COUNTS_ONE)
            before = copy(loaded)
            loaded.partial_fit(rows.X, rows.y, sample_weight=rows.weight)
            save(loaded, out)
        notes = [str(rows.format), *rows.notes, *notes, before_learning(before, rows), *changes(before, loaded)]
        say(console, [*notes, f"Model saved to {out}."])


def check_updatable(model: BaseNB, target: str | None) -> None:
    """Raise an error if a model cannot learn from new rows alone."""
    if hasattr(model, "partial_fit"):
        return
    name, column = model.declaration, target or model.training_.get("target") or "COLUMN"
    raise ValueError(
        f"{name.name} learns from all rows at once, so new ones cannot be added to its model: train again on old and "
        f"new rows together, for example with atfnb train 'months/*.csv' --target {column} --classifier {name.command}."
    )


def before_learning(model: BaseNB, rows: LabelledTable) -> str:
    """Return a sentence on how well the model predicted the new rows before it learned from them."""
    from atfnb.evaluation import percent

    right = float((model.predict(rows.X) == rows.y).mean())
    return f"Before it learned from them, the model was right for {percent(right)} of the new rows."


# --- What changed ------------------------------------------------------------------------------------


def changes(before: BaseNB, after: BaseNB) -> Iterator[str]:
    """Generate sentences on what an update changed: rows, classes, values and weights."""
    added = after.n_rows_ - before.n_rows_
    yield (
        f"{counted(added, 'row')} added to the {before.n_rows_:,} that the {after.declaration.name} had learned from: "
        f"{after.n_rows_:,} now."
    )
    yield from _new_classes(before, after)
    yield from _new_values(before, after)
    yield _weights(before, after)


def _new_classes(before: BaseNB, after: BaseNB) -> Iterator[str]:
    known, after_all = set(before.classes_.tolist()), zip(after.classes_.tolist(), after.class_labels, strict=True)
    new = [label for name, label in after_all if name not in known]
    if new:
        yield f"New {'class' if len(new) == 1 else 'classes'}: {listed_names(new)}."


def _new_values(before: BaseNB, after: BaseNB) -> Iterator[str]:
    """Generate sentences on the columns with categories, or with missing values, that no row had before."""
    found = list[str]()
    missing = list[str]()
    for old, new in zip(before.encoder_.attributes, after.encoder_.attributes, strict=True):
        if new.n_known > old.n_known:
            labels = [label for label in new.labels[: new.n_known] if label not in set(old.labels[: old.n_known])]
            found.append(f"{listed_names(labels, 3)} in {new.name!r}")
        if new.n_values - new.n_known > old.n_values - old.n_known:
            missing.append(new.name)
    if found:
        more = f"; and in {counted(len(found) - MOST_COLUMNS, 'more column')}" if len(found) > MOST_COLUMNS else ""
        yield f"New values: {'; '.join(found[:MOST_COLUMNS])}{more}."
    if missing:
        yield f"Missing for the first time, and a value of its own from now on: {listed_names(missing)}."


def _weights(before: BaseNB, after: BaseNB) -> str:
    """Return a sentence on the weights that changed most."""
    import numpy as np

    moved = np.abs(after.weights_ - before.weights_)
    if not moved.any():
        return "All columns keep their weights."
    names = [attribute.name for attribute in after.encoder_.attributes]
    order = [j for j in np.argsort(-moved, kind="stable")[:MOST_WEIGHTS] if moved[j] > 0]
    told = ", ".join(f"{names[j]!r} ({before.weights_[j]:.3f} → {after.weights_[j]:.3f})" for j in order)
    return f"Largest changes of weights: {told}."
