"""The scores of a model on a file: in sentences, and as a file of numbers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from atfnb._files import write_whole
from atfnb.cli.words import UsageError, many, named
from atfnb.evaluation import Scores, how_right, missed_in_words, quoted

ENDINGS = (".json", ".csv")


def remarks(found: Scores, trained_on: int) -> Iterator[str]:
    """Yield what to know about the rows before the scores are believed, a sentence each."""
    if found.training_rows:
        yield (
            "These are the rows the model was trained on: on new rows it will do worse. Test it on other rows, or "
            "compare classifiers with atfnb evaluate."
        )
    elif found.training_rows is None:
        yield (
            "The model's file does not say which rows it was trained on: if these are among them, it will do worse on "
            "new rows. Train it again to have that checked."
        )
    if found.unknown_rows:
        names = [str(name) for name in found.classes[~found.known].tolist()]
        yield (
            f"{many(found.unknown_rows, 'row')} of {'a class' if len(names) == 1 else 'classes'} that the model does "
            f"not know, {named(names)}: it is wrong about them."
        )
    absent = [str(name) for name in found.classes[found.measured.rows == 0].tolist()]
    if absent:
        classes, it = ("class", "it") if len(absent) == 1 else ("classes", "them")
        yield f"No row has the {classes} {named(absent)}: nothing is known of how well the model finds {it}."


def verdict(found: Scores, file: str) -> Iterator[str]:
    """Yield how good the model is, beside guessing."""
    yield f"On {file}, {many(found.rows, 'row')}, the model {quoted(how_right(found.measured))}."
    if missed := missed_in_words(found.measured):
        yield quoted(missed)


def check_ending(out: Path) -> None:
    """Refuse a file for the numbers that is neither JSON nor CSV."""
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"the numbers are written as JSON or CSV: name a file that ends in .json or .csv, not {out}.")


def write_scores(out: Path, found: Scores) -> None:
    """Write the scores as JSON or CSV, by the file's ending."""
    document = as_document(found)
    text = (
        json.dumps(document, indent=2, ensure_ascii=False) + "\n" if out.suffix.lower() == ".json" else _csv(document)
    )
    write_whole(out, text)


def as_document(found: Scores) -> dict[str, Any]:
    """Return the scores as plain numbers and texts; None where a figure is not defined."""
    result, lead = found.measured, found.measured.over_guessing
    return {
        "rows": found.rows,
        "training_rows": found.training_rows,
        "unknown_class_rows": found.unknown_rows,
        "accuracy": result.accuracy,
        "balanced_accuracy": result.balanced,
        "log_loss": found.log_loss,
        "roc_auc": found.roc_auc,
        "guessing": {
            "class": result.guess,
            "accuracy": result.guess_accuracy,
            "balanced_accuracy": result.guess_balanced,
            "log_loss": found.guess_log_loss,
        },
        "accuracy_over_guessing": {"mean": lead.mean, "low": lead.low, "high": lead.high, "p_value": lead.p_value},
        "classes": [
            {
                "class": name,
                "rows": int(result.rows[c]),
                "recall": _number(found.recall[c]),
                "precision": _number(found.precision[c]),
                "predicted_as": dict(zip(result.classes, found.confusion[c].tolist(), strict=True)),
            }
            for c, name in enumerate(result.classes)
        ],
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _csv(document: dict[str, Any]) -> str:
    """Return a line for each figure: what it is, of which class, and its value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["figure", "class", "predicted as", "value"])
    for figure, value in document.items():
        if not isinstance(value, (dict, list)):
            writer.writerow([figure, "", "", value])
    for group in ("guessing", "accuracy_over_guessing"):
        for figure, value in document[group].items():
            writer.writerow([f"{group}: {figure}", "", "", value])
    for one in document["classes"]:
        for figure in ("rows", "recall", "precision"):
            writer.writerow([figure, one["class"], "", one[figure]])
        for predicted, rows in one["predicted_as"].items():
            writer.writerow(["confusion", one["class"], predicted, rows])
    return text.getvalue()
