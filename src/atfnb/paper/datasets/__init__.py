"""The 50 data sets of the paper: a record of each, and the data, from a folder or without one."""

from atfnb.paper.datasets.loading import load, where
from atfnb.paper.datasets.records import Record, catalogue

__all__ = ["Record", "catalogue", "load", "where"]
