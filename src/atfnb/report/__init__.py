"""A fitted model to look at: plots, and a page.

Everything here is a function of what a fit left behind, so it stands to the left of the classifiers, whose methods
call it. The page is loaded when it is first asked for: it needs cross-validation, and the plots do not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from atfnb.report.fitted import Fitted, Switching
from atfnb.report.plots import plot_beta, plot_effects, plot_weights

if TYPE_CHECKING:
    from atfnb.report.facts import Facts, facts_of
    from atfnb.report.page import model_page

__all__ = ["Facts", "Fitted", "Switching", "facts_of", "model_page", "plot_beta", "plot_effects", "plot_weights"]

_LATER = {"Facts": "facts", "facts_of": "facts", "model_page": "page"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'atfnb.report' has no attribute {name!r}")
    return getattr(import_module(f"atfnb.report.{_LATER[name]}"), name)
