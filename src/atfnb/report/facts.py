"""A fitted model and its table → everything that the page shows, as plain numbers and words."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import listed_names
from atfnb._processes import Progress
from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import ATFNB, NB
from atfnb.encoding import EmptyColumnWarning
from atfnb.indexes import find_redundancy
from atfnb.model import spread
from atfnb.report.curve import Curve, curve_of
from atfnb.report.doubts import FEW, doubts_of, in_words, row_names
from atfnb.report.fitted import Fitted, Switching
from atfnb.report.histograms import series_of
from atfnb.report.meanings import Meaning, meaning_of
from atfnb.report.rows import RowFacts, chosen_rows, texts_of
from atfnb.report.sentences import how_good, what_matters, what_was_redundant
from atfnb.report.text import Sentence, shown
from atfnb.report.trial import Trial, scored, trial_of
from atfnb.report.values import AttributeFacts, detail_of, detailed
from atfnb.tables import Column, Table, encode_labels, read_again


@dataclass(frozen=True)
class Facts:
    """All that the page of a model shows."""

    title: str
    model: str
    """The classifier's name."""
    settings: str
    """The classifier as it would be written, without what is as by default."""
    target: str | None
    source: str | None
    n_rows: int
    classes: tuple[str, ...]
    class_rows: IntArray
    series: IntArray
    """(classes,) which of at most nine series each class is drawn in."""
    meaning: Meaning
    indexes_of: str
    """The classifier whose relevance and redundancy stand beside the weights."""
    bins_of: str
    """The classifier whose bins, made by ChiMerge, are shown."""
    trial: Trial
    test: Trial | None
    """The model on test rows, if there are any."""
    curve: Curve
    attributes: tuple[AttributeFacts, ...]
    prior: FloatArray
    """(classes,) what every score starts from."""
    rows: RowFacts
    sentences: tuple[Sentence, ...]
    notes: tuple[str, ...] = ()
    """What a person should know before trusting the rest, a sentence each."""

    @property
    def trials(self) -> tuple[Trial, ...]:
        """What was measured: on the test rows, if there are any, and on the rows of the page."""
        return (self.trial,) if self.test is None else (self.test, self.trial)


ALIKE = ("categorical_features", "max_bins", "missing", "alpha", "class_weight")
"""The parameters that the classifiers a model is compared with have from the model."""


def facts_of(
    model: Fitted,
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    random_state: int = 0,
    title: str | None = None,
    target: str | None = None,
    source: str | None = None,
    test: tuple[Any, Any] | None = None,
    test_name: str = "the test rows",
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> Facts:
    """Gather what there is to tell of a fitted model.

    Parameters
    ----------
    model : a fitted classifier
        Any of ours.
    X, y
        A table, usually the one that the model was trained on, and the class of each row. On its training rows, models
        trained like it are cross-validated; on others, the model itself is scored.
    folds : int, default=5
        Of the cross-validation.
    random_state : int, default=0
        Of the folds and of the rows to explain.
    title, target, source : str, optional
        What the page is called, what the class is called, and where the table comes from.
    test : tuple of a table and the class of each row, optional
        Rows to score the model on, besides.
    test_name : str
        What they are called.
    notes : sequence of str, optional
        Sentences to show near the top, before those on columns that look like identifiers or give the class away.
    progress : callable, optional
        Told how many fits are done, of how many, and of which model.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB, NB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = facts_of(ATFNB().fit(X, y), X, y)
    >>> print(f"{found.curve.best:.2f} at β = {found.curve.beta:.2f}, {len(found.rows.numbers)} rows to explain")
    0.96 at β = 0.61, 150 rows to explain
    """
    check_is_fitted(model)
    alike = {name: getattr(model, name) for name in ALIKE}
    naive, switching = NB(**alike), ATFNB(**alike)
    trial = trial_of(model, naive, X, y, folds=folds, random_state=random_state, progress=progress)
    on_test = None if test is None else scored(model, *test, shown(test_name))
    own = hasattr(model, "accuracy_curve")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyColumnWarning)  # the fit of the model has said so
        switch: Switching = model if own else switching.fit(X, y)  # type: ignore[assignment]
    table, truth = read_again(model, X), _codes_of_classes(model, y)
    series, meaning = series_of(model.counts_.classes), meaning_of(model)
    indexes: Any = model if hasattr(model, "redundancy_") else switch
    bins: Fitted = switch if meaning == "spread" else model
    rows = _rows(model, X, table, truth, random_state)
    attributes = _attributes(model, indexes, switch, bins, table, rows, series, truth)
    is_naive = type(model) is type(naive)
    label = None if target is None else shown(target)
    return Facts(
        title=shown(title) if title is not None else f"{label or type(model).__name__}: what was learned",
        model=type(model).__name__,
        settings=shown(model, 400),
        target=label,
        source=None if source is None else shown(source),
        n_rows=len(truth),
        classes=tuple(shown(name) for name in model.classes_.tolist()),
        class_rows=np.bincount(truth, minlength=len(model.classes_)),
        series=series,
        meaning=meaning,
        indexes_of=type(indexes).__name__,
        bins_of=type(bins).__name__,
        trial=trial,
        test=on_test,
        curve=curve_of(switch, own=own),
        attributes=attributes,
        prior=model.class_log_prior_,
        rows=rows,
        sentences=(
            *(() if on_test is None else (how_good(on_test, is_naive=False),)),
            how_good(trial, is_naive=is_naive),
            what_matters(attributes, meaning),
            what_was_redundant(attributes),
        ),
        notes=(*(shown(note, 400) for note in notes), *_doubts(model, table, label)),
    )


def _doubts(model: Fitted, table: Table, target: str | None) -> Iterator[str]:
    """Generate sentences on columns that look like identifiers or give the class away."""
    if names := [shown(name) for name in row_names(table.columns, table.n_rows)]:
        yield (
            f"{listed_names(names, FEW)}: another whole number in every row, as a row number has, which says nothing "
            f"about new rows; {_leave_out(names)}."
        )
    doubts = doubts_of(model.encoder_, model.counts_, model.n_rows_)
    for sentence in in_words(doubts, "the class" if target is None else repr(target), _leave_out):
        yield shown(sentence, 400)


def _leave_out(names: Sequence[str]) -> str:
    return f"leave {'it' if len(names) == 1 else 'them'} out and train again"


def _codes_of_classes(model: Fitted, y: Any) -> IntArray:
    """The class of each row as the model counts them."""
    classes, codes = encode_labels(y)
    if not np.isin(classes, model.classes_).all():
        odd = classes[~np.isin(classes, model.classes_)][0].item()
        raise ValueError(
            f"y holds the class {odd!r}, which the model does not know: give the table it was trained on, or leave out "
            "the rows of that class."
        )
    return np.searchsorted(model.classes_, classes)[codes]


def _rows(model: Fitted, X: Any, table: Table, truth: IntArray, random_state: int) -> RowFacts:
    predicted = np.searchsorted(model.classes_, model.predict(X))
    some = chosen_rows(predicted != truth, len(table.columns), random_state)
    return RowFacts(
        numbers=some,
        truth=truth[some],
        predicted=predicted[some],
        scores=model.predict_joint_log_proba(X)[some],
        codes=model.encoder_.encode_table(table)[some].astype(np.int64),
        texts=texts_of(table, some),
    )


def _attributes(
    model: Fitted,
    indexes: Any,
    switch: Switching,
    bins: Fitted,
    table: Table,
    rows: RowFacts,
    series: IntArray,
    truth: IntArray,
) -> tuple[AttributeFacts, ...]:
    moved, like = spread(model.table_, model.counts_), _likeness(switch)
    fits = detailed(model, bins, np.argsort(-moved, kind="stable"), len(rows.numbers))
    return tuple(
        AttributeFacts(
            name=shown(attribute.name, _longest_name(len(fits))),
            is_number=hasattr(attribute, "cuts"),
            constant=_is_constant(table.columns[j]),
            weight=float(model.weights_[j]),
            spread=float(moved[j]),
            relevance=float(indexes.relevance_[j]),
            redundancy=float(indexes.redundancy_[j]),
            like=like[j],
            detail=detail_of(model, j, table, rows.codes[:, j], bins, series, truth) if fits[j] else None,
        )
        for j, attribute in enumerate(model.encoder_.attributes)
    )


def _is_constant(column: Column) -> bool:
    """Whether all cells, or all that are there, hold the same."""
    values = column.values[~column.missing]
    return bool((values == values[0]).all()) if len(values) else True


def _longest_name(n: int) -> int:
    """The more names, the less room for each."""
    return int(np.clip(100_000 // n, 40, 200))


def _likeness(model: Switching) -> list[tuple[int, float] | None]:
    """For each attribute the one most like it, by Pearson's correlation of the codes, where its moments were kept."""
    n = len(model.weights_)
    if n < 2 or model.counts_.moments is None:
        return [None] * n
    matrix = np.array(find_redundancy("pearson")(model.counts_))
    np.fill_diagonal(matrix, -1.0)
    most = matrix.argmax(axis=1)
    return [(int(k), float(matrix[j, k])) for j, k in enumerate(most)]
