"""What a comparison of classifiers shows: a table of their scores, the one to train, and why, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from atfnb._errors import percent
from atfnb.cli.terminal import fits, table_of
from atfnb.evaluation import (
    GUESSING,
    LOWER_IS_BETTER,
    METRICS,
    PEERS,
    Evaluation,
    difference_in_words,
    doubtful_probabilities,
    how_far_off,
    how_many_found,
    how_right,
    main_metric,
    measured,
    quoted,
)

PLAIN = "NB"
"""The name of plain naive Bayes, which the recommended classifier is compared with."""
HEADINGS = {"balanced accuracy": "balanced\naccuracy"}
"""Headings on two lines, so that the table fits a terminal of 80 columns."""
_KINDS = {
    "rows": "{}-fold cross-validation",
    "groups": "{}-fold cross-validation of whole groups",
    "time": "trained on earlier rows, {} times",
}
"""What was done, by what the folds are made of."""
LAYOUTS: tuple[tuple[Sequence[str], str], ...] = (
    (tuple(METRICS), " "),
    (tuple(METRICS), "\n"),
    (("accuracy", "balanced accuracy", "log-loss"), "\n"),
    (("accuracy", "log-loss"), "\n"),
    (("accuracy",), "\n"),
)
"""The metrics of a table and what stands between a mean and its error, from the widest layout to the narrowest."""


# --- The table -------------------------------------------------------------------------------------


def print_comparison(found: Evaluation, console: Console) -> None:
    """Print a table of the classifiers, in the widest layout that the terminal has room for; nothing is cut off."""
    tables = [_table(found, metrics, between) for metrics, between in LAYOUTS]
    console.print(next((table for table in tables if fits(console, table)), tables[-1]), crop=False)


def _table(found: Evaluation, metrics: Sequence[str], between: str) -> Table:
    """Return a table of mean ± corrected standard error, the best of each metric in bold."""
    times = f", {repeats(found)} times" if repeats(found) > 1 else ""
    left_out = [metric for metric in METRICS if metric not in metrics]
    more = f"; -o FILE also writes {' and '.join(left_out)}" if left_out else ""
    leaders = {metric: best(found, metric) for metric in metrics}

    def cell(name: str, metric: str) -> Text:
        figures = f"{found.mean(name, metric):.3f}{between}± {found.standard_error(name, metric):.3f}"
        return Text(figures, "bold" if leaders[metric] == name else "")

    names = [Text(name, "dim" if name == GUESSING else "") for name in by_accuracy(found)]
    arrows = {metric: "↓" if metric in LOWER_IS_BETTER else "↑" for metric in metrics}
    table = table_of(
        f"{found.rows:,} rows, {len(found.classes)} classes; {_KINDS[found.folding].format(found.folds)}{times}",
        ("classifier", *(f"{HEADINGS.get(metric, metric)} {arrow}" for metric, arrow in arrows.items())),
        [(name, *(cell(name.plain, metric) for metric in metrics)) for name in names],
        caption=f"mean ± corrected standard error; ↑ higher is better, ↓ lower is better{more}",
    )
    table.show_lines = between == "\n"
    return table


def repeats(found: Evaluation) -> int:
    """Return how many times the cross-validation was repeated."""
    return len(found.splits[GUESSING]) // found.folds


def by_accuracy(found: Evaluation) -> list[str]:
    """Return the names of the classifiers, the most accurate first, and of equals the one with the lowest log-loss."""
    return sorted(found.names, key=lambda name: (-found.mean(name, "accuracy"), found.mean(name, "log-loss")))


# --- The recommendation ----------------------------------------------------------------------------


def best(found: Evaluation, metric: str, among: Sequence[str] | None = None) -> str:
    """Return the best classifier by one metric, guessing left out; of equals, the one with the lowest log-loss."""
    sign = 1 if metric in LOWER_IS_BETTER else -1
    names = [name for name in found.names if name != GUESSING] if among is None else among
    return min(names, key=lambda name: (sign * found.mean(name, metric), found.mean(name, "log-loss")))


def ours(found: Evaluation) -> list[str]:
    """Return the classifiers that atfnb can train."""
    return [name for name in found.names if name != GUESSING and name not in PEERS]


def better_than_guessing(found: Evaluation, metric: str) -> list[str]:
    """Return the classifiers of ours that are reliably better than guessing by a metric."""
    return [name for name in ours(found) if found.compare(name, GUESSING, metric).verdict > 0]


def recommended(found: Evaluation) -> str | None:
    """Return the classifier to train, or None if none is reliably better than guessing.

    Of those that are more accurate than guessing, and not reliably less accurate than the best of them, it is the one
    with the lowest log-loss. If none is more accurate, it is the best of those whose log-loss is lower than that of
    the class frequencies, or else of those with a better balanced accuracy. If only one class is judged, nothing shows
    whether the classes can be told apart.
    """
    if found.judged < 2:
        return None
    accurate = better_than_guessing(found, "accuracy")
    if accurate:
        first = best(found, "accuracy", accurate)
        equals = [name for name in accurate if found.compare(first, name, "accuracy").verdict <= 0]
        return best(found, "log-loss", equals)
    for metric in ("log-loss", "balanced accuracy"):
        if better := better_than_guessing(found, metric):
            return best(found, metric, better)
    return None


# --- In words --------------------------------------------------------------------------------------


def verdict(found: Evaluation, *, weighted: bool = False) -> Iterator[str]:
    """Generate a few sentences on which classifier to train, or on why none is recommended."""
    if found.judged < 2:
        (judged,) = found.in_words(set(found.classes.tolist()) - set(found.not_judged))
        yield (
            f"Only class {judged!r} has two rows or more, so nothing shows how well the classes can be told apart: no "
            "classifier is recommended."
        )
        return
    taken = recommended(found)
    if taken is None or found.compare(taken, GUESSING, "accuracy").verdict <= 0:
        yield from _not_more_accurate(found, taken, weighted=weighted)
        return
    result = measured(found, taken, GUESSING)
    yield f"Recommended: {taken}. Cross-validated, it {quoted(how_right(result))}."
    of_classes, far = quoted(how_many_found(result, weighted=weighted)), how_far_off(result)
    yield from filter(None, (of_classes, far, doubtful_probabilities(result)))
    first, metric = best(found, "accuracy", ours(found)), main_metric(result)
    if first not in (taken, PLAIN) and found.mean(taken, "accuracy") != found.mean(first, "accuracy"):
        yield f"The accuracy of {first} is {_against(found, first, taken, 'accuracy')}; its probabilities are worse."
    for other in (name for name in by_accuracy(found) if name in PEERS):
        yield f"The accuracy of {other} is {_against(found, other, taken, 'accuracy')}."
    if taken != PLAIN and PLAIN in found.names:
        better = found.compare(taken, PLAIN, "log-loss").verdict > 0
        but = "; its probabilities are reliably better" if better else ""
        yield f"The {metric} of {taken} is {_against(found, taken, PLAIN, metric)}{but}."


def _against(found: Evaluation, one: str, other: str, metric: str) -> str:
    """Return how a score of one classifier compares with that of another, as the end of a sentence."""
    name, lead = "plain naive Bayes" if other == PLAIN else other, found.compare(one, other, metric)
    return quoted(difference_in_words(lead, (f"that of {name}",), found.mean(other, metric)))


def _not_more_accurate(found: Evaluation, taken: str | None, *, weighted: bool) -> Iterator[str]:
    """Generate that no classifier is more accurate than guessing, and what is better nevertheless, if anything is."""
    name = best(found, "accuracy", ours(found))
    first = measured(found, name, GUESSING)
    lead = quoted(difference_in_words(first.over_guessing, ("guessing",), first.guess_accuracy))
    yield (
        f"No classifier is reliably more accurate than always guessing {first.guess!r}: the accuracy of {name} is "
        f"{percent(first.accuracy)}, {lead}."
    )
    result = first if taken is None else measured(found, taken, GUESSING)
    yield from filter(None, [quoted(how_many_found(result, taken or name, weighted=weighted))])
    still = "Still, the columns say something about the class:"
    if taken is None:
        yield (
            "No classifier has reliably better probabilities either: nothing shows that these columns predict the "
            "class, and no classifier is recommended."
        )
    elif found.compare(taken, GUESSING, "log-loss").verdict > 0:
        its, guessed = (f"{found.mean(each, 'log-loss'):.3f}" for each in (taken, GUESSING))
        yield (
            f"{still} the probabilities of {taken} are better than the frequencies of the classes (log-loss {its} "
            f"instead of {guessed}). If you need probabilities, train {taken}."
        )
    else:
        lead = quoted(difference_in_words(result.balanced_over_guessing, ("guessing",), result.guess_balanced))
        yield (
            f"{still} the balanced accuracy of {taken} is {percent(result.balanced)}, {lead}. If all classes are "
            f"equally important, train {taken}."
        )
        yield from filter(None, [doubtful_probabilities(result)])


# --- As a file -------------------------------------------------------------------------------------


def document(found: Evaluation) -> dict[str, Any]:
    """Return the figures of the comparison, and the classifier to train, if one is recommended."""
    return {
        "rows": found.rows,
        "classes": found.in_words(found.classes.tolist()),
        "folds": found.folds,
        "folds of": found.folding,
        "copies": found.copies,
        "repeats": repeats(found),
        "recommended": recommended(found),
        "classifiers": lines(found),
    }


def lines(found: Evaluation) -> list[dict[str, Any]]:
    """Return the mean and the standard error of each metric, for each classifier."""
    figures = (("", found.mean), (" error", found.standard_error))
    return [
        {"classifier": name, **{f"{metric}{end}": of(name, metric) for metric in METRICS for end, of in figures}}
        | {key: None if isnan(value) else value for key, value in measured(found, name, GUESSING).along_order.items()}
        for name in by_accuracy(found)
    ]
