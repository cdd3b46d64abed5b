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
from atfnb.fusion.fitting import Coarse, Criterion, FusionOptions, Refined, additive_scores, fuse, refine
from atfnb.fusion.leave_one_out import Data, Evidence, Fused, by_likelihood, evidence_of

__all__ = [
    "Coarse",
    "Criterion",
    "Data",
    "Effects",
    "Evidence",
    "Fold",
    "Fused",
    "FusionOptions",
    "Keys",
    "Learned",
    "Refined",
    "Rows",
    "Sample",
    "Setting",
    "additive_scores",
    "best_of",
    "by_accuracy",
    "by_likelihood",
    "content_keys",
    "deal",
    "evidence_of",
    "folds_of",
    "fuse",
    "learn",
    "lines_between",
    "plain",
    "refine",
    "sample",
    "search_segment",
    "setting_of",
    "split",
    "target",
    "try_strengths",
    "worth_threads",
]
