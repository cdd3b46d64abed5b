"""More than two indexes, and finer weights: per attribute, per value."""

from atfnb.fusion.choice import (
    Fold,
    Keys,
    Sample,
    best_of,
    content_keys,
    deal,
    folds_of,
    sample,
    split,
    try_strengths,
    worth_threads,
)
from atfnb.fusion.directions import by_accuracy, lines_between, search_segment
from atfnb.fusion.effects import Effects, Learned, Rows, Setting, learn, plain, setting_of, target
from atfnb.fusion.leave_one_out import Data, Evidence, Fused, by_likelihood, evidence_of

__all__ = [
    "Data",
    "Effects",
    "Evidence",
    "Fold",
    "Fused",
    "Keys",
    "Learned",
    "Rows",
    "Sample",
    "Setting",
    "best_of",
    "by_accuracy",
    "by_likelihood",
    "content_keys",
    "deal",
    "evidence_of",
    "folds_of",
    "learn",
    "lines_between",
    "plain",
    "sample",
    "search_segment",
    "setting_of",
    "split",
    "target",
    "try_strengths",
    "worth_threads",
]
