"""The paper's experiments: its data sets, leaves, protocol, statistics, tables, figures and studies.

::

    sets ──splits──▶ outcomes ──▶ results ──statistics──▶ tables, figures ──▶ a page and a summary

Two packages inside are imported on their own: :mod:`atfnb.paper.datasets`, and :mod:`atfnb.paper.leaf`, which needs the
extra ``leaf``.
"""

from atfnb.paper import datasets
from atfnb.paper.peers import requested
from atfnb.paper.protocol import draw_split
from atfnb.paper.published import table as published_table
from atfnb.paper.reproduce import reproduce_study
from atfnb.paper.searches import beta_of_set, lines_of, rows_of, search_qsf, search_sls
from atfnb.paper.sets import Flavia, Sets, Uci
from atfnb.paper.text_table import TextTable

__all__ = [
    "Flavia",
    "Sets",
    "TextTable",
    "Uci",
    "beta_of_set",
    "datasets",
    "draw_split",
    "lines_of",
    "published_table",
    "reproduce_study",
    "requested",
    "rows_of",
    "search_qsf",
    "search_sls",
]
