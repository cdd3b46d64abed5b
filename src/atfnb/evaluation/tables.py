"""Classifiers compared on a table, and what a person should know of the comparison and of the columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from atfnb._errors import listed_names
from atfnb._processes import Progress
from atfnb.classifiers import NB, BaseNB
from atfnb.encoding import Pooling, pooled_in_words, zones_in_words
from atfnb.evaluation.cross_validation import Evaluation, cross_validate, take
from atfnb.evaluation.words import not_judged_in_words

GUESSING = "guessing"
"""The name, among the classifiers, of always guessing the most frequent class."""
FEW = 2
"""A sentence names this number of classifiers, or fewer."""


def evaluate_rows(
    models: Mapping[str, BaseNB],
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    folds: int = 5,
    repeats: int = 4,
    random_state: int = 0,
    class_spelling: Sequence[str] = (),
    progress: Progress | None = None,
) -> tuple[Evaluation, NB, list[str]]:
    """Compare classifiers with each other and with guessing, on one table, by cross-validation.

    A classifier that cannot be trained on the table is left out, and is among ``refused`` of the result; if none can,
    that is an error.

    Parameters
    ----------
    models : dict of str to classifier of this library
        New classifiers, by the names that the result gives them.
    X : data frame or two-dimensional array-like of shape (rows, columns)
    y : array-like of shape (rows,)
        The class of each row.
    sample_weight : array-like of shape (rows,), optional
        How much each row counts, in training and in the scores; rows of weight 0 are left out.
    folds, repeats, random_state, progress
        See :func:`cross_validate`.
    class_spelling : list of str, optional
        The classes in words, in their order, if not as Python writes them.

    Returns
    -------
    found : Evaluation
        With the classifiers, and :data:`GUESSING` as one of them.
    plain : NB
        Naive Bayes of all rows, which keeps all values apart: what the columns are like.
    notes : list of str
        Sentences on the classes and the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB, NB
    >>> models = {"NB": NB(), "ATFNB": ATFNB()}
    >>> found, _, notes = evaluate_rows(models, *load_iris(return_X_y=True), repeats=1)
    >>> found.names, notes
    (['guessing', 'NB', 'ATFNB'], [])
    """
    spelling = dict(zip(np.unique(y).tolist(), class_spelling, strict=False))  # () if as in Python
    if sample_weight is not None and not (np.asarray(sample_weight) > 0).all():
        counting = np.flatnonzero(np.asarray(sample_weight) > 0)
        X, y, sample_weight = take(X, counting), np.asarray(y)[counting], np.asarray(sample_weight)[counting]
    found = cross_validate(
        {GUESSING: DummyClassifier(strategy="prior"), **models},
        X,
        y,
        folds=folds,
        repeats=repeats,
        random_state=random_state,
        sample_weight=sample_weight,
        leave_out_refusals=True,
        progress=progress,
    )
    found = replace(found, spelling=spelling)
    if found.names == [GUESSING]:
        raise next(iter(found.refused.values()))
    shared = next(iter(models.values())).get_params(deep=False)
    of_columns = {name: shared[name] for name in ("categorical_features", "dates", "merge_case")}
    plain = NB(missing="value", min_category_rows=None, **of_columns).fit(X, y, sample_weight)
    notes = [*_on_classes(found, y), *_on_pooled(plain, models)]
    return found, plain, notes


def _on_classes(found: Evaluation, y: Any) -> Iterator[str]:
    """Generate a sentence on the classes that are not judged, and one on those with fewer rows than folds."""
    if found.not_judged:
        yield not_judged_in_words(found.in_words(found.not_judged))
    classes, counts = np.unique(y, return_counts=True)
    rare = found.in_words(classes[(counts > 1) & (counts < found.folds)].tolist())
    if rare:
        subject = "Class {} has" if len(rare) == 1 else "Classes {} have"
        yield (
            f"{subject.format(listed_names(rare))} fewer rows than there are folds: balanced accuracy, log-loss and "
            "macro F1 are rough."
        )


def _on_pooled(plain: NB, models: Mapping[str, BaseNB]) -> Iterator[str]:
    """Generate a sentence on each column with values that count as one in some classifiers."""
    of_models = {name: (model.row_options.coding.pooling, model.missing == "value") for name, model in models.items()}
    strictest = min((rule for rule, _ in of_models.values()), key=lambda rule: rule.fewest)
    for j, each in enumerate(plain.encoder_.attributes):
        if each.is_numeric or each.part is not None:
            continue
        table, gaps = plain.counts_.of_attribute(j)[: len(each.categories)], each.n_values > each.n_known
        pooled = {rule: int(rule.pooled(table).sum()) for rule, _ in of_models.values()}
        kinds: dict[tuple[Pooling, int, bool], list[str]] = {}
        for name, (rule, valued) in of_models.items():
            none_left = pooled[rule] == len(table)
            kind = (strictest if none_left else rule, pooled[rule], gaps and valued and none_left)
            kinds.setdefault(kind, []).append(name)
        for (rule, count, only_gaps), names in kinds.items():
            of = f" in {' and '.join(names)}" if len(names) <= FEW else " in the other classifiers"
            if count:
                yield pooled_in_words(each.name, len(table), count, rule, of if len(kinds) > 1 else "", gaps=only_gaps)


def dates_in_words(model: BaseNB) -> Iterator[str]:
    """Generate a sentence on the columns of dates that a model has, if there are any, and one on each time zone."""
    yield from zones_in_words(model.encoder_)
    if dated := [attribute.source for attribute in model.encoder_.attributes if attribute.part == "date"]:
        yield (
            f"{listed_names(dated)} {'holds' if len(dated) == 1 else 'hold'} dates, and cross-validation mixes earlier "
            "and later rows: if the class of later rows is to be predicted, train on the earlier rows and score the "
            "later ones with atfnb test."
        )
