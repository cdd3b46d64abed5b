"""Table → integer codes: mixed columns, missing and unseen values, ChiMerge."""

from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    EmptyColumnWarning,
    Missing,
    NumericAttribute,
    without_values,
)
from atfnb.encoding.chimerge import ChiMerge, MaxBins, check_max_bins, chimerge
from atfnb.encoding.encoder import TableEncoder, check_missing, fit_encoder
from atfnb.encoding.fine import Distribution, FineEncoder, distributions_of, refine_encoder
from atfnb.encoding.kinds import kind_of_values, learned_kinds

__all__ = [
    "Attribute",
    "CategoricalAttribute",
    "ChiMerge",
    "Distribution",
    "EmptyColumnWarning",
    "FineEncoder",
    "MaxBins",
    "Missing",
    "NumericAttribute",
    "TableEncoder",
    "check_max_bins",
    "check_missing",
    "chimerge",
    "distributions_of",
    "fit_encoder",
    "kind_of_values",
    "learned_kinds",
    "refine_encoder",
    "without_values",
]
