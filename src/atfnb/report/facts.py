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
from atfnb.classifiers import NB, BaseNB
from atfnb.encoding import CategoricalAttribute, NumericAttribute, UnusedColumnWarning, learned_zones, zones_in_words
from atfnb.evaluation import Sentence
from atfnb.export import ExportError
from atfnb.indexes import find_redundancy
from atfnb.model import spread
from atfnb.report.attributes import AttributeFacts, detail_of, detailed, has_bands, series_of
from atfnb.report.curve import BetaCurve, curve_of
from atfnb.report.doubts import NAMED_COLUMNS, doubts_in_words, doubts_of, row_names
from atfnb.report.pairs import PairFacts, pairs_of
from atfnb.report.performance import Performance, how_good, performance_of, performance_on
from atfnb.report.sentences import one_line, what_acts_together, what_counts, what_is_missing, what_was_redundant
from atfnb.report.whatif import MOST_PLAN_BYTES, TOO_LARGE, WhatIf, cells_of, what_if_of
from atfnb.tables import Column, Table, encode_labels, in_local_time, read_again

SHARED_PARAMETERS = (
    *("categorical_features", "max_bins", "max_distinct", "min_category_rows", "merge_case", "missing", "dates"),
    *("alpha", "class_weight"),
)
"""The parameters that the classifiers a model is compared with take from the model."""
MOST_ROWS, FEWEST_ROWS = 200, 20
"""The largest and the smallest number of rows to explain, where the table has as many."""
MOST_ROW_CELLS = 20_000
"""The approximate limit on the cells of all rows to explain together."""
MOST_PAIRS = 6
"""The largest number of pairs of attributes that the explanation of a row names, where the page has no calculator."""
LONGEST_NOTE = 400
"""The largest number of characters of a note in a page."""


@dataclass(frozen=True)
class RowFacts:
    """Rows to explain one by one: their values, their classes, and what was predicted for them."""

    numbers: IntArray
    """(rows,) their positions in the table, from 0."""
    truth: IntArray
    """(rows,) the code of the actual class."""
    predicted: IntArray
    """(rows,) the code of the predicted class; in a cross-validation, by a model that was not trained on the row."""
    probability: FloatArray
    """(rows,) the probability of that class."""
    cells: tuple[tuple[Any, ...], ...] | None
    """(rows, columns) the values, as :func:`~atfnb.report.whatif.cells_of` gives them; None without a calculator."""
    joint: FloatArray
    """(rows, classes) the joint log-likelihoods of this model."""
    codes: IntArray
    """(rows, attributes) the codes of the values."""
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
    performance: Performance
    """How good the model is, on the rows of the page."""
    test: Performance | None
    """How good the model is on test rows, if there are any."""
    curve: BetaCurve | None
    """The switching factor β of a model that has one."""
    attributes: tuple[AttributeFacts, ...]
    pairs: tuple[PairFacts, ...]
    """The pairs of attributes that act together, the largest share first."""
    all_pairs: tuple[tuple[int, int], ...]
    """The positions of the attributes of all pairs that act together, in the order of the model."""
    prior: FloatArray
    """(classes,) what the joint log-likelihoods start from."""
    what_if: WhatIf | None
    """The model as the page computes it; None if it cannot."""
    no_what_if: str
    """Why the page cannot compute it."""
    rows: RowFacts
    sentences: tuple[Sentence, ...]
    data_sentence: Sentence
    """Which values are missing, and which attributes have one value only."""
    how_sentence: Sentence
    """Which attributes are redundant, for a model that has a switching factor; otherwise empty."""
    notes: tuple[str, ...] = ()
    """Sentences on what to know before trusting the rest."""

    @property
    def performances(self) -> tuple[Performance, ...]:
        """How good the model is on the test rows, if there are any, and on the rows of the page."""
        return (self.performance,) if self.test is None else (self.test, self.performance)


@dataclass(frozen=True)
class _Source:
    """A fitted model with the rows of its page."""

    model: Any
    given: Table
    """The columns that the user gave."""
    table: Table
    """A column for each attribute."""
    truth: IntArray
    """(rows,) the code of each row's class."""
    present: IntArray
    """The codes of the classes that the rows have."""
    series: IntArray
    shares: FloatArray
    """(attributes + pairs,) the share of the total effect that each has."""
    what_if: WhatIf | None
    no_what_if: str

    @property
    def has_beta(self) -> bool:
        """Whether the model weighs relevance against redundancy by a switching factor."""
        return bool(self.model.declaration.has("curve_"))


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
    on_test = None
    if test is not None:
        beside = _fitted(naive, X, y) if performance.out_of_fold else None
        on_test = performance_on(model, *test, one_line(test_name), beside)
    source = _read(model, X, y)
    rows = _rows(source, performance, random_state)
    attributes = _attributes(source, rows)
    label = None if target is None else one_line(target)
    of_pairs = source.shares[len(attributes) :]
    is_naive = model.weights_meaning == "equal" and model.weights_[0] == 1
    return Facts(
        title=one_line(title) if title is not None else f"{label or type(model).__name__}: what was learned",
        model=type(model).__name__,
        settings=one_line(model, LONGEST_NOTE),
        target=label,
        n_rows=len(source.truth),
        classes=tuple(one_line(name) for name in model.class_labels),
        class_rows=np.bincount(source.truth, minlength=len(model.classes_)),
        series=source.series,
        performance=performance,
        test=on_test,
        curve=curve_of(source.model) if source.has_beta else None,
        attributes=attributes,
        pairs=pairs_of(model, of_pairs),
        all_pairs=tuple((int(a), int(b)) for a, b in model.model_.pairs),
        prior=model.model_.start,
        what_if=source.what_if,
        no_what_if=source.no_what_if,
        rows=rows,
        sentences=(
            *(() if on_test is None else (how_good(on_test, is_naive=False),)),
            how_good(performance, is_naive=is_naive),
            what_counts(attributes, float(of_pairs.sum())),
            *(() if not model.pairs_ else (what_acts_together(model.pairs_, of_pairs),)),
        ),
        data_sentence=what_is_missing(attributes, len(source.truth)),
        how_sentence=what_was_redundant(attributes) if source.has_beta else (),
        notes=(
            *(one_line(note, LONGEST_NOTE) for note in (*notes, *zones_in_words(model.encoder_))),
            *_doubts(source, label),
        ),
    )


def _fitted(naive: NB, X: Any, y: Any) -> NB:
    """Fit naive Bayes to the training rows, without the warning that the fit of the model has given already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedColumnWarning)
        return naive.fit(X, y)


def _shared_parameters(model: BaseNB) -> dict[str, Any]:
    """Return the parameters of the model that the classifiers it is compared with take too."""
    return {name: getattr(model, name) for name in SHARED_PARAMETERS}


def shares_of(model: BaseNB) -> FloatArray:
    """Return the share of the total effect that each attribute, and then each pair, has: (attributes + pairs,).

    The effect of an attribute or pair is how far it raises or lowers the joint log-likelihood of a class, on an average
    row: see :func:`atfnb.model.spread`. The shares add up to 1, unless nothing has any effect.

    >>> from sklearn.datasets import load_iris
    >>> shares_of(NB().fit(*load_iris(return_X_y=True))).round(2)
    array([0.23, 0.16, 0.31, 0.31])
    """
    sizes = np.concatenate([spread(model.model_.scores, model.counts_), model.pair_weights_])
    return np.asarray(sizes / max(float(sizes.sum()), 1e-300))


def _read(model: BaseNB, X: Any, y: Any) -> _Source:
    """Read the rows as the model does."""
    truth, given, shares = _codes_of_classes(model, y), read_again(model, X), shares_of(model)
    given = model.encoder_.as_spelled(given)
    table, zones = model.encoder_.aligned(given), learned_zones(model.encoder_)
    given = Table(tuple(in_local_time(column, zones.get(column.name)) for column in given.columns))
    try:
        what_if: WhatIf | None = what_if_of(model, shares[: len(model.weights_)], given)
        no_what_if = ""
    except ExportError as error:
        what_if, no_what_if = None, one_line(f"Values cannot be tried on this page: {error}", LONGEST_NOTE)
    if what_if is not None and what_if.n_bytes > MOST_PLAN_BYTES:
        what_if, no_what_if = None, TOO_LARGE
    series = series_of(model.counts_.classes)
    return _Source(model, given, table, truth, np.unique(truth), series, shares, what_if, no_what_if)


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


def _rows(source: _Source, performance: Performance, random_state: int) -> RowFacts:
    """Return some rows of the table: half of them such as were predicted wrongly, if there are enough."""
    model, table, answers = source.model.model_, source.table, performance.answers
    codes = source.model.encoder_.encode_table(table)
    chosen = chosen_rows(~answers.right, len(table.columns), random_state)
    some, predicted = answers.rows[chosen], answers.predicted[chosen]  # a row that is not judged has no answer
    pairs, of_pairs = strongest_pairs(model.contributions(codes[some])[:, len(table.columns) :])
    cells = None if source.what_if is None else cells_of(source.given, source.what_if.plan, some)
    return RowFacts(
        numbers=some,
        truth=source.truth[some],
        predicted=(source.present if performance.out_of_fold else np.arange(len(model.start)))[predicted],
        probability=answers.probability[chosen, predicted],
        cells=None if cells is None else tuple(map(tuple, cells)),
        joint=model.joint(codes[some]),
        codes=codes[some].astype(np.int64),
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
    """Return the positions of a sample of the rows, half of it wrongly predicted ones, if there are enough."""
    most = min(len(wrong), int(np.clip(MOST_ROW_CELLS // n_attributes, FEWEST_ROWS, MOST_ROWS)))
    random = np.random.default_rng(random_state)
    missed, others = (random.permutation(np.flatnonzero(mark)) for mark in (wrong, ~wrong))
    n_missed = min(len(missed), max(most // 2, most - len(others)))
    return np.sort(np.concatenate([missed[:n_missed], others[: most - n_missed]]))


# --- attributes ------------------------------------------------------------------------------------


def _attributes(source: _Source, rows: RowFacts) -> tuple[AttributeFacts, ...]:
    """Return what the page shows of each attribute; the details of those for which it has room."""
    model, columns = source.model, source.table.columns
    errors = model.effect_errors_ if has_bands(model) else None
    similar = _most_similar(model) if source.has_beta else [None] * len(columns)
    order = np.argsort(-source.shares[: len(columns)], kind="stable")
    taken = 0 if source.what_if is None else source.what_if.n_bytes
    fits = detailed(model, order, len(rows.numbers), taken)
    longest = int(np.clip(100_000 // len(fits), 40, 200))  # the more names, the less room for each
    return tuple(
        AttributeFacts(
            name=one_line(attribute.name, longest),
            is_number=isinstance(attribute, NumericAttribute),
            part=attribute.part,
            ordered=isinstance(attribute, NumericAttribute) or attribute.is_number,
            constant=_is_constant(columns[j]),
            unused=attribute.pooled if isinstance(attribute, CategoricalAttribute) and attribute.is_unused else 0,
            missing=0 if columns[j].is_complete else int(columns[j].missing.sum()),
            share=float(source.shares[j]),
            weight=float(model.weights_[j]),
            relevance=float(model.relevance_[j]) if source.has_beta else None,
            redundancy=float(model.redundancy_[j]) if source.has_beta else None,
            similar=similar[j],
            detail=detail_of(model, j, columns[j], rows.codes[:, j], errors, source.series, source.truth)
            if fits[j]
            else None,
        )
        for j, attribute in enumerate(model.encoder_.attributes)
    )


def _is_constant(column: Column) -> bool:
    """Return whether all values that are not missing are equal."""
    values = column.values[~column.missing]
    return bool((values == values[0]).all()) if len(values) else True


def _most_similar(model: Any) -> list[tuple[int, float] | None]:
    """Return the attribute most similar to each, by Pearson's correlation of the codes, where its moments were kept."""
    n = len(model.weights_)
    if n < 2 or model.counts_.moments is None:
        return [None] * n
    matrix = np.array(find_redundancy("pearson")(model.counts_))
    np.fill_diagonal(matrix, -1.0)
    most = matrix.argmax(axis=1)
    return [(int(k), float(matrix[j, k])) for j, k in enumerate(most)]
