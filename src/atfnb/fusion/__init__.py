"""More than two indexes, and finer weights: per attribute, per value."""

from atfnb.fusion.choice import Keys, best_of, clearly_better, content_keys, deal, sample, try_strengths
from atfnb.fusion.directions import by_accuracy, lines_between, search_segment
from atfnb.fusion.effects import Effects, Learned, Rows, Setting, learn, plain, setting_of, target
from atfnb.fusion.leave_one_out import Evidence, Fused, by_likelihood, evidence_of

__all__ = [
    "Effects",
    "Evidence",
    "Fused",
    "Keys",
    "Learned",
    "Rows",
    "Setting",
    "best_of",
    "by_accuracy",
    "by_likelihood",
    "clearly_better",
    "content_keys",
    "deal",
    "evidence_of",
    "learn",
    "lines_between",
    "plain",
    "sample",
    "search_segment",
    "setting_of",
    "target",
    "try_strengths",
]
