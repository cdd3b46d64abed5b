"""The verbs that the study adds to the command ``atfnb``; ``pyproject.toml`` names the app as an entry point."""

from __future__ import annotations

import typer

from atfnb_study.verbs import leaf
from atfnb_study.verbs.datasets import datasets
from atfnb_study.verbs.reproduce import reproduce

PANEL = "The studies of the paper"

app = typer.Typer()
app.command("reproduce", rich_help_panel=PANEL)(reproduce)
app.command("datasets", rich_help_panel=PANEL)(datasets)
app.add_typer(leaf.app, rich_help_panel=PANEL)
