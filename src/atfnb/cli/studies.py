"""Verbs for the paper's studies: reproduce, datasets, leaf."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from atfnb.cli.sentences import one_sentence

Data = Annotated[
    Path | None,
    typer.Option(
        envvar="ATFNB_DATA",
        help="Folder with a file NAME.csv for each set that needs one: a header line, the class in the last column, "
        "which is named class, and an empty cell for a missing value.",
        show_default=False,
    ),
]

Labels = Annotated[
    Path | None,
    typer.Option(
        help="CSV with a column file and one named class, species or label; labels.csv beside the photographs if not "
        "given.",
        show_default=False,
    ),
]
LEAVES = "Leaves"


class Protocol(StrEnum):
    """When to discretise: inside the training part, or before splitting."""

    clean = "clean"
    leaky = "leaky"


class Study(StrEnum):
    """Which of the paper's two experiments."""

    uci = "uci"
    flavia = "flavia"


Jobs = Annotated[int, typer.Option(min=1, help="Processes.")]


def list_datasets(
    name: Annotated[str | None, typer.Argument(help="Write this set to a file.", show_default=False)] = None,
    data: Data = None,
    out: Annotated[str | None, typer.Option("--out", "-o", help="The file to write; - to print it.")] = None,
) -> None:
    """List the 50 data sets of the paper, and where each would come from now; or write one of them to a file.

    Example: [bold]atfnb datasets --data csv/[/]

    Example: [bold]atfnb datasets titanic -o titanic.csv[/]
    """
    if name is not None:
        with one_sentence():
            _write_set(name, data, f"{name}.csv" if out is None else out)
        return
    from rich.console import Console
    from rich.table import Table

    from atfnb.paper import datasets

    console = Console()
    with one_sentence():
        names = datasets.catalogue()
        places = {name: datasets.where(name, _text(data)) for name in names}
    table = Table("set", "rows", "attributes", "classes", "gaps", "from", title="the data sets of the paper")
    for column in table.columns[1:5]:
        column.justify = "right"
    for name, record in names.items():
        numbers = (record.instances, record.attributes, record.classes, record.missing_cells)
        table.add_row(name, *map(str, numbers), places[name])
    console.print(table)
    available = sum(place != "not available" for place in places.values())
    console.print(f"{available} of {len(names)} can be had now; the others need their CSV files: --data FOLDER")


def _write_set(name: str, data: Path | None, out: str) -> None:
    import pyarrow as pa

    from atfnb.paper import datasets
    from atfnb.tables import TableWriter

    X, y = datasets.load(name, _text(data))
    with TableWriter(out) as writer:
        writer.write(pa.Table.from_pandas(X.assign(**{"class": y}), preserve_index=False))
    typer.echo(f"{len(X):,} rows, the column to tell is 'class': {out}", err=True)


def reproduce(
    study: Annotated[
        Study, typer.Argument(help="uci: the 50 data sets. flavia: leaves, from photographs or a table.")
    ] = Study.uci,
    data: Data = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for results, tables and the report.")] = Path(
        "results"
    ),
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="Only this set; may be repeated.", show_default=False)
    ] = None,
    splits: Annotated[int, typer.Option(min=2, help="Random 80/20 splits of each set.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other splits.")] = 0,
    protocol: Annotated[
        Protocol, typer.Option(help="clean, or leaky: discretise before splitting, to see what that does.")
    ] = Protocol.clean,
    peers: Annotated[
        list[str] | None,
        typer.Option("--with", help="A peer to join, as RandomForest or EBM; may be repeated.", show_default=False),
    ] = None,
    jobs: Jobs = 2,
    images: Annotated[
        Path | None, typer.Option(help="flavia: the folder of photographs.", show_default=False, rich_help_panel=LEAVES)
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="flavia: their labels, as for atfnb leaf extract.", show_default=False, rich_help_panel=LEAVES
        ),
    ] = None,
    features: Annotated[
        Path | None,
        typer.Option(help="flavia: attributes that are measured already.", show_default=False, rich_help_panel=LEAVES),
    ] = None,
    drawn: Annotated[
        bool,
        typer.Option(
            "--drawn",
            help="flavia: a demonstration on drawn leaves; nothing is compared with the paper.",
            rich_help_panel=LEAVES,
        ),
    ] = False,
) -> None:
    """Run one of the paper's two studies, and show the results beside the paper's.

    Interrupt it at any time: a second start goes on from there.

    Example: [bold]atfnb reproduce --data csv/ --out results --with RandomForest[/]

    Example: [bold]atfnb reproduce flavia --images photographs/ --labels labels.csv --out leaves[/]
    """
    from rich.console import Console

    from atfnb.paper import Flavia, Sets, Uci, features_of, reproduce_study

    console = Console()
    kept = f"what was done is kept in {out}: the same command goes on from there."
    with one_sentence(kept):
        if study is Study.flavia:
            given = features_of(console, out, images=images, labels=labels, features=features, drawn=drawn, jobs=jobs)
            of: Sets = Flavia(str(given), seed, drawn)
        elif images or labels or features or drawn:
            raise ValueError("--images, --labels, --features and --drawn belong to: atfnb reproduce flavia.")
        else:
            of = Uci(_text(data))
        reproduce_study(
            console,
            out,
            sets,
            peers or [],
            sets=of,
            splits=splits,
            seed=seed,
            protocol=protocol.value,
            jobs=jobs,
        )


leaf_app = typer.Typer(help="Leaves: from photographs to ten attributes of shape and four of texture.")


@leaf_app.command("extract")
def extract_leaves(
    images: Annotated[Path, typer.Argument(help="The folder of photographs: a dark leaf each, on a light ground.")],
    labels: Labels = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The table to write.")] = Path("features.csv"),
    leaf_pixels_only: Annotated[
        bool, typer.Option("--leaf-pixels-only", help="Texture of the leaf alone, not of the whole image.")
    ] = False,
    preview: Annotated[
        Path | None,
        typer.Option(help="A folder for each photograph with what was measured drawn on it.", show_default=False),
    ] = None,
    jobs: Jobs = 2,
) -> None:
    """Measure a folder of photographs: a table with a line of attributes for each leaf.

    Interrupt it at any time: a second start goes on from there. What cannot be measured is told at the end.

    Example: [bold]atfnb leaf extract photographs/ --labels labels.csv -o features.csv --preview seen/[/]
    """
    from rich.console import Console

    from atfnb.paper import measure_folder

    kept = f"what was measured is kept beside {out}: the same command goes on from there."
    with one_sentence(kept):
        measure_folder(Console(), images, labels, out, leaf_pixels_only=leaf_pixels_only, preview=preview, jobs=jobs)


@leaf_app.command("draw")
def draw_leaves(
    folder: Annotated[Path, typer.Argument(help="Where to put them.")],
    each: Annotated[int, typer.Option(min=1, help="Leaves of each species.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other leaves.")] = 0,
) -> None:
    """Draw leaves of a few species, with their labels, to try things out without photographs.

    Example: [bold]atfnb leaf draw drawn/ && atfnb leaf extract drawn/[/]
    """
    with one_sentence():
        from atfnb.paper.leaf import SPECIES, draw_folder

        labels = draw_folder(folder, each, seed)
        typer.echo(f"{each * len(SPECIES)} leaves of {len(SPECIES)} species drawn; their labels: {labels}")


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
