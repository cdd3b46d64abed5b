"""Indexes of the attributes: relevance to the class, and redundancy with each other.

An index is a function of the :class:`~atfnb.counts.Counts`, registered under a name. A relevance returns one number per
attribute, (attributes,); a redundancy returns a symmetric matrix, (attributes, attributes). Wherever an index is a
parameter, its name or the function can be given.
"""

from atfnb.indexes import redundancies, relevances
from atfnb.indexes.registry import (
    REDUNDANCY,
    RELEVANCE,
    Index,
    check_normalize,
    find_redundancy,
    find_relevance,
    mean_redundancy,
    normalized,
    redundancy,
    relevance,
)

__all__ = ["REDUNDANCY", "RELEVANCE", "Index", "check_normalize", "find_redundancy", "find_relevance"]
__all__ += ["mean_redundancy", "normalized", "redundancies", "redundancy", "relevance", "relevances"]
