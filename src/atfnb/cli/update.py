"""The verb ``update``: a model learns from new rows, in addition to those that it was trained on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atfnb._errors import counted, listed_names, percent
from atfnb._streams import legible
from atfnb.cli.options import Quiet, WeightedTable, check_output, option, with_options
from atfnb.cli.terminal import found_in, loaded, say, standard_error, warnings_noted

if TYPE_CHECKING:
    from atfnb._typing import FloatArray
    from atfnb.classifiers import BaseNB
    from atfnb.training import TableInMemory

MOST_WEIGHTS = 5
"""How many columns are named as those whose weights changed most."""
PRINTED = 0.0005
"""A change of a weight from here on is printed as 0.001 or more."""
MOST_COLUMNS = 5
"""How many columns are named that have new values."""


@with_options
def update(
    *,
    out: Path = option("Model file to write; it may be MODEL itself.", MISSING, "-o"),
    table: WeightedTable,
    quiet: Quiet = False,
) -> None:
    """Add new rows to a trained model, without the rows that it was trained on.

    Use it when new rows with known classes arrive, for example every month. The result is what training on all rows
    with the cuts of the first training would give; new values and new classes are taken in. It works for the
    classifiers whose weights follow from counts: nb, wnb, klnb, cfw and dfw. The others are trained again on old and
    new rows together.

    A file whose rows were counted before is refused.

    Example: [bold]atfnb update model.json march.csv -o model.json[/]
    """
    from atfnb._files import changing
    from atfnb.cli.rows import rows_for
    from atfnb.model_file import save
    from atfnb.tables import table_paths

    check_output(out, *table.data)
    notes: list[str] = []
    read: list[TableInMemory] = []
    console = standard_error(quiet)
    with changing(table.model), warnings_noted(notes):
        model: Any = loaded(table.model, console)
        if not hasattr(model, "partial_fit"):
            name, column = model.declaration, table.target or model.training_.get("target") or "COLUMN"
            raise ValueError(
                f"{name.name} learns from all rows at once, so new ones cannot be added to its model: train again on "
                "old and new rows together, for example with atfnb train 'months/*.csv' "
                f"--target {column} --classifier {name.command}."
            )
        before, paths = copy(model), [each.path for each in table_paths(table.data)]
        for path in paths:  # one by one, so that each is recognised if it is given again
            read.append(rows_for(before, table, path))
            model.partial_fit(read[-1].X, read[-1].y, sample_weight=read[-1].sample_weight)
        refuse_counted(model, read)
        save(model, out)
    trained = {os.path.abspath(path) for path in before.training_.get("files") or ()}
    again = [path for path in paths if os.path.abspath(legible(path)) in trained]
    twice = "is one of the files that the model was trained on: the same rows would count twice."
    about = [*dict.fromkeys(found_in(*read)), *(f"{path} {twice}" for path in again)]
    say(console, [*about, *notes, *changes(before, model, read), f"Model saved to {out}."])


def refuse_counted(model: BaseNB, read: Sequence[TableInMemory]) -> None:
    """Raise an error if rows that a model learned last are those of the first training, or of an earlier update.

    The fingerprints of several files add up to that of a training on all of them. A few rows may be alike by chance.
    """
    from atfnb.tables import ENOUGH_ROWS

    counted = [int(digits, 16) for digits in model.training_["counted"]]
    earlier, new = counted[: -len(read)], counted[-len(read) :]
    again = {rows.record.source for rows, mark in zip(read, new, strict=True) if mark in earlier or new.count(mark) > 1}
    again |= {rows.record.source for rows in read if sum(new) % 2**64 in earlier}
    if again and sum(len(rows.y) for rows in read) >= ENOUGH_ROWS:
        raise ValueError(
            f"the rows of {listed_names(sorted(again))} were counted before, in the training or in an update, and "
            "would count twice: give new rows only."
        )


# --- What changed ------------------------------------------------------------------------------------


def changes(before: BaseNB, after: BaseNB, read: Sequence[TableInMemory]) -> Iterator[str]:
    """Generate sentences on how good a model was on new rows, and what changed: rows, classes, values and weights."""
    import numpy as np

    right = float(np.concatenate([before.predict(rows.X) == rows.y for rows in read]).mean())
    yield f"Before it learned from them, the model was right for {percent(right)} of the new rows."
    yield (
        f"{counted(after.n_rows_ - before.n_rows_, 'row')} added to the {before.n_rows_:,} that the "
        f"{after.declaration.name} had learned from: {after.n_rows_:,} now."
    )
    known, labels = set(before.classes_.tolist()), zip(after.classes_.tolist(), after.class_labels, strict=True)
    if new := [label for name, label in labels if name not in known]:
        yield f"New {'class' if len(new) == 1 else 'classes'}: {listed_names(new)}."
    yield from _new_values(before, after)
    yield _weights(before, after, np.abs(after.weights_ - before.weights_))


def _new_values(before: BaseNB, after: BaseNB) -> Iterator[str]:
    """Generate sentences on the columns with categories, or with missing values, that no row had before."""
    both = [*zip(before.encoder_.attributes, after.encoder_.attributes, strict=True)]
    found: list[str] = []
    for then, now in both:
        if now.n_known > then.n_known:
            known = set(then.labels[: then.n_known])
            labels = [label for label in now.labels[: now.n_known] if label not in known]
            found.append(f"{listed_names(labels, 3)} in {now.name!r}")
    if found:
        more = f"; and in {counted(len(found) - MOST_COLUMNS, 'more column')}" if len(found) > MOST_COLUMNS else ""
        yield f"New values: {'; '.join(found[:MOST_COLUMNS])}{more}."
    if missing := [now.name for then, now in both if now.n_values - now.n_known > then.n_values - then.n_known]:
        yield f"Missing for the first time, and a value of its own from now on: {listed_names(missing)}."


def _weights(before: BaseNB, after: BaseNB, moved: FloatArray) -> str:
    """Return a sentence on the weights that changed most, by how much each has changed: (attributes,)."""
    if moved.max() < PRINTED:
        return "No weight changes by 0.001 or more." if moved.any() else "All columns keep their weights."
    names = [attribute.name for attribute in after.encoder_.attributes]
    order = [j for j in (-moved).argsort(kind="stable")[:MOST_WEIGHTS] if moved[j] >= PRINTED]
    told = ", ".join(f"{names[j]!r} ({before.weights_[j]:.3f} → {after.weights_[j]:.3f})" for j in order)
    return f"Largest changes of weights: {told}."
