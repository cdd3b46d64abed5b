"""The verb ``test``: a trained model scored on rows whose classes are known."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atfnb._errors import counted, listed_names
from atfnb.cli.options import (
    DataFiles,
    ModelFile,
    ModelTarget,
    NewFileOptions,
    QuietSummary,
    check_output,
    with_options,
)
from atfnb.cli.terminal import UsageError, echo, fits, one_sentence, say, standard_error, warnings_noted

if TYPE_CHECKING:
    from rich.table import Table

    from atfnb.evaluation import Scores

ENDINGS = (".json", ".csv")
RECALL_AND_PRECISION = (
    "recall: share of the rows of a class that are predicted correctly; precision: share of the rows predicted as a "
    "class that belong to it"
)
MOST_CLASSES = 30
"""How many classes the table of recall and precision shows at most."""
MOST_ERRORS = 10
"""How many kinds of errors are shown of a confusion matrix that is too wide."""


@with_options
def score_model(
    *,
    model: ModelFile,
    data: DataFiles,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Also write the scores to this file: JSON or CSV, by its ending.",
            show_default=False,
        ),
    ] = None,
    target: ModelTarget = None,
    file: NewFileOptions,
    quiet: QuietSummary = False,
) -> None:
    """Score a trained model on rows whose actual classes are known.

    Use it with rows that the model was not trained on, to see how good it is on new ones. It shows accuracy, balanced
    accuracy, log-loss and ROC AUC, compared with always guessing the most frequent class; recall and precision of each
    class; and the confusion matrix.

    Example: [bold]atfnb test model.json test.csv[/]
    """
    with one_sentence():
        from atfnb.cli.rows import rows_for
        from atfnb.evaluation import score_on
        from atfnb.model_file import load

        if out is not None:
            _check_ending(out)
            check_output(out, *data, str(model))
        loaded = load(model)
        rows = rows_for(loaded, data, target, file.dialect())
        notes = list[str]()
        with warnings_noted(notes):
            found = score_on(loaded, rows.X, rows.y)
        say(standard_error(quiet), [str(rows.format), *rows.notes, *notes])
        if not quiet:
            print_scores(found)
        if not (quiet and out is not None):
            echo([*remarks(found), *conclusion(found, rows.format.name)])
        if out is not None:
            write_scores(out, found)


# --- In words --------------------------------------------------------------------------------------


def remarks(found: Scores) -> Iterator[str]:
    """Generate what to know about the rows before the scores are believed, a sentence each."""
    from atfnb.evaluation import unknown_in_words

    if found.training_rows:
        yield (
            "These are the rows that the model was trained on, and it will do worse on new rows: test it on other "
            "rows, or use atfnb evaluate."
        )
    elif found.training_rows is None:
        yield (
            "The model file does not say which rows the model was trained on: if these are among them, it will do "
            "worse on new rows. Train it again to have that checked."
        )
    if found.unknown:
        yield unknown_in_words(found.unknown)
    absent = [name for name, rows in zip(found.measured.classes, found.measured.rows, strict=True) if not rows]
    if absent:
        classes, them = ("class", "it") if len(absent) == 1 else ("classes", "them")
        yield f"No row has the {classes} {listed_names(absent)}: how well the model predicts {them} is not known."


def conclusion(found: Scores, file: str) -> Iterator[str]:
    """Generate how good the model is, compared with guessing, in a few sentences."""
    from atfnb.evaluation import doubtful_probabilities, how_many_found, how_right, quoted

    yield f"On {file}, {counted(found.rows, 'row')}, the model {quoted(how_right(found.measured))}."
    yield from filter(None, (quoted(how_many_found(found.measured)), doubtful_probabilities(found.measured)))


# --- On the terminal -------------------------------------------------------------------------------


def print_scores(found: Scores) -> None:
    """Print the scores, those of each class and, where the terminal has room for it, the confusion matrix."""
    from atfnb.console import Screen

    console, confusion = Screen(), _confusion_table(found)
    console.print(_scores_table(found))
    console.print(_classes_table(found))
    say(console, [RECALL_AND_PRECISION])
    if fits(console, confusion):
        console.print(confusion)
    elif found.measured.found.sum() == found.rows:
        say(console, ["No row is predicted wrongly."])
    else:
        console.print(_errors_table(found))
        say(console, ["-o FILE writes the whole confusion matrix"])


def _scores_table(found: Scores) -> Table:
    """Return a table of the scores of the model and of guessing."""
    from rich.table import Table

    from atfnb.evaluation import percent

    result = found.measured
    table = Table(title=f"{counted(found.rows, 'row')}, {counted(int((result.rows > 0).sum()), 'class')}")
    table.add_column("score")
    table.add_column("model", justify="right", no_wrap=True)
    table.add_column("guessing", justify="right", no_wrap=True)
    table.add_row("accuracy ↑", percent(result.accuracy), percent(result.guess_accuracy))
    table.add_row("balanced accuracy ↑", percent(result.balanced), percent(result.guess_balanced))
    table.add_row("log-loss ↓", f"{found.log_loss:.3f}", f"{found.guess_log_loss:.3f}")
    area = ("–", "–") if found.roc_auc is None else (f"{found.roc_auc:.3f}", "0.500")
    table.add_row("ROC AUC ↑", *area)
    return table


def _classes_table(found: Scores) -> Table:
    """Return a table of recall and precision of each class, the most frequent class first."""
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    from atfnb.evaluation import percent

    order = np.argsort(-found.measured.rows, kind="stable")
    left_out = len(order) - MOST_CLASSES
    more = f"{left_out} rarer classes are left out; -o FILE writes them" if left_out > 0 else None
    table = Table(title="recall and precision by class", caption=more)
    table.add_column("class", overflow="fold")
    for heading in ("rows", "recall", "precision"):
        table.add_column(heading, justify="right", no_wrap=True)
    for c in order[:MOST_CLASSES]:
        shares = ("–" if math.isnan(share) else percent(share) for share in (found.recall[c], found.precision[c]))
        table.add_row(Text(found.measured.classes[c]), f"{found.measured.rows[c]:,}", *shares)
    return table


def _confusion_table(found: Scores) -> Table:
    """Return the confusion matrix: the number of rows by actual and by predicted class."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="confusion matrix")
    table.add_column("actual ↓ predicted →")
    for name in found.measured.classes:
        table.add_column(Text(name), justify="right", no_wrap=True)
    for name, rows in zip(found.measured.classes, found.confusion.tolist(), strict=True):
        table.add_row(Text(name), *(f"{count:,}" if count else "·" for count in rows))
    return table


def _errors_table(found: Scores) -> Table:
    """Return a table of the most frequent errors, in place of a confusion matrix that is too wide."""
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    wrong = found.confusion * (1 - np.eye(len(found.confusion), dtype=np.int64))
    table = Table(title="most frequent errors")
    table.add_column("actual", overflow="fold")
    table.add_column("predicted", overflow="fold")
    table.add_column("rows", justify="right", no_wrap=True)
    for position in np.argsort(-wrong, axis=None, kind="stable")[:MOST_ERRORS]:
        i, j = divmod(int(position), len(wrong))
        if wrong[i, j]:
            table.add_row(Text(found.measured.classes[i]), Text(found.measured.classes[j]), f"{wrong[i, j]:,}")
    return table


# --- As a file -------------------------------------------------------------------------------------


def _check_ending(out: Path) -> None:
    """Raise an error if the file for the scores ends neither in .json nor in .csv."""
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"scores are written as JSON or CSV: name a file that ends in .json or .csv, not {out}.")


def write_scores(out: Path, found: Scores) -> None:
    """Write the scores as JSON or CSV, by the ending of the file."""
    from atfnb._files import write_whole

    document = as_document(found)
    if out.suffix.lower() == ".json":
        write_whole(out, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        write_whole(out, _as_csv(document))


def as_document(found: Scores) -> dict[str, Any]:
    """Return the scores as plain numbers and texts; None where a score is not defined."""
    result, lead = found.measured, found.measured.over_guessing
    return {
        "rows": found.rows,
        "training_rows": found.training_rows,
        "unknown_class_rows": sum(found.unknown.values()),
        "unknown_classes": found.unknown,
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
    return None if math.isnan(value) else float(value)


def _as_csv(document: dict[str, Any]) -> str:
    """Return a CSV file with a line for each score: what it is, of which class, and its value."""
    from atfnb._files import csv_text

    lines: list[list[Any]] = [["figure", "class", "predicted as", "value"]]
    for score, value in document.items():
        if not isinstance(value, (dict, list)):
            lines.append([score, "", "", value])
    for group in ("guessing", "accuracy_over_guessing", "unknown_classes"):
        lines += [[f"{group}: {score}", "", "", value] for score, value in document[group].items()]
    for one in document["classes"]:
        lines += [[score, one["class"], "", one[score]] for score in ("rows", "recall", "precision")]
        lines += [["confusion", one["class"], predicted, rows] for predicted, rows in one["predicted_as"].items()]
    return csv_text(lines)
