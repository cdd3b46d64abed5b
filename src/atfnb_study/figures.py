"""The figures of a study, as matplotlib figures and as SVG text for the page."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.report import BLUE, GREY, RED
from atfnb.switching import accuracy_at, beta_grid
from atfnb_study import published
from atfnb_study.peers import COMBINATIONS, OTHERS
from atfnb_study.searches import TIMED, BetaOfSet
from atfnb_study.statistics import Friedman, friedman
from atfnb_study.study import StudyResults
from atfnb_study.tables import printed_accuracy
from atfnb_study.text_table import sentences

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure with its name and its captions."""

    name: str
    caption_short: str
    caption: str
    figure: Figure

    def remarked(self, remark: str) -> Picture:
        """Return the picture with a remark on the data, in the figure and in the caption."""
        self.figure.suptitle(remark, fontsize="medium", color=GREY)
        return replace(self, caption=f"{self.caption} {remark[:1].upper()}{remark[1:]}.")

    @cached_property
    def svg(self) -> str:
        """The figure as SVG text for a page; equal figures give equal text."""
        import matplotlib as mpl

        text = io.StringIO()
        with mpl.rc_context({"svg.hashsalt": self.name, "svg.fonttype": "path"}):
            self.figure.savefig(text, format="svg", metadata={"Date": None})
        body = text.getvalue()
        body = body[body.index("<svg") :]
        return re.sub(r'(id="|href="#|url\(#)', lambda m: f"{m.group(1)}{self.name}-", body)

    def png(self) -> bytes:
        """Return the figure as the content of a PNG file."""
        content = io.BytesIO()
        self.figure.savefig(content, dpi=130)
        return content.getvalue()

    @property
    def page_svg(self) -> str:
        """The figure as SVG text that takes its colours from the page around it, and says what it shows."""
        text = self.svg
        for colour, name in COLOURS.items():
            text = text.replace(colour, f"var(--{name})")
        text = re.sub(r'<g id="[^"]*patch_1">.*?</g>', "", text, count=1, flags=re.DOTALL)  # the white ground
        said = escape(f"{self.caption_short}: {self.caption}")
        return text.replace("<svg ", f'<svg role="img" aria-label="{said}" ', 1)


COLOURS = {
    BLUE: "blue",
    RED: "red",
    GREY: "grey",
    "#1a202c": "ink",
    "#000000": "ink",
    "#ffffff": "paper",
    "#d7dce3": "line",
}
"""The colours of the figures, and what they are called in a page, where each has a light and a dark value."""


def _new(height: float, plots: int = 1, width: float = 8.0) -> tuple[Figure, list[Any]]:
    """Return a figure and the axes of its plots, which are in two columns if there are several."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots((plots + 1) // 2, min(2, plots), squeeze=False)
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes.flat[plots:]:
        ax.set_axis_off()
    return figure, [*axes.flat]


def beta_curves(found: list[BetaOfSet]) -> Picture:
    """Return the training accuracy against β, with the points of the grid and the best interval (Section 4.3)."""
    figure, axes = _new(3.0 * ((len(found) + 1) // 2), len(found))
    grid = beta_grid(0.01)
    for ax, one in zip(axes, found, strict=False):
        ax.axvspan(*one.qsf, color=RED, alpha=0.15, lw=0)
        ax.stairs(one.curve, one.edges, color=BLUE, lw=1.1, baseline=None)
        ax.plot(grid, accuracy_at(grid, one.edges, one.curve), ".", color=GREY, ms=3)
        ax.set_title(f"{one.name}: {one.qsf[0]:.4f} to {one.qsf[1]:.4f}", fontsize="medium")
        ax.set(xlabel="β", ylabel="training accuracy", xlim=(-0.01, 1.01))
    caption = (
        "Blue: the training accuracy for every β. Grey points: the grid search with step 0.01. Red: the best interval."
    )
    return Picture("beta-curves", "accuracy against β", caption, figure)


def beta_intervals(found: list[BetaOfSet], paper: dict[str, tuple[float, float]], single: str = "set") -> Picture:
    """Return the best interval of β of every set, ours and, if there are any, the paper's.

    ``single`` is the word for one data set.
    """
    figure, (ax,) = _new(1.0 + 0.22 * len(found))
    up = 0.17 if any(one.name in paper for one in found) else 0.0
    for height, one in enumerate(reversed(found)):
        ours, theirs = (height + up, height + up), (height - up, height - up)
        ax.plot(one.qsf, ours, color=BLUE, lw=4, solid_capstyle="butt", label="ours")
        if one.name in paper:
            ax.plot(paper[one.name], theirs, color=GREY, lw=3, solid_capstyle="butt", label="the paper's")
    ax.axvline(0.5, color=RED, lw=0.8, ls="--")
    ax.set_yticks(range(len(found)), [one.name for one in reversed(found)], fontsize="small")
    ax.set(xlabel="β", xlim=(0, 1), ylim=(-0.8, len(found) - 0.2))
    handles = {label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if len(handles) > 1:
        above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
        ax.legend(handles.values(), handles.keys(), frameon=False, ncols=2, **above)
    caption = f"The widest best interval of β, on all rows of each {single}. Red: β = 0.5."
    return Picture("beta-intervals", f"β of every {single}", caption, figure)


def index_combinations(names: list[str], mean: FloatArray) -> Picture:
    """Return the mean accuracy of each combination of indexes (Section 5.3)."""
    figure, (ax,) = _new(1.0 + 0.32 * len(names), width=7.0)
    order = np.argsort(mean)
    ax.grid(axis="y", color="#d7dce3", lw=0.6)
    ax.plot(mean[order], range(len(names)), "o", color=BLUE)
    for height, value in enumerate(mean[order]):
        ax.text(value, height, f"   {value:.4f}", va="center", fontsize="small")
    ax.set_yticks(range(len(names)), [names[i] for i in order])
    ax.set(xlabel="mean test accuracy", xlim=(float(mean.min()) - 0.003, float(mean.max()) + 0.006))
    caption = "I information gain, M mutual information, P Pearson, G gain ratio: first relevance, then redundancy."
    return Picture("combinations", "combinations of indexes", caption, figure)


def critical_difference(names: list[str], found: Friedman, unit: str = "sets", shared: str = "") -> Picture:
    """Return the mean ranks on a line; bars join classifiers between which Nemenyi's test shows no difference.

    ``unit`` is the word for the data sets, and ``shared`` a sentence on the data that they share.
    """
    ranks, difference = found.mean_ranks, found.critical_difference
    order = np.argsort(ranks, kind="stable")
    low, high, half = 1, len(names), (len(names) + 1) // 2
    figure, (ax,) = _new(1.2 + 0.3 * half)
    ax.set(xlim=(low - 0.6, high + 0.6), ylim=(-half - 0.6, 1.4))
    ax.hlines(0, low, high, color="#1a202c", lw=1)
    for tick in range(low, high + 1):
        ax.vlines(tick, 0, 0.12, color="#1a202c", lw=1)
        ax.text(tick, 0.25, str(tick), ha="center", fontsize="small")
    for i, which in enumerate(order):
        level, left = (-1 - i, True) if i < half else (-(len(names) - i), False)
        edge = low - 0.05 if left else high + 0.05
        ax.plot((ranks[which], ranks[which], edge), (0, level, level), color=GREY, lw=0.9)
        label = f"{names[which]}  {ranks[which]:.2f}"
        label, side = (f"{label} ", "right") if left else (f" {label}", "left")
        ax.text(edge, level, label, ha=side, va="center", fontsize="small")
    for i, group in enumerate(found.groups):
        ends = ranks[list(group)]
        ax.hlines(-0.25 - 0.22 * i, ends.min() - 0.03, ends.max() + 0.03, color=RED, lw=3)
    ax.hlines(1.0, low, low + difference, color="#1a202c", lw=2)
    ax.text(low + difference / 2, 1.12, f"critical difference {difference:.2f}", ha="center", fontsize="small")
    ax.set_axis_off()
    caption = (
        f"Mean rank over the {unit}, 1 is best. Between classifiers joined by a red bar Nemenyi's test shows no "
        "difference at p = .05, which does not make them equal."
    )
    return Picture("critical-difference", "critical differences", sentences(caption, shared), figure)


def gains(names: list[str], ours: FloatArray, paper: FloatArray | None, single: str = "set") -> Picture:
    """Return how much higher ATFNB's accuracy is than that of naive Bayes, set by set, ours beside the paper's.

    Parameters
    ----------
    names : list of str
        The names of the sets.
    ours : (sets,) array
        Our differences, in points.
    paper : (sets,) array, optional
        Those that the paper prints, if its sets are the same.
    single : str
        The word for one data set.
    """
    figure, (ax,) = _new(1.2 + 0.22 * len(names))
    order, heights = np.argsort(ours, kind="stable"), np.arange(len(names))
    ax.grid(axis="y", color="#d7dce3", lw=0.6)
    ax.axvline(0, color="#1a202c", lw=0.9)
    if paper is not None:
        ax.hlines(heights, ours[order], paper[order], color=GREY, lw=1)
        ax.plot(paper[order], heights, "D", color=GREY, ms=4.5, label="the paper")
    ax.plot(ours[order], heights, "o", color=BLUE, ms=6, label="ours")
    ax.set_yticks(heights, [names[i] for i in order], fontsize="small")
    ax.set(xlabel="accuracy of ATFNB less that of naive Bayes, in points", ylim=(-0.8, len(names) - 0.2))
    ax.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    beside = " Blue: ours. Grey: the paper's." if paper is not None else ""
    caption = f"Right of zero, ATFNB is right more often than naive Bayes on the {single}.{beside}"
    return Picture("gains", f"ATFNB against naive Bayes, {single} by {single}", caption, figure)


LINES = (
    ("NB", GREY, "o"),
    ("ATFNB", BLUE, "o"),
    ("FusionNB", RED, "o"),
    ("CategoricalNB", "#0f766e", "s"),
    ("LogisticRegression", "#2f855a", "^"),
    ("RandomForest", "#b7791f", "D"),
    ("HistGradientBoosting", "#6b46c1", "v"),
    ("LightGBM", "#c05621", "<"),
    ("XGBoost", "#2c7a7b", ">"),
    ("CatBoost", "#b83280", "p"),
    ("LightGBM tuned", "#c05621", "H"),
    ("XGBoost tuned", "#2c7a7b", "h"),
    ("CatBoost tuned", "#b83280", "*"),
    ("EBM", "#1a202c", "P"),
)
"""The colour and the marker of each classifier in the reliability diagram."""


def reliability_diagram(bins: dict[str, FloatArray], unit: str = "sets") -> Picture:
    """Return the reliability diagram: the share of correct predictions against the probability of the prediction.

    Parameters
    ----------
    bins : dict of (bins, 3) arrays
        By classifier, for each bin: the number of rows, the sum of their highest probabilities, and how many were
        right.
    unit : str
        The word for the data sets.
    """
    figure, (ax,) = _new(5.2)
    ax.plot((0, 1), (0, 1), color="#1a202c", lw=0.8, ls="--", zorder=1, label="perfectly calibrated")
    for name, colour, mark in (*LINES, *((name, "#97266d", "X") for name in OTHERS)):
        if name not in bins:
            continue
        rows, sure, right = bins[name][bins[name][:, 0] >= bins[name][:, 0].sum() / 200].T
        distance = float(np.abs(bins[name][:, 1] - bins[name][:, 2]).sum() / bins[name][:, 0].sum())
        width, zorder = (2.2, 4) if name == "FusionNB" else (1.2, 3)
        x, y, style = sure / rows, right / rows, {"color": colour, "zorder": zorder}
        ax.plot(x, y, lw=width, marker=mark, ms=3, label=f"{name}, off by {distance:.3f}", **style)
        ax.scatter(x, y, s=500 * rows / rows.sum(), alpha=0.25, lw=0, **style)
    ax.set(xlabel="highest probability, mean of each bin", ylabel="share of rows predicted correctly")
    low = np.floor(10 * min(float(line.get_xydata().min()) for line in ax.lines[1:])) / 10
    ax.set(xlim=(low, 1.02), ylim=(low, 1.02))
    ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    caption = (
        f"All test rows of all {unit} and splits together, in ten bins by the probability of the predicted class. "
        "Below the dashed line a classifier is overconfident. The larger a pale disc, the more rows; bins with fewer "
        "than one row in two hundred are left out. Off by: the mean distance from the line, over the rows."
    )
    return Picture("reliability", "how far probabilities can be trusted", caption, figure)


def every_picture(results: StudyResults, betas: list[BetaOfSet]) -> list[Picture]:
    """Return all figures of a study."""
    names, mean = list(results.options.classifiers), results.mean
    chosen = [one for one in betas if one.name in TIMED] or betas[:4]
    printed = {name: (float(r["low"]), float(r["high"])) for name, r in published.by_name("T14").items()}
    profile = results.profile
    models, accuracy = results.distinct()
    own = 100 * np.diff(mean[:, results.positions(("NB", "ATFNB"))])[:, 0]
    theirs = None
    if profile.comparable:
        theirs = 100 * np.diff(printed_accuracy(results, ("NB", "ATFNB")))[:, 0]
    pictures = [
        critical_difference(models, friedman(accuracy), profile.unit, results.shared),
        gains(list(results.options.sets), own, theirs, profile.single),
        beta_curves(chosen),
        beta_intervals(betas, printed, profile.single),
        index_combinations(list(COMBINATIONS), mean[:, results.positions(list(COMBINATIONS))].mean(axis=0)),
        reliability_diagram(dict(zip(names, results.reliability, strict=True)), profile.unit),
    ]
    return [picture.remarked(profile.remark) for picture in pictures] if profile.remark else pictures
