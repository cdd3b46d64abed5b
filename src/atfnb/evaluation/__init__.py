"""How good classifiers are: cross-validation, a test file, comparisons, and the words for them."""

from atfnb.evaluation.comparison import (
    LEVEL,
    Difference,
    balanced_difference,
    corrected_difference,
    corrected_standard_error,
    paired_difference,
)
from atfnb.evaluation.cross_validation import LOWER_IS_BETTER, METRICS, Answers, Evaluation, cross_validate
from atfnb.evaluation.measured import Measured, is_uneven, main_metric, measured
from atfnb.evaluation.scoring import Scores, are_training_rows, score_on
from atfnb.evaluation.words import (
    Name,
    Sentence,
    compared,
    difference_in_words,
    how_right,
    joined,
    listed,
    missed_in_words,
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
    "balanced_difference",
    "compared",
    "corrected_difference",
    "corrected_standard_error",
    "cross_validate",
    "difference_in_words",
    "how_right",
    "is_uneven",
    "joined",
    "listed",
    "main_metric",
    "measured",
    "missed_in_words",
    "paired_difference",
    "percent",
    "quoted",
    "score_on",
]
