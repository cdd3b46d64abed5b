"""Evaluate classifiers: cross-validation, scores on test rows, comparisons, and sentences that describe them.

:func:`cross_validate` compares classifiers on one table; :func:`score_on` scores a trained model on rows whose classes
are known; :func:`drift_of` compares new rows with those that a model was trained on.
"""

from atfnb.evaluation.comparison import LEVEL, Difference, corrected_p_value
from atfnb.evaluation.cross_validation import Evaluation, cross_validate, measured
from atfnb.evaluation.drift import LARGE, SOME, Drift, Shift, drift_of, stability_index
from atfnb.evaluation.fit import Fit, measuring_fit
from atfnb.evaluation.metrics import (
    LOWER_IS_BETTER,
    METRICS,
    Answers,
    Measured,
    brier,
    log_loss,
    main_metric,
    over_classes,
    reliability,
)
from atfnb.evaluation.scoring import Scores, are_training_rows, score_on
from atfnb.evaluation.words import (
    Name,
    Sentence,
    compared,
    difference_in_words,
    doubtful_probabilities,
    first_few,
    how_many_found,
    how_right,
    joined,
    listed,
    not_judged_in_words,
    percent,
    quoted,
    unknown_in_words,
)

__all__ = [
    "LARGE",
    "LEVEL",
    "LOWER_IS_BETTER",
    "METRICS",
    "SOME",
    "Answers",
    "Difference",
    "Drift",
    "Evaluation",
    "Fit",
    "Measured",
    "Name",
    "Scores",
    "Sentence",
    "Shift",
    "are_training_rows",
    "brier",
    "compared",
    "corrected_p_value",
    "cross_validate",
    "difference_in_words",
    "doubtful_probabilities",
    "drift_of",
    "first_few",
    "how_many_found",
    "how_right",
    "joined",
    "listed",
    "log_loss",
    "main_metric",
    "measured",
    "measuring_fit",
    "not_judged_in_words",
    "over_classes",
    "percent",
    "quoted",
    "reliability",
    "score_on",
    "stability_index",
    "unknown_in_words",
]
