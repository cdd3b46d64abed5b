"""The command ``atfnb``: parse, call, print. Each verb imports what it needs when it is called."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="atfnb",
    help="Naive Bayes that learns how much each attribute should count.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

Data = Annotated[
    Path | None,
    typer.Option(envvar="ATFNB_DATA", help="Folder with the CSV files of the sets that need one.", show_default=False),
]


class Protocol(StrEnum):
    """When to discretise: inside the training part, or before splitting."""

    clean = "clean"
    leaky = "leaky"


@app.callback()
def main() -> None:
    """Naive Bayes that learns how much each attribute should count."""


@app.command("datasets")
def list_datasets(data: Data = None) -> None:
    """List the 50 data sets of the paper, and where each would come from now.

    Example: [bold]atfnb datasets --data csv/[/]
    """
    from rich.console import Console
    from rich.table import Table

    from atfnb import datasets

    console = Console()
    with _one_sentence():
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


@app.command()
def reproduce(
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
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
) -> None:
    """Run the paper's study on the sets that can be had, and show ours beside the paper's.

    Interrupt it at any time: a second start goes on from there.

    Example: [bold]atfnb reproduce --data csv/ --out results --with RandomForest[/]
    """
    from rich.console import Console

    from atfnb.report.study import reproduce_study

    console = Console()
    kept = f"what was done is kept in {out}: the same command goes on from there."
    with _one_sentence(kept):
        reproduce_study(
            console,
            out,
            sets,
            peers or [],
            data=_text(data),
            splits=splits,
            seed=seed,
            protocol=protocol.value,
            jobs=jobs,
        )


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


@contextmanager
def _one_sentence(kept: str = "") -> Iterator[None]:
    """What goes wrong is told in one sentence on standard error: exit code 1, or 130 if interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        typer.secho(f"\ninterrupted; {kept}", err=True)
        raise typer.Exit(130) from None
    except BrokenExecutor:
        typer.secho(f"atfnb: a worker process was killed; {kept}", err=True, fg="red")
        raise typer.Exit(1) from None
    except (ValueError, OSError, ImportError) as error:
        typer.secho(f"atfnb: {error}", err=True, fg="red")
        raise typer.Exit(1) from None
