"""The 50 data sets of the paper: a record of each, and its rows from a folder of CSV files or without one.

Available as :mod:`atfnb.datasets`.
"""

from atfnb_study.datasets.loading import load, load_table, where
from atfnb_study.datasets.records import Record, catalogue

__all__ = ["Record", "catalogue", "load", "load_table", "where"]
