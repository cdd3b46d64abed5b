"""Plots, notebook output and the HTML page of a fitted classifier."""

from atfnb.report.facts import PageOptions
from atfnb.report.page import Page, calculator_page, content_policy, model_page, weights_html
from atfnb.report.pairs import plot_pair
from atfnb.report.plots import BLUE, GREY, RED, plot_beta, plot_effects, plot_weights
from atfnb.report.row_plots import plot_confusion, plot_reliability, plot_roc, plot_row

# pages, and the colours of their pictures
__all__ = ["BLUE", "GREY", "RED", "Page", "PageOptions", "calculator_page", "content_policy", "model_page"]
__all__ += ["weights_html"]
# plots
__all__ += ["plot_beta", "plot_confusion", "plot_effects", "plot_pair", "plot_reliability", "plot_roc", "plot_row"]
__all__ += ["plot_weights"]
