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
from atfnb._typing import BoolArray, FloatArray, IntArray
from atfnb.classifiers import ATFNB, NB, BaseNB
from atfnb.encoding import EmptyColumnWarning, NumericAttribute
from atfnb.evaluation import Sentence
from atfnb.indexes import find_redundancy
from atfnb.model import spread
from atfnb.report.attributes import AttributeFacts, detail_of, detailed, series_of
from atfnb.report.curve import BetaCurve, curve_of
from atfnb.report.doubts import NAMED_COLUMNS, doubts_in_words, doubts_of, row_names
from atfnb.report.performance import Performance, how_good, performance_of, performance_on
from atfnb.report.sentences import one_line, what_acts_together, what_matters, what_was_redundant
from atfnb.tables import Column, Table, encode_labels, moment_label, read_again

SHARED_PARAMETERS = (
    *(
        "categorical_features",
        "max_bins",
        "max_distinct",
        "min_category_rows",
        "missing",
        "alpha",
        "class_weight",
        "dates",
    ),
)
"""The parameters that the classifiers a model is compared with take from the model."""
MOST_ROWS, FEWEST_ROWS = 200, 20
"""The largest and the smallest number of rows to explain, where the table has as many."""
MOST_ROW_CELLS = 20_000
"""The approximate limit on the cells of all rows to explain together."""
MOST_PAIRS = 6
"""The largest number of pairs of attributes that the explanation of a row names."""
LONGEST_CELL = 80
"""The largest number of characters of a cell in a page."""
LONGEST_NOTE = 400
"""The largest number of characters of a note in a page."""


@dataclass(frozen=True)
class RowFacts:
    """Rows to explain one by one: their values, their classes, and what the model predicts."""

    numbers: IntArray
    """(rows,) their positions in the table, from 0."""
    truth: IntArray
    """(rows,) the code of the actual class."""
    predicted: IntArray
    """(rows,) the code of the predicted class."""
    joint: FloatArray
    """(rows, classes) the joint log-likelihoods."""
    codes: IntArray
    """(rows, attributes) the codes of the values."""
    texts: tuple[tuple[str | None, ...], ...]
    """(rows, attributes) the values as they stand in the table; None where one is missing."""
    pairs: IntArray
    """(rows, few) the pairs of attributes that add most to each row's joint log-likelihoods."""
    of_pairs: FloatArray
    """(rows, few + 1, classes) what these pairs add, and what all others add together."""


@dataclass(frozen=True)
class Facts:
    """All that the page of a model shows."""

    title: str
    model: str
    """The name of the classifier's class."""
    settings: str
    """The classifier as Python code, with the parameters that are not the defaults."""
    target: str | None
    n_rows: int
    classes: tuple[str, ...]
    class_rows: IntArray
    """(classes,) the number of rows of each class."""
    series: IntArray
    """(classes,) in which of at most nine series each class is drawn."""
    meaning: str
    """What the weights are: a key of :data:`~atfnb.report.sentences.MEANINGS`."""
    indexes_of: str
    """The classifier whose relevance and redundancy are shown next to the weights."""
    bins_of: str
    """The classifier whose bins, made by ChiMerge, are shown."""
    performance: Performance
    """How good the model is, on the rows of the page."""
    test: Performance | None
    """How good the model is on test rows, if there are any."""
    curve: BetaCurve
    attributes: tuple[AttributeFacts, ...]
    pairs: tuple[tuple[int, int, float], ...]
    """The pairs of attributes that act together: their positions, and how far they move the joint log-likelihoods."""
    prior: FloatArray
    """(classes,) what the joint log-likelihoods start from."""
    rows: RowFacts
    sentences: tuple[Sentence, ...]
    notes: tuple[str, ...] = ()
    """Sentences on what to know before trusting the rest."""

    @property
    def performances(self) -> tuple[Performance, ...]:
        """How good the model is on the test rows, if there are any, and on the rows of the page."""
        return (self.performance,) if self.test is None else (self.test, self.performance)


@dataclass(frozen=True)
class _Source:
    """A fitted model with the rows of its page, and the classifier that supplies what the model does not have."""

    model: BaseNB
    table: Table
    truth: IntArray
    """(rows,) the code of each row's class."""
    switching: ATFNB
    """The model itself if it has a switching factor, or ATFNB with its parameters, fitted to the rows."""
    series: IntArray
    meaning: str

    @property
    def indexes(self) -> Any:
        """The classifier whose relevance and redundancy are shown."""
        return self.model if self.model.declaration.has("redundancy_") else self.switching

    @property
    def bins(self) -> BaseNB:
        """The classifier whose bins are shown: ChiMerge's."""
        return self.switching if self.meaning == "spread" else self.model


def facts_of(
    model: BaseNB,
    X: Any,
    y: Any,
    *,
    folds: int = 5,
    random_state: int = 0,
    title: str | None = None,
    target: str | None = None,
    test: tuple[Any, Any] | None = None,
    test_name: str = "the test rows",
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> Facts:
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
    folds : int, default=5
        The number of folds of the cross-validation.
    random_state : int, default=0
        The seed of the folds and of the rows to explain.
    title : str, optional
        The title of the page.
    target : str, optional
        The name of the class.
    test : tuple of a table and the class of each row, optional
        More rows to score the model on.
    test_name : str, default="the test rows"
        The name of those rows in the page.
    notes : sequence of str, optional
        Sentences to show near the top, before those on columns that look like identifiers or give the class away.
    progress : callable, optional
        Called after each fit with the number of fits done, the number of all fits, and the name of the model.

    Returns
    -------
    Facts

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
    naive = NB(**_shared_parameters(model))
    performance = performance_of(model, naive, X, y, folds=folds, random_state=random_state, progress=progress)
    on_test = None if test is None else performance_on(model, *test, one_line(test_name))
    source = _read(model, X, y)
    rows = _rows(source, random_state)
    attributes = _attributes(source, rows)
    label = None if target is None else one_line(target)
    return Facts(
        title=one_line(title) if title is not None else f"{label or type(model).__name__}: what was learned",
        model=type(model).__name__,
        settings=one_line(model, LONGEST_NOTE),
        target=label,
        n_rows=len(source.truth),
        classes=tuple(one_line(name) for name in model.classes_.tolist()),
        class_rows=np.bincount(source.truth, minlength=len(model.classes_)),
        series=source.series,
        meaning=source.meaning,
        indexes_of=type(source.indexes).__name__,
        bins_of=type(source.bins).__name__,
        performance=performance,
        test=on_test,
        curve=curve_of(source.switching, own=source.switching is model),
        attributes=attributes,
        pairs=tuple(
            (int(a), int(b), float(w)) for (a, b), w in zip(model.model_.pairs, model.pair_weights_, strict=True)
        ),
        prior=model.model_.start,
        rows=rows,
        sentences=(
            *(() if on_test is None else (how_good(on_test, is_naive=False),)),
            how_good(performance, is_naive=source.meaning == "equal" and model.weights_[0] == 1),
            what_matters(attributes, source.meaning, float(model.pair_weights_.sum())),
            what_was_redundant(attributes),
            *(() if not model.pairs_ else (what_acts_together(model.pairs_, model.pair_weights_),)),
        ),
        notes=(*(one_line(note, LONGEST_NOTE) for note in notes), *_doubts(source, label)),
    )


def _shared_parameters(model: BaseNB) -> dict[str, Any]:
    """Return the parameters of the model that the classifiers it is compared with take too."""
    return {name: getattr(model, name) for name in SHARED_PARAMETERS}


def _read(model: BaseNB, X: Any, y: Any) -> _Source:
    """Read the rows as the model does, and fit ATFNB to them if the model has no switching factor of its own."""
    truth = _codes_of_classes(model, y)
    switching = model
    if not model.declaration.has("curve_"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyColumnWarning)  # the fit of the model has warned already
            switching = ATFNB(**_shared_parameters(model)).fit(X, y)
    return _Source(
        model=model,
        table=model.encoder_.aligned(read_again(model, X)),
        truth=truth,
        switching=switching,
        series=series_of(model.counts_.classes),
        meaning=model.weights_meaning,
    )


def _codes_of_classes(model: BaseNB, y: Any) -> IntArray:
    """Return the position of each row's class in ``classes_``, and refuse a class that the model does not know."""
    classes, codes = encode_labels(y)
    if not np.isin(classes, model.classes_).all():
        odd = classes[~np.isin(classes, model.classes_)][0].item()
        raise ValueError(
            f"y holds the class {odd!r}, which the model does not know: give the table it was trained on, or leave out "
            "the rows of that class."
        )
    return np.searchsorted(model.classes_, classes)[codes]


def _doubts(source: _Source, target: str | None) -> Iterator[str]:
    """Generate sentences on columns that look like identifiers or give the class away."""
    if names := [one_line(name) for name in row_names(source.table.columns, source.table.n_rows)]:
        yield (
            f"{listed_names(names, NAMED_COLUMNS)}: a different whole number in every row, like a row number, which "
            f"predicts nothing in new rows; {_leave_out(names)}."
        )
    doubts = doubts_of(source.model.encoder_, source.model.counts_, source.model.n_rows_)
    for sentence in doubts_in_words(doubts, "the class" if target is None else repr(target), _leave_out):
        yield one_line(sentence, LONGEST_NOTE)


def _leave_out(names: Sequence[str]) -> str:
    return f"leave {'it' if len(names) == 1 else 'them'} out and train again"


# --- rows to explain -------------------------------------------------------------------------------


def _rows(source: _Source, random_state: int) -> RowFacts:
    """Return some rows of the table, with what the model predicts for them."""
    model, table = source.model.model_, source.table
    codes = source.model.encoder_.encode_table(table)
    predicted = model.classify(codes).astype(np.int64)
    some = chosen_rows(predicted != source.truth, len(table.columns), random_state)
    pairs, of_pairs = strongest_pairs(model.contributions(codes[some])[:, len(table.columns) :])
    columns = [_texts(column, some) for column in table.columns]
    return RowFacts(
        numbers=some,
        truth=source.truth[some],
        predicted=predicted[some],
        joint=model.joint(codes[some]),
        codes=codes[some].astype(np.int64),
        texts=tuple(zip(*columns, strict=True)),
        pairs=pairs,
        of_pairs=of_pairs,
    )


def strongest_pairs(contributions: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the pairs that add most to each row (rows, few), and what they, and all others, add to each class.

    ``contributions`` is (rows, pairs, classes), and what is added (rows, few + 1, classes). What is the same for all
    classes is left out.
    """
    centred = contributions - contributions.mean(axis=2, keepdims=True)
    order = np.argsort(-np.abs(centred).max(axis=2, initial=0.0), axis=1, kind="stable")[:, :MOST_PAIRS]
    few = np.take_along_axis(centred, order[:, :, None], axis=1)
    rest = centred.sum(axis=1) - few.sum(axis=1)
    return order, np.concatenate([few, rest[:, None]], axis=1)


def chosen_rows(wrong: BoolArray, n_attributes: int, random_state: int) -> IntArray:
    """Return the positions of a sample of the rows, half of it rows that the model gets wrong, if there are enough."""
    most = min(len(wrong), int(np.clip(MOST_ROW_CELLS // n_attributes, FEWEST_ROWS, MOST_ROWS)))
    random = np.random.default_rng(random_state)
    missed, others = (random.permutation(np.flatnonzero(mark)) for mark in (wrong, ~wrong))
    n_missed = min(len(missed), max(most // 2, most - len(others)))
    return np.sort(np.concatenate([missed[:n_missed], others[: most - n_missed]]))


def _texts(column: Column, rows: IntArray) -> list[str | None]:
    """Return the cells of some rows as text; None where a value is missing."""
    cells = zip(column.values[rows].tolist(), column.missing[rows].tolist(), strict=True)
    part = column.part if column.part in ("date", "time") else None
    return [None if missing else moment_label(value, part) if part else _text(value) for value, missing in cells]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
    return one_line(value, LONGEST_CELL)


# --- attributes ------------------------------------------------------------------------------------


def _attributes(source: _Source, rows: RowFacts) -> tuple[AttributeFacts, ...]:
    """Return what the page shows of each attribute; the details of those for which it has room."""
    model, indexes, bins, columns = source.model, source.indexes, source.bins, source.table.columns
    moved, similar = spread(model.model_.scores, model.counts_), _most_similar(source.switching)
    fits = detailed(model, bins, np.argsort(-moved, kind="stable"), len(rows.numbers))
    longest = int(np.clip(100_000 // len(fits), 40, 200))  # the more names, the less room for each
    return tuple(
        AttributeFacts(
            name=one_line(attribute.name, longest),
            is_number=isinstance(attribute, NumericAttribute),
            constant=_is_constant(columns[j]),
            weight=float(model.weights_[j]),
            spread=float(moved[j]),
            relevance=float(indexes.relevance_[j]),
            redundancy=float(indexes.redundancy_[j]),
            similar=similar[j],
            detail=detail_of(model, j, columns[j], rows.codes[:, j], bins, source.series, source.truth)
            if fits[j]
            else None,
        )
        for j, attribute in enumerate(model.encoder_.attributes)
    )


def _is_constant(column: Column) -> bool:
    """Return whether all values that are not missing are equal."""
    values = column.values[~column.missing]
    return bool((values == values[0]).all()) if len(values) else True


def _most_similar(model: ATFNB) -> list[tuple[int, float] | None]:
    """Return the attribute most similar to each, by Pearson's correlation of the codes, where its moments were kept."""
    n = len(model.weights_)
    if n < 2 or model.counts_.moments is None:
        return [None] * n
    matrix = np.array(find_redundancy("pearson")(model.counts_))
    np.fill_diagonal(matrix, -1.0)
    most = matrix.argmax(axis=1)
    return [(int(k), float(matrix[j, k])) for j, k in enumerate(most)]
