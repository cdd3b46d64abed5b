"""Whether a table has changed since a model was trained: new rows compared with what the model keeps of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import chi2

from atfnb._errors import AdvisedError, Setting
from atfnb._pieces import on_cores
from atfnb._typing import CodeArray, FloatArray
from atfnb.encoding import Attribute
from atfnb.evaluation.metrics import Answers
from atfnb.evaluation.scoring import Fit, are_coded_training_rows, check_kind, fit_sums, unknown_classes
from atfnb.tables import Column, encode_labels, given_weights, is_missing

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
    used: bool = True
    """Whether the column has any effect on what the model predicts."""

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
    unknown: Mapping[str, int] = field(default_factory=dict)
    """The classes of new rows that the model does not know, with their rows, which are not in ``now``."""
    labelled: int = 0
    """The number of new rows that have a class."""
    now: Fit | None = None
    """Accuracy, log-loss and calibration on these rows; None if the model knows the class of none of them."""
    before: Fit | None = None
    """The same on the training rows, from which the model has learned; None if the model does not keep it."""
    training_rows: bool = False
    """Whether these are exactly the rows that the model was trained on."""

    @property
    def lasting(self) -> list[Shift]:
        """The attributes that the model uses and that stay the same as time goes on: not dates and months."""
        return [shift for shift in self.attributes if shift.used and not shift.moves_on]

    def above(self, limit: float) -> list[Shift]:
        """Return the lasting attributes that have moved further than a limit of the index, and than chance explains."""
        return [shift for shift in self.lasting if shift.psi > max(limit, shift.by_chance)]


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


def drift_of(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Drift:
    """Compare new rows with those that a model was trained on, by the counts that it keeps of them.

    Rows are compared with rows, whatever weights the model was trained with. If the new rows have weights, weights are
    compared with weights; rows of weight 0 are left out.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    X : data frame or two-dimensional array-like of shape (rows, columns)
        New rows, with the columns that the model was trained on.
    y : array-like of shape (rows,), optional
        The class of each row, None or NaN where it is not known: the classes are then compared too, and the model is
        scored, in which every row counts the same.
    sample_weight : array-like of shape (rows,), optional
        How much each row counts, as in training. A model with a ``class_weight`` does not know what its rows weighed.

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
    table = model.new_rows(X)
    weight, given = given_weights(sample_weight, table.n_rows), None if y is None else _as_array(y)
    if not weight.all():
        counting = weight > 0
        table, weight, given = table.take(counting), weight[counting], None if given is None else given[counting]
    weight, of_classes, of_values = _as_rows(model, weight, weighted=sample_weight is not None)
    with on_cores(model.n_jobs):
        codes, attributes = model.encoder_.encode_table(table), model.encoder_.attributes
    offsets, matters = model.counts_.offsets, model.feature_importances_[model.encoder_.source_positions] > 0
    shifts = [
        replace(
            _shift(each, table.columns[j], codes[:, j], weight, of_values[offsets[j] : offsets[j + 1]]),
            used=bool(matters[j]),
        )
        for j, each in enumerate(attributes)
        if not each.is_unused
    ]
    return Drift(
        rows_before=int(model.n_rows_),
        rows=len(codes),
        attributes=tuple(sorted(shifts, key=lambda shift: -shift.psi)),
        **({} if given is None else _with_classes(model, codes, given, weight, of_classes)),
    )


def _as_array(y: Any) -> Any:
    """Return the classes of rows, of which some may be missing, as an array: (rows,)."""
    return np.asarray(y) if hasattr(y, "dtype") else np.array([*y, None], dtype=object)[:-1]


def _as_rows(model: Any, weight: FloatArray, *, weighted: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the weights of the new rows, and how many training rows each class and each value had.

    Rows of different weights say less than as many equal ones: all are scaled to the effective number of rows,
    (Σw)² / Σw² of the new rows (Kish 1965), because the model does not keep Σw² of its own.
    """
    counts = model.counts_
    if weighted and model.class_weight is not None:
        fault = "the model was trained with weights of classes, so it does not know what its rows weighed: "
        raise AdvisedError(fault, "compare rows with rows, without ", Setting("sample_weight"), ".")
    classes, values = counts.classes, counts.values.sum(axis=1)
    if not weighted and counts.rows is not None:
        classes, values = counts.rows, counts.rows_of_values
    effective = weight.mean() ** 2 / (weight**2).mean() if len(weight) else 1.0
    scale = effective * model.n_rows_ / classes.sum()
    return weight * (effective / weight.mean()) if len(weight) else weight, classes * scale, values * scale


def _shift(attribute: Attribute, column: Column, codes: CodeArray, weight: FloatArray, before: FloatArray) -> Shift:
    """Return how far an attribute has moved. The values that did not occur in training are one value, "unknown"."""
    total = max(weight.sum(), 1e-300)
    return Shift(
        attribute.name,
        *stability_index(before, np.bincount(codes, weight, len(before)).astype(np.float64)),
        float(weight[(codes == attribute.unknown) & ~column.missing].sum() / total),
        float(weight[column.missing].sum() / total),
        _missing(attribute, before),
        attribute.part in ("date", "month"),
    )


def _missing(attribute: Attribute, rows: FloatArray) -> float | None:
    """Return the share of training rows in which an attribute was missing; None if it was replaced there."""
    if attribute.n_values and attribute.missing_code < attribute.n_known:
        return None
    return float(rows[attribute.n_known :].sum() / rows.sum())


def _with_classes(
    model: Any, codes: CodeArray, given: Any, weight: FloatArray, of_classes: FloatArray
) -> dict[str, Any]:
    """Return what is known of new rows with a class: how far the classes have moved, and how good the model is."""
    labelled = ~is_missing(given)
    if not labelled.any():
        return {}
    of_rows, position = encode_labels(given[labelled])
    known, codes = model.classes_, codes[labelled]
    check_kind(known, of_rows)
    classes = np.union1d(known, of_rows)
    truth, is_known = np.searchsorted(classes, of_rows)[position], np.isin(classes, known)
    before = np.zeros(len(classes))
    before[is_known] = of_classes
    now = np.bincount(truth, weight[labelled], len(classes)).astype(np.float64)
    of_known, record = is_known[truth], model.training_record
    with on_cores(model.n_jobs):
        joint, own = model.model_.joint(codes[of_known]), (np.cumsum(is_known) - 1)[truth[of_known]]
    return {
        "classes": Shift("the classes", *stability_index(before, now), float(now[~is_known].sum() / now.sum())),
        "unknown": unknown_classes(classes[truth[~of_known]]),
        "labelled": len(truth),
        "now": Fit.of(fit_sums(Answers.of_joint(joint, own))) if of_known.any() else None,
        "before": Fit(**record["fit"]) if "fit" in record else None,
        "training_rows": bool(are_coded_training_rows(model, codes, classes[truth])),
    }
