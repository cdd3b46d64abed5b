"""Plots, notebook output and the HTML page of a fitted classifier."""

from atfnb.report.fitted import Fitted, Switching
from atfnb.report.notebook import weights_html
from atfnb.report.page import Page, model_page
from atfnb.report.plots import plot_beta, plot_effects, plot_weights

__all__ = [
    "Fitted",
    "Page",
    "Switching",
    "model_page",
    "plot_beta",
    "plot_effects",
    "plot_weights",
    "weights_html",
]
