"""Evaluate classifiers: cross-validation, scores on test rows, comparisons, doubtful columns, and sentences on them.

:func:`evaluate_rows` and :func:`cross_validate` compare classifiers on one table; :func:`score_on` scores a trained
model on rows whose classes are known; :func:`drift_of` compares new rows with those that a model was trained on.
"""

from atfnb.evaluation.boosting import beyond_pairs
from atfnb.evaluation.cross_validation import Evaluation, cross_validate, measured
from atfnb.evaluation.drift import LARGE, SOME, Drift, Shift, drift_of, stability_index
from atfnb.evaluation.hints import hidden_order
from atfnb.evaluation.metrics import (
    LEVEL,
    LOWER_IS_BETTER,
    METRICS,
    Answers,
    Difference,
    Measured,
    brier,
    corrected_p_value,
    log_loss,
    main_metric,
    over_classes,
    ranks_of,
    reliability,
)
from atfnb.evaluation.peers import PEERS, Peer
from atfnb.evaluation.scales import order_of, orders_in_words
from atfnb.evaluation.scoring import (
    Fit,
    Scores,
    are_coded_training_rows,
    are_training_rows,
    measure_fit,
    score_codes,
    score_on,
)
from atfnb.evaluation.splitting import held_out_rows
from atfnb.evaluation.tables import (
    GUESSING,
    Doubts,
    doubts_in_words,
    doubts_of,
    evaluate_rows,
    row_numbers,
)
from atfnb.evaluation.words import (
    Name,
    Sentence,
    acting_together,
    compared,
    copies_in_words,
    difference_in_words,
    doubtful_probabilities,
    how_far_off,
    how_many_found,
    how_right,
    in_a_row,
    joined,
    listed,
    not_judged_in_words,
    quoted,
    unknown_in_words,
)

# cross-validation and comparisons
__all__ = ["GUESSING", "LEVEL", "Difference", "Evaluation", "corrected_p_value", "cross_validate", "hidden_order"]
__all__ += ["PEERS", "Peer", "evaluate_rows", "held_out_rows", "measured"]
# metrics, and scores of a trained model
__all__ += ["LOWER_IS_BETTER", "METRICS", "Answers", "Fit", "Measured", "Scores", "are_coded_training_rows"]
__all__ += ["are_training_rows", "brier", "log_loss", "main_metric", "measure_fit", "over_classes", "reliability"]
__all__ += ["score_codes", "score_on"]
# new rows, and what to know before trusting a model
__all__ += ["LARGE", "SOME", "Doubts", "Drift", "Shift", "beyond_pairs", "doubts_in_words", "doubts_of", "drift_of"]
__all__ += ["how_far_off", "order_of", "orders_in_words", "ranks_of"]
__all__ += ["row_numbers", "stability_index"]
# sentences
__all__ += [
    "Name",
    "Sentence",
    "acting_together",
    "compared",
    "copies_in_words",
    "difference_in_words",
    "doubtful_probabilities",
]
__all__ += ["how_many_found", "how_right", "in_a_row", "joined", "listed", "not_judged_in_words", "quoted"]
__all__ += ["unknown_in_words"]
