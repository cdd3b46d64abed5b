"""The paper's study from beginning to end: run, tables, figures, one page; told on a console."""

from __future__ import annotations

import io
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from atfnb._files import write_whole
from atfnb.console import progress_bar
from atfnb.paper import published, ranking
from atfnb.paper.figures import Picture, beta_curves, beta_intervals, combinations, critical_difference, reliability
from atfnb.paper.fusion_tables import probability_table
from atfnb.paper.peers import BEYOND, COMBINATIONS, PAPER, PEERS
from atfnb.paper.protocol import Order
from atfnb.paper.results import Options, Results, distinct, versions_of
from atfnb.paper.searches import BetaOfSet, beta_of_set
from atfnb.paper.sets import Sets, source
from atfnb.paper.study import run_study
from atfnb.paper.summary import summary
from atfnb.paper.tables import every_table, foot_table
from atfnb.paper.text_table import TextTable, on_console, shown

if TYPE_CHECKING:
    from rich.console import Console

TIMED = {str(row["set"]) for row in published.table("T4")}
"""The sets on which the paper times both searches."""


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
) -> Path:
    """Run the study, write tables, figures and the page into the folder, and give the page's path."""
    options = choose(names, peers, sets=sets, splits=splits, seed=seed, protocol=protocol)
    unit = sets.printed.unit
    if sets.printed.remark:
        console.print(sets.printed.title)
    console.print(
        f"{len(options.sets)} {unit} × {splits} splits × {len(options.classifiers)} classifiers, into {folder}"
    )
    with progress_bar(console, "classifying") as told:
        results = run_study(options, folder, sets=sets, jobs=jobs, progress=told)
    betas = []
    with progress_bar(console, f"β of the {unit}") as told:
        for name in options.sets:
            betas.append(beta_of_set(name, *sets.load(name), timed=name in TIMED))
            told(len(betas), len(options.sets), name)
    tables, pictures = every_table(results, betas), every_picture(results, betas)
    write_tables(folder / "tables", tables)
    write_pictures(folder / "figures", pictures)
    page = folder / "report.html"
    write_whole(page, study_page(results, tables, pictures))
    console.print(on_console(foot_table(results)))
    console.print(on_console(probability_table(results).narrow(4)))
    for sentence in summary(results):
        console.print(sentence)
    console.print(f"the report: {page}")
    return page


def choose(names: list[str] | None, peers: list[str], *, sets: Sets, splits: int, seed: int, protocol: str) -> Options:
    """The study's options: the sets asked for, or all that can be had; the paper's classifiers, ours and the peers."""
    if protocol not in ("clean", "leaky"):
        raise ValueError(f"protocol must be 'clean' or 'leaky', not {protocol!r}.")
    unknown = [name for name in peers if name not in PEERS]
    if unknown:
        raise ValueError(f"--with {unknown[0]!r} is not known. Known: {', '.join(PEERS)}.")
    wanted = tuple(dict.fromkeys(names or sets.names()))
    sources = {name: source(name, sets) for name in wanted}
    if len(wanted) < 3:
        raise ValueError(f"a comparison needs at least three {sets.printed.unit}.")
    classifiers = (*PAPER, *COMBINATIONS, *BEYOND, *dict.fromkeys(peers))
    order: Order = "leaky" if protocol == "leaky" else "clean"
    return Options(wanted, classifiers, splits, seed, order, sources, versions_of(classifiers))


def every_picture(results: Results, betas: list[BetaOfSet]) -> list[Picture]:
    """The study's figures."""
    names, mean = list(results.options.classifiers), results.mean
    chosen = [one for one in betas if one.name in TIMED] or betas[:4]
    printed = {str(r["set"]): (float(r["low"]), float(r["high"])) for r in published.table("T14")}
    pairs = [names.index(name) for name in COMBINATIONS]
    unit, remark = results.sets.printed.unit, results.sets.printed.remark
    pictures = [
        beta_curves(chosen),
        beta_intervals(betas, printed, unit),
        combinations(list(COMBINATIONS), mean[:, pairs].mean(axis=0)),
        critical_difference(*_friedman(results), unit, results.sets.dependence(results.options.sets)),
        reliability(dict(zip(names, results.reliability, strict=True)), unit),
    ]
    return [picture.remarked(remark) for picture in pictures] if remark else pictures


def _friedman(results: Results) -> tuple[list[str], ranking.Friedman]:
    names, mean = distinct(results)
    return names, ranking.friedman(mean)


def study_page(results: Results, tables: list[TextTable], pictures: list[Picture]) -> str:
    """The page: one file, everything in it, everything escaped."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=False)
    environment.filters["shown"] = shown
    template = environment.from_string(
        files("atfnb.paper").joinpath("templates/study.html.j2").read_text(encoding="utf-8")
    )
    options = results.options
    made = f"atfnb {version('atfnb')}; seed {options.seed}, {options.n_splits} splits, {options.order} protocol."
    return template.render(
        title=results.sets.printed.title, summary=summary(results), tables=tables, figures=pictures, made=made
    )


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
