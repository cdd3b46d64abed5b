"""The command ``atfnb``: one file per verb, which parses the command line, calls the library, and prints.

===============================  ==================================================================
``train.py``, ``predict.py`` …   a verb each: its options, its steps, its output
``options.py``                   options that several verbs share
``rows.py``                      files → the rows that a verb works on
``terminal.py``                  errors as one sentence and an exit code; notes and tables
``predictor.py``, ``verdict.py`` the work of ``predict``, and what ``evaluate`` concludes
===============================  ==================================================================

Verbs import what they need when they are called, so that ``--help`` is fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from atfnb.cli import (
    datasets,
    drift,
    evaluate,
    export,
    leaf,
    page,
    predict,
    report,
    reproduce,
    test,
    train,
    update,
)
from atfnb.cli.options import with_options

__all__ = ["app"]

app = typer.Typer(name="atfnb", no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)


def _print_version(asked: bool) -> None:
    if asked:
        from atfnb import __version__

        typer.echo(f"atfnb {__version__}")
        raise typer.Exit


@app.callback()
@with_options
def main(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Attribute-weighted naive Bayes: classify tables, and see why.

    Start with [bold]atfnb evaluate data.csv --target class[/], which shows how well the classifiers predict the column
    class from the other columns, and recommends one.
    """


TABLES, PAPER = "Your own table", "The studies of the paper"

app.command("evaluate", rich_help_panel=TABLES)(evaluate.evaluate)
app.command("train", rich_help_panel=TABLES)(train.train)
app.command("test", rich_help_panel=TABLES)(test.score_model)
app.command("predict", rich_help_panel=TABLES)(predict.predict)
app.command("drift", rich_help_panel=TABLES)(drift.drift)
app.command("update", rich_help_panel=TABLES)(update.update)
app.command("report", rich_help_panel=TABLES)(report.report)
app.command("page", rich_help_panel=TABLES)(page.page)
app.command("export", rich_help_panel=TABLES)(export.export)
app.command("reproduce", rich_help_panel=PAPER)(reproduce.reproduce)
app.command("datasets", rich_help_panel=PAPER)(datasets.datasets)
app.add_typer(leaf.app, rich_help_panel=PAPER)
