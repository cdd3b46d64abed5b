"""The verb ``reproduce``: the paper's two studies, run again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from atfnb.cli import one_sentence, option, with_options
from atfnb_study.verbs.datasets import DataFolder
from atfnb_study.verbs.leaf import Jobs, LeafOptions, table_of_leaves

if TYPE_CHECKING:
    from rich.console import Console

    from atfnb_study.sets import Sets

number = partial(option, metavar="N")


class Study(StrEnum):
    """The paper's two studies."""

    uci = "uci"
    flavia = "flavia"


@dataclass(frozen=True)
class ProtocolOptions:
    """How a study is run."""

    splits: int = number("Number of random 80/20 splits of each data set.", 30, min=2)
    seed: int = number("Random seed: the same seed gives the same splits.", 0, min=0, show_default=True)
    protocol: Literal["clean", "leaky"] = option(
        "clean discretises numeric columns on the training rows of each split; leaky does it on all rows "
        "before splitting, to show the effect of that mistake.",
        "clean",
    )


@with_options
def reproduce(
    *,
    study: Annotated[Study, typer.Argument(metavar="STUDY", help="uci: the 50 data sets; flavia: leaves.")] = Study.uci,
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
    protocol: ProtocolOptions,
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
        from atfnb_study.reproduce import choose, reproduce_study

        peers = requested(peers or [])  # before photographs are measured
        console = Screen()
        tables = _sets(study, data, leaves, out, protocol.seed, jobs, console)
        options = choose(sets, peers, sets=tables, **vars(protocol))
        shown = out / "drawn" if leaves.drawn else leaves.images
        reproduce_study(console, out, options, tables, jobs=jobs, leaves=shown)


def _sets(
    study: Study, data: Path | None, leaves: LeafOptions, out: Path, seed: int, jobs: int, console: Console
) -> Sets:
    """Return the tables of a study; photographs of leaves are measured first."""
    from atfnb_study.sets import Flavia, Uci

    if study is Study.flavia:
        features = table_of_leaves(console, out, leaves, jobs=jobs)
        return Flavia(str(features), seed, leaves.drawn)
    if leaves != LeafOptions():
        raise ValueError("--images, --labels, --features and --drawn belong to: atfnb reproduce flavia.")
    return Uci(None if data is None else str(data))
