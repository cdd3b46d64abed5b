"""Tables beyond the paper: all classifiers at once, their probabilities, and FusionNB compared with the peers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atfnb._errors import counted
from atfnb._typing import BoolArray, FloatArray
from atfnb_study import datasets, statistics
from atfnb_study.peers import BEYOND, ON_REQUEST
from atfnb_study.study import StudyResults, among
from atfnb_study.text_table import Cell, TextTable, sentences

SIDE_BY_SIDE = ("NB", "ATFNB", *BEYOND, *ON_REQUEST)
"""The classifiers of F2 and F4, if they took part."""
FEW_ROWS, MANY_ROWS = 500, 2000
"""The numbers of rows between which a set is of medium size in F3."""


def tables(results: StudyResults) -> list[TextTable]:
    """Return All, Pairs and F1; F2 and F5 if FusionNB took part, and F3 and F4 if the sets are in the catalogue too."""
    found = [ranking_table(results), pair_table(results), probability_table(results)]
    if "FusionNB" in results.options.classifiers:
        found.append(beside_table(results))
        if results.profile.comparable:
            found += [rows_table(results), halves_table(results)]
        found.append(cost_table(results))
    return found


@dataclass(frozen=True)
class Duel:
    """One classifier against another over the sets: how many it wins, ties and loses, and Wilcoxon's test."""

    won: int
    tied: int
    lost: int
    p_value: float
    """The two-tailed p-value of Wilcoxon's test."""


def duel(one: FloatArray, other: FloatArray) -> Duel:
    """Compare two classifiers by one figure per set, of which higher is better: (sets,) each.

    >>> duel(np.array([0.9, 0.8, 0.7]), np.array([0.8, 0.8, 0.8]))
    Duel(won=1, tied=1, lost=1, p_value=1.0)
    """
    both = np.column_stack([one, other])
    wins = statistics.wins(both)
    won, lost = int(wins[1, 0]), int(wins[0, 1])
    return Duel(won, len(both) - won - lost, lost, float(statistics.compare_pairs(both).p_values[0, 1]))


# --- every classifier ------------------------------------------------------------------------------


def ranking_table(results: StudyResults) -> TextTable:
    """Return "All": the mean accuracy and mean rank of every classifier, and its comparison with NB."""
    names, mean = results.distinct()
    found, pairs, wins = statistics.friedman(mean), statistics.compare_pairs(mean), statistics.wins(mean)
    nb = among(names, "NB")
    rows = [
        (
            names[c],
            float(mean[:, c].mean()),
            f"{found.mean_ranks[c]:.2f}",
            f"{wins[nb, c]}/{wins[c, nb]}",
            f"{pairs.p_values[c, nb]:.2g}",
            f"{pairs.holm[c, nb]:.2g}",
            f"{pairs.rank_biserial[c, nb]:+.2f}",
        )
        for c in np.argsort(-mean.mean(axis=0), kind="stable")
    ]
    against = ("won/lost against NB", "p against NB", "p, Holm", "rank-biserial")
    header = ("classifier", "mean accuracy", "mean rank", *against)
    note = (
        f"Names joined by = agree on every split. Friedman: χ² = {found.statistic:.1f}, p = {found.p_value:.2g}. "
        f"p against NB: Wilcoxon over the {results.profile.unit}; then corrected for all pairs by Holm."
    )
    if "CategoricalNB" in names:
        note += " CategoricalNB counts values not seen in training as one more value of each attribute."
    return TextTable("All", "every classifier, best first", header, tuple(rows), sentences(note, results.shared))


def pair_table(results: StudyResults) -> TextTable:
    """Return "Pairs": Wilcoxon's p-value of every pair of classifiers, corrected by Holm."""
    names, mean = results.distinct()
    pairs = statistics.compare_pairs(mean)
    rows = tuple(
        (name, *("" if i == j else f"{pairs.holm[i, j]:.2g}" for j in range(len(names))))
        for i, name in enumerate(names)
    )
    title = f"p-values of all pairs (Wilcoxon over the {results.profile.unit}, corrected by Holm)"
    note = sentences("A high p-value does not make two classifiers equal.", results.shared)
    return TextTable("Pairs", title, ("", *names), rows, note)


def probability_table(results: StudyResults) -> TextTable:
    """Return F1: accuracy, log-loss and Brier score of every classifier, and its comparison with NB."""
    found = results.groups()
    names, at = list(found), list(found.values())
    accuracy, log_loss, brier = (m[:, at] for m in (results.mean, results.mean_log_loss, results.brier.mean(axis=1)))
    nb = among(names, "NB")
    rows: list[tuple[Cell, ...]] = []
    for c in np.argsort(-accuracy.mean(axis=0), kind="stable"):
        means = (float(m[:, c].mean()) for m in (accuracy, log_loss, brier))
        rows.append((names[c], *means, *_against(accuracy, log_loss, c, nb)))
    against = ("accuracy vs NB", "p, accuracy", "log-loss vs NB", "p, log-loss")
    header = ("classifier", "accuracy", "log-loss", "Brier score", *against)
    unit = results.profile.unit
    note = (
        f"Means over the {unit}, best accuracy first. Log-loss and Brier score: lower is better. Vs NB: {unit} on "
        f"which it is better, equal and worse; p by Wilcoxon over the {unit}. A probability counts as at least "
        "1e-15."
    )
    title = "accuracy and probabilities of every classifier"
    return TextTable("F1", title, header, tuple(rows), sentences(note, results.shared))


# --- FusionNB ----------------------------------------------------------------------------------------


def beside_table(results: StudyResults) -> TextTable:
    """Return F2: FusionNB on each set, next to NB, ATFNB and the peers."""
    names = results.taking_part(SIDE_BY_SIDE)
    at = results.positions(names)
    means = np.hstack([results.mean[:, at], results.mean_log_loss[:, at]])
    rows = tuple((name, *of.tolist()) for name, of in zip(results.options.sets, means, strict=True))
    header = (results.profile.single, *names, *(f"{name}, log-loss" for name in names))
    note = f"Means of {results.options.n_splits} splits: first the accuracy, then the log-loss."
    return TextTable("F2", "FusionNB beside naive Bayes and the peers", header, rows, note)


def rows_table(results: StudyResults) -> TextTable:
    """Return F3: the mean accuracy by the number of rows of the set."""
    records = datasets.catalogue()
    size = np.array([records[name].instances for name in results.options.sets])
    sizes = {
        f"under {FEW_ROWS} rows": size < FEW_ROWS,
        f"{FEW_ROWS} to {MANY_ROWS}": (size >= FEW_ROWS) & (size <= MANY_ROWS),
        f"above {MANY_ROWS}": size > MANY_ROWS,
    }
    names, mean = results.distinct()
    order = np.argsort(-mean.mean(axis=0), kind="stable")
    rows = tuple((names[c], *(_mean(mean[:, c], part) for part in sizes.values())) for c in order)
    header = ("classifier", *(f"{name} (sets: {part.sum()})" for name, part in sizes.items()))
    note = "Best mean over all sets first."
    return TextTable("F3", "mean accuracy by the size of the set", header, rows, note)


def halves_table(results: StudyResults) -> TextTable:
    """Return F4: the half of the sets on which FusionNB's settings were chosen, and the other half."""
    sets, order = results.options.sets, list(datasets.catalogue())
    chosen_on = np.array([order.index(name) % 2 == 0 for name in sets])
    halves = {"chosen on": chosen_on, "others": ~chosen_on}
    names = results.taking_part(SIDE_BY_SIDE)
    rows: list[tuple[Cell, ...]] = [
        (name, *(_mean(m[:, c], half) for m in (results.mean, results.mean_log_loss) for half in halves.values()))
        for name, c in zip(names, results.positions(names), strict=True)
    ]
    header = ("classifier", *(f"{what}, {half}" for what in ("accuracy", "log-loss") for half in halves))
    note = (
        "FusionNB's settings are those that the sets at even positions of the catalogue, counted from 0, would choose: "
        f"here {counted(int(chosen_on.sum()), 'set')}. The comparison on the others, here "
        f"{counted(int((~chosen_on).sum()), 'set')}, is the fair one."
    )
    copies = _copies([name for name, even in zip(sets, chosen_on, strict=True) if not even])
    if copies:
        other = "another name" if len(copies) == 1 else "other names"
        note += f" Of the others, the data of {', '.join(copies)} are in the first half too, under {other}."
    return TextTable("F4", "FusionNB where it was tuned, and where it was not", header, tuple(rows), note)


def cost_table(results: StudyResults) -> TextTable:
    """Return F5: FusionNB against each classifier that is not of the study itself, with the time of a fit."""
    names = results.taking_part((*BEYOND, *ON_REQUEST))
    at = dict(zip(names, results.positions(names), strict=True))
    means, seconds = (results.mean, results.mean_log_loss, results.brier.mean(axis=1)), results.seconds.mean(axis=1)
    rows: list[tuple[Cell, ...]] = []
    for name, c in sorted(at.items(), key=lambda one: -results.mean[:, one[1]].mean()):
        own = [float(m[:, c].mean()) for m in means]
        rows.append(
            (
                name,
                *own,
                f"{seconds[:, c].sum():.2f}",
                *_against(results.mean, results.mean_log_loss, c, at["FusionNB"]),
            )
        )
    unit, figures = results.profile.unit, ("accuracy", "log-loss", "Brier score", "fit, s")
    against = ("accuracy vs FusionNB", "p, accuracy", "log-loss vs FusionNB", "p, log-loss")
    note = (
        f"Means over the {unit}, best accuracy first; fit, s: the seconds of processor time to fit every one of them "
        f"once. Vs FusionNB: {unit} on which it is better, equal and worse; p by Wilcoxon over the {unit}."
    )
    note, header = sentences(note, results.shared), ("classifier", *figures, *against)
    return TextTable("F5", "FusionNB against the peers, and the time of a fit", header, tuple(rows), note)


def _against(accuracy: FloatArray, log_loss: FloatArray, one: int, other: int) -> list[str]:
    """Return how many sets one wins, ties and loses, and the p-value, in accuracy and in log-loss: (sets, classifiers).

    The cells are empty if the two are the same.
    """
    if one == other:
        return [""] * 4
    duels = [duel(higher[:, one], higher[:, other]) for higher in (accuracy, -log_loss)]
    return [cell for each in duels for cell in (f"{each.won}/{each.tied}/{each.lost}", f"{each.p_value:.2g}")]


# --- pieces ----------------------------------------------------------------------------------------


def _copies(odd: list[str]) -> list[str]:
    """Return those of the sets at odd positions whose data are also at an even position, under another name."""
    order = list(datasets.catalogue())
    same = {name: record.same_as for name, record in datasets.catalogue().items() if record.same_as}
    twin = same | {other: name for name, other in same.items()}
    return [name for name in odd if name in twin and order.index(twin[name]) % 2 == 0]


def _mean(values: FloatArray, part: BoolArray) -> Cell:
    return float(values[part].mean()) if part.any() else None
