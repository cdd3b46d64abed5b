"""Summaries, plots and pages of fitted models."""

from atfnb.report.plots import plot_beta, plot_effects, plot_weights

__all__ = ["plot_beta", "plot_effects", "plot_weights"]
