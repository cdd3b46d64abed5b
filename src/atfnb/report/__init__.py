"""Plots, notebook output and the HTML page of a fitted classifier."""

from atfnb.report.doubts import Doubts, doubts_in_words, doubts_of
from atfnb.report.page import Page, calculator_page, content_policy, model_page
from atfnb.report.pair_plots import plot_pair
from atfnb.report.plots import BLUE, GREY, RED, plot_beta, plot_effects, plot_weights, weights_html
from atfnb.report.row_plots import plot_row
from atfnb.report.score_plots import plot_confusion, plot_reliability, plot_roc

__all__ = [
    "BLUE",
    "GREY",
    "RED",
    "Doubts",
    "Page",
    "calculator_page",
    "content_policy",
    "doubts_in_words",
    "doubts_of",
    "model_page",
    "plot_beta",
    "plot_confusion",
    "plot_effects",
    "plot_pair",
    "plot_reliability",
    "plot_roc",
    "plot_row",
    "plot_weights",
    "weights_html",
]
