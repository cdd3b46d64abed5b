"""Naive Bayes that learns how much each attribute should count.

::

    table ──encode──▶ codes ──count──▶ counts ──index──▶ relevance, redundancy ──fuse(β)──▶ weights ──score──▶ classes
                        └──────────────── reach: each row's interval of β ────sweep──▶ β ───────┘

Each arrow is a pure function on plain arrays, and each stage is a module that imports only those to its left:
:mod:`atfnb.encoding`, :mod:`atfnb.counts`, :mod:`atfnb.indexes`, :mod:`atfnb.switching`, :mod:`atfnb.classifiers`.
"""

from atfnb import indexes, switching
from atfnb.classifiers import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.encoding import ChiMerge
from atfnb.report import plot_beta, plot_effects, plot_weights

__version__ = "0.1.0"

__all__ = [
    "ATFNB",
    "CFW",
    "DFW",
    "KLNB",
    "NB",
    "WNB",
    "CFWBeta",
    "ChiMerge",
    "FusionNB",
    "WeightedNB",
    "indexes",
    "plot_beta",
    "plot_effects",
    "plot_weights",
    "switching",
]
