"""The paper's study from beginning to end: run, tables, figures, one page; told on a console."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atfnb import datasets
from atfnb._files import write_whole
from atfnb.bench import paper, ranking, statistics
from atfnb.bench.peers import COMBINATIONS, PAPER, PEERS
from atfnb.bench.searches import BetaOfSet, beta_of_set
from atfnb.bench.study import Options, Progress, Results, run_study, source
from atfnb.bench.tables import distinct, every_table, foot_table, printed_accuracy
from atfnb.bench.text_table import TextTable, shown
from atfnb.report.figures import Picture, beta_curves, beta_intervals, combinations, critical_difference

if TYPE_CHECKING:
    from rich.console import Console

TIMED = {str(row["set"]) for row in paper.table("T4")}
"""The sets on which the paper times both searches."""


def reproduce_study(
    console: Console,
    folder: Path,
    sets: list[str] | None,
    peers: list[str],
    *,
    data: str | None,
    splits: int,
    seed: int,
    protocol: str,
    jobs: int,
) -> Path:
    """Run the study, write tables, figures and the page into the folder, and give the page's path."""
    options = choose(sets, peers, data=data, splits=splits, seed=seed, protocol=protocol)
    console.print(f"{len(options.sets)} sets × {splits} splits × {len(options.classifiers)} classifiers, into {folder}")
    with _bar(console, "classifying") as told:
        results = run_study(options, folder, data=data, jobs=jobs, progress=told)
    betas = []
    with _bar(console, "β of each set") as told:
        for name in options.sets:
            betas.append(beta_of_set(name, *datasets.load(name, data), timed=name in TIMED))
            told(len(betas), len(options.sets), name)
    tables, pictures = every_table(results, betas), every_picture(results, betas)
    write_tables(folder / "tables", tables)
    write_pictures(folder / "figures", pictures)
    page = folder / "report.html"
    write_whole(page, study_page(results, tables, pictures))
    console.print(_on_console(foot_table(results)))
    for sentence in summary(results):
        console.print(sentence)
    console.print(f"the report: {page}")
    return page


def choose(
    sets: list[str] | None, peers: list[str], *, data: str | None, splits: int, seed: int, protocol: str
) -> Options:
    """The study's options: the sets asked for, or all that can be had; the paper's classifiers and the peers."""
    if protocol not in ("clean", "leaky"):
        raise ValueError(f"protocol must be 'clean' or 'leaky', not {protocol!r}.")
    unknown = [name for name in peers if name not in PEERS]
    if unknown:
        raise ValueError(f"--with {unknown[0]!r} is not known. Known: {', '.join(PEERS)}.")
    can_be_had = [name for name in datasets.catalogue() if datasets.where(name, data) != "not available"]
    wanted = tuple(dict.fromkeys(sets or can_be_had))
    sources = {name: source(name, data) for name in wanted}
    if len(wanted) < 3:
        raise ValueError("a comparison needs at least three sets.")
    names = (*PAPER, *COMBINATIONS, *dict.fromkeys(peers))
    return Options(wanted, names, splits, seed, "leaky" if protocol == "leaky" else "clean", sources)


def every_picture(results: Results, betas: list[BetaOfSet]) -> list[Picture]:
    """The study's figures."""
    names, mean = list(results.options.classifiers), results.mean
    chosen = [one for one in betas if one.name in TIMED] or betas[:4]
    printed = {str(r["set"]): (float(r["low"]), float(r["high"])) for r in paper.table("T14")}
    pairs = [names.index(name) for name in COMBINATIONS]
    return [
        beta_curves(chosen),
        beta_intervals(betas, printed),
        combinations(list(COMBINATIONS), mean[:, pairs].mean(axis=0)),
        critical_difference(*_friedman(results)),
    ]


def _friedman(results: Results) -> tuple[list[str], ranking.Friedman]:
    names, mean = distinct(results)
    return names, ranking.friedman(mean)


def summary(results: Results) -> list[str]:
    """What a reader wants to know: which is best, by how much, how sure; and whether ATFNB beats NB."""
    names, mean = distinct(results)
    average, pairs, wins = mean.mean(axis=0), ranking.compare_pairs(mean), statistics.wins(mean)
    best, nb = int(np.argmax(average)), names.index("NB")
    ours = next(i for i, name in enumerate(names) if "ATFNB" in name.split(" = "))
    over = f"{len(results.options.sets)} sets and {results.options.n_splits} splits of each"
    lead = f"{names[best]} has the highest mean test accuracy, {average[best]:.4f}, over {over}"
    if best == nb:
        lead += ": none of the weightings beats it."
    else:
        sure = "sure" if pairs.holm[best, nb] <= 0.05 and pairs.rank_biserial[best, nb] > 0 else "not sure"
        lead += (
            f"; naive Bayes has {average[nb]:.4f}. That it is better than naive Bayes is {sure} "
            f"(Wilcoxon, p = {pairs.p_values[best, nb]:.2g}; corrected by Holm, {pairs.holm[best, nb]:.2g})."
        )
    printed = printed_accuracy(results.options.sets, ("NB", "ATFNB"))
    above, below = (int((sign * np.diff(printed) > 0).sum()) for sign in (1, -1))
    return [
        lead,
        f"ATFNB has {average[ours]:.4f}: it is above naive Bayes on {wins[nb, ours]} sets and below on "
        f"{wins[ours, nb]} (Wilcoxon, p = {pairs.p_values[ours, nb]:.2g}). On the same sets the paper prints "
        f"{printed[:, 1].mean():.4f} against {printed[:, 0].mean():.4f}, {above} sets above and {below} below.",
    ]


def study_page(results: Results, tables: list[TextTable], pictures: list[Picture]) -> str:
    """The page: one file, everything in it, everything escaped."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=False)
    environment.filters["shown"] = shown
    template = environment.from_string(
        files("atfnb.report").joinpath("templates/study.html.j2").read_text(encoding="utf-8")
    )
    options = results.options
    made = f"atfnb {version('atfnb')}; seed {options.seed}, {options.n_splits} splits, {options.order} protocol."
    title = "The paper, run again: attribute-weighted naive Bayes on its data sets"
    return template.render(title=title, summary=summary(results), tables=tables, figures=pictures, made=made)


def write_tables(folder: Path, tables: list[TextTable]) -> None:
    """Every table as Markdown and CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        write_whole(folder / f"{table.name}.md", table.markdown())
        write_whole(folder / f"{table.name}.csv", table.csv())


def write_pictures(folder: Path, pictures: list[Picture]) -> None:
    """Every figure as SVG and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        write_whole(folder / f"{picture.name}.svg", picture.svg)
        png = io.BytesIO()
        picture.figure.savefig(png, dpi=130)
        write_whole(folder / f"{picture.name}.png", png.getvalue())


@contextmanager
def _bar(console: Console, what: str) -> Iterator[Progress]:
    """A progress bar with the time left."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None, last="")
        yield lambda done, total, last: bar.update(task, completed=done, total=total, last=last)


def _on_console(table: TextTable) -> Any:
    from rich.table import Table

    shown_table = Table(*table.header, title=table.title, caption=table.note)
    for row in table.rows:
        shown_table.add_row(*map(shown, row))
    return shown_table
