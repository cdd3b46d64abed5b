"""Whether the parts of a model fit each other: the table follows from the weights, the counts and the options.

The checks are made when a model is saved and again when it is loaded. A sum or a logarithm may differ in its last bits
from one machine to another, so each comparison has some slack; what a person edits is far beyond it.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from atfnb._typing import FloatArray
from atfnb.classifiers import ATFNB, BaseNB, FusionNB
from atfnb.encoding import Attribute, CategoricalAttribute, Missing
from atfnb.model_file import beta, fusion
from atfnb.model_file.nodes import shown

CLOSE = 1e-9
"""Numbers that differ by less than this share of themselves are taken for equal."""
GRID = 2.0**-50
"""Scores are rounded to a grid, at most this share of the largest sum apart."""


def check(model: BaseNB) -> None:
    """Raise a ValueError, one sentence without the model's name, if the parts of a model do not fit each other."""
    with np.errstate(all="ignore"):  # what overflows is far from what it is compared with
        _check_missing(model)
        _check_counts(model)
        _check_finite(model)
        _check_prior(model)
        if isinstance(model, FusionNB):
            fusion.check(model)
        if isinstance(model, ATFNB):
            beta.check(model)
        _check_weights(model)
        _check_table(model)


def _check_missing(model: BaseNB) -> None:
    """What happens to a missing cell is what the option says."""
    if model.missing not in get_args(Missing):
        raise ValueError(f"the option missing is {shown(model.missing)}, and must be one of {get_args(Missing)}.")
    for attribute in model.encoder_.attributes:
        if attribute.n_known == 0:
            continue
        imputed, own = attribute.missing_code < attribute.n_known, attribute.n_values > attribute.n_known
        if imputed != (model.missing == "impute") or (own and model.missing != "value"):
            raise ValueError(
                f"a missing cell of column {shown(attribute.name)} is not treated as the option "
                f"missing={model.missing!r} says."
            )


def _check_counts(model: BaseNB) -> None:
    """Every row is counted once in each column, and has a class."""
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
    sums = counts.per_attribute(counts.values)  # (attributes, classes)
    wrong = np.argwhere(np.abs(sums - counts.classes) > 1e-12 * total)
    if len(wrong):
        j, c = wrong[0]
        raise ValueError(
            f"the counts of column {_name(model, j)} for class {shown(names[c])} add up to {sums[j, c]:.15g}, and the "
            f"class has {counts.classes[c]:.15g}."
        )
    for j, attribute in enumerate(model.encoder_.attributes):
        _check_imputed(attribute, counts.of(j).sum(axis=1))


def _check_imputed(attribute: Attribute, weights: FloatArray) -> None:
    """A missing category is taken for the most frequent one."""
    if not isinstance(attribute, CategoricalAttribute) or attribute.missing_code >= attribute.n_known:
        return
    if weights[attribute.missing_code] < (1 - CLOSE) * weights.max():
        raise ValueError(
            f"a missing cell of column {shown(attribute.name)} is taken for value {attribute.missing_code}, which "
            "is not the most frequent one."
        )


def _check_finite(model: BaseNB) -> None:
    """No sum of scores overflows."""
    if not np.isfinite(_largest(model)):
        raise ValueError("the scores are too large for floating point.")


def _largest(model: BaseNB) -> float:
    """The largest score that there can be, but for its sign."""
    per_cell, counts = np.abs(model.table_).max(axis=1), model.counts_
    return float(np.maximum.reduceat(per_cell, counts.offsets[:-1]).sum() + np.abs(model.class_log_prior_).max())


def _check_prior(model: BaseNB) -> None:
    """What the classes start from is log P(c); with effects of values, but for biases that add up to nothing."""
    model._check_parameters("alpha", "fit_prior")
    expected = model._log_prior(model.counts_)
    away = model.class_log_prior_ - expected
    if fusion.of_values(model):
        away = np.array([away.sum()])
    if not (np.abs(away) <= CLOSE * (1 + np.abs(expected).max()) + GRID * _largest(model)).all():
        raise ValueError("what the classes start from does not follow from their counts and the options.")


def _check_weights(model: BaseNB) -> None:
    """The weights are what the classifier makes of its indexes."""
    expected, slack = model._weights_again()
    if expected is None:
        return
    expected = np.where(model.counts_.n_values > 0, expected, 0.0)
    wrong = np.flatnonzero(~(np.abs(model.weights_ - expected) <= CLOSE * (np.abs(expected) + slack)))
    if len(wrong):
        raise ValueError(
            f"the weight of column {_name(model, wrong[0])} is {model.weights_[wrong[0]]:.6g}, and what it is made of "
            f"gives {expected[wrong[0]]:.6g}."
        )


def _check_table(model: BaseNB) -> None:
    """The table is w_j log P(a|c), made of the weights, the counts and alpha; or it holds the effects of values."""
    low, high = model._scores_again()
    size = np.maximum(np.abs(low), np.abs(high))
    largest = np.maximum.reduceat(size.max(axis=1), model.counts_.offsets[:-1])  # (attributes,)
    per_attribute = CLOSE * largest + 1e-12 * np.abs(model.weights_) + GRID * _largest(model)
    slack = model.counts_.per_cell(per_attribute)[:, None]
    wrong = np.argwhere(~((model.table_ >= low - slack) & (model.table_ <= high + slack)))
    if len(wrong):
        cell, c = wrong[0]
        j = int(np.searchsorted(model.counts_.offsets, cell, side="right")) - 1
        value, adds, name = cell - model.counts_.offsets[j], model.table_[cell, c], model.classes_[c].item()
        raise ValueError(
            f"value {value} of column {_name(model, j)} adds {adds:.6g} to class {shown(name)}, and that does not "
            "follow from the weight, the counts and the options."
        )


def _name(model: BaseNB, j: Any) -> str:
    return shown(model.encoder_.attributes[int(j)].name)
