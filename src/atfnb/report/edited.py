"""What the edits of a model changed, as the page shows it: its figures before and after, and the rows that move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atfnb._errors import counted, percent
from atfnb._typing import CodeArray
from atfnb.classifiers import BaseNB, edits_in_words
from atfnb.evaluation import score_codes
from atfnb.report.performance import MODEL, scored
from atfnb.report.sentences import one_line

MOST_ROWS = 50
"""The largest number of rows whose class changes that a page lists."""


@dataclass(frozen=True)
class Edited:
    """The edits of a model in words, and their consequences on the rows of a page, if it has rows."""

    edits: tuple[str, ...]
    """How many there are, and a sentence on each."""
    note: str = ""
    """Which rows these are, and how many of them are predicted as another class."""
    figures: tuple[tuple[str, ...], ...] = ()
    """Accuracy, log-loss and the recall of each class: the name, before, and after."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Rows that are predicted as another class: the number, the actual class, the predicted one before, and after."""


def edited_of(model: BaseNB, codes: CodeArray | None = None, y: Any = None) -> Edited | None:
    """Return what a page shows of the edits of a model, given its coded rows and their classes; None without edits."""
    if model.learned_ is None:
        return None
    said = tuple(edits_in_words(model))
    if codes is None:
        return Edited(said)
    both = [score_codes(each, codes, y) for each in (model.learned_, model)]
    first, now = (each.answers for each in both)
    moved = np.flatnonzero(first.predicted != now.predicted)
    names = [one_line(name) for name in model.class_labels]
    listed = f", of which the first {MOST_ROWS} are listed" if len(moved) > MOST_ROWS else ""
    share = f"{counted(len(moved), 'row')} of {len(now.rows):,} ({percent(len(moved) / len(now.rows))})"
    measured = [each.measured for each in both]
    figures = [
        ("accuracy", *(percent(each.accuracy) for each in measured)),
        ("log-loss", *(f"{each.log_loss:.3f}" for each in measured)),
        *((f"recall of {name}", *(percent(each.recall[c]) for each in measured)) for c, name in enumerate(names)),
    ]
    rows = [
        (f"{now.rows[k] + 1:,}", *(names[c] for c in (now.truth[k], first.predicted[k], now.predicted[k])))
        for k in moved[:MOST_ROWS]
    ]
    change = f"{share} {'is' if len(moved) == 1 else 'are'} predicted as another class than before the edits{listed}."
    return Edited(said, f"{scored({MODEL: both[1]}).note} {change}", tuple(figures), tuple(rows))
