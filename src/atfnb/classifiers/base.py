"""What every classifier here shares: an encoder, a prior, and one table of additive scores."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from atfnb._typing import ClassArray, CodeArray, FloatArray
from atfnb.counts import Counts, Need, count, pair_bytes
from atfnb.encoding import MaxBins, Missing, TableEncoder, encode_labels, fit_encoder, read_table, read_weights
from atfnb.likelihood import add_up, log_likelihood, log_prior, on_grid

MAX_PAIR_BYTES = 1 << 31


@dataclass(frozen=True)
class TrainingRows:
    """The training rows, encoded: what counting and the search for β pass over."""

    codes: CodeArray
    y: ClassArray
    weight: FloatArray


class BaseNB(ClassifierMixin, BaseEstimator):
    """Naive Bayes whose attributes count as much as ``_weigh`` says.

    A subclass says what must be counted (``_needs``) and how much each attribute counts (``_weigh``). The weights
    enter the model in one place, ``_set_weights``; predictions, explanations and plots read the table made there.

    The parameters and the fitted attributes are told in :class:`~atfnb.NB`.
    """

    classes_: Any
    encoder_: TableEncoder
    counts_: Counts
    weights_: FloatArray
    table_: FloatArray
    class_log_prior_: FloatArray

    def __init__(
        self,
        *,
        categorical_features: Any = "from_dtype",
        max_bins: MaxBins = "n_classes",
        missing: Missing = "impute",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.missing = missing
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    # --- learning -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X : data frame or two-dimensional array-like
            Numbers, text, truth values and gaps, as they come.
        y : array-like
            The class of each row.
        sample_weight : array-like, optional
            How much each row counts; an integer weight is a repetition, a zero weight an absence.
        """
        rows = self._encode(X, y, sample_weight)
        self.counts_ = self._count(rows)
        self.class_log_prior_ = self._log_prior()
        return self._set_weights(self._weigh(self.counts_, rows))

    def _encode(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Table → codes, and the encoder that does it again."""
        if not (isinstance(self.alpha, Real) and np.isfinite(self.alpha) and self.alpha > 0):
            raise ValueError(f"alpha must be a number above 0, not {self.alpha!r}.")
        columns = read_table(X, self.categorical_features)
        validate_data(self, X, skip_check_array=True)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None: give the class of each row.")
        self.classes_, classes = encode_labels(y)
        if len(classes) != len(columns[0].values):
            raise ValueError(
                f"X has {len(columns[0].values)} rows and y has {len(classes)}: inconsistent numbers of samples."
            )
        weight = read_weights(sample_weight, len(classes))
        if not weight.all():
            counting = weight > 0
            columns, weight = [column.take(counting) for column in columns], weight[counting]
            present, again = np.unique(classes[counting], return_inverse=True)
            self.classes_, classes = self.classes_[present], again.astype(np.int32)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only, {self.classes_[0]!r}: there is nothing to tell apart.")
        self.encoder_ = fit_encoder(
            columns, classes, weight, len(self.classes_), max_bins=self.max_bins, missing=self.missing
        )
        return TrainingRows(self.encoder_.encode_columns(columns), classes, weight)

    def _count(self, rows: TrainingRows) -> Counts:
        """Codes → counts of what the weights need."""
        n_values, needs = self.encoder_.n_values, self._needs()
        if "pairs" in needs and pair_bytes(n_values) > MAX_PAIR_BYTES:
            name = self.encoder_.attributes[int(np.argmax(n_values))].name
            raise ValueError(
                f"the tables of value pairs would need {pair_bytes(n_values) / 1e9:.0f} GB: column {name!r} alone has "
                f"{n_values.max()} values. Leave it out, or use ATFNB with redundancy='pearson', which needs no pairs."
            )
        return count(rows.codes, rows.y, rows.weight, n_values, len(self.classes_), needs)

    def _needs(self) -> AbstractSet[Need]:
        """What must be counted beside the class tables."""
        return frozenset()

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        """How much each attribute counts."""
        raise NotImplementedError

    def _log_prior(self) -> FloatArray:
        """Log P(c): smoothed frequencies (Eq. 2), equal ones, or the user's."""
        n_classes = len(self.classes_)
        if self.class_prior is None:
            if self.fit_prior:
                return log_prior(self.counts_, self.alpha)
            return np.full(n_classes, -np.log(n_classes))
        prior = np.asarray(self.class_prior, dtype=np.float64)
        if prior.shape != (n_classes,):
            raise ValueError(f"Number of priors must match number of classes: class_prior needs {n_classes} numbers.")
        if not (prior > 0).all():
            raise ValueError("class_prior must be above 0 for every class.")
        return np.asarray(np.log(prior / prior.sum()))

    def _set_weights(self, weights: FloatArray) -> Self:
        """The one door for weights: log P(c) + Σ_j w_j log P(x_j|c) (Eq. 4) as a table of additive scores."""
        weighted = self.counts_.per_cell(weights)[:, None] * log_likelihood(self.counts_, self.alpha)
        self.weights_ = weights
        self.table_, self.class_log_prior_ = on_grid(weighted, self.class_log_prior_, self.counts_)
        return self

    # --- answering ------------------------------------------------------------------------------------

    def _codes(self, X: Any) -> CodeArray:
        check_is_fitted(self)
        columns = read_table(X)
        validate_data(self, X, skip_check_array=True, reset=False)
        return self.encoder_.encode_columns(columns)

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Log P(c) + Σ_j w_j log P(x_j|c), the joint log-likelihood: (rows, classes)."""
        return add_up(self._codes(X), self.table_, self.class_log_prior_, self.counts_)

    def predict(self, X: Any) -> Any:
        """The most probable class of each row, the first of equals."""
        joint = self.predict_joint_log_proba(X)
        return self.classes_[np.argmax(joint, axis=1)]

    def predict_log_proba(self, X: Any) -> FloatArray:
        """The logarithm of each class's probability: (rows, classes)."""
        joint = self.predict_joint_log_proba(X)
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> FloatArray:
        """Each class's probability: (rows, classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def contributions(self, X: Any) -> FloatArray:
        """What each attribute adds to the score of each class: (rows, attributes, classes).

        With ``class_log_prior_`` they sum to :meth:`predict_joint_log_proba`, to the bit.
        """
        codes = self._codes(X)
        return np.asarray(self.table_[codes + self.counts_.offsets[:-1]])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
