"""How well the classes of a table can be told, and by which classifier."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.dummy import DummyClassifier

from atfnb._errors import in_command
from atfnb._files import write_whole
from atfnb._processes import Progress
from atfnb.classifiers import NB, BaseNB
from atfnb.cli.doubts import doubts_about
from atfnb.cli.rows import Rows
from atfnb.cli.train import CLASSIFIERS
from atfnb.cli.words import named
from atfnb.evaluation import (
    LOWER_IS_BETTER,
    METRICS,
    Evaluation,
    cross_validate,
    difference_in_words,
    how_right,
    main_metric,
    measured,
    missed_in_words,
    percent,
    quoted,
)

GUESS = "guessing"
NAMES = {"cfw-beta": "CFW-β"}


@dataclass(frozen=True)
class Line:
    """One classifier: mean and corrected standard error of each metric."""

    name: str
    mean: dict[str, float]
    error: dict[str, float]


@dataclass(frozen=True)
class Done:
    """What came out, and sentences on what a person should know of it."""

    found: Evaluation
    notes: tuple[str, ...]


def evaluate_rows(
    rows: Rows,
    models: Mapping[str, BaseNB],
    *,
    folds: int,
    repeats: int,
    seed: int,
    progress: Progress | None = None,
) -> Done:
    """Cross-validate classifiers, by their names on the command line, and guessing on the rows of a file.

    A classifier that cannot learn from this table is left out, with a sentence on why; if none can, that is an error.
    """
    rows = _that_count(rows)
    compared = {GUESS: DummyClassifier(strategy="prior"), **{shown_name(name): model for name, model in models.items()}}
    found = cross_validate(
        compared,
        rows.X,
        rows.y,
        folds=folds,
        repeats=repeats,
        random_state=seed,
        sample_weight=rows.weight,
        leave_out_refusals=True,
        progress=progress,
    )
    if found.names == [GUESS]:
        raise next(iter(found.refused.values()))
    left_out = (f"{name} is left out: {in_command(refusal)}" for name, refusal in found.refused.items())
    notes = [
        *left_out,
        *_rare(rows, folds),
        *doubts_about(NB(missing="value").fit(rows.X, rows.y, rows.weight), rows.wanted),
    ]
    if rows.weight is not None:
        notes.append(f"Rows are weighted by {rows.wanted.weight!r}, in training and in the scores.")
    return Done(found, tuple(notes))


def _that_count(rows: Rows) -> Rows:
    """Return the rows whose weight is above zero."""
    if rows.weight is None or (rows.weight > 0).all():
        return rows
    counting = rows.weight > 0
    return replace(rows, X=rows.X.filter(pa.array(counting)), y=rows.y[counting], weight=rows.weight[counting])


def _rare(rows: Rows, folds: int) -> Iterator[str]:
    """A sentence on classes that are not in every fold."""
    classes, counts = np.unique(rows.y, return_counts=True)
    rare = [str(name) for name in classes[counts < folds]]
    if rare:
        yield (
            f"{named(rare)}: fewer rows than folds, so {'it is' if len(rare) == 1 else 'they are'} not in every part; "
            "balanced accuracy, log-loss and macro F1 are rough."
        )


def to_train(found: Evaluation) -> str | None:
    """Return the recommended classifier's name on the command line, or None if none is better than guessing."""
    taken = recommended(found)
    return next((name for name in CLASSIFIERS if shown_name(name) == taken), None)


def shown_name(classifier: str) -> str:
    """The name of a classifier as it is written in prose.

    >>> shown_name("fusion"), shown_name("cfw-beta")
    ('FusionNB', 'CFW-β')
    """
    return NAMES.get(classifier, CLASSIFIERS[classifier].__name__)


def lines(found: Evaluation) -> list[Line]:
    """Every classifier with its numbers, the most accurate first."""
    made = [
        Line(
            name,
            {metric: found.mean(name, metric) for metric in METRICS},
            {metric: found.standard_error(name, metric) for metric in METRICS},
        )
        for name in found.names
    ]
    return sorted(made, key=lambda line: (-line.mean["accuracy"], line.mean["log-loss"]))


def write_lines(path: Path, found: Evaluation) -> None:
    """The numbers as CSV: a line for each classifier."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["classifier", *(f"{metric}{end}" for metric in METRICS for end in ("", " error"))])
    for line in lines(found):
        writer.writerow([line.name, *(part[metric] for metric in METRICS for part in (line.mean, line.error))])
    write_whole(path, text.getvalue())


def best(found: Evaluation, metric: str, among: Sequence[str] | None = None) -> str:
    """Return the best classifier by one metric, guessing left out; of equals, the one with the lowest log-loss."""
    sign = 1 if metric in LOWER_IS_BETTER else -1
    names = [name for name in found.names if name != GUESS] if among is None else among
    return min(names, key=lambda name: (sign * found.mean(name, metric), found.mean(name, "log-loss")))


def better_than_guessing(found: Evaluation, metric: str) -> list[str]:
    """Return the classifiers that are reliably better than guessing by a metric."""
    return [name for name in found.names if name != GUESS and found.compare(name, GUESS, metric).verdict > 0]


def recommended(found: Evaluation) -> str | None:
    """Return the classifier to take, or None if none is reliably better than guessing.

    Of those that are more often right than guessing, and not reliably less often than the best of them, the one with
    the lowest log-loss. If none is more often right, the best of those with better probabilities than the classes'
    frequencies, or else of those with a better balanced accuracy.
    """
    accurate = better_than_guessing(found, "accuracy")
    if accurate:
        first = best(found, "accuracy", accurate)
        equals = [name for name in accurate if found.compare(first, name, "accuracy").verdict <= 0]
        return best(found, "log-loss", equals)
    for metric in ("log-loss", "balanced accuracy"):
        if better := better_than_guessing(found, metric):
            return best(found, metric, better)
    return None


def verdict(found: Evaluation) -> Iterator[str]:
    """Yield which classifier to take, in a few sentences, or that none is better than guessing."""
    taken = recommended(found)
    if taken is None or found.compare(taken, GUESS, "accuracy").verdict <= 0:
        yield from _no_more_often_right(found, taken)
        return
    result = measured(found, taken, GUESS)
    yield f"Take {taken}: cross-validated, it {quoted(how_right(result))}."
    if missed := missed_in_words(result):
        yield quoted(missed)
    first, metric = best(found, "accuracy"), main_metric(result)
    if taken != first and found.mean(taken, "accuracy") != found.mean(first, "accuracy"):
        yield f"The accuracy of {first} is {_against(found, first, taken, 'accuracy')}; its probabilities are worse."
    if taken != "NB" and "NB" in found.names:
        better = found.compare(taken, "NB", "log-loss").verdict > 0
        but = "; its probabilities are better beyond chance" if better else ""
        yield f"The {metric} of {taken} is {_against(found, taken, 'NB', metric)}{but}."


def _against(found: Evaluation, one: str, other: str, metric: str) -> str:
    """Return how a share of one classifier compares with that of another."""
    name, lead = "plain naive Bayes" if other == "NB" else other, found.compare(one, other, metric)
    return quoted(difference_in_words(lead, (f"that of {name}",), found.mean(other, metric)))


def _no_more_often_right(found: Evaluation, taken: str | None) -> Iterator[str]:
    """Yield that none is more often right than guessing, and what is better nevertheless, if anything is."""
    name = best(found, "accuracy")
    first = measured(found, name, GUESS)
    lead = quoted(difference_in_words(first.over_guessing, ("guessing",), first.guess_accuracy))
    yield (
        f"None is reliably more often right than always guessing {first.guess!r}: {name} is right for "
        f"{percent(first.accuracy)} of the rows, {lead}."
    )
    result = first if taken is None else measured(found, taken, GUESS)
    if result.uneven:
        yield f"Cross-validated, {taken or name} {quoted(how_right(result))}."
    if missed := missed_in_words(result):
        yield quoted(missed)
    if taken is None:
        yield (
            "Nor are any probabilities reliably better: nothing shows that these columns tell the classes apart, and "
            "nothing is recommended."
        )
    elif found.compare(taken, GUESS, "log-loss").verdict > 0:
        yield (
            f"Still, the columns tell something: the probabilities of {taken} are better than the classes' "
            f"frequencies (log-loss {found.mean(taken, 'log-loss'):.3f}, not {found.mean(GUESS, 'log-loss'):.3f}). "
            f"If they are what you need, take {taken}."
        )
    else:
        balanced = difference_in_words(result.balanced_over_guessing, ("guessing",), result.guess_balanced)
        yield (
            f"Still, the columns tell something: the balanced accuracy of {taken} is {percent(result.balanced)}, "
            f"{quoted(balanced)}. If all classes matter the same, take {taken}."
        )
