"""Naive Bayes that learns how much each attribute should count.

::

    table ──encode──▶ codes ──count──▶ counts ──index──▶ relevance, redundancy ──fuse(β)──▶ weights ──score──▶ classes
                        └──────────────── reach: each row's interval of β ────sweep──▶ β ───────┘

Each arrow is a pure function on plain arrays, and each stage imports only those to its left: :mod:`atfnb.tables`,
:mod:`atfnb.encoding`, :mod:`atfnb.counts`, :mod:`atfnb.indexes`, :mod:`atfnb.switching`, :mod:`atfnb.classifiers`.

The public names are loaded when they are first used, so that ``atfnb --help`` is fast.
"""

from __future__ import annotations

from importlib import import_module

from atfnb._version import __version__ as __version__

TYPE_CHECKING = False  # typing's own would be one more import before the command can do anything
if TYPE_CHECKING:
    from typing import Any

    from atfnb import export, indexes, switching
    from atfnb.classifiers import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB
    from atfnb.encoding import ChiMerge
    from atfnb.model_file import load, save
    from atfnb.report import plot_beta, plot_effects, plot_pair, plot_row, plot_weights

__all__ = ["ATFNB", "CFW", "DFW", "KLNB", "NB", "WNB", "CFWBeta", "ChiMerge", "FusionNB", "WeightedNB"]
__all__ += ["export", "indexes", "load", "plot_beta", "plot_effects", "plot_pair", "plot_row", "plot_weights", "save"]
__all__ += ["switching"]

_ROOMS = {
    "encoding": ("ChiMerge",),
    "model_file": ("load", "save"),
    "report": ("plot_beta", "plot_effects", "plot_pair", "plot_row", "plot_weights"),
}
"""The package that a public name is from, if it is neither a classifier nor a package itself."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'atfnb' has no attribute {name!r}")
    if name in ("export", "indexes", "switching"):
        return import_module(f"atfnb.{name}")
    room = next((room for room, names in _ROOMS.items() if name in names), "classifiers")
    return getattr(import_module(f"atfnb.{room}"), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__") and name.endswith("__"))})
