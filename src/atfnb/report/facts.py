"""A fitted model and its table → everything that the page shows: words for the template, data for the script."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import AdvisedError, Setting, percent
from atfnb._progress import Progress
from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.classifiers import NB, BaseNB
from atfnb.counts import spread
from atfnb.encoding import UnusedColumnWarning, learned_zones, zones_in_words
from atfnb.evaluation import (
    Sentence,
    acting_together,
    are_coded_training_rows,
    beyond_pairs,
    copies_in_words,
    cross_validate,
    doubts_in_words,
    doubts_of,
    row_numbers,
    score_codes,
    score_on,
)
from atfnb.export import ExportError, ModelPlan, plan_of
from atfnb.report import sentences
from atfnb.report.attributes import attributes_of, series_of
from atfnb.report.edited import Edited, edited_of
from atfnb.report.pairs import pairs_of
from atfnb.report.performance import GUESSING, MODEL, NAIVE, Performance, cross_validated, how_good, mistakes_of, scored
from atfnb.report.sentences import Payload, one_line, short
from atfnb.report.trial import trial_of
from atfnb.report.whatif import cells_of, chosen_rows, curve_of, known_parts, plan_bytes, what_if_of
from atfnb.tables import Table, encode_labels, in_local_time, read_again

LONGEST_NOTE = 400
"""The largest number of characters of a note in a page."""
LITTLE = "less than 0.1 % of the total effect"
"""What pairs have that a sentence does not name."""
MOST_PLAN_BYTES = 3_000_000
"""The largest size of a model's table in a page that shows data too; a larger one would leave no room for the rest."""
TOO_LARGE = (
    "The table of this model is too large for this page, which stays below 5 MB: "
    "atfnb page writes a page of its own in which values can be tried."
)


@dataclass(frozen=True)
class PageOptions:
    """What a page is made with, beside the model and its rows: see the method ``report`` of a classifier."""

    folds: int = 5
    random_state: int = 0
    """The seed of the folds and of the rows to explain."""
    title: str | None = None
    target: str | None = None
    """The name of the class."""
    test: tuple[Any, Any] | None = None
    """A table and the class of each row: more rows to score the model on."""
    test_name: str = "the test rows"
    notes: Sequence[str] = ()
    """Sentences to show near the top."""
    progress: Progress | None = None
    class_order: Any = None
    """The order of the classes, if they have one; by default the one that the model's file says."""
    groups: Any = None
    """The group of each row, if whole groups are held out."""
    time: Any = None
    """The time of each row, if later rows are held out."""


@dataclass(frozen=True)
class Facts:
    """All that a page shows: the words of its template, and the data of its script."""

    title: str
    model: str
    """The name of the classifier's class."""
    settings: str
    """The classifier as Python code, with the parameters that are not the defaults."""
    target: str | None
    data: Payload
    """What the page's script reads: see :func:`facts_of`."""
    performances: tuple[Performance, ...] = ()
    """How good the model is: on the test rows, if there are any, and on the rows of the page."""
    no_what_if: str = ""
    """Why the page cannot compute the model, if it cannot."""
    sentences: tuple[Sentence, ...] = ()
    data_sentence: Sentence = ()
    """Which values are missing, and which attributes have one value only."""
    edited: Edited | None = None
    """The edits of the model, and what they changed."""
    how_sentence: Sentence = ()
    """Which attributes are redundant, for a model that has a switching factor; otherwise empty."""
    notes: tuple[str, ...] = ()
    """Sentences on what to know before trusting the rest."""


def calculator_facts(model: BaseNB, title: str | None, target: str | None) -> Facts:
    """Gather what a page shows in which values can be tried, from a fitted model alone."""
    check_is_fitted(model)
    target = model.training_record.get("target") if target is None else target
    what_if = what_if_of(model, plan_of(model), shares_of(model)[: len(model.weights_)])
    data = {**_classes(model), "whatIf": what_if, "rowsInTable": model.n_rows_, "attributes": [], "pairs": []}
    return Facts(*_names(model, title, target, "what if"), data, edited=edited_of(model))


def facts_of(model: Any, X: Any, y: Any, options: PageOptions) -> Facts:
    """Gather what the page of a fitted model shows.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    X : data frame or two-dimensional array-like of shape (rows, columns)
        A table, usually the one that the model was trained on. On its training rows, models trained like it are
        cross-validated; on others, the model itself is scored.
    y : array-like of shape (rows,)
        The class of each row.
    options : PageOptions

    Returns
    -------
    Facts
        Its ``data`` has the names of the ``classes``, and the ``series``, at most nine, in which each is drawn;
        ``whatIf``, the model as the page computes it, and the ``trial`` of edits, None if it cannot; ``rowsInTable``;
        ``wrongRows``, which ``outOfFold`` models predicted that were trained like this one without the row, or this
        model itself;
        ``classRows`` (classes,), the rows of each class; ``performances`` on the test rows, if there are any, and on
        the rows of the page; the ``curve`` of a model with a switching factor; ``attributes``; ``pairs`` that act
        together, the largest share first; the ``prior`` (classes,), from which the joint log-likelihoods start, less
        its mean; and ``rows`` to explain.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = facts_of(ATFNB().fit(X, y), X, y, PageOptions()).data
    >>> curve, rows = found["curve"], found["rows"]["numbers"]
    >>> print(f"{curve['best']:.2f} at β = {curve['beta']:.2f}, {len(rows)} rows to explain")
    0.96 at β = 0.61, 150 rows to explain
    """
    check_is_fitted(model)
    truth, codes, (given, table) = _truth(model, y), model.encode(X), _columns(model, X)
    performances = _performances(model, X, y, codes, truth, options)
    performance, answers = performances[-1], performances[-1].answers
    shares, names = shares_of(model), [one_line(attribute.name) for attribute in model.encoder_.attributes]
    of_attributes, of_pairs = shares[: len(names)], shares[len(names) :]
    plan, no_what_if = _plan(model)
    chosen = chosen_rows(~answers.right, len(names), options.random_state)
    rows, predicted = answers.rows[chosen], answers.predicted[chosen]  # a row that is not judged has no answer
    taken = 0 if plan is None else plan_bytes(plan)
    attributes, shown = attributes_of(model, table, truth, of_attributes, codes[rows], taken)
    has_beta = model.declaration.has("curve_")
    data = {
        **_classes(model),
        "whatIf": None if plan is None else what_if_of(model, plan, of_attributes, given),
        "trial": None if plan is None else trial_of(model, codes, truth, options.random_state),
        "rowsInTable": len(truth),
        "wrongRows": int((~answers.right).sum()),
        "outOfFold": performance.out_of_fold,
        "classRows": np.bincount(truth, minlength=len(model.classes_)).tolist(),
        "performances": [mistakes_of(each.measured, each.answers) for each in performances],
        "curve": curve_of(model) if has_beta else None,
        "attributes": attributes,
        "pairs": pairs_of(model, of_pairs),
        "prior": short(model.model_.log_prior - model.model_.log_prior.mean(), 12),
        "rows": {
            "numbers": (rows + 1).tolist(),
            "truth": truth[rows].tolist(),
            "predicted": (np.unique(truth)[predicted] if performance.out_of_fold else predicted).tolist(),
            "probability": short(answers.probability[chosen, predicted], 4),
            "cells": None if plan is None else cells_of(given, plan, rows),
            "known": known_parts(model, codes[rows], shown) if plan is None else None,
        },
    }
    weighted, pairs = model.class_weight is not None, [(one_line(a), one_line(b)) for a, b in model.pairs_]
    is_naive = model.weights_meaning == "equal" and model.weights_[0] == 1 and not model.edits_
    title, name, settings, label = _names(model, options.title, options.target, "what was learned")
    return Facts(
        *(title, name, settings, label, data, performances, no_what_if),
        sentences=(
            *(how_good(each, is_naive=is_naive and each is performance, weighted=weighted) for each in performances),
            sentences.what_counts(names, shares),
            *([acting_together(pairs, of_pairs, "attributes", percent, LITTLE)] if pairs else []),
        ),
        data_sentence=sentences.what_is_missing(attributes, len(truth)),
        edited=edited_of(model, codes, y),
        how_sentence=sentences.what_was_redundant(model, names) if has_beta else (),
        notes=tuple(
            one_line(note, LONGEST_NOTE) for note in (*options.notes, *performance.notes, *_notes(model, table, label))
        ),
    )


def _names(model: BaseNB, title: str | None, target: str | None, what: str) -> tuple[str, str, str, str | None]:
    """Return the title of a page, which by default ends in ``what``, the classifier, its settings, and the target."""
    name, label = type(model).__name__, None if target is None else one_line(target)
    own_title = f"{label or name}: {what}" if title is None else one_line(title)
    return own_title, name, one_line(model, LONGEST_NOTE), label


def _classes(model: BaseNB) -> Payload:
    """Return the names of the classes, and the series in which each is drawn."""
    names = [one_line(name) for name in model.class_labels]
    return {"classes": names, "series": series_of(model.counts_.classes).tolist()}


def shares_of(model: BaseNB) -> FloatArray:
    """Return the share of the total effect that each attribute, and then each pair, has: (attributes + pairs,).

    The effect of an attribute or pair is how far it raises or lowers the joint log-likelihood of a class, on an average
    row: see :func:`atfnb.model.spread`. The shares add up to 1, unless nothing has any effect.

    >>> from sklearn.datasets import load_iris
    >>> shares_of(NB().fit(*load_iris(return_X_y=True))).round(2)
    array([0.23, 0.16, 0.31, 0.31])
    """
    sizes = np.concatenate([spread(model.table_, model.counts_), model.pair_weights_])
    return np.asarray(sizes / max(float(sizes.sum()), 1e-300))


def _plan(model: BaseNB) -> tuple[ModelPlan | None, str]:
    """Return the plan by which the page computes the model, or None and the reason why it cannot."""
    try:
        plan = plan_of(model)
    except ExportError as error:
        return None, one_line(f"Values cannot be tried on this page: {error}", LONGEST_NOTE)
    return (plan, "") if plan_bytes(plan) <= MOST_PLAN_BYTES else (None, TOO_LARGE)


# --- the table -------------------------------------------------------------------------------------


def _truth(model: BaseNB, y: Any) -> IntArray:
    """Return the code of each row's class, and refuse a class that the model does not know: (rows,)."""
    classes, position = encode_labels(y)
    if not np.isin(classes, model.classes_).all():
        odd = classes[~np.isin(classes, model.classes_)][0].item()
        advice = "give the table it was trained on, or leave out the rows of that class."
        raise AdvisedError(Setting("y"), f" holds the class {odd!r}, which the model does not know: ", advice)
    return np.searchsorted(model.classes_, classes)[position]


def _columns(model: BaseNB, X: Any) -> tuple[Table, Table]:
    """Return the columns of a table as the user gave them, dates in local time, and a column for each attribute."""
    given, zones = model.encoder_.as_spelled(read_again(model, X)), learned_zones(model.encoder_)
    local = (in_local_time(column, zones.get(column.name)) for column in given.columns)
    return Table(tuple(local)), model.encoder_.aligned(given)


def _performances(
    model: BaseNB, X: Any, y: Any, codes: CodeArray, truth: IntArray, options: PageOptions
) -> tuple[Performance, ...]:
    """Return how good the model is: on the test rows, if there are any, and on the rows of the page.

    On its training rows, models trained like it are cross-validated; on others, the model itself is scored.
    """
    shared = NB().get_params().keys() - {"fit_prior", "class_prior"}  # plain naive Bayes has the frequencies as prior
    ordered = {each.name: list(each.categories) for each in model.encoder_.attributes if each.ordered}
    alike = copy(model).set_params(orders={**(model.orders or {}), **ordered} or None)  # rows of a file may lack them
    naive = NB(**{name: getattr(alike, name) for name in shared})
    recorded = model.training_record.get("class_order")
    class_order = recorded if options.class_order is None else options.class_order
    own = are_coded_training_rows(model, codes, model.classes_[truth])
    if own is False:
        performance = scored({MODEL: score_codes(model, codes, y, class_order)})
    else:
        models = {MODEL: alike, NAIVE: naive, GUESSING: DummyClassifier(strategy="prior")}
        asked: Any = {name: getattr(options, name) for name in ("folds", "random_state", "groups", "time", "progress")}
        found = cross_validate(models, X, y, class_order=class_order, **asked)
        of_rows = copies_in_words(found.copies, found.folding)
        notes = (*of_rows, *beyond_pairs(found, MODEL, model, model.encoder_, X))
        performance = replace(cross_validated(model, found, own=own), notes=notes)
    if options.test is None:
        return (performance,)
    on_test = {MODEL: score_on(model, *options.test, class_order)}
    if performance.out_of_fold:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnusedColumnWarning)  # which the fit of the model has given already
            on_test[NAIVE] = score_on(naive.fit(X, y), *options.test, class_order)
    return scored(on_test, one_line(options.test_name)), performance


# --- notes -----------------------------------------------------------------------------------------


def _notes(model: BaseNB, table: Table, target: str | None) -> Iterator[str]:
    """Generate sentences on time zones, and on columns that look like identifiers or give the class away."""
    yield from zones_in_words(model.encoder_)
    yield from model.shape_sentences()
    doubts = doubts_of(model, row_numbers(table))
    yield from doubts_in_words(doubts, "the class" if target is None else repr(target))
