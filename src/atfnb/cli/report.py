"""The verb ``report``: a model and a table become an HTML page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from atfnb.cli.options import DataFiles, ModelFile, ModelTarget, NewFileOptions, Quiet, Seed, check_output, with_options
from atfnb.cli.terminal import in_command, one_sentence, say, standard_error, warnings_noted


@with_options
def report(
    *,
    model: ModelFile,
    data: DataFiles,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="HTML file to write.")] = Path("report.html"),
    target: ModelTarget = None,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="A second table with actual classes, on which the model is scored as well.",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Number of folds of the cross-validation.")] = 5,
    seed: Seed = 0,
    file: NewFileOptions,
    quiet: Quiet = False,
) -> None:
    """Write an HTML page that explains a model and shows how good it is.

    Use it to look at a model, or to show it to others: the page is one file that opens in any browser. DATA is usually
    the table that the model was trained on; models like it are then cross-validated on it. On any other table, and on
    that of [bold]--test[/], the model itself is scored. The page says which.

    Example: [bold]atfnb report model.json bank.csv -o report.html[/]

    Example: [bold]atfnb report model.json train.csv --test test.csv -o report.html[/]
    """
    with one_sentence():
        from atfnb.cli.rows import rows_for
        from atfnb.console import progress_bar
        from atfnb.model_file import load
        from atfnb.report import PageOptions, model_page

        check_output(out, *data, str(model), *([test] if test else []))
        console, loaded = standard_error(quiet), load(model)
        rows = rows_for(loaded, data, target, file.dialect())
        held_out = rows_for(loaded, test, target, file.dialect()) if test else None
        for read in (rows, held_out):
            say(console, [] if read is None else [read.record.format, *read.record.notes])
        title, notes = f"{rows.record.source}: what was learned", list[str]()
        options = PageOptions(folds, seed, title, rows.record.target, notes=[*map(in_command, rows.record.notes)])
        if held_out is not None:
            options = replace(options, test=(held_out.X, held_out.y), test_name=str(held_out.record.source))
        with progress_bar(console, "cross-validating") as progress, warnings_noted(notes):
            model_page(loaded, rows.X, rows.y, replace(options, progress=progress)).save(out)
        say(console, [*notes, f"Report saved to {out}."])
