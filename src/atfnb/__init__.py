"""Naive Bayes that learns how much each attribute should count.

::

    table ──encode──▶ codes ──count──▶ counts ──index──▶ relevance, redundancy ──fuse(β)──▶ weights ──score──▶ classes
                        └──────────────── reach: each row's interval of β ────sweep──▶ β ───────┘

Each arrow is a pure function on plain arrays, and each stage is a module that imports only those to its left:
:mod:`atfnb.encoding`, :mod:`atfnb.counts`, :mod:`atfnb.indexes`, :mod:`atfnb.switching`, :mod:`atfnb.classifiers`.
"""

from atfnb import indexes, switching
from atfnb._version import __version__ as __version__
from atfnb.classifiers import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
from atfnb.encoding import ChiMerge
from atfnb.persistence import load, save
from atfnb.report import plot_beta, plot_effects, plot_weights

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
    "load",
    "plot_beta",
    "plot_effects",
    "plot_weights",
    "save",
    "switching",
]
