"""How well the classes of a table can be told, and by which classifier."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy import stats
from sklearn.dummy import DummyClassifier

from atfnb._errors import in_command
from atfnb._files import write_whole
from atfnb._processes import Progress
from atfnb.classifiers import NB, BaseNB
from atfnb.evaluation import METRICS, Evaluation, corrected_standard_error, cross_validate
from atfnb.tasks.doubts import doubts_about
from atfnb.tasks.rows import Rows
from atfnb.tasks.train import CLASSIFIERS
from atfnb.tasks.words import named

GUESS = "guessing"
NAMES = {"cfw-beta": "CFW-β"}
LOWER_IS_BETTER = {"log-loss"}
LEVEL = 0.05
"""A difference that chance would make less often than this is one."""


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
    if all(p_better(found, best(found, metric), GUESS, metric) > LEVEL for metric in ("accuracy", "log-loss")):
        return None
    return next(name for name in CLASSIFIERS if shown_name(name) == recommended(found))


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


def best(found: Evaluation, metric: str) -> str:
    """The best classifier by one metric, guessing left out; of equals, that with the lowest log-loss."""
    sign = 1 if metric in LOWER_IS_BETTER else -1
    names = [name for name in found.names if name != GUESS]
    return min(names, key=lambda name: (sign * found.mean(name, metric), found.mean(name, "log-loss")))


def p_better(found: Evaluation, one: str, other: str, metric: str) -> float:
    """The chance of so large a lead of one over the other if there were none: a one-sided corrected t-test."""
    lead = found.scores(one, metric) - found.scores(other, metric)
    if metric in LOWER_IS_BETTER:
        lead = -lead
    error = corrected_standard_error(lead, found.test_share)
    if error == 0:
        return float(lead.mean() <= 0)
    return float(stats.t.sf(lead.mean() / error, df=len(lead) - 1))


def recommended(found: Evaluation) -> str:
    """The lowest log-loss among those whose accuracy is not reliably below the highest."""
    first = best(found, "accuracy")
    equals = [name for name in found.names if name != GUESS and p_better(found, first, name, "accuracy") > LEVEL]
    return min(equals, key=lambda name: found.mean(name, "log-loss"))


def verdict(found: Evaluation) -> Iterator[str]:
    """Which classifier to take, in a few sentences; or that none is better than guessing."""
    if p_better(found, best(found, "accuracy"), GUESS, "accuracy") > LEVEL:
        yield from _no_better_than_guessing(found)
        return
    taken, first = recommended(found), best(found, "accuracy")
    right = {name: f"{found.mean(name, 'accuracy'):.1%}" for name in found.names}
    yield (
        f"Take {taken}: it is right in {right[taken]} of the rows it has not seen; always guessing "
        f"{_most_frequent(found)!r} would be in {right[GUESS]}."
    )
    if taken != first and right[taken] != right[first]:
        yield f"{first} has {right[first]}, a lead that may be chance, and worse probabilities."
    if taken != "NB" and "NB" in found.names and p_better(found, taken, "NB", "accuracy") > LEVEL:
        better = p_better(found, taken, "NB", "log-loss") <= LEVEL
        but = f"; the probabilities of {taken} are better beyond chance" if better else ""
        chance = "the same" if right["NB"] == right[taken] else f"{right['NB']}, a difference that may be chance"
        yield f"Plain naive Bayes has {chance}{but}."


def _no_better_than_guessing(found: Evaluation) -> Iterator[str]:
    first, surest = best(found, "accuracy"), best(found, "log-loss")
    yield (
        f"None is reliably more often right than always guessing {_most_frequent(found)!r}: {first} is right in "
        f"{found.mean(first, 'accuracy'):.1%} of the rows, guessing in {found.mean(GUESS, 'accuracy'):.1%}."
    )
    if p_better(found, surest, GUESS, "log-loss") > LEVEL:
        yield "Nor are any probabilities better: these columns do not tell the classes apart."
    else:
        yield (
            f"Still, the columns tell something: the probabilities of {surest} are better than the classes' "
            f"frequencies (log-loss {found.mean(surest, 'log-loss'):.3f}, not "
            f"{found.mean(GUESS, 'log-loss'):.3f}). If they are what you need, take {surest}."
        )


def _most_frequent(found: Evaluation) -> str:
    once = found.once(GUESS)
    return str(found.classes[np.argmax(np.bincount(once.truth, once.weight))])
