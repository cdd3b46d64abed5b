"""Turn the columns of a table into integer codes: mixed columns, missing and unseen values, ChiMerge.

::

    rows ──survey──▶ what is known of each column ──learning──▶ an encoder ──▶ codes
                     (a sum over pieces of rows)     ChiMerge, categories

A table in memory is surveyed in one piece (:func:`learn_encoder`); the survey of a table in parts is a sum
(:func:`survey_rows`, :func:`encoder_of`). Both give the same encoder, except that the quantiles of a
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
    Wording,
    kind_of_values,
    wording_of,
)
from atfnb.encoding.chimerge import ChiMerge, MaxBins, check_max_bins, chimerge
from atfnb.encoding.encoder import (
    FineEncoder,
    TableEncoder,
    learned_kinds,
    learned_zones,
    moved_cells,
    refine_encoder,
    widened,
    zones_in_words,
)
from atfnb.encoding.learning import (
    EncoderOptions,
    LearnedEncoder,
    MinCategoryRows,
    Pooling,
    check_min_category_rows,
    encoder_of,
    learn_encoder,
    pooled_in_words,
)
from atfnb.encoding.quantiles import MAX_DISTINCT, Distribution, check_max_distinct
from atfnb.encoding.survey import Survey, survey_rows

# attributes, and their values in words
__all__ = ["Attribute", "CategoricalAttribute", "EmptyColumnWarning", "Missing", "NumericAttribute"]
__all__ += ["SpellingWarning", "UnusedColumnWarning", "Wording", "kind_of_values", "wording_of"]
# from the rows to an encoder
__all__ += ["MAX_DISTINCT", "Distribution", "EncoderOptions", "LearnedEncoder", "Survey"]
__all__ += ["check_max_distinct", "encoder_of", "learn_encoder", "survey_rows"]
# intervals and pooled categories
__all__ += ["ChiMerge", "MaxBins", "MinCategoryRows", "Pooling", "check_max_bins", "check_min_category_rows"]
__all__ += ["chimerge", "pooled_in_words"]
# encoders
__all__ += ["FineEncoder", "TableEncoder", "learned_kinds", "learned_zones", "moved_cells", "refine_encoder"]
__all__ += ["widened", "zones_in_words"]
