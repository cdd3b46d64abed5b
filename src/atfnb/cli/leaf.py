"""The verbs ``leaf extract`` and ``leaf draw``: from photographs of leaves to a table of attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atfnb.cli.options import with_options
from atfnb.cli.terminal import one_sentence

LabelsFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="CSV file with the columns file and class (or species, or label). Default: labels.csv in the folder of "
        "the photographs.",
        show_default=False,
    ),
]
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="Number of processes.")]

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
    labels: LabelsFile = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Table to write.")] = Path("features.csv"),
    leaf_pixels_only: Annotated[
        bool,
        typer.Option("--leaf-pixels-only", help="Measure the texture of the leaf alone, not of the whole photograph."),
    ] = False,
    preview: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder for a copy of each photograph with the measurements drawn on it.",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = 2,
) -> None:
    """Measure a folder of photographs, and write a table with one row per leaf.

    Use it to make a table that the other commands can train on. If it is interrupted, the same command continues where
    it stopped. Photographs that cannot be measured are listed at the end.

    Example: [bold]atfnb leaf extract photographs/ --labels labels.csv -o features.csv --preview seen/[/]
    """
    with one_sentence(f"what was measured is kept beside {out}: the same command continues from there."):
        from rich.console import Console

        from atfnb.paper import measure_folder

        measure_folder(Console(), images, labels, out, leaf_pixels_only=leaf_pixels_only, preview=preview, jobs=jobs)


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
        from atfnb.paper.leaf import SPECIES, draw_folder

        labels = draw_folder(folder, each, seed)
        typer.echo(f"{each * len(SPECIES)} leaves of {len(SPECIES)} species drawn; their labels are in {labels}.")


app.command("extract")(extract)
app.command("draw")(draw)
