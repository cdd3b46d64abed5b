"""The study in a few sentences."""

from __future__ import annotations

import numpy as np

from atfnb.evaluation import LEVEL, compared, joined
from atfnb.paper import ranking, statistics
from atfnb.paper.fusion_tables import duel
from atfnb.paper.peers import PEERS
from atfnb.paper.results import Results, among, columns, distinct, taking_part
from atfnb.paper.tables import printed_accuracy
from atfnb.paper.text_table import counted


def summary(results: Results) -> list[str]:
    """Describe a study in sentences: which classifier is best, how ATFNB and FusionNB compare, what the data are."""
    remark = results.sets.printed.remark
    first = [f"These are {remark}: they show how the study runs, not how good a classifier is."] if remark else []
    shared = results.sets.dependence(results.options.sets)
    return [*first, *_about_the_paper(results), *_about_fusion(results), *([shared] if shared else [])]


def _about_the_paper(results: Results) -> list[str]:
    """Describe which classifier has the highest mean accuracy, and how ATFNB compares with naive Bayes."""
    names, mean = distinct(results)
    average, pairs, wins = mean.mean(axis=0), ranking.compare_pairs(mean), statistics.wins(mean)
    best, nb, ours = int(np.argmax(average)), among(names, "NB"), among(names, "ATFNB")
    printed, unit = results.sets.printed, results.sets.printed.unit
    over = f"{len(results.options.sets)} {unit} and {results.options.n_splits} splits of each"
    lead = f"{names[best]} has the highest mean test accuracy, {average[best]:.4f}, over {over}"
    if best == nb:
        lead += ": none of the others has a higher one."
    else:
        tests = (
            f"Wilcoxon over the {unit}, p = {pairs.p_values[best, nb]:.2g}; corrected by Holm for all pairs, "
            f"{pairs.holm[best, nb]:.2g}"
        )
        if printed.overlapping:
            lead += f"; naive Bayes has {average[nb]:.4f} ({tests})."
        else:
            sure = bool(pairs.holm[best, nb] <= LEVEL and pairs.rank_biserial[best, nb] > 0)
            more = compared(
                average[best] - average[nb], ("naive Bayes",), f"{average[nb]:.4f}", sure=sure, evidence=tests
            )
            lead += f": {joined(more)}."
    about = (
        f"ATFNB has {average[ours]:.4f}: it is above naive Bayes on {counted(int(wins[nb, ours]), unit)} and below on "
        f"{wins[ours, nb]} (Wilcoxon over the {unit}, p = {pairs.p_values[ours, nb]:.2g})."
    )
    return [lead, f"{about} {_as_printed(results)}" if printed.beside else about]


def _as_printed(results: Results) -> str:
    """Say how ATFNB and naive Bayes compare in the paper."""
    accuracy, unit = printed_accuracy(results, ("NB", "ATFNB")), results.sets.printed.unit
    above, below = (int((sign * np.diff(accuracy) > 0).sum()) for sign in (1, -1))
    same = f"the same {unit}" if results.sets.printed.comparable else f"its own {unit}"
    return (
        f"On {same} the paper prints {accuracy[:, 1].mean():.4f} against {accuracy[:, 0].mean():.4f}, "
        f"{counted(above, unit)} above and {below} below."
    )


def _about_fusion(results: Results) -> list[str]:
    """FusionNB's accuracy and log-loss against those of naive Bayes, and of the best peers that took part."""
    if not taking_part(results, ("FusionNB",)):
        return []
    ours, nb = columns(results, ("FusionNB", "NB"))
    accuracy, log_loss = results.mean.mean(axis=0), results.mean_log_loss.mean(axis=0)
    lead = (
        f"FusionNB has a mean accuracy of {accuracy[ours]:.4f} and a log-loss of {log_loss[ours]:.4f}; naive Bayes has "
        f"{accuracy[nb]:.4f} and {log_loss[nb]:.4f}."
    )
    if accuracy[ours] == accuracy.max():  # the first sentence has told it
        lead = f"FusionNB's mean log-loss is {log_loss[ours]:.4f}; that of naive Bayes is {log_loss[nb]:.4f}."
    told = [f"{lead} {_better(results, ours, nb)}"]
    peers = columns(results, taking_part(results, tuple(PEERS)))
    if peers:
        first, lowest = max(peers, key=lambda c: accuracy[c]), min(peers, key=lambda c: log_loss[c])
        names = results.options.classifiers
        other = "" if lowest == first else f"{names[lowest]} "
        told.append(
            f"Of the peers that took part, {names[first]} has the highest accuracy, {accuracy[first]:.4f}, and "
            f"{other}the lowest log-loss, {log_loss[lowest]:.4f}. {_better(results, ours, first, lowest)}"
        )
    return told


def _better(results: Results, ours: int, other: int, lowest: int | None = None) -> str:
    """On how many sets FusionNB is better: in accuracy than one, in log-loss than the same or another one."""
    right = duel(results.mean[:, ours], results.mean[:, other])
    other = other if lowest is None else lowest
    probable = duel(-results.mean_log_loss[:, ours], -results.mean_log_loss[:, other])
    unit = results.sets.printed.unit
    return (
        f"FusionNB's accuracy is higher on {counted(right.won, unit)} and lower on {right.lost} (Wilcoxon over the "
        f"{unit}, p = {right.p_value:.2g}), its log-loss lower on {probable.won} and higher on {probable.lost} "
        f"(p = {probable.p_value:.2g})."
    )
