"""The verb ``reproduce``: the paper's two studies, run again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atfnb.cli import one_sentence, with_options
from atfnb_study.verbs.leaf import table_of_leaves
from atfnb_study.verbs.options import DataFolder, Jobs

if TYPE_CHECKING:
    from rich.console import Console

    from atfnb_study.sets import Sets

FLAVIA_PANEL = "The study of leaves (flavia): give one of --images, --features and --drawn"


class Study(StrEnum):
    """The paper's two studies."""

    uci = "uci"
    flavia = "flavia"


class Protocol(StrEnum):
    """When numeric columns are discretised: on the training rows of each split, or on all rows before splitting."""

    clean = "clean"
    leaky = "leaky"


@dataclass(frozen=True)
class LeafOptions:
    """Where the leaves of the study come from."""

    images: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Photographs of leaves, which are measured first.",
            show_default=False,
            rich_help_panel=FLAVIA_PANEL,
        ),
    ] = None
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Labels of the photographs, as for atfnb leaf extract.",
            show_default=False,
            rich_help_panel=FLAVIA_PANEL,
        ),
    ] = None
    features: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table that atfnb leaf extract wrote.",
            show_default=False,
            rich_help_panel=FLAVIA_PANEL,
        ),
    ] = None
    drawn: Annotated[
        bool,
        typer.Option(
            "--drawn",
            help="Draw leaves, as a demonstration; the results are not compared with those of the paper.",
            rich_help_panel=FLAVIA_PANEL,
        ),
    ] = False


@with_options
def reproduce(
    *,
    study: Annotated[
        Study,
        typer.Argument(metavar="STUDY", help="uci: the 50 data sets; flavia: leaves."),
    ] = Study.uci,
    data: DataFolder = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for results, tables, figures and the report.")
    ] = Path("results"),
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME",
            help="Use this data set only. May be repeated; a comparison needs at least three.",
            show_default=False,
        ),
    ] = None,
    splits: Annotated[
        int, typer.Option(min=2, metavar="N", help="Number of random 80/20 splits of each data set.")
    ] = 30,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Random seed: the same seed gives the same splits.")
    ] = 0,
    protocol: Annotated[
        Protocol,
        typer.Option(
            help="clean discretises numeric columns on the training rows of each split; leaky does it on all rows "
            "before splitting, to show the effect of that mistake."
        ),
    ] = Protocol.clean,
    peers: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME",
            help="Compare with this classifier too, for example RandomForest, LightGBM, XGBoost, CatBoost or EBM. "
            "May be repeated.",
            show_default=False,
        ),
    ] = None,
    fit_limit: Annotated[
        float,
        typer.Option(min=0.001, metavar="SECONDS", help="Stop a fit of CatBoost or EBM after so many seconds."),
    ] = 120.0,
    jobs: Jobs = 2,
    leaves: LeafOptions,
) -> None:
    """Run one of the paper's two studies again, and compare the results with the published ones.

    Use it to check what the paper claims, and to see how the classifiers compare on many data sets. If it is
    interrupted, the same command continues where it stopped.

    Example: [bold]atfnb reproduce --data csv/ --out results --with RandomForest[/]

    Example: [bold]atfnb reproduce flavia --images photographs/ --labels labels.csv --out leaves[/]
    """
    with one_sentence(f"what was done is kept in {out}: the same command continues from there."):
        from atfnb.console import Screen
        from atfnb_study.peers import requested
        from atfnb_study.reproduce import reproduce_study

        peers = requested(peers or [])  # before photographs are measured
        console = Screen()
        reproduce_study(
            console,
            out,
            sets,
            peers,
            sets=_sets(study, data, leaves, out, seed, jobs, console),
            splits=splits,
            seed=seed,
            protocol=protocol.value,
            jobs=jobs,
            fit_limit=fit_limit,
            leaves=out / "drawn" if leaves.drawn else leaves.images,
        )


def _sets(
    study: Study, data: Path | None, leaves: LeafOptions, out: Path, seed: int, jobs: int, console: Console
) -> Sets:
    """Return the tables of a study; photographs of leaves are measured first."""
    from atfnb_study.sets import Flavia, Uci

    if study is Study.flavia:
        features = table_of_leaves(
            console,
            out,
            images=leaves.images,
            labels=leaves.labels,
            features=leaves.features,
            drawn=leaves.drawn,
            jobs=jobs,
        )
        return Flavia(str(features), seed, leaves.drawn)
    if leaves != LeafOptions():
        raise ValueError("--images, --labels, --features and --drawn belong to: atfnb reproduce flavia.")
    return Uci(None if data is None else str(data))
