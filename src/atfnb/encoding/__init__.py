"""Table → integer codes: mixed columns, missing and unseen values, ChiMerge."""

from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    EmptyColumnWarning,
    Missing,
    NumericAttribute,
    without_values,
)
from atfnb.encoding.chimerge import ChiMerge, MaxBins, chimerge
from atfnb.encoding.encoder import TableEncoder, fit_encoder
from atfnb.encoding.fine import Distribution, FineEncoder, distributions_of, refine_encoder
from atfnb.encoding.kinds import kind_of_values, learned_kinds
from atfnb.encoding.labels import Target, encode_labels, read_target
from atfnb.encoding.table import Column, Table, is_frame, read_again, read_table
from atfnb.encoding.weights import read_weights

__all__ = [
    "Attribute",
    "CategoricalAttribute",
    "ChiMerge",
    "Column",
    "Distribution",
    "EmptyColumnWarning",
    "FineEncoder",
    "MaxBins",
    "Missing",
    "NumericAttribute",
    "Table",
    "TableEncoder",
    "Target",
    "chimerge",
    "distributions_of",
    "encode_labels",
    "fit_encoder",
    "is_frame",
    "kind_of_values",
    "learned_kinds",
    "read_again",
    "read_table",
    "read_target",
    "read_weights",
    "refine_encoder",
    "without_values",
]
