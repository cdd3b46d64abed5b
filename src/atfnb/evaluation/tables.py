"""Classifiers compared on a table, and columns to look at before trusting a model: rare values, dates, leaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier

from atfnb._errors import Message, Setting, classes_named, listed_names
from atfnb._typing import FloatArray
from atfnb.classifiers import NB, BaseNB
from atfnb.encoding import Attribute, Pooling, pooled_in_words
from atfnb.evaluation.boosting import beyond_pairs
from atfnb.evaluation.cross_validation import Evaluation, cross_validate, take
from atfnb.evaluation.words import copies_in_words, not_judged_in_words
from atfnb.tables import ENOUGH_ROWS, Table, is_identifier

GUESSING = "guessing"
"""The name, among the classifiers, of always guessing the most frequent class."""
FEW = 2
"""A sentence names this number of classifiers, or fewer."""
RIGHT = 0.99
"""A column that alone predicts the class in this share of the rows, or more, may be a leak."""
FEWER = 10
"""A column may be a leak only if it is wrong this many times less often than guessing the most frequent class."""
NAMED_COLUMNS = 5
"""The largest number of columns that a sentence names."""


def evaluate_rows(
    models: Mapping[str, BaseNB],
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    others: Mapping[str, Any] | None = None,
    repeats: int = 4,
    class_spelling: Sequence[str] = (),
    **options: Any,
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
    others : dict of str to classifier, optional
        Classifiers of other libraries, by the names that the result gives them.
    repeats : int, default=4
        How many times the cross-validation is repeated, each with new folds.
    class_spelling : list of str, optional
        The classes in words, in their order, if not as Python writes them.
    **options
        ``folds``, ``random_state``, ``groups``, ``time`` and ``progress``: see :func:`cross_validate`.

    Returns
    -------
    found : Evaluation
        With the classifiers, and :data:`GUESSING` as one of them.
    plain : NB
        Naive Bayes of all rows, which keeps all values apart: what the columns are like.
    notes : list of str
        Sentences on the classes and the columns; one says if three or more of these act together.

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
        for role in ("groups", "time"):
            if options.get(role) is not None:
                options[role] = np.asarray(options[role])[counting]
    compared = {GUESSING: DummyClassifier(strategy="prior"), **models, **(others or {})}
    options |= {"repeats": repeats, "sample_weight": sample_weight, "leave_out_refusals": True}
    found = replace(cross_validate(compared, X, y, **options), spelling=spelling)
    if not models.keys() & set(found.names):
        raise next(iter(found.refused.values()))
    shared = next(iter(models.values())).get_params(deep=False)
    of_columns = {name: shared[name] for name in ("categorical_features", "cuts", "orders", "dates", "merge_case")}
    plain = NB(missing="value", min_category_rows=None, **of_columns).fit(X, y, sample_weight)
    notes = [*copies_in_words(found.copies, found.folding), *_on_classes(found, y), *_on_pooled(plain, models)]
    for name in filter(models.__contains__, found.names):
        notes += beyond_pairs(found, name, models[name], plain.encoder_, X)
    return found, plain, notes


def _on_classes(found: Evaluation, y: Any) -> Iterator[str]:
    """Generate a sentence on the classes that are not judged, and one on those with fewer rows than folds."""
    if found.not_judged:
        yield not_judged_in_words(found.in_words(found.not_judged))
    classes, counts = np.unique(y, return_counts=True)
    if rare := found.in_words(classes[(counts > 1) & (counts < found.folds)].tolist()):
        rough = "so balanced accuracy, log-loss and macro F1 are rough"
        yield f"{classes_named(rare)}: fewer rows than there are folds, {rough}."


def _on_pooled(plain: NB, models: Mapping[str, BaseNB]) -> Iterator[str]:
    """Generate a sentence on each column with values that count as one in some classifiers."""
    of_models = {name: (model.row_options.pooling, model.missing == "value") for name, model in models.items()}
    strictest = min((rule for rule, _ in of_models.values()), key=lambda rule: rule.fewest)
    for j, each in enumerate(plain.encoder_.attributes):
        if each.is_numeric or each.ordered or each.part is not None:
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


# --- Columns to look at before trusting a model -------------------------------------------------------


@dataclass(frozen=True)
class Doubts:
    """The columns of a model that may be of no use for new rows."""

    rare_values: tuple[str, ...]
    """Columns of text in which most rows have a value of their own: names, addresses, comments."""
    leaks: tuple[tuple[str, float], ...]
    """Columns that alone predict the class almost everywhere, and the share of the rows in which they do."""
    row_numbers: tuple[str, ...] = ()
    """Columns of whole numbers that only number the rows."""


def doubts_of(model: BaseNB, row_numbers: tuple[str, ...] = (), keep: Sequence[str] = ()) -> Doubts:
    """Return the columns of a model that may be of no use for new rows, by what was counted in training.

    Parameters
    ----------
    model : BaseNB
        A fitted classifier.
    row_numbers : tuple of str
        Columns that only number the rows, by :func:`row_numbers`.
    keep : sequence of str
        Columns that are not doubted.

    Examples
    --------
    >>> from atfnb import NB
    >>> X = [[f"name {i}", "paid" if i % 2 else "owed"] for i in range(50)]
    >>> doubts_of(NB().fit(X, [i % 2 for i in range(50)]))
    Doubts(rare_values=('x0',), leaks=(('x1', 1.0),), row_numbers=())
    """
    encoder, counts, rows = model.encoder_, model.counts_, model.n_rows_
    if rows < ENOUGH_ROWS:
        return Doubts((), (), row_numbers)
    unit = rows / max(float(counts.classes.sum()), 1e-300)  # weights that add up to the number of rows
    guess = float(counts.classes.max() / counts.classes.sum())
    rare, leaks = list[str](), dict[str, float]()
    for j, attribute in enumerate(encoder.attributes):
        if attribute.source in keep:
            continue
        table = unit * counts.of_attribute(j)
        if _mostly_once(attribute, table, rows):
            rare.append(attribute.source)
        right = predicts_alone(table) / rows
        if right >= RIGHT and FEWER * (1 - right) <= 1 - guess:
            leaks[attribute.source] = max(right, leaks.get(attribute.source, 0.0))
    return Doubts(tuple(rare), tuple(leaks.items()), row_numbers)


def predicts_alone(table: FloatArray) -> float:
    """Return in how many rows the class is the most frequent one among the other rows with an equal value.

    Parameters
    ----------
    table : (values, classes) array
        The number of rows with each value and each class.

    Examples
    --------
    >>> predicts_alone(np.array([[8.0, 1.0], [0.0, 1.0]]))  # 8 rows; a value that occurs once predicts nothing
    8.0
    """
    first = table.argmax(axis=1)
    most = table[np.arange(len(table)), first]
    others = table.copy()
    others[np.arange(len(table)), first] = 0.0
    return float(most[most - 1 > others.max(axis=1, initial=0.0)].sum())


def _mostly_once(attribute: Attribute, table: FloatArray, rows: int) -> bool:
    """Return whether an attribute is text, and most rows have a value of it that no other row has."""
    if attribute.kind != "text":
        return False
    times, kept = table.sum(axis=1), len(attribute.categories)
    once = float((times[:kept] < 1.5).sum())
    if attribute.pooled:  # if p values have w rows, at least 2 p − w of them occur once
        once += max(2 * attribute.pooled - (rows if attribute.is_unused else float(times[kept])), 0.0)
    return kept + attribute.pooled > ENOUGH_ROWS and 2 * once > rows


def row_numbers(table: Table) -> tuple[str, ...]:
    """Return the names of the columns of whole numbers that only number the rows."""
    found = list[str]()
    for column in table.columns:
        if column.categorical or column.part or not column.is_complete or (column.values % 1).any():
            continue
        distinct = np.unique(column.values)
        span = float(distinct[-1]) - float(distinct[0])
        if is_identifier(column.name, "whole", table.n_rows, len(distinct), span):
            found.append(column.name)
    return tuple(found)


def doubts_in_words(doubts: Doubts, target: str) -> Iterator[str]:
    """Generate a sentence on each kind of doubt; ``target`` says what is predicted."""
    if names := doubts.row_numbers:
        numbers = f"{listed_names(names, NAMED_COLUMNS)}: a different whole number in every row, like a row number, "
        yield Message(numbers, "which predicts nothing in new rows; ", _leave_out(names), ".")
    for name, right in doubts.leaks:
        leak = f"{name!r} alone predicts {target} in {100 * right:.1f} % of the rows: "
        yield Message(leak, "if it is not yet known when a class is to be predicted, ", _leave_out([name]), ".")
    if names := doubts.rare_values:
        its = "its" if len(names) == 1 else "their"
        once = f"{listed_names(names, NAMED_COLUMNS)}: most of {its} values occur only once, like names or comments, "
        yield Message(once, "and predict little in new rows; ", _leave_out(names), ".")


def _leave_out(columns: Sequence[str]) -> Setting:
    return Setting("ignore", columns, act=f"leave {'it' if len(columns) == 1 else 'them'} out and train again")
