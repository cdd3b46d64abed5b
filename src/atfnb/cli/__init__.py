"""The command ``atfnb``: parse, call, print. Each verb imports what it needs when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from atfnb.cli import studies, tables, testing

app = typer.Typer(
    name="atfnb",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _say_version(asked: bool) -> None:
    if asked:
        from atfnb import __version__

        typer.echo(f"atfnb {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Naive Bayes that learns how much each attribute should count.

    Begin with [bold]atfnb evaluate data.csv --target class[/]: how well can the class be told from the other columns?
    """


OWN, PAPER = "Your own table", "The paper, run again"

app.command("evaluate", rich_help_panel=OWN)(tables.evaluate)
app.command("train", rich_help_panel=OWN)(tables.train)
app.command("test", rich_help_panel=OWN)(testing.score_file)
app.command("predict", rich_help_panel=OWN)(tables.predict)
app.command("report", rich_help_panel=OWN)(tables.report)
app.command("reproduce", rich_help_panel=PAPER)(studies.reproduce)
app.command("datasets", rich_help_panel=PAPER)(studies.list_datasets)
app.add_typer(studies.leaf_app, name="leaf", no_args_is_help=True, rich_help_panel=PAPER)
