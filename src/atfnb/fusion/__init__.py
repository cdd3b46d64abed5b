"""More than two indexes, and finer weights: per attribute, per value."""

from atfnb.fusion.choice import (
    Fold,
    Keys,
    RowSample,
    content_keys,
    deal_weights,
    folds_of,
    lowest_loss,
    sample_rows,
    split_weights,
    try_strengths,
    worth_threads,
)
from atfnb.fusion.directions import fuse_by_accuracy, lines_between, search_segment
from atfnb.fusion.effects import (
    Effects,
    EffectSetting,
    LearnedEffects,
    centred_effects,
    effect_setting,
    learn_effects,
    penalised_loss,
)
from atfnb.fusion.leave_one_out import CountedRows, Evidence, FusedWeights, evidence_of, fuse_by_likelihood

__all__ = [
    "CountedRows",
    "EffectSetting",
    "Effects",
    "Evidence",
    "Fold",
    "FusedWeights",
    "Keys",
    "LearnedEffects",
    "RowSample",
    "centred_effects",
    "content_keys",
    "deal_weights",
    "effect_setting",
    "evidence_of",
    "folds_of",
    "fuse_by_accuracy",
    "fuse_by_likelihood",
    "learn_effects",
    "lines_between",
    "lowest_loss",
    "penalised_loss",
    "sample_rows",
    "search_segment",
    "split_weights",
    "try_strengths",
    "worth_threads",
]
