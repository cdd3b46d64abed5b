"""Relevance (attribute-class) and redundancy (attribute-attribute), by name or as functions of the counts."""

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
