"""A study of the paper from beginning to end: run it, write tables, figures and one page, and print a summary."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from atfnb._errors import counted
from atfnb._files import write_whole
from atfnb._version import __version__
from atfnb.console import progress_bar
from atfnb.evaluation import LEVEL, compared, joined
from atfnb.report import content_policy
from atfnb_study import statistics
from atfnb_study.beyond import duel
from atfnb_study.figures import Picture, every_picture
from atfnb_study.peers import BEYOND, COMBINATIONS, PAPER, PEERS, requested
from atfnb_study.protocol import Order
from atfnb_study.searches import TIMED, beta_of_set
from atfnb_study.sets import Sets, source
from atfnb_study.study import StudyOptions, StudyResults, among, run_study, versions_of
from atfnb_study.tables import every_table, printed_accuracy
from atfnb_study.text_table import Cell, TextTable, cell_text, console_table

if TYPE_CHECKING:
    from rich.console import Console

LEAVES = 8
"""The largest number of leaves that the page of a study shows."""


def reproduce_study(
    console: Console, folder: Path, options: StudyOptions, sets: Sets, *, jobs: int, leaves: Path | None = None
) -> Path:
    """Run a study, write its tables, figures and page into a folder, print a summary, and return the path of the page.

    Parameters
    ----------
    console : rich.console.Console
        The console for progress bars and the summary.
    folder : Path
        The folder for results, tables, figures and the page. A second run continues from there.
    options : StudyOptions
        What :func:`choose` returned.
    sets : Sets
        The data: ``Uci`` or ``Flavia``.
    jobs : int
        The number of processes.
    leaves : Path, optional
        The folder with the photographs or drawings that were measured, some of which the page shows.
    """
    unit = sets.profile.unit
    if sets.profile.remark:
        console.print(sets.profile.title)
    size = f"{len(options.sets)} {unit} × {options.n_splits} splits × {len(options.classifiers)} classifiers"
    console.print(f"{size}, into {folder}")
    with progress_bar(console, "classifying") as progress:
        results = run_study(options, folder, sets=sets, jobs=jobs, progress=progress)
    betas = []
    with progress_bar(console, f"β of the {unit}") as progress:
        for name in options.sets:
            betas.append(beta_of_set(name, *sets.load(name), timed=name in TIMED))
            progress(len(betas), len(options.sets), name)
    tables, pictures = every_table(results, betas), every_picture(results, betas)
    write_files(folder, tables, pictures)
    page = folder / "report.html"
    write_whole(page, study_page(results, tables, pictures, leaf_pictures(leaves) if leaves is not None else ()))
    by_name = {table.name: table for table in tables}
    figures = ("classifier", "accuracy", "log-loss", "Brier score")
    shown = [by_name[f"{sets.profile.tables.accuracy}-foot"], by_name["F1"].only(*figures)]
    if "F5" in by_name:
        duels = ("classifier", "accuracy", "log-loss", "fit, s", "accuracy vs FusionNB", "p, accuracy")
        shown.append(by_name["F5"].only(*duels))
    for text in (*map(console_table, shown), *summary(results)):
        console.print(text)
    console.print(f"the report: {page}")
    return page


def choose(
    names: list[str] | None,
    peers: list[str],
    *,
    sets: Sets,
    splits: int,
    seed: int,
    protocol: Order,
) -> StudyOptions:
    """Return the options of a study: the sets asked for, or all available ones, and all classifiers with the peers."""
    classifiers = (*PAPER, *COMBINATIONS, *BEYOND, *requested(peers))
    wanted = tuple(dict.fromkeys(names or sets.names()))
    sources = {name: source(name, sets) for name in wanted}
    if len(wanted) < 3:
        raise ValueError(f"a comparison needs at least three {sets.profile.unit}.")
    versions = versions_of(classifiers)
    return StudyOptions(wanted, classifiers, splits, seed, protocol, sources, versions)


# --- what is written --------------------------------------------------------------------------------


def study_page(
    results: StudyResults, tables: list[TextTable], pictures: list[Picture], leaves: Sequence[tuple[str, str]] = ()
) -> str:
    """Return the page of a study as HTML: one file that needs no other, with all text escaped.

    Parameters
    ----------
    results : StudyResults
    tables : list of TextTable
        The first that has the accuracies is shown open, the others folded.
    pictures : list of Picture
        The first two stand at the top.
    leaves : sequence of (str, str)
        The name of each leaf to show, and its picture as a data address.
    """
    from jinja2 import Environment, FunctionLoader
    from markupsafe import Markup

    folder = files("atfnb_study").joinpath("templates")

    def read(name: str) -> str:
        return folder.joinpath(name).read_text(encoding="utf-8")

    environment = Environment(autoescape=True, trim_blocks=False, loader=FunctionLoader(read))
    environment.filters["cell_text"] = cell_text
    environment.filters["best"] = best_columns
    environment.filters["heading"] = lambda text: text if text.startswith("β") else text[:1].upper() + text[1:]
    options, accuracy = results.options, results.profile.tables.accuracy
    return environment.get_template("study.html.j2").render(
        title=results.profile.title,
        verdict=verdict(results),
        summary=summary(results),
        first=[table for table in tables if table.name == accuracy],
        others=[table for table in tables if table.name != accuracy],
        figures=pictures,
        leaves=leaves,
        shows_paper=results.profile.shows_paper,
        css=Markup(read("study.css")),  # noqa: S704 - our own files
        script=Markup(read("study.js")),  # noqa: S704
        policy=content_policy(read("study.js"), None),  # the figures are drawn with styles of their own
        made=f"atfnb {__version__}; seed {options.seed}, {options.n_splits} splits, {options.order} protocol.",
    )


def best_columns(row: tuple[Cell, ...], header: tuple[str, ...]) -> set[int]:
    """Return the positions of the highest of our accuracies in a row, and of the highest of the paper's.

    >>> header = ("set", "NB", "ATFNB", "ATFNB beats", "NB, paper", "ATFNB, paper")
    >>> sorted(best_columns(("iris", 0.9, 0.95, "NB", 0.8, 0.7), header))
    [2, 4]
    """
    found: set[int] = set()
    for theirs in (False, True):
        cells = {
            k: cell
            for k, (cell, name) in enumerate(zip(row, header, strict=True))
            if isinstance(cell, float) and name.endswith(", paper") == theirs
        }
        found |= {k for k, cell in cells.items() if cell == max(cells.values())}
    return found


def leaf_pictures(folder: Path, most: int = LEAVES) -> list[tuple[str, str]]:
    """Return some leaves of a folder with their outline, length and width drawn on them, as data addresses.

    Those that cannot be measured are left out, as they are from the study.
    """
    from PIL import Image

    from atfnb_study.leaf import UnmeasuredError, files_in, grey, outline, preview, read, segment
    from atfnb_study.leaf.photograph import jpeg

    names = files_in(folder)
    shown = []
    for name in names[:: max(len(names) // most, 1)][:most]:
        try:
            image = grey(read(folder / name))
            drawn = preview(image, outline(segment(image)))
        except UnmeasuredError:
            continue
        picture = Image.fromarray(drawn)
        picture.thumbnail((360, 360))
        shown.append((name, f"data:image/jpeg;base64,{b64encode(jpeg(picture, quality=80)).decode('ascii')}"))
    return shown


def write_files(folder: Path, tables: list[TextTable], pictures: list[Picture]) -> None:
    """Write every table as Markdown and CSV, and every figure as SVG and PNG."""
    contents: dict[str, str | bytes] = {}
    for table in tables:
        contents |= {f"tables/{table.name}.md": table.markdown(), f"tables/{table.name}.csv": table.csv()}
    for picture in pictures:
        contents |= {f"figures/{picture.name}.svg": picture.svg, f"figures/{picture.name}.png": picture.png()}
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, content)


# --- the study in sentences -------------------------------------------------------------------------


def verdict(results: StudyResults) -> str:
    """Return whether the paper's claim was reproduced, in one sentence; empty if the study says nothing about it.

    The claim is that ATFNB is more accurate than naive Bayes. It is reproduced if ATFNB's mean accuracy is higher and
    Wilcoxon's test over the sets rules chance out.
    """
    profile = results.profile
    if not profile.shows_paper:
        return ""
    names, mean = results.distinct()
    nb, ours = among(names, "NB"), among(names, "ATFNB")
    p_value, lead = statistics.compare_pairs(mean).p_values[ours, nb], float((mean[:, ours] - mean[:, nb]).mean())
    held = lead > 0 and (not profile.comparable or p_value <= LEVEL)
    over = counted(len(results.options.sets), profile.single)
    overlap = "; they overlap, so that no test rules chance out"
    evidence = f" (Wilcoxon's p = {p_value:.2g})" if profile.comparable else overlap
    return (
        f"The paper's claim that ATFNB is more accurate than naive Bayes was {'' if held else 'not '}reproduced: over "
        f"{over} its mean accuracy is {100 * abs(lead):.2f} points {'higher' if lead > 0 else 'lower'}{evidence}."
    )


def summary(results: StudyResults) -> list[str]:
    """Return sentences on a study: which classifier is best, how ATFNB and FusionNB compare, and what the data are."""
    remark = results.profile.remark
    first = f"These are {remark}: they show how the study runs, not how good a classifier is." if remark else ""
    every = (first, *_about_the_paper(results), *_about_fusion(results), results.shared)
    return list(filter(None, every))


def _about_the_paper(results: StudyResults) -> list[str]:
    """Describe which classifier has the highest mean accuracy, and how ATFNB compares with naive Bayes."""
    names, mean = results.distinct()
    average, pairs, wins = mean.mean(axis=0), statistics.compare_pairs(mean), statistics.wins(mean)
    best, nb, ours = int(np.argmax(average)), among(names, "NB"), among(names, "ATFNB")
    profile, unit = results.profile, results.profile.unit
    over = f"{len(results.options.sets)} {unit} and {results.options.n_splits} splits of each"
    lead = f"{names[best]} has the highest mean test accuracy, {average[best]:.4f}, over {over}"
    if best == nb:
        lead += ": none of the others has a higher one."
    else:
        tests = f"Wilcoxon over the {unit}, p = {pairs.p_values[best, nb]:.2g}"
        tests += f"; corrected by Holm for all pairs, {pairs.holm[best, nb]:.2g}"
        if not profile.comparable:
            lead += f"; naive Bayes has {average[nb]:.4f} ({tests})."
        else:
            sure = bool(pairs.holm[best, nb] <= LEVEL and pairs.rank_biserial[best, nb] > 0)
            gain, than = average[best] - average[nb], f"{average[nb]:.4f}"
            lead += f": {joined(compared(gain, ('naive Bayes',), than, sure=sure, evidence=tests))}."
    about = (
        f"ATFNB has {average[ours]:.4f}: it is above naive Bayes on {counted(int(wins[nb, ours]), profile.single)} "
        f"and below on {wins[ours, nb]} (Wilcoxon over the {unit}, p = {pairs.p_values[ours, nb]:.2g})."
    )
    return [lead, f"{about} {_as_printed(results)}" if profile.shows_paper else about]


def _as_printed(results: StudyResults) -> str:
    """Describe how ATFNB and naive Bayes compare in the paper."""
    accuracy, unit = printed_accuracy(results, ("NB", "ATFNB")), results.profile.unit
    above, below = (int((sign * np.diff(accuracy) > 0).sum()) for sign in (1, -1))
    same = f"the same {unit}" if results.profile.comparable else f"its own {unit}"
    return (
        f"On {same} the paper prints {accuracy[:, 1].mean():.4f} against {accuracy[:, 0].mean():.4f}, "
        f"{counted(above, results.profile.single)} above and {below} below."
    )


def _about_fusion(results: StudyResults) -> list[str]:
    """Compare FusionNB's accuracy and log-loss with those of naive Bayes, and of the best peers that took part."""
    if not results.taking_part(("FusionNB",)):
        return []
    ours, nb = results.positions(("FusionNB", "NB"))
    accuracy, log_loss = results.mean.mean(axis=0), results.mean_log_loss.mean(axis=0)
    lead = (
        f"FusionNB has a mean accuracy of {accuracy[ours]:.4f} and a log-loss of {log_loss[ours]:.4f}; naive Bayes has "
        f"{accuracy[nb]:.4f} and {log_loss[nb]:.4f}."
    )
    if accuracy[ours] == accuracy.max():  # the first sentence of the summary has both accuracies
        lead = f"FusionNB's mean log-loss is {log_loss[ours]:.4f}; that of naive Bayes is {log_loss[nb]:.4f}."
    said = [f"{lead} {_better(results, ours, nb, nb)}"]
    if peers := results.positions(results.taking_part(tuple(PEERS))):
        first, lowest = max(peers, key=lambda c: accuracy[c]), min(peers, key=lambda c: log_loss[c])
        names = results.options.classifiers
        other = "" if lowest == first else f"{names[lowest]} "
        said.append(
            f"Of the peers that took part, {names[first]} has the highest accuracy, {accuracy[first]:.4f}, and "
            f"{other}the lowest log-loss, {log_loss[lowest]:.4f}. {_better(results, ours, first, lowest)}"
        )
    return said


def _better(results: StudyResults, ours: int, other: int, lowest: int) -> str:
    """Say on how many sets FusionNB is better: in accuracy than ``other``, in log-loss than ``lowest``."""
    right = duel(results.mean[:, ours], results.mean[:, other])
    probable = duel(-results.mean_log_loss[:, ours], -results.mean_log_loss[:, lowest])
    unit, single = results.profile.unit, results.profile.single
    return (
        f"FusionNB's accuracy is higher on {counted(right.won, single)} and lower on {right.lost} (Wilcoxon over the "
        f"{unit}, p = {right.p_value:.2g}), its log-loss lower on {probable.won} and higher on {probable.lost} "
        f"(p = {probable.p_value:.2g})."
    )
