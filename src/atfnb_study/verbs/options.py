"""Options that several verbs of the study share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="Number of processes.")]
