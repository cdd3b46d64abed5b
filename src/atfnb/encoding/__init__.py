"""Turn the columns of a table into integer codes: mixed columns, missing and unseen values, ChiMerge.

::

    rows ──survey──▶ what is known of each column ──coding──▶ an encoder ──▶ codes
                     (a sum over pieces of rows)     ChiMerge, categories

A table in memory is surveyed in one piece (:func:`learn_coding`); the survey of a table in parts is a sum
(:class:`SurveyPass`, :func:`group_pass`, :func:`coding_of`). Both give the same encoder, except that the quantiles of a
number with more than ``MAX_DISTINCT`` values are exact in memory and approximate in parts.
"""

from atfnb.encoding.attributes import (
    Attribute,
    CategoricalAttribute,
    EmptyColumnWarning,
    Missing,
    NumericAttribute,
    SpellingWarning,
    UnusedColumnWarning,
    kind_of_values,
    without_values,
)
from atfnb.encoding.chimerge import ChiMerge, MaxBins, check_max_bins, chimerge
from atfnb.encoding.coding import Coding, check_missing, coding_of, fit_encoder, group_pass, learn_coding
from atfnb.encoding.encoder import TableEncoder, learned_kinds, learned_zones, zones_in_words
from atfnb.encoding.fine import Distribution, FineEncoder, refine_encoder
from atfnb.encoding.pooling import MinCategoryRows, Pooling, check_min_category_rows, pooled_in_words
from atfnb.encoding.quantiles import MAX_DISTINCT, check_max_distinct
from atfnb.encoding.survey import Survey, SurveyPass
from atfnb.encoding.widening import moved_cells, widened
from atfnb.encoding.wording import Wording, wording_of

__all__ = [
    "MAX_DISTINCT",
    "Attribute",
    "CategoricalAttribute",
    "ChiMerge",
    "Coding",
    "Distribution",
    "EmptyColumnWarning",
    "FineEncoder",
    "MaxBins",
    "MinCategoryRows",
    "Missing",
    "NumericAttribute",
    "Pooling",
    "SpellingWarning",
    "Survey",
    "SurveyPass",
    "TableEncoder",
    "UnusedColumnWarning",
    "Wording",
    "check_max_bins",
    "check_max_distinct",
    "check_min_category_rows",
    "check_missing",
    "chimerge",
    "coding_of",
    "fit_encoder",
    "group_pass",
    "kind_of_values",
    "learn_coding",
    "learned_kinds",
    "learned_zones",
    "moved_cells",
    "pooled_in_words",
    "refine_encoder",
    "widened",
    "without_values",
    "wording_of",
    "zones_in_words",
]
