"""The verbs ``leaf extract`` and ``leaf draw``: from photographs of leaves to a table of attributes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atfnb._errors import and_more
from atfnb.cli import one_sentence, option, with_options

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from atfnb_study.leaf import Summary

Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="Number of processes.")]

NAMED_FILES = 3
"""How many files are named for each reason; the others are counted."""

of_study = partial(
    option, panel="The study of leaves (flavia): give one of --images, --features and --drawn", metavar="FOLDER"
)


@dataclass(frozen=True)
class LeafOptions:
    """Where the leaves of the study come from."""

    images: Path | None = of_study("Photographs of leaves, which are measured first.")
    labels: Path | None = of_study("Labels of the photographs, as for atfnb leaf extract.", metavar="FILE")
    features: Path | None = of_study("Table that atfnb leaf extract wrote.", metavar="FILE")
    drawn: bool = of_study(
        "Draw leaves, as a demonstration; the results are not compared with those of the paper.", False, metavar=None
    )


@dataclass(frozen=True)
class ExtractOptions:
    """How photographs are measured."""

    labels: Path | None = option(
        "CSV file with the columns file and class (or species, or label). Default: labels.csv in the folder of the "
        "photographs.",
        metavar="FILE",
    )
    leaf_pixels_only: bool = option("Measure the texture of the leaf alone, not of the whole photograph.", False)
    preview: Path | None = option(
        "Folder for a copy of each photograph with the measurements drawn on it.", metavar="FOLDER"
    )


app = typer.Typer(
    name="leaf",
    no_args_is_help=True,
    help="Measure leaves on photographs: ten attributes of shape and four of texture.",
)


@with_options
def extract(
    *,
    images: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Folder of photographs, each of one dark leaf on a light background."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Table to write.")] = Path("features.csv"),
    options: ExtractOptions,
    jobs: Jobs = 2,
) -> None:
    """Measure a folder of photographs, and write a table with one row per leaf.

    Use it to make a table that the other commands can train on. If it is interrupted, the same command continues where
    it stopped. Photographs that cannot be measured are listed at the end.

    Example: [bold]atfnb leaf extract photographs/ --labels labels.csv -o features.csv --preview seen/[/]
    """
    with one_sentence(f"what was measured is kept next to {out}: the same command continues from there."):
        from atfnb.console import Screen

        measure_folder(Screen(), images, out, options, jobs)


@with_options
def draw(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to draw them into.")],
    each: Annotated[int, typer.Option(min=1, metavar="N", help="Number of leaves of each species.")] = 30,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Random seed: the same seed draws the same leaves.")
    ] = 0,
) -> None:
    """Draw leaves of a few species, with their labels.

    Use it to try [bold]atfnb leaf extract[/] without photographs.

    Example: [bold]atfnb leaf draw drawn/ && atfnb leaf extract drawn/[/]
    """
    with one_sentence():
        from atfnb.console import Screen
        from atfnb_study.leaf import SPECIES, draw_folder

        labels = draw_folder(folder, each, seed)
        drawn = f"{each * len(SPECIES)} leaves of {len(SPECIES)} species drawn; their labels are in {labels}."
        Screen().print(drawn, soft_wrap=True)


app.command("extract")(extract)
app.command("draw")(draw)


# --- Measuring, for this verb and for the study of leaves ------------------------------------------


def measure_folder(console: Console, images: Path, out: Path, options: ExtractOptions, jobs: int) -> None:
    """Measure a folder of photographs, and print how many were measured and which were left out."""
    from atfnb.console import progress_bar
    from atfnb_study import leaf

    given = vars(options) | {"labels": options.labels or images / "labels.csv"}
    with progress_bar(console, "measuring") as progress:
        done = leaf.extract(images, out=out, **given, jobs=jobs, progress=progress)
    earlier = f"; {done.known} of the files were looked at in an earlier run" if done.known else ""
    leaves = "1 leaf" if done.measured == 1 else f"{done.measured} leaves"
    console.print(f"{leaves} measured, into {out}{earlier}", soft_wrap=True)
    if done.skipped or done.remarks:
        console.print(_remarks_table(done))
    if not done.measured:
        raise ValueError(f"no photograph of {images} could be measured.")


def _remarks_table(done: Summary) -> Table:
    """Return a table of the files that were left out or have a remark: how many, why, and the names of a few."""
    from rich.table import Table
    from rich.text import Text

    table = Table("", "files", "because it", "which", title="files left out or with a remark")
    for what, found in (("left out", done.skipped), ("measured", done.remarks)):
        for reason, names in found.items():
            few = [name + (f" ({done.details[name]})" if name in done.details else "") for name in names[:NAMED_FILES]]
            which = ", ".join(few) + and_more(len(names), NAMED_FILES)
            table.add_row(what, str(len(names)), reason.value, Text(which))
    return table


def table_of_leaves(console: Console, out: Path, given: LeafOptions, jobs: int) -> Path:
    """Return the path of the table of attributes for the study of leaves: as given, measured, or drawn and measured."""
    images, features = given.images, given.features
    if sum((images is not None, features is not None, given.drawn)) != 1:
        raise ValueError("the study of leaves needs one of --images FOLDER, --features FILE and --drawn.")
    if features is not None:
        if not features.is_file():
            raise FileNotFoundError(f"there is no table {str(features)!r}.")
        return features
    if images is None:
        from atfnb_study.leaf import draw_folder

        images = out / "drawn"
        if not (images / "labels.csv").exists():
            draw_folder(images)
    measure_folder(console, images, out / "features.csv", ExtractOptions(labels=given.labels), jobs)
    return out / "features.csv"
