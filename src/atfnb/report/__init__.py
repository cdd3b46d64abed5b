"""A fitted model to look at: plots, and a page.

Everything here is a function of what a fit left behind, so it stands to the left of the classifiers, whose methods
call it. The page, ``atfnb.report.page``, is loaded when it is first asked for.
"""

from atfnb.report.fitted import Fitted, Switching
from atfnb.report.notebook import weights_html
from atfnb.report.plots import plot_beta, plot_effects, plot_weights

__all__ = ["Fitted", "Switching", "plot_beta", "plot_effects", "plot_weights", "weights_html"]
