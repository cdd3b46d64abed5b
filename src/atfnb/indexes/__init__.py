"""Indexes of the attributes: relevance to the class, and redundancy with each other.

An index is a function of the :class:`~atfnb.counts.Counts`, registered under a name. A relevance returns a number for
each attribute, a redundancy a symmetric matrix. A classifier that takes an index takes its name or the function.
"""

from atfnb.indexes import redundancies, relevances
from atfnb.indexes.normalize import NORMALIZE, check_normalize, mean_redundancy, normalized
from atfnb.indexes.registry import (
    REDUNDANCY,
    RELEVANCE,
    Index,
    find_redundancy,
    find_relevance,
    redundancy,
    relevance,
)

__all__ = [
    "NORMALIZE",
    "REDUNDANCY",
    "RELEVANCE",
    "Index",
    "check_normalize",
    "find_redundancy",
    "find_relevance",
    "mean_redundancy",
    "normalized",
    "redundancies",
    "redundancy",
    "relevance",
    "relevances",
]
