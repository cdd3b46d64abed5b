"""A study of the paper from beginning to end: run it, write tables, figures and one page, and print a summary."""

from __future__ import annotations

import io
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from atfnb._errors import counted
from atfnb._files import write_whole
from atfnb._version import __version__
from atfnb.console import progress_bar
from atfnb.evaluation import LEVEL, compared, joined
from atfnb.paper import statistics
from atfnb.paper.beyond import cost_table, duel, limit_note, probability_table
from atfnb.paper.figures import Picture, every_picture
from atfnb.paper.peers import BEYOND, COMBINATIONS, PAPER, PEERS, requested
from atfnb.paper.protocol import FIT_LIMIT, Order
from atfnb.paper.searches import TIMED, beta_of_set
from atfnb.paper.sets import Sets, source
from atfnb.paper.study import (
    StudyOptions,
    StudyResults,
    among,
    complete,
    distinct,
    positions,
    run_study,
    stopped,
    taking_part,
    versions_of,
)
from atfnb.paper.tables import every_table, foot_table, printed_accuracy
from atfnb.paper.text_table import TextTable, cell_text, console_table

if TYPE_CHECKING:
    from rich.console import Console


def reproduce_study(
    console: Console,
    folder: Path,
    names: list[str] | None,
    peers: list[str],
    *,
    sets: Sets,
    splits: int,
    seed: int,
    protocol: str,
    jobs: int,
    fit_limit: float = FIT_LIMIT,
) -> Path:
    """Run a study, write its tables, figures and page into a folder, print a summary, and return the path of the page.

    Parameters
    ----------
    console : rich.console.Console
        The console for progress bars and the summary.
    folder : Path
        The folder for results, tables, figures and the page. A second run continues from there.
    names : list of str, optional
        The names of the sets; by default all that are available.
    peers : list of str
        The names of classifiers that join those of the paper and ours.
    sets : Sets
        The data: ``Uci`` or ``Flavia``.
    splits, seed : int
        The number of random splits of each set, and the seed that they depend on.
    protocol : "clean" or "leaky"
        Whether to discretise inside the training part or before splitting.
    jobs : int
        The number of processes.
    fit_limit : float, default=120
        The seconds after which a fit of CatBoost or EBM is stopped.
    """
    options = choose(names, peers, sets=sets, splits=splits, seed=seed, protocol=protocol, fit_limit=fit_limit)
    unit = sets.profile.unit
    if sets.profile.remark:
        console.print(sets.profile.title)
    console.print(
        f"{len(options.sets)} {unit} × {splits} splits × {len(options.classifiers)} classifiers, into {folder}"
    )
    with progress_bar(console, "classifying") as progress:
        results = run_study(options, folder, sets=sets, jobs=jobs, progress=progress)
    betas = []
    with progress_bar(console, f"β of the {unit}") as progress:
        for name in options.sets:
            betas.append(beta_of_set(name, *sets.load(name), timed=name in TIMED))
            progress(len(betas), len(options.sets), name)
    tables, pictures = every_table(results, betas), every_picture(results, betas)
    write_tables(folder / "tables", tables)
    write_pictures(folder / "figures", pictures)
    page = folder / "report.html"
    write_whole(page, study_page(results, tables, pictures))
    console.print(console_table(foot_table(results)))
    console.print(console_table(probability_table(complete(results)).narrow(4)))
    if "FusionNB" in options.classifiers:
        against = cost_table(results).only(
            "classifier", unit, "accuracy", "log-loss", "fit, s", "accuracy vs FusionNB", "p, accuracy"
        )
        console.print(console_table(replace(against, note=limit_note(results))))
    for sentence in summary(results):
        console.print(sentence)
    console.print(f"the report: {page}")
    return page


def choose(
    names: list[str] | None,
    peers: list[str],
    *,
    sets: Sets,
    splits: int,
    seed: int,
    protocol: str,
    fit_limit: float = FIT_LIMIT,
) -> StudyOptions:
    """Return the options of a study: the sets asked for, or all available ones, and all classifiers with the peers."""
    if protocol not in ("clean", "leaky"):
        raise ValueError(f"protocol must be 'clean' or 'leaky', not {protocol!r}.")
    classifiers = (*PAPER, *COMBINATIONS, *BEYOND, *requested(peers))
    wanted = tuple(dict.fromkeys(names or sets.names()))
    sources = {name: source(name, sets) for name in wanted}
    if len(wanted) < 3:
        raise ValueError(f"a comparison needs at least three {sets.profile.unit}.")
    order: Order = "leaky" if protocol == "leaky" else "clean"
    versions = versions_of(classifiers)
    return StudyOptions(wanted, classifiers, splits, seed, order, sources, versions, fit_limit=fit_limit)


# --- what is written --------------------------------------------------------------------------------


def study_page(results: StudyResults, tables: list[TextTable], pictures: list[Picture]) -> str:
    """Return the page of a study as HTML: one file that needs no other, with all text escaped."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=False)
    environment.filters["cell_text"] = cell_text
    template = environment.from_string(
        files("atfnb.paper").joinpath("templates/study.html.j2").read_text(encoding="utf-8")
    )
    options = results.options
    made = f"atfnb {__version__}; seed {options.seed}, {options.n_splits} splits, {options.order} protocol."
    return template.render(
        title=results.sets.profile.title, summary=summary(results), tables=tables, figures=pictures, made=made
    )


def write_tables(folder: Path, tables: list[TextTable]) -> None:
    """Write every table as Markdown and CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        write_whole(folder / f"{table.name}.md", table.markdown())
        write_whole(folder / f"{table.name}.csv", table.csv())


def write_pictures(folder: Path, pictures: list[Picture]) -> None:
    """Write every figure as SVG and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        write_whole(folder / f"{picture.name}.svg", picture.svg)
        png = io.BytesIO()
        picture.figure.savefig(png, dpi=130)
        write_whole(folder / f"{picture.name}.png", png.getvalue())


# --- the study in sentences -------------------------------------------------------------------------


def summary(results: StudyResults) -> list[str]:
    """Return sentences on a study: which classifier is best, how ATFNB and FusionNB compare, and what the data are."""
    remark = results.sets.profile.remark
    first = [f"These are {remark}: they show how the study runs, not how good a classifier is."] if remark else []
    shared, whole = results.sets.dependence(results.options.sets), complete(results)
    return [
        *first,
        *_about_the_paper(whole),
        *_about_fusion(whole),
        *_about_limits(results),
        *([shared] if shared else []),
    ]


def _about_the_paper(results: StudyResults) -> list[str]:
    """Describe which classifier has the highest mean accuracy, and how ATFNB compares with naive Bayes."""
    names, mean = distinct(results)
    average, pairs, wins = mean.mean(axis=0), statistics.compare_pairs(mean), statistics.wins(mean)
    best, nb, ours = int(np.argmax(average)), among(names, "NB"), among(names, "ATFNB")
    profile, unit = results.sets.profile, results.sets.profile.unit
    over = f"{len(results.options.sets)} {unit} and {results.options.n_splits} splits of each"
    lead = f"{names[best]} has the highest mean test accuracy, {average[best]:.4f}, over {over}"
    if best == nb:
        lead += ": none of the others has a higher one."
    else:
        tests = (
            f"Wilcoxon over the {unit}, p = {pairs.p_values[best, nb]:.2g}; corrected by Holm for all pairs, "
            f"{pairs.holm[best, nb]:.2g}"
        )
        if profile.overlapping:
            lead += f"; naive Bayes has {average[nb]:.4f} ({tests})."
        else:
            sure = bool(pairs.holm[best, nb] <= LEVEL and pairs.rank_biserial[best, nb] > 0)
            more = compared(
                average[best] - average[nb], ("naive Bayes",), f"{average[nb]:.4f}", sure=sure, evidence=tests
            )
            lead += f": {joined(more)}."
    about = (
        f"ATFNB has {average[ours]:.4f}: it is above naive Bayes on {counted(int(wins[nb, ours]), profile.single)} "
        f"and below on {wins[ours, nb]} (Wilcoxon over the {unit}, p = {pairs.p_values[ours, nb]:.2g})."
    )
    return [lead, f"{about} {_as_printed(results)}" if profile.shows_paper else about]


def _as_printed(results: StudyResults) -> str:
    """Describe how ATFNB and naive Bayes compare in the paper."""
    accuracy, unit = printed_accuracy(results, ("NB", "ATFNB")), results.sets.profile.unit
    above, below = (int((sign * np.diff(accuracy) > 0).sum()) for sign in (1, -1))
    same = f"the same {unit}" if results.sets.profile.comparable else f"its own {unit}"
    return (
        f"On {same} the paper prints {accuracy[:, 1].mean():.4f} against {accuracy[:, 0].mean():.4f}, "
        f"{counted(above, results.sets.profile.single)} above and {below} below."
    )


def _about_fusion(results: StudyResults) -> list[str]:
    """Compare FusionNB's accuracy and log-loss with those of naive Bayes, and of the best peers that took part."""
    if not taking_part(results, ("FusionNB",)):
        return []
    ours, nb = positions(results, ("FusionNB", "NB"))
    accuracy, log_loss = results.mean.mean(axis=0), results.mean_log_loss.mean(axis=0)
    lead = (
        f"FusionNB has a mean accuracy of {accuracy[ours]:.4f} and a log-loss of {log_loss[ours]:.4f}; naive Bayes has "
        f"{accuracy[nb]:.4f} and {log_loss[nb]:.4f}."
    )
    if accuracy[ours] == accuracy.max():  # the first sentence of the summary has both accuracies
        lead = f"FusionNB's mean log-loss is {log_loss[ours]:.4f}; that of naive Bayes is {log_loss[nb]:.4f}."
    sentences = [f"{lead} {_better(results, ours, nb)}"]
    peers = positions(results, taking_part(results, tuple(PEERS)))
    if peers:
        first, lowest = max(peers, key=lambda c: accuracy[c]), min(peers, key=lambda c: log_loss[c])
        names = results.options.classifiers
        other = "" if lowest == first else f"{names[lowest]} "
        sentences.append(
            f"Of the peers that took part, {names[first]} has the highest accuracy, {accuracy[first]:.4f}, and "
            f"{other}the lowest log-loss, {log_loss[lowest]:.4f}. {_better(results, ours, first, lowest)}"
        )
    return sentences


def _about_limits(results: StudyResults) -> list[str]:
    """Say which classifiers did not finish every set, and so are compared in F5 alone."""
    limit, unit, sentences = results.options.fit_limit, results.sets.profile.unit, []
    for name, c in zip(stopped(results), positions(results, stopped(results)), strict=True):
        done = int(results.finished[:, c].sum())
        where = "F5 compares it on those, and no other comparison has it" if done else "no comparison has it"
        sentences.append(
            f"{name} finished every fit within {limit:g} s on {done} of {len(results.options.sets)} {unit}: {where}."
        )
    return sentences


def _better(results: StudyResults, ours: int, other: int, lowest: int | None = None) -> str:
    """Say on how many sets FusionNB is better: in accuracy than ``other``, in log-loss than ``lowest`` or ``other``."""
    right = duel(results.mean[:, ours], results.mean[:, other])
    other = other if lowest is None else lowest
    probable = duel(-results.mean_log_loss[:, ours], -results.mean_log_loss[:, other])
    unit, single = results.sets.profile.unit, results.sets.profile.single
    return (
        f"FusionNB's accuracy is higher on {counted(right.won, single)} and lower on {right.lost} (Wilcoxon over the "
        f"{unit}, p = {right.p_value:.2g}), its log-loss lower on {probable.won} and higher on {probable.lost} "
        f"(p = {probable.p_value:.2g})."
    )
