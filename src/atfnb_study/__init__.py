"""The paper's experiments: its data sets, leaves, protocol, statistics, tables, figures and studies.

::

    sets ──splits──▶ outcomes ──▶ results ──statistics──▶ tables, figures ──▶ a page and a summary

Two packages inside are imported on their own: :mod:`atfnb_study.datasets`, and :mod:`atfnb_study.leaf`, which needs the
extra ``leaf``.
"""

from atfnb_study import datasets
from atfnb_study.peers import requested
from atfnb_study.protocol import draw_split
from atfnb_study.published import table as published_table
from atfnb_study.reproduce import reproduce_study
from atfnb_study.searches import beta_of_set, lines_of, rows_of, search_qsf, search_sls
from atfnb_study.sets import Flavia, Sets, Uci
from atfnb_study.text_table import TextTable

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
