"""Naive Bayes that learns how much each attribute should count.

::

    table ──encode──▶ codes ──count──▶ counts ──index──▶ relevance, redundancy ──fuse(β)──▶ weights ──score──▶ classes
                        └──────────────── reach: each row's interval of β ────sweep──▶ β ───────┘

Each arrow is a pure function on plain arrays, and each stage is a module that imports only those to its left:
:mod:`atfnb.encoding`, :mod:`atfnb.counts`, :mod:`atfnb.indexes`, :mod:`atfnb.switching`, :mod:`atfnb.classifiers`.

The names are loaded when they are first used, so that the command can say ``--help`` at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_ROOMS = {"ChiMerge": "encoding", "plot_beta": "report", "plot_effects": "report", "plot_weights": "report"}
"""Where a name is from, unless it is a classifier or a module."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'atfnb' has no attribute {name!r}")
    if name in ("indexes", "switching"):
        return import_module(f"atfnb.{name}")
    return getattr(import_module(f"atfnb.{_ROOMS.get(name, 'classifiers')}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
