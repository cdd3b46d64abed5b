"""Whether a table has changed since a model was trained: new rows compared with what the model keeps of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import chi2

from atfnb._typing import CodeArray, FloatArray
from atfnb.encoding import Attribute, NumericAttribute
from atfnb.evaluation.fit import Fit
from atfnb.evaluation.metrics import log_loss, over_classes, reliability
from atfnb.evaluation.scoring import are_coded_training_rows, check_kind
from atfnb.model import most_probable
from atfnb.tables import Column, encode_labels, is_missing, read_again

SOME = 0.1
"""The population stability index below which little has changed, as is usual."""
LARGE = 0.25
"""The population stability index above which much has changed, as is usual."""
EMPTY = 0.5
"""What is added to the number of rows of each value, before and now, so that a value without rows has a share too."""
CHANCE = 0.95
"""The share of tables from the same source whose index stays below ``by_chance``."""


@dataclass(frozen=True)
class Shift:
    """How far a distribution over values has moved."""

    name: str
    """The attribute; or "the classes"."""
    psi: float
    """The population stability index: see :func:`stability_index`."""
    by_chance: float
    """What chance alone stays below in 19 of 20 tables of this size: a lower index shows no change."""
    unseen: float
    """The share of the new rows that have a value, or a class, that did not occur in training."""
    missing: float = 0.0
    """The share of the new rows in which the value is missing."""
    missing_before: float | None = None
    """That share in training; None if the model replaced missing values and so does not know."""
    moves_on: bool = False
    """Whether it is the date or the month of a column of dates, which later rows change even if nothing else does."""

    @property
    def change(self) -> str:
        """How large the change is: "none", "little", "some" or "large"; "unclear" if chance may explain it."""
        if self.psi <= self.by_chance:
            return "none" if self.psi < SOME else "unclear"
        return "little" if self.psi < SOME else "some" if self.psi <= LARGE else "large"


@dataclass(frozen=True)
class Drift:
    """New rows compared with those that a model was trained on."""

    rows_before: int
    rows: int
    attributes: tuple[Shift, ...]
    """Each attribute, the one that moved most first."""
    classes: Shift | None = None
    """The classes, if those of the new rows are known."""
    labelled: int = 0
    """The number of new rows whose class is known."""
    now: Fit | None = None
    """Accuracy, log-loss and calibration on these rows."""
    before: Fit | None = None
    """The same on the training rows, from which the model has learned; None if the model does not keep it."""
    training_rows: bool = False
    """Whether these are exactly the rows that the model was trained on."""


def stability_index(before: FloatArray, now: FloatArray) -> tuple[float, float]:
    """Return the population stability index Σ_v (q_v − p_v) log (q_v / p_v), and what it stays below by chance.

    p_v and q_v are the shares of value v, (n_v + ½) / (n + ½·V), before and now: half a row is added to each of the V
    values that occur in either. By chance, the index is about χ² of V − 1 degrees of freedom, times 1/n + 1/m for n
    rows before and m rows now; 19 of 20 are below the second number.

    Parameters
    ----------
    before, now : (values,) array
        The number of rows with each value.

    Examples
    --------
    >>> psi, by_chance = stability_index(np.array([500.0, 500.0]), np.array([70.0, 30.0]))
    >>> print(f"{psi:.3f}, by chance {by_chance:.3f}")
    0.166, by chance 0.042
    """
    there = (before + now) > 0
    n_values = int(there.sum())
    if n_values < 2 or not now.sum() or not before.sum():
        return 0.0, 0.0
    p, q = ((rows[there] + EMPTY) / (rows.sum() + EMPTY * n_values) for rows in (before, now))
    by_chance = chi2.ppf(CHANCE, n_values - 1) * (1 / before.sum() + 1 / now.sum())
    return float(((q - p) * np.log(q / p)).sum()), float(by_chance)


def drift_of(model: Any, X: Any, y: Any = None) -> Drift:
    """Compare new rows with those that a model was trained on, by the counts that it keeps of them.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    X : data frame or two-dimensional array-like of shape (rows, columns)
        New rows, with the columns that the model was trained on.
    y : array-like of shape (rows,), optional
        The class of each row, None or NaN where it is not known: the classes are then compared too, and the model is
        scored.

    Returns
    -------
    Drift

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = drift_of(NB().fit(X[::2], y[::2]), X[1::2].assign(**{"sepal width (cm)": 9.0}))
    >>> [(shift.name, shift.change) for shift in found.attributes][:2]
    [('sepal width (cm)', 'large'), ('petal length (cm)', 'none')]
    """
    table = model.encoder_.aligned(read_again(model, X))
    codes, attributes = model.encoder_.encode_table(table), model.encoder_.attributes
    used = [j for j, each in enumerate(attributes) if isinstance(each, NumericAttribute) or not each.is_unused]
    shifts = [_shift(model, j, attributes[j], table.columns[j], codes[:, j]) for j in used]
    order = sorted(range(len(shifts)), key=lambda j: (-shifts[j].psi, j))
    return Drift(
        rows_before=int(model.n_rows_),
        rows=len(codes),
        attributes=tuple(shifts[j] for j in order),
        **({} if y is None else _with_classes(model, codes, y)),
    )


def _shift(model: Any, j: int, attribute: Attribute, column: Column, codes: CodeArray) -> Shift:
    """Return how far an attribute has moved. The values that did not occur in training are one value, "unknown"."""
    counts, n_rows = model.counts_, max(len(codes), 1)
    cells = slice(counts.offsets[j], counts.offsets[j + 1])
    weights = counts.values[cells].sum(axis=1)
    before = weights * (model.n_rows_ / weights.sum())
    now = np.bincount(codes, minlength=len(before)).astype(np.float64)
    missing = int(column.missing.sum())
    unseen = int(((codes == attribute.unknown) & ~column.missing).sum())
    return Shift(
        attribute.name,
        *stability_index(before, now),
        unseen / n_rows,
        missing / n_rows,
        _missing(attribute, before),
        attribute.part in ("date", "month"),
    )


def _missing(attribute: Attribute, rows: FloatArray) -> float | None:
    """Return the share of training rows in which an attribute was missing; None if it was replaced there."""
    if attribute.n_values and attribute.missing_code < attribute.n_known:
        return None
    return float(rows[attribute.n_known :].sum() / rows.sum())


def _with_classes(model: Any, codes: CodeArray, y: Any) -> dict[str, Any]:
    """Return what is known of new rows with a class: how far the classes have moved, and how good the model is."""
    given = np.asarray(y) if hasattr(y, "dtype") else np.array([*y, None], dtype=object)[:-1]
    labelled = ~is_missing(given)
    if not labelled.any():
        return {}
    of_rows, position = encode_labels(given[labelled])
    known, codes = model.classes_, codes[labelled]
    check_kind(known, of_rows)
    classes = np.union1d(known, of_rows)
    truth = np.searchsorted(classes, of_rows)[position]
    before = np.zeros(len(classes))
    before[np.searchsorted(classes, known)] = (
        model.counts_.classes if model.counts_.rows is None else model.counts_.rows
    )
    now = np.bincount(truth, minlength=len(classes)).astype(np.float64)
    unseen = float(now[~np.isin(classes, known)].sum() / now.sum())
    return {
        "classes": Shift("the classes", *stability_index(before, now), unseen),
        "labelled": len(truth),
        "now": _fit_of(model, codes, classes, truth),
        "before": _recorded(model.training_record),
        "training_rows": bool(are_coded_training_rows(model, codes, classes[truth])),
    }


def _fit_of(model: Any, codes: CodeArray, classes: Any, truth: Any) -> Fit:
    joint = model.model_.joint(codes)
    p = over_classes(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)), model.classes_, classes)
    right = np.searchsorted(classes, model.classes_)[most_probable(joint)] == truth
    return Fit.of(reliability(p.max(axis=1), right), log_loss(p, truth) * len(truth))


def _recorded(record: Mapping[str, Any]) -> Fit | None:
    """Return the figures on the training rows that a model file keeps, if it does."""
    return Fit(**record["fit"]) if "fit" in record else None
