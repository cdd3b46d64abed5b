"""What a picture or a page needs to know of a model."""

from __future__ import annotations

from typing import Any, Protocol

from atfnb._typing import FloatArray
from atfnb.counts import Counts
from atfnb.encoding import TableEncoder


class Fitted(Protocol):
    """A fitted classifier: an encoder, a prior, one table of additive scores, and what they were made of."""

    classes_: Any
    encoder_: TableEncoder
    counts_: Counts
    weights_: FloatArray
    table_: FloatArray
    class_log_prior_: FloatArray
    n_rows_: int

    def predict(self, X: Any) -> Any:
        """The most probable class of each row."""
        ...

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """The score of each class: (rows, classes)."""
        ...


class Switching(Fitted, Protocol):
    """A fitted classifier with a switching factor β."""

    relevance_: FloatArray
    redundancy_: FloatArray
    beta_: float
    beta_interval_: tuple[float, float]
    beta_intervals_: FloatArray
    beta_accuracy_: float
    step: float

    def accuracy_curve(self) -> tuple[FloatArray, FloatArray]:
        """The training accuracy as a step function of β: edges and accuracies."""
        ...
