"""Evaluate classifiers: cross-validation, scores on test rows, comparisons, and sentences that describe them.

:func:`cross_validate` compares classifiers on one table; :func:`score_on` scores a trained model on rows whose classes
are known.
"""

from atfnb.evaluation.comparison import LEVEL, Difference, corrected_p_value
from atfnb.evaluation.cross_validation import Evaluation, cross_validate, measured
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
    first_few,
    how_right,
    joined,
    listed,
    missed_in_words,
    not_judged_in_words,
    percent,
    quoted,
)

__all__ = [
    "LEVEL",
    "LOWER_IS_BETTER",
    "METRICS",
    "Answers",
    "Difference",
    "Evaluation",
    "Measured",
    "Name",
    "Scores",
    "Sentence",
    "are_training_rows",
    "brier",
    "compared",
    "corrected_p_value",
    "cross_validate",
    "difference_in_words",
    "first_few",
    "how_right",
    "joined",
    "listed",
    "log_loss",
    "main_metric",
    "measured",
    "missed_in_words",
    "not_judged_in_words",
    "over_classes",
    "percent",
    "quoted",
    "reliability",
    "score_on",
]
