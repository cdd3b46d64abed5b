"""Whether the parts of a model fit each other: the table follows from the weights, the counts and the parameters.

The checks are made when a model is saved and again when it is loaded. A sum or a logarithm may differ in its last bits
from one machine to another, so each comparison has a small tolerance; an edit by a person exceeds it by far.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import CategoricalAttribute
from atfnb.model_file.refusals import shown

CLOSE = 1e-9
"""The relative tolerance: numbers that differ by less count as equal."""
GRID = 2.0**-50
"""Contributions are rounded to a grid, whose step is at most this share of the largest sum."""


def check_consistency(model: BaseNB) -> None:
    """Raise a ValueError, one sentence without the model's name, if the parts of a model do not fit each other."""
    with np.errstate(all="ignore"):  # what overflows is far from what it is compared with
        model._check_parameters("missing", "alpha", "fit_prior")
        _check_missing(model)
        _check_counts(model)
        _check_pairs(model)
        _check_value_pairs(model)
        _check_start(model)
        model._check_fitted()
        _check_weights(model)
        _check_table(model)


def _check_missing(model: BaseNB) -> None:
    """Check that a missing value is treated as the parameter ``missing`` says."""
    for attribute in model.encoder_.attributes:
        if attribute.n_known == 0:
            continue
        imputed, own = attribute.missing_code < attribute.n_known, attribute.n_values > attribute.n_known
        if imputed != (model.missing == "impute") or (own and model.missing != "value"):
            raise ValueError(
                f"a missing value of column {shown(attribute.name)} is not treated as the option "
                f"missing={model.missing!r} says."
            )


def _check_counts(model: BaseNB) -> None:
    """Check that every row is counted once in each column, and has a class."""
    counts, names = model.counts_, model.classes_.tolist()
    if (counts.values < 0).any() or (counts.classes <= 0).any():
        raise ValueError("one of the counts is negative, or a class has none.")
    total = float(counts.classes.sum())
    if not 0 < total < 1e200:
        raise ValueError(f"the counts of the classes add up to {total:g}, which is too much.")
    if model.n_rows_ < len(names):
        raise ValueError(f"{model.n_rows_} training rows cannot have had {len(names)} classes.")
    if counts.rows is not None and counts.rows.sum() != model.n_rows_:
        raise ValueError(f"the rows of the classes add up to {counts.rows.sum()}, and it has {model.n_rows_} rows.")
    if counts.value_rows is not None:
        other = np.flatnonzero((counts.value_rows != 0) != counts.values.any(axis=1))
        if len(other):
            j = int(np.searchsorted(counts.offsets, other[0], side="right")) - 1
            raise ValueError(f"the rows of column {_name(model, j)} are not those that its counts are of.")
    sums = counts.per_attribute(counts.values)  # (attributes, classes)
    wrong = np.argwhere(np.abs(sums - counts.classes) > 1e-12 * total)
    if len(wrong):
        j, c = wrong[0]
        raise ValueError(
            f"the counts of column {_name(model, j)} for class {shown(names[c])} add up to {sums[j, c]:.15g}, and the "
            f"class has {counts.classes[c]:.15g}."
        )
    for j, attribute in enumerate(model.encoder_.attributes):
        if isinstance(attribute, CategoricalAttribute) and "updates" not in model.training_record:
            _check_imputed(attribute, counts.of(j).sum(axis=1))


def _check_imputed(attribute: CategoricalAttribute, weights: FloatArray) -> None:
    """Check that a missing category is replaced by the most frequent one, if by any.

    The pooled ones, which may have more rows together, are none of them, unless all are pooled.
    """
    code, own = attribute.missing_code, len(attribute.categories) or attribute.n_known
    if code < attribute.n_known and (code >= own or weights[code] < (1 - CLOSE) * weights[:own].max()):
        raise ValueError(
            f"a missing value of column {shown(attribute.name)} is taken for value {code}, which is not the most "
            "frequent one."
        )


def _check_pairs(model: BaseNB) -> None:
    """Check that the rows in the grid of each pair are among those of its columns."""
    grids = model.model_.grids
    if grids is None:
        return
    weights, total = model.counts_.values.sum(axis=1), float(model.counts_.classes.sum())
    for p, pair in enumerate(grids.of.tolist()):
        grid = grids.rows_of(p)
        for axis, j in enumerate(pair):
            cells = slice(grids.starts[j], grids.starts[j + 1] - 1)
            of_groups = np.bincount(grids.groups[cells], weights[cells], grids.n_groups[j])
            if (grid.sum(axis=1 - axis) > of_groups + 1e-12 * total).any():
                raise ValueError(f"the rows of a pair with column {_name(model, j)} are more than the column has.")


def _check_value_pairs(model: BaseNB) -> None:
    """Check that the counts of a value with those of any other column add up to the counts of the value."""
    if model.counts_.pairs is None:
        return
    counts = model.counts_.without_empty()
    weights, total, of = counts.values.sum(axis=1), counts.classes.sum(), counts.per_attribute
    place = np.repeat(np.arange(len(counts.n_values)), counts.n_values + 1)  # (cells,) the attribute of each
    both = np.asarray(counts.pairs) + np.asarray(counts.pairs).T
    away = np.abs(of(both, axis=1) - weights[:, None])  # (cells, attributes)
    away[np.arange(len(place)), place] = 0.0
    if not (away <= 1e-12 * total).all():
        raise ValueError("the counts of pairs of values do not add up to those of the values.")


def _check_start(model: BaseNB) -> None:
    """Check that the starting values of the classes are log P(c)."""
    expected = model._start_again()
    away = np.abs(model.model_.start - expected)
    if not (away <= CLOSE * (1 + np.abs(expected).max()) + GRID * model.model_.largest).all():
        raise ValueError("the starting value of a class does not follow from the counts and the options.")


def _check_weights(model: BaseNB) -> None:
    """Check that the weights are what the classifier makes of its other fitted fields."""
    expected, size = model._weights_again()
    if expected is None:
        return
    expected = np.where(model.counts_.n_values > 0, expected, 0.0)
    wrong = np.flatnonzero(~(np.abs(model.weights_ - expected) <= CLOSE * (np.abs(expected) + size)))
    if len(wrong):
        raise ValueError(
            f"the weight of column {_name(model, wrong[0])} is {model.weights_[wrong[0]]:.6g}, and what it is made of "
            f"gives {expected[wrong[0]]:.6g}."
        )


def _check_table(model: BaseNB) -> None:
    """Check that the contributions of values lie where the weights, the counts and the parameters put them."""
    low, high = model._scores_again()
    size = np.maximum(np.abs(low), np.abs(high))
    largest = np.maximum.reduceat(size.max(axis=1), model.counts_.offsets[:-1])  # (attributes,)
    per_attribute = CLOSE * largest + 1e-12 * np.abs(model.weights_) + GRID * model.model_.largest
    slack = model.counts_.per_cell(per_attribute)[:, None]
    scores = model.model_.scores
    wrong = np.argwhere(~((scores >= low - slack) & (scores <= high + slack)))
    if len(wrong):
        cell, c = wrong[0]
        j = int(np.searchsorted(model.counts_.offsets, cell, side="right")) - 1
        value, adds, name = cell - model.counts_.offsets[j], scores[cell, c], model.classes_[c].item()
        raise ValueError(
            f"value {value} of column {_name(model, j)} adds {adds:.6g} to class {shown(name)}, and that does not "
            "follow from the weight, the counts and the options."
        )


def _name(model: BaseNB, j: Any) -> str:
    return shown(model.encoder_.attributes[int(j)].name)
