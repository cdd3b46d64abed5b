"""The command ``atfnb``: one file per verb, which parses the command line, calls the library, and prints.

===============================  ==================================================================
``train.py``, ``predict.py`` …   a verb each: its options, its steps, its output
``report.py``                    three verbs, which write a model for others: ``report``, ``page`` and ``export``
``options.py``                   options that several verbs share
``rows.py``                      files → the rows that a verb works on
``terminal.py``                  tables, sentences and files of figures; notes; errors as one sentence and an exit code
``predictor.py``, ``verdict.py`` the work of ``predict``, and what ``evaluate`` concludes
===============================  ==================================================================

Verbs import what they need when they are called, so that ``--help`` is fast.
"""

from __future__ import annotations

import sys
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperGroup

from atfnb.cli import drift, edit, evaluate, predict, report, split, test, train, update
from atfnb.cli.options import option, with_options
from atfnb.cli.terminal import one_sentence

__all__ = ["app", "one_sentence", "option", "run", "with_options"]


class Verbs(TyperGroup):
    """The verbs of this package and those of others, which declare a Typer app as an entry point of "atfnb.verbs"."""

    @cached_property
    def added(self) -> dict[str, Any]:
        """The verbs of other packages, by name; these packages are imported when a verb is not one of our own."""
        apps = [entry.load() for entry in entry_points(group="atfnb.verbs")]
        return {name: verb for app in apps for name, verb in typer.main.get_group(app).commands.items()}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the verbs, in the order of the help."""
        return [*super().list_commands(ctx), *self.added]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a verb by its name, or None."""
        verb = super().get_command(ctx, cmd_name) or self.added.get(cmd_name)
        for each in (verb, *getattr(verb, "commands", {}).values()) if verb else ():
            _show_flags(each.get_params(ctx))
        return verb

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the command itself."""
        return _show_flags(super().get_params(ctx))


def _show_flags(options: list[Any]) -> list[Any]:
    """Return options of which flags have nothing behind them in the help, where Typer would write <bool>."""
    for each in options:
        if getattr(each, "is_flag", False):
            each.metavar = ""
    return options


app = typer.Typer(
    name="atfnb", cls=Verbs, no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False
)


def _print_version(asked: bool) -> None:
    if asked:
        from atfnb import __version__

        typer.echo(f"atfnb {__version__}")
        raise typer.Exit


@app.callback()
@with_options
def main(
    *,
    version: bool = option("Show the version and exit.", False, callback=_print_version, is_eager=True),
) -> None:
    """Attribute-weighted naive Bayes: classify tables, and see why.

    Start with [bold]atfnb evaluate data.csv --target class[/], which shows how well the classifiers predict the column
    class from the other columns, and recommends one.
    """


verbs = (evaluate.evaluate, split.split, train.train, test.test, predict.predict, drift.drift, update.update, edit.edit)
for verb in (*verbs, report.report, report.page, report.export):
    app.command(rich_help_panel="Your own table")(verb)


def run() -> int:
    """Run the command, and return its exit code; what cannot be printed, such as help to a full disk, is an error."""
    code = 0
    try:
        with one_sentence():
            try:
                app(prog_name="atfnb")
            except SystemExit as end:
                code = int(end.code or 0)
            if not code:
                sys.stdout.flush()
    except typer.Exit as end:
        code = end.exit_code
    return code
