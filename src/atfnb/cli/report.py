"""The verb ``report``: a model and a table become an HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atfnb.cli.options import DataFiles, ModelFile, ModelTarget, NewFileOptions, Quiet, Seed, check_output, with_options
from atfnb.cli.terminal import one_sentence, say, standard_error, warnings_noted

if TYPE_CHECKING:
    from rich.console import Console

    from atfnb.classifiers import BaseNB
    from atfnb.cli.rows import LabelledTable


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
        from atfnb.model_file import load

        check_output(out, *data, str(model), *([test] if test else []))
        console, loaded = standard_error(quiet), load(model)
        rows = rows_for(loaded, data, target, file.dialect())
        held_out = rows_for(loaded, test, target, file.dialect()) if test else None
        for read in (rows, held_out):
            say(console, [] if read is None else [str(read.format), *read.notes])
        _write_page(loaded, rows, held_out, out, folds, seed, console)


def _write_page(
    model: BaseNB,
    rows: LabelledTable,
    held_out: LabelledTable | None,
    out: Path,
    folds: int,
    seed: int,
    console: Console,
) -> None:
    """Write the page of a model, with a progress bar for the cross-validation."""
    from atfnb.console import progress_bar

    notes: list[str] = []
    with progress_bar(console, "cross-validating") as progress, warnings_noted(notes):
        model.report(
            rows.X,
            rows.y,
            out,
            folds=folds,
            random_state=seed,
            title=f"{rows.format.name}: what was learned",
            target=rows.target,
            test=None if held_out is None else (held_out.X, held_out.y),
            test_name="the test rows" if held_out is None else held_out.format.name,
            notes=rows.notes,
            progress=progress,
        )
    say(console, [*notes, f"Report saved to {out}."])
